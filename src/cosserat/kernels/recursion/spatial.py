"""Links and freedoms in world axes about one point, the position of the first link: what matrices are made of.

In these coordinates twists of different links add without transformations, and so do the inertias of composite bodies.
"""

from cosserat.jit import inlined
from cosserat.kernels.frames import bracket
from cosserat.kernels.recursion.link import (
    get3,
    get6,
    get_frame,
    get_pair,
    gyration,
    link_of,
    momentum,
    own_inertia,
    put3,
    put9,
    put_pair,
    turn_links,
)
from cosserat.kernels.recursion.table import (
    COUNT,
    D_AXIS,
    D_PSI,
    D_PSI_DOT,
    D_ROWS,
    D_SUM,
    DOF,
    FREE,
    GRAVITY,
    HEADER,
    N_LINKS,
    N_V,
    PARENT,
    ROW,
    SLIDE,
    SPATIAL,
    SPHERICAL,
    TURN,
    W_FRAME,
    WORK,
    X_ACCELERATION,
    X_FORCE,
    X_FRAME,
    X_GYRATION,
    X_INERTIA,
    X_MASS,
    X_MOMENT,
    X_MOMENTUM,
    X_ROW,
    X_TWIST,
)
from cosserat.kernels.vectors import add, axpy, cross, dot, matmul, mul, scale, sub


@inlined
def spatial_parts(table):
    """Views into the workspace: rows of links, components (D_ROWS, n_v) of freedoms, origin (3,)."""
    n, n_v, at = int(table[N_LINKS]), int(table[N_V]), int(table[SPATIAL])
    between = at + n * X_ROW
    end = between + n_v * D_ROWS
    return table[at:between], table[between:end].reshape((D_ROWS, n_v)), table[end:]


@inlined
def placed(table, q):
    """The same, with the links placed at coordinates q."""
    links, freedoms, origin = spatial_parts(table)
    place_links(table, q, links, freedoms, origin)
    return links, freedoms, origin


@inlined
def place_links(table, q, links, freedoms, origin):
    """World frames of the links, about `origin`, and the axes S (6) of their freedoms."""
    work = table[int(table[WORK]) :]
    turn_links(table, q, work)
    for i in range(int(table[N_LINKS])):
        row, here, kind, parent, _ = link_of(table, i)
        at = i * X_ROW
        R, x = get_frame(work, here + W_FRAME)
        if i == 0:
            put3(origin, 0, x)
        if parent >= 0:
            R_p, x_p = get_frame(links, parent * X_ROW + X_FRAME)
            R, x = matmul(R_p, R), add(x_p, mul(R_p, x))
        else:
            x = sub(x, get3(origin, 0))
        put9(links, at + X_FRAME, R)
        put3(links, at + X_FRAME + 9, x)
        d = int(table[row + DOF])
        if kind < SPHERICAL:
            z = (R[2], R[5], R[8])
            lever = cross(x, z)
            s, t = table[row + SLIDE], table[row + TURN]
            _set(freedoms, D_AXIS, d, axpy(s, z, scale(t, lever)), scale(t, z))
        else:
            turns = d + 3 if kind == FREE else d
            for c in range(3):
                z = (R[c], R[3 + c], R[6 + c])
                _set(freedoms, D_AXIS, turns + c, cross(x, z), z)
                if kind == FREE:
                    _set(freedoms, D_AXIS, d + c, z, (0.0, 0.0, 0.0))


@inlined
def _set(freedoms, first, d, u, w):
    """Write six components of a freedom."""
    freedoms[first, d] = u[0]
    freedoms[first + 1, d] = u[1]
    freedoms[first + 2, d] = u[2]
    freedoms[first + 3, d] = w[0]
    freedoms[first + 4, d] = w[1]
    freedoms[first + 5, d] = w[2]


@inlined
def part(freedoms, first, d):
    """Three components of a freedom."""
    return freedoms[first, d], freedoms[first + 1, d], freedoms[first + 2, d]


@inlined
def both_parts(freedoms, first, d):
    """Six components of a freedom, as two vectors."""
    return part(freedoms, first, d), part(freedoms, first + 3, d)


@inlined
def own_inertias(table, links):
    """Inertias of the links themselves."""
    for i in range(int(table[N_LINKS])):
        at = i * X_ROW
        R, x = get_frame(links, at + X_FRAME)
        m, h, J = own_inertia(table, HEADER + i * ROW)
        h = mul(R, h)
        M = matmul(R, (J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]))
        links[at + X_MASS] = m
        put3(links, at + X_MOMENT, axpy(m, x, h))
        # J + (2 x.h + m x.x) I - x h^T - h x^T - m x x^T
        g = axpy(0.5 * m, x, h)
        e = 2.0 * dot(x, g)
        o = at + X_INERTIA
        links[o] = M[0] * R[0] + M[1] * R[1] + M[2] * R[2] + e - 2.0 * x[0] * g[0]
        links[o + 1] = M[0] * R[3] + M[1] * R[4] + M[2] * R[5] - x[0] * g[1] - x[1] * g[0]
        links[o + 2] = M[0] * R[6] + M[1] * R[7] + M[2] * R[8] - x[0] * g[2] - x[2] * g[0]
        links[o + 3] = M[3] * R[3] + M[4] * R[4] + M[5] * R[5] + e - 2.0 * x[1] * g[1]
        links[o + 4] = M[3] * R[6] + M[4] * R[7] + M[5] * R[8] - x[1] * g[2] - x[2] * g[1]
        links[o + 5] = M[6] * R[6] + M[7] * R[7] + M[8] * R[8] + e - 2.0 * x[2] * g[2]


@inlined
def move_links(table, v, links, freedoms):
    """World twists of the links, and of every freedom: psi = V_parent x S, sum = psi + V_link x S."""
    for i in range(int(table[N_LINKS])):
        row, _, _, parent, k = link_of(table, i)
        at, d = i * X_ROW, int(table[row + DOF])
        u_p, w_p = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            u_p, w_p = get_pair(links, parent * X_ROW + X_TWIST)
        u, w = u_p, w_p
        count = int(table[row + COUNT])
        for c in range(count):
            rate = v[k + c]
            u = axpy(rate, part(freedoms, D_AXIS, d + c), u)
            w = axpy(rate, part(freedoms, D_AXIS + 3, d + c), w)
        put_pair(links, at + X_TWIST, u, w)
        for c in range(count):
            s, t = both_parts(freedoms, D_AXIS, d + c)
            a, b = bracket(u_p, w_p, s, t)
            _set(freedoms, D_PSI, d + c, a, b)
            e, f = bracket(u, w, s, t)
            _set(freedoms, D_SUM, d + c, add(a, e), add(b, f))


@inlined
def accelerate_links(table, v, a, links, freedoms):
    """World accelerations (gravity included), psi_dot = A_parent x S + V_parent x psi, momenta and forces of links.

    X_GYRATION holds the symmetric part of 2 B, B = (V x* I - I V x + (I V) x-bar*) / 2, whose other parts are momenta.
    Source: Singh, Russell, Wensing, IEEE RA-L 7 (2022), "Efficient analytical derivatives of rigid-body dynamics".
    """
    for i in range(int(table[N_LINKS])):
        row, _, _, parent, k = link_of(table, i)
        at, d = i * X_ROW, int(table[row + DOF])
        x_p, y_p = (-table[GRAVITY], -table[GRAVITY + 1], -table[GRAVITY + 2]), (0.0, 0.0, 0.0)
        u_p, w_p = y_p, y_p
        if parent >= 0:
            up = parent * X_ROW
            x_p, y_p = get_pair(links, up + X_ACCELERATION)
            u_p, w_p = get_pair(links, up + X_TWIST)
        u, w = get_pair(links, at + X_TWIST)
        slide, turn = sub(u, u_p), sub(w, w_p)
        e, f = bracket(u_p, w_p, slide, turn)
        x, y = add(x_p, e), add(y_p, f)
        for c in range(int(table[row + COUNT])):
            s, t = both_parts(freedoms, D_AXIS, d + c)
            x, y = axpy(a[k + c], s, x), axpy(a[k + c], t, y)
            e, f = bracket(x_p, y_p, s, t)
            g, h = bracket(u_p, w_p, *both_parts(freedoms, D_PSI, d + c))
            _set(freedoms, D_PSI_DOT, d + c, add(e, g), add(f, h))
        put_pair(links, at + X_ACCELERATION, x, y)
        m, h, J = _inertia(links, at)
        s, l = momentum(m, h, J, u, w)
        f, t = momentum(m, h, J, x, y)
        e, g = gyration(u, w, s, l)
        put_pair(links, at + X_MOMENTUM, s, l)
        put_pair(links, at + X_FORCE, add(f, e), add(t, g))
        o = at + X_GYRATION  # w~ J - J w~ - (u~ h~ + h~ u~)
        uh = 2.0 * dot(u, h)
        links[o] = 2.0 * (w[1] * J[2] - w[2] * J[1] - u[0] * h[0]) + uh
        links[o + 1] = w[1] * J[4] - w[2] * J[3] + w[2] * J[0] - w[0] * J[2] - u[0] * h[1] - u[1] * h[0]
        links[o + 2] = w[1] * J[5] - w[2] * J[4] + w[0] * J[1] - w[1] * J[0] - u[0] * h[2] - u[2] * h[0]
        links[o + 3] = 2.0 * (w[2] * J[1] - w[0] * J[4] - u[1] * h[1]) + uh
        links[o + 4] = w[2] * J[2] - w[0] * J[5] + w[0] * J[3] - w[1] * J[1] - u[1] * h[2] - u[2] * h[1]
        links[o + 5] = 2.0 * (w[0] * J[4] - w[1] * J[2] - u[2] * h[2]) + uh


@inlined
def _inertia(links, at):
    return links[at + X_MASS], get3(links, at + X_MOMENT), get6(links, at + X_INERTIA)


@inlined
def gather(table, i, links, first, last):
    """Add numbers first ... last - 1 of link i to those of its parent."""
    parent = int(table[HEADER + i * ROW + PARENT])
    if parent >= 0:
        for c in range(first, last):
            links[parent * X_ROW + c] += links[i * X_ROW + c]


@inlined
def composite_force(links, i, s, t):
    """I (s, t) with the inertia at link i."""
    m, h, J = _inertia(links, i * X_ROW)
    return momentum(m, h, J, s, t)
