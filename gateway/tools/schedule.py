"""The `schedule` tool: remind the person later, or do something later, once or again and again."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from gateway.errors import ToolError
from gateway.journal.base import Reminder
from gateway.journal.names import short_id
from gateway.journal.origin import origin_of
from gateway.llm.client import ToolSchema
from gateway.replies import Say, choose_language, say
from gateway.tools.tool import ToolContext
from gateway.tools.when import When, read_when, shown_after, shown_when
from gateway.tools.when_chinese import read_chinese
from memory.messages import Provenance


class Reminders(Protocol):
    """What falls due, as a tool or a command sees it."""

    async def add(self, reminder: Reminder) -> None:
        """Keep it; one of the same id is replaced."""

    async def of(self, session: str) -> Sequence[Reminder]:
        """Those of a session, the next one first."""

    async def cancel(self, session: str, name: str) -> Reminder | None:
        """End the session's reminder of this id, whole or short; None where there is none."""


class ScheduleTool:
    """Reminders and tasks of this conversation. They fall due in the chat and thread in which they were made.

    Where the process isn't `lasting`, the result says that it ends with the chat.
    """

    provenance = Provenance.TOOL
    schema = ToolSchema(
        name="schedule",
        description=(
            "Later, in this conversation: `remind` sends `text` to the person when it is due; `work` gives `text` "
            "to you as a task when it is due; `list` shows what is scheduled; `cancel` ends the one with `id`. "
            "`when` is read in the person's time zone: 20m, 2h, 18:30, tomorrow 09:00, 2030-05-01 09:00, "
            "every 2h, every day 09:00, every monday 18:30, or five cron fields."
        ),
        parameters={
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["remind", "work", "list", "cancel"]},
                "when": {"type": "string"},
                "text": {"type": "string"},
                "id": {"type": "string"},
            },
            "required": ["action"],
        },
    )

    def __init__(
        self, reminders: Reminders, *, zone: Callable[[str | None], ZoneInfo], lasting: bool = True
    ) -> None:
        self._reminders = reminders
        self._zone = zone
        self._lasting = lasting

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """See the schema; ToolError names the argument that can't be used."""
        zone = self._zone(context.origin.person)
        match arguments.get("action"):
            case "remind" | "work" as action:
                return await self._add(arguments, context, work=action == "work", zone=zone)
            case "list":
                found = await self._reminders.of(context.session)
                return "\n".join(_line(reminder, zone=zone) for reminder in found) or "Nothing is scheduled."
            case "cancel":
                return await self._cancel(str(arguments.get("id") or ""), context)
            case other:
                raise ToolError(f"`action` must be remind, work, list or cancel, not {other!r}.")

    async def _add(
        self, arguments: Mapping[str, Any], context: ToolContext, *, work: bool, zone: ZoneInfo
    ) -> str:
        text, named = str(arguments.get("text") or "").strip(), str(arguments.get("when") or "")
        if not text:
            raise ToolError("Give `text`.")
        when = _when(named, now=datetime.now(UTC), zone=zone)
        language = choose_language("auto", person=context.origin.language, text=context.origin.text)
        reminder = Reminder(
            id=context.call_id,
            session=context.session,
            text=text,
            next_at=when.at,
            cron=when.repeats,
            timezone=zone.key,
            origin={"message": origin_of(context.origin, language=language), "work": work},
        )
        await self._reminders.add(reminder)
        line = f"Scheduled: {_line(reminder, zone=zone)}"
        return line if self._lasting else f"{line}\n{say(Say.REMINDER_NEEDS_DAEMON, language)}"

    async def _cancel(self, name: str, context: ToolContext) -> str:
        reminder = await self._reminders.cancel(context.session, name)
        if reminder is None:
            raise ToolError(f"Nothing is scheduled under the id {name!r}; `list` shows what is.")
        return f"Cancelled: {reminder.text}"


def _when(named: str, *, now: datetime, zone: ZoneInfo) -> When:
    """The time that the whole argument names; ToolError says what is wrong with it."""
    when, rest = read_when(named, now=now, zone=zone) or read_chinese(named, now=now, zone=zone) or (None, "")
    if when is None or rest:
        raise ToolError(
            f"`when` must name a time, such as 20m or 2030-05-01 09:00, and nothing else, not {named!r}."
        )
    if when.at <= now:
        over, at = shown_when(when.at, zone=zone), shown_when(now, zone=zone)
        raise ToolError(f"`when` must name a time to come: {over} is over, it is {at} now.")
    return when


def _line(reminder: Reminder, *, zone: ZoneInfo) -> str:
    after = shown_after(reminder.next_at, repeats=reminder.cron, zone=zone)
    repeats = f", then {after} and so on" if after else ""
    kind = "work" if reminder.origin.get("work") else "reminder"
    at = shown_when(reminder.next_at, zone=zone)
    return f"{kind} {at}{repeats} (id: {short_id(reminder.id)}): {reminder.text}"
