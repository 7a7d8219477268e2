"""``cosserat equilibrium``: find where a mechanism rests; with ``--path`` along a parameter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from cosserat.cli import files
from cosserat.cli.files import PICTURES, Center, ModelPath, Settings, Spin, Time, list_written, write_json
from cosserat.cli.frames import BeamModes, Boundary, Formulation, Stiffening, frames_of
from cosserat.cli.guard import Debug, console, guarded, number_table, numbers, titled_table
from cosserat.cli.run import leave
from cosserat.io.formats import SUFFIXES
from cosserat.model.summary import counted
from cosserat.results.labels import WRENCH

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.model import Model
    from cosserat.results.equilibrium import Equilibrium
    from cosserat.results.path import Path as EquilibriumPath


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
    formulation: Formulation = None,
    beam_modes: BeamModes = None,
    boundary: Boundary = None,
    stiffening: Stiffening = None,
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
    from cosserat.solve.analyses.equilibrium import equilibrium as solve

    loaded = files.load(model, set_).model
    places = files.places_of(loaded)
    for text in place or []:
        loaded.place(text, "--place")
        places.append(text)
    formats = (".json",) if path is not None else (".json", *SUFFIXES)
    files.check_outputs(model, out=(out, formats), plot=(plot, PICTURES))
    frames = frames_of(model.name, loaded, formulation, beam_modes, boundary, stiffening)
    prepare()
    options = {"time": time, "spin": spin, "center": center, "formulation": frames}
    if path is not None:
        follow(loaded, path, places, options, out, plot)
        return
    found = solve(loaded, **options)
    stats = found.trajectory.stats
    ended = found.status.message if found.status.ok else "not finished"
    console.print(
        f"{loaded.name}: {ended}; {counted(stats['load_steps'], 'load step', 'load steps')}, "
        f"{counted(stats['iterations'], 'iteration', 'iterations')}, {stats['solve_seconds']:.2f} s; "
        f"loads at t = {time:g} s"
    )
    positions = {place: found.position(place) for place in places}
    console.print(number_table("positions (m)", ("place", *"xyz"), positions))
    if loaded.joints:
        title = "reactions of the parents on the children, world axes, about the joint (N, N m)"
        wrenches = {joint.name: found.reaction(joint.name) for joint in loaded.joints}
        console.print(number_table(title, ("joint", *WRENCH), wrenches, 5))
    if out is not None:
        if out.suffix.lower() == ".json":
            files.write_json(out, _numbers(found, loaded, places))
        else:
            found.save(out)
    if plot is not None:
        found.plot(path=plot)
    files.list_written(out, plot)
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


def follow(
    model: Model,
    along: tuple[str, float, float],
    places: list[str],
    options: dict[str, Any],
    out: Path | None,
    plot: Path | None,
) -> None:
    """Follow a path, print its special points and ends, write and draw it; the last place is the one drawn."""
    from cosserat.solve.analyses.continuation import continuation

    name, start, stop = along
    found = continuation(model, name, start, stop, **options)
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
