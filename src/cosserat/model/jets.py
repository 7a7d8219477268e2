"""Second-order jets: a function of one variable with its first and second derivative, carried through arithmetic.

A `Jet` passed to an ordinary function of time comes back with the exact rate and acceleration. It works with operators,
comparisons, indexing, and the NumPy functions a time function may call. Where values are equal, comparisons, `abs`,
`max` and `sign` decide as just after: at a kink, rate and acceleration are those after it. It has no `__float__`, so
that ``math.sin(jet)`` raises TypeError and the caller can fall back to differences.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, cast

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.expressions import JUDGING, LOGICAL, ORDER, Operators, boxed, is_truth
from cosserat.model.parameters import ParameterLike, resolve

_ufuncs: Any = np  # NumPy's annotations do not know classes with __array_ufunc__


class Note(NamedTuple):
    """What a switch sees: on which side of it values are, and whether they are coming nearer to it."""

    side: Array
    nearing: Array  # bool


_notes: ContextVar[list[Note] | None] = ContextVar("notes of switches", default=None)


@contextmanager
def watched() -> Iterator[list[Note]]:
    """Within it, every comparison, table or other switch notes what it sees."""
    notes: list[Note] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


class Jet(Operators):
    """Value, rate and acceleration (arrays of one shape) of a quantity that depends on one variable.

    Examples
    --------
    >>> t = Jet.variable(np.array([0.0, 1.0]))
    >>> (t * t).rate.tolist(), (t * t).acceleration.tolist()
    ([0.0, 2.0], [2.0, 2.0])
    """

    __slots__ = ("acceleration", "rate", "value")

    def __init__(self, value: Any, rate: Any = 0.0, acceleration: Any = 0.0) -> None:
        v, r, a = np.array(value, float), np.array(rate, float), np.array(acceleration, float)
        if not v.shape == r.shape == a.shape:
            v, r, a = (np.array(x) for x in np.broadcast_arrays(v, r, a))
        self.value: Array = v
        self.rate: Array = r
        self.acceleration: Array = a

    @classmethod
    def variable(cls, t: Any) -> "Jet":
        """The independent variable itself: rate 1, acceleration 0."""
        return cls(t, np.ones(np.shape(t)), np.zeros(np.shape(t)))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def ndim(self) -> int:
        return self.value.ndim

    def __getitem__(self, key: Any) -> "Jet":
        return Jet(self.value[key], self.rate[key], self.acceleration[key])

    def __setitem__(self, key: Any, other: Any) -> None:
        other = _lift(other)
        self.value[key], self.rate[key], self.acceleration[key] = other.value, other.rate, other.acceleration

    def copy(self) -> "Jet":
        return Jet(self.value, self.rate, self.acceleration)

    def __repr__(self) -> str:
        return f"Jet({self.value!r}, {self.rate!r}, {self.acceleration!r})"

    def _apply(self, function: Any, *operands: Any) -> Any:
        return function(*operands)  # operators go through the ufuncs, so that each rule is written once

    def __floordiv__(self, other: Any) -> Any:
        return _ufuncs.floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _ufuncs.floor_divide(other, self)

    def __eq__(self, other: object) -> Any:
        return _ufuncs.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return _ufuncs.not_equal(self, other)

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        if any(isinstance(x, np.ndarray) and x.dtype == object for x in inputs):
            return ufunc(*(boxed(x) for x in inputs))
        notes = _notes.get()
        if notes is not None:
            _note(notes, ufunc, [_lift(x) for x in inputs])
        if ufunc in JUDGING:
            return np.asarray(ufunc(*(_lift(x).value for x in inputs))).view(Truth)
        if ufunc in ORDER:
            return np.asarray(ufunc(*_just_after(*(_lift(x) for x in inputs)))).view(Truth)
        with np.errstate(all="ignore"):
            if ufunc in _UNARY:
                return _chain(_lift(inputs[0]), *_UNARY[ufunc])
            if ufunc in _SIGNS:
                return _SIGNS[ufunc](*(_lift(x) for x in inputs))
            if ufunc in _STEPS:
                return Jet(ufunc(*(_lift(x).value for x in inputs)))
            if ufunc in _BINARY:
                return _BINARY[ufunc](_lift(inputs[0]), _lift(inputs[1]))
        return NotImplemented

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _FUNCTIONS:
            with np.errstate(all="ignore"):
                return _FUNCTIONS[function](*args, **kwargs)
        return NotImplemented


class Truth(np.ndarray[Any, np.dtype[np.bool_]]):
    """What a comparison of jets gives: counts 1 or 0 in arithmetic, as a comparison of floats does.

    An array of booleans would not: there True + True is True, and True - True an error.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Jet) for x in inputs):
            return NotImplemented  # Jet knows what to do
        plain = [np.asarray(x) if isinstance(x, Truth) else x for x in inputs]
        if ufunc not in _LOGICAL:
            plain = [x.astype(float) if isinstance(given, Truth) else x for x, given in zip(plain, inputs, strict=True)]
        result = getattr(ufunc, method)(*plain, **kwargs)
        return np.asarray(result).view(Truth) if is_truth(result) else result


def _lift(x: Any) -> Jet:
    if isinstance(x, Jet):
        return x
    return Jet(resolve(x) if isinstance(x, ParameterLike) else x)


def _note(notes: list[Note], ufunc: np.ufunc, inputs: list[Jet]) -> None:
    """What a switch sees, if the function is one."""
    values = [x.value for x in inputs]
    if ufunc in _SWITCHES:
        above, rate = values[0] >= values[1], inputs[0].rate - inputs[1].rate
    elif ufunc in (np.absolute, np.fabs, np.sign, np.heaviside):
        above, rate = values[0] >= 0.0, inputs[0].rate
    elif ufunc in _STEPS or ufunc is np.remainder:
        whole = np.floor_divide(values[0], values[1]) if len(values) == 2 else values[0]
        side = np.rint(whole) if ufunc is np.rint else np.floor(whole)
        notes.append(Note(side, np.zeros(side.shape, dtype=bool)))
        return
    else:
        return
    notes.append(Note(np.where(above, 1.0, 0.0), np.where(above, rate < 0.0, rate > 0.0)))


def _times(slope: Any, rate: Array) -> Array:
    """slope * rate, zero where the rate is zero even if the slope is infinite (a constant inside sqrt, log, ...)."""
    return np.where(rate == 0.0, 0.0, slope * rate)


def _chain(u: Jet, f: Callable[..., Any], f1: Callable[..., Any], f2: Callable[..., Any]) -> Jet:
    """f(u): rate f' u', acceleration f'' u'^2 + f' u''."""
    slope = f1(u.value)
    return Jet(f(u.value), _times(slope, u.rate), _times(f2(u.value), u.rate**2) + _times(slope, u.acceleration))


def _multiply(a: Jet, b: Jet) -> Jet:
    return Jet(
        a.value * b.value,
        _times(b.value, a.rate) + _times(a.value, b.rate),
        _times(b.value, a.acceleration) + 2.0 * a.rate * b.rate + _times(a.value, b.acceleration),
    )


def _reciprocal(u: Jet) -> Jet:
    return _chain(u, lambda x: 1.0 / x, lambda x: -1.0 / x**2, lambda x: 2.0 / x**3)


def _power(a: Jet, b: Jet) -> Jet:
    if not (np.any(b.rate) or np.any(b.acceleration)):
        n = b.value

        def falling(coefficient: Array, exponent: Array) -> Callable[[Array], Array]:
            return lambda x: np.where(coefficient == 0.0, 0.0, coefficient * np.power(x, exponent))

        return _chain(a, lambda x: np.power(x, n), falling(n, n - 1.0), falling(n * (n - 1.0), n - 2.0))
    return cast(Jet, _ufuncs.exp(b * _ufuncs.log(a)))


def _just_after(a: Jet, b: Jet) -> tuple[Array, Array]:
    """Numbers in the order of two jets just after the present: the values, where they differ."""
    same = a.value == b.value
    steady = same & (a.rate == b.rate)

    def pick(x: Jet) -> Array:
        return np.where(steady, x.acceleration, np.where(same, x.rate, x.value))

    return pick(a), pick(b)


def _after(u: Jet) -> Jet:
    """A jet with the sign it has just after the present, in place of its value."""
    return Jet(np.sign(_just_after(u, Jet(0.0))[0]))


def _choose(test: Any, a: Jet, b: Jet) -> Jet:
    return Jet(*(np.where(test, getattr(a, n), getattr(b, n)) for n in ("value", "rate", "acceleration")))


def _arctan2(y: Jet, x: Jet) -> Jet:
    r2 = x * x + y * y
    rate = (x * Jet(y.rate, y.acceleration) - y * Jet(x.rate, x.acceleration)) / r2
    return Jet(np.arctan2(y.value, x.value), rate.value, rate.rate)


def _remainder(a: Jet, b: Jet) -> Jet:
    return cast(Jet, a - Jet(np.floor_divide(a.value, b.value)) * b)


_LOGICAL = LOGICAL | {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert}
_STEPS = {np.floor, np.ceil, np.rint, np.trunc, np.floor_divide}
_SWITCHES = ORDER.keys() | {np.minimum, np.maximum, np.fmin, np.fmax}
_UNARY: dict[Any, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    np.negative: (np.negative, lambda x: -1.0, lambda x: 0.0),
    np.positive: (np.positive, lambda x: 1.0, lambda x: 0.0),
    np.square: (np.square, lambda x: 2.0 * x, lambda x: 2.0),
    np.reciprocal: (np.reciprocal, lambda x: -1.0 / x**2, lambda x: 2.0 / x**3),
    np.sqrt: (np.sqrt, lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 * x**-1.5),
    np.cbrt: (np.cbrt, lambda x: np.cbrt(x) / (3.0 * x), lambda x: -2.0 * np.cbrt(x) / (9.0 * x**2)),
    np.exp: (np.exp, np.exp, np.exp),
    np.exp2: (np.exp2, lambda x: np.log(2) * np.exp2(x), lambda x: np.log(2) ** 2 * np.exp2(x)),
    np.expm1: (np.expm1, np.exp, np.exp),
    np.log: (np.log, lambda x: 1.0 / x, lambda x: -1.0 / x**2),
    np.log2: (np.log2, lambda x: 1.0 / (np.log(2) * x), lambda x: -1.0 / (np.log(2) * x**2)),
    np.log10: (np.log10, lambda x: 1.0 / (np.log(10) * x), lambda x: -1.0 / (np.log(10) * x**2)),
    np.log1p: (np.log1p, lambda x: 1.0 / (1.0 + x), lambda x: -1.0 / (1.0 + x) ** 2),
    np.sin: (np.sin, np.cos, lambda x: -np.sin(x)),
    np.cos: (np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)),
    np.tan: (np.tan, lambda x: 1.0 / np.cos(x) ** 2, lambda x: 2.0 * np.tan(x) / np.cos(x) ** 2),
    np.arcsin: (np.arcsin, lambda x: (1.0 - x**2) ** -0.5, lambda x: x * (1.0 - x**2) ** -1.5),
    np.arccos: (np.arccos, lambda x: -((1.0 - x**2) ** -0.5), lambda x: -x * (1.0 - x**2) ** -1.5),
    np.arctan: (np.arctan, lambda x: 1.0 / (1.0 + x**2), lambda x: -2.0 * x / (1.0 + x**2) ** 2),
    np.sinh: (np.sinh, np.cosh, np.sinh),
    np.cosh: (np.cosh, np.sinh, np.cosh),
    np.tanh: (np.tanh, lambda x: 1.0 / np.cosh(x) ** 2, lambda x: -2.0 * np.tanh(x) / np.cosh(x) ** 2),
    np.arcsinh: (np.arcsinh, lambda x: (1.0 + x**2) ** -0.5, lambda x: -x * (1.0 + x**2) ** -1.5),
    np.arccosh: (np.arccosh, lambda x: (x**2 - 1.0) ** -0.5, lambda x: -x * (x**2 - 1.0) ** -1.5),
    np.arctanh: (np.arctanh, lambda x: 1.0 / (1.0 - x**2), lambda x: 2.0 * x / (1.0 - x**2) ** 2),
    np.deg2rad: (np.deg2rad, lambda x: np.pi / 180, lambda x: 0.0),
    np.rad2deg: (np.rad2deg, lambda x: 180 / np.pi, lambda x: 0.0),
    np.radians: (np.radians, lambda x: np.pi / 180, lambda x: 0.0),
    np.degrees: (np.degrees, lambda x: 180 / np.pi, lambda x: 0.0),
}  # fmt: skip
_SIGNS: dict[Any, Callable[..., Any]] = {
    np.absolute: lambda u: _multiply(_after(u), u), np.fabs: lambda u: _multiply(_after(u), u),
    np.sign: _after, np.heaviside: lambda u, at: Jet(np.heaviside(_after(u).value, at.value)),
}  # fmt: skip
_BINARY: dict[Any, Callable[[Jet, Jet], Any]] = {
    np.add: lambda a, b: Jet(a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration),
    np.subtract: lambda a, b: Jet(a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration),
    np.multiply: _multiply,
    np.true_divide: lambda a, b: _multiply(a, _reciprocal(b)),
    np.power: _power, np.float_power: _power,
    np.minimum: lambda a, b: _choose(_ufuncs.less_equal(a, b), a, b),
    np.maximum: lambda a, b: _choose(_ufuncs.greater_equal(a, b), a, b),
    np.fmin: lambda a, b: _choose(_ufuncs.less_equal(a, b), a, b),
    np.fmax: lambda a, b: _choose(_ufuncs.greater_equal(a, b), a, b),
    np.arctan2: _arctan2,
    np.hypot: lambda a, b: np.sqrt(a * a + b * b),
    np.remainder: _remainder,
}  # fmt: skip


def _by_value(x: Any) -> Any:
    return x.value if isinstance(x, Jet) else x


def _where(test: Any, yes: Any, no: Any) -> Jet:
    return _choose(_by_value(test), _lift(yes), _lift(no))


def _clip(x: Any, low: Any = None, high: Any = None, **kwargs: Any) -> Any:
    low, high = kwargs.get("min", low), kwargs.get("max", high)
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _piecewise(x: Jet, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Jet:
    tests = [np.broadcast_to(np.asarray(_by_value(c), bool), x.shape) for c in conditions]
    if len(functions) == len(tests) + 1:
        tests.append(~np.any(tests, axis=0))
    result = Jet(np.zeros(x.shape))
    for test, function in zip(tests, functions, strict=True):
        piece = function(x[test], *args, **kwargs) if callable(function) else function
        result[test] = piece
    return result


def _select(conditions: Any, choices: Any, default: Any = 0.0) -> Jet:
    result = _lift(default)
    for test, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = _where(test, choice, result)
    return result


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Jet:
    """Linear interpolation: the slope of the interval to the right of x; at rest outside the table."""
    xp, fp = np.asarray(xp, float), np.asarray(fp, float)
    if period is not None or xp.ndim != 1 or xp.size < 2:
        raise TypeError("periodic tables are differentiated numerically")
    i = np.clip(np.searchsorted(xp, x.value, side="right") - 1, 0, xp.size - 2)
    inside = (x.value >= xp[0]) & (x.value < xp[-1])
    notes = _notes.get()
    if notes is not None:
        side = i + 1.0 * (x.value >= xp[-1]) - 1.0 * (x.value < xp[0])
        notes.append(Note(side, np.zeros(side.shape, dtype=bool)))
    slope = np.where(inside, (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]), 0.0)
    return Jet(np.interp(x.value, xp, fp, left, right), slope * x.rate, slope * x.acceleration)


def _polyval(p: Any, x: Any) -> Any:
    result: Any = 0.0
    for coefficient in p:
        result = result * x + coefficient
    return result


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.clip: _clip,
    np.piecewise: _piecewise,
    np.select: _select,
    np.interp: _interp,
    np.polyval: _polyval,
    np.sinc: lambda x: _where(x.value == 0.0, 1.0 - (np.pi * x) ** 2 / 6.0, np.sin(np.pi * x) / (np.pi * x)),
    np.zeros_like: lambda x, *a, **k: Jet(np.zeros(x.shape)),
    np.ones_like: lambda x, *a, **k: Jet(np.ones(x.shape)),
    np.full_like: lambda x, fill, *a, **k: Jet(np.full(x.shape, fill)),
    np.copy: lambda x, *a, **k: x.copy(),
    np.any: lambda x, *a, **k: np.any(x.value),
    np.all: lambda x, *a, **k: np.all(x.value),
    np.shape: lambda x: x.shape,
    np.size: lambda x, axis=None: x.size,
    np.ndim: lambda x: x.ndim,
    np.isscalar: lambda x: x.ndim == 0,
}
