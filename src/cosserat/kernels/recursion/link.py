"""One link of the recursions: its frame in the parent's, and products of its inertia; tuples of numbers or lanes."""

import math

from cosserat.jit import helper, inlined
from cosserat.kernels.frames import exp_frame
from cosserat.kernels.recursion.lanes import get, like, per_lane, put
from cosserat.kernels.recursion.table import FRAME, REVOLUTE, SCREW, SLIDE, SPHERICAL, TURN


@inlined
def rotation_exp(x, y, z):
    """Rotation by a rotation vector."""
    R, _ = exp_frame((0.0, 0.0, 0.0), (x, y, z))
    return R


rotation = per_lane(rotation_exp)


@helper
def fault(n_v, a, b, c, d):
    """0 if four vectors have n_v numbers each and the first three are finite; 1 otherwise."""
    if len(a) != n_v or len(b) != n_v or len(c) != n_v or len(d) != n_v:
        return 1
    bad = 0
    for i in range(n_v):
        bad |= int(not abs(a[i]) < math.inf) | int(not abs(b[i]) < math.inf) | int(not abs(c[i]) < math.inf)
    return bad


@helper
def misshapen(n, A, B, C):
    """0 if three matrices are (n, n)."""
    return int(A.shape != (n, n)) + int(B.shape != (n, n)) + int(C.shape != (n, n))


@inlined
def get3(array, i):
    """Three numbers."""
    return get(array, i), get(array, i + 1), get(array, i + 2)


@inlined
def put3(array_out, i, a):
    """Write three numbers."""
    put(array_out, i, a[0])
    put(array_out, i + 1, a[1])
    put(array_out, i + 2, a[2])


@inlined
def get9(array, i):
    """Nine numbers."""
    return (
        get(array, i), get(array, i + 1), get(array, i + 2), get(array, i + 3), get(array, i + 4), get(array, i + 5),
        get(array, i + 6), get(array, i + 7), get(array, i + 8),
    )  # fmt: skip


@inlined
def put9(array_out, i, a):
    """Write nine numbers."""
    put3(array_out, i, (a[0], a[1], a[2]))
    put3(array_out, i + 3, (a[3], a[4], a[5]))
    put3(array_out, i + 6, (a[6], a[7], a[8]))


@inlined
def link_frame(table, row, kind, q, first, sine, cosine):
    """Frame (R, p) of a link in its parent's link frame; sine and cosine are those of its coordinate `first`."""
    t = get9(table, row + FRAME)
    x, y, z = get3(table, row + FRAME + 9)
    p = (like(x, sine), like(y, sine), like(z, sine))  # as wide as what the other branches give
    if kind == REVOLUTE:
        return _turned(t, sine, cosine), p
    if kind == SCREW:
        along = table[row + SLIDE] * get(q, first)
        p = (x + along * t[2], y + along * t[5], z + along * t[8])
        if table[row + TURN] == 0.0:
            return _turned(t, like(0.0, sine), like(1.0, sine)), p
        return _turned(t, sine, cosine), p
    sign = table[row + TURN]
    a = first if kind == SPHERICAL else first + 3
    w = get3(q, a)
    E = rotation(sign * w[0], sign * w[1], sign * w[2])
    R = (
        t[0] * E[0] + t[1] * E[3] + t[2] * E[6],
        t[0] * E[1] + t[1] * E[4] + t[2] * E[7],
        t[0] * E[2] + t[1] * E[5] + t[2] * E[8],
        t[3] * E[0] + t[4] * E[3] + t[5] * E[6],
        t[3] * E[1] + t[4] * E[4] + t[5] * E[7],
        t[3] * E[2] + t[4] * E[5] + t[5] * E[8],
        t[6] * E[0] + t[7] * E[3] + t[8] * E[6],
        t[6] * E[1] + t[7] * E[4] + t[8] * E[7],
        t[6] * E[2] + t[7] * E[5] + t[8] * E[8],
    )
    if kind != SPHERICAL:
        u = get3(q, first)
        if sign > 0.0:
            d = (t[0] * u[0] + t[1] * u[1] + t[2] * u[2],
                 t[3] * u[0] + t[4] * u[1] + t[5] * u[2],
                 t[6] * u[0] + t[7] * u[1] + t[8] * u[2])  # fmt: skip
        else:
            d = (-(R[0] * u[0] + R[1] * u[1] + R[2] * u[2]),
                 -(R[3] * u[0] + R[4] * u[1] + R[5] * u[2]),
                 -(R[6] * u[0] + R[7] * u[1] + R[8] * u[2]))  # fmt: skip
        p = (x + d[0], y + d[1], z + d[2])
    return R, p


@inlined
def _turned(t, s, c):
    """R_z(q) after a constant rotation t."""
    return (
        c * t[0] + s * t[1], c * t[1] - s * t[0], like(t[2], s),
        c * t[3] + s * t[4], c * t[4] - s * t[3], like(t[5], s),
        c * t[6] + s * t[7], c * t[7] - s * t[6], like(t[8], s),
    )  # fmt: skip


@inlined
def inward(R, p, u, w):
    """Twist of the parent, seen in the link's frame: (R^T (u + w x p), R^T w)."""
    x = u[0] + w[1] * p[2] - w[2] * p[1]
    y = u[1] + w[2] * p[0] - w[0] * p[2]
    z = u[2] + w[0] * p[1] - w[1] * p[0]
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    ), (
        R[0] * w[0] + R[3] * w[1] + R[6] * w[2],
        R[1] * w[0] + R[4] * w[1] + R[7] * w[2],
        R[2] * w[0] + R[5] * w[1] + R[8] * w[2],
    )


@inlined
def outward(R, p, f, m):
    """Wrench of a link, seen in its parent's frame: (R f, R m + p x R f)."""
    x = R[0] * f[0] + R[1] * f[1] + R[2] * f[2]
    y = R[3] * f[0] + R[4] * f[1] + R[5] * f[2]
    z = R[6] * f[0] + R[7] * f[1] + R[8] * f[2]
    return (x, y, z), (
        R[0] * m[0] + R[1] * m[1] + R[2] * m[2] + p[1] * z - p[2] * y,
        R[3] * m[0] + R[4] * m[1] + R[5] * m[2] + p[2] * x - p[0] * z,
        R[6] * m[0] + R[7] * m[1] + R[8] * m[2] + p[0] * y - p[1] * x,
    )


@inlined
def momentum(m, h, J, u, w):
    """I (u, w) of a rigid body: mass m, first moment h, inertia J (xx xy xz yy yz zz)."""
    return (
        m * u[0] + w[1] * h[2] - w[2] * h[1],
        m * u[1] + w[2] * h[0] - w[0] * h[2],
        m * u[2] + w[0] * h[1] - w[1] * h[0],
    ), (
        J[0] * w[0] + J[1] * w[1] + J[2] * w[2] + h[1] * u[2] - h[2] * u[1],
        J[1] * w[0] + J[3] * w[1] + J[4] * w[2] + h[2] * u[0] - h[0] * u[2],
        J[2] * w[0] + J[4] * w[1] + J[5] * w[2] + h[0] * u[1] - h[1] * u[0],
    )


@inlined
def gyration(u, w, p, l):
    """(u, w) x* (p, l) = (w x p, w x l + u x p): rate of a momentum carried by a moving frame."""
    return (
        w[1] * p[2] - w[2] * p[1],
        w[2] * p[0] - w[0] * p[2],
        w[0] * p[1] - w[1] * p[0],
    ), (
        w[1] * l[2] - w[2] * l[1] + u[1] * p[2] - u[2] * p[1],
        w[2] * l[0] - w[0] * l[2] + u[2] * p[0] - u[0] * p[2],
        w[0] * l[1] - w[1] * l[0] + u[0] * p[1] - u[1] * p[0],
    )


@inlined
def symmetric(S, a):
    """S a, S symmetric."""
    return (S[0] * a[0] + S[1] * a[1] + S[2] * a[2], S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
            S[2] * a[0] + S[4] * a[1] + S[5] * a[2])  # fmt: skip
