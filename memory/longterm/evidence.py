"""The messages behind what is remembered: a reason, followed back to the words themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.archive.record import History
from memory.longterm.notebook import Notebook
from memory.longterm.why import Reason, why
from memory.messages import Message, reference, split_reference

MOST_MESSAGES = 40
"""Of one explanation; a line that rests on more was asked for with too short a word."""


class Sessions(Protocol):
    """What is needed of the sessions."""

    async def audience_of(self, key: str) -> str | None:
        """Who may see the session; None where there is none."""

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """The messages with these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A message that something rests on; `quote` is the part that says it, "" where none is named."""

    ref: str
    message: Message
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something is remembered, and the messages that say so, as far as they are there; each once."""

    reasons: tuple[Reason, ...] = ()
    witnesses: tuple[Witness, ...] = ()


async def explain(
    audience: str, query: str, *, history: History, notebook: Notebook, sessions: Sessions
) -> Explanation:
    """What `why` finds, with the messages; nothing of another audience's sessions (P13).

    A reference that nothing rests on is its own message.
    """
    reasons = await why(audience, query, history=history, notebook=notebook)
    quotes = dict(_references(reasons)) or {query.strip(): ""}
    witnesses = []
    for ref, quote in list(quotes.items())[:MOST_MESSAGES]:
        message = await _message(ref, audience=audience, sessions=sessions)
        if message is not None:
            witnesses.append(Witness(ref=ref, message=message, quote="" if message.erased else quote))
    return Explanation(reasons=reasons, witnesses=tuple(witnesses))


def _references(reasons: Sequence[Reason]) -> Iterator[tuple[str, str]]:
    """Each message with the words that are quoted of it, those without a quote first."""
    for reason in reasons:
        yield from ((ref, "") for ref in reason.refs)
    for reason in reasons:
        for claim in reason.claims:
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
