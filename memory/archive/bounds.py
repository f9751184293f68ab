"""Which messages a search may return, decided by their ids before anything is ranked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
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

    def among(self, file: IndexFile) -> "Allowed":
        """The bounds in terms of the file's sittings."""
        within: set[int] | None = None
        if self.session is not None:
            within = set(file.sittings(self.session))
        if self.timed:
            timely = file.sittings_between(*self.moments())
            within = timely if within is None else within & timely
        hidden_from: dict[int, int] = {}
        if self.exclude:
            key, from_seq = self.exclude
            # A message stands at most as many places after the first of its sitting as its number says.
            starts = file.sittings(key, from_seq=from_seq)
            hidden_from = {sitting: max(0, from_seq - first_seq + 1) for sitting, first_seq in starts.items()}
            hidden_from = {no: place for no, place in hidden_from.items() if place <= _PLACE}
        return Allowed(bounds=self, within=within, hidden_from=hidden_from)

    @property
    def timed(self) -> bool:
        """Whether time is bounded."""
        return bool(self.from_at or self.to_at)

    def moments(self) -> tuple[int, int]:
        """The first and the last second."""
        first = int(self.from_at.timestamp()) if self.from_at else 0
        last = int(self.to_at.timestamp()) if self.to_at else 1 << 40
        return first, last

    def hold(self, document: Document, key: str) -> bool:
        """Whether the message, of the session `key`, is within the bounds."""
        first, last = self.moments()
        hidden = self.exclude is not None and key == self.exclude[0] and document.seq >= self.exclude[1]
        return not hidden and self.session in (None, key) and first <= document.at <= last


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """Bounds by id: never too narrow; `Bounds.hold` decides what is near their edges."""

    bounds: Bounds
    within: Collection[int] | None = None
    hidden_from: Mapping[int, int] = field(default_factory=dict)

    def of(self, file: IndexFile, ids: Iterable[int]) -> Iterable[int]:
        """Those of the ids that may be returned, exactly so as far as time goes."""
        within, hidden_from = self.within, self.hidden_from
        found = [
            id_
            for id_ in ids
            if (within is None or id_ >> PLACES in within)
            and id_ & _PLACE < hidden_from.get(id_ >> PLACES, _PLACE + 1)
        ]
        return file.timely(found, *self.bounds.moments()) if self.bounds.timed else found

    @property
    def everything(self) -> bool:
        """Whether there are no bounds."""
        return self.within is None and not self.hidden_from
