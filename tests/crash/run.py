"""`make crash`: kill the program between any two durable steps, start it again, and look at what is there.

Every combination of crash point, visit, store and outcome is a case. A case is good when every message is stored
once and answered once, nothing waits in the inbox or outbox, no tool ran again whose result was stored, and at most
the one request in flight at the kill was repeated.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from gateway.app import Stores, open_stores
from gateway.config import load
from gateway.journal.base import JobStatus
from memory.crashpoints import CrashPoint
from memory.messages import AssistantMessage, ToolMessage, UserMessage
from tests.crash.child import read_log

KEY = "loopback:main"
STORES = ("sqlite", "jsonl")
OUTCOMES = {
    "answers": ["one", "two", "three"],
    "tools": ["tool one", "tool two", "plain"],
    "refusals": ["refuse one", "two", "refuse three"],
    "commands": ["one", "/undo", "two", "/retry", "/new", "three"],
    "subagents": ["spawn two", "plain"],
}
JOBS = [f"{KEY}/0/1/0", f"{KEY}/0/1/1"]
"""What the outcome `subagents` starts: named by turn, round and index, their results come in under these names."""

POINTS = [
    point
    for point in CrashPoint
    if point.value.split(".")[0] in {"accept", "round", "result", "answer", "respond", "send", "sent", "job"}
]
VISITS = (1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One kill."""

    point: str
    visit: int
    store: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found after the second run."""

    case: Case
    killed: bool
    repeats: int
    faults: tuple[str, ...]


def cases() -> Iterable[Case]:
    """Every point, at its first, second and third visit, over both stores and all outcomes that come by it."""
    for point, visit, store, outcome in product(POINTS, VISITS, STORES, OUTCOMES):
        if point.value.startswith("job") and outcome != "subagents":
            continue
        yield Case(point=point.value, visit=visit, store=store, outcome=outcome)


def run_case(case: Case) -> Verdict:
    """Kill at the point, run again, look."""
    with tempfile.TemporaryDirectory(prefix="mneme-crash-") as folder:
        directory = Path(folder)
        messages = [
            {"id": f"loopback:main/{n}", "text": text} for n, text in enumerate(OUTCOMES[case.outcome])
        ]
        (directory / "messages.json").write_text(json.dumps(messages))
        first = _child(directory, case, crash_at=f"{case.point}:{case.visit}")
        second = _child(directory, case, crash_at="")
        faults = list(asyncio.run(_faults(directory, case, [message["id"] for message in messages])))
        if second != 0:
            faults.append(f"the second run ended with {second}")
        if first not in {0, -signal.SIGKILL}:
            faults.append(f"the first run ended with {first}")
        delivered = Counter(record["id"] for record in read_log(directory / "delivered.log"))
        repeats = sum(count - 1 for count in delivered.values())
        if repeats > 1:
            faults.append(f"{repeats} parts were repeated")
        return Verdict(case=case, killed=first == -signal.SIGKILL, repeats=repeats, faults=tuple(faults))


def _child(directory: Path, case: Case, *, crash_at: str) -> int | str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MNEME_")}
    try:
        return subprocess.run(
            [sys.executable, "-m", "tests.crash.child", str(directory), case.store],
            env=environment | {"MNEME_CRASH_AT": crash_at},
            check=False,
            timeout=180,  # a loaded machine is slow, and a kill that hangs the next run is found all the same
            stdout=subprocess.DEVNULL,
        ).returncode
    except subprocess.TimeoutExpired:
        return "a timeout"


async def _faults(directory: Path, case: Case, ids: list[str]) -> list[str]:
    """Everything that is not as promised."""
    faults = []
    settings = load(state=directory / "state", environ={"MNEME_SESSIONS__STORE": case.store})
    async with open_stores(settings) as stores:
        messages = await stores.sessions.read(KEY, from_seq=1, to_seq=10_000)
        waiting = await stores.journal.waiting()
        owed = await stores.journal.due()
        if case.outcome == "subagents":
            faults += [fault async for fault in _job_faults(stores)]
            ids = [*ids, *JOBS]
    stored = Counter(message.source_id for message in messages if isinstance(message, UserMessage))
    texts = dict(zip(ids, OUTCOMES[case.outcome], strict=False))
    commands = {i for i, text in texts.items() if text.startswith("/")}
    retried = {i for i, text in texts.items() if text == "/retry"}
    faults += [
        f"{i} is stored {stored[i]} times" for i in ids if stored[i] != (i not in commands or i in retried)
    ]
    answers = Counter(m.turn for m in messages if isinstance(m, AssistantMessage) and not m.tool_calls)
    faults += [f"turn {turn} has {count} answers" for turn, count in answers.items() if count > 1]
    answered = {i for record in read_log(directory / "delivered.log") for i in record["answers"]}
    faults += [f"{i} was never answered" for i in ids if i not in answered]
    if [message.seq for message in messages] != list(range(1, len(messages) + 1)):
        faults.append("the numbers have gaps")
    if waiting or owed:
        faults.append(f"{len(waiting)} messages wait, {len(owed)} parts are owed")
    runs = Counter(record["call"] for record in read_log(directory / "tools.log"))
    if case.point == CrashPoint.RESULT_AFTER:
        faults += [
            f"tool call {call} ran {n} times"
            for call, n in runs.items()
            if n > 2 or (n > 1 and len(runs) < 2)
        ]
    return faults


async def _job_faults(stores: Stores) -> AsyncIterator[str]:
    """What is wrong with the subagents: each ran to its end, and its own session holds task, round, result and answer."""
    jobs = {job.id: job.status for job in await stores.journal.list_jobs()}
    if jobs != dict.fromkeys(JOBS, JobStatus.SUCCEEDED):
        yield f"the jobs are {jobs}"
    for job in JOBS:
        messages = await stores.sessions.read(f"subagent:{job}", from_seq=1, to_seq=100)
        kinds = [type(message) for message in messages]
        if kinds != [UserMessage, AssistantMessage, ToolMessage, AssistantMessage]:
            yield f"the session of {job} holds {[kind.__name__ for kind in kinds]}"


def main() -> int:
    """Run the cases on every core and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="run only every n-th case")
    todo = list(cases())[:: parser.parse_args().every]
    rows: dict[tuple[str, str], Counter[str]] = {}
    faults = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, verdict in enumerate(pool.map(run_case, todo), 1):
            row = rows.setdefault((verdict.case.point, verdict.case.store), Counter())
            row.update(
                kills=int(verdict.killed), repeats=verdict.repeats, faults=len(verdict.faults), cases=1
            )
            faults += len(verdict.faults)
            for fault in verdict.faults:
                print(f"{verdict.case}: {fault}", file=sys.stderr)
            if done % 20 == 0:
                print(f"{done}/{len(todo)}", file=sys.stderr)
    print(f"{'point':20} {'store':8} {'cases':>6} {'kills':>6} {'in-flight repeats':>18} {'faults':>7}")
    for (point, store), row in sorted(rows.items()):
        print(f"{point:20} {store:8} {row['cases']:6} {row['kills']:6} {row['repeats']:18} {row['faults']:7}")
    kills = sum(row["kills"] for row in rows.values())
    print(
        f"{len(todo)} cases, {kills} kills, {sum(row['repeats'] for row in rows.values())} repeats, {faults} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
