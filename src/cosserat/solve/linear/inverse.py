"""The quadratic eigenvalue problem inverted at a shift: its largest eigenvalues are those nearest the shift.

Factors are those of s2 M + s D + K bordered by the constraints, the stresses of elements as unknowns of their own. With
sigma = k (1 + s viscosity) P x the system is [s2 M + s D + K, P^T, Phi^T; P, -1/k(1 + s viscosity); Phi]: the stiffer
an element, the more it is a constraint, and what it does to the rest no longer drowns in its stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, bsr_matrix, csc_matrix, diags
from scipy.sparse.linalg import splu

from cosserat.lie.protocol import Array
from cosserat.solve.linear.matrices import Matrices

Complex = NDArray[np.complex128]

ROUNDING = 16.0 * np.finfo(float).eps  # what cannot be told from zero, relative to what cancels in it
ACCEPTED = 1e-7  # defect of an eigenvector in the inverted problem


@dataclass
class Inverse:
    """The inverted problem at a shift, velocities in units of `rate` so that both halves are of a size."""

    matrices: Matrices
    shift: complex
    solve: Any  # P(shift)^-1 on the motions that the joints allow
    rate: float
    singular: bool  # the softest motion is held by rounding errors alone
    squared: bool  # work with s^2: no damping, and the eigenvalues nearest zero are sought

    def __call__(self, z: NDArray[Any]) -> NDArray[Any]:
        m, s = self.matrices, self.number
        if self.squared:
            return -self.solve(m.mass @ z)
        x, v = np.split(z, 2)
        y = -self.solve(self.rate * (m.mass @ v) + m.damping @ x + s * (m.mass @ x))
        return np.concatenate((y, (x + s * y) / self.rate))

    @property
    def size(self) -> int:
        """Of the vectors that it maps."""
        return int(self.matrices.mass.shape[0]) * (1 if self.squared else 2)

    def values(self, theta: Complex) -> Complex:
        """Eigenvalues s from those of the map; of both roots of s^2 the one that does not decay."""
        return np.sqrt(self.shift**2 + 1.0 / theta + 0j) if self.squared else self.shift + 1.0 / theta

    def eigenpairs(self, theta: Complex, z: Complex) -> tuple[Complex, Complex]:
        """Eigenvalues s and shapes from those of the map; both roots of s^2."""
        s = self.values(theta)
        if not self.squared:
            return s, unit(z[: len(z) // 2])
        return np.concatenate((s, -s)), unit(np.hstack((z, z)))

    @property
    def number(self) -> Any:
        """The shift, a real number where it is real, so that the algebra stays real."""
        return self.shift if self.shift.imag else self.shift.real

    def defect(self, values: Complex, shapes: Complex) -> Array:
        """Size of P(shift)^-1 P(s) x for shapes of unit norm, relative to the terms it is made of."""
        m, s0 = self.matrices, self.number
        terms = (m.mass @ shapes) * (values + s0) + m.damping @ shapes
        moved = (values - s0) * (self.solve(terms.real) + 1j * self.solve(terms.imag))
        return np.linalg.norm(shapes + moved, axis=0) / (1.0 + np.linalg.norm(moved, axis=0))

    def dense(self, Z: Array) -> NDArray[Any]:
        """The map on motions spanned by an orthonormal basis of those that the joints allow, as a matrix."""
        m, s = self.matrices, self.number
        of_velocity: NDArray[Any] = -Z.T @ self.solve(m.mass @ Z)
        if self.squared:
            return of_velocity
        of_position = -Z.T @ self.solve(m.damping @ Z + s * (m.mass @ Z))
        upper = np.hstack((of_position, self.rate * of_velocity))
        lower = s * upper
        lower[:, : Z.shape[1]] += np.eye(Z.shape[1])
        return np.vstack((upper, lower / self.rate))


def invert(matrices: Matrices, shift: complex, squared: bool) -> Inverse | None:
    """Factorisation of the bordered P(shift); None if it is singular."""
    s = shift if shift.imag else shift.real
    size = matrices.mass.shape[0]
    try:
        solve = Bordered(matrices, s * s, s).solve
    except RuntimeError:
        return None
    x = solve(np.random.default_rng(1).normal(size=size))
    growth = 1.0
    for _ in range(3):
        norm = np.linalg.norm(x)
        if not (np.isfinite(norm) and norm > 0.0):
            return None
        x = solve(matrices.mass @ (x / norm))
        growth = float(np.linalg.norm(x))
    if not (np.isfinite(growth) and growth > 0.0):
        return None
    x = (x / growth)[:, None]
    size_of = np.abs(x)
    s = abs(shift)
    held = float(np.sum(size_of * (abs(matrices.mass) @ size_of))) / growth
    terms = s * s * abs(matrices.mass) + s * abs(matrices.damping) + abs(matrices.parts.stiffness)
    singular = bool(held <= 1e3 * ROUNDING * float(np.sum(size_of * (terms @ size_of))))
    if shift == 0.0 and not singular:
        singular = bool(abs(matrices.strain_energy(x)[0]) <= 1e2 * matrices.unresolved(x)[0])
    return Inverse(matrices, shift, solve, 1.0 / np.sqrt(growth), singular, squared)


def unit(shapes: Complex) -> Complex:
    """Columns of unit norm, their largest entry real and positive."""
    largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])]
    shapes = shapes * (np.abs(largest) / largest)
    return shapes / np.linalg.norm(shapes, axis=0)


class Bordered:
    """Solves (s2 M + s D + K) x + Phi^T lambda = f, Phi x = g for blocks f, g; RuntimeError if that is singular."""

    def __init__(self, matrices: Matrices, s2: complex, s: complex = 0.0) -> None:
        self.size, self.rows = matrices.mass.shape[0], matrices.constraints.shape[0]
        elastic = matrices.parts
        s2, s = (z if np.imag(z) else np.real(z) for z in (s2, s))
        top = s2 * matrices.mass + elastic.stiffness
        if s != 0.0:
            top = top + s * elastic.damping
        self.kind: Any = complex if np.iscomplexobj(top.data) or np.iscomplexobj(np.asarray(s)) else float
        self.scale = _typical(top, elastic)
        e = len(elastic.modulus)
        self.between = 6 * e
        factor = 1.0 + s * elastic.viscosity
        give = -np.linalg.inv(elastic.modulus) * (self.scale / factor)[:, None, None]
        soft = bsr_matrix((give * self.scale, np.arange(e), np.arange(e + 1)), shape=(6 * e, 6 * e))
        P, phi = self.scale * elastic.strain, self.scale * matrices.constraints
        blocks = [[top, P.T, phi.T], [P, soft, None], [self._rows(matrices, s), None, None]]
        there = [k for k, count in enumerate((self.size, e, self.rows)) if count]
        system = csc_matrix(block_array([[blocks[i][k] for k in there] for i in there], format="csc"))
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
    diagonal = np.abs(np.concatenate((matrix.diagonal(), np.einsum("eii->ei", elastic.modulus).ravel())))
    used = diagonal[diagonal > 1e-13 * np.max(diagonal, initial=0.0)]
    return float(np.exp(np.mean(np.log(used)))) if used.size else 1.0
