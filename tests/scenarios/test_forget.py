import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prompt_toolkit.history import FileHistory

from channels.messages import ChatKind, InboundMessage, SessionKey
from gateway.app.stores import forget_for, open_stores
from gateway.app.typed import TYPED
from gateway.journal.base import Job, Reminder
from gateway.journal.origin import origin_of
from gateway.llm.client import Prompt
from gateway.llm.scripted import Held, ScriptedLLM
from memory.archive.entry import Entry
from memory.claims.claim import Claim, ClaimKind, Evidence
from memory.claims.summary import Summary, summary_to_dict
from memory.forget import Holds, UnknownReference
from memory.messages import Provenance, UserMessage
from tests.helpers.dreaming import Mind
from tests.helpers.house import House, house, settings_for
from tests.helpers.leftovers import holding
from tests.helpers.summarizing import quoting

KEY = "loopback:main"
SECRET = "the vault opens with marzipan-4711"
AT = datetime(2026, 3, 1, tzinfo=UTC)


def claim(text: str, *, seq: int) -> Claim:
    return Claim(
        id=f"7f3a09bc1122334{seq}",
        session=KEY,
        kind=ClaimKind.FACT,
        text=text,
        evidence=(Evidence(seq=seq, quote=text),),
        speaker="owner",
        at=AT,
        provenance=Provenance.OWNER,
    )


async def spread(inside: House, *, seq: int) -> None:
    """Let every place that remembers hold the secret: summary, archive, memory file and its history, jobs, reminders."""
    stores = inside.gateway.stores
    remembered = claim(SECRET, seq=seq)
    async with stores.sessions.checkout(KEY) as session:
        summary = Summary(
            key_facts=(remembered, claim("tea is liked", seq=1)), decisions=(), open_questions=()
        )
        session.summary = summary_to_dict(summary)
        await stores.sessions.save(session)
    await stores.history.append(
        "person-owner", Entry(session=KEY, from_seq=1, to_seq=seq, at=AT, claims=(remembered,))
    )
    notes = inside.gateway.settings.gateway.state / "memory" / "person-owner" / "MEMORY.md"
    notes.write_text(f"- {SECRET} <!-- c:7f3a09bc {KEY}#{seq} -->\n- likes tea\n")
    await stores.notebook.read("person-owner")
    payload = {"task": f"find out whether {SECRET}"}
    await stores.journal.enqueue(
        Job(id="j1", kind="other", session=KEY, payload=payload, run_at=AT, created_at=AT)
    )
    await stores.journal.remind(
        Reminder(id="r1", session=KEY, text=SECRET, next_at=datetime(2999, 1, 1, tzinfo=UTC))
    )
    await stores.index.caught_up()


@pytest.fixture(params=["sqlite", "jsonl"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"sessions__store": request.param}


async def test_no_word_of_a_forgotten_message_is_left_and_every_other_number_stands(
    tmp_path: Path, store: dict[str, str]
) -> None:
    async with house(tmp_path, overrides=store) as inside:
        await inside.ask("tea is liked here")
        await inside.ask(SECRET)
        await inside.ask("something else")
        await inside.calm()
        await spread(inside, seq=3)
        before = holding(tmp_path)
        report = await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#3")
        messages = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=100)
        hits = await inside.gateway.stores.index.search("person-owner", "marzipan vault", limit=5)
        after = holding(tmp_path)

    assert len(before) >= 5
    assert after == []
    assert holding(tmp_path) == []
    assert [message.seq for message in messages] == [1, 2, 3, 4, 5, 6]
    assert [message.seq for message in messages if message.erased] == [3, 4]
    assert [message.content for message in messages if message.seq in {1, 5}] == [
        "tea is liked here",
        "something else",
    ]
    assert hits == []
    assert report.messages == (f"{KEY}#3", f"{KEY}#4")
    assert (report.claims, report.archived, report.lines, report.owed) == (1, 1, 1, 2)


async def test_a_forgotten_person_leaves_nothing_and_others_keep_theirs(
    tmp_path: Path, store: dict[str, str]
) -> None:
    async with house(tmp_path, overrides=store) as inside:
        await inside.ask(SECRET)
        await inside.calm()
        await spread(inside, seq=1)
        report = await forget_for(inside.gateway.settings, inside.gateway.stores).person(
            "person-owner", senders=["owner"]
        )
        heads = await inside.gateway.stores.sessions.heads()
        after = holding(tmp_path)

    assert report.sessions == (KEY,)
    assert heads == []
    assert after == []
    assert not (tmp_path / "memory" / "person-owner").exists()


async def test_the_command_erases_what_belongs_to_the_one_who_asks(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        await inside.ask(SECRET)
        reply = await inside.ask(f"/forget {KEY}#1")
        again = await inside.ask(f"/forget {KEY}#1")
        unclear = await inside.ask("/forget")
        await inside.calm()

    assert "Erased, with whatever repeats it: 2 messages" in reply
    assert "nothing under" in again
    assert f"/forget {KEY}#17" in unclear
    assert holding(tmp_path) == []


async def test_a_message_of_this_conversation_is_named_by_its_number_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        await inside.ask(SECRET)
        shown = await inside.ask("/why #1")
        elsewhere = await inside.loopback.ask("/why #1", chat_id="other")
        reply = await inside.ask("/forget #1")
        await inside.calm()

    assert SECRET in shown
    assert SECRET not in elsewhere
    assert "Erased, with whatever repeats it: 2 messages" in reply
    assert holding(tmp_path) == []


async def test_a_reference_of_another_audience_is_unknown(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        await inside.ask(SECRET)
        forget = forget_for(inside.gateway.settings, inside.gateway.stores)

        with pytest.raises(UnknownReference):
            await forget.message(f"{KEY}#1", audience="person-bob")


async def test_a_short_word_takes_no_other_message_along(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        await inside.ask("yes")
        await inside.ask("yes")
        report = await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#1")

    assert report.messages == (f"{KEY}#1",)


async def test_what_a_crash_left_of_a_replacement_is_swept_at_the_start_and_by_an_erasure(
    tmp_path: Path,
) -> None:
    def leave() -> None:
        for folder in (tmp_path, tmp_path / "sessions", tmp_path / "memory" / "person-owner"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".new-0123456789abcdef").write_text(SECRET)

    leave()
    async with house(tmp_path) as inside:
        at_start = holding(tmp_path)
        await inside.ask(SECRET)
        leave()
        await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#1")
        after = holding(tmp_path)

    assert at_start == []
    assert after == []


async def test_a_line_typed_at_the_terminal_is_forgotten_with_its_message_and_the_others_stay(
    tmp_path: Path,
) -> None:
    typed = TypedHistory(tmp_path)
    typed.enter(SECRET, f"first line\n# {SECRET}\nlast line", "tea is liked here")
    async with house(tmp_path) as inside:
        await inside.ask(SECRET)
        report = await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#1")

    assert typed.entered() == ["tea is liked here"]
    assert report.typed == 2
    assert typed.path.stat().st_mode & 0o777 == 0o600


async def test_with_the_person_at_the_terminal_goes_all_that_was_typed_there(tmp_path: Path) -> None:
    typed = TypedHistory(tmp_path)
    typed.enter("/memory", SECRET)
    async with house(tmp_path) as inside:
        stores = inside.gateway.stores
        async with stores.sessions.checkout("terminal:work", audience="person-owner") as session:
            session.add(UserMessage(content="hello", at=AT))
            await stores.sessions.save(session)
        forget = forget_for(inside.gateway.settings, stores)
        await forget.person("person-owner", senders=["owner"])

    assert typed.entered() == []


async def test_a_pipe_where_typed_lines_are_kept_holds_no_chat_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / TYPED)
    async with house(tmp_path) as inside:
        await inside.ask(SECRET)
        reply = await inside.ask(f"/forget {KEY}#1")
        after = await inside.ask("tea")

    assert "can't read" in reply
    assert after == "heard: tea"


async def test_with_a_person_goes_what_waits_for_its_first_answer_and_what_falls_due(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with open_stores(settings) as stores:
        for chat, person in (("first", "owner"), ("other", "bob"), ("group", "owner")):
            await stores.journal.accept(waiting(SECRET, chat_id=chat, person=person))
        await stores.journal.remind(
            Reminder(
                id="r1",
                session="loopback:never",
                text=SECRET,
                next_at=datetime(2999, 1, 1, tzinfo=UTC),
                origin={"message": origin_of(waiting("", chat_id="never", person="owner"), language="en")},
            )
        )
        report = await forget_for(settings, stores).person("person-owner", senders=["owner"])
        left = await stores.journal.waiting(limit=9)
        due = await stores.journal.reminders()

    assert report.owed == 3
    assert [entry.message.chat_id for entry in left] == ["other"]
    assert due == []


def waiting(text: str, *, chat_id: str, person: str) -> InboundMessage:
    """A message as intake accepts it."""
    return InboundMessage(
        id=f"loopback:{chat_id}/1",
        channel="loopback",
        chat_id=chat_id,
        chat_kind=ChatKind.GROUP if chat_id == "group" else ChatKind.DIRECT,
        sender_id=person,
        text=text,
        received_at=AT,
        session_key=SessionKey(f"loopback:{chat_id}"),
        person=person,
    )


async def test_a_consolidation_that_ends_in_the_middle_of_an_erasure_brings_no_word_back(
    tmp_path: Path,
) -> None:
    mind, asked, gate = Mind(), asyncio.Event(), asyncio.Event()

    async def summarise(prompt: Prompt) -> str:
        asked.set()
        await gate.wait()
        return quoting(prompt)

    mind.summarise = summarise
    async with house(tmp_path, mind.llm) as inside:
        mind.reply = lambda _prompt: "noted"
        await inside.ask(SECRET)
        for number in range(10):
            await inside.ask(f"tea number {number} is liked here")
        await inside.ask("/compact")
        await asked.wait()
        forget = forget_for(inside.gateway.settings, inside.gateway.stores)
        forget._typed = _Ending(gate, inside)
        await forget.message(f"{KEY}#1")
        await inside.calm()
        archived = await inside.gateway.stores.history.entries("person-owner")

    assert archived
    assert holding(tmp_path) == []


async def test_what_repeats_it_and_waits_behind_a_turn_is_neither_answered_nor_kept(tmp_path: Path) -> None:
    held = Held(answer="long thought", until=asyncio.Event())
    llm = ScriptedLLM("noted", held, otherwise=lambda prompt: f"heard: {prompt.newest}")
    async with house(tmp_path, llm) as inside:
        await inside.ask(SECRET)
        long = asyncio.create_task(inside.ask("think long", chat_id="other"))
        await llm.asked(2)
        await inside.loopback.say(f"once more: {SECRET}", chat_id="other")
        await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#1")
        held.until.set()
        await long
        after = await inside.ask("tea", chat_id="other")
        await inside.calm()

    assert after == "heard: tea"
    assert holding(tmp_path) == []


class _Ending:
    """What is asked between the derived records and the messages: a consolidation ends just then."""

    def __init__(self, gate: asyncio.Event, inside: House) -> None:
        self._gate = gate
        self._inside = inside

    async def erase(self, *, holds: Holds) -> int:
        """Let it end."""
        self._gate.set()
        await self._inside.gateway.background.worker.drain()
        return 0


class TypedHistory:
    """What the terminal offers again, as its line editor keeps it."""

    def __init__(self, state: Path) -> None:
        self.path = state / TYPED

    def enter(self, *texts: str) -> None:
        """Type them one after another."""
        for text in texts:
            FileHistory(str(self.path)).store_string(text)

    def entered(self) -> list[str]:
        """What can be called up again, oldest first."""
        return [*FileHistory(str(self.path)).load_history_strings()][::-1]
