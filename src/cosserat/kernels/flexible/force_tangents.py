"""How what springs and loads put on links changes along a direction; and derivatives of efforts in joints."""

from cosserat.jit import helper, stage
from cosserat.kernels import springs, state_loads, tree_joints
from cosserat.kernels.flexible.arrays import FIRST, KIND, N_JOINT, PARENT, Z
from cosserat.kernels.flexible.forces import constants_of, differentiate_law, local_load, straight
from cosserat.kernels.flexible.seat_tangents import S_FLOW, S_FRAME, add_power, add_power_change, seat_change
from cosserat.kernels.flexible.twists import add6, bracket, coadjoint
from cosserat.kernels.frames import compose, load_frame, twist_at_place, wrench_to_node
from cosserat.kernels.loads import matvec
from cosserat.kernels.vectors import ZERO, add, axpy, cross, dot, load, mul, mul_t, neg, scale, store, sub


@helper
def place_at(links, places, now, lin, s):
    """World frame (R, x) of a seat and its velocity (3,), in its own axes."""
    link = places.link[s]
    if link < 0:
        R, x = load_frame(places.frame[s])
        return R, x, ZERO
    z, record = links.table[link, Z], lin.place[s]
    R_i, x_i = load_frame(record[S_FRAME:])
    R, x = load_frame(now.frame[link])
    u, _ = twist_at_place(R_i, x_i, load(now.z, z), load(now.z, z + 3))
    R, x = compose(R, x, R_i, x_i)
    return R, x, add(u, load(record, S_FLOW))


@helper
def place_change(links, places, now, lin, s, start, l, along_q):
    """Variation of the frame of a seat, as a twist in its axes, and of its velocity."""
    p, o, du, _ = motion_change(links, places, now, lin, s, start, l, along_q)
    return p, o, du


@helper
def motion_change(links, places, now, lin, s, start, l, along_q):
    """Variation of the frame of a seat, as a twist in its axes, and of its twist."""
    link = places.link[s]
    if link < 0 or lin.mark[link] != 1:
        return ZERO, ZERO, ZERO, ZERO
    z, record, at = links.table[link, Z], lin.place[s], 0
    own = l if link == start else -1
    p, o, ds, dr, _, _ = seat_change(
        places, s, record, lin.place_slope, lin.place_rate, lin.place_change, own if along_q else -1,
        -1 if along_q else own,
    )  # fmt: skip
    R, x = load_frame(record[S_FRAME:])
    y, h = twist_at_place(R, x, load(now.z, z), load(now.z, z + 3))
    u, w = twist_at_place(R, x, load(lin.dz, z), load(lin.dz, z + 3))
    c, d = bracket(p, o, y, h)
    if not along_q:
        return ZERO, ZERO, add(u, ds), add(w, dr)
    a, b = twist_at_place(R, x, load(lin.turn[link], at), load(lin.turn[link], at + 3))
    return add(a, p), add(b, o), add(sub(u, c), ds), add(sub(w, d), dr)


@helper
def mark_carriers(links, mark_out, link):
    """Mark a link and those between it and the ground, whose forces change."""
    while link >= 0 and mark_out[link] == 0:
        mark_out[link] = 2
        link = links.table[link, PARENT]


@helper
def take(links, places, lin, s, start, l, along_q, f, t, df, dt):
    """Take the change of a wrench (f, t) at a seat, (df, dt) in its axes, away from the changes of forces."""
    link = places.link[s]
    if link < 0:
        return
    mark_carriers(links, lin.mark, link)
    z, record = links.table[link, Z], lin.place[s]
    own = l if along_q and link == start else -1
    add_power(places, s, record, lin.place_slope, df, dt, -1.0, lin.dforce, z + 6)
    add_power_change(places, s, record, lin.place_slope, own, f, t, -1.0, lin.dforce, z + 6)
    p, o, _, _, _, _ = seat_change(places, s, record, lin.place_slope, lin.place_rate, lin.place_change, own, -1)
    c, d = coadjoint(p, o, f, t)
    R, x = load_frame(record[S_FRAME:])
    f, t = wrench_to_node(R, x, sub(df, c), sub(dt, d))
    add6(neg(f), neg(t), lin.dforce, z)


@helper
def change_springs(links, places, forces, laws, now, lin, start, l, along_q):
    """Changes of the forces of springs, dampers and tendons."""
    for i in range(len(forces.spring) - 1):
        first, last = forces.spring[i], forces.spring[i + 1] - 1
        touched = 0
        for s in range(first, last + 1):
            touched += int(places.link[s] >= 0 and lin.mark[places.link[s]] == 1)
        if touched == 0:
            continue
        length, rate, d_length, d_rate = 0.0, 0.0, 0.0, 0.0
        for s in range(first, last):
            unit, long, speed, d_line, d_speed, _, _, _, _ = piece_change(links, places, now, lin, s, start, l, along_q)
            length += long
            rate += dot(unit, speed)
            d_length += dot(unit, d_line)
            d_rate += dot(turned(unit, long, d_line), speed) + dot(unit, d_speed)
        k, c, rest, slack, given = constants_of(forces, laws, i)
        pull = springs.pull(k, c, rest, slack, given, length, rate)
        by_length, by_rate = springs.slopes(k, c, rest, slack, given, length, rate)
        d_pull = by_length * d_length + by_rate * d_rate
        for s in range(first, last):
            unit, long, _, d_line, _, R_a, R_b, o_a, o_b = piece_change(links, places, now, lin, s, start, l, along_q)
            f, df = scale(pull, unit), axpy(d_pull, unit, scale(pull, turned(unit, long, d_line)))
            g = mul_t(R_a, f)
            take(links, places, lin, s, start, l, along_q, g, ZERO, sub(mul_t(R_a, df), cross(o_a, g)), ZERO)
            g, dg = neg(mul_t(R_b, f)), neg(mul_t(R_b, df))
            take(links, places, lin, s + 1, start, l, along_q, g, ZERO, sub(dg, cross(o_b, g)), ZERO)


@helper
def piece_change(links, places, now, lin, s, start, l, along_q):
    """The straight piece from seat s to the next one: direction, length, speed of its end against its start, changes of
    line and speed; axes of both seats, and their turns.
    """
    R_a, x_a, u_a = place_at(links, places, now, lin, s)
    R_b, x_b, u_b = place_at(links, places, now, lin, s + 1)
    long, unit = straight(x_a, x_b)
    p_a, o_a, du_a = place_change(links, places, now, lin, s, start, l, along_q)
    p_b, o_b, du_b = place_change(links, places, now, lin, s + 1, start, l, along_q)
    d_line = sub(mul(R_b, p_b), mul(R_a, p_a))
    d_speed = sub(mul(R_b, add(du_b, cross(o_b, u_b))), mul(R_a, add(du_a, cross(o_a, u_a))))
    return unit, long, sub(mul(R_b, u_b), mul(R_a, u_a)), d_line, d_speed, R_a, R_b, o_a, o_b


@helper
def turned(unit, long, d_line):
    """Change of the direction of a piece."""
    return scale(1.0 / long if long >= springs.SHORT else 0.0, axpy(-dot(unit, d_line), unit, d_line))


@helper
def change_loads(links, places, forces, loads, now, lin, start, l):
    """Changes of the wrenches of loads with the coordinates."""
    for i in range(len(forces.load)):
        s = forces.load[i]
        if places.link[s] < 0 or lin.mark[places.link[s]] != 1:
            continue
        R, _, _ = place_at(links, places, now, lin, s)
        f, t = local_load(forces, i, R, loads[i])
        df, dt = ZERO, ZERO
        if not forces.follower[i]:
            _, o, _ = place_change(links, places, now, lin, s, start, l, True)
            df, dt = cross(f, o), cross(t, o)
        f, t = matvec(forces.gain[i], f, t)
        df, dt = matvec(forces.gain[i], df, dt)
        take(links, places, lin, s, start, l, True, f, t, df, dt)


@helper
def law_motion(links, places, now, lin, s):
    """Motion (R, x, v, w) of a seat: world frame and twist in its own axes."""
    link, at = places.link[s], 0
    if link < 0:
        R, x = load_frame(places.frame[s])
        return R, x, ZERO, ZERO
    z, record = links.table[link, Z], lin.place[s]
    R_i, x_i = load_frame(record[S_FRAME:])
    R, x = load_frame(now.frame[link])
    u, w = twist_at_place(R_i, x_i, load(now.z, z), load(now.z, z + 3))
    R, x = compose(R, x, R_i, x_i)
    return R, x, add(u, load(record, S_FLOW + at)), add(w, load(record, S_FLOW + 3 + at))


@helper
def record_laws(links, acting, now, lin, ground):
    """Wrenches of users' laws and their derivatives at the state, with an acceleration (6,) of the ground."""
    places, laws, visit = acting.places, acting.laws, acting.visit
    for c in range(len(laws.carried)):  # those that see the rate
        link, o, at = laws.carried[c, 1], laws.carried[c, 2], 0
        z = links.table[link, Z]
        R, _ = load_frame(now.frame[link])
        store(sub(load(lin.rates, z), mul_t(R, load(ground, at))), laws.parameter, o + 36)
        store(load(lin.rates, z + 3), laws.parameter, o + 39)
    for i in range(len(laws.acts)):
        m, n = state_loads.extent(laws, i)
        for p in range(n):
            motion = law_motion(links, places, now, lin, laws.seat[laws.first[i] + p])
            state_loads.write_motion(motion, visit.frame[p], visit.twist[p])
        differentiate_law(acting, i)
        for p in range(6 * m):
            laws.wrench[i, p] = visit.wrench[p]
            for q in range(12 * n):
                laws.slope[i, p, q] = visit.J[p, q]


@helper
def change_laws(links, places, laws, now, lin, start, l, along_q):
    """Changes of the wrenches of users' laws."""
    for i in range(len(laws.acts)):
        first, J, change = laws.first[i], laws.slope[i], laws.change
        m, n = state_loads.extent(laws, i)
        touched = 0
        for p in range(6 * m):
            change[p] = 0.0
        for b in range(n):
            s = laws.seat[first + b]
            if places.link[s] < 0 or lin.mark[places.link[s]] != 1:
                continue
            touched = 1
            d, o, u, w = motion_change(links, places, now, lin, s, start, l, along_q)
            for p in range(6 * m):
                at = 12 * b
                y = dot(load(J[p], at), d) + dot(load(J[p], at + 3), o)
                change[p] += y + dot(load(J[p], at + 6), u) + dot(load(J[p], at + 9), w)
        for a in range(m if touched == 1 else 0):
            at = 6 * a
            f, t = load(laws.wrench[i], at), load(laws.wrench[i], at + 3)
            df, dt = load(change, at), load(change, at + 3)
            take(links, places, lin, laws.seat[first + a], start, l, along_q, f, t, df, dt)


@stage
def differentiate_efforts(tree, acting, state, dq_out, dv_out):
    """Take the derivatives of efforts in joints away from d tau/d q and d tau/d v (n_v, n_v)."""
    links, passive, drive = tree.links, acting.forces.passive, acting.inputs.drive
    target = acting.inputs.target
    q, v = state.vectors.q, state.vectors.v
    for i in range(len(links.table)):
        row, ahead = links.table[i], links.joint[i, 1] > 0.0
        kind, n, k = row[KIND], row[N_JOINT], row[FIRST]
        tree_joints.differentiate(kind, n, k, k, ahead, passive, drive, target, q, v, dq_out, dv_out)
    return 0
