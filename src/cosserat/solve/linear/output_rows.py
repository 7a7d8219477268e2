"""Outputs of the linear equations: y = position x + rate x' + acceleration x" + multiplier lambda + direct u.

Kinematic outputs are here, those that are forces in `force_rows`. In a steady rotation rates are relative to the
turntable and components are along axes that turn with it; at a moment of a run everything is along world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.arrays import History
from cosserat.lie import so3
from cosserat.results.kinematics import place_frames, place_twists, rotate
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion, motion_of
from cosserat.results.trajectory import Trajectory
from cosserat.solve.linear.input_columns import Column, parameter_difference
from cosserat.solve.linear.kinematic_rows import change_in_time, joint_jacobian, place_jacobian
from cosserat.solve.linear.point import Point
from cosserat.solve.linear.quantities import joint_values, place_values

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Outputs that belong together, such as the three coordinates of a place.

    Attributes
    ----------
    names : of the p outputs
    kind : str
        "position", "rotation", "velocity", "angular_velocity", "coordinate", "rate", "effort", "reaction",
        "section_force" or "strain".
    position, rate, acceleration : (p, 6n)
    multiplier : (p, m), for the independent constraints
    through : (joint number, kinds of inputs, (p, 6n)), optional
        What the forces of inputs of these kinds that act through the joint add at once.
    own : coordinates of joints whose efforts are these outputs
    along : callable, optional
        (column of the sampled wrenches, unit sample) of a load along a beam -> what it adds at once (p,).
    at_once : callable, optional
        Input -> what a unit of it adds at once (p,), instead of `through`, `own` and `along`.
    evaluate : callable
        Values (nt, p) of the outputs for a motion of the mechanism, as results have them.
    """

    names: tuple[str, ...]
    kind: str
    position: Array
    rate: Array
    acceleration: Array
    multiplier: Array
    evaluate: Callable[[Motion], Array]
    through: tuple[int, tuple[str, ...], Array] | None = None
    own: tuple[str, ...] = ()
    along: Callable[[int, Array], Array] | None = None
    at_once: Callable[[Column], Array] | None = None

    def picked(self, keep: Sequence[int]) -> Rows:
        """Only some of the outputs."""
        index = list(keep)
        through, own, along, at_once = self.through, self.own, self.along, self.at_once
        return Rows(
            tuple(self.names[i] for i in index),
            self.kind,
            self.position[index],
            self.rate[index],
            self.acceleration[index],
            self.multiplier[index],
            lambda motion: self.evaluate(motion)[:, index],
            None if through is None else (through[0], through[1], through[2][index]),
            tuple(own[i] for i in index) if own else (),
            None if along is None else (lambda column, unit: along(column, unit)[index]),
            None if at_once is None else (lambda column: at_once(column)[index]),
        )

    def direct(self, column: Column) -> Array:
        """What a unit of an input, not a parameter, adds at once (p,), at the same x, x', x" and multipliers."""
        if self.at_once is not None:
            return self.at_once(column)
        out = np.zeros(len(self.names))
        if self.through is not None and column.joint == self.through[0] and column.kind in self.through[1]:
            out += self.through[2] @ column.force
        coordinate, effort = column.pushes
        if coordinate in self.own:
            out[self.own.index(coordinate)] += effort
        if self.along is not None and column.line is not None:
            out += self.along(*column.line)
        return out


def direct_feed(point: Point, rows: Sequence[Rows], columns: Sequence[Column]) -> Array:
    """What units of inputs add to outputs at once, at the same x, x', x" and multipliers: (p, k)."""
    out = np.zeros((sum(len(r.names) for r in rows), len(columns)))
    together = lambda motion: np.hstack([r.evaluate(motion) for r in rows])  # noqa: E731
    for k, column in enumerate(columns):
        if not rows:
            continue
        if column.kind == "parameter":
            change = parameter_difference(point.model, column.name, lambda other: (values_of(point, together, other),))
            out[:, k] = change[0]
        else:
            out[:, k] = np.concatenate([r.direct(column) for r in rows])
    return out


def values_of(point: Point, evaluate: Callable[[Motion], Array], compiled: CompiledModel) -> Array:
    """Values (p,) in the state of the point of the same mechanism with other parameters or inputs."""
    here = point.trajectory()
    tracked = dict(zip(((j, f.index) for j, f in point.compiled.freedoms), here.history.angle[0], strict=True))
    angle = np.array([[tracked.get((j, f.index), 0.0) for j, f in compiled.freedoms]]).reshape(1, -1)
    history = History(*here.history[:4], angle)
    motion = motion_of(Trajectory(compiled, here.time, history, here.status, {}, {}, here.efforts))
    return evaluate(motion)[0]


def kinematic(
    point: Point,
    kind: str,
    names: Sequence[str],
    evaluate: Callable[[Motion], Array],
    *,
    position: Array | None = None,
    rate: Array | None = None,
) -> Rows:
    """Rows of an output that positions and rates alone determine."""
    none = np.zeros((len(names), 6 * point.compiled.n_nodes))
    return Rows(
        tuple(names),
        kind,
        none if position is None else position,
        none if rate is None else rate,
        none,
        np.zeros((len(names), point.n_constraints)),
        evaluate,
    )


def place_rows(point: Point, station: Station, kind: str, names: Sequence[str]) -> Rows:
    """Position, rotation (vector of small turns), velocity or angular velocity of a place: three outputs."""
    part = slice(0, 3) if kind in ("position", "velocity") else slice(3, 6)
    J = place_jacobian(point, station)[part]
    values = place_values(kind, station, motion_of(point.trajectory()))
    if kind in ("position", "rotation"):
        return kinematic(point, kind, names, values, position=J)
    drift = change_in_time(point, lambda frames: place_jacobian(point, station, frames)[part])
    if kind == "angular_velocity":
        drift = drift + _turning(point, station, J)
    return kinematic(point, kind, names, values, position=drift, rate=J)


def _turning(point: Point, station: Station, J: Array) -> Array:
    """Angular velocities do not derive from coordinates: delta omega = d(delta theta)/dt - omega x delta theta."""
    if point.kind != "moment of a run":
        return np.zeros_like(J)
    motion = motion_of(point.trajectory())
    omega = rotate(place_frames(motion, station)[0], place_twists(motion, station)[:, 3:])[0]
    return np.asarray(-so3.hat(omega) @ J)


def coordinate_rows(point: Point, joint: JointInfo, kind: str, names: Sequence[str]) -> Rows:
    """All coordinates of a joint, or their rates."""
    J = joint_jacobian(point, joint)
    if kind == "coordinate":
        return kinematic(point, kind, names, joint_values(kind, joint), position=J)
    drift = change_in_time(point, lambda frames: joint_jacobian(point, joint, frames))
    return kinematic(point, kind, names, joint_values(kind, joint), position=drift, rate=J)


def coordinate_names(joint: JointInfo) -> tuple[str, ...]:
    """Names of the coordinates of a joint: its own, or joint.freedom if it has several."""
    return (joint.name,) if len(joint.names) == 1 else tuple(f"{joint.name}.{freedom}" for freedom in joint.names)
