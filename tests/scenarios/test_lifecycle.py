"""How channels end: they stop listening, what is owed goes out, and then they are closed."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from channels.adapter import Receive, Sent
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.house import house


class Watched(LoopbackAdapter):
    """Writes down what becomes of it."""

    def __init__(self, name: str = "loopback", *, ended: Callable[[], None] = lambda: None) -> None:
        super().__init__(name)
        self.story: list[str] = []
        self.error: Exception | None = None
        self._ended = ended

    async def run(self, receive: Receive) -> None:
        try:
            await super().run(receive)
        finally:
            self.story.append("stopped listening")
            self._ended()

    async def send(self, message: OutboundMessage) -> Sent:
        self.story.append(message.text)
        return await super().send(message)

    async def close(self) -> None:
        self.story.append("closed")
        if self.error is not None:
            raise self.error


async def test_a_channel_is_closed_after_the_last_answer_went_out(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm, adapter = ScriptedLLM(Held(answer="bye", until=gate)), Watched(ended=gate.set)
    async with house(tmp_path, llm, adapters=[adapter]):
        await adapter.say("hello")
        await llm.asked(1)

    assert adapter.story == ["stopped listening", "bye", "closed"]


async def test_one_that_can_not_be_closed_keeps_no_other_open(tmp_path: Path) -> None:
    broken, well = Watched("broken"), Watched("well")
    broken.error = OSError("no goodbye")
    with pytest.raises(OSError, match="no goodbye"):
        async with house(tmp_path, adapters=[well, broken, Watched()]):
            pass

    assert (well.story[-1], broken.story[-1]) == ("closed", "closed")
