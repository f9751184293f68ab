"""What is remembered as one page of text: the same for `/memory` in a chat and `mneme memory show` in a shell (pure)."""

from collections.abc import Iterable, Iterator, Mapping

from gateway.replies import Say, say
from memory.claims.claim import Claim, ClaimKind
from memory.claims.lines import oneline
from memory.longterm.lines import is_blank_or_heading, parse_line, references

_TITLES = {
    ClaimKind.FACT: Say.FACTS,
    ClaimKind.DECISION: Say.DECISIONS,
    ClaimKind.QUESTION: Say.QUESTIONS,
}


def memory_page(
    claims: Iterable[Claim], files: Mapping[str, str], *, language: str, most: int | None = None
) -> str:
    """Facts, decisions and open questions, newest first, and the files line by line; `most` of each, or all; "" for none."""
    newest = sorted(claims, key=lambda claim: claim.at, reverse=True)
    parts = [
        _list(
            say(title, language),
            (_claim(claim) for claim in newest if claim.kind is kind),
            language=language,
            most=most,
        )
        for kind, title in _TITLES.items()
    ]
    parts += [_list(name, _notes(text), language=language, most=most) for name, text in files.items()]
    return "\n\n".join(filter(None, parts))


def _claim(claim: Claim) -> str:
    return f"{oneline(claim.text)} [{' '.join(references(claim))}]"


def _notes(text: str) -> Iterator[str]:
    for line in map(parse_line, text.splitlines()):
        if not is_blank_or_heading(line.said):
            yield f"{oneline(line.said)} [{' '.join(line.refs)}]" if line.refs else oneline(line.said)


def _list(title: str, items: Iterable[str], *, language: str, most: int | None) -> str:
    lines = list(items)
    if not lines:
        return ""
    shown = [f"- {line}" for line in lines[:most]]
    more = len(lines) - len(shown)
    return "\n".join([f"{title}:", *shown, *([say(Say.AND_MORE, language, count=more)] if more else [])])
