"""Which tools there are, who may use them, and one safe way to call one."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog

from gateway.errors import ToolError
from gateway.llm.client import ToolSchema
from gateway.tools.tool import Tool, ToolContext
from memory import tokens
from memory.errors import StoreError
from memory.messages import Provenance, ToolCall, ToolMessage

TIMEOUT = 300.0
"""Seconds; a tool that needs longer is work for a subagent."""

_WRAPPING_TOKENS = 8
"""Around each schema, as providers write it down."""

log = structlog.get_logger(__name__)


class ToolRegistry:
    """The tools by name. `allowed` maps a role to the names that it may use; a role that isn't there gets none."""

    def __init__(self, tools: Iterable[Tool], *, allowed: Mapping[str, Collection[str]]) -> None:
        self._tools = {tool.schema.name: tool for tool in tools}
        self._allowed = allowed
        self._schemas = {
            role: tuple(tool.schema for name, tool in self._tools.items() if name in names)
            for role, names in allowed.items()
        }
        self._tokens: dict[str, int] = {}

    def without(self, names: Collection[str]) -> "ToolRegistry":
        """The same tools and roles, less these."""
        kept = [tool for name, tool in self._tools.items() if name not in names]
        return ToolRegistry(kept, allowed=self._allowed)

    def plus(self, tools: Iterable[Tool]) -> "ToolRegistry":
        """The same tools and roles, and these for the roles that may use their names."""
        return ToolRegistry([*self._tools.values(), *tools], allowed=self._allowed)

    def schemas(self, role: str) -> tuple[ToolSchema, ...]:
        """What a person of this role may have done for them, in a fixed order (prompt caches hold)."""
        return self._schemas.get(role, ())

    def schema_tokens(self, role: str) -> int:
        """What those cost in every request; counted once."""
        if role not in self._tokens:
            wordings = (f"{each.name} {each.description} {each.parameters}" for each in self.schemas(role))
            self._tokens[role] = sum(tokens.count(wording) + _WRAPPING_TOKENS for wording in wordings)
        return self._tokens[role]

    async def call(self, call: ToolCall, *, context: ToolContext) -> ToolMessage:
        """Run one tool; whatever goes wrong is a result that the model can read."""
        tool = self._tools.get(call.name)
        allowed = {schema.name for schema in self.schemas(context.role)}
        if tool is None or call.name not in allowed:
            return _result(
                call, f"There is no tool {call.name!r} here. Available: {sorted(allowed)}", failed=True
            )
        try:
            arguments = _arguments(call)
            async with asyncio.timeout(TIMEOUT):
                text = await tool.run(arguments, context)
        except ToolError as error:
            return _result(call, str(error), failed=True)
        except TimeoutError:
            return _result(
                call, f"{call.name} took longer than {TIMEOUT:.0f} seconds and was stopped.", failed=True
            )
        except StoreError:
            raise
        except Exception:
            log.exception("tool_broke", tool=call.name)
            return _result(call, f"{call.name} failed unexpectedly.", failed=True)
        return _result(call, text, tool=tool)


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    """The arguments as an object; a ToolError that shows the model its own text otherwise."""
    try:
        arguments = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError as error:
        raise ToolError(f"The arguments are not valid JSON ({error}): {call.arguments[:200]!r}") from error
    if not isinstance(arguments, dict):
        raise ToolError(f"The arguments must be a JSON object, not {type(arguments).__name__}.")
    return arguments


def _result(call: ToolCall, text: str, *, tool: Tool | None = None, failed: bool = False) -> ToolMessage:
    return ToolMessage(
        content=text,
        tool_call_id=call.id,
        name=call.name,
        is_error=failed,
        at=datetime.now(UTC),
        provenance=Provenance.TOOL if tool is None else tool.provenance,
    )
