"""Covariant divergence of the momentum of a beam, as a field over time and arc length.

    nabla_t p + nabla_S(-sigma) - F,   nabla_t p = dp/dt - ad(eta)^T p,   nabla_S sigma = d sigma/dS - ad(f)^T sigma

with p = M eta the momentum of a section, sigma the stress resultants, f the deformed strain, F the line loads and the
weight. Source: [deSaxce26] (65) and 11.2, [Boyer05] (46) with U where L is printed. Stresses and strains are those of
the middles of elements, momenta those of nodes, derivatives are central differences.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.results.beams import element_forces, gyroscopic, line_shares, medium_of
from cosserat.results.motion import Motion


def divergence(motion: Motion, name: str, section_mass: Callable[[float], Array]) -> tuple[Array, Array]:
    """Places s (n,) of the inner nodes and the divergence there (nt, n, 6)."""
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
        before, after = (line_shares(motion, name, elements[j]) for j in (k, k + 1))
        load = (before[:, 6:] + after[:, :6]) / middle
        along = (stress[:, k + 1] - stress[:, k]) / middle + gyroscopic(sigma, f)
        rates = np.gradient(p, motion.time, axis=0, edge_order=2) + gyroscopic(p, twist)
        out[:, column] = rates - along - load
    return s, out
