"""What every journal keeps to."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from channels.messages import Attachment, ChatKind, Choice, Entrance, Quoted
from gateway.journal.base import Counts, Job, JobStatus, Journal, OutboxStatus
from gateway.journal.in_memory import InMemoryJournal
from tests.helpers.journals import (
    LATER,
    NOON,
    everything,
    inbound,
    job,
    outbound,
    pairing,
    reminder,
    reopened,
    sqlite_journal,
)


@pytest.fixture(params=["InMemoryJournal", "SqliteJournal", "SqliteJournal, reopened"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    match request.param:
        case "InMemoryJournal":
            yield InMemoryJournal()
        case "SqliteJournal":
            async with sqlite_journal(tmp_path / "mneme.db") as opened:
                yield opened
        case _:
            yield reopened(tmp_path / "mneme.db")


async def claimed(journal: Journal, job_: Job) -> None:
    await journal.enqueue(job_)
    await journal.claim(now=NOON, kinds=[job_.kind])


class TestInbox:
    async def test_an_accepted_message_waits_whole(self, journal: Journal) -> None:
        message = inbound(
            "telegram:42/1",
            text="水 & <b>",
            chat_kind=ChatKind.GROUP,
            thread_id="7",
            attachments=(Attachment(name="a.png", mime="image/png", size=3, remote_id="f1"),),
            quoted=Quoted(text="before", sender_name="Ann"),
            entrance=Entrance.SCHEDULE,
            ready_at=LATER,
            delivery_id="update:1",
            person="ann",
        )

        entry = await journal.accept(message)

        assert entry is not None
        assert entry.message == message
        assert await journal.waiting() == [entry]

    async def test_what_is_withdrawn_is_answered_by_nothing_and_told(self, journal: Journal) -> None:
        told: list[str] = []
        journal.on_withdrawn(told.append)
        await journal.accept(inbound("m"))
        await journal.accept(inbound("n"))
        await journal.withdraw(["m"])

        assert told == ["m"]
        assert await journal.accepted("m") is True
        assert [entry.message.id for entry in await journal.waiting()] == ["n"]
        assert await journal.due() == []

    async def test_an_id_is_accepted_once_for_ever(self, journal: Journal) -> None:
        await journal.accept(inbound("a"))
        again = await journal.accept(inbound("a", text="other words"))
        await journal.respond(answered=["a"])

        assert again is None
        assert await journal.accept(inbound("a")) is None
        assert await journal.waiting() == []

    async def test_a_delivery_is_accepted_once_for_ever(self, journal: Journal) -> None:
        await journal.accept(inbound("a", delivery_id="event:1"))
        again = await journal.accept(inbound("b", delivery_id="event:1"))
        await journal.respond(answered=["a"])

        assert again is None
        assert await journal.accept(inbound("c", delivery_id="event:1")) is None
        assert await journal.accepted("b") is None

    async def test_two_channels_may_number_their_deliveries_alike(self, journal: Journal) -> None:
        await journal.accept(inbound("a", delivery_id="1"))

        assert await journal.accept(inbound("b", channel="slack", delivery_id="1")) is not None

    async def test_messages_wait_in_the_order_of_arrival(self, journal: Journal) -> None:
        for message_id in ("c", "a", "b"):
            await journal.accept(inbound(message_id, session=f"telegram:{message_id}"))
        waiting = await journal.waiting()

        assert [entry.message.id for entry in waiting] == ["c", "a", "b"]
        assert await journal.waiting(after=waiting[0].position, limit=1) == [waiting[1]]
        assert await journal.waiting(session_key="telegram:b") == [waiting[2]]
        assert await journal.unanswered() == 3

    async def test_a_position_is_never_given_twice(self, journal: Journal) -> None:
        first = await journal.accept(inbound("a"))
        await journal.respond(answered=["a"])
        second = await journal.accept(inbound("b"))

        assert first is not None
        assert second is not None
        assert second.position > first.position

    async def test_it_knows_what_it_has_seen(self, journal: Journal) -> None:
        await journal.accept(inbound("waiting"))
        await journal.accept(inbound("answered"))
        await journal.respond(answered=["answered"])

        assert await journal.accepted("waiting") is False
        assert await journal.accepted("answered") is True
        assert await journal.accepted("unknown") is None

    async def test_a_waiting_message_is_read_by_its_id(self, journal: Journal) -> None:
        await journal.accept(inbound("waiting", text="words"))
        await journal.accept(inbound("answered"))
        await journal.respond(answered=["answered"])
        found = await journal.message("waiting")

        assert found == inbound("waiting", text="words")
        assert await journal.message("answered") is None
        assert await journal.message("unknown") is None

    async def test_an_edit_takes_the_place_of_a_waiting_message(self, journal: Journal) -> None:
        await journal.accept(inbound("a", delivery_id="1"))
        await journal.accept(inbound("b"))
        before = await journal.waiting()
        replaced = await journal.replace(inbound("a/edit", edit_of="a", text="better", delivery_id="2"))

        edited = replace(before[0], message=replace(before[0].message, text="better"))
        assert replaced is True
        assert await journal.waiting() == [edited, before[1]]

    async def test_an_edit_that_replaced_is_known_when_it_is_delivered_again(self, journal: Journal) -> None:
        edit = inbound("a/edit", edit_of="a", text="better", delivery_id="2")
        await journal.accept(inbound("a"))
        await journal.replace(edit)
        await journal.respond(answered=["a"])

        assert await journal.replace(edit) is False
        assert await journal.accept(edit) is None

    async def test_an_edit_of_what_is_not_waiting_replaces_nothing(self, journal: Journal) -> None:
        await journal.accept(inbound("answered"))
        await journal.respond(answered=["answered"])

        assert await journal.replace(inbound("x", edit_of="answered")) is False
        assert await journal.replace(inbound("y", edit_of="unknown")) is False
        assert await journal.replace(inbound("z")) is False
        assert await journal.accepted("x") is None

    async def test_lone_surrogates_are_made_harmless(self, journal: Journal) -> None:
        entry = await journal.accept(
            inbound("web:\udc80", text="a\udc80b \ud83d\ude00", sender_name="\ud800")
        )
        await journal.respond(answered=["web:\udc80"], replies=[outbound("web:\udc80", text="\udfff")])

        assert entry is not None
        assert entry.message.text == "a\\udc80b 😀"
        assert await journal.accept(inbound("web:\udc80")) is None
        assert await journal.accepted("web:\udc80") is True
        assert [part.message.text for part in await journal.due()] == ["\\udfff"]

    @pytest.mark.parametrize("text", ["", "\x00", "\u2028", "a" * 200_000, "𝄞" * 5_000])
    async def test_any_text_comes_back_as_it_was(self, journal: Journal, text: str) -> None:
        await journal.accept(inbound("a", text=text))
        (entry,) = await journal.waiting()

        assert entry.message.text == text


class TestRespond:
    async def test_answers_parts_and_jobs_take_effect_together(self, journal: Journal) -> None:
        await journal.accept(inbound("a"))
        await journal.accept(inbound("b"))
        await journal.accept(inbound("c"))
        reply = outbound(
            "a",
            answers=("a", "b"),
            choices=(Choice(label="Yes", value="y"),),
            attachments=(Attachment(name="a.png", mime="image/png", size=3, media="hash"),),
            seq=4,
        )
        await journal.respond(
            answered=["a", "b"], replies=[reply, outbound("a", 1)], jobs=[job("consolidate")]
        )

        due = await journal.due()
        assert [entry.message.id for entry in await journal.waiting()] == ["c"]
        assert [entry.id for entry in due] == ["a/0", "a/1"]
        assert due[0].message == reply
        assert await journal.job("consolidate") == job("consolidate")

    async def test_doing_it_twice_changes_nothing(self, journal: Journal) -> None:
        await journal.accept(inbound("a"))
        for text in ("first", "second"):
            await journal.respond(
                answered=["a"], replies=[outbound("a", text=text)], jobs=[job("j", label=text)]
            )

        assert [entry.message.text for entry in await journal.due()] == ["first"]
        assert [known.label for known in await journal.list_jobs()] == ["first"]

    async def test_what_was_delivered_is_not_due_again(self, journal: Journal) -> None:
        for _ in range(2):
            await journal.respond(answered=["a"], replies=[outbound("a"), outbound("a", 1)])
            await journal.sent("a/0", platform_ids=["9"])
            await journal.drop("a/1")

        assert await journal.due() == []
        assert await journal.entries() == []

    async def test_messages_that_are_unknown_are_answered_silently(self, journal: Journal) -> None:
        await journal.respond(answered=["nobody"])

        assert await journal.accepted("nobody") is None

    async def test_a_waiting_queueing_lock_keeps_a_second_job_out(self, journal: Journal) -> None:
        await journal.respond(answered=[], jobs=[job("j1", queueing_lock="q"), job("j2", queueing_lock="q")])

        assert [known.id for known in await journal.list_jobs()] == ["j1"]


class TestOutbox:
    async def test_parts_are_due_in_order_and_page_by_position(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t", part) for part in range(3)])
        due = await journal.due()

        assert [entry.id for entry in due] == ["t/0", "t/1", "t/2"]
        assert await journal.due(after=due[0].position, limit=1) == [due[1]]

    async def test_a_sent_part_is_gone_at_once_and_after_settling(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t"), outbound("t", 1)])
        await journal.sent("t/0")
        at_once = await journal.due(limit=1)
        await journal.settle()

        assert [entry.id for entry in at_once] == ["t/1"]
        assert await journal.due() == at_once
        assert await journal.entries() == at_once

    async def test_a_failed_part_stays_due_with_its_next_time(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t")])
        await journal.failed("t/0", error="429", next_at=LATER)
        await journal.failed("t/0", error="502", next_at=LATER + timedelta(microseconds=1))
        (entry,) = await journal.due()

        assert (entry.attempts, entry.error) == (2, "502")
        assert entry.next_at == LATER + timedelta(microseconds=1)

    async def test_a_dead_letter_is_listed_first_and_can_be_retried(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t"), outbound("u")])
        await journal.dead("u/0", error="blocked")
        listed = await journal.entries()
        due = await journal.due()
        retried = await journal.retry("u/0")

        assert [(entry.id, entry.status) for entry in listed] == [
            ("u/0", OutboxStatus.DEAD),
            ("t/0", OutboxStatus.DUE),
        ]
        assert [entry.id for entry in due] == ["t/0"]
        assert retried is True
        assert [(entry.id, entry.attempts) for entry in await journal.due()] == [("t/0", 0), ("u/0", 0)]

    async def test_only_what_is_there_is_retried_or_dropped(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t"), outbound("u")])
        await journal.sent("u/0")

        assert await journal.retry("t/0") is False
        assert await journal.drop("t/0") is True
        assert await journal.drop("t/0") is False
        assert await journal.drop("u/0") is False
        assert [await journal.drop(odd) for odd in ("", "/", "t", "t/", "t/x", "t/-1")] == [False] * 6

    async def test_a_delivered_part_neither_fails_nor_dies(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t")])
        await journal.sent("t/0")
        await journal.failed("t/0", error="late", next_at=LATER)
        await journal.dead("t/0", error="late")

        assert await journal.entries() == []

    async def test_a_placeholder_is_known_until_the_first_part_is_delivered(self, journal: Journal) -> None:
        await journal.placeholder("t", "100")
        await journal.placeholder("t", "101")
        await journal.respond(answered=[], replies=[outbound("t"), outbound("t", 1)])
        known = await journal.placeholder_of("t")
        shown = [entry.message.placeholder for entry in await journal.due()]
        await journal.sent("t/0")
        await journal.placeholder("t", "102")

        assert known == "101"
        assert shown == ["101", None]
        assert await journal.placeholder_of("t") is None
        assert await journal.placeholder_of("unknown") is None

    async def test_a_dropped_part_takes_its_placeholder_along(self, journal: Journal) -> None:
        await journal.respond(answered=[], replies=[outbound("t")])
        await journal.placeholder("t", "100")
        await journal.drop("t/0")

        assert await journal.placeholder_of("t") is None

    async def test_what_is_dropped_is_told_once(self, journal: Journal) -> None:
        told: list[str] = []
        journal.on_dropped(told.append)
        await journal.respond(answered=[], replies=[outbound("t"), outbound("u")])
        await journal.dead("u/0", error="blocked")
        for entry_id in ("t/0", "t/0", "u/0", "unknown/0"):
            await journal.drop(entry_id)

        assert told == ["t/0", "u/0"]

    async def test_what_waits_is_counted(self, journal: Journal) -> None:
        empty = await journal.counts()
        await journal.accept(inbound("m"))
        await journal.accept(inbound("n"))
        await journal.respond(answered=["m"], replies=[outbound("t"), outbound("u"), outbound("v")])
        await journal.dead("u/0", error="blocked")
        await journal.sent("v/0")
        await claimed(journal, job("a"))
        await journal.enqueue(job("b"))
        await journal.enqueue(job("c"))

        assert empty == Counts()
        assert await journal.counts() == Counts(unanswered=1, due=1, dead=1, todo=2, doing=1)


class TestJobs:
    async def test_a_job_comes_back_whole(self, journal: Journal) -> None:
        whole = job("turn/1/0", payload={"task": "count", "n": [1, {"x": None}]}, label="count", lock="l")

        assert await journal.enqueue(whole) is True
        assert await journal.enqueue(whole) is False
        assert await journal.job("turn/1/0") == whole
        assert await journal.job("unknown") is None

    async def test_the_longest_due_job_is_claimed_once(self, journal: Journal) -> None:
        await journal.enqueue(job("young"))
        await journal.enqueue(job("old", run_at=NOON - timedelta(seconds=1)))
        await journal.enqueue(job("future", run_at=LATER))
        claims = [await journal.claim(now=NOON) for _ in range(3)]

        assert [claim and claim.id for claim in claims] == ["old", "young", None]
        assert claims[0] == replace(
            job("old", run_at=NOON - timedelta(seconds=1)), status=JobStatus.DOING, beat_at=NOON
        )

    async def test_a_lock_is_held_by_one_running_job(self, journal: Journal) -> None:
        await journal.enqueue(job("a", lock="l"))
        await journal.enqueue(job("b", lock="l"))
        first = await journal.claim(now=NOON)
        blocked = await journal.claim(now=NOON)
        await journal.finish("a", status=JobStatus.SUCCEEDED)
        second = await journal.claim(now=NOON)

        assert first is not None
        assert blocked is None
        assert second is not None
        assert second.id == "b"

    async def test_other_kinds_are_passed_over(self, journal: Journal) -> None:
        await journal.enqueue(job("dream", kind="dream"))
        await journal.enqueue(job("free"))
        claim = await journal.claim(now=NOON, kinds=["subagent", "consolidate"])

        assert claim is not None
        assert claim.id == "free"

    async def test_the_unfinished_ones_may_be_listed_alone(self, journal: Journal) -> None:
        for name in ("done", "doing", "todo"):
            await journal.enqueue(job(name, run_at=NOON + timedelta(seconds=len(name))))
        await journal.claim(now=LATER)
        await journal.finish("done", status=JobStatus.SUCCEEDED)
        listed = await journal.list_jobs(session="telegram:42", unfinished=True)

        assert sorted(known.id for known in listed) == ["doing", "todo"]

    async def test_jobs_of_busy_sessions_are_passed_over(self, journal: Journal) -> None:
        await journal.enqueue(job("busy", session="telegram:1"))
        await journal.enqueue(job("free", session="telegram:2"))
        claim = await journal.claim(now=NOON, busy_sessions=["telegram:1"])

        assert claim is not None
        assert claim.id == "free"

    async def test_a_queueing_lock_waits_once_but_may_wait_beside_a_running_job(
        self, journal: Journal
    ) -> None:
        await claimed(journal, job("running", queueing_lock="q"))

        assert await journal.enqueue(job("waiting", queueing_lock="q")) is True
        assert await journal.enqueue(job("double", queueing_lock="q")) is False
        assert await journal.job("double") is None

    async def test_a_finished_job_hands_its_result_to_the_inbox_once(self, journal: Journal) -> None:
        await claimed(journal, job("j"))
        result = inbound("j", entrance=Entrance.SUBAGENT)
        entry = await journal.finish("j", status=JobStatus.SUCCEEDED, result={"text": "42"}, inbound=result)
        again = await journal.finish("j", status=JobStatus.FAILED, error="late", inbound=inbound("other"))
        done = await journal.job("j")

        assert entry is not None
        assert again is None
        assert await journal.waiting() == [entry]
        assert done is not None
        assert (done.status, done.result, done.error) == (JobStatus.SUCCEEDED, {"text": "42"}, None)

    async def test_a_job_that_is_unknown_hands_over_nothing(self, journal: Journal) -> None:
        await journal.finish("unknown", status=JobStatus.SUCCEEDED, inbound=inbound("a"))

        assert await journal.unanswered() == 0

    async def test_a_waiting_job_can_be_cancelled(self, journal: Journal) -> None:
        await journal.enqueue(job("j"))
        await journal.finish("j", status=JobStatus.CANCELLED)

        assert await journal.claim(now=NOON) is None

    async def test_a_rescheduled_job_counts_an_attempt_and_waits_for_its_time(self, journal: Journal) -> None:
        await claimed(journal, job("j"))
        await journal.reschedule("j", run_at=LATER, error="busy")
        too_early = await journal.claim(now=NOON)
        claim = await journal.claim(now=LATER)

        assert too_early is None
        assert claim is not None
        assert (claim.attempts, claim.error) == (1, "busy")

    async def test_only_a_running_job_is_rescheduled(self, journal: Journal) -> None:
        await claimed(journal, job("j"))
        await journal.finish("j", status=JobStatus.CANCELLED)
        before = await everything(journal)
        await journal.reschedule("j", run_at=LATER, error="late")

        assert await everything(journal) == before

    async def test_a_job_gives_way_to_one_that_waits_with_its_queueing_lock(self, journal: Journal) -> None:
        await claimed(journal, job("old", queueing_lock="q"))
        await journal.enqueue(job("new", queueing_lock="q"))
        await journal.reschedule("old", run_at=NOON, error="failed")
        old = await journal.job("old")

        assert old is not None
        assert old.status is JobStatus.CANCELLED
        assert [known.id for known in await journal.list_jobs()] == ["new", "old"]

    async def test_jobs_of_a_dead_process_wait_again(self, journal: Journal) -> None:
        await claimed(journal, job("a"))
        await claimed(journal, job("b", queueing_lock="q"))
        await journal.enqueue(job("c", queueing_lock="q"))
        released = await journal.release()
        a, b = await journal.job("a"), await journal.job("b")

        assert released == 1
        assert a == job("a")
        assert b is not None
        assert b.status is JobStatus.CANCELLED

    async def test_unfinished_jobs_are_listed_first_and_the_newest_first(self, journal: Journal) -> None:
        for job_id in ("a", "b", "c"):
            await journal.enqueue(job(job_id))
        await journal.enqueue(job("other", session="slack:C1"))
        await journal.finish("c", status=JobStatus.FAILED, error="")

        assert [known.id for known in await journal.list_jobs()] == ["other", "b", "a", "c"]
        assert [known.id for known in await journal.list_jobs(session="telegram:42", limit=2)] == ["b", "a"]

    async def test_lone_surrogates_in_a_job_are_made_harmless(self, journal: Journal) -> None:
        await journal.enqueue(job("j", label="\udc80", payload={"task": ["\udc80"]}))
        await journal.finish("j", status=JobStatus.FAILED, error="\udc80", result={"text": "\udc80"})
        done = await journal.job("j")

        assert done is not None
        assert [done.label, done.error, done.payload, done.result] == [
            "\\udc80",
            "\\udc80",
            {"task": ["\\udc80"]},
            {"text": "\\udc80"},
        ]


class TestSchedule:
    async def test_reminders_come_back_whole_and_the_next_one_first(self, journal: Journal) -> None:
        late = reminder(
            "late", next_at=LATER, cron="0 9 * * *", timezone="Europe/Berlin", origin={"chat": "42"}
        )
        await journal.remind(late)
        await journal.remind(reminder("soon", session="slack:C1"))

        assert [known.id for known in await journal.reminders()] == ["soon", "late"]
        assert await journal.reminders(session="telegram:42") == [late]

    async def test_a_reminder_replaces_the_one_of_its_id(self, journal: Journal) -> None:
        await journal.remind(reminder("r"))
        await journal.remind(reminder("r", text="feed the cat"))

        assert await journal.reminders() == [reminder("r", text="feed the cat")]

    async def test_firing_accepts_the_message_and_moves_or_ends_the_reminder(self, journal: Journal) -> None:
        await journal.remind(reminder("r"))
        first = await journal.fire("r", inbound=inbound("r@noon"), next_at=LATER)
        moved = await journal.reminders()
        second = await journal.fire("r", inbound=inbound("r@later"), next_at=None)

        assert moved == [reminder("r", next_at=LATER)]
        assert await journal.waiting() == [first, second]
        assert await journal.reminders() == []

    async def test_firing_twice_accepts_once_and_still_moves(self, journal: Journal) -> None:
        await journal.remind(reminder("r"))
        await journal.accept(inbound("r@noon"))
        again = await journal.fire("r", inbound=inbound("r@noon"), next_at=LATER)

        assert again is None
        assert await journal.reminders() == [reminder("r", next_at=LATER)]

    async def test_a_forgotten_reminder_fires_nothing(self, journal: Journal) -> None:
        await journal.remind(reminder("r"))

        assert await journal.forget_reminder("r") is True
        assert await journal.forget_reminder("r") is False
        assert await journal.fire("r", inbound=inbound("a"), next_at=LATER) is None
        assert await journal.unanswered() == 0


class TestRoster:
    async def test_a_code_lets_its_stranger_in_once(self, journal: Journal) -> None:
        await journal.offer(pairing("ABC"), now=NOON)
        member = await journal.approve("ABC", name="sam", role="member", now=NOON)
        again = await journal.approve("ABC", name="eve", role="owner", now=NOON)

        assert member is not None
        assert (member.channel, member.sender_id, member.name, member.role) == (
            "telegram",
            "77",
            "sam",
            "member",
        )
        assert again is None
        assert await journal.members() == [member]

    async def test_a_stranger_keeps_the_first_unexpired_code(self, journal: Journal) -> None:
        first = await journal.offer(pairing("ABC"), now=NOON)
        second = await journal.offer(pairing("DEF"), now=NOON)
        after_expiry = await journal.offer(
            replace(pairing("GHI"), expires_at=LATER + timedelta(1)), now=LATER
        )

        assert (first.code, second.code, after_expiry.code) == ("ABC", "ABC", "GHI")
        assert await journal.codes(now=LATER) == [after_expiry]

    async def test_a_code_of_somebody_else_is_refused(self, journal: Journal) -> None:
        await journal.offer(pairing("ABC"), now=NOON)

        with pytest.raises(ValueError, match="somebody else"):
            await journal.offer(pairing("ABC", sender_id="78"), now=NOON)

    async def test_an_expired_or_unknown_code_lets_nobody_in(self, journal: Journal) -> None:
        await journal.offer(pairing("ABC"), now=NOON)

        assert await journal.codes(now=LATER) == []
        assert await journal.approve("ABC", name="sam", role="member", now=LATER) is None
        assert await journal.approve("XYZ", name="sam", role="member", now=NOON) is None
        assert await journal.members() == []

    async def test_a_member_can_be_revoked(self, journal: Journal) -> None:
        await journal.offer(pairing("ABC"), now=NOON)
        await journal.approve("ABC", name="sam", role="member", now=NOON)

        assert await journal.revoke("telegram", "77") is True
        assert await journal.revoke("telegram", "77") is False
        assert await journal.members() == []
