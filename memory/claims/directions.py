"""What comes first and what second: in time, by comparison, as cause and effect, as doer and done to."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory.claims import chinese, english
from memory.claims.case import Case
from memory.claims.text import clauses, fold, is_han, sentences, tidy
from memory.claims.words import akin, content, either, is_past_form, listed, stem, stems

_ORDERS = tuple((kind, either(pattern)) for kind, pattern in (*english.ORDERS, *chinese.ORDERS))
_FIRST_PERSON = either(english.I_OR_ME, chinese.FIRST_PERSON)
_PASSIVE = either(english.IS_PASSIVE, chinese.PASSIVE)
_MUTUAL = frozenset(map(stem, listed(english.MUTUAL)))
_DOER_AND_DONE_TO = re.compile(f"[{chinese.LINKS}{chinese.TAKES}]")
_SPEAKER = "@"


@dataclass(frozen=True, slots=True)
class _Direction:
    """Two sides of something that makes their order matter, by their words."""

    kind: str
    first: frozenset[str]
    second: frozenset[str]

    def is_turned(self, said: "_Direction") -> bool:
        """Whether more of it stands on the other side than on its own, or something of either side alone does."""
        straight = _shared(self.first, said.first) + _shared(self.second, said.second)
        turned = _shared(self.first, said.second) + _shared(self.second, said.first)
        ours, theirs = self.apart(), said.apart()
        both = _shared(ours.first, theirs.second) and _shared(ours.second, theirs.first)
        return turned > straight or bool(both)

    def apart(self) -> "_Direction":
        """The sides without what stands on both of them."""
        return _Direction(self.kind, _without(self.first, self.second), _without(self.second, self.first))

    def has_changed_places(self, said: "_Direction") -> bool:
        """Whether doer and done to have: of the first nothing stays where it was."""
        moved = _shared(self.first, said.second) and _shared(said.first, self.second)
        return bool(moved) and not _shared(self.first, said.first)


def reversed_order(case: Case) -> str | None:
    """What orders two things in the claim the other way round than in all of its evidence."""
    return _turned(case, _orders, _Direction.is_turned)


def changed_places(case: Case) -> str | None:
    """The doing whose doer the claim makes the one done to: who borrowed it from whom."""
    return _turned(case, _doings, _Direction.has_changed_places)


def causes(text: str) -> Iterator[tuple[str, str]]:
    """What a text gives as cause, and as what of."""
    for span in sentences(text):
        for kind, order in _ORDERS:
            if kind == "cause" and (found := order.search(text, span.start, span.end)):
                yield found["first"], found["second"]


def _turned(
    case: Case,
    directions: Callable[[str, re.Pattern[str]], Iterator[_Direction]],
    is_turned: Callable[[_Direction, _Direction], bool],
) -> str | None:
    said = [found for each in case.given for found in directions(each.text, _FIRST_PERSON)]
    names = [re.escape(name) for each in case.given for name in _names(each.speaker)]
    speakers = re.compile("|".join([*names, _FIRST_PERSON.pattern]), re.IGNORECASE)
    for claimed in directions(case.text, speakers):
        alike = [each for each in said if akin(each.kind, claimed.kind)]
        if alike and all(is_turned(claimed, each) for each in alike):
            return claimed.kind
    return None


def _names(speaker: str) -> Iterator[str]:
    """How a claim may call a speaker."""
    name = tidy(speaker)
    yield name
    if not is_han(name) and " " in name:
        yield name.split()[0]


def _orders(text: str, speaker: re.Pattern[str]) -> Iterator[_Direction]:
    for span in sentences(text):
        sentence = text[span.start : span.end]
        for kind, order in _ORDERS:
            if found := order.search(sentence):
                by = found.groupdict().get("by")
                yield _Direction(
                    stem(fold(by)) if by else kind,
                    _side(found["first"], speaker),
                    _side(found["second"], speaker),
                )


def _doings(text: str, speaker: re.Pattern[str]) -> Iterator[_Direction]:
    """Each verb of an active clause, with what stands before it and behind it."""
    for span in sentences(text):
        sentence = text[span.start : span.end]
        for part in clauses(sentence):
            clause = sentence[part.start : part.end]
            if _PASSIVE.search(clause):
                continue
            for start, end, verb in _verbs(clause):
                first, second = _side(clause[:start], speaker), _side(clause[end:], speaker)
                if first and second:
                    yield _Direction(verb, first, second)


def _verbs(clause: str) -> Iterator[tuple[int, int, str]]:
    for word in content(clause):
        written = clause[word.start : word.end].casefold()
        is_verb = is_past_form(written) or written.endswith(("s", "ing"))
        if not is_han(written) and is_verb and word.stem not in _MUTUAL:
            yield word.start, word.end, word.stem
    for found in _DOER_AND_DONE_TO.finditer(clause):
        yield found.start(), found.end(), found.group()


def _side(text: str, speaker: re.Pattern[str]) -> frozenset[str]:
    rest, count = speaker.subn(" ", text)
    return frozenset([*stems(rest), *([_SPEAKER] if count else [])])


def _without(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in some if not _shared(frozenset([word]), others))


def _shared(some: frozenset[str], others: frozenset[str]) -> int:
    return sum(any(akin(word, other) for other in others) for word in some)
