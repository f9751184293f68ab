"""The search index of one audience: one SQLite file, derived from the sessions and rebuilt when in doubt.

Above all: `sessions` (how far each is indexed), `docs` (what ranking needs of a message), `texts`, `told` (of which
days a message tells), and `postings`, an FTS5 table that maps a term to the messages which hold it and keeps neither
text nor positions.

A message's id is its sitting and its place in it. A sitting is a stretch of one session without a long pause,
so that ids next to each other are turns next to each other, in whatever order sessions are written.

A file belongs to the thread that opened it.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path

from memory.archive.calendar import DAY_SECONDS, Calendar
from memory.archive.documents import PLACES, ROLES, Document, fingerprint, flags_of, sender_of
from memory.archive.embedder import Vector
from memory.archive.postings import Postings
from memory.archive.schema import SCHEMA, VERSION, Batch, Held
from memory.archive.terms import content_terms, terms, verbatim
from memory.archive.vectors import Likenesses, Made, Vectors
from memory.errors import StoreCorrupt, StoreUnavailable
from memory.messages import Message, Provenance
from memory.sessions.codec import role_of
from memory.sessions.text import whole

# A pause after which people begin anew; messengers show a new time stamp after about as long.
_PAUSE_SECONDS = 2 * 3600
# A sitting longer than this says nothing of what it is about any more, and its places must fit their bits.
_LONGEST_SITTING = 500
_PROVENANCES = tuple(Provenance)
# One statement whatever the number of ids, so that it is parsed once.
_EACH = "(SELECT value FROM json_each(?))"
_Row = tuple[int, int, Message, int, list[str]]


def _listed(ids: Iterable[int]) -> str:
    return f"[{','.join(map(str, ids))}]"


class IndexFile:
    """One audience's file, open, with vectors where a `model` is named.

    Every method may raise sqlite3.Error; see `search` for what follows from it.
    """

    def __init__(self, path: Path, *, model: str = "") -> None:
        if path.parent.is_symlink():
            raise StoreUnavailable(f"{path.parent} is a link; an audience's directory is its own")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        path.touch(mode=0o600)
        path.chmod(0o600)  # before it is opened: what nobody may read can't be
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.vectors: Vectors | None = None
        try:
            self._prepare()
            if model:
                with self._writing():
                    self.vectors = Vectors(self._db, model)
        except (sqlite3.Error, StoreCorrupt):
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-4000; "
            "PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=1000000;"
        )
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        elif version != VERSION:
            raise StoreCorrupt(f"{self._path} has version {version}, expected {VERSION}")
        facts = dict(self._db.execute("SELECT name, value FROM facts"))
        self.messages: int = facts.get("messages", 0)
        self.length: int = facts.get("length", 0)
        self._sitting: int = facts.get("sitting", 0)
        self.postings = Postings(self._db)
        self.calendar = Calendar(self._db)
        self._keys: dict[int, str] = dict(self._db.execute("SELECT no, key FROM sessions"))
        self._names: dict[int, str] = dict(self._db.execute("SELECT no, name FROM senders"))
        self._numbers = {name: no for no, name in self._names.items()}
        self.called: dict[str, set[str]] = {}
        """Which senders a term of their names can mean."""
        for name in self._numbers:
            self._learn(name)
        self.present: dict[str, set[int]] = {}
        """In which sittings a sender has spoken."""
        for sitting, sender in self._db.execute("SELECT sitting, sender FROM speakers"):
            self.present.setdefault(self._names[sender], set()).add(sitting)
        self._unclean = bool(facts.get("unclean", 0))
        if self._unclean:
            self._check()

    def _check(self) -> None:
        """Nobody closed the file: after a power cut what was not flushed may be missing."""
        found = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreCorrupt(f"{self._path} is damaged: {found}")

    def close(self) -> None:
        """Let go of the file, which is whole; where it can't be told so, it is looked through when it is opened again."""
        if self._unclean:
            with suppress(sqlite3.Error):
                self._db.execute("UPDATE facts SET value = 0 WHERE name = 'unclean'")
        self.abandon()

    def abandon(self) -> None:
        """Let go of the file without saying that it is whole."""
        self._db.close()

    def held(self, keys: Sequence[str] | None = None) -> dict[str, Held]:
        """How much of these sessions, or of all, the file holds; those it knows nothing of are left out."""
        wanted = "" if keys is None else f"WHERE key IN ({','.join('?' * len(keys))})"
        rows = self._db.execute(f"SELECT key, last_seq, erasures FROM sessions {wanted}", keys or ())
        return {key: Held(last_seq=last_seq, erasures=erasures) for key, last_seq, erasures in rows}

    def add(self, batches: Iterable[Batch]) -> None:
        """Index the batches in one transaction; a message without words or erased is passed over."""
        with self._writing():
            rows = [row for batch in batches for row in self._place(batch)]
            self._insert(sorted(rows, key=itemgetter(0)))

    def add_vectors(self, made: Mapping[int, Made]) -> None:
        """Keep vectors in one transaction; see `Vectors.add`."""
        if self.vectors is not None:
            with self._writing():
                self.vectors.add(made)

    def compare(self, question: Vector | None) -> Likenesses:
        """How like the question the messages are that have a vector."""
        return self.vectors.compare(question) if self.vectors and question else Likenesses()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, which also notes that the file is no longer as it was closed."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._unclean = True
            facts = {"messages": self.messages, "length": self.length, "sitting": self._sitting, "unclean": 1}
            self._db.executemany(
                "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                facts.items(),
            )
            self._db.execute("COMMIT")
        except BaseException:
            # What is counted in memory no longer fits the file, so whoever holds this object lets go of it.
            self._db.execute("ROLLBACK")
            raise

    def _place(self, batch: Batch) -> list[_Row]:
        """Give the batch's messages their ids, and note how far the session is indexed."""
        known = self._db.execute(
            "SELECT no, last_id, last_at FROM sessions WHERE key = ?", (batch.key,)
        ).fetchone()
        no, last_id, last_at = known or (len(self._keys) + 1, 0, 0)
        self._keys[no] = batch.key
        rows: list[_Row] = []
        for message in batch.messages:
            found = [] if message.erased else terms(message.content)
            if found:
                at = int(message.at.timestamp())
                last_id, last_at = (
                    self._next_id(no, seq=message.seq, at=at, last_id=last_id, last_at=last_at),
                    at,
                )
                rows.append((last_id, no, message, at, found))
                self._notice(last_id >> PLACES, self._sender(message))
        self._db.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(no) DO UPDATE SET last_seq ="
            " excluded.last_seq, erasures = excluded.erasures, last_id = excluded.last_id, last_at = excluded.last_at",
            (no, batch.key, batch.last_seq, batch.erasures, last_id, last_at),
        )
        return rows

    def _next_id(self, session: int, *, seq: int, at: int, last_id: int, last_at: int) -> int:
        day = at // DAY_SECONDS
        if last_id and abs(at - last_at) <= _PAUSE_SECONDS and last_id % (1 << PLACES) < _LONGEST_SITTING:
            if day != last_at // DAY_SECONDS:
                self._db.execute("INSERT OR IGNORE INTO days VALUES (?, ?)", (day, last_id >> PLACES))
            return last_id + 1
        self._sitting += 1
        self._db.execute("INSERT INTO sittings VALUES (?, ?, ?)", (session, self._sitting, seq))
        self._db.execute("INSERT INTO days VALUES (?, ?)", (day, self._sitting))
        return self._sitting << PLACES

    def _insert(self, rows: Sequence[_Row]) -> None:
        """Write the rows, ascending by id: FTS5 flushes whenever an id is lower than the one before."""
        self._db.executemany(
            "INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    id_,
                    no,
                    message.seq,
                    at,
                    ROLES.index(role_of(message)),
                    self._sender(message),
                    flags_of(message.content, found=found),
                    message.tokens,
                    array("H", map(fingerprint, found)).tobytes(),
                )
                for id_, no, message, at, found in rows
            ),
        )
        self._db.executemany(
            "INSERT INTO texts VALUES (?, ?, ?)",
            (
                (id_, _PROVENANCES.index(message.provenance), whole(message.content))
                for id_, _, message, _, _ in rows
            ),
        )
        self.postings.add((id_, [*found, *verbatim(found)]) for id_, _, _, _, found in rows)
        self.calendar.add((id_, message.at, message.content) for id_, _, message, _, _ in rows)
        if self.vectors is not None:
            self.vectors.expect(id_ for id_, *_ in rows)
        self.messages += len(rows)
        self.length += sum(len(found) for *_, found in rows)

    def _notice(self, sitting: int, sender: int) -> None:
        sittings = self.present.setdefault(self._names[sender], set())
        if sitting not in sittings:
            sittings.add(sitting)
            self._db.execute("INSERT INTO speakers VALUES (?, ?)", (sitting, sender))

    def _sender(self, message: Message) -> int:
        name = whole(sender_of(message))
        if name not in self._numbers:
            no = len(self._numbers) + 1
            self._db.execute("INSERT INTO senders VALUES (?, ?)", (no, name))
            self._numbers[name], self._names[no] = no, name
            self._learn(name)
        return self._numbers[name]

    def _learn(self, name: str) -> None:
        # Platforms give numbers to people; nobody asks for a person by them.
        for term in [] if name.isdigit() else content_terms(name):
            self.called.setdefault(term, set()).add(name)

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """What is known of these messages; those that don't exist are left out."""
        found: dict[int, Document] = {}
        for id_, session, seq, at, role, sender, flags, tokens, blob in self._db.execute(
            f"SELECT * FROM docs WHERE id IN {_EACH}", (_listed(ids),)
        ):
            prints = array("H")
            prints.frombytes(blob)
            found[id_] = Document(id_, session, seq, at, role, self._names[sender], flags, tokens, prints)
        return found

    def sittings(self, key: str, *, from_seq: int = 0) -> dict[int, int]:
        """The sittings of a session that reach beyond `from_seq`, each with the number of its first message."""
        found: dict[int, int] = {}
        for sitting, first_seq in self._db.execute(
            "SELECT sittings.no, first_seq FROM sittings JOIN sessions ON session = sessions.no WHERE key = ?"
            " ORDER BY sittings.no DESC",
            (key,),
        ):
            found[sitting] = first_seq
            if first_seq <= from_seq:
                break
        return found

    def key(self, session: int) -> str:
        """The key of the session that has this number in the file."""
        return self._keys[session]

    def texts(self, ids: Iterable[int]) -> Mapping[int, tuple[Provenance, str]]:
        """Provenance and text of these messages."""
        rows = self._db.execute(
            f"SELECT id, provenance, text FROM texts WHERE id IN {_EACH}", (_listed(ids),)
        )
        return {id_: (_PROVENANCES[provenance], text) for id_, provenance, text in rows}
