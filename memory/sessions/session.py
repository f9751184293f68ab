"""A session: what we remember of one chat, with the part of it that is in memory."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import Any

from memory.messages import Message, UserMessage
from memory.sessions.text import whole
from memory.view.calibration import after_overflow, learn, notice_silent_cut


class MarkKind(StrEnum):
    """What a mark does to the view."""

    VIEW_FROM = "view_from"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A change of the view that removes nothing (/new, /undo, /retry).

    VIEW_FROM: the view begins at `from_seq`. HIDDEN: `from_seq` to `to_seq`, both included, are out of it.
    """

    kind: MarkKind
    from_seq: int
    to_seq: int = 0
    at: datetime


@dataclass(slots=True, kw_only=True)
class Calibration:
    """How a provider's token counts relate to ours, learned per session (P7).

    `factor` multiplies our estimate; `window_cap` is a smaller window (tokens) than the configured one, learned
    from a provider that said "too long" or silently cut; 0 means none.
    """

    factor: float = 1.0
    window_cap: int = 0

    def learn(self, *, estimated: int, reported: int) -> bool:
        """Learn from the provider's count of what we put at `estimated`; whether it shows a silent cut, a new one."""
        before = self.window_cap
        self.window_cap = notice_silent_cut(
            before, factor=self.factor, estimated=estimated, reported=reported
        )
        self.factor = learn(self.factor, estimated=estimated, reported=reported)
        return self.window_cap != before

    def shrink(self, *, window: int, estimated: int, limit: int | None) -> None:
        """Believe in a smaller window after "too long"; `limit` is the one that the provider named, if it did."""
        sent = int(estimated * self.factor)
        self.window_cap = after_overflow(self.window_cap, window=window, sent=sent, limit=limit or 0)


@dataclass(slots=True, kw_only=True)
class Session:
    """One conversation. Held only inside `SessionManager.checkout`.

    `messages` are the last ones, oldest first, without gaps up to `last_seq`; older ones are paged from the
    store. `last_consolidated` is how many messages are archived, which is the `seq` of the last of them.
    `view_from` and `hidden` change what the model sees and nothing else. `summary` is the stored form of the
    summary (see `memory.claims.summary`). `tokens` is the sum over all messages. `metadata` is free; `extra`
    holds unknown fields beside it in the stored record, kept as they are. `unsaved` is what the next save writes.
    """

    key: str
    audience: str
    created_at: datetime
    updated_at: datetime
    messages: list[Message] = field(default_factory=list)
    last_seq: int = 0
    last_consolidated: int = 0
    view_from: int = 1
    hidden: list[tuple[int, int]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    calibration: Calibration = field(default_factory=Calibration)
    tokens: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    unsaved: list[Message | Mark] = field(default_factory=list)

    def add(self, message: Message) -> Message:
        """Give the message its number and append it; it is durable after the next save.

        Lone surrogates become U+FFFD here, so that what is in memory is what every store can keep.
        """
        numbered = replace(whole(message), seq=self.last_seq + 1)
        self.messages.append(numbered)
        self.unsaved.append(numbered)
        self.last_seq = numbered.seq
        self.tokens += numbered.tokens
        self.updated_at = datetime.now(UTC)
        return numbered

    def mark(self, mark: Mark) -> None:
        """Change the view; durable after the next save."""
        self.apply(mark)
        self.unsaved.append(mark)
        self.updated_at = datetime.now(UTC)

    def apply(self, mark: Mark) -> None:
        """The effect of a mark, without recording it (for stores that read one)."""
        if mark.kind is MarkKind.VIEW_FROM:
            self.view_from = mark.from_seq
        elif (mark.from_seq, mark.to_seq) not in self.hidden:
            self.hidden.append((mark.from_seq, mark.to_seq))

    def is_hidden(self, seq: int) -> bool:
        """Whether /undo or /retry took this message out of the view."""
        return any(first <= seq <= last for first, last in self.hidden)

    def visible(self) -> Sequence[Message]:
        """What the view may be chosen from: loaded, after the pointer and the last /new, neither hidden nor erased.

        Where the pointer stands within a turn, the question of that turn is still there: a view begins with one.
        """
        start = max(self.view_from, self.last_consolidated + 1)
        first = bisect_left(self.messages, start, key=lambda message: message.seq)
        kept = [message for message in islice(self.messages, first, None) if not message.erased]
        if self.hidden:
            kept = [message for message in kept if not self.is_hidden(message.seq)]
        if kept and not isinstance(kept[0], UserMessage):
            return [*self._question_before(first, of=kept[0]), *kept]
        return kept

    def _question_before(self, at: int, *, of: Message) -> Sequence[Message]:
        """The last user message before this place, if it is one of the same turn that may be seen."""
        for message in reversed(self.messages[:at]):
            if message.seq < self.view_from or message.turn != of.turn:
                break
            if isinstance(message, UserMessage):
                return () if message.erased or self.is_hidden(message.seq) else (message,)
        return ()
