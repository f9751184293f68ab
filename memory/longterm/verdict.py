"""Whether one proposed edit may be made: its claims, its wording, its file, and whose line it touches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.claims.claim import Claim, Status
from memory.claims.summary import MIN_PREFIX
from memory.claims.text import fold
from memory.claims.trust import PEOPLE
from memory.claims.words import akin, content
from memory.longterm.lines import fingerprint, memory_line, parse_line, same_claim
from memory.longterm.origin import barred, marked, provenance_of, source_of, unmarked
from memory.longterm.pages import NO_PAGE, Page, encoded, is_page, is_skill
from memory.longterm.proposals import MAX_TEXT_CHARS, Action, Edit
from memory.longterm.refusal import Refused
from memory.longterm.support import unsupported
from memory.longterm.versions import Ownership

MAX_FILE_BYTES = 64 * 1024
"""A file is in every prompt; beyond this nothing is added to it until something is taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What edits are held against: `claims` by id, the files as they stand, and whose their lines are."""

    audience: str
    pages: Mapping[str, Page]
    ownership: Ownership
    claims: Mapping[str, Claim]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An edit that may be made: `line` is what will stand in the file, `replaced` the line that goes."""

    edit: Edit
    claims: tuple[Claim, ...]
    line: str = ""
    replaced: str = ""


class _No(Exception):  # a signal inside of this module
    is_of_file = False


class _NotNow(_No):
    is_of_file = True


def verify(edit: Edit, *, basis: Basis, texts: Mapping[str, str]) -> Accepted | Refused:
    """Whether the edit may be made of the `texts` as they are by now, and the line that it comes to."""
    try:
        return _verified(edit, basis=basis, texts=texts)
    except _No as no:
        return Refused(str(no), is_of_file=no.is_of_file)


def _verified(edit: Edit, *, basis: Basis, texts: Mapping[str, str]) -> Accepted:
    if not is_page(edit.file):
        raise _No(f"{edit.file!r} is no file that may be edited here")
    if problem := basis.pages.get(edit.file, NO_PAGE).problem:
        raise _NotNow(f"{edit.file} {problem}")
    claims = tuple(dict.fromkeys(_claim(name, basis=basis) for name in edit.claim_ids))
    if not claims:
        raise _No("names no claim as its evidence")
    replaced = ""
    if edit.action is not Action.ADD:
        replaced = _replaced(edit, text=texts.get(edit.file, ""), basis=basis)
        _require_better(claims, than=replaced, action=edit.action)
    if edit.action is Action.REMOVE:
        return Accepted(edit=edit, claims=claims, replaced=replaced)
    said = unmarked(edit.text)
    _require_line(said)
    if reason := barred(edit.file, claims=claims, text=said, audience=basis.audience):
        raise _No(reason)
    if reason := unsupported(said, claims=claims, own_words=is_skill(edit.file)):
        raise _No(reason)
    _require_new(said, claims=claims, texts=texts, replaced=replaced)
    line = memory_line(marked(said, provenance=provenance_of(claims)), claims=claims)
    if len(encoded(texts.get(edit.file, ""))) + len(encoded(line)) > MAX_FILE_BYTES:
        raise _NotNow(f"{edit.file} is full ({MAX_FILE_BYTES:,} bytes)")
    return Accepted(edit=edit, claims=claims, line=line, replaced=replaced)


def _require_line(said: str) -> None:
    """A line is one line of words; a comment in it would pass for evidence."""
    if not said.isprintable() or "<!--" in said or "-->" in said or not fingerprint(said):
        raise _No("is not one line of words")
    if len(said) > MAX_TEXT_CHARS:
        raise _No(f"has {len(said)} characters, more than {MAX_TEXT_CHARS}")


def _claim(name: str, *, basis: Basis) -> Claim:
    """The claim that the edit names; it must be known, believed and wanted."""
    known = [claim for id_, claim in basis.claims.items() if id_.startswith(name)]
    if len(name) < MIN_PREFIX or len(known) != 1:
        raise _No(f"{name!r} is no claim of this batch")
    if known[0].status is not Status.ACTIVE:
        raise _No(f"the claim {name} is {known[0].status.value}")
    if basis.ownership.is_declined(known[0].id):
        raise _No(f"a person took the claim {name} out of memory before")
    return known[0]


def _replaced(edit: Edit, *, text: str, basis: Basis) -> str:
    """The one line that the edit means, if it is ours."""
    wanted = fingerprint(edit.old)
    found = [line.rstrip() for line in text.split("\n") if wanted and fingerprint(line) == wanted]
    if len(found) != 1:
        raise _No(f"the line to {edit.action.value} stands {len(found)} times in {edit.file}, not once")
    if not basis.ownership.owns(edit.file, found[0]):
        raise _No("the line is a person's")
    return found[0]


def _require_better(claims: Sequence[Claim], *, than: str, action: Action) -> None:
    """A line of ours goes only for claims that supersede its own; it may be reworded, or told anew."""
    line = parse_line(than)
    if unmarked(line.said) == line.said and provenance_of(claims) not in PEOPLE:
        raise _No(f"what is {source_of(claims)} may not take the place of a person's words")
    newer = [each for claim in claims for each in claim.supersedes]
    if all(any(same_claim(id_, each) for each in newer) for id_ in line.claims):
        return
    if action is Action.REMOVE:
        raise _No("none of the claims supersedes the line")
    reworded = all(any(same_claim(id_, claim.id) for claim in claims) for id_ in line.claims)
    if not reworded and not _shares_half(line.said, claims):
        raise _No("the claims are about something else than the line")


def _shares_half(said: str, claims: Sequence[Claim]) -> bool:
    stems = [word.stem for word in content(fold(unmarked(said)))]
    known = [word.stem for claim in claims for word in content(fold(claim.text))]
    return 2 * sum(any(akin(one, other) for other in known) for one in stems) >= len(stems) > 0


def _require_new(said: str, *, claims: Sequence[Claim], texts: Mapping[str, str], replaced: str) -> None:
    """Neither the same words may stand in a file, nor lines on the same claims; the line that goes apart."""
    wanted = fingerprint(said)
    lines = [
        parse_line(line) for text in texts.values() for line in text.split("\n") if line.rstrip() != replaced
    ]
    written = [each for line in lines for each in line.claims]
    if any(wanted == fingerprint(unmarked(line.said)) for line in lines) or all(
        any(same_claim(each, claim.id) for each in written) for claim in claims
    ):
        raise _No("stands in memory already")
