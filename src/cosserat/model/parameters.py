"""Named numbers that can be changed after a model is built, and formulas made of them.

What `math` and SciPy make of the number behind a parameter does not follow later changes. Python asks in the same way
for `float(P)`, which is meant, and for `math.sin(P)`, which is not: what is being called is read from the code of the
caller.
"""

import builtins
import dis
import keyword
import math
import numbers
import sys
from abc import ABC, abstractmethod
from functools import lru_cache
from types import CodeType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from cosserat.calls import answered
from cosserat.errors import ParameterError, shown
from cosserat.model.expressions import CONSTANTS, FUNCTIONS, JUDGING, ORDER, Expression, Operators, boxed

_OURS = __name__.split(".")[0]
_MATH = ("math", "cmath")
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # what they loop over is made by the caller
_TELLING = ("isclose", "isfinite", "isinf", "isnan")  # they compare, as < does


def frozen_by() -> str:
    """Name of a function of `math` or SciPy whose caller is about to freeze a parameter, such as "math.sin", or "".

    To be called by `__float__`. Functions of time that this package calls see present values whenever they are called:
    nothing is frozen there.
    """
    frame: Any = sys._getframe(2)
    if _is_of(frame, _OURS):
        return ""
    names = []
    while _is_of(frame, "scipy"):
        names, frame = [f"scipy: {frame.f_code.co_qualname}"], frame.f_back
    around = [frame, frame.f_back] if frame.f_code.co_name in _COMPREHENSIONS else [frame]
    at_work = (_called(_found(f, path)) for f in around for path in _paths(f.f_code, f.f_lasti))
    of_math = (f for f in at_work if getattr(f, "__module__", None) in _MATH)
    names += [f"math.{f.__name__}" for f in of_math if f.__name__ not in _TELLING]
    while names and frame is not None:
        if _is_of(frame, _OURS):
            return ""
        frame = frame.f_back
    return names[0] if names else ""


def _is_of(frame: Any, package: str) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == package


def _called(found: Any) -> Any:
    """What is called by something that is at work: a `map` that was made before calls its function now."""
    return found.__reduce__()[1][0] if isinstance(found, map) else found


def _found(frame: Any, path: tuple[str, ...]) -> Any:
    """What a path of names means in a frame, or None."""
    first, *more = path
    for names in (frame.f_locals, frame.f_globals, vars(builtins)):
        if first in names:
            found = names[first]
            for name in more:
                found = getattr(found, name, None)
            return found
    return None


@lru_cache(maxsize=4096)
def _paths(code: CodeType, at: int) -> tuple[tuple[str, ...], ...]:
    """Paths of names, such as ("math", "sin"), of functions that may be at work in the instruction at an offset.

    These are what it calls, which begins where it does, and what stands inside it without being called there, as in
    ``list(map(math.sin, values))``.
    """
    instructions = [i for i in dis.get_instructions(code) if i.positions is not None and i.positions.lineno is not None]
    here = max((i for i in instructions if i.offset <= at), key=lambda i: i.offset, default=None)
    if here is None:
        return ()
    begin, end = _span(here)
    loaded: dict[Any, list[str]] = {}
    called = set()
    for i in instructions:
        start, stop = _span(i)
        if i.offset >= here.offset or start < begin or stop > end:
            continue
        if i.opname.startswith("LOAD") and isinstance(i.argval, str):
            loaded.setdefault(start, []).append(i.argval)
        elif i.opname.startswith("CALL") and start != begin:
            called.add(start)
    return tuple(tuple(path) for start, path in loaded.items() if start not in called)


def _span(instruction: dis.Instruction) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """First and last position of the code of an instruction: line and column."""
    p: Any = instruction.positions
    return (p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)


_NUMPY = {name: function.__name__ for name, (_, function) in FUNCTIONS.items()} | {
    "acosh": "arccosh", "pow": "power", "fmod": "mod",
}  # fmt: skip
"""Functions of `math` that have another name in NumPy."""

_UFUNC_TEXT = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/", np.power: "**", np.float_power: "**",
    np.remainder: "%",
}  # fmt: skip
_UFUNC_NAME = {function: name for name, (_, function) in FUNCTIONS.items() if isinstance(function, np.ufunc)}
_UFUNC_FORMULA = {
    np.negative: "-{}", np.positive: "{}", np.square: "{} ** 2.0", np.reciprocal: "1.0 / {}", np.exp2: "2.0 ** {}",
    np.fabs: "abs({})", np.fmin: "min({}, {})", np.fmax: "max({}, {})", np.floor_divide: "floor({} / {})",
    np.deg2rad: "{} * (pi / 180.0)", np.radians: "{} * (pi / 180.0)", np.rad2deg: "{} * (180.0 / pi)",
    np.degrees: "{} * (180.0 / pi)", np.arccosh: "log({0} + sqrt({0} ** 2.0 - 1.0))",
}  # fmt: skip


# they would choose by the present value, for good
_DECIDING = {np.clip, np.where, np.interp, np.select, np.piecewise, np.sinc, np.round, np.polyval}


class ParameterLike(Operators, ABC):
    """What parameters and formulas of parameters share: arithmetic, comparison by value, conversion to float."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The formula as text."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, "Parameter"]:
        """The parameters it depends on, by name."""

    @abstractmethod
    def resolve(self) -> float:
        """The present value."""

    def __float__(self) -> float:
        by = frozen_by()
        if by:
            name = by.removeprefix("math.")
            instead = f"np.{_NUMPY.get(name, name)}" if name != by else "a formula of NumPy"
            raise ParameterError(
                f"{by} would take the present value of {self.text!r} for good; use {instead}, which follows later "
                "changes, or float(...) to take the present value on purpose"
            )
        return self.resolve()

    def __int__(self) -> int:
        raise ParameterError(
            f"a whole number made of {self.text!r} would keep its present value for good; use np.floor or np.ceil, "
            "which follow later changes, or int(float(...)) to take the present value on purpose"
        )

    __floor__ = __ceil__ = __trunc__ = __int__

    def __round__(self, digits: int | None = None) -> float:
        return float(self.__int__())

    def __format__(self, spec: str) -> str:
        """Of the present value where a format is asked for, which shows it; else the text."""
        return format(self.resolve(), spec) if spec else str(self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        found = self._apply(ufunc, *inputs)
        return np.bool_(found) if isinstance(found, bool) else found

    def __getattr__(self, name: str) -> Any:
        """A function of NumPy as a method: arrays of objects ask for ``x.exp()`` where numbers would do."""
        ufunc = vars(np).get(name)
        if not isinstance(ufunc, np.ufunc):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda *others: self._apply(ufunc, self, *others)

    def _apply(self, function: Any, *operands: Any) -> Any:
        if not all(map(is_number, operands)):
            if any(isinstance(x, np.ndarray) and x.ndim > 0 for x in operands):
                return np.frompyfunc(lambda *x: function(*x), len(operands), 1)(*(boxed(x) for x in operands))
            return NotImplemented
        if function in ORDER:
            return ORDER[function](*map(resolve, operands))
        if function in _UFUNC_TEXT and len(operands) == 2:
            return _combine(f"{_text(operands[0])} {_UFUNC_TEXT[function]} {_text(operands[1])}", *operands)
        if function in _UFUNC_FORMULA:
            return _combine(_UFUNC_FORMULA[function].format(*map(_text, operands)), *operands)
        if function in _UFUNC_NAME:
            return _combine(f"{_UFUNC_NAME[function]}({', '.join(_text(x, False) for x in operands)})", *operands)
        if function in JUDGING:
            return function(*map(resolve, operands))
        raise self._refused(function.__name__)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.clip and len(args) == 3 and not kwargs:
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        if function in _DECIDING:
            raise self._refused(function.__name__)
        return function._implementation(*args, **kwargs)

    def _refused(self, name: str) -> ParameterError:
        return ParameterError(
            f"np.{name} cannot be part of a formula of parameters ({self.text!r}); use other functions "
            f"({', '.join(FUNCTIONS)}), or float(...) for the present value, which later changes do not reach"
        )


class Parameter(ParameterLike):
    """A named number, usable wherever a component takes a number.

    Parameters
    ----------
    name : str
        A Python identifier, because `Model.set` takes it as a keyword; not ``t``, ``pi``, ``e`` or a function name.
    value : float
        Finite. `Model.set` changes it.

    Examples
    --------
    >>> P = Parameter("P", 3.0)
    >>> float(2 * P + 1)
    7.0
    """

    changes: ClassVar[int] = 0  # how often any parameter was set

    @answered("Parameter")
    def __init__(self, name: str, value: float) -> None:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ParameterError(
                f"parameter {shown(name)}: the name must be an identifier such as 'P' or 'tip_mass', because "
                "model.set(name=value) uses it"
            )
        if name == "t" or name in CONSTANTS or name in FUNCTIONS:
            raise ParameterError(f"parameter {name!r}: this name has a meaning in formulas; choose another")
        self.name = name
        self._value = 0.0
        self.value = value

    @property
    def value(self) -> float:
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        if isinstance(value, (bool, str)) or not isinstance(value, numbers.Real) or not math.isfinite(resolve(value)):
            raise ParameterError(f"parameter {self.name!r}: value {shown(value)} is not a finite number")
        self._value = float(value)
        Parameter.changes += 1

    @property
    def text(self) -> str:
        return self.name

    @property
    def parameters(self) -> dict[str, "Parameter"]:
        return {self.name: self}

    def resolve(self) -> float:
        return self._value

    def __eq__(self, other: object) -> bool:
        """Whether it has the value of a number; or is a parameter of the same name and value."""
        if isinstance(other, ParameterLike):
            return isinstance(other, Parameter) and (self.name, self._value) == (other.name, other._value)
        return is_number(other) and self._value == resolve(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, {self._value!r})"


class ParameterExpression(ParameterLike):
    """A formula of parameters, made by arithmetic on them or from text; evaluated when a number is needed."""

    def __init__(self, text: str, parameters: dict[str, Parameter], where: str = "parameter expression") -> None:
        self._expression = Expression(text, parameters, where)
        self._parameters = {name: parameters[name] for name in sorted(self._expression.used)}

    @property
    def text(self) -> str:
        return self._expression.text

    @property
    def parameters(self) -> dict[str, Parameter]:
        return self._parameters

    def resolve(self) -> float:
        value = float(self._expression.evaluate({n: np.float64(p.value) for n, p in self._parameters.items()}))
        if not math.isfinite(value):
            values = ", ".join(f"{n} = {p.value:g}" for n, p in self._parameters.items())
            raise ParameterError(f"expression {self.text!r} has the value {value} for {values}")
        return value

    def __eq__(self, other: object) -> bool:
        """Whether it has the value of a number; or is the same formula of the same parameters."""
        if isinstance(other, ParameterLike):
            same = isinstance(other, ParameterExpression) and self.text == other.text
            return same and self._parameters == other.parameters
        return is_number(other) and self.resolve() == resolve(other)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"ParameterExpression({self.text!r})"


Number: TypeAlias = float | Parameter | ParameterExpression


def is_number(value: Any) -> bool:
    """True for real numbers (not bool), 0-d arrays of them, parameters and formulas of parameters."""
    if type(value) in (float, int) or isinstance(value, ParameterLike):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def resolve(value: Any) -> float:
    """The float that a number, parameter or formula of parameters stands for now."""
    if type(value) is float:
        return value
    if isinstance(value, ParameterLike):
        return value.resolve()
    try:
        return float(value)
    except OverflowError:  # an integer beyond the range of floats
        return math.inf if value > 0 else -math.inf


def number_from_text(text: str, parameters: dict[str, Parameter], where: str) -> Number:
    """Read ``"3e8"``, ``"P"`` or ``"2*P/L"``: a float, the parameter itself, or a formula."""
    expression = Expression(text, parameters, where)
    if not expression.used:
        return float(expression.evaluate({}))
    if expression.text in parameters:
        return parameters[expression.text]
    return ParameterExpression(text, parameters, where)


def _text(value: Any, bracket: bool = True) -> str:
    if isinstance(value, Parameter):
        return value.name
    if isinstance(value, ParameterExpression):
        return f"({value.text})" if bracket else value.text
    number = float(value)
    if not math.isfinite(number):
        raise ParameterError(f"cannot combine a parameter with {number}")
    return repr(number) if number >= 0 or not bracket else f"({number!r})"


def _combine(text: str, *operands: Any) -> ParameterExpression:
    merged: dict[str, Parameter] = {}
    for operand in operands:
        if isinstance(operand, ParameterLike):
            for name, parameter in operand.parameters.items():
                if name in merged and merged[name].value != parameter.value:
                    raise ParameterError(
                        f"parameter {name!r} has two values, {merged[name].value:g} and {parameter.value:g}; "
                        "use one Parameter object"
                    )
                merged.setdefault(name, parameter)
    return ParameterExpression(text, merged)
