"""Hybrid dynamics: some joints are given their accelerations, the others their efforts; each gets the other half.

The articulated-body algorithm, where a driven joint is rigid to the inertia beyond it: nothing is projected out, and
its own acceleration loads its parent.
Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 9.2.
"""

from cosserat.jit import inlined, quick
from cosserat.kernels.recursion.articulated import (
    accelerate,
    add_to_parent,
    carried_acceleration,
    fold_ball,
    fold_free,
    fold_hinge,
    fold_screw,
    get6,
    outward_velocities,
    rotated,
    screw_bias,
)
from cosserat.kernels.recursion.link import get3, get9, put3, symmetric
from cosserat.kernels.recursion.table import (
    FIRST,
    HEADER,
    KIND,
    N_LINKS,
    N_V,
    PARENT,
    REVOLUTE,
    ROW,
    SCREW,
    SLIDE,
    SPHERICAL,
    TURN,
    W_ACCELERATION,
    W_FORCE,
    W_FRAME,
    W_INERTIA,
    W_PULL,
    W_ROW,
    W_TWIST,
    WORK,
)
from cosserat.kernels.vectors import add, cross, matmul, mul, mul_t, transpose


@quick(1, 1, 1, 1, 1, 1, 1, 1, 1)
def hybrid_dynamics(table, q, v, driven, given, wrench, effort, a_out, tau_out):
    """Accelerations and efforts (n_v,); `given` holds accelerations where `driven` is 1, efforts where it is 0.

    Freedoms of a spherical or free joint are driven all or none. wrench (6 n) on the links in their frames and
    effort (n_v,) are the model's own forces.
    """
    n, n_v = int(table[N_LINKS]), int(table[N_V])
    work = table[int(table[WORK]) :]
    outward_velocities(table, q, v, work, wrench, n, n_v)
    for k in range(n_v):
        tau_out[k] = given[k]
        a_out[k] = given[k] + (0.0 if driven[k] != 0.0 else effort[k])
    for j in range(n):
        i = n - 1 - j
        row, at = HEADER + i * ROW, i * W_ROW
        kind, k = int(table[row + KIND]), int(table[row + FIRST])
        if driven[k] != 0.0:
            _fold_driven(table, row, at, kind, k, v, work, given)
        elif kind == REVOLUTE:
            fold_hinge(table, row, at, v, k, work, a_out)
        elif kind == SCREW:
            fold_screw(table, row, at, v, k, work, a_out)
        elif kind == SPHERICAL:
            fold_ball(table, row, at, v, k, work, a_out)
        else:
            fold_free(table, row, at, k, work, a_out)
    for i in range(n):
        k = int(table[HEADER + i * ROW + FIRST])
        if driven[k] != 0.0:
            _drive(table, v, work, i, k, effort, tau_out)
        else:
            accelerate(table, v, work, i, a_out)


@inlined
def _fold_driven(table, row, at, kind, k, v, work, given):
    """Add all of a link's articulated inertia to its parent; keep the acceleration that its joint adds."""
    u, w = get3(work, at + W_TWIST), get3(work, at + W_TWIST + 3)
    if kind == REVOLUTE or kind == SCREW:
        slide, turn = (0.0, 1.0) if kind == REVOLUTE else (table[row + SLIDE], table[row + TURN])
        c, d = screw_bias(work, at, slide * v[k], turn * v[k])
        x, y = (c[0], c[1], slide * given[k]), (d[0], d[1], turn * given[k])
    elif kind == SPHERICAL:
        turns = get3(v, k)
        x, y = cross(u, turns), add(cross(w, turns), get3(given, k))
    else:
        slides, turns = get3(v, k), get3(v, k + 3)
        x = add(add(cross(u, turns), cross(w, slides)), get3(given, k))
        y = add(cross(w, turns), get3(given, k + 3))
    put3(work, at + W_PULL, x)
    put3(work, at + W_PULL + 3, y)
    parent = int(table[row + PARENT])
    if parent >= 0:
        A, B, C = get6(work, at + W_INERTIA), get9(work, at + W_INERTIA + 6), get6(work, at + W_INERTIA + 15)
        f, t = _load(work, at, x, y)
        R, p = get9(work, at + W_FRAME), get3(work, at + W_FRAME + 9)
        turned = matmul(matmul(R, B), transpose(R))
        add_to_parent(work, parent * W_ROW, R, p, rotated(R, A), turned, rotated(R, C), f, t)


@inlined
def _load(work, at, x, y):
    """Wrench that a link and all that hangs on it need for an acceleration."""
    A, B, C = get6(work, at + W_INERTIA), get9(work, at + W_INERTIA + 6), get6(work, at + W_INERTIA + 15)
    f = add(get3(work, at + W_FORCE), add(symmetric(A, x), mul(B, y)))
    return f, add(get3(work, at + W_FORCE + 3), add(mul_t(B, x), symmetric(C, y)))


@inlined
def _drive(table, v, work, i, k, effort, tau_out):
    """Acceleration of a driven link, and the effort its joint needs besides the model's own."""
    row, at = HEADER + i * ROW, i * W_ROW
    kind = int(table[row + KIND])
    x, y = carried_acceleration(table, v, work, i)
    x, y = add(x, get3(work, at + W_PULL)), add(y, get3(work, at + W_PULL + 3))
    put3(work, at + W_ACCELERATION, x)
    put3(work, at + W_ACCELERATION + 3, y)
    f, t = _load(work, at, x, y)
    if kind == REVOLUTE:
        tau_out[k] = t[2] - effort[k]
    elif kind == SCREW:
        tau_out[k] = table[row + SLIDE] * f[2] + table[row + TURN] * t[2] - effort[k]
    else:
        first = k if kind == SPHERICAL else k + 3
        for c in range(3):
            tau_out[first + c] = t[c] - effort[first + c]
            if kind != SPHERICAL:
                tau_out[k + c] = f[c] - effort[k + c]
