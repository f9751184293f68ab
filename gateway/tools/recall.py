"""The `recall` tool: search what was said, or read it by its reference."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gateway.errors import ToolError
from gateway.llm.client import ToolSchema
from gateway.tools.recollection import RECALL, Recollection
from gateway.tools.tool import ToolContext
from memory.messages import Provenance, split_reference

MAX_HITS = 20
EXPAND_AROUND = 2
"""Messages shown before and after an expanded one: an answer without its question is half a memory."""


class RecallTool:
    """Finds and quotes; everything it gives is record, with reference, time and speaker."""

    provenance = Provenance.TOOL
    schema = ToolSchema(
        name=RECALL,
        description=(
            "Look up what was said earlier in this person's or group's conversations, also long ago. "
            "Give `query` to search, optionally between the dates `from` and `to` (YYYY-MM-DD), or `ref` "
            "(such as telegram:42#17) to read one message whole with its neighbours; a search cuts long ones."
        ),
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "what to look for"},
                "ref": {"type": "string", "description": "a reference, SESSION#NUMBER"},
                "from": {"type": "string", "description": "earliest date, YYYY-MM-DD"},
                "to": {"type": "string", "description": "latest date, YYYY-MM-DD"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_HITS},
            },
        },
    )

    def __init__(self, memory: Recollection) -> None:
        self._memory = memory

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """See the schema; ToolError names an argument that can't be used."""
        if ref := str(arguments.get("ref") or ""):
            return await self._expand(ref, context)
        query = str(arguments.get("query") or "").strip()
        if not query:
            raise ToolError("Give `query` or `ref`.")
        limit = arguments.get("limit", 8)
        if not isinstance(limit, int) or not 1 <= limit <= MAX_HITS:
            raise ToolError(f"`limit` must be a number from 1 to {MAX_HITS}, not {limit!r}.")
        passages = await self._memory.search(
            context.audience,
            query,
            limit=limit,
            from_at=_date(arguments, "from"),
            to_at=_date(arguments, "to"),
        )
        return "\n".join(passage.line for passage in passages) or "Nothing was found."

    async def _expand(self, ref: str, context: ToolContext) -> str:
        try:
            session, seq = split_reference(ref)
        except ValueError as error:
            raise ToolError(str(error)) from error
        passages = await self._memory.expand(
            context.audience, session, from_seq=max(1, seq - EXPAND_AROUND), to_seq=seq + EXPAND_AROUND
        )
        if not passages:
            raise ToolError(f"There is no message {ref}.")
        return "\n".join(passage.line for passage in passages)


def _date(arguments: Mapping[str, Any], name: str) -> datetime | None:
    value = arguments.get(name)
    if value is None or value == "":
        return None
    try:
        day = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise ToolError(f"`{name}` must be a date such as 2026-03-12, not {value!r}.") from error
    if day.tzinfo is None:
        day = day.replace(tzinfo=UTC)
    if name == "to" and len(str(value)) == len("2026-03-12"):
        day = day.replace(hour=23, minute=59, second=59)
    return day
