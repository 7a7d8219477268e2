"""How what springs, loads and laws put on links changes along a direction; and derivatives of efforts in joints."""

from cosserat.jit import helper, stage
from cosserat.kernels import springs, state_loads, tree_joints
from cosserat.kernels.flexible.arrays import FIRST, KIND, N_JOINT, PARENT, Z
from cosserat.kernels.flexible.forces import differentiate_law
from cosserat.kernels.flexible.seat_tangents import S_FRAME, add_power, add_power_change, seat_change
from cosserat.kernels.flexible.twists import add6, coadjoint
from cosserat.kernels.frames import bracket, load_frame, twist_at_place, wrench_to_node
from cosserat.kernels.loads import load_tangent
from cosserat.kernels.vectors import ZERO, add, clear, dot, load, mul_t, neg, store, sub


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
def put_slope(items_out, i, row, column, value):
    """Write a derivative of a wrench of item i by the motions of its seats, 12 changes for each."""
    n = items_out.first[i + 1] - items_out.first[i]
    items_out.slope[items_out.at[i] + 12 * n * row + column] = value


@helper
def record_places(links, acting, now, lin, ground):
    """Derivatives of what acts at the state, with an acceleration (6,) of the ground, whose wrenches are at hand."""
    sp, ld, laws, items = acting.springs, acting.loads, acting.laws, acting.items
    motion, J, K, C = acting.motion, acting.visit.J, items.K, items.C
    n_springs, n_loads = len(sp.stiffness), len(ld.node)
    for i in range(n_springs):
        springs.spring_tangent(sp, i, motion.frame, motion.twist, K, C, items.row)
        size = 6 * (sp.start[i + 1] - sp.start[i])
        for p in range(size):
            for q in range(size):
                column = 12 * (q // 6) + q % 6
                put_slope(items, i, p, column, -K[p, q])
                put_slope(items, i, p, column + 6, -C[p, q])
    for i in range(n_loads):
        clear(K)
        load_tangent(ld, i, motion.frame, acting.inputs.load, K)
        for p in range(6):
            for q in range(6):
                put_slope(items, n_springs + i, p, q, -K[p, q])
    for c in range(len(laws.carried)):  # those that see the rate
        link, o, at = laws.carried[c, 1], laws.carried[c, 2], 0
        z = links.table[link, Z]
        R, _ = load_frame(now.frame[link])
        store(sub(load(lin.rates, z), mul_t(R, load(ground, at))), laws.parameter, o + 36)
        store(load(lin.rates, z + 3), laws.parameter, o + 39)
    for i in range(len(laws.acts)):
        m, n = state_loads.extent(laws, i)
        differentiate_law(acting, i)
        for p in range(6 * m):
            for q in range(12 * n):
                put_slope(items, n_springs + n_loads + i, p, q, J[p, q])


@helper
def change_wrenches(links, acting, now, lin, start, l, along_q):
    """Changes of the wrenches of all that acts."""
    places, items, motion = acting.places, acting.items, acting.motion
    change, slope, zero = items.change, items.slope, 0
    for i in range(len(items.at)):
        first, n = items.first[i], items.first[i + 1] - items.first[i]
        touched = 0
        for p in range(6 * n):
            change[p] = 0.0
        for b in range(n):
            s = first + b
            if places.link[s] < 0 or lin.mark[places.link[s]] != 1:
                continue
            touched = 1
            d, o, u, w = motion_change(links, places, now, lin, s, start, l, along_q)
            for p in range(6 * n):
                at = items.at[i] + 12 * (n * p + b)
                y = dot(load(slope, at), d) + dot(load(slope, at + 3), o)
                change[p] += y + dot(load(slope, at + 6), u) + dot(load(slope, at + 9), w)
        for a in range(n if touched == 1 else 0):
            s, at = first + a, 6 * a
            f, t = neg(load(motion.wrench[s], zero)), neg(load(motion.wrench[s], zero + 3))
            take(links, places, lin, s, start, l, along_q, f, t, load(change, at), load(change, at + 3))


@stage
def differentiate_efforts(tree, acting, state, dq_out, dv_out):
    """Take the derivatives of efforts in joints away from d tau/d q and d tau/d v (n_v, n_v)."""
    links, passive, drive = tree.links, acting.passive, acting.inputs.drive
    target = acting.inputs.target
    q, v = state.vectors.q, state.vectors.v
    for i in range(len(links.table)):
        row, ahead = links.table[i], links.joint[i, 1] > 0.0
        kind, n, k = row[KIND], row[N_JOINT], row[FIRST]
        tree_joints.differentiate(kind, n, k, k, ahead, passive, drive, target, q, v, dq_out, dv_out)
    return 0
