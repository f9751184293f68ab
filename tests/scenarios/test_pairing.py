"""A stranger comes in: asks, is let in by the operator, talks, and is put out again."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from channels.loopback import LoopbackAdapter
from channels.messages import InboundMessage, SessionKey
from gateway.cli.operate import operating
from gateway.llm.scripted import ScriptedLLM
from memory.audience import person_audience
from tests.helpers.house import house, settings_for
from tests.helpers.operating import desk
from tests.helpers.web_house import web_house

SAM: Mapping[str, Any] = {"chat_id": "sam", "sender_id": "77"}
OWNERS = '[people.ann]\nrole = "owner"\n'


async def test_a_stranger_who_is_let_in_is_a_person_at_once_until_they_are_put_out(tmp_path: Path) -> None:
    loopback, llm = LoopbackAdapter(), ScriptedLLM(otherwise=lambda prompt: f"heard: {prompt.newest}")
    async with (
        web_house(tmp_path, llm, toml=OWNERS, adapters=[loopback]) as house,
        operating(settings_for(tmp_path)) as operate,
    ):
        await loopback.ask("let me in", **SAM)
        [waiting] = (await operate("pair-list"))["codes"]
        approved = await operate("pair-approve", code=waiting["code"].lower(), person="sam")
        heard = await loopback.ask("now?", **SAM)
        role = await loopback.ask("/pair", **SAM)
        audience = await house.gateway.stores.sessions.audience_of("loopback:sam")
        await operate("pair-revoke", channel="loopback", sender_id="77")
        await loopback.say("and now?", **SAM)
        await house.gateway.drain()
        shown = [message.text for message in loopback.sent("sam")]

    assert (approved["name"], approved["role"]) == ("sam", "member")
    assert (heard, role) == ("heard: now?", "Only the owner can do that.")
    assert audience == person_audience("sam")
    assert waiting["code"] in shown[0]
    assert shown[1:] == ["Welcome, sam! You can talk to me now.", heard, role]
    assert [prompt.newest for prompt in llm.prompts] == ["now?"]


async def test_who_is_let_in_while_nobody_runs_is_welcomed_by_the_next_start(tmp_path: Path) -> None:
    loopback = LoopbackAdapter()
    async with web_house(tmp_path, adapters=[loopback]):
        await loopback.ask("let me in", **SAM)
    async with desk(tmp_path) as at:
        [waiting] = (await at("pair-list"))["codes"]
        await at("pair-approve", code=waiting["code"], person="sam")
    async with web_house(tmp_path, adapters=[loopback]) as house:
        heard = await loopback.ask("hello", **SAM)
        await house.gateway.drain()
        shown = [message.text for message in loopback.sent("sam")]

    assert shown[1:] == ["Welcome, sam! You can talk to me now.", heard]


async def test_what_the_owner_wrote_into_a_strangers_chat_is_not_handed_over_with_it(tmp_path: Path) -> None:
    (tmp_path / "mneme.toml").write_text(
        'people.ann = {telegram = "1001", role = "owner"}\npeople.bob = {telegram = "1002"}\n'
    )
    llm, telegram = ScriptedLLM(otherwise="ok"), LoopbackAdapter("telegram")
    terminal = LoopbackAdapter("terminal")
    async with house(tmp_path, llm, adapters=[telegram, terminal]) as inside:
        said = InboundMessage(
            id="terminal:main/1",
            channel="terminal",
            chat_id="main",
            sender_id="terminal",
            text="My safe code is 4711 walnut.",
            received_at=datetime.now(UTC),
            session_key=SessionKey("telegram:1002"),
        )
        await inside.gateway.intake.receive(said)
        await inside.calm()
        await telegram.ask("What is my safe code walnut?", sender_id="1002", chat_id="1002")
        await inside.calm()
        heads = {head.key: head.audience for head in await inside.gateway.stores.sessions.heads()}

    assert heads == {"telegram:1002": "person-ann", "telegram:1002~person-bob": "person-bob"}
    assert "4711" not in repr(llm.prompts[1])


async def test_who_is_alone_here_keeps_their_conversation_when_they_are_given_a_name(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok")
    heads: dict[str, str] = {}
    for said, text in (("My bike is at gate 9.", ""), ("Where is it?", 'people.ann = {role = "owner"}')):
        (tmp_path / "mneme.toml").write_text(text)
        terminal = LoopbackAdapter("terminal")
        async with house(tmp_path, llm, adapters=[terminal]) as inside:
            asked = await terminal.say(said, sender_id="terminal", message_id=said)
            await terminal.reply_to(asked)
            heads = {head.key: head.audience for head in await inside.gateway.stores.sessions.heads()}

    assert heads == {"terminal:main": "person-ann"}
    assert "gate 9" in repr(llm.prompts[1])
