"""Which numbers of the packed arrays come from which `Parameter`, and how fast each changes with it: for gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.errors import ParameterError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.linear.input_columns import parameter_difference

_ROUNDING = 1e-11  # of the largest number of an array: what computations leave where a number does not change


class Slot(NamedTuple):
    """A number of the packed arrays that a parameter sets.

    Attributes
    ----------
    group, field : str
        As in `kernels.arrays.Problem`, such as "springs", "stiffness"; "start" has frames and twists of the reference
        configuration, "inputs" functions of time at the time asked for.
    place : tuple of int
        Where in that array.
    derivative : float
        By the parameter.
    """

    group: str
    field: str
    place: tuple[int, ...]
    derivative: float


def parameter_slots(model: Model, time: float = 0.0) -> dict[str, list[Slot]]:
    """The numbers that each parameter of a model sets, by the name of the parameter.

    Derivatives are those of the expressions in which the parameter occurs and of all that is computed from them, such
    as the stiffness of an element from the width of its section; they are differences of high order.

    Examples
    --------
    >>> import cosserat as cs
    >>> from cosserat.solve.linear.slots import parameter_slots
    >>> model, k = cs.Model("m"), cs.Parameter("k", 3.0)
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(1, 0, 0)))
    >>> _ = model.add(cs.Spring("s", cs.GROUND.at((0, 0, 0)), ball, stiffness=k**2))
    >>> [(s.group, s.field, s.place, round(s.derivative, 9)) for s in parameter_slots(model)["k"]]
    [('springs', 'stiffness', (0,), 6.0)]
    """
    here = packed(compile_model(model), time)
    out: dict[str, list[Slot]] = {}
    for name, value in model.parameters.items():

        def values(compiled: CompiledModel, name: str = name) -> tuple[Array, ...]:
            found = packed(compiled, time)
            if any(found[key].shape != array.shape for key, array in here.items()):
                raise ParameterError(f"parameter {name!r}: it changes the number of nodes or joints, not only numbers")
            return tuple(found.values())

        changes = parameter_difference(model, name, values)
        out[name] = [
            Slot(*key, tuple(int(i) for i in at), float(change[tuple(at)]))
            for key, change in zip(here, changes, strict=True)
            for at in np.argwhere(np.abs(change) * (abs(value) or 1.0) > _ROUNDING * np.abs(here[key]).max(initial=0.0))
        ]
    return out


def packed(compiled: CompiledModel, time: float) -> dict[tuple[str, str], Array]:
    """The packed numbers of a model by group and field, without whole numbers, which parameters do not set."""
    groups: dict[str, Any] = {name: group._asdict() for name, group in compiled.system._asdict().items()}
    groups["start"] = {"frame": compiled.frames, "twist": compiled.twists}
    inputs = compiled.sampler.sample(np.array([time]))
    groups["inputs"] = {field: getattr(inputs, field)[0] for field in ("gravity", "drive", "effort", "wrench")}
    return {
        (group, field): array
        for group, fields in groups.items()
        for field, array in fields.items()
        if array.dtype == np.float64
    }
