"""Where the energy of modes of a tree lives, and how they take part in rigid motions: as `Modes` tells it of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.results.modes import DIRECTIONS, Modes, centre_of, energy_shares, summed
from cosserat.results.motion import virtual_motion
from cosserat.results.nodal import strain_energies
from cosserat.solve.relative.flexible_recursion import Motions

if TYPE_CHECKING:
    from xarray import Dataset

    from cosserat.solve.trees.point import TreePoint


def tree_shares(point: TreePoint, modes: Modes, shapes: NDArray[Any]) -> Dataset:
    """Shares (mode, component) of the kinetic and the elastic energy; each sums to 1, or is 0."""
    kinetic, strain = [], []
    for x in shapes.T:
        parts = [x.real, x.imag] if np.iscomplexobj(x) else [x]
        kinetic.append(summed([_kinetic(point, part) for part in parts]))
        strain.append(summed([_strain(point, modes, part) for part in parts]))
    return energy_shares(kinetic, strain, modes.rigid)


def _kinetic(point: TreePoint, x: Array) -> dict[str, float]:
    """Twice the kinetic energy of every body that moves with velocities x."""
    data, compiled = point.system.data, point.compiled
    links = Motions(data).move(point.state.q, x)
    twice = [float(link.z @ link.M @ link.z) for link in links]
    nodal = point.nodal(x).reshape(-1, 6)
    out: dict[str, float] = {}
    rows, names = compiled.system.bodies, {node: name for name, node in compiled.bodies.items()}
    for node, M in zip(rows.node.tolist(), rows.mass, strict=True):  # of bodies, and of fluids that move with them
        if node in names:
            out[names[node]] = out.get(names[node], 0.0) + float(nodal[node] @ M @ nodal[node])
    for name in data.reduced.bodies:
        link = data.carrier[name]
        if link >= 0:  # rigid bodies fixed to it count for themselves
            fluid = sum(twice[i] for i, other in enumerate(data.links) if other.is_fluid and other.base.link == link)
            fixed = sum(out[other] for other in compiled.bodies if data.carrier[other] == link)
            out[name] = twice[link] + fluid - fixed
    return out


def _strain(point: TreePoint, modes: Modes, x: Array) -> dict[str, float]:
    """Twice the elastic energy of springs, joints and elastic bodies."""
    data = point.system.data
    springs = [spring.name for spring in point.model.springs]
    out = dict(strain_energies(virtual_motion(modes.motion, point.nodal(x)), springs))
    for name, body in data.reduced.bodies.items():
        link = data.carrier[name]
        if link >= 0:
            bent = data.modal(link, x)
            out[name] = float(bent @ np.asarray(body.stiffness) @ bent)
    return out


def participation(point: TreePoint, modes: Modes, shapes: NDArray[Any]) -> Dataset:
    """Participation in translations along and rotations about world axes through the centre of what moves."""
    from xarray import Dataset

    tree, q = point.system.tree, point.state.q
    centre, total = _inertia(point)
    about = se3.adjoint(se3.frame(np.eye(3), centre - tree.centre_of_mass(q)))
    factor = (about.T @ tree.centroidal_matrix(q) @ shapes).T
    return Dataset(
        {
            "factor": (("mode", "direction"), factor),
            "effective_mass": (("mode", "direction"), np.abs(factor) ** 2),
        },
        coords={"mode": np.arange(len(modes)), "direction": list(DIRECTIONS), "total": ("direction", total)},
    )


def _inertia(point: TreePoint) -> tuple[Array, Array]:
    """Centre of all that moves, fluid included, and its mass and moments of inertia (6,) there, as `Modes` has them."""
    total = np.zeros((6, 6))
    for link in Motions(point.system.data).move(point.state.q, np.zeros(point.system.n)):
        across = se3.adjoint(se3.inverse(link.frame))
        total += across.T @ link.M[:6, :6] @ across
    centre = centre_of(total)
    about = se3.adjoint(se3.frame(np.eye(3), centre))
    return centre, np.diag(about.T @ total @ about)
