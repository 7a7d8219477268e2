"""What acts on a flexible tree besides gravity: springs, loads, laws at seats; springs, friction, servos of joints.

Springs, loads and users' laws are those of nodes, which seats stand for here.
"""

from cosserat.jit import call_address, helper, stage
from cosserat.kernels import springs, state_loads, tree_joints
from cosserat.kernels.flexible.arrays import FIRST, KIND, N_JOINT, Z
from cosserat.kernels.flexible.body import rigid_terms
from cosserat.kernels.flexible.seats import push, visit
from cosserat.kernels.frames import load_frame
from cosserat.kernels.loads import add_load
from cosserat.kernels.vectors import clear, load, neg


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
def add_laws(acting):
    """Take the wrenches of users' laws away from those of their seats."""
    laws, visit, inner, motion = acting.laws, acting.visit, acting.inner, acting.motion
    for i in range(len(laws.acts)):
        m, n = state_loads.extent(laws, i)
        state_loads.visit_places(laws, i, motion.frame, motion.twist, visit)
        if laws.inner[i + 1] > laws.inner[i]:
            call_address(inner.stage[0], (acting, i))
        else:
            state_loads.call(laws, i, laws.unit[i, 0], laws.clock[0], m, n, visit)
        state_loads.add_wrench(laws, i, 1.0, visit.wrench, motion.wrench)


@helper
def differentiate_law(acting, i):
    """visit.J and visit.wrench of a user's law at the motions of its places."""
    laws, visit, inner = acting.laws, acting.visit, acting.inner
    state_loads.visit_places(laws, i, acting.motion.frame, acting.motion.twist, visit)
    if laws.inner[i + 1] > laws.inner[i]:
        call_address(inner.stage[1], (acting, i))
    else:
        m, n = state_loads.extent(laws, i)
        state_loads.differentiate(laws, i, laws.unit[i], laws.clock[0], m, n, 0.0, visit)


@helper
def add_springs(sp, motion_out, power_out):
    """Springs, dampers and tendons; the power of dampers, and of what is given."""
    for i in range(len(sp.stiffness)):
        springs.add_spring(sp, i, motion_out.frame, motion_out.twist, motion_out.wrench)
        length, rate = springs.measure(sp, i, motion_out.frame, motion_out.twist)
        stiffness, rest, slack, given = springs.numbers(sp, i)
        _, damped, more = springs.shares(stiffness, sp.damping[i], rest, slack, given, length, rate)
        power_out[0] -= damped * rate
        power_out[1] -= more * rate


@stage
def wrenches(tree, acting, state, q, samples, wrench_out):
    """Wrenches and modal forces (n_z,) on all links, in their axes; `samples` (nl, 6): forces and moments of loads.

    Those of each seat, with the opposite sign, stay in `SeatMotions.wrench`; powers in `Items.power`.
    """
    links, seats, motion, sp, ld = tree.links, acting.places, acting.motion, acting.springs, acting.loads
    power, parameter, n = acting.items.power, acting.laws.parameter, len(seats.link)
    for j in range(len(wrench_out)):
        wrench_out[j] = 0.0
    power[0], power[1] = 0.0, 0.0
    if n == 0:
        return 0
    visit(links, seats, state.motion, q, n, motion, state.scratch.last)
    clear(motion.wrench)
    for i in range(len(ld.node)):
        add_load(ld, i, motion.frame, samples, motion.wrench)
    take_inertias(links, acting, state.motion)
    add_laws(acting)
    for s in range(n):
        for k in range(6):
            power[1] -= motion.wrench[s, k] * motion.twist[s, k]
    springs.take_tensions(sp, parameter, parameter)
    add_springs(sp, motion, power)
    for s in range(n):
        push(links, seats, motion, s, neg(load(motion.wrench[s], 0)), neg(load(motion.wrench[s], 3)), wrench_out)
    return 0


@stage
def spring_energy(tree, acting, state, q, energy_out):
    """Energy of springs and of the stiffness of joints."""
    sp, motion, passive = acting.springs, acting.motion, acting.passive
    total = 0.0
    for k in range(len(q)):
        total += 0.5 * passive[0, k] * q[k] * q[k]
    if len(sp.stiffness) > 0:
        visit(tree.links, acting.places, state.motion, q, len(sp.node), motion, state.scratch.last)
    for i in range(len(sp.stiffness)):
        stiffness, rest, slack, _ = springs.numbers(sp, i)
        total += springs.stored(stiffness, rest, slack, 0.0, springs.length_of(sp, i, motion.frame))
    energy_out[0] = total
    return 0


@stage
def joint_efforts(tree, acting, q, v, drive, target, effort_out):
    """Efforts (n_v,) in joint coordinates, see `tree_joints`: also of `drive`, the prescribed ones."""
    links, passive = tree.links, acting.passive
    for k in range(len(q)):
        effort_out[k] = drive[k]
    for i in range(len(links.table)):
        row, ahead = links.table[i], links.joint[i, 1] > 0.0
        tree_joints.act(row[KIND], row[N_JOINT], row[FIRST], ahead, passive, drive, target, q, v, effort_out)
    return 0
