"""``cosserat stability``: critical values of a parameter."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosserat.cli import files
from cosserat.cli.files import PICTURES, Center, ModelPath, Settings, Spin, Time
from cosserat.cli.frames import BeamModes, Boundary, Formulation, Stiffening, frames_of
from cosserat.cli.guard import INTERRUPTED, Debug, UsageProblem, console, guarded, titled_table

if TYPE_CHECKING:
    from rich.table import Table

    from cosserat.results.stability import Stability

MOST_STEPS = 100_000


@guarded
def stability(
    model: ModelPath,
    parameter: Annotated[str, typer.Option(metavar="NAME", help="Parameter of the model that is varied.")],
    from_: Annotated[float, typer.Option("--from", help="First value.")],
    to: Annotated[float, typer.Option(help="Last value.")],
    steps: Annotated[int, typer.Option(help="Number of steps between them.")] = 100,
    modes: Annotated[int, typer.Option(help="Number of modes that are followed.")] = 10,
    spin: Spin = None,
    center: Center = (0.0, 0.0, 0.0),
    time: Time = 0.0,
    formulation: Formulation = None,
    beam_modes: BeamModes = None,
    boundary: Boundary = None,
    stiffening: Stiffening = None,
    plot: Annotated[Path | None, typer.Option(help="Draw frequencies and growth into this picture.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the eigenvalues as a table.")] = None,
    json_: Annotated[Path | None, typer.Option("--json", help="Write critical values and eigenvalues as JSON.")] = None,
    set_: Settings = None,
    debug: Debug = False,
) -> None:
    """Find where a mechanism diverges or flutters as a parameter changes."""
    import numpy as np

    from cosserat.cli.kernels import prepare
    from cosserat.io.output import write
    from cosserat.solve.analyses.stability import stability as solve

    loaded = files.load(model, set_).model
    if not 1 <= steps <= MOST_STEPS:
        raise UsageProblem(f"--steps is {steps}; pass a positive number such as --steps 100, at most {MOST_STEPS}")
    for option, value in (("--from", from_), ("--to", to)):
        if not math.isfinite(value):
            raise UsageProblem(f"{option} is {value}; both ends of the range must be finite")
    if from_ == to:
        raise UsageProblem(f"--from and --to are both {to:g}; pass two different values")
    files.check_outputs(model, plot=(plot, PICTURES), csv=(csv, (".csv",)), json=(json_, (".json",)))
    frames = frames_of(model.name, loaded, formulation, beam_modes, boundary, stiffening)
    prepare()
    values = np.linspace(from_, to, steps + 1)
    found = solve(loaded, parameter, values, n=modes, time=time, spin=spin, center=center, formulation=frames)
    console.print(
        f"{loaded.name}: {found.eigenvalues.shape[1] // 2} modes at {len(found.values)} values of {parameter} from "
        f"{found.values[0]:g} to {found.values[-1]:g}, {found.stats['solve_seconds']:.2f} s"
    )
    console.print(_table(found) if found.critical else _nothing(found))
    if csv is not None:
        write(csv, _rows(found))
    if json_ is not None:
        files.write_json(json_, _numbers(found))
    if plot is not None:
        found.plot(path=plot)
    files.list_written(csv, json_, plot)
    if len(found.values) <= steps:
        raise typer.Exit(INTERRUPTED)


def _nothing(found: Stability) -> str:
    word = "stable" if found.stable.all() else "unstable"
    return f"no critical value: {word} throughout"


def _table(found: Stability) -> Table:
    heads = ("value", "frequency (Hz)", "kind", "stability")
    table = titled_table(f"critical values of {found.parameter}", heads, left=(2, 3))
    for c in found.critical:
        frequency = f"{c.frequency:.8g}" if c.kind == "flutter" else "0"
        table.add_row(f"{c.value:.10g}", frequency, c.kind, "lost" if c.loss else "regained")
    return table


def _rows(found: Stability) -> str:
    n = found.eigenvalues.shape[1]
    head = [found.parameter, "stable", *(f"{part}_{k + 1}" for k in range(n) for part in ("real", "imaginary"))]
    lines = [",".join(head)]
    for value, stable, row in zip(found.values, found.stable, found.eigenvalues, strict=True):
        numbers = (f"{x:.15g}" for s in row for x in (s.real, s.imag))
        lines.append(",".join([f"{value:.15g}", str(int(stable)), *numbers]))
    return "\n".join(lines) + "\n"


def _numbers(found: Stability) -> dict[str, Any]:
    return {
        "model": found.name,
        "parameter": found.parameter,
        "critical": [
            {"value": c.value, "kind": c.kind, "frequency": c.frequency, "loss": c.loss, "modes": c.modes}
            for c in found.critical
        ],
        "values": found.values.tolist(),
        "stable": found.stable.tolist(),
        "real": found.eigenvalues.real.tolist(),
        "imaginary": found.eigenvalues.imag.tolist(),
    }
