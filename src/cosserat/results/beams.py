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

from cosserat.compile.elements import element_weights
from cosserat.compile.mesh import BeamMesh
from cosserat.errors import PlaceError
from cosserat.kernels import bending
from cosserat.kernels.monitors import between, element_states
from cosserat.results.kinematics import rotate
from cosserat.results.motion import Motion

Array = NDArray[np.float64]


def section_forces(motion: Motion, beam: Any, s: Any, viscous: bool = True) -> Array:
    """Wrench (nt, 6) of the part of larger s on the part of smaller s, in the section's frame; see docs/results.md.

    Where a load or joint is attached inside the beam the wrench jumps; there it is that of the side of smaller s.
    """
    name, mesh = motion.mechanism.beam(beam)
    if not isinstance(s, Real) or not 0.0 <= float(s) <= 1.0:
        raise PlaceError(f"beam {name!r}: s is {s!r}; it runs from 0 at the start of the beam to 1 at its end")
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
        f = rotate(R, wrench[:, :3])
        m = rotate(R, wrench[:, 3:]) + np.cross(origin - x, f)
        return np.hstack((rotate(R_t, f), rotate(R_t, m)))

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
    name, _ = motion.mechanism.beam(beam)
    return section_forces(motion, beam, s, viscous=False) @ motion.mechanism.compliance(name, s).T


def element_forces(motion: Motion, elements: NDArray[np.int64], viscous: bool = True) -> tuple[Array, Array, Array]:
    """Strains d - d0, their rates (nt, ne, 6) and nodal forces (nt, ne, 12) of the given elements."""
    arrays = motion.mechanism.system.elements
    shape = (len(motion.time), len(elements))
    strain, rate, force = np.empty((*shape, 6)), np.empty((*shape, 6)), np.empty((*shape, 12))
    viscosity = arrays.viscosity[elements] * (1.0 if viscous else 0.0)
    element_states(
        motion.frame, motion.twist, arrays.node[elements], arrays.d0[elements], arrays.stiffness[elements], viscosity,
        strain, rate, force,
    )  # fmt: skip
    if len(arrays.bending):
        force += _turning(motion, elements)[1]
    return strain, rate, force


def strain_energy(motion: Motion, e: int, strain: Array) -> Array:
    """Strain energy (nt,) of element e for its strains d - d0, (nt, 6)."""
    arrays = motion.mechanism.system.elements
    energy = 0.5 * np.sum(strain * (strain @ arrays.stiffness[e]), axis=1)
    if len(arrays.bending):
        energy += _turning(motion, np.array([e]))[0][:, 0]
    return np.asarray(energy)


def _turning(motion: Motion, elements: NDArray[np.int64]) -> tuple[Array, Array]:
    """Energy (nt, ne) of moments that turn inside the given elements, and its nodal forces (nt, ne, 12)."""
    arrays = motion.mechanism.system.elements
    shape = (len(motion.time), len(elements))
    energy, force = np.empty(shape), np.empty((*shape, 12))
    bending.states(
        motion.frame, arrays.node[elements], arrays.d0[elements], arrays.stiffness[elements], arrays.bending[elements],
        energy, force,
    )  # fmt: skip
    return energy, force


def gyroscopic(p: Array, twist: Array) -> Array:
    """-ad(v)^T p over leading dimensions."""
    pu, pw, v, omega = p[..., :3], p[..., 3:], twist[..., :3], twist[..., 3:]
    return np.concatenate((np.cross(omega, pu), np.cross(v, pu) + np.cross(omega, pw)), axis=-1)


def element_momenta(motion: Motion, e: int) -> Array:
    """Momenta (nt, 12) of both nodes of element e, in their frames, for the present twists."""
    arrays = motion.mechanism.system.elements
    a, b = arrays.node[e]
    p = np.hstack((motion.twist[:, a], motion.twist[:, b])) @ arrays.mass[e]
    p[:, :3] += arrays.coupling[e] * _across(motion, a, b, motion.twist[:, b, :3])
    p[:, 6:9] += arrays.coupling[e] * _across(motion, b, a, motion.twist[:, a, :3])
    return p


def element_inertia(motion: Motion, e: int) -> Array:
    """Inertia forces (nt, 12) of element e on its two nodes, as the kernels have them."""
    arrays = motion.mechanism.system.elements
    a, b = arrays.node[e]
    twist = np.hstack((motion.twist[:, a], motion.twist[:, b]))
    rate = np.hstack((motion.rate[:, a], motion.rate[:, b]))
    p = twist @ arrays.mass[e]
    out = rate @ arrays.mass[e] + np.hstack((gyroscopic(p[:, :6], twist[:, :6]), gyroscopic(p[:, 6:], twist[:, 6:])))
    out[:, :3] += arrays.coupling[e] * _across(motion, a, b, _acceleration(twist[:, 6:], rate[:, 6:]))
    out[:, 6:9] += arrays.coupling[e] * _across(motion, b, a, _acceleration(twist[:, :6], rate[:, :6]))
    return out


def _acceleration(twist: Array, rate: Array) -> Array:
    return rate[:, :3] + np.cross(twist[:, 3:], twist[:, :3])


def _across(motion: Motion, a: int, b: int, vector: Array) -> Array:
    """Components in the frame of node a of vectors given in that of node b."""
    return rotate(np.swapaxes(motion.node(a)[0], 1, 2), rotate(motion.node(b)[0], vector))


def _shares(motion: Motion, name: str, e: int) -> Array:
    """Loads (nt, 12) that act along element e itself (line loads, weight, inertia), shared out to its two nodes."""
    return line_shares(motion, name, e) - element_inertia(motion, e)


def line_shares(motion: Motion, name: str, e: int) -> Array:
    """Line loads and weight (nt, 12) along element e, shared out to its two nodes."""
    mechanism = motion.mechanism
    arrays = mechanism.system.elements
    one = slice(e, e + 1)
    weights, arms = element_weights(arrays.mass[one], arrays.coupling[one], arrays.d0[one])
    share = np.zeros((len(motion.time), 12))
    for side, node in enumerate(arrays.node[e]):
        R_t = np.swapaxes(motion.node(node)[0], 1, 2)
        g = rotate(R_t, motion.inputs.gravity)
        share[:, 6 * side : 6 * side + 3] += weights[0, side] * g
        share[:, 6 * side + 3 : 6 * side + 6] += np.cross(arms[0, side], g)
        R_0 = np.broadcast_to(mechanism.frames[node, :9].reshape(3, 3).T, R_t.shape)
        for load in mechanism.line_loads(name):
            sample = motion.inputs.wrench[:, load.columns[e - mechanism.beams[name].first_element]]
            turn = R_0 if load.follower else R_t
            local = np.hstack((rotate(turn, sample[:, :3]), rotate(turn, sample[:, 3:])))
            share[:, 6 * side : 6 * side + 6] += local @ load.spread[e - mechanism.beams[name].first_element, side].T
    return share
