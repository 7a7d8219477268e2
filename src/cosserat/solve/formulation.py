"""Which formulation an analysis uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cosserat.calls import answering
from cosserat.errors import SolveError, shown
from cosserat.model.model import Model
from cosserat.solve.arguments import check_flag, check_known

GALILEAN, FLOATING = "galilean", "floating"


@answering
@dataclass(frozen=True)
class Floating:
    """Floating frames as the formulation of an analysis: ``formulation=cs.Floating(modes=6)``.

    Parameters
    ----------
    modes, boundary, stiffening
        As for `FlexibleTree`: number and kind of the modes of beams. A model without beams needs none of them.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arm", gravity=(0, 0, 0))
    >>> rod, steel = cs.Rod(0.02), cs.materials.STEEL
    >>> arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=8))
    >>> _ = model.add(cs.Fixed("clamp", cs.GROUND, arm.start))
    >>> reduced = cs.modes(model, 2, formulation=cs.Floating(modes=4))
    >>> bool(abs(reduced.frequencies / cs.modes(model, 2).frequencies - 1).max() < 1e-3)
    True
    """

    modes: Any = None
    boundary: Any = None
    stiffening: bool = True


def floating_of(formulation: Any, model: Model, caller: str) -> Floating | None:
    """The floating frames that are asked for; None: the Galilean formulation.

    Modal bodies, of which the Galilean formulation has none, ask for floating frames by themselves.
    """
    if isinstance(formulation, Floating):
        return formulation
    if formulation is None:
        return Floating() if model.modal_bodies else None
    if not isinstance(formulation, str) or formulation not in (GALILEAN, FLOATING):
        raise SolveError(
            f"{caller}: formulation is {shown(formulation)}; pass 'galilean', 'floating' or cs.Floating(modes=6)"
        )
    return Floating() if formulation == FLOATING else None


def formulation_of_run(
    formulation: Any, modes: Any, boundary: Any, stiffening: Any, caller: str
) -> tuple[str, Floating]:
    """Name of the formulation of a run, and floating frames, given as one argument or as several."""
    check_flag(stiffening, caller, "stiffening")
    given = modes is not None or boundary is not None or not stiffening
    if isinstance(formulation, Floating) and not given:
        return FLOATING, formulation
    if isinstance(formulation, Floating):
        raise SolveError(f"{caller}: give modes, boundary and stiffening in formulation={formulation}, not beside it")
    check_known(formulation, caller, "formulation", (GALILEAN, FLOATING))
    if formulation == GALILEAN and given:
        raise SolveError(
            f"{caller}: modes, boundary and stiffening belong to formulation='floating'; the Galilean one has no modes"
        )
    return formulation, Floating(modes, boundary, stiffening)
