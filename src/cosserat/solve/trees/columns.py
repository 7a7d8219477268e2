"""Inputs of a tree: what nodes feel, brought to its coordinates; the same names as in `linear.input_columns`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError, SolveError
from cosserat.model.servos import Servo
from cosserat.results.mechanism import JointInfo
from cosserat.solve.linear import input_columns
from cosserat.solve.linear.input_columns import CENTRAL, FORWARD, PARAMETER_STEP, Column
from cosserat.solve.trees.point import TreePoint
from cosserat.solve.trees.system import TreeSystem

Array = NDArray[np.float64]


def _carried(point: TreePoint, column: Column) -> Column:
    return replace(column, force=point.jacobian.T @ column.force, drive=np.zeros(point.n_constraints))


def effort_column(point: TreePoint, joint: JointInfo, i: int, name: str) -> Column:
    """A unit effort in freedom i of a joint."""
    return _carried(point, input_columns.effort_column(point.still, joint, i, name))


def target_column(point: TreePoint, joint: JointInfo, i: int, source: Servo) -> Column:
    """A unit of the target of a servo in freedom i of a joint."""
    return _carried(point, input_columns.target_column(point.still, joint, i, source))


def signal_column(point: TreePoint, name: str) -> Column:
    """A unit of an input of a law."""
    return _carried(point, input_columns.signal_column(point.still, name))


def place_force_column(point: TreePoint, place: Any, component: int, name: str) -> Column:
    """A unit force (component 0 to 2) or moment (3 to 5) along a world axis at a place."""
    return _carried(point, input_columns.place_force_column(point.still, place, component, name))


def load_column(point: TreePoint, load: Any, direction: Array, name: str) -> Column:
    """A unit of a load along a direction (6,) of its components."""
    return _carried(point, input_columns.load_column(point.still, load, direction, name))


def present_direction(point: TreePoint, load: Any) -> Array:
    """Direction (6,) in which a load acts at the point."""
    return input_columns.present_direction(point.still, load)


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
    system, state = point.system, point.state

    def evaluate(other: TreeSystem) -> Array:
        if other.tree.coordinates != system.tree.coordinates:
            raise SolveError(f"parameter {name!r}: it changes the coordinates of the tree; it cannot be an input")
        other.load(state.t)
        r, value, _ = other.residual(state)
        return np.concatenate((r, value, other.tree.forces.inner.inner[1]))

    change = parameter_difference(system, name, evaluate)
    force, demand, inner = np.split(change, [system.n, system.n + system.n_rows])
    return Column(name, "parameter", -force, point.combinations @ -demand, inner=inner)


def parameter_difference(system: TreeSystem, name: str, evaluate: Any) -> Array:
    """Derivative of what `evaluate(system)` gives with respect to a parameter; the model is left as it was."""
    model = system.model
    value = model.parameters[name]
    step = PARAMETER_STEP * (abs(value) or 1.0)
    here = evaluate(system)

    def total(stencil: tuple[tuple[int, float], ...]) -> Array:
        out = np.zeros_like(here)
        for k, weight in stencil:
            model.set(**{name: value + k * step})
            out += weight / step * (evaluate(system.anew()) - here)
        return out

    try:
        try:
            return total(CENTRAL)
        except CosseratError:  # at the border of what the model can take
            return total(FORWARD)
    finally:
        model.set(**{name: value})
