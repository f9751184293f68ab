"""What `/commands` in a chat do, without the model."""

import difflib
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from channels.messages import Entrance, InboundMessage
from gateway.journal.base import InboxEntry
from gateway.replies import Say, say
from gateway.turns import restore
from gateway.turns.records import reminder_words
from memory.audience import is_group
from memory.claims.trust import PEOPLE
from memory.messages import AssistantMessage, Message, UserMessage, reference
from memory.sessions.session import Mark, MarkKind, Session

_COMMAND = re.compile(r"/([^\W\d_][\w-]*)(?:@\w+)?(?:\s+|$)")
DUE = "due reminder"
"""No command that can be typed: what a reminder is answered by when its time has come."""

_OWN_MESSAGE = re.compile(r"#([1-9][0-9]{0,17})")
_MOST_WORDS = 80
"""Characters of what is taken back that are quoted."""

OWNER_ONLY = frozenset({"model", "pair"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command as it was typed."""

    name: str
    argument: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """In whose name a command runs, and on which session."""

    session: Session
    message: InboundMessage
    argument: str
    role: str
    language: str

    @property
    def ref(self) -> str:
        """What the argument refers to: `#17` is a message of this conversation."""
        own = _OWN_MESSAGE.fullmatch(self.argument)
        return reference(self.session.key, int(own[1])) if own else self.argument

    @property
    def may_change(self) -> bool:
        """Whether who asks may change what the audience holds: a group's memory is its owner's to change."""
        return self.role == "owner" or not is_group(self.session.audience)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The command wants a turn: this text is asked again in the name of the command's message."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Afterwards:
    """The command is done when nobody holds the session any more; `run` gives what is then said."""

    run: Callable[[], Awaitable[str]]


CommandResult = str | Rerun | Afterwards
Handler = Callable[[CommandContext], Awaitable[CommandResult]]


def parse(message: InboundMessage) -> Command | None:
    """The command that a person typed, or a reminder's; None for everything else, also for paths such as /etc/hosts."""
    words = reminder_words(message)
    if words is not None:
        return Command(name=DUE, argument=words)
    if message.entrance is not Entrance.USER or message.edit_of is not None:
        return None
    return typed_command(message.text)


def typed_command(text: str) -> Command | None:
    """The command that a text is; None where it is meant for the model."""
    match = _COMMAND.match(text)
    if match is None:
        # Whoever types a slash alone wants to see what there is.
        return Command(name="help", argument="") if text.strip() == "/" else None
    return Command(name=match[1].lower(), argument=text[match.end() :].strip())


class Commands:
    """Answers commands. `handlers` adds to or replaces the ones that every session has."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self._handlers: dict[str, Handler] = {
            "start": _start,
            "help": _help,
            "new": begin_anew,
            "undo": _undo,
            "retry": _retry,
            "stop": _stop,
            **handlers,
        }

    async def answer(self, command: Command, context: CommandContext) -> CommandResult:
        """What the command says or wants; an unknown one gets a suggestion and never reaches the model."""
        if command.name == DUE:
            return await _due(context)
        handler = self._handlers.get(command.name)
        if handler is None:
            return self._unknown(command, context)
        if command.name in OWNER_ONLY and context.role != "owner":
            return say(Say.OWNER_ONLY, context.language)
        return await handler(context)

    def _unknown(self, command: Command, context: CommandContext) -> str:
        near = difflib.get_close_matches(command.name, self._handlers, n=1)
        if near:
            return say(
                Say.DID_YOU_MEAN, context.language, command=f"/{command.name}", suggestion=f"/{near[0]}"
            )
        return say(Say.UNKNOWN_COMMAND, context.language, command=f"/{command.name}")


def rerun_entry(entry: InboxEntry, rerun: Rerun) -> InboxEntry:
    """The command's own message with the words that are asked again: it is stored once, under the command's id."""
    return replace(entry, message=replace(entry.message, text=rerun.text))


async def _start(context: CommandContext) -> str:
    return say(Say.GREETING, context.language)


async def _help(context: CommandContext) -> str:
    return say(Say.HELP, context.language)


async def _stop(context: CommandContext) -> str:
    return say(Say.NOTHING_TO_STOP, context.language, waiting=0)


async def _due(context: CommandContext) -> str:
    """Say what there was to be reminded of; both sides are kept, so that a "done" that follows is understood."""
    session, message = context.session, context.message
    said = AssistantMessage(
        content=say(Say.REMINDER, context.language, text=context.argument), at=datetime.now(UTC)
    )
    work = restore.find(session, [InboxEntry(position=0, message=message)])
    session.add(await restore.stored_form(message, work, role=context.role))
    session.add(await restore.counted(said, turn_id=work.turn_id))
    return said.content


async def begin_anew(context: CommandContext) -> str:
    """Put everything said so far out of the view; nothing is removed."""
    session = context.session
    if session.view_from <= session.last_seq:
        session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=session.last_seq + 1, at=datetime.now(UTC)))
    return say(Say.NEW_SESSION, context.language)


async def _undo(context: CommandContext) -> str:
    if _done_already(context):
        first, last = context.session.hidden[-1]
        turn = [message for message in context.session.messages if first <= message.seq <= last]
    else:
        turn = _last_turn(context.session)
        if not turn:
            return say(Say.NOTHING_TO_UNDO, context.language)
        _hide(context, turn)
    return say(Say.UNDONE, context.language, words=_first_words(turn))


async def _retry(context: CommandContext) -> CommandResult:
    """Ask the last question again; the mark is saved together with the new turn's first write."""
    turn = _last_turn(context.session)
    words = "\n\n".join(message.content for message in turn if isinstance(message, UserMessage))
    if not words:
        return say(Say.NOTHING_TO_RETRY, context.language)
    _hide(context, turn)
    return Rerun(text=words)


def _last_turn(session: Session) -> list[Message]:
    """The visible messages of the last turn; imported ones name no turn, there it begins at the last question."""
    visible = list(session.visible())
    start = next(
        (i for i in reversed(range(len(visible))) if isinstance(visible[i], UserMessage)), len(visible)
    )
    while 0 < start < len(visible) and visible[start].turn and visible[start - 1].turn == visible[start].turn:
        start -= 1
    return visible[start:]


def _first_words(turn: list[Message]) -> str:
    """How a turn is recognised: by what a person said in it, else by what we did."""
    said = [message for message in turn if message.provenance in PEOPLE] or turn
    words = " ".join(" ".join(message.content for message in said).split())
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS].rstrip()}…"


def _hide(context: CommandContext, turn: list[Message]) -> None:
    mark = Mark(kind=MarkKind.HIDDEN, from_seq=turn[0].seq, to_seq=turn[-1].seq, at=datetime.now(UTC))
    context.session.mark(mark)
    context.session.metadata["command"] = context.message.id


def _done_already(context: CommandContext) -> bool:
    """Whether a crash came between the mark and the reply: the mark is saved, so it isn't set a second time."""
    return context.session.metadata.get("command") == context.message.id
