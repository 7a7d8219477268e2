"""Hybrid dynamics: some joints are given their accelerations, the others their efforts; each gets the other half.

The articulated-body algorithm, where a driven joint is rigid to the inertia beyond it: nothing is projected out, and
its own acceleration loads its parent.
Apart from `flexible.dynamics` for speed: half of its time, and several states side by side.
Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 9.2.
"""

from cosserat.jit import inlined, quick
from cosserat.jit.lanes import get, put
from cosserat.kernels.recursion.articulated import (
    accelerate,
    add_to_parent,
    carried_acceleration,
    fold,
    outward_velocities,
    rotated,
    screw_bias,
    total_inertia,
)
from cosserat.kernels.recursion.link import fault, get3, get_frame, get_pair, link_of, put_effort, put_pair
from cosserat.kernels.recursion.table import (
    COUNT,
    EFFORT,
    FORCES,
    N_LINKS,
    N_V,
    REVOLUTE,
    SCREW,
    SLIDE,
    SPHERICAL,
    TURN,
    W_ACCELERATION,
    W_FORCE,
    W_FRAME,
    W_PULL,
    W_TWIST,
    WORK,
)
from cosserat.kernels.vectors import add, cross, matmul, mul, mul_t, symmetric, transpose


@inlined
def hybrid(table, q, v, driven, given, work, a_out, tau_out):
    """Accelerations and efforts; `given` holds accelerations where `driven` (n_v,) is 1, efforts where it is 0.

    Freedoms of a spherical or free joint are driven all or none.
    """
    outward_velocities(table, q, v, work)
    n = int(table[N_LINKS])
    forced, effort = table[FORCES] != 0.0, int(table[EFFORT])
    for k in range(int(table[N_V])):
        put(tau_out, k, get(given, k))
        if forced and driven[k] == 0.0:
            put(a_out, k, get(given, k) + get(work, effort + k))
        else:
            put(a_out, k, get(given, k))
    for j in range(n):
        i = n - 1 - j
        row, at, kind, parent, k = link_of(table, i)
        if driven[k] != 0.0:
            _fold_driven(table, row, at, kind, parent, k, v, work, given)
        else:
            fold(table, v, work, i, a_out)
    for i in range(n):
        row, at, kind, _, k = link_of(table, i)
        if driven[k] != 0.0:
            _drive(table, row, at, kind, k, work, given, tau_out)
        else:
            accelerate(table, v, work, i, a_out)
    if forced:
        for k in range(int(table[N_V])):
            if driven[k] != 0.0:
                put(tau_out, k, get(tau_out, k) - get(work, effort + k))


@inlined
def _fold_driven(table, row, at, kind, parent, k, v, work, given):
    """Add all of a link's articulated inertia to its parent; keep the acceleration that its joint adds."""
    u, w = get_pair(work, at + W_TWIST)
    if kind == REVOLUTE or kind == SCREW:
        slide, turn = (0.0, 1.0) if kind == REVOLUTE else (table[row + SLIDE], table[row + TURN])
        c, d = screw_bias(work, at, slide * get(v, k), turn * get(v, k))
        x, y = (c[0], c[1], slide * get(given, k)), (d[0], d[1], turn * get(given, k))
    elif kind == SPHERICAL:
        turns = get3(v, k)
        x, y = cross(u, turns), add(cross(w, turns), get3(given, k))
    else:
        slides, turns = get_pair(v, k)
        x = add(add(cross(u, turns), cross(w, slides)), get3(given, k))
        y = add(cross(w, turns), get3(given, k + 3))
    put_pair(work, at + W_PULL, x, y)
    if parent >= 0:
        A, B, C = total_inertia(table, row, work)
        f, t = _load(table, row, at, work, x, y)
        R, p = get_frame(work, at + W_FRAME)
        turned = matmul(matmul(R, B), transpose(R))
        add_to_parent(table, row, work, R, p, rotated(R, A), turned, rotated(R, C), f, t)


@inlined
def _load(table, row, at, work, x, y):
    """Wrench that a link and all that hangs on it need for an acceleration."""
    A, B, C = total_inertia(table, row, work)
    f = add(get3(work, at + W_FORCE), add(symmetric(A, x), mul(B, y)))
    return f, add(get3(work, at + W_FORCE + 3), add(mul_t(B, x), symmetric(C, y)))


@inlined
def _drive(table, row, at, kind, k, work, given, tau_out):
    """Acceleration of a driven link, and the effort its joint needs."""
    x, y = carried_acceleration(table, row, at, work)
    x, y = add(x, get3(work, at + W_PULL)), add(y, get3(work, at + W_PULL + 3))
    put_pair(work, at + W_ACCELERATION, x, y)
    f, t = _load(table, row, at, work, x, y)
    put_effort(table, row, kind, k, f, t, given, tau_out)


@quick(1, 1, 1, 1, 1, 1, 1)
def hybrid_dynamics(table, q, v, driven, given, a_out, tau_out):
    """Accelerations and efforts (n_v,) of one state, see `hybrid`; returns 1 if a vector is not as it should be."""
    n_v = int(table[N_V])
    if fault(n_v, q, v, given, a_out) + fault(n_v, driven, driven, driven, tau_out) != 0:
        return 1
    for i in range(int(table[N_LINKS])):
        row, _, _, _, k = link_of(table, i)
        for c in range(int(table[row + COUNT])):
            if driven[k + c] != driven[k] or (driven[k] != 0.0 and driven[k] != 1.0):
                return 1
    hybrid(table, q, v, driven, given, table[int(table[WORK]) :], a_out, tau_out)
    return 0
