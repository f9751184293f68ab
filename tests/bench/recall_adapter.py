"""Lets a measuring program import conversations, search them and fetch messages, one JSON object a line.

The product's own sessions, database and index do the work. A conversation is one audience, each of its sittings
a session, and the name of a speaker is the name of the sender. `--embeddings local` searches by meaning too.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from gateway.llm.local_embedder import LocalEmbedder
from memory.archive.embedder import Embedder
from memory.archive.search import SearchIndex
from memory.database import Database
from memory.messages import AssistantMessage, Message, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore

_AUDIENCE = "person-measured"
# One save writes this many messages at most, as many as the import of a file does.
_SAVED_TOGETHER = 500
Json = dict[str, Any]


class Archive:
    """One conversation in a folder of its own."""

    def __init__(self, folder: Path, database: Database, embedder: Embedder | None = None) -> None:
        self._folder = folder
        self._database = database
        self._sessions = SessionManager(SqliteStore(database), cache_limit=4, load_limit=1)
        self._index = SearchIndex(folder, self._sessions, embedder=embedder)
        self._places: dict[str, tuple[str, int]] = {}
        self._ids: dict[tuple[str, int], str] = {}

    @classmethod
    async def open(cls, folder: Path, embedder: Embedder | None = None) -> "Archive":
        """An empty conversation."""
        return cls(folder, await Database.open(folder / "mneme.db", (SESSIONS_SCHEMA,)), embedder)

    async def close(self) -> None:
        """Let go of the files."""
        await self._index.close()
        await self._sessions.close()
        await self._database.close()

    async def add(self, path: Path) -> int:
        """Store and index the messages of a file; how many there were."""
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for session, run in groupby(rows, key=lambda row: str(row["session"])):
            for part in _parts(run):
                await self._save(f"measured:{session}", part)
        await self._index.caught_up()
        await self._index.embedded(_AUDIENCE)
        return len(rows)

    async def _save(self, key: str, rows: Iterable[Json]) -> None:
        async with self._sessions.checkout(key, audience=_AUDIENCE) as session:
            for row in rows:
                seq = session.add(_message(row)).seq
                self._places[row["id"]] = (key, seq)
                self._ids[key, seq] = row["id"]
            await self._sessions.save(session)

    async def search(self, query: str, *, limit: int, now: datetime | None) -> list[Json]:
        """The messages that were found, best first."""
        hits = await self._index.search(_AUDIENCE, query, limit=limit, now=now)
        return [{"id": self._ids[hit.session, hit.seq], "score": hit.score} for hit in hits]

    async def fetch(self, id_: str) -> str:
        """The whole text of one message."""
        key, seq = self._places[id_]
        (message,) = await self._sessions.read(key, from_seq=seq, to_seq=seq)
        return message.content

    def index_bytes(self) -> int:
        """What the index takes on the disk."""
        return sum(path.stat().st_size for path in self._folder.glob("memory/*/index.db*"))


def _parts(rows: Iterator[Json]) -> Iterator[list[Json]]:
    part: list[Json] = []
    for row in rows:
        part.append(row)
        if len(part) == _SAVED_TOGETHER:
            yield part
            part = []
    if part:
        yield part


def _message(row: Json) -> Message:
    at = _moment(row["ts"]) or datetime.now(UTC)
    if row["role"] == "assistant":
        return AssistantMessage(content=row["text"], at=at, sender=row["speaker"])
    return UserMessage(content=row["text"], at=at, sender=row["speaker"], sender_name=row["speaker"])


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


async def _answer(request: Json, archive: Archive) -> Json:
    match request["op"]:
        case "import":
            return {"ok": True, "messages": await archive.add(Path(request["path"]))}
        case "search":
            now = _moment(request.get("now"))
            return {"ok": True, "hits": await archive.search(request["query"], limit=request["k"], now=now)}
        case "fetch":
            return {"ok": True, "text": await archive.fetch(request["id"])}
        case "stats":
            return {"ok": True, "index_bytes": archive.index_bytes()}
    return {"ok": False}


def _embedder() -> Embedder | None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embeddings", choices=["", "local"], default="")
    return LocalEmbedder() if parser.parse_args().embeddings else None


async def main() -> None:
    """Answer requests until there are none."""
    archive: Archive | None = None
    embedder = _embedder()
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        if request["op"] == "bye":
            break
        if request["op"] == "reset":
            if archive is not None:
                await archive.close()
            archive = await Archive.open(Path(request["dir"]), embedder)
            answer: Json = {"ok": True}
        elif archive is None:
            answer = {"ok": False}
        else:
            answer = await _answer(request, archive)
        sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    if archive is not None:
        await archive.close()


if __name__ == "__main__":
    asyncio.run(main())
