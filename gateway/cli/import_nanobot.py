"""`mneme import-nanobot DIR`: what can be taken from a nanobot workspace, and what can't."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import CommandFailed, command_group, read_file, run_async
from gateway.cli.conversation import printable
from gateway.cli.operate import Operate, operating
from gateway.config import Settings
from gateway.nanobot.history import KEY, Recorded, read_lines, read_markdown, session_lines
from gateway.nanobot.jobs import NotTaken, Planned, read_jobs
from gateway.nanobot.workspace import Workspace, find_workspace, session_key
from gateway.operations.operation import OperationFailed
from gateway.replies import counted

app = command_group("Take over what a nanobot workspace holds.")

_HOW = {
    "written": "taken",
    "appended": "appended, under a heading, to what was there",
    "beside": "written beside; copy into AGENTS.md what should hold for everybody",
    "known": "there already",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that was looked at, and what became of it."""

    kind: str
    name: str
    taken: bool
    note: str


@command(app)
def import_nanobot(
    call: Call,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="nanobot's workspace, or ~/.nanobot.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be taken; write nothing.")
    ] = False,
) -> None:
    """Take over sessions, memory files, history and scheduled jobs, for the owner; nothing that is there is overwritten.

    Doing it twice takes nothing twice. Sessions keep their keys, so a chat on Telegram goes on where it was.
    """
    if not directory.is_dir():
        raise CommandFailed(f"{directory} is no directory; expected nanobot's workspace, or ~/.nanobot")
    workspace = find_workspace(directory)
    if workspace.is_empty:
        raise CommandFailed(f"{directory} holds nothing of nanobot's: no sessions, memory, history or jobs")
    items = run_async(_import(call.settings, workspace, dry_run=dry_run))
    written = ["Nothing was written (--dry-run)."] if dry_run else []
    document = {"dry_run": dry_run, "items": [asdict(one) for one in items]}
    call.report(document, [*_report(items), *written])


async def _import(settings: Settings, workspace: Workspace, *, dry_run: bool) -> list[Item]:
    async with operating(settings) as operate:
        carry = _Carry(operate, settings, dry_run=dry_run)
        return [
            *[item async for item in carry.sessions(workspace)],
            *[item async for item in carry.pages(workspace)],
            *[item async for item in carry.jobs(workspace)],
            *(
                Item(kind="other", name=path.name, taken=False, note="left where it is")
                for path in workspace.others
            ),
        ]


class _Carry:
    """Carries each kind in; what can't be read or kept is an item that isn't taken, and the rest goes on."""

    def __init__(self, operate: Operate, settings: Settings, *, dry_run: bool) -> None:
        self._operate = operate
        self._dry_run = dry_run
        self._owner = settings.person_here
        self._zone = settings.zone_here

    async def sessions(self, workspace: Workspace) -> AsyncIterator[Item]:
        """Each session file, and the history as one session more."""
        known = {row["key"] for row in (await self._operate("sessions-list"))["sessions"]}
        for path in workspace.sessions:
            lines = read_file(path).decode("utf-8", "backslashreplace").split("\n")
            yield await self._session("session", path.name, lines, otherwise=session_key(path), known=known)
        entries = [entry for path in workspace.histories for entry in self._history(path)]
        if entries:
            names = ", ".join(path.name for path in workspace.histories)
            yield await self._session("history", names, session_lines(entries), otherwise=KEY, known=known)

    async def _session(
        self, kind: str, name: str, lines: list[str], *, otherwise: str, known: set[str]
    ) -> Item:
        key = _named_key(lines) or otherwise
        if key in known:
            return Item(kind=kind, name=name, taken=False, note=f"{key} is there already")
        if self._dry_run:
            count = sum('"role"' in line for line in lines)
            return Item(kind=kind, name=name, taken=True, note=f"{key}: about {counted(count, 'message')}")
        try:
            done = await self._operate(
                "sessions-import", note=f"reading {name}", lines=lines, otherwise=otherwise
            )
        except OperationFailed as error:
            return Item(kind=kind, name=name, taken=False, note=str(error))
        known.add(key)
        broken = f"; {counted(len(done['damages']), 'line')} not read whole" if done["damages"] else ""
        return Item(
            kind=kind,
            name=name,
            taken=True,
            note=f"{done['key']}: {counted(done['messages'], 'message')}{broken}",
        )

    def _history(self, path: Path) -> Iterator[Recorded]:
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        read = read_markdown if path.suffix == ".md" else read_lines
        return read(read_file(path), otherwise=written, zone=self._zone)

    async def pages(self, workspace: Workspace) -> AsyncIterator[Item]:
        """Each Markdown file."""
        for path in workspace.pages:
            text = read_file(path).decode("utf-8", "replace")
            if not text.strip():
                yield Item(kind="memory", name=path.name, taken=False, note="empty")
                continue
            try:
                done = await self._operate(
                    "memory-carry-in", page=path.name, text=text, source="nanobot", dry_run=self._dry_run
                )
            except OperationFailed as error:
                yield Item(kind="memory", name=path.name, taken=False, note=str(error))
                continue
            note = f"{done['file']}: {_HOW[done['how']]}"
            yield Item(kind="memory", name=path.name, taken=done["how"] != "known", note=note)

    async def jobs(self, workspace: Workspace) -> AsyncIterator[Item]:
        """Each scheduled job."""
        for path in workspace.jobs:
            try:
                document = json.loads(read_file(path).decode("utf-8", "replace"))
            except ValueError:
                yield Item(kind="job", name=path.name, taken=False, note="is no JSON")
                continue
            for job in read_jobs(document, now=datetime.now(UTC), zone=self._zone):
                yield await self._job(job)

    async def _job(self, job: Planned | NotTaken) -> Item:
        if isinstance(job, NotTaken):
            return Item(kind="job", name=job.name, taken=False, note=job.reason)
        done = await self._operate(
            "reminders-keep",
            id=job.id,
            text=job.text,
            channel=job.channel,
            chat_id=job.chat_id,
            is_group=job.is_group,
            person=self._owner,
            next_at=job.next_at.isoformat(),
            repeats=job.repeats,
            timezone=job.timezone,
            dry_run=self._dry_run,
        )
        note = f"{_HOW[done['how']]}; due {done['next_at']} in {done['session']}"
        return Item(kind="job", name=job.text.splitlines()[0], taken=done["how"] != "known", note=note)


def _named_key(lines: list[str]) -> str:
    """The key that the first line of a session file names."""
    try:
        raw = json.loads(lines[0])
    except ValueError:
        return ""
    key = raw.get("key") if isinstance(raw, dict) and raw.get("_type") == "metadata" else ""
    return key if isinstance(key, str) else ""


def _report(items: list[Item]) -> Iterator[str]:
    for taken, group in groupby(sorted(items, key=lambda item: not item.taken), key=lambda item: item.taken):
        yield "Taken:" if taken else "Not taken:"
        yield from (printable(f"  {item.kind} {item.name}: {item.note}") for item in group)
