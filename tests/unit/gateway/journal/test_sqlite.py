"""What the SQLite journal keeps beyond the contract: whole failures, and no words of what is done."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from gateway.journal.base import JobStatus, Journal
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from memory.errors import StoreUnavailable
from tests.helpers.failing import FailingDatabase, failing
from tests.helpers.journals import LATER, NOON, everything, inbound, job, outbound, pairing, reminder

Operation = Callable[[Journal], Awaitable[Any]]

OPERATIONS: dict[str, Operation] = {
    "accept": lambda journal: journal.accept(inbound("new", delivery_id="new")),
    "replace": lambda journal: journal.replace(inbound("edit", edit_of="waiting", text="better")),
    "respond": lambda journal: journal.respond(
        answered=["waiting"], replies=[outbound("waiting"), outbound("waiting", 1)], jobs=[job("new")]
    ),
    "placeholder": lambda journal: journal.placeholder("due", "100"),
    "dead": lambda journal: journal.dead("due/0", error="blocked"),
    "retry": lambda journal: journal.retry("dead/0"),
    "drop": lambda journal: journal.drop("due/0"),
    "enqueue": lambda journal: journal.enqueue(job("new")),
    "finish": lambda journal: journal.finish("doing", status=JobStatus.SUCCEEDED, inbound=inbound("doing")),
    "reschedule": lambda journal: journal.reschedule("doing", run_at=LATER, error="busy"),
    "release": lambda journal: journal.release(),
    "remind": lambda journal: journal.remind(reminder("new")),
    "fire, once": lambda journal: journal.fire("r", inbound=inbound("r@noon"), next_at=None),
    "fire, again": lambda journal: journal.fire("r", inbound=inbound("r@noon"), next_at=LATER),
    "forget_reminder": lambda journal: journal.forget_reminder("r"),
    "offer": lambda journal: journal.offer(pairing("NEW", sender_id="new"), now=NOON),
    "approve": lambda journal: journal.approve("ABC", name="sam", role="member", now=NOON),
    "revoke": lambda journal: journal.revoke("telegram", "1"),
}
# Doing these once more is a second attempt or another job, by their nature.
COUNTING: dict[str, Operation] = {
    "failed": lambda journal: journal.failed("due/0", error="502", next_at=LATER),
    "claim": lambda journal: journal.claim(now=NOON),
}


async def furnish(journal: Journal) -> None:
    """One of everything that an operation may touch."""
    await journal.accept(inbound("waiting"))
    await journal.respond(answered=[], replies=[outbound("due"), outbound("dead")])
    await journal.dead("dead/0", error="blocked")
    await journal.enqueue(job("doing"))
    await journal.claim(now=NOON)
    await journal.enqueue(job("todo"))
    await journal.remind(reminder("r"))
    await journal.offer(pairing("XYZ", sender_id="1"), now=NOON)
    await journal.approve("XYZ", name="ann", role="owner", now=NOON)
    await journal.offer(pairing("ABC"), now=NOON)


def explaining(query: str) -> Callable[[Connection], str]:
    return lambda connection: str(connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[FailingDatabase]:
    opened = await FailingDatabase.open(tmp_path / "mneme.db", [JOURNAL_SCHEMA])
    yield opened
    await opened.close()


@pytest.fixture
async def twin(tmp_path: Path) -> AsyncIterator[Journal]:
    """A journal whose disk never fails."""
    opened = await FailingDatabase.open(tmp_path / "twin.db", [JOURNAL_SCHEMA])
    yield SqliteJournal(opened)
    await opened.close()


@pytest.mark.parametrize("name", [*OPERATIONS, *COUNTING])
async def test_a_write_that_failed_was_never_there_and_can_be_done_again(
    db: FailingDatabase, twin: Journal, name: str
) -> None:
    operation, journal = (OPERATIONS | COUNTING)[name], SqliteJournal(db)
    await furnish(journal)
    await furnish(twin)
    before = await everything(journal)
    db.fail()
    with pytest.raises(StoreUnavailable):
        await operation(journal)
    after_the_failure = await everything(journal)

    assert after_the_failure == before
    assert await operation(journal) == await operation(twin)
    assert await everything(journal) == await everything(twin)


@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_write_that_took_effect_unnoticed_can_be_done_again(
    db: FailingDatabase, twin: Journal, name: str
) -> None:
    operation, journal = OPERATIONS[name], SqliteJournal(db)
    await furnish(journal)
    await furnish(twin)
    db.fail(after=True)
    with pytest.raises(StoreUnavailable):
        await operation(journal)
    await operation(journal)
    await operation(twin)

    assert await everything(journal) == await everything(twin)


async def test_what_is_done_has_left_no_words_on_the_disk(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    words = "the blue elephant"
    for n in range(3):
        await journal.accept(inbound(f"m{n}", text=words * 10 ** (n + 1)))
        await journal.respond(answered=[f"m{n}"], replies=[outbound(f"m{n}", text=words * 10 ** (n + 1))])
        await journal.sent(f"m{n}/0", platform_ids=["7"])
    await journal.remind(reminder("r", text=words))
    await journal.forget_reminder("r")
    await db.truncate_wal()

    assert words.encode() not in db.path.read_bytes()
    assert await journal.accepted("m1") is True


async def test_a_sent_part_that_is_not_yet_on_the_disk_is_not_due(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    await journal.respond(answered=[], replies=[outbound("t"), outbound("u")])
    await journal.placeholder("t", "100")
    await journal.sent("t/0")

    assert [entry.id for entry in await journal.due(limit=1)] == ["u/0"]
    assert await journal.placeholder_of("t") is None
    assert await journal.retry("t/0") is False


async def test_a_sent_part_shares_the_commit_of_the_next_message(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    await journal.respond(answered=[], replies=[outbound("t")])
    before = db.commits
    await journal.sent("t/0")
    await journal.accept(inbound("next"))

    assert db.commits - before == 1
    assert await journal.entries() == []


async def test_looking_for_what_waits_does_not_read_what_was_answered(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    await journal.accept(inbound("a"))
    plans = [
        await db.read(explaining(f"{query} AND position > 7 ORDER BY position"))
        for query in (
            "SELECT 1 FROM inbox WHERE message IS NOT NULL AND session = 'a'",
            "SELECT 1 FROM outbox WHERE message IS NOT NULL AND status = 'due'",
        )
    ]

    assert "inbox_waiting (session=? AND rowid>?)" in plans[0]
    assert "outbox_open (status=? AND rowid>?)" in plans[1]
    assert not any("TEMP B-TREE" in plan for plan in plans)


async def test_a_wrapped_journal_fails_where_it_is_told_to(twin: Journal) -> None:
    before = failing(twin, ["accept"], nth=2)
    await before.accept(inbound("a"))
    with pytest.raises(StoreUnavailable):
        await before.accept(inbound("b"))
    after = failing(twin, ["accept"], after=True)
    with pytest.raises(StoreUnavailable):
        await after.accept(inbound("c", received_at=NOON + timedelta(1)))

    assert [entry.message.id for entry in await before.waiting()] == ["a", "c"]
