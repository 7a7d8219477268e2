"""Options of the commands that say in which formulation they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosserat.cli.guard import UsageProblem

if TYPE_CHECKING:
    from cosserat.model import Model

_MODES = "Floating: modes of each beam; BEAM=NUMBER for one beam, may be repeated."
Formulation = Annotated[
    str | None, typer.Option(help="galilean (nodes, large bending), or floating (joint coordinates and modes).")
]
Modes = Annotated[list[str] | None, typer.Option(metavar="NUMBER", help=_MODES)]
BeamModes = Annotated[list[str] | None, typer.Option("--beam-modes", metavar="NUMBER", help=_MODES)]
Boundary = Annotated[
    str | None, typer.Option(help="Floating: cantilever, free or craig-bampton; default: by where a beam is held.")
]
Stiffening = Annotated[
    bool | None, typer.Option("--stiffening/--no-stiffening", help="Floating: whether loads stiffen the beams.")
]


def read_modes(given: list[str] | None, option: str = "--modes") -> int | dict[str, int] | None:
    """One number for all beams, or numbers by beam."""
    if not given:
        return None
    pairs = [text.rpartition("=") for text in given]
    try:
        numbers = [int(number) for _, _, number in pairs]
    except ValueError:
        numbers = []
    if not numbers or any(sign and not name.strip() for name, sign, _ in pairs):
        text = " ".join(given)
        raise UsageProblem(f"{option} {text!r} cannot be read; write {option} 6, or {option} arm=6 {option} boom=4")
    if len(given) == 1 and not pairs[0][1]:
        return numbers[0]
    if not all(sign for _, sign, _ in pairs):
        raise UsageProblem(f"{option}: give one number for all beams, or BEAM=NUMBER for each, such as {option} arm=6")
    return {name.strip(): number for (name, _, _), number in zip(pairs, numbers, strict=True)}


def demand_modes(file: str, model: Model, modes: Any, option: str = "--modes", elsewhere: str = "") -> None:
    """Raise if a model with beams is to move in floating frames, and nobody says with how many modes."""
    if model.beams and modes is None:
        raise UsageProblem(
            f"{file}: --formulation floating needs the number of modes of each beam; pass {option} 6{elsewhere}"
        )


def misplaced(option: str) -> UsageProblem:
    """The error that says that an option is one of floating frames."""
    return UsageProblem(f"{option} belongs to floating frames; add --formulation floating, or leave it out")


def frames_of(
    file: str,
    model: Model,
    formulation: str | None,
    modes: list[str] | None,
    boundary: str | None,
    stiffening: bool | None,
) -> Any:
    """The formulation of an analysis, from its options."""
    from cosserat.solve.formulation import FLOATING, Floating

    if formulation != FLOATING:
        for option, value in (("--beam-modes", modes or None), ("--boundary", boundary), ("--stiffening", stiffening)):
            if value is not None:
                raise misplaced(option)
        return formulation
    numbers = read_modes(modes, "--beam-modes")
    demand_modes(file, model, numbers, "--beam-modes")
    return Floating(numbers, boundary, stiffening is not False)
