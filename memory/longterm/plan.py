"""What a change of the files will do, written down before the first file is touched, so that a crash loses none of it."""

import asyncio
import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiofiles

from memory.atomic import disk_errors, replace_file, sync_dir
from memory.longterm.versions import Author, Change

_NAME = ".pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`head` is the newest revision before the change, `before` what the files held then (None: were not there)."""

    head: str
    before: Mapping[str, bytes | None]
    change: Change


async def write_plan(directory: Path, plan: Plan) -> None:
    """Keep the plan until `remove_plan`."""
    change = plan.change
    document = {
        "head": plan.head,
        "before": _packed(plan.before),
        "files": _packed(change.files),
        "title": change.title,
        "author": change.author.value,
        "claims": list(change.claims),
        "declined": list(change.declined),
        "cursor": change.cursor,
        "restores": change.restores,
    }
    await replace_file(directory / _NAME, json.dumps(document).encode())


async def read_plan(directory: Path) -> Plan | None:
    """The plan that was not carried out to its end; None where there is none, or none that can be read."""
    with disk_errors(directory / _NAME):
        try:
            async with aiofiles.open(directory / _NAME, "rb") as file:
                data = await file.read()
        except FileNotFoundError:
            return None
    try:
        return _plan(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError):
        # It was written atomically, so somebody else did this; the files and their history are whole without it.
        return None


async def remove_plan(directory: Path) -> None:
    """The change is in the history."""
    await asyncio.to_thread(_remove, directory / _NAME)


def _plan(document: dict[str, Any]) -> Plan:
    change = Change(
        files=_unpacked(document["files"]),
        title=str(document["title"]),
        author=Author(document["author"]),
        claims=tuple(map(str, document["claims"])),
        declined=tuple(map(str, document["declined"])),
        cursor=int(document["cursor"]),
        restores=str(document["restores"]),
    )
    return Plan(head=str(document["head"]), before=_unpacked(document["before"]), change=change)


def _packed(files: Mapping[str, bytes | None]) -> dict[str, str | None]:
    return {path: None if data is None else base64.b64encode(data).decode() for path, data in files.items()}


def _unpacked(files: dict[str, str | None]) -> dict[str, bytes | None]:
    return {path: None if text is None else base64.b64decode(text) for path, text in files.items()}


def _remove(place: Path) -> None:
    with disk_errors(place):
        place.unlink(missing_ok=True)
        sync_dir(place.parent)
