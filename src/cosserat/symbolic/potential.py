"""Checks of a potential that a user wrote: smooth, and convex at its reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, warn
from cosserat.lie.protocol import Array
from cosserat.model.algebra import named
from cosserat.model.rough import rough_parts, slopes
from cosserat.symbolic.arguments import array, listed
from cosserat.symbolic.dependency import sp
from cosserat.symbolic.evaluate import Values, substituted


def check_potential(
    potential: Any, variables: Sequence[Any], reference: Any = None, values: Values = None, name: str = "potential"
) -> Array:
    """Return the stiffness at the reference, and warn where a potential is not smooth or not convex there.

    Parameters
    ----------
    potential : expression
        U, an expression in the variables; other symbols must have values.
    variables : sequence of symbols
        Strains or coordinates.
    reference : sequence of float, optional
        Where the stiffness is taken; default: zero.
    values : mapping, optional
        Numbers for the other symbols, by name.
    name : str, optional
        For messages.

    Returns
    -------
    (n, n) array
        Second derivatives of U.

    Examples
    --------
    >>> import sympy as sp
    >>> from cosserat.symbolic import check_potential
    >>> x, k = sp.symbols("x k")
    >>> check_potential(k * x**2 / 2 + x**4, [x], values={"k": 3})
    array([[3.]])
    """
    symbols = listed(name, "variables", variables, "symbols")
    if not isinstance(potential, sp.Expr | int | float):
        raise ArgumentError(name, "", f"is {potential!r}; pass a SymPy expression")
    if not all(isinstance(s, sp.Symbol) for s in symbols):
        raise ArgumentError(name, "variables", f"are {variables!r}; pass symbols")
    U = substituted(named(sp.sympify(potential), symbols), values, set(symbols), name)
    n = len(symbols)
    at = array(name, "reference", np.zeros(n) if reference is None else reference, (n,))
    point = {s: sp.Float(v) if v != 0.0 else sp.Integer(0) for s, v in zip(symbols, at)}
    rough = rough_parts(U)
    if rough:
        warn(
            f"{name}: not smooth, it contains {', '.join(rough)}; forces and stiffnesses jump at "
            "its kinks, where those of one side, or their mean, are taken",
        )
    gradient = slopes([U], symbols)
    H, gradient = slopes(list(gradient), symbols).subs(point), gradient.subs(point)
    if any(not e.is_number or not e.is_finite for e in (*H, *gradient, U.subs(point))):
        raise ArgumentError(name, "", f"has no finite first and second derivatives at {at.tolist()}")
    K = np.array(H, dtype=float)
    lowest = float(np.linalg.eigvalsh(K)[0])
    if lowest < -1e-12 * max(1.0, float(np.abs(K).max())):
        warn(
            f"{name}: not convex at {at.tolist()}, the lowest stiffness is {lowest:.3g}; the reference is unstable",
        )
    return K
