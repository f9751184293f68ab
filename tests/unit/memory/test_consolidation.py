import asyncio
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import LLMUnavailable
from gateway.llm.scripted import Held
from gateway.service.clock import ManualClock
from memory.archive.entry import EntryKind
from memory.claims.claim import Status
from memory.consolidation import CoolDowns, Limits, Reason
from memory.errors import StoreUnavailable
from memory.messages import Message, Provenance
from memory.sessions.session import Mark, MarkKind
from tests.helpers.consolidating import AUDIENCE, KEY, Workshop, workshop
from tests.helpers.conversations import NOON, answer, call, result, say
from tests.helpers.summarizing import answer_of, item, lines_of, quoting, seen


def talk(turns: int, *, tokens: int = 3, first: int = 1) -> list[Message]:
    """So many questions that tell something, each answered."""
    messages: list[Message] = []
    for number in range(first, first + turns):
        at = NOON + timedelta(minutes=number)
        messages.append(
            say(f"My locker number {number} is {1000 + number}.", at=at, turn=f"t{number}", tokens=tokens)
        )
        messages.append(answer(f"Noted, {number}.", at=at, turn=f"t{number}", tokens=tokens))
    return messages


async def test_the_older_part_becomes_claims_and_the_messages_stay(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))

    report = await shop.run()
    session = await shop.session()

    assert report.messages == session.last_consolidated == 12
    assert len(session.messages) == session.last_seq == 20
    assert await shop.claims() == [f"My locker number {n} is {1000 + n}." for n in range(1, 7)]


async def test_every_claim_names_its_message_and_stands_in_the_archive(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))
    await shop.run()

    [entry] = await shop.entries()

    assert (entry.session, entry.from_seq, entry.to_seq, entry.kind) == (KEY, 1, 12, EntryKind.MODEL)
    assert [each.evidence[0].seq for each in entry.claims] == [1, 3, 5, 7, 9, 11]
    assert {each.provenance for each in entry.claims} == {Provenance.OWNER}


async def test_the_summary_survives_a_restart(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))
    await shop.run()

    again = workshop(tmp_path, store=shop.store)
    report = await again.run()

    assert report.rounds == 0
    assert again.llm.prompts == []
    assert len(await again.claims()) == 6


async def test_nothing_new_costs_nothing(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(4))

    assert (await shop.run()).rounds == 0
    assert shop.llm.prompts == []
    assert await shop.entries() == ()


async def test_a_session_that_nobody_may_see_or_that_is_not_there_is_left_alone(tmp_path: Path) -> None:
    shop = workshop(tmp_path)

    assert (await shop.run(key="telegram:nobody")).rounds == 0


async def test_what_arrives_meanwhile_stays_in_view(tmp_path: Path) -> None:
    gate = asyncio.Event()
    shop = workshop(tmp_path, Held(answer=quoting, until=gate))
    await shop.say(talk(10))
    running = asyncio.create_task(shop.run())
    await shop.llm.asked(1)
    await shop.say(talk(2, first=11))
    gate.set()
    await running
    session = await shop.session()

    assert session.last_seq == 24
    assert 12 <= session.last_consolidated <= 16
    assert [message.seq for message in session.visible()][-4:] == [21, 22, 23, 24]


async def test_no_lock_is_held_while_the_model_writes(tmp_path: Path) -> None:
    gate = asyncio.Event()
    shop = workshop(tmp_path, Held(answer=quoting, until=gate))
    await shop.say(talk(10))
    running = asyncio.create_task(shop.run())
    await shop.llm.asked(1)

    assert not shop.sessions.locked(KEY)
    gate.set()
    await running


async def test_an_erasure_meanwhile_makes_it_read_again_without_the_erased_words(tmp_path: Path) -> None:
    gate = asyncio.Event()
    shop = workshop(tmp_path, Held(answer=quoting, until=gate))
    await shop.say(talk(10))
    running = asyncio.create_task(shop.run())
    await shop.llm.asked(1)
    await shop.sessions.erase(KEY, [3])
    gate.set()
    await running

    assert not any("1002" in text for text in await shop.claims())
    assert [entry.to_seq for entry in await shop.entries()] == [12]
    assert not any("1002" in claim.text for entry in await shop.entries() for claim in entry.claims)


async def test_a_pointer_that_moved_meanwhile_is_not_moved_again(tmp_path: Path) -> None:
    gate = asyncio.Event()
    shop = workshop(tmp_path, Held(answer=quoting, until=gate), limits=Limits(rounds=1))
    await shop.say(talk(10))
    running = asyncio.create_task(shop.run())
    await shop.llm.asked(1)
    await shop.run()
    gate.set()
    report = await running

    assert report.messages == 0
    assert [(entry.from_seq, entry.to_seq) for entry in await shop.entries()] == [(1, 12)]


async def test_a_session_deleted_meanwhile_stays_deleted(tmp_path: Path) -> None:
    gate = asyncio.Event()
    shop = workshop(tmp_path, Held(answer=quoting, until=gate))
    await shop.say(talk(10))
    running = asyncio.create_task(shop.run())
    await shop.llm.asked(1)
    await shop.sessions.delete(KEY)
    gate.set()
    await running

    assert await shop.store.load(KEY, limit=1) is None
    assert await shop.entries() == ()


async def test_an_erased_and_an_undone_message_are_not_shown_to_the_model(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))
    await shop.sessions.erase(KEY, [1])
    async with shop.sessions.checkout(KEY) as session:
        session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=3, to_seq=4, at=NOON))
        await shop.sessions.save(session)
    await shop.run()

    assert min(seen(shop.llm.prompts)) == 2
    assert not {1, 3, 4} & set(seen(shop.llm.prompts))


async def test_new_puts_everything_away_and_takes_it_out_of_the_view(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(3))
    report = await shop.run(Reason.NEW, to_seq=6)

    assert report.messages == 6
    assert list((await shop.session()).visible()) == []
    assert len(await shop.claims()) == 3


async def test_a_turn_is_never_cut_in_two(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    big: list[Message] = [say("Read the notes of 12 May.", turn="big")]
    for number in range(10):
        big += [
            call(f"c{number}", arguments="{}"),
            result(f"note {number}", call_id=f"c{number}"),
        ]
    await shop.say([*talk(5), *big, answer("Read.", turn="big")])
    await shop.run()

    assert (await shop.session()).last_consolidated == 10


async def test_budget_cuts_at_the_first_border_that_removes_enough(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=1024)
    await shop.say(talk(10, tokens=50))  # 1000 tokens against a target of 384
    await shop.run(Reason.BUDGET)
    session = await shop.session()
    left = sum(message.tokens for message in session.visible())

    assert session.last_consolidated % 2 == 0
    assert left <= 384
    assert left + 96 + 100 > 384  # the summary's room and one turn more would not have fitted


async def test_budget_goes_on_over_rounds_and_saves_the_pointer_after_each(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=100_000, limits=Limits(rounds=2))
    await shop.say(talk(10, tokens=10_000))
    report = await shop.run(Reason.BUDGET)

    assert report.rounds == 2
    assert [(entry.from_seq, entry.to_seq) for entry in await shop.entries()] == [(1, 2), (3, 4)]


async def test_an_answered_turn_larger_than_everything_is_cut_between_its_rounds(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=1024)
    turn: list[Message] = [say("Count the boxes in hall 7.", turn="t")]
    for number in range(20):
        turn += [
            call(f"c{number}", arguments="{}"),
            result(f"hall 7 has box {number}", call_id=f"c{number}"),
        ]
    turn = [*turn, answer("20 boxes.")]
    await shop.say([replace(message, turn="t", tokens=60) for message in turn])
    await shop.run(Reason.BUDGET)
    visible = (await shop.session()).visible()

    assert 0 < (await shop.session()).last_consolidated < 42
    assert visible[0].seq == 1
    assert visible[-1].content == "20 boxes."
    assert type(visible[1]).__name__ == "AssistantMessage"


async def test_a_turn_that_is_not_answered_yet_is_left_whole(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=1024)
    open_turn: list[Message] = [say("Count.", turn="t", tokens=600)]
    for number in range(3):
        open_turn += [call(f"c{number}", arguments="{}"), result("box", call_id=f"c{number}")]
    await shop.say(open_turn)

    assert (await shop.run(Reason.BUDGET)).rounds == 0


@pytest.mark.parametrize(
    "broken",
    [LLMUnavailable("down"), "I'd rather not.", "", '{"key_facts": 7}', "{", "[1, 2]"],
    ids=["raises", "prose", "empty", "wrong types", "half", "list"],
)
async def test_a_broken_summariser_costs_no_memory(tmp_path: Path, broken: str | LLMUnavailable) -> None:
    shop = workshop(tmp_path, otherwise=broken)
    await shop.say(talk(10))
    report = await shop.run()
    [entry] = await shop.entries()

    assert report.messages == 12
    assert report.failures
    assert entry.kind is EntryKind.EXTRACT
    assert [claim.text for claim in entry.claims] == [
        f"My locker number {n} is {1000 + n}." for n in range(1, 7)
    ]


async def test_a_failing_summariser_is_left_alone_for_longer_and_longer(tmp_path: Path) -> None:
    shop = workshop(tmp_path, otherwise=LLMUnavailable("down"))
    asked = []
    for minutes in (0, 0.9, 0.2, 4.8, 0.3, 14.8, 0.3, 14.8, 0.3):
        await shop.clock.advance(60 * minutes)
        await shop.say(talk(5))
        before = len(shop.llm.prompts)
        await shop.run()
        asked.append(len(shop.llm.prompts) - before)

    assert asked == [1, 0, 1, 0, 1, 0, 1, 0, 1]


async def test_the_cool_down_outlives_the_process_and_is_the_audiences_own(tmp_path: Path) -> None:
    shop = workshop(tmp_path, LLMUnavailable("down"))
    await shop.say(talk(10))
    await shop.run()
    again = workshop(tmp_path)
    await again.say(talk(10))
    await again.run()
    await again.say(talk(10), key="telegram:7", audience="person-bob")
    await again.run(key="telegram:7")

    assert [prompt.session for prompt in again.llm.prompts] == ["telegram:7"]


async def test_a_cool_down_that_cannot_be_ended_is_said_as_the_disks_failure(tmp_path: Path) -> None:
    cooldowns = CoolDowns(tmp_path, now=ManualClock().now)
    (tmp_path / "memory" / AUDIENCE / ".cooldown").mkdir(parents=True)

    with pytest.raises(StoreUnavailable, match="cooldown"):
        await cooldowns.worked(AUDIENCE)


async def test_a_success_makes_the_next_failure_a_first_one(tmp_path: Path) -> None:
    shop = workshop(tmp_path, LLMUnavailable("down"), quoting, LLMUnavailable("down"))
    for minutes in (0, 2, 0, 1.1):
        await shop.clock.advance(60 * minutes)
        await shop.say(talk(10))
        await shop.run()

    assert len(shop.llm.prompts) == 4


async def test_a_rejected_claim_gets_one_second_try_that_says_why(tmp_path: Path) -> None:
    wrong = answer_of([item("My locker number 1 is 9999.", 1, "My locker number 1 is 1001.")])
    right = answer_of([item("My locker number 1 is 1001.", 1)])
    shop = workshop(tmp_path, wrong, right)
    await shop.say(talk(10))
    report = await shop.run()
    request = shop.llm.prompts[1].messages[-1].content

    assert len(shop.llm.prompts) == 2
    assert "9999" in request.partition("Messages:")[2]
    assert "do not hold this number" in request
    assert await shop.claims() == ["My locker number 1 is 1001."]
    assert report.rejected == 1


async def test_of_what_is_rejected_twice_the_quoted_words_are_kept_and_the_claim_can_be_read(
    tmp_path: Path,
) -> None:
    wrong = answer_of(
        [
            item("My locker number 1 is 9999.", 1, "My locker number 1 is 1001."),
            item("My locker number 2 is 1002.", 3),
        ]
    )
    shop = workshop(tmp_path, wrong, answer_of())
    await shop.say(talk(10))
    await shop.run()
    [entry] = await shop.entries()

    assert await shop.claims() == ["My locker number 1 is 1001.", "My locker number 2 is 1002."]
    assert entry.kind is EntryKind.MODEL
    assert [(each["text"], each["status"], each["reason"]) for each in entry.rejected] == [
        ("My locker number 1 is 9999.", "rejected", "anchor_missing")
    ]


async def test_a_rejected_claim_is_forgotten_like_any_other(tmp_path: Path) -> None:
    wrong = [
        item("My locker number 1 is 9999.", 1, "My locker number 1 is 1001."),
        item("My locker number 2 is 9999.", 3, "My locker number 2 is 1002."),
        item("Nobody has locker 1.", 99, "My locker number 1 is 1001."),
    ]
    shop = workshop(tmp_path, answer_of([*wrong, item("My locker number 3 is 1003.", 5)]), answer_of())
    await shop.say(talk(10))
    await shop.run()
    removed = await shop.history.erase(
        AUDIENCE,
        is_erased=lambda claim: any(each.seq == 1 for each in claim.evidence),
        is_erased_text=lambda text: "1001" in text,
    )
    [entry] = await shop.entries()

    assert removed == 3  # two rejected ones, and the words that they pointed at
    assert [each["text"] for each in entry.rejected] == ["My locker number 2 is 9999."]


async def test_a_newer_claim_supersedes_the_one_that_it_names(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(5))
    await shop.run(Reason.NEW, to_seq=2)
    [old] = (await shop.summary()).claims
    shop.llm.add(answer_of([item("My locker number 2 is 1002.", 3, supersedes=[old.id[:8]])]))
    await shop.run(Reason.NEW, to_seq=4)

    assert f"[{old.id[:8]}]" in shop.llm.prompts[-1].messages[-1].content
    assert await shop.claims() == ["My locker number 2 is 1002."]
    assert [(each.text, each.status) for each in (await shop.entries())[-1].claims] == [
        ("My locker number 2 is 1002.", Status.ACTIVE),
        (old.text, Status.SUPERSEDED),
    ]


async def test_what_leaves_the_summary_for_room_is_told_by_the_archive_and_joins_it_no_more(
    tmp_path: Path,
) -> None:
    shop = workshop(tmp_path, window=1000)
    await shop.say(talk(40))
    before = await shop.session()
    await shop.run(Reason.NEW, to_seq=60)
    kept = await shop.claims()
    told = [claim for entry in await shop.entries() for claim in entry.claims]
    async with shop.sessions.checkout(KEY) as session:  # as if the second write had never come
        session.last_consolidated, session.summary = before.last_consolidated, before.summary
        await shop.sessions.save(session)
    again = workshop(tmp_path, store=shop.store, window=1000)
    await again.run(Reason.NEW, to_seq=60)

    assert len({claim.id for claim in told}) == 30
    assert len(kept) + sum(claim.status is Status.AGED for claim in told) == 30
    assert 0 < len(kept) < 30
    assert await again.claims() == kept


async def test_the_older_part_is_context_and_is_not_read_again(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(5))
    await shop.run(Reason.NEW, to_seq=4)
    await shop.run(Reason.NEW, to_seq=8)

    assert [sorted(seen([prompt])) for prompt in shop.llm.prompts] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert "1001" in shop.llm.prompts[1].messages[-1].content.partition("Messages:")[0]


async def test_a_small_window_reads_everything_in_parts_that_fit(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=1000)
    words = " ".join(f"word{n}" for n in range(900))
    await shop.say([say(words, turn="a"), answer("Long.", turn="a"), *talk(30)])
    await shop.run()
    read = seen(shop.llm.prompts)

    assert all(prompt.estimated_tokens + prompt.max_output <= 1000 for prompt in shop.llm.prompts)
    assert len(shop.llm.prompts) > 5
    assert read[1].split() == words.split()
    assert sorted(read) == list(range(1, 55))


async def test_a_crash_between_archive_and_pointer_repeats_nothing(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))
    before = await shop.session()
    await shop.run()
    async with shop.sessions.checkout(KEY) as session:  # as if the second write had never come
        session.last_consolidated, session.summary = before.last_consolidated, before.summary
        await shop.sessions.save(session)
    again = workshop(tmp_path, store=shop.store)
    await again.run()

    assert again.llm.prompts == []
    assert len(await again.entries()) == 1
    assert (await again.session()).last_consolidated == 12
    assert len(await again.claims()) == 6


async def test_a_session_begun_anew_under_an_old_key_is_read_itself(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(10))
    await shop.run()
    await shop.sessions.delete(KEY)
    again = workshop(tmp_path)
    async with again.sessions.checkout(KEY, audience=AUDIENCE) as session:
        for message in talk(10, first=50):
            session.add(message)
        await again.sessions.save(session)
    await again.run()

    assert [line.seq for line in lines_of(again.llm.prompts[0])][:2] == [1, 2]


async def test_a_long_history_that_came_from_elsewhere_is_taken_stretch_by_stretch(tmp_path: Path) -> None:
    shop = workshop(tmp_path, otherwise=LLMUnavailable("down"), limits=Limits(rounds=2))
    await shop.say(talk(1100, tokens=100))
    report = await shop.run()

    assert report.rounds == 2
    assert (await shop.session()).last_consolidated == 480


async def test_a_window_smaller_than_two_messages_takes_all_but_the_last_turn(tmp_path: Path) -> None:
    shop = workshop(tmp_path, window=512)
    words = "A long report of 12 May. " * 17
    rows: list[Message] = [
        say(words, turn="1"),
        answer(words, turn="1"),
        say(words, turn="2"),
        answer(words, turn="2"),
    ]
    await shop.say([replace(message, tokens=120) for message in [*rows, say(words, turn="3")]])
    await shop.run(Reason.BUDGET)

    assert (await shop.session()).last_consolidated == 4


@given(
    st.lists(
        st.sampled_from(["talk", "compact", "budget", "new", "undo", "break", "mend", "erase"]), max_size=12
    ),
)
@settings(deadline=None, max_examples=15)
def test_whatever_happens_every_message_is_archived_or_still_to_be_seen(steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), steps))


async def walk(state: Path, steps: list[str]) -> None:
    """Take the steps, and look at everything after each."""
    broken = [False]
    shop = workshop(
        state,
        otherwise=lambda prompt: "no" if broken[0] else quoting(prompt),
        window=1024,
        limits=Limits(keep_recent=2),
    )
    await shop.say(talk(3, tokens=90))
    for number, step in enumerate(steps, start=1):
        await take(shop, step, broken, first=100 * number)
        session = await shop.session()
        entries = await shop.entries()
        ends = [0, *(entry.to_seq for entry in entries)]

        assert [entry.from_seq for entry in entries] == [end + 1 for end in ends[:-1]]
        assert ends[-1] == session.last_consolidated
        assert [message.seq for message in session.messages] == list(range(1, session.last_seq + 1))
        seen_now = {message.seq for message in session.visible()}
        due = range(max(session.last_consolidated + 1, session.view_from), session.last_seq + 1)
        erased = {message.seq for message in session.messages if message.erased}
        assert {seq for seq in due if not session.is_hidden(seq)} - erased <= seen_now


async def take(shop: Workshop, step: str, broken: list[bool], *, first: int) -> None:
    """One step of a life."""
    if step == "talk":
        await shop.say(talk(4, tokens=90, first=first))
    elif step in {"break", "mend"}:
        broken[0] = step == "break"
        await shop.clock.advance(3600)
    elif step == "erase":
        session = await shop.session()
        await shop.sessions.erase(KEY, [session.last_seq // 2 or 1])
    elif step == "undo":
        async with shop.sessions.checkout(KEY) as session:
            span = (session.last_seq - 1, session.last_seq)
            session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=span[0], to_seq=span[1], at=NOON))
            await shop.sessions.save(session)
    elif step == "new":
        async with shop.sessions.checkout(KEY) as session:
            session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=session.last_seq + 1, at=NOON))
            await shop.sessions.save(session)
        await shop.run(Reason.NEW)
    else:
        await shop.run(Reason(step))
