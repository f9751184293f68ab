"""What can go wrong where things are remembered."""


class StoreError(Exception):
    """Something failed in a store."""


class StoreUnavailable(StoreError):
    """The store can't write now: the disk is full, unreadable or gone. Nothing that was accepted is lost."""


class StoreCorrupt(StoreError):
    """What is stored can't be read as it stands; the message names the place."""


class SummarizerFailed(StoreError):
    """The summariser gave nothing usable; the deterministic extract takes its place."""


class EmbedderFailed(StoreError):
    """There is no vector for a text; it is found by its words alone."""
