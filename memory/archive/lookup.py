"""One search in one audience's file: candidates from the postings, ranked with what stands around them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from memory.archive.candidates import POSTINGS, candidates, evidence_for
from memory.archive.index import Document, IndexFile
from memory.archive.question import understand
from memory.archive.ranking import rank
from memory.messages import Provenance, reference

_ROLES = ("user", "assistant", "tool")
# Ranking one takes ten microseconds; beyond these hardly anything is found.
_CANDIDATES = 200


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
    ranked = ranking_of(file, request)
    kept = [(score, document) for score, document in ranked if _within(file, document, request)][
        : request.limit
    ]
    texts = file.texts(document.id for _, document in kept)
    return [_hit(file, score, document, *texts[document.id]) for score, document in kept]


def _within(file: IndexFile, document: Document, request: Request) -> bool:
    session = file.key(document.session)
    if request.session is not None and session != request.session:
        return False
    if request.exclude and session == request.exclude[0] and document.seq >= request.exclude[1]:
        return False
    if request.from_at and document.at < int(request.from_at.timestamp()):
        return False
    return not (request.to_at and document.at > request.to_at.timestamp())


def _hit(file: IndexFile, score: float, document: Document, provenance: Provenance, text: str) -> Hit:
    session = file.key(document.session)
    return Hit(
        ref=reference(session, document.seq),
        session=session,
        seq=document.seq,
        score=round(score, 4),
        relevance=1.0,
        text=text,
        at=datetime.fromtimestamp(document.at, UTC),
        sender=document.sender,
        role=_ROLES[document.role],
        provenance=provenance,
    )


def ranking_of(file: IndexFile, request: Request) -> list[tuple[float, Document]]:
    """Every candidate with its score, best first, whatever the bounds."""
    question = understand(request.query, file.called, request.now or datetime.now(UTC))
    evidence = evidence_for(file, question, postings=POSTINGS)
    wanted = candidates(file, question, evidence, limit=max(_CANDIDATES, request.limit + request.limit // 2))
    return rank(file.documents(wanted), question, evidence, file.present)
