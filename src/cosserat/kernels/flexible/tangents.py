"""Derivatives of inverse dynamics: the recursions differentiated along one coordinate or velocity after another.

Frames change by twists: where a seat or a joint turns by beta, Ad(H^-1) y changes by -ad(beta) Ad(H^-1) y.
"""

from cosserat.jit import helper, stage
from cosserat.kernels.flexible.arrays import (
    AXES,
    BASE,
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
from cosserat.kernels.flexible.articulated import coordinate
from cosserat.kernels.flexible.body_tangents import change_body, change_with_coordinate, change_with_rate, record_body
from cosserat.kernels.flexible.force_tangents import change_wrenches, mark_carriers, record_places
from cosserat.kernels.flexible.joint import joint_axis, joint_frame, joint_twist
from cosserat.kernels.flexible.kinematics import accelerate
from cosserat.kernels.flexible.seat_tangents import (
    S_FLOW,
    S_FRAME,
    add_power,
    add_power_change,
    record_seat,
    seat_change,
)
from cosserat.kernels.flexible.twists import add6, coadjoint, inner_wrench, outer_twist, projected, put6
from cosserat.kernels.frames import bracket, load_frame, store_frame, twist_at_place, wrench_to_node
from cosserat.kernels.vectors import ZERO, add, dot, load, sub

L_TURN, L_Y, L_Y_DOT, L_C, L_C_DOT, L_SLIP, L_OWN, L_OWN_DOT, L_FORCE, L_BASE, L_BODY, L_ROW = (
    0, 12, 18, 24, 30, 36, 42, 48, 54, 60, 66, 88
)  # fmt: skip
"""Frame of the joint; twists and their rates at the seat on the parent, beyond the joint, at the own seat; twist of the
joint; wrench in it, in the axes of both sides; the body."""


@helper
def record_link(links, seats, now, lin, i, vectors):
    """Fill the record of one link."""
    row, r, at = links.table[i], lin.link[i], 0
    parent, first = row[PARENT], row[FIRST]
    kind, slide, turn = row[KIND], links.joint[i, 0], links.joint[i, 1]
    u, w, f, g = ZERO, ZERO, load(vectors.ground, at), load(vectors.ground, at + 3)
    above, bent = 0, 0
    if parent >= 0:
        above, bent = links.table[parent, Z], links.table[parent, MODE]
        u, w = load(now.z, above), load(now.z, above + 3)
        f, g = load(lin.rates, above), load(lin.rates, above + 3)
    record = lin.seat[row[BASE]]
    record_seat(
        seats, row[BASE], vectors.q, bent, now.z, above + 6, lin.rates, above + 6, record, lin.slope, lin.rate,
        lin.change,
    )  # fmt: skip
    R, x = load_frame(record[S_FRAME:])
    u, w = twist_at_place(R, x, u, w)
    f, g = twist_at_place(R, x, f, g)
    put6(u, w, r, at + L_Y)
    put6(f, g, r, at + L_Y_DOT)
    s, t = load(record, at + S_FLOW), load(record, at + S_FLOW + 3)
    a, b = bracket(u, w, s, t)
    f, g = add(add(f, load(record, at + S_FLOW + 6)), a), add(add(g, load(record, at + S_FLOW + 9)), b)
    u, w = add(u, s), add(w, t)
    R, x = joint_frame(kind, slide, turn, vectors.q, first)
    store_frame(R, x, r[L_TURN:])
    u, w = twist_at_place(R, x, u, w)
    f, g = twist_at_place(R, x, f, g)
    put6(u, w, r, at + L_C)
    put6(f, g, r, at + L_C_DOT)
    s, t = joint_twist(kind, slide, turn, vectors.v, first)
    put6(s, t, r, at + L_SLIP)
    a, b = bracket(u, w, s, t)
    f, g, u, w = add(f, a), add(g, b), add(u, s), add(w, t)
    s, t = joint_twist(kind, slide, turn, vectors.a, first)
    f, g = add(f, s), add(g, t)
    record = lin.seat[row[OWN]]
    record_seat(
        seats, row[OWN], vectors.q, row[MODE], vectors.v, row[MODE], vectors.a, row[MODE], record, lin.slope, lin.rate,
        lin.change,
    )  # fmt: skip
    s, t = load(record, at + S_FLOW), load(record, at + S_FLOW + 3)
    u, w = sub(u, s), sub(w, t)
    a, b = bracket(u, w, s, t)
    f = sub(sub(f, load(record, at + S_FLOW + 6)), a)
    g = sub(sub(g, load(record, at + S_FLOW + 9)), b)
    put6(u, w, r, at + L_OWN)
    put6(f, g, r, at + L_OWN_DOT)
    R, x = load_frame(record[S_FRAME:])
    f, g = inner_wrench(R, x, load(vectors.force, row[Z]), load(vectors.force, row[Z] + 3))
    put6(f, g, r, at + L_FORCE)
    R, x = load_frame(r[L_TURN:])
    f, g = wrench_to_node(R, x, f, g)
    put6(f, g, r, at + L_BASE)


@stage
def record(tree, acting, state, linearised):
    """Linearise at a state whose motion and inverse dynamics are at hand (`dynamics.inverse_dynamics`)."""
    links, bodies, seats, places = tree.links, tree.bodies, tree.seats, acting.places
    now, vectors, scratch, lin = state.motion, state.vectors, state.scratch, linearised
    accelerate(links, now, vectors.a, vectors.ground, lin.rates)
    for i in range(len(links.table)):
        record_link(links, seats, now, lin, i, vectors)
        record_body(
            links, bodies, now, i, vectors.q, lin.rates, lin.link[i, L_BODY:], lin.mode, lin.bent, scratch.rows,
            scratch.more,
        )  # fmt: skip
    for s in range(len(places.link)):
        link = places.link[s]
        if link >= 0:
            z, mode = links.table[link, Z], links.table[link, MODE]
            record_seat(
                places, s, vectors.q, mode, now.z, z + 6, lin.rates, z + 6, lin.place[s], lin.place_slope,
                lin.place_rate, lin.place_change,
            )  # fmt: skip
    return 0


@helper
def spread(links, seats, bodies, now, lin, start, r, along_q):
    """Changes of motions and inertia forces of links from `start` outwards, along its coordinate r or velocity r."""
    n, at = len(links.table), 0
    l = r - links.table[start, N_JOINT]
    for i in range(n):
        lin.mark[i] = 0
    for j in range(len(lin.dforce)):
        lin.dforce[j] = 0.0
    for i in range(start, n):
        row, rec = links.table[i], lin.link[i]
        parent, z = row[PARENT], row[Z]
        if i != start and (parent < start or lin.mark[parent] != 1):
            continue
        lin.mark[i] = 1
        bent = l if parent == start else -1  # modes of the parent that move along
        own = l if i == start else -1
        base, mine = lin.seat[row[BASE]], lin.seat[row[OWN]]
        u, w, f, g, a, b = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
        if i != start:
            above = links.table[parent, Z]
            u, w, f, g = load(lin.dz, above), load(lin.dz, above + 3), load(lin.dx, above), load(lin.dx, above + 3)
            a, b = load(lin.turn[parent], at), load(lin.turn[parent], at + 3)
        p, o, ds, dt, dsd, dtd = seat_change(
            seats, row[BASE], base, lin.slope, lin.rate, lin.change, bent if along_q else -1, -1 if along_q else bent
        )
        R, x = load_frame(base[S_FRAME:])
        y, h = load(rec, at + L_Y), load(rec, at + L_Y + 3)
        yd, hd = load(rec, at + L_Y_DOT), load(rec, at + L_Y_DOT + 3)
        u, w = less_bracket(R, x, u, w, p, o, y, h)
        f, g = less_bracket(R, x, f, g, p, o, yd, hd)
        a, b = twist_at_place(R, x, a, b)
        a, b = add(a, p), add(b, o)
        c, d = bracket(u, w, load(base, at + S_FLOW), load(base, at + S_FLOW + 3))
        f, g = add(add(f, dsd), c), add(add(g, dtd), d)
        c, d = bracket(y, h, ds, dt)
        f, g, u, w = add(f, c), add(g, d), add(u, ds), add(w, dt)
        # the joint
        p, o, ds, dt = ZERO, ZERO, ZERO, ZERO
        if i == start and l < 0:
            if along_q:
                p, o = joint_axis(row[KIND], links.joint[i, 0], links.joint[i, 1], r)
            else:
                ds, dt = joint_axis(row[KIND], links.joint[i, 0], links.joint[i, 1], r)
        R, x = load_frame(rec[L_TURN:])
        y, h = load(rec, at + L_C), load(rec, at + L_C + 3)
        yd, hd = load(rec, at + L_C_DOT), load(rec, at + L_C_DOT + 3)
        u, w = less_bracket(R, x, u, w, p, o, y, h)
        f, g = less_bracket(R, x, f, g, p, o, yd, hd)
        a, b = twist_at_place(R, x, a, b)
        a, b = add(a, p), add(b, o)
        c, d = bracket(u, w, load(rec, at + L_SLIP), load(rec, at + L_SLIP + 3))
        f, g = add(f, c), add(g, d)
        c, d = bracket(y, h, ds, dt)
        f, g, u, w = add(f, c), add(g, d), add(u, ds), add(w, dt)
        # the link itself
        p, o, ds, dt, dsd, dtd = seat_change(
            seats, row[OWN], mine, lin.slope, lin.rate, lin.change, own if along_q else -1, -1 if along_q else own
        )
        y, h = load(rec, at + L_OWN), load(rec, at + L_OWN + 3)
        yd, hd = load(rec, at + L_OWN_DOT), load(rec, at + L_OWN_DOT + 3)
        u, w = sub(u, ds), sub(w, dt)
        c, d = bracket(u, w, load(mine, at + S_FLOW), load(mine, at + S_FLOW + 3))
        f, g = sub(sub(f, dsd), c), sub(sub(g, dtd), d)
        c, d = bracket(y, h, ds, dt)
        f, g = sub(f, c), sub(g, d)
        R, x = load_frame(mine[S_FRAME:])
        c, d = bracket(p, o, y, h)
        u, w = outer_twist(R, x, add(u, c), add(w, d))
        c, d = bracket(p, o, yd, hd)
        f, g = outer_twist(R, x, add(f, c), add(g, d))
        a, b = outer_twist(R, x, sub(a, p), sub(b, o))
        put6(u, w, lin.dz, z)
        put6(f, g, lin.dx, z)
        put6(a, b, lin.turn[i], at)
        change_body(links, now, i, rec[L_BODY:], lin.mode, lin.rates, lin.dz, lin.dx, lin.dforce)
        if own >= 0:
            if along_q:
                change_with_coordinate(links, bodies, now, i, lin.mode, lin.rates, own, lin.bent, lin.dforce)
            else:
                change_with_rate(links, bodies, now, i, lin.mode, own, lin.bent, lin.dforce)


@helper
def less_bracket(R, x, u, w, p, o, y, h):
    """Ad(H^-1) (u, w) - ad(p, o) (y, h)."""
    u, w = twist_at_place(R, x, u, w)
    c, d = bracket(p, o, y, h)
    return sub(u, c), sub(w, d)


@helper
def collect(links, seats, now, lin, start, r, along_q, tau_out, column):
    """Sum the changes of forces inwards, and write those of the efforts into a column."""
    l, at, n = r - links.table[start, N_JOINT], 0, len(links.table)
    for c in range(n):
        i = n - 1 - c
        if lin.mark[i] == 0:
            continue
        row, rec = links.table[i], lin.link[i]
        parent, z, k, m = row[PARENT], row[Z], row[N_JOINT], row[N_MODES]
        f, t = load(lin.dforce, z), load(lin.dforce, z + 3)
        bent = l if parent == start else -1
        own = l if i == start else -1
        if not along_q or (i != start and bent < 0):
            for j in range(k + m):
                o = row[AXES] + 6 * j
                y = dot(load(now.axes, o), f) + dot(load(now.axes, o + 3), t)
                tau_out[coordinate(row, j), column] += y + lin.dforce[z + 6 + j - k] if j >= k else y
            if parent >= 0:
                projected(now.carry, row[CARRY], 6 + row[CARRIERS], f, t, lin.dforce, links.table[parent, Z])
            continue
        base, mine = lin.seat[row[BASE]], lin.seat[row[OWN]]
        p, o, _, _, _, _ = seat_change(seats, row[OWN], mine, lin.slope, lin.rate, lin.change, own, -1)
        R, x = load_frame(mine[S_FRAME:])
        f, t = inner_wrench(R, x, f, t)
        g, h = load(rec, at + L_FORCE), load(rec, at + L_FORCE + 3)
        df, dt = coadjoint(p, o, g, h)
        f, t = add(f, df), add(t, dt)
        for j in range(k):
            a, b = joint_axis(row[KIND], links.joint[i, 0], links.joint[i, 1], j)
            tau_out[row[FIRST] + j, column] += dot(a, f) + dot(b, t)
        if row[MOVING]:
            add_power(seats, row[OWN], mine, lin.slope, f, t, -1.0, lin.dforce, z + 6)
            add_power_change(seats, row[OWN], mine, lin.slope, own, g, h, -1.0, lin.dforce, z + 6)
        for j in range(m):
            tau_out[row[MODE] + j, column] += lin.dforce[z + 6 + j]
        if parent < 0:
            continue
        if i == start and l < 0:
            a, b = joint_axis(row[KIND], links.joint[i, 0], links.joint[i, 1], r)
            df, dt = coadjoint(a, b, g, h)
            f, t = sub(f, df), sub(t, dt)
        R, x = load_frame(rec[L_TURN:])
        f, t = wrench_to_node(R, x, f, t)
        up = links.table[parent, Z]
        g, h = load(rec, at + L_BASE), load(rec, at + L_BASE + 3)
        add_power(seats, row[BASE], base, lin.slope, f, t, 1.0, lin.dforce, up + 6)
        add_power_change(seats, row[BASE], base, lin.slope, bent, g, h, 1.0, lin.dforce, up + 6)
        p, o, _, _, _, _ = seat_change(seats, row[BASE], base, lin.slope, lin.rate, lin.change, bent, -1)
        df, dt = coadjoint(p, o, g, h)
        R, x = load_frame(base[S_FRAME:])
        f, t = wrench_to_node(R, x, sub(f, df), sub(t, dt))
        add6(f, t, lin.dforce, up)


@stage
def differentiate(tree, acting, state, linearised, dq_out, dv_out):
    """d tau/d q and d tau/d v (n_v, n_v) of what acts on links; efforts in joints are left out."""
    links, bodies, seats, now, lin = tree.links, tree.bodies, tree.seats, state.motion, linearised
    for a in range(dq_out.shape[0]):
        for b in range(dq_out.shape[1]):
            dq_out[a, b] = 0.0
            dv_out[a, b] = 0.0
    record_places(links, acting, now, lin, state.vectors.ground)
    for i in range(len(links.table)):
        row = links.table[i]
        for r in range(row[N_JOINT] + row[N_MODES]):
            column = coordinate(row, r)
            for kind in range(2):
                along_q = kind == 0
                l = r - row[N_JOINT]
                spread(links, seats, bodies, now, lin, i, r, along_q)
                mark_carriers(links, lin.mark, row[PARENT])
                change_wrenches(links, acting, now, lin, i, l, along_q)
                collect(links, seats, now, lin, i, r, along_q, dq_out if along_q else dv_out, column)
    return 0
