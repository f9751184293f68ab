"""What a change of the long-term files is to be, and what it was: who made it, why, and what follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


class Author(StrEnum):
    """Whose change it was, which decides whose lines they are (P12)."""

    MNEME = "Mneme <mneme@localhost>"
    PERSON = "By hand <by-hand@localhost>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to become of the files: paths with their new bytes, None to remove one.

    `title` holds no words of anybody's. `claims` are the ids that the change rests on, `declined` those that a
    person did not want; `cursor` is how far Dream has read with it; `restores` the revision that it undoes.
    """

    files: Mapping[str, bytes | None]
    title: str
    author: Author = Author.MNEME
    claims: Sequence[str] = ()
    declined: Sequence[str] = ()
    cursor: int = 0
    restores: str = ""

    @property
    def message(self) -> str:
        """What the commit says that records it: `revision_of` reads it again."""
        trailers = {
            "Claims": " ".join(self.claims),
            "Declined": " ".join(self.declined),
            "Cursor": str(self.cursor or ""),
            "Restores": self.restores,
        }
        lines = [f"{name}: {value}" for name, value in trailers.items() if value]
        return "\n".join([self.title, *(["", *lines] if lines else [])]) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A change that was made to `parent`, "" where it is the first.

    `before` and `after` name for each path that it touched the object that holds its bytes, where it was there.
    """

    id: str
    parent: str
    at: datetime
    by_hand: bool
    title: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    claims: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    cursor: int = 0
    restores: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that it touched."""
        return tuple(sorted(self.before.keys() | self.after.keys()))


def revision_of(
    author: str,
    *,
    message: str,
    seconds: int,
    revision_id: str,
    parent: str,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> Revision:
    """The change that a commit made, `seconds` after 1970. A commit of any other author is a person's."""
    title, _, body = message.partition("\n")
    trailers = dict(line.split(": ", 1) for line in body.splitlines() if ": " in line)
    ours = author == Author.MNEME
    cursor = trailers.get("Cursor", "")
    return Revision(
        id=revision_id,
        parent=parent,
        at=datetime.fromtimestamp(seconds, UTC),
        by_hand=not ours,
        title=title,
        before=before,
        after=after,
        claims=tuple(trailers.get("Claims", "").split()) if ours else (),
        declined=tuple(trailers.get("Declined", "").split()),
        cursor=int(cursor) if ours and cursor.isascii() and cursor.isdigit() else 0,
        restores=trailers.get("Restores", ""),
    )
