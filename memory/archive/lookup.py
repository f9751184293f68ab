"""One search in one audience's file: candidates from the postings, ranked with what stands around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.archive.bounds import Bounds
from memory.archive.candidates import candidates
from memory.archive.documents import ROLES, Document
from memory.archive.embedder import Vector
from memory.archive.index import IndexFile
from memory.archive.query import Query, understand
from memory.archive.ranking import Ranked, rank
from memory.archive.scores import NO_DOCUMENTS, THOROUGH, Effort, scores_for
from memory.archive.vectors import Likenesses
from memory.messages import Provenance, reference

# Of the messages most like the question, so many are ranked; and so many are looked through for those within bounds.
_NEAREST = 50
_LOOKED_THROUGH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query with its bounds, and with its vector where there is one; `now` is what times in the query refer to."""

    query: str
    limit: int = 10
    now: datetime | None = None
    vector: Vector | None = None
    bounds: Bounds = field(default_factory=Bounds)
    effort: Effort = THOROUGH

    def understood(self, file: IndexFile) -> Query:
        """What is asked, of the people whom the file knows."""
        return understand(self.query, called=file.called, now=self.now or datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that was found. `relevance` is the share of what was asked that it covers, 0 to 1.

    `beside` is one that has nothing of what was asked and stands by one that has. `tokens` are those that the message
    takes in a request, 0 where nobody has counted.
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
    beside: bool = False
    tokens: int = 0


def look_up(file: IndexFile, *, request: Request) -> list[Hit]:
    """The best messages for the request, best first."""
    ranked = ranking(file, request=request, query=request.understood(file))
    return hits_of(ranked[: request.limit], file=file)


def ranking(
    file: IndexFile, *, request: Request, query: Query, without: Mapping[int, Document] = NO_DOCUMENTS
) -> list[Ranked]:
    """Every candidate within the bounds, best first; `query` is the request's, understood.

    The messages `without` count for nothing, and are no candidates for what they hold.
    """
    effort, bounds = request.effort, request.bounds
    scores = scores_for(query, file=file, effort=effort, without=without)
    told = file.calendar.told(query.spans)
    wanted = candidates(
        file,
        query=query,
        scores=scores,
        bounds=bounds,
        likely=max(effort.likely, request.limit),
        limit=max(effort.ranked, request.limit + request.limit // 2),
        told=told,
    )
    likenesses = file.compare(request.vector)
    wanted = list(dict.fromkeys([*wanted, *_nearest(likenesses, file=file, bounds=bounds)]))
    alike = likenesses.among(wanted)
    documents = file.documents(wanted) if wanted else {}
    ranked = rank(documents, query=query, scores=scores, alike=alike, told=told)
    return [found for found in ranked if bounds.hold(found.document, key=file.key(found.document.session))]


def hits_of(ranked: Sequence[Ranked], *, file: IndexFile) -> list[Hit]:
    """The messages with their texts, in the same order."""
    texts = file.texts(found.document.id for found in ranked)
    return [
        _hit(found, session=file.key(found.document.session), stored=texts[found.document.id])
        for found in ranked
    ]


def _hit(found: Ranked, *, session: str, stored: tuple[Provenance, str]) -> Hit:
    provenance, text = stored
    document = found.document
    return Hit(
        ref=reference(session, document.seq),
        session=session,
        seq=document.seq,
        score=round(found.score, 4),
        relevance=round(found.relevance, 4),
        text=text,
        at=datetime.fromtimestamp(document.at, UTC),
        sender=document.sender,
        role=ROLES[document.role],
        provenance=provenance,
        beside=found.beside,
        tokens=document.tokens,
    )


def _nearest(likenesses: Likenesses, *, file: IndexFile, bounds: Bounds) -> list[int]:
    """The messages that are most like the question, whatever their words, of those that may be returned."""
    if bounds.leave_all:
        return likenesses.nearest(_NEAREST)
    found = likenesses.nearest(_LOOKED_THROUGH)
    within = {*bounds.among(found, file=file)} if found else set()
    return [id_ for id_ in found if id_ in within][:_NEAREST]
