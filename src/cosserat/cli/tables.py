"""How tables look."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table


def titled_table(title: str) -> Table:
    """An empty table without frames, its title on the left."""
    return Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)


def numbers(values: Iterable[float], scale: float, digits: int = 6) -> list[str]:
    """Numbers for a table; what is round-off beside `scale` is shown as 0."""
    return [f"{0.0 if abs(v) < 1e-11 * scale else v:.{digits}g}" for v in values]
