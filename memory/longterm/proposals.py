"""The edits that a model proposes, read from its answer without trusting any of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MAX_EDITS = 60
"""Of one answer; a batch is about twenty entries of a few claims each."""

MAX_TEXT_CHARS = 400
"""A line of memory is a sentence."""

MAX_CLAIMS = 8
_MAX_PROBLEMS = 50
_LIST_MARKER = re.compile(r"^\s*(?:[-*+]\s+)+")


class Action(StrEnum):
    """What an edit does with a line."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One line to add, to put in the place of `old`, or `old` to remove; `file` is a path in the audience's folder.

    `section` is the heading under which a new line belongs, "" for the usual one. `claim_ids` are ids, or
    beginnings of ids, of the claims that it rests on.
    """

    action: Action
    file: str
    text: str = ""
    old: str = ""
    section: str = ""
    claim_ids: tuple[str, ...] = ()


class _Problem(ValueError):
    """Why one item can't be read."""


class _TooMuch(_Problem):
    pass


class NoProposal(ValueError):
    """The answer holds no edits that can be read, nor says that there are none: it was cut off, or is something else."""


def proposed_edits(document: object) -> tuple[tuple[Edit, ...], tuple[str, ...]]:
    """The edits of a model's answer, and a sentence about each part of it that is none.

    The answer is `{"edits": [{"action", "file", "section"?, "text"?, "old"?, "claims": [id]}]}` or the list
    alone. Raises NoProposal where there is no such list, or no edit in it that can be read; an empty one is an answer.
    """
    items = _items(document)
    edits: list[Edit] = []
    problems: list[str] = []
    unread = 0
    for index, item in enumerate(items):
        if len(edits) == MAX_EDITS:
            problems.append(f"edits[{index}]: only the first {MAX_EDITS} edits are read")
            break
        try:
            edits.append(_edit(item))
        except _Problem as problem:
            unread += not isinstance(problem, _TooMuch)
            problems.append(f"edits[{index}]: {problem}")
    if items and unread == len(items):
        raise NoProposal(f"none of its edits can be read ({problems[0]})")
    return tuple(edits), tuple(problems[:_MAX_PROBLEMS])


def _items(document: object) -> list[object]:
    if isinstance(document, Mapping):
        document = document.get("edits")
    if not isinstance(document, list):
        raise NoProposal("the answer has no list of edits")
    return document


def _edit(item: object) -> Edit:
    if not isinstance(item, Mapping):
        raise _Problem("is no object")
    try:
        action = Action(str(item.get("action")).strip().lower())
    except ValueError:
        raise _Problem("action is none of add, replace, remove") from None
    file = item.get("file")
    if not isinstance(file, str):
        raise _Problem("file is no text")
    edit = Edit(
        action=action,
        file=file,
        text=_said(_text(item.get("text", ""), name="text")),
        old=_text(item.get("old", ""), name="old"),
        section=_text(item.get("section", ""), name="section").lstrip("# "),
        claim_ids=_ids(item.get("claims", item.get("claim_ids"))),
    )
    if action is not Action.REMOVE and not edit.text:
        raise _Problem("text is missing")
    if action is not Action.ADD and not edit.old:
        raise _Problem("old is missing")
    return edit


def _text(value: object, *, name: str) -> str:
    """One line without control characters; models send null for what they leave out."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Problem(f"{name} is no text")
    line = " ".join("".join(each if each.isprintable() else " " for each in value).split())
    if len(line) > 2 * MAX_TEXT_CHARS:
        raise _TooMuch(f"{name} has {len(line)} characters")
    return line


def _said(text: str) -> str:
    """What the line is to say; the list marker is ours to set."""
    return _LIST_MARKER.sub("", text).lstrip("#> ").strip()


def _ids(value: object) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    ids = [each.strip().removeprefix("c:").lower() for each in items if isinstance(each, str)]
    if len(ids) > MAX_CLAIMS:
        raise _TooMuch(f"names {len(ids)} claims, at most {MAX_CLAIMS} make a line")
    return tuple(dict.fromkeys(each for each in ids if each))
