"""Numbers, parameters and functions of time of a model as SymPy expressions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from cosserat.errors import ExpressionError
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Parameter, ParameterLike, is_number, resolve
from cosserat.symbolic.dependency import sp

T = sp.Symbol("t")
"""Time."""

_ULPS = 4.0
_LARGEST_DENOMINATOR, _LARGEST_SQUARE = 10**6, 10**4


def exact(x: float) -> sp.Expr:
    """A fraction or the root of one where a float is that to its last digits, the float itself otherwise.

    Examples
    --------
    >>> exact(0.1), exact(np.sqrt(0.75)), exact(1 / 3)
    (1/10, sqrt(3)/2, 1/3)
    """
    x = float(x)
    if abs(x) < 1e-300:
        return sp.S.Zero
    room = _ULPS * math.ulp(x)
    ratio = Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)
    if ratio and abs(float(ratio) - x) <= room:
        return sp.Rational(ratio.numerator, ratio.denominator)
    decimal = Fraction(repr(x))  # what was typed, such as 2.5e-7
    if len(str(decimal.numerator)) <= 8:
        return sp.Rational(decimal.numerator, decimal.denominator)
    square = Fraction(x * x).limit_denominator(_LARGEST_SQUARE)
    if square and abs(math.sqrt(square) - abs(x)) <= room:
        root: sp.Expr = sp.sqrt(sp.Rational(square.numerator, square.denominator))
        return root if x > 0 else -root
    return sp.Float(x, 17)


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


def symbols_in(*expressions: sp.Basic) -> set[sp.Symbol]:
    """All symbols in expressions; each shared part is looked at once, where `free_symbols` would walk it every time."""
    seen: set[sp.Basic] = set()
    found: set[sp.Symbol] = set()
    waiting = list(expressions)
    while waiting:
        e = waiting.pop()
        if e in seen:
            continue
        seen.add(e)
        if isinstance(e, sp.Symbol):
            found.add(e)
        waiting += e.args
    return found


# text -----------------------------------------------------------------------------------------------------------------


def _smoothstep(t: sp.Expr, a: sp.Expr, b: sp.Expr) -> sp.Expr:
    u = _ramp(t, a, b)
    return u**3 * (10 - 15 * u + 6 * u**2)


def _ramp(t: sp.Expr, a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return sp.Piecewise((sp.S.Zero, t < a), (sp.S.One, t >= b), ((t - a) / (b - a), True))


FUNCTIONS: dict[str, Callable[..., sp.Expr]] = {
    "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "asin": sp.asin, "acos": sp.acos, "atan": sp.atan, "atan2": sp.atan2,
    "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt, "abs": sp.Abs,
    "sign": sp.sign, "min": sp.Min, "max": sp.Max, "ramp": _ramp, "smoothstep": _smoothstep,
    "step": lambda t, a: sp.Piecewise((sp.S.Zero, t < a), (sp.S.One, True)),
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Mod: sp.Mod, ast.Pow: lambda a, b: a**b,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: sp.Lt, ast.LtE: sp.Le, ast.Gt: sp.Gt, ast.GtE: sp.Ge, ast.Eq: sp.Eq, ast.NotEq: sp.Ne,
}  # fmt: skip


def formula(text: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    """The expression of a formula that `cosserat.model.expressions` has accepted.

    Examples
    --------
    >>> formula("2*L*sin(pi*t)/4", {"L": sp.Symbol("L"), "t": T})
    L*sin(pi*t)/2
    """
    return _walk(ast.parse(text.strip(), mode="eval").body, names)


def _walk(node: ast.AST, names: Mapping[str, sp.Expr]) -> Any:
    if isinstance(node, ast.Constant):
        return sp.Integer(node.value) if isinstance(node.value, int) else exact(float(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return names[node.id] if node.id in names else {"pi": sp.pi, "e": sp.E}[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](*(_walk(a, names) for a in node.args))
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](_walk(node.left, names), _walk(node.right, names))
    if isinstance(node, ast.UnaryOp):
        value = _walk(node.operand, names)
        return sp.Not(value) if isinstance(node.op, ast.Not) else -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Compare):
        sides = [_walk(n, names) for n in (node.left, *node.comparators)]
        return sp.And(*(_COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, sides, sides[1:], strict=False)))
    if isinstance(node, ast.BoolOp):
        return (sp.And if isinstance(node.op, ast.And) else sp.Or)(*(_walk(v, names) for v in node.values))
    if isinstance(node, ast.IfExp):
        test, yes, no = (_walk(n, names) for n in (node.test, node.body, node.orelse))
        return sp.Piecewise((yes, test), (no, True))
    raise ExpressionError(f"formula: {ast.unparse(node)!r} has no symbolic form")


# Python functions -----------------------------------------------------------------------------------------------------

_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.sin: sp.sin, np.cos: sp.cos, np.tan: sp.tan, np.arcsin: sp.asin, np.arccos: sp.acos, np.arctan: sp.atan,
    np.sinh: sp.sinh, np.cosh: sp.cosh, np.tanh: sp.tanh, np.exp: sp.exp, np.log: sp.log, np.sqrt: sp.sqrt,
    np.absolute: sp.Abs, np.sign: sp.sign, np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b, np.true_divide: lambda a, b: a / b, np.power: lambda a, b: a**b,
    np.negative: lambda a: -a, np.square: lambda a: a**2, np.arctan2: sp.atan2,
}  # fmt: skip


class Traced:
    """A symbol that goes through a user's function and comes out as the expression of what was done to it."""

    def __init__(self, expression: sp.Expr) -> None:
        self.expression = expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc not in _UFUNCS:
            return NotImplemented
        return Traced(_UFUNCS[ufunc](*(_untraced(x) for x in inputs)))

    def _with(self, ufunc: Any, other: Any, swap: bool = False) -> Any:
        if not (isinstance(other, Traced) or is_number(other)):
            return NotImplemented
        a, b = (other, self) if swap else (self, other)
        return Traced(_UFUNCS[ufunc](_untraced(a), _untraced(b)))

    def __add__(self, other: Any) -> Any:
        return self._with(np.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._with(np.add, other, True)

    def __sub__(self, other: Any) -> Any:
        return self._with(np.subtract, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(np.subtract, other, True)

    def __mul__(self, other: Any) -> Any:
        return self._with(np.multiply, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with(np.multiply, other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._with(np.true_divide, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(np.true_divide, other, True)

    def __pow__(self, other: Any) -> Any:
        return self._with(np.power, other)

    def __rpow__(self, other: Any) -> Any:
        return self._with(np.power, other, True)

    def __neg__(self) -> Traced:
        return Traced(-self.expression)


def _untraced(x: Any) -> sp.Expr:
    return x.expression if isinstance(x, Traced) else number(x)
