"""Section forces and strains of beams at any s.

Inside an element the wrench is that of its ends, carried statically along it, plus what the loads and the inertia of
the element itself take off on the way: with its consistent shares of them at the nodes the section force is exact at
the nodes (at a clamp it is the reaction), and inside for a uniform load.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import System
from cosserat.compile.elements import element_weights
from cosserat.compile.media import CompiledMedium, medium_addresses
from cosserat.compile.mesh import BeamMesh
from cosserat.errors import PlaceError
from cosserat.kernels import matter
from cosserat.kernels.arrays import LineLoads
from cosserat.kernels.line_loads import line_states
from cosserat.kernels.loads import add_gravity
from cosserat.kernels.media import media_states
from cosserat.kernels.monitors import between, element_states
from cosserat.kernels.rigid import add_gyroscopic
from cosserat.lie.protocol import Array
from cosserat.results.kinematics import turned
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion


def checked_station(name: str, s: Any) -> float:
    """s of a beam, if it is one."""
    if not isinstance(s, Real) or not 0.0 <= float(s) <= 1.0:
        raise PlaceError(f"beam {name!r}: s is {s!r}; it runs from 0 at the start of the beam to 1 at its end")
    return float(s)


def section_forces(motion: Motion, beam: Any, s: Any, viscous: bool = True) -> Array:
    """Wrench (nt, 6) of the part of larger s on the part of smaller s, in the section's frame; see docs/results.md.

    Where a load or joint is attached inside the beam the wrench jumps; there it is that of the side of smaller s.
    """
    name, mesh = motion.mechanism.beam(beam)
    e, xi = mesh.element_at(checked_station(name, s))
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

    share = _shares(motion, name, e)
    carried = (1.0 - xi) * moved(a, share[:, :6]) - xi * moved(b, share[:, 6:])
    local = (1.0 - xi) * share[:, :6] - xi * share[:, 6:]
    return moved(a, force) + 0.5 * (carried + local)


def _force(motion: Motion, mesh: BeamMesh, e: int, viscous: bool) -> Array:
    """Wrench (nt, 6) of element e on its first node, in the frame of that node."""
    if not motion.floating:
        return -element_forces(motion, np.array([e]), viscous)[2][:, 0, :6]
    from cosserat.results.floating_beams import summed_force

    force = summed_force(motion, mesh, e)
    if not viscous and motion.mechanism.system.elements.viscosity[e] > 0.0:
        with_it, without = (element_forces(motion, np.array([e]), flag)[2][:, 0, :6] for flag in (True, False))
        force = force + with_it - without
    return force


def strains(motion: Motion, beam: Any, s: Any) -> Array:
    """Strain measures (nt, 6) at s: stretch, two shears (1), twist and two curvatures (1/m), zero without stress."""
    name, mesh = motion.mechanism.beam(beam)
    forces = section_forces(motion, beam, s, viscous=False)
    medium = medium_of(motion.mechanism, name)
    if medium is not None:
        e, _ = mesh.element_at(float(s))
        mean = element_forces(motion, np.array([e]))[0][:, 0]
        mean = mean / np.linalg.norm(motion.mechanism.system.elements.d0[e, :3])
        return np.array([medium.strain(force, near) for force, near in zip(forces, mean, strict=True)])
    return forces @ motion.mechanism.compliance(name, s).T


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


def gyroscopic(p: Array, twist: Array) -> Array:
    """-ad(v)^T p over time, (nt, 6)."""
    out = np.zeros_like(p)
    add_gyroscopic(p.T, 0, twist.T, out.T)
    return out


def element_inertia(motion: Motion, e: int) -> Array:
    """Inertia forces (nt, 12) of element e on its two nodes."""
    elements = motion.mechanism.system.elements
    out, pair = np.zeros((2, 6, len(motion.time))), elements.node[e]
    frames, twists, rates = (states[pair] for states in motion.moving)
    matter.add_inertia(elements.mass[e], frames, twists, rates, 0, 1, out)
    return out.reshape(12, -1).T


def _shares(motion: Motion, name: str, e: int) -> Array:
    """Loads (nt, 12) that act along element e itself (line loads, weight, inertia), shared out to its two nodes."""
    return line_shares(motion, name, e) - element_inertia(motion, e)


def line_shares(motion: Motion, name: str, e: int) -> Array:
    """Line loads and weight (nt, 12) along element e, shared out to its two nodes."""
    mechanism = motion.mechanism
    arrays = mechanism.system.elements
    (weights,), (arms,) = element_weights(arrays.mass[e : e + 1])
    share, frames = np.zeros((len(motion.time), 12)), motion.moving[0]
    for side, node in enumerate(arrays.node[e]):
        weight = np.zeros((6, len(motion.time)))
        add_gravity(weights[side], arms[side], frames[node], motion.inputs.gravity.T, weight)
        share[:, 6 * side : 6 * side + 6] -= weight.T
        R_t = np.swapaxes(motion.node(node)[0], 1, 2)
        R_0 = np.broadcast_to(mechanism.frames[node, :9].reshape(3, 3).T, R_t.shape)
        for load in mechanism.line_loads(name):
            sample = motion.inputs.wrench[:, load.columns[e - mechanism.beams[name].first_element]]
            turn = R_0 if load.follower else R_t
            local = turned(turn, sample)
            share[:, 6 * side : 6 * side + 6] += local @ load.spread[e - mechanism.beams[name].first_element, side].T
    laws = mechanism.system.state_loads
    seen = laws.first[:-1][laws.acts < np.diff(laws.first)]  # apparent forces: of two nodes, on the first
    for side, ends in enumerate((arrays.node[e], arrays.node[e, ::-1])):
        for p in seen[(laws.node[seen] == ends[0]) & (laws.node[seen + 1] == ends[1])]:
            share[:, 6 * side : 6 * side + 6] += motion.inputs.state[:, p, :6]
    rows = np.nonzero(mechanism.system.line_loads.element == e)[0]
    return share + line_wrenches(mechanism.system, rows, motion.frame, motion.inputs.wrench).sum(axis=1)


def line_wrenches(system: System, rows: NDArray[np.int64], frames: Array, wrench: Array) -> Array:
    """Wrenches (nt, rows, 12) of line loads that turn with sections on both nodes, for frames and samples (nt, ...)."""
    given: tuple[Any, ...] = system.line_loads
    loads = LineLoads(*(np.ascontiguousarray(array[rows]) for array in given))
    out = np.empty((len(frames), len(rows), 12))
    if len(rows):
        elements = system.elements
        line_states(np.ascontiguousarray(frames), np.ascontiguousarray(wrench), elements.node, elements.d0, *loads, out)
    return out
