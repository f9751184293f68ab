"""`mneme memory search --batch`: one JSON line answered for each line read."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from gateway.cli.command import CommandFailed, print_error
from gateway.cli.operate import operating
from gateway.config import Settings
from gateway.replies import counted

_CHUNK = 200
"""Queries that are sent together: enough that the way costs nothing, few enough that answers come as they go."""


async def search_batch(settings: Settings, file: Path, bounds: Mapping[str, Any]) -> None:
    """Answer as the queries are read, in their order; a line that is no query is named, and the others are answered.

    CommandFailed in the end where there was such a line.
    """
    faults: list[str] = []
    with ExitStack() as stack:
        lines = _lines(file, stack)
        async with operating(settings) as perform:
            queries = _queries(lines, file, faults)
            note = "indexing what was said"
            while chunk := list(islice(queries, _CHUNK)):
                document = await perform("memory-search-batch", note=note, queries=chunk, **bounds)
                note = ""
                answers = [
                    orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE) for answer in document["results"]
                ]
                sys.stdout.write(b"".join(answers).decode())
                sys.stdout.flush()
    if faults:
        raise CommandFailed(f"no query in {counted(len(faults), 'line')} of {file}")


def _lines(file: Path, stack: ExitStack) -> Iterable[bytes]:
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(file.open("rb"))
    except OSError as error:
        raise CommandFailed(f"{file} can't be read: {error.strerror}") from error


def _queries(lines: Iterable[bytes], file: Path, faults: list[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        query = _query(line)
        if query is not None:
            yield query
            continue
        faults.append(f'{file} line {number}: expected {{"id","query","session"?,"limit"?}}')
        print_error(faults[-1])


def _query(line: bytes) -> dict[str, Any] | None:
    """The query of a line, without fields that say nothing; None where it is none."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or not isinstance(raw.get("query"), str):
        return None
    session, limit = raw.get("session"), raw.get("limit")
    counts = limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0)
    if not counts or not (session is None or isinstance(session, str)):
        return None
    return {name: raw[name] for name in ("id", "query", "session", "limit") if raw.get(name) is not None}
