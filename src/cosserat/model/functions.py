"""Functions of time: prescribed motions, efforts and loads, sampled with exact derivatives.

A function may be a number, a `Parameter`, a formula as text, a callable, or three callables (value, rate,
acceleration). Callables are differentiated with second-order jets (see `cosserat.model.derivatives`); a function that
takes only floats by finite differences, which lose about six digits and smear kinks over a few hundredths of a second.

`Sampled` is a number of a law that follows from something else as a function of time, such as a moving frame.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import ModelError, shown
from cosserat.lie.protocol import Array
from cosserat.model import derivatives
from cosserat.model.closures import Copied, parameters_in, same_function
from cosserat.model.expressions import Expression
from cosserat.model.jets import Jet
from cosserat.model.parameters import Parameter, is_number, number_from_text, resolve


class Function(Copied):
    """A function of one variable that may depend on parameters."""

    where: str
    variable: str

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters it depends on by name, those used inside a Python function included."""
        return {p.name: p for p in parameters_in(self)}

    @abstractmethod
    def sample(self, t: Any) -> Array:
        """Values at the times `t` (nt,), one number or several for each."""

    @abstractmethod
    def watch(self, t: Array) -> None:
        """Evaluate it once, for whoever watches the jets; raises if it takes only numbers."""

    def _demand_finite(self, jet: Jet, t: Array) -> tuple[Array, Array, Array]:
        for part in derivatives.PARTS:
            derivatives.demand_finite(part, getattr(jet, part), t, self.where, self.variable)
        return jet.value, jet.rate, jet.acceleration


class TimeFunction(Function):
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

    @answered("TimeFunction")
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
                    f"'2*sin({variable})', or three functions (value, rate, acceleration); got {shown(source)}"
                )
            if isinstance(source, (np.generic, np.ndarray)) and is_number(source):
                source = source.item()  # a Python number, which files can hold
            self.source = tuple(source) if triple else source
        if is_number(self.source) and not np.isfinite(resolve(self.source)):
            raise ModelError(f"{where} is {resolve(self.source)}; it must be finite")

    @property
    def is_constant(self) -> bool:
        """True for numbers and parameters."""
        return is_number(self.source)

    @property
    def is_smooth(self) -> bool:
        """True for formulas in which nothing switches."""
        return self._expression is not None and self._expression.smooth

    @property
    def text(self) -> str | None:
        """The formula, if it was given as one."""
        return self._expression.text if self._expression is not None else None

    def referred(self) -> Iterable[Any]:
        return self._known.values() if self._expression is not None else (self.source,)

    def sample(self, t: Any) -> Array:
        """Values at the times `t` (nt,)."""
        t = np.atleast_1d(np.asarray(t, float))
        if type(self.source) in (float, int):  # checked when it was given; steps ask for it again and again
            return np.full(t.shape, float(self.source))
        try:
            value = self._at(t) if self._expression is not None else self.exact(t).value
        except derivatives.NeedsFloats:
            value = self._numbers(self.source, t)
        derivatives.demand_finite("value", value, t, self.where, self.variable)
        return value

    def jet(self, t: Any) -> tuple[Array, Array, Array]:
        """Value, rate and acceleration at the times `t` (nt,), each (nt,)."""
        t = np.atleast_1d(np.asarray(t, float))
        return self._demand_finite(self.exact(t, by_differences=True), t)

    def watch(self, t: Array) -> None:
        if self.is_smooth:
            return
        if isinstance(self.source, tuple):
            raise TypeError("three functions are not watched")
        if self._expression is None and callable(self.source):
            self.source(Jet.variable(t))
        else:
            self.exact(t)

    def _numbers(self, function: Callable[[Any], Any], t: Array) -> Array:
        """Values (nt,) of a function that may take only floats."""
        return derivatives.values_of(function, t, self.where, None, self.variable)[:, 0]

    def _at(self, t: Any) -> Any:
        """Value of the formula at times, or at a jet of them."""
        assert self._expression is not None
        names = {n: np.float64(p.value) for n, p in self._known.items()}
        found = self._expression.evaluate({**names, self.variable: t})
        return (
            derivatives.as_jet(found, t.shape) if isinstance(t, Jet) else np.broadcast_to(found, t.shape).astype(float)
        )

    def exact(self, t: Array, by_differences: bool = False) -> Jet:
        """Value, rate and acceleration at times (nt,); raises `NeedsFloats` where only differences would tell them."""
        if is_number(self.source):
            return Jet(np.full(t.shape, resolve(self.source)))
        if self._expression is not None:
            jet: Jet = self._at(Jet.variable(t))
            return jet
        if isinstance(self.source, tuple):
            return Jet(*(self._numbers(f, t) for f in self.source))
        return derivatives.differentiate(self.source, t, self.where, None, self.variable, by_differences)[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimeFunction):
            return NotImplemented
        if self._expression is not None or other._expression is not None:
            return (self.text, self._known) == (other.text, other._known)
        return same_function(self.source, other.source)

    def __repr__(self) -> str:
        return f"TimeFunction({self.source!r})"


class VectorFunction(Function):
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

    @answered("VectorFunction")
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
        listed = isinstance(source, Sequence) and not isinstance(source, (str, bytes))
        if not listed and getattr(type(source), "__array__", None) is not None and not callable(source):
            source = np.asarray(source)  # also of packages such as xarray
        entries = list(source) if listed or (isinstance(source, np.ndarray) and source.ndim > 0) else None
        if entries is None or len(entries) != size:
            got = f"{len(entries)} entries" if entries is not None else shown(source)
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

    def referred(self) -> Iterable[Any]:
        return self.callable, *self.components

    def sample(self, t: Any) -> Array:
        """Values at the times `t` (nt,): (nt, size)."""
        t = np.atleast_1d(np.asarray(t, float))
        if self.callable is None:
            return np.stack([c.sample(t) for c in self.components], axis=1)
        values = derivatives.values_of(self.callable, t, self.where, self.total, self.variable)
        return values[:, self.first : self.first + self.size]

    def watch(self, t: Array) -> None:
        assert self.callable is not None
        self.callable(Jet.variable(t))

    def part(self, first: int, size: int) -> VectorFunction:
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
            jets = derivatives.differentiate(self.callable, t, self.where, self.total, self.variable)
            parts = [self._demand_finite(jet, t) for jet in jets[self.first : self.first + self.size]]
        value, rate, acceleration = (np.stack([p[k] for p in parts], axis=1) for k in range(3))
        return value, rate, acceleration

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VectorFunction):
            return NotImplemented
        if self.callable is not None or other.callable is not None:
            return self.first == other.first and same_function(self.callable, other.callable)
        return self.components == other.components

    def __repr__(self) -> str:
        return (
            f"VectorFunction({self.callable if self.callable is not None else [c.source for c in self.components]!r})"
        )


class Sampled(TimeFunction):
    """Values by a function of arrays of times.

    Parameters
    ----------
    values : callable
        values(t) (nt,) at times t (nt,).
    key : hashable
        Of two with the same key one is sampled.
    where : str
        For messages.
    breaks : callable
        breaks(start, end): times at which it jumps or has a kink.
    """

    def __init__(
        self,
        values: Callable[[Array], Array],
        key: Any,
        where: str,
        breaks: Callable[[float, float], Iterable[float]] = lambda start, end: (),
    ) -> None:
        super().__init__(0.0, where)
        self.source, self.key, self.breaks = values, key, breaks

    def sample(self, t: Any) -> Array:
        at = np.atleast_1d(np.asarray(t, float))
        return np.asarray(self.source(at), dtype=float) if at.size else np.zeros(0)

    def watch(self, t: Array) -> None:
        """Its breaks are known."""

    def referred(self) -> Iterable[Any]:
        return ()  # what it follows has parameters itself
