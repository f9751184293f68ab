"""When messages were said, and of which days they tell: what an index file answers about time."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from memory.archive.dates import Span, days_told
from memory.archive.documents import PLACES

DAY_SECONDS = 86_400
_EPOCH = date(1970, 1, 1)
# So many messages that tell of one stretch of time are looked at.
_MOST_TOLD = 500


class Calendar:
    """The tables `days` and `told` of an index file; times are in seconds, and days are counted, since 1970."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, messages: Iterable[tuple[int, datetime, str]]) -> None:
        """Note of which days these messages tell."""
        self._db.executemany(
            "INSERT INTO told VALUES (?, ?)",
            ((_number(day), id_) for id_, at, text in messages for day in days_told(text, at=at)),
        )

    def told(self, named: Sequence[Span]) -> Mapping[int, float]:
        """The messages that tell of a day within the named times, and how well each fits these: 0 to 1."""
        found: dict[int, float] = {}
        for span in named:
            rows = self._db.execute(
                "SELECT id FROM told WHERE day BETWEEN ? AND ? LIMIT ?",
                (_number(span.first), _number(span.last), _MOST_TOLD),
            )
            found.update({id_: max(span.worth, found.get(id_, 0.0)) for (id_,) in rows.fetchall()})
        return found

    def between(self, first: int, *, last: int, limit: int) -> list[int]:
        """At most `limit` messages of this stretch of time, both ends included, in seconds since 1970."""
        rows = self._db.execute(
            "SELECT docs.id FROM days JOIN docs ON docs.id BETWEEN sitting << ?1 AND (sitting + 1 << ?1) - 1"
            " WHERE day BETWEEN ?2 / ?4 AND ?3 / ?4 AND at BETWEEN ?2 AND ?3 LIMIT ?5",
            (PLACES, first, last, DAY_SECONDS, limit),
        )
        return [id_ for (id_,) in rows]

    def timely(self, ids: Iterable[int], *, first: int, last: int) -> list[int]:
        """Those of the messages that are of this stretch of time, both ends included."""
        rows = self._db.execute(
            "SELECT id FROM docs WHERE id IN (SELECT value FROM json_each(?)) AND at BETWEEN ? AND ?",
            (json.dumps([*ids]), first, last),
        )
        return [id_ for (id_,) in rows]

    def sittings_between(self, first: int, *, last: int) -> set[int]:
        """The sittings with a message on the days of this stretch of time."""
        rows = self._db.execute(
            "SELECT sitting FROM days WHERE day BETWEEN ? AND ?",
            (first // DAY_SECONDS, last // DAY_SECONDS),
        )
        return {sitting for (sitting,) in rows}


def _number(day: date) -> int:
    return (day - _EPOCH).days
