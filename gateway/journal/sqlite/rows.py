"""What the parts of the journal share: the database, and the rows that more than one of them writes."""

from sqlite3 import Connection

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry, Job
from gateway.journal.codec import decode_inbound, encode, encode_time, legal_texts
from memory.database import Database


class Part:
    """A part of the journal; all of them are on one database."""

    def __init__(self, db: Database) -> None:
        self._db = db


def insert_message(connection: Connection, message: InboundMessage) -> InboxEntry | None:
    """Put the message into the inbox, or None where its id or delivery_id is known."""
    data = encode(message)
    stored = decode_inbound(data)
    inserted = connection.execute(
        "INSERT INTO inbox (id, channel, delivery_id, session, message) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (stored.id, stored.channel, stored.delivery_id, stored.session_key, data),
    )
    if inserted.rowcount == 0 or inserted.lastrowid is None:
        return None
    return InboxEntry(position=inserted.lastrowid, message=stored)


def insert_job(connection: Connection, job: Job) -> bool:
    """Put the job among the waiting ones, or False where its id is known or its queueing_lock waits."""
    job = legal_texts(job)
    inserted = connection.execute(
        "INSERT INTO job (id, kind, session, payload, label, lock, queueing_lock, status, attempts, run_at,"
        " created_at, beat_at, result, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (
            job.id,
            job.kind,
            job.session,
            encode(job.payload),
            job.label,
            job.lock,
            job.queueing_lock,
            job.status,
            job.attempts,
            encode_time(job.run_at),
            encode_time(job.created_at),
            job.beat_at and encode_time(job.beat_at),
            encode(job.result),
            job.error,
        ),
    )
    return inserted.rowcount == 1
