"""Vectors and matrices of three as lists of SymPy expressions, rotations, derivatives: sums that skip zeros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cosserat.model.algebra import sp

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


class Turn(NamedTuple):
    """The rotation A Rz(angle)."""

    A: Matrix
    angle: sp.Expr

    @property
    def matrix(self) -> Matrix:
        """Its nine entries."""
        if self.angle is ZERO:
            return self.A
        c, s = sp.cos(self.angle), sp.sin(self.angle)
        return [[dot(row[:2], (c, s)), dot(row[:2], (-s, c)), row[2]] for row in self.A]

    def then(self, T: Matrix, angle: sp.Expr) -> Turn:
        """A Rz(old) T Rz(angle); where T keeps or reverses the z axis, the angles join."""
        along = T[2][2]
        if self.angle is ZERO:
            return Turn(_product(self.A, T), angle)
        if along is ONE or along == -1:
            return Turn(_product(self.A, T), along * self.angle + angle)
        return Turn(matmul(self.matrix, T), angle)

    def then_matrix(self, T: Matrix, R: Matrix) -> Turn:
        """A Rz(old) T R."""
        return Turn(matmul(_product(self.matrix, T), R), ZERO)


UNTURNED = Turn(identity(), ZERO)


def _product(A: Matrix, B: Matrix) -> Matrix:
    return B if A == UNTURNED.A else A if B == UNTURNED.A else matmul(A, B)


class TurnFunction(sp.Function):
    """A function of the square x of a rotation vector that is smooth at x = 0, where its formula divides by it."""

    nargs = 1
    at_zero: sp.Expr

    @staticmethod
    def formula(x: sp.Expr) -> sp.Expr:
        """With square roots and trigonometric functions."""
        raise NotImplementedError

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        return cls.at_zero if x.is_zero else None

    def _eval_evalf(self, prec: int) -> Any:
        x = self.args[0]._eval_evalf(prec)
        if not (x.is_Float and x > 0):
            return None
        wide = prec + 4 * max(0, -int(sp.log(x, 2)))  # digits that cancel near zero
        return self.formula(sp.Float(x, precision=wide))._eval_evalf(wide)

    def explicit(self) -> sp.Expr:
        """Written out."""
        return self.formula(self.args[0])


class coshalf(TurnFunction):
    """cos(sqrt(x) / 2): the scalar of the unit quaternion of a rotation vector whose square is x."""

    at_zero = ONE

    @staticmethod
    def formula(x: sp.Expr) -> sp.Expr:
        return sp.cos(sp.sqrt(x) / 2)

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return -sinhalf(self.args[0]) / 4


class sinhalf(TurnFunction):
    """sin(sqrt(x) / 2) / sqrt(x)."""

    at_zero = sp.Rational(1, 2)

    @staticmethod
    def formula(x: sp.Expr) -> sp.Expr:
        return sp.sin(sp.sqrt(x) / 2) / sp.sqrt(x)


class cotc(TurnFunction):
    """(1 - (y/2) cot(y/2)) / y^2 with y = sqrt(x): what takes angular velocities to rates of a rotation vector."""

    at_zero = sp.Rational(1, 12)

    @staticmethod
    def formula(x: sp.Expr) -> sp.Expr:
        return (1 - sp.sqrt(x) / 2 * sp.cot(sp.sqrt(x) / 2)) / x

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return cotc_slope(self.args[0])


class cotc_slope(TurnFunction):
    """d cotc / dx: by it the forces of potentials of a rotation vector change."""

    at_zero = sp.Rational(1, 720)

    @staticmethod
    def formula(x: sp.Expr) -> sp.Expr:
        c = cotc.formula(x)
        return (sp.Rational(1, 4) - 3 * c + x * c**2) / (2 * x)


def quaternion_matrix(e: Vector) -> Matrix:
    """Rotation of the unit quaternion (e0, e1, e2, e3)."""
    w, x, y, z = e
    return [
        [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
    ]


def directional(e: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    """Derivative of an expression whose symbols have given rates; symbols without one are constant.

    Each shared part of an expression is differentiated once. SymPy's `diff` walks an expression as a tree and keeps
    only its last results, which takes time without bound where the same parts occur again and again, as in closed
    chains.

    Parameters
    ----------
    e : Expr
    rates : dict
        Rates of symbols.
    known : dict
        Derivatives found before with the same rates; those found now are added.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> directional(x * sp.sin(y), {x: sp.Integer(1), y: sp.Integer(2)}, {})
    2*x*cos(y) + sin(y)
    """
    if not e.args:
        return rates.get(e, ZERO)
    found = known.get(e)
    if found is None:
        found = known[e] = _composite(e, rates, known)
    return found


def _composite(e: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    if isinstance(e, sp.Piecewise):
        return sp.Piecewise(*((directional(value, rates, known), condition) for value, condition in e.args))
    parts = [directional(a, rates, known) for a in e.args]
    if all(d is ZERO for d in parts):
        return ZERO
    if e.is_Add:
        return sp.Add(*parts)
    if isinstance(e, (sp.sign, sp.Heaviside, sp.floor, sp.ceiling)):
        return ZERO  # where they jump nothing is said
    if isinstance(e, sp.Mod):
        return parts[0] - sp.floor(e.args[0] / e.args[1]) * parts[1]
    if e.is_Mul:
        return sp.Add(*(sp.Mul(*e.args[:i], d, *e.args[i + 1 :]) for i, d in enumerate(parts) if d is not ZERO))
    if e.is_Pow:
        base, exponent = e.args
        if parts[1] is ZERO:
            return exponent * base ** (exponent - 1) * parts[0]
        return e * (parts[1] * sp.log(base) + exponent * parts[0] / base)
    if isinstance(e, sp.Function):
        return sp.Add(*(e.fdiff(i + 1) * d for i, d in enumerate(parts) if d is not ZERO))
    return sp.Add(*(e.diff(s) * rate for s, rate in rates.items()))


def replaced(expression: sp.Expr, values: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    """An expression with symbols replaced; as `xreplace`, but each shared part is rebuilt once."""
    if not expression.args:
        return values.get(expression, expression)
    found = known.get(expression)
    if found is None:
        parts = [replaced(a, values, known) for a in expression.args]
        same = all(a is b for a, b in zip(parts, expression.args, strict=True))
        found = known[expression] = expression if same else expression.func(*parts)
    return found
