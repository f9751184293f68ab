"""Whatever lies in the store, what is sent is legal and fits: damaged histories by the hundred thousand."""

import math
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from memory.messages import Message, UserMessage
from memory.tokens import message_tokens
from memory.view.budget import Budget, choose_view
from memory.view.history import legal_history
from tests.helpers.grammar import grammar_faults
from tests.helpers.histories import any_damaged, any_valid

WINDOWS = (512, 200_000)
VALID_EVERY = 4  # one history in so many is left undamaged, and must pass unchanged
BATCH = 250
EXAMPLES = 10
SESSION = "telegram:-1001234567890#17"
MARK = re.compile(r"\n?\[… [\d,]+ characters left out here; recall [^\]]*…\]\n?|\[…\]")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was seen: cases, faults by kind with the seeds that show them, repairs by kind."""

    cases: int = 0
    valid: int = 0
    shortened: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)

    def fault(self, kind: str, *, seed: int, what: str) -> None:
        """One more fault; the first few keep their seed."""
        self.faults[kind] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(f"seed {seed}: {kind}: {what}")

    def add(self, other: "Tally") -> None:
        """Take in what another process saw."""
        self.cases += other.cases
        self.valid += other.valid
        self.shortened += other.shortened
        self.faults += other.faults
        self.repairs += other.repairs
        self.examples = [*self.examples, *other.examples][:EXAMPLES]


def histories(cases: int) -> list[str]:
    """Try that many histories on all cores; the report's lines, the first one beginning with the verdict."""
    total = Tally()
    batches = [range(start, min(start + BATCH, cases)) for start in range(0, cases, BATCH)]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for tally in pool.imap_unordered(try_seeds, batches):
            total.add(tally)
            print(f"\r{total.cases:,} of {cases:,} histories", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [_verdict(total), *total.examples, _figures(total)]


def _verdict(total: Tally) -> str:
    kinds = ("illegal", "too large", "valid ones changed", "with words that nobody wrote", "lost")
    return ", ".join(f"{total.faults[kind]:,} {kind}" for kind in kinds)


def _figures(total: Tally) -> str:
    repairs = ", ".join(f"{count:,} {kind}" for kind, count in total.repairs.most_common())
    return (
        f"{total.cases:,} histories, {total.valid:,} of them valid, in windows from {WINDOWS[0]:,} to {WINDOWS[1]:,} "
        f"tokens; {total.shortened:,} had to be shortened; repairs: {repairs}"
    )


def try_seeds(seeds: Sequence[int]) -> Tally:
    """What one process sees."""
    tally = Tally()
    for seed in seeds:
        tally.cases += 1
        random = Random(seed)
        turns = random.choice((2, 4, 8, 16))
        if seed % VALID_EVERY == 0:
            tally.valid += 1
            messages = any_valid(random, turns=turns)
            _try_valid(messages, seed=seed, tally=tally)
        else:
            messages = any_damaged(random, turns=turns)
        _try_view(messages, random=random, seed=seed, tally=tally)
    return tally


def _try_valid(messages: Sequence[Message], *, seed: int, tally: Tally) -> None:
    sent = legal_history(messages)
    same = len(sent.messages) == len(messages) and all(map(_is, sent.messages, messages))
    if sent.repairs or not same:
        tally.fault("valid ones changed", seed=seed, what=str(dict(sent.repairs)))


def _is(one: object, other: object) -> bool:
    return one is other


def _try_view(messages: Sequence[Message], *, random: Random, seed: int, tally: Tally) -> None:
    """The walk of a request: choose what fits, then the grammar last."""
    window = round(math.exp(random.uniform(*map(math.log, WINDOWS))))
    budget = Budget(window=window, max_output=random.choice((256, 1024, 8192))).input_tokens
    limit = random.choice((random.randint(1, 40), 500))
    view = choose_view(messages, budget_tokens=budget, max_messages=limit, session=SESSION)
    sent = legal_history(view.messages)
    tally.repairs += Counter(view.repairs)
    tally.shortened += any(MARK.search(message.content) for message in view.messages)
    if faults := grammar_faults(sent.messages) or list(sent.repairs):
        tally.fault("illegal", seed=seed, what=f"window {window}, {faults[0]}")
    if (cost := _true_cost(sent.messages, stored=messages)) > budget:
        tally.fault("too large", seed=seed, what=f"window {window}, {cost} tokens for {budget}")
    if not sent.messages and legal_history(messages).messages:
        tally.fault("lost", seed=seed, what=f"window {window}")
    if foreign := _foreign_text(sent.messages, stored=messages):
        tally.fault("with words that nobody wrote", seed=seed, what=repr(foreign[:80]))


def _true_cost(sent: Sequence[Message], *, stored: Sequence[Message]) -> int:
    """Tokens counted anew for all that was made for this view; the stored ones carry a true count."""
    counted = {id(message) for message in stored if message.tokens}
    return sum(message.tokens if id(message) in counted else message_tokens(message) for message in sent)


def _foreign_text(sent: Sequence[Message], *, stored: Sequence[Message]) -> str:
    """The first words under role user that are no part of what users wrote, marks of cuts apart."""
    written = ""
    for message in sent:
        if not isinstance(message, UserMessage):
            continue
        written = written or _mended(
            "\n\n".join(m.content for m in stored if isinstance(m, UserMessage) and m.content.strip())
        )
        for piece in MARK.split(message.content):
            if piece not in written:
                return piece
    return ""


def _mended(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
