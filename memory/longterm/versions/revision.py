"""What a change of the long-term files was: who made it, why, and what follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from memory.longterm.versions.commits import Draft, Snapshot


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

    def draft(self, at: datetime) -> Draft:
        """The commit that records it."""
        trailers = {
            "Claims": " ".join(self.claims),
            "Declined": " ".join(self.declined),
            "Cursor": str(self.cursor or ""),
            "Restores": self.restores,
        }
        lines = [f"{name}: {value}" for name, value in trailers.items() if value]
        message = "\n".join([self.title, *(["", *lines] if lines else [])]) + "\n"
        return Draft(files=self.files, author=self.author, message=message, at=int(at.timestamp()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A change that was made; `files` are the paths that it touched."""

    id: str
    at: datetime
    by_hand: bool
    title: str
    files: tuple[str, ...]
    claims: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    cursor: int = 0
    restores: str = ""


def revision(snapshot: Snapshot, *, parent: Snapshot | None) -> Revision:
    """The change that a commit made to its parent. A commit of any other author is a person's."""
    title, _, body = snapshot.message.partition("\n")
    trailers = dict(line.split(": ", 1) for line in body.splitlines() if ": " in line)
    ours = snapshot.author == Author.MNEME
    cursor = trailers.get("Cursor", "")
    return Revision(
        id=snapshot.id,
        at=datetime.fromtimestamp(snapshot.at, UTC),
        by_hand=not ours,
        title=title,
        files=changed_paths(snapshot, parent),
        claims=tuple(trailers.get("Claims", "").split()) if ours else (),
        declined=tuple(trailers.get("Declined", "").split()),
        cursor=int(cursor) if ours and cursor.isascii() and cursor.isdigit() else 0,
        restores=trailers.get("Restores", ""),
    )


def changed_paths(snapshot: Snapshot, parent: Snapshot | None) -> tuple[str, ...]:
    """The paths whose bytes differ between a commit and its parent."""
    before = parent.blobs if parent else {}
    paths = before.keys() | snapshot.blobs.keys()
    return tuple(sorted(path for path in paths if before.get(path) != snapshot.blobs.get(path)))
