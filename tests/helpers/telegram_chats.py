"""The chats of the Bot API server: what stands in them, and what they refuse."""

from dataclasses import dataclass, field
from typing import Any

from tests.helpers.telegram_html import BadEntities, visible_text

Json = dict[str, Any]
_LIMIT = 4096


class Refusal(Exception):
    """An answer with `ok: false`."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters


@dataclass(slots=True)
class Shown:
    """A message of the bot as people see it."""

    message_id: int
    text: str
    thread: str | None
    reply_to: int | None
    source: str
    markup: Any = None
    edits: int = 0


@dataclass(slots=True)
class Chat:
    """A chat; `topics` are those of a forum, beside General."""

    id: int
    kind: str
    forum: bool = False
    bot_id: int = 0
    blocked: bool = False
    topics: set[str] = field(default_factory=set)
    messages: list[Shown] = field(default_factory=list)
    known: set[int] = field(default_factory=set)
    actions: list[tuple[Any, str | None]] = field(default_factory=list)

    @property
    def described(self) -> Json:
        """The chat as an update names it."""
        return {"id": self.id, "type": self.kind, **({"is_forum": True} if self.forum else {})}

    @property
    def texts(self) -> list[str]:
        """What people see, in order."""
        return [message.text for message in self.messages]

    def show(
        self, message_id: int, text: str, parameters: Json, *, thread: str | None, reply_to: int | None
    ) -> Json:
        """A new message of the bot."""
        shown = Shown(
            message_id, text, thread, reply_to, str(parameters.get("text")), parameters.get("reply_markup")
        )
        self.messages.append(shown)
        self.known.add(message_id)
        return {"message_id": message_id, "date": 1_700_000_000, "chat": self.described, "text": text}

    def edit(self, message_id: int, text: str, parameters: Json) -> Json:
        """The bot's message says something else."""
        for shown in self.messages:
            if shown.message_id == message_id:
                if (shown.text, shown.source) == (text, parameters["text"]):
                    raise Refusal(
                        400,
                        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
                    )
                shown.text, shown.source, shown.edits = text, parameters["text"], shown.edits + 1
                return {"message_id": message_id, "date": 1_700_000_000, "chat": self.described, "text": text}
        raise Refusal(400, "Bad Request: message to edit not found")

    def delete(self, message_id: int) -> None:
        """The bot's message is gone."""
        found = [shown for shown in self.messages if shown.message_id == message_id]
        if not found:
            raise Refusal(400, "Bad Request: message to delete not found")
        self.messages.remove(found[0])
        self.known.discard(message_id)

    def thread_for_message(self, parameters: Json) -> str | None:
        """Only a forum has threads, and its General topic must not be named."""
        thread = parameters.get("message_thread_id")
        if thread is not None and (not self.forum or str(thread) not in self.topics):
            raise Refusal(400, "Bad Request: message thread not found")
        return thread if thread is None else str(thread)

    def thread_for_action(self, parameters: Json) -> str | None:
        """Where typing shows; the General topic is named as 1."""
        thread = parameters.get("message_thread_id")
        if thread is not None and (not self.forum or str(thread) not in {"1", *self.topics}):
            raise Refusal(400, "Bad Request: message thread not found")
        return thread if thread is None else str(thread)

    def replied_to(self, parameters: Json) -> int | None:
        """The message that is answered, if it is there."""
        reply = parameters.get("reply_parameters") or {}
        message_id = int(reply.get("message_id") or 0)
        if message_id and message_id not in self.known:
            if not reply.get("allow_sending_without_reply"):
                raise Refusal(400, "Bad Request: message to be replied not found")
            return None
        return message_id or None


def utf16(text: str) -> int:
    """The length in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def shown_text(parameters: Json) -> str:
    """What people see of a text; refused when it can't be read, is empty, or too long in either form."""
    text = str(parameters.get("text") or "")
    mode = parameters.get("parse_mode")
    if mode not in (None, "HTML"):
        raise Refusal(400, "Bad Request: unsupported parse_mode")
    try:
        visible = visible_text(text) if mode else text
    except BadEntities as error:
        raise Refusal(400, f"Bad Request: can't parse entities: {error}") from error
    if not visible.strip():
        raise Refusal(400, "Bad Request: message text is empty")
    if max(utf16(visible), utf16(text)) > _LIMIT:
        raise Refusal(400, "Bad Request: message is too long")
    return visible.strip()


def check_markup(parameters: Json) -> None:
    """Buttons must carry 1 to 64 bytes."""
    for row in (parameters.get("reply_markup") or {}).get("inline_keyboard", ()):
        for button in row:
            if not 1 <= len(str(button.get("callback_data", "")).encode()) <= 64:
                raise Refusal(400, "Bad Request: BUTTON_DATA_INVALID")
