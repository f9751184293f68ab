"""Whether a line says no more than its claims do (P10): each of its clauses rests on one of them alone."""

from collections.abc import Callable, Iterator, Sequence

from memory.claims.belonging import mixed_parts
from memory.claims.case import Case, Passage
from memory.claims.claim import Claim
from memory.claims.opposites import opposite
from memory.claims.polarity import lost_doubt, lost_negation, lost_past, only_asked
from memory.claims.presence import missing_anchor
from memory.claims.text import clauses, fold, sentences, tidy
from memory.claims.words import akin, content, listed, stems
from memory.messages import UserMessage

_QUESTIONS: tuple[tuple[Callable[[Case], str | None], str], ...] = (
    (missing_anchor, "does not stand in the claim"),
    (lost_negation, "is denied in one of the two alone"),
    (lost_doubt, "is left open by the claim"),
    (lost_past, "is past in the claim"),
    (only_asked, "is only asked in the claim"),
    (mixed_parts, "belongs to something else in the claim"),
    (opposite, "is the opposite of the claim"),
)
# How a line may call the one whose memory it is and tell that they said it, whatever the claim's words for that.
_FRAME = frozenset(listed("user person owner member said says told mentioned notes currently now"))
_EDGES = " .。!"


def unsupported(text: str, *, claims: Sequence[Claim], own_words: bool = False) -> str | None:
    """What the text says that the claims don't, in a few words for a log; None where it says nothing more.

    A claim may be reworded with its own words alone: stricter than what made it a claim, because a line is read for
    years. With `own_words` only what the people themselves said counts, not how it was summed up.
    """
    said = tidy(text)
    grounds = [list(_passages(claim, own_words=own_words)) for claim in claims]
    if any(fold(said).strip(_EDGES) == each.folded.strip(_EDGES) for ground in grounds for each in ground):
        return None
    for part in [said] if len(claims) == 1 else _clauses(said):
        wrong = [
            _wrong(part, claim=claim, given=ground) for claim, ground in zip(claims, grounds, strict=True)
        ]
        if all(wrong):
            return wrong[0]
    return None


def _wrong(said: str, *, claim: Claim, given: Sequence[Passage]) -> str | None:
    case = Case(text=said, kind=claim.kind, given=tuple(given), speakers=frozenset({claim.speaker}))
    for ask, meaning in _QUESTIONS:
        if found := ask(case):
            return f"{found!r} {meaning}"
    known = {stem for each in [*(each.text for each in given), claim.speaker] for stem in stems(each)}
    for word in content(said):
        written = said[word.start : word.end]
        if written.casefold().removesuffix("'s") not in _FRAME and not any(
            akin(word.stem, each) for each in known
        ):
            return f"{written!r} does not stand in the claim"
    return None


def _passages(claim: Claim, *, own_words: bool) -> Iterator[Passage]:
    """The claim and its quotes, as if each were a message that a claim rests on."""
    quotes = [each.quote for each in claim.evidence]
    for number, text in enumerate(map(tidy, quotes if own_words else [claim.text, *quotes])):
        yield Passage(
            message=UserMessage(seq=number, content=text, at=claim.at, sender_name=claim.speaker), text=text
        )


def _clauses(said: str) -> Iterator[str]:
    for sentence in sentences(said):
        written = said[sentence.start : sentence.end]
        yield from (written[span.start : span.end] for span in clauses(written))
