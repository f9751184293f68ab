"""The program that is killed: a whole gateway on a platform of files, in a process forked for it."""

import asyncio
import faulthandler
import json
import os
import sys
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import structlog

from gateway.app import Gateway, Stores, open_stores
from gateway.config import Settings, load
from gateway.llm.scripted import ScriptedLLM
from memory import crashpoints
from tests.crash.outcomes import answer
from tests.crash.platform import FilePlatform, NoteTool

SECONDS = 120
"""A child that takes longer hangs; also on a machine that is busy otherwise."""


def in_a_child(work: Callable[[], Coroutine[Any, Any, None]], *, complaints: Path, crash_at: str = "") -> int:
    """Run it in a process of its own, armed for a crash point; its exit code, negative for a signal.

    Forking spares each of a thousand processes the imports. The caller must have no thread and no loop.
    """
    process = os.fork()
    if process == 0:
        os._exit(_run(work, complaints=complaints, crash_at=crash_at))
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _run(work: Callable[[], Coroutine[Any, Any, None]], *, complaints: Path, crash_at: str) -> int:
    """In the child: do the work; what goes wrong is written down."""
    crashpoints.visits.clear()
    crashpoints.arm(crash_at)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    try:
        with complaints.open("a") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        _fast_run(work())
    except BaseException:  # noqa: BLE001 - whatever it is, the parent must hear of it
        complaints.write_text(traceback.format_exc())
        return 1
    return 0


def _fast_run(work: Coroutine[Any, Any, None]) -> None:
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)


def settings_of(directory: Path, store: str) -> Settings:
    """The settings of the program under a case's directory."""
    return load(
        state=directory / "state",
        environ={
            "MNEME_SESSIONS__STORE": store,
            "MNEME_LLM__PROVIDER": "rote",
            "MNEME_GATEWAY__HTTP": "",
            "MNEME_ACCESS__MESSAGES_PER_MINUTE": "0",
        },
    )


async def answer_all(directory: Path, stores: Stores, settings: Settings, *, edits: bool) -> None:
    """Take in every message that was never acknowledged; return when all is answered and delivered."""
    platform = FilePlatform(directory, edits=edits)
    llm, tool = ScriptedLLM(otherwise=answer), NoteTool(directory, platform)
    gateway = Gateway(settings, stores, adapters=[platform], llm=llm, tools=[tool])

    async def calm() -> None:
        await gateway.drain()
        await gateway.background.worker.drain()
        await gateway.drain()

    async def all_said() -> None:
        await platform.said.wait()
        await calm()

    platform.calm = calm
    await gateway.run(all_said)


async def first_run(directory: Path, store: str, *, edits: bool) -> None:
    """Answer everything, and say how often each crash point was reached, should it come to that."""
    settings = settings_of(directory, store)
    async with open_stores(settings) as stores:
        await answer_all(directory, stores, settings, edits=edits)
    (directory / "visits.json").write_text(json.dumps(crashpoints.visits))
