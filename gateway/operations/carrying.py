"""What an operator carries in from elsewhere: pages of memory, never over what is there, and reminders."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import available_timezones

from channels.messages import ChatKind, InboundMessage, SessionKey
from gateway.journal.base import Reminder
from gateway.journal.origin import origin_of
from gateway.operations.operation import Document, OperationFailed, OperationPorts
from gateway.replies import choose_language
from memory.atomic import ensure_dir, replace_file
from memory.audience import audience_directory
from memory.longterm.pages import MAX_BYTES, MEMORY, SOUL, USER
from memory.sessions.codec import format_time, parse_time

_OWN = frozenset({MEMORY, USER, SOUL})
_AGENTS = "AGENTS.md"


async def carry_in_page(
    ports: OperationPorts, *, page: str, text: str, source: str, dry_run: bool = False
) -> Document:
    """Keep a Markdown file as the owner's own words. `how`: written, appended (under a heading), beside, or known.

    AGENTS.md would be everybody's, so it is written beside the one that is in force, and nothing reads it there.
    """
    if page not in {*_OWN, _AGENTS}:
        raise OperationFailed(f"{page} is no page of memory")
    place = audience_directory(ports.state, ports.owner_audience) / page
    how = "written"
    if page == _AGENTS:
        place, how = ports.state / "memory" / "shared" / f"AGENTS.{source}.md", "beside"
    there = await asyncio.to_thread(_read, place)
    text = text.strip()
    if text in there:
        return {"page": page, "file": str(place), "how": "known"}
    if there:
        how = "appended" if how == "written" else how
        text = f"{there.rstrip()}\n\n## From {source}\n\n{text}"
    data = f"{text}\n".encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise OperationFailed(f"{page} would have {len(data):,} bytes, more than {MAX_BYTES:,}")
    if not dry_run:
        await ensure_dir(place.parent)
        await replace_file(place, data)
    return {"page": page, "file": str(place), "how": how}


async def keep_reminder(
    ports: OperationPorts,
    *,
    id: str,  # noqa: A002 - an operation's argument, by its name
    text: str,
    channel: str,
    chat_id: str,
    is_group: bool,
    person: str,
    next_at: str,
    repeats: str | None,
    timezone: str,
    dry_run: bool = False,
) -> Document:
    """Keep a task that falls due in a chat; one of the same id is left as it is."""
    due = parse_time(next_at)
    if due is None:
        raise OperationFailed(f"{next_at!r} is no time")
    if timezone not in available_timezones():
        raise OperationFailed(f"{timezone!r} is no time zone; expected one such as Europe/Berlin")
    session = SessionKey(f"{channel}:{chat_id}")
    place = InboundMessage(
        id=id,
        channel=channel,
        chat_id=chat_id,
        chat_kind=ChatKind.GROUP if is_group else ChatKind.DIRECT,
        sender_id=person,
        text="",
        received_at=datetime.now(UTC),
        session_key=session,
        person=person,
    )
    document = {"id": id, "session": session, "next_at": format_time(due)}
    if any(known.id == id for known in await ports.journal.reminders()):
        return {**document, "how": "known"}
    if not dry_run:
        origin = {"message": origin_of(place, language=choose_language("auto", text=text)), "work": True}
        await ports.journal.remind(
            Reminder(
                id=id,
                session=session,
                text=text,
                next_at=due,
                cron=repeats,
                timezone=timezone,
                origin=origin,
            )
        )
    return {**document, "how": "written"}


def _read(place: Path) -> str:
    try:
        return place.read_text("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise OperationFailed(f"{place} can't be read: {error.strerror}") from error
