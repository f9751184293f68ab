"""What is kept where the model fails: sentences of people, word for word, so true by construction (P11)."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from memory import tokens
from memory.claims.anchors import AnchorKind, mentions
from memory.claims.checks import check
from memory.claims.claim import Claim, ClaimKind, Evidence
from memory.claims.meaning import is_doubtful, is_question
from memory.claims.proposal import MAX_TEXT_CHARS, ProposedClaim
from memory.claims.text import fold, sentences, tidy
from memory.claims.trust import PEOPLE
from memory.messages import AssistantMessage, Message, UserMessage

MAX_CLAIMS = 24
"""As many as a good summary of a chunk has; the messages themselves stay findable."""

_LONGEST_MESSAGE = 20_000
"""Of a pasted file the beginning is enough to extract from."""

_DECISION = re.compile(
    r"\b(?:let's|lets|decided|we'll|we will|we agreed|agreed|settled|go with|going with|i'll|i will|i choose|final)\b"
    r"|就.{0,12}吧|决定|定了|说好|选定|同意|那就",
    re.IGNORECASE,
)
_OF_THEMSELVES = re.compile(
    r"\b(?:i|i'm|i've|i'd|we|my|our)\b.*\b(?:am|live|work|like|love|prefer|hate|need|want|have|own|is|are|use|was|moved|study|speak)\b"
    r"|\bi'm\b|\bplease (?:always|never)\b|\balways\b|\bnever\b|我(?:们)?.{0,6}(?:是|在|住|喜欢|讨厌|有|需要|想|用|叫|对|不)|以后都|请(?:总是|一直|不要|别)",
    re.IGNORECASE,
)
_TELLING = frozenset(AnchorKind) - {AnchorKind.NAME}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A sentence that may be kept; a higher weight is kept first, and 0 by itself not at all."""

    kind: ClaimKind
    seq: int
    text: str
    weight: int


def extract(
    messages: Sequence[Message],
    *,
    session: str,
    zone: tzinfo,
    max_claims: int = MAX_CLAIMS,
    max_tokens: int = 1_000,
    quoted: Collection[Evidence] | None = None,
) -> tuple[Claim, ...]:
    """Claims whose text is what a person said, in the order of the messages; at most so many, at most so long.

    Kept first are decisions, then questions that nobody answered, then facts with numbers, dates, links and the
    like, then what people say of themselves. Every one of them passes `check`. `max_tokens` counts their texts.
    With `quoted`, it is the sentences that these quotes stand in, all that are no answered question.
    """
    known = {message.seq: message for message in messages}
    candidates = _candidates(messages, zone)
    if quoted is not None:
        candidates = (
            replace(each, weight=max(each.weight, 1)) for each in candidates if _is_in(each, quoted)
        )
    told = (each for each in candidates if each.weight)
    found = sorted(told, key=lambda each: (-each.weight, -each.seq))
    kept: dict[tuple[int, str], Claim] = {}
    left = max_tokens
    for candidate in found:
        if len(kept) >= max_claims:
            break
        cost = tokens.count(candidate.text)
        if cost > left or (candidate.seq, candidate.text) in kept:
            continue
        claim = _believed(candidate, known, session=session, zone=zone)
        if claim is not None:
            kept[candidate.seq, candidate.text] = claim
            left -= cost
    return tuple(sorted(kept.values(), key=lambda claim: claim.evidence[0].seq))


def _believed(
    candidate: _Candidate, known: dict[int, Message], *, session: str, zone: tzinfo
) -> Claim | None:
    """The claim as the checks see it, so that nothing gets past them by being verbatim."""
    proposal = ProposedClaim(
        kind=candidate.kind,
        text=candidate.text,
        evidence=(Evidence(seq=candidate.seq, quote=candidate.text),),
    )
    claim = check(proposal, messages=known, session=session, zone=zone)
    return claim if isinstance(claim, Claim) else None


def _candidates(messages: Sequence[Message], zone: tzinfo) -> Iterator[_Candidate]:
    for index, message in enumerate(messages):
        if not isinstance(message, UserMessage) or message.erased or message.provenance not in PEOPLE:
            continue
        is_answered = any(
            isinstance(each, AssistantMessage) and each.content for each in messages[index + 1 :]
        )
        text = message.content[:_LONGEST_MESSAGE]
        for span in sentences(text):
            sentence = text[span.start : span.end]
            if len(sentence) > MAX_TEXT_CHARS:
                continue
            kind, weight = _judged(sentence, message, is_answered=is_answered, zone=zone)
            yield _Candidate(kind=kind, seq=message.seq, text=sentence, weight=weight)


def _is_in(candidate: _Candidate, quoted: Collection[Evidence]) -> bool:
    """Whether one of the quotes shares words with the sentence; a question that got its answer is settled."""
    if candidate.kind is ClaimKind.QUESTION and not candidate.weight:
        return False
    sentence = fold(candidate.text)
    quotes = (fold(each.quote) for each in quoted if each.seq == candidate.seq)
    return any(quote in sentence or sentence in quote for quote in quotes)


def _judged(sentence: str, message: Message, *, is_answered: bool, zone: tzinfo) -> tuple[ClaimKind, int]:
    """What the sentence is, and how much it is worth keeping; 0 is not at all."""
    written = tidy(sentence)
    if is_question(written):
        return ClaimKind.QUESTION, 0 if is_answered else 4
    found = mentions(written, said_at=message.at, zone=zone)
    anchored = sum(each.firm and each.kind in _TELLING for each in found)
    if _DECISION.search(sentence) and not is_doubtful(sentence):
        return ClaimKind.DECISION, 5 + min(anchored, 2)
    if anchored:
        return ClaimKind.FACT, 1 + min(anchored, 3)
    return ClaimKind.FACT, 1 if _OF_THEMSELVES.search(sentence) else 0
