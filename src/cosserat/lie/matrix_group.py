"""Any Lie group of matrices, from a basis of its algebra or from structure constants.

Elements are the matrices themselves; tangent vectors are the components (dim,) in the basis. Exponential and logarithm
of small dense matrices are here, since the groups rest on NumPy alone: N. J. Higham, Functions of Matrices (2008),
chapters 10-11.
"""

import math
from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie import bases, checks
from cosserat.lie.protocol import Array

_TOLERANCE = 1e-10
_SMALL = 0.5  # norm of ad below which the series of the inverse tangent is exact to rounding
_BERNOULLI = (1.0, 1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
"""B_2k/(2k)!: the even part of z/(e^z - 1)."""


@answering
class MatrixGroup:
    """The group whose algebra is spanned by given matrices; see `cosserat.lie.protocol.Group`.

    Parameters
    ----------
    basis : (dim, m, m) array
        Linearly independent matrices, closed under the bracket: both are verified.
    name : str, optional
        Used in error messages and in print.

    Examples
    --------
    The hyperbolic rotations of the plane:

    >>> from cosserat.lie import MatrixGroup
    >>> boosts = MatrixGroup([[[0, 1], [1, 0]]], name="boosts")
    >>> boosts.exp([0.5]).round(4)
    array([[1.1276, 0.5211],
           [0.5211, 1.1276]])
    """

    def __init__(self, basis: Any, name: str = "MatrixGroup") -> None:
        self.name = name
        self.basis = _checked(basis, name)
        self.dim = len(self.basis)
        self._flat = self.basis.reshape(self.dim, -1).T
        self._pinv = np.linalg.pinv(self._flat)
        brackets = np.einsum("iab,jbc->ijac", self.basis, self.basis)
        brackets = brackets - brackets.transpose(1, 0, 2, 3)
        c = np.einsum("kf,ijf->ijk", self._pinv, brackets.reshape(self.dim, self.dim, -1))
        error = np.abs(np.einsum("ijk,kab->ijab", c, self.basis) - brackets).max(axis=(2, 3))
        scale = max(1.0, float(np.abs(brackets).max()))
        if error.max() > _TOLERANCE * scale:
            i, j = np.unravel_index(int(error.argmax()), error.shape)
            raise GeometryError(
                f"{name}: the basis does not close: [e_{i + 1}, e_{j + 1}] is no combination of the {self.dim} "
                f"matrices (it misses by {error.max():.3g}); add this bracket to the basis"
            )
        self._c = np.where(np.abs(c) < 1e-14 * scale, 0.0, c) + 0.0
        self._ads = self._c.transpose(0, 2, 1)

    @classmethod
    def from_structure_constants(cls, constants: Any, name: str = "MatrixGroup") -> "MatrixGroup":
        """Make the group of an algebra given by c[i, j, k], ``[e_i, e_j] = sum_k c[i, j, k] e_k``.

        Skew symmetry and Jacobi's identity are verified. The matrices are those of ad; where the algebra has a centre,
        which ad does not see, a derivation D that moves the centre borders them: x -> [[ad x, -D x], [0, 0]].
        """
        c = verified_constants(constants, name)
        ads = c.transpose(0, 2, 1)
        if np.linalg.matrix_rank(ads.reshape(len(c), -1)) == len(c):
            return cls(ads, name)
        return cls(_bordered(c, name), name)

    def identity(self) -> Array:
        """Return the unit matrix."""
        return np.eye(self.basis.shape[1])

    def compose(self, g: Array, h: Array) -> Array:
        """Return the product g h."""
        return np.asarray(g @ h)

    def inverse(self, g: Array) -> Array:
        """Return the inverse matrix."""
        return np.asarray(np.linalg.inv(g))

    def exp(self, x: Any) -> Array:
        """Return the exponential of hat(x)."""
        return exponential(self.hat(x))

    def log(self, g: Array) -> Array:
        """Return x with exp(x) = g, from the principal logarithm; raises where there is none in the algebra."""
        X = logarithm(np.asarray(g, dtype=float), f"{self.name}.log")
        x = self.vee(X)
        miss = float(np.max(np.abs(self.hat(x) - X)))
        if miss > 1e-8 * max(1.0, float(np.max(np.abs(X)))):
            raise GeometryError(
                f"{self.name}.log: the logarithm lies outside the algebra by {miss:.3g}; is the matrix an element?"
            )
        return x

    def departure(self, g: Array) -> float:
        """Return how far the logarithm of a matrix is from the algebra: 0 for an element of the group."""
        X = logarithm(np.asarray(g, dtype=float), f"{self.name}.departure")
        return float(np.max(np.abs(self.hat(self.vee(X)) - X)))

    def tangent(self, x: Any) -> Array:
        """Return T(x) = phi(-ad x), (dim, dim): ``d exp(x)[dx] = exp(x) hat(T(x) dx)``."""
        return phi(-self.bracket(x))

    def tangent_inv(self, x: Any) -> Array:
        """Return the inverse of T(x), (dim, dim)."""
        A = self.bracket(x)
        if float(np.max(np.sum(np.abs(A), axis=0))) < _SMALL:
            square = A @ A
            series = np.zeros_like(A)
            for coefficient in reversed(_BERNOULLI):
                series = coefficient * np.eye(self.dim) + square @ series
            return 0.5 * A + series
        return np.asarray(np.linalg.inv(phi(-A)))

    def tangent_derivative(self, x: Any, dx: Any) -> Array:
        """Return D T(x)[dx], (dim, dim)."""
        return phi_derivative(-self.bracket(x), -self.bracket(dx))

    def tangent_inv_derivative(self, x: Any, dx: Any) -> Array:
        """Return D T^-1(x)[dx] = -T^-1 (D T[dx]) T^-1, (dim, dim)."""
        inverse = self.tangent_inv(x)
        return np.asarray(-inverse @ self.tangent_derivative(x, dx) @ inverse)

    def adjoint(self, g: Array) -> Array:
        """Return Ad(g), (dim, dim): the components of g e_i g^-1."""
        moved = np.asarray(g) @ self.basis @ np.linalg.inv(g)
        return np.asarray(self._pinv @ moved.reshape(self.dim, -1).T)

    def bracket(self, x: Any) -> Array:
        """Return ad(x), (dim, dim)."""
        return np.asarray(np.tensordot(np.asarray(x, dtype=float), self._ads, axes=1))

    def coadjoint(self, x: Any) -> Array:
        """Return ad(x)^T, (dim, dim)."""
        return self.bracket(x).T

    def hat(self, x: Any) -> Array:
        """Return sum x_i e_i, (m, m)."""
        return np.asarray(np.tensordot(np.asarray(x, dtype=float), self.basis, axes=1))

    def vee(self, X: Any) -> Array:
        """Return the components of a matrix of the algebra, (dim,)."""
        return np.asarray(self._pinv @ np.asarray(X, dtype=float).ravel())

    def matrix(self, g: Array) -> Array:
        """Return g itself."""
        return np.array(g)

    def structure_constants(self) -> Array:
        """Return c[i, j, k]: ``[e_i, e_j] = sum_k c[i, j, k] e_k``."""
        return self._c.copy()

    def random(self, rng: np.random.Generator) -> Array:
        """Return the product of two exponentials of standard normal vectors."""
        a, b = rng.standard_normal((2, self.dim))
        return self.compose(self.exp(a), self.exp(b))

    def __repr__(self) -> str:
        return self.name


def verified_constants(constants: Any, name: str) -> Array:
    """Return c as an array (n, n, n) after the checks of skew symmetry and of Jacobi's identity."""
    c = checks.numbers(constants, f"{name}: structure constants are {constants!r}; pass an array (n, n, n)")
    if c.ndim != 3 or len(set(c.shape)) != 1 or c.shape[0] == 0:
        raise GeometryError(f"{name}: structure constants have shape {c.shape}; pass an array (n, n, n)")
    if not np.all(np.isfinite(c)):
        raise GeometryError(f"{name}: structure constants are not all finite")
    scale = max(1.0, float(np.abs(c).max()))
    skew = np.abs(c + c.transpose(1, 0, 2)).max(axis=2)
    if skew.max() > _TOLERANCE * scale:
        i, j = np.unravel_index(int(skew.argmax()), skew.shape)
        raise GeometryError(f"{name}: c[{i}, {j}] is not -c[{j}, {i}]; a bracket is skew-symmetric")
    jacobi = np.einsum("ijl,lkm->ijkm", c, c)
    jacobi = np.abs(jacobi + jacobi.transpose(1, 2, 0, 3) + jacobi.transpose(2, 0, 1, 3)).max(axis=3)
    if jacobi.max() > _TOLERANCE * scale**2:
        i, j, k = np.unravel_index(int(jacobi.argmax()), jacobi.shape)
        raise GeometryError(
            f"{name}: Jacobi's identity fails for e_{i + 1}, e_{j + 1}, e_{k + 1} by {jacobi.max():.3g}; "
            "these structure constants are of no Lie algebra"
        )
    return c


def _checked(basis: Any, name: str) -> Array:
    """Return the basis as an array (n, m, m) of independent finite matrices, or raise."""
    E = checks.numbers(basis, f"{name}: the basis is not a list of square matrices of numbers of one size")
    if E.ndim != 3 or E.shape[1] != E.shape[2] or E.shape[0] == 0:
        raise GeometryError(f"{name}: the basis has shape {E.shape}; pass dim matrices (m, m): shape (dim, m, m)")
    if not np.all(np.isfinite(E)):
        raise GeometryError(f"{name}: the basis has entries that are not finite")
    rank = int(np.linalg.matrix_rank(E.reshape(len(E), -1)))
    if rank < len(E):
        raise GeometryError(f"{name}: only {rank} of the {len(E)} matrices are independent; leave the others out")
    E.flags.writeable = False
    return E


def _bordered(c: Array, name: str) -> Array:
    """Return faithful matrices of an algebra with a centre: ad bordered by a derivation that moves the centre."""
    n = len(c)
    one = np.eye(n)
    # D[x, y] - [D x, y] - [x, D y] = 0 for basis vectors: linear in D[k, i] (component k of D e_i).
    rows = np.einsum("ijk,lm->ijmlk", c, one) - np.einsum("kjm,il->ijmkl", c, one) - np.einsum("ikm,jl->ijmkl", c, one)
    _, values, vectors = np.linalg.svd(rows.reshape(n**3, n * n))
    rank = int(np.sum(values > 1e-10 * max(1.0, values.max())))
    space = reduced(vectors[rank:]).reshape(-1, n, n)
    ads = c.transpose(0, 2, 1)
    for power in range(4):
        D = np.tensordot(np.arange(1.0, len(space) + 1.0) ** power, space, axes=1)
        E = np.zeros((n, n + 1, n + 1))
        E[:, :n, :n] = ads
        E[:, :n, n] = -D.T
        if np.linalg.matrix_rank(E.reshape(n, -1), tol=1e-8) == n:
            return E
    raise GeometryError(
        f"{name}: no matrices found that represent this algebra faithfully (its centre is fixed by every derivation); "
        "pass a basis of matrices instead of structure constants"
    )


def reduced(rows: Array) -> Array:
    """Return the row echelon form of independent rows: whole numbers where the space has such a basis."""
    A, pivot = np.array(rows), 0
    for column in range(A.shape[1]):
        if pivot == len(A):
            break
        best = pivot + int(np.argmax(np.abs(A[pivot:, column])))
        if abs(A[best, column]) < 1e-9:
            continue
        A[[pivot, best]] = A[[best, pivot]]
        A[pivot] /= A[pivot, column]
        others = np.arange(len(A)) != pivot
        A[others] -= np.outer(A[others, column], A[pivot])
        pivot += 1
    whole = np.round(A)
    return np.where(np.abs(A - whole) < 1e-9, whole, A) + 0.0


SO2 = MatrixGroup(bases.so(2), "SO2")
Galilei = MatrixGroup(bases.galilei(), "Galilei")


def GA(d: int) -> MatrixGroup:
    """Return the affine group of R^d [deSaxce26] section 2: translations first, then GL(d) row by row."""
    return MatrixGroup(bases.ga(d), f"GA({d})")


def SL(d: int) -> MatrixGroup:
    """Return the group of matrices of determinant 1."""
    return MatrixGroup(bases.sl(d), f"SL({d})")


def Heisenberg(n: int = 1) -> MatrixGroup:
    """Return the Heisenberg group of dimension 2n + 1."""
    return MatrixGroup(bases.heisenberg(n), f"Heisenberg({n})")


def Semidirect(group: MatrixGroup, action: Any, name: str = "") -> MatrixGroup:
    """Return V x| G, V first: ``action`` holds the matrix (d, d) by which each basis vector of G acts on V = R^d."""
    E = np.asarray(action, dtype=float)
    if E.ndim != 3 or E.shape[1] != E.shape[2]:
        raise GeometryError(f"Semidirect: the action has shape {E.shape}; pass one (d, d) matrix per basis vector of G")
    defect = np.einsum("iab,jbc->ijac", E, E) - np.einsum("jab,ibc->ijac", E, E)
    if len(group.basis) == len(E):
        defect = defect - np.einsum("ijk,kab->ijab", group.structure_constants(), E)
        if np.abs(defect).max() > _TOLERANCE * max(1.0, float(np.abs(E).max()) ** 2):
            raise GeometryError("Semidirect: the action is no representation: [A_i, A_j] differs from sum c_ij^k A_k")
    return MatrixGroup(bases.semidirect(group.basis, E), name or f"R^{E.shape[1]} x| {group.name}")


_PADE = [math.factorial(26 - k) // (math.factorial(13 - k) * math.factorial(k)) for k in range(14)]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_HALVED = 5.4  # norm below which the Pade approximant of order 13 is exact to rounding
_NEAR = 0.2  # distance from the unit matrix below which eight points give the logarithm to rounding


def exponential(A: Array) -> Array:
    """Return e^A by scaling, a Pade approximant of order 13, and squaring."""
    norm = float(np.max(np.sum(np.abs(A), axis=0), initial=0.0))
    s = max(0, math.ceil(math.log2(norm / _HALVED))) if norm > _HALVED else 0
    B = A / 2.0**s
    B2 = B @ B
    one = np.eye(len(A))
    even, odd = _PADE[12] * one, _PADE[13] * one
    for k in range(5, -1, -1):
        even = even @ B2 + _PADE[2 * k] * one
        odd = odd @ B2 + _PADE[2 * k + 1] * one
    odd = B @ odd
    X = np.linalg.solve(even - odd, even + odd)
    for _ in range(s):
        X = X @ X
    return np.asarray(X)


def logarithm(A: Array, what: str) -> Array:
    """Return the principal logarithm of A, or raise an error that starts with ``what`` where there is none."""
    values = np.linalg.eigvals(A)
    scale = float(np.max(np.abs(values)))
    if np.any((values.real <= 0.0) & (np.abs(values.imag) <= 1e-12 * scale)):
        raise GeometryError(
            f"{what}: an eigenvalue of the matrix is not positive ({values.real.min():.6g}), it has no principal "
            "logarithm; take the logarithm of a part of the motion, closer to the identity"
        )
    one, X, doublings = np.eye(len(A)), A, 0
    while float(np.max(np.abs(X - one))) * len(A) > _NEAR and doublings < 60:
        X, doublings = _square_root(X), doublings + 1
    D = X - one
    log = np.zeros_like(D)
    for node, weight in zip(_NODES, _WEIGHTS):
        log += 0.5 * weight * np.linalg.solve(one + 0.5 * (1.0 + node) * D, D)
    return log * 2.0**doublings


def _square_root(A: Array) -> Array:
    """Return the principal square root by Denman and Beavers' iteration in product form."""
    one = np.eye(len(A))
    X, M = A, A
    for _ in range(40):
        inverse = np.linalg.inv(M)
        X = 0.5 * X @ (one + inverse)
        M = 0.5 * (one + 0.5 * (M + inverse))
        if float(np.max(np.abs(M - one))) < 1e-15 * len(A):
            break
    return X


def phi(A: Array) -> Array:
    """Return phi(A) = sum A^k/(k + 1)!, a block of the exponential of [[A, 1], [0, 0]]."""
    n = len(A)
    B = np.zeros((2 * n, 2 * n))
    B[:n, :n] = A
    B[:n, n:] = np.eye(n)
    return exponential(B)[:n, n:]


def phi_derivative(A: Array, dA: Array) -> Array:
    """Return D phi(A)[dA], a block of phi([[A, dA], [0, A]])."""
    n = len(A)
    B = np.zeros((2 * n, 2 * n))
    B[:n, :n] = B[n:, n:] = A
    B[:n, n:] = dA
    return phi(B)[:n, n:]
