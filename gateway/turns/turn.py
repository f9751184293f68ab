"""One turn: from the messages that it answers to its reply, over seven states.

    RESTORE ──► COMPACT ──► BUILD ──► RUN ──► SAVE ──► RESPOND ──► DONE
       │           ▲                   │                             ▲
       │           └── prompt too big ─┘                             │
       └── already answered ─────────────────────────────────────────┘

No state is persisted: after a crash RESTORE looks at what was written and decides where to go on.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from time import perf_counter
from typing import Literal

from channels.messages import InboundMessage
from gateway.errors import ContextOverflow
from gateway.journal.base import InboxEntry
from gateway.llm.client import Usage
from gateway.turns import restore
from gateway.turns.conversation import Arrivals, StoredConversation, no_arrivals
from gateway.turns.loop import Ending, Outcome, run_loop
from gateway.turns.ports import TurnPorts
from gateway.turns.reply import language_of, notice, reply_parts
from gateway.turns.request import Request
from memory.sessions.session import Session

MAX_OVERFLOWS = 2
"""A provider that says "too long" a third time means something that a smaller view won't cure (P7)."""


class TurnState(StrEnum):
    """Where a turn is."""

    RESTORE = "restore"
    COMPACT = "compact"
    BUILD = "build"
    RUN = "run"
    SAVE = "save"
    RESPOND = "respond"
    DONE = "done"


class Turn:
    """Answers a batch of messages of one session, which the caller has checked out for as long as the turn lives."""

    def __init__(
        self,
        session: Session,
        entries: Sequence[InboxEntry],
        *,
        ports: TurnPorts,
        arrivals: Arrivals = no_arrivals,
    ) -> None:
        self._session = session
        self._ports = ports
        self._work = restore.find(session, entries)
        self._request = Request(session, self._work, ports=ports)
        self._live = ports.live(reply_parts(self._work, [""])[0])
        self._conversation = StoredConversation(
            session, self._work, request=self._request, ports=ports, show=self._live, arrivals=arrivals
        )
        self._overflows = 0
        self._outcome: Outcome | None = None
        self.seconds: dict[TurnState, float] = {}
        """How long the turn was in each state."""
        self._steps: Mapping[TurnState, Callable[[], Awaitable[TurnState]]] = {
            TurnState.RESTORE: self._restore,
            TurnState.COMPACT: self._compact,
            TurnState.BUILD: self._build,
            TurnState.RUN: self._run,
            TurnState.SAVE: self._save,
            TurnState.RESPOND: self._respond,
        }

    @property
    def turn_id(self) -> str:
        """The id of the first message that the turn answers."""
        return self._work.turn_id

    @property
    def answered(self) -> Sequence[str]:
        """The ids of the messages that the turn answers."""
        return self._work.ids

    @property
    def newest(self) -> InboundMessage:
        """The last message that the turn answers."""
        return self._work.newest

    @property
    def repairs(self) -> Mapping[str, int]:
        """What the grammar had to mend in this turn's requests, by kind."""
        return self._request.repairs

    @property
    def may_be_stopped(self) -> bool:
        """Until there is an answer: one that may be stored already is delivered, whoever wants it stopped (P4)."""
        return self._outcome is None and self._work.answer is None

    @property
    def rounds(self) -> int:
        """How many rounds with calls the turn has had, those before a crash included."""
        return self._conversation.rounds

    @property
    def usage(self) -> Usage:
        """What the provider counted for the requests of this turn."""
        return self._conversation.usage

    @property
    def language(self) -> str:
        """The language of our own sentences in this turn."""
        return language_of(self.newest, setting=self._ports.settings.language)

    async def run(self) -> None:
        """Go from state to state until DONE. What it raises leaves everything written so far in place."""
        state = TurnState.RESTORE
        try:
            while state is not TurnState.DONE:
                before, step = perf_counter(), state
                state = await self._steps[step]()
                self.seconds[step] = self.seconds.get(step, 0.0) + perf_counter() - before
        finally:
            await self._live.close()

    async def end(self, last_word: str) -> None:
        """Close a turn that failed or was stopped: what was said is stored, our last word is sent and never stored."""
        await self._conversation.take()
        for call in restore.open_calls(self._session, self.turn_id):
            await self._conversation.add(restore.cancelled_result(call))
        await self._ports.sessions.save(self._session)
        await self._reply(last_word)

    async def _restore(self) -> Literal[TurnState.COMPACT, TurnState.DONE]:
        """Take the new messages, or find out how far an interrupted turn came."""
        if self._work.answer is not None:
            await self._reply(self._work.answer.content, seq=self._work.answer.seq)
            return TurnState.DONE
        await self._conversation.take()
        return TurnState.COMPACT

    async def _compact(self) -> Literal[TurnState.BUILD]:
        """Choose the view that fits, without a model: the reply never waits for a summary (P5)."""
        await self._request.fit()
        return TurnState.BUILD

    async def _build(self) -> Literal[TurnState.RUN]:
        """Recall from outside of the view, and set the runtime facts beside the newest words."""
        await self._request.enrich()
        return TurnState.RUN

    async def _run(self) -> Literal[TurnState.COMPACT, TurnState.SAVE]:
        """Model and tools until the model stops asking."""
        pending = restore.open_calls(self._session, self.turn_id)
        try:
            self._outcome = await run_loop(
                self._conversation, self._ports.llm, pending=pending, rounds=self.rounds
            )
        except ContextOverflow as error:
            self._overflows += 1
            if self._overflows > MAX_OVERFLOWS:
                raise
            self._request.overflowed(error)
            return TurnState.COMPACT
        return TurnState.SAVE

    async def _save(self) -> Literal[TurnState.RESPOND]:
        """One durable write: the user's messages and the answer, or the answer alone after rounds."""
        await self._conversation.save(self._outcome.answer() if self._outcome is not None else None)
        return TurnState.RESPOND

    async def _respond(self) -> Literal[TurnState.DONE]:
        """One journal transaction: the outbox gets the reply, the inbox entries are done."""
        outcome = self._outcome
        if outcome is None:
            raise RuntimeError("a turn responds after its loop has ended")
        text = "\n\n".join(part for part in (outcome.text, notice(outcome, self.language)) if part)
        await self._reply(text, seq=self._session.last_seq if outcome.ending is Ending.ANSWERED else None)
        return TurnState.DONE

    async def _reply(self, text: str, *, seq: int | None = None) -> None:
        """Answer the batch in one transaction and hand the parts to delivery; "" answers without a word."""
        placeholder = await self._live.close()
        texts = self._ports.split(self.newest.channel, text) if text else []
        parts = reply_parts(self._work, texts, placeholder=placeholder, seq=seq)
        jobs = self._ports.housekeeping.after_turn(
            self._session,
            used_tokens=self._request.sent_tokens,
            input_tokens=self._request.budget.input_tokens,
            overhead_tokens=self._request.overhead_tokens,
        )
        await self._ports.journal.respond(answered=self.answered, replies=parts, jobs=jobs)
        self._ports.deliver(parts)
        if jobs:
            self._ports.wake()
