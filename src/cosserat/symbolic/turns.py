"""Rotations that remember their last angle, so that parallel hinges add angles, and functions of rotation vectors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from cosserat.symbolic.dependency import sp
from cosserat.symbolic.vectors import ONE, ZERO, Matrix, Vector, identity, matmul


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
        return [[_sum(row[0], c, row[1], s), _sum(row[1], c, row[0], -s), row[2]] for row in self.A]

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


def _sum(a: sp.Expr, c: sp.Expr, b: sp.Expr, s: sp.Expr) -> sp.Expr:
    first = ZERO if a is ZERO else a * c
    return first if b is ZERO else first + b * s


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


def numeric_coshalf(x: float) -> float:
    """`coshalf` of a float."""
    return math.cos(0.5 * math.sqrt(x))


def numeric_sinhalf(x: float) -> float:
    """`sinhalf` of a float; a series near zero."""
    if x < 1e-4:
        return 0.5 - x / 48.0 + x * x / 3840.0 - x * x * x / 645120.0
    y = math.sqrt(x)
    return math.sin(0.5 * y) / y


def numeric_cotc(x: float) -> float:
    """`cotc` of a float; a series where the closed form loses digits."""
    if x < 0.1:
        return 1 / 12 + x * (1 / 720 + x * (1 / 30240 + x * (1 / 1209600 + x * (1 / 47900160 + x * 5.2846e-10))))
    y = math.sqrt(x)
    return (1.0 - 0.5 * y / math.tan(0.5 * y)) / x


def quaternion_matrix(e: Vector) -> Matrix:
    """Rotation of the unit quaternion (e0, e1, e2, e3)."""
    w, x, y, z = e
    return [
        [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
    ]
