import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from channels.loopback import LoopbackAdapter
from channels.messages import InboundMessage
from gateway.bus import Batch, Bus
from gateway.dispatcher import Dispatcher
from gateway.journal.in_memory import InMemoryJournal
from gateway.llm.scripted import Held, ScriptedLLM
from gateway.turns.commands import Commands
from gateway.turns.ports import TurnPorts
from gateway.turns.turn import Turn
from tests.helpers.house import house
from tests.helpers.journals import inbound


class ClumsyAdapter(LoopbackAdapter):
    """Can't split the next texts, which is a fault of ours and no error that anybody expects."""

    def __init__(self, *, faults: int) -> None:
        super().__init__("telegram")
        self._faults = faults

    def split(self, text: str) -> list[str]:
        if self._faults:
            self._faults -= 1
            raise ValueError("no idea how to split this")
        return super().split(text)


class BreakingBus(Bus):
    """Breaks when it is asked again after it has handed out a batch."""

    handed = False

    async def take(self) -> Batch:
        if self.handed:
            raise RuntimeError("broken")
        batch = await super().take()
        self.handed = True
        return batch


def nobody_is_told(turn: Turn, *, ending: str) -> None:
    raise AssertionError(turn.turn_id, ending)


@pytest.mark.parametrize(("text", "faults"), [("hello", 1), ("hello", 2), ("/help", 1), ("/dream-log", 1)])
async def test_a_fault_of_ours_is_said_and_ends_nobody_elses_turn(
    tmp_path: Path, text: str, faults: int
) -> None:
    held = Held(answer="the long answer", until=asyncio.Event())
    clumsy, llm = ClumsyAdapter(faults=faults), ScriptedLLM(held, otherwise="ok")
    (tmp_path / "mneme.toml").write_text('people.owner = {telegram = "1001", role = "owner"}')
    async with house(tmp_path, llm, adapters=[clumsy]) as inside:
        long = asyncio.create_task(inside.ask("a long question"))
        await llm.asked(1)
        said = await clumsy.ask(text, sender_id="1001")
        after = await clumsy.ask("and now?", sender_id="1001")
        held.until.set()

        assert await long == "the long answer"
    assert said.startswith("Something went wrong")
    assert after == "ok"


async def test_a_batch_whose_task_never_began_is_handed_out_again() -> None:
    journal = InMemoryJournal()
    bus = BreakingBus(journal)
    dispatcher = Dispatcher(
        bus,
        cast("TurnPorts", None),  # no turn begins
        Commands({}),
        audience=lambda _message: "person-owner",
        max_turns=2,
        finished=nobody_is_told,
    )
    await accepted(journal, bus, [inbound("a/1")])
    for _ in range(3):  # a place that was lost each time would end this
        with pytest.RaisesGroup(RuntimeError):
            async with asyncio.timeout(5):
                await dispatcher.run()
        bus.handed = False

    assert [entry.message.id for entry in (await bus.take()).entries] == ["a/1"]


async def accepted(journal: InMemoryJournal, bus: Bus, messages: Sequence[InboundMessage]) -> None:
    for message in messages:
        entry = await journal.accept(message)
        if entry is not None:
            bus.publish(entry)
