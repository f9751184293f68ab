"""Where in a Markdown file a line goes; every other line stays as it is, byte for byte."""

import re
from collections.abc import Iterator
from itertools import pairwise

from memory.claims.claim import ClaimKind
from memory.claims.text import fold
from memory.longterm.lines import parse_line
from memory.longterm.pages import MEMORY, SOUL, USER, is_skill

_TITLES = {MEMORY: "# Memory", USER: "# About the person", SOUL: "# Character"}
_HEADINGS = {
    ClaimKind.FACT: "Facts",
    ClaimKind.DECISION: "Decisions",
    ClaimKind.QUESTION: "Open questions",
}
# A heading is text like any other, so a model may choose among these and those that a person wrote, no others.
_KNOWN = (
    *_HEADINGS.values(),
    "Preferences",
    "People",
    "Projects",
    "Places",
    "Work",
    "Home",
    "Health",
    "Dates",
)
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.*?)\s*#*\s*")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def with_line(text: str, line: str, *, path: str, section: str, kind: ClaimKind) -> str:
    """The text with the line at the end of its section, which is made where the file has none."""
    lines = (text or _new_file(path, line)).split("\n")
    ending = "\r" if lines[0].endswith("\r") else ""
    wanted = _section(lines, path=path, section=section, kind=kind)
    place = _end_of_section(lines, wanted) if wanted else _end_of_text(lines)
    new = [line]
    if place is None:
        place = _end_of_text(lines)
        new = ["", f"## {wanted}", "", line]
    elif place and not _LIST_ITEM.match(lines[place - 1]):
        new = ["", line]
    lines[place:place] = [each + ending for each in (new if place else new[-3:])]
    return "\n".join(lines if lines[-1] in ("", "\r") else [*lines, ""])


def with_replaced(text: str, old: str, *, by: str) -> str:
    """The text with the first line that is `old` replaced, or taken out where `by` is empty."""
    lines = text.split("\n")
    place = next(index for index, each in enumerate(lines) if each.rstrip() == old)
    ending = "\r" if lines[place].endswith("\r") else ""
    lines[place : place + 1] = [by + ending] if by else []
    return "\n".join(lines)


def _new_file(path: str, line: str) -> str:
    if is_skill(path):
        name = path.split("/")[1]
        # A colon or a bracket in plain words would be YAML of its own.
        description = parse_line(line).said.replace("\\", "\\\\").replace('"', '\\"')
        return f'---\nname: {name}\ndescription: "{description}"\n---\n'
    return f"{_TITLES[path]}\n"


def _section(lines: list[str], *, path: str, section: str, kind: ClaimKind) -> str:
    """The heading to use: the one asked for if it stands there or is known, else the usual one of the file."""
    there = {fold(title): title for _, title in _headings(lines)}
    if section and fold(section) in there:
        return there[fold(section)]
    if path != MEMORY:
        return ""
    return next((each for each in _KNOWN if fold(each) == fold(section)), _HEADINGS[kind])


def _end_of_section(lines: list[str], title: str) -> int | None:
    """The place behind the last line with words under the heading; None without the heading."""
    headings = [*_headings(lines), (len(lines), "")]
    for (start, each), (end, _) in pairwise(headings):
        if fold(each) == fold(title):
            return start + _end_of_text(lines[start:end])
    return None


def _end_of_text(lines: list[str]) -> int:
    return max((index + 1 for index, line in enumerate(lines) if line.strip()), default=0)


def _headings(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Where headings stand and what they say; not those inside of code or front matter."""
    fence = ""
    rules = [index for index, line in enumerate(lines) if line.rstrip() == "---"]
    start = rules[1] if rules[1:] and rules[0] == 0 else 0
    for index, line in enumerate(lines[start:], start=start):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif not fence and (heading := _HEADING.fullmatch(line.rstrip())):
            yield index, heading["title"]
