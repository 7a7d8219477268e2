"""Factors of s2 M + s D + K bordered by the constraints, the stresses of elements as unknowns of their own.

With sigma = k (1 + s viscosity) P x the system is [s2 M + s D + K, P^T, Phi^T; P, -1/k(1 + s viscosity); Phi]: the
stiffer an element, the more it is a constraint, and what it does to the rest no longer drowns in its stiffness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, bsr_matrix, csc_matrix, diags
from scipy.sparse.linalg import splu

from cosserat.solve.linear.matrices import Matrices


class Bordered:
    """Solves (s2 M + s D + K) x + Phi^T lambda = f, Phi x = g for blocks f, g; RuntimeError if that is singular."""

    def __init__(self, matrices: Matrices, s2: complex, s: complex = 0.0) -> None:
        self.size, self.rows = matrices.mass.shape[0], matrices.constraints.shape[0]
        elastic = matrices.elastic
        stiffness = matrices.stiffness if elastic is None else elastic.stiffness
        damping = matrices.damping if elastic is None else elastic.damping
        s2, s = (z if np.imag(z) else np.real(z) for z in (s2, s))
        top = s2 * matrices.mass + stiffness
        if s != 0.0:
            top = top + s * damping
        self.kind: Any = complex if np.iscomplexobj(top.data) or np.iscomplexobj(np.asarray(s)) else float
        self.scale = _typical(top, elastic)
        self.between = 0
        blocks: list[list[Any]] = [[top]]
        if elastic is not None:
            e = len(elastic.modulus)
            self.between = 6 * e
            factor = 1.0 + s * elastic.viscosity
            give = -np.linalg.inv(elastic.modulus) * (self.scale / factor)[:, None, None]
            soft = bsr_matrix((give * self.scale, np.arange(e), np.arange(e + 1)), shape=(6 * e, 6 * e))
            P = self.scale * elastic.strain
            blocks = [[top, P.T], [P, soft]]
        if self.rows:
            phi = self.scale * matrices.constraints
            none = [None] * (len(blocks) - 1)
            blocks = [[*row, column] for row, column in zip(blocks, [phi.T, *none], strict=True)]
            blocks.append([self._rows(matrices, s), *none, None])
        system = csc_matrix(block_array(blocks, format="csc")) if len(blocks) > 1 else csc_matrix(top)
        if np.iscomplexobj(system.data):
            self.kind = complex
        self.lu = splu(system.astype(self.kind), permc_spec="MMD_ATA")
        if not np.all(np.abs(self.lu.U.diagonal()) > 0.0):
            raise RuntimeError("singular")

    def _rows(self, matrices: Matrices, s: complex) -> csc_matrix:
        """The constraints in a motion exp(s t); those that restrict velocities only demand s Phi x + drift x."""
        phi, slips = self.scale * matrices.constraints, matrices.slips
        if slips is None:
            return phi
        return csc_matrix(diags(np.where(slips.rows, s, 1.0)) @ phi + self.scale * slips.drift)

    def solve(self, force: NDArray[Any], drive: NDArray[Any] | None = None) -> NDArray[Any]:
        """The motion x (6n, k) for forces (6n, k) and demands (m, k) of the constraints."""
        return self.both(force, drive)[0]

    def both(self, force: NDArray[Any], drive: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """The motion and the multipliers."""
        kind = complex if self.kind is complex or np.iscomplexobj(force) else float
        full = np.zeros((self.size + self.between + self.rows, *force.shape[1:]), dtype=kind, order="F")
        full[: self.size] = force
        if drive is not None:
            full[self.size + self.between :] = self.scale * drive
        if kind is complex and self.kind is float:
            out = self.lu.solve(np.ascontiguousarray(full.real)) + 1j * self.lu.solve(np.ascontiguousarray(full.imag))
        else:
            out = self.lu.solve(full)
        return out[: self.size], self.scale * out[self.size + self.between :]


def _typical(matrix: csc_matrix, elastic: Any) -> float:
    diagonal = np.abs(matrix.diagonal())
    if elastic is not None:
        diagonal = np.concatenate((diagonal, np.abs(np.einsum("eii->ei", elastic.modulus)).ravel()))
    used = diagonal[diagonal > 1e-13 * np.max(diagonal, initial=0.0)]
    return float(np.exp(np.mean(np.log(used)))) if used.size else 1.0
