"""Why something is remembered: from a line, a claim, a message or a change to the words that it rests on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.archive.record import History
from memory.claims.claim import Claim
from memory.longterm.lines import Line, fingerprint, parse_line, references, same_claim
from memory.longterm.notebook import Contents, Notebook
from memory.longterm.refusal import Refused
from memory.messages import Message, reference, split_reference

MOST_MESSAGES = 40
"""Of one explanation; a line that rests on more was asked for with too short a word."""

_ID = re.compile(r"(?:c:)?([0-9a-f]{4,40})")


class Sessions(Protocol):
    """What is needed of the sessions."""

    async def audience_of(self, key: str) -> str | None:
        """Who may see the session; None where there is none."""

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """The messages with these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One thing that is remembered, and what it rests on.

    `file` and `line` are empty for a claim that stands in the archive alone. A line without `refs` is a person's
    own. `claims` are those of `refs` that the archive still holds, with their quotes.
    """

    file: str = ""
    line: str = ""
    refs: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A message that something rests on; `quote` is the part that says it, "" where none is named."""

    ref: str
    message: Message
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something is remembered, and the messages that say so, as far as they are there; each once."""

    grounds: tuple[Ground, ...] = ()
    witnesses: tuple[Witness, ...] = ()


async def explain(
    audience: str, query: str, *, history: History, notebook: Notebook, sessions: Sessions
) -> Explanation:
    """What `why` finds, with the messages; nothing of another audience's sessions (P13).

    A reference that nothing rests on is its own message.
    """
    grounds = await why(audience, query, history=history, notebook=notebook)
    quotes = dict(_references(grounds)) or {query.strip(): ""}
    witnesses = []
    for ref, quote in list(quotes.items())[:MOST_MESSAGES]:
        message = await _message(ref, audience=audience, sessions=sessions)
        if message is not None:
            witnesses.append(Witness(ref=ref, message=message, quote="" if message.erased else quote))
    return Explanation(grounds=grounds, witnesses=tuple(witnesses))


async def why(audience: str, query: str, *, history: History, notebook: Notebook) -> tuple[Ground, ...]:
    """The grounds of a reference (`telegram:42#17`), a claim (`c:7f3a09bc`), a change (`1b2c3d4e`) or words of a line."""
    contents = await notebook.read(audience)
    claims = {claim.id: claim for entry in await history.entries(audience) for claim in entry.claims}
    wanted = query.strip()
    named = _ID.fullmatch(wanted.lower())
    id_ = named[1] if named else ""
    found = list(_in_files(wanted, id_=id_, contents=contents, claims=claims))
    told = {claim.id for ground in found for claim in ground.claims}
    found += [
        _of(claim)
        for claim in claims.values()
        if claim.id not in told and (wanted in references(claim) or (id_ and claim.id.startswith(id_)))
    ]
    if id_ and not found:
        change = await notebook.versions.find(audience, id_)
        shorts = () if isinstance(change, Refused) else change.claims
        found = [_of(claim) for short in shorts for claim in claims.values() if same_claim(claim.id, short)]
    return tuple(found)


def _of(claim: Claim) -> Ground:
    return Ground(refs=references(claim), claims=(claim,))


def _in_files(query: str, *, id_: str, contents: Contents, claims: Mapping[str, Claim]) -> Iterator[Ground]:
    words = fingerprint(query)
    for path, page in contents.pages.items():
        for text in page.data.decode("utf-8", "replace").splitlines():
            line = parse_line(text)
            if query in line.refs or _rests(line, on=id_) or (words and words in fingerprint(text)):
                behind = (claim for claim in claims.values() if _rests(line, on=claim.id))
                yield Ground(file=path, line=line.said, refs=line.refs, claims=tuple(behind))


def _rests(line: Line, *, on: str) -> bool:
    return bool(on) and any(same_claim(on, each) for each in line.claims)


def _references(grounds: Sequence[Ground]) -> Iterator[tuple[str, str]]:
    """Each message with the words that are quoted of it, those without a quote first."""
    for ground in grounds:
        yield from ((ref, "") for ref in ground.refs)
    for ground in grounds:
        for claim in ground.claims:
            yield from ((reference(claim.session, each.seq), each.quote) for each in claim.evidence)


async def _message(ref: str, *, audience: str, sessions: Sessions) -> Message | None:
    try:
        session, seq = split_reference(ref)
    except ValueError:
        return None
    if await sessions.audience_of(session) != audience:
        return None
    found = await sessions.read(session, from_seq=seq, to_seq=seq)
    return found[0] if found else None
