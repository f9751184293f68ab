"""The tables of an index file, and in which portions it is filled."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.messages import Message

# Changes whenever the tables or the terms do; a file of another version is built anew.
VERSION = 5
SCHEMA = """
    CREATE TABLE facts(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE sessions(no INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, last_seq INTEGER NOT NULL,
                          erasures INTEGER NOT NULL, last_id INTEGER NOT NULL, last_at INTEGER NOT NULL);
    CREATE TABLE sittings(session INTEGER, no INTEGER, first_seq INTEGER NOT NULL, PRIMARY KEY (session, no))
           WITHOUT ROWID;
    CREATE TABLE days(day INTEGER, sitting INTEGER, PRIMARY KEY (day, sitting)) WITHOUT ROWID;
    CREATE TABLE told(day INTEGER, id INTEGER, PRIMARY KEY (day, id)) WITHOUT ROWID;
    CREATE TABLE senders(no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE speakers(sitting INTEGER, sender INTEGER, PRIMARY KEY (sitting, sender)) WITHOUT ROWID;
    CREATE TABLE docs(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
                      role INTEGER NOT NULL, sender INTEGER NOT NULL, flags INTEGER NOT NULL,
                      tokens INTEGER NOT NULL, prints BLOB NOT NULL);
    CREATE TABLE texts(id INTEGER PRIMARY KEY, provenance INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE VIRTUAL TABLE postings USING fts5(terms, content='', detail=none, columnsize=0, tokenize='ascii');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab('postings', 'row');
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How much of a session a file holds: all up to `last_seq`, as it was after `erasures` erasures."""

    last_seq: int
    erasures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The next messages of a session; the file then holds all of it up to `last_seq`."""

    key: str
    messages: Sequence[Message]
    last_seq: int
    erasures: int
