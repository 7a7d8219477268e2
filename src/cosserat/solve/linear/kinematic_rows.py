"""Rows that map left increments x of the nodes to displacements, turns and joint coordinates, exact: the kinematics of
results are linear in twists, so a row is their answer to unit twists.

With the mechanism in motion a rate is row x' + row' x; row' follows the motion of the point (fourth-order differences
along it; zero in equilibrium and, seen from the turntable, in a steady rotation).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.kernels.arrays import History, Inputs
from cosserat.lie import se3
from cosserat.results.joints import coordinate_rates, spin_rates
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion, motion_of
from cosserat.results.virtual import place_changes
from cosserat.solve.linear.point import MOMENT, Point

Array = NDArray[np.float64]

_ANGLE = 1e-3  # by which frames are moved along the motion


def still_motion(point: Point) -> Motion:
    """The point as a motion of one moment."""
    return motion_of(point.trajectory())


def place_jacobian(point: Point, station: Station, frames: Array | None = None) -> Array:
    """Displacement and turn (6, 6n) of a place in world axes."""
    return _rows(point, (station.node, station.other), lambda motion: place_changes(motion, station), frames)


def joint_jacobian(point: Point, joint: JointInfo, frames: Array | None = None) -> Array:
    """Change (k, 6n) of the coordinates of a joint."""
    a, b = point.compiled.system.joints.node[joint.index]
    return _rows(point, (int(a), int(b)), lambda motion: coordinate_rates(motion, joint), frames)


def spin_jacobian(point: Point, joint: JointInfo, frames: Array | None = None) -> Array:
    """Rates (k, 6n) that efforts in the freedoms of a joint work with; not those of coordinates in rotation vectors."""
    a, b = point.compiled.system.joints.node[joint.index]
    return _rows(point, (int(a), int(b)), lambda motion: spin_rates(motion, joint), frames)


def _rows(point: Point, nodes: tuple[int, int], answer: Callable[[Motion], Array], frames: Array | None) -> Array:
    n = point.compiled.n_nodes
    moved = [node for node in dict.fromkeys(nodes) if node < n]
    columns = [6 * node + k for node in moved for k in range(6)]
    trial = point.memory.problem.trial
    frames = trial.frame if frames is None else frames
    count = len(columns)
    twists = np.zeros((count, n + 1, 6))
    twists.reshape(count, 6 * (n + 1))[np.arange(count), columns] = 1.0
    many = (np.broadcast_to(a, (count, *a.shape)) for a in (trial.force, trial.angle))
    history = History(np.repeat(frames[None], count, axis=0), twists, np.zeros_like(twists), *many)
    motion = Motion(point.mechanism, np.zeros(count), history, {}, _no_inputs)
    answers = answer(motion)
    out = np.zeros((answers.shape[1], 6 * n))
    out[:, columns] = answers.T
    return out


def _no_inputs() -> tuple[Inputs, dict[str, Array]]:
    raise AssertionError("kinematics need no inputs")


def change_in_time(point: Point, jacobian: Callable[[Array], Array]) -> Array:
    """Time derivative of rows along the motion of a point, `jacobian(frames)` giving the rows at displaced frames."""
    trial = point.memory.problem.trial
    fastest = float(np.max(np.abs(trial.twist), initial=0.0))
    here = jacobian(trial.frame)
    if point.kind != MOMENT or fastest == 0.0:
        return np.zeros_like(here)
    step = _ANGLE / fastest
    out = np.zeros_like(here)
    for k, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
        moved = [row_to_frame(H) @ se3.exp(k * step * v) for H, v in zip(trial.frame, trial.twist, strict=True)]
        out += weight / step * jacobian(frame_to_row(np.array(moved)))
    return out
