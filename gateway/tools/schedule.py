"""The `schedule` tool: remind the person later, or do something later, once or again and again."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from gateway.errors import ToolError
from gateway.journal.base import Reminder
from gateway.journal.origin import origin_of, short_id
from gateway.llm.client import ToolSchema
from gateway.replies import choose_language
from gateway.tools.tool import ToolContext
from gateway.tools.when import parse_when
from memory.messages import Provenance


class Reminders(Protocol):
    """What falls due, as a tool or a command sees it."""

    async def add(self, reminder: Reminder) -> None:
        """Keep it; one of the same id is replaced."""

    async def of(self, session: str) -> Sequence[Reminder]:
        """Those of a session, the next one first."""

    async def cancel(self, session: str, short: str) -> Reminder | None:
        """End the session's reminder of this short id; None where there is none."""


class ScheduleTool:
    """Reminders and tasks of this conversation. They fall due in the chat and thread in which they were made."""

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

    def __init__(self, reminders: Reminders, *, zone: Callable[[str | None], ZoneInfo]) -> None:
        self._reminders = reminders
        self._zone = zone

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
        when = parse_when(named, now=datetime.now(UTC), zone=zone)
        if when is None:
            raise ToolError(
                f"`when` must name a time to come, such as 20m or 2030-05-01 09:00, not {named!r}."
            )
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
        return f"Scheduled: {_line(reminder, zone=zone)}"

    async def _cancel(self, short: str, context: ToolContext) -> str:
        reminder = await self._reminders.cancel(context.session, short)
        if reminder is None:
            raise ToolError(f"Nothing is scheduled under the id {short!r}; `list` shows what is.")
        return f"Cancelled: {reminder.text}"


def _line(reminder: Reminder, *, zone: ZoneInfo) -> str:
    repeats = f", repeats: {reminder.cron}" if reminder.cron else ""
    kind = "work" if reminder.origin.get("work") else "reminder"
    at = reminder.next_at.astimezone(zone)
    return f"{kind} {at:%Y-%m-%d %H:%M}{repeats} (id: {short_id(reminder.id)}): {reminder.text}"
