"""Section forces and strains of beams at any s, and the divergence of their momentum.

Inside an element the wrench is that of its ends, carried statically along it, plus what the loads and the inertia of
the element itself take off on the way: with its consistent shares of them at the nodes the section force is exact at
the nodes (at a clamp it is the reaction), and inside for what is uniform along the element or changes linearly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import element_weights
from cosserat.compile.matter import LEVER
from cosserat.compile.mesh import BeamMesh
from cosserat.errors import SolveError
from cosserat.kernels import matter
from cosserat.kernels.loads import add_gravity
from cosserat.kernels.monitors import between
from cosserat.kernels.rigid import add_gyroscopic
from cosserat.lie.protocol import Array
from cosserat.model.modal_inertia import axial_of
from cosserat.results.kinematics import rotate, turned
from cosserat.results.motion import Motion
from cosserat.results.nodal import element_forces, external, inertia, line_wrenches, medium_of

_MOMENT = np.array([0.0] * 3 + [1.0] * 3)


def section_forces(motion: Motion, beam: tuple[str, float], viscous: bool = True) -> Array:
    """Wrench (nt, 6) at s of a beam, of the part of larger s on the other, in the section's frame; see docs/results.md.

    Where a load or joint is attached inside the beam the wrench jumps; there it is that of the side of smaller s.
    """
    name, s = beam
    mesh = motion.mechanism.beams[name]
    e, xi = mesh.element_at(float(s))
    force = _force(motion, mesh, e, viscous)
    a, b = motion.mechanism.system.elements.node[e]
    n = len(motion.time)
    frames, twists = np.empty((n, 12)), np.empty((n, 6))
    between(motion.frame, motion.twist, a, b, xi, frames, twists)
    R_t, x = np.swapaxes(frames[:, :9].reshape(-1, 3, 3), 1, 2), frames[:, 9:]

    def moved(node: int, wrench: Array) -> Array:
        """A wrench given in a node's frame, in the section's frame and about its origin."""
        R, origin = motion.node(node)
        world = turned(R, wrench)
        world[:, 3:] += np.cross(origin - x, world[:, :3])
        return turned(R_t, world)

    matter = _weight_shares(motion, e) - _element_inertia(motion, e)
    share = matter + _load_shares(motion, name, e)
    carried = (1.0 - xi) * moved(a, share[:, :6]) - xi * moved(b, share[:, 6:])
    local = (1.0 - xi) * share[:, :6] - xi * share[:, 6:]
    out = moved(a, force) + 0.5 * (carried + local)
    grown = turned(R_t, _growth(motion, name, e, matter))
    arm = rotate(R_t, motion.node(b)[1] - motion.node(a)[1])
    out += 0.5 * xi * (1.0 - xi) * grown
    out[:, 3:] += xi * (1.0 - xi) * (1.0 - 2.0 * xi) / 12.0 * np.cross(arm, grown[:, :3])
    return out


def _force(motion: Motion, mesh: BeamMesh, e: int, viscous: bool) -> Array:
    """Wrench (nt, 6) of element e on its first node, in the frame of that node."""
    if not motion.floating:
        return -element_forces(motion, np.array([e]), viscous)[2][:, 0, :6]
    force = _summed_force(motion, mesh, e)
    if not viscous and motion.mechanism.system.elements.viscosity[e] > 0.0:
        with_it, without = (element_forces(motion, np.array([e]), flag)[2][:, 0, :6] for flag in (True, False))
        force = force + with_it - without
    return force


def strains(motion: Motion, beam: tuple[str, float]) -> Array:
    """Strain measures (nt, 6) at s: stretch, two shears (1), twist and two curvatures (1/m), zero without stress."""
    name, s = beam
    forces = section_forces(motion, beam, viscous=False)
    medium = medium_of(motion.mechanism, name)
    if medium is not None:
        e, _ = motion.mechanism.beams[name].element_at(float(s))
        mean = element_forces(motion, np.array([e]))[0][:, 0]
        mean = mean / np.linalg.norm(motion.mechanism.system.elements.d0[e, :3])
        return np.array([medium.strain(force, near) for force, near in zip(forces, mean, strict=True)])
    return forces @ motion.mechanism.compliance(name, s).T


def gyroscopic(p: Array, twist: Array) -> Array:
    """-ad(v)^T p over time, (nt, 6)."""
    out = np.zeros_like(p)
    add_gyroscopic(p.T, 0, twist.T, out.T)
    return out


def _element_inertia(motion: Motion, e: int) -> Array:
    """Inertia forces (nt, 12) of element e on its two nodes."""
    elements = motion.mechanism.system.elements
    out, pair = np.zeros((2, 6, len(motion.time))), elements.node[e]
    frames, twists, rates = (states[pair] for states in motion.moving)
    matter.add_inertia(elements.mass[e], frames, twists, rates, 0, 1, out)
    return out.reshape(12, -1).T


def _weight_shares(motion: Motion, e: int) -> Array:
    """Weight and apparent forces (nt, 12) of element e, shared out to its two nodes."""
    arrays = motion.mechanism.system.elements
    (weights,), (arms,) = element_weights(arrays.mass[e : e + 1])
    share, frames = np.zeros((len(motion.time), 12)), motion.moving[0]
    laws = motion.mechanism.system.state_loads
    seen = laws.first[:-1][laws.acts < np.diff(laws.first)]  # apparent forces: of two nodes, on the first
    for side, ends in enumerate((arrays.node[e], arrays.node[e, ::-1])):
        weight = np.zeros((6, len(motion.time)))
        add_gravity(weights[side], arms[side], frames[ends[0]], motion.inputs.gravity.T, weight)
        share[:, 6 * side : 6 * side + 6] -= weight.T
        for p in seen[(laws.node[seen] == ends[0]) & (laws.node[seen + 1] == ends[1])]:
            share[:, 6 * side : 6 * side + 6] += motion.inputs.state[:, p, :6]
    return share


def _load_shares(motion: Motion, name: str, e: int) -> Array:
    """Line loads (nt, 12) along element e, shared out to its two nodes."""
    mechanism = motion.mechanism
    share, k = np.zeros((len(motion.time), 12)), e - mechanism.beams[name].first_element
    for side, node in enumerate(mechanism.system.elements.node[e]):
        R_t = np.swapaxes(motion.node(node)[0], 1, 2)
        R_0 = np.broadcast_to(mechanism.frames[node, :9].reshape(3, 3).T, R_t.shape)
        for load in mechanism.line_loads(name):
            local = turned(R_0 if load.follower else R_t, motion.inputs.wrench[:, load.columns[k]])
            share[:, 6 * side : 6 * side + 6] += local @ load.spread[k, side].T
    rows = np.nonzero(mechanism.system.line_loads.element == e)[0]
    return share + line_wrenches(mechanism.system, rows, motion.frame, motion.inputs.wrench).sum(axis=1)


def _growth(motion: Motion, name: str, e: int, matter_share: Array) -> Array:
    """By how much what acts per length grows along element e, times its length: (nt, 6), in world axes.

    What its matter puts on the nodes (nt, 12) is taken for that of accelerations that change linearly along it.
    """
    mechanism, wrench = motion.mechanism, motion.inputs.wrench
    arrays, rows, k = mechanism.system.elements, mechanism.system.line_loads, e - mechanism.beams[name].first_element
    length, ends = float(np.linalg.norm(arrays.d0[e, :3])), [motion.node(node)[0] for node in arrays.node[e]]
    along = arrays.d0[e, :3] / length
    G = arrays.mass[e, :64].reshape(8, 8)
    fields = np.array([[1.0, 0.0, 0.0, 0.0] * 2, [-0.5, *(along / length), 0.5, *(along / length)]]).T
    (a, b), (c, d) = G[[0, 4]] @ fields  # forces on both nodes of unit accelerations, uniform and growing
    pulls = np.stack([rotate(R, matter_share[:, s : s + 3]) for R, s in zip(ends, (0, 6), strict=True)])
    inverse = np.array([[d, -b], [-c, a]]) / (a * d - b * c)  # by hand: not finite, but no error, in a harmed file
    mean, growing = np.tensordot(inverse, pulls, axes=1)
    mass, heavier = fields.T @ G @ fields[:, 0] * (1.0, 12.0)
    moment = G[1:4] @ fields[:, 0] + G[5:] @ fields[:, 0]
    beside = (moment - along * (along @ moment)) / mass
    force = heavier * mean + mass * growing
    out = np.hstack((force, np.cross(ends[0] @ beside, force)))
    for side, (R, node) in enumerate(zip(ends, arrays.node[e], strict=True)):
        sign, turn = 2 * side - 1, R @ mechanism.frames[node, :9].reshape(3, 3).T
        for load in mechanism.line_loads(name):
            sample = _at_end(load.spread[k], sign, along / length) * wrench[:, load.columns[k]]
            out += sign * (turned(turn, sample) if load.follower else sample)
        for row in np.flatnonzero(rows.element == e):
            near, far = rows.column[row, side], rows.column[row, 1 - side]
            sample = length * (2.0 * wrench[:, near] - wrench[:, far])
            out += sign * (turned(turn, sample) if rows.follower[row] else sample * _MOMENT)
    return out


def _at_end(spread: Array, sign: int, along: Array) -> Array:
    """Density (6,) at an end of an element, times its length, of a load that puts `spread` (2, 6, 6) on its nodes."""
    first, last = np.diagonal(spread, axis1=1, axis2=2)
    growth = last - first
    growth[:3] -= along @ axial_of(spread[:, 3:, :3].sum(axis=0))
    growth[3:] *= 1.0 / (1.0 + 12.0 * LEVER)
    return first + last + 3.0 * sign * growth


def divergence(motion: Motion, name: str, section_mass: Callable[[float], Array]) -> tuple[Array, Array]:
    """Covariant divergence of the momentum of a beam: places s (n,) of its inner nodes, and the field there (nt, n, 6).

        nabla_t p + nabla_S(-sigma) - F,   nabla_t p = dp/dt - ad(eta)^T p,   nabla_S sigma = d sigma/dS - ad(f)^T sigma

    with p = M eta the momentum of a section, sigma the stress resultants, f the deformed strain, F the line loads and
    the weight. Source: [deSaxce26] (65) and 11.2, [Boyer05] (46) with U where L is printed. Stresses and strains are
    those of the middles of elements, momenta those of nodes, derivatives are central differences.
    """
    if len(motion.time) < 3:
        raise SolveError(f"divergence: {len(motion.time)} stored times; three or more are needed for a rate")
    _, mesh = motion.mechanism.beam(name)
    arrays = motion.mechanism.system.elements
    elements = mesh.first_element + np.arange(len(mesh.pairs))
    strain, rate = element_forces(motion, elements)[:2]
    d0 = arrays.d0[elements]
    length = np.linalg.norm(d0[:, :3], axis=1)
    deformed = (strain + d0) / length[:, None]
    viscosity = arrays.viscosity[elements][:, None]
    stress = np.einsum("eij,tej->tei", arrays.stiffness[elements], strain + viscosity * rate)
    medium = medium_of(motion.mechanism, name)
    if medium is not None:
        per_length = strain / length[:, None]
        stress = stress + np.apply_along_axis(lambda e: medium.stress(e) - medium.stiffness @ e, 2, per_length)
    inner = [k for k in range(len(elements) - 1) if mesh.pairs[k, 1] == mesh.pairs[k + 1, 0]]
    s = np.array([mesh.s[mesh.pairs[k, 1] - mesh.first_node] for k in inner])
    out = np.empty((len(motion.time), len(inner), 6))
    for column, k in enumerate(inner):
        node, a, b = mesh.pairs[k, 1], length[k], length[k + 1]
        middle = 0.5 * (a + b)
        twist = motion.twist[:, node]
        p = twist @ section_mass(float(s[column])).T
        sigma = (b * stress[:, k] + a * stress[:, k + 1]) / (a + b)
        f = (b * deformed[:, k] + a * deformed[:, k + 1]) / (a + b)
        before, after = (
            _weight_shares(motion, elements[j]) + _load_shares(motion, name, elements[j]) for j in (k, k + 1)
        )
        load = (before[:, 6:] + after[:, :6]) / middle
        along = (stress[:, k + 1] - stress[:, k]) / middle + gyroscopic(sigma, f)
        rates = np.gradient(p, motion.time, axis=0, edge_order=2) + gyroscopic(p, twist)
        out[:, column] = rates - along - load
    return s, out


def _summed_force(motion: Motion, mesh: BeamMesh, e: int) -> Array:
    """Wrench (nt, 6) of element e on its first node in floating frames, by the balance of the parts on both sides.

    The modes themselves know it badly: bending moments converge slowly with the number of modes, axial forces of beams
    without axial modes not at all. What the loads, the joints and the inertia of the moving nodes leave over on either
    side converges as the motion does (the summation of forces, or mode acceleration method).

    The sums over the two parts of a beam differ by what the modes leave of its balance as a whole. Each is exact at its
    own end; in between they are mixed.
    """
    a, b = mesh.pairs[e - mesh.first_element]
    R, origin = motion.node(int(a))
    first, last = mesh.first_node, mesh.first_node + mesh.n_nodes
    beyond, before = (_sum(motion, nodes, origin) for nodes in (np.arange(b, last), np.arange(first, b)))
    local = mesh.s[[a - first, b - first]]
    share = float(local.mean())
    world = share * beyond - (1.0 - share) * before
    return turned(np.swapaxes(R, 1, 2), world)


def _sum(motion: Motion, nodes: NDArray[np.int64], origin: Array) -> Array:
    """What acts on nodes, without the forces of elements and less their inertia, (nt, 6) about a point, world axes."""
    rest = motion.kept("rest of the balance", lambda: external(motion).force - inertia(motion))
    total = np.zeros((len(motion.time), 6))
    for node in nodes:
        R, x = motion.node(int(node))
        wrench = turned(R, rest[:, node])
        wrench[:, 3:] += np.cross(x - origin, wrench[:, :3])
        total += wrench
    return total
