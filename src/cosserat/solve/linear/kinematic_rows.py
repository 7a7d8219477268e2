"""Rows that map left increments x of the nodes to displacements, turns and joint coordinates, exact: the kinematics of
results are linear in twists, so a row is their answer to unit twists.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.arrays import History, Inputs
from cosserat.results.joints import coordinate_rates
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion, motion_of
from cosserat.results.virtual import place_changes
from cosserat.solve.linear.point import Point

Array = NDArray[np.float64]

def still_motion(point: Point) -> Motion:
    """The point as a motion of one moment."""
    return motion_of(point.trajectory())


def place_jacobian(point: Point, station: Station) -> Array:
    """Displacement and turn (6, 6n) of a place in world axes."""
    return _rows(point, (station.node, station.other), lambda motion: place_changes(motion, station))


def joint_jacobian(point: Point, joint: JointInfo) -> Array:
    """Change (k, 6n) of the coordinates of a joint."""
    a, b = point.compiled.system.joints.node[joint.index]
    return _rows(point, (int(a), int(b)), lambda motion: coordinate_rates(motion, joint))


def _rows(point: Point, nodes: tuple[int, int], answer: Callable[[Motion], Array]) -> Array:
    n = point.compiled.n_nodes
    moved = [node for node in dict.fromkeys(nodes) if node < n]
    columns = [6 * node + k for node in moved for k in range(6)]
    trial = point.memory.problem.trial
    count = len(columns)
    twists = np.zeros((count, n + 1, 6))
    twists.reshape(count, 6 * (n + 1))[np.arange(count), columns] = 1.0
    many = (np.broadcast_to(a, (count, *a.shape)) for a in (trial.force, trial.angle))
    history = History(np.repeat(trial.frame[None], count, axis=0), twists, np.zeros_like(twists), *many)
    motion = Motion(point.mechanism, np.zeros(count), history, {}, _no_inputs)
    answers = answer(motion)
    out = np.zeros((answers.shape[1], 6 * n))
    out[:, columns] = answers.T
    return out


def _no_inputs() -> tuple[Inputs, dict[str, Array]]:
    raise AssertionError("kinematics need no inputs")
