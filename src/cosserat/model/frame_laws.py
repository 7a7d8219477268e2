"""Vectors in the axes of places, changes of a flow, and what laws in a frame that moves as prescribed need besides.

Numbers of the frame, along its axes: acceleration of its origin (ax, ay, az), angular velocity O (ox, oy, oz) and its
rate L (lx, ly, lz). Written in the part of Python that Numba compiles.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

_INSTANT = 1e-4  # s or m, over which changes of a flow are differenced


def in_axes(frame, x, y, z):
    """A vector of the world in the axes of a place."""
    return (
        frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z,
        frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z,
        frame[0, 2] * x + frame[1, 2] * y + frame[2, 2] * z,
    )


def in_world(frame, x, y, z):
    """A vector in the axes of a place along those of the world."""
    return (
        frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z,
        frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z,
        frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z,
    )


def carried(frame, A):
    """A frame (3, 4) of the world from one that is fixed to a place."""
    H = np.empty((3, 4))
    for j in range(4):
        H[0, j], H[1, j], H[2, j] = in_world(frame, A[0, j], A[1, j], A[2, j])
    for i in range(3):
        H[i, 3] += frame[i, 3]
    return H


def cross(ax, ay, az, bx, by, bz):
    """a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def turned_momentum(twist, p):
    """(w × p, w × l + v × p): what turning axes, with the twist (v, w), change of a momentum (p, l) in them."""
    out = np.empty(6)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = twist[3 + j] * p[k] - twist[3 + k] * p[j]
        out[3 + i] = twist[3 + j] * p[3 + k] - twist[3 + k] * p[3 + j] + twist[j] * p[k] - twist[k] * p[j]
    return out


def driven(x, y, z, vx, vy, vz, p):
    """Drive and Coriolis acceleration a + L × x + O × (O × x) + 2 O × v of a point, along the frame's axes."""
    ox, oy, oz, lx, ly, lz = p["ox"], p["oy"], p["oz"], p["lx"], p["ly"], p["lz"]
    ux, uy, uz = oy * z - oz * y + 2.0 * vx, oz * x - ox * z + 2.0 * vy, ox * y - oy * x + 2.0 * vz
    return (
        p["ax"] + ly * z - lz * y + oy * uz - oz * uy,
        p["ay"] + lz * x - lx * z + oz * ux - ox * uz,
        p["az"] + lx * y - ly * x + ox * uy - oy * ux,
    )


def driven_at(frame, twist, p):
    """The same of a place that moves with a twist."""
    vx, vy, vz = in_world(frame, twist[0], twist[1], twist[2])
    return driven(frame[0, 3], frame[1, 3], frame[2, 3], vx, vy, vz, p)


def turning(frame, twist, p):
    """Angular velocity in space of a place, in its axes."""
    x, y, z = in_axes(frame, p["ox"], p["oy"], p["oz"])
    return twist[3] + x, twist[4] + y, twist[5] + z


def turning_rate(frame, twist, p):
    """What the rate of that has besides the rate of the twist: R^T L - w × R^T O."""
    x, y, z = in_axes(frame, p["lx"], p["ly"], p["lz"])
    w0, w1, w2 = turning(frame, twist, p)
    a, b, c = cross(twist[3], twist[4], twist[5], w0, w1, w2)
    return x - a, y - b, z - c


def flow_pull(velocity):
    """pull(x, y, z, t, px, py, pz, p): gradient of p . u over the position, u the velocity of a flow, world axes."""

    def pull(x, y, z, t, px, py, pz, p):
        h, out = _INSTANT, np.empty(3)
        for i in range(3):
            dx, dy, dz = h * (i == 0), h * (i == 1), h * (i == 2)
            a, b = velocity(x + dx, y + dy, z + dz, t, p), velocity(x - dx, y - dy, z - dz, t, p)
            out[i] = 0.5 / h * (px * (a[0] - b[0]) + py * (a[1] - b[1]) + pz * (a[2] - b[2]))
        return out

    return pull


def flow_change(velocity):
    """change(x, y, z, vx, vy, vz, t, p): acceleration of a flow that a point with the velocity v meets, world axes."""

    def change(x, y, z, vx, vy, vz, t, p):
        h, s = _INSTANT, 0.5 / _INSTANT
        ahead = velocity(x + h * vx, y + h * vy, z + h * vz, t + h, p)
        behind = velocity(x - h * vx, y - h * vy, z - h * vz, t - h, p)
        return s * (ahead[0] - behind[0]), s * (ahead[1] - behind[1]), s * (ahead[2] - behind[2])

    return change
