"""The list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import cosserat
from cosserat.cli.demo import demo
from cosserat.cli.doctor import doctor
from cosserat.cli.equilibrium import equilibrium
from cosserat.cli.modes import modes
from cosserat.cli.run import run
from cosserat.cli.stability import stability
from cosserat.cli.validate import validate

app = typer.Typer(
    name="cosserat",
    help="Dynamics of rigid and flexible multibody systems: simulate model files, find where they rest.",
    epilog="Exit codes: 0 done, 1 the solver did not finish, 2 bad input, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cosserat {cosserat.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options of the program itself."""


for _command in (demo, run, equilibrium, modes, stability, validate, doctor):
    app.command()(_command)


def main() -> None:
    """Entry point of the program."""
    app(prog_name="cosserat")
