"""``cosserat equilibrium --path``: equilibria along a parameter, as a table and a load-displacement curve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from cosserat.cli.files import list_written, write_json
from cosserat.cli.guard import console
from cosserat.cli.run import leave
from cosserat.cli.tables import numbers, titled_table

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.model import Model
    from cosserat.results.path import Path as EquilibriumPath


def follow(
    model: Model,
    along: tuple[str, float, float],
    places: list[str],
    *,
    time: float,
    spin: tuple[float, float, float] | None,
    center: tuple[float, float, float],
    out: Path | None,
    plot: Path | None,
) -> None:
    """Follow a path, print its special points and ends, write and draw it; the last place is the one drawn."""
    from cosserat.solve.analyses.continuation import continuation

    name, start, stop = along
    found = continuation(model, name, start, stop, time=time, spin=spin, center=center)
    console.print(f"{model.name}: {found.status.message}; {len(found)} points, {found.stats['solve_seconds']:.2f} s")
    place = places[-1]
    console.print(_table(found, place))
    if out is not None:
        content = {
            "model": model.name,
            "parameter": name,
            "values": found.parameter.tolist(),
            "ok": found.status.ok,
            "status": found.status.message,
            "stable": found.stable.tolist(),
            "points": [{"label": p.label, "value": p.value, "index": p.index} for p in found.points],
            "positions": {item: found.position(item).tolist() for item in places},
        }
        write_json(out, content)
    if plot is not None:
        moved = np.ptp(found.position(place), axis=0)
        found.plot(place, "xyz"[int(np.argmax(moved))], path=plot)
    list_written(out, plot)
    leave(found.status, "what is shown is the path as far as it was followed")


def _table(found: EquilibriumPath, place: str) -> Table:
    table = titled_table(f"path along {found.name}: position of {place} (m)", ("point", found.name, *"xyz"))
    positions = found.position(place)
    scale = float(np.max(np.abs(positions)))
    rows = [("start", 0), *((point.label, point.index) for point in found.points), ("end", len(found) - 1)]
    for label, i in rows:
        x = [float(v) for v in positions[i]]
        table.add_row(Text(label), f"{found.parameter[i]:.8g}", *numbers(x, scale))
    return table
