"""`make proof`: what the promises rest on, tried until chance has had its chance; exit 1 where one is broken.

A section is a function that takes the number of cases and gives its report. The first line is the verdict: counts of
faults, each of which must be 0, as in `0 illegal, 0 too large`. Add a section by adding it to SECTIONS.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence

from tests.bench.proof_histories import histories
from tests.bench.proof_order import order
from tests.bench.proof_worlds import worlds
from tests.helpers.elsewhere import elsewhere

CASES = 200_000

Section = Callable[[int], list[str]]

SECTIONS: tuple[tuple[str, Section], ...] = (
    ("histories", histories),
    ("order", order),
    ("worlds", worlds),
)


def is_kept(verdict: str) -> bool:
    """Whether every count of the verdict is 0."""
    counts = re.findall(r"(?:^|, )([\d,]*\d) ", verdict)
    return bool(counts) and all(count == "0" for count in counts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections that were asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.proof", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help="how many cases each section tries")
    parser.add_argument("--only", choices=[name for name, _ in SECTIONS], help="run this section alone")
    chosen = parser.parse_args(arguments)
    broken = 0
    for name, section in SECTIONS:
        if chosen.only in {None, name}:
            began = time.monotonic()
            with elsewhere():
                verdict, *details = section(chosen.cases)
            broken += not is_kept(verdict)
            print(f"{name}: {verdict}  ({time.monotonic() - began:.0f} s)")
            for line in details:
                print(f"  {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
