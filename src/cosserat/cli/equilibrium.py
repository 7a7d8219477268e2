"""``cosserat equilibrium``: find where a mechanism rests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from cosserat.cli.files import (
    PICTURES,
    Center,
    ModelPath,
    Settings,
    Spin,
    Time,
    check_outputs,
    list_written,
    load,
    places_of,
    write_json,
)
from cosserat.cli.guard import Debug, console, guarded
from cosserat.cli.path import follow
from cosserat.cli.run import leave
from cosserat.cli.tables import numbers, titled_table
from cosserat.io.formats import SUFFIXES

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.model import Model
    from cosserat.results.equilibrium import Equilibrium


@guarded
def equilibrium(
    model: ModelPath,
    place: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE", help="Also show this place, such as 'beam.at(0.5)'; may be repeated."),
    ] = None,
    time: Time = 0.0,
    spin: Spin = None,
    center: Center = (0.0, 0.0, 0.0),
    path: Annotated[
        tuple[str, float, float] | None,
        typer.Option(metavar="PARAMETER START STOP", help="Follow the equilibria along a parameter instead."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write positions, rotations and reactions (.json), or everything (.nc).")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the shape into this picture (PNG, PDF, SVG).")] = None,
    set_: Settings = None,
    debug: Debug = False,
) -> None:
    """Find where a mechanism rests under its loads; print positions and reactions."""
    from cosserat.cli.kernels import prepare
    from cosserat.solve.balance.equilibrium import equilibrium as solve

    loaded = load(model, set_).model
    places = places_of(loaded)
    for text in place or []:
        loaded.place(text, "--place")
        places.append(text)
    formats = (".json",) if path is not None else (".json", *SUFFIXES)
    check_outputs(model, out=(out, formats), plot=(plot, PICTURES))
    prepare()
    if path is not None:
        follow(loaded, path, places, time=time, spin=spin, center=center, out=out, plot=plot)
        return
    found = solve(loaded, time=time, spin=spin, center=center)
    stats = found.trajectory.stats
    console.print(
        f"{loaded.name}: {found.status.message}; {stats['load_steps']} load steps, {stats['iterations']} iterations, "
        f"{stats['solve_seconds']:.2f} s"
    )
    console.print(_position_table(found, places))
    if loaded.joints:
        console.print(_reaction_table(found, loaded))
    if out is not None:
        if out.suffix.lower() == ".json":
            write_json(out, _numbers(found, loaded, places))
        else:
            found.save(out)
    if plot is not None:
        found.plot(path=plot)
    list_written(out, plot)
    leave(found.status, "what is shown is the last configuration that was reached")


def _numbers(found: Equilibrium, model: Model, places: list[str]) -> dict[str, Any]:
    return {
        "model": model.name,
        "parameters": model.parameters,
        "ok": found.status.ok,
        "status": found.status.message,
        "positions": {place: found.position(place).tolist() for place in places},
        "rotations": {place: found.rotation(place).tolist() for place in places},
        "reactions": {joint.name: found.reaction(joint.name).tolist() for joint in model.joints},
    }


def _position_table(found: Equilibrium, places: list[str]) -> Table:
    table = titled_table("positions (m)")
    table.add_column("place")
    for axis in "xyz":
        table.add_column(axis, justify="right")
    positions = {place: [float(x) for x in found.position(place)] for place in places}
    scale = max((abs(x) for row in positions.values() for x in row), default=0.0)
    for place, row in positions.items():
        table.add_row(Text(place), *numbers(row, scale))
    return table


def _reaction_table(found: Equilibrium, model: Model) -> Table:
    table = titled_table("reactions of the parents on the children, world axes, about the joint (N, N m)")
    table.add_column("joint")
    for name in ("fx", "fy", "fz", "mx", "my", "mz"):
        table.add_column(name, justify="right")
    wrenches = {joint.name: [float(x) for x in found.reaction(joint.name)] for joint in model.joints}
    scale = max(abs(x) for row in wrenches.values() for x in row)
    for name, row in wrenches.items():
        table.add_row(Text(name), *numbers(row, scale, 5))
    return table
