"""One link of the recursions: its frame in the parent's, and products of its inertia; tuples of numbers or lanes."""

import math

from cosserat.jit import helper, inlined
from cosserat.jit.angles import angle, half_turn, prepare_angles
from cosserat.jit.lanes import get, put
from cosserat.kernels.recursion.table import (
    ANGLES,
    ARMATURE,
    FIRST,
    FRAME,
    HEADER,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    N_LINKS,
    N_V,
    PARENT,
    REVOLUTE,
    ROW,
    SCREW,
    SLIDE,
    SPHERICAL,
    TURN,
    W_FRAME,
    W_ROW,
)
from cosserat.kernels.vectors import add, cross, matmul, mul, mul_t, scale, sub, symmetric


@inlined
def rotation(x, y, z):
    """Rotation by a rotation vector: the unit quaternion (c, k (x, y, z)) as a matrix."""
    s, c = half_turn(x * x + y * y + z * z)
    k = 0.5 * s
    x, y, z = k * x, k * y, k * z
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    cx, cy, cz = c * x, c * y, c * z
    return (
        1.0 - 2.0 * (yy + zz), 2.0 * (xy - cz), 2.0 * (xz + cy),
        2.0 * (xy + cz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - cx),
        2.0 * (xz - cy), 2.0 * (yz + cx), 1.0 - 2.0 * (xx + yy),
    )  # fmt: skip


@inlined
def link_of(table, i):
    """Row of link i in the table, its row in the workspace, kind of joint, parent, and first coordinate."""
    row = HEADER + i * ROW
    return row, i * W_ROW, int(table[row + KIND]), int(table[row + PARENT]), int(table[row + FIRST])


@inlined
def own_inertia(table, row):
    """Mass, first moment, and inertia (xx xy xz yy yz zz) of a link."""
    return table[row + MASS], get3(table, row + MOMENT), get6(table, row + INERTIA)


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
def add3(array_out, i, a):
    """Add to three numbers."""
    put3(array_out, i, (get(array_out, i) + a[0], get(array_out, i + 1) + a[1], get(array_out, i + 2) + a[2]))


@inlined
def get_pair(array, i):
    """Two vectors: a twist, an acceleration or a wrench."""
    return get3(array, i), get3(array, i + 3)


@inlined
def put_pair(array_out, i, a, b):
    """Write two vectors."""
    put3(array_out, i, a)
    put3(array_out, i + 3, b)


@inlined
def add_pair(array_out, i, a, b):
    """Add to two vectors."""
    add3(array_out, i, a)
    add3(array_out, i + 3, b)


@inlined
def get_frame(array, i):
    """A frame (R, p)."""
    return get9(array, i), get3(array, i + 9)


@inlined
def put_effort(table, row, kind, k, f, t, a, tau_out):
    """Write the efforts of a joint that transmits a wrench (f, t), at accelerations a."""
    if kind == REVOLUTE:
        put(tau_out, k, t[2])
    elif kind == SCREW:
        along = table[row + SLIDE] * f[2] + table[row + TURN] * t[2]
        put(tau_out, k, along + table[row + ARMATURE] * get(a, k))
    elif kind == SPHERICAL:
        put3(tau_out, k, t)
    else:
        put_pair(tau_out, k, f, t)


@inlined
def get6(array, i):
    """Six numbers."""
    return get(array, i), get(array, i + 1), get(array, i + 2), get(array, i + 3), get(array, i + 4), get(array, i + 5)


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
    put_pair(array_out, i, (a[0], a[1], a[2]), (a[3], a[4], a[5]))
    put3(array_out, i + 6, (a[6], a[7], a[8]))


@inlined
def turn_links(table, q, work):
    """Frames (R, p) of the links in their parents' frames; parts that never change stand in the workspace already."""
    n_v, angles = int(table[N_V]), int(table[ANGLES])
    prepare_angles(q, n_v, work, angles)
    for i in range(int(table[N_LINKS])):
        row, at, kind, _, k = link_of(table, i)
        t, p = get_frame(table, row + FRAME)
        if kind == REVOLUTE or (kind == SCREW and table[row + TURN] != 0.0):
            s, c = angle(q, k, n_v, work, angles)
            for e in range(3):
                x, y = table[row + FRAME + 3 * e], table[row + FRAME + 3 * e + 1]
                put(work, at + 3 * e, c * x + s * y)
                put(work, at + 3 * e + 1, c * y - s * x)
        if kind == SCREW:
            along = table[row + SLIDE] * get(q, k)
            put3(work, at + W_FRAME + 9, (p[0] + along * t[2], p[1] + along * t[5], p[2] + along * t[8]))
        elif kind != REVOLUTE:
            sign = table[row + TURN]
            w = get3(q, k if kind == SPHERICAL else k + 3)
            R = matmul(t, rotation(sign * w[0], sign * w[1], sign * w[2]))
            put9(work, at + W_FRAME, R)
            if kind != SPHERICAL:
                u = get3(q, k)
                if sign > 0.0:
                    put3(work, at + W_FRAME + 9, add(mul(t, u), p))
                else:
                    put3(work, at + W_FRAME + 9, sub(p, mul(R, u)))


@inlined
def inward(R, p, u, w):
    """Twist of the parent, seen in the link's frame: (R^T (u + w x p), R^T w)."""
    return mul_t(R, add(u, cross(w, p))), mul_t(R, w)


@inlined
def outward(R, p, f, m):
    """Wrench of a link, seen in its parent's frame: (R f, R m + p x R f)."""
    f = mul(R, f)
    return f, add(mul(R, m), cross(p, f))


@inlined
def momentum(m, h, J, u, w):
    """I (u, w) of a rigid body: mass m, first moment h, inertia J (xx xy xz yy yz zz)."""
    return add(scale(m, u), cross(w, h)), add(symmetric(J, w), cross(h, u))


@inlined
def gyration(u, w, p, l):
    """(u, w) x* (p, l) = (w x p, w x l + u x p): rate of a momentum carried by a moving frame."""
    return cross(w, p), add(cross(w, l), cross(u, p))
