"""One erasure through everything that remembers: sessions, claims, archive, index, files and their git history (P9)."""

import asyncio
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memory.archive.record import History
from memory.archive.search import SearchIndex
from memory.atomic import sweep
from memory.audience import audience_directory
from memory.claims.claim import Claim
from memory.claims.summary import summary_from_dict, summary_to_dict
from memory.claims.text import fold
from memory.database import Database
from memory.longterm.lines import parse_line
from memory.longterm.notebook import Notebook
from memory.messages import Message, UserMessage, reference, split_reference
from memory.sessions.manager import SessionManager

SHORTEST_ECHO = 12
"""Characters. Other messages that repeat the erased words go too; a "yes" that is erased doesn't take every yes along."""

_ECHOES_LOOKED_AT = 200
_LAST = 1 << 62


class UnknownReference(ValueError):
    """There is no such message or person; the text names it."""


class Words(Protocol):
    """Words that are kept outside of sessions."""

    async def erase(self, *, holds: Callable[[str, str], bool]) -> int:
        """Erase every record for which `holds(session, text)` is true; how many."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Erased:
    """Which messages go, and what they said."""

    places: Mapping[str, frozenset[int]]
    texts: tuple[str, ...]

    def has(self, session: str, seq: int) -> bool:
        return seq in self.places.get(session, frozenset())

    def is_in(self, text: str) -> bool:
        """Whether a text holds the words of an erased message."""
        folded = fold(text)
        return any(erased in folded for erased in self.texts)

    def rests(self, claim: Claim) -> bool:
        """Whether a claim rests on, or repeats, what is erased."""
        return any(self.has(claim.session, each.seq) for each in claim.evidence) or self.is_in(claim.text)


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
        owed: Words,
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

        With `audience`, only a message of that audience can be named: UnknownReference otherwise.
        """
        session, seq = split_reference(ref)
        whose = await self._sessions.audience_of(session)
        found = await self._sessions.read(session, from_seq=seq, to_seq=seq)
        if whose is None or not found or found[0].erased or audience not in {None, whose}:
            raise UnknownReference(f"there is no message {ref}")
        await sweep(self._state)
        erased = await self._with_echoes(whose, session, found[0])
        return await self._erase(whose, erased)

    async def person(self, audience: str, *, senders: Collection[str]) -> Erasure:
        """Erase every session and file of a person's audience, and what they said in groups.

        `senders` are the names under which sessions know the person.
        """
        heads = await self._sessions.heads()
        own = [head.key for head in heads if head.audience == audience]
        others = {head.key: head.audience for head in heads if head.audience != audience}
        total = Erasure()
        await sweep(self._state)
        for key, group in others.items():
            erased = await self._said_by(key, senders)
            if erased.places:
                total = _sum(total, await self._erase(group, erased))
        if not own and not audience_directory(self._state, audience).exists() and total == Erasure():
            raise UnknownReference(f"nothing is known of {audience}")
        owed = await self._owed.erase(holds=lambda session, _text: session in own)
        typed = await self._typed.erase(holds=lambda session, _text: session in own)
        for key in own:
            await self._sessions.delete(key)
        await self._index.forget(audience)
        await self._remove_directory(audience)
        await self._database.truncate_wal()
        return _sum(total, Erasure(sessions=tuple(own), owed=owed, typed=typed))

    async def _with_echoes(self, audience: str, session: str, message: Message) -> _Erased:
        """The message, and every other one of its audience that repeats its words."""
        places = {session: {message.seq}}
        words = fold(message.content)
        texts = (words,) if len(words) >= SHORTEST_ECHO else ()
        if texts:
            await self._index.caught_up()
            hits = await self._index.search(audience, message.content, limit=_ECHOES_LOOKED_AT)
            for hit in hits:
                if words in fold(hit.text):
                    places.setdefault(hit.session, set()).add(hit.seq)
        return _Erased(places={key: frozenset(seqs) for key, seqs in places.items()}, texts=texts)

    async def _said_by(self, session: str, senders: Collection[str]) -> _Erased:
        messages = await self._sessions.read(session, from_seq=1, to_seq=_LAST)
        said = [m for m in messages if isinstance(m, UserMessage) and m.sender in senders and not m.erased]
        texts = tuple(words for m in said if len(words := fold(m.content)) >= SHORTEST_ECHO)
        echoes = [m.seq for m in messages if any(words in fold(m.content) for words in texts)]
        seqs = frozenset([*(m.seq for m in said), *echoes])
        return _Erased(places={session: seqs} if seqs else {}, texts=texts)

    async def _erase(self, audience: str, erased: _Erased) -> Erasure:
        """Derived records first, the messages themselves after: what dies half-way is done again by the same call.

        Then the derived records once more: a consolidation that had read the messages before may have written about
        them since; one that ends later finds that they are gone, and writes nothing.
        """
        before = await self._from_derived(audience, erased)
        owed = await self._owed.erase(holds=lambda _session, text: erased.is_in(text))
        typed = await self._typed.erase(holds=lambda _session, text: erased.is_in(text))
        for key, seqs in erased.places.items():
            await self._sessions.erase(key, seqs)
        meanwhile = await self._from_derived(audience, erased)
        await self._index.forget(audience)
        await self._database.truncate_wal()
        touched = Erasure(
            messages=tuple(
                reference(key, seq) for key, seqs in erased.places.items() for seq in sorted(seqs)
            ),
            owed=owed,
            typed=typed,
        )
        return _sum(_sum(before, meanwhile), touched)

    async def _from_derived(self, audience: str, erased: _Erased) -> Erasure:
        """Out of summaries, archive and files."""
        claims = 0
        for key in erased.places:
            claims += await self._from_summary(key, erased)
        archived = await self._history.erase(audience, is_erased=erased.rests, is_erased_text=erased.is_in)
        lines = await self._notebook.erase(audience, is_erased=lambda line: _is_erased_line(line, erased))
        return Erasure(claims=claims, archived=archived, lines=lines)

    async def _from_summary(self, key: str, erased: _Erased) -> int:
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


def _is_erased_line(line: str, erased: _Erased) -> bool:
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
