"""Whether a line says no more than its claims do (P10): each of its clauses rests on one of them alone."""

from collections.abc import Iterable, Sequence
from datetime import UTC

from memory.claims.anchors import Mention, mentions
from memory.claims.claim import Claim
from memory.claims.meaning import Use, uses
from memory.claims.opposites import opposed
from memory.claims.text import Span, clauses, fold, sentences, tidy
from memory.claims.words import akin, stem

# How a line may call the one whose memory it is, whatever the claim calls them.
_PERSON = frozenset(map(stem, ("user", "person", "owner", "member")))


def unsupported(text: str, *, claims: Sequence[Claim], own_words: bool = False) -> str | None:
    """What the text says that the claims don't, in a few words for a log; None where it says nothing more.

    With `own_words` only what the people themselves said counts, not how it was summed up.
    """
    said = tidy(text)
    grounds = [_Ground(claim, own_words=own_words) for claim in claims]
    if any(
        fold(said).strip(" .。") == fold(each).strip(" .。") for ground in grounds for each in ground.texts
    ):
        return None
    wrong = next((ground.lacks(said) for ground in grounds if len(grounds) == 1), None)
    for clause in () if len(grounds) == 1 else _clauses(said):
        lacks = [ground.lacks(clause) for ground in grounds]
        wrong = wrong or (min(filter(None, lacks), key=len) if all(lacks) else None)
    return wrong


class _Ground:
    """What one claim and its quotes say."""

    def __init__(self, claim: Claim, *, own_words: bool) -> None:
        quotes = [each.quote for each in claim.evidence]
        self.texts = [tidy(each) for each in (quotes if own_words else [claim.text, *quotes])]
        self._claim = claim
        self._uses = [use for each in self.texts for use in uses(each)]
        self._mentions = [mention for each in self.texts for mention in _mentions(each, claim)]

    def lacks(self, said: str) -> str | None:
        """The first thing that the words say and the claim doesn't."""
        offered = frozenset[str]().union(*(each.offers for each in self._mentions))
        for mention in _mentions(said, self._claim):
            words = said[mention.start : mention.end]
            if mention.firm and not mention.reads & offered and fold(words) != fold(self._claim.speaker):
                return f"{words!r} does not stand in the claim"
        if opposite := opposed(said, "\n".join(self.texts)):
            return f"{opposite!r} is the opposite of what the claim says"
        return next(filter(None, map(self._misuse, uses(said))), None)

    def _misuse(self, use: Use) -> str | None:
        word = use.word.stem
        same = [each for each in self._uses if akin(word, each.word.stem)]
        if not same:
            known = word in _PERSON or word in map(stem, fold(self._claim.speaker).split())
            return None if known else f"{word!r} does not stand in the claim"
        for name in ("is_denied", "is_doubted", "is_asked", "is_past"):
            if all(getattr(each, name) is not getattr(use, name) for each in same):
                return f"{word!r} is {name.removeprefix('is_')} in one of the two alone"
        return None


def _mentions(text: str, claim: Claim) -> list[Mention]:
    return mentions(text, said_at=claim.at, zone=UTC)


def _clauses(said: str) -> Iterable[str]:
    for sentence in sentences(said):
        written = said[sentence.start : sentence.end]
        spans: list[Span] = clauses(written)
        yield from (written[span.start : span.end] for span in spans)
