"""What a person replied to, as a record of its own: how it is written, and whose words it holds."""

LONGEST_QUOTATION = 500
"""Characters: enough to know what is meant; the whole of it was said where it was said."""

_BEFORE = "[in reply to "
_BETWEEN = ": "
_AFTER = "]"


def quotation(name: str, text: str) -> str:
    """The record of a message that is replied to, said by `name`."""
    return f"{_BEFORE}{name}{_BETWEEN}{text[:LONGEST_QUOTATION]}{_AFTER}"


def quoted_words(record: str) -> list[str]:
    """What a record may quote, [] where it is none: a name can hold a colon as well as the words can."""
    if not (record.startswith(_BEFORE) and record.endswith(_AFTER)):
        return []
    parts = record.removeprefix(_BEFORE).removesuffix(_AFTER).split(_BETWEEN)
    return [_BETWEEN.join(parts[first:]) for first in range(1, len(parts))]
