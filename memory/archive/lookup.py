"""One search in one audience's file: candidates from the postings, ranked with what stands around them."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memory.archive.bounds import Bounds
from memory.archive.candidates import THOROUGH, Effort, candidates, evidence_for
from memory.archive.index import IndexFile
from memory.archive.question import understand
from memory.archive.ranking import Ranked, rank
from memory.messages import Provenance, reference

_ROLES = ("user", "assistant", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query with its bounds; `now` is what times in the query refer to."""

    query: str
    limit: int = 10
    now: datetime | None = None
    bounds: Bounds = field(default_factory=Bounds)
    effort: Effort = THOROUGH


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
    kept = [
        found for found in ranked if request.bounds.hold(found.document, file.key(found.document.session))
    ]
    texts = file.texts(found.document.id for found in kept[: request.limit])
    return [_hit(file, found, *texts[found.document.id]) for found in kept[: request.limit]]


def _hit(file: IndexFile, found: Ranked, provenance: Provenance, text: str) -> Hit:
    document = found.document
    session = file.key(document.session)
    return Hit(
        ref=reference(session, document.seq),
        session=session,
        seq=document.seq,
        score=round(found.score, 4),
        relevance=round(found.relevance, 4),
        text=text,
        at=datetime.fromtimestamp(document.at, UTC),
        sender=document.sender,
        role=_ROLES[document.role],
        provenance=provenance,
    )


def ranking_of(file: IndexFile, request: Request) -> list[Ranked]:
    """Every candidate, best first; some may lie just beyond the bounds."""
    question = understand(request.query, file.called, request.now or datetime.now(UTC))
    effort = replace(request.effort, ranked=max(request.effort.ranked, request.limit + request.limit // 2))
    evidence = evidence_for(file, question, effort)
    allowed = request.bounds.among(file)
    wanted = candidates(file, question, evidence, allowed=allowed, limit=effort.ranked)
    return rank(file.documents(wanted), question, evidence)
