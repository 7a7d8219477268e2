"""Outputs of a tree: directional derivatives of the functions that results answer with.

A quantity y(q, v, a, lambda, u) is differentiated along every coordinate (eighth order, on the group), velocity,
acceleration and multiplier, in one trajectory of displaced states. What inputs add at once to forces is the difference
that the input makes as a load of the model.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, Force, PointLoad, Torque, Wrench
from cosserat.model.model import Model
from cosserat.results.motion import Motion, motion_of
from cosserat.solve.linear.input_columns import COMPONENTS, Column
from cosserat.solve.linear.port_arrays import InputPorts, OutputPorts
from cosserat.solve.linear.quantities import FORCES, Evaluate, Quantity
from cosserat.solve.trees.columns import parameter_difference
from cosserat.solve.trees.point import TreePoint
from cosserat.solve.trees.system import EIGHTH, STEP, TreeState, TreeSystem

Array = NDArray[np.float64]


def tree_outputs(point: TreePoint, asked: list[Quantity], inputs: InputPorts) -> OutputPorts:
    """Rows of outputs in the coordinates of the tree."""
    system, n = point.system, point.system.n
    here = motion_of(point.trajectory())
    functions = [q.values(here) for q in asked]
    rates = [replace(q, kind="rate").values(here) if q.kind == "coordinate" else None for q in asked]
    pick = [k for q in asked for k in q.picked]
    names = tuple(q.names[k] for q in asked for k in q.picked)
    kinds = tuple(q.kind for q in asked for _ in q.picked)
    width = [len(q.names) for q in asked]
    columns = [first + k for first, q in zip(np.cumsum([0, *width[:-1]]), asked, strict=False) for k in q.picked]
    if not pick:
        none = np.zeros((0, n))
        m = np.zeros((0, point.n_constraints))
        return OutputPorts((), (), none, none, none, m, np.zeros((0, len(inputs.names))), np.zeros(0))
    forces = any(kind in FORCES for kind in kinds)

    def values(states: list[TreeState], other: TreeSystem = system, moving: bool = False) -> Array:
        motion = motion_of(other.trajectory(states))
        if moving:  # coordinates change with their rates, whole turns of cut joints included
            each = [f if r is None else r for f, r in zip(functions, rates, strict=True)]
            return _evaluated(each, motion)[:, columns]
        if other is system:
            return _evaluated(functions, motion)[:, columns]
        return _evaluated([_of(q, motion).values(here) for q in asked], motion)[:, columns]

    position, rate = _along(point, values, "q"), _along(point, partial(values, moving=True), "v")
    of_coordinates = [k for k, kind in enumerate(kinds) if kind == "coordinate"]
    position[of_coordinates], rate[of_coordinates] = rate[of_coordinates], 0.0
    acceleration, multiplier = np.zeros((len(names), n)), np.zeros((len(names), point.n_constraints))
    base = values([point.state])[0]
    if forces:
        state = point.state
        moved = [state._replace(a=state.a + unit) for unit in np.eye(n)]
        acceleration = (values(moved) - base).T
        if system.n_rows:
            pushed = [state._replace(force=state.force + unit) for unit in np.eye(system.n_rows)]
            every = (values(pushed) - base).T  # multipliers of combinations are combinations of these
            multiplier = every @ point.combinations.T
    direct = np.zeros((len(names), len(inputs.names)))
    for k, column in enumerate(inputs.columns):
        if forces or column.kind == "parameter":
            direct[:, k] = _direct(point, column, values, base)
    position = position + rate @ system.brackets(point.state.v) + acceleration @ system.brackets(point.state.a)
    rate = rate + acceleration @ system.brackets(point.state.v)
    return OutputPorts(names, kinds, position, rate, acceleration, multiplier, direct, base)


def _of(quantity: Quantity, motion: Motion) -> Quantity:
    """The same quantity of the same mechanism with other inputs."""
    if quantity.joint is None:
        return quantity
    return replace(quantity, joint=motion.mechanism.joints[quantity.joint.name])


def _evaluated(functions: list[Evaluate], motion: Any) -> Array:
    return np.hstack([function(motion) for function in functions])


def _along(point: TreePoint, values: Any, what: str) -> Array:
    """Derivatives (p, n) along coordinates or velocities."""
    system, state = point.system, point.state
    steps = STEP / system.sizes(state.q)
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


def _direct(point: TreePoint, column: Column, values: Any, base: Array) -> Array:
    """What a unit of an input adds at once to outputs (p,), at the same motion and multipliers."""
    system, state = point.system, point.state
    if column.kind == "motion":
        return np.zeros_like(base)
    if column.kind == "parameter":
        return parameter_difference(system, column.name, lambda other: values([state], other)[0])
    varied = _with_input(system.model, column)
    return np.asarray(values([state], system.anew(varied, again=True))[0] - base)


def _with_input(model: Model, column: Column) -> Model:
    """The model with one unit of an input more."""
    other = model.snapshot()
    if column.kind in ("effort", "target"):
        coordinate, effort = column.pushes
        joint = next(j for j in model.joints if coordinate in j.coordinates)
        other.swap(_pushed(joint, joint.coordinates.index(coordinate), effort))
        return other
    if column.kind == "force":
        place, _, word = column.name.rpartition(".")
        unit = np.eye(3)[COMPONENTS.index(word) % 3]
        kind = Force if word.startswith("f") else Torque
        other.add(kind("unit of an input", other.place(place), unit))
        return other
    assert column.direction is not None
    force, moment = column.direction[:3], column.direction[3:]
    acting: tuple[PointLoad | DistributedLoad, ...] = (*model.loads, *model.distributed_loads)
    load = next(x for x in acting if column.name in _names_of(x.name))
    if isinstance(load, PointLoad):
        other.add(Wrench("unit of an input", load.place, force=force, moment=moment, follower=load.follower))
    else:
        other.add(DistributedLoad("unit of an input", load.beam, force, moment, load.follower))
    return other


def _names_of(load: str) -> tuple[str, ...]:
    """What inputs of a load are called."""
    return (load, *(f"{load}.{component}" for component in COMPONENTS))


def _pushed(joint: Joint, index: int, more: float) -> Joint:
    """The joint with more effort in one freedom."""
    given = []
    for k, effort in enumerate(joint.effort):
        source = None if effort is None else effort.source
        if k != index:
            given.append(source)
        elif effort is None:
            given.append(more)
        else:
            given.append(lambda t, effort=effort: float(effort.sample(np.array([t]))[0]) + more)
    single = len(given) == 1
    return type(joint)(**{**joint.arguments(), "effort": given[0] if single else given})
