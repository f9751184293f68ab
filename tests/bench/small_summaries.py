"""Has the small local model summarise conversations: whatever it writes, only claims with evidence get in; counts printed."""

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date

from gateway.jobs.summarizer import LLMSummarizer
from gateway.llm.local import LocalLLM, local_problem
from memory.claims.checks import Rejection, check
from memory.claims.claim import Claim
from memory.claims.text import fold
from memory.consolidation import Chunk
from memory.errors import SummarizerFailed
from memory.messages import Message
from tests.bench.planted_talk import some_line, talk

SESSION = "telegram:42"
CONVERSATIONS = 4
LINES = 5
"""Told in each conversation, among small talk."""


@dataclass(slots=True)
class Tally:
    """What became of everything that the model proposed."""

    conversations: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    kept: list[Claim] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    baseless: list[Claim] = field(default_factory=list)
    """Kept, though their quotes are not what was said: there must be none."""


def is_baseless(claim: Claim, messages: Mapping[int, Message]) -> bool:
    """Whether a quote is not in the message that it names; looked up here, apart from the checks that let it in."""
    return not claim.evidence or any(
        each.seq not in messages or fold(each.quote) not in fold(messages[each.seq].content)
        for each in claim.evidence
    )


async def summarised(conversations: int, *, seed: int) -> Tally:
    """Ask the model for claims about each conversation, and check them as a consolidation does."""
    rng, llm, tally = random.Random(seed), LocalLLM(), Tally()
    summarizer = LLMSummarizer(llm)
    try:
        for _ in range(conversations):
            today = date(2026, 3, 2)
            messages, _places = talk(rng, today, *(some_line(rng, today) for _ in range(LINES)))
            await _one(summarizer, messages, tally)
            print(f"{tally.conversations} of {conversations} …", file=sys.stderr)
    finally:
        await llm.close()
    return tally


async def _one(summarizer: LLMSummarizer, messages: Mapping[int, Message], tally: Tally) -> None:
    tally.conversations += 1
    chunk = Chunk(
        session=SESSION, audience="person-ann", messages=list(messages.values()), previous=(), zone=UTC
    )
    try:
        proposal = await summarizer.propose(chunk)
    except SummarizerFailed as error:
        tally.failures[str(error)] += 1
        return
    tally.unreadable += len(proposal.problems)
    for proposed in proposal.claims:
        verdict = check(proposed, messages=messages, session=SESSION, zone=UTC)
        if isinstance(verdict, Rejection):
            tally.rejected[verdict.reason.value] += 1
        else:
            tally.kept.append(verdict)
            if is_baseless(verdict, messages):
                tally.baseless.append(verdict)


def table(tally: Tally) -> list[str]:
    """The counts, the reasons for which claims fell beneath."""
    lines = [
        f"conversations summarised     {tally.conversations}",
        f"answers without use          {tally.failures.total()}",
        f"items that can't be read     {tally.unreadable}",
        f"claims rejected              {tally.rejected.total()}",
    ]
    lines += [f"    {reason:<24} {count}" for reason, count in tally.rejected.most_common()]
    lines += [
        f"claims kept                  {len(tally.kept)}",
        f"kept without evidence        {len(tally.baseless)}  (goal 0)",
    ]
    return lines


def main() -> int:
    """Print the table; 1 where a claim got in whose quote nobody said, 0 with a word where there is no small model."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.small_summaries", description=__doc__)
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="the claims that were kept")
    chosen = parser.parse_args()
    if problem := local_problem():
        print(f"skipped: {problem}")
        return 0
    tally = asyncio.run(summarised(chosen.conversations, seed=chosen.seed))
    print("\n".join(table(tally)))
    if chosen.show:
        print("\n".join(f"{claim.kind}: {claim.text}" for claim in tally.kept))
    return 1 if tally.baseless else 0


if __name__ == "__main__":
    sys.exit(main())
