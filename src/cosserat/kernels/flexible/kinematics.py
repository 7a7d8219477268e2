"""Motion of all links at a state: frames, velocities, the matrices of [Boyer05] (64)-(66), inertias, velocity terms."""

from cosserat.jit import helper, stage
from cosserat.kernels.flexible.arrays import (
    AXES,
    BASE,
    BODY,
    CARRIERS,
    CARRY,
    FIRST,
    KIND,
    MODE,
    MOVING,
    N_JOINT,
    N_MODES,
    OWN,
    PARENT,
    Z,
)
from cosserat.kernels.flexible.body import elastic_terms, rigid_terms
from cosserat.kernels.flexible.joint import joint_axis, joint_frame, joint_twist
from cosserat.kernels.flexible.seats import inverse_frame, place_seat
from cosserat.kernels.flexible.twists import combined, outer_twist, put6
from cosserat.kernels.frames import bracket, compose, load_frame, store_frame, twist_at_place
from cosserat.kernels.vectors import IDENTITY, ZERO, add, load, neg, sub


@helper
def move_link(links, seats, now, i, q, v, work):
    """Frame, velocities, W, N and c of one link."""
    row = links.table[i]
    kind, parent, k, m, first = row[KIND], row[PARENT], row[N_JOINT], row[N_MODES], row[FIRST]
    carry, axes, z, n = row[CARRY], row[AXES], row[Z], row[CARRIERS]
    slide, turn = links.joint[i, 0], links.joint[i, 1]
    u, w, R_p, x_p = ZERO, ZERO, IDENTITY, ZERO
    above, bent = 0, 0
    if parent >= 0:
        above, bent = links.table[parent, Z], links.table[parent, MODE]
        u, w = load(now.z, above), load(now.z, above + 3)
        R_p, x_p = load_frame(now.frame[parent])
    # the joint on the parent's side: its frame there, its twist, and what rates of this twist do not come from a
    R_b, x_b, f, g = place_seat(seats, row[BASE], q, bent, now.z, above + 6, now.carry, carry + 36, work)
    u, w = twist_at_place(R_b, x_b, u, w)
    if n > 0:
        du, dw = combined(now.carry, carry + 36, n, now.z, above + 6)
        bu, bw = bracket(u, w, du, dw)
        f, g, u, w = add(f, bu), add(g, bw), add(u, du), add(w, dw)
    # beyond the joint
    R_t, x_t = joint_frame(kind, slide, turn, q, first)
    u, w = twist_at_place(R_t, x_t, u, w)
    f, g = twist_at_place(R_t, x_t, f, g)
    du, dw = joint_twist(kind, slide, turn, v, first)
    bu, bw = bracket(u, w, du, dw)
    f, g, u, w = add(f, bu), add(g, bw), add(u, du), add(w, dw)
    # the link itself, which its own modes move against the joint
    R_o, x_o, bu, bw = place_seat(seats, row[OWN], q, row[MODE], v, row[MODE], now.axes, axes + 6 * k, work)
    if row[MOVING]:
        du, dw = combined(now.axes, axes + 6 * k, m, v, row[MODE])
        u, w = sub(u, du), sub(w, dw)
        f, g = sub(f, bu), sub(g, bw)
        bu, bw = bracket(u, w, du, dw)
        f, g = sub(f, bu), sub(g, bw)
    u, w = outer_twist(R_o, x_o, u, w)
    put6(u, w, now.z, z)
    for j in range(m):
        now.z[z + 6 + j] = v[row[MODE] + j]
    f, g = outer_twist(R_o, x_o, f, g)
    put6(f, g, now.drift[i], 0)
    R_i, x_i = inverse_frame(R_o, x_o)
    R, x = compose(R_b, x_b, R_t, x_t)
    R, x = compose(R, x, R_i, x_i)
    store_frame(R, x, now.relative[i])
    for j in range(6):
        e = (1.0 * (j % 3 == 0), 1.0 * (j % 3 == 1), 1.0 * (j % 3 == 2))
        if j < 3:
            u, w = twist_at_place(R, x, e, ZERO)
        else:
            u, w = twist_at_place(R, x, ZERO, e)
        put6(u, w, now.carry, carry + 6 * j)
    for j in range(n):
        o = carry + 36 + 6 * j
        u, w = twist_at_place(R_t, x_t, load(now.carry, o), load(now.carry, o + 3))
        u, w = outer_twist(R_o, x_o, u, w)
        put6(u, w, now.carry, o)
    for j in range(k):
        u, w = joint_axis(kind, slide, turn, j)
        u, w = outer_twist(R_o, x_o, u, w)
        put6(u, w, now.axes, axes + 6 * j)
    for j in range(m):
        o = axes + 6 * (k + j)
        if row[MOVING]:
            u, w = outer_twist(R_o, x_o, load(now.axes, o), load(now.axes, o + 3))
            put6(neg(u), neg(w), now.axes, o)
        else:
            put6(ZERO, ZERO, now.axes, o)
    R, x = compose(R_p, x_p, R, x)
    store_frame(R, x, now.frame[i])


@stage
def move(tree, state):
    """Write the motion of all links at the coordinates and velocities in `Vectors`."""
    links, bodies, seats = tree.links, tree.bodies, tree.seats
    now, scratch, x = state.motion, state.scratch, state.vectors
    for i in range(len(links.table)):
        move_link(links, seats, now, i, x.q, x.v, scratch.rows)
        if links.table[i, BODY] < 0:
            rigid_terms(links, now, i)
        else:
            elastic_terms(links, bodies, now, i, x.q, scratch.rows, scratch.more, scratch.bent)
    return 0


@helper
def accelerate(links, now, a, ground, rates_out):
    """z_dot of all links for the accelerations a; `ground` (6,): acceleration of the ground."""
    for i in range(len(links.table)):
        row = links.table[i]
        parent, z, m = row[PARENT], row[Z], row[N_MODES]
        u, w = load(now.drift[i], 0), load(now.drift[i], 3)
        if parent < 0:
            du, dw = combined(now.carry, row[CARRY], 6, ground, 0)
        else:
            du, dw = combined(now.carry, row[CARRY], 6 + row[CARRIERS], rates_out, links.table[parent, Z])
        u, w = add(u, du), add(w, dw)
        du, dw = combined(now.axes, row[AXES], row[N_JOINT], a, row[FIRST])
        u, w = add(u, du), add(w, dw)
        if row[MOVING]:
            du, dw = combined(now.axes, row[AXES] + 6 * row[N_JOINT], m, a, row[MODE])
            u, w = add(u, du), add(w, dw)
        put6(u, w, rates_out, z)
        for j in range(m):
            rates_out[z + 6 + j] = a[row[MODE] + j]


@stage
def accelerations(tree, state, a, ground, rates_out):
    """z_dot (n_z,) of all links."""
    accelerate(tree.links, state.motion, a, ground, rates_out)
    return 0
