"""What every tool keeps, whatever a model sends it."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.tools.files import FilesTool
from gateway.tools.recall import RecallTool
from gateway.tools.registry import ToolRegistry
from gateway.tools.remember import RememberTool
from gateway.tools.schedule import ScheduleTool
from gateway.tools.spawn import SpawnTool
from gateway.tools.tool import Tool, ToolContext
from memory.messages import Provenance, ToolCall
from tests.helpers.house import house
from tests.helpers.journals import inbound

TOOLS: list[type[Tool]] = [FilesTool, RecallTool, RememberTool, ScheduleTool, SpawnTool]
ODD = [
    *(None, True, -1, 10**30, 1e308, [], ["x"], {}, {"x": 1}),
    *(
        "",
        " ",
        "x",
        "\ud800",
        "\0",
        "9999-99-99",
        "0001-01-01",
        "../x",
        "#",
        "x#0",
        "loopback:main#" + "9" * 30,
    ),
]
"""What stands in the place of one argument after the other."""


@pytest.fixture
async def tools(tmp_path: Path) -> AsyncIterator[ToolRegistry]:
    """The tools of a gateway in which something was said."""
    async with house(tmp_path) as inside:
        await inside.ask("My cat is called Tofu")
        yield inside.gateway.background.ports.tools


async def test_every_tool_of_the_gateway_is_in_this_suite(tools: ToolRegistry) -> None:
    assert {schema.name for schema in tools.schemas("owner")} == {tool.schema.name for tool in TOOLS}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_says_what_it_takes_as_providers_want_it(tool: type[Tool]) -> None:
    parameters = tool.schema.parameters

    assert re.fullmatch(r"[a-z_]{1,64}", tool.schema.name)
    assert parameters["type"] == "object"
    assert all("type" in one for one in parameters["properties"].values())
    assert set(parameters.get("required", ())) <= parameters["properties"].keys()
    assert tool.provenance in {Provenance.TOOL, Provenance.WEB, Provenance.FILE}


@pytest.mark.parametrize("tool", TOOLS)
async def test_whatever_a_model_sends_is_answered_or_refused_and_breaks_nothing(
    tools: ToolRegistry, tool: type[Tool]
) -> None:
    parameters = tool.schema.parameters
    plain = dict.fromkeys(parameters["properties"], "x") | {
        name: one["enum"][0] for name, one in parameters["properties"].items() if "enum" in one
    }
    tried = [plain | {name: odd} for name in parameters["properties"] for odd in ODD]
    context = ToolContext(
        session="loopback:main",
        audience="person-owner",
        turn_id="t",
        call_id="t/1/0",
        role="owner",
        seq=1,
        origin=inbound("t"),
    )
    broke = []
    for arguments in [{}, *tried]:
        call = ToolCall(id="c", name=tool.schema.name, arguments=json.dumps(arguments))
        result = await tools.call(call, context=context)
        if result.content.endswith("failed unexpectedly."):
            broke.append(arguments)

    assert broke == []
