"""Text as claims compare it: one spelling of its characters, its sentences, its clauses, where a quote stands."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

HAN = r"\u3040-\u30ff\u3400-\u9fff"
"""Characters that are written without spaces: Chinese, and Japanese kana."""

_HAN = re.compile(f"[{HAN}]")

UPPER = "A-ZÀ-ÖØ-ÞŒŠŽĆČŁŃŚŻΑ-ΩА-ЯЁ"
"""Capital letters, for use in a class of a regular expression."""

_SPELLINGS = str.maketrans(
    dict.fromkeys("’‘ʼ`´", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("–—−‐‑‒―", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", None) | {"\u2028": "\n", "\u2029": "\n"}
)  # fmt: skip
_WIDE_COMMA = re.compile(r"(?<!\d)[，；]|[，；](?!\d{3}(?!\d))")
_BLANKS = re.compile(r"[^\S\n]+")
_END = re.compile(rf"[。！？][\"')」』”]*|[!?]+[\"')」』]*(?=\s|$|[{HAN}])|\.+[\"')]*(?=\s|$)|\n+")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|no|nr|approx|ca|e\.g|i\.e|vs|etc|[a-z])\.$", re.IGNORECASE
)
_LONGEST_ABBREVIATION = 8
_CLAUSE = re.compile(
    rf"[,;:](?=\s|[{HAN}])|(?<=[{HAN}])[,;:]|、|\s-\s"
    r"|\b(?:but|because|although|though|while|whereas|when|if|unless|in\scase|provided\s(?:that\b|(?=(?:an?|the|my|his|her|our|their|i|we|you|he|she|it|they)\b))|since|so\sthat|who|which|instead)\b"
    r"|\b(?:and|so)\s+(?=(?:i|we|he|she|they|it|you|my|our|his|her|their|the|this|that|there|also|not|never|\w+n't|does|did|was|were|had|would|could|may|might|must|quit|prefers?|likes?|loves?|wants?|needs?|has|have|is|are|will|can|keep|use|take|go|get|buy|book|order|start)\b)"
    r"|但是|不过|可是|而是|而且|因为|所以|如果|虽然|然后|并且|只是(?=[没不太有])|而|但",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to, not including, `end`."""

    start: int
    end: int


def tidy(text: str) -> str:
    """The text with one spelling of digits, quotation marks, dashes and blanks; letter case and lines stay."""
    text = _WIDE_COMMA.sub(", ", text)
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).translate(_SPELLINGS).replace("**", ""))


def fold(text: str) -> str:
    """What two texts share that a reader calls the same: tidy, in one case, blanks collapsed."""
    return " ".join(tidy(text).casefold().split())


def is_han(text: str) -> bool:
    """Whether any of it is written without spaces between words."""
    return _HAN.search(text) is not None


def sentences(text: str) -> list[Span]:
    """The sentences and lines of a tidy text, in order, blanks around them left out."""
    found: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if not _ends_sentence(text, end, start):
            continue
        found.append(Span(start, end.end()))
        start = end.end()
    found.append(Span(start, len(text)))
    return [each for each in (_stripped(text, span) for span in found) if each.start < each.end]


def clauses(text: str) -> list[Span]:
    """The parts of one tidy sentence that say something each; a joining word belongs to what it joins."""
    found: list[Span] = []
    start = 0
    for joint in _CLAUSE.finditer(text):
        if joint.start() > start:
            found.append(Span(start, joint.start()))
            start = joint.start()
    found.append(Span(start, len(text)))
    return found


def occurrences(quote: str, *, text: str, limit: int = 4) -> list[Span]:
    """Where the words of the quote stand in the tidy text, whole words only, case and blanks aside."""
    words = tidy(quote).strip(" \n\"'.…").split()
    if not words:
        return []
    pattern = (
        r"\s*".join(re.escape(word) for word in words)
        if is_han(quote)
        else r"\s+".join(map(re.escape, words))
    )
    edges = rf"(?<![A-Za-z0-9])(?<!\d[.,:]){pattern}(?![A-Za-z0-9]|(?<=\d)[.,:]\d)"
    found: list[Span] = []
    for match in re.finditer(edges, text, re.IGNORECASE):
        found.append(Span(match.start(), match.end()))
        if len(found) == limit:
            break
    return found


def widened(span: Span, within: Sequence[Span]) -> list[Span]:
    """The sentences that the span touches."""
    return [each for each in within if each.start < span.end and span.start < each.end]


def _ends_sentence(text: str, end: re.Match[str], start: int) -> bool:
    """A full stop after an abbreviation or before a small letter ends nothing."""
    if not end.group().startswith("."):
        return True
    following = text[end.end() : end.end() + 2].lstrip(" ")[:1]
    return not following.islower() and not _ABBREVIATION.search(
        text, max(start, end.start() - _LONGEST_ABBREVIATION), end.start() + 1
    )


def _stripped(text: str, span: Span) -> Span:
    piece = text[span.start : span.end]
    return Span(span.start + len(piece) - len(piece.lstrip()), span.end - len(piece) + len(piece.rstrip()))
