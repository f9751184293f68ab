"""What a consolidation asks of the rooms above it: somebody who reads messages and proposes claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

from memory.claims.checks import Rejection
from memory.claims.claim import Claim
from memory.claims.proposal import ProposedClaim
from memory.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What is read at once: messages of one session, and the claims that are believed already, the newest last.

    A message too long for one chunk comes in pieces, each under the message's own number.
    """

    session: str
    audience: str
    messages: Sequence[Message]
    previous: Sequence[Claim]
    zone: tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a summariser proposes; `problems` says in a sentence each what of its answer could not be read."""

    claims: Sequence[ProposedClaim] = ()
    problems: Sequence[str] = ()


class Summarizer(Protocol):
    """Reads messages and proposes claims. Raises SummarizerFailed and nothing else, and always comes to an end."""

    async def room(self, audience: str) -> int:
        """How many tokens of messages one chunk may hold, as far as is known now; it shrinks where that was too many."""

    async def propose(self, chunk: Chunk, *, rejected: Sequence[Rejection] = ()) -> Proposal:
        """Claims about the chunk; with `rejected`, better versions of those alone."""
