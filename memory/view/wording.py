"""What may stand in one message on the wire: Unicode, names, arguments, text that is more than blanks."""

import re
from collections.abc import Iterator
from dataclasses import replace

import orjson

from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from memory.tokens import message_tokens
from memory.view.repairs import RepairKind, RepairLog

NO_OUTPUT = "[the tool gave no output]"

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.:-]+")
NO_NAME = "unnamed"


def is_blank(text: str) -> bool:
    """Whether there is nothing to read."""
    return not text or text.isspace()


def is_unicode(text: str) -> bool:
    """Whether the text can be encoded, which lone surrogates can't (g7)."""
    if text.isascii():  # a flag of the string, no search
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_object(arguments: str) -> bool:
    """Whether the text is a JSON object that any server can parse: no NaN, no lone surrogates, no endless depth."""
    try:
        return isinstance(orjson.loads(arguments), dict)
    except orjson.JSONDecodeError:
        return False


def is_call_legal(call: ToolCall) -> bool:
    """Whether name and arguments may be sent; the id is judged against the whole list."""
    return _NAME.fullmatch(call.name) is not None and is_object(call.arguments) and is_unicode(call.arguments)


def reworded(message: Message, *, log: RepairLog) -> Message | None:
    """The message as it may be sent, the same object where nothing is wrong, None where nothing is left."""
    message = _with_unicode(message, log=log)
    match message:
        case ToolMessage() if is_blank(message.content):
            log.note(RepairKind.EMPTY_RESULT, seq=message.seq)
            return recounted(replace(message, content=NO_OUTPUT))
        case UserMessage() if is_blank(message.content):
            return _without_words(message, log=log)
        case AssistantMessage():
            return _assistant(message, log=log)
    return message


def _without_words(message: UserMessage, *, log: RepairLog) -> UserMessage | None:
    """What was sent with attachments alone stays; the client says what they are."""
    if message.media and not message.content:
        return message
    log.note(RepairKind.BLANK_TEXT if message.media else RepairKind.EMPTY_MESSAGE, seq=message.seq)
    return replace(message, content="") if message.media else None


def recounted(message: Message) -> Message:
    """The message with the tokens that it has now; unknown stays unknown."""
    return replace(message, tokens=message_tokens(message)) if message.tokens else message


def _assistant(message: AssistantMessage, *, log: RepairLog) -> AssistantMessage | None:
    if not message.tool_calls:
        if not is_blank(message.content):
            return message
        log.note(RepairKind.EMPTY_MESSAGE, seq=message.seq)
        return None
    if message.content and message.content.isspace():
        log.note(RepairKind.BLANK_TEXT, seq=message.seq)
        message = replace(message, content="")
    if all(map(is_call_legal, message.tool_calls)):
        return message
    calls = tuple(_legal_call(call, seq=message.seq, log=log) for call in message.tool_calls)
    changed = replace(message, tool_calls=calls)
    return replace(changed, tokens=message_tokens(changed)) if message.tokens else changed


def _legal_call(call: ToolCall, *, seq: int, log: RepairLog) -> ToolCall:
    if not is_object(call.arguments):
        log.note(RepairKind.BAD_ARGUMENTS, seq=seq)
        call = replace(call, arguments=wrapped_arguments(call.arguments))
    if not _NAME.fullmatch(call.name):
        log.note(RepairKind.BAD_NAME, seq=seq)
        call = replace(call, name=_NOT_IN_NAMES.sub("_", call.name)[:64] or NO_NAME)
    return call


def wrapped_arguments(raw: str) -> str:
    """A JSON object that holds text which is none; no text at all is an object without fields."""
    return "{}" if is_blank(raw) else orjson.dumps({"unparsed": raw}).decode()


def _with_unicode(message: Message, *, log: RepairLog) -> Message:
    """Every string of the message without lone surrogates; its token count holds, for it was made the same way."""
    if _is_message_unicode(message):
        return message
    log.note(RepairKind.SURROGATE, seq=message.seq)
    content = _mended(message.content)
    match message:
        case UserMessage():
            return replace(message, content=content, sender_name=_mended(message.sender_name))
        case ToolMessage():
            name, id_ = _mended(message.name), _mended(message.tool_call_id)
            return replace(message, content=content, name=name, tool_call_id=id_)
        case AssistantMessage():
            calls = tuple(
                ToolCall(id=_mended(call.id), name=_mended(call.name), arguments=_mended(call.arguments))
                for call in message.tool_calls
            )
            return replace(message, content=content, reasoning=_mended(message.reasoning), tool_calls=calls)


def _is_message_unicode(message: Message) -> bool:
    return all(map(is_unicode, (message.content, *_other_strings(message))))


def _other_strings(message: Message) -> Iterator[str]:
    """What reaches the wire beside the text."""
    match message:
        case UserMessage():
            yield message.sender_name
        case ToolMessage():
            yield message.name
            yield message.tool_call_id
        case AssistantMessage():
            yield message.reasoning
            for call in message.tool_calls:
                yield from (call.id, call.name, call.arguments)


def _mended(text: str) -> str:
    """Pairs of surrogates become the character that they spell, lone ones U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
