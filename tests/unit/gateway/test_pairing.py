"""Strangers and their codes, people who were let in, and `/pair`."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection

import pytest
from structlog.testing import capture_logs

from channels.access import Person, Role
from channels.messages import ChatKind, Entrance, InboundMessage, OutboundMessage
from gateway.journal.base import PairingCode
from gateway.journal.in_memory import InMemoryJournal
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from gateway.pairing.approvals import Approvals, PairingRefused
from gateway.pairing.codes import ALPHABET, LENGTH, new_code, typed_code
from gateway.pairing.commands import USAGE, pairing_handlers
from gateway.pairing.names import free_name
from gateway.pairing.strangers import MOST_OPEN, Strangers
from gateway.service.clock import ManualClock
from gateway.turns.commands import CommandContext, Commands, parse
from memory.errors import StoreUnavailable
from tests.helpers.conversations import new_session
from tests.helpers.failing import FailingDatabase, failing
from tests.helpers.journals import NOON, inbound, pairing

HELLO = inbound("telegram:77/1", sender_id="77", chat_id="77", sender_name="Sam", text="let me in")


class Door:
    """A stranger's way to a code, on a clock that stands still."""

    def __init__(self) -> None:
        self.journal = InMemoryJournal()
        self.clock = ManualClock(NOON)
        self.delivered: list[OutboundMessage] = []
        self.strangers = self.reopened()

    def reopened(self) -> Strangers:
        """As after a restart."""
        return Strangers(self.journal, deliver=self.delivered.extend, clock=self.clock)

    async def knock(self, message: InboundMessage = HELLO) -> None:
        await self.strangers.answer(message)

    async def codes(self) -> list[PairingCode]:
        return await self.journal.codes(now=self.clock.now())


@pytest.fixture
def door() -> Door:
    return Door()


async def test_a_stranger_is_shown_their_code_and_nothing_else(door: Door) -> None:
    await door.knock()

    [code], [shown] = await door.codes(), door.delivered
    assert (code.channel, code.sender_id, code.sender_name, code.chat_id) == ("telegram", "77", "Sam", "77")
    assert (shown.channel, shown.chat_id) == ("telegram", "77")
    assert f"give this code to the person who runs me: {code.code}\nIt is good for 10 minutes" in shown.text
    assert [entry.message.text for entry in await door.journal.due()] == [shown.text]
    assert await door.journal.accepted(HELLO.id) is None


async def test_a_code_is_told_once_in_its_lifetime_also_after_a_restart(door: Door) -> None:
    await door.knock()
    await door.knock(replace(HELLO, id="telegram:77/2"))
    door.strangers = door.reopened()
    await door.knock(replace(HELLO, id="telegram:77/3"))
    told = len(door.delivered)
    await door.clock.advance(600)
    await door.knock(replace(HELLO, id="telegram:77/4"))

    assert told == 1
    first, second = door.delivered
    assert first.text != second.text


@pytest.mark.parametrize(
    "message",
    [replace(HELLO, chat_kind=ChatKind.GROUP, chat_id="-100"), replace(HELLO, entrance=Entrance.SCHEDULE)],
)
async def test_groups_and_what_nobody_wrote_meet_silence(door: Door, message: InboundMessage) -> None:
    await door.knock(message)

    assert door.delivered == []
    assert await door.codes() == []


async def test_a_crowd_gets_so_many_codes_in_a_channel_and_no_more(door: Door) -> None:
    for number in range(MOST_OPEN + 5):
        await door.knock(replace(HELLO, id=f"telegram:{number}/1", sender_id=str(number)))
    await door.knock(replace(HELLO, channel="slack"))
    door.strangers = door.reopened()
    await door.knock(replace(HELLO, id="telegram:late/1", sender_id="late"))

    assert len(door.delivered) == MOST_OPEN + 1
    assert [code.channel for code in await door.codes()].count("telegram") == MOST_OPEN


async def test_the_code_comes_in_the_strangers_language_and_so_does_the_welcome(door: Door) -> None:
    await door.knock(replace(HELLO, text="你好"))
    [code] = await door.codes()
    people = Approvals(door.journal, configured={})
    approved = await people.approve(code.code, now=NOON)

    assert "配对码" in door.delivered[0].text
    assert approved.welcome.text == "欢迎你，sam！现在可以和我说话了。"


async def test_a_name_cannot_steer_the_operators_terminal(door: Door) -> None:
    await door.knock(replace(HELLO, sender_name="\x1b[2JSam\n\u202e" + "x" * 100))

    [code] = await door.codes()
    assert code.sender_name == "[2JSam" + "x" * 58


async def test_a_disk_that_fails_means_silence_and_stops_no_channel(door: Door) -> None:
    door.strangers = Strangers(
        failing(door.journal, ["offer"]), deliver=door.delivered.extend, clock=door.clock
    )
    with capture_logs() as logs:
        await door.knock()

    assert door.delivered == []
    assert [line["event"] for line in logs] == ["pairing_unwritable"]


def test_codes_are_short_and_read_without_doubt() -> None:
    codes = [new_code() for _ in range(200)]

    assert len(set(codes)) == 200
    assert {len(code) for code in codes} == {LENGTH}
    assert set("".join(codes)) <= set(ALPHABET)
    assert set(ALPHABET).isdisjoint("01OILAEU")
    assert typed_code(" bcd-fgh ") == "BCDFGH"


@pytest.mark.parametrize(
    ("shown", "taken", "name"),
    [
        ("Sam", [], "sam"),
        ("Sam O'Neil ", [], "sam-o-neil"),
        ("Sam", ["SAM", "sam-2"], "sam-3"),
        ("🦊", [], "telegram-77"),
        ("../../etc", [], "etc"),
        ("王小明", [], "王小明"),
        ("x" * 100, [], "x" * 40),
    ],
)
def test_a_name_is_made_of_what_a_stranger_is_called(shown: str, taken: list[str], name: str) -> None:
    assert free_name(replace(pairing("ABC"), sender_name=shown), taken=taken) == name


@pytest.fixture
async def people() -> Approvals:
    """One owner in the configuration, and one stranger with a code."""
    journal = InMemoryJournal()
    await journal.offer(pairing("BCD234"), now=NOON)
    return Approvals(journal, configured={"ann": "owner"})


async def test_an_approved_stranger_is_a_person_at_once_and_is_told(people: Approvals) -> None:
    before = people.person_of("telegram", "77")
    approved = await people.approve("bcd 234", now=NOON)

    assert before is None
    assert people.person_of("telegram", "77") == Person(name="sam", role=Role.MEMBER)
    assert people.person_of("slack", "77") is None
    assert people.role_of("sam") == "member"
    assert (approved.welcome.channel, approved.welcome.chat_id) == ("telegram", "77")
    assert approved.welcome.text == "Welcome, sam! You can talk to me now."


async def test_a_stranger_who_is_called_like_somebody_does_not_become_them(people: Approvals) -> None:
    people.configured = {"Sam": "owner"}
    approved = await people.approve("BCD234", now=NOON)

    assert (approved.member.name, approved.member.role) == ("sam-2", "member")


async def test_the_operator_may_name_somebody_who_is_known(people: Approvals) -> None:
    approved = await people.approve("BCD234", name="Ann", now=NOON)

    assert (approved.member.name, approved.member.role) == ("ann", "owner")


@pytest.mark.parametrize(
    ("name", "role", "problem"),
    [
        ("../x", "", "is no name for a person"),
        ("", "king", "is no role: expected owner or member"),
        ("ann", "member", "ann is known already, as owner"),
    ],
)
async def test_what_makes_no_sense_lets_nobody_in_and_keeps_the_code(
    people: Approvals, name: str, role: str, problem: str
) -> None:
    with pytest.raises(PairingRefused, match=problem):
        await people.approve("BCD234", name=name, role=role, now=NOON)

    assert people.members == ()
    assert len(await people.codes(now=NOON)) == 1


async def test_a_code_that_is_unknown_used_or_over_lets_nobody_in(people: Approvals) -> None:
    for code, now in (("XXXXXX", NOON), ("BCD234", NOON + timedelta(minutes=10))):
        with pytest.raises(PairingRefused, match="unknown or no longer good"):
            await people.approve(code, now=now)

    assert people.members == ()


async def test_who_is_put_out_is_a_stranger_again(people: Approvals) -> None:
    await people.approve("BCD234", now=NOON)
    revoked = await people.revoke("telegram", "77")

    assert revoked is not None
    assert revoked.name == "sam"
    assert people.person_of("telegram", "77") is None
    assert await people.revoke("telegram", "77") is None


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[FailingDatabase]:
    opened = await FailingDatabase.open(tmp_path / "mneme.db", [JOURNAL_SCHEMA])
    yield opened
    await opened.close()


async def test_a_disk_that_fails_lets_nobody_in_and_puts_nobody_out(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    await journal.offer(pairing("BCD234"), now=NOON)
    people = Approvals(journal, configured={})
    db.fail()
    with pytest.raises(StoreUnavailable):
        await people.approve("BCD234", now=NOON)
    outside = people.person_of("telegram", "77")
    await people.approve("BCD234", now=NOON)
    db.fail()
    with pytest.raises(StoreUnavailable):
        await people.revoke("telegram", "77")

    assert outside is None
    assert people.person_of("telegram", "77") is not None
    assert [member.name for member in await journal.members()] == ["sam"]


async def test_rows_that_cannot_be_read_let_nobody_in_and_hide_nobody(db: FailingDatabase) -> None:
    journal = SqliteJournal(db)
    await journal.offer(pairing("BCD234"), now=NOON)
    await Approvals(journal, configured={}).approve("BCD234", now=NOON)

    def damage(connection: Connection) -> None:
        rows = [
            ("telegram", "1", "eve", "king", "2026-01-01T00:00:00+00:00"),
            ("telegram", b"\xff", "eve", "owner", "2026-01-01T00:00:00+00:00"),
            ("telegram", "3", "", "owner", "2026-01-01T00:00:00+00:00"),
            ("telegram", "4", "dora", "member", "no date"),
        ]
        connection.executemany("INSERT INTO member VALUES (?, ?, ?, ?, ?)", rows)
        broken = [("X1", "telegram", "9", "", "9", "soon", ""), ("X2", "telegram", b"8", "", "8", "z", "")]
        connection.executemany("INSERT INTO pairing VALUES (?, ?, ?, ?, ?, ?, ?)", broken)

    await db.write(damage)
    people = Approvals(journal, configured={})
    await people.refresh()
    fresh = await journal.offer(pairing("BCD235", sender_id="9"), now=NOON)

    assert {member.name for member in people.members} == {"sam", "dora"}
    assert fresh.code == "BCD235"
    assert [code.code for code in await people.codes(now=NOON)] == ["BCD235"]


async def pair(people: Approvals, text: str, *, role: str = "owner") -> tuple[object, list[OutboundMessage]]:
    """What `/pair …` says, and what it sends elsewhere."""
    sent: list[OutboundMessage] = []
    message = inbound("a", text=text)
    command = parse(message)
    assert command is not None
    context = CommandContext(
        session=new_session(), message=message, argument=command.argument, role=role, language="en"
    )
    said = await Commands(pairing_handlers(people, deliver=sent.extend)).answer(command, context)
    return said, sent


@pytest.fixture
async def waiting() -> Approvals:
    """As `people`, at the time that it is."""
    journal = InMemoryJournal()
    later = datetime.now(UTC) + timedelta(minutes=9, seconds=30)
    await journal.offer(replace(pairing("BCD234"), expires_at=later))
    return Approvals(journal, configured={"ann": "owner"})


async def test_the_owner_sees_lets_in_and_puts_out_from_the_chat(waiting: Approvals) -> None:
    asked, _ = await pair(waiting, "/pair")
    said, sent = await pair(waiting, "/pair bcd234 sammy")
    listed, _ = await pair(waiting, "/pair")
    revoked, _ = await pair(waiting, "/pair revoke telegram 77")

    assert asked == "BCD234: Sam asks to come in (telegram 77); good for 10 more minutes"
    assert said == "sammy can talk to me now."
    assert [message.chat_id for message in sent] == ["77"]
    assert listed == "sammy, member (telegram 77)"
    assert revoked == "sammy can't talk to me any more."


@pytest.mark.parametrize(
    ("text", "role", "answer"),
    [
        ("/pair bcd234", "member", "Only the owner can do that."),
        ("/pair XXXXXX", "owner", "That code is unknown or no longer good."),
        ("/pair revoke telegram", "owner", f"Write it like this: {USAGE}"),
        ("/pair revoke telegram 5", "owner", "Nobody was let in by that identity."),
    ],
)
async def test_what_pair_cannot_do_is_said(waiting: Approvals, text: str, role: str, answer: str) -> None:
    said, sent = await pair(waiting, text, role=role)

    assert said == answer
    assert (sent, waiting.members) == ([], ())
