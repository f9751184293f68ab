"""What a stretch of messages comes to: claims that passed the checks, from the model or, where it fails, verbatim."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory.claims.checks import Rejection, check
from memory.claims.claim import Claim
from memory.claims.extract import extract
from memory.claims.proposal import ProposedClaim
from memory.consolidation.cooldown import CoolDowns
from memory.consolidation.parts import readable, take_part
from memory.consolidation.ports import Chunk, Proposal, Summarizer
from memory.errors import SummarizerFailed
from memory.messages import Message


@dataclass(slots=True, kw_only=True)
class Found:
    """What a stretch came to. `failures` says why the extract took the place of the model, if it did."""

    claims: list[Claim] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    extracted: int = 0
    """How many of the claims are verbatim extracts."""


class Asking:
    """Asks the summariser part by part, checks what it says, and does without it where it fails."""

    def __init__(self, summarizer: Summarizer | None, *, cooldowns: CoolDowns) -> None:
        self._summarizer = summarizer
        self._cooldowns = cooldowns

    async def find(self, reading: Chunk) -> Found:
        """Claims about all of the messages. No model can make it fail, and none is asked while it cools down."""
        found = Found()
        rest = await asyncio.to_thread(readable, reading.messages, session=reading.session)
        while rest:
            if self._summarizer is None or await self._cooldowns.is_cooling(reading.audience):
                await _extract(reading, rest, found)
                break
            rest = await self._part(self._summarizer, reading, rest, found)
        return found

    async def _part(
        self, summarizer: Summarizer, reading: Chunk, messages: list[Message], found: Found
    ) -> list[Message]:
        """Have the first part of the messages read; what is left."""
        room = await summarizer.room(reading.audience)
        part, rest = await asyncio.to_thread(take_part, messages, room=room)
        chunk = replace(reading, messages=part, previous=[*reading.previous, *found.claims])
        try:
            proposal = await summarizer.propose(chunk)
        except SummarizerFailed as error:
            if await summarizer.room(reading.audience) < room:
                return messages  # it has learned that this was too much: the next part is smaller
            await self._failed(reading, found, failure=str(error))
            await _extract(reading, part, found)
            return rest
        kept, rejected = await self._checked(summarizer, reading, chunk, proposal, found)
        found.claims += kept
        found.rejections += rejected
        if kept:
            await self._cooldowns.worked(reading.audience)
            found.claims += await _quoted(reading, kept, rejected)
        else:
            if proposal.claims:
                await self._failed(reading, found, failure="none of its claims passed the checks")
            await _extract(reading, part, found)
        return rest

    async def _failed(self, reading: Chunk, found: Found, *, failure: str) -> None:
        found.failures.append(failure)
        await self._cooldowns.failed(reading.audience)

    async def _checked(
        self, summarizer: Summarizer, reading: Chunk, chunk: Chunk, proposal: Proposal, found: Found
    ) -> tuple[list[Claim], list[Rejection]]:
        """What passes the checks, the rejected claims having been tried a second time with the reasons named."""
        kept, rejected = await _check(reading, proposal.claims)
        if rejected:
            try:
                mended = await summarizer.propose(chunk, rejected=rejected)
            except SummarizerFailed as error:
                found.failures.append(str(error))
            else:
                more, still = await _check(reading, mended.claims)
                kept += more
                rejected += still
        # A model that mends some of its claims repeats the others.
        unlike = {(each.claim.id, each.reason): each for each in rejected}
        return list({claim.id: claim for claim in kept}.values()), list(unlike.values())


async def _check(reading: Chunk, proposals: Sequence[ProposedClaim]) -> tuple[list[Claim], list[Rejection]]:
    return await asyncio.to_thread(_check_all, reading, proposals)


def _check_all(reading: Chunk, proposals: Sequence[ProposedClaim]) -> tuple[list[Claim], list[Rejection]]:
    messages = {message.seq: message for message in reading.messages}
    judged = [
        check(proposal, messages=messages, session=reading.session, zone=reading.zone)
        for proposal in proposals
    ]
    return (
        [each for each in judged if isinstance(each, Claim)],
        [each for each in judged if isinstance(each, Rejection)],
    )


async def _quoted(reading: Chunk, kept: Sequence[Claim], rejected: Sequence[Rejection]) -> Sequence[Claim]:
    """The words that rejected claims point at and no other claim rests on: said wrongly, they are worth keeping."""
    used = {each for claim in kept for each in claim.evidence}
    quoted = {each for rejection in rejected for each in rejection.claim.evidence} - used
    known = {claim.id for claim in kept}
    claims = await asyncio.to_thread(
        extract, reading.messages, session=reading.session, zone=reading.zone, quoted=quoted
    )
    return [claim for claim in claims if claim.id not in known]


async def _extract(reading: Chunk, part: Sequence[Message], found: Found) -> None:
    """The words themselves, of the messages whole: they are true by construction."""
    by_seq = {message.seq: message for message in reading.messages}
    whole = [by_seq[seq] for seq in dict.fromkeys(message.seq for message in part)]
    known = {claim.id for claim in found.claims}
    claims = await asyncio.to_thread(extract, whole, session=reading.session, zone=reading.zone)
    fresh = [claim for claim in claims if claim.id not in known]
    found.claims += fresh
    found.extracted += len(fresh)
