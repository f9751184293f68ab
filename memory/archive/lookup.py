"""One search in one audience's file: candidates from the postings, ranked with what stands around them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from memory.archive.index import PLACES, Document, IndexFile, fingerprint
from memory.archive.ranking import Wanted, inverse_frequency, rank
from memory.archive.terms import query_terms, terms
from memory.messages import Provenance, reference

_ROLES = ("user", "assistant", "tool")
_CANDIDATES = 200
_POSTINGS = 20_000
_FEW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query and its bounds; see `SearchIndex.search`."""

    query: str
    limit: int = 10
    session: str | None = None
    now: datetime | None = None
    exclude: tuple[str, int] | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that was found. `relevance` is the share of what was asked that it covers, 0 to 1."""

    ref: str
    session: str
    seq: int
    score: float
    relevance: float
    text: str
    at: datetime
    sender: str
    role: str
    provenance: Provenance


def look_up(file: IndexFile, request: Request) -> list[Hit]:
    """The best messages for the request, best first."""
    ranked = ranking_of(file, request.query, request.now)
    kept = [(score, document) for score, document in ranked if _within(document, request)][: request.limit]
    texts = file.texts(document.id for _, document in kept)
    return [_hit(score, document, *texts[document.id]) for score, document in kept]


def _within(document: Document, request: Request) -> bool:
    if request.session is not None and document.session != request.session:
        return False
    if request.exclude and document.session == request.exclude[0] and document.seq >= request.exclude[1]:
        return False
    if request.from_at and document.at < int(request.from_at.timestamp()):
        return False
    return not (request.to_at and document.at > request.to_at.timestamp())


def _hit(score: float, document: Document, provenance: str, text: str) -> Hit:
    return Hit(
        ref=reference(document.session, document.seq),
        session=document.session,
        seq=document.seq,
        score=round(score, 4),
        relevance=1.0,
        text=text,
        at=datetime.fromtimestamp(document.at, UTC),
        sender=document.sender,
        role=_ROLES[document.role],
        provenance=Provenance(provenance),
    )


def ranking_of(file: IndexFile, query: str, now=None):
    asked = query_terms(query)[:40]
    names = frozenset(name for name in file.names() if set(terms(name)) & set(asked))
    frequencies = {term: file.frequency(term) for term in asked}
    weights = {t: inverse_frequency(f, of=file.messages) for t, f in frequencies.items() if f}
    rough: dict[int, float] = {}
    left = _POSTINGS
    for term in sorted(weights, key=lambda t: frequencies[t]):
        if frequencies[term] > left:
            break
        left -= frequencies[term]
        for id_ in file.postings(term, limit=left + 1):
            rough[id_] = rough.get(id_, 0.0) + weights[term]
    if len(weights) > 1:
        for id_ in file.postings(*list(weights)[:8], limit=_FEW):
            rough.setdefault(id_, 0.0)
            rough[id_] += 0.01
    sittings: dict[int, float] = {}
    for id_, value in rough.items():
        s = id_ >> PLACES
        sittings[s] = sittings.get(s, 0) + value * value
    sittings = {k: v**0.5 for k, v in sittings.items()}
    around = {id_: v + 0.3 * (rough.get(id_ - 1, 0) + rough.get(id_ + 1, 0)) for id_, v in rough.items()}
    best = sorted(around, key=lambda i: (-around[i], -i))[:_CANDIDATES]
    wanted_ids = {id_ + step for id_ in best for step in (-2, -1, 0, 1, 2)}
    documents = file.documents(wanted_ids)
    wanted = Wanted(
        weights={fingerprint(t): w for t, w in weights.items()},
        names=names,
        average_length=file.length / max(1, file.messages),
    )
    return rank(documents, wanted, sittings, lambda at: 0.0)
