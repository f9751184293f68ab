"""The parts of a text that each say one thing of one subject, with the words and values that stand in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.text import UPPER, Span, clauses, fold, is_han, sentences
from memory.claims.words import REPORTING, akin, content, stem, stems

_JOINT = re.compile(r"\b(?:and|or|(?:before|after)(?=\s\w+ing\b))\b|[和、]")
_OFTEN = re.compile(chinese.OFTEN)
_CONTINUES = re.compile(f"{chinese.CONTINUES}|{english.CONTINUES}", re.IGNORECASE)
_LABEL = re.compile(r"(?<=[a-z]\s)[A-HJ-Z](?=[\s,.;:]|$)")
"""A letter that tells two of a kind apart: server A, plan B."""
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'll|i've|i'd|my|me|mine)\b|我(?!们)", re.IGNORECASE)
_OF_OTHERS = re.compile(r"\b(?:his|her|their)\b|[他她]们?的", re.IGNORECASE)
_OWNED = re.compile(
    rf"(?:\b(?:my|our|his|her|their)|[{UPPER}]\w*'s|\buser's)\s(?P<whom>{english.KIN})\b"
    rf"|(?:我|用户)的?(?P<kin>{chinese.KIN})",
    re.IGNORECASE,
)
_IGNORED = frozenset(stem(word) for word in REPORTING)
_COUNTS = frozenset({AnchorKind.NUMBER, AnchorKind.AMOUNT})
_WORDS = frozenset({AnchorKind.NAME, AnchorKind.QUOTED})
"""Anchors whose words count, not their values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of text without a joint: its words, and its values by kind; `source` is the number of its message.

    `text` are its folded words without those of whom somebody has: "my sister" says nothing of me.
    """

    words: frozenset[str]
    names: frozenset[str]
    values: tuple[Mention, ...]
    speaker: str
    source: int
    sentence: int
    text: str

    def has(self, value: Mention) -> bool:
        """Whether the value stands here, as exactly as it is meant."""
        return any(each.kind in _alike(value) and value.reads & each.offers for each in self.values)

    def competes(self, value: Mention) -> bool:
        """Whether another value of its kind stands here instead."""
        return any(each.kind in _alike(value) for each in self.values) and not self.has(value)

    def knows(self, word: str) -> bool:
        """Whether a form of the word stands here."""
        return any(akin(word, each) for each in self.words)

    def calls(self, speaker: str) -> bool:
        """Whether a name that is a speaker's, folded, or a word of it, stands here."""
        if is_han(speaker):
            return speaker in self.text
        return any(
            re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", self.text) for word in speaker.split()
        )

    def is_beside(self, other: "Part") -> bool:
        """Whether one may be taken for the other: in one sentence or of two speakers, or each with its own value of a kind."""
        is_near = self.source == other.source and self.sentence == other.sentence
        if is_near and (_CONTINUES.match(other.text) or _CONTINUES.match(self.text)):
            return False
        if self.values or other.values:
            return any(other.competes(each) for each in self.values)
        same = self.sentence == other.sentence
        return same if self.source == other.source else self.speaker != other.speaker

    def takes_half(self, of: "Part", *, without: "Part") -> str | None:
        """A word or value that this takes from the one part and not the other, where it leaves another such out."""
        own = {word: self.knows(word) for word in sorted(of.words) if not without.knows(word)}
        own |= {min(each.reads): self.has(each) for each in of.values if not without.has(each)}
        taken = [each for each, is_taken in own.items() if is_taken]
        return taken[-1] if taken and len(taken) < len(own) else None


def parts(text: str, *, found: Sequence[Mention], speaker: str = "", source: int = 0) -> Iterator[Part]:
    """The text without its joints; where it speaks of "I", the speaker's name is one of its words."""
    for sentence, span in _stretches(text):
        piece = text[span.start : span.end]
        here = [each for each in found if span.start <= each.start < span.end and each.kind not in _WORDS]
        names = [
            text[each.start : each.end]
            for each in found
            if span.start <= each.start < span.end and each.kind is AnchorKind.NAME and each.firm
        ]
        bare = _OWNED.sub("", piece)
        words = set(_words(piece, here, at=span.start)) | {"每" + each for each in _OFTEN.findall(piece)}
        words |= {"=" + each for each in _LABEL.findall(piece)}
        if speaker and _FIRST_PERSON.search(bare):
            words.add("@" + fold(speaker))
        if speaker and _OF_OTHERS.search(piece):
            words.add("@")
        yield Part(
            words=frozenset(words),
            names=frozenset(each for name in names for each in stems(name)),
            values=tuple(each for each in here if each.firm),
            speaker=speaker,
            source=source,
            sentence=sentence,
            text=fold(bare),
        )


def _alike(value: Mention) -> frozenset[AnchorKind]:
    """The kinds of values that one may be taken for; a number may go without what it counts."""
    return _COUNTS if value.kind in _COUNTS else frozenset({value.kind})


def _words(piece: str, values: Sequence[Mention], *, at: int) -> Iterator[str]:
    for word in content(piece):
        inside = any(each.start <= at + word.start < each.end for each in values)
        if word.stem not in _IGNORED and not inside:
            yield word.stem


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
