"""Modes of an elastic body under constraints: fixed at an interface, free, or after Craig and Bampton; and stresses.

All of them are A u = b for the rows A of the interfaces; a free body is held by u^T M R = 0, R its rigid motions: the
floating frame then follows the mean motion (Tisserand's axes) and modes carry no momentum. R. R. Craig, M. C. C.
Bampton, Coupling of substructures for dynamic analyses, AIAA J. 6 (1968) 1313-1319.

Of strain and stress at chosen points, the modes are too few for stresses: they leave out most of the static answer to
weight, to centrifugal forces, and to loads at interfaces without static shapes. These answers are known from the
elements, less what the modes have of them (the mode acceleration method).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_part import FlexiblePart, Sparse
from cosserat.errors import ArgumentError, SolveError
from cosserat.lie.protocol import Array
from cosserat.model.modal_inertia import RecoveryPoint

BOUNDARIES = ("cantilever", "free", "craig-bampton")
_SMALL = 120  # unknowns up to which dense matrices are quicker
_LARGE = 3000  # and beyond which they are hopeless
_EQUAL = 1e-6  # relative difference of squares of frequencies of one group, such as both bendings of a round rod
_BEYOND = 3  # modes found besides those asked for, so that no such group is seen in part


class ConstrainedSolver:
    """Solves K u + A^T lambda = f, A u = b; K may be singular as long as A holds the body."""

    def __init__(self, title: str, K: Sparse, A: Any) -> None:
        from scipy.sparse import bmat, csr_matrix
        from scipy.sparse.linalg import splu

        self.n = K.shape[0]
        A = csr_matrix(A)
        self._held: NDArray[np.int64] | None = None
        try:
            if (np.diff(A.indptr) == 1).all() and len(np.unique(A.indices)) == A.shape[0]:
                # every row holds one unknown: leave those out
                self._held, self._factor = A.indices.astype(np.int64), A.data
                self._free = np.setdiff1d(np.arange(self.n), self._held)
                rows = K.tocsr()[self._free]
                self._coupling = rows[:, self._held]
                self._factors = splu(
                    rows[:, self._free].tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
                )
            else:
                size = np.sqrt(np.asarray(A.multiply(A).sum(axis=1)).ravel())
                scale = float(np.mean(np.abs(K.diagonal()))) or 1.0
                self._factor = scale / np.where(size > 0.0, size, 1.0)
                scaled = csr_matrix(A.multiply(self._factor[:, None]))
                self._factors = splu(bmat([[K, scaled.T], [scaled, None]], format="csc"))
        except RuntimeError:
            raise SolveError(
                f"{title}: its stiffness is singular even when it is held at its interfaces; is part of it loose?"
            ) from None

    def __call__(self, f: Array, b: Array | None = None) -> Array:
        if self._held is not None:
            out = np.zeros_like(f)
            right = f[self._free]
            if b is not None:
                out[self._held] = b / self._factor[:, None]
                right = right - self._coupling @ out[self._held]
            out[self._free] = self._factors.solve(right)
            return out
        right = np.zeros((self.n + len(self._factor), *f.shape[1:]))
        right[: self.n] = f
        if b is not None:
            right[self.n :] = self._factor[:, None] * b
        return np.asarray(self._factors.solve(right)[: self.n])


def boundary_rows(part: FlexiblePart, boundary: str, root: str) -> Any:
    """The rows that hold the floating frame: of the root interface, or those of a free body."""
    return part.rigid.T @ part.mass if boundary == "free" else part.constraints[root]


def shapes(
    part: FlexiblePart, boundary: str, root: str, modes: int | None, frequency: float | None, extra: tuple[str, ...],
    beyond: int = 0,
) -> Array:  # fmt: skip
    """Mass-normalised shapes (n, m), by ascending frequency; `extra` are the interfaces with constraint modes.

    `beyond`: how many more modes than those asked for are taken, as far as the mesh has them.
    """
    A = boundary_rows(part, boundary, root)
    if boundary != "craig-bampton":
        return _signed(_normal_modes(part, A, modes, frequency, beyond=beyond)[1])
    from scipy.sparse import vstack

    rows = vstack([A, *(part.constraints[name] for name in extra)], format="csr")
    unit = np.eye(rows.shape[0])[:, A.shape[0] :]
    solver = ConstrainedSolver(part.title, part.stiffness, rows)
    static = solver(np.zeros((part.stiffness.shape[0], unit.shape[1])), unit)
    fixed = np.zeros((len(static), 0)) if modes == 0 else _normal_modes(part, rows, modes, frequency, solver, beyond)[1]
    basis = np.hstack((static, fixed))
    basis = basis / np.sqrt(np.einsum("im,im->m", basis, part.mass @ basis))
    omega, Phi = _within(part, basis)
    return _signed(_along_axes(part, omega, Phi))


def _normal_modes(
    part: FlexiblePart, A: Any, modes: int | None, frequency: float | None, known: ConstrainedSolver | None = None,
    beyond: int = 0,
) -> tuple[Array, Array]:  # fmt: skip
    """Angular frequencies and mass-normalised shapes of K u = omega^2 M u with A u = 0; `known`: a solver for A."""
    n, rows = part.stiffness.shape[0], A.shape[0]
    available = n - rows
    if modes is not None and modes > available:
        few = f"is {modes}; with this boundary its mesh has only {available}; take fewer, or more elements"
        raise ArgumentError(part.title, "modes", few)
    count = min(modes + beyond, available) if modes is not None else 8
    solver = (known or ConstrainedSolver(part.title, part.stiffness, A)) if n > _SMALL else None
    while solver is not None and 4 * count < available:
        omega, Phi = _sparse_modes(part, solver, count + _BEYOND)
        if frequency is None or omega[count - 1] > 2.0 * np.pi * frequency:
            break
        count *= 2
    else:
        if n > _LARGE:
            raise ArgumentError(part.title, "modes", f"or frequency asks for {count} modes or more of a mesh with "
                                f"{available}; ask for fewer")  # fmt: skip
        omega, Phi = _dense_modes(part, A)
    if frequency is not None:
        count = int(np.count_nonzero(omega <= 2.0 * np.pi * frequency))
    if count == 0:
        raise ArgumentError(
            part.title, "frequency", f"is {frequency:g} Hz, below the first mode at {omega[0] / (2 * np.pi):g} Hz"
        )
    return omega[:count], _along_axes(part, omega[: count + _BEYOND], Phi[:, : count + _BEYOND])[:, :count]


def aligned(squares: Array, shapes: Array, motion: Callable[[Array], Array]) -> Array:
    """Turn the shapes of equal frequencies among themselves so that they move along axes where they can.

    Which of their combinations a solver returns is a matter of its rounding errors. Of each group the first shape has
    all of the largest motion (a row of `motion`; of equally large ones the first), the second none of that and all of
    the largest that is left, and so on.
    """
    out = shapes.copy()
    ends = np.flatnonzero(np.diff(squares) > _EQUAL * np.abs(squares[1:])) + 1
    for group in np.split(np.arange(len(squares)), ends):
        for j in group[:-1]:
            rest = out[:, j : group[-1] + 1]
            moved = motion(rest)
            size = np.linalg.norm(moved, axis=1)
            largest = moved[np.argmax(size >= (1.0 - _EQUAL) * size.max())]
            out[:, j : group[-1] + 1] = rest @ np.linalg.qr(largest[:, None], mode="complete")[0]
    return out


def _along_axes(part: FlexiblePart, omega: Array, Phi: Array) -> Array:
    """Shapes of equal frequencies that move along the axes of the first interface, where they can."""
    turn = next(iter(part.frames.values()))[:3, :3] if part.frames else np.eye(3)

    def motion(shapes: Array) -> Array:
        return np.einsum("ia,pim->pam", turn, part.points.shapes(shapes)).reshape(-1, shapes.shape[1])

    return aligned(omega**2, Phi, motion)


def _dense_modes(part: FlexiblePart, A: Any) -> tuple[Array, Array]:
    from scipy.linalg import qr

    rows = A.toarray() if hasattr(A, "toarray") else np.asarray(A)
    Q, _ = qr(rows.T)
    return _within(part, Q[:, rows.shape[0] :])


def _within(part: FlexiblePart, Z: Array) -> tuple[Array, Array]:
    """Angular frequencies and mass-normalised shapes among motions Z (n, m)."""
    from scipy.linalg import eigh

    K, M = Z.T @ (part.stiffness @ Z), Z.T @ (part.mass @ Z)
    # 1/omega^2 as the eigenvalue: the lowest modes are then the most accurate ones
    try:
        inverse, V = eigh(0.5 * (M + M.T), 0.5 * (K + K.T))
    except np.linalg.LinAlgError:
        raise SolveError(f"{part.title}: its stiffness is not positive definite with this boundary") from None
    keep = inverse > inverse[-1] * 1e-14
    inverse, V = inverse[keep][::-1], V[:, keep][:, ::-1]
    return 1.0 / np.sqrt(inverse), (Z @ V) / np.sqrt(inverse)


def _sparse_modes(part: FlexiblePart, solver: ConstrainedSolver, count: int) -> tuple[Array, Array]:
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = solver.n
    inverse = LinearOperator((n, n), matvec=lambda x: solver(np.asarray(x).reshape(-1)), dtype=float)
    start = solver(part.mass @ np.random.default_rng(0).normal(size=n))
    values, Phi = eigsh(part.stiffness, k=count, M=part.mass, sigma=0.0, OPinv=inverse, v0=start)
    order = np.argsort(values)
    Phi = Phi[:, order]
    Phi = Phi / np.sqrt(np.einsum("im,im->m", Phi, part.mass @ Phi))
    return np.sqrt(np.maximum(values[order], 0.0)), Phi


def _signed(Phi: Array) -> Array:
    """Signs such that the largest entry of each shape is positive."""
    largest = Phi[np.argmax(np.abs(Phi) > (1.0 - 1e-6) * np.abs(Phi).max(axis=0), axis=0), np.arange(Phi.shape[1])]
    return Phi * np.where(largest < 0.0, -1.0, 1.0)


def recovery_points(
    part: FlexiblePart, Phi: Array, frame: Array, solver: ConstrainedSolver | None
) -> dict[str, RecoveryPoint]:  # fmt: skip
    """Points of recovery for shapes (n, m) seen from a frame; without a solver, which holds the body, of modes only."""
    R = frame[:3, :3]
    rest = None if solver is None else _left_out(part, solver, Phi, frame)
    points = {}
    for key, point in part.recovery.items():
        turn = _voigt_turn(R.T) if point.turns else (np.eye(6), np.eye(6))
        strain, stress = (turn[k] @ matrix for k, matrix in enumerate((point.strain, point.stress)))
        left: dict[str, Array] = {}
        if rest is not None:
            left = {"strain_rest": np.asarray(strain @ rest), "stress_rest": np.asarray(stress @ rest)}
            if point.own_stress is not None:
                fields = _world_fields(frame)
                left["strain_rest"][:, :12] += point.own_strain @ fields
                left["stress_rest"][:, :12] += point.own_stress @ fields
        points[key] = RecoveryPoint(
            R.T @ (point.position - frame[:3, 3]), np.asarray(strain @ Phi), np.asarray(stress @ Phi), not point.turns,
            **left,
        )  # fmt: skip
    return points


def linear_fields(part: FlexiblePart, frame: Array) -> Array:
    """Forces (3 p, 12) on the points of unit fields along the frame's axes: e_j dm and e_j X_k dm, j outer."""
    points, R = part.points, frame[:3, :3]
    X = (points.positions - frame[:3, 3]) @ R
    moments = points.weighted(np.hstack((np.ones((len(X), 1)), X)))
    return np.einsum("pc,ij->pijc", moments, R).reshape(3 * len(X), 12)


def _world_fields(frame: Array) -> Array:
    """Matrix (12, 12) from accelerations a + A X in the axes of a frame to b + B x of the world, rows of (a, A)."""
    R, origin = frame[:3, :3], frame[:3, 3]
    unit = np.eye(12).reshape(12, 3, 4)
    B = R @ unit[:, :, 1:] @ R.T
    b = unit[:, :, 0] @ R.T - B @ origin
    return np.concatenate((b[:, :, None], B), axis=2).reshape(12, 12).T


def _left_out(part: FlexiblePart, solver: ConstrainedSolver, Phi: Array, frame: Array) -> Array:
    """Static displacements that the modes leave out, (n, 12 + 6 i): see `RecoveryPoint`."""
    wrenches = [part.constraints[key].T @ np.kron(np.eye(2), H[:3, :3]) for key, H in part.frames.items()]
    forces = np.hstack((-part.points.sampling.T @ linear_fields(part, frame), *map(np.asarray, wrenches)))
    stiffness = Phi.T @ (part.stiffness @ Phi)
    return solver(forces) - Phi @ np.linalg.solve(0.5 * (stiffness + stiffness.T), Phi.T @ forces)


def _voigt_turn(T: Array) -> tuple[Array, Array]:
    """Matrices that turn strains (shears doubled) and stresses in the order xx, yy, zz, yz, xz, xy by a rotation."""
    pairs = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    stress = np.empty((6, 6))
    for i, (a, b) in enumerate(pairs):
        for k, (c, d) in enumerate(pairs):
            stress[i, k] = T[a, c] * T[b, d] + (T[a, d] * T[b, c] if c != d else 0.0)
    factor = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    return factor[:, None] * stress / factor, stress
