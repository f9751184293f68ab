"""What of the past to put beside a new message: few passages, surely related, under a token cap."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from memory import tokens
from memory.archive.lookup import Hit
from memory.archive.terms import content_terms, fold, terms

FLOOR = 0.4
"""The least relevance of the best passage that nobody asked for: silence beats noise. Of questions about a chat nine
in ten reach it, of messages that have nothing to do with it hardly one in ten. A search that is asked for has none."""
BESIDE_THE_BEST = 0.5
"""The least score of every other passage, as a share of the best one's: what is much weaker is there by chance."""
# Of the cap, for one passage: a pasted file must not take the place of everything else.
_LARGEST_SHARE = 0.5
# Around a passage: its number, who says it, and when.
_FRAME_TOKENS = 24
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？\n]+\s*|$)")
_LEFT_OUT = "…"


def passages_for(
    query: str, hits: Sequence[Hit], *, max_tokens: int, count: Callable[[str], int] = tokens.count
) -> list[Hit]:
    """The best hits that fit into `max_tokens`, oldest first and none twice.

    None at all when the best is below the floor, or when the message has no content (a greeting, an
    acknowledgement). A long text is cut to the sentences that have most of the query's terms. `hits` come best first; `count` gives the tokens of a text.
    """
    wanted = set(content_terms(query))
    if not wanted or not hits or hits[0].relevance < FLOOR:
        return []
    chosen: list[Hit] = []
    seen = {fold(query).strip()}
    left = max_tokens
    for hit in hits:
        text = excerpt(
            hit.text, wanted, max_tokens=int(max_tokens * _LARGEST_SHARE) - _FRAME_TOKENS, count=count
        )
        cost = count(text) + _FRAME_TOKENS
        key = fold(text).strip()
        if hit.score >= BESIDE_THE_BEST * hits[0].score and cost <= left and text and key not in seen:
            seen.add(key)
            left -= cost
            chosen.append(replace(hit, text=text))
    return sorted(chosen, key=lambda hit: (hit.at, hit.session, hit.seq))


def excerpt(text: str, wanted: set[str], *, max_tokens: int, count: Callable[[str], int]) -> str:
    """The text, or the stretch of sentences around its best one that fits; empty where not even one does."""
    if count(text) <= max_tokens:
        return text
    sentences = [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]
    costs = [count(sentence) for sentence in sentences]
    worth = [len(wanted.intersection(terms(sentence))) for sentence in sentences]
    fitting = [at for at, cost in enumerate(costs) if cost <= max_tokens]
    if not fitting:
        return ""
    first = last = max(fitting, key=lambda at: (worth[at], -at))
    left = max_tokens - costs[first]
    while last + 1 < len(sentences) and costs[last + 1] <= left:
        last += 1
        left -= costs[last]
    while first and costs[first - 1] <= left:
        first -= 1
        left -= costs[first]
    before, after = _LEFT_OUT if first else "", _LEFT_OUT if last + 1 < len(sentences) else ""
    return before + "".join(sentences[first : last + 1]).strip() + after
