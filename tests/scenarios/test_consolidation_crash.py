import asyncio
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from memory.archive.record import History
from memory.claims.summary import summary_from_dict
from memory.crashpoints import CrashPoint
from tests.crash.consolidation import AUDIENCE, KEY, STOPS, TURNS, sessions_in

POINTS = (CrashPoint.ARCHIVE_BEFORE, CrashPoint.ARCHIVE_AFTER, CrashPoint.POINTER_AFTER)


async def run(directory: Path, store: str, *, crash_at: str = "") -> int:
    """The program's exit code; negative is the signal that ended it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.consolidation",
        str(directory),
        store,
        env=environment | {"MNEME_CRASH_AT": crash_at},
    )
    return await program.wait()


@pytest.mark.slow
@pytest.mark.parametrize("visit", [1, 2])
@pytest.mark.parametrize("store", ["sqlite", "jsonl"])
@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.value)
async def test_a_kill_at_any_step_loses_nothing_and_repeats_no_work_that_was_written(
    tmp_path: Path, point: CrashPoint, store: str, visit: int
) -> None:
    first = await run(tmp_path, store, crash_at=f"{point.value}:{visit}")
    second = await run(tmp_path, store)
    async with sessions_in(tmp_path, store) as sessions:
        session = await sessions.look(KEY)
        messages = await sessions.read(KEY, from_seq=1, to_seq=1000)
    entries = await History(tmp_path).entries(AUDIENCE)
    asked = Counter(
        seq for line in (tmp_path / "asked.log").read_text().splitlines() for seq in json.loads(line)
    )
    lost_answer = (
        set(range(1, 9) if visit == 1 else range(9, 17)) if point is CrashPoint.ARCHIVE_BEFORE else set()
    )

    assert (first, second) == (-signal.SIGKILL, 0)
    assert session is not None
    assert session.last_consolidated == STOPS[-1]
    assert [message.seq for message in messages] == list(range(1, 2 * TURNS + 1))
    assert [(entry.from_seq, entry.to_seq) for entry in entries] == [(1, 8), (9, 16)]
    assert sorted(claim.text for claim in summary_from_dict(session.summary).claims) == [
        f"My key {number} opens door {100 + number}." for number in range(8)
    ]
    assert {seq for seq, times in asked.items() if times > 1} == lost_answer
