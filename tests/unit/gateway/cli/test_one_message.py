"""`mneme chat -m TEXT`: one message, one answer, and an exit code that a script can go by."""

import json

import pytest

from tests.helpers.command_line import Mneme


@pytest.fixture
def broken(mneme: Mneme, monkeypatch: pytest.MonkeyPatch) -> Mneme:
    """Whose model can't be reached."""
    monkeypatch.setenv("MNEME_LLM__PROVIDER", "openai")
    monkeypatch.setenv("MNEME_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MNEME_LLM__MODEL", "small")
    return mneme


def test_an_answer_is_printed_and_has_a_document(mneme: Mneme) -> None:
    plain = mneme("chat", "-m", "my dog is called Rex")
    told = json.loads(mneme("chat", "-m", "/status", "--json").stdout)
    document = json.loads(mneme("chat", "-m", "how is my dog called?", "--session", "web:x", "--json").stdout)

    assert (plain.returncode, plain.stdout, plain.stderr) == (0, "Noted.\n", "")
    assert (told["session"], told["seq"]) == ("terminal:main", None)
    assert (document["session"], document["seq"], document["beside"]) == ("web:x", 2, [])
    assert "Rex" in document["reply"]


@pytest.mark.parametrize("text", ["hello", "/retry"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_without_an_answer_the_command_has_failed(broken: Mneme, text: str, options: list[str]) -> None:
    broken("chat", "-m", "hello")
    done = broken("chat", "-m", text, *options)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("mneme: The model can't be reached")
    assert len(done.stderr.splitlines()) == 1


def test_a_command_is_answered_without_the_model(broken: Mneme) -> None:
    assert broken("chat", "-m", "/status").returncode == 0


def test_a_conversation_has_no_document(mneme: Mneme) -> None:
    assert mneme("chat", "--json").returncode == 2


@pytest.mark.parametrize("asked", ["/remind 20m tea", "remind me in 20 minutes to drink tea"])
def test_who_sets_a_reminder_where_no_daemon_runs_is_told_that_it_ends_with_the_chat(
    mneme: Mneme, asked: str
) -> None:
    alone = mneme("chat", "-m", asked)

    assert "tea" in alone.stdout
    assert alone.stdout.endswith("only while this chat is open, or `mneme run` runs.\n")
