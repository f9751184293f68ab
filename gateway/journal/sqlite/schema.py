"""The tables of the journal.

An answered message and a delivered part leave their row, so that they are known for ever, and lose their words:
`message` is NULL from then on. The partial indexes hold what is still open, and so stay small.
Times are UTC as ISO text, which sorts; payloads are JSON.
"""

from memory.database import Schema

_INBOX = """
CREATE TABLE inbox (
    position INTEGER PRIMARY KEY,  -- no row is ever removed, so none is given twice
    id TEXT NOT NULL,
    channel TEXT NOT NULL,
    delivery_id TEXT,
    session TEXT NOT NULL,
    message BLOB
);
CREATE UNIQUE INDEX inbox_id ON inbox (id);
CREATE UNIQUE INDEX inbox_delivery ON inbox (delivery_id, channel) WHERE delivery_id IS NOT NULL;
CREATE INDEX inbox_waiting ON inbox (session) WHERE message IS NOT NULL;
"""

_OUTBOX = """
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY,
    turn TEXT NOT NULL,
    part INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'due',  -- due, dead, sent, dropped
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at TEXT,
    error TEXT,
    platform_ids TEXT,
    message BLOB
);
CREATE UNIQUE INDEX outbox_part ON outbox (turn, part);
CREATE INDEX outbox_open ON outbox (status) WHERE message IS NOT NULL;
CREATE TABLE placeholder (turn TEXT PRIMARY KEY, platform_id TEXT NOT NULL) WITHOUT ROWID;
"""

_JOBS = """
CREATE TABLE job (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    session TEXT NOT NULL,
    payload BLOB NOT NULL,
    label TEXT NOT NULL,
    lock TEXT,
    queueing_lock TEXT,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    run_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    beat_at TEXT,
    result BLOB NOT NULL,
    error TEXT
);
CREATE UNIQUE INDEX job_queueing ON job (queueing_lock) WHERE status = 'todo' AND queueing_lock IS NOT NULL;
CREATE INDEX job_todo ON job (run_at) WHERE status = 'todo';
CREATE INDEX job_doing ON job (lock) WHERE status = 'doing';
"""

_SCHEDULE = """
CREATE TABLE reminder (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    text TEXT NOT NULL,
    next_at TEXT NOT NULL,
    cron TEXT,
    timezone TEXT NOT NULL,
    origin BLOB NOT NULL
);
"""

_ROSTER = """
CREATE TABLE member (
    channel TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    approved_at TEXT NOT NULL,
    PRIMARY KEY (channel, sender_id)
) WITHOUT ROWID;
CREATE TABLE pairing (
    code TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    sender_name TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    expires_at TEXT NOT NULL
) WITHOUT ROWID;
"""

_LANGUAGE = "ALTER TABLE pairing ADD COLUMN language TEXT NOT NULL DEFAULT ''"

JOURNAL_SCHEMA = Schema(
    name="journal", migrations=(_INBOX + _OUTBOX + _JOBS + _SCHEDULE + _ROSTER, _LANGUAGE)
)
