"""Which messages are worth ranking: those that hold much of the question, and those beside them."""

from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from itertools import chain, islice

from memory.archive.bounds import Bounds
from memory.archive.dates import Span
from memory.archive.documents import PLACES
from memory.archive.index import IndexFile
from memory.archive.query import Query
from memory.archive.ranking import ABSENT, SITTING, around
from memory.archive.scores import Scores

# Those of a named day that hold no term at all.
_OF_THE_DAY = 100
_LONGEST_DAY = timedelta(days=8)
# An answer often has no word of the question; it is one of the turns beside one that has.
_BESIDE = (-1, 0, 1, 2)


def candidates(
    file: IndexFile,
    *,
    query: Query,
    scores: Scores,
    bounds: Bounds,
    likely: int,
    limit: int,
    told: Iterable[int] = (),
) -> list[int]:
    """The `limit` most promising of the `likely` messages and their neighbours, and those of a day that is named.

    `told` are those that tell of such a day. Those out of bounds are no candidates, but may be neighbours.
    """
    held, here = scores.held, scores.here
    bonus = {sitting: SITTING * score for sitting, score in scores.sittings.items()}
    share = {sitting: 1.0 if here is None or sitting in here else 1 - ABSENT for sitting in bonus}
    within = bounds.among(held, file=file)
    promise = {id_: (held[id_] + bonus[id_ >> PLACES]) * share[id_ >> PLACES] for id_ in within}
    beside = {id_ + step for id_ in _largest(promise, count=likely) for step in _BESIDE}
    promise = {
        id_: (held.get(id_, 0.0) + around(id_, held) + bonus.get(id_ >> PLACES, 0.0))
        * share.get(id_ >> PLACES, 1.0)
        for id_ in beside
    }
    timely = islice(chain(_of_the_day(file, query=query, limit=limit), told), 2 * limit)
    return list(dict.fromkeys([*_largest(promise, count=limit), *timely]))


def _largest(scores: Mapping[int, float], *, count: int) -> list[int]:
    """The ids of the `count` highest scores, the newest of equals."""
    if len(scores) <= count:
        return list(scores)
    least = sorted(scores.values(), reverse=True)[count - 1]
    above = [id_ for id_, score in scores.items() if score > least]
    equal = sorted((id_ for id_, score in scores.items() if score == least), reverse=True)
    return above + equal[: count - len(above)]


def _of_the_day(file: IndexFile, *, query: Query, limit: int) -> list[int]:
    found: list[int] = []
    for span in query.spans:
        if span.last - span.first <= _LONGEST_DAY:
            first, last = _moments(span, now=query.now)
            found.extend(file.calendar.between(first, last=last, limit=min(limit, _OF_THE_DAY)))
    return found


def _moments(span: Span, *, now: datetime) -> tuple[int, int]:
    first = datetime.combine(span.first, time.min, now.tzinfo)
    last = datetime.combine(span.last, time.max, now.tzinfo)
    return int(first.timestamp()), int(last.timestamp())
