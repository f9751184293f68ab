"""What people said that may answer a question, best first (pure)."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.llm.client import Prompt
from gateway.llm.rote.questions import asked, sentences, told
from gateway.llm.rote.terms import WEAK_TERMS, question_terms, terms
from memory.messages import Provenance, UserMessage, reference

_PEOPLE = frozenset({Provenance.OWNER, Provenance.MEMBER, Provenance.STRANGER})
_ENOUGH = 0.3  # share of the question's weight: one of two rare words is a hint, one of four is chance
_WEAK_SHARE = 0.3  # a word that only says what kind of answer is wanted
_NEARLY_BEST = 0.75  # of the best score: what is further away than that is noise beside it
_ANSWERED_TO = re.compile(r"\A\[in reply to .*?\](?:\n\n|\Z)", re.DOTALL)
"""A record of its own, and in the view in front of the words that answer it."""
_WHOLE = 0.99  # every term of the question was found


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Words of a person, verbatim; `ref` and `at` are unknown for what stands beside the question itself."""

    text: str
    ref: str = ""
    at: datetime | None = None
    sender: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found; `whole` says that the best of it holds every term of the question."""

    sayings: Sequence[Saying] = ()
    whole: bool = False


def newest_message(prompt: Prompt) -> UserMessage | None:
    """The message that is being answered."""
    return next((message for message in reversed(prompt.messages) if isinstance(message, UserMessage)), None)


def find(prompt: Prompt, *, limit: int = 3) -> Findings:
    """The sayings that best match what the newest message asks; the newer first among equals."""
    sayings = {(saying.ref, saying.text): terms(told(saying.text)) for saying in _sayings(prompt)}
    frequency = Counter(term for found in sayings.values() for term in found)
    question = question_terms(asked(prompt.newest), known=frequency)
    weight = {term: _weight(term, found=frequency[term], of=len(sayings)) for term in question}
    total = sum(weight.values())
    scored = [
        (sum(weight[term] for term in question & sayings[saying.ref, saying.text]) / total, saying)
        for saying in _sayings(prompt)
        if total
    ]
    best = max((score for score, _ in scored), default=0.0)
    if best < _ENOUGH:
        return Findings()
    kept = sorted(
        ((score, _age(saying), saying) for score, saying in scored if score >= best * _NEARLY_BEST),
        key=lambda entry: (-entry[0], entry[1]),
    )
    unique = {saying.text: saying for _, _, saying in reversed(kept)}
    best_first = [saying for _, _, saying in kept if unique[saying.text] is saying]
    return Findings(sayings=best_first[:limit], whole=best >= _WHOLE)


def excerpt(text: str, *, question: str, limit: int = 400) -> str:
    """A part of a long text, verbatim, around the sentence that shares most with the question."""
    if len(text) <= limit:
        return text
    wanted = question_terms(question, known=terms(text))
    best = max(sentences(text), key=lambda sentence: len(wanted & terms(sentence)))
    start = max(text.find(best), 0)
    return text[start : start + limit]


def _weight(term: str, *, found: int, of: int) -> float:
    """How much it says that a saying holds a term: the rarer the more; one that nobody used is as rare as one used once."""
    rarity = math.log(1 + (1 + of) / (1 + max(found, 1)))
    return rarity * _WEAK_SHARE if term in WEAK_TERMS else rarity


def _own(text: str) -> str:
    """A message without the words that it answers, which stand in front of it and may be the assistant's."""
    return _ANSWERED_TO.sub("", text)


def _age(saying: Saying) -> float:
    return -saying.at.timestamp() if saying.at else -math.inf


def _sayings(prompt: Prompt) -> Iterator[Saying]:
    newest = newest_message(prompt)
    own = reference(prompt.session, newest.seq) if newest else ""
    for passage in prompt.passages:
        human = passage.provenance in _PEOPLE or (not passage.provenance and passage.sender != "assistant")
        if human and passage.ref != own:
            yield Saying(text=_own(passage.text), ref=passage.ref, at=passage.at, sender=passage.sender)
    for message in prompt.messages:
        if (
            isinstance(message, UserMessage)
            and message is not newest
            and not message.erased
            and message.provenance in _PEOPLE
        ):
            yield Saying(
                text=_own(message.content.removeprefix(f"{message.sender_name}: ")),
                ref=reference(prompt.session, message.seq),
                at=message.at,
                sender=message.sender_name,
            )
    beside = told(prompt.newest)
    if beside:
        yield Saying(text=beside)
