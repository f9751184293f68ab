"""`make crash`: kill the program at every visit of every durable step, start it again, and look at what is there.

A rehearsal of each outcome says which crash points it comes by and how often; each visit is a case, over both
stores, on a platform that only sends and on one that edits. A case is good when every message is stored once and
answered once, nothing waits in the inbox or outbox, no tool ran again whose result was stored, and at most the one
request in flight at the kill was repeated.

Then the daemon is killed at random moments while people talk to it on Telegram and Slack (`moments`).
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from memory import tokens
from tests.crash.child import first_run, in_a_child
from tests.crash.look import second_run
from tests.crash.moments import kill_at_moments, print_ledgers
from tests.crash.outcomes import BUSY, OUTCOMES, STREAMED, message_id
from tests.helpers.elsewhere import elsewhere

STORES = ("sqlite", "jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One kill; without a point, a rehearsal."""

    store: str
    outcome: str
    edits: bool
    point: str = ""
    visit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found after the second run."""

    case: Case
    killed: bool
    repeats: int = 0
    left: int = 0
    faults: tuple[str, ...] = ()


def rehearsals() -> Iterator[Case]:
    """Every outcome, over both stores, on each kind of platform."""
    for store, outcome, edits in product(STORES, OUTCOMES, (False, True)):
        if not edits or outcome in STREAMED:
            yield Case(store=store, outcome=outcome, edits=edits)


def kills_in(case: Case) -> list[Case]:
    """Rehearse, and make a case of every visit of every crash point."""
    with tempfile.TemporaryDirectory(prefix="mneme-crash-") as folder:
        directory = _prepared(Path(folder), case)
        complaints = directory / "complaints"
        work = partial(first_run, directory, case.store, edits=case.edits)
        if in_a_child(work, complaints=complaints) != 0:
            raise RuntimeError(f"the rehearsal of {case} failed: {complaints.read_text()}")
        visits: dict[str, int] = json.loads((directory / "visits.json").read_text())
    return [
        replace(case, point=point, visit=visit)
        for point, count in visits.items()
        for visit in range(1, count + 1)
    ]


def run_case(case: Case) -> Verdict:
    """Kill at the point, run again, look."""
    with tempfile.TemporaryDirectory(prefix="mneme-crash-") as folder:
        directory = _prepared(Path(folder), case)
        complaints = directory / "complaints"
        killed = in_a_child(
            partial(first_run, directory, case.store, edits=case.edits),
            complaints=complaints,
            crash_at=f"{case.point}:{case.visit}",
        )
        second = in_a_child(
            partial(second_run, directory, case.store, case.outcome, edits=case.edits), complaints=complaints
        )
        if killed not in {0, -signal.SIGKILL} or second != 0:
            fault = f"the runs ended with {killed} and {second}: {complaints.read_text()}"
            return Verdict(case=case, killed=killed == -signal.SIGKILL, faults=(fault,))
        found = json.loads((directory / "found.json").read_text())
    faults = list(found["faults"])
    if found["repeats"] > 1 or found["left"] > 1:
        faults.append(f"{found['repeats']} parts were repeated, {found['left']} placeholders were left empty")
    return Verdict(
        case=case,
        killed=killed == -signal.SIGKILL,
        repeats=found["repeats"],
        left=found["left"],
        faults=tuple(faults),
    )


def _prepared(directory: Path, case: Case) -> Path:
    messages = [
        {"id": message_id(number), "text": text} for number, text in enumerate(OUTCOMES[case.outcome])
    ]
    (directory / "messages.json").write_text(json.dumps(messages))
    if case.outcome in BUSY:
        (directory / "state").mkdir(mode=0o700)
        (directory / "state" / "mneme.toml").write_text(f'[sessions]\nbusy = "{BUSY[case.outcome]}"\n')
    return directory


def _print_table(verdicts: list[Verdict]) -> None:
    rows: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts:
        row = rows.setdefault((verdict.case.point, verdict.case.store), Counter())
        row.update(cases=1, kills=verdict.killed, repeats=verdict.repeats)
        row.update(left=verdict.left, faults=len(verdict.faults))
    columns = ("cases", "kills", "repeats", "left", "faults")
    heads = ("cases", "kills", "in-flight repeats", "empty placeholders", "faults")
    print(f"{'point':20} {'store':8}", *(f"{head:>{len(head)}}" for head in heads))
    for (point, store), row in sorted(rows.items()):
        cells = (f"{row[column]:>{len(head)}}" for column, head in zip(columns, heads, strict=True))
        print(f"{point:20} {store:8}", *cells)
    total = Counter[str]()
    for row in rows.values():
        total.update(row)
    print(", ".join(f"{total[column]} {head}" for column, head in zip(columns, heads, strict=True)))


def main() -> int:
    """Run the cases on every core, then the moments, and print a table of each."""
    parser = argparse.ArgumentParser(description="Kill the program at every durable step, and at any moment.")
    parser.add_argument("--every", type=int, default=1, help="run only every n-th case; 0: none")
    parser.add_argument("--moments", type=int, default=100, help="kills at random moments, for each store")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--outcome", choices=OUTCOMES, help="run the cases of one outcome alone")
    arguments = parser.parse_args()
    tokens.warm()
    with elsewhere():
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    faults = _run_points(arguments.every, arguments.outcome) if arguments.every else 0
    if arguments.moments:
        ledgers = asyncio.run(kill_at_moments(STORES, kills=arguments.moments, seed=arguments.seed))
        print_ledgers(ledgers)
        for ledger in ledgers:
            faults += len(ledger.faults)
            for fault in ledger.faults:
                print(f"{ledger.store}: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _run_points(every: int, outcome: str | None) -> int:
    """How many faults the kills at crash points brought."""
    verdicts = []
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("fork")) as pool:
        wanted = [case for case in rehearsals() if outcome in {None, case.outcome}]
        cases = [case for cases in pool.map(kills_in, wanted) for case in cases][::every]
        for verdict in pool.map(run_case, cases):
            verdicts.append(verdict)
            for fault in verdict.faults:
                print(f"{verdict.case}: {fault}", file=sys.stderr)
            if len(verdicts) % 50 == 0:
                print(f"{len(verdicts)}/{len(cases)}", file=sys.stderr)
    _print_table(verdicts)
    return sum(len(verdict.faults) for verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main())
