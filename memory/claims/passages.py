"""What of a message a quote makes evidence: the sentences that it touches, and no more."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import lru_cache

from memory.claims.anchors import Mention, mentions
from memory.claims.claim import Evidence
from memory.claims.meaning import Use, uses
from memory.claims.text import Span, fold, occurrences, sentences, tidy, widened
from memory.claims.trust import speaker_of
from memory.messages import Message

_LONGEST = 2_000
"""A "sentence" that is longer is a table or a file; as evidence counts what stands near the quote."""
_NEAR = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The sentences around one quote. `before` is the sentence before them, for whom "she" may mean."""

    message: Message
    text: str
    before: str
    mentions: tuple[Mention, ...]
    uses: tuple[Use, ...] = field(repr=False)

    @property
    def speaker(self) -> str:
        """Who the record says spoke."""
        return speaker_of(self.message)

    @property
    def folded(self) -> str:
        """The sentences as they are compared."""
        return fold(self.text)


def passages(evidence: Evidence, *, message: Message, zone: tzinfo) -> Iterator[Passage]:
    """A passage for each place where the quote stands in the message; none where it doesn't."""
    text, all_sentences = _taken_apart(message.content)
    places = occurrences(evidence.quote, text=text)
    for place in places:
        touched = widened(place, all_sentences)
        if not touched:
            continue
        whole = _near(Span(touched[0].start, touched[-1].end), place)
        earlier = [each for each in all_sentences if each.end <= whole.start]
        piece = text[whole.start : whole.end]
        found = tuple(mentions(piece, said_at=message.at, zone=zone))
        yield Passage(
            message=message,
            text=piece,
            before=text[earlier[-1].start : earlier[-1].end][-_LONGEST:] if earlier else "",
            mentions=found,
            uses=tuple(uses(piece, marks=found)),
        )


@lru_cache(maxsize=16)
def _taken_apart(content: str) -> tuple[str, list[Span]]:
    """The tidy text and its sentences, kept for the next claim about the same message, which may be long."""
    text = tidy(content)
    return text, sentences(text)


def _near(whole: Span, place: Span) -> Span:
    if whole.end - whole.start <= max(_LONGEST, place.end - place.start):
        return whole
    return Span(max(whole.start, place.start - _NEAR), min(whole.end, place.end + _NEAR))
