"""Which messages a consolidation takes next: a stretch from the pointer on that ends before a turn (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

from memory.archive.entry import Entry
from memory.claims.summary import Summary
from memory.messages import AssistantMessage, Message, ToolMessage
from memory.sessions.session import Session
from memory.tokens import message_tokens
from memory.view.budget import Border, Budget, cut_point
from memory.view.shorten import RESULT_CHARS
from memory.view.turns import begins_round, begins_turn

STRETCH_TOKENS = 24_000
"""Of one round: the pointer moves often enough that a crash repeats minutes of work, not hours."""


class Reason(StrEnum):
    """Why a session is consolidated; an overflow that the provider reported is a matter of the budget too."""

    BUDGET = "budget"
    IDLE = "idle"
    COMPACT = "compact"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """What a session's requests cost beside its messages, and what they may cost; all in tokens.

    `overhead_tokens` is the system part and whatever else is no message, before calibration; `factor` is the
    session's calibration; `summary_tokens` is by how much the summary may still grow.
    """

    budget: Budget
    target: float
    overhead_tokens: int = 0
    factor: float = 1.0
    summary_tokens: int = 0

    def excess_tokens(self, visible: Sequence[Message]) -> int:
        """How much must go for the next request to be at or under the target, before calibration."""
        needed = (
            self.overhead_tokens + self.summary_tokens + sum(shown_tokens(message) for message in visible)
        )
        return ceil(needed - self.budget.target_tokens(self.target) / self.factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What one round takes: everything from the pointer to `to_seq`; `messages` are those that may be read."""

    session: str
    audience: str
    from_seq: int
    to_seq: int
    messages: tuple[Message, ...]
    summary: Summary
    archived: Entry | None = None


def stretch_of(
    session: Session,
    messages: Sequence[Message],
    *,
    to_seq: int,
    summary: Summary,
    archived: Entry | None = None,
) -> Stretch:
    """The stretch from the session's pointer to `to_seq`."""
    return Stretch(
        session=session.key,
        audience=session.audience,
        from_seq=session.last_consolidated + 1,
        to_seq=to_seq,
        messages=tuple(material(session, [each for each in messages if each.seq <= to_seq])),
        summary=summary,
        archived=archived,
    )


def material(session: Session, messages: Sequence[Message]) -> list[Message]:
    """What may be read: neither erased nor taken back by /undo."""
    return [each for each in messages if not each.erased and not session.is_hidden(each.seq)]


def shown_tokens(message: Message) -> int:
    """What a message costs in a view, where long tool output is cut."""
    tokens = message.tokens or message_tokens(message)
    if isinstance(message, ToolMessage) and len(message.content) > RESULT_CHARS:
        return ceil(tokens * RESULT_CHARS / len(message.content))
    return tokens


def end_for_budget(visible: Sequence[Message], *, pressure: Pressure, max_messages: int) -> int:
    """The number of the last message that goes so that the rest fits the target; 0 where nothing can go.

    More than `max_messages` of them are brought down to the same share, however short they are.

    The last turn stays: it may not be answered yet, and people refer to it. Where it is all there is, and answered,
    its older rounds go.
    """
    excess = pressure.excess_tokens(visible)
    end = 0
    if len(visible) > max_messages:
        end = end_for_recent(visible, keep=int(max_messages * pressure.target))
    if excess <= 0:
        return end
    cut = cut_point(
        [replace(message, tokens=shown_tokens(message)) for message in visible], remove_tokens=excess
    )
    if cut is None or (cut.border is Border.ROUND and not _is_answered(visible)):
        return end
    return max(end, cut.seq - 1)


def end_for_recent(visible: Sequence[Message], *, keep: int) -> int:
    """The number of the last message that goes so that the last `keep` ones stay, with the whole of their turns.

    The last turn always stays; 0 where nothing can go.
    """
    for at in range(len(visible) - max(keep, 1), 0, -1):
        if begins_turn(visible, at):
            return visible[at].seq - 1
    return 0


def bounded_end(messages: Sequence[Message], *, end: int, max_tokens: int = STRETCH_TOKENS) -> int:
    """`end`, or the last border before it up to which the messages have at most `max_tokens`.

    Borders are turns, and rounds within a turn that is larger than that; a single round is never split.
    """
    borders: dict[Border, int] = {}
    tokens = 0
    for at, message in enumerate(messages):
        if message.seq > end:
            break
        border = _border(messages, at)
        if at and border is not None:
            if tokens > max_tokens and borders:
                break
            borders[border] = messages[at - 1].seq
        tokens += message.tokens or message_tokens(message)
    if tokens <= max_tokens or not borders:
        return end
    return borders.get(Border.TURN) or borders[Border.ROUND]


def _border(messages: Sequence[Message], at: int) -> Border | None:
    if begins_turn(messages, at):
        return Border.TURN
    return Border.ROUND if begins_round(messages, at) else None


def _is_answered(messages: Sequence[Message]) -> bool:
    last = messages[-1] if messages else None
    return isinstance(last, AssistantMessage) and not last.tool_calls
