"""Knife edges and rolling discs over time: where they touch, slip, gap, and the wrench of the ground."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.kernels import touching
from cosserat.kernels.frames import load_frame
from cosserat.kernels.pairs import add_opposite, relative_frame
from cosserat.kernels.touching import DISC
from cosserat.kernels.vectors import accumulate, add, cross, load, mul, scale
from cosserat.lie.protocol import Array
from cosserat.results import joints
from cosserat.results.kinematics import turned
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion


def discs(motion: Motion) -> list[int]:
    """Numbers of the rolling discs."""
    return [int(k) for k in np.nonzero(motion.mechanism.system.rolling.kind == DISC)[0]]


def touched(motion: Motion, k: int) -> Array:
    """Points (nt, 3) of the world where a rolling disc touches."""
    arrays = motion.mechanism.system.rolling
    R, x = load_frame(motion.moving[0][arrays.node[k]])
    return np.stack(add(x, mul(R, touching.touch(arrays, k, R)[3])), axis=1)


class HeldRows(NamedTuple):
    """Rows (nt, 3, 6) of a constraint of the user's, values and rates (nt, 3); nodes, and places (R, x) on them."""

    rows: Array
    values: Array
    rates: Array
    node: tuple[int, int]
    places: tuple[Any, Any]


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
        rows.reshape(n, 3, 6), values, rates, (a, b), (load_frame(rules.frame_a[i]), load_frame(rules.frame_b[i]))
    )


def slips(motion: Motion, k: int) -> Array:
    """Speed (nt,) of the point that touches: across the edge, or in the plane of the disc; rate of what is held."""
    arrays, rule, (frames, twists, _) = motion.mechanism.system.rolling, held(motion, k), motion.moving
    if rule is not None:
        return np.asarray(np.linalg.norm(rule.rates, axis=1))
    node = arrays.node[k]
    across, *along = touching.row_rates(arrays, k, load_frame(frames[node])[0], twists[node])
    return np.hypot(*along) if arrays.kind[k] == DISC else np.abs(across)


def gaps(motion: Motion, k: int) -> Array:
    """Distance (nt,) of a disc from its plane, 0 for a knife edge; the largest value that a law of the user's gives."""
    arrays, rule = motion.mechanism.system.rolling, held(motion, k)
    if rule is not None:
        return np.asarray(np.abs(rule.values).max(axis=1))
    if arrays.kind[k] != DISC:
        return np.zeros(len(motion.time))
    return np.asarray(touching.gap(arrays, k, *load_frame(motion.moving[0][arrays.node[k]])))


def nodal_wrenches(motion: Motion, k: int) -> list[tuple[int, Array]]:
    """Nodes, and wrenches (nt, 6) on them in their frames: -A^T lambda, and the opposite on another place."""
    multipliers = motion.force[:, motion.force.shape[1] - len(motion.mechanism.system.rolling.node) + k]
    rule = held(motion, k)
    if rule is None:
        arrays = motion.mechanism.system.rolling
        node, out = int(arrays.node[k]), np.zeros((len(motion.time), 6))
        *directions, point = touching.touch(arrays, k, load_frame(motion.moving[0][node])[0])
        for d, value in zip(directions, multipliers.T, strict=False):
            accumulate(scale(-value, d), out.T, 0)
            accumulate(scale(-value, cross(point, d)), out.T, 3)
        return [(node, out)]
    wrench = -np.einsum("tij,ti->tj", rule.rows, multipliers[:, :3])
    (a, b), ((F_a, y_a), (F_b, y_b)), out = rule.node, rule.places, np.zeros((2, 6, len(motion.time)))
    R, x = relative_frame(motion.moving[0], a, F_a, y_a, b, F_b, y_b)
    add_opposite(R, x, 0, F_a, y_a, 1, F_b, y_b, load(wrench.T, 0), load(wrench.T, 3), out)
    return [(b, out[1].T), (a, out[0].T)]


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
