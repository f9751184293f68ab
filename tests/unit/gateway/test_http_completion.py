import json
from typing import Any

from gateway.http.completion import Chunks, Usage


def words(data: bytes) -> str:
    """The words in some events."""
    events: list[dict[str, Any]] = [
        json.loads(line.removeprefix("data: "))
        for line in data.decode().split("\n\n")
        if line.startswith("data: {")
    ]
    return "".join(choice["delta"].get("content", "") for event in events for choice in event["choices"])


def test_what_grows_is_sent_once() -> None:
    chunks = Chunks(id="1", model="m", created=0)
    sent = [chunks.text(text) for text in ("a", "ab", "ab", "abc")]

    assert [words(piece) for piece in sent] == ["a", "b", "", "c"]
    assert sent[2] == b""


def test_what_begins_anew_is_set_below_what_cannot_be_taken_back() -> None:
    chunks = Chunks(id="1", model="m", created=0)
    sent = chunks.text("Let me look.") + chunks.text("It is") + chunks.text("It is 7.")

    assert words(sent) == "Let me look.\n\nIt is 7."


def test_the_end_says_so_and_what_it_cost() -> None:
    usage = Usage(prompt_tokens=2, completion_tokens=3)
    last = Chunks(id="1", model="m", created=0).end(usage).decode()
    plain = Chunks(id="1", model="m", created=0).end(None).decode()

    assert '"finish_reason":"stop"' in last
    assert '"total_tokens":5' in last
    assert "usage" not in plain
    assert last.endswith("data: [DONE]\n\n")
