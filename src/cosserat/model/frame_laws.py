"""What laws in a frame that moves as prescribed need besides the motion that is seen from it.

Numbers of the frame, along its axes: acceleration of its origin (ax, ay, az), angular velocity O (ox, oy, oz) and its
rate L (lx, ly, lz). Written in the part of Python that Numba compiles.
"""

# mypy: disable-error-code="no-untyped-def"


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
    return driven(
        frame[0, 3],
        frame[1, 3],
        frame[2, 3],
        frame[0, 0] * twist[0] + frame[0, 1] * twist[1] + frame[0, 2] * twist[2],
        frame[1, 0] * twist[0] + frame[1, 1] * twist[1] + frame[1, 2] * twist[2],
        frame[2, 0] * twist[0] + frame[2, 1] * twist[1] + frame[2, 2] * twist[2],
        p,
    )


def turning(frame, twist, p):
    """Angular velocity in space of a place, in its axes."""
    x, y, z = p["ox"], p["oy"], p["oz"]
    return (
        twist[3] + frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z,
        twist[4] + frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z,
        twist[5] + frame[0, 2] * x + frame[1, 2] * y + frame[2, 2] * z,
    )


def turning_rate(frame, twist, p):
    """What the rate of that has besides the rate of the twist: R^T L - w × R^T O."""
    x, y, z = p["lx"], p["ly"], p["lz"]
    w0, w1, w2 = turning(frame, twist, p)
    return (
        frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z - (twist[4] * w2 - twist[5] * w1),
        frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z - (twist[5] * w0 - twist[3] * w2),
        frame[0, 2] * x + frame[1, 2] * y + frame[2, 2] * z - (twist[3] * w1 - twist[4] * w0),
    )
