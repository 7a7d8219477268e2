"""``cosserat run``: simulate a model file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from cosserat.cli.files import PICTURES, ModelPath, Settings, check_outputs, list_written, load
from cosserat.cli.frames import Boundary, Formulation, Modes, Stiffening, demand_modes, misplaced, read_modes
from cosserat.cli.guard import INTERRUPTED, NOT_FINISHED, Debug, UsageProblem, console, errors, guarded, undisturbed
from cosserat.errors import FileFormatError
from cosserat.io.formats import SUFFIXES, demand

if TYPE_CHECKING:
    from cosserat.model.model import Model
    from cosserat.results.run import Run

FLOATING = ("modes", "boundary", "stiffening")


@guarded
def run(
    model: ModelPath,
    duration: Annotated[float | None, typer.Option(help="Simulated time (s).")] = None,
    step: Annotated[float | None, typer.Option(help="Time step (s); default: that of the file, else adaptive.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Result file: .nc, .h5, .csv, .parquet or .zarr; default: the name of the model, with .nc."),
    ] = None,
    rho: Annotated[float | None, typer.Option(help="Spectral radius at infinity, 1: no numerical damping.")] = None,
    formulation: Formulation = None,
    modes: Modes = None,
    boundary: Boundary = None,
    stiffening: Stiffening = None,
    integrator: Annotated[
        str | None, typer.Option(help="generalized-alpha; galilean: energy-momentum; floating: runge-kutta.")
    ] = None,
    every: Annotated[int | None, typer.Option(help="Store every so many steps.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Adaptive steps with this accuracy, such as 1e-4.")] = None,
    start: Annotated[str | None, typer.Option(help="reference or equilibrium.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the run in this file; the same command goes on from it if killed.")
    ] = None,
    checkpoint_interval: Annotated[float | None, typer.Option(help="Time between two writes of it (s).")] = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE", help="Plot the position of a place, such as arm2.end; may be repeated."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a 3D view, one file for any browser.")] = None,
    set_: Settings = None,
    debug: Debug = False,
) -> None:
    """Simulate a model file; options win over its section [bold]simulate[/bold]. Writes a NetCDF file."""
    from cosserat.cli.kernels import prepare
    from cosserat.solve.analyses.simulate import simulate

    loaded = load(model, set_)
    given = {"duration": duration, "step": step, "rho": rho, "integrator": integrator, "every": every,
             "tolerance": tolerance, "start": start, "formulation": formulation, "boundary": boundary,
             "modes": read_modes(modes), "stiffening": stiffening, "checkpoint": checkpoint,
             "checkpoint_interval": checkpoint_interval}  # fmt: skip
    settings: dict[str, Any] = {**loaded.simulate, **{key: value for key, value in given.items() if value is not None}}
    if tolerance is not None and step is not None:
        raise UsageProblem("--step and --tolerance exclude each other; pass a fixed step, or how accurate it should be")
    if tolerance is not None:
        settings.pop("step", None)
    elif step is not None:
        settings.pop("tolerance", None)
    if "duration" not in settings:
        raise UsageProblem(
            f"{model.name}: no duration; pass --duration SECONDS, or add 'simulate: {{duration: 10}}' to the file"
        )
    _check_formulation(model.name, loaded.model, settings, [key for key in FLOATING if given[key] is not None])
    for place in plot or []:
        if all(place != body.name for body in loaded.model.modal_bodies):  # which stands for its floating frame
            loaded.model.place(place, "--plot")
    out = out or Path(model.stem + ".nc")
    picture = out.with_suffix(".png") if plot else None
    check_outputs(model, out=(out, SUFFIXES), html=(html, (".html", ".htm")), plot=(picture, PICTURES))
    demand(out.suffix.lower(), f"--out {out}")
    prepare(settings.get("integrator", "generalized-alpha"), settings.get("formulation", "galilean"))
    with _progress_bar(settings["duration"]) as progress:
        result = simulate(loaded.model, progress=progress, **settings)
    with undisturbed():  # a second signal must not take what the first one left
        _save(result, out)
    console.print(str(result.report()), soft_wrap=True)
    if picture is not None:
        result.plot(*(plot or ()), path=picture)
    if html is not None:
        result.show(html, open=False)
    list_written(out, picture, html)
    leave(result.status, "the files hold the motion up to there")


def _save(result: Run, out: Path) -> None:
    """Write the result; where that fails, as on a full disk, to a folder for temporary files: it took long to have."""
    try:
        result.save(out)
    except FileFormatError as error:
        try:
            refuge = Path(tempfile.mkdtemp(prefix="cosserat-")) / out.name
            result.save(refuge)
        except (FileFormatError, OSError):
            raise error from None
        raise FileFormatError(f"{error}; the result is kept in {refuge}: move it from there") from None


def _check_formulation(file: str, model: Model, settings: dict[str, Any], asked: list[str]) -> None:
    """Say in words of the command line what belongs to floating frames; settings of the file are left out elsewhere."""
    if settings.get("formulation") == "floating":
        elsewhere = ", or add 'modes: 6' to the section simulate of the file"
        demand_modes(file, model, settings.get("modes"), elsewhere=elsewhere)
        return
    if asked and settings.get("formulation", "galilean") == "galilean":
        raise misplaced(f"--{asked[0]}")
    for key in FLOATING:
        settings.pop(key, None)
    if model.modal_bodies and settings.get("formulation", "galilean") == "galilean":
        body = model.modal_bodies[0].title
        raise UsageProblem(f"{file}: the {body} moves in floating frames only; add --formulation floating")


def leave(status: Any, consolation: str) -> None:
    """End with the exit code of a solver's status; say what is there of a run that did not finish."""
    if status.ok:
        return
    interrupted = status.outcome.name == "INTERRUPTED"
    errors.print(Text("not finished  ", style="bold red") + Text(f"{status.message}; {consolation}"))
    raise typer.Exit(INTERRUPTED if interrupted else NOT_FINISHED)


@contextmanager
def _progress_bar(duration: float) -> Iterator[Callable[[float, Any], None]]:
    """Show a bar on the terminal while the body runs; gives the function that `simulate` takes as `progress`."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("t = {task.completed:.4g} of {task.total:.4g} s"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[steps]} steps, {task.fields[iterations]:.1f} iterations per step"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("", total=duration, steps=0, iterations=0.0)

        def update(t: float, counters: Any) -> None:
            steps = max(1, counters.steps)
            bar.update(task, completed=t, steps=counters.steps, iterations=counters.solves / steps)

        yield update
