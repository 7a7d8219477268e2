"""Stiffness and damping of beam elements in factored form, P^T k P: relative motions of their ends, and their moduli.

Summed into one matrix, the stiffness of an element that is much stiffer than the rest leaves rounding errors larger
than what resists the motions of the mechanism as a whole. Strains P x of a motion that hardly strains are small numbers
computed from nearly equal ones: their error is of the order of rounding, and the square of it in the energy is nothing.

How well a mesh resolves a shape, strains tell as well. Across an element the motion of a wave changes by 2 sin(pi h /
wave) of its size: by as much as itself with six elements to a wave. What changes faster belongs to the mesh and not to
the beam: with finer elements it has another frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csc_matrix

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.monitors import moduli
from cosserat.lie.protocol import Array
from cosserat.solve.gradients import element_strains

if TYPE_CHECKING:
    from cosserat.solve.linear.point import OperatingPoint

_AGREE = 1e-8  # to which the factored form has to give the assembled stiffness, entries relative to the diagonal
_FAINT = 1e-12  # of the squares of all motions: strain of beams that do not take part


@dataclass(frozen=True)
class Elastic:
    """K = strain^T modulus strain + stiffness, D = strain^T (viscosity modulus) strain + damping; e elements."""

    strain: csc_matrix  # (6e, 6n)
    modulus: Array  # (e, 6, 6)
    viscosity: Array  # (e,) damping relative to the stiffness, s
    stiffness: csc_matrix  # (6n, 6n), of everything else
    damping: csc_matrix  # (6n, 6n), of everything else

    def stress(self, strains: NDArray[Any]) -> NDArray[Any]:
        """modulus times strains (6e, k)."""
        inside = strains.reshape(len(self.modulus), 6, strains.shape[1])
        return np.einsum("eij,ejk->eik", self.modulus, inside).reshape(strains.shape)

    def energy(self, shapes: NDArray[Any]) -> NDArray[Any]:
        """x^H K x (k,) for columns x."""
        strains = self.strain @ shapes
        inside = np.sum(strains.conj() * self.stress(strains), axis=0)
        return np.asarray(inside + np.sum(shapes.conj() * (self.stiffness @ shapes), axis=0))


def product_of(strain: csc_matrix, modulus: Array) -> csc_matrix:
    """strain^T modulus strain as a sparse matrix."""
    e = len(modulus)
    inner = bsr_matrix((modulus, np.arange(e), np.arange(e + 1)), shape=(6 * e, 6 * e))
    return csc_matrix(strain.T @ inner @ strain)


def elastic_at(point: OperatingPoint, stiffness: csc_matrix) -> Elastic | None:
    """The factored form of a given stiffness at a point; None where there are no elements, or it does not apply.

    It does not to viscous elements in motion, whose damping also turns with the motion.
    """
    from cosserat.solve.linear.matrices import tangents  # they need each other

    elements, memory, trial = point.compiled.system.elements, point.memory, point.memory.problem.trial
    viscous = bool(np.any(elements.viscosity > 0.0))
    if len(elements.node) == 0 or (viscous and np.any(trial.twist)):
        return None
    strain = element_strains(trial.frame, elements.node, stiffness.shape[0])
    modulus = elements.stiffness[elements.like]
    if not np.all(np.linalg.eigvalsh(modulus)[:, 0] > 0.0):
        return None
    product = product_of(strain, modulus)
    zero = elements._replace(stiffness=np.zeros_like(elements.stiffness), viscosity=np.zeros_like(elements.viscosity))
    known = trial.strain.copy()
    try:
        trial.strain[:, :12], trial.strain[:, 12:18] = 0.0, trial.stress  # stresses are those of the point
        memory.replace(elements=zero)
        _, other_damping, rest = tangents(point)
    finally:
        memory.replace(elements=elements)
        trial.strain[:] = known
    if np.any(trial.stress):  # what the strains at the point change in the moduli
        stressed = np.empty_like(elements.stiffness)
        moduli(
            trial.frame, elements.node, elements.d0, elements.stiffness, elements.second, elements.turning,
            np.empty(144), stressed,
        )  # fmt: skip
        rest = csc_matrix(rest + product_of(strain, stressed - modulus))
    root = 1.0 / np.sqrt(np.maximum(np.abs(stiffness.diagonal()), np.finfo(float).tiny))
    apart = abs(stiffness - product - rest).tocoo()
    if apart.nnz and np.max(apart.data * root[apart.row] * root[apart.col]) > _AGREE:
        return None
    return Elastic(strain, modulus, elements.viscosity if viscous else np.zeros(len(modulus)), rest, other_damping)


def change_in_elements(compiled: CompiledModel, frames: Array, moved: NDArray[Any]) -> Array:
    """Change of motions (6n, k) of nodes in frames (n + 1, 12) across an element, relative to the motion there (k,).

    A mean over the elements, those that are strained most counting most; zero where none is.
    """
    elements, n, k = compiled.system.elements, compiled.n_nodes, moved.shape[1]
    e = len(elements.node)
    unit = np.ones((e, 6, 1))  # turns count by the displacements that they make across an element
    unit[:, 3:, 0] = np.linalg.norm(elements.d0[:, :3], axis=1)[:, None]
    strain = np.asarray(element_strains(frames, elements.node, 6 * n) @ moved).reshape(e, 6, k)
    change = np.linalg.norm(unit * strain, axis=1)
    nodes = np.concatenate((moved.reshape(n, 6, k), np.zeros((1, 6, k))))
    size = np.sqrt(0.5 * np.sum(np.abs(unit[:, None] * nodes[elements.node]) ** 2, axis=(1, 2)))
    squares, products = np.sum(change**2, axis=0), np.sum(change * size, axis=0)
    whole = np.sum(np.abs(nodes[:, :3]) ** 2 + np.abs(compiled.length * nodes[:, 3:]) ** 2, axis=(0, 1))
    return np.where(squares > _FAINT * whole, squares / np.where(products > 0.0, products, 1.0), 0.0)
