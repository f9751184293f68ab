"""The contract of a tool; `tests/contracts/test_tools.py` is its suite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from channels.messages import InboundMessage
from gateway.llm.client import ToolSchema
from memory.messages import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """In whose name a tool runs. One object per call: tools keep no state of a turn (they are shared).

    `call_id` is `turn/round/index`. `seq` is the number of the newest user message, the evidence of what it says.
    `origin` is the message that is being answered.
    """

    session: str
    audience: str
    turn_id: str
    call_id: str
    role: str
    seq: int
    origin: InboundMessage


class Tool(Protocol):
    """Something that the model may call."""

    schema: ToolSchema
    provenance: Provenance
    """Whose words its results are: TOOL, WEB or FILE."""

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Do it and answer in text; ToolError when it can't be done, with a text that the model can act on."""
