"""How a client's own ids become message ids that name their chat, and back."""

from collections.abc import Iterable

_REQUEST = "request/"
"""Marks a message that came as a single request: its answer is fetched by asking again, so it waits for nobody."""

_STOP = "stop/"
"""Marks the wish that the running answer ends: a frame without an id of its own."""


def message_id(channel: str, chat_id: str, client_id: str) -> str:
    """The id of a message that a client numbered itself: `web:<chat>/<client id>`."""
    return f"{channel}:{_escaped(chat_id)}/{_escaped(client_id)}"


def request_id(channel: str, chat_id: str, key: str) -> str:
    """The id of a message that came as a single request under this key."""
    return f"{channel}:{_escaped(chat_id)}/{_REQUEST}{_escaped(key)}"


def stop_id(channel: str, chat_id: str, key: str) -> str:
    """The id of a stop frame, which its client gave none."""
    return f"{channel}:{_escaped(chat_id)}/{_STOP}{_escaped(key)}"


def client_id(message: str, *, channel: str, chat_id: str) -> str | None:
    """What the client called this message; None for a stop, and the whole id of what none of its clients wrote."""
    begin = f"{channel}:{_escaped(chat_id)}/"
    if message.startswith(begin + _STOP):
        return None
    if not message.startswith(begin):
        return message
    return message.removeprefix(begin).replace("%2F", "/").replace("%25", "%")


def all_requests(messages: Iterable[str], *, channel: str, chat_id: str) -> bool:
    """Whether these messages, one at least, all came as single requests."""
    begin = f"{channel}:{_escaped(chat_id)}/{_REQUEST}"
    ids = tuple(messages)
    return bool(ids) and all(one.startswith(begin) for one in ids)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F")
