"""What `doctor` finds without asking anybody."""

from pathlib import Path

import pytest

from gateway.cli.findings import (
    Finding,
    check_configuration,
    check_disk,
    check_permissions,
    check_tokenizer,
)
from gateway.config import load


def test_a_directory_that_others_can_read_is_found_with_its_cure(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    (finding,) = check_permissions(load(state=tmp_path, environ={}))

    assert not finding.ok
    assert finding.fix == f"chmod 700 {tmp_path}"


def test_a_configuration_with_plain_secrets_must_be_closed_and_without_may_be_open(tmp_path: Path) -> None:
    state, file = tmp_path / "state", tmp_path / "mneme.toml"
    state.mkdir(mode=0o700)
    file.write_text("channels.telegram.token = '1:abc'")
    file.chmod(0o644)
    plain = [finding.fix for finding in check_permissions(load(file, state=state, environ={}))]
    file.write_text("channels.telegram.token = 'env:T'")
    reference = [finding.ok for finding in check_permissions(load(file, state=state, environ={}))]

    assert plain == [f"chmod 600 {file}"]
    assert reference == [True]


@pytest.mark.parametrize(
    ("ok", "fix", "level"), [(True, "", "ok"), (True, "x", "warning"), (False, "x", "error")]
)
def test_what_works_and_could_be_better_is_a_warning(ok: bool, fix: str, level: str) -> None:
    assert Finding(check="disk", ok=ok, message="", fix=fix).level == level


def test_a_file_in_the_place_of_the_directory_is_no_matter_of_ownership(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.touch()

    (finding,) = check_permissions(load(state=file, environ={}))

    assert not finding.ok
    assert finding.message == f"{file} is no directory"


def test_a_directory_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    settings = load(state=tmp_path / "absent" / "deep", environ={})

    assert [finding.ok for finding in check_permissions(settings)] == [True]
    assert [finding.check for finding in check_disk(settings)] == ["disk"]


def test_a_plain_secret_is_mentioned_and_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text("channels.telegram.token = '1:abc'")

    findings = list(check_configuration(load(file, environ={})))

    assert all(finding.ok for finding in findings)
    assert [finding.fix for finding in findings if finding.fix] == ["write env:NAME or file:PATH"]


def test_tokens_are_counted_here(tmp_path: Path) -> None:
    assert [finding.message for finding in check_tokenizer(load(state=tmp_path, environ={}))] == [
        "tokens are counted"
    ]


def test_whatever_is_doubtful_is_a_warning_with_a_cure(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(
        "access.pairing = false\nchannels.telegram.token = 'plain'\ntools.shell = true\n"
        "gateway.http = '0.0.0.0:80'\npeople.ann = {role = 'member'}"
    )
    settings = load(file, state=tmp_path, environ={"MNEME_STAT": "x"})

    levels = [finding.level for finding in check_configuration(settings)][1:]

    assert levels == ["warning"] * 6
