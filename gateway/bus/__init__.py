"""Which sessions are ready: one batch of messages per session at a time, in order of arrival, fed from the inbox."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import takewhile

from channels.messages import InboundMessage, SessionKey
from gateway.bus.look import Look, look, rides_along
from gateway.bus.mailbox import Mailbox, writer
from gateway.journal.base import Inbox, InboxEntry
from gateway.journal.codec import edited
from gateway.service.clock import Clock, SystemClock

__all__ = ["MAILBOX_LIMIT", "Batch", "Bus", "rides_along"]

MAILBOX_LIMIT = 64
"""Messages of one session held in memory; what is beyond stays in the inbox, which is on disk (P2)."""

_PAGE = 200
"""Messages read at once to find more of somebody's."""

_LONGEST_HOLD = 60.0
"""Seconds for which a message is held for the parts that belong to it, whatever time it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What waits for a session now. Nobody else gets this session until `Bus.finish`."""

    key: SessionKey
    entries: tuple[InboxEntry, ...]


class Bus:
    """Hands out sessions that have something to do.

    Order comes from here; exclusion against background work comes from the session's lock. The bus holds no only
    copy of anything: every entry is in the inbox until its turn has answered it. `pace` says for how many seconds a
    message must wait because its sender writes too fast; meanwhile what others wrote passes it, and nothing else.
    """

    def __init__(
        self,
        inbox: Inbox,
        *,
        mailbox_limit: int = MAILBOX_LIMIT,
        clock: Clock | None = None,
        pace: Callable[[InboundMessage], float] = lambda _message: 0.0,
    ) -> None:
        self._inbox = inbox
        self._limit = mailbox_limit
        self._clock = clock or SystemClock()
        self._pace = pace
        self._mailboxes: dict[SessionKey, Mailbox] = {}
        self._ready: deque[SessionKey] = deque()
        self._wake = asyncio.Event()
        self._busy: set[SessionKey] = set()
        self._calm = asyncio.Event()
        self._calm.set()
        self._withdrawn: set[str] = set()
        """What was erased while it waited: whoever read it from the disk just before must not bring it back."""
        inbox.on_withdrawn(self._let_go)

    async def recover(self) -> int:
        """Publish what was accepted before and never answered, in order; how many messages that is."""
        position, count = 0, 0
        while entries := await self._inbox.waiting(after=position, limit=1000):
            for entry in entries:
                self.publish(entry)
            position = entries[-1].position
            count += len(entries)
        return count

    def publish(self, entry: InboxEntry) -> None:
        """An accepted message is there; a full mailbox leaves it in the inbox and reads it again later."""
        key = entry.message.session_key
        mailbox = self._mailboxes.setdefault(key, Mailbox())
        if mailbox.spills or not mailbox.room(self._limit):
            mailbox.spills += 1
        else:
            self._hold(mailbox, entry)
        self._consider(key, mailbox)

    def replace(self, message: InboundMessage) -> bool:
        """Put an edit in the place of a message that waits here; False when a turn has it or it isn't here."""
        mailbox = self._mailboxes.get(message.session_key)
        if mailbox is None:
            return False
        for index, entry in enumerate(mailbox.entries):
            if entry.message.id == message.edit_of:
                if entry.message.id in mailbox.handed:
                    return False
                mailbox.entries[index] = replace(entry, message=edited(entry.message, edit=message))
                return True
        return bool(mailbox.spills or mailbox.left)

    async def take(self) -> Batch:
        """The next session that is ready, with everything that may be taken of it; waits for one.

        Raises StoreError where what was left on disk can't be read; the session stays ready.
        """
        while True:
            while not self._ready:
                self._wake.clear()
                await self._wake.wait()
            key = self._ready.popleft()
            mailbox = self._mailboxes[key]
            mailbox.queued, mailbox.taken = False, True
            try:
                await self._refill(key, mailbox)
            except BaseException:
                self._give_back(key, mailbox)
                raise
            entries = self._look(mailbox).taken
            if entries:
                mailbox.handed = {entry.message.id for entry in entries}
                return Batch(key=key, entries=entries)
            self._give_back(key, mailbox)

    def take_more(
        self, key: SessionKey, *, besides: Collection[str], fits: Callable[[InboundMessage], bool]
    ) -> tuple[InboundMessage, ...]:
        """What waits for whoever has the session, behind the messages `besides`, up to the first that doesn't fit."""
        mailbox = self._mailboxes[key]
        waiting = (entry for entry in self._look(mailbox).taken if entry.message.id not in besides)
        entries = tuple(takewhile(lambda entry: fits(entry.message), waiting))
        mailbox.handed.update(entry.message.id for entry in entries)
        return tuple(entry.message for entry in entries)

    def remaining(self, batch: Batch) -> tuple[InboxEntry, ...]:
        """What of a batch is to be answered still: while it waited for its session, some of it may have been erased."""
        return tuple(entry for entry in batch.entries if entry.message.id not in self._withdrawn)

    def finish(self, key: SessionKey, *, answered: Collection[str]) -> None:
        """The batch was dealt with: these messages are answered, the others of the session are ready again."""
        mailbox = self._mailboxes[key]
        mailbox.entries = deque(entry for entry in mailbox.entries if entry.message.id not in answered)
        self._give_back(key, mailbox)

    async def drain(self) -> None:
        """Return when every published message has been answered, but for those that ride along, or are written too fast."""
        await self._calm.wait()

    def waiting(self, key: SessionKey) -> int:
        """How many messages of a session are held here."""
        mailbox = self._mailboxes.get(key)
        return len(mailbox.entries) if mailbox else 0

    def wait(self, message: InboundMessage) -> float:
        """Seconds for which a published message waits at least because its sender writes too fast."""
        mailbox = self._mailboxes.get(message.session_key)
        return self._look(mailbox).held.get(writer(message), 0.0) if mailbox else 0.0

    def _let_go(self, message_id: str) -> None:
        """A message was erased: it is no longer there to be answered."""
        self._withdrawn.add(message_id)
        for key, mailbox in list(self._mailboxes.items()):
            kept = deque(entry for entry in mailbox.entries if entry.message.id != message_id)
            if len(kept) < len(mailbox.entries):
                mailbox.entries = kept
                if not (mailbox.taken or mailbox.queued):
                    self._give_back(key, mailbox)

    def _give_back(self, key: SessionKey, mailbox: Mailbox) -> None:
        mailbox.taken = False
        mailbox.handed.clear()
        if mailbox.is_empty:
            del self._mailboxes[key]
            self._note(key, busy=False)
        else:
            self._consider(key, mailbox)

    def _hold(self, mailbox: Mailbox, entry: InboxEntry) -> None:
        if entry.position > mailbox.last_position:
            mailbox.last_position = entry.position
            if not mailbox.leaves(entry):
                self._keep(mailbox, entry)

    def _keep(self, mailbox: Mailbox, entry: InboxEntry) -> None:
        message = entry.message
        if message.id not in self._withdrawn:
            mailbox.insert(entry)
            if message.ready_at is not None:
                seconds = (message.ready_at - self._clock.now()).total_seconds()
                mailbox.ready[message.id] = self._clock.monotonic() + min(seconds, _LONGEST_HOLD)

    async def _refill(self, key: SessionKey, mailbox: Mailbox) -> None:
        """Read again what was left on disk; what spills meanwhile keeps the mailbox spilling."""
        for who in mailbox.missed():
            await self._fetch(key, mailbox, who)
        while mailbox.spills and (room := mailbox.room(self._limit)):
            spills = mailbox.spills
            entries = await self._inbox.waiting(session_key=key, after=mailbox.last_position, limit=room)
            for entry in entries:
                self._hold(mailbox, entry)
            if len(entries) < room and mailbox.spills == spills:
                mailbox.spills = 0

    async def _fetch(self, key: SessionKey, mailbox: Mailbox, who: str) -> None:
        """Read some more of what somebody wrote too fast; what is left meanwhile is read as well, or left."""
        left = mailbox.left[who]
        while left.after < (until := left.until) and not mailbox.has_enough_of(who):
            entries = await self._inbox.waiting(session_key=key, after=left.after, limit=_PAGE)
            for entry in takewhile(lambda entry: entry.position <= until, entries):
                left.after = entry.position
                if writer(entry.message) == who:
                    self._keep(mailbox, entry)
                    if mailbox.has_enough_of(who):
                        return
            if len(entries) < _PAGE or entries[-1].position > until:
                left.after = until
        if left.after >= left.until:
            del mailbox.left[who]

    def _consider(self, key: SessionKey, mailbox: Mailbox) -> None:
        """Queue the session when something of it may be taken, or set a timer for when it may."""
        if mailbox.taken or mailbox.queued:
            return
        look = self._look(mailbox)
        has_room_for_more = mailbox.spills and mailbox.room(self._limit)
        if has_room_for_more or look.taken or mailbox.missed():
            self._enqueue(key, mailbox)
        elif look.seconds is not None:
            if mailbox.timer is not None:
                mailbox.timer.cancel()
            mailbox.timer = asyncio.get_running_loop().call_later(look.seconds, self._on_time, key)
        if not mailbox.queued:
            self._note(key, busy=look.coming)

    def _note(self, key: SessionKey, *, busy: bool) -> None:
        if busy:
            self._busy.add(key)
            self._calm.clear()
        else:
            self._busy.discard(key)
            if not self._busy:
                self._calm.set()

    def _on_time(self, key: SessionKey) -> None:
        mailbox = self._mailboxes.get(key)
        if mailbox is not None:
            mailbox.timer = None
            self._consider(key, mailbox)

    def _enqueue(self, key: SessionKey, mailbox: Mailbox) -> None:
        mailbox.queued = True
        self._note(key, busy=True)
        self._ready.append(key)
        self._wake.set()

    def _look(self, mailbox: Mailbox) -> Look:
        return look(mailbox, now=self._clock.monotonic(), pace=self._pace)
