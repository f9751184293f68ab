"""Values that a claim gives to the wrong thing: "the bus at 9" from "the train leaves at 9 and the bus at 10"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.claims.anchors import AnchorKind, Mention
from memory.claims.passages import Passage
from memory.claims.text import HAN, Span, clauses, fold, sentences
from memory.claims.words import REPORTING, akin, content, stem

_JOINT = re.compile(rf"\b(?:and|or)\b|(?<=[{HAN}])[和,、]")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'll|i've|i'd|my|me)\b|我(?!们)", re.IGNORECASE)
_IGNORED = frozenset(stem(word) for word in REPORTING)
_UNCOUNTED = frozenset({AnchorKind.NAME, AnchorKind.QUOTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of text without a joint: its words, and its values by kind."""

    words: frozenset[str]
    names: frozenset[str]
    values: tuple[tuple[AnchorKind, frozenset[str]], ...]

    def has(self, kind: AnchorKind, reads: frozenset[str]) -> bool:
        """Whether one of these values stands here."""
        return any(kind is each and reads & offers for each, offers in self.values)

    def competes(self, kind: AnchorKind, reads: frozenset[str]) -> bool:
        """Whether another value of the kind stands here instead."""
        return any(kind is each for each, _ in self.values) and not self.has(kind, reads)

    def knows(self, word: str) -> bool:
        """Whether a form of the word stands here."""
        return any(akin(word, each) for each in self.words)


def crossed(claim: str, *, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """The value that the evidence gives to something else than the tidy claim does, as written, or None.

    A value is crossed when a word beside it stands in the evidence only beside other values of the kind, while
    the value itself stands there beside a word that the claim has nowhere.
    """
    evidence = [
        part for each in given for part in parts(each.text, found=each.mentions, speaker=each.speaker)
    ]
    if sum(bool(part.values) for part in evidence) < 2:
        return None
    speakers = {fold(each.speaker) for each in given}
    known = {word for part in _claim_parts(claim, claimed, speakers) for word in part.words}
    for part in _claim_parts(claim, claimed, speakers):
        for mention in claimed:
            if not mention.firm or not part.has(mention.kind, mention.reads) or mention.kind in _UNCOUNTED:
                continue
            if _is_crossed(part, mention, known, evidence):
                return claim[mention.start : mention.end]
    return None


def parts(text: str, *, found: Sequence[Mention], speaker: str = "") -> Iterator[Part]:
    """The text without its joints; where it speaks of "I", the speaker's name is one of its words."""
    taken = [(each.start, each.end) for each in found if each.kind not in _UNCOUNTED]
    for span in _stretches(text):
        piece = text[span.start : span.end]
        words = {
            word.stem
            for word in content(piece)
            if word.stem not in _IGNORED
            and not any(start <= span.start + word.start < end for start, end in taken)
        }
        if speaker and _FIRST_PERSON.search(piece):
            words.add("@" + fold(speaker))
        values = tuple(
            (each.kind, each.offers)
            for each in found
            if each.kind not in _UNCOUNTED and span.start <= each.start < span.end
        )
        names = frozenset(
            text[each.start : each.end].casefold()
            for each in found
            if each.kind is AnchorKind.NAME and span.start <= each.start < span.end
        )
        yield Part(words=frozenset(words), names=names, values=values)


def _claim_parts(claim: str, claimed: Sequence[Mention], speakers: set[str]) -> list[Part]:
    found = []
    for part in parts(claim, found=claimed):
        named = {"@" + speaker for speaker in speakers for word in part.words if word in speaker.split()}
        found.append(replace(part, words=part.words | named))
    return found


def _is_crossed(part: Part, mention: Mention, known: set[str], evidence: Sequence[Part]) -> bool:
    holding = [each for each in evidence if each.has(mention.kind, mention.reads)]
    if not holding or not all(_has_foreign(each, known) for each in holding):
        return False
    for word in part.words:
        if word.startswith("@") and not all(each.names - known for each in holding):
            continue  # what somebody says is theirs unless it names another
        beside = [each for each in evidence if each.knows(word)]
        if beside and all(each.competes(mention.kind, mention.reads) for each in beside):
            return True
    return False


def _has_foreign(part: Part, known: set[str]) -> bool:
    return any(not any(akin(word, each) for each in known) for word in part.words)


def _stretches(text: str) -> Iterator[Span]:
    for sentence in sentences(text):
        for clause in clauses(text[sentence.start : sentence.end]):
            start = sentence.start + clause.start
            end = sentence.start + clause.end
            for joint in [*_JOINT.finditer(text, start, end), None]:
                stop = joint.start() if joint else end
                if stop > start:
                    yield Span(start, stop)
                start = stop
