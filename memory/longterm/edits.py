"""Which of the proposed edits are made: each is held against its claims and against whose lines it touches."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.longterm.lines import short_id
from memory.longterm.pages import NO_PAGE, encoded
from memory.longterm.placing import with_line, with_replaced
from memory.longterm.proposals import Edit
from memory.longterm.refusal import Refused
from memory.longterm.verdict import Accepted, Basis, verify

_KEPT = 0.75
"""Of the lines and of the bytes of a file: an edit of a batch may not lose more than a quarter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What comes of a batch of edits; `files` are the new bytes of those that differ."""

    files: Mapping[str, bytes]
    accepted: tuple[Accepted, ...] = ()
    refused: tuple[tuple[Edit, Refused], ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The short ids of the claims that the change rests on."""
        return tuple(dict.fromkeys(short_id(each.id) for made in self.accepted for each in made.claims))


@dataclass(slots=True)
class _Batch:
    basis: Basis
    texts: dict[str, str] = field(default_factory=dict)
    accepted: list[Accepted] = field(default_factory=list)
    refused: list[tuple[Edit, Refused]] = field(default_factory=list)


def carry_out(edits: Iterable[Edit], *, basis: Basis) -> Outcome:
    """Make the edits one after the other, each as far as `verify` lets it; a file that would lose too much stays."""
    batch = _Batch(basis, {path: page.text for path, page in basis.pages.items()})
    for edit in edits:
        verdict = verify(edit, basis=basis, texts=batch.texts)
        if isinstance(verdict, Refused):
            batch.refused.append((edit, verdict))
        else:
            batch.texts[edit.file] = _applied(batch.texts.get(edit.file, ""), verdict)
            batch.accepted.append(verdict)
    for path in list(batch.texts):
        before = basis.pages.get(path, NO_PAGE).text
        if _loses_too_much(before, after=batch.texts[path]):
            _take_back(batch, path=path, before=before)
    files = {path: encoded(text) for path, text in batch.texts.items()}
    return Outcome(
        files={path: data for path, data in files.items() if data != basis.pages.get(path, NO_PAGE).data},
        accepted=tuple(batch.accepted),
        refused=tuple(batch.refused),
    )


def _applied(text: str, made: Accepted) -> str:
    if made.replaced:
        return with_replaced(text, made.replaced, by=made.line)
    return with_line(
        text, made.line, path=made.edit.file, section=made.edit.section, kind=made.claims[0].kind
    )


def _loses_too_much(before: str, *, after: str) -> bool:
    lines = [sum(1 for line in text.split("\n") if line.strip()) for text in (before, after)]
    return lines[1] < _KEPT * lines[0] or len(encoded(after)) < _KEPT * len(encoded(before))


def _take_back(batch: _Batch, *, path: str, before: str) -> None:
    batch.texts[path] = before
    reason = Refused(f"together the edits would lose more than a quarter of {path}")
    batch.refused += [(made.edit, reason) for made in batch.accepted if made.edit.file == path]
    batch.accepted = [made for made in batch.accepted if made.edit.file != path]
