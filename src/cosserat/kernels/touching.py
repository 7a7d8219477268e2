"""Knife edges and rolling discs: rows of A(H) eta = 0 on a frame (R, x), in its own axes.

A row is (d, r x d): the point r of the frame has no velocity along d. A knife edge has one row, whose d and r do not
change. A disc of radius a has three: d = R^T k and R^T t for the normal k of its plane and two directions t in the
plane, and r = y - a u reaches to its lowest point; u = (R^T k - c e)/s points up in the disc, with its axis e,
c = e . R^T k and s^2 = 1 - c^2. The row along the normal is the rate of the gap k . (x + R y - p) - a s.

`rolling` is a group with kind, axis, point, plane, radius, level: of nodes (`arrays.Rolling`) or of seats of a tree
(`flexible.closing.Wheels`). This is the one text of these rows: in Python the functions take arrays over time, too.
"""

import numpy as np

from cosserat.jit import helper
from cosserat.kernels.vectors import add, axpy, combine, cross, dot, load, mul, mul_t, outer, scale, skew, transpose

EDGE = 0
DISC = 1
RULE = 2  # a constraint of the user's, see `rules`: numbered with these, but not one of them


@helper
def touch(rolling, i, R):
    """Directions d of the rows, and the point r that touches, in the frame of the node: (d_0, d_1, d_2, r)."""
    e, y = load(rolling.axis[i], 0), load(rolling.point[i], 0)
    zero = (0.0, 0.0, 0.0)
    if rolling.kind[i] == EDGE:
        return e, zero, zero, y
    k = mul_t(R, load(rolling.plane[i, 0], 0))
    c = dot(e, k)
    up = scale(1.0 / np.sqrt(1.0 - c * c), axpy(-c, e, k))
    r = axpy(-rolling.radius[i], up, y)
    return k, mul_t(R, load(rolling.plane[i, 1], 0)), mul_t(R, load(rolling.plane[i, 2], 0)), r


@helper
def touch_gradient(rolling, i, R):
    """d r/d w (3, 3): how the point that touches moves in the frame of the node when the node turns by w."""
    e = load(rolling.axis[i], 0)
    k = mul_t(R, load(rolling.plane[i, 0], 0))
    c = dot(e, k)
    s = np.sqrt(1.0 - c * c)
    up = scale(1.0 / s, axpy(-c, e, k))
    turn = cross(e, k)  # d c/d w
    a = rolling.radius[i]
    return combine(-a / s, combine(1.0, skew(k), -1.0, outer(e, turn)), -a * c / (s * s), outer(up, turn))


@helper
def gap(rolling, i, R, x):
    """Distance of the lowest point of a disc from its plane."""
    k = load(rolling.plane[i, 0], 0)
    c = dot(k, mul(R, load(rolling.axis[i], 0)))
    centre = add(x, mul(R, load(rolling.point[i], 0)))
    return dot(k, centre) - rolling.level[i] - rolling.radius[i] * np.sqrt(1.0 - c * c)


@helper
def row_rates(rolling, i, R, twist):
    """A eta of the three rows."""
    d0, d1, d2, r = touch(rolling, i, R)
    velocity = add(load(twist, 0), cross(load(twist, 3), r))
    return dot(d0, velocity), dot(d1, velocity), dot(d2, velocity)


@helper
def turn_gradient(rolling, i, R, d, r, v, omega):
    """d(A eta)/d(turn of the frame) of the row of a disc along d, the twist (v, omega) fixed: (3,)."""
    velocity = add(v, cross(omega, r))
    G = touch_gradient(rolling, i, R)
    return add(cross(velocity, d), mul(transpose(G), cross(d, omega)))


def count(system):
    """Number of knife edges and rolling discs of a system."""
    return int((system.rolling.kind != RULE).sum())
