"""What the postings of a question's terms say, read with as much effort as the occasion is worth."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations

from memory.archive.documents import PLACES, Document, fingerprint
from memory.archive.index import IndexFile
from memory.archive.postings import Postings
from memory.archive.query import Query
from memory.archive.terms import is_pair, kin
from memory.archive.thesaurus import instead


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one search may cost.

    It looks for so many `terms` and reads so many `postings` of the rarest. Of terms that are too common for
    that, `pairs` postings at most are compared in search of messages that hold two. So many `likely` messages are
    looked at with their neighbours; the most promising are `ranked`. Words kindred to a term, and such as an answer may
    have instead of it, are looked for too, unless they stand in more than `kindred` messages.
    """

    terms: int
    postings: int
    pairs: int
    likely: int
    ranked: int
    kindred: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What the postings say: each term's weight, and the sum of the weights that a message holds.

    `held` covers the terms whose postings were read, `prefixes` those among them that are prefixes or of other words,
    which no fingerprint of the question tells. Terms too common to be read are weighed in the candidates alone, by their
    fingerprints. `here` are the sittings in which somebody whom the question names has spoken, None where it names
    nobody.
    """

    weights: Mapping[str, float]
    held: Mapping[int, float]
    prefixes: Mapping[int, float]
    sittings: Mapping[int, float]
    here: AbstractSet[int] | None
    average_length: float


THOROUGH = Effort(terms=48, postings=10_000, pairs=0, likely=300, ranked=200, kindred=1_000)
"""For whoever asks: common terms find nothing that 10,000 postings of rarer ones miss. A few milliseconds."""
QUICK = Effort(terms=12, postings=160, pairs=3_000, likely=24, ranked=24, kindred=40)
"""For what runs before every turn: a millisecond or two, however long the history is."""
CAREFUL = replace(QUICK, postings=10_000, likely=48, ranked=48)
"""For what runs before a turn whose question was asked so often that its words are no longer rare."""
NO_DOCUMENTS: Mapping[int, Document] = {}
KIN = 0.7
"""Share of a term's weight for a kindred word."""
INSTEAD = 0.5
"""Share of a term's weight for a word that an answer may have instead: a cello, where an instrument is asked for."""
# Terms of so few messages are read as soon as they are counted.
_RARE = 40
# Of the terms too common to be read, so many of the rarest are looked for in pairs; and so many messages of a pair.
_PAIRED = 3
_WITH_BOTH = 40
# Messages that hold all of the terms, should these be so common that no postings were read; or the very words.
_WITH_ALL = 50
_MOST_TOGETHER = 8


def inverse_frequency(frequency: int, *, of: int) -> float:
    """How much a term tells that stands in `frequency` of `of` messages; never negative."""
    return math.log(1 + max(0, of - frequency) / (frequency + 0.5) + 0.5 / (frequency + 0.5))


def scores_for(
    query: Query, *, file: IndexFile, effort: Effort, without: Mapping[int, Document] = NO_DOCUMENTS
) -> Scores:
    """Read the postings of the question's terms, the rarest first, as many as the effort allows.

    The messages `without` are as good as not there.
    """
    rare, frequencies = _counted(query.terms[: effort.terms], postings=file.postings)
    weights = {
        term: _weight(term, count=count - _holding(term, documents=without), messages=file.messages)
        for term, count in frequencies.items()
    }
    known = sorted(frequencies, key=frequencies.__getitem__)
    read = _affordable(known, frequencies=frequencies, postings=effort.postings)
    held: dict[int, float] = {}
    prefixes: dict[int, float] = {}
    for term in read:
        found = rare[term] if term in rare else file.postings.newest(term, limit=frequencies[term])
        _add(found, to=held, weight=weights[term])
        if term.endswith("*"):
            _add(found, to=prefixes, weight=weights[term])
        elif effort.kindred:
            for others, share in _others(term, asked=weights, beside=found, file=file, most=effort.kindred):
                weight = share * min(weights[term], inverse_frequency(len(others), of=file.messages))
                _add(others, to=held, weight=weight)
                _add(others, to=prefixes, weight=weight)
    common = known[len(read) :]
    if effort.pairs:
        _add_pairs(common[:_PAIRED], to=held, file=file, weights=weights, postings=effort.pairs)
    else:
        _add_verbatim(
            query, to=held, file=file, common=common if not held else (), weight=sum(weights.values())
        )
    held = {id_: weight for id_, weight in held.items() if id_ not in without} if without else held
    return Scores(
        weights=weights,
        held=held,
        prefixes=prefixes,
        sittings=_sittings(held),
        here=_where_present(query.names, present=file.present),
        average_length=max(1.0, file.length / max(1, file.messages)),
    )


def _counted(asked: Iterable[str], *, postings: Postings) -> tuple[dict[str, list[int]], dict[str, int]]:
    """How many messages hold each term, and the messages of those that are rare."""
    rare: dict[str, list[int]] = {}
    frequencies: dict[str, int] = {}
    for term in asked:
        found = postings.rare(term, most=_RARE)
        if found is None:
            frequencies[term] = postings.frequency(term)
        else:
            rare[term], frequencies[term] = found, len(found)
    return rare, frequencies


def _holding(term: str, *, documents: Mapping[int, Document]) -> int:
    """How many of these messages hold the term."""
    print_ = fingerprint(term)
    return sum(print_ in document.prints for document in documents.values())


def _others(
    term: str, *, asked: Collection[str], beside: Iterable[int], file: IndexFile, most: int
) -> Iterator[tuple[AbstractSet[int], float]]:
    """The messages that hold other words for the term, `beside` those that hold the term itself, and what these count.

    A word that stands in more than `most` messages is passed over: a beginning that so many share tells nothing, and
    what everybody speaks of no more.
    """
    prefix = kin(term)
    words = [word for word in instead(term) if word not in asked]
    for wanted, share in (([prefix] if prefix else [], KIN), (words, INSTEAD)):
        found = {id_ for word in wanted for id_ in file.postings.rare(word, most=most) or ()}
        if others := found.difference(beside):
            yield others, share


def _affordable(known: Sequence[str], *, frequencies: Mapping[str, int], postings: int) -> Sequence[str]:
    """The rarest terms whose postings are no more than these."""
    for place, term in enumerate(known):
        postings -= frequencies[term]
        if postings < 0:
            return known[:place]
    return known


def _add_pairs(
    terms: Sequence[str],
    *,
    to: dict[int, float],
    file: IndexFile,
    weights: Mapping[str, float],
    postings: int,
) -> None:
    """Messages that hold two of the terms. SQLite compares postings ten times as fast as we read them."""
    both: dict[int, set[str]] = {}
    for pair in combinations(terms, 2):
        first, second = map(file.postings.frequency, pair)
        postings -= first + second
        # What chance alone brings together so often says nothing.
        if postings >= 0 and first * second <= _WITH_BOTH * file.messages:
            for id_ in file.postings.with_both(*pair, limit=_WITH_BOTH):
                both.setdefault(id_, set()).update(pair)
    for id_, found in both.items():
        to[id_] = to.get(id_, 0.0) + sum(map(weights.__getitem__, found))


def _add_verbatim(
    query: Query, *, to: dict[int, float], file: IndexFile, common: Sequence[str], weight: float
) -> None:
    """Messages of exactly the question's words; and those with all of the `common` terms."""
    if common:
        _add(file.postings.newest(*common[:_MOST_TOGETHER], limit=_WITH_ALL), to=to, weight=weight)
    for term in query.verbatim:
        _add(file.postings.newest(term, limit=_WITH_ALL), to=to, weight=weight)


def _weight(term: str, *, count: int, messages: int) -> float:
    # What stands nowhere is no rarer than what stands once, or else its lack would outweigh what was found.
    weight = inverse_frequency(max(1, count), of=messages)
    # Nobody wrote that pair of characters: as likely it is the end of one word with the beginning of the next.
    return weight / 2 if not count and is_pair(term) else weight


def _add(ids: Iterable[int], *, to: dict[int, float], weight: float) -> None:
    for id_ in ids:
        to[id_] = to.get(id_, 0.0) + weight


def _sittings(held: Mapping[int, float]) -> dict[int, float]:
    """The length of the vector of a sitting's scores: one strong message says more than several weak ones."""
    squares: dict[int, float] = {}
    for id_, weight in held.items():
        sitting = id_ >> PLACES
        squares[sitting] = squares.get(sitting, 0.0) + weight * weight
    return {sitting: square**0.5 for sitting, square in squares.items()}


def _where_present(names: AbstractSet[str], *, present: Mapping[str, set[int]]) -> AbstractSet[int] | None:
    """The sittings in which somebody whom the question names has spoken; None where it names nobody."""
    if not names:
        return None
    first, *others = (present[name] for name in names)
    return first.union(*others) if others else first
