"""``cosserat view``: look at a result in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cosserat.cli import files
from cosserat.cli.guard import Debug, UsageProblem, console, guarded


@guarded
def view(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="Result of a run (.nc, .h5).", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Write the page to this file; default: the name of the result, with .html.")
    ] = None,
    trail: Annotated[
        list[str] | None, typer.Option(metavar="PLACE", help="Let this place leave a trail; may be repeated.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    debug: Debug = False,
) -> None:
    """Make a 3D page of a result that `cosserat run` wrote, and open it."""
    from cosserat.io.netcdf import load_run

    if result.suffix.lower() in (".yaml", ".yml"):
        raise UsageProblem(f"{result} is a model file; simulate it with cosserat run, and view what that writes")
    page = result.with_suffix(".html") if out is None else out
    run = load_run(result)
    files.check_outputs(result, out=(page, (".html", ".htm")))
    run.show(page, open=open_, trail=trail or None)
    files.list_written(page)
    if not run.status.ok:
        console.print(run.status.message, soft_wrap=True, markup=False)
