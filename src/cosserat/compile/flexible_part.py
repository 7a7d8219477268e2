"""An elastic body as linear finite elements see it: what beams and solid meshes hand to the reduction to modes.

Unknowns are displacements in world axes, at nodes that may also turn; the reference configuration is free of stress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.lie import so3

Array = NDArray[np.float64]
Sparse = Any  # scipy.sparse is imported where it is used


@dataclass(frozen=True)
class Arm:
    """A vector fixed to something that turns: the point it leads to moves by rotation x arm."""

    rotation: Sparse  # (3 p, n): rotation vectors at p points
    vector: Array  # (p, 3)


@dataclass(frozen=True)
class MassPoints:
    """Where the mass is: p particles, or p nodes of an interpolation, that follow the unknowns."""

    weights: Any  # (p,), or a sparse (p, p) matrix
    positions: Array  # (p, 3) world
    sampling: Sparse  # (3 p, n): displacements of the points
    arms: tuple[Arm, ...] = ()  # parts of the sampling that are rotations, for the terms of second order
    element: NDArray[np.int64] | None = None  # (p,) element of a beam that a particle belongs to

    def shapes(self, Phi: Array) -> Array:
        """Displacements (p, 3, m) of the points for columns of unknowns (n, m)."""
        return np.asarray(self.sampling @ Phi).reshape(len(self.positions), 3, -1)

    def weighted(self, values: Array) -> Array:
        """Weights times values (p, k)."""
        return self.weights[:, None] * values if np.ndim(self.weights) == 1 else self.weights @ values


@dataclass(frozen=True)
class Recovery:
    """A point of strain and stress recovery: both (6, n) times the unknowns."""

    position: Array  # (3,) world
    strain: Any
    stress: Any
    turns: bool = False  # whether the components are in world axes and turn with the floating frame's
    # (6, 12) stress, and strain, that loads along an element itself add: accelerations e_i and e_i x_k of the world, i
    # outer
    own_strain: Any = None
    own_stress: Any = None


@dataclass(frozen=True)
class Drawn:
    """What pictures show of a part: points (p, 3), their displacements (3 p, n), and lines or triangles of them."""

    points: Array
    displacement: Sparse
    cells: NDArray[np.int64]


@dataclass(frozen=True)
class FlexiblePart:
    """Matrices of an elastic body, its interfaces and its mass."""

    title: str
    stiffness: Sparse  # (n, n)
    damping: Sparse
    mass: Sparse
    rigid: Array  # (n, 6): unit translations, then unit rotations about the world origin
    frames: dict[str, Array]  # interfaces: reference frames (4, 4), world
    constraints: dict[str, Sparse]  # (6, n): translation and rotation of each interface, world axes
    points: MassPoints
    # for columns (n, k) and shapes (n, m): work (k, m, m) of stresses of columns on strains of second order of shapes
    prestress: Callable[[Array, Array], Array] | None = None
    recovery: dict[str, Recovery] = field(default_factory=dict)
    velocity: Array | None = None  # (n,) at the start
    drawn: Drawn | None = None


def rigid_motions(part: FlexiblePart, frame: Array) -> Array:
    """Unit translations and rotations (n, 6) along and about the axes of a frame (4, 4)."""
    R, origin = frame[:3, :3], frame[:3, 3]
    change = np.zeros((6, 6))
    change[:3, :3] = change[3:, 3:] = R
    change[:3, 3:] = so3.hat(origin) @ R
    return np.asarray(part.rigid @ change)


def work_on_turning_arms(points: MassPoints, Phi: Array, forces: Array) -> Array:
    """Work (k, m, m) of forces (3 p, k) at the points on the displacement of second order that turning arms add.

    exp(w) y - y = w x y + w x (w x y) / 2 + ...; for w = psi_a q^a the second term is q^a q^b g_ab / 2.
    """
    m, f = Phi.shape[1], forces.reshape(len(points.positions), 3, -1)
    total = np.zeros((f.shape[2], m, m))
    for arm in points.arms:
        psi, y = np.asarray(arm.rotation @ Phi).reshape(-1, 3, m), arm.vector
        total += np.einsum("pik,pib,pja,pj->kab", f, psi, psi, y, optimize=True)
        total -= np.einsum("pik,pi,pja,pjb->kab", f, y, psi, psi, optimize=True)
    return 0.5 * (total + np.swapaxes(total, 1, 2))
