"""A line of memory: what it says, and the comment that names its evidence."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory.claims.claim import Claim
from memory.claims.text import fold
from memory.messages import reference

SHORT_ID = 8
"""Digits of a claim's id in a comment: 32 bits, for the few hundred claims of a file."""

_COMMENT = re.compile(r"\s*<!-- c:(?P<ids>[0-9a-f]{4,16}(?:,[0-9a-f]{4,16})*)(?P<refs>(?: \S+#\d+)+) -->\s*$")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_DECORATION = re.compile(r"[^\w\s]+")
# What would end the comment or part it, and what begins an escape.
_TO_ESCAPE = re.compile("[ >%]")
_ESCAPED = re.compile("%(?P<code>20|3E|25)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`said` is the line without list marker and comment; without `claims` the line is a person's."""

    said: str
    claims: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


def parse_line(text: str) -> Line:
    """The parts of one line of a file."""
    comment = _COMMENT.search(text)
    said = _MARKER.sub("", text[: comment.start()] if comment else text).strip()
    if comment is None:
        return Line(said=said)
    refs = tuple(_unescaped(ref) for ref in comment["refs"].split())
    return Line(said=said, claims=tuple(comment["ids"].split(",")), refs=refs)


def memory_line(said: str, *, claims: Iterable[Claim]) -> str:
    """`- Prefers tea. <!-- c:7f3a09bc telegram:42#17 -->`: the line that says it on the evidence of the claims."""
    believed = tuple(claims)
    ids = dict.fromkeys(short_id(claim.id) for claim in believed)
    refs = dict.fromkeys(ref for claim in believed for ref in references(claim))
    return f"- {said} <!-- c:{','.join(ids)} {' '.join(map(_escaped, refs))} -->"


def short_id(claim_id: str) -> str:
    """How a comment names a claim."""
    return claim_id[:SHORT_ID]


def references(claim: Claim) -> tuple[str, ...]:
    """The messages that a claim rests on, each once."""
    return tuple(dict.fromkeys(reference(claim.session, each.seq) for each in claim.evidence))


def same_claim(one: str, other: str) -> bool:
    """Whether two beginnings of ids can name one claim."""
    return one.startswith(other) or other.startswith(one)


def fingerprint(text: str) -> str:
    """What two lines share that say the same: words and digits, case, blanks and punctuation aside."""
    return " ".join(_DECORATION.sub(" ", fold(parse_line(text).said)).split())


def is_blank_or_heading(text: str) -> bool:
    """Whether a line says nothing of its own: empty, a heading, a rule, a fence of front matter."""
    stripped = text.strip()
    return not stripped or stripped.startswith("#") or set(stripped) <= set("-*_=")


def _escaped(ref: str) -> str:
    return _TO_ESCAPE.sub(lambda found: f"%{ord(found.group()):02X}", ref)


def _unescaped(ref: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found["code"], 16)), ref)
