"""The judge of the proofs is judged: it must find every breach, in either form."""

from typing import Any

import pytest

from memory.messages import Message
from tests.bench.proof import is_kept
from tests.bench.proof_histories import try_seeds
from tests.helpers.grammar import grammar_faults, wire_faults
from tests.helpers.histories import answer, calls, result, user

BREACHES: dict[str, list[Message]] = {
    "g1": [answer("a"), user("q")],
    "g2": [user("q"), answer(""), user("again")],
    "g2 blank": [user("q"), answer(" \n"), user("again")],
    "g3": [user("q"), calls(""), result("", "r")],
    "g3 again": [user("q"), calls("c"), result("c", "r"), calls("c"), result("c", "r")],
    "g4": [user("q"), calls("c"), user("again")],
    "g4 order": [user("q"), calls("a", "b"), result("b", "r"), result("a", "r")],
    "g4 late": [user("q"), calls("c"), user("hm"), result("c", "r")],
    "g5": [user("q"), result("c", "r"), user("again")],
    "g6": [user("q"), user("again")],
    "g6 assistant": [user("q"), answer("a"), answer("b"), user("again")],
    "g7": [user("\udc80")],
    "g7 arguments": [user("q"), calls("c", arguments="[1]"), result("c", "r")],
    "g7 json": [user("q"), calls("c", arguments="{bad"), result("c", "r")],
    "g8": [user("q"), answer("a")],
}


@pytest.mark.parametrize("breach", BREACHES)
def test_the_judge_finds_a_breach_in_our_messages_and_on_the_wire(breach: str) -> None:
    rule = breach.split(" ", maxsplit=1)[0]
    messages = BREACHES[breach]

    assert any(fault.startswith(rule) for fault in grammar_faults(messages))
    assert any(fault.startswith(rule) for fault in wire_faults([_wire(message) for message in messages]))


def test_the_judge_finds_nothing_in_what_is_legal() -> None:
    messages: list[Message] = [
        user("q"),
        calls("a", "b"),
        result("a", "r"),
        result("b", "r"),
        answer("ok"),
        user("next"),
    ]
    system = {"role": "system", "content": "be brief"}

    assert grammar_faults(messages) == []
    assert wire_faults([system, *(_wire(message) for message in messages)]) == []


def test_null_content_is_a_fault_only_where_there_are_no_calls() -> None:
    assert wire_faults([{"role": "user", "content": None}]) == ["g2 at 0: nothing in it"]


def test_an_empty_text_block_is_a_fault_and_a_picture_alone_is_none() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    assert wire_faults([{"role": "user", "content": [picture]}]) == []
    assert wire_faults([{"role": "user", "content": [{"type": "text", "text": ""}, picture]}])


def test_two_hundred_histories_of_the_proof_show_no_fault() -> None:
    tally = try_seeds(range(200))

    assert tally.examples == []
    assert tally.valid == 50
    assert len(tally.repairs) > 8
    assert tally.shortened > 0


@pytest.mark.parametrize(
    ("verdict", "kept"),
    [
        ("0 illegal, 0 too large", True),
        ("0 illegal, 10 too large", False),
        ("1,200 illegal", False),
        ("", False),
    ],
)
def test_a_promise_is_kept_only_where_every_count_is_nought(verdict: str, kept: bool) -> None:
    assert is_kept(verdict) is kept


def _wire(message: Message) -> dict[str, Any]:
    role = type(message).__name__.removesuffix("Message").lower()
    made: dict[str, Any] = {"role": role, "content": message.content}
    for call in getattr(message, "tool_calls", ()):
        function = {"name": call.name, "arguments": call.arguments}
        made.setdefault("tool_calls", []).append({"id": call.id, "type": "function", "function": function})
    if role == "tool":
        made["tool_call_id"] = getattr(message, "tool_call_id", "")
    if made.get("tool_calls") and not message.content:
        made["content"] = None
    return made
