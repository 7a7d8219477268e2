"""What results ask of stored states: motions of the links, wrenches in joints, momenta, energies, powers."""

from typing import Annotated, NamedTuple

from cosserat.jit import helper, passed_as, stage
from cosserat.kernels.arrays import F1, F2, F3
from cosserat.kernels.flexible.arrays import INERTIA, N_MODES, SeatMotions, Seats, Z
from cosserat.kernels.flexible.closing import FORCES, LOOPS, close
from cosserat.kernels.flexible.composite import energies
from cosserat.kernels.flexible.course import take_inputs
from cosserat.kernels.flexible.forces import joint_efforts, spring_energy, wrenches
from cosserat.kernels.flexible.inverse import efforts
from cosserat.kernels.flexible.kinematics import accelerations, move
from cosserat.kernels.flexible.seats import rate_of, visit
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.tree_joints import servo
from cosserat.kernels.vectors import copy, copy_row, store


class StoredLinks(NamedTuple):
    """Links over the stored times."""

    frame: Annotated[F3, "nt", "nl", 12]  # in the world
    z: Annotated[F2, "nt", "nz"]
    z_dot: Annotated[F2, "nt", "nz"]
    joint: Annotated[F2, "nt", "nz"]  # what the joint of every link puts on it
    momentum: Annotated[F3, "nt", "nl", 6]  # in the links' axes
    force: Annotated[F3, "nt", "nl", 6]
    powers: Annotated[F2, "nt", 5]  # kinetic, strain and potential energy (J), loss and supply (W)


class Paths(NamedTuple):
    """Links over the stored times, and seats that they carry."""

    q: F2  # (nt, n_v)
    link: F3  # (nt, n, 12)
    z: F2  # (nt, n_z)
    z_dot: F2  # (nt, n_z)
    frame: F3  # (nt, ns, 12) of the seats in the world
    twist: F3  # (nt, ns, 6) in their own axes
    rate: F3  # (nt, ns, 6)


@passed_as("history")
class SeatHistory(NamedTuple):
    """Seats and their motion."""

    places: Seats
    moving: SeatMotions
    paths: Paths


class RecordRoom(NamedTuple):
    """Workspace."""

    one: Annotated[F1, "nz"]
    still: Annotated[F1, "n"]  # zeros
    passive: Annotated[F1, "n"]
    held: Annotated[F1, "n"]
    none: Annotated[F1, 6]  # zeros
    gravity: Annotated[F1, 3]
    energy: Annotated[F1, 5]


@passed_as("record")
class RecordWork(NamedTuple):
    """Results and room."""

    links: StoredLinks
    room: RecordRoom




@helper
def product(a, b):
    """a . b."""
    y = 0.0
    for i in range(len(a)):
        y += a[i] * b[i]
    return y


@helper
def gather_forces(tree, acting, state, closed, room):
    """All wrenches on links into `Vectors.wrench`; power of dampers, of loads, and of the forces of constraints."""
    x, z, rows, power, none = state.vectors, state.motion.z, closed.rows, acting.items.power, 0
    closing = 0.0
    for i in range(len(x.wrench)):
        x.wrench[i] = 0.0
    if len(rows.value) + len(rows.angle) > 0:
        close(tree, state, closed, FORCES | LOOPS + none)
        closing = product(x.wrench, z)
    wrenches(tree, acting, state, x.q, acting.inputs.load, room.one)
    for i in range(len(x.wrench)):
        x.wrench[i] += room.one[i]
    return power[0], power[1], closing


@stage
def record_state(tree, acting, state, closed, record, k):
    """Results at the state in `Vectors`, with its inputs, as number k."""
    links, now, x, out, room = tree.links, state.motion, state.vectors, record.links, record.room
    rows, inputs = closed.rows, acting.inputs
    move(tree, state)
    accelerations(tree, state, x.a, room.none, out.z_dot[k])
    damped, supplied, closing = gather_forces(tree, acting, state, closed, room)
    efforts(tree, state, x.a, x.ground, x.wrench, out.joint[k], x.tau)
    joint_efforts(tree, acting, x.q, x.v, inputs.drive, inputs.target, x.effort)
    joint_efforts(tree, acting, x.q, x.v, room.still, room.still, room.passive)
    joint_efforts(tree, acting, x.q, room.still, room.still, room.still, room.held)
    laws = acting.passive
    for j in range(len(x.q)):  # without servos, which have an effort even if their target is zero
        room.passive[j] -= servo(laws, j, room.still, x.q[j], x.v[j])[0]
        room.held[j] -= servo(laws, j, room.still, x.q[j], 0.0)[0]
    for i in range(len(links.table)):
        z, o, d = links.table[i, Z], links.table[i, INERTIA], 6 + links.table[i, N_MODES]
        copy_row(now.frame[i], out.frame[k, i])
        for j in range(6):
            p, f = 0.0, now.bias[z + j]
            for c in range(d):
                p += now.inertia[o + d * j + c] * now.z[z + c]
                f += now.inertia[o + d * j + c] * out.z_dot[k, z + c]
            out.momentum[k, i, j], out.force[k, i, j] = p, f
    copy_row(now.z, out.z[k])
    energies(tree, state, room.gravity, room.energy)
    kinetic, strain, potential, loss = room.energy[0], room.energy[1], room.energy[2], room.energy[3]
    spring_energy(tree, acting, state, x.q, room.energy)
    strain += room.energy[0]
    supply = supplied + closing
    loss -= damped
    for j in range(len(x.v)):
        loss -= x.v[j] * (room.passive[j] - room.held[j])
        supply += x.v[j] * (x.effort[j] - room.passive[j])
        supply += x.v[j] * (x.tau[j] - x.effort[j])  # what the equations leave over is the work of drives
    if len(rows.angle) > 0:
        loss += rows.power[0]
        supply += rows.power[1] - rows.power[2]
        strain += rows.power[3]
    row = out.powers[k]
    row[0], row[1], row[2], row[3], row[4] = kinetic, strain, potential, loss, supply
    return 0


@stage
def record_states(tree, acting, state, stepping, closed, course, record):
    """Results at all stored states of a course, whose samples are those at their times."""
    stored, rows, x, inner = course.stored, closed.rows, state.vectors, acting.inner
    inner.follow[0] = FROZEN
    for k in range(len(stored.q)):
        take_inputs(acting, stepping, closed, course, k)
        copy_row(stored.q[k], x.q)
        copy_row(stored.v[k], x.v)
        copy_row(stored.a[k], x.a)
        copy_row(stored.force[k], rows.force)
        copy_row(stored.angle[k], rows.before)
        copy_row(stored.inner[k], inner.inner[0])
        record_state(tree, acting, state, closed, record, k)
    return 0


@stage
def record_seats(tree, state, history):
    """Motion of seats where the motion of the links is known."""
    links, now, seats, motion, path = tree.links, state.motion, history.places, history.moving, history.paths
    for k in range(len(path.q)):
        for i in range(len(links.table)):
            copy_row(path.link[k, i], now.frame[i])
        copy_row(path.z[k], now.z)
        visit(links, seats, now, path.q[k], len(seats.link), motion, state.scratch.last)
        copy(motion.frame, path.frame[k])
        copy(motion.twist, path.twist[k])
        for s in range(len(seats.link)):
            u, w = rate_of(links, seats, now, motion, s, path.z_dot[k])
            store(u, path.rate[k, s], 0)
            store(w, path.rate[k, s], 3)
    return 0
