"""The vectors of one index file: kept as bytes, compared in memory, made anew when the model is another.

The tables exist only in a file that was opened with a model. A message without a vector is found by its words.
"""

import importlib
import importlib.util
import sqlite3
import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from heapq import nlargest
from itertools import islice
from operator import mul
from typing import Any

from memory.archive.embedder import Vector

# The newest messages that a question is compared with: 35 MB and 40 ms. Older ones are found by their words.
_MOST_COMPARED = 100_000
# The same without numpy, in 25 ms.
_MOST_COMPARED_SLOWLY = 2_000
# Converted to floats at a time, so that the copy stays in the processor's cache.
_ROWS_TOGETHER = 1_024
_LARGEST = 127
# What a model reads of a message: a vector of more says less of each part.
_LONGEST_TEXT = 1_000
_SCALE = struct.Struct("f")
_TABLES = (
    # Made from the newest message to the oldest: as a primary key such ids would leave every page half empty.
    "CREATE TABLE IF NOT EXISTS vectors(id INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS vector_model(name TEXT NOT NULL)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A vector, and the text that it was made of."""

    text: str
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Likenesses:
    """How alike a question and each compared message are; only comparing them with each other tells anything."""

    places: Mapping[int, int] = field(default_factory=dict)
    values: Sequence[float] = ()

    def nearest(self, count: int) -> list[int]:
        """The messages that are most like the question, the most alike first."""
        return [id_ for _, id_ in nlargest(count, zip(self.values, self.places, strict=True))]

    def among(self, ids: Iterable[int]) -> dict[int, float]:
        """The likenesses of these messages, from 0 for the least alike to 1 for the most.

        Models differ in what they call alike: for some everything is, by nine parts of ten.
        """
        found = {id_: self.values[self.places[id_]] for id_ in ids if id_ in self.places}
        least, most = min(found.values(), default=0.0), max(found.values(), default=0.0)
        spread = most - least
        return {id_: (value - least) / spread if spread else 1.0 for id_, value in found.items()}


class Vectors:
    """Belongs to the thread of its index file. Whatever `model` did not make is thrown away."""

    def __init__(self, db: sqlite3.Connection, model: str) -> None:
        self._db = db
        self._model = model
        for table in _TABLES:
            db.execute(table)
        known = db.execute("SELECT name FROM vector_model").fetchone()
        if known != (model,):
            self._clear()
        self._missing: dict[int, None] | None = None
        self._places: dict[int, int] | None = None
        self._numbers = bytearray()
        self._scales = array("f")

    def _clear(self) -> None:
        self._db.execute("DELETE FROM vectors")
        self._db.execute("DELETE FROM vector_model")
        self._db.execute("INSERT INTO vector_model VALUES (?)", (self._model,))

    def expect(self, ids: Iterable[int]) -> None:
        """Note that these messages are new."""
        if self._missing is not None:
            self._missing.update(dict.fromkeys(ids))

    def missing(self, count: int) -> dict[int, str]:
        """At most `count` messages without a vector, the newest first, with what is to be read of them."""
        if self._missing is None:
            rows = self._db.execute(
                "SELECT id FROM docs WHERE id NOT IN (SELECT id FROM vectors) ORDER BY id"
            )
            self._missing = {id_: None for (id_,) in rows}
        return {id_: self._text(id_) for id_ in islice(reversed(self._missing), count)}

    def count(self) -> int:
        """How many messages have a vector."""
        return int(self._db.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def pass_over(self, id_: int) -> None:
        """Ask no more for this message's vector, until the file is opened again."""
        if self._missing is not None:
            self._missing.pop(id_, None)

    def add(self, made: Mapping[int, Made]) -> None:
        """Keep the vectors of messages that still say what they said."""
        blobs = {id_: pack(each.vector) for id_, each in made.items() if self._text(id_) == each.text}
        known = self._db.execute("SELECT length(vector) FROM vectors LIMIT 1").fetchone()
        if known is not None and any(len(blob) != known[0] for blob in blobs.values()):
            # The model has changed behind its name.
            self._clear()
            self._missing = self._places = None
        self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", blobs.items())
        for id_, blob in blobs.items():
            self.pass_over(id_)
            if self._places is not None:
                self._append(id_, blob)

    def by_text(self) -> dict[bytes, bytes]:
        """The vectors of the newest messages by a digest of what they say, for a file that is built anew."""
        newest = self._db.execute("SELECT * FROM vectors ORDER BY id DESC LIMIT ?", (_MOST_COMPARED,))
        return {digest(self._text(id_)): blob for id_, blob in newest}

    def compare(self, question: Vector) -> Likenesses:
        """Compare the question with the newest messages; with none where its size is another than theirs."""
        places = self._loaded()
        size = len(self._numbers) // len(places) if places else 0
        if size != len(question):
            return Likenesses()
        direction = unpack(pack(question))
        values = (_dots if _numpy() else _dots_slowly)(
            self._numbers, scales=self._scales, direction=direction
        )
        return Likenesses(places=places, values=values)

    def _text(self, id_: int) -> str:
        """What the model reads of a message: who says it, which half of the questions are about, and its beginning."""
        row = self._db.execute(
            "SELECT CASE WHEN name GLOB '*[^0-9]*' THEN name || ': ' ELSE '' END || substr(text, 1, ?)"
            " FROM texts JOIN docs USING (id) JOIN senders ON senders.no = docs.sender WHERE id = ?",
            (_LONGEST_TEXT, id_),
        ).fetchone()
        return str(row[0]) if row else ""

    def _loaded(self) -> Mapping[int, int]:
        if self._places is None:
            newest = "SELECT id, vector FROM vectors ORDER BY id DESC LIMIT ?"
            rows = self._db.execute(newest, (_most(),)).fetchall()
            self._places = {id_: place for place, (id_, _) in enumerate(rows)}
            self._numbers = bytearray().join(blob[_SCALE.size :] for _, blob in rows)
            self._scales = array("f", b"".join(blob[: _SCALE.size] for _, blob in rows))
        return self._places

    def _append(self, id_: int, blob: bytes) -> None:
        if self._places is None or id_ in self._places:
            return
        if len(self._places) >= 2 * _most():
            self._places = None
            return
        self._places[id_] = len(self._places)
        self._scales.extend(_SCALE.unpack_from(blob))
        self._numbers += blob[_SCALE.size :]


def digest(text: str) -> bytes:
    """Stands for a text without telling anything of it."""
    return blake2b(text.encode(), digest_size=16).digest()


def pack(vector: Vector) -> bytes:
    """The direction of a vector: a scale, and a byte for each of its numbers."""
    length = sum(map(mul, vector, vector)) ** 0.5 or 1.0
    scale = max(map(abs, vector), default=0.0) / _LARGEST or 1.0
    return _SCALE.pack(scale / length) + array("b", [round(number / scale) for number in vector]).tobytes()


def unpack(blob: bytes) -> "array[float]":
    """What `pack` kept of a vector, with the length 1."""
    (scale,) = _SCALE.unpack_from(blob)
    return array("f", [number * scale for number in array("b", blob[_SCALE.size :])])


@cache
def _numpy() -> Any:
    """The library, which the extra `vectors` brings along, or None."""
    return importlib.import_module("numpy") if importlib.util.find_spec("numpy") else None


def _most() -> int:
    return _MOST_COMPARED if _numpy() else _MOST_COMPARED_SLOWLY


def _dots(numbers: bytearray, *, scales: "array[float]", direction: "array[float]") -> list[float]:
    numpy = _numpy()
    rows = numpy.frombuffer(numbers, dtype=numpy.int8).reshape(len(scales), -1)
    wanted = numpy.frombuffer(direction, dtype=numpy.float32)
    found = [
        rows[start : start + _ROWS_TOGETHER].astype(numpy.float32) @ wanted
        for start in range(0, len(rows), _ROWS_TOGETHER)
    ]
    values: list[float] = (numpy.concatenate(found) * numpy.frombuffer(scales, numpy.float32)).tolist()
    return values


def _dots_slowly(numbers: bytearray, *, scales: "array[float]", direction: "array[float]") -> list[float]:
    size, rows = len(direction), memoryview(numbers).cast("b")
    return [
        scale * sum(map(mul, rows[place * size : place * size + size], direction))
        for place, scale in enumerate(scales)
    ]
