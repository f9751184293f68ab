"""The program that is killed: a whole gateway on a platform of files.

`python -m tests.crash.child DIRECTORY STORE OUTCOME` takes in every message of `messages.json` that `acked.log` does
not hold, and ends when all is answered and delivered. Everything that the outside would see is in the log files.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from channels.adapter import Abilities, ChannelHealth, Receive, Sent
from channels.messages import InboundMessage, OutboundMessage
from gateway.app import Gateway, open_stores
from gateway.config import load
from gateway.errors import LLMRejected
from gateway.llm.client import Completion, Prompt, ToolSchema
from gateway.llm.scripted import ScriptedLLM
from gateway.tools.tool import ToolContext
from memory.messages import Provenance, ToolCall, ToolMessage


def note(path: Path, **record: Any) -> None:
    """Append a line that survives a kill."""
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


class FilePlatform:
    """Sends what is not acknowledged again at every start, and shows whatever it is sent."""

    name = "loopback"

    def __init__(self, directory: Path) -> None:
        self.abilities = Abilities()
        self._directory = directory
        self.said = asyncio.Event()

    async def run(self, receive: Receive) -> None:
        """Hand every message over that was never acknowledged."""
        acked = {record["id"] for record in read_log(self._directory / "acked.log")}
        for message in json.loads((self._directory / "messages.json").read_text()):
            if message["id"] not in acked:
                await receive(
                    InboundMessage(
                        id=message["id"],
                        channel=self.name,
                        chat_id="main",
                        sender_id="owner",
                        text=message["text"],
                        received_at=datetime.now(UTC),
                    )
                )
                note(self._directory / "acked.log", id=message["id"])
        self.said.set()
        await asyncio.Event().wait()

    async def send(self, message: OutboundMessage) -> Sent:
        """Show it: a second time is a repeat that people see."""
        note(
            self._directory / "delivered.log",
            id=f"{message.id}/{message.part}",
            text=message.text,
            answers=list(message.answers),
        )
        return Sent(ids=(f"{message.id}/{message.part}",))

    def split(self, text: str) -> list[str]:
        """A part for each paragraph, so that replies have several."""
        return text.split("\n\n")

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """No streams."""
        return None

    async def update_stream(self, message: OutboundMessage) -> None:
        """No streams."""

    async def typing(self, message: OutboundMessage) -> None:
        """No sign."""

    def health(self) -> ChannelHealth:
        """Well."""
        return ChannelHealth(ok=True)


class NoteTool:
    """Leaves a trace of each run, so that a repeated one is seen."""

    provenance = Provenance.TOOL
    schema = ToolSchema(name="note", description="note", parameters={"type": "object", "properties": {}})

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Write down that it ran."""
        note(self._directory / "tools.log", call=context.call_id)
        return f"noted {context.call_id}"


def answer(prompt: Prompt) -> Completion | LLMRejected:
    """What the model says depends on the prompt alone, so that a second run says the same."""
    if "refuse" in prompt.newest:
        return LLMRejected("no")
    if prompt.session.startswith("subagent:"):
        done = isinstance(prompt.messages[-1], ToolMessage)
        return Completion(text=f"counted {prompt.session}") if done else _calls("note", "{}")
    spawned = any(isinstance(message, ToolMessage) for message in prompt.messages[-3:])
    if "spawn" in prompt.newest and not spawned:
        return _calls("spawn", '{"task": "count the red ones"}', '{"task": "count the green ones"}')
    rounds = sum(isinstance(message, ToolMessage) for message in prompt.messages[-4:])
    if "tool" in prompt.newest and rounds < 4:
        return _calls("note", "{}", "{}")
    return Completion(text=f"First: {prompt.newest}\n\nSecond part.")


def _calls(name: str, *arguments: str) -> Completion:
    return Completion(tool_calls=tuple(ToolCall(id="", name=name, arguments=given) for given in arguments))


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a log; a line that a kill tore is no record."""
    records = []
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


async def main(directory: Path, store: str) -> None:
    """Answer everything, then end."""
    settings = load(
        state=directory / "state",
        environ={
            "MNEME_SESSIONS__STORE": store,
            "MNEME_LLM__PROVIDER": "rote",
        },
    )
    platform = FilePlatform(directory)
    async with open_stores(settings) as stores:
        llm = ScriptedLLM(otherwise=answer)
        gateway = Gateway(settings, stores, adapters=[platform], llm=llm, tools=[NoteTool(directory)])

        async def calm() -> None:
            await platform.said.wait()
            await gateway.drain()
            await gateway.background.worker.drain()
            await gateway.drain()

        await gateway.run(calm)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
