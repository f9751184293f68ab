"""A tool that repeats what it is given, when the test lets it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from gateway.llm.client import Completion, Finish, ToolSchema
from gateway.tools.tool import ToolContext
from memory.messages import Provenance, ToolCall


class EchoTool:
    """Answers with what it was given; an event in `gates` holds the answer to its text back until it is set."""

    provenance = Provenance.TOOL
    schema = ToolSchema(
        name="echo",
        description="say it again",
        parameters={"type": "object", "properties": {"text": {"type": "string"}}},
    )

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self._changed = asyncio.Condition()

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Write down that it ran, and wait for the gate of its text."""
        text = str(arguments.get("text", ""))
        async with self._changed:
            self.runs.append(context.call_id)
            self._changed.notify_all()
        if text in self.gates:
            await self.gates[text].wait()
        return f"echo {text}"

    async def ran(self, times: int) -> None:
        """Wait until it was called so often."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.runs) >= times)


def calls(*texts: str) -> Completion:
    """A round that calls it once for each text."""
    return Completion(
        tool_calls=tuple(
            ToolCall(id="same", name="echo", arguments=f'{{"text": "{text}"}}') for text in texts
        ),
        finish=Finish.TOOL_CALLS,
    )
