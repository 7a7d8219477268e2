"""Formulas given as text, read without running any of Python.

The text is parsed into a syntax tree, every node is compared with a short list of what is allowed, and the tree is
walked with NumPy functions. Nothing is ever passed to `eval`. The same walk serves floats, arrays and `Jet`s.
"""

import ast
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

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
_SWITCHING = {"abs", "sign", "floor", "ceil", "min", "max", "step", "ramp", "smoothstep"}
CONSTANTS = {"pi": math.pi, "e": math.e}

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Mod: lambda a, b: a % b,
}  # fmt: skip


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

    Examples
    --------
    >>> float(Expression("2*x + 1", ["x"]).evaluate({"x": 3.0}))
    7.0
    """

    def __init__(self, text: str, names: Iterable[str] = (), where: str = "expression") -> None:
        self.text = text.strip()
        self.where = where
        self.allowed = tuple(names)
        if not self.text:
            raise ExpressionError(f"{where}: the expression is empty; write for instance '2*sin(t)'")
        if len(self.text) > LONGEST_TEXT:
            raise ExpressionError(f"{where}: the expression has more than {LONGEST_TEXT} characters")
        try:
            self._tree = ast.parse(self.text, mode="eval").body
            self.used: frozenset[str] = frozenset(self._check(self._tree))
        except SyntaxError as error:
            at = "" if error.offset is None else f" at column {error.offset}"
            raise ExpressionError(f"{where}: cannot read {self._shown()!r}{at}: {error.msg}") from None
        except (RecursionError, MemoryError, ValueError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"{where}: cannot read {self._shown()!r}: too deeply nested or too long") from None

    @functools.cached_property
    def smooth(self) -> bool:
        """Whether nothing in it switches from one side to another."""
        names = {n.func.id for n in ast.walk(self._tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        kinds = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Not, ast.Mod)
        return not names & _SWITCHING and not any(isinstance(n, kinds) for n in ast.walk(self._tree))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Expression":
        return self  # nothing in it ever changes

    def __reduce__(self) -> tuple[type["Expression"], tuple[str, tuple[str, ...], str]]:
        return (Expression, (self.text, self.allowed, self.where))

    def _shown(self) -> str:
        return self.text if len(self.text) <= 80 else self.text[:77] + "..."

    def _refuse(self, node: ast.AST, problem: str) -> ExpressionError:
        column = getattr(node, "col_offset", 0) + 1
        return ExpressionError(f"{self.where}: {problem} in {self._shown()!r} at column {column}")

    def _check(self, node: ast.AST) -> set[str]:
        """The names used below `node`; refuses everything that is not on the list."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
                raise self._refuse(node, f"{node.value!r} is not a real number")
            return set()
        if isinstance(node, ast.Name):
            if node.id in self.allowed:
                return {node.id}
            if node.id in CONSTANTS:
                return set()
            if node.id in FUNCTIONS:
                raise self._refuse(node, f"function {node.id!r} without its arguments")
            known = ", ".join([*self.allowed, *CONSTANTS])
            raise self._refuse(node, f"unknown name {node.id!r} (names: {known}; functions: {', '.join(FUNCTIONS)})")
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
                what = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
                raise self._refuse(node, f"unknown function {what!r} (functions: {', '.join(FUNCTIONS)})")
            if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
                raise self._refuse(node, f"{node.func.id}() takes plain arguments only")
            wanted, got = FUNCTIONS[node.func.id][0], len(node.args)
            if got != wanted and not (node.func.id in ("min", "max") and got > 2):
                raise self._refuse(node, f"{node.func.id}() takes {wanted} argument(s), got {got}")
            children: list[ast.AST] = list(node.args)
        elif isinstance(node, ast.BinOp) and (type(node.op) in _BINARY or isinstance(node.op, ast.Pow)):
            children = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub, ast.Not)):
            children = [node.operand]
        elif isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
            children = [node.left, *node.comparators]
        elif isinstance(node, ast.BoolOp):
            children = list(node.values)
        elif isinstance(node, ast.IfExp):
            children = [node.test, node.body, node.orelse]
        else:
            raise self._refuse(
                node, f"{ast.unparse(node)!r} is not allowed (only numbers, names, operators and known functions)"
            )
        return set().union(*(self._check(child) for child in children))

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value for the given values of the names (floats, arrays or `Jet`s)."""
        with np.errstate(all="ignore"):
            return self._value(self._tree, values)

    def _value(self, node: ast.AST, values: Mapping[str, Any]) -> Any:
        result: Any
        if isinstance(node, ast.Constant):
            return _as_float(node.value)  # type: ignore[arg-type]  # checked to be a real number
        if isinstance(node, ast.Name):
            return values[node.id] if node.id in self.allowed else CONSTANTS[node.id]
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            function = FUNCTIONS[node.func.id][1]
            arguments = [self._number(a, values) for a in node.args]
            if node.func.id in ("min", "max"):
                result = arguments[0]
                for a in arguments[1:]:
                    result = function(result, a)
                return result
            return function(*arguments)
        if isinstance(node, ast.BinOp):
            a, b = self._number(node.left, values), self._number(node.right, values)
            if not isinstance(node.op, ast.Pow):
                return _BINARY[type(node.op)](a, b)
            if isinstance(b, (float, np.floating)) and not abs(float(b)) <= LARGEST_EXPONENT:
                raise self._refuse(node, f"exponent {b:g} is too large (at most {LARGEST_EXPONENT:g})")
            return np.power(a, b)
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return np.logical_not(self._value(node.operand, values))
            a = self._number(node.operand, values)
            return -a if isinstance(node.op, ast.USub) else a
        if isinstance(node, ast.Compare):
            left = self._number(node.left, values)
            result = True
            for op, right_node in zip(node.ops, node.comparators, strict=True):
                right = self._number(right_node, values)
                result = np.logical_and(result, _COMPARE[type(op)](left, right))
                left = right
            return result
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            result = self._value(node.values[0], values)
            for item in node.values[1:]:
                result = join(result, self._value(item, values))
            return result
        assert isinstance(node, ast.IfExp)
        test = self._value(node.test, values)
        return np.where(test, self._number(node.body, values), self._number(node.orelse, values))

    def _number(self, node: ast.AST, values: Mapping[str, Any]) -> Any:
        """The value as something to calculate with: a comparison counts 1 where it holds, 0 elsewhere."""
        value = self._value(node, values)
        return np.asarray(value, float)[()] if is_truth(value) else value


def is_truth(value: Any) -> bool:
    """Whether it is True or False, or an array of them."""
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype.kind == "b")


def _as_float(value: int | float) -> np.float64:
    """NumPy numbers, so that a division by zero gives inf, which the caller reports, and not a bare exception."""
    try:
        return np.float64(value)
    except OverflowError:
        return np.float64(math.inf)
