"""The `remember` tool writes down a person's own words, and nobody else's."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from channels.messages import InboundMessage
from gateway.errors import ToolError
from gateway.tools.remember import RememberTool
from gateway.tools.tool import ToolContext
from memory.longterm.notebook import Notebook
from memory.messages import Message, Provenance, UserMessage

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = "telegram:42"


class OneSession:
    """The messages of one session."""

    def __init__(self, *messages: Message) -> None:
        self.messages = messages

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        return [message for message in self.messages if key == KEY and from_seq <= message.seq <= to_seq]


class Pen:
    """The tool, over one message of a person."""

    def __init__(
        self,
        state: Path,
        said: str,
        *,
        stored: str = "",
        provenance: Provenance = Provenance.OWNER,
        forwarded_from: str | None = None,
        audience: str = "person-ann",
        role: str = "owner",
    ) -> None:
        message = UserMessage(
            content=stored or said, at=AT, seq=7, sender_name="Ann", source_id="m7", provenance=provenance
        )
        before = replace(message, content="The boat is called Wanda.", seq=5, source_id="m5")
        self.notebook = Notebook(state)
        self.tool = RememberTool(OneSession(before, message), self.notebook, zone=lambda _person: UTC)
        self.audience = audience
        self.context = ToolContext(
            session=KEY, audience=audience, turn_id="m7", call_id="m7/1/0", role=role, seq=7,
            origin=InboundMessage(
                id="m7", channel="telegram", chat_id="42", sender_id="1001", text=said, received_at=AT,
                person="ann", forwarded_from=forwarded_from,
            ),
        )  # fmt: skip

    async def remember(self, text: str) -> str:
        return await self.tool.run({"text": text}, self.context)

    async def lines(self) -> Sequence[str]:
        pages: Mapping[str, object] = (await self.notebook.read(self.audience)).pages
        text = getattr(pages.get("MEMORY.md"), "text", "")
        return [line for line in text.splitlines() if line.startswith("-")]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I live in Graz.", "Ann lives in Graz."),
        ("I live in Graz.", "The user lives in Graz."),
        ("Please remember that my dentist is Dr. Okafor.", "My dentist is Dr. Okafor."),
        ("Remember: my rent is 900 euros. Thanks!", "My rent is 900 euros."),
        ("Can you remember that my rent is 900 euros?", "My rent is 900 euros."),
        ("Hello there. How are you? My cat is called Minka, she is 4.", "Ann's cat is called Minka."),
        (
            "My dentist is Dr. Okafor. Her number is 555 0142.",
            "My dentist is Dr. Okafor. Her number is 555 0142.",
        ),
        ("请记住：我住在格拉茨。", "我住在格拉茨。"),
    ],
)
async def test_what_the_message_says_is_written_with_its_reference(
    tmp_path: Path, said: str, text: str
) -> None:
    pen = Pen(tmp_path, said)
    answer = await pen.remember(text)
    [line] = await pen.lines()

    assert answer == f'Written down: "{text}" (telegram:42#7).'
    assert line.startswith(f"- {text} <!-- c:")
    assert line.endswith(" telegram:42#7 -->")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My rent is 900 euros.", "My rent is 950 euros."),
        ("I live in Graz.", "Ann lives in Vienna."),
        ("I don't eat fish.", "Ann eats fish."),
        ("Maybe I will move to Graz.", "Ann will move to Graz."),
        ("Can you remember whether my rent is 900 euros?", "My rent is 900 euros."),
        ("Is my rent 900 euros?", "My rent is 900 euros."),
        ("Remember it!", "The boat is called Wanda."),
        ("ok", "Ann agrees to pay 500 euros."),
        ("Tom lives in Graz.", "Ann lives in Graz."),
    ],
)
async def test_what_the_message_does_not_say_is_refused_with_the_reason(
    tmp_path: Path, said: str, text: str
) -> None:
    pen = Pen(tmp_path, said)
    with pytest.raises(ToolError, match="Not written down: "):
        await pen.remember(text)

    assert await pen.lines() == []


@pytest.mark.parametrize(
    "provenance", [each for each in Provenance if each not in {Provenance.OWNER, Provenance.MEMBER}]
)
async def test_words_that_are_no_persons_are_never_written(tmp_path: Path, provenance: Provenance) -> None:
    pen = Pen(tmp_path, "My rent is 900 euros.", provenance=provenance)
    with pytest.raises(ToolError, match="own words"):
        await pen.remember("My rent is 900 euros.")

    assert await pen.lines() == []


async def test_a_forwarded_message_is_not_the_persons_own(tmp_path: Path) -> None:
    pen = Pen(tmp_path, "My rent is 900 euros.", forwarded_from="Eve")
    with pytest.raises(ToolError, match="own words"):
        await pen.remember("My rent is 900 euros.")

    assert await pen.lines() == []


async def test_what_a_reply_quotes_is_not_the_persons_own(tmp_path: Path) -> None:
    stored = "[in reply to Eve: My rent is 900 euros.]\nRemember that."
    pen = Pen(tmp_path, "Remember that.", stored=stored)
    with pytest.raises(ToolError):
        await pen.remember("My rent is 900 euros.")

    assert await pen.lines() == []


async def test_in_a_group_only_the_owner_has_something_written_down(tmp_path: Path) -> None:
    said = "Our code is 4711."
    member = Pen(tmp_path, said, audience="group-telegram--1", role="member", provenance=Provenance.MEMBER)
    with pytest.raises(ToolError, match="only the owner"):
        await member.remember(said)
    before = await member.lines()
    owner = Pen(tmp_path, said, audience="group-telegram--1")
    await owner.remember(said)

    assert before == []
    assert len(await owner.lines()) == 1


async def test_what_stands_there_already_is_not_written_twice(tmp_path: Path) -> None:
    pen = Pen(tmp_path, "I live in Graz.")
    await pen.remember("I live in Graz.")
    with pytest.raises(ToolError, match="stands in memory already"):
        await pen.remember("I live in Graz.")

    assert len(await pen.lines()) == 1


@pytest.mark.parametrize("text", ["", "  \n ", None, 7])
async def test_nothing_is_nothing_to_write(tmp_path: Path, text: object) -> None:
    pen = Pen(tmp_path, "I live in Graz.")
    with pytest.raises(ToolError):
        await pen.tool.run({"text": text}, pen.context)

    assert await pen.lines() == []
