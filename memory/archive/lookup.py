"""One search in one audience's file: candidates from the postings, ranked with what stands around them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.archive.bounds import Allowed, Bounds
from memory.archive.candidates import candidates
from memory.archive.embedder import Vector
from memory.archive.evidence import THOROUGH, Effort, evidence_for
from memory.archive.index import IndexFile
from memory.archive.question import Question, understand
from memory.archive.ranking import Ranked, rank
from memory.archive.vectors import Likenesses
from memory.messages import Provenance, reference

# Of the messages most like the question, so many are ranked; and so many are looked through for those within bounds.
_NEAREST = 50
_LOOKED_THROUGH = 1_000
_ROLES = ("user", "assistant", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query with its bounds, and with its vector where there is one; `now` is what times in the query refer to."""

    query: str
    limit: int = 10
    now: datetime | None = None
    vector: Vector | None = None
    bounds: Bounds = field(default_factory=Bounds)
    effort: Effort = THOROUGH


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that was found. `relevance` is the share of what was asked that it covers, 0 to 1.

    `tokens` are those that the message takes in a request, 0 where nobody has counted.
    """

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
    tokens: int = 0


def look_up(file: IndexFile, request: Request) -> list[Hit]:
    """The best messages for the request, best first."""
    return hits_of(file, ranking_of(file, request)[: request.limit])


def hits_of(file: IndexFile, ranked: Sequence[Ranked]) -> list[Hit]:
    """The messages with their texts, in the same order."""
    texts = file.texts(found.document.id for found in ranked)
    return [_hit(file, found, *texts[found.document.id]) for found in ranked]


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
        tokens=document.tokens,
    )


def ranking_of(file: IndexFile, request: Request) -> list[Ranked]:
    """Every candidate within the bounds, best first."""
    return ranking_for(
        file, request, understand(request.query, file.called, request.now or datetime.now(UTC))
    )


def ranking_for(file: IndexFile, request: Request, question: Question) -> list[Ranked]:
    """The same for a query that is understood already."""
    effort = request.effort
    limit = max(effort.ranked, request.limit + request.limit // 2)
    evidence = evidence_for(file, question, effort)
    allowed = request.bounds.among(file)
    wanted = candidates(
        file,
        question,
        evidence,
        allowed=allowed,
        likely=max(effort.likely, request.limit),
        limit=limit,
    )
    likenesses = file.compare(request.vector)
    wanted = list(dict.fromkeys([*wanted, *_nearest(file, likenesses, allowed)]))
    hold, key = request.bounds.hold, file.key
    alike = likenesses.among(wanted)
    ranked = rank(file.documents(wanted), question, evidence, alike) if wanted else []
    return [found for found in ranked if hold(found.document, key(found.document.session))]


def _nearest(file: IndexFile, likenesses: Likenesses, allowed: Allowed) -> list[int]:
    """The messages that are most like the question, whatever their words, of those that may be returned."""
    if allowed.everything and not allowed.bounds.timed:
        return likenesses.nearest(_NEAREST)
    found = likenesses.nearest(_LOOKED_THROUGH)
    within = {*allowed.of(file, found)}
    return [id_ for id_ in found if id_ in within][:_NEAREST]
