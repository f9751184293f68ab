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
