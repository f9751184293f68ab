"""Which messages are to be forgotten, and how what repeats them is told from everything else."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from memory.claims.claim import Claim
from memory.claims.text import fold
from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from memory.sessions.quotation import quoted_words
from memory.sessions.traces import found_in

SHORTEST_ECHO = 12
"""Characters. Other messages that repeat the erased words go too; a "yes" that is erased doesn't take every yes along."""

_LONG = 100
_EDGE = 4
# A letter that is cut from its accent, or a cut made visible, reads otherwise than within the whole.
_CUT = " .…"

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BLANKS = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}


class Erased:
    """The messages that go, and their words: those that are `named`, and what repeats them or what was `said`.

    Of what no person said, also what holds one of the `traces`, and the `answers`, by session.

    Asked from several threads, and by whoever looks once more while the first look goes on.
    """

    def __init__(
        self,
        *,
        named: Callable[[str, Message], bool],
        said: Iterable[str] = (),
        traces: frozenset[str] = frozenset(),
        answers: Mapping[str, Collection[int]] = MappingProxyType({}),
    ) -> None:
        self._named = named
        self._traces = traces
        self._answers = answers
        self._said = frozenset(words for each in said if (words := fold(each)))
        self._calls: set[str] = set()
        self.places: dict[str, set[int]] = {}
        """The numbers of the messages that were found, by session."""
        self.meant: dict[str, set[int]] = {}
        """Those of them that are named; the others are known by their words alone."""

    def find(self, session: str, messages: Iterable[Message]) -> set[int]:
        """The numbers of those that are meant or repeat what is meant, not counting any that was found before."""
        new = [each for each in messages if not each.erased and not self.has(session, each.seq)]
        meant = [each for each in new if self._named(session, each)]
        self._said |= {words for each in meant if (words := fold(each.content))}
        self._calls.update(call for each in new for call in self._repeating_calls(each))
        if meant:
            self.meant.setdefault(session, set()).update(each.seq for each in meant)
        answers = self._answers.get(session, ())
        seqs = {each.seq for each in meant} | {
            each.seq for each in new if each.seq in answers or self._repeats(each)
        }
        if seqs:
            self.places.setdefault(session, set()).update(seqs)
        return seqs

    def has(self, session: str, seq: int | None) -> bool:
        """Whether this message goes."""
        return seq in self.places.get(session, ())

    def is_in(self, text: str) -> bool:
        """Whether a text holds the words of an erased message, or is the record of a reply to one."""
        folded = fold(text)
        if any(words in folded for words in self._said if len(words) >= SHORTEST_ECHO):
            return True
        return any(self._begins(fold(quoted)) for quoted in quoted_words(text))

    def is_said(self, text: str) -> bool:
        """Whether a text is an erased message, however short, or holds its words."""
        return fold(text) in self._said or self.is_in(text)

    def rests(self, claim: Claim) -> bool:
        """Whether a claim rests on, or repeats, what is erased."""
        return any(self.has(claim.session, each.seq) for each in claim.evidence) or self.is_in(claim.text)

    def _repeating_calls(self, message: Message) -> Iterator[str]:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if any(self.is_in(text) for text in _read(call.arguments)):
                yield call.id

    def _repeats(self, message: Message) -> bool:
        """Whether it holds the words, or is the result of a call that does: made of them, if not of all of them."""
        if isinstance(message, ToolMessage) and (
            message.tool_call_id in self._calls or self._names(message.content)
        ):
            return True
        is_ours = not isinstance(message, UserMessage)
        return any(self.is_in(text) or (is_ours and found_in(text, self._traces)) for text in _texts(message))

    def _names(self, text: str) -> bool:
        """Whether a result of ours, which may give a message in part, names one that goes."""
        for session in list(self.places):
            if session in text:
                named = re.finditer(rf"(?<!\w){re.escape(session)}#(\d+)", text)
                if any(self.has(session, int(each[1])) for each in named):
                    return True
        return False

    def _begins(self, quoted: str) -> bool:
        """Whether an erased message is this, or begins with it: long ones are quoted by their beginning."""
        if quoted in self._said:
            return True
        beginning = quoted.rstrip(_CUT)
        if len(beginning) > _LONG:
            beginning = beginning[:-_EDGE]
        return len(beginning) >= SHORTEST_ECHO and any(words.startswith(beginning) for words in self._said)


def strings(value: object) -> Iterator[str]:
    """Every text within a JSON value, names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)


def _texts(message: Message) -> Iterator[str]:
    """Everything a message says, calls and their results as tools read and write them."""
    yield message.content
    yield from strings(message.extra)
    if isinstance(message, AssistantMessage):
        yield message.reasoning
        for call in message.tool_calls:
            yield from _read(call.arguments)
    elif isinstance(message, ToolMessage):
        yield from _read(message.content)


def _read(text: str) -> Iterator[str]:
    """A text that is JSON, or quotes some, as it stands and as it is read."""
    yield text
    yield _ESCAPE.sub(_unescaped, text)  # also what is broken, or within other words
    try:
        yield from strings(json.loads(text))
    except (ValueError, RecursionError):
        return


def _unescaped(escape: re.Match[str]) -> str:
    code, char = escape.groups()
    return chr(int(code, 16)) if code else _BLANKS.get(char, char)
