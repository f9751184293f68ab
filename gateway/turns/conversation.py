"""What the loop and a session have to do with each other: every step is durable before the next one begins."""

import asyncio
from collections.abc import Callable, Sequence

from channels.messages import InboundMessage
from gateway.llm.client import Completion, Prompt, Usage
from gateway.tools.tool import ToolContext
from gateway.turns import restore
from gateway.turns.live import Live
from gateway.turns.ports import TurnPorts
from gateway.turns.request import Request
from gateway.turns.restore import Work
from memory.crashpoints import CrashPoint, reach
from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from memory.sessions.session import Session

Arrivals = Callable[[Sequence[InboundMessage]], Sequence[InboundMessage]]
"""What has come meanwhile and is answered by the turn that answers these messages; it is that turn's from then on."""


def no_arrivals(_answered: Sequence[InboundMessage]) -> Sequence[InboundMessage]:
    """What comes meanwhile is the next turn's."""
    return ()


class StoredConversation:
    """The loop's `Conversation` on a session that the caller has checked out; turns and subagents run on it alike."""

    def __init__(
        self,
        session: Session,
        work: Work,
        *,
        request: Request,
        ports: TurnPorts,
        show: Live | None = None,
        arrivals: Arrivals = no_arrivals,
    ) -> None:
        self._session = session
        self._work = work
        self._request = request
        self._ports = ports
        self._show = show
        self._arrivals = arrivals
        self._storing = asyncio.Lock()  # tools of one round end side by side
        self.rounds = work.rounds
        self.usage = Usage()

    @property
    def turn_id(self) -> str:
        """The id of the first message that is answered."""
        return self._work.turn_id

    async def prompt(self) -> Prompt:
        """The next request, with everything stored so far; between rounds, with what the person wrote meanwhile.

        What joins is durable in the inbox until it is stored with the next round or the answer, as the messages that
        began the turn are: a turn that dies before finds it there again.
        """
        if self.rounds and (more := self._arrivals(self._work.messages)):
            self._work.join(more)
            await self.take()
            await self._request.fit()  # the view that was chosen before lacks them
            await self._request.enrich()
        return await self._request.prompt()

    async def store_round(self, message: AssistantMessage) -> None:
        """Make a round's calls durable, with the messages that are answered the first time."""
        await self.add(message)
        reach(CrashPoint.ROUND_BEFORE)
        await self._ports.sessions.save(self._session)
        reach(CrashPoint.ROUND_AFTER)
        self.rounds += 1
        if self._show is not None:
            self._show.restart()

    async def store_result(self, message: ToolMessage) -> None:
        """Make one result durable."""
        async with self._storing:
            await self.add(message)
            reach(CrashPoint.RESULT_BEFORE)
            await self._ports.sessions.save(self._session)
            reach(CrashPoint.RESULT_AFTER)

    async def save(self, answer: AssistantMessage | None) -> None:
        """One durable write: the answered messages and the answer, or the answer alone after rounds."""
        if answer is not None:
            await self.add(answer)
        reach(CrashPoint.ANSWER_BEFORE)
        await self._ports.sessions.save(self._session)
        reach(CrashPoint.ANSWER_AFTER)

    async def call_tool(self, call: ToolCall) -> ToolMessage:
        """Run one tool in the name of the person who is answered."""
        context = ToolContext(
            session=self._session.key,
            audience=self._session.audience,
            turn_id=self.turn_id,
            call_id=call.id,
            role=self._request.role,
            seq=self._newest_seq,
            origin=self._work.newest,
        )
        return await self._ports.tools.call(call, context=context)

    def wrote(self, text: str) -> None:
        """Show a piece of the answer."""
        if self._show is not None:
            self._show.wrote(text)

    def learned(self, prompt: Prompt, completion: Completion) -> None:
        """Compare the provider's count with ours."""
        self.usage += completion.usage
        self._request.learned(prompt, completion)

    async def take(self) -> None:
        """Put the messages that are not stored yet into the session; durable with the first round or the answer."""
        while self._work.unstored:
            message = self._work.unstored[0]
            role = self._ports.role(message)
            quoted = await restore.stored_quotation(message, self._work)
            stored = await restore.stored_form(message, self._work, role=role)
            if quoted is not None:
                self._session.add(quoted)
            self._session.add(stored)
            del self._work.unstored[0]

    async def add(self, message: Message) -> None:
        """Append as a message of this turn; durable after the next save."""
        self._session.add(await restore.counted(message, turn_id=self.turn_id))

    @property
    def _newest_seq(self) -> int:
        own = (m.seq for m in self._session.messages if isinstance(m, UserMessage) and m.turn == self.turn_id)
        return max(own, default=self._session.last_seq)
