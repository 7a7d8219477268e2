"""Derivatives of the energies of a medium, and the code that evaluates what its potential adds to a quadratic one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model.algebra import Printer, formula, function_source, rough_parts, slopes, sp
from cosserat.model.medium import STRAIN, TWIST

_NOWHERE = (sp.nan, sp.zoo, sp.oo, -sp.oo)


class MediumFormulas(NamedTuple):
    """Functions of the parameters (n,), and sources of functions of strain (6,) and parameters.

    With W = U - U(0) - e.K e/2, ``first(strain, numbers, out)`` writes W and its slopes, (7,), and
    ``second(strain, numbers, H)`` its second derivatives, (6, 6). Both are "" where W is zero. Of a medium that is not
    convex at zero, K is another, positive matrix; by how much it differs, as lower triangle, follows the parameters in
    ``numbers``. ``rough`` are functions with kinks in the potential; see `slopes`.
    """

    stiffness: Callable[[Array], Array]
    mass: Callable[[Array], Array]
    prestress: Callable[[Array], Array]
    first: str
    second: str
    rough: tuple[str, ...]


@functools.lru_cache(128)
def formulas_of(kinetic: str, potential: str, names: tuple[str, ...], convex: bool = True) -> MediumFormulas:
    """Derive everything; raises an `ArgumentError` where an energy is none."""
    p = [sp.Symbol(name, real=True) for name in names]
    known = dict(zip(names, p, strict=True))
    v, e = ([sp.Symbol(name, real=True) for name in group] for group in (TWIST, STRAIN))
    T = formula(kinetic, {**known, **dict(zip(TWIST, v, strict=True))})
    U = formula(potential, {**known, **dict(zip(STRAIN, e, strict=True))})
    M = sp.hessian(T, v)
    if rough_parts(T) or any(sp.expand(sp.diff(m, s)) != 0 for m in M for s in v) or sp.expand(T - _form(M, v)) != 0:
        raise ArgumentError(
            "medium", "kinetic", f"is {kinetic}; it must be a quadratic form of the twist {', '.join(TWIST)} with "
            "coefficients that are numbers or parameters"
        )  # fmt: skip
    stress, zero = list(slopes([U], e)), {s: sp.Integer(0) for s in e}
    stiffness = slopes(stress, e)
    K, slope = (_at_zero(potential, x, zero) for x in (stiffness, stress))
    given, raised = list(p), sp.zeros(6, 6)
    if not convex:
        raised = sp.Matrix(6, 6, lambda i, j: sp.Symbol(f"_{max(i, j)}{min(i, j)}", real=True))
        given += [raised[i, j] for i in range(6) for j in range(i + 1)]
    rest = [sp.expand(x - sum(K[i, j] * e[j] for j in range(6))) for i, x in enumerate(stress)]
    rest = [x - y for x, y in zip(rest, raised * sp.Matrix(e), strict=True)]
    first = second = ""
    if any(x != 0 for x in rest):
        W = sp.expand(U - _at_zero(potential, [U], zero)[0] - _form(K, e)) - _form(raised, e)
        arguments = {"strain": e, "numbers": given}
        first = function_source("first", arguments, {"out": sp.Matrix([W, *rest])}, {}, "W and its slopes.")
        H = (stiffness - K).applyfunc(sp.expand) - raised
        H = sp.Matrix(6, 6, lambda i, j: H[max(i, j), min(i, j)])
        second = function_source("second", arguments, {"H": H}, {}, "Second derivatives of W.")
    return MediumFormulas(_function(p, K), _function(p, M), _function(p, slope), first, second, tuple(rough_parts(U)))


def _form(K: Any, x: list[Any]) -> Any:
    column = sp.Matrix(x)
    return (column.T * K * column)[0] / 2


def _at_zero(potential: str, found: Any, zero: dict[Any, Any]) -> Any:
    matrix = sp.Matrix(found).subs(zero)
    if any(entry.has(*_NOWHERE) or entry.has(sp.I) for entry in matrix):
        raise ArgumentError(
            "medium", "potential", f"is {potential}; it has no finite, real first and second derivatives at zero "
            "strain, where the reference configuration is"
        )  # fmt: skip
    return matrix


def _function(p: list[Any], matrix: Any) -> Callable[[Array], Array]:
    shape = matrix.shape if matrix.shape[1] > 1 else (matrix.shape[0],)
    compiled = sp.lambdify(p, list(matrix), "math", printer=Printer)

    def evaluated(values: Array) -> Array:
        with np.errstate(all="ignore"):
            try:
                return np.array(compiled(*values.tolist()[: len(p)]), dtype=float).reshape(shape)
            except (ArithmeticError, ValueError, TypeError):
                return np.full(shape, np.nan)

    return evaluated
