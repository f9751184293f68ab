"""Which messages a search may return, decided by their ids before anything is ranked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.archive.documents import PLACES, Document
from memory.archive.index import IndexFile

_PLACE = (1 << PLACES) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a search is limited to; see `SearchIndex.search`."""

    session: str | None = None
    exclude: tuple[str, int] | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None

    @property
    def leave_all(self) -> bool:
        """Whether there are no bounds."""
        return self == Bounds()

    def among(self, ids: Collection[int], *, file: IndexFile) -> Collection[int]:
        """Those of the ids that may be returned; never too few, exactly so as far as time goes."""
        if self.session is not None:
            sittings = file.sittings(self.session)
            ids = [id_ for id_ in ids if id_ >> PLACES in sittings]
        if self.exclude is not None:
            hidden = _hidden(self.exclude, file=file)
            ids = [id_ for id_ in ids if id_ & _PLACE < hidden.get(id_ >> PLACES, _PLACE + 1)]
        if self.from_at or self.to_at:
            first, last = self._moments()
            timely = file.calendar.sittings_between(first, last=last)
            ids = file.calendar.timely(
                [id_ for id_ in ids if id_ >> PLACES in timely], first=first, last=last
            )
        return ids

    def hold(self, document: Document, *, key: str) -> bool:
        """Whether the message, of the session `key`, is within the bounds."""
        first, last = self._moments()
        hidden = self.exclude is not None and key == self.exclude[0] and document.seq >= self.exclude[1]
        return not hidden and self.session in (None, key) and first <= document.at <= last

    def _moments(self) -> tuple[int, int]:
        """The first and the last second."""
        first = int(self.from_at.timestamp()) if self.from_at else 0
        last = int(self.to_at.timestamp()) if self.to_at else 1 << 40
        return first, last


def _hidden(exclude: tuple[str, int], *, file: IndexFile) -> Mapping[int, int]:
    """The sittings that reach beyond a message, and from which of their places on they surely do.

    A message stands at most as many places after the first of its sitting as its number says.
    """
    key, from_seq = exclude
    starts = file.sittings(key, from_seq=from_seq)
    return {sitting: max(0, from_seq - first_seq + 1) for sitting, first_seq in starts.items()}
