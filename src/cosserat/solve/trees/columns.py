"""Inputs of a tree that nodes alone do not tell: prescribed motions and parameters, as in `linear.input_columns`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.mechanism import JointInfo
from cosserat.solve.linear import input_columns
from cosserat.solve.linear.input_columns import Column
from cosserat.solve.trees.point import TreePoint
from cosserat.solve.trees.system import TreeSystem


def motion_column(point: TreePoint, joint: JointInfo, i: int, name: str) -> Column:
    """A unit of the prescribed motion of freedom i of a joint."""
    system = point.system
    k = system.tree.coordinates.index(name) if name in system.tree.coordinates else -1
    if k not in system.held:
        raise SolveError(
            f"input {name!r}: in floating frames a prescribed motion is an input where it is a coordinate of the tree, "
            "not in a joint that closes a loop, nor in a spherical or free one; use the Galilean formulation"
        )
    demand = np.zeros(system.n_rows)
    demand[int(np.nonzero(system.held == k)[0][0])] = 1.0
    return Column(name, "motion", np.zeros(system.n), point.combinations @ demand, joint.index)


def parameter_column(point: TreePoint, name: str) -> Column:
    """A unit of a parameter of the model: differences of the equations of the tree made anew."""
    system, state, stored = point.system, point.state, point.trajectory()

    def evaluate(other: TreeSystem) -> Array:
        if other.tree.coordinates != system.tree.coordinates:
            raise SolveError(f"parameter {name!r}: it changes the coordinates of the tree; it cannot be an input")
        other.load(state.t)
        r, value, _ = other.residual(other.seen(state, stored))
        return np.concatenate((r, value, other.tree.forces.inner.inner[1]))

    change = parameter_difference(system, name, evaluate)
    force, demand, inner = np.split(change, [system.n, system.n + system.n_rows])
    return Column(name, "parameter", -force, point.combinations @ -demand, inner=inner)


def parameter_difference(system: TreeSystem, name: str, evaluate: Callable[[TreeSystem], Array]) -> Array:
    """Derivative of what `evaluate(system)` gives with respect to a parameter; the model is left as it was."""
    make: Callable[[Model], TreeSystem] = lambda _: system.anew()  # noqa: E731
    return input_columns.parameter_difference(system.model, name, lambda other: (evaluate(other),), make)[0]
