"""Bases of Lie algebras of matrices, as arrays of whole numbers (dim, m, m).

Each function returns the matrices e_1 ... e_n of one algebra in the order of our tangent vectors: linear part first.
`MatrixGroup` takes them as they are; the symbolic layer reads them as exact numbers. In the matrices that represent an
affine motion the translation is the last column, ``[[P, C], [0, 1]]``.
"""

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie.protocol import Array


def demand_size(name: str, d: int, least: int) -> None:
    """Raise unless ``d`` is a whole number that is not below ``least``."""
    if isinstance(d, bool) or not isinstance(d, int) or d < least:
        raise GeometryError(f"{name}: the dimension is {d!r}; pass a whole number of {least} or more")


def unit(m: int, i: int, j: int, value: float = 1.0) -> Array:
    """Return the (m, m) matrix with one entry at (i, j)."""
    E = np.zeros((m, m))
    E[i, j] = value
    return E


def so(d: int) -> Array:
    """Return so(d): for d = 3 the rotations about e_1, e_2, e_3; else E_ji - E_ij for i < j."""
    if d == 3:
        pairs = [(1, 2), (2, 0), (0, 1)]
    else:
        pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    return np.array([unit(d, j, i) - unit(d, i, j) for i, j in pairs]).reshape(-1, d, d)


def rn(n: int) -> Array:
    """Return the translations of R^n: [[0, e_i], [0, 0]]."""
    return np.array([unit(n + 1, i, n) for i in range(n)]).reshape(n, n + 1, n + 1)


def se(d: int) -> Array:
    """Return se(d): d translations, then the rotations of `so`."""
    return affine(so(d))


def gl(d: int) -> Array:
    """Return gl(d): E_11, E_12, ... row by row."""
    demand_size("gl", d, 1)
    return np.array([unit(d, i, j) for i in range(d) for j in range(d)])


def sl(d: int) -> Array:
    """Return sl(d): E_ij for i != j row by row, then E_ii - E_(i+1)(i+1)."""
    demand_size("sl", d, 2)
    off = [unit(d, i, j) for i in range(d) for j in range(d) if i != j]
    return np.array([*off, *(unit(d, i, i) - unit(d, i + 1, i + 1) for i in range(d - 1))])


def ga(d: int) -> Array:
    """Return ga(d) [deSaxce26] (11): d translations, then gl(d). Differs: the translation is the last column."""
    return affine(gl(d))


def galilei() -> Array:
    """Return the algebra of the Galilei group, dimension 10: translation, boost, rotation, time.

    A matrix ``[[R, u, x], [0, 1, tau], [0, 0, 1]]`` acts on events (r, t, 1).
    """
    shift = [unit(5, i, 4) for i in range(3)]
    boost = [unit(5, i, 3) for i in range(3)]
    turn = [np.pad(W, (0, 2)) for W in so(3)]
    return np.array([*shift, *boost, *turn, unit(5, 3, 4)])


def heisenberg(n: int = 1) -> Array:
    """Return the Heisenberg algebra, dimension 2n + 1: p_i, q_i and their bracket z = [p_i, q_i]."""
    demand_size("heisenberg", n, 1)
    m = n + 2
    p = [unit(m, 0, 1 + i) for i in range(n)]
    q = [unit(m, 1 + i, m - 1) for i in range(n)]
    return np.array([*p, *q, unit(m, 0, m - 1)])


def affine(basis: Array) -> Array:
    """Return the basis of V x| G for a group G of (d, d) matrices that acts on V = R^d: V first."""
    return semidirect(basis, basis, faithful=False)


def semidirect(basis: Array, action: Array, *, faithful: bool = True) -> Array:
    """Return the basis of V x| G: V first, then G, which acts on V by the matrices ``action`` (n, d, d).

    With ``faithful=True`` the matrices of G itself are a further diagonal block: needed where the action alone does not
    tell elements of G apart.
    """
    n, d = action.shape[:2]
    if len(basis) != n:
        raise GeometryError(f"semidirect: got {n} matrices of the action for {len(basis)} basis vectors; pass one each")
    extra = basis.shape[1] if faithful else 0
    m = d + 1 + extra
    out = np.zeros((d + n, m, m))
    for i in range(d):
        out[i, i, d] = 1.0
    out[d:, :d, :d] = action
    out[d:, d + 1 :, d + 1 :] = basis if faithful else 0.0
    return out


def product(*bases: Array) -> Array:
    """Return the basis of a direct product: block diagonal matrices, one factor after the other."""
    n, m = sum(len(b) for b in bases), sum(b.shape[1] for b in bases)
    out = np.zeros((n, m, m))
    i = k = 0
    for b in bases:
        out[i : i + len(b), k : k + b.shape[1], k : k + b.shape[1]] = b
        i, k = i + len(b), k + b.shape[1]
    return out
