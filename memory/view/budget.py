"""Does it fit, and where may we cut: the part of a session that a request shows, and the part to consolidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory.messages import Message, ToolMessage, UserMessage
from memory.tokens import message_tokens
from memory.view.fit import cost, fitted_turn, last_exchange
from memory.view.history import legal_history
from memory.view.shorten import RESULT_CHARS, limited
from memory.view.turns import begins_round, begins_turn

SUMMARY_SHARE = 8
"""The summary takes at most an eighth of the input budget."""

MOST_SUMMARY_TOKENS = 2_000
"""About fifty claims; more of them in every request is what search is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How a window is shared between what is sent and what is answered; all in tokens.

    `window_cap` is a smaller window that this session believes in (see `memory.view.calibration`); 0 means none.
    """

    window: int
    max_output: int
    window_cap: int = 0

    @property
    def believed_window(self) -> int:
        """The smaller of what is configured and what was learned."""
        return min(self.window, self.window_cap or self.window)

    @property
    def output_reserve(self) -> int:
        """Kept free for the answer: at most a quarter of the window (P7)."""
        return min(self.max_output, self.believed_window // 4)

    @property
    def input_tokens(self) -> int:
        """What a request may hold, system part and tools included."""
        return self.believed_window - self.output_reserve

    def target_tokens(self, share: float = 0.5) -> int:
        """The estimate at or under which consolidation stops."""
        return int(self.input_tokens * share)

    @property
    def summary_tokens(self) -> int:
        """What the summary of older messages may take: most of the room is for what is said now."""
        return min(self.input_tokens // SUMMARY_SHARE, MOST_SUMMARY_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of a session a request shows.

    `messages` are legal and begin at a user message. `tokens` is their cost before calibration. `from_seq` is the
    number of the first one (0 where there is none). `repairs` counts what the grammar needed.
    """

    messages: tuple[Message, ...]
    tokens: int
    from_seq: int
    repairs: Mapping[str, int] = field(default_factory=dict)


def choose_view(
    messages: Sequence[Message], *, budget_tokens: int, max_messages: int, session: str, factor: float = 1.0
) -> View:
    """Whole turns from the end, as many as fit in `budget_tokens` and `max_messages`.

    The running turn (from the newest user message on) is always there, cut in the view where it alone is larger
    than the budget. Where the turn before it doesn't fit as a whole, its question and its answer stay if they can.
    `budget_tokens` is what is left for messages; `factor` is the session's calibration.
    """
    room = int(budget_tokens / factor)
    chosen = _choose(messages, room=room, max_messages=max_messages, session=session)
    legal = legal_history(chosen.turns)
    if legal.repairs or len(legal.messages) < len(
        chosen.turns
    ):  # repairs and joins change what the turns cost
        if not legal.messages:  # nothing but rubbish there: look further back
            legal = legal_history(messages)
        again = _choose(legal.messages, room=room, max_messages=max_messages, session=session)
        chosen = replace(again, before=again.before or chosen.before)
    view = _fitted(chosen, room=room, max_messages=max_messages, session=session)
    return View(
        messages=tuple(view),
        tokens=cost(view),
        from_seq=view[0].seq if view else 0,
        repairs=legal.repairs,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """Whole turns from the end, what they cost, and the turn before them that didn't fit, if any."""

    turns: Sequence[Message]
    tokens: int
    before: Sequence[Message]


def _choose(messages: Sequence[Message], *, room: int, max_messages: int, session: str) -> _Choice:
    newest_first: list[Message] = []
    tokens = taken = taken_tokens = 0
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, ToolMessage) and len(message.content) > RESULT_CHARS:
            message = limited(message, session=session)
        newest_first.append(message)
        tokens += message.tokens or message_tokens(message)
        if isinstance(message, UserMessage) and begins_turn(messages, at):
            if taken and (tokens > room or len(newest_first) > max_messages):
                break
            taken, taken_tokens = len(newest_first), tokens
    if not taken:  # the one turn there is has lost its beginning, which the grammar repairs
        taken, taken_tokens = len(newest_first), tokens
    newest_first.reverse()
    start = len(newest_first) - taken
    return _Choice(turns=newest_first[start:], tokens=taken_tokens, before=newest_first[:start])


def _fitted(choice: _Choice, *, room: int, max_messages: int, session: str) -> Sequence[Message]:
    """The turns cut to fit, or with the last exchange before them where there is room for it."""
    if choice.tokens > room:
        return fitted_turn(choice.turns, room=room, session=session)
    if choice.before and choice.turns and len(choice.turns) + 2 <= max_messages:
        whole = legal_history([*choice.before, choice.turns[0]]).messages
        spare = room - choice.tokens
        return [*last_exchange(whole[:-1], room=spare, session=session), *choice.turns]
    return choice.turns


class Border(StrEnum):
    """What a cut stands before."""

    TURN = "turn"
    ROUND = "round"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where to cut: messages with a number below `seq` go.

    With a border of kind ROUND the user message of the running turn is among them: whoever shows what is left must
    show that message too, for a request begins with one.
    """

    seq: int
    border: Border


def cut_point(messages: Sequence[Message], *, remove_tokens: int) -> Cut | None:
    """The first border between turns that removes at least `remove_tokens`, else the last one.

    Within a single turn the same rule holds for the borders between its rounds. None where there is no border.
    """
    return _cut(messages, remove_tokens=remove_tokens, border=Border.TURN) or _cut(
        messages, remove_tokens=remove_tokens, border=Border.ROUND
    )


def _cut(messages: Sequence[Message], *, remove_tokens: int, border: Border) -> Cut | None:
    begins = begins_turn if border is Border.TURN else begins_round
    found: Cut | None = None
    tokens = 0
    for at, message in enumerate(messages):
        if at and begins(messages, at):
            found = Cut(seq=message.seq, border=border)
            if tokens >= remove_tokens:
                break
        tokens += message.tokens or message_tokens(message)
    return found
