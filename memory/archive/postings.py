"""Which messages hold a term, and how many: the inverted index of one audience's file."""

import sqlite3
from collections.abc import Iterable

from memory.archive.terms import FIRST_UNSPACED

_REMEMBERED = 10_000
_MOST_OF_A_PREFIX = 1000


class Postings:
    """The `postings` table of an index file. A term that ends in `*` is a prefix.

    How often a term stands is remembered, because a question's common words are those of the question before.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._frequencies: dict[str, int] = {}

    def add(self, messages: Iterable[tuple[int, list[str]]]) -> None:
        """Note which terms these messages hold; their ids ascend."""
        rows = list(messages)
        self._db.executemany(
            "INSERT INTO postings(rowid, terms) VALUES (?, ?)", ((id_, " ".join(held)) for id_, held in rows)
        )
        known = self._frequencies
        for _, held in rows if known else ():
            for term in {*held}:
                if term in known:
                    known[term] += 1
                if term[0] >= FIRST_UNSPACED:
                    known.pop(term[0] + "*", None)

    def newest(self, *every: str, limit: int) -> list[int]:
        """The newest `limit` messages that hold every one of these terms, newest first."""
        match = " AND ".join(map(_match, every))
        rows = self._db.execute(
            "SELECT rowid FROM postings WHERE postings MATCH ? ORDER BY rowid DESC LIMIT ?", (match, limit)
        )
        return [id_ for (id_,) in rows]

    def with_both(self, first: str, second: str, *, limit: int) -> list[int]:
        """At most `limit` messages that hold both terms, oldest first, which is quicker."""
        rows = self._db.execute(
            "SELECT rowid FROM postings WHERE postings MATCH ? LIMIT ?",
            (f"{_match(first)} AND {_match(second)}", limit),
        )
        return [id_ for (id_,) in rows]

    def rare(self, term: str, *, most: int) -> list[int] | None:
        """The messages that hold the term, newest first; None where these are more than `most`."""
        if self._frequencies.get(term, 0) > most:
            return None
        found = self.newest(term, limit=most + 1)
        if len(found) > most:
            self.frequency(term)
            return None
        self._remember(term, len(found))
        return found

    def frequency(self, term: str) -> int:
        """In how many messages the term stands."""
        known = self._frequencies.get(term)
        return self._remember(term, self._count(term)) if known is None else known

    def _remember(self, term: str, count: int) -> int:
        if len(self._frequencies) >= _REMEMBERED:
            self._frequencies.clear()
        self._frequencies[term] = count
        return count

    def _count(self, term: str) -> int:
        if term.endswith("*"):
            return len(self.newest(term, limit=_MOST_OF_A_PREFIX))
        row = self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)).fetchone()
        return row[0] if row else 0


def _match(term: str) -> str:
    return f'"{term[:-1]}"*' if term.endswith("*") else f'"{term}"'
