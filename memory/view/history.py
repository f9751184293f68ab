"""The grammar of a legal request (g1 to g8 of ARCHITECTURE.md), applied to a copy: the only way to the wire."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from memory.tokens import PIECE_CHARS
from memory.view.pairing import paired
from memory.view.repairs import Problem, RepairKind, RepairLog
from memory.view.wording import is_blank, is_call_legal, is_unicode, reworded

JOINED_FROM = "joined_from_seq"
"""In the `extra` of joined user messages: the number of the first of them (`seq` is that of the last)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHistory:
    """What may be sent, and how often each kind of repair was needed (see `RepairKind`); none for a legal list.

    That user messages of one turn are joined is no repair.
    """

    messages: tuple[Message, ...]
    repairs: Mapping[str, int] = field(default_factory=dict)


def legal_history(messages: Sequence[Message]) -> LegalHistory:
    """The list as it may be sent; call it last, after every cut.

    A legal list passes with its own objects. Nothing that is stored is changed. Repairing what was repaired
    repairs nothing. Who speaks must be in the words already: joined messages keep the fields of the last one.
    """
    if is_legal(messages):
        return LegalHistory(messages=tuple(messages))
    log = RepairLog()
    kept = _repaired(messages, log=log)
    return LegalHistory(messages=tuple(_without_trailing(kept, log=log)), repairs=log.counts())


def problems(messages: Sequence[Message]) -> list[Problem]:
    """What is repaired whenever these messages are sent, by message.

    That the last answer has no user message after it yet is no fault of a stored history.
    """
    log = RepairLog()
    _repaired(messages, log=log)
    return log.problems()


def is_legal(messages: Sequence[Message]) -> bool:
    """Whether the list obeys the grammar; one pass, and the empty list does."""
    used: set[str] = set()
    due: list[str] = []  # ids of the open group, the next one last
    wide: list[str] = []  # what must still be tried for surrogates, which is cheapest in one go
    before: type[Message] | None = None
    for message in messages:
        content = message.content
        if not content.isascii():
            wide.append(content)
        if isinstance(message, UserMessage):
            fault = due or before is UserMessage or (content.isspace() if content else not message.media)
            wide.append(message.sender_name)
        elif isinstance(message, ToolMessage):
            fault = not due or due.pop() != message.tool_call_id or is_blank(content)
            wide.append(message.name)
        else:
            fault = due or before is None or before is AssistantMessage
            if message.tool_calls or message.reasoning or is_blank(content):
                fault = fault or not _is_assistant_legal(message, used=used, due=due)
        if fault:
            return False
        before = message.__class__
    return not due and before is not AssistantMessage and is_unicode("".join(wide))


def _is_assistant_legal(message: AssistantMessage, *, used: set[str], due: list[str]) -> bool:
    """Whether the message is legal by itself and its ids are new; notes them as used and due."""
    content = message.content
    if content.isspace() if content else not message.tool_calls:
        return False
    if message.reasoning and not is_unicode(message.reasoning):
        return False
    for call in message.tool_calls:
        if call.id in used or is_blank(call.id) or not is_unicode(call.id) or not is_call_legal(call):
            return False
        used.add(call.id)
    due.extend(call.id for call in reversed(message.tool_calls))
    return True


def _repaired(messages: Iterable[Message], *, log: RepairLog) -> list[Message]:
    worded = [kept for message in messages if (kept := reworded(message, log=log)) is not None]
    return _joined(_without_leading(paired(worded, log=log), log=log), log=log)


def _without_leading(messages: Sequence[Message], *, log: RepairLog) -> Sequence[Message]:
    first = next((at for at, m in enumerate(messages) if isinstance(m, UserMessage)), len(messages))
    for message in messages[:first]:
        log.note(RepairKind.LEADING_MESSAGE, seq=message.seq)
    return messages[first:]


def _joined(messages: Iterable[Message], *, log: RepairLog) -> list[Message]:
    kept: list[Message] = []
    for message in messages:
        last = kept[-1] if kept else None
        if isinstance(message, UserMessage) and isinstance(last, UserMessage):
            if not message.turn or message.turn != last.turn:  # what one turn answers came together
                log.note(RepairKind.ADJACENT_USERS, seq=message.seq)
            kept[-1] = _one_user(last, message)
        elif isinstance(message, AssistantMessage) and isinstance(last, AssistantMessage):
            log.note(RepairKind.ADJACENT_ASSISTANTS, seq=message.seq)
            kept[-1] = _one_assistant(last, message)
        else:
            kept.append(message)
    return kept


def _one_user(first: UserMessage, second: UserMessage) -> UserMessage:
    content = _one_text(first.content, second.content)
    return replace(
        second,
        content=content,
        extra={**second.extra, JOINED_FROM: first.extra.get(JOINED_FROM, first.seq)},
        media=first.media + second.media,
        tokens=_joined_tokens(first, second, chars=len(content)),
    )


def _one_assistant(first: AssistantMessage, second: AssistantMessage) -> AssistantMessage:
    """Only the second can have calls: calls are followed by results."""
    content, reasoning = (
        _one_text(first.content, second.content),
        _one_text(first.reasoning, second.reasoning),
    )
    tokens = _joined_tokens(first, second, chars=len(content) + len(reasoning))
    return replace(second, content=content, reasoning=reasoning, tokens=tokens)


def _one_text(first: str, second: str) -> str:
    return "\n\n".join(text for text in (first, second) if text)


def _joined_tokens(first: Message, second: Message, *, chars: int) -> int:
    """Nothing is counted anew: the wrapping that falls away pays for the blank line.

    Long text is counted in pieces, whose borders have moved: that is worth a token or two each.
    """
    known = first.tokens and second.tokens
    return first.tokens + second.tokens + 2 * (chars // PIECE_CHARS) if known else 0


def _without_trailing(messages: list[Message], *, log: RepairLog) -> list[Message]:
    if messages and isinstance(messages[-1], AssistantMessage):
        log.note(RepairKind.TRAILING_ASSISTANT, seq=messages[-1].seq)
        return messages[:-1]
    return messages
