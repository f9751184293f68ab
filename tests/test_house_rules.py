"""What no linter knows: lengths, who may use what of a vendor, the turn's edges, broad catches, contracts."""

import ast
import re
import typing
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from gateway.turns import turn as turn_module
from gateway.turns.turn import Turn, TurnState

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    path for package in ("gateway", "channels", "memory") for path in (ROOT / package).rglob("*.py")
)
LONGEST_MODULE = 300
LONGEST_FUNCTION = 50

WEB_SERVERS = ("channels/web/", "channels/telegram/webhook.py", "channels/slack/", "gateway/http/")
"""Who may use `aiohttp.web`; import-linter sees vendors only whole."""

BROAD_CATCHES = {
    "gateway/dispatcher.py": "a turn, or the command that answers in its place",
    "gateway/delivery.py": "a supervised coroutine: each chat's own",
    "gateway/jobs/worker.py": "a job",
    "gateway/service/supervisor.py": "a supervised coroutine",
    "gateway/tools/registry.py": "a tool call",
    "memory/database/writer.py": "carries what a work raised to the caller that waits for it",
}
"""The four places of ARCHITECTURE.md, and one carrier."""

CONTRACTS = {
    "test_channels.py": ["LoopbackAdapter", "TelegramAdapter", "SlackAdapter"],
    "test_embedders.py": ["ScriptedEmbedder", "EndpointEmbedder", "LocalEmbedder"],
    "test_journals.py": ["InMemoryJournal", "SqliteJournal"],
    "test_llm_clients.py": [
        "ScriptedLLM",
        "RoteLLM",
        "OpenAIClient",
        "LocalLLM",
        "FallbackLLM",
        "MeteredLLM",
    ],
    "test_session_stores.py": ["InMemoryStore", "JsonlStore", "SqliteStore"],
    "test_tools.py": ["FilesTool", "RecallTool", "RememberTool", "ScheduleTool", "SpawnTool"],
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_is_one_thought_that_opens_with_a_sentence(path: Path) -> None:
    lines = path.read_text().splitlines()
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""

    assert len(lines) <= LONGEST_MODULE
    assert re.match(r"[A-Z`].*[.:]", docstring.replace("\n", " "))


def test_no_function_is_longer_than_fifty_lines() -> None:
    long = [
        f"{name_of(path)}:{function.name} {function.end_lineno - function.lineno + 1}"
        for path in SOURCES
        for function in functions(path)
        if function.end_lineno is not None and function.end_lineno - function.lineno >= LONGEST_FUNCTION
    ]

    assert long == []


def test_the_turns_edges_are_those_of_its_picture() -> None:
    chain = re.findall(r"[A-Z]+", (turn_module.__doc__ or "").splitlines()[2])
    drawn = {(TurnState[left], TurnState[right]) for left, right in pairwise(chain)}
    drawn |= {(TurnState.RUN, TurnState.COMPACT), (TurnState.RESTORE, TurnState.DONE)}
    written = {
        (state, target)
        for state in TurnState
        if state is not TurnState.DONE
        for target in typing.get_args(typing.get_type_hints(getattr(Turn, f"_{state.value}"))["return"])
    }

    assert chain == [state.name for state in TurnState]
    assert written == drawn


def test_only_four_places_handle_broadly() -> None:
    broad = {
        name_of(path)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and not (
            isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
        )  # tidies up, handles nothing
    }

    assert broad <= set(BROAD_CATCHES)


def test_only_doors_to_the_web_use_its_server() -> None:
    users = {
        name_of(path)
        for path in SOURCES
        if re.search(r"from aiohttp import .*\bweb\b|aiohttp\.web", path.read_text())
    }

    assert [user for user in users if not user.startswith(WEB_SERVERS)] == []


@pytest.mark.parametrize("suite", CONTRACTS)
def test_every_implementation_is_in_its_contract_suite(suite: str) -> None:
    text = (ROOT / "tests" / "contracts" / suite).read_text()
    helpers = "\n".join(path.read_text() for path in (ROOT / "tests" / "helpers").glob("*.py"))
    missing = [name for name in CONTRACTS[suite] if name not in text + helpers]

    assert missing == []


def test_every_test_that_is_referred_to_is_there() -> None:
    folders = [ROOT / name for name in ("channels", "deploy", "docs", "gateway", "memory")]
    pages = [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    texts = {path: path.read_text() for path in [*SOURCES, *pages]}
    missing = {
        f"{name_of(path)}: {name}"
        for path, text in texts.items()
        for name in re.findall(r"\btests/[\w/]+\.py\b", text)
        if not (ROOT / name).exists()
    }

    assert missing == set()


def test_there_is_no_room_for_what_has_no_name() -> None:
    vague = {"utils", "util", "core", "common", "helpers", "misc", "base"}
    allowed = {"memory/sessions/stores/base.py", "gateway/journal/base.py"}
    found = {name_of(path) for path in SOURCES if path.stem in vague or path.parent.name in vague}

    assert found <= allowed


def test_the_architecture_page_is_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 200
