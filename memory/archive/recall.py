"""What of the past to put beside a new message: few passages, surely related, under a token cap."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from memory import tokens
from memory.archive.documents import ASKS, ROLES, Document, fingerprint
from memory.archive.index import IndexFile
from memory.archive.lookup import Hit, Request, hits_of, ranking
from memory.archive.query import Query
from memory.archive.ranking import Ranked
from memory.archive.scores import CAREFUL, inverse_frequency
from memory.archive.terms import is_pair, stem, terms
from memory.archive.words import STOP_WORDS

FLOOR = 0.38
"""The least relevance of the best passage that nobody asked for: silence beats noise. A little under what one of two
rare words gives, for people ask about the dentist's appointment who spoke of the dentist. A search that is asked for
has none."""
TELLING = 0.6
"""The least worth of a single word that is shared with the question, as a share of what a word gives that stands in
no other message: of "that worked" and "what time is it" one word is left, and it stands everywhere."""
BESIDE_THE_BEST = 0.5
"""The least score of every other passage, as a share of the best one's: what is much weaker is there by chance."""
# In so few messages every word stands everywhere.
_FEW = 100
# So many repeats, each with the answer it got, may have taken the place of what both are about.
_CROWD = 3
# So many earlier messages are looked at for those that ask the very same, by so many terms of a long one.
_MOST_REPEATS = 1_000
_MOST_TERMS = 8
# Of the cap, for one passage: a pasted file must not take the place of everything else.
_LARGEST_SHARE = 0.5
# Around a passage: its number, who says it, and when.
_FRAME_TOKENS = 24
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？\n]+\s*|$)")
_LEFT_OUT = "…"
# Whoever repeats what somebody said adds at most this share of other words.
_ECHO = 0.25
_EMPTY = frozenset(fingerprint(stem(word)) for word in STOP_WORDS)


def recollect(file: IndexFile, *, request: Request, wanted: AbstractSet[str], max_tokens: int) -> list[Hit]:
    """The passages to put beside a new message, oldest first; `wanted` are the terms that carry its meaning."""
    query = request.understood(file)
    ranked = ranking(file, request=request, query=query)
    repeats = {found.document.id for found in ranked if _repeats(found.document, query=query)}
    others = [found for found in ranked if not _is_of(repeats, found.document)]
    chosen = _chosen(others, query=query, file=file)
    if (len(repeats) >= _CROWD or not chosen) and (before := _asked_before(query, file=file)):
        # What was asked again and again hides what answers it: it fills the ranking, and makes its words common.
        others = ranking(file, request=replace(request, effort=CAREFUL), query=query, without=before)
        chosen = _chosen(others, query=query, file=file) or _chosen(ranked, query=query, file=file)
    best = hits_of(chosen[: request.limit], file=file)
    hits = fitting(best, wanted=wanted, max_tokens=max_tokens)
    return sorted(hits, key=lambda hit: (hit.at, hit.session, hit.seq))


def telling(ranked: Sequence[Ranked], *, query: Query) -> list[Ranked]:
    """Those of the ranked that tell something the question doesn't, best first, each text once.

    None at all when the best of them is below the floor. What the assistant repeats of a person's words is
    replaced by these words.
    """
    asked = {*query.words}
    statements = [found for found in ranked if _is_statement(found.document)]
    chosen: dict[bytes, Ranked] = {}
    best = 0.0
    for found in ranked:
        if found.score < BESIDE_THE_BEST * best:
            break
        source = _source(found, statements=statements, asked=asked) if found.related else None
        if source is None or not _adds(source.document, query=query, asked=asked):
            continue
        if not best and found.relevance < FLOOR:
            break
        best = best or found.score
        chosen.setdefault(source.document.prints.tobytes(), source)
    return list(chosen.values())


def _chosen(ranked: Sequence[Ranked], *, query: Query, file: IndexFile) -> list[Ranked]:
    return telling(ranked, query=query) if _is_about(ranked, query=query, file=file) else []


def _asked_before(query: Query, *, file: IndexFile) -> dict[int, Document]:
    """The messages that only ask what is asked now, and what the assistant said to each."""
    ids = file.postings.newest(*(query.verbatim or query.terms[:_MOST_TERMS]), limit=_MOST_REPEATS)
    documents = file.documents({id_ + step for id_ in ids for step in (0, 1)})
    asking = {id_ for id_, document in documents.items() if _repeats(document, query=query)}
    return {id_: document for id_, document in documents.items() if _is_of(asking, document)}


def _is_of(asking: AbstractSet[int], document: Document) -> bool:
    """Whether it is one of the messages that are asking, or what the assistant said to one."""
    is_answer = document.id - 1 in asking and ROLES[document.role] == "assistant"
    return is_answer or document.id in asking


def _repeats(document: Document, *, query: Query) -> bool:
    return document.prints == query.words


def _is_about(ranked: Sequence[Ranked], *, query: Query, file: IndexFile) -> bool:
    """Whether anything shares more with the question than one word that stands everywhere, or it names a time."""
    if query.spans or file.messages < _FEW:
        return True
    least = TELLING * inverse_frequency(1, of=file.messages)
    asked = {fingerprint(term) for term in query.terms if not is_pair(term)}
    return any(found.own >= least or len(asked.intersection(found.document.prints)) > 1 for found in ranked)


def _is_statement(document: Document) -> bool:
    return ROLES[document.role] == "user" and not document.flags & ASKS


def _adds(document: Document, *, query: Query, asked: set[int]) -> bool:
    """Whether it is neither the question itself nor one that asks no more."""
    if document.flags & ASKS:
        return not _content(document) <= asked
    return not _repeats(document, query=query)


def _source(found: Ranked, *, statements: Sequence[Ranked], asked: set[int]) -> Ranked | None:
    """The statement that this message repeats, or else the message itself; None where it only repeats the question."""
    document = found.document
    if ROLES[document.role] != "assistant":
        return found
    content = _content(document)
    added = content - asked
    if not added:
        return None
    most = _ECHO * len(content)
    for statement in statements:
        if len(added.difference(statement.document.prints)) <= most:
            return statement
    return found


def _content(document: Document) -> set[int]:
    return {*document.prints} - _EMPTY


def fitting(
    hits: Sequence[Hit],
    *,
    wanted: AbstractSet[str],
    max_tokens: int,
    count: Callable[[str], int] = tokens.count,
) -> list[Hit]:
    """Those of the hits, best first, that fit into `max_tokens`; `count` gives the tokens of a text.

    A long text is cut to the sentences that have most of the `wanted` terms.
    """
    chosen: list[Hit] = []
    left, most = max_tokens, int(max_tokens * _LARGEST_SHARE)
    for hit in hits:
        cost = (hit.tokens or count(hit.text)) + _FRAME_TOKENS
        passage = hit
        if cost > most:
            text = excerpt(hit.text, wanted=wanted, max_tokens=most - _FRAME_TOKENS, count=count)
            passage, cost = replace(hit, text=text), count(text) + _FRAME_TOKENS
        if cost <= left and passage.text:
            left -= cost
            chosen.append(passage)
    return chosen


def excerpt(text: str, *, wanted: AbstractSet[str], max_tokens: int, count: Callable[[str], int]) -> str:
    """The text, or the stretch of sentences around its best one that fits; empty where not even one does."""
    if count(text) <= max_tokens:
        return text
    sentences = [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]
    costs = [count(sentence) for sentence in sentences]
    worth = [len(wanted & {*terms(sentence)}) for sentence in sentences]
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
