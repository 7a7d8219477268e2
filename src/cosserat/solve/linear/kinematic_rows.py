"""Rows that map left increments x of the nodes to displacements, turns and joint coordinates, exact: the kinematics of
results are linear in twists, so a row is their answer to unit twists.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.joints import coordinate_rates
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion, motion_of
from cosserat.results.quantities import Evaluate, place_changes
from cosserat.results.virtual import virtual_motion
from cosserat.solve.linear.point import OperatingPoint


def still_motion(point: OperatingPoint) -> Motion:
    """The point as a motion of one moment."""
    return motion_of(point.trajectory(), point.mechanism)


def place_jacobian(point: OperatingPoint, station: Station) -> Array:
    """Displacement and turn (6, 6n) of a place in world axes."""
    nodes = station.node, station.other
    return kinematic_rows(still_motion(point), nodes, lambda motion: place_changes(motion, station))


def joint_jacobian(point: OperatingPoint, joint: JointInfo) -> Array:
    """Change (k, 6n) of the coordinates of a joint."""
    nodes = point.compiled.system.joints.node[joint.index].tolist()
    return kinematic_rows(still_motion(point), nodes, lambda motion: coordinate_rates(motion, joint))


def kinematic_rows(motion: Motion, nodes: Iterable[int], answer: Evaluate) -> Array:
    """Answers (p, 6n) to unit twists of nodes, of what is linear in twists."""
    n = motion.mechanism.n_nodes
    columns = [6 * node + k for node in dict.fromkeys(nodes) if node < n for k in range(6)]
    units = np.zeros((len(columns), 6 * n))
    units[np.arange(len(columns)), columns] = 1.0
    found = answer(virtual_motion(motion, units))
    out = np.zeros((found.shape[1], 6 * n))
    out[:, columns] = found.T
    return out
