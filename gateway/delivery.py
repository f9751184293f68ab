"""The outbox's worker: each chat's replies in order, tried again when that may help, given up loudly."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from random import Random
from typing import Literal

import structlog

from channels.adapter import ChannelAdapter
from channels.errors import ChannelError, DeliveryFailed, DeliveryRejected
from channels.messages import OutboundMessage
from gateway.journal.base import Outbox, OutboxEntry, OutboxStatus
from gateway.service.clock import Clock
from gateway.service.retry import Backoff
from gateway.service.waiting import Turnstile, first_of
from memory.crashpoints import CrashPoint, reach
from memory.errors import StoreError

MAX_ATTEMPTS = 300
"""About a day at the longest pause of five minutes: a platform that was away for longer gets dead letters."""

_STORE_PAUSE = Backoff(first=1.0, cap=30.0)
"""Seconds until a chat whose outbox could not write tries that again."""

PATIENCE = 1.0
"""Seconds for which a send that a crash could repeat has the wire for itself (P4). A platform that takes longer over one
chat holds up no other one (P2)."""

log = structlog.get_logger(__name__)

Chat = tuple[str, str]
DeliveryOutcome = Literal["sent", "retried", "dead"]


@dataclass(slots=True, eq=False)
class _Owed:
    """A part on its way; `until` is set when somebody is there to take it, `ended` when it is sent, dead or dropped."""

    entry: OutboxEntry
    until: asyncio.Event | None = None
    sent: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Delivery:
    """Sends what the outbox owes. Chats are served side by side; within a chat order is kept.

    A chat whose platform asks for patience waits in its own task and holds up nobody else. Parts for a
    channel that isn't running here stay in the outbox untouched. What is dropped isn't sent any more, unless it
    is under way at that moment. What is given up takes its placeholder away, if the platform lets it.
    """

    def __init__(
        self,
        outbox: Outbox,
        adapters: Mapping[str, ChannelAdapter],
        *,
        clock: Clock,
        backoff: Backoff | None = None,
        on_delivered: Callable[[OutboundMessage, DeliveryOutcome], None] = lambda _message, _outcome: None,
    ) -> None:
        self._outbox = outbox
        self._adapters = adapters
        self._clock = clock
        self._backoff = backoff or Backoff(first=1.0, cap=300.0)
        self._on_delivered = on_delivered
        self._rng = Random()  # noqa: S311 - spreads waits, guards nothing
        self._queues: dict[Chat, deque[_Owed]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._early: list[OutboxEntry] = []
        self._held: set[Chat] = set()
        self._turnstile = Turnstile(patience=PATIENCE, clock=clock)
        self._cleared: dict[Chat, asyncio.Event] = {}
        self._started = asyncio.Event()
        self._calm = asyncio.Event()
        self._calm.set()
        outbox.on_dropped(self._let_go)

    async def run(self) -> None:
        """Deliver until cancelled, first what an earlier run owed."""
        position = 0
        while entries := await self._outbox.due(after=position):
            self._early.extend(entries)
            position = entries[-1].position
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                early, self._early = self._early, []
                for entry in sorted(early, key=lambda entry: entry.position or float("inf")):
                    self._push(entry)
                self._consider_calm()
                self._started.set()
                await asyncio.Event().wait()
        finally:
            self._tasks = None
            self._started.clear()
            self._queues.clear()
            self._held.clear()

    def deliver(self, messages: Sequence[OutboundMessage]) -> None:
        """These parts are in the outbox since just now; send them."""
        for message in messages:
            entry = OutboxEntry(
                id=f"{message.id}/{message.part}", position=0, message=message, status=OutboxStatus.DUE
            )
            if self._tasks is None:
                self._early.append(entry)
                self._calm.clear()
            else:
                self._push(entry)

    def requeue(self, entry: OutboxEntry) -> None:
        """The operator wants a dead letter tried again."""
        self._push(entry)

    async def drain(self) -> None:
        """Return when nothing is owed that can be sent now; what must wait for its time is left.

        Before `run` has read what an earlier run owed, nobody knows that.
        """
        await self._started.wait()
        await self._calm.wait()
        await self._outbox.settle()

    async def clear(self, chat: Chat) -> None:
        """Return when nothing is owed to this chat: what comes next may be shown below what was said before."""
        await self._started.wait()
        while chat in self._queues:
            await self._cleared.setdefault(chat, asyncio.Event()).wait()

    def _push(self, entry: OutboxEntry) -> None:
        message = entry.message
        if message.channel not in self._adapters or self._tasks is None:
            return
        chat = _chat_of(entry)
        queue = self._queues.get(chat)
        if queue is not None:
            if all(entry.id != owed.entry.id or owed.ended.is_set() for owed in queue):
                queue.append(_Owed(entry))
            return
        self._queues[chat] = deque([_Owed(entry)])
        self._consider_calm()
        self._tasks.create_task(self._serve(chat), name=f"deliver {message.channel}:{message.chat_id}")

    def _let_go(self, entry_id: str) -> None:
        """A part was dropped: nothing waits for its time any more."""
        self._early = [entry for entry in self._early if entry.id != entry_id]
        for queue in self._queues.values():
            for owed in queue:
                if owed.entry.id == entry_id:
                    owed.ended.set()

    async def _serve(self, chat: Chat) -> None:
        """Send a chat's parts one after the other; end when there are none."""
        adapter, queue = self._adapters[chat[0]], self._queues[chat]
        try:
            while queue:
                owed = queue[0]
                await self._wait_for(chat, owed)
                async with self._passing(adapter, owed.entry.message):
                    if not owed.ended.is_set():
                        await self._try(adapter, owed)
                    if owed.ended.is_set():
                        queue.popleft()
                        await _take_placeholder_away(adapter, owed)
                        if not adapter.abilities.idempotent_send:
                            # A crash may repeat the request in flight and nothing that is over (P4).
                            await self._insist(chat, self._outbox.settle)
        finally:
            self._queues.pop(chat, None)
            if chat in self._cleared:
                self._cleared.pop(chat).set()
            self._consider_calm()

    def _passing(
        self, adapter: ChannelAdapter, message: OutboundMessage
    ) -> AbstractAsyncContextManager[None]:
        """One at a time where a crash could repeat it: not what the platform shows once, nor an edit."""
        if adapter.abilities.idempotent_send or (message.placeholder is not None and not message.attachments):
            return nullcontext()
        return self._turnstile.passing()

    async def _insist(self, chat: Chat, write: Callable[[], Awaitable[None]]) -> None:
        """Have the outbox keep what became of a part; until it can, the chat waits, and no other one does."""
        failures = 0
        while True:
            try:
                return await write()
            except StoreError as error:
                failures += 1
                log.error("outbox_unwritable", channel=chat[0], error=str(error))
            with self._holding(chat):
                await self._clock.sleep(_STORE_PAUSE.delay(failures, rng=self._rng))

    async def _wait_for(self, chat: Chat, owed: _Owed) -> None:
        """Return when a part may be sent, or needn't be."""
        seconds = 0.0
        if owed.entry.next_at is not None:
            seconds = (owed.entry.next_at - self._clock.now()).total_seconds()
        if owed.until is None and seconds <= 0:
            return
        sendable = owed.until.wait() if owed.until is not None else self._clock.sleep(seconds)
        with self._holding(chat):
            await first_of(sendable, owed.ended.wait())

    async def _try(self, adapter: ChannelAdapter, owed: _Owed) -> None:
        """One send; afterwards the part has ended, or it knows when it is to be tried again."""
        entry, owed.until = owed.entry, None
        reach(CrashPoint.SEND_BEFORE)
        try:
            sent = await adapter.send(entry.message)
        except DeliveryRejected as error:
            await self._bury(owed, error)
        except DeliveryFailed as error:
            owed.until = error.until
            if error.until is None:
                await self._postpone(owed, error)
        except Exception as error:
            log.exception("delivery_broke", channel=entry.message.channel, entry=entry.id)
            await self._postpone(owed, DeliveryFailed(type(error).__name__))
        else:
            reach(CrashPoint.SEND_AFTER)
            await self._outbox.sent(entry.id, platform_ids=sent.ids)
            owed.sent = True
            owed.ended.set()
            self._on_delivered(entry.message, "sent")

    @contextmanager
    def _holding(self, chat: Chat) -> Iterator[None]:
        """Nothing can be sent to this chat meanwhile: its time hasn't come, or nobody is there."""
        self._held.add(chat)
        self._consider_calm()
        try:
            yield
        finally:
            self._held.discard(chat)
            self._consider_calm()

    def _consider_calm(self) -> None:
        if self._queues.keys() <= self._held:
            self._calm.set()
        else:
            self._calm.clear()

    async def _postpone(self, owed: _Owed, error: DeliveryFailed) -> None:
        entry, attempts = owed.entry, owed.entry.attempts + 1
        if attempts >= MAX_ATTEMPTS:
            await self._bury(owed, error)
            return
        seconds = self._backoff.delay(attempts, rng=self._rng, named=error.retry_after)
        next_at = self._clock.now() + timedelta(seconds=seconds)
        self._on_delivered(entry.message, "retried")
        failed = partial(self._outbox.failed, entry.id, error=str(error), next_at=next_at)
        await self._insist(_chat_of(entry), failed)
        owed.entry = replace(entry, attempts=attempts, next_at=next_at, error=str(error))
        log.info("delivery_postponed", entry=entry.id, channel=entry.message.channel, attempts=attempts)

    async def _bury(self, owed: _Owed, error: ChannelError) -> None:
        entry = owed.entry
        if owed.ended.is_set():
            return  # dropped while it was under way: nobody waits for it
        await self._insist(_chat_of(entry), partial(self._outbox.dead, entry.id, error=str(error)))
        owed.ended.set()
        self._on_delivered(entry.message, "dead")
        log.error("delivery_abandoned", entry=entry.id, channel=entry.message.channel, error=str(error))


def _chat_of(entry: OutboxEntry) -> Chat:
    return entry.message.channel, entry.message.chat_id


async def _take_placeholder_away(adapter: ChannelAdapter, owed: _Owed) -> None:
    """A part that is given up leaves no sign that it is being written; tried once, for nobody waits for it."""
    message = owed.entry.message
    if not owed.sent and message.placeholder is not None:
        with suppress(ChannelError):
            await adapter.send(replace(message, text="", attachments=(), choices=()))
