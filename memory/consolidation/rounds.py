"""Consolidation: plan under the session's lock, ask with no lock held, apply under the lock if nothing has moved."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from memory.archive.entry import Entry, EntryKind
from memory.archive.record import History
from memory.claims.checks import rejection_to_json
from memory.claims.claim import Claim, Status
from memory.claims.lines import line_tokens
from memory.claims.summary import Summary, merge, summary_from_dict, summary_to_dict
from memory.consolidation.asking import Asking, Found
from memory.consolidation.cooldown import CoolDowns
from memory.consolidation.plan import (
    Pressure,
    Reason,
    Stretch,
    bounded_end,
    end_for_budget,
    end_for_recent,
    material,
    stretch_of,
)
from memory.consolidation.ports import Chunk, Summarizer
from memory.crashpoints import CrashPoint, reach
from memory.messages import Message
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session
from memory.view.budget import Budget

READ_MESSAGES = 2_000
"""After the pointer, at most so many are looked at in one round; only an imported history has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers of the configuration that a consolidation goes by."""

    target: float = 0.5
    rounds: int = 5
    keep_recent: int = 8
    max_messages: int = 500
    max_output: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a consolidation did. `failures` says why an extract took the model's place, without anybody's words."""

    rounds: int = 0
    messages: int = 0
    kept: int = 0
    extracted: int = 0
    rejected: int = 0
    failures: tuple[str, ...] = ()


class Consolidation:
    """Turns old messages of a session into claims and an archive entry; the messages themselves stay.

    `window` gives the tokens of the model that reads the sessions, `zone` the time zone of an audience. Without a
    summariser every stretch is extracted verbatim.
    """

    def __init__(
        self,
        sessions: SessionManager,
        history: History,
        summarizer: Summarizer | None,
        *,
        limits: Limits,
        cooldowns: CoolDowns,
        window: Callable[[], Awaitable[int]],
        zone: Callable[[str], tzinfo],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._sessions = sessions
        self._history = history
        self._asking = Asking(summarizer, cooldowns=cooldowns)
        self._limits = limits
        self._window = window
        self._zone = zone
        self._now = now
        self._settled: set[str] = set()
        """Sessions whose pointer is known to be where the archive says: only a failure or a new process changes that."""

    async def run(
        self, key: str, *, reason: Reason, overhead_tokens: int = 0, to_seq: int | None = None
    ) -> Report:
        """Consolidate until there is nothing more to take, or for as many rounds as are allowed.

        `overhead_tokens` is what a request costs beside its messages, before calibration; `to_seq` is up to where
        a session is put away with Reason.NEW. Raises StoreError where the session or the archive can't be written:
        what was applied stays, the rest is as it was.
        """
        report = Report()
        for _ in range(self._limits.rounds):
            stretch = await self._plan(key, reason=reason, overhead_tokens=overhead_tokens, to_seq=to_seq)
            if stretch is None:
                return report
            found = await self._found(stretch)
            if await self._apply(stretch, found):
                report = _with(report, stretch, found)
        return report

    async def _plan(
        self, key: str, *, reason: Reason, overhead_tokens: int, to_seq: int | None
    ) -> Stretch | None:
        """A copy of what goes next, or None where there is nothing."""
        window = await self._window()
        async with self._sessions.checkout(key) as session:
            first = session.last_consolidated + 1
            if not session.audience or first > session.last_seq:
                return None
            summary = summary_from_dict(session.summary)
            archived = await self._archived(session)
            if archived is not None:
                return stretch_of(session, (), to_seq=archived.to_seq, summary=summary, archived=archived)
            last = min(session.last_seq, first + READ_MESSAGES - 1)
            messages = await self._sessions.read(key, from_seq=first, to_seq=last)
            pressure = self._pressure(
                session, summary=summary, window=window, overhead_tokens=overhead_tokens
            )
            end = self._end(session, messages, reason=reason, pressure=pressure, to_seq=to_seq)
            if end < first:
                return None
            end = bounded_end(messages, end=end)
            return stretch_of(session, messages, to_seq=end, summary=summary)

    async def _archived(self, session: Session) -> Entry | None:
        """The entry of the stretch that begins at the pointer: a crash came before the pointer moved over it."""
        if session.key in self._settled:
            return None
        found = None
        for entry in await self._history.entries(session.audience):
            # A session that was deleted and begun anew has the same key, and nothing to do with older entries.
            is_own = entry.session == session.key and entry.at >= session.created_at
            if (
                is_own
                and entry.from_seq == session.last_consolidated + 1
                and entry.to_seq <= session.last_seq
            ):
                found = entry
        if found is None:
            self._settled.add(session.key)
        return found

    def _end(
        self,
        session: Session,
        messages: Sequence[Message],
        *,
        reason: Reason,
        pressure: Pressure,
        to_seq: int | None,
    ) -> int:
        """The number of the last message that should go, however many that are; 0 for none."""
        visible = [each for each in material(session, messages) if each.seq >= session.view_from]
        put_away = min(session.view_from - 1, session.last_seq)
        if messages and messages[-1].seq < session.last_seq:  # no view reaches back so far
            return end_for_recent(visible, keep=1) or messages[-1].seq
        if reason is Reason.NEW:
            return put_away if to_seq is None else min(to_seq, session.last_seq)
        if reason is Reason.BUDGET:
            return end_for_budget(visible, pressure=pressure, max_messages=self._limits.max_messages)
        return max(end_for_recent(visible, keep=self._limits.keep_recent), put_away)

    def _pressure(self, session: Session, *, summary: Summary, window: int, overhead_tokens: int) -> Pressure:
        budget = self._budget(session, window=window)
        return Pressure(
            budget=budget,
            target=self._limits.target,
            overhead_tokens=overhead_tokens,
            factor=session.calibration.factor,
            summary_tokens=max(0, budget.summary_tokens - sum(map(line_tokens, summary.claims))),
        )

    def _budget(self, session: Session, *, window: int) -> Budget:
        return Budget(
            window=window,
            max_output=self._limits.max_output,
            window_cap=session.calibration.window_cap,
        )

    async def _found(self, stretch: Stretch) -> Found:
        """The claims of the stretch; those of its archive entry where a crash came between entry and pointer."""
        if stretch.archived is not None:
            believed = [each for each in stretch.archived.claims if each.status is Status.ACTIVE]
            return Found(claims=believed)
        return await self._asking.find(
            Chunk(
                session=stretch.session,
                audience=stretch.audience,
                messages=stretch.messages,
                previous=stretch.summary.claims,
                zone=self._zone(stretch.audience),
            )
        )

    async def _apply(self, stretch: Stretch, found: Found) -> bool:
        """Archive entry first, pointer last; False where the session moved meanwhile and nothing was written."""
        window = await self._window()
        async with self._sessions.checkout(stretch.session) as session:
            if not await self._is_unmoved(session, stretch):
                return False
            self._settled.discard(session.key)
            budget = self._budget(session, window=window)
            summary, told = await asyncio.to_thread(
                merge,
                summary_from_dict(session.summary),
                found.claims,
                budget_tokens=budget.summary_tokens,
            )
            if stretch.archived is None:
                reach(CrashPoint.ARCHIVE_BEFORE)
                await self._history.append(stretch.audience, self._entry(stretch, found, told=told))
            reach(CrashPoint.ARCHIVE_AFTER)
            session.summary = summary_to_dict(summary)
            session.last_consolidated = stretch.to_seq
            await self._sessions.save(session)
            self._settled.add(session.key)
            reach(CrashPoint.POINTER_AFTER)
        return True

    async def _is_unmoved(self, session: Session, stretch: Stretch) -> bool:
        """Whether pointer, audience and what may be read are as they were when the stretch was copied."""
        if session.last_consolidated != stretch.from_seq - 1 or session.audience != stretch.audience:
            return False
        if stretch.archived is not None:
            return True
        messages = await self._sessions.read(session.key, from_seq=stretch.from_seq, to_seq=stretch.to_seq)
        now = [message.seq for message in material(session, messages)]
        return now == [message.seq for message in stretch.messages]

    def _entry(self, stretch: Stretch, found: Found, *, told: tuple[Claim, ...]) -> Entry:
        return Entry(
            at=self._now(),
            session=stretch.session,
            from_seq=stretch.from_seq,
            to_seq=stretch.to_seq,
            kind=EntryKind.EXTRACT if found.extracted else EntryKind.MODEL,
            claims=told,
            rejected=tuple(rejection_to_json(each) for each in found.rejections),
        )


def _with(report: Report, stretch: Stretch, found: Found) -> Report:
    return Report(
        rounds=report.rounds + 1,
        messages=report.messages + stretch.to_seq - stretch.from_seq + 1,
        kept=report.kept + len(found.claims),
        extracted=report.extracted + found.extracted,
        rejected=report.rejected + len(found.rejections),
        failures=report.failures + tuple(found.failures),
    )
