"""Numbers, parameters and functions of time of a model as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.model.algebra import exact, formula
from cosserat.model.functions import TimeFunction
from cosserat.model.operators import Operators
from cosserat.model.parameters import Parameter, ParameterLike, is_number, resolve
from cosserat.symbolic.dependency import sp

T = sp.Symbol("t")
"""Time."""


def exact_matrix(R: Any) -> list[list[sp.Expr]]:
    """A matrix of numbers of the size of 1, entry by entry; what is zero but for rounding becomes zero."""
    return [[sp.S.Zero if abs(x) < 1e-15 else exact(x) for x in row] for row in np.asarray(R, float)]


def symbol_of(parameter: Parameter) -> sp.Symbol:
    """The symbol of a parameter: its name."""
    return sp.Symbol(parameter.name)


def number(value: Any) -> sp.Expr:
    """A number, a parameter (its symbol) or a formula of parameters."""
    if isinstance(value, Parameter):
        return symbol_of(value)
    if isinstance(value, ParameterLike):
        return formula(value.text, {name: symbol_of(p) for name, p in value.parameters.items()})
    return exact(resolve(value))


def vector(values: Any) -> list[sp.Expr]:
    """Several numbers."""
    return [number(x) for x in values]


def function_of_time(function: TimeFunction) -> sp.Expr | None:
    """The expression in `T` of a function of time; None if it is Python code that cannot be followed with symbols."""
    if is_number(function.source):
        return number(function.source)
    if function.text is not None:
        names = {name: symbol_of(p) for name, p in function.parameters.items()}
        return formula(function.text, {**names, function.variable: T})
    source = function.source[0] if isinstance(function.source, tuple) else function.source
    try:
        found = source(Traced(T))
    except Exception:  # whatever the user's function raises for something that is no number
        return None
    return found.expression if isinstance(found, Traced) else _number_or_none(found)


def _number_or_none(value: Any) -> sp.Expr | None:
    return number(value) if is_number(value) else None


# Python functions -----------------------------------------------------------------------------------------------------

_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.sin: sp.sin, np.cos: sp.cos, np.tan: sp.tan, np.arcsin: sp.asin, np.arccos: sp.acos, np.arctan: sp.atan,
    np.sinh: sp.sinh, np.cosh: sp.cosh, np.tanh: sp.tanh, np.exp: sp.exp, np.log: sp.log, np.sqrt: sp.sqrt,
    np.absolute: sp.Abs, np.sign: sp.sign, np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b, np.true_divide: lambda a, b: a / b, np.power: lambda a, b: a**b,
    np.negative: lambda a: -a, np.square: lambda a: a**2, np.arctan2: sp.atan2,
}  # fmt: skip


class Traced(Operators):
    """A symbol that goes through a user's function and comes out as the expression of what was done to it."""

    def __init__(self, expression: sp.Expr) -> None:
        self.expression = expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc not in _UFUNCS:
            return NotImplemented
        return Traced(_UFUNCS[ufunc](*(_untraced(x) for x in inputs)))

    def _apply(self, function: Any, *operands: Any) -> Any:
        known = function in _UFUNCS and all(isinstance(x, Traced) or is_number(x) for x in operands)
        return self.__array_ufunc__(function, "__call__", *operands) if known else NotImplemented

    __abs__ = None  # type: ignore[assignment]  # a function that calls it is sampled

    def __bool__(self) -> bool:
        raise TypeError("a function that asks for the value of its variable has no formula")

    def __eq__(self, other: object) -> bool:
        return bool(self)  # raises: Python would say that the symbol is no number


def _untraced(x: Any) -> sp.Expr:
    return x.expression if isinstance(x, Traced) else number(x)
