"""One erasure through everything that remembers: sessions, claims, archive, index, files and their git history (P9)."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memory.archive.record import History
from memory.archive.search import SearchIndex
from memory.atomic import sweep
from memory.audience import audience_directory
from memory.claims.summary import summary_from_dict, summary_to_dict
from memory.database import Database
from memory.errors import StoreCorrupt
from memory.longterm.lines import parse_line
from memory.longterm.notebook import Notebook
from memory.messages import Message, UserMessage, reference, split_reference
from memory.sessions.echoes import Erased
from memory.sessions.manager import SessionManager
from memory.sessions.traces import answers, said_by_people, traces

_PAGE = 500


class UnknownReference(ValueError):
    """There is no such message or person; the text names it."""


Holds = Callable[[str, str, int | None], bool]
"""Whether a record goes: by its session, its text, and the number of the stored answer that it is a part of."""


class Words(Protocol):
    """Words that are kept outside of sessions."""

    async def erase(self, *, holds: Holds) -> int:
        """Erase every record that is to go; how many."""


class Owed(Words, Protocol):
    """Words that wait to be answered, or to fall due."""

    async def erase_from(self, senders: Collection[str]) -> int:
        """Erase every message and reminder of these people, whatever its session; how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What was touched. `messages` are references of tombstones; `sessions` are those that are gone altogether.

    `owed` is what was accepted, owed or scheduled, `typed` what a terminal would have offered again.
    """

    messages: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    claims: int = 0
    archived: int = 0
    lines: int = 0
    owed: int = 0
    typed: int = 0


class Forget:
    """Erases a message, or everything of a person. What it can't reach it doesn't report as gone: it raises."""

    def __init__(
        self,
        state: Path,
        *,
        sessions: SessionManager,
        database: Database,
        index: SearchIndex,
        history: History,
        notebook: Notebook,
        owed: Owed,
        typed: Words,
    ) -> None:
        self._state = state
        self._sessions = sessions
        self._database = database
        self._index = index
        self._history = history
        self._notebook = notebook
        self._owed = owed
        self._typed = typed

    async def message(self, ref: str, *, audience: str | None = None) -> Erasure:
        """Erase a message and what repeats it within its audience; numbers of other messages stay.

        What a turn that runs in another session has read before goes when that turn ends, and isn't in the report. Of a
        message that is erased already nothing is reported, and what a crash left of it is removed. With `audience`, only
        a message of that audience can be named: UnknownReference otherwise.
        """
        session, seq = split_reference(ref)
        whose = await self._sessions.audience_of(session)
        found = await self._sessions.read(session, from_seq=seq, to_seq=seq)
        if whose is None or not found or audience not in {None, whose}:
            raise UnknownReference(f"there is no message {ref}")
        await sweep(self._state)
        if found[0].erased:
            await self._index.forget(whose)
            await self._database.truncate_wal()
            return Erasure()
        following = await self._sessions.read(session, from_seq=seq + 1, to_seq=seq + _PAGE)
        erased = Erased(
            named=lambda key, message: (key, message.seq) == (session, seq),
            said=[found[0].content],
            traces=await self._traces(whose, session, found[0]),
            answers={session: answers(found[0], following)},
        )
        return await self._erase(whose, erased)

    async def _traces(self, audience: str, session: str, message: Message) -> frozenset[str]:
        """The parts of a person's message that nothing gives away but it: no other message of a person has them."""
        left = traces(message) if isinstance(message, UserMessage) else frozenset()
        async for key, messages in self._pages(audience):
            if not left:
                break
            left -= await asyncio.to_thread(
                said_by_people, messages, left, but=message.seq if key == session else None
            )
        return left

    async def person(self, audience: str, *, senders: Collection[str]) -> Erasure:
        """Erase every session and file of a person's audience, and what they said in groups.

        `senders` are the names under which sessions know the person.
        """
        heads = await self._sessions.heads()
        known = audience_directory(self._state, audience).exists() or any(
            head.audience == audience for head in heads
        )
        await sweep(self._state)
        total = Erasure(owed=await self._owed.erase_from(senders))
        for other in sorted({head.audience for head in heads} - {audience}):
            said = Erased(
                named=lambda _key, message: isinstance(message, UserMessage) and message.sender in senders
            )
            total = _sum(total, await self._erase(other, said))
        if not known and total == Erasure():
            raise UnknownReference(f"nothing is known of {audience}")
        return _sum(total, await self._erase_audience(audience, senders=senders))

    async def _erase_audience(self, audience: str, *, senders: Collection[str]) -> Erasure:
        """All of it, again and again: a turn that ran meanwhile has stored since what it had to say, and owes it."""
        keys: set[str] = set()
        gone: set[str] = set()
        total = Erasure()
        while True:
            own = await self._keys(audience)
            keys |= own
            found = _sum(await self._owed_to(keys), Erasure(owed=await self._owed.erase_from(senders)))
            gone |= {key for key in sorted(own) if await self._sessions.delete(key)}
            await self._index.forget(audience)
            await self._remove_directory(audience)
            if not own and found == Erasure():
                break
            total = _sum(total, found)
        await self._database.truncate_wal()
        return _sum(total, Erasure(sessions=tuple(sorted(gone))))

    async def _keys(self, audience: str) -> set[str]:
        stored = {head.key for head in await self._sessions.heads() if head.audience == audience}
        return stored | self._sessions.held(audience)

    async def _owed_to(self, keys: Collection[str]) -> Erasure:
        """What is owed to these sessions, and what was typed in them."""
        owed = await self._owed.erase(holds=lambda key, _text, _seq: key in keys)
        typed = await self._typed.erase(holds=lambda key, _text, _seq: key in keys)
        return Erasure(owed=owed, typed=typed)

    async def _erase(self, audience: str, erased: Erased) -> Erasure:
        """All that is there, until there is nothing; what a running turn has read before, as soon as it has ended."""
        going, missed = True, False

        async def later() -> None:
            """A look that goes on is done once more, and tells; after it, only what is found makes for another one."""
            nonlocal missed
            if going:
                missed = True
            elif await self._erase_once(audience, erased) != Erasure():
                await self._erase(audience, erased)

        total = Erasure()
        while True:
            for key in self._sessions.held(audience):
                self._sessions.at_the_end(key, later)
            missed = False
            found = await self._erase_once(audience, erased)
            if found == Erasure() and not missed:
                break
            total = _sum(total, found)
        going = False
        await self._database.truncate_wal()
        await self._refuse_unread(audience)
        return total

    async def _refuse_unread(self, audience: str) -> None:
        if unread := self._index.unreadable & await self._keys(audience):
            raise StoreCorrupt(f"{', '.join(sorted(unread))} can't be read: what else there was is erased")

    async def _erase_once(self, audience: str, erased: Erased) -> Erasure:
        """Derived records first, then echoes, then what is named: what dies half-way is done again by the same call.

        What waits is looked through before the sessions, because that is where it goes, and with them found once
        more, for the parts of their answers.
        """
        waiting = await self._from_owed(erased)
        found = await self._find(audience, erased)
        parts = await self._from_owed(erased) if found else 0
        derived = await self._from_derived(audience, erased) if erased.places else Erasure()
        typed = await self._typed.erase(holds=lambda _key, text, _seq: erased.is_said(text))
        for key, seqs in _echoes_first(found, erased):
            await self._sessions.erase(key, seqs)
        if found:
            await self._index.forget(audience)
        messages = tuple(reference(key, seq) for key, seqs in found.items() for seq in sorted(seqs))
        return _sum(derived, Erasure(messages=messages, owed=waiting + parts, typed=typed))

    async def _from_owed(self, erased: Erased) -> int:
        return await self._owed.erase(holds=lambda key, text, seq: erased.has(key, seq) or erased.is_in(text))

    async def _find(self, audience: str, erased: Erased) -> dict[str, set[int]]:
        """The messages of an audience that go and are not erased yet; every one is read, none is taken on trust."""
        found: dict[str, set[int]] = {}
        async for key, messages in self._pages(audience):
            if seqs := await asyncio.to_thread(erased.find, key, messages):
                found.setdefault(key, set()).update(seqs)
        return found

    async def _pages(self, audience: str) -> AsyncIterator[tuple[str, list[Message]]]:
        """Every message of an audience that can be read, some at a time."""
        for head in await self._sessions.heads():
            if head.audience != audience:
                continue
            with suppress(StoreCorrupt):  # raised at the end, when everything else is gone
                for first in range(1, head.last_seq + 1, _PAGE):
                    yield (
                        head.key,
                        await self._sessions.read(head.key, from_seq=first, to_seq=first + _PAGE - 1),
                    )

    async def _from_derived(self, audience: str, erased: Erased) -> Erasure:
        """Out of summaries, archive and files."""
        claims = 0
        for key in list(erased.places):
            claims += await self._from_summary(key, erased)
        archived = await self._history.erase(audience, is_erased=erased.rests, is_erased_text=erased.is_in)
        lines = await self._notebook.erase(audience, is_erased=lambda line: _is_erased_line(line, erased))
        return Erasure(claims=claims, archived=archived, lines=lines)

    async def _from_summary(self, key: str, erased: Erased) -> int:
        async with self._sessions.checkout(key) as session:
            summary = summary_from_dict(session.summary)
            kept = summary.keeping(lambda claim: not erased.rests(claim))
            removed = len(summary.claims) - len(kept.claims)
            if removed:
                session.summary = summary_to_dict(kept)
                await self._sessions.save(session)
            return removed

    async def _remove_directory(self, audience: str) -> None:
        await self._index.drop(audience)
        directory = audience_directory(self._state, audience)
        if directory.exists():
            await asyncio.to_thread(shutil.rmtree, directory)


def _echoes_first(found: Mapping[str, set[int]], erased: Erased) -> Iterator[tuple[str, set[int]]]:
    """What goes, by session: what is named comes last, since by its words alone the rest would be found again."""
    for key, seqs in found.items():
        if echoes := seqs - erased.meant.get(key, set()):
            yield key, echoes
    for key, seqs in found.items():
        if named := seqs & erased.meant.get(key, set()):
            yield key, named


def _is_erased_line(line: str, erased: Erased) -> bool:
    for ref in parse_line(line).refs:
        session, seq = split_reference(ref)
        if erased.has(session, seq):
            return True
    return erased.is_in(line)


def _sum(one: Erasure, other: Erasure) -> Erasure:
    return Erasure(
        messages=one.messages + other.messages,
        sessions=one.sessions + other.sessions,
        claims=one.claims + other.claims,
        archived=one.archived + other.archived,
        lines=one.lines + other.lines,
        owed=one.owed + other.owed,
        typed=one.typed + other.typed,
    )
