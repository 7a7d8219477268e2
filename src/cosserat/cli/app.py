"""The list of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import cosserat
from cosserat.cli.demo import demo
from cosserat.cli.doctor import doctor
from cosserat.cli.equilibrium import equilibrium
from cosserat.cli.guard import BAD_INPUT, show_error
from cosserat.cli.modes import modes
from cosserat.cli.run import run
from cosserat.cli.stability import stability
from cosserat.cli.validate import validate
from cosserat.cli.view import view

_PLAIN = {  # what a parser of numbers says
    r"Input should be a valid integer, .*": "must be a whole number",
    r"Input should be a valid (number|float), .*": "must be a number",
    r"'(.*)' is not a valid int(eger)?\.": r"must be a whole number, got '\1'",
    r"'(.*)' is not a valid float\.": r"must be a number, got '\1'",
}


class _Commands(TyperGroup):
    """Commands whose wrong options are told like all other bad input."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _told():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except typer.BadParameter.__base__ as error:  # type: ignore[misc]  # all errors of usage
        if type(error).__name__ == "NoArgsIsHelpError":  # which shows the help
            raise
        what = error.format_message().rstrip(".").replace("; ", ", ")
        for theirs, ours in _PLAIN.items():
            what = re.sub(theirs.removesuffix(r"\."), ours, what)
        show_error(f"{what}; {error.ctx.command_path if error.ctx else 'cosserat'} --help lists what it takes")
        raise typer.Exit(BAD_INPUT) from None


app = typer.Typer(
    cls=_Commands,
    name="cosserat",
    help="Dynamics of rigid and flexible multibody systems: simulate model files, find where they rest, "
    "how they vibrate and when they lose stability.",
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


for _command in (demo, run, equilibrium, modes, stability, view, validate, doctor):
    app.command()(_command)


def main() -> None:
    """Entry point of the program."""
    app(prog_name="cosserat")
