"""A table as lines of text, for platforms that know no tables."""

from wcwidth import wcswidth

from channels.markdown import Table, plain_inlines


def aligned(table: Table) -> str:
    """The table in columns of equal width; letters of double width count as two."""
    shown = (table.header, *table.rows) if any(table.header) else table.rows
    rows = [[plain_inlines(cell) for cell in row] for row in shown]
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [
        " | ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    if any(table.header):
        lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def _width(text: str) -> int:
    return max(wcswidth(text), 0) or len(text)
