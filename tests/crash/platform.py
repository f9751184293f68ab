"""A platform made of files: everything that the outside would see survives the kill."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from channels.adapter import Abilities, ChannelHealth, Receive, Sent
from channels.messages import InboundMessage, OutboundMessage
from gateway.llm.client import ToolSchema
from gateway.tools.tool import ToolContext
from memory.messages import Provenance
from tests.crash.outcomes import MEANWHILE

ACKED, SHOWN, TOOLS = "acked.log", "shown.log", "tools.log"


def note(path: Path, **record: Any) -> None:
    """Append a line; what a process has written stays written when it is killed."""
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a log; a line that a kill tore is no record."""
    records = []
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


class FilePlatform:
    """Sends what is not acknowledged again at every start, one message after the other, and shows what it is sent.

    `calm` returns when everything that was taken in is done with. With `edits`, answers go into placeholders.
    """

    name = "loopback"

    def __init__(self, directory: Path, *, edits: bool) -> None:
        self.abilities = Abilities(edits=edits, streams=edits)
        self.said = asyncio.Event()
        self.calm: Callable[[], Awaitable[None]] | None = None
        self._directory = directory
        self._receive: Receive | None = None
        self._handed: set[str] = set()

    async def run(self, receive: Receive) -> None:
        """Hand every message over that was never acknowledged."""
        self._receive = receive
        while unsaid := self._unsaid():
            await self._say(unsaid[0])
            if self.calm is not None:
                await self.calm()
        self.said.set()
        await asyncio.Event().wait()

    async def say_meanwhile(self) -> None:
        """Hand over what is said while a tool runs: whoever runs first does, and nobody waits for it."""
        while (unsaid := self._unsaid()) and unsaid[0]["text"].startswith(MEANWHILE):
            self._handed.add(unsaid[0]["id"])
            await self._say(unsaid[0])

    def _unsaid(self) -> list[dict[str, str]]:
        acked = {record["id"] for record in read_log(self._directory / ACKED)} | self._handed
        messages: list[dict[str, str]] = json.loads((self._directory / "messages.json").read_text())
        return [message for message in messages if message["id"] not in acked]

    async def _say(self, message: dict[str, str]) -> None:
        if self._receive is None:
            return
        await self._receive(
            InboundMessage(
                id=message["id"],
                channel=self.name,
                chat_id="main",
                sender_id="owner",
                text=message["text"],
                received_at=datetime.now(UTC),
            )
        )
        note(self._directory / ACKED, id=message["id"])

    async def send(self, message: OutboundMessage) -> Sent:
        """Show it: as a new message, or in the place of its placeholder."""
        place = message.placeholder or self._next_place()
        self._show(place, message, text=message.text)
        return Sent(ids=(place,))

    def split(self, text: str) -> list[str]:
        """A part for each paragraph, so that replies have several."""
        return text.split("\n\n")

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """Show an empty placeholder."""
        place = self._next_place()
        self._show(place, message, text="")
        return place

    async def update_stream(self, message: OutboundMessage) -> None:
        """What is shown on the way is of no interest here."""

    async def typing(self, message: OutboundMessage) -> None:
        """No sign."""

    def health(self) -> ChannelHealth:
        """Well."""
        return ChannelHealth(ok=True)

    async def close(self) -> None:
        """Files are closed after each line."""

    def _next_place(self) -> str:
        return f"place {len(read_log(self._directory / SHOWN))}"

    def _show(self, place: str, message: OutboundMessage, *, text: str) -> None:
        part, answers = f"{message.id}/{message.part}", list(message.answers)
        note(self._directory / SHOWN, place=place, part=part, text=text, answers=answers)


class NoteTool:
    """Leaves a trace of each run, so that a repeated one is seen; something is said on the platform while it runs."""

    provenance = Provenance.TOOL
    schema = ToolSchema(name="note", description="note", parameters={"type": "object", "properties": {}})

    def __init__(self, directory: Path, platform: FilePlatform) -> None:
        self._directory = directory
        self._platform = platform

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Write down that it ran."""
        note(self._directory / TOOLS, call=context.call_id)
        await self._platform.say_meanwhile()
        return f"noted {context.call_id}"
