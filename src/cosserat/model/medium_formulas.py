"""Derivatives of the energies of a medium, and the code that evaluates what its potential adds to a quadratic one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.model.algebra import formula, sp
from cosserat.model.formula_code import function_source
from cosserat.model.jets import Array
from cosserat.model.medium import STRAIN, TWIST

ROUGH = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.Heaviside, sp.floor, sp.ceiling, sp.Mod)
"""Functions without two derivatives everywhere."""

_NOWHERE = (sp.nan, sp.zoo, sp.oo, -sp.oo)


class MediumFormulas(NamedTuple):
    """Functions of the parameters (n,), and sources of functions of strain (6,) and parameters.

    With W = U - U(0) - e.K e/2, ``first(strain, numbers, out)`` writes W and its slopes, (7,), and
    ``second(strain, numbers, H)`` its second derivatives, (6, 6). Both are "" where W is zero. Of a medium that is not
    convex at zero, K is another, positive matrix; by how much it differs, as lower triangle, follows the parameters in
    ``numbers``.
    """

    stiffness: Callable[[Array], Array]
    mass: Callable[[Array], Array]
    prestress: Callable[[Array], Array]
    first: str
    second: str


@functools.lru_cache(128)
def formulas_of(kinetic: str, potential: str, names: tuple[str, ...], convex: bool = True) -> MediumFormulas:
    """Derive everything; raises an `ArgumentError` where an energy is none."""
    p = [sp.Symbol(name, real=True) for name in names]
    known = dict(zip(names, p, strict=True))
    v, e = ([sp.Symbol(name, real=True) for name in group] for group in (TWIST, STRAIN))
    T = _smooth("kinetic", formula(kinetic, {**known, **dict(zip(TWIST, v, strict=True))}))
    U = _smooth("potential", formula(potential, {**known, **dict(zip(STRAIN, e, strict=True))}))
    M = sp.hessian(T, v)
    if any(sp.expand(sp.diff(m, s)) != 0 for m in M for s in v) or sp.expand(T - _form(M, v)) != 0:
        raise ArgumentError(
            "medium", "kinetic", f"is {kinetic}; it must be a quadratic form of the twist {', '.join(TWIST)} with "
            "coefficients that are numbers or parameters"
        )  # fmt: skip
    slopes, zero = [sp.diff(U, s) for s in e], {s: sp.Integer(0) for s in e}
    K, slope = (_at_zero(potential, x, zero) for x in (sp.Matrix(6, 6, lambda i, j: sp.diff(slopes[i], e[j])), slopes))
    given, raised = list(p), sp.zeros(6, 6)
    if not convex:
        raised = sp.Matrix(6, 6, lambda i, j: sp.Symbol(f"_{max(i, j)}{min(i, j)}", real=True))
        given += [raised[i, j] for i in range(6) for j in range(i + 1)]
    rest = [sp.expand(x - sum(K[i, j] * e[j] for j in range(6))) for i, x in enumerate(slopes)]
    rest = [x - y for x, y in zip(rest, raised * sp.Matrix(e), strict=True)]
    first = second = ""
    if any(x != 0 for x in rest):
        W = sp.expand(U - _at_zero(potential, [U], zero)[0] - _form(K, e)) - _form(raised, e)
        arguments = {"strain": e, "numbers": given}
        first = function_source("first", arguments, {"out": sp.Matrix([W, *rest])}, {}, "W and its slopes.")
        H = sp.Matrix(6, 6, lambda i, j: sp.diff(rest[max(i, j)], e[min(i, j)]))
        second = function_source("second", arguments, {"H": H}, {}, "Second derivatives of W.")
    return MediumFormulas(_function(p, K), _function(p, M), _function(p, slope), first, second)


def _form(K: Any, x: list[Any]) -> Any:
    column = sp.Matrix(x)
    return (column.T * K * column)[0] / 2


def _smooth(argument: str, energy: Any) -> Any:
    found = sorted({type(part).__name__.lower() for part in sp.preorder_traversal(energy) if isinstance(part, ROUGH)})
    if found:
        raise ArgumentError(
            "medium", argument, f"is not smooth: it contains {', '.join(found)}; forces and their derivatives need two "
            "derivatives everywhere; take a smooth function, such as sqrt(x**2 + a**2) for abs(x)"
        )  # fmt: skip
    return energy


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
    compiled = sp.lambdify(p, list(matrix), "math")

    def evaluated(values: Array) -> Array:
        with np.errstate(all="ignore"):
            try:
                return np.array(compiled(*values.tolist()[: len(p)]), dtype=float).reshape(shape)
            except (ArithmeticError, ValueError, TypeError):
                return np.full(shape, np.nan)

    return evaluated
