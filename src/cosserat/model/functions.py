"""Functions of time: prescribed motions, efforts and loads, sampled with exact derivatives.

A function may be a number, a `Parameter`, a formula as text, a callable, or three callables (value, rate,
acceleration). Callables are differentiated with second-order jets, tried on all times at once, then on one time at a
time (functions with ``if t < 2``); a function that takes only floats is differentiated by finite differences of sixth
order, which lose about five digits and smear kinks over a few hundredths of a second.
"""

import copy
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.model.expressions import Expression
from cosserat.model.jets import Array, Jet
from cosserat.model.parameters import Parameter, ParameterLike, is_number, number_from_text, parameters_in, resolve

_PARTS = ("value", "rate", "acceleration")


class TimeFunction:
    """One number as a function of one variable, usually time.

    Parameters
    ----------
    source : number, Parameter, str, callable, or tuple of three callables
        Text is a formula in `variable` (see `cosserat.model.expressions`).
    where : str
        What it belongs to, for error messages.
    parameters : iterable of Parameter
        Parameters that a formula given as text may use.
    variable : str
        Name of the variable in text.

    Examples
    --------
    >>> value, rate, acceleration = TimeFunction("t**2").jet(np.array([3.0]))
    >>> float(value[0]), float(rate[0]), float(acceleration[0])
    (9.0, 6.0, 2.0)
    """

    def __init__(
        self,
        source: Any,
        where: str = "function of time",
        parameters: Iterable[Parameter] = (),
        variable: str = "t",
    ) -> None:
        self.where = where
        self.variable = variable
        self._known = {p.name: p for p in parameters}
        self._expression: Expression | None = None
        if isinstance(source, TimeFunction):
            self._known = source._known | self._known
            self.source: Any = source.source
            self._expression = source._expression
            return
        if isinstance(source, str):
            self._expression = Expression(source, [variable, *self._known], where)
            if variable in self._expression.used:
                self._known = {n: self._known[n] for n in sorted(self._expression.used) if n != variable}
                self.source = self._expression.text
            else:
                self.source, self._expression = number_from_text(source, self._known, where), None
        else:
            triple = isinstance(source, (tuple, list)) and len(source) == 3 and all(callable(f) for f in source)
            if not (is_number(source) or callable(source) or triple):
                raise ModelError(
                    f"{where} must be a number, a Parameter, a function of {variable}, a formula such as "
                    f"'2*sin({variable})', or three functions (value, rate, acceleration); got {source!r}"
                )
            self.source = tuple(source) if triple else source
        if is_number(self.source) and not np.isfinite(resolve(self.source)):
            raise ModelError(f"{where} is {resolve(self.source)}; it must be finite")

    @property
    def is_constant(self) -> bool:
        """True for numbers and parameters."""
        return is_number(self.source)

    @property
    def text(self) -> str | None:
        """The formula, if it was given as one."""
        return self._expression.text if self._expression is not None else None

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters it depends on by name, those used inside a Python function included."""
        return {p.name: p for p in self.parameter_objects()}

    def parameter_objects(self) -> Iterator[Parameter]:
        """Every parameter object it depends on, several of one name included."""
        if self._expression is not None:
            yield from self._known.values()
        elif is_number(self.source):
            yield from parameters_in(self.source)
        else:
            for function in self.source if isinstance(self.source, tuple) else (self.source,):
                yield from parameters_of_function(function)

    def sample(self, t: Any) -> Array:
        """Values at the times `t` (nt,)."""
        t = np.atleast_1d(np.asarray(t, float))
        try:
            value = self._jet(t, by_differences=False).value
        except _NeedsFloats:
            value = _floats(self.source, t, self.where)
        _demand_finite("value", value, t, self.where, self.variable)
        return value

    def jet(self, t: Any) -> tuple[Array, Array, Array]:
        """Value, rate and acceleration at the times `t` (nt,), each (nt,)."""
        t = np.atleast_1d(np.asarray(t, float))
        result = self._jet(t, by_differences=True)
        for part in _PARTS:
            _demand_finite(part, getattr(result, part), t, self.where, self.variable)
        return result.value, result.rate, result.acceleration

    def _jet(self, t: Array, by_differences: bool) -> Jet:
        if is_number(self.source):
            return Jet(np.full(t.shape, resolve(self.source)))
        if self._expression is not None:
            names = {n: np.float64(p.value) for n, p in self._known.items()}
            return _as_jet(self._expression.evaluate({**names, self.variable: Jet.variable(t)}), t.shape)
        if isinstance(self.source, tuple):
            return Jet(*(_floats(f, t, self.where) for f in self.source))
        return _differentiate(self.source, t, self.where, None, self.variable, by_differences)[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimeFunction):
            return NotImplemented
        if self._expression is not None or other._expression is not None:
            return (self.text, self._known) == (other.text, other._known)
        return same_function(self.source, other.source)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> "TimeFunction":
        new = object.__new__(TimeFunction)
        memo[id(self)] = new
        new.where, new.variable, new._expression = self.where, self.variable, self._expression
        new._known = copy.deepcopy(self._known, memo)
        new.source = copy_function(self.source, memo)
        return new

    def __repr__(self) -> str:
        return f"TimeFunction({self.source!r})"


class VectorFunction:
    """Several numbers (three by default) as functions of one variable.

    Parameters
    ----------
    source : sequence of `size` entries, or callable
        Entries are what `TimeFunction` takes; a callable of the variable gives `size` numbers.

    Examples
    --------
    >>> VectorFunction((0, "sin(t)", 2)).sample(np.array([0.0])).tolist()
    [[0.0, 0.0, 2.0]]
    """

    def __init__(
        self,
        source: Any,
        where: str = "vector",
        parameters: Iterable[Parameter] = (),
        size: int = 3,
        variable: str = "t",
    ) -> None:
        self.where, self.size, self.variable = where, size, variable
        self.first, self.total = 0, size  # of the `total` numbers that a callable gives, take `size` from `first` on
        self.callable: Callable[[Any], Any] | None = None
        self.components: tuple[TimeFunction, ...] = ()
        if isinstance(source, VectorFunction):
            self.callable, self.components = source.callable, source.components
            self.first, self.total = source.first, source.total
            if source.size != size:
                raise ModelError(f"{where} must have {size} components, got {source.size}")
            return
        if callable(source):
            self.callable = source
            return
        entries = list(source) if isinstance(source, (Sequence, np.ndarray)) and not isinstance(source, str) else None
        if entries is None or len(entries) != size or any(np.ndim(e) > 0 and not callable(e) for e in entries):
            got = f"{len(entries)} entries" if entries is not None else repr(source)
            raise ModelError(f"{where} must be {size} numbers or a function of {variable} giving them; got {got}")
        known = tuple(parameters)
        names = "xyz" if size == 3 else [str(i) for i in range(size)]
        self.components = tuple(
            TimeFunction(e, f"{where}, component {n}", known, variable) for e, n in zip(entries, names, strict=True)
        )

    @property
    def is_constant(self) -> bool:
        """True if every component is a number or parameter."""
        return self.callable is None and all(c.is_constant for c in self.components)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters it depends on by name."""
        return {p.name: p for p in self.parameter_objects()}

    def parameter_objects(self) -> Iterator[Parameter]:
        """Every parameter object it depends on, several of one name included."""
        if self.callable is not None:
            yield from parameters_of_function(self.callable)
        for component in self.components:
            yield from component.parameter_objects()

    def sample(self, t: Any) -> Array:
        """Values at the times `t` (nt,): (nt, size)."""
        t = np.atleast_1d(np.asarray(t, float))
        if self.callable is None:
            return np.stack([c.sample(t) for c in self.components], axis=1)
        function, size = self.callable, self.total
        values = np.empty((t.size, size))
        for i, ti in enumerate(t):
            values[i] = _floats_of_vector(function, ti, size, self.where, self.variable)
        return values[:, self.first : self.first + self.size]

    def part(self, first: int, size: int) -> "VectorFunction":
        """The function of `size` components from `first` on."""
        new = copy.copy(self)
        new.size, new.first = size, self.first + first
        new.components = self.components[first : first + size]
        return new

    def jet(self, t: Any) -> tuple[Array, Array, Array]:
        """Value, rate and acceleration at the times `t` (nt,), each (nt, size)."""
        t = np.atleast_1d(np.asarray(t, float))
        if self.callable is None:
            parts = [c.jet(t) for c in self.components]
        else:
            jets = _differentiate(self.callable, t, self.where, self.total, self.variable)[
                self.first : self.first + self.size
            ]
            for jet in jets:
                for part in _PARTS:
                    _demand_finite(part, getattr(jet, part), t, self.where, self.variable)
            parts = [(j.value, j.rate, j.acceleration) for j in jets]
        value, rate, acceleration = (np.stack([p[k] for p in parts], axis=1) for k in range(3))
        return value, rate, acceleration

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VectorFunction):
            return NotImplemented
        if self.callable is not None or other.callable is not None:
            return self.first == other.first and same_function(self.callable, other.callable)
        return self.components == other.components

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> "VectorFunction":
        new = object.__new__(VectorFunction)
        memo[id(self)] = new
        new.where, new.size, new.variable = self.where, self.size, self.variable
        new.first, new.total = self.first, self.total
        new.components = copy.deepcopy(self.components, memo)
        new.callable = copy_function(self.callable, memo)
        return new

    def __repr__(self) -> str:
        return (
            f"VectorFunction({self.callable if self.callable is not None else [c.source for c in self.components]!r})"
        )


def _as_jet(raw: Any, shape: tuple[int, ...]) -> Jet:
    jet = raw if isinstance(raw, Jet) else Jet(resolve(raw) if isinstance(raw, ParameterLike) else raw)
    if jet.shape == shape:
        return jet
    return Jet(*(np.broadcast_to(getattr(jet, part), shape) for part in _PARTS))


class _NeedsFloats(Exception):
    """The function takes floats only."""


def _differentiate(
    function: Callable[[Any], Any],
    t: Array,
    where: str,
    size: int | None,
    variable: str,
    by_differences: bool = True,
) -> list[Jet]:
    """Jets of the component(s) of `function` at times t: vectorised, then one at a time, then by differences."""

    def components(raw: Any, shape: tuple[int, ...]) -> list[Jet]:
        if size is None:
            return [_as_jet(raw, shape)]
        parts = list(raw)
        if len(parts) != size:
            raise ValueError("wrong number of components")
        return [_as_jet(p, shape) for p in parts]

    derivative = getattr(function, "derivative", None)  # splines of SciPy know theirs
    if callable(derivative) and size is None:
        return [Jet(function(t), derivative(1)(t), derivative(2)(t))]
    try:
        return components(function(Jet.variable(t)), t.shape)
    except Exception:
        pass
    try:
        rows = [components(function(Jet.variable(ti)), ()) for ti in t]
        return [Jet(*(np.array([getattr(row[k], part) for row in rows]) for part in _PARTS)) for k in range(size or 1)]
    except Exception:
        if not by_differences:
            raise _NeedsFloats from None
        return _differences(function, t, where, size, variable)


def _weights(nodes: Array) -> tuple[Array, Array]:
    """Weights of the first and second derivative at 0 from values at `nodes`."""
    powers = np.vander(nodes, increasing=True).T
    right = np.zeros((nodes.size, 2))
    right[1, 0], right[2, 1] = 1.0, 2.0
    first, second = np.linalg.solve(powers, right).T
    return first, second


_CENTRAL, _FORWARD = np.arange(-3.0, 4.0), np.arange(0.0, 8.0)


def _differences(function: Callable[[Any], Any], t: Array, where: str, size: int | None, variable: str) -> list[Jet]:
    """Sixth-order differences, one-sided near 0 (no negative times) and, along a curve, near s = 1."""
    last = 1.0 if variable == "s" else np.inf
    gaps = np.diff(np.unique(t))
    h = float(np.clip(gaps.min() if gaps.size else 1e-3, 1e-4, 1e-2))
    parts = np.empty((3, t.size, size or 1))
    for i, ti in enumerate(t):
        nodes = _FORWARD if 0.0 <= ti < 3.0 * h else -_FORWARD if last - 3.0 * h < ti <= last else _CENTRAL
        first, second = _weights(nodes)
        if size is None:
            values = _floats(function, ti + h * nodes, where)[:, None]
        else:
            values = np.array([_floats_of_vector(function, x, size, where, variable) for x in ti + h * nodes])
        parts[:, i] = values[nodes == 0.0][0], first @ values / h, second @ values / h**2
    return [Jet(*parts[:, :, k]) for k in range(size or 1)]


def _floats(function: Callable[[Any], Any], t: Array, where: str) -> Array:
    values = np.empty(t.size)
    for i, ti in enumerate(t):
        try:
            raw = function(float(ti))
            values[i] = raw.item() if isinstance(raw, np.ndarray) and raw.size == 1 else raw
        except Exception as error:
            raise ModelError(
                f"{where}: the function failed at {ti:g} with {type(error).__name__}: {error}; "
                "it must take a number and give a number"
            ) from error
    return values


def _floats_of_vector(function: Callable[[Any], Any], t: float, size: int, where: str, variable: str) -> Array:
    try:
        raw = function(float(t))
        value = np.asarray([resolve(x) for x in raw], float)
    except Exception as error:
        raise ModelError(
            f"{where}: the function failed at {variable} = {t:g} with {type(error).__name__}: {error}; "
            f"it must take a number and give {size} numbers"
        ) from error
    if value.shape != (size,):
        raise ModelError(f"{where}: the function gives {value.size} numbers at {variable} = {t:g}; {size} are needed")
    if not np.isfinite(value).all():
        raise ModelError(f"{where}: the function gives {value.tolist()} at {variable} = {t:g}; it must be finite")
    return value


def _demand_finite(part: str, numbers: Array, t: Array, where: str, variable: str) -> None:
    bad = ~np.isfinite(numbers)
    if bad.any():
        i = int(np.argmax(bad))
        hint = "" if part == "value" else "; give three functions (value, rate, acceleration) instead"
        raise ModelError(f"{where}: its {part} is {numbers[i]} at {variable} = {t[i]:g}; it must be finite{hint}")


def parameters_of_function(function: Any) -> Iterator[Parameter]:
    """Parameters that a Python function refers to: in its closure, its defaults and its module."""
    if not isinstance(function, types.FunctionType):
        return
    cells = [c.cell_contents for c in function.__closure__ or () if _filled(c)]
    names = [function.__globals__.get(n) for n in function.__code__.co_names]
    for value in [*cells, *(function.__defaults__ or ()), *names]:
        yield from parameters_in(value)


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def same_function(a: Any, b: Any) -> bool:
    """Whether two sources of functions are the same: equal numbers, or the same code over equal parameters."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_function(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, types.FunctionType) and isinstance(b, types.FunctionType):
        return a is b or (
            a.__code__ is b.__code__
            and list(parameters_of_function(a)) == list(parameters_of_function(b))
            and bool(list(parameters_of_function(a)))
        )
    return a is b or bool(a == b)


def copy_function(source: Any, memo: dict[int, Any]) -> Any:
    """A copy whose parameters are the copied ones; functions without parameters are shared."""
    if type(source) is tuple:
        return tuple(copy_function(f, memo) for f in source)
    if type(source) is dict:
        return {k: copy_function(f, memo) for k, f in source.items()}
    if not isinstance(source, types.FunctionType):
        return copy.deepcopy(source, memo)
    if not list(parameters_of_function(source)):
        return source

    def renewed(value: Any) -> Any:
        return copy.deepcopy(value, memo) if list(parameters_in(value)) else value

    used = {n: renewed(source.__globals__[n]) for n in source.__code__.co_names if n in source.__globals__}
    cells = tuple(types.CellType(renewed(c.cell_contents)) if _filled(c) else c for c in source.__closure__ or ())
    new = types.FunctionType(
        source.__code__,
        {**source.__globals__, **used},
        source.__name__,
        tuple(renewed(d) for d in source.__defaults__ or ()) or None,
        cells or None,
    )
    new.__kwdefaults__ = source.__kwdefaults__
    return new
