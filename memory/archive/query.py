"""What a query asks for: its terms, whom it names, whose words it means, which times, and whether it asks when."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.archive.dates import Span, spans
from memory.archive.documents import fingerprint
from memory.archive.questions import ASKS_ASSISTANT, ASKS_WHEN, QUESTION_PHRASES, SAYS_I
from memory.archive.terms import content_terms, fold, query_terms, terms, verbatim

# The first terms of a long message say what it is about; more would only cost time.
_MOST_TERMS = 48

# A long quotation may end within a word; its last terms are then others than those of the message.
_UNSURE_END = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, understood as far as code can.

    `words` are the fingerprints of all of its terms in their order, `quotation` is what of them must stand in a
    message that it quotes, `verbatim` finds a message of exactly these; `names` are those of senders, as stored; `role`
    is "assistant" for what you said, "user" for what I said or am, empty where it doesn't say.
    """

    terms: tuple[str, ...]
    words: "array[int]"
    quotation: "array[int]"
    verbatim: tuple[str, ...]
    names: frozenset[str]
    role: str
    asks_when: bool
    spans: tuple[Span, ...]
    now: datetime


def understand(text: str, *, called: Mapping[str, set[str]], now: datetime) -> Query:
    """Read what is asked; `called` says which senders a term can mean.

    A name of a sender is no term any more, unless nothing else is asked.
    """
    folded = fold(text)
    asked = (query_terms(QUESTION_PHRASES.sub(" ", folded)) or query_terms(text))[:_MOST_TERMS]
    spoken = {term for term in asked if term in called} & _written_as_names(text, asked=asked)
    every = terms(text)
    words = array("H", map(fingerprint, every))
    return Query(
        terms=tuple([term for term in asked if term not in spoken] or asked),
        words=words,
        quotation=words[:-_UNSURE_END] if len(words) > 4 * _UNSURE_END else words,
        verbatim=tuple(verbatim(every)),
        names=frozenset(name for term in asked for name in called.get(term, ())),
        role=_role_meant(folded),
        asks_when=bool(ASKS_WHEN.search(folded)),
        spans=tuple(spans(folded, now=now)),
        now=now,
    )


def _role_meant(folded: str) -> str:
    if ASKS_ASSISTANT.search(folded):
        return "assistant"
    return "user" if "?" in folded and SAYS_I.search(folded) else ""


def _written_as_names(text: str, *, asked: Sequence[str]) -> set[str]:
    """Terms that may be names: with a capital, where the text has any. Rose is a person, a rose is not."""
    if not text.isascii() or text == text.lower():
        return set(asked)
    return {term for word in text.split() if word[:1].isupper() for term in content_terms(word)}
