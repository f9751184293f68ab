"""What a stranger hears: a pairing code, once, and nothing else."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog

from channels.messages import ChatKind, Entrance, InboundMessage, OutboundMessage
from gateway.journal.base import Journal, PairingCode
from gateway.pairing.codes import new_code
from gateway.replies import Say, choose_language, say
from gateway.service.clock import Clock, SystemClock
from memory.errors import StoreError

LIFETIME = timedelta(minutes=10)
MOST_OPEN = 20
"""Codes at once in a channel: an operator can look through so many, and a crowd of strangers costs no more."""
_LONGEST_NAME = 64

log = structlog.get_logger(__name__)


class Strangers:
    """Answers those who are not let in: in a direct chat, while fewer than `MOST_OPEN` codes of the channel are open.

    Once per code and lifetime; in groups never. A crash at the wrong moment costs the stranger the wait for the next
    code. A disk that fails means silence: nobody is let in by accident, and nothing of the stranger is lost, since
    nothing was accepted.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        deliver: Callable[[Sequence[OutboundMessage]], None],
        language: str = "auto",
        clock: Clock | None = None,
    ) -> None:
        self._journal = journal
        self._deliver = deliver
        self._language = language
        self._clock = clock or SystemClock()
        self._one_at_a_time = asyncio.Lock()
        self._known: dict[tuple[str, str], datetime] = {}

    async def answer(self, message: InboundMessage) -> None:
        """Give the sender of a refused message a code, if they may have one and don't have one yet."""
        if message.chat_kind is not ChatKind.DIRECT or message.entrance is not Entrance.USER:
            return
        async with self._one_at_a_time:
            try:
                await self._offer(message, now=self._clock.now())
            except StoreError as error:
                log.warning("pairing_unwritable", error=str(error))

    async def _offer(self, message: InboundMessage, *, now: datetime) -> None:
        who = (message.channel, message.sender_id)
        self._known = {known: until for known, until in self._known.items() if until > now}
        if who in self._known or self._crowded(message.channel):
            return
        if not self._known:
            await self._recollect(now)
            if who in self._known or self._crowded(message.channel):
                return
        language = choose_language(self._language, person=message.language, text=message.text)
        kept = await self._keep(message, language, now=now)
        self._known[who] = kept.expires_at
        reply = _reply(message, kept)
        await self._journal.respond(answered=[], replies=[reply])
        self._deliver([reply])
        log.info("pairing_offered", channel=message.channel, sender=message.sender_id)

    async def _recollect(self, now: datetime) -> None:
        """The codes that an earlier run gave out."""
        codes = await self._journal.codes(now=now)
        self._known = {(code.channel, code.sender_id): code.expires_at for code in codes}

    def _crowded(self, channel: str) -> bool:
        return Counter(known for known, _ in self._known)[channel] >= MOST_OPEN

    async def _keep(self, message: InboundMessage, language: str, *, now: datetime) -> PairingCode:
        while True:
            code = PairingCode(
                code=new_code(),
                channel=message.channel,
                sender_id=message.sender_id,
                sender_name=_shown(message.sender_name),
                chat_id=message.chat_id,
                expires_at=now + LIFETIME,
                language=language,
            )
            try:
                return await self._journal.offer(code, now=now)
            except ValueError:  # somebody holds the very same code
                continue


def _reply(message: InboundMessage, code: PairingCode) -> OutboundMessage:
    """The code's own id: the message's belongs to the answer that it may get one day."""
    minutes = int(LIFETIME.total_seconds() // 60)
    return OutboundMessage(
        id=f"pairing/{code.code}",
        channel=message.channel,
        chat_id=message.chat_id,
        thread_id=message.thread_id,
        answers=(message.id,),
        text=say(Say.PAIRING, code.language, code=code.code, minutes=minutes),
    )


def _shown(name: str) -> str:
    """What a stranger calls themselves, without what would steer the operator's terminal."""
    return "".join(char for char in name if char.isprintable())[:_LONGEST_NAME].strip()
