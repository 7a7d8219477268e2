"""Outputs of the linear equations: y = position x + rate x' + acceleration x" + multiplier lambda + direct u.

Rows are directional derivatives of the functions that results answer with, exact where these are linear in twists,
their rates or multipliers, or have a time derivative that is; elsewhere by differences of eighth order. A moved node
H exp(x) has the twist v + x' + ad(v) x and its rate v' + x" + ad(v) x' + ad(v') x, so that

    y = y_H x + y_v (x' + ad(v) x) + y_a (x" + ad(v) x' + ad(v') x) + y_lambda lambda.

In a steady motion x is counted from frames that do not spin, see `flow`: there x' is x' - B x and x" is x" - 2 B x' +
B^2 x, with B = ad(b) of the spin b. Velocities and accelerations of places are relative to the frames that go
along, and components are along axes that turn with them; at a moment of a run everything is along world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.series import bracket
from cosserat.errors import SolveError
from cosserat.kernels.alpha import move
from cosserat.kernels.residual import track_angles
from cosserat.lie.protocol import Array
from cosserat.results.motion import Motion, motion_of
from cosserat.results.nodal import medium_of
from cosserat.results.quantities import BEAM, KINDS, OWN, PLACE, Evaluate, Quantity, SpringNumber
from cosserat.results.trajectory import Trajectory
from cosserat.solve.differences import EIGHTH, friction_speed
from cosserat.solve.linear.altered import with_input
from cosserat.solve.linear.input_columns import Column, parameter_difference, state_in
from cosserat.solve.linear.point import EQUILIBRIUM, MOMENT, OperatingPoint, kinematic_rows, still_motion
from cosserat.solve.linear.ports import InputPorts, OutputPorts

_STEP = 5e-3  # rad, or parts of the typical length, between the points of a difference
_LONG = 4.0  # times that, where strains are polynomials of the motion; rounding errors of positions are felt by them
_SHORT = 0.05  # times that, where something may have a kink or a short range
_TOGETHER = 512  # displaced states in one motion, to bound memory
_Stencil = tuple[tuple[float, float], ...]  # points, in steps, and weights
_LINEAR: _Stencil = ((1.0, 1.0),)
_SQUARE: _Stencil = ((-1.0, -0.5), (1.0, 0.5))  # exact for polynomials of degree two


@dataclass(frozen=True)
class QuantityRows:
    """A quantity as outputs: position, rate and acceleration (p, 6n), multiplier (p, m) of independent constraints."""

    quantity: Quantity
    evaluate: Evaluate
    values: Array  # (p,) at the point
    position: Array
    rate: Array
    acceleration: Array
    multiplier: Array

    def part(self, name: str) -> Array:
        """Rows of one of these names, of the components that are meant."""
        found: Array = getattr(self, name)
        return found[self.quantity.picked]


def nodal_outputs(point: OperatingPoint, asked: list[Quantity], inputs: InputPorts) -> OutputPorts:
    """Rows of outputs on increments of the nodes."""
    here = still_motion(point)
    rows = [rows_of(point, quantity, here) for quantity in asked]

    def stacked(part: str, width: int) -> Array:
        return np.vstack([np.zeros((0, width)), *(r.part(part) for r in rows)])

    return OutputPorts(
        asked,
        stacked("position", point.n_unknowns),
        stacked("rate", point.n_unknowns),
        stacked("acceleration", point.n_unknowns),
        stacked("multiplier", point.n_constraints),
        direct_feed(point, here, rows, inputs.columns),
        np.concatenate([np.zeros(0), *(r.part("values") for r in rows)]),
    )


def rows_of(point: OperatingPoint, quantity: Quantity, here: Motion | None = None) -> QuantityRows:
    """Rows of a quantity about a point; `here`: the point as a motion of one moment, where it is at hand."""
    here = still_motion(point) if here is None else here
    steady = point.kind not in (EQUILIBRIUM, MOMENT)
    if quantity.kind == OWN and steady:
        raise SolveError(
            f"output {quantity.names[0]!r}: an output of one's own is linearised about an equilibrium or a moment of a "
            f"run, not about a {point.kind}; use formulation='floating'"
        )
    n, motion, evaluate = point.compiled.n_nodes, here, quantity.values(here)
    spins = np.zeros((n, 6)) if point.flow is None else point.flow.spins
    if steady and KINDS[quantity.kind].of == PLACE:
        motion, spins = here.displaced(twist=0.0 * here.twist, rate=0.0 * here.rate), 0.0 * spins
    moving = _Displaced(point, motion, quantity, evaluate)
    y_H, y_v, y_a, y_lambda = moving.derivatives()
    V, A, B = (bracket(twists) for twists in (motion.twist[0, :n], motion.rate[0, :n], spins))
    position = y_H + _times(y_v, V - B) + _times(y_a, B @ B - V @ B + A)
    rate = y_v + _times(y_a, V - 2.0 * B)
    values = evaluate(here)[0] if motion is not here else moving.base[0]
    return QuantityRows(quantity, evaluate, values, position, rate, y_a, y_lambda)


def _times(rows: Array, matrices: Array) -> Array:
    """Rows (p, 6n) times matrices (n, 6, 6), node by node."""
    parts = rows.reshape(len(rows), -1, 6)
    return np.asarray(np.einsum("pni,nij->pnj", parts, matrices).reshape(rows.shape))


@dataclass(frozen=True)
class _Directions:
    """Directions in which a state is displaced, and where derivatives along them stand in rows of a width.

    `displaced(k, amount)` gives arrays of states that are displaced by amounts in directions number k.
    """

    displaced: Callable[[NDArray[np.int64], Array], dict[str, Array]]
    unit: Array  # (d,) length of steps
    stencil: _Stencil
    columns: NDArray[np.int64]  # (d,)
    width: int

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Number of the direction of each displaced state."""
        return np.repeat(np.arange(len(self.unit)), len(self.stencil))

    @property
    def amounts(self) -> Array:
        """How far each state is displaced."""
        return (self.unit[:, None] * [point for point, _ in self.stencil]).ravel()

    def slopes(self, changes: Array) -> Array:
        """Derivatives (p, width) from changes (k, p) of values."""
        weights, out = [weight for _, weight in self.stencil], np.zeros((changes.shape[1], self.width))
        parts = changes.reshape(len(self.unit), len(self.stencil), changes.shape[1])
        out[:, self.columns] = np.einsum("nkp,k->pn", parts, weights) / self.unit
        return out


class _Displaced:
    """States of a point displaced along its nodes' motions, velocities, accelerations and multipliers."""

    def __init__(self, point: OperatingPoint, motion: Motion, quantity: Quantity, evaluate: Evaluate) -> None:
        self.point, self.motion, self.quantity, self.evaluate = point, motion, quantity, evaluate
        nodes, mechanism = quantity.nodes(point.mechanism), point.mechanism
        self.nodes = list(range(mechanism.n_nodes)) if nodes is None else nodes
        self.columns = np.array([6 * node + k for node in self.nodes for k in range(6)], dtype=np.int64)
        self.reach, self.fine, joint = point.compiled.length, 1.0, quantity.joint
        self.squares = quantity.kind in KINDS and KINDS[quantity.kind].squares
        if joint is not None and any(point.compiled.system.freedoms.target[k] >= 0 for k in joint.active if k >= 0):
            self.fine = _SHORT  # of a servo, whose effort may be cut off
        if quantity.kind in KINDS and KINDS[quantity.kind].of == BEAM:
            a, b = motion.frame[0, nodes, 9:]
            curved = medium_of(mechanism, quantity.target[0]) is not None
            self.squares = self.squares and not curved
            self.fine = _SHORT if curved else _LONG
            self.reach = float(np.linalg.norm(b - a)) * (1.0 if curved else 5.0)

    @cached_property
    def base(self) -> Array:
        """Values (1, p) in the state itself."""
        return self.evaluate(self.motion)

    def derivatives(self) -> tuple[Array, Array, Array, Array]:
        """Derivatives along motions, twists and rates of the nodes (p, 6n), and along multipliers (p, m)."""
        quantity, size = self.quantity, 6 * self.point.compiled.n_nodes
        exact: dict[str, Array] = {}
        if quantity.rate is not None:
            exact["frame"] = kinematic_rows(self.motion, self.nodes, quantity.rate.values(self.motion))
        if quantity.linear:
            exact["twist"] = kinematic_rows(self.motion, self.nodes, self.evaluate)
        asked = {"frame": self._frames, "twist": self._twists, "rate": self._rates, "force": self._multipliers}
        felt = {"frame": True, "twist": quantity.order > 0, "rate": quantity.order > 1, "force": quantity.loaded}
        parts = {field: make() for field, make in asked.items() if felt[field] and field not in exact}
        found = exact | self._slopes(parts)
        widths = {"frame": size, "twist": size, "rate": size, "force": self.point.n_constraints}
        rows = (found.get(field, np.zeros((len(quantity.names), width))) for field, width in widths.items())
        position, rate, acceleration, multiplier = rows
        return position, rate, acceleration, multiplier

    def _frames(self) -> _Directions:
        """Along motions of the nodes; coordinates whose turns are counted follow."""
        nodes, axes = np.divmod(self.columns, 6)
        unit = _STEP * self.fine * np.where(axes < 3, self.reach, 1.0)
        trial, counted = self.point.memory.problem.trial, len(self.point.compiled.freedoms)
        here, angles = self.motion.frame[0], self.motion.angle[0]

        def moved(k: NDArray[np.int64], amount: Array) -> dict[str, Array]:
            frame, every = np.repeat(here[None], len(k), axis=0), np.arange(len(k))
            rows, ahead = np.zeros((len(k) + 1, 12)), np.zeros((len(k) + 1, 6))
            rows[:-1], ahead[every, axes[k]] = frame[every, nodes[k]], amount
            move(rows.copy(), ahead, 1.0, rows)
            frame[every, nodes[k]] = rows[:-1]
            angle = np.repeat(angles[None], len(k), axis=0)
            for i in range(len(k) if counted else 0):
                trial.frame[:], trial.angle[:] = frame[i], angles
                track_angles(self.point.memory.address)
                angle[i] = trial.angle
            trial.frame[:], trial.angle[:] = here, angles
            return {"frame": frame, "angle": angle}

        return _Directions(moved, unit, EIGHTH, self.columns, 6 * self.point.compiled.n_nodes)

    def _twists(self) -> _Directions:
        if self.squares:
            return self._added("twist", 1.0, _SQUARE)
        return self._added("twist", _STEP * self.fine * friction_speed(self.point.compiled), EIGHTH)

    def _rates(self) -> _Directions:
        return self._added("rate", *((1.0, _LINEAR) if self.quantity.kind != OWN else (_STEP, EIGHTH)))

    def _added(self, field: str, step: float, stencil: _Stencil) -> _Directions:
        """Along twists or their rates."""

        def added(k: NDArray[np.int64], amount: Array) -> dict[str, Array]:
            values = np.repeat(getattr(self.motion, field), len(k), axis=0)
            values.reshape(len(k), -1)[np.arange(len(k)), self.columns[k]] += amount
            return {field: values}

        unit = np.full(len(self.columns), step)
        return _Directions(added, unit, stencil, self.columns, 6 * self.point.compiled.n_nodes)

    def _multipliers(self) -> _Directions:
        """Along multipliers of independent constraints, of the joint itself where it is one's quantity."""
        rows = [(j, row) for j, some in enumerate(self.point.independent_rows) for row in some]
        joint, here = self.quantity.joint, self.motion.force
        felt = np.array([i for i, (j, _) in enumerate(rows) if joint is None or j == joint.index], dtype=np.int64)

        def pushed(k: NDArray[np.int64], amount: Array) -> dict[str, Array]:
            force = np.repeat(here, len(k), axis=0)
            for i, (which, size) in enumerate(zip(k, amount, strict=True)):
                j, row = rows[felt[which]]
                force[i, j] += size * row
            return {"force": force}

        size = 1.0 + float(np.max(np.abs(here), initial=0.0))
        step, stencil = (size, _LINEAR) if self.quantity.kind != OWN else (4.0 * _STEP * size, EIGHTH)
        return _Directions(pushed, np.full(len(felt), step), stencil, felt, len(rows))

    def _slopes(self, parts: dict[str, _Directions]) -> dict[str, Array]:
        """Derivatives (p, width) along directions, all of them found from one motion if it is not too long."""
        jobs = [
            (part, part.numbers[at : at + _TOGETHER], part.amounts[at : at + _TOGETHER])
            for part in parts.values()
            for at in range(0, len(part.numbers), _TOGETHER)
        ]
        together = sum(len(k) for _, k, _ in jobs) <= _TOGETHER
        values = [self._values(some) for some in ([jobs] if together else [[job] for job in jobs]) if some]
        found = np.concatenate([self.base[:0], *values]) - self.base  # what nothing depends on is exactly zero
        out, first = {}, 0
        for field, part in parts.items():
            out[field] = part.slopes(found[first : first + len(part.numbers)])
            first += len(part.numbers)
        return out

    def _values(self, jobs: Sequence[tuple[_Directions, NDArray[np.int64], Array]]) -> Array:
        """Values (k, p) in states that are displaced one after another."""
        states = [(len(k), part.displaced(k, amount)) for part, k, amount in jobs]
        whole = {}
        for field in dict.fromkeys(field for _, some in states for field in some):
            here = getattr(self.motion, field)
            whole[field] = np.concatenate([some.get(field, np.repeat(here, n, axis=0)) for n, some in states])
        return self.evaluate(self.motion.displaced(**whole))


def direct_feed(point: OperatingPoint, here: Motion, rows: Sequence[QuantityRows], columns: Sequence[Column]) -> Array:
    """What units of inputs add to outputs at once, at the same x, x', x" and multipliers: (p, k)."""
    out = np.zeros((sum(len(r.quantity.picked) for r in rows), len(columns)))
    every = [r.quantity for r in rows]
    for k, column in enumerate(columns if rows else ()):
        if column.kind == "parameter":

            def together(other: CompiledModel) -> tuple[Array]:
                return (np.concatenate([_values_in(point, here, q, other)[q.picked] for q in every]),)

            out[:, k] = parameter_difference(point.model, column.name, together)[0]
            continue
        compiled = cache(lambda amount, column=column: compile_model(with_input(point.model, column, amount)))
        out[:, k] = np.concatenate([_at_once(point, here, r, column, compiled)[r.quantity.picked] for r in rows])
    return out


def _at_once(
    point: OperatingPoint, here: Motion, rows: QuantityRows, column: Column, compiled: Callable[[float], Any]
) -> Array:
    """What a unit of an input, not a parameter, adds at the same motion and multipliers (p,).

    `compiled` gives the model with more of the input.
    """
    quantity, own = rows.quantity, rows.quantity.kind == OWN
    out = np.zeros_like(rows.values)
    if not quantity.loaded or not (own or _felt(quantity, column)):
        return out
    size = _STEP * (1.0 if column.drives is not None else 1.0 + float(np.max(np.abs(here.force), initial=0.0)))
    stencil = [(i * size, weight / size) for i, weight in EIGHTH] if own else [(1.0, 1.0)]  # others are linear
    for amount, weight in stencil:
        more = _with_more(point, here, column, amount)
        if more is None:
            found = _values_in(point, here, quantity, compiled(amount))
        else:
            found = rows.evaluate(more)[0]
        out += weight * (found - rows.values)
    return out


def _felt(quantity: Quantity, column: Column) -> bool:
    """Whether an input may enter a quantity by itself: through its own joint or tendon, or along its beam."""
    if isinstance(quantity.target, SpringNumber) or column.tendon >= 0:
        return isinstance(quantity.target, SpringNumber) and quantity.target.number == column.tendon
    return column.line is not None if quantity.joint is None else column.joint == quantity.joint.index


def _with_more(point: OperatingPoint, here: Motion, column: Column, amount: float) -> Motion | None:
    """The motion with more of an input; None where it is not one of those that are sampled."""
    inputs, (coordinate, effort) = here.inputs, column.pushes
    if column.drives is not None:
        return here.with_inputs(inputs._replace(drive=inputs.drive + amount * column.drives))
    if column.line is not None:
        wrench = inputs.wrench.copy()
        wrench[:, column.line[0]] += amount * column.line[1]
        return here.with_inputs(inputs._replace(wrench=wrench))
    if column.tendon >= 0:
        return _pushed(here, int(point.compiled.system.springs.column[column.tendon]), amount)
    if not coordinate:
        return None
    joint, pick = point.mechanism.joint(coordinate)
    row = joint.active[pick or 0]
    at = point.compiled.system.freedoms.effort[row] if row >= 0 else -1
    if at < 0:
        return None
    return _pushed(here, int(at), amount * effort)


def _pushed(here: Motion, column: int, more: float) -> Motion:
    """The motion with more of a sampled effort."""
    efforts = here.inputs.effort.copy()
    efforts[:, column] += more
    return here.with_inputs(here.inputs._replace(effort=efforts))


def _values_in(point: OperatingPoint, old: Motion, quantity: Quantity, compiled: CompiledModel) -> Array:
    """Values (p,) in the state of the point of the same mechanism with other parameters or inputs."""
    here = point.trajectory()
    inputs = compiled.sampler.sample(np.array([point.time]))
    angles = state_in(point, compiled, inputs).problem.trial.angle[None].copy()
    history = here.history._replace(angle=angles)
    motion = motion_of(Trajectory(compiled, here.time, history, here.status, {}, {}, _held(point, compiled)))
    return quantity.seen_in(motion.mechanism).values(old)(motion)[0]


def _held(point: OperatingPoint, compiled: CompiledModel) -> Array | None:
    """Efforts that a controller gave, for the same mechanism with other parameters or inputs."""
    efforts = point.trajectory().efforts
    if efforts is None:
        return None
    out = compiled.sampler.sample(np.array([point.time])).effort
    before, after = (
        {(joint, f.index): at for (joint, f), at in zip(some.freedoms, some.system.freedoms.effort, strict=False)}
        for some in (point.compiled, compiled)
    )
    for key, at in after.items():
        if at >= 0 and before.get(key, -1) >= 0:
            out[:, at] = efforts[:, before[key]]
    return out
