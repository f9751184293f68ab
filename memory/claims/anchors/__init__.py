"""What of a text can be compared exactly: numbers, dates, times, amounts, links, paths, identifiers, names."""

from datetime import datetime, tzinfo

from memory.claims.anchors.amounts import take_numbers
from memory.claims.anchors.anchor import AnchorKind, Mention, Page
from memory.claims.anchors.dates import take_days, take_parts_of_dates
from memory.claims.anchors.identifiers import take_identifiers
from memory.claims.anchors.links import take_links
from memory.claims.anchors.names import take_names
from memory.claims.anchors.quotations import take_quotations
from memory.claims.anchors.relative import take_relative_dates
from memory.claims.anchors.times import take_times

__all__ = ["AnchorKind", "Mention", "mentions"]


def mentions(text: str, *, said_at: datetime, zone: tzinfo) -> list[Mention]:
    """The anchors of a tidy text where they stand, in reading order; relative dates by when it was said in that zone.

    They are taken out kind after kind, what is most particular first.
    """
    page = Page(text)
    today = said_at.astimezone(zone).date()
    take_quotations(page)
    take_links(page)
    take_days(page, today=today)
    take_relative_dates(page, today=today)
    take_parts_of_dates(page, today=today)
    take_times(page)
    take_identifiers(page)
    take_numbers(page)
    take_names(page)
    return sorted(page.mentions, key=lambda each: (each.start, each.end))
