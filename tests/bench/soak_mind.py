"""The model of the soak: every question is answered by its mark, so that an answer shows which questions it is for."""

import json
import re
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from gateway.llm.client import Prompt
from memory.messages import UserMessage
from tests.helpers.dreaming import is_dream, noting_all
from tests.helpers.model_answers import Answer, Wire, tool_call
from tests.helpers.summarizing import is_consolidation, quoting

MARK = re.compile(r"\[q:\d+\]")
ANSWER = "answer to"
LOOK_UP, SPAWN = "look it up", "send somebody"
"""Words of a question that make the model use a tool first."""

_RECORD = re.compile(r"<record>.*?</record>", re.DOTALL)
_LONG = " word" * 1200
"""More than one message of any platform holds."""


def think(asked: Wire) -> Answer:
    """A faithful summary, faithful notes, a call, or an answer that names every question of the turn."""
    prompt = _prompt(asked)
    if is_dream(prompt):
        return Answer(text=noting_all(prompt))
    if is_consolidation(prompt):
        return Answer(text=quoting(prompt))
    turn = list(takewhile(lambda message: not _is_answer(message), reversed(asked["messages"])))
    words = _RECORD.sub("", "\n".join(m["content"] for m in reversed(turn) if m["role"] == "user"))
    tools = {tool["function"]["name"] for tool in asked.get("tools", ())}
    if not any(message["role"] == "tool" for message in turn):
        if LOOK_UP in words and "recall" in tools:
            return _call("recall", query="plum")
        if SPAWN in words and "spawn" in tools:
            return _call("spawn", task="count the plums")
    marks = MARK.findall(words)
    return Answer(
        text=f"{ANSWER} {' '.join(marks) or 'what came in'}{_LONG if _number(marks) % 9 == 8 else ''}"
    )


def _prompt(asked: Wire) -> Prompt:
    """The request as far as those read it who summarise and take notes."""
    first, last = asked["messages"][0], asked["messages"][-1]
    message = UserMessage(content=last["content"], at=datetime.now(UTC))
    return Prompt(session="", system=first["content"], messages=[message])


def _is_answer(message: Wire) -> bool:
    return message["role"] == "assistant" and not message.get("tool_calls")


def _call(name: str, **arguments: Any) -> Answer:
    return Answer(calls=[tool_call("c1", name, json.dumps(arguments))], finish="tool_calls")


def _number(marks: list[str]) -> int:
    return int(marks[0][3:-1]) if marks else 0
