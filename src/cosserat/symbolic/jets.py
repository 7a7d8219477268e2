"""The variables of a Lagrangian on a group: velocities along each parameter, their derivatives, the element.

Everything is a plain symbol. Along the parameter ``t`` the component ``v1`` of the velocity is ``v1_t``, its derivative
along ``X`` is ``v1_t_X``; so an expression can be differentiated, printed and compiled without functions of functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model.algebra import slope
from cosserat.symbolic.dependency import sp
from cosserat.symbolic.groups import Group


class Jets:
    """First jets of a field g(x) on a group: symbols of g, of eta_i = g^-1 d_i g (or d_i g g^-1), of d_j eta_i.

    Parameters
    ----------
    group : symbolic.Group
        The group.
    parameters : sequence of str
        Names of the parameters x^i, for instance ``("t", "X")``.
    setting : str
        "material": eta = g^-1 dg; "spatial": eta = dg g^-1.
    """

    def __init__(self, group: Group, parameters: Sequence[str], setting: str) -> None:
        given = parameters if isinstance(parameters, Iterable) else ()
        names = (parameters,) if isinstance(parameters, str) else tuple(given)
        bad = [n for n in names if not (isinstance(n, str) and re.fullmatch(r"[A-Za-z]\w*", n))]
        if not names or bad or len(set(names)) < len(names):
            raise ArgumentError(
                "PoincareChetayev", "parameters", f"are {parameters!r}; pass different names, such as ('t', 'X')"
            )
        if setting not in ("material", "spatial"):
            raise ArgumentError("PoincareChetayev", "setting", f"is {setting!r}; pass 'material' or 'spatial'")
        self.group, self.parameters, self.setting = group, names, setting
        self.x = {p: sp.Symbol(p, real=True) for p in names}
        self.g = group.element()
        self.eta = {p: sp.Matrix([_symbol(f"{c}_{p}") for c in group.components]) for p in names}
        self.rate = {
            (p, q): sp.Matrix([_symbol(f"{c}_{p}_{q}") for c in group.components]) for p in names for q in names
        }

    def derivative_of_element(self, p: str) -> Any:
        """Return d_p g: g hat(eta_p), in the spatial setting hat(eta_p) g (the reconstruction equation)."""
        return self.push(self.eta[p], self.setting)

    def push(self, xi: Any, setting: str) -> Any:
        """Return g hat(xi) ("material") or hat(xi) g ("spatial")."""
        X = self.group.hat(xi)
        return self.g * X if setting == "material" else X * self.g

    def along(self, expression: Any, dg: Any) -> Any:
        """Return the derivative of an expression when g moves by the matrix dg and all else rests."""
        pairs = [(s, d) for s, d in zip(self.g, dg) if s.is_Symbol and s in expression.free_symbols]
        return sum((slope(expression, s) * d for s, d in pairs), sp.Integer(0))

    def total(self, expression: Any, p: str) -> Any:
        """Return the total derivative of an expression along the parameter p."""
        expression = sp.sympify(expression)
        free = expression.free_symbols
        value = slope(expression, self.x[p]) + self.along(expression, self.derivative_of_element(p))
        for q in self.parameters:
            for symbol, rate in zip(self.eta[q], self.rate[q, p]):
                if symbol in free:
                    value += slope(expression, symbol) * rate
        return value

    def defect(self, expression: Any, setting: str | None = None) -> Any:
        """Return X_alpha(L) (material, [Boyer05] (23)) or Z_alpha(L) (spatial, (26)), a column (dim, 1)."""
        side = self.setting if setting is None else setting
        unit = sp.eye(self.group.dim)
        return sp.Matrix([self.along(expression, self.push(unit[:, a], side)) for a in range(self.group.dim)])

    def variables(self) -> list[Any]:
        """Return all symbols that are not constants: parameters, entries of g, velocities, their derivatives."""
        entries = [s for s in self.g if s.is_Symbol]
        etas = [s for p in self.parameters for s in self.eta[p]]
        rates = [s for pair in self.rate.values() for s in pair]
        return [*self.x.values(), *entries, *etas, *rates]


def _symbol(name: str) -> Any:
    return sp.Symbol(name, real=True)
