"""A model that plays all parts: replies, summarises faithfully, and proposes edits as a test wants."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gateway.llm.client import Prompt
from gateway.llm.scripted import Line, ScriptedLLM
from tests.helpers.summarizing import is_consolidation, quoting

_CLAIM = re.compile(
    r"^\[(\w+)\] (\w+), (.*) \((\w+)\), (\d{4}-\d{2}-\d{2})(?:, replaces (\w+))?: (.*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One claim as the model sees it."""

    id: str
    kind: str
    speaker: str
    provenance: str
    replaces: str
    text: str


def is_dream(prompt: Prompt) -> bool:
    """Whether this asks for edits of the notes."""
    return '"edits"' in prompt.system


def shown_claims(prompt: Prompt) -> list[Shown]:
    """The claims of a request for edits."""
    text, _, _ = prompt.messages[-1].content.partition("\n\nFile ")
    return [
        Shown(id=id_, kind=kind, speaker=speaker, provenance=provenance, replaces=replaces, text=words)
        for id_, kind, speaker, provenance, _, replaces, words in _CLAIM.findall(text)
    ]


def noting_all(prompt: Prompt, *, file: str = "MEMORY.md") -> str:
    """Every claim as a line of its own."""
    edits = [
        {"action": "add", "file": file, "section": "", "text": claim.text, "old": "", "claims": [claim.id]}
        for claim in shown_claims(prompt)
    ]
    return json.dumps({"edits": edits}, ensure_ascii=False)


class Mind:
    """Notes what it was asked, by part. `reply`, `summarise` and `dream` may be changed meanwhile."""

    def __init__(self, dream: Callable[[Prompt], Line] = noting_all) -> None:
        self.reply: Callable[[Prompt], Line] = lambda prompt: f"heard: {prompt.newest}"
        self.summarise: Callable[[Prompt], Line | Awaitable[Line]] = quoting
        self.dream = dream
        self.dreams: list[Prompt] = []
        self.requests: list[Prompt] = []
        self.llm = ScriptedLLM(otherwise=self._answer)

    def _answer(self, prompt: Prompt) -> Line | Awaitable[Line]:
        if is_dream(prompt):
            self.dreams.append(prompt)
            return self.dream(prompt)
        if is_consolidation(prompt):
            return self.summarise(prompt)
        self.requests.append(prompt)
        return self.reply(prompt)
