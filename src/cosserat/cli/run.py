"""``cosserat run``: simulate a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cosserat.cli.files import ModelPath, Settings, list_written, load, writable
from cosserat.cli.guard import INTERRUPTED, NOT_FINISHED, Debug, UsageProblem, console, errors, guarded


@guarded
def run(
    model: ModelPath,
    duration: Annotated[float | None, typer.Option(help="Simulated time (s).")] = None,
    step: Annotated[float | None, typer.Option(help="Time step (s); adaptive if also the file gives none.")] = None,
    out: Annotated[Path | None, typer.Option(help="Result file; default: the name of the model file with .nc.")] = None,
    rho: Annotated[float | None, typer.Option(help="Spectral radius at infinity, 1: no numerical damping.")] = None,
    integrator: Annotated[str | None, typer.Option(help="generalized-alpha or energy-momentum.")] = None,
    every: Annotated[int | None, typer.Option(help="Store every so many steps.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Adaptive steps with this accuracy, such as 1e-4.")] = None,
    start: Annotated[str | None, typer.Option(help="reference or equilibrium.")] = None,
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
    from cosserat.cli.progress import progress_bar
    from cosserat.solve.motion.simulate import simulate

    loaded = load(model, set_)
    given = {"duration": duration, "step": step, "rho": rho, "integrator": integrator, "every": every,
             "tolerance": tolerance, "start": start}  # fmt: skip
    settings: dict[str, Any] = {**loaded.simulate, **{key: value for key, value in given.items() if value is not None}}
    if tolerance is not None and step is None:
        settings.pop("step", None)
    if "duration" not in settings:
        raise UsageProblem(
            f"{model.name}: no duration; pass --duration SECONDS, or add 'simulate: {{duration: 10}}' to the file"
        )
    for place in plot or []:
        loaded.model.place(place, "--plot")
    out = writable(out or Path(model.stem + ".nc"))
    if html is not None:
        writable(html)
    prepare(settings.get("integrator", "generalized-alpha"))
    with progress_bar(settings["duration"]) as progress:
        result = simulate(loaded.model, progress=progress, **settings)
    console.print(str(result.report()), soft_wrap=True)
    written = [out]
    result.save(out)
    if plot:
        written.append(out.with_suffix(".png"))
        result.plot(*plot, path=written[-1])
    if html is not None:
        written.append(html)
        result.show(html, open=False)
    list_written(written)
    leave(result.status, "the files hold the motion up to there")


def leave(status: Any, consolation: str) -> None:
    """End with the exit code of a solver's status; say what is there of a run that did not finish."""
    if status.ok:
        return
    interrupted = status.outcome.name == "INTERRUPTED"
    errors.print(f"[bold red]not finished[/bold red]  {status.message}; {consolation}")
    raise typer.Exit(INTERRUPTED if interrupted else NOT_FINISHED)
