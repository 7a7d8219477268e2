"""How tables look."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text


def titled_table(title: str, heads: Iterable[str], left: Collection[int] = (0,), fold: bool = False) -> Table:
    """An empty table without frames, its title on the left; numbers of columns that stand left, too."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="left" if k in left else "right", overflow="fold" if fold else "ellipsis")
    return table


def number_table(title: str, heads: Sequence[str], rows: Mapping[str, Iterable[float]], digits: int = 6) -> Table:
    """A table with a name and numbers in each row; what is round-off beside the largest of them is shown as 0."""
    table = titled_table(title, heads)
    known = {name: [float(x) for x in row] for name, row in rows.items()}
    scale = max((abs(x) for row in known.values() for x in row), default=0.0)
    for name, row in known.items():
        table.add_row(Text(name), *numbers(row, scale, digits))
    return table


def numbers(values: Iterable[float], scale: float, digits: int = 6) -> list[str]:
    """Numbers for a table; what is round-off beside `scale` is shown as 0."""
    return [f"{0.0 if abs(v) <= 1e-11 * scale else v:.{digits}g}" for v in values]
