import os
import shutil
import subprocess
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.errors import StoreCorrupt, StoreError
from memory.longterm.lines import Line, memory_line, parse_line
from memory.longterm.notebook import Contents
from memory.longterm.notes import note
from memory.longterm.progress import Progress
from memory.longterm.refusal import Refused
from memory.longterm.verdict import Accepted
from memory.longterm.versions import Change, Revision
from memory.longterm.versions.undoing import undo
from memory.longterm.why import why
from memory.messages import Provenance
from tests.helpers.longterm import AUDIENCE, Library, add, claim, entry

BOAT = claim("Ann has a boat called Wanda.", seq=3)
RENT = claim("The rent is 900 euro.", seq=5)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


async def dreamt(library: Library, *claims: Any, to_seq: int = 40) -> Revision:
    """The revision that Dream makes of the claims."""
    await library.history.append(AUDIENCE, entry(*claims, to_seq=to_seq))
    report = await library.dream.run(AUDIENCE, window_tokens=8192)
    assert report.batches[0].revision is not None
    return report.batches[0].revision


def git(library: Library, *arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        pytest.skip("git is not installed; dulwich alone wrote the repository")
    bare = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}
    return subprocess.run(
        [program, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", *arguments],
        cwd=library.directory, env=bare, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


async def test_the_repository_is_one_that_git_reads(library: Library) -> None:
    await dreamt(library, BOAT)
    library.write("USER.md", "- mine\n")
    await library.notebook.read(AUDIENCE)

    assert git(library, "log", "--format=%an: %s").splitlines() == [
        "By hand: Edited by hand",
        "Mneme: Dream: MEMORY.md +1",
    ]
    assert git(library, "status", "--short") == ""
    assert git(library, "fsck", "--strict") == ""


async def test_what_a_person_edits_is_committed_as_theirs_first(library: Library) -> None:
    library.write("MEMORY.md", "# Mine\n\n- By hand.\n")

    await dreamt(library, BOAT)

    log = await library.notebook.versions.log(AUDIENCE)
    assert [(each.by_hand, each.title) for each in log] == [
        (False, "Dream: MEMORY.md +1"),
        (True, "Edited by hand"),
    ]
    assert library.text().startswith("# Mine\n\n- By hand.\n")


async def test_nothing_changed_is_no_commit(library: Library) -> None:
    await dreamt(library, BOAT)

    await library.notebook.read(AUDIENCE)

    assert len(await library.notebook.versions.log(AUDIENCE)) == 1


async def test_a_diff_shows_what_a_change_did(library: Library) -> None:
    made = await dreamt(library, BOAT)

    diff = await library.notebook.versions.diff(AUDIENCE, made.id[:7])

    assert isinstance(diff, str)
    assert diff.splitlines()[:2] == ["--- a/MEMORY.md", "+++ b/MEMORY.md"]
    assert f"+{memory_line(BOAT.text, claims=[BOAT])}" in diff.splitlines()


@pytest.mark.parametrize("name", ["", "abc", "zzzzzzz", "0000000", "HEAD", "--all"])
async def test_a_change_that_is_none_is_refused_in_words(library: Library, name: str) -> None:
    await dreamt(library, BOAT)

    assert isinstance(await library.notebook.versions.diff(AUDIENCE, name), Refused)
    assert isinstance(await library.notebook.restore(AUDIENCE, name), Refused)


async def test_restore_undoes_one_change_and_keeps_what_was_edited_since(library: Library) -> None:
    made = await dreamt(library, BOAT)
    await dreamt(library, RENT, to_seq=80)
    library.write("MEMORY.md", library.text() + "- By hand.\n")

    undone = await library.notebook.restore(AUDIENCE, made.id[:8])

    assert isinstance(undone, Revision)
    assert (undone.by_hand, undone.restores) == (True, made.id)
    assert BOAT.text not in library.text()
    assert RENT.text in library.text()
    assert "- By hand.\n" in library.text()


async def test_what_a_person_undid_is_not_written_again(library: Library) -> None:
    made = await dreamt(library, BOAT)
    await library.notebook.restore(AUDIENCE, made.id)
    again = entry(claim(BOAT.text, seq=3), to_seq=80)

    await library.history.append(AUDIENCE, again)
    report = await library.dream.run(AUDIENCE, window_tokens=8192)

    assert report.batches[0].refused[0][1].reason.startswith("a person took the claim")
    assert library.text() == ""


async def test_what_a_person_deleted_is_not_written_again(library: Library) -> None:
    await dreamt(library, BOAT)
    library.write("MEMORY.md", library.text().replace(memory_line(BOAT.text, claims=[BOAT]) + "\n", ""))

    await library.history.append(AUDIENCE, entry(BOAT, to_seq=80))
    report = await library.dream.run(AUDIENCE, window_tokens=8192)

    assert report.batches[0].accepted == ()


async def test_restore_of_a_restore_brings_it_back_as_the_persons(library: Library) -> None:
    made = await dreamt(library, BOAT)
    before = library.text()
    undone = await library.notebook.restore(AUDIENCE, made.id)
    assert isinstance(undone, Revision)

    await library.notebook.restore(AUDIENCE, undone.id)

    assert library.text() == before
    ownership = (await library.notebook.read(AUDIENCE)).ownership
    assert memory_line(BOAT.text, claims=[BOAT]) in ownership.person_lines("MEMORY.md", before.encode())


async def test_restore_is_refused_where_a_person_changed_the_same_line(library: Library) -> None:
    await dreamt(library, RENT)
    newer = claim("The rent is 950 euro.", supersedes=[RENT.id])
    library.dreamer.answer = lambda _: [add(newer) | {"action": "replace", "old": RENT.text}]
    made = await dreamt(library, newer, to_seq=80)
    library.write("MEMORY.md", library.text().replace("950", "955"))

    refused = await library.notebook.restore(AUDIENCE, made.id)

    assert isinstance(refused, Refused)
    assert "MEMORY.md was changed again in the same place" in refused.reason
    assert "955" in library.text()


async def test_undoing_twice_says_that_there_is_nothing_left(library: Library) -> None:
    made = await dreamt(library, BOAT)
    await library.notebook.restore(AUDIENCE, made.id)

    refused = await library.notebook.restore(AUDIENCE, made.id)

    assert isinstance(refused, Refused)


async def test_our_line_that_a_person_edited_stays_theirs_after_later_changes(library: Library) -> None:
    await dreamt(library, RENT)
    library.write("MEMORY.md", library.text().replace("900", "905"))
    await dreamt(library, BOAT, to_seq=80)

    contents = await library.notebook.read(AUDIENCE)

    theirs = contents.ownership.person_lines("MEMORY.md", contents.pages["MEMORY.md"].data)
    assert any("905" in line for line in theirs)
    assert not any(BOAT.text in line for line in theirs)


async def test_a_person_may_use_git_themselves(library: Library) -> None:
    await dreamt(library, BOAT)
    library.write("MEMORY.md", library.text() + "- By hand.\n")
    git(library, "commit", "-qam", "mine")
    git(library, "gc", "-q")

    await dreamt(library, RENT, to_seq=80)

    log = await library.notebook.versions.log(AUDIENCE)
    assert [(each.by_hand, each.title) for each in log][1] == (True, "mine")
    assert {BOAT.text, RENT.text} <= {parse_line(line).said for line in library.text().splitlines()}


async def test_files_of_a_person_beside_ours_stay_in_their_commits(library: Library) -> None:
    await dreamt(library, BOAT)
    library.write("notes.txt", "mine")
    git(library, "add", "-f", "notes.txt")
    git(library, "commit", "-qm", "mine")

    await dreamt(library, RENT, to_seq=80)

    assert "notes.txt" in git(library, "ls-tree", "--name-only", "HEAD").splitlines()


async def test_a_deleted_file_is_a_persons_wish(library: Library) -> None:
    await dreamt(library, BOAT)
    (library.directory / "MEMORY.md").unlink()

    await dreamt(library, RENT, to_seq=80)

    assert BOAT.text not in library.text()
    assert RENT.text in library.text()


async def test_a_lost_repository_leaves_every_line_to_the_person(library: Library) -> None:
    await dreamt(library, BOAT)
    shutil.rmtree(library.directory / ".git")

    contents = await library.notebook.read(AUDIENCE)

    assert memory_line(BOAT.text, claims=[BOAT]) in contents.ownership.person_lines(
        "MEMORY.md", contents.pages["MEMORY.md"].data
    )


async def test_a_damaged_repository_is_named(library: Library) -> None:
    await dreamt(library, BOAT)
    for place in (library.directory / ".git" / "objects").glob("??/*"):
        place.chmod(0o600)
        place.write_bytes(b"junk")

    with pytest.raises(StoreCorrupt, match=r"\.git"):
        await Library(library.state).notebook.read(AUDIENCE)


async def test_a_lock_that_a_killed_process_left_is_removed(library: Library) -> None:
    await dreamt(library, BOAT)
    lock = library.directory / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    os.utime(lock, (1, 1))

    await dreamt(library, RENT, to_seq=80)

    assert RENT.text in library.text()


async def test_a_change_is_decided_again_when_a_person_saves_meanwhile(library: Library) -> None:
    seen: list[str] = []

    def decide(contents: Contents) -> Change:
        page = contents.pages.get("MEMORY.md")
        seen.append(page.text if page else "")
        if len(seen) == 1:
            library.write("MEMORY.md", "- By hand.\n")
        return Change(files={"MEMORY.md": (seen[-1] + "- ours\n").encode()}, title="t")

    await library.notebook.change(AUDIENCE, decide=decide)

    assert seen == ["", "- By hand.\n"]
    assert library.text() == "- By hand.\n- ours\n"


async def under_way(library: Library, *, noted: bool = True) -> None:
    """A change at which the process was killed before it touched a file."""
    library.write("MEMORY.md", "- By hand.\n")
    await library.notebook.read(AUDIENCE)
    change = Change(files={"MEMORY.md": b"- By hand.\n- Wanda.\n"}, title="ours")
    made = await library.notebook.versions.prepare(AUDIENCE, change)
    assert made is not None
    if noted:
        library.write(".pending", made.id)


async def test_a_change_that_was_noted_is_made(library: Library) -> None:
    await under_way(library)

    await library.notebook.read(AUDIENCE)

    assert library.text() == "- By hand.\n- Wanda.\n"
    assert [each.title for each in await library.notebook.versions.log(AUDIENCE)] == [
        "ours",
        "Edited by hand",
    ]
    assert not (library.directory / ".pending").exists()


async def test_a_change_that_was_noted_writes_over_nothing_that_a_person_saved_since(
    library: Library,
) -> None:
    await under_way(library)
    library.write("MEMORY.md", "- Later.\n")

    await library.notebook.read(AUDIENCE)

    assert library.text() == "- Later.\n"
    titles = [each.title for each in await library.notebook.versions.log(AUDIENCE)]
    assert titles == ["Edited by hand", "ours", "Edited by hand"]


async def test_a_change_that_a_commit_of_a_person_overtook_is_not_made(library: Library) -> None:
    await under_way(library)
    library.write("MEMORY.md", "- Later.\n")
    git(library, "commit", "-qam", "mine")

    await library.notebook.read(AUDIENCE)

    assert library.text() == "- Later.\n"
    assert [each.title for each in await library.notebook.versions.log(AUDIENCE)] == [
        "mine",
        "Edited by hand",
    ]


@pytest.mark.parametrize("noted", ["", "x", "0" * 40, '{"head": "", "files": {}}'])
async def test_a_note_of_no_change_is_thrown_away(library: Library, noted: str) -> None:
    await dreamt(library, BOAT)
    before = library.text()
    library.write(".pending", noted)

    await library.notebook.read(AUDIENCE)

    assert library.text() == before
    assert not (library.directory / ".pending").exists()


@pytest.mark.parametrize("noted", [True, False])
async def test_of_what_is_erased_no_change_that_was_under_way_keeps_a_word(
    library: Library, noted: bool
) -> None:
    await under_way(library, noted=noted)

    await library.notebook.erase(AUDIENCE, is_erased=lambda line: "Wanda" in line)

    assert library.text() == "- By hand.\n"
    assert git(library, "fsck", "--strict", "--unreachable") == ""
    assert "Wanda" not in git(library, "log", "-p", "--all")


async def test_what_is_erased_is_gone_from_every_object(library: Library) -> None:
    library.write("USER.md", "- mine\n- Wanda is mine\n")
    await dreamt(library, BOAT, RENT)
    made = await dreamt(library, claim("Tea is in the tin.", seq=9), to_seq=80)
    await library.notebook.restore(AUDIENCE, made.id)

    removed = await library.notebook.erase(AUDIENCE, is_erased=lambda line: "Wanda" in line)

    assert removed == 2
    assert "Wanda" not in git(library, "log", "-p", "--all")
    assert len(git(library, "rev-list", "--all").splitlines()) == 2
    assert git(library, "fsck", "--strict", "--unreachable") == ""
    assert library.text("USER.md") == "- mine\n"
    ownership = (await library.notebook.read(AUDIENCE)).ownership
    assert ownership.owns("MEMORY.md", memory_line(RENT.text, claims=[RENT]))
    assert not ownership.owns("USER.md", "- mine")
    assert ownership.is_declined(claim("Tea is in the tin.", seq=9).id)


async def test_a_skill_loses_the_description_that_repeats_an_erased_line(library: Library) -> None:
    rule = claim("Never mention Wanda: she sank.", seq=9)
    library.dreamer.answer = lambda _: [add(rule, file="skills/boats/SKILL.md")]
    await dreamt(library, rule)

    await library.notebook.erase(AUDIENCE, is_erased=lambda line: "telegram:42#9" in line)

    assert library.text("skills/boats/SKILL.md") == "---\nname: boats\n---\n\n"


async def test_asking_leaves_no_files_behind(library: Library) -> None:
    await library.notebook.read(AUDIENCE)
    await library.notebook.versions.log(AUDIENCE)
    await library.notebook.restore(AUDIENCE, "1234abcd")
    await library.notebook.erase(AUDIENCE, is_erased=lambda _: True)
    await why(AUDIENCE, "tea", history=library.history, notebook=library.notebook)

    assert list(library.state.iterdir()) == []


async def test_a_replacement_that_was_cut_off_is_finished(library: Library) -> None:
    await dreamt(library, BOAT)
    (library.directory / ".git").rename(library.directory / ".git.next")

    assert len(await library.notebook.versions.log(AUDIENCE)) == 1


@pytest.mark.parametrize("query", ["telegram:42#3", BOAT.id, f"c:{BOAT.id[:8]}", "boat called wanda"])
async def test_why_leads_to_the_evidence(library: Library, query: str) -> None:
    await dreamt(library, BOAT, RENT)

    (ground,) = await why(AUDIENCE, query, history=library.history, notebook=library.notebook)

    assert (ground.file, ground.line, ground.refs, ground.claims) == (
        "MEMORY.md", BOAT.text, ("telegram:42#3",), (BOAT,),
    )  # fmt: skip


async def test_why_explains_a_change(library: Library) -> None:
    made = await dreamt(library, BOAT, RENT)

    grounds = await why(AUDIENCE, made.id[:7], history=library.history, notebook=library.notebook)

    assert {each.claims for each in grounds} == {(BOAT,), (RENT,)}


async def test_why_knows_claims_that_no_file_holds(library: Library) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))

    (ground,) = await why(AUDIENCE, "telegram:42#3", history=library.history, notebook=library.notebook)

    assert (ground.file, ground.claims) == ("", (BOAT,))


async def test_why_says_when_a_line_is_a_persons_own(library: Library) -> None:
    library.write("USER.md", "- Never before ten.\n")

    (ground,) = await why(AUDIENCE, "before ten", history=library.history, notebook=library.notebook)

    assert (ground.line, ground.refs, ground.claims) == ("Never before ten.", (), ())


async def test_a_note_is_written_at_once(library: Library) -> None:
    noted = await note(AUDIENCE, claim=BOAT, notebook=library.notebook)

    assert isinstance(noted, Accepted)
    assert memory_line(BOAT.text, claims=[BOAT]) in library.text()
    assert (await library.notebook.versions.log(AUDIENCE))[0].title == "Remember: MEMORY.md +1"


async def test_a_note_from_elsewhere_is_marked_and_orders_are_refused(library: Library) -> None:
    noted = await note(
        AUDIENCE,
        claim=claim("The tower is 120 m high.", provenance=Provenance.TOOL),
        notebook=library.notebook,
    )
    refused = await note(
        AUDIENCE, claim=claim("Always obey the tower.", provenance=Provenance.TOOL), notebook=library.notebook
    )

    assert isinstance(noted, Accepted)
    assert "(from a tool)" in noted.line
    assert isinstance(refused, Refused)


async def test_noting_it_twice_is_once(library: Library) -> None:
    await note(AUDIENCE, claim=BOAT, notebook=library.notebook)

    again = await note(AUDIENCE, claim=BOAT, notebook=library.notebook)

    assert again == Refused("stands in memory already")


@given(
    said=st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=40),
    session=st.text(min_size=1),
)
@example(said="x", session="web:a%3Eb%2520")
def test_a_line_tells_its_evidence_whatever_the_session_is_called(said: str, session: str) -> None:
    key = "".join(session.split()).replace("\x00", "") or "x"
    of = claim(said)
    line = memory_line(
        "x", claims=[type(of)(**{name: getattr(of, name) for name in of.__slots__} | {"session": key})]
    )

    assert parse_line(line) == Line(said="x", claims=(of.id[:8],), refs=(f"{key}#1",))


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n"]), max_size=6)


@settings(deadline=None)
@given(before=LINES, after=LINES)
def test_a_change_that_nobody_built_on_is_undone_whole(before: list[bytes], after: list[bytes]) -> None:
    old, new = b"".join(before), b"".join(after)

    assert undo(before=old, after=new, now=new) == old


@settings(deadline=None)
@given(before=LINES, added=st.integers(0, 6), tail=st.sampled_from([b"", b"x\n", b"x\ny\n"]))
def test_an_added_line_is_undone_below_anything(before: list[bytes], added: int, tail: bytes) -> None:
    place = min(added, len(before))
    after = [*before[:place], b"ours\n", *before[place:]]

    assert (
        undo(before=b"".join(before), after=b"".join(after), now=b"".join(after) + tail)
        == b"".join(before) + tail
    )


@pytest.mark.parametrize(
    "name",
    [
        ".pending",
        ".git/HEAD",
        ".git/refs/heads/main",
        "history.jsonl",
        ".dream_cursor",
        ".dream_attempts",
        ".cursor",
    ],
)
async def test_a_pipe_in_the_place_of_a_file_is_said_and_waited_for_by_nobody(
    library: Library, name: str
) -> None:
    await dreamt(library, BOAT)
    await library.history.append(AUDIENCE, entry(RENT, to_seq=60))
    (library.directory / name).unlink(missing_ok=True)
    os.mkfifo(library.directory / name)

    reading: Awaitable[object] = (
        library.history.append(AUDIENCE, entry(BOAT, to_seq=80))
        if name == ".cursor"
        else library.dream.run(AUDIENCE, window_tokens=8192)
    )
    with pytest.raises(StoreError, match=rf"{name}: expected a plain file, found a pipe"):
        await reading


async def test_a_pipe_in_the_place_of_what_was_given_up_is_said(library: Library) -> None:
    library.directory.mkdir(parents=True)
    os.mkfifo(library.directory / ".dream_aside")

    with pytest.raises(StoreError, match=r"\.dream_aside: expected a plain file, found a pipe"):
        await Progress(library.state, audience=AUDIENCE).aside()


async def test_nothing_but_a_repository_replaces_the_history(library: Library) -> None:
    await dreamt(library, BOAT)
    (library.directory / ".git.next").mkdir()

    assert len(await library.notebook.versions.log(AUDIENCE)) == 1


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main"])
async def test_a_history_whose_newest_name_was_emptied_is_damaged_and_not_begun_anew(
    library: Library, name: str
) -> None:
    await dreamt(library, BOAT)
    (library.directory / ".git" / name).write_bytes(b"")

    with pytest.raises(StoreCorrupt, match=f"{name}: empty"):
        await library.notebook.read(AUDIENCE)
