"""Whether a message in a group speaks to the bot, or to another one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from channels.payloads import Json, mapping, mappings, number_of, text_of


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself, as getMe gives it."""

    id: int
    username: str = ""


def mentioned(message: Json, me: Me, *, names: tuple[str, ...]) -> bool:
    """A mention or text mention of the bot, a command for it, or one of its names as a word; captions count."""
    if any(_means(kind, said, user, me) for kind, said, user in _entities(message)):
        return True
    text = text_of(message.get("text")) or text_of(message.get("caption"))
    return any(_stands_in(name, text) for name in names if name)


def addressed_elsewhere(message: Json, me: Me) -> bool:
    """A command for another bot, `/command@other`."""
    return any(
        kind == "bot_command" and "@" in said and not _is_me(said.partition("@")[2], me)
        for kind, said, _ in _entities(message)
    )


def _entities(message: Json) -> Iterator[tuple[str, str, Json]]:
    """Kind, covered text and user of each entity; offsets count UTF-16 units."""
    for text_field, entities_field in (("text", "entities"), ("caption", "caption_entities")):
        units = text_of(message.get(text_field)).encode("utf-16-le", "surrogatepass")
        for entity in mappings(message.get(entities_field)):
            offset, length = number_of(entity.get("offset")), number_of(entity.get("length"))
            if offset is not None and length is not None and offset >= 0:
                said = units[2 * offset : 2 * (offset + length)].decode("utf-16-le", "replace")
                yield text_of(entity.get("type")), said, mapping(entity.get("user"))


def _means(kind: str, said: str, user: Json, me: Me) -> bool:
    match kind:
        case "mention":
            return _is_me(said.removeprefix("@"), me)
        case "text_mention":
            return number_of(user.get("id")) == me.id
        case "bot_command":
            return _is_me(said.partition("@")[2], me)
        case _:
            return False


def _is_me(username: str, me: Me) -> bool:
    return bool(me.username) and username.casefold() == me.username.casefold()


def _stands_in(name: str, text: str) -> bool:
    """A word by itself where words have borders; scripts without spaces know none."""
    if name.isascii():
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
    return name.casefold() in text.casefold()
