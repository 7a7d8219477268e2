"""Tables as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def titled(title: str, lines: Sequence[str]) -> str:
    """Lines below an underlined title."""
    return "\n".join([title, "-" * len(title), *lines])


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Rows of cells, the first one of heads, as lines; columns are flush right, those in `left` flush left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = zip(row, widths, strict=True)
        return "  ".join(f"{c:<{w}}" if k in left else f"{c:>{w}}" for k, (c, w) in enumerate(cells)).rstrip()

    return [line(row) for row in rows]
