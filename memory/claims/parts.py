"""The parts of a text that each say one thing of one subject, with the words and values that stand in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.text import UPPER, Span, clauses, fold, is_han, sentences
from memory.claims.words import REPORTING, akin, content, stem

_JOINT = re.compile(r"\b(?:and|or)\b|[和、]")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'll|i've|i'd|my|me|mine)\b|我(?!们)", re.IGNORECASE)
_OWNED = re.compile(
    rf"(?:\b(?:my|our|his|her|their)|[{UPPER}]\w*'s|\buser's)\s(?P<whom>{english.KIN})\b"
    rf"|(?:我|用户)的?(?P<kin>{chinese.KIN})",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:i|i'm|i'll|i've|i'd)\b|我(?![们的])", re.IGNORECASE)
_IGNORED = frozenset(stem(word) for word in REPORTING)
_COUNTS = frozenset({AnchorKind.NUMBER, AnchorKind.AMOUNT})
_UNCOUNTED = frozenset({AnchorKind.NAME, AnchorKind.QUOTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of text without a joint: its words, its names, its values by kind, and whom it is about.

    `subject` is a name, `@` and the speaker's name for "I", or nothing where the stretch opens with neither; one
    that `continues` is about the same as the stretch before. `source` is the number of its message.
    """

    words: frozenset[str]
    names: frozenset[str]
    subject: str
    continues: bool
    speaker: str
    source: int
    sentence: int
    text: str
    values: tuple[tuple[AnchorKind, frozenset[str]], ...]

    def has(self, kind: AnchorKind, reads: frozenset[str]) -> bool:
        """Whether one of these values stands here."""
        return any(kind is each and reads & offers for each, offers in self.values)

    def competes(self, kind: AnchorKind, reads: frozenset[str]) -> bool:
        """Whether another value of the kind stands here instead."""
        kinds = _COUNTS if kind in _COUNTS else {kind}
        return any(each in kinds for each, _ in self.values) and not self.has(kind, reads)

    def knows(self, word: str) -> bool:
        """Whether a form of the word stands here."""
        return any(akin(word, each) for each in self.words)

    def names_speaker(self, speaker: str) -> bool:
        """Whether a name that is a speaker's, folded, or a word of it, stands here."""
        return speaker in self.text if is_han(speaker) else not self.words.isdisjoint(speaker.split())

    def is_beside(self, other: "Part") -> bool:
        """Whether both are of one sentence, or of two speakers, and hold no value that tells them apart."""
        if any(kind is not AnchorKind.NAME for part in (self, other) for kind, _ in part.values):
            return False
        same = self.sentence == other.sentence
        return same if self.source == other.source else self.speaker != other.speaker

    def takes_half(self, of: "Part", *, without: "Part") -> str | None:
        """A word that this takes from the one part and not the other, where it leaves another such word out."""
        own = sorted(word for word in of.words if not without.knows(word))
        taken = [word for word in own if self.knows(word)]
        return taken[0] if taken and len(taken) < len(own) else None


def parts(text: str, *, found: Sequence[Mention], speaker: str = "", source: int = 0) -> Iterator[Part]:
    """The text without its joints; where it speaks of "I", the speaker's name is one of its words."""
    for sentence, span in _stretches(text):
        piece = text[span.start : span.end]
        here = [each for each in found if span.start <= each.start < span.end]
        names = [each for each in here if each.kind is AnchorKind.NAME]
        words = set(_words(piece, [each for each in here if each.kind not in _UNCOUNTED], at=span.start))
        subject = _subject(piece, names, at=span.start, speaker=speaker)
        if speaker and _FIRST_PERSON.search(_OWNED.sub("", piece)):
            words.add("@" + fold(speaker))
        yield Part(
            words=frozenset(words),
            names=frozenset(text[each.start : each.end].casefold() for each in names),
            subject=subject,
            continues=_JOINT.match(piece) is not None,
            speaker=speaker,
            source=source,
            sentence=sentence,
            text=fold(piece),
            values=tuple(
                (each.kind, each.offers) for each in here if each.firm and each.kind is not AnchorKind.QUOTED
            ),
        )


def _words(piece: str, values: Sequence[Mention], *, at: int) -> Iterator[str]:
    for word in content(piece):
        inside = any(each.start <= at + word.start < each.end for each in values)
        if word.stem not in _IGNORED and not inside:
            yield word.stem


def _subject(piece: str, names: Sequence[Mention], *, at: int, speaker: str) -> str:
    """Whom the piece opens with: what stands before carries no meaning."""
    found = _SUBJECT.search(piece) if speaker else None
    places = [(found.start(), "@" + fold(speaker))] if found else []
    places += [
        (each.start - at, piece[each.start - at : each.end - at].casefold()) for each in names if each.firm
    ]
    first, subject = min(places, default=(len(piece), ""))
    owned = _OWNED.search(piece)
    if owned and owned.start() <= first:
        first, subject = owned.start(), stem((owned["whom"] or owned["kin"]).casefold())
    opening = [word for word in content(piece[:first]) if word.stem not in _IGNORED]
    return "" if opening else subject


def _stretches(text: str) -> Iterator[tuple[int, Span]]:
    for number, sentence in enumerate(sentences(text)):
        for clause in clauses(text[sentence.start : sentence.end]):
            start = sentence.start + clause.start
            end = sentence.start + clause.end
            for joint in [*_JOINT.finditer(text, start, end), None]:
                stop = joint.start() if joint else end
                if stop > start:
                    yield number, Span(start, stop)
                start = stop
