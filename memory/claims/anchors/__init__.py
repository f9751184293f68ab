"""What of a text can be compared exactly: numbers, dates, times, amounts, links, paths, identifiers, names."""

from memory.claims.anchors.anchor import AnchorKind, Mention
from memory.claims.anchors.extraction import mentions

__all__ = ["AnchorKind", "Mention", "mentions"]
