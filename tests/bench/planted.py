"""Plants true and false claims and counts what the checks let in; exit 1 where a false one is kept or many true ones fall."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import islice

from memory.claims.checks import Rejection, check
from tests.bench.planted_cases import SESSION, Case, false_cases, true_cases

CLAIMS = 1_000
LEAST_KEPT = 0.95
SEED = 20260312


@dataclass(slots=True)
class Tally:
    """What became of the planted claims, by way."""

    kept: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)
    true_kept: int = 0
    true_planted: int = 0
    false_kept: int = 0
    false_planted: int = 0

    @property
    def is_met(self) -> bool:
        """No false claim kept, and at least 95 of 100 true ones."""
        return self.false_kept == 0 and self.true_kept >= LEAST_KEPT * self.true_planted

    def count(self, case: Case) -> None:
        """Judge one case."""
        verdict = check(case.proposal, messages=case.messages, session=SESSION, zone=UTC)
        is_kept = not isinstance(verdict, Rejection)
        (self.kept if is_kept else self.rejected)[case.way] += 1
        self.true_planted += case.is_true
        self.true_kept += case.is_true and is_kept
        self.false_planted += not case.is_true
        self.false_kept += not case.is_true and is_kept
        if is_kept != case.is_true:
            reason = f"{verdict.reason}: {verdict.detail}" if isinstance(verdict, Rejection) else "kept"
            said = " | ".join(
                case.messages[each.seq].content
                for each in case.proposal.evidence
                if each.seq in case.messages
            )
            self.surprises.append(f"{case.way}: {case.proposal.text!r} from {said!r} ({reason})")


def planted(claims: int = CLAIMS, seed: int = SEED) -> Tally:
    """Half of the claims true, half false."""
    tally = Tally()
    cases: Iterable[Case] = [
        *islice(true_cases(seed), claims - claims // 2),
        *islice(false_cases(seed + 1), claims // 2),
    ]
    for case in cases:
        tally.count(case)
    return tally


def table(tally: Tally) -> list[str]:
    """One line a way, the sums last."""
    ways = sorted(tally.kept.keys() | tally.rejected.keys())
    width = max(map(len, ways))
    lines = [f"{'':<{width}}  kept  rejected"]
    lines += [f"{way:<{width}}  {tally.kept[way]:>4}  {tally.rejected[way]:>8}" for way in ways]
    share = tally.true_kept / max(tally.true_planted, 1)
    lines.append(
        f"true kept: {tally.true_kept} of {tally.true_planted} ({share:.1%}; goal ≥ {LEAST_KEPT:.0%})"
    )
    lines.append(f"false kept: {tally.false_kept} of {tally.false_planted} (goal 0)")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and with `--surprises` each claim that was judged wrongly."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.planted", description=__doc__)
    parser.add_argument("--claims", type=int, default=CLAIMS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--surprises", action="store_true")
    chosen = parser.parse_args(arguments)
    tally = planted(chosen.claims, chosen.seed)
    print("\n".join(table(tally)))
    if chosen.surprises:
        print("\n".join(tally.surprises))
    return 0 if tally.is_met else 1


if __name__ == "__main__":
    sys.exit(main())
