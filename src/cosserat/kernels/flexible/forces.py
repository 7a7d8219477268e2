"""What acts on a flexible tree besides gravity: springs and loads at seats; springs, friction, servos of joints."""

import math

from cosserat.jit import call_address, helper, stage
from cosserat.kernels import loads, springs, state_loads, tree_joints
from cosserat.kernels.flexible.arrays import FIRST, KIND, MODE, N_JOINT, Z
from cosserat.kernels.flexible.body import rigid_terms
from cosserat.kernels.flexible.seats import place_seat
from cosserat.kernels.flexible.twists import add6, combined, projected
from cosserat.kernels.frames import compose, load_frame, twist_at_place, wrench_to_node
from cosserat.kernels.vectors import ZERO, add, dot, load, load_matrix, mul, mul_t, neg, scale, sub

SPRINGS, DAMPERS, LOADS = 1, 2, 4
"""What `wrenches` takes: springs at rest, dampers, loads; a sum of these."""


@helper
def seat_motion(links, seats, now, s, q, rows_out, work):
    """Frame (R, x) of a seat in the world, twist in its own axes, frame in its link; writes its rows."""
    link = seats.link[s]
    if link < 0:
        R, x = load_frame(seats.frame[s])
        return R, x, ZERO, ZERO, R, x
    z, mode = links.table[link, Z], links.table[link, MODE]
    R_i, x_i, _, _ = place_seat(seats, s, q, mode, now.z, z + 6, rows_out, 0, work)
    R_l, x_l = load_frame(now.frame[link])
    R, x = compose(R_l, x_l, R_i, x_i)
    u, w = twist_at_place(R_i, x_i, load(now.z, z), load(now.z, z + 3))
    du, dw = combined(rows_out, 0, seats.modes[s], now.z, z + 6)
    return R, x, add(u, du), add(w, dw), R_i, x_i


@helper
def push(links, seats, s, R_i, x_i, rows, f, t, wrench_out):
    """Add a wrench in the axes of a seat to what acts on its link."""
    link = seats.link[s]
    if link >= 0:
        z = links.table[link, Z]
        projected(rows, 0, seats.modes[s], f, t, wrench_out, z + 6)
        f, t = wrench_to_node(R_i, x_i, f, t)
        add6(f, t, wrench_out, z)


@helper
def straight(x_a, x_b):
    """Length and direction of a straight piece; where its ends meet it has none."""
    line = sub(x_b, x_a)
    long = math.sqrt(dot(line, line))
    return long, scale(1.0 / long if long >= springs.SHORT else 0.0, line)


@helper
def constants_of(forces, laws, i):
    """What the law of spring or tendon i takes besides its length and rate: as `springs.pull` has it."""
    row, at = forces.elasticity[i], forces.tension[i]
    given = laws.parameter[at] if at >= 0 else 0.0
    return row[0], row[1], row[2], int(row[3]), given


@helper
def local_load(forces, i, R, row):
    """Components of load i in the axes R of its seat, before the gain."""
    at = 0
    if forces.follower[i]:
        R = load_matrix(forces.axes[i], at)
    return loads.in_axes(R, load(row, at), load(row, at + 3))


@helper
def take_inertias(links, acting, now):
    """Inertias of links that change with their frames by laws of users, and the numbers of these laws."""
    laws, visit = acting.laws, acting.visit
    for c in range(len(laws.carried)):
        i, link, o, weight = laws.carried[c, 0], laws.carried[c, 1], laws.carried[c, 2], laws.carried[c, 3]
        z = links.table[link, Z]
        R, x = load_frame(now.frame[link])
        state_loads.write_motion((R, x, load(now.z, z), load(now.z, z + 3)), visit.frame[0], visit.twist[0])
        state_loads.find_inertia(laws, i, laws.unit[i, 2], laws.clock[0], o, visit)
        for p in range(6):
            for q in range(6):
                laws.inertia[link, p, q] = visit.J[p, q]
                if weight >= 0 and q < 3:
                    laws.parameter[weight + 3 * p + q] = visit.J[p, q]
        rigid_terms(links, now, link)


@helper
def push_laws(links, acting, now, scratch, q, wrench_out):
    """Add the wrenches of users' laws."""
    seats, laws, visit, inner = acting.places, acting.laws, acting.visit, acting.inner
    for i in range(len(laws.acts)):
        first = laws.first[i]
        m, n = state_loads.extent(laws, i)
        for p in range(n):  # the first place last: so its rows are at hand
            s = laws.seat[first + n - 1 - p]
            R, x, u, w, P, y = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
            state_loads.write_motion((R, x, u, w), visit.frame[n - 1 - p], visit.twist[n - 1 - p])
        if laws.inner[i + 1] > laws.inner[i]:
            call_address(inner.stage[0], (acting, i))
        else:
            state_loads.call(laws, i, laws.unit[i, 0], laws.clock[0], m, n, visit)
        for p in range(m):
            s = laws.seat[first + p]
            if p > 0:
                R, x, u, w, P, y = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
            f, t = load(visit.wrench, 6 * p), load(visit.wrench, 6 * p + 3)
            push(links, seats, s, P, y, scratch.rows, f, t, wrench_out)


@helper
def differentiate_law(acting, i):
    """visit.J and visit.wrench of a user's law at the motions of its places in `visit`."""
    laws, visit, inner = acting.laws, acting.visit, acting.inner
    if laws.inner[i + 1] > laws.inner[i]:
        call_address(inner.stage[1], (acting, i))
    else:
        m, n = state_loads.extent(laws, i)
        state_loads.differentiate(laws, i, laws.unit[i], laws.clock[0], m, n, 0.0, visit)


@stage
def wrenches(tree, acting, state, q, samples, which, wrench_out):
    """Wrenches and modal forces (n_z,) on all links, in their axes; `samples` (nl, 6): forces and moments of loads."""
    links, seats, forces = tree.links, acting.places, acting.forces
    now, scratch = state.motion, state.scratch
    for j in range(len(wrench_out)):
        wrench_out[j] = 0.0
    for i in range(len(forces.spring) - 1):
        length, rate = 0.0, 0.0
        for s in range(forces.spring[i], forces.spring[i + 1] - 1):
            R_a, x_a, u_a, _, P_a, y_a = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
            R_b, x_b, u_b, _, P_b, y_b = seat_motion(links, seats, now, s + 1, q, scratch.more, scratch.last)
            long, unit = straight(x_a, x_b)
            length += long
            rate += dot(unit, sub(mul(R_b, u_b), mul(R_a, u_a)))
        k, c, rest, slack, given = constants_of(forces, acting.laws, i)
        elastic, damped, more = springs.shares(k, c, rest, slack, given, length, rate)
        tense = elastic if which & SPRINGS else 0.0
        tense += damped if which & DAMPERS else 0.0
        tense += more if which & LOADS else 0.0
        for s in range(forces.spring[i], forces.spring[i + 1] - 1):
            R_a, x_a, u_a, _, P_a, y_a = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
            R_b, x_b, u_b, _, P_b, y_b = seat_motion(links, seats, now, s + 1, q, scratch.more, scratch.last)
            f = scale(tense, straight(x_a, x_b)[1])
            push(links, seats, s, P_a, y_a, scratch.rows, mul_t(R_a, f), ZERO, wrench_out)
            push(links, seats, s + 1, P_b, y_b, scratch.more, neg(mul_t(R_b, f)), ZERO, wrench_out)
    n_loads = len(forces.load) if which & LOADS else 0
    for i in range(n_loads):
        s = forces.load[i]
        R, _, _, _, P, y = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
        f, t = local_load(forces, i, R, samples[i])
        f, t = loads.matvec(forces.gain[i], f, t)
        push(links, seats, s, P, y, scratch.rows, f, t, wrench_out)
    if which & LOADS:
        take_inertias(links, acting, now)
        push_laws(links, acting, now, scratch, q, wrench_out)
    return 0


@stage
def spring_energy(tree, acting, state, q, energy_out):
    """Energy of springs and of the stiffness of joints."""
    links, seats, forces = tree.links, acting.places, acting.forces
    now, scratch = state.motion, state.scratch
    total = 0.0
    for k in range(len(q)):
        total += 0.5 * forces.passive[0, k] * q[k] * q[k]
    for i in range(len(forces.spring) - 1):
        length = 0.0
        for s in range(forces.spring[i], forces.spring[i + 1] - 1):
            _, x_a, _, _, _, _ = seat_motion(links, seats, now, s, q, scratch.rows, scratch.last)
            _, x_b, _, _, _, _ = seat_motion(links, seats, now, s + 1, q, scratch.rows, scratch.last)
            length += straight(x_a, x_b)[0]
        k, _, rest, slack, _ = constants_of(forces, acting.laws, i)
        total += springs.stored(k, rest, slack, 0.0, length)
    energy_out[0] = total
    return 0


@stage
def joint_efforts(tree, acting, q, v, drive, target, effort_out):
    """Efforts (n_v,) in joint coordinates, see `tree_joints`: also of `drive`, the prescribed ones."""
    links, passive = tree.links, acting.forces.passive
    for k in range(len(q)):
        effort_out[k] = drive[k]
    for i in range(len(links.table)):
        row, ahead = links.table[i], links.joint[i, 1] > 0.0
        tree_joints.act(row[KIND], row[N_JOINT], row[FIRST], ahead, passive, drive, target, q, v, effort_out)
    return 0
