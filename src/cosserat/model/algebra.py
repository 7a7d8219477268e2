"""Formulas as SymPy expressions: text to expressions and back.

Only what needs SymPy imports this module.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from cosserat.errors import MissingDependencyError
from cosserat.model.expressions import Expression, Meaning

try:
    import sympy as sp
    from sympy.printing.str import StrPrinter
except ImportError:
    raise MissingDependencyError(
        "cosserat.symbolic and cs.Medium need SymPy; install it with pip install 'cosserat[symbolic]'"
    ) from None

__all__ = ["FUNCTIONS", "exact", "formula", "named", "sp", "symbols_in", "text_of"]

_ULPS = 4.0
_LARGEST_DENOMINATOR, _LARGEST_SQUARE = 10**6, 10**4


def exact(x: float) -> sp.Expr:
    """A fraction or the root of one where a float is that to its last digits, the float itself otherwise.

    Examples
    --------
    >>> exact(0.1), exact(math.sqrt(0.75)), exact(1 / 3)
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


def named(expression: Any, symbols: Iterable[sp.Symbol]) -> Any:
    """An expression or matrix in which symbols of the same names, whatever is assumed of them, are these.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> sp.diff(named(sp.Symbol("x") ** 2, [x]), x)
    2*x
    """
    wanted = {s.name: s for s in symbols}
    return expression.xreplace({s: wanted[s.name] for s in expression.free_symbols if s.name in wanted})


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
    "asinh": sp.asinh, "atanh": sp.atanh, "log10": lambda x: sp.log(x, 10), "log2": lambda x: sp.log(x, 2),
    "log1p": lambda x: sp.log(1 + x), "expm1": lambda x: sp.exp(x) - 1, "hypot": lambda x, y: sp.sqrt(x**2 + y**2),
    "cbrt": lambda x: sp.sign(x) * sp.Abs(x) ** sp.Rational(1, 3), "floor": sp.floor, "ceil": sp.ceiling,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: sp.Lt, ast.LtE: sp.Le, ast.Gt: sp.Gt, ast.GtE: sp.Ge, ast.Eq: sp.Eq, ast.NotEq: sp.Ne,
}  # fmt: skip


SYMPY = Meaning(
    lambda x: sp.Integer(x) if isinstance(x, int) else exact(x), {"pi": sp.pi, "e": sp.E}, FUNCTIONS, _COMPARE,
    lambda truths: sp.And(*truths), lambda truths: sp.Or(*truths), sp.Not,
    lambda test, yes, no: sp.Piecewise((yes, test), (no, True)),
    lambda x: x if isinstance(x, sp.Expr) else sp.Piecewise((sp.S.One, x), (sp.S.Zero, True)),
)  # fmt: skip


def formula(text: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    """The expression of a formula that `cosserat.model.expressions` has accepted.

    Examples
    --------
    >>> formula("2*L*sin(pi*t)/4", {"L": sp.Symbol("L"), "t": sp.Symbol("t")})
    L*sin(pi*t)/2
    """
    return Expression(text, names, "formula", SYMPY).evaluate(names)


class Calls:
    """Part of a printer: functions that Python calls by another name than SymPy."""

    _print: Callable[..., str]

    def _called(self, name: str, expression: Any) -> str:
        return f"{name}({', '.join(self._print(a) for a in expression.args)})"

    def _print_Abs(self, expression: Any) -> str:
        return self._called("abs", expression)

    def _print_Max(self, expression: Any) -> str:
        return self._called("max", expression)

    def _print_Min(self, expression: Any) -> str:
        return self._called("min", expression)


class _Text(Calls, StrPrinter):
    """Expressions as formulas of `cosserat.model.expressions`."""

    def _print_Float(self, expression: Any) -> str:
        return repr(float(expression))

    def _print_Exp1(self, expression: Any) -> str:
        return "e"

    def _print_Heaviside(self, expression: Any) -> str:
        return f"(1 + sign({self._print(expression.args[0])}))/2"

    def _print_Piecewise(self, expression: Any) -> str:
        *cases, (last, always) = expression.args
        if always != sp.true:
            cases, last = expression.args, sp.nan
        text = self._print(last)
        for value, condition in reversed(cases):
            text = f"({self._print(value)} if {self._print(condition)} else {text})"
        return text

    def _print_And(self, expression: Any) -> str:
        return "(" + " and ".join(self._print(a) for a in expression.args) + ")"

    def _print_Or(self, expression: Any) -> str:
        return "(" + " or ".join(self._print(a) for a in expression.args) + ")"

    def _print_Not(self, expression: Any) -> str:
        return f"(not {self._print(expression.args[0])})"

    def _print_ceiling(self, expression: Any) -> str:
        return self._called("ceil", expression)


def text_of(expression: Any) -> str:
    """The formula of an expression; what formulas cannot say is left for their own check to find.

    Examples
    --------
    >>> x, k = sp.symbols("x k")
    >>> text_of(k * x**2 / 2 + sp.Float(0.1) * sp.Abs(x))
    'k*x**2/2 + 0.1*abs(x)'
    """
    return str(_Text().doprint(expression))
