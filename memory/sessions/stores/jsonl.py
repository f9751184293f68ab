"""Sessions as files that a person can read: one JSON object a line, only ever appended to."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from memory.atomic import append_bytes, ensure_dir, replace_file
from memory.messages import Message
from memory.sessions.codec import decode, encode, message_to_dict
from memory.sessions.session import Mark, Session
from memory.sessions.state import (
    lasting_state,
    mark_to_dict,
    metadata_to_dict,
    session_from_metadata,
)
from memory.sessions.stores.base import SET_ASIDE, Damage, SessionHead, check_order, messages_of
from memory.sessions.stores.contents import Contents
from memory.sessions.stores.files import SessionFiles

# A reader that comes from the end finds the state within about as many bytes.
_METADATA_EVERY_BYTES = 64 * 1024
# Of a session's last change, which otherwise follows from its last record.
_TIME_MAY_DIFFER = timedelta(minutes=1)
# How many files are remembered up to their last number; any other is looked at before it is appended to.
_KNOWN_ENDS = 256


@dataclass(slots=True, kw_only=True)
class _End:
    """How a file ends: its size, and the session that a reader would make of it (without messages)."""

    size: int
    session: Session
    erasures: int = 0
    bytes_since_metadata: int = 0


class JsonlStore:
    """A `SessionStore` with a file per session in one directory, which is made when the first one is.

    A file that is damaged, or that another program wrote, is read as far as it can be and put in order before the
    next append: what can't be read goes to `<name>.jsonl.damaged`, byte for byte.
    """

    def __init__(self, directory: Path) -> None:
        self._files = SessionFiles(directory)
        self._ends: OrderedDict[str, _End] = OrderedDict()

    async def load(self, key: str, *, limit: int) -> Session | None:
        """See `SessionStore.load`."""
        return await asyncio.to_thread(self._files.load, key, limit)

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """See `SessionStore.page`."""
        return await asyncio.to_thread(self._files.page, key, before, limit)

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """See `SessionStore.read`."""
        return await asyncio.to_thread(self._files.read, key, from_seq, to_seq)

    async def append(self, session: Session, records: Sequence[Message | Mark]) -> None:
        """See `SessionStore.append`."""
        end = await self._end(session.key)
        check_order(session.key, messages_of(records), last_seq=end.session.last_seq)
        self._ends.pop(session.key, None)  # until it is known to be written
        data = _continuation(end, session, records)
        if data:
            await ensure_dir(self._files.directory)
            await append_bytes(self._files.path(session.key), data)
        self._remember(session.key, end)

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """See `SessionStore.erase`.

        Metadata lines that a newer one has replaced go too: whoever erases words takes them out of the summary first.
        What was set aside as damaged is removed, since nobody can tell whose words it holds.
        """
        contents = await asyncio.to_thread(self._files.read_whole, key)
        if contents is None:
            return 0
        self._ends.pop(key, None)
        session = contents.session(key)
        changed, tokens = contents.erase(seqs)
        session.tokens -= tokens
        erasures = contents.erasures + bool(changed)
        await replace_file(self._files.path(key), contents.written(session, erasures=erasures))
        await asyncio.to_thread(self._files.remove_damaged, key)
        return changed

    async def delete(self, key: str) -> bool:
        """See `SessionStore.delete`."""
        self._ends.pop(key, None)
        return await asyncio.to_thread(self._files.remove, key)

    async def heads(self) -> list[SessionHead]:
        """See `SessionStore.heads`."""
        return await asyncio.to_thread(self._files.heads)

    async def damages(self, key: str) -> list[Damage]:
        """See `SessionStore.damages`."""
        return await asyncio.to_thread(self._files.damages, key)

    async def repair(self, key: str) -> list[Damage]:
        """See `SessionStore.repair`."""
        contents = await asyncio.to_thread(self._files.read_whole, key)
        if contents is None or contents.tidy:
            return []
        found = [one for one in await self.damages(key) if not one.is_aside]
        self._ends.pop(key, None)
        await self._put_in_order(key)
        order = Damage(
            key=key,
            place=self._files.path(key).name,
            problem="not every line is one record with its number",
            repair="written anew, in order",
        )
        return [*(replace(one, repair=SET_ASIDE, is_aside=True) for one in found), order]

    async def close(self) -> None:
        """No file stays open between two calls."""

    async def _end(self, key: str) -> _End:
        size = await asyncio.to_thread(self._files.size, key)
        end = self._ends.get(key)
        if end is None or end.size != size:  # somebody edited the file
            contents = await asyncio.to_thread(self._files.read_end, key, 0)
            if contents is not None and not contents.tidy:
                contents, size = await self._put_in_order(key)
            end = _end_of(contents or Contents(), key, size)
        return end

    async def _put_in_order(self, key: str) -> tuple[Contents, int]:
        contents = await asyncio.to_thread(self._files.read_whole, key) or Contents()
        path = self._files.path(key)
        if contents.broken:
            aside = b"".join(broken.data + b"\n" for broken in contents.broken)
            await append_bytes(self._files.damaged_path(path), aside)
        data = contents.written(contents.session(key), erasures=contents.erasures)
        await replace_file(path, data)
        return contents, len(data)

    def _remember(self, key: str, end: _End) -> None:
        self._ends[key] = end
        self._ends.move_to_end(key)
        if len(self._ends) > _KNOWN_ENDS:
            self._ends.popitem(last=False)


def _end_of(contents: Contents, key: str, size: int) -> _End:
    return _End(
        size=size,
        session=contents.session(key),
        erasures=contents.erasures,
        bytes_since_metadata=contents.bytes_since_metadata,
    )


def _continuation(end: _End, session: Session, records: Sequence[Message | Mark]) -> bytes:
    """What to append to a file that ends like this; afterwards `end` is how it ends then."""
    lines = [] if end.size else [_first_line(end, session)]
    for record in records:
        lines.append(encode(mark_to_dict(record) if isinstance(record, Mark) else message_to_dict(record)))
        end.session.updated_at = max(end.session.updated_at, record.at)
        if isinstance(record, Mark):
            end.session.apply(record)
        else:
            end.session.last_seq = record.seq
            end.session.tokens += record.tokens
    end.bytes_since_metadata += sum(map(len, lines)) + len(lines)
    if end.bytes_since_metadata > _METADATA_EVERY_BYTES or _differ(end.session, session):
        lines.append(_metadata_line(end, session))
        end.bytes_since_metadata = 0
    data = b"".join(line + b"\n" for line in lines)
    end.size += len(data)
    return data


def _first_line(end: _End, session: Session) -> bytes:
    """Metadata of a session before anything was said in it: the records below are still to be counted."""
    blank = replace(session, last_seq=0, last_consolidated=0, tokens=0, view_from=1, hidden=[])
    return _metadata_line(end, blank)


def _metadata_line(end: _End, session: Session) -> bytes:
    line = encode(metadata_to_dict(session, erasures=end.erasures))
    end.session = session_from_metadata(
        decode(line), key=session.key, last_seq=session.last_seq, tokens=session.tokens
    )
    return line


def _differ(read: Session, session: Session) -> bool:
    """Whether a reader would get another state than this one."""
    there, here = lasting_state(read), lasting_state(session)
    return (
        (read.last_seq, read.tokens) != (session.last_seq, session.tokens)
        or abs(read.updated_at - session.updated_at) > _TIME_MAY_DIFFER
        or (there != here and encode(there) != encode(here))
    )
