"""Claims, entries and a Dream model for tests of long-term memory."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.archive.entry import Entry
from memory.archive.record import History
from memory.claims.claim import Claim, ClaimKind, Evidence, Status, claim_id
from memory.errors import SummarizerFailed
from memory.longterm.dream import Dream
from memory.longterm.notebook import Notebook
from memory.messages import Provenance

AUDIENCE = "person-ann"
AT = datetime(2026, 5, 4, 9, tzinfo=UTC)
SESSION = "telegram:42"


def claim(
    text: str,
    *,
    seq: int = 1,
    provenance: Provenance = Provenance.OWNER,
    kind: ClaimKind = ClaimKind.FACT,
    quote: str = "",
    status: Status = Status.ACTIVE,
    supersedes: Sequence[str] = (),
) -> Claim:
    """A claim that was verified; without a quote, its evidence says the very same."""
    return Claim(
        id=claim_id(SESSION, from_seq=1, to_seq=40, text=text),
        session=SESSION,
        kind=kind,
        text=text,
        evidence=(Evidence(seq=seq, quote=quote or text),),
        speaker="Ann",
        at=AT,
        provenance=provenance,
        status=status,
        supersedes=tuple(supersedes),
    )


def entry(*claims: Claim, to_seq: int = 40, session: str = SESSION) -> Entry:
    """An entry that no archive has yet."""
    return Entry(session=session, from_seq=max(1, to_seq - 39), to_seq=to_seq, at=AT, claims=claims)


def add(claim: Claim, *, file: str = "MEMORY.md", text: str = "", section: str = "") -> dict[str, Any]:
    """The edit, as a model writes it, that adds a line on the claim."""
    return {
        "action": "add", "file": file, "section": section, "text": text or claim.text, "claims": [claim.id],
    }  # fmt: skip


Answer = Callable[[Sequence[Entry]], object]


def add_all(entries: Sequence[Entry]) -> object:
    """The answer of a model that wants every claim in MEMORY.md."""
    return {"edits": [add(claim) for entry in entries for claim in entry.claims]}


class ScriptedDreamer:
    """Answers what it is told to, or fails where that is None; remembers what it was asked."""

    def __init__(self, answer: Answer | None = add_all) -> None:
        self.answer = answer
        self.asked: list[tuple[list[int], Mapping[str, str], int]] = []

    async def propose(self, entries: Sequence[Entry], *, files: Mapping[str, str], max_tokens: int) -> object:
        """The scripted answer."""
        self.asked.append(([entry.cursor for entry in entries], files, max_tokens))
        if self.answer is None:
            raise SummarizerFailed("the model is away")
        return self.answer(entries)


class Library:
    """An archive, a notebook and a Dream over one state directory."""

    def __init__(self, state: Path, *, answer: Answer | None = add_all) -> None:
        self.state = state
        self.directory = state / "memory" / AUDIENCE
        self.history = History(state)
        self.notebook = Notebook(state)
        self.dreamer = ScriptedDreamer(answer)
        self.dream = Dream(state, history=self.history, notebook=self.notebook, dreamer=self.dreamer)

    def write(self, name: str, text: str) -> None:
        """What a person does with an editor."""
        place = self.directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def text(self, name: str = "MEMORY.md") -> str:
        """What the file says, "" where there is none."""
        place = self.directory / name
        return place.read_text(encoding="utf-8") if place.exists() else ""
