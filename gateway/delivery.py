"""The outbox's worker: each chat's replies in order, tried again when that may help, given up loudly."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Literal

import structlog

from channels.adapter import ChannelAdapter
from channels.errors import ChannelError, DeliveryFailed, DeliveryRejected
from channels.messages import OutboundMessage
from gateway.journal.base import Outbox, OutboxEntry, OutboxStatus
from gateway.service.clock import Clock, SystemClock
from gateway.service.retry import Backoff
from memory.crashpoints import CrashPoint, reach

MAX_ATTEMPTS = 300
"""About a day at the longest pause of five minutes: a platform that was away for longer gets dead letters."""

log = structlog.get_logger(__name__)

Chat = tuple[str, str]
DeliveryOutcome = Literal["sent", "retried", "dead"]


class Delivery:
    """Sends what the outbox owes. Chats are served side by side; within a chat order is kept.

    A chat whose platform asks for patience waits in its own task and holds up nobody else (B091). Parts for a
    channel that isn't running here stay in the outbox untouched.
    """

    def __init__(
        self,
        outbox: Outbox,
        adapters: Mapping[str, ChannelAdapter],
        *,
        clock: Clock | None = None,
        backoff: Backoff | None = None,
        on_delivered: Callable[[OutboundMessage, DeliveryOutcome], None] = lambda _message, _outcome: None,
    ) -> None:
        self._outbox = outbox
        self._adapters = adapters
        self._clock = clock or SystemClock()
        self._backoff = backoff or Backoff(first=1.0, cap=300.0)
        self._on_delivered = on_delivered
        self._rng = Random()  # noqa: S311 - spreads waits, guards nothing
        self._queues: dict[Chat, deque[OutboxEntry]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._early: list[OutboxEntry] = []
        self._held: set[Chat] = set()
        self._cleared: dict[Chat, asyncio.Event] = {}
        self._started = asyncio.Event()
        self._calm = asyncio.Event()
        self._calm.set()

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
        """Return when nothing is owed that can be sent now; what must wait for its time is left."""
        await self._calm.wait()
        await self._outbox.settle()

    async def clear(self, chat: Chat) -> None:
        """Return when nothing is owed to this chat: what comes next may be shown below what was said before."""
        await self._started.wait()
        while chat in self._queues:
            await self._cleared.setdefault(chat, asyncio.Event()).wait()

    def queued(self) -> int:
        """How many parts wait or are under way."""
        return sum(len(queue) for queue in self._queues.values())

    def _push(self, entry: OutboxEntry) -> None:
        message = entry.message
        if message.channel not in self._adapters or self._tasks is None:
            return
        chat = (message.channel, message.chat_id)
        queue = self._queues.get(chat)
        if queue is not None:
            if all(entry.id != waiting.id for waiting in queue):
                queue.append(entry)
            return
        self._queues[chat] = deque([entry])
        self._consider_calm()
        self._tasks.create_task(self._serve(chat), name=f"deliver {message.channel}:{message.chat_id}")

    async def _serve(self, chat: Chat) -> None:
        """Send a chat's parts one after the other; end when there are none."""
        adapter, queue = self._adapters[chat[0]], self._queues[chat]
        try:
            while queue:
                entry = queue[0]
                await self._wait_until(chat, entry.next_at)
                again = await self._try(adapter, entry)
                if again is None:
                    queue.popleft()
                    if queue and not adapter.abilities.idempotent_send:
                        # At a crash at most the one request in flight may be repeated (P4).
                        await self._outbox.settle()
                else:
                    queue[0] = again
        finally:
            self._queues.pop(chat, None)
            if chat in self._cleared:
                self._cleared.pop(chat).set()
            self._consider_calm()

    async def _wait_until(self, chat: Chat, when: datetime | None) -> None:
        if when is not None and (seconds := (when - self._clock.now()).total_seconds()) > 0:
            with self._holding(chat):
                await self._clock.sleep(seconds)

    async def _try(self, adapter: ChannelAdapter, entry: OutboxEntry) -> OutboxEntry | None:
        """One send; the entry with its next time if it must be tried again, None when it is settled."""
        message = entry.message
        reach(CrashPoint.SEND_BEFORE)
        try:
            sent = await adapter.send(message)
        except DeliveryRejected as error:
            await self._bury(entry, error)
            return None
        except DeliveryFailed as error:
            if error.until is None:
                return await self._postpone(entry, error)
            with self._holding((message.channel, message.chat_id)):
                await error.until.wait()
            return entry
        except Exception as error:
            log.exception("delivery_broke", channel=message.channel, entry=entry.id)
            return await self._postpone(entry, DeliveryFailed(type(error).__name__))
        reach(CrashPoint.SEND_AFTER)
        await self._outbox.sent(entry.id, platform_ids=sent.ids)
        self._on_delivered(message, "sent")
        return None

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

    async def _postpone(self, entry: OutboxEntry, error: DeliveryFailed) -> OutboxEntry | None:
        now = self._clock.now()
        attempts = entry.attempts + 1
        if attempts >= MAX_ATTEMPTS:
            await self._bury(entry, error)
            return None
        next_at = now + timedelta(
            seconds=self._backoff.delay(attempts, rng=self._rng, named=error.retry_after)
        )
        self._on_delivered(entry.message, "retried")
        await self._outbox.failed(entry.id, error=str(error), next_at=next_at)
        log.info("delivery_postponed", entry=entry.id, channel=entry.message.channel, attempts=attempts)
        return replace(entry, attempts=attempts, next_at=next_at, error=str(error))

    async def _bury(self, entry: OutboxEntry, error: ChannelError) -> None:
        await self._outbox.dead(entry.id, error=str(error))
        self._on_delivered(entry.message, "dead")
        log.error("delivery_abandoned", entry=entry.id, channel=entry.message.channel, error=str(error))
