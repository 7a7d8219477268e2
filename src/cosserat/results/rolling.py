"""Knife edges and rolling discs over time: where they touch, slip, gap, and the wrench of the ground."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.kernels.touching import DISC
from cosserat.lie.protocol import Array
from cosserat.results import joints
from cosserat.results.kinematics import rotate, to_node, turned
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion


class TouchFrames(NamedTuple):
    """Where item k touches, in the frame of its node: the point (nt, 3), and the directions (nt, m, 3) of its rows."""

    node: int
    point: Array
    directions: Array


def discs(motion: Motion) -> list[int]:
    """Numbers of the rolling discs."""
    return [int(k) for k in np.nonzero(motion.mechanism.system.rolling.kind == DISC)[0]]


def touch(motion: Motion, k: int) -> TouchFrames:
    """Point and directions of a knife edge or rolling disc; the rows are those of `kernels.rolling`."""
    arrays = motion.mechanism.system.rolling
    node = int(arrays.node[k])
    n, axis, point = len(motion.time), arrays.axis[k], arrays.point[k]
    if arrays.kind[k] != DISC:
        return TouchFrames(node, np.broadcast_to(point, (n, 3)), np.broadcast_to(axis, (n, 1, 3)))
    directions = arrays.plane[k] @ motion.node(node)[0]
    up = directions[:, 0] - (directions[:, 0] @ axis)[:, None] * axis
    up = up / np.linalg.norm(up, axis=1)[:, None]
    return TouchFrames(node, point - arrays.radius[k] * up, directions)


class HeldRows(NamedTuple):
    """Rows (nt, 3, 6) of a constraint of the user's, values and rates (nt, 3); the node and the place (4, 4) in it."""

    rows: Array
    values: Array
    rates: Array
    node: tuple[int, int]
    places: tuple[Array, Array]


def held(motion: Motion, k: int) -> HeldRows | None:
    """The constraint of the user's that is item k; None: it is a knife edge or a disc."""
    rules = motion.mechanism.system.rules
    found = np.nonzero(rules.item == k)[0]
    if not len(found):
        return None
    i, n = int(found[0]), len(motion.time)
    rows, values, rates = np.split(motion.inputs.rule[:, i], [18, 21], axis=1)
    a, b = rules.node[i].tolist()
    return HeldRows(
        rows.reshape(n, 3, 6), values, rates, (a, b), (row_to_frame(rules.frame_a[i]), row_to_frame(rules.frame_b[i]))
    )


def slips(motion: Motion, k: int) -> Array:
    """Speed (nt,) of the point that touches: across the edge, or in the plane of the disc; rate of what is held."""
    rule = held(motion, k)
    if rule is not None:
        return np.asarray(np.linalg.norm(rule.rates, axis=1))
    node, point, directions = touch(motion, k)
    twist = motion.twist[:, node]
    velocity = twist[:, :3] + np.cross(twist[:, 3:], point)
    rates = np.einsum("tij,tj->ti", directions, velocity)
    return np.asarray(np.linalg.norm(rates[:, 1:] if rates.shape[1] > 1 else rates, axis=1))


def gaps(motion: Motion, k: int) -> Array:
    """Distance (nt,) of a disc from its plane, 0 for a knife edge; the largest value that a law of the user's gives."""
    arrays, rule = motion.mechanism.system.rolling, held(motion, k)
    if rule is not None:
        return np.asarray(np.abs(rule.values).max(axis=1))
    if arrays.kind[k] != DISC:
        return np.zeros(len(motion.time))
    node, point, _ = touch(motion, k)
    R, x = motion.node(node)
    return np.asarray((x + rotate(R, point)) @ arrays.plane[k, 0] - arrays.level[k])


def nodal_wrenches(motion: Motion, k: int) -> list[tuple[int, Array]]:
    """Nodes, and wrenches (nt, 6) on them in their frames: -A^T lambda, and the opposite on another place."""
    multipliers = motion.force[:, motion.force.shape[1] - len(motion.mechanism.system.rolling.node) + k]
    rule = held(motion, k)
    if rule is None:
        node, point, directions = touch(motion, k)
        force = -np.einsum("tij,ti->tj", directions, multipliers[:, : directions.shape[1]])
        return [(node, np.hstack((force, np.cross(point, force))))]
    wrench = -np.einsum("tij,ti->tj", rule.rows, multipliers[:, :3])
    (R_a, x_a), (R_b, x_b) = map(motion.placed, rule.node, rule.places)
    back_to = np.swapaxes(R_a, 1, 2)
    turn, apart = back_to @ R_b, rotate(back_to, x_b - x_a)
    force, moment = rotate(turn, wrench[:, :3]), rotate(turn, wrench[:, 3:])
    back = -np.hstack((force, moment + np.cross(apart, force)))
    sides = zip(rule.node, rule.places, (back, wrench), strict=True)
    return [(node, to_node(w, place)) for node, place, w in sides][::-1]


def reactions(motion: Motion, k: int, world: bool = True) -> Array:
    """Wrench (nt, 6) of the ground about the place, in world axes or in those of the body."""
    arrays = motion.mechanism.system.rolling
    wrench = nodal_wrenches(motion, k)[0][1]
    wrench[:, 3:] -= np.cross(arrays.point[k], wrench[:, :3])
    return turned(motion.node(int(arrays.node[k]))[0], wrench) if world else wrench


def reaction_of(motion: Motion, target: Any, world: bool = True) -> Array:
    """Wrench (nt, 6) of a joint, knife edge, rolling disc or constraint given by name or as an object."""
    number = motion.mechanism.rolls(target)
    if number is not None:
        return reactions(motion, number, world)
    return joints.reactions(motion, motion.mechanism.joint(target)[0], world)


def name_of(mechanism: Mechanism, target: Any) -> str:
    """Name of a joint, knife edge, rolling disc or constraint given by name or as an object."""
    number = mechanism.rolls(target)
    return mechanism.joint(target)[0].name if number is None else list(mechanism.rolling)[number]
