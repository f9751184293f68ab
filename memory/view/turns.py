"""Where a history may be cut: before a turn, or, within one turn, before a round."""

from collections.abc import Sequence

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage


def begins_turn(messages: Sequence[Message], at: int) -> bool:
    """Whether a turn begins here: at a user message, but not at a later one that the same turn collected."""
    message = messages[at]
    if not isinstance(message, UserMessage):
        return False
    return at == 0 or not message.turn or message.turn != messages[at - 1].turn


def begins_round(messages: Sequence[Message], at: int) -> bool:
    """Whether a group of calls and results has just ended here and the assistant speaks again."""
    return at > 0 and isinstance(messages[at], AssistantMessage) and isinstance(messages[at - 1], ToolMessage)
