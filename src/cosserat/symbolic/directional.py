"""Derivatives of expressions along directions; each shared part of an expression is differentiated once.

SymPy's `diff` walks an expression as a tree and keeps only its last results, which takes time without bound where the
same parts occur again and again, as in closed chains.
"""

from __future__ import annotations

from collections.abc import Mapping

from cosserat.symbolic.dependency import sp
from cosserat.symbolic.vectors import ZERO


def directional(
    expression: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr] | None = None
) -> sp.Expr:
    """Derivative of an expression whose symbols have given rates; symbols without one are constant.

    Parameters
    ----------
    expression : Expr
    rates : dict
        Rates of symbols.
    known : dict, optional
        Derivatives found before with the same rates; those found now are added.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> directional(x * sp.sin(y), {x: sp.Integer(1), y: sp.Integer(2)})
    2*x*cos(y) + sin(y)
    """
    return _walk(expression, rates, {} if known is None else known)


def _walk(e: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    if not e.args:
        return rates.get(e, ZERO)
    found = known.get(e)
    if found is None:
        found = known[e] = _composite(e, rates, known)
    return found


def _composite(e: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], known: dict[sp.Basic, sp.Expr]) -> sp.Expr:
    if isinstance(e, sp.Piecewise):
        return sp.Piecewise(*((_walk(value, rates, known), condition) for value, condition in e.args))
    parts = [_walk(a, rates, known) for a in e.args]
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
