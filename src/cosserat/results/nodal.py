"""Momenta and forces of nodes over time, all in the nodes' own frames, and the powers of what acts on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import System, row_to_frame
from cosserat.compile.fluid_links import mass_matrices
from cosserat.compile.media import CompiledMedium, medium_addresses
from cosserat.kernels import armature, freedoms, loads, matter, springs
from cosserat.kernels.arrays import LineLoads
from cosserat.kernels.frames import load_frame
from cosserat.kernels.freedoms import ROTATION_VECTOR
from cosserat.kernels.joints import add_pair
from cosserat.kernels.line_loads import line_states
from cosserat.kernels.media import media_states
from cosserat.kernels.monitors import element_states
from cosserat.kernels.rigid import add_gyroscopic
from cosserat.kernels.springs import slopes
from cosserat.kernels.vectors import axpy, dot, load, mul, mul_t, scale
from cosserat.lie.protocol import Array
from cosserat.results import joints, rolling
from cosserat.results.joints import coordinates, joint_sides, measured, pulls
from cosserat.results.kinematics import to_node
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion, last


class Ledger(NamedTuple):
    """Energies and powers (nt,), and the forces on nodes without inertia, applied ones negative as in the residual."""

    strain: Array
    potential: Array
    loss: Array  # power that viscous parts and friction take
    supply: Array  # power of loads, efforts and prescribed motions
    held: Array  # work so far of efforts that a controller held from call to call
    residual: Array  # (n+1, 6, nt)

    @property
    def force(self) -> Array:
        """Forces (nt, n+1, 6) on the nodes without inertia, applied ones positive."""
        return -np.moveaxis(self.residual, -1, 0)

    def act(self, motion: Motion, node: int, wrench: Array, supplies: bool = True) -> None:
        """Add a wrench (nt, 6) on a node in its frame, and what it supplies."""
        self.residual[node] -= wrench.T
        if supplies:
            self.supply[:] += power(motion, node, wrench)


def power(motion: Motion, node: int, wrench: Array) -> Array:
    """Power (nt,) of a wrench (nt, 6) on a node in its frame."""
    return np.asarray(np.sum(wrench * motion.twist[:, node], axis=1))


def momenta(motion: Motion) -> Array:
    """Momenta M v (nt, n+1, 6) of the nodes."""
    system, (frames, twists, _) = motion.mechanism.system, motion.moving
    p, both = np.zeros(twists.shape), np.empty((12, len(motion.time)))
    for G, (a, b) in zip(system.elements.mass, system.elements.node, strict=True):
        matter.momentum(G, frames, twists[a], twists[b], a, b, both)
        p[a], p[b] = p[a] + both[:6], p[b] + both[6:]
    for k, node in enumerate(system.bodies.node):
        p[node] += times_mass(motion, k, motion.twist[:, node]).T
    return np.moveaxis(p, -1, 0)


def times_mass(motion: Motion, k: int, vectors: Array, rates: bool = False) -> Array:
    """Mass matrix of body k, or its rate, at all times, times vectors (nt, 6)."""
    bodies = motion.mechanism.system.bodies
    for row, _, column in bodies.varying.tolist():
        if row == k:
            first = column + 10 * int(rates)
            return np.einsum("tij,tj->ti", mass_matrices(motion.inputs.effort[:, first : first + 10]), vectors)
    for c, (_, row, _) in enumerate(motion.mechanism.system.state_loads.carried):
        if row == k and not rates:
            return np.einsum("tij,tj->ti", motion.inputs.carried[:, c, :36].reshape(-1, 6, 6), vectors)
    return np.zeros_like(vectors) if rates else vectors @ bodies.mass[k]


def inertia(motion: Motion) -> Array:
    """Inertia forces (nt, n+1, 6) of the nodes; they balance `Ledger.force`."""
    system, (frames, twists, rates) = motion.mechanism.system, motion.moving
    r = np.zeros(twists.shape)
    for G, (a, b) in zip(system.elements.mass, system.elements.node, strict=True):
        matter.add_inertia(G, frames, twists, rates, a, b, r)
    for k, node in enumerate(system.bodies.node):
        r[node] += times_mass(motion, k, motion.rate[:, node]).T
        add_gyroscopic(times_mass(motion, k, motion.twist[:, node]).T, 0, twists[node], r[node])
    return np.moveaxis(r, -1, 0)


def armature_energy(motion: Motion) -> Array:
    """Kinetic energy (nt,) of the armatures of joints."""
    system, (frames, twists, _) = motion.mechanism.system, motion.moving
    out = np.zeros(len(motion.time))
    for k in np.flatnonzero(system.freedoms.armature):
        rate = armature.rate(system.freedoms, system.joints, k, frames, twists)
        out += 0.5 * system.freedoms.armature[k] * rate**2
    return out


def exchange(motion: Motion) -> Array:
    """Moments (nt, n+1, 3) by which the two nodes of an element exchange angular momentum through their coupling."""
    elements, (frames, twists, _) = motion.mechanism.system.elements, motion.moving
    out = np.zeros((len(frames), 3, len(motion.time)))
    for G, (a, b) in zip(elements.mass, elements.node, strict=True):
        R = matter.turn_between(frames, a, b)
        _, couple = matter.across(G, R, twists[a], twists[b])
        out[a], out[b] = out[a] - couple, out[b] + mul_t(R, couple)
    return np.moveaxis(out, -1, 0)


def ledger(motion: Motion) -> Ledger:
    """Everything that acts, once through all components."""
    book = external(motion)
    _beams(motion, book)
    return book


def external(motion: Motion) -> Ledger:
    """Everything that acts but the forces in beams, of each part of a run the joints that are closed there."""
    books = [_external(part) for part in motion.parts]
    book = books[0] if len(books) == 1 else Ledger(*(np.concatenate(x, axis=-1) for x in zip(*books, strict=True)))
    if motion.commanded:
        _hold(motion, book)
    return book


def supplied_later(motion: Motion) -> Array:
    """By how much more is supplied (W, (nt,)) just after stored times, where a controller changes then what it holds.

    Besides the efforts and tensions whose work `_hold` has.
    """
    return np.asarray(external(motion.held_before()).supply - external(motion).supply)


def _hold(motion: Motion, book: Ledger) -> None:
    """Work of efforts and tensions that a controller held: one stored at a time acted from that before on, along the
    way.
    """
    system = motion.mechanism.system
    for name, k in motion.mechanism.springs.items():
        if motion.held(system.springs.column[k]):
            line = spring_line(motion, k)
            given = springs.shares(*spring_constants(motion, k), line.length, line.rate)[2]
            done = np.where(motion.closed(name)[:-1], given[1:] * np.diff(line.length), 0.0)
            book.held[1:] -= np.cumsum(done)
    for joint in motion.mechanism.joints.values():
        acts = motion.closed(joint.name)[:-1]
        for i, k in enumerate(joint.active):
            if k >= 0 and motion.held(system.freedoms.effort[k]) and joint.freedoms[i].kind != ROTATION_VECTOR:
                given = motion.inputs.effort[1:, system.freedoms.effort[k]]
                way = np.diff(coordinates(motion, joint)[:, i])
                book.held[1:] += np.cumsum(np.where(acts, given * way, 0.0))


def _external(motion: Motion, groups: Iterable[str] | None = None) -> Ledger:
    """What acts; of some groups of components alone, without gravity, if these are given."""
    n = len(motion.time)
    strain, potential, loss, supply, held = np.zeros((5, n))
    book = Ledger(strain, potential, loss, supply, held, np.zeros((*motion.twist.shape[1:], n)))
    if groups is None:
        _gravity(motion, book)
    for group in groups or _ACTING:
        if len(getattr(motion.mechanism.system, group)[0]):
            _ACTING[group](motion, book)
    book.residual[-1] = 0.0
    return book


def of_loads(motion: Motion) -> Array:
    """Forces (nt, n+1, 6) on the nodes of what was sampled as loads alone, by themselves or along beams."""
    return _external(motion, ("loads", "line_loads")).force


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
        book.residual[a] += force[:, :6].T
        book.residual[b] += force[:, 6:].T


def _gravity(motion: Motion, book: Ledger) -> None:
    nodes, bodies, frames = motion.mechanism.system.nodes, motion.mechanism.system.bodies, motion.moving[0]
    g, burning = motion.inputs.gravity.T, {node: v for v, node in enumerate(bodies.varying[:, 1].tolist())}
    for i in range(len(nodes.mass) - 1):
        R, x = load_frame(frames[i])
        mass, moment = nodes.mass[i], nodes.moment[i]
        if i in burning:
            column = int(bodies.varying[burning[i], 2])
            now, lost = (motion.inputs.effort.T[k : k + 4] for k in (column, column + 10))
            mass, *moment = bodies.base[burning[i], :, None] + now
            book.supply[:] -= dot(g, axpy(lost[0], x, mul(R, load(lost, 1))))  # what burns takes its energy along
        book.potential[:] -= dot(g, axpy(mass, x, mul(R, moment)))
        loads.add_gravity(mass, moment, frames[i], g, book.residual[i])
    for row, node, _ in bodies.varying.tolist():
        twist = motion.twist[:, node]
        book.supply[:] += 0.5 * np.sum(twist * times_mass(motion, row, twist, rates=True), axis=1)


class SpringLine(NamedTuple):
    """The line of a spring or tendon over time: its pieces, length and rate."""

    pieces: list[tuple[int, Any, Any, Any, Any, Any]]  # number, unit vector; rotation and point of both ends
    length: Array  # (nt,)
    rate: Array  # (nt,)

    def pull(self, lines: Any, tension: Array, r_out: Array) -> None:
        """r_out (n+1, 6, nt) += internal forces of the line under a tension (nt,)."""
        for p, unit, R_a, y_a, R_b, y_b in self.pieces:
            springs.add_piece(lines, p, scale(tension, unit), R_a, y_a, R_b, y_b, r_out)


def spring_line(motion: Motion, k: int) -> SpringLine:
    """The line of spring k."""
    lines, (frames, twists, _) = motion.mechanism.system.springs, motion.moving
    line = SpringLine([], *np.zeros((2, len(motion.time))))
    for p in range(lines.start[k], lines.start[k + 1] - 1):
        r, long, R_a, y_a, R_b, y_b = springs.piece(lines, p, frames)
        unit = scale(1.0 / np.where(long < springs.SHORT, np.inf, long), r)
        line.pieces.append((p, unit, R_a, y_a, R_b, y_b))
        line.length[:] += long
        line.rate[:] += dot(unit, springs.gap_rate(lines, p, twists, R_a, y_a, R_b, y_b))
    return line


def spring_constants(motion: Motion, k: int) -> tuple[float, float, float, int, Any]:
    """What the law of spring k takes besides its length and rate: as `pull` and `shares` have it."""
    lines = motion.mechanism.system.springs
    column = lines.column[k]
    given = motion.inputs.effort[:, column] if column >= 0 else 0.0
    return lines.stiffness[k], lines.damping[k], lines.length[k], int(lines.slack[k]), given


def spring_tensions(motion: Motion, k: int) -> Array:
    """Pull (nt,) in spring k."""
    return motion.in_phases(lambda part: _tensions(part, k))


def _tensions(motion: Motion, k: int) -> Array:
    line = spring_line(motion, k)
    return np.asarray(springs.pull(*spring_constants(motion, k), line.length, line.rate))


def _springs(motion: Motion, book: Ledger) -> None:
    lines = motion.mechanism.system.springs
    for k in range(len(lines.stiffness)):
        line = spring_line(motion, k)
        elastic, damped, given = springs.shares(*spring_constants(motion, k), line.length, line.rate)
        book.strain[:] += springs.stored(lines.stiffness[k], lines.length[k], lines.slack[k], 0.0, line.length)
        book.loss[:] += damped * line.rate
        if lines.column[k] >= 0 and not motion.held(lines.column[k]):  # else see `_hold`
            book.supply[:] -= given * line.rate
        line.pull(lines, elastic + damped + given, book.residual)


def _loads(motion: Motion, book: Ledger) -> None:
    given, frames, wrench = motion.mechanism.system.loads, motion.moving[0], last(motion.inputs.wrench)
    r = np.zeros_like(book.residual)
    for k in range(len(given.node)):
        loads.add_load(given, k, frames, wrench, r)
    book.residual[:] += r
    book.supply[:] -= np.einsum("nkt,tnk->t", r, motion.twist)


def _line_loads(motion: Motion, book: Ledger) -> None:
    system = motion.mechanism.system
    rows = system.line_loads.element
    found = line_wrenches(system, np.arange(len(rows)), motion.frame, motion.inputs.wrench)
    for k, e in enumerate(rows):
        for side, node in enumerate(system.elements.node[e]):
            book.act(motion, node, found[:, k, 6 * side : 6 * side + 6])


def _state_loads(motion: Motion, book: Ledger) -> None:
    loads = motion.mechanism.system.state_loads
    for k, m in enumerate(loads.acts):
        first = loads.first[k]
        if loads.stored[k]:
            book.potential[:] += motion.inputs.state[:, first, 6]
        for p in range(first, first + m):
            wrench = to_node(motion.inputs.state[:, p, :6], row_to_frame(loads.frame[p]))
            book.act(motion, loads.node[p], wrench, not loads.stored[k])
    book.supply[:] += motion.inputs.carried[:, :, 36].sum(axis=1)  # the kinetic energy of inertias that change


def stored_energies(motion: Motion) -> tuple[Array, Array]:
    """Energy (nt,) of the laws that have one, and the power (nt,) of their wrenches."""
    loads, energy, taken = motion.mechanism.system.state_loads, *np.zeros((2, len(motion.time)))
    for k in np.flatnonzero(loads.stored):
        energy += motion.inputs.state[:, loads.first[k], 6]
        taken += power_of_law(motion, int(k))
    return energy, taken


def power_of_law(motion: Motion, k: int) -> Array:
    """Power (nt,) of the wrench of state-dependent load k on its place."""
    loads = motion.mechanism.system.state_loads
    at = loads.first[k]
    return power(motion, loads.node[at], to_node(motion.inputs.state[:, at, :6], row_to_frame(loads.frame[at])))


def _joints(motion: Motion, book: Ledger) -> None:
    mechanism, (frames, twists, rates), applied = motion.mechanism, motion.moving, motion.inputs.effort.T
    arrays, fr = mechanism.system.joints, mechanism.system.freedoms
    by_index = {joint.index: joint for joint in mechanism.joints.values()}
    for j in range(len(arrays.n_rows)):
        sides = joint_sides(motion, j)
        pulled = pulls(motion, j, sides)
        add_pair(arrays, j, *pulled, book.residual)
        joint = by_index.get(j)
        if joint is None:
            continue
        if any(joint.driven):
            book.supply[:] -= sides.power(pulled)
        for i, k in enumerate(joint.active):
            if k < 0:
                continue
            unit = freedoms.direction(fr, k, sides.R, sides.x)
            rate, q = sides.power(unit), measured(motion, joint, i)
            total = freedoms.total(fr, k, q, rate, applied)[0]
            f_a, m_a, f_b, m_b = (scale(-total, part) for part in unit)
            add_pair(arrays, j, f_a, m_a, f_b, m_b, book.residual)
            if fr.armature[k] != 0.0:
                armature.add_inertia(fr, arrays, k, frames, twists, rates, book.residual)
            book.strain[:] += 0.5 * fr.stiffness[k] * q**2
            book.loss[:] -= freedoms.lost(fr, k, rate) * rate
            if fr.target[k] >= 0:
                book.supply[:] += freedoms.servo(fr, k, applied[fr.target[k]], q, rate)[0] * rate
            turned = joint.freedoms[i].kind == ROTATION_VECTOR
            if fr.effort[k] >= 0 and (turned or not motion.held(fr.effort[k])):  # else see `_hold`
                book.supply[:] += applied[fr.effort[k]] * rate

_ACTING: dict[str, Callable[[Motion, Ledger], None]] = {
    "springs": _springs, "loads": _loads, "line_loads": _line_loads, "state_loads": _state_loads, "joints": _joints,
    "rolling": _rolling,
}  # fmt: skip
"""Group of arrays -> what adds its forces and powers; only groups that a mechanism has are asked."""


def medium_of(mechanism: Mechanism, beam: str) -> CompiledMedium | None:
    """The medium of a beam, if it is one that is not quadratic."""
    return mechanism.media().get(beam) if len(mechanism.system.media.element) else None


def element_forces(
    motion: Motion, elements: NDArray[np.int64], viscous: bool = True
) -> tuple[Array, Array, Array, Array]:
    """Strains d - d0, rates (nt, ne, 6), nodal forces (nt, ne, 12) and energies (nt, ne) of the given elements."""
    arrays = motion.mechanism.system.elements
    shape = (len(motion.time), len(elements))
    strain, rate, force = np.empty((*shape, 6)), np.empty((*shape, 6)), np.empty((*shape, 12))
    energy = np.empty(shape)
    viscosity = arrays.viscosity[elements] * (1.0 if viscous else 0.0)
    element_states(
        motion.frame, motion.twist, arrays.node[elements], arrays.d0[elements], arrays.stiffness[elements],
        arrays.second[elements], arrays.turning[elements], viscosity, strain, rate, force, energy, np.empty(36),
    )  # fmt: skip
    if len(motion.mechanism.system.media.element):
        _add_media(motion, elements, force, energy)
    return strain, rate, force, energy


def _add_media(motion: Motion, elements: NDArray[np.int64], force: Array, energy: Array) -> None:
    """Add what potentials of users have beyond their quadratic part to forces and energies of elements."""
    mechanism = motion.mechanism
    arrays, rows = mechanism.system.elements, mechanism.system.media
    order = np.argsort(elements)
    found = np.searchsorted(elements[order], rows.element)
    own = elements[order][np.minimum(found, len(elements) - 1)] == rows.element
    if own.any():
        unit = medium_addresses(mechanism.media(), mechanism.beams)
        media_states(
            motion.frame, arrays.node[elements], arrays.d0[elements], arrays.second[elements], rows.point[own],
            rows.weight[own], rows.start[own], rows.parameter, unit[own], order[found[own]], force, energy,
            np.empty(60),
        )  # fmt: skip


def line_wrenches(system: System, rows: NDArray[np.int64], frames: Array, wrench: Array) -> Array:
    """Wrenches (nt, rows, 12) of line loads that turn with sections on both nodes, for frames and samples (nt, ...)."""
    given: tuple[Any, ...] = system.line_loads
    loads = LineLoads(*(np.ascontiguousarray(array[rows]) for array in given))
    out = np.empty((len(frames), len(rows), 12))
    if len(rows):
        elements = system.elements
        line_states(np.ascontiguousarray(frames), np.ascontiguousarray(wrench), elements.node, elements.d0, *loads, out)
    return out


def strain_energies(motion: Motion, springs: list[str]) -> dict[str, float]:
    """Elastic energy of the increments in every beam, spring and elastic joint that has a stiffness (J)."""
    mechanism = motion.mechanism
    arrays = mechanism.system.elements
    out: dict[str, float] = {}
    if len(arrays.node):
        rate = element_forces(motion, np.arange(len(arrays.node)))[1][0]
        energy = 0.5 * np.einsum("ei,eij,ej->e", rate, arrays.stiffness, rate)
        for name, mesh in mechanism.beams.items():
            out[name] = float(np.sum(energy[mesh.elements]))
    for name, joint in mechanism.joints.items():
        stiffness = np.array([mechanism.system.freedoms.stiffness[k] if k >= 0 else 0.0 for k in joint.active])
        if np.any(stiffness):
            out[name] = float(0.5 * np.sum(stiffness * joints.coordinate_rates(motion, joint)[0] ** 2))
    for k, name in enumerate(springs):
        line, lines = spring_line(motion, k), mechanism.system.springs
        constants = lines.stiffness[k], 0.0, lines.length[k], lines.slack[k], 0.0
        out[name] = 0.5 * float(slopes(*constants, line.length[0], 0.0)[0] * line.rate[0] ** 2)
    return out
