"""``cosserat modes``: frequencies, damping and shapes of small vibrations."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from cosserat.cli import files
from cosserat.cli.files import Center, ModelPath, Settings, Spin, Time
from cosserat.cli.frames import BeamModes, Boundary, Formulation, Stiffening, frames_of
from cosserat.cli.guard import Debug, console, guarded, titled_table

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.results.modes import Modes


@guarded
def modes(
    model: ModelPath,
    n: Annotated[int, typer.Option("-n", "--number", help="How many modes, besides free motions.")] = 10,
    spin: Spin = None,
    center: Center = (0.0, 0.0, 0.0),
    time: Time = 0.0,
    formulation: Formulation = None,
    beam_modes: BeamModes = None,
    boundary: Boundary = None,
    stiffening: Stiffening = None,
    undamped: Annotated[bool, typer.Option("--undamped", help="Leave out damping and gyroscopic terms.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw every mode into this folder, as PNG.")] = None,
    csv_: Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", help="Write numbers and shapes of beam ends and bodies.")
    ] = None,
    set_: Settings = None,
    debug: Debug = False,
) -> None:
    """Find how a mechanism vibrates about its equilibrium: frequencies, damping, and which part moves."""
    from cosserat.cli.kernels import prepare
    from cosserat.solve.analyses.modes import modes as solve

    loaded = files.load(model, set_).model
    files.check_outputs(model, csv=(csv_, (".csv",)), json=(json_, (".json",)))
    if plot is not None:
        files.output_folder(plot, "plot")
    frames = frames_of(model.name, loaded, formulation, beam_modes, boundary, stiffening)
    prepare()
    damped = False if undamped else None
    found = solve(loaded, n, damped=damped, time=time, spin=spin, center=center, formulation=frames)
    console.print(_table(found))
    if not found.stable:
        growing = int(found.unstable.sum())
        console.print(Text(f"unstable: {growing} of these motions grow", style="bold red"))
    stats = found.stats
    console.print(f"{stats['unknowns'] - stats['constraints']} degrees of freedom, {stats['wall_seconds']:.2f} s")
    if csv_ is not None:
        _write_csv(found, csv_)
    if json_ is not None:
        files.write_json(json_, _numbers(found))
    pictures = [] if plot is None else [plot / f"mode_{i:02d}.png" for i in range(len(found))]
    for i, picture in enumerate(pictures):
        found.plot(i, path=picture)
    files.list_written(csv_, json_, *pictures)


def _table(found: Modes) -> Table:
    from cosserat.results.modes import HEADS, mode_rows

    table = titled_table(f"{found.model.name}: modes about its {found.kind}", HEADS, left=(4, 5), fold=True)
    for row in mode_rows(found):
        table.add_row(*(Text(cell) for cell in row))
    return table


def _write_csv(found: Modes, path: Path) -> None:
    from cosserat.io import output
    from cosserat.results.modes import remark

    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("mode", "frequency_hz", "damping", "real_per_s", "imag_per_s", "location", "remark"))
    for i, s in enumerate(found.eigenvalues):
        numbers = (found.frequencies[i], found.damping[i], s.real, s.imag)
        writer.writerow((i, *(repr(float(x)) for x in numbers), found.location(i), remark(found, i)))
    output.write(path, text.getvalue())


def _numbers(found: Modes) -> dict[str, Any]:
    places, mass = files.places_of(found.model), found.participation["effective_mass"]
    kinetic, strain = found.components["kinetic"], found.components["strain"]
    return {
        "model": found.model.name,
        "parameters": found.model.parameters,
        "about": found.kind,
        "stable": found.stable,
        "free_motions": found.rigid,
        "modes": [
            {
                "frequency": float(found.frequencies[i]),
                "damping": float(found.damping[i]),
                "eigenvalue": [float(s.real), float(s.imag)],
                "kinetic_energy": kinetic[i].to_series().to_dict(),
                "strain_energy": strain[i].to_series().to_dict(),
                "effective_mass": mass[i].to_series().to_dict(),
                "shape": {place: _parts(found.shape(i, place)) for place in places},
                "rotation": {place: _parts(found.rotation(i, place)) for place in places},
            }
            for i, s in enumerate(found.eigenvalues)
        ],
    }


def _parts(values: Any) -> dict[str, list[float]] | list[float]:
    if values.dtype.kind == "c":
        return {"real": values.real.tolist(), "imag": values.imag.tolist()}
    return [float(x) for x in values]
