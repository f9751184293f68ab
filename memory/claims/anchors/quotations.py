"""What a text quotes: in quotation marks, book-title marks or code marks."""

import re

from memory.claims.anchors.anchor import AnchorKind, Page
from memory.claims.text import fold

_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|「([^」\n]{1,200})」|『([^』\n]{1,200})』|《([^》\n]{1,200})》"
    r"|(?<![\w'])'([^'\n]{2,200})'(?!\w)"
)


def take_quotations(page: Page) -> None:
    """Note what is quoted; nothing is taken out, for numbers and links within are compared as such too."""
    for match in page.each(_QUOTED):
        words = next(each for each in match.groups() if each is not None)
        if value := fold(words).strip(" .,;:!?。"):
            page.note(AnchorKind.QUOTED, match, "quote:" + value)
