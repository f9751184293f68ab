"""The kinds of repair that make a history legal, and how one is reported."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class RepairKind(StrEnum):
    """What was wrong with the list; each is counted, and logged once per session."""

    SURROGATE = "surrogate"
    EMPTY_MESSAGE = "empty_message"
    BLANK_TEXT = "blank_text"
    EMPTY_RESULT = "empty_result"
    BAD_ARGUMENTS = "bad_arguments"
    BAD_NAME = "bad_name"
    EMPTY_ID = "empty_id"
    REUSED_ID = "reused_id"
    ORPHAN_RESULT = "orphan_result"
    DOUBLED_RESULT = "doubled_result"
    MISSING_RESULT = "missing_result"
    MOVED_RESULT = "moved_result"
    LEADING_MESSAGE = "leading_message"
    ADJACENT_USERS = "adjacent_users"
    ADJACENT_ASSISTANTS = "adjacent_assistants"
    TRAILING_ASSISTANT = "trailing_assistant"


REPAIRS = {
    RepairKind.SURROGATE: "lone surrogates become U+FFFD",
    RepairKind.EMPTY_MESSAGE: "a message without anything in it is left out",
    RepairKind.BLANK_TEXT: "text of nothing but blanks beside tool calls is left out",
    RepairKind.EMPTY_RESULT: "a tool result without text says that it has none",
    RepairKind.BAD_ARGUMENTS: "arguments that are no JSON object are wrapped in one",
    RepairKind.BAD_NAME: "a tool name that endpoints refuse is respelled",
    RepairKind.EMPTY_ID: "a call without an id gets one, and its result the same",
    RepairKind.REUSED_ID: "a call id that was used before is renamed, for call and result together",
    RepairKind.ORPHAN_RESULT: "a result without its call is left out",
    RepairKind.DOUBLED_RESULT: "of two results for one call the first is kept",
    RepairKind.MISSING_RESULT: "a call without a result gets one that says so",
    RepairKind.MOVED_RESULT: "results are put directly after their calls, in the order of the calls",
    RepairKind.LEADING_MESSAGE: "what stands before the first user message is left out",
    RepairKind.ADJACENT_USERS: "a user message is joined with the one before it",
    RepairKind.ADJACENT_ASSISTANTS: "an assistant message is joined with the one before it",
    RepairKind.TRAILING_ASSISTANT: "an assistant message after the last user message is left out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault of a stored history: the message it is about, its kind, and what is done on the copy."""

    seq: int
    kind: RepairKind
    repair: str


class RepairLog:
    """Collects repairs while they are made."""

    def __init__(self) -> None:
        self.made: list[tuple[int, RepairKind]] = []

    def note(self, kind: RepairKind, *, seq: int) -> None:
        """One repair of the message `seq`."""
        self.made.append((seq, kind))

    def counts(self) -> dict[str, int]:
        """How many of each kind."""
        return dict(Counter(kind.value for _, kind in self.made))

    def problems(self) -> list[Problem]:
        """Each repair with its sentence, by message."""
        return [Problem(seq=seq, kind=kind, repair=REPAIRS[kind]) for seq, kind in sorted(self.made)]
