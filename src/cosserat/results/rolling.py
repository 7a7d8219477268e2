"""Knife edges and rolling discs over time: where they touch, slip, gap, and the wrench of the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.touching import DISC
from cosserat.results.kinematics import rotate
from cosserat.results.motion import Motion

Array = NDArray[np.float64]


class Touch(NamedTuple):
    """Where item k touches, in the frame of its node: the point (nt, 3), and the directions (nt, m, 3) of its rows."""

    node: int
    point: Array
    directions: Array


def discs(motion: Motion) -> list[int]:
    """Numbers of the rolling discs."""
    return [int(k) for k in np.nonzero(motion.mechanism.system.rolling.kind == DISC)[0]]


def touch(motion: Motion, k: int) -> Touch:
    """Point and directions of a knife edge or rolling disc; the rows are those of `kernels.rolling`."""
    arrays = motion.mechanism.system.rolling
    node = int(arrays.node[k])
    n, axis, point = len(motion.time), arrays.axis[k], arrays.point[k]
    if arrays.kind[k] != DISC:
        return Touch(node, np.broadcast_to(point, (n, 3)), np.broadcast_to(axis, (n, 1, 3)))
    directions = arrays.plane[k] @ motion.node(node)[0]
    up = directions[:, 0] - (directions[:, 0] @ axis)[:, None] * axis
    up = up / np.linalg.norm(up, axis=1)[:, None]
    return Touch(node, point - arrays.radius[k] * up, directions)


def slips(motion: Motion, k: int) -> Array:
    """Speed (nt,) of the point that touches: across the edge, or in the plane of the disc."""
    node, point, directions = touch(motion, k)
    twist = motion.twist[:, node]
    velocity = twist[:, :3] + np.cross(twist[:, 3:], point)
    rates = np.einsum("tij,tj->ti", directions, velocity)
    return np.asarray(np.linalg.norm(rates[:, 1:] if rates.shape[1] > 1 else rates, axis=1))


def gaps(motion: Motion, k: int) -> Array:
    """Distance (nt,) of a disc from its plane, 0 for a knife edge."""
    arrays = motion.mechanism.system.rolling
    if arrays.kind[k] != DISC:
        return np.zeros(len(motion.time))
    node, point, _ = touch(motion, k)
    R, x = motion.node(node)
    return np.asarray((x + rotate(R, point)) @ arrays.plane[k, 0] - arrays.level[k])


def nodal_wrenches(motion: Motion, k: int) -> Array:
    """Wrench (nt, 6) of the ground on the node, in the node's frame: -A^T lambda."""
    _, point, directions = touch(motion, k)
    first = motion.force.shape[1] - len(motion.mechanism.system.rolling.node)
    force = -np.einsum("tij,ti->tj", directions, motion.force[:, first + k, : directions.shape[1]])
    return np.hstack((force, np.cross(point, force)))


def reactions(motion: Motion, k: int, world: bool = True) -> Array:
    """Wrench (nt, 6) of the ground about the place, in world axes or in those of the body."""
    arrays = motion.mechanism.system.rolling
    wrench = nodal_wrenches(motion, k)
    wrench[:, 3:] -= np.cross(arrays.point[k], wrench[:, :3])
    if not world:
        return wrench
    R = motion.node(int(arrays.node[k]))[0]
    return np.hstack((rotate(R, wrench[:, :3]), rotate(R, wrench[:, 3:])))
