"""Vectors and matrices of three as plain lists of SymPy expressions: sums and products that skip zeros."""

from __future__ import annotations

from collections.abc import Sequence

from cosserat.symbolic.dependency import sp

Vector = list[sp.Expr]
Matrix = list[list[sp.Expr]]

ZERO, ONE = sp.S.Zero, sp.S.One


def zeros() -> Vector:
    """The zero vector."""
    return [ZERO, ZERO, ZERO]


def identity() -> Matrix:
    """The unit matrix."""
    return [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]


def is_null(a: Sequence[sp.Expr]) -> bool:
    """Whether all entries are the number zero."""
    return all(x is ZERO for x in a)


def dot(a: Sequence[sp.Expr], b: Sequence[sp.Expr]) -> sp.Expr:
    """a . b."""
    return sp.Add(*(x * y for x, y in zip(a, b, strict=True) if x is not ZERO and y is not ZERO))


def add(*vectors: Sequence[sp.Expr]) -> Vector:
    """Sum of vectors."""
    return [sp.Add(*(v[k] for v in vectors if v[k] is not ZERO)) for k in range(3)]


def scale(s: sp.Expr, a: Sequence[sp.Expr]) -> Vector:
    """s a."""
    return zeros() if s is ZERO else [x if x is ZERO else s * x for x in a]


def sub(a: Sequence[sp.Expr], b: Sequence[sp.Expr]) -> Vector:
    """a - b."""
    return [x - y if y is not ZERO else x for x, y in zip(a, b, strict=True)]


def cross(a: Sequence[sp.Expr], b: Sequence[sp.Expr]) -> Vector:
    """a x b."""
    return [_minor(a[i], b[j], a[j], b[i]) for i, j in ((1, 2), (2, 0), (0, 1))]


def _minor(a: sp.Expr, b: sp.Expr, c: sp.Expr, d: sp.Expr) -> sp.Expr:
    first = ZERO if a is ZERO or b is ZERO else a * b
    return first if c is ZERO or d is ZERO else first - c * d


def mul(A: Matrix, a: Sequence[sp.Expr]) -> Vector:
    """A a."""
    return [dot(row, a) for row in A]


def mul_t(A: Matrix, a: Sequence[sp.Expr]) -> Vector:
    """A^T a."""
    return [dot([A[0][k], A[1][k], A[2][k]], a) for k in range(3)]


def matmul(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    """A^T."""
    return [list(row) for row in zip(*A, strict=True)]


def unit(a: Sequence[sp.Expr]) -> Vector:
    """a / |a|."""
    return scale(1 / sp.sqrt(dot(a, a)), a)


def point_inertia(m: sp.Expr, r: Sequence[sp.Expr]) -> Matrix:
    """Inertia of a mass m at r about the origin: m (r.r - r r^T)."""
    square = dot(r, r)
    return [[m * ((square if i == j else ZERO) - r[i] * r[j]) for j in range(3)] for i in range(3)]


def summed(matrices: Sequence[Matrix]) -> Matrix:
    """Sum of matrices."""
    return [[sp.Add(*(A[i][j] for A in matrices if A[i][j] is not ZERO)) for j in range(3)] for i in range(3)]
