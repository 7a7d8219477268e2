"""Formulas as SymPy expressions: text to expressions and back, their slopes, and the code that evaluates them.

Only what needs SymPy imports this module.

Derivatives of formulas with kinks are taken on either side of them, as those of abs, max and conditions. The code is
straight-line Python with common subexpressions, which Numba compiles as it is.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from cosserat.errors import MissingDependencyError
from cosserat.model.expressions import Expression, Meaning

try:
    import sympy as sp
    from sympy.printing.pycode import PythonCodePrinter
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


class _Text(StrPrinter):
    """Expressions as formulas of `cosserat.model.expressions`."""

    _names: ClassVar[dict[str, str]] = {"Abs": "abs", "Max": "max", "Min": "min", "ceiling": "ceil"}

    def _print_Function(self, expression: Any) -> str:
        name = expression.func.__name__
        return f"{self._names.get(name, name)}({', '.join(self._print(a) for a in expression.args)})"

    _print_LatticeOp = _print_Function

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


def text_of(expression: Any) -> str:
    """The formula of an expression; what formulas cannot say is left for their own check to find.

    Examples
    --------
    >>> x, k = sp.symbols("x k")
    >>> text_of(k * x**2 / 2 + sp.Float(0.1) * sp.Abs(x))
    'k*x**2/2 + 0.1*abs(x)'
    """
    return str(_Text().doprint(expression))


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


class Printer(PythonCodePrinter):
    """Expressions as Python that Numba takes."""

    _kf: ClassVar[dict[str, str]] = {**PythonCodePrinter._kf, "cotc": "cotc"}

    def _print_coshalf(self, expression: sp.Expr) -> str:
        return f"math.cos(0.5*math.sqrt({self._print(expression.args[0])}))"

    def _print_sinhalf(self, expression: sp.Expr) -> str:
        return f"(0.5*sinc(0.25*({self._print(expression.args[0])})))"

    def _print_sign(self, expression: sp.Expr) -> str:
        x = self._print(expression.args[0])
        return f"(1.0 if {x} > 0 else -1.0 if {x} < 0 else 0.0)"

    def _print_Heaviside(self, expression: sp.Expr) -> str:
        x = self._print(expression.args[0])
        return f"(1.0 if {x} > 0 else 0.0 if {x} < 0 else 0.5)"

    def _print_Rational(self, expression: sp.Rational) -> str:
        return f"{expression.p}.0/{expression.q}.0"

    def _print_Integer(self, expression: sp.Integer) -> str:
        return str(expression.p)

    def _print_Pow(self, expression: sp.Expr, **options: object) -> str:
        base, exponent = expression.as_base_exp()
        if exponent.is_Integer and 2 <= abs(int(exponent)) <= 4:
            product = "*".join([self.parenthesize(base, 1000, strict=True)] * abs(int(exponent)))
            return f"({product})" if exponent > 0 else f"(1.0/({product}))"
        text: str = super()._print_Pow(expression, **options)
        return text


def function_source(
    name: str,
    arguments: Mapping[str, Sequence[sp.Symbol] | sp.Symbol],
    outputs: Mapping[str, sp.Matrix],
    definitions: Mapping[sp.Symbol, sp.Expr],
    docstring: str,
) -> str:
    """Source of a function that reads arrays of symbols and writes arrays of expressions.

    Parameters
    ----------
    name : str
    arguments : dict
        Arrays and the symbols of their entries, or single numbers.
    outputs : dict of Matrix
        Arrays to write; columns are written as vectors.
    definitions : dict
        Symbols that stand for expressions of others.
    """
    printer = Printer({"fully_qualified_modules": True, "standard": "python3"})
    taken = {array for array, symbols in arguments.items() if not isinstance(symbols, sp.Symbol)}
    called = ("math", "abs", "max", "min", "float", "sinc", "cotc")
    printer.reserved_words = {*printer.reserved_words, *taken, *outputs, *called}
    entries = [x for matrix in outputs.values() for x in matrix]
    used = symbols_in(*entries)
    needed = {s: e for s, e in definitions.items() if s in used}
    used |= symbols_in(*needed.values())
    common, reduced = sp.cse(
        [*needed.values(), *entries], symbols=sp.numbered_symbols("c_", exclude=used), order="none"
    )
    lines = [f"def {name}({', '.join([*arguments, *outputs])}):", f'    """{docstring}"""']
    for array, symbols in arguments.items():
        if not isinstance(symbols, sp.Symbol):
            lines += [f"    {printer.doprint(s)} = {array}[{i}]" for i, s in enumerate(symbols) if s in used]
    lines += _definitions(common, needed, reduced, printer)
    values = iter(reduced[len(needed) :])
    for array, matrix in outputs.items():
        for i in range(matrix.rows):
            for j in range(matrix.cols):
                at = f"{i}" if matrix.cols == 1 and not array.isupper() else f"{i}, {j}"
                lines.append(f"    {array}[{at}] = {printer.doprint(next(values))}")
    if len(lines) == 2:
        lines.append("    pass")
    return "\n".join(lines) + "\n"


def _definitions(
    common: Sequence[tuple[sp.Symbol, sp.Expr]],
    needed: Mapping[sp.Symbol, sp.Expr],
    reduced: Sequence[sp.Expr],
    printer: Printer,
) -> list[str]:
    """Lines of common subexpressions and definitions, each after what it uses."""
    waiting = [*zip(needed, reduced, strict=False), *common]
    left = {s for s, _ in waiting}
    lines = []
    while waiting:
        later = []
        for s, e in waiting:
            if e.free_symbols & (left - {s}):
                later.append((s, e))
            else:
                lines.append(f"    {printer.doprint(s)} = {printer.doprint(e)}")
                left.discard(s)
        waiting = later
    return lines
