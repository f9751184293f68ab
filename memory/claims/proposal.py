"""What a model proposes to remember, read from its JSON without trusting any of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.claims.claim import CLAIM_LISTS, ClaimKind, Evidence

MAX_CLAIMS = 40
"""Of one answer. A chunk is a few dozen messages; whoever finds more in it has stopped summarising."""

MAX_TEXT_CHARS = 600
"""A claim is a sentence or two."""

MAX_EVIDENCE = 8
MAX_QUOTE_CHARS = 2_000
MAX_SUPERSEDES = 8
_MAX_PROBLEMS = 50

_LISTS = {**CLAIM_LISTS, "facts": ClaimKind.FACT, "questions": ClaimKind.QUESTION, "claims": None}
"""What a model calls them that nothing holds to the schema; the items of `claims` name their kind."""


class _Problem(ValueError):
    """Why one item can't be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedClaim:
    """What a model wants remembered. `session` is the one that it named, empty where it named none."""

    kind: ClaimKind
    text: str
    evidence: tuple[Evidence, ...]
    supersedes: tuple[str, ...] = ()
    session: str = ""


def proposed_from_json(document: object) -> tuple[tuple[ProposedClaim, ...], tuple[str, ...]]:
    """The claims of a model's answer, and a sentence about each part of it that is none. Never raises.

    The answer is an object with the lists `key_facts`, `decisions`, `open_questions` (or `claims`, whose items
    name their `kind`) of `{"text", "evidence": [{"seq", "quote"}], "supersedes"?: [id]}`.
    """
    if not isinstance(document, Mapping):
        return (), (f"the answer is {_named(document)}, expected an object",)
    proposals: list[ProposedClaim] = []
    problems: list[str] = []
    for place, kind, item in _items(document, problems):
        if len(proposals) == MAX_CLAIMS:
            problems.append(f"{place}: only the first {MAX_CLAIMS} claims are read")
            break
        try:
            proposals.append(_proposal(item, kind=kind))
        except _Problem as problem:
            problems.append(f"{place}: {problem}")
    return tuple(proposals), tuple(problems[:_MAX_PROBLEMS])


def _items(
    document: Mapping[object, object], problems: list[str]
) -> Iterator[tuple[str, ClaimKind | None, object]]:
    if not any(name in document for name in _LISTS):
        problems.append("the answer has none of key_facts, decisions, open_questions")
    for name, kind in _LISTS.items():
        items = document.get(name)
        if items is None:
            continue
        if not isinstance(items, list):
            problems.append(f"{name} is {_named(items)}, expected a list")
            continue
        for index, item in enumerate(items):
            yield f"{name}[{index}]", kind, item


def _proposal(item: object, *, kind: ClaimKind | None) -> ProposedClaim:
    if not isinstance(item, Mapping):
        raise _Problem(f"is {_named(item)}, expected an object")
    session = item.get("session", "")
    return ProposedClaim(
        kind=kind or _kind(item.get("kind")),
        text=_text(item.get("text"), name="text", limit=MAX_TEXT_CHARS),
        evidence=_evidence(item.get("evidence")),
        supersedes=_supersedes(item.get("supersedes")),
        session=session if isinstance(session, str) else str(session)[:MAX_TEXT_CHARS],
    )


def _kind(value: object) -> ClaimKind:
    if isinstance(value, str) and value in set(ClaimKind):
        return ClaimKind(value)
    raise _Problem("kind is none of fact, decision, question")


def _text(value: object, *, name: str, limit: int) -> str:
    if not isinstance(value, str):
        raise _Problem(f"{name} is {_named(value)}, expected text")
    if not value.strip():
        raise _Problem(f"{name} is empty")
    if len(value) > limit:
        raise _Problem(f"{name} has {len(value)} characters, at most {limit} are read")
    return value.strip()


def _evidence(value: object) -> tuple[Evidence, ...]:
    """None is an answer, too: what a claim without it comes to is for the checks to say."""
    items = [] if value is None else [value] if isinstance(value, Mapping) else value
    if not isinstance(items, list):
        raise _Problem(f"evidence is {_named(items)}, expected a list")
    if len(items) > MAX_EVIDENCE:
        raise _Problem(f"evidence has {len(items)} parts, at most {MAX_EVIDENCE} are read")
    return tuple(_piece(each) for each in items)


def _piece(value: object) -> Evidence:
    if not isinstance(value, Mapping):
        raise _Problem(f"evidence holds {_named(value)}, expected an object with seq and quote")
    return Evidence(
        seq=_seq(value.get("seq")), quote=_text(value.get("quote"), name="quote", limit=MAX_QUOTE_CHARS)
    )


def _seq(value: object) -> int:
    """A number, also written as models write it: 17, 17.0, "17", "#17"."""
    if isinstance(value, str):
        digits = value.strip().removeprefix("#")
        if digits.isascii() and digits.isdigit() and len(digits) < 16:
            return int(digits)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _Problem("seq is no number of a message")


def _supersedes(value: object) -> tuple[str, ...]:
    """Ids that are text; anything else supersedes nothing, which loses nothing."""
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(each.strip() for each in items[:MAX_SUPERSEDES] if isinstance(each, str) and each.strip())


def _named(value: object) -> str:
    names = {type(None): "null", bool: "true or false", str: "text", list: "a list", int: "a number"}
    return names.get(type(value), "a number" if isinstance(value, float) else "an object")
