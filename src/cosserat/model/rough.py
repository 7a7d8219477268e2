"""Derivatives of formulas with kinks: taken on either side of them, as those of abs, max and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosserat.model.algebra import sp

ROUGH = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.Heaviside, sp.floor, sp.ceiling, sp.Mod)
"""Functions without two derivatives everywhere."""

_HALF = sp.Rational(1, 2)


def rough_parts(U: Any) -> list[str]:
    """Names of functions in an expression that do not have two derivatives everywhere."""
    return sorted({type(part).__name__ for part in sp.preorder_traversal(U) if isinstance(part, ROUGH)})


def slopes(expressions: Sequence[Any], variables: Sequence[Any]) -> Any:
    """Derivatives (n, m) of n expressions of real variables; at a kink those of one side, or their mean.

    Signs and steps count as constant: what a derivative would have where they jump is left out.

    Examples
    --------
    >>> x, y = sp.symbols("x y", real=True)
    >>> slopes([sp.Abs(x) * y], [x, y])
    Matrix([[y*sign(x), x*sign(x)]])
    """
    constants: dict[Any, Any] = {}

    def constant(value: Any) -> Any:
        if value.is_number:
            return value
        return constants.setdefault(value, sp.Dummy(real=True))

    def steady(e: Any) -> Any:
        """The same with signs and steps as constants."""
        if not e.args or not e.has(*ROUGH):
            return e
        if isinstance(e, sp.Piecewise):
            return sp.Piecewise(*((steady(value), condition) for value, condition in e.args))
        parts = [steady(a) for a in e.args]
        if isinstance(e, sp.Abs):
            return constant(sp.sign(e.args[0])) * parts[0]
        if isinstance(e, (sp.sign, sp.floor, sp.ceiling)):
            return constant(e)
        if isinstance(e, sp.Heaviside):
            return constant(sp.Heaviside(e.args[0], _HALF))
        if isinstance(e, (sp.Max, sp.Min)):
            found, ahead = parts[0], e.args[0]
            for part, other in zip(parts[1:], e.args[1:], strict=True):
                wins = ahead > other if isinstance(e, sp.Max) else ahead < other
                found, ahead = sp.Piecewise((found, wins), (part, True)), e.func(ahead, other)
            return found
        if isinstance(e, sp.Mod):
            return parts[0] - parts[1] * constant(sp.floor(e.args[0] / e.args[1]))
        return e.func(*parts)

    inner = [steady(sp.sympify(e)) for e in expressions]
    back = {symbol: value for value, symbol in constants.items()}
    return sp.Matrix(len(inner), len(variables), lambda i, j: sp.diff(inner[i], variables[j]).xreplace(back))


def slope(expression: Any, variable: Any) -> Any:
    """Derivative of one expression by one variable; see `slopes`."""
    return slopes([expression], [variable])[0] if expression.has(*ROUGH) else sp.diff(expression, variable)
