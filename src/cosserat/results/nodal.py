"""Momenta and forces of nodes over time, all in the nodes' own frames, and the powers of what acts on them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.fluid_links import mass_matrices
from cosserat.kernels.efforts import effort as law_of_freedom
from cosserat.kernels.freedoms import ROTATION_VECTOR
from cosserat.kernels.springs import SHORT, pull, shares, stored
from cosserat.lie.protocol import Array
from cosserat.results import rolling
from cosserat.results.beams import (
    element_exchange,
    element_forces,
    element_inertia,
    element_momenta,
    gyroscopic,
    line_wrenches,
)
from cosserat.results.joints import (
    constraint_wrenches,
    coordinates,
    directions,
    inertial_efforts,
    joint_sides,
    passive_efforts,
    servo_efforts,
    spin_rates,
)
from cosserat.results.kinematics import rotate, to_node
from cosserat.results.motion import Motion


class Ledger(NamedTuple):
    """Energies and powers (nt,), and the forces on nodes without inertia (nt, n+1, 6), applied ones positive."""

    strain: Array
    potential: Array
    loss: Array  # power that viscous parts and friction take
    supply: Array  # power of loads, efforts and prescribed motions
    held: Array  # work so far of efforts that a controller held from call to call
    force: Array

    def act(self, motion: Motion, node: int, wrench: Array, supplies: bool = True) -> None:
        """Add a wrench (nt, 6) on a node in its frame, and what it supplies."""
        self.force[:, node] += wrench
        if supplies:
            self.supply[:] += power(motion, node, wrench)


def power(motion: Motion, node: int, wrench: Array) -> Array:
    """Power (nt,) of a wrench (nt, 6) on a node in its frame."""
    return np.asarray(np.sum(wrench * motion.twist[:, node], axis=1))


def momenta(motion: Motion) -> Array:
    """Momenta M v (nt, n+1, 6) of the nodes."""
    p = _of_elements(motion, element_momenta)
    for k, node in enumerate(motion.mechanism.system.bodies.node):
        p[:, node] += times_mass(motion, k, motion.twist[:, node])
    return p


def _of_elements(motion: Motion, both_sides: Callable[[Motion, int], Array]) -> Array:
    """Wrenches (nt, n+1, 6) on nodes, given those (nt, 12) on the two nodes of every element."""
    out = np.zeros_like(motion.twist)
    for e, (a, b) in enumerate(motion.mechanism.system.elements.node):
        both = both_sides(motion, e)
        out[:, a] += both[:, :6]
        out[:, b] += both[:, 6:]
    return out


def times_mass(motion: Motion, k: int, vectors: Array, rates: bool = False) -> Array:
    """Mass matrix of body k, or its rate, at all times, times vectors (nt, 6)."""
    bodies = motion.mechanism.system.bodies
    for row, _, column in bodies.varying.tolist():
        if row == k:
            first = column + 10 * int(rates)
            return np.einsum("tij,tj->ti", mass_matrices(motion.inputs.effort[:, first : first + 10]), vectors)
    return np.zeros_like(vectors) if rates else vectors @ bodies.mass[k]


def inertia(motion: Motion) -> Array:
    """Inertia forces (nt, n+1, 6) of the nodes; they balance `Ledger.force`."""
    r = _of_elements(motion, element_inertia)
    for k, node in enumerate(motion.mechanism.system.bodies.node):
        twist = motion.twist[:, node]
        r[:, node] += times_mass(motion, k, motion.rate[:, node]) + gyroscopic(times_mass(motion, k, twist), twist)
    return r


def armature_energy(motion: Motion) -> Array:
    """Kinetic energy (nt,) of the armatures of joints."""
    armature, out = motion.mechanism.system.freedoms.armature, np.zeros(len(motion.time))
    for joint in motion.mechanism.joints.values():
        for i, k in enumerate(joint.active):
            if k >= 0 and armature[k] != 0.0:
                out += 0.5 * armature[k] * spin_rates(motion, joint)[:, i] ** 2
    return out


def exchange(motion: Motion) -> Array:
    """Moments (nt, n+1, 3) by which the two nodes of an element exchange angular momentum through their coupling."""
    out = np.zeros((*motion.twist.shape[:2], 3))
    for e, (a, b) in enumerate(motion.mechanism.system.elements.node):
        out[:, a], out[:, b] = out[:, a] + element_exchange(motion, e, 0), out[:, b] + element_exchange(motion, e, 1)
    return out


def ledger(motion: Motion) -> Ledger:
    """Everything that acts, once through all components."""
    book = external(motion)
    _beams(motion, book)
    return book


def external(motion: Motion) -> Ledger:
    """Everything that acts but the forces in beams."""
    n = len(motion.time)
    strain, potential, loss, supply, held = np.zeros((5, n))
    book = Ledger(strain, potential, loss, supply, held, np.zeros_like(motion.twist))
    _gravity(motion, book)
    for group, add in _ACTING.items():
        if len(getattr(motion.mechanism.system, group)[0]):
            add(motion, book)
    book.force[:, -1] = 0.0
    return book


def _rolling(motion: Motion, book: Ledger) -> None:
    for k in range(len(motion.mechanism.system.rolling.node)):
        moving = rolling.held(motion, k) is not None  # a law that depends on time drives
        for node, wrench in rolling.nodal_wrenches(motion, k):
            book.act(motion, node, wrench, moving)


def _beams(motion: Motion, book: Ledger) -> None:
    el = motion.mechanism.system.elements
    for e in range(len(el.node)):
        _, rate, force, energy = (x[:, 0] for x in element_forces(motion, np.array([e])))
        book.strain[:] += energy
        if el.viscosity[e] > 0.0:
            book.loss[:] += el.viscosity[e] * np.sum(rate * (rate @ el.stiffness[e]), axis=1)
        a, b = el.node[e]
        book.force[:, a] -= force[:, :6]
        book.force[:, b] -= force[:, 6:]


def _gravity(motion: Motion, book: Ledger) -> None:
    nodes = motion.mechanism.system.nodes
    g = motion.inputs.gravity
    bodies = motion.mechanism.system.bodies
    burning = {node: (v, column) for v, (_, node, column) in enumerate(bodies.varying.tolist())}
    for i in range(len(nodes.mass) - 1):
        R, x = motion.node(i)
        mass, moment = np.full(len(x), nodes.mass[i]), np.tile(nodes.moment[i], (len(x), 1))
        if i in burning:
            v, column = burning[i]
            now = motion.inputs.effort[:, column : column + 4]
            mass, moment = bodies.base[v, 0] + now[:, 0], bodies.base[v, 1:] + now[:, 1:]
            lost = motion.inputs.effort[:, column + 10 : column + 14]  # what burns takes its energy along
            book.supply[:] -= np.sum(g * (lost[:, :1] * x + rotate(R, lost[:, 1:])), axis=1)
        book.potential[:] -= np.sum(g * (mass[:, None] * x + rotate(R, moment)), axis=1)
        local = rotate(np.swapaxes(R, 1, 2), g)
        book.force[:, i, :3] += mass[:, None] * local
        book.force[:, i, 3:] += np.cross(moment, local)
    for row, node, _ in bodies.varying.tolist():
        twist = motion.twist[:, node]
        book.supply[:] += 0.5 * np.sum(twist * times_mass(motion, row, twist, rates=True), axis=1)


class SpringLine(NamedTuple):
    """The line of a spring or tendon: nodes, points and rotations of its places; pieces, length and rate over time."""

    ends: list[tuple[int, Array, Array]]
    units: list[Array]  # (nt, 3) of each piece, along the line
    length: Array  # (nt,)
    rate: Array  # (nt,)


def spring_line(motion: Motion, k: int) -> SpringLine:
    """The line of spring k."""
    springs = motion.mechanism.system.springs
    ends, places, velocities = [], [], []
    own = slice(springs.start[k], springs.start[k + 1])
    for node, point in zip(springs.node[own], springs.point[own], strict=True):
        R, x = motion.node(node)
        twist = motion.twist[:, node]
        ends.append((int(node), point, R))
        places.append(x + R @ point)
        velocities.append(rotate(R, twist[:, :3] + np.cross(twist[:, 3:], point)))
    units = []
    total, rate = np.zeros((2, len(motion.time)))
    for (x_a, x_b), (v_a, v_b) in zip(pairwise(places), pairwise(velocities), strict=True):
        long = np.linalg.norm(x_b - x_a, axis=1)
        units.append((x_b - x_a) / np.where(long < SHORT, np.inf, long)[:, None])
        total, rate = total + long, rate + np.sum(units[-1] * (v_b - v_a), axis=1)
    return SpringLine(ends, units, total, rate)


def spring_constants(motion: Motion, k: int) -> tuple[float, float, float, int, Any]:
    """What the law of spring k takes besides its length and rate: as `pull` and `shares` have it."""
    springs = motion.mechanism.system.springs
    column = springs.column[k]
    given = motion.inputs.effort[:, column] if column >= 0 else 0.0
    return springs.stiffness[k], springs.damping[k], springs.length[k], int(springs.slack[k]), given


def spring_tensions(motion: Motion, k: int) -> Array:
    """Pull (nt,) in spring k."""
    line = spring_line(motion, k)
    return np.asarray(pull(*spring_constants(motion, k), line.length, line.rate))


def _springs(motion: Motion, book: Ledger) -> None:
    springs = motion.mechanism.system.springs
    for k in range(len(springs.stiffness)):
        line = spring_line(motion, k)
        elastic, damped, given = shares(*spring_constants(motion, k), line.length, line.rate)
        book.strain[:] += stored(springs.stiffness[k], springs.length[k], springs.slack[k], 0.0, line.length)
        book.loss[:] += damped * line.rate
        if springs.column[k] >= 0:
            if motion.held:  # a stored tension acted from the time before on: its work is that of the way
                book.held[1:] -= np.cumsum(given[1:] * np.diff(line.length))
            else:
                book.supply[:] -= given * line.rate
        tension = elastic + damped + given
        for p, unit in enumerate(line.units):
            for (node, point, R), sign in zip(line.ends[p : p + 2], (1.0, -1.0), strict=True):
                f = rotate(np.swapaxes(R, 1, 2), sign * tension[:, None] * unit)
                book.force[:, node] += np.hstack((f, np.cross(point, f)))


def _loads(motion: Motion, book: Ledger) -> None:
    loads = motion.mechanism.system.loads
    for k, node in enumerate(loads.node):
        F = row_to_frame(loads.frame[k])
        sample = motion.inputs.wrench[:, loads.column[k]]
        f, m = sample[:, :3], sample[:, 3:]
        if not loads.follower[k]:
            R_t = np.swapaxes(motion.node(node)[0], 1, 2)
            f, m = rotate(R_t, f) @ F[:3, :3], rotate(R_t, m) @ F[:3, :3]
        book.act(motion, node, to_node(np.hstack((f, m)) @ loads.gain[k].T, F))


def _line_loads(motion: Motion, book: Ledger) -> None:
    system = motion.mechanism.system
    rows = system.line_loads.element
    found = line_wrenches(system, np.arange(len(rows)), motion.frame, motion.inputs.wrench)
    for k, e in enumerate(rows):
        for side, node in enumerate(system.elements.node[e]):
            book.act(motion, node, found[:, k, 6 * side : 6 * side + 6])


def _state_loads(motion: Motion, book: Ledger) -> None:
    loads = motion.mechanism.system.state_loads
    for k, nodes in enumerate(loads.node):
        wrenches = [motion.inputs.state[:, k, :6]]
        if loads.stored[k]:
            book.potential[:] += motion.inputs.state[:, k, 6]
        frames = row_to_frame(loads.frame_a[k]), row_to_frame(loads.frame_b[k])
        if loads.pair[k] == 1:
            wrenches.append(-opposite(motion, k, wrenches[0]))
        for node, frame, wrench in zip(nodes, frames, wrenches, strict=False):
            book.act(motion, node, to_node(wrench, frame), not loads.stored[k])


def stored_energies(motion: Motion) -> tuple[Array, Array]:
    """Energy (nt,) of the laws that have one, and the power (nt,) of their wrenches."""
    loads, energy, taken = motion.mechanism.system.state_loads, *np.zeros((2, len(motion.time)))
    for k in np.flatnonzero(loads.stored):
        energy += motion.inputs.state[:, k, 6]
        taken += power_of_law(motion, int(k))
    return energy, taken


def power_of_law(motion: Motion, k: int) -> Array:
    """Power (nt,) of the wrench of state-dependent load k on its place."""
    loads = motion.mechanism.system.state_loads
    wrench = to_node(motion.inputs.state[:, k, :6], row_to_frame(loads.frame_a[k]))
    return power(motion, loads.node[k, 0], wrench)


def opposite(motion: Motion, k: int, wrench: Array) -> Array:
    """Wrenches (nt, 6) in the place of state-dependent load k, moved to its other place and into that frame."""
    loads = motion.mechanism.system.state_loads
    frames = row_to_frame(loads.frame_a[k]), row_to_frame(loads.frame_b[k])
    (R_a, x_a), (R_b, x_b) = map(motion.placed, loads.node[k], frames)
    back = np.swapaxes(R_b, 1, 2)
    f, m = rotate(R_a, wrench[:, :3]), rotate(R_a, wrench[:, 3:])
    return np.hstack((rotate(back, f), rotate(back, m - np.cross(x_b - x_a, f))))


def _joints(motion: Motion, book: Ledger) -> None:
    mechanism = motion.mechanism
    arrays = mechanism.system.joints
    by_index = {joint.index: joint for joint in mechanism.joints.values()}
    freedoms = mechanism.system.freedoms
    for j in range(len(arrays.n_rows)):
        sides = joint_sides(motion, j)
        on_a, on_b = constraint_wrenches(motion, j, sides)
        joint = by_index.get(j)
        if joint is not None and any(joint.driven):
            book.supply[:] += np.sum(on_a * sides.twist_a + on_b * sides.twist_b, axis=1)
        for i in range(0 if joint is None else len(joint.freedoms)):
            assert joint is not None
            k = joint.active[i]
            if k < 0:
                continue
            unit_a, unit_b = directions(joint, i, sides)
            rate = np.sum(unit_a * sides.twist_a + unit_b * sides.twist_b, axis=1)
            effort, servo = passive_efforts(motion, joint, i, sides), servo_efforts(motion, joint, i, sides)
            both = effort + inertial_efforts(motion, joint, i, sides)
            on_a, on_b = on_a + both[:, None] * unit_a, on_b + both[:, None] * unit_b
            book.supply[:] += servo * rate
            effort = effort - servo
            constants = freedoms.damping[k], freedoms.friction[k], freedoms.speed[k]
            loss = -law_of_freedom(0.0, *constants, 0.0, 0.0, rate)[0]
            book.loss[:] += loss * rate
            if freedoms.effort[k] >= 0:
                given = motion.inputs.effort[:, freedoms.effort[k]]
                if motion.held and joint.freedoms[i].kind != ROTATION_VECTOR:
                    # a stored effort acted from the time before on: its work is that of the way
                    way = np.diff(coordinates(motion, joint)[:, i], prepend=np.nan)
                    book.held[1:] += np.cumsum(given[1:] * way[1:])
                else:
                    book.supply[:] += given * rate
            if freedoms.stiffness[k] != 0.0:
                applied = motion.inputs.effort[:, freedoms.effort[k]] if freedoms.effort[k] >= 0 else 0.0
                q = (applied - loss - effort) / freedoms.stiffness[k]
                book.strain[:] += 0.5 * freedoms.stiffness[k] * q**2
        a, b = arrays.node[j]
        book.force[:, a] += to_node(on_a, row_to_frame(arrays.frame_a[j]))
        book.force[:, b] += to_node(on_b, row_to_frame(arrays.frame_b[j]))

_ACTING: dict[str, Callable[[Motion, Ledger], None]] = {
    "springs": _springs, "loads": _loads, "line_loads": _line_loads, "state_loads": _state_loads, "joints": _joints,
    "rolling": _rolling,
}  # fmt: skip
"""Group of arrays -> what adds its forces and powers; only groups that a mechanism has are asked."""
