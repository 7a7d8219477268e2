"""Formulas given as text, read without running any of Python.

The text is parsed into a syntax tree, every node is compared with a short list of what is allowed and becomes a call of
a NumPy function. Nothing is ever passed to `eval`. The same calls serve floats, arrays and `Jet`s; with another
`Meaning` of functions and truths, formulas become those of SymPy.

`Operators` are those of Python as functions of NumPy, for what is more than a number: jets, parameters, symbols.
"""

import ast
import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ExpressionError

LONGEST_TEXT = 20_000
LARGEST_EXPONENT = 1000.0


def step(t: Any, t0: Any) -> Any:
    """0 before `t0`, 1 from `t0` on."""
    return np.where(t >= t0, 1.0, 0.0)


def ramp(t: Any, t0: Any, t1: Any) -> Any:
    """0 before `t0`, rising linearly to 1 at `t1`, then 1."""
    return np.minimum(np.maximum((t - t0) / (t1 - t0), 0.0), 1.0)


def smoothstep(t: Any, t0: Any, t1: Any) -> Any:
    """0 before `t0`, 1 after `t1`, between them the quintic whose rate and acceleration vanish at both ends."""
    u = ramp(t, t0, t1)
    return u * u * u * (10.0 + u * (-15.0 + 6.0 * u))


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "sin": (1, np.sin), "cos": (1, np.cos), "tan": (1, np.tan),
    "asin": (1, np.arcsin), "acos": (1, np.arccos), "atan": (1, np.arctan), "atan2": (2, np.arctan2),
    "sinh": (1, np.sinh), "cosh": (1, np.cosh), "tanh": (1, np.tanh),
    "asinh": (1, np.arcsinh), "atanh": (1, np.arctanh),
    "exp": (1, np.exp), "log": (1, np.log), "log10": (1, np.log10), "log2": (1, np.log2), "log1p": (1, np.log1p),
    "expm1": (1, np.expm1), "sqrt": (1, np.sqrt), "cbrt": (1, np.cbrt), "hypot": (2, np.hypot),
    "abs": (1, np.absolute), "sign": (1, np.sign), "floor": (1, np.floor), "ceil": (1, np.ceil),
    "min": (2, np.minimum), "max": (2, np.maximum),
    "step": (2, step), "ramp": (3, ramp), "smoothstep": (3, smoothstep),
}  # fmt: skip
SWITCHING = {"abs", "sign", "floor", "ceil", "min", "max", "step", "ramp", "smoothstep"}
CONSTANTS = {"pi": math.pi, "e": math.e}

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}  # fmt: skip
Reading = Callable[[Mapping[str, Any]], Any]
"""A part of a formula: values of its names -> its value."""


class Meaning(NamedTuple):
    """What the parts of a formula stand for."""

    literal: Callable[[Any], Any]  # of a number
    constants: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]]
    compare: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]
    every: Callable[[list[Any]], Any]  # of truths
    some: Callable[[list[Any]], Any]
    negation: Callable[[Any], Any]
    choice: Callable[[Any, Any, Any], Any]  # of a truth, the value if it holds, and the other one
    number: Callable[[Any], Any]  # to calculate with: a truth counts 1 where it holds, 0 elsewhere


class Expression:
    """A formula in the given names, for instance ``Expression("2*sin(3*t)", ["t"])``.

    Parameters
    ----------
    text : str
        Numbers, the given names, ``pi``, ``e``, ``+ - * / % **``, comparisons, ``and or not``, ``a if c else b`` and
        calls of the functions in `FUNCTIONS`.
    names : iterable of str
        Names that may occur besides functions and constants.
    where : str
        What the formula belongs to, for error messages.
    meaning : Meaning, optional
        Default: that of NumPy.

    Examples
    --------
    >>> float(Expression("2*x + 1", ["x"]).evaluate({"x": 3.0}))
    7.0
    """

    def __init__(
        self, text: str, names: Iterable[str] = (), where: str = "expression", meaning: Meaning | None = None
    ) -> None:
        self.text = text.strip()
        self.where = where
        self._meaning = NUMPY if meaning is None else meaning
        self.allowed = tuple(names)
        if not self.text:
            raise ExpressionError(f"{where}: the expression is empty; write for instance '2*sin(t)'")
        if len(self.text) > LONGEST_TEXT:
            raise ExpressionError(f"{where}: the expression has more than {LONGEST_TEXT} characters")
        try:
            self._tree = ast.parse(self.text, mode="eval").body
            used: set[str] = set()
            self._value = self._read(self._tree, used)
            self.used = frozenset(used)
        except SyntaxError as error:
            at = "" if error.offset is None else f" at column {error.offset}"
            raise ExpressionError(
                f"{where}: cannot read {self._shown()!r}{at}: {error.msg}; write products with *, and numbers without "
                "units: SI units, angles in rad"
            ) from None
        except (RecursionError, MemoryError, ValueError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"{where}: cannot read {self._shown()!r}: too deeply nested or too long") from None

    @functools.cached_property
    def smooth(self) -> bool:
        """Whether nothing in it switches from one side to another."""
        names = {n.func.id for n in ast.walk(self._tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        kinds = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Not, ast.Mod)
        return not names & SWITCHING and not any(isinstance(n, kinds) for n in ast.walk(self._tree))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Expression":
        return self  # nothing in it ever changes

    def __reduce__(self) -> tuple[type["Expression"], tuple[str, tuple[str, ...], str]]:
        return (Expression, (self.text, self.allowed, self.where))

    def _shown(self) -> str:
        return self.text if len(self.text) <= 80 else self.text[:77] + "..."

    def _refuse(self, node: ast.AST, problem: str) -> ExpressionError:
        column = getattr(node, "col_offset", 0) + 1
        return ExpressionError(f"{self.where}: {problem} in {self._shown()!r} at column {column}")

    def _read(self, node: ast.AST, used: set[str]) -> Reading:
        """What a node stands for, names noted in `used`; refuses everything that is not on the list."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
                raise self._refuse(node, f"{node.value!r} is not a real number")
            return _constant(self._meaning.literal(node.value))
        if isinstance(node, ast.Name):
            return self._name(node, used)
        if isinstance(node, ast.Call):
            return self._call(node, used)
        if isinstance(node, ast.BinOp) and (type(node.op) in _BINARY or isinstance(node.op, ast.Pow)):
            a, b = self._number(node.left, used), self._number(node.right, used)
            join = self._power(node) if isinstance(node.op, ast.Pow) else _BINARY[type(node.op)]
            return lambda values: join(a(values), b(values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner, negation = self._read(node.operand, used), self._meaning.negation
            return lambda values: negation(inner(values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            inner = self._number(node.operand, used)
            return (lambda values: -inner(values)) if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
            sides = [self._number(side, used) for side in (node.left, *node.comparators)]
            tests, every = [self._meaning.compare[type(op)] for op in node.ops], self._meaning.every

            def compared(values: Mapping[str, Any]) -> Any:
                found = [side(values) for side in sides]
                return every([test(found[k], found[k + 1]) for k, test in enumerate(tests)])

            return compared
        if isinstance(node, ast.BoolOp):
            joined = self._meaning.every if isinstance(node.op, ast.And) else self._meaning.some
            parts = [self._read(item, used) for item in node.values]
            return lambda values: joined([part(values) for part in parts])
        if isinstance(node, ast.IfExp):
            test, choice = self._read(node.test, used), self._meaning.choice
            then, otherwise = self._number(node.body, used), self._number(node.orelse, used)
            return lambda values: choice(test(values), then(values), otherwise(values))
        power = "; a power is written **" if isinstance(getattr(node, "op", None), ast.BitXor) else ""
        raise self._refuse(
            node, f"{ast.unparse(node)!r} is not allowed (only numbers, names, operators and known functions{power})"
        )

    def _name(self, node: ast.Name, used: set[str]) -> Reading:
        if node.id in self.allowed:
            used.add(node.id)
            return operator.itemgetter(node.id)
        if node.id in CONSTANTS:
            return _constant(self._meaning.constants[node.id])
        if node.id in FUNCTIONS:
            raise self._refuse(node, f"function {node.id!r} without its arguments")
        known = ", ".join([*self.allowed, *CONSTANTS])
        raise self._refuse(node, f"unknown name {node.id!r} (names: {known}; functions: {', '.join(FUNCTIONS)})")

    def _call(self, node: ast.Call, used: set[str]) -> Reading:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            what = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
            raise self._refuse(node, f"unknown function {what!r} (functions: {', '.join(FUNCTIONS)})")
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self._refuse(node, f"{node.func.id}() takes plain arguments only")
        wanted, got, function = FUNCTIONS[node.func.id][0], len(node.args), self._meaning.functions[node.func.id]
        several = node.func.id in ("min", "max")
        if got != wanted and not (several and got > 2):
            raise self._refuse(node, f"{node.func.id}() takes {wanted} argument(s), got {got}")
        arguments = [self._number(a, used) for a in node.args]
        if several:
            return lambda values: functools.reduce(function, [a(values) for a in arguments])
        return lambda values: function(*[a(values) for a in arguments])

    def _power(self, node: ast.AST) -> Callable[[Any, Any], Any]:
        def power(a: Any, b: Any) -> Any:
            if isinstance(b, (float, np.floating)) and not abs(float(b)) <= LARGEST_EXPONENT:
                raise self._refuse(node, f"exponent {b:g} is too large (at most {LARGEST_EXPONENT:g})")
            return a**b

        return power

    def _number(self, node: ast.AST, used: set[str]) -> Reading:
        """The value as something to calculate with: a comparison counts 1 where it holds, 0 elsewhere."""
        reading = self._read(node, used)
        if not isinstance(node, (ast.Compare, ast.BoolOp)) and not isinstance(getattr(node, "op", None), ast.Not):
            return reading
        number = self._meaning.number
        return lambda values: number(reading(values))

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value for the given values of the names (floats, arrays or `Jet`s)."""
        with np.errstate(all="ignore"):
            return self._value(values)


def _constant(value: Any) -> Reading:
    return lambda values: value


def is_truth(value: Any) -> bool:
    """Whether it is True or False, or an array of them."""
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype.kind == "b")


def _counted(value: Any) -> Any:
    return np.asarray(value, float)[()] if is_truth(value) else value


def _as_float(value: int | float) -> np.float64:
    """NumPy numbers, so that a division by zero gives inf, which the caller reports, and not a bare exception."""
    try:
        return np.float64(value)
    except OverflowError:
        return np.float64(math.inf)


NUMPY = Meaning(
    _as_float, CONSTANTS, {name: function for name, (_, function) in FUNCTIONS.items()}, _COMPARE,
    lambda truths: functools.reduce(np.logical_and, truths, True),
    lambda truths: functools.reduce(np.logical_or, truths), np.logical_not, np.where, _counted,
)  # fmt: skip


ORDER: dict[Any, Callable[[Any, Any], bool]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
}  # fmt: skip
LOGICAL = {np.logical_and, np.logical_or, np.logical_not, np.logical_xor}
JUDGING = {np.equal, np.not_equal, np.isfinite, np.isnan, np.isinf, np.signbit} | LOGICAL
"""Functions whose answers are truths."""


def _operator(function: Any) -> Callable[..., Any]:
    """A method that applies a function of NumPy to an object and the other operand, if there is one."""
    return lambda self, *others: self._apply(function, self, *others)


def _both(function: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The methods of an operator, with the object on its left and on its right."""
    return _operator(function), lambda self, other: self._apply(function, other, self)


class Operators:
    """What has them says in `_apply` what a function makes of its operands; NotImplemented asks the other operand."""

    __slots__ = ()

    def _apply(self, function: Any, *operands: Any) -> Any:
        raise NotImplementedError

    __add__, __radd__ = _both(np.add)
    __sub__, __rsub__ = _both(np.subtract)
    __mul__, __rmul__ = _both(np.multiply)
    __truediv__, __rtruediv__ = _both(np.true_divide)
    __pow__, __rpow__ = _both(np.power)
    __mod__, __rmod__ = _both(np.remainder)
    __lt__, __le__, __gt__, __ge__ = map(_operator, (np.less, np.less_equal, np.greater, np.greater_equal))
    __neg__, __abs__ = _operator(np.negative), _operator(np.absolute)

    def __pos__(self) -> Any:
        return self


def boxed(value: Any) -> Any:
    """A thing as an array without dimensions, so that NumPy does not look into it; arrays as they are."""
    if isinstance(value, np.ndarray):
        return value
    box = np.empty((), dtype=object)
    box[()] = value
    return box
