"""Whose each line is: found by walking the changes from the first to the last."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from memory.longterm.lines import parse_line, same_claim
from memory.longterm.versions.revision import Revision


def lines_of(content: bytes | None) -> list[str]:
    """The lines of a file's bytes, whatever they are, without blanks at their ends."""
    return [line.decode("utf-8", "surrogateescape").rstrip() for line in (content or b"").split(b"\n")]


@dataclass(slots=True)
class Ownership:
    """What we wrote and nobody changed since, per file; and what people took out of that.

    A line is ours only if it carries its evidence, a commit of ours brought it in, and no person's did so later.
    Everything else is a person's (P12). `declined` are ids of claims whose lines a person removed or undid: they
    are not written again. `cursor` is the furthest that Dream read with any change.
    """

    ours: dict[str, Counter[str]] = field(default_factory=dict)
    declined: set[str] = field(default_factory=set)
    cursor: int = 0

    def owns(self, path: str, line: str, *, count: int = 1) -> bool:
        """Whether the line is ours, standing `count` times in the file; a person may have written the same words."""
        return bool(line.strip()) and self.ours.get(path, Counter())[line.rstrip()] >= count

    def person_lines(self, path: str, content: bytes) -> frozenset[str]:
        """The lines of the file that are a person's, without blanks at their ends."""
        counts = Counter(line for line in lines_of(content) if line)
        return frozenset(line for line, count in counts.items() if not self.owns(path, line, count=count))

    def is_declined(self, claim_id: str) -> bool:
        """Whether a person took this claim out of the files before."""
        return any(same_claim(claim_id, each) for each in self.declined)

    def follow(self, made: Revision, *, content: Callable[[str], bytes]) -> None:
        """Take in the next change; `content` gives the bytes of an object."""
        removed: list[str] = []
        for path in made.files:
            old, new = (
                Counter(lines_of(content(side[path])) if path in side else ())
                for side in (made.before, made.after)
            )
            mine = self.ours.setdefault(path, Counter())
            if made.by_hand:
                removed.extend(line for line in (old - new) if mine[line])
            else:
                mine.update({line: n for line, n in (new - old).items() if parse_line(line).claims})
            mine.subtract({line: n for line, n in (old - new).items() if line in mine})
            self.ours[path] = +mine
        self.declined.update(claim for line in removed for claim in parse_line(line).claims)
        self.declined.update(made.declined)
        self.cursor = max(self.cursor, made.cursor)
