"""The joint of a link: its frame and its twists; kinds as in `kernels.recursion.table`."""

import math

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import WELD
from cosserat.kernels.frames import exp_frame
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.kernels.vectors import IDENTITY, ZERO, load, mul, neg, scale


@helper
def joint_frame(kind, slide, turn, q, first):
    """Frame (R, x) of the joint on the link's side in that on the parent's."""
    if kind == WELD:
        return IDENTITY, ZERO
    if kind < SPHERICAL:
        s, c = math.sin(turn * q[first]), math.cos(turn * q[first])
        return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, slide * q[first])
    if kind == FREE:
        R, _ = exp_frame(ZERO, scale(turn, load(q, first + 3)))
        u = load(q, first)
        return R, u if turn > 0.0 else neg(mul(R, u))
    R, _ = exp_frame(ZERO, scale(turn, load(q, first)))
    return R, ZERO


@helper
def joint_twist(kind, slide, turn, v, first):
    """Relative twist of the velocities v, in the frame on the link's side."""
    if kind == WELD:
        return ZERO, ZERO
    if kind < SPHERICAL:
        return (0.0, 0.0, slide * v[first]), (0.0, 0.0, turn * v[first])
    if kind == FREE:
        return load(v, first), load(v, first + 3)
    return ZERO, load(v, first)


@helper
def joint_axis(kind, slide, turn, j):
    """Relative twist of a unit velocity of its coordinate j."""
    if kind < SPHERICAL:
        return (0.0, 0.0, slide), (0.0, 0.0, turn)
    unit = (1.0 * (j % 3 == 0), 1.0 * (j % 3 == 1), 1.0 * (j % 3 == 2))
    if kind == FREE and j < 3:
        return unit, ZERO
    return ZERO, unit
