"""Lowest modes of a symmetric constrained problem K x + Phi^T lambda = omega^2 M x, Phi x = 0.

Shift and invert: one sparse factorisation of K - sigma M bordered by the constraints, sigma below zero so that free
rigid motions do no harm, and a block Krylov space in the inner product of the mass. Motions of the space obey the
constraints from the first solve on. A block finds equal frequencies together; full orthogonalisation keeps copies out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csc_matrix

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.solve.linear.inverse import Bordered
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.scaling import without_units
from cosserat.solve.pivots import STIFFENED, pivots

_DENSE = 100  # free motions up to which all modes at once are cheaper than a Krylov space
_LARGEST_DENSE = 2000  # free motions up to which dense algebra may replace it
_BLOCKS = (6, 18, 54, 162)  # widths of the block, tried until it holds the largest group of equal frequencies
_SPARE = 3  # modes computed beyond those asked for, so that the last ones are not of a torn group
_CONVERGED = 1e-6  # residual of a Ritz vector, relative; the eigenvalue's error is its square
_CANCELLED = 1e-2  # part of a new direction below which it is orthogonalised again
_RANK = 1e-11  # part of a new direction that counts, relative to what was there before orthogonalisation
_SHIFT = 1e-10  # first shift, relative to the largest eigenvalue
_NEAR_FREE = 1e-4  # least shift relative to the lowest mode
_FURTHER = 16.0  # from shift to shift, until no mode is below it
_UNCLEAR = 0.1  # omega^2, relative to the shift, of modes that it does not tell apart


@dataclass(frozen=True)
class Symmetric:
    """Modes of a symmetric problem: omega^2 ascending, exactly zero for free motions; shapes with x^T M x = 1."""

    squares: Array  # (k,)
    shapes: Array  # (6n, k)


def symmetric_modes(matrices: Matrices, n: int) -> Symmetric:
    """All free motions and the n other modes of lowest omega^2, unstable ones first; fewer if there are fewer.

    Raises
    ------
    SolveError
        If the problem is singular for every omega: a motion that neither inertia nor stiffness resists.
    """
    size, rows = matrices.mass.shape[0], matrices.constraints.shape[0]
    free = size - rows
    if free <= 0:
        return Symmetric(np.zeros(0), np.zeros((size, 0)))
    scaled, units = without_units(matrices)
    few = free <= _DENSE or (4 * n >= free and free <= _LARGEST_DENSE)
    shift = -_SHIFT * scaled.largest
    for _ in range(6):
        solve = _factor(scaled, shift)
        squares, shapes = _all(scaled, solve, shift) if few else _near(scaled, solve, shift, n)
        found = _select(scaled, *_resolved(scaled, solve, squares, shapes, shift), n)
        above = found.squares[found.squares > 0.0]
        if above.size == 0:
            break
        # much nearer zero, free motions would drown the others in rounding
        if np.any(found.squares == 0.0) and _NEAR_FREE * above[0] > -shift:
            shift = -float(above[0])
        elif np.max(np.abs(squares)) < _UNCLEAR * -shift:  # there may be more that it does not tell apart
            shift = -float(above[-1])
        else:
            break
    if not few:
        found = _with_lower(scaled, found, n)
    return Symmetric(found.squares * units.rate**2, units.shapes(found.shapes) / np.sqrt(units.inertia))


def _with_lower(matrices: Matrices, found: Symmetric, n: int) -> Symmetric:
    """Modes found near zero, and those that grow so fast that slow ones hide them from there."""
    edge = min(float(np.min(found.squares, initial=0.0)), 0.0)
    squares, shapes = below(matrices, edge - 1e-6 * abs(edge), n)
    return _select(matrices, np.concatenate((squares, found.squares)), np.hstack((shapes, found.shapes)), n)


def below(matrices: Matrices, edge: float, n: int) -> tuple[Array, Array]:
    """The n modes of lowest omega^2, of those below an edge that is negative or zero."""
    reach = matrices.largest
    shift = (1.0 + _NEAR_FREE) * edge if edge else -_SHIFT * reach
    count = _count_below(matrices, shift)
    if not count:
        return np.zeros(0), np.zeros((matrices.mass.shape[0], 0))
    while count and -shift < reach:
        shift *= _FURTHER
        count = _count_below(matrices, shift)
    solve = _factor(matrices, shift)
    few = matrices.mass.shape[0] - matrices.constraints.shape[0] <= _DENSE
    squares, shapes = _all(matrices, solve, shift) if few else _near(matrices, solve, shift, n)
    squares, shapes = _resolved(matrices, solve, squares, shapes, shift)
    lower = np.argsort(squares, kind="stable")[: int(np.count_nonzero(squares < edge))][:n]
    return squares[lower], shapes[:, lower]


def _count_below(matrices: Matrices, shift: float) -> int:
    """How many modes have an omega^2 below a shift; rounding may find some that are not."""
    phi = matrices.constraints
    stiffened = STIFFENED * float(abs(matrices.stiffness.diagonal()).max()) * (phi.T @ phi)
    found = pivots(csc_matrix(matrices.stiffness - shift * matrices.mass + stiffened))
    return 0 if found is None else int(np.count_nonzero(found < 0.0))


def _near(matrices: Matrices, solve: Any, shift: float, n: int) -> tuple[Array, Array]:
    """Modes near a shift, more than n; the block of the Krylov space grows until it holds the largest group."""
    free = matrices.mass.shape[0] - matrices.constraints.shape[0]
    for block in _BLOCKS:
        result = _Krylov(matrices, solve, shift, n, block).modes()
        if result is not None:
            return result
    if free <= _LARGEST_DENSE:
        return _all(matrices, solve, shift)
    raise SolveError(
        f"the {n} lowest modes were not separated: too many have the same frequency; ask for fewer modes, or look for "
        "a part whose stiffness is out of all proportion"
    )


def _resolved(matrices: Matrices, solve: Any, squares: Array, shapes: Array, shift: float) -> tuple[Array, Array]:
    """Modes much nearer zero than the shift, which it does not tell apart, turned into those of their own space; and
    of all others Rayleigh's quotient, where that is the more accurate.
    """
    squares, shapes = squares.copy(), shapes.copy()
    unclear = np.abs(squares) <= _UNCLEAR * abs(shift)
    quotients = matrices.strain_energy(shapes)
    if not len(matrices.parts.modulus):  # far from the shift the quotient is the more accurate of the two
        apart = np.abs(squares - shift)
        squares = np.where(apart > 1e6 * np.min(apart, initial=abs(shift)), quotients, squares)
    else:
        squares = quotients
    X = shapes[:, unclear]
    if X.shape[1]:
        X = solve(matrices.mass @ X)  # what is left of stiff motions has a large energy
        X /= np.sqrt(np.sum(X * (matrices.mass @ X), axis=0))
        M = X.T @ (matrices.mass @ X)
        values, turned = eigh(matrices.projected(X), 0.5 * (M + M.T))
        squares[unclear], shapes[:, unclear] = values, X @ turned
    return squares, shapes


def _select(matrices: Matrices, squares: Array, shapes: Array, n: int) -> Symmetric:
    """Free motions recognised, modes beyond the n-th of the others dropped, order ascending."""
    squares = np.where(np.abs(matrices.strain_energy(shapes)) <= matrices.unresolved(shapes), 0.0, squares)
    order = np.argsort(squares, kind="stable")
    others = order[squares[order] != 0.0][:n]
    keep = np.sort(np.concatenate((np.nonzero(squares == 0.0)[0], others)))
    keep = keep[np.argsort(squares[keep], kind="stable")]
    return Symmetric(squares[keep], shapes[:, keep])


def _all(matrices: Matrices, solve: Any, shift: float) -> tuple[Array, Array]:
    """All modes of a small problem; motions without inertia follow the others."""
    basis = matrices.free_motions()
    M = basis.T @ (matrices.mass @ basis)
    M = 0.5 * (M + M.T)
    inertia, directions = eigh(M)
    heavy = inertia > 1e-14 * inertia[-1]
    root = directions[:, heavy] * np.sqrt(inertia[heavy])
    follow = basis.T @ solve(basis @ root)
    if not np.all(np.isfinite(follow)):
        raise singular()
    inverse = root.T @ follow
    theta, vectors = eigh(0.5 * (inverse + inverse.T))
    shapes = follow @ (vectors / theta)
    shapes /= np.sqrt(np.sum(shapes * (M @ shapes), axis=0))
    return shift + 1.0 / theta, basis @ shapes


class _Krylov:
    """A growing orthonormal basis of motions, and the inverted problem projected on it."""

    def __init__(self, matrices: Matrices, solve: Any, shift: float, n: int, block: int) -> None:
        self.shift, self.n, self.block = shift, n, block
        self.mass = matrices.mass.tocsr()
        self.solve = solve
        size = matrices.mass.shape[0]
        self.free = size - matrices.constraints.shape[0]
        self.most = min(self.free, 8 * (n + block) + 100)
        room = self.most + 2 * block
        self.basis = np.empty((size, room), order="F")
        self.heavy = np.empty_like(self.basis)  # mass times basis
        self.projected = np.zeros((room, room))
        self.rng = np.random.default_rng(20)

    def modes(self) -> tuple[Array, Array] | None:
        """Eigenvalues and shapes, more than asked for; None if the block is too narrow, or the space too small."""
        start = self._random()
        used, width = 0, self._append(0, start, self.mass @ start)[0]
        while True:
            block = slice(used, used + width)
            used += width
            new = self.solve(self.heavy[:, block])
            coefficients, heavy = self._orthogonalise(new, used)
            self.projected[:used, block] = coefficients
            width, last = self._append(used, new, heavy, np.sum(coefficients**2, axis=0).max())
            self.projected[used : used + width, block] = last
            complete = width == 0 or used >= self.free
            if not complete and used < self.n + 3 * self.block:
                continue
            theta, vectors = self._ritz(used)
            wanted = self._wanted(theta)
            residual = np.linalg.norm(last @ vectors[block], axis=0)
            if complete or np.all(residual[wanted] <= _CONVERGED * np.abs(theta[wanted])):
                shapes = self.basis[:, :used] @ vectors[:, wanted]
                if used < self.free and self._has_missed(theta[wanted], shapes):
                    return None
                return self.shift + 1.0 / theta[wanted], shapes
            if used >= self.most:
                return None

    def _random(self) -> Array:
        """Motions that the joints allow, smooth enough to hold all modes sought."""
        start = self.mass @ self.rng.normal(size=(self.mass.shape[0], self.block))
        return self.solve(start)

    def _orthogonalise(self, new: Array, used: int) -> tuple[Array, Array]:
        """Take the part along the basis out of a block, in place; its coefficients, and mass times what is left."""
        basis, heavy = self.basis[:, :used], self.heavy[:, :used]
        coefficients = heavy.T @ new
        new -= basis @ coefficients
        left = self.mass @ new
        if np.any(np.sum(new * left, axis=0) < _CANCELLED**2 * np.sum(coefficients**2, axis=0)):
            again = heavy.T @ new  # of what is left, rounding is no longer a small part
            new -= basis @ again
            coefficients += again
            left = self.mass @ new
        return coefficients, left

    def _append(self, used: int, new: Array, heavy: Array, before: float = 0.0) -> tuple[int, Array]:
        """Orthonormalise a block and add it; how many directions it has, and its factor (width, columns)."""
        factor = np.eye(new.shape[1])
        for _ in range(2):
            gram = new.T @ heavy
            values, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
            kept = values > _RANK**2 * max(before, values[-1], 0.0)
            root = np.sqrt(values[kept])
            change = vectors[:, kept] / root
            new, heavy = new @ change, heavy @ change
            factor = (root[:, None] * vectors[:, kept].T) @ factor
            if not root.size or (root.size == new.shape[1] and root[0] > _CANCELLED * root[-1]):
                break
            before = 0.0
        width = new.shape[1]
        self.basis[:, used : used + width], self.heavy[:, used : used + width] = new, heavy
        return width, factor

    def _ritz(self, used: int) -> tuple[Array, Array]:
        block = self.projected[:used, :used]
        theta, vectors = np.linalg.eigh(0.5 * (block + block.T))
        return theta, vectors

    def _wanted(self, theta: Array) -> NDArray[np.int64]:
        """All below the shift, all that may be free motions, and the next n and a few spare."""
        below = np.nonzero(theta < -1e-8 * np.max(np.abs(theta)))[0]
        above = np.nonzero(theta > 0.0)[0][::-1]  # nearest the shift first
        free = int(np.sum(np.abs(self.shift + 1.0 / theta[above]) < 1e-3 * abs(self.shift)))
        return np.concatenate((below, above[: self.n + _SPARE + free]))

    def _has_missed(self, theta: Array, shapes: Array) -> bool:
        """Whether a new random start finds more of a group of equal eigenvalues that is as large as the block.

        Of equal eigenvalues a block Krylov space finds as many as the block is wide, so only such a group is in doubt.
        """
        near, k = np.sort(theta), self.block - 1
        if len(near) <= k or np.all(np.abs(near[k:] - near[: len(near) - k]) > 1e-6 * np.abs(near[k:])):
            return False
        heavy = self.mass @ shapes
        new = self._random()
        for _ in range(3):
            for _ in range(2):
                new -= shapes @ (heavy.T @ new)
            gram = new.T @ (self.mass @ new)
            values, turned = np.linalg.eigh(0.5 * (gram + gram.T))
            if not values[-1] > 0.0:
                return False
            good = values > 1e-12 * values[-1]
            new = new @ (turned[:, good] / np.sqrt(values[good]))
            after = self.solve(self.mass @ new)
            inside = new.T @ (self.mass @ after)
            ritz = np.linalg.eigvalsh(0.5 * (inside + inside.T))
            new = after
        return bool(np.max(np.abs(ritz)) > np.min(np.abs(theta)) * (1.0 + 1e-6))


def _factor(matrices: Matrices, shift: float) -> Any:
    """Solver of (K - shift M) x + Phi^T lambda = f, Phi x = 0 for blocks f."""
    try:
        return Bordered(matrices, -shift).solve
    except RuntimeError:
        raise singular() from None


def singular() -> SolveError:
    """What to say of motions that neither inertia nor anything else resists."""
    return SolveError(
        "the linear equations of motion are singular for every frequency: a body has no inertia in a direction in "
        "which nothing holds it"
    )
