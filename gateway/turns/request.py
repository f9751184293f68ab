"""What a turn asks the model: a request that fits its window and is legal, made anew for every round."""

from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from channels.messages import ChatKind
from gateway.errors import ContextOverflow
from gateway.llm.client import Completion, Passage, Prompt, ToolSchema
from gateway.turns.ports import TurnPorts
from gateway.turns.prompt import (
    SYSTEM_SHARE,
    SystemPart,
    context_text,
    inbound_text,
    system_part,
    with_context,
    with_speakers,
)
from gateway.turns.restore import Work
from gateway.turns.summary import summary_text
from memory import tokens
from memory.sessions.session import Session
from memory.view.budget import Budget, View, choose_view
from memory.view.history import legal_history

log = structlog.get_logger(__name__)

RECALL_SHARE = 8
"""Recalled passages take at most an eighth of the input budget: a small window is for what is said now."""

FACTS_TOKENS = 64
"""What time, zone, channel and sender take beside the newest message; more than that makes the view be chosen anew."""


class Request:
    """The requests of one turn. `fit` and `enrich` come first; then `prompt`, once for each round."""

    def __init__(self, session: Session, work: Work, *, ports: TurnPorts) -> None:
        self._session = session
        self._work = work
        self._ports = ports
        self._system = SystemPart(text="", tokens=0)
        self._budget = Budget(window=0, max_output=0)
        self._tools: tuple[ToolSchema, ...] = ()
        self._view: View | None = None
        self._passages: Sequence[Passage] = ()
        self._context, self._context_tokens = "", 0
        self._sent = 0
        # Messages of several people are answered in one turn: it may do what all of them may.
        self.role = next((role for role in map(ports.role, work.messages) if role != "owner"), "owner")
        self.repairs: dict[str, int] = {}

    @property
    def budget(self) -> Budget:
        """How the window is shared, as far as it is known."""
        return self._budget

    @property
    def sent_tokens(self) -> int:
        """The estimate of the last request, before calibration."""
        return self._sent

    @property
    def overhead_tokens(self) -> int:
        """What of a request is no message: the system part, tools, summary, and what stands beside the newest words."""
        return self._system.tokens + self._context_tokens

    async def fit(self) -> None:
        """Find out how much room there is, and choose the view that fits; no model is asked."""
        calibration = self._session.calibration
        self._budget = Budget(
            window=await self._ports.llm.window(),
            max_output=self._ports.settings.max_output,
            window_cap=calibration.window_cap,
        )
        room = int(self._budget.input_tokens / calibration.factor * SYSTEM_SHARE)
        schema_tokens = self._ports.tools.schema_tokens(self.role)
        has_room = schema_tokens <= room / 2
        self._tools = self._ports.tools.schemas(self.role) if has_room else ()
        self._system = await system_part(
            await self._ports.files.read(self._session.audience),
            summary=summary_text(
                self._session,
                budget=self._budget,
                zone=self._ports.settings.zone(self._work.newest.person if self._is_direct else None),
                now=datetime.now(UTC),
            ),
            schema_tokens=schema_tokens if has_room else 0,
            max_tokens=room,
        )
        self._view = self._choose_view(reserve=self._reserve)

    async def enrich(self) -> None:
        """Recall what lies outside of the view, and set the runtime facts beside the newest words."""
        newest = self._work.newest
        view = self._view or self._choose_view(reserve=self._reserve)
        self._passages = await self._ports.recall.passages(
            self._session, self._newest_text, visible_from=view.from_seq, max_tokens=self._recall_cap
        )
        zone = self._ports.settings.zone(newest.person)
        self._context = context_text(newest, self._passages, zone=zone, now=datetime.now(UTC))
        self._context_tokens = await tokens.count_async(self._context)
        if self._context_tokens > self._reserve:
            self._view = None  # the room that was reserved is not enough: choose again

    async def prompt(self) -> Prompt:
        """The next request: view, context, grammar, in this order, so that nothing is cut after the check."""
        view = self._view or self._choose_view(reserve=self._context_tokens)
        self._view = None
        legal = legal_history(
            with_context(
                view.messages,
                context=self._context,
                context_tokens=self._context_tokens,
                turn_id=self._work.turn_id,
            )
        )
        for repairs in (view.repairs, legal.repairs):
            for kind, count in repairs.items():
                self.repairs[kind] = self.repairs.get(kind, 0) + count
        self._sent = self._system.tokens + sum(
            message.tokens or tokens.message_tokens(message) for message in legal.messages
        )
        return Prompt(
            session=self._session.key,
            system=self._system.text,
            messages=legal.messages,
            newest=self._newest_text,
            passages=self._passages,
            tools=self._tools,
            max_output=self._budget.output_reserve,
            estimated_tokens=self._sent,
            now=datetime.now(UTC),
            model=chosen_model(self._session),
            person=self._work.newest.person or "",
            chat=f"{self._work.newest.channel}:{self._work.newest.chat_id}",
        )

    def learned(self, prompt: Prompt, completion: Completion) -> None:
        """Compare the provider's count with ours (P7)."""
        calibration = self._session.calibration
        counts = {"estimated": prompt.estimated_tokens, "reported": completion.usage.prompt_tokens}
        if calibration.learn(**counts):
            log.warning("prompt_cut_silently", **counts, believed_window=calibration.window_cap)

    def overflowed(self, error: ContextOverflow) -> None:
        """Believe in a smaller window from now on."""
        self._session.calibration.shrink(window=self._budget.window, estimated=self._sent, limit=error.window)

    def _choose_view(self, *, reserve: int) -> View:
        available = int(self._budget.input_tokens / self._session.calibration.factor)
        return choose_view(
            with_speakers(self._session.visible(), chat_kind=self._work.newest.chat_kind),
            session=self._session.key,
            budget_tokens=max(0, available - self._system.tokens - reserve),
            max_messages=self._ports.settings.max_messages,
        )

    @property
    def _is_direct(self) -> bool:
        """In a group the prompt is the same whoever speaks; a person alone has dates of their own zone."""
        return self._work.newest.chat_kind is ChatKind.DIRECT

    @property
    def _reserve(self) -> int:
        return self._recall_cap + FACTS_TOKENS

    @property
    def _recall_cap(self) -> int:
        return min(self._ports.settings.recall_tokens, self._budget.input_tokens // RECALL_SHARE)

    @property
    def _newest_text(self) -> str:
        words = (message.text or inbound_text(message) for message in self._work.messages)
        return "\n\n".join(text for text in words if text)


def chosen_model(session: Session) -> str:
    """The model that the owner chose for this conversation with /model; "" for the configured one."""
    model = session.metadata.get("model", "")
    return model if isinstance(model, str) else ""
