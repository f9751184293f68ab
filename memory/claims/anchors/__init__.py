"""What of a text can be compared exactly: numbers, dates, times, amounts, links, paths, identifiers, names."""

from memory.claims.anchors.anchor import Anchor, AnchorKind, Mention
from memory.claims.anchors.extraction import anchors, mentions

__all__ = ["Anchor", "AnchorKind", "Mention", "anchors", "mentions"]
