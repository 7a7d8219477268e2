"""Inputs and outputs of a tree. Outputs are directional derivatives of the functions that results answer with.

A quantity y(q, v, a, lambda, u) is differentiated along every coordinate (eighth order, on the group), velocity,
acceleration and multiplier, in one trajectory of displaced states. What inputs add at once to forces is the difference
that the input makes as a load of the model. Of inputs, nodes alone do not tell prescribed motions and parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.mechanism import JointInfo
from cosserat.results.motion import motion_of
from cosserat.results.quantities import KINDS, OWN, PLACE, Evaluate, Quantity, unit_of
from cosserat.solve.differences import EIGHTH, STEP, friction_speed
from cosserat.solve.linear import input_columns
from cosserat.solve.linear.altered import with_input
from cosserat.solve.linear.input_columns import Column
from cosserat.solve.linear.ports import InputPorts, OutputPorts
from cosserat.solve.trees.point import TreePoint
from cosserat.solve.trees.system import TreeState, TreeSystem


def tree_outputs(point: TreePoint, asked: list[Quantity], inputs: InputPorts) -> OutputPorts:
    """Rows of outputs in the coordinates of the tree."""
    system, n = point.system, point.system.n
    stored = point.trajectory()
    here = motion_of(stored)
    functions = [q.values(here) for q in asked]
    rates = [replace(q, kind="rate").values(here) if q.kind == "coordinate" else None for q in asked]
    pick = [k for q in asked for k in q.picked]
    kinds = tuple(q.kind for q in asked for _ in q.picked)
    width = [len(q.names) for q in asked]
    columns = [first + k for first, q in zip(np.cumsum([0, *width[:-1]]), asked, strict=False) for k in q.picked]
    if not pick:
        none = np.zeros((0, n))
        m = np.zeros((0, point.n_constraints))
        return OutputPorts(asked, none, none, none, m, np.zeros((0, len(inputs.names))), np.zeros(0))
    loaded, accelerated = any(q.loaded for q in asked), any(q.order > 1 for q in asked)

    def values(states: list[TreeState], other: TreeSystem = system, moving: bool = False) -> Array:
        if other is not system:
            states = [other.seen(state, stored) for state in states]
        motion = motion_of(other.trajectory(states))
        if moving:  # coordinates change with their rates, whole turns of cut joints included
            each = [f if r is None else r for f, r in zip(functions, rates, strict=True)]
            return _evaluated(each, motion)[:, columns]
        if other is system:
            return _evaluated(functions, motion)[:, columns]
        return _evaluated([q.seen_in(motion.mechanism).values(here) for q in asked], motion)[:, columns]

    position, rate = _along(point, values, "q"), _along(point, partial(values, moving=True), "v")
    if np.any(system.turning):  # rates are those seen from the turntable
        seen = [k for k, kind in enumerate(kinds) if kind != OWN and KINDS[kind].of == PLACE and KINDS[kind].order]
        there = point.at(point.state._replace(v=point.state.v - system.turning))
        position[seen], rate[seen] = _along(there, values, "q")[seen], _along(there, values, "v")[seen]
    of_coordinates = [k for k, kind in enumerate(kinds) if kind == "coordinate"]
    position[of_coordinates], rate[of_coordinates] = rate[of_coordinates], 0.0
    acceleration, multiplier = np.zeros((len(pick), n)), np.zeros((len(pick), point.n_constraints))
    base = values([point.state])[0]
    if accelerated:
        by_a, by_force = _of_loads(point, values, base, OWN in kinds)
        acceleration, multiplier = by_a, by_force @ point.combinations.T if system.n_rows else multiplier
    direct = np.zeros((len(pick), len(inputs.names)))
    for k, column in enumerate(inputs.columns):
        if loaded or column.kind == "parameter":
            direct[:, k] = _direct(point, column, values, base, OWN in kinds)
    position = position + rate @ system.brackets(point.state.v) + acceleration @ system.brackets(point.state.a)
    rate = rate + acceleration @ system.brackets(point.state.v)
    return OutputPorts(asked, position, rate, acceleration, multiplier, direct, base)


def _evaluated(functions: list[Evaluate], motion: Any) -> Array:
    return np.hstack([function(motion) for function in functions])


def _along(point: TreePoint, values: Any, what: str) -> Array:
    """Derivatives (p, n) along coordinates or velocities."""
    system, state = point.system, point.state
    steps = STEP / system.sizes(state.q) * (friction_speed(system.compiled) if what == "v" else 1.0)
    states = []
    for k, step in enumerate(steps):
        unit = step * np.eye(system.n)[k]
        for i, _ in EIGHTH:
            if what == "v":
                states.append(state._replace(v=state.v + i * unit))
                continue
            moved = state._replace(q=system.moved(state.q, i * unit))
            states.append(moved._replace(angles=system.residual(moved)[2]))
    found = values(states).reshape(system.n, len(EIGHTH), -1)
    weights = np.array([w for _, w in EIGHTH])
    return np.asarray(np.einsum("nkp,k->pn", found, weights) / steps)


def _of_loads(point: TreePoint, values: Any, base: Array, bent: bool) -> tuple[Array, Array]:
    """Derivatives along accelerations (p, n) and multipliers (p, k); `bent`: some are not linear in them."""
    state, out = point.state, []
    for what, count in (("a", point.system.n), ("force", point.system.n_rows)):
        now = getattr(state, what)
        step, stencil = (STEP * (1.0 + np.max(np.abs(now), initial=0.0)), EIGHTH) if bent else (1.0, ((1, 1.0),))
        states = [state._replace(**{what: now + i * step * unit}) for unit in np.eye(count) for i, _ in stencil]
        found = values(states) - base if states else np.zeros((0, len(base)))
        weights = np.array([w for _, w in stencil]) / step
        out.append(np.einsum("nkp,k->pn", found.reshape(count, len(stencil), len(base)), weights))
    return out[0], out[1]


def _direct(point: TreePoint, column: Column, values: Any, base: Array, bent: bool) -> Array:
    """What a unit of an input adds at once to outputs (p,), at the same motion and multipliers."""
    system, state = point.system, point.state
    if column.kind == "motion":
        return np.zeros_like(base)
    if column.kind == "parameter":
        return parameter_difference(system, column.name, lambda other: values([state], other)[0])
    step, stencil = (STEP * (1.0 + np.max(np.abs(state.force), initial=0.0)), EIGHTH) if bent else (1.0, ((1, 1.0),))
    out = np.zeros_like(base)
    for i, weight in stencil:
        varied = with_input(system.model, column, i * step)
        out += weight / step * (values([state], system.anew(varied, again=True))[0] - base)
    return out


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
    unit = unit_of("coordinate", 0, joint.kinds[i])
    return Column(name, "motion", np.zeros(system.n), unit, point.combinations @ demand, joint.index)


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
    return Column(name, "parameter", -force, drive=point.combinations @ -demand, inner=inner)


def parameter_difference(system: TreeSystem, name: str, evaluate: Callable[[TreeSystem], Array]) -> Array:
    """Derivative of what `evaluate(system)` gives with respect to a parameter; the model is left as it was."""
    make: Callable[[Model], TreeSystem] = lambda _: system.anew()  # noqa: E731
    return input_columns.parameter_difference(system.model, name, lambda other: (evaluate(other),), make)[0]
