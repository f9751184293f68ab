"""A claim beside the sentences that it rests on, each taken apart once for all that is asked of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache

from memory.claims import chinese, english
from memory.claims.anchors import Mention, mentions
from memory.claims.anchors.anchor import TAKEN
from memory.claims.claim import ClaimKind, Evidence
from memory.claims.meaning import Use, tells_condition, uses
from memory.claims.parts import Part, parts
from memory.claims.text import Span, clauses, fold, is_han, occurrences, sentences, tidy, widened
from memory.claims.trust import is_name_of, speaker_of
from memory.claims.words import REPORTING, akin, either, stem, stems
from memory.messages import Message

FRAMING = frozenset(map(stem, REPORTING))
_ON_CONDITION = either(english.ON_CONDITION)
_LEAD = either(english.LEAD)
_USER = either(english.USER, chinese.USER)
_OWNS = either(r"\b(?:my|mine|our)\b", rf"我(?:[的家]|{chinese.KIN})")
_LONGEST = 2_000
"""A "sentence" that is longer is a table or a file; as evidence counts what stands near the quote."""
_NEAR = 200


@dataclass(frozen=True, kw_only=True)
class Passage:
    """The sentences around one quote. `before` is the sentence before them, for whom "she" may mean."""

    message: Message
    text: str
    before: str = ""
    zone: tzinfo = UTC

    @cached_property
    def speaker(self) -> str:
        """Who the record says spoke."""
        return speaker_of(self.message)

    @cached_property
    def folded(self) -> str:
        """The sentences as they are compared."""
        return fold(self.text)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Their anchors."""
        return tuple(mentions(self.text, said_at=self.message.at, zone=self.zone))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Their words and values."""
        return tuple(uses(self.text, marks=self.mentions))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What they say of one thing each."""
        return tuple(parts(self.text, found=self.mentions, speaker=self.speaker, source=self.message.seq))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A tidy claim and its evidence, at least one passage.

    `speakers` are all of the summarised range, `messages` what was said in it, in order.
    """

    text: str
    kind: ClaimKind
    given: tuple[Passage, ...]
    speakers: frozenset[str]
    messages: tuple[Message, ...] = ()

    @cached_property
    def opening(self) -> str:
        """The claim from whom or what it is about, where this stands first."""
        lead = _LEAD.match(self.text)
        return self.text[lead.end() if lead else 0 :]

    @cached_property
    def is_about_user(self) -> bool:
        """Whether it is about "the user", whoever that is."""
        return _USER.match(self.opening) is not None

    @cached_property
    def claimed(self) -> tuple[Mention, ...]:
        """The claim's anchors, relative dates read by the newest of the evidence."""
        return self.read_by(max(self.given, key=lambda each: each.message.at))

    def read_by(self, passage: Passage) -> tuple[Mention, ...]:
        """The claim's anchors, relative dates read by when the passage was said."""
        return tuple(mentions(self.text, said_at=passage.message.at, zone=passage.zone))

    @cached_property
    def words(self) -> tuple[Use, ...]:
        """The claim's words without the speakers' names and without the words by which a summary reports."""
        return tuple(use for use in self.all_words if use.word.stem not in FRAMING)

    @cached_property
    def all_words(self) -> tuple[Use, ...]:
        """The claim's words without the speakers' names."""
        return tuple(self._uses())

    def _uses(self) -> Iterator[Use]:
        text = self.text
        for name in {tidy(each.speaker) for each in self.given}:
            if is_han(name):  # it stands without blanks around it
                text = text.replace(name, TAKEN * len(name))
        for use in uses(text, marks=self.claimed):
            if not self.is_speaker(self.written(use)):
                yield use

    def is_speaker(self, name: str) -> bool:
        """Whether one of those whose words are given is called so."""
        return any(is_name_of(name, each.speaker) for each in self.given)

    def written(self, use: Use) -> str:
        """The word as the claim has it."""
        return self.text[use.word.start : use.word.end]

    @cached_property
    def keeps_condition(self) -> bool:
        """Whether the claim tells by another word on what condition it holds, with all words of that condition."""
        conditions = [
            each.text[sentence.start + clause.start : sentence.start + clause.end]
            for each in self.given
            for sentence in sentences(each.text)
            for clause in clauses(each.text[sentence.start : sentence.end])
        ]
        needed = {word for each in conditions if tells_condition(each) for word in stems(each)}
        known = stems(self.text)
        return (
            bool(needed)
            and _ON_CONDITION.search(self.text) is not None
            and all(any(akin(word, each) for each in known) for word in needed)
        )

    def matches(self, use: Use) -> list[Use]:
        """Where the evidence uses the word."""
        return [
            each for passage in self.given for each in passage.uses if akin(use.word.stem, each.word.stem)
        ]

    @cached_property
    def evidence_parts(self) -> tuple[Part, ...]:
        """The parts of all passages."""
        return tuple(part for each in self.given for part in each.parts)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the claim; where it names a speaker, this is one of the part's words."""
        speakers = {fold(each.speaker) for each in self.given}
        text = self.text
        if not any(_OWNS.search(each.text) for each in self.given):
            # Whose it is alone is not taken from where somebody says "I".
            text = re.sub("|".join(f"{re.escape(tidy(each.speaker))}的" for each in self.given), _blank, text)
        return tuple(
            replace(part, words=part.words | {"@" + each for each in speakers if part.calls(each)})
            for part in parts(text, found=self.claimed)
        )


def _blank(match: re.Match[str]) -> str:
    return TAKEN * len(match.group())


def passages(evidence: Evidence, *, message: Message, zone: tzinfo) -> list[Passage]:
    """A passage for each place where the quote stands in the message; none where it doesn't."""
    text, all_sentences = _taken_apart(message.content)
    found = []
    for place in occurrences(evidence.quote, text=text):
        if touched := widened(place, all_sentences):
            whole = _near(Span(touched[0].start, touched[-1].end), place)
            earlier = [text[each.start : each.end] for each in all_sentences if each.end <= whole.start]
            before = earlier[-1][-_LONGEST:] if earlier else ""
            found.append(
                Passage(message=message, text=text[whole.start : whole.end], before=before, zone=zone)
            )
    return found


def whole(message: Message, *, zone: tzinfo) -> Passage:
    """A message as it stands; of a long one the beginning."""
    return Passage(message=message, text=_taken_apart(message.content)[0][:_LONGEST], zone=zone)


def overlap(text: str, *, passage: Passage) -> int:
    """How much of the tidy claim the passage holds: its words and anchors, counted."""
    claimed = mentions(text, said_at=passage.message.at, zone=passage.zone)
    offered = {value for each in passage.mentions for value in each.offers}
    words = sum(any(akin(word, use.word.stem) for use in passage.uses) for word in stems(text))
    return words + sum(bool(each.reads & offered) for each in claimed)


@lru_cache(maxsize=16)
def _taken_apart(content: str) -> tuple[str, list[Span]]:
    """The tidy text and its sentences, kept for the next claim about the same message, which may be long."""
    text = tidy(content)
    return text, sentences(text)


def _near(whole: Span, place: Span) -> Span:
    if whole.end - whole.start <= max(_LONGEST, place.end - place.start):
        return whole
    return Span(max(whole.start, place.start - _NEAR), min(whole.end, place.end + _NEAR))
