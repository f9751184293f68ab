"""A scripted summariser: reads the numbered messages of a consolidation request and answers as a test wants."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.llm.client import Prompt
from memory.claims.proposal import MAX_TEXT_CHARS

_LINE = re.compile(r"^#(\d+) ([^:\n]*): (.*(?:\n    .*)*)", re.MULTILINE)
_SAID_BY = re.compile(r"(.*) \((\w+), \w{3} (\d{4}-\d{2}-\d{2})\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message as the summariser sees it."""

    seq: int
    speaker: str
    provenance: str
    day: str
    words: str


def is_consolidation(prompt: Prompt) -> bool:
    """Whether this asks for claims, and not for a reply."""
    return "key_facts" in prompt.system


def lines_of(prompt: Prompt) -> list[Line]:
    """The messages of a consolidation request."""
    _, _, text = prompt.messages[-1].content.partition("Messages:\n")
    found = []
    for seq, head, words in _LINE.findall(text):
        said_by = _SAID_BY.fullmatch(head)
        assert said_by is not None, head
        speaker, provenance, day = said_by.groups()
        whole = words.replace("\n    ", "\n")
        found.append(Line(seq=int(seq), speaker=speaker, provenance=provenance, day=day, words=whole))
    return found


def item(text: str, seq: int, quote: str | None = None, **fields: Any) -> dict[str, Any]:
    """One proposed claim, resting on its own words unless others are given."""
    return {"text": text, "evidence": [{"seq": seq, "quote": quote or text}], "supersedes": []} | fields


def answer_of(
    facts: Iterable[Mapping[str, Any]] = (),
    *,
    decisions: Iterable[Mapping[str, Any]] = (),
    questions: Iterable[Mapping[str, Any]] = (),
) -> str:
    """The JSON of an answer."""
    lists = {"key_facts": list(facts), "decisions": list(decisions), "open_questions": list(questions)}
    return json.dumps(lists, ensure_ascii=False)


def quoting(prompt: Prompt, *, keep: Callable[[Line], bool] = lambda _line: True) -> str:
    """A faithful summariser: each thing that a person told becomes a fact, each question a question, in their words."""
    people = {"owner", "member"}
    lines = [line for line in lines_of(prompt) if len(line.words) <= MAX_TEXT_CHARS]
    told = [line for line in lines if line.provenance in people and keep(line)]
    return answer_of(
        [item(line.words, line.seq) for line in told if not line.words.endswith("?")],
        questions=[item(line.words, line.seq) for line in told if line.words.endswith("?")],
    )


def seen(prompts: Sequence[Prompt]) -> dict[int, str]:
    """Everything that the summariser was shown, by number, pieces put together."""
    words: dict[int, str] = {}
    for prompt in prompts:
        for line in lines_of(prompt):
            words[line.seq] = words.get(line.seq, "") + line.words
    return words
