"""Vectors that vary along a beam: functions of s in [0, 1] and of time."""

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.expressions import Expression
from cosserat.model.functions import VectorFunction
from cosserat.model.parameters import Parameter, is_number, number_from_text, resolve

_NAMES = ("s", "t")
_PLACES = ("s", "x", "y", "z", "xi", "sigma")  # what a position along a beam is called
_TIMES = ("t", "time")


def line_vector(source: Any, where: str, parameters: Iterable[Parameter] = ()) -> VectorFunction:
    """A vector along a beam: the same everywhere, a function of time or constant, or one that varies with s.

    Raises
    ------
    ModelError
        For a function of one argument that is called like a position, or that has a default for ``s``: functions of one
        argument are functions of time. For a component that is a function of ``(s, t)``.
    """
    if isinstance(source, VectorFunction):
        return source
    if callable(source):
        return LineFunction(source, where) if _takes_two(source, where) else VectorFunction(source, where)
    known = tuple(parameters)
    if not _listed(source):
        return VectorFunction(source, where, known)
    for entry in source:
        if callable(entry) and _takes_two(entry, where):
            raise ModelError(
                f"{where}: a component is a function of two arguments; write one function of (s, t) that gives all "
                "three, or formulas in s and t"
            )
    return (LineFunction if varies_with_s(source) else VectorFunction)(source, where, known)


def _takes_two(function: Callable[..., Any], where: str) -> bool:
    """Whether a function is one of (s, t); otherwise it is one of time, and an error if it does not look so."""
    names, defaults = _argument_names(function)
    if len(names) == 1 and (names[0] in _PLACES or "s" in defaults):
        what = f"called {names[0]!r}" if names[0] in _PLACES else "and a default for 's'"
        raise ModelError(
            f"{where} is a function of one argument {what}, but functions of one argument are functions of "
            "time; write a function of (s, t) for a load that varies along the beam"
        )
    return len(names) == 2


def varies_with_s(entries: Iterable[Any]) -> bool:
    """Whether one of these is a formula with ``s`` in it."""
    return any(isinstance(e, str) and re.search(r"\bs\b", e) is not None for e in entries)


def _listed(source: Any) -> bool:
    if isinstance(source, np.ndarray):
        return source.ndim > 0
    return isinstance(source, Sequence) and not isinstance(source, (str, bytes))


def _argument_names(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """Names of the arguments that must be given by position, and of those that may be; none if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in parameters if p.kind in kinds]
    free = inspect.Parameter.empty
    return [p.name for p in found if p.default is free], [p.name for p in found if p.default is not free]


def _time_first(names: Sequence[str]) -> bool:
    """Whether the first of two arguments is the time: by the names, and not where these say nothing."""
    first, second = names
    return first not in _PLACES and second not in _TIMES and (first in _TIMES or second in _PLACES)


class LineFunction(VectorFunction):
    """Three numbers as functions of s in [0, 1] along a beam and of time.

    Parameters
    ----------
    source : callable or three entries
        ``f(s, t)``, in this order unless their names say otherwise; or numbers and formulas in ``s`` and ``t``.

    Examples
    --------
    >>> LineFunction(("1 - s", 0, "2*t"), "force").sample_at(np.array([0.25]), np.array([3.0])).tolist()
    [[[0.75, 0.0, 6.0]]]
    """

    def __init__(self, source: Any, where: str = "vector", parameters: Iterable[Parameter] = ()) -> None:
        self.where, self.size, self.variable = where, 3, "s, t"
        self.first, self.total = 0, 3
        self.callable, self.components = None, ()
        self.entries: tuple[Any, ...] = ()
        self._known = {p.name: p for p in parameters}
        if callable(source):
            self.callable = source
            names = _argument_names(source)[0]
            self._swapped = len(names) == 2 and _time_first(names)
            return
        if not _listed(source) or len(source) != 3:
            raise ModelError(f"{where} must be 3 numbers or formulas, or a function of (s, t); got {source!r}")
        if "s" in self._known:
            raise ModelError(f"{where}: 's' is a parameter and the position along the beam; rename the parameter")
        self._formulas: list[Any] = []
        for entry, name in zip(source, "xyz", strict=True):
            inner = f"{where}, component {name}"
            if isinstance(entry, str):
                formula = Expression(entry, [*_NAMES, *self._known], inner)
                varies = not formula.used.isdisjoint(_NAMES)
                self._formulas.append(formula if varies else number_from_text(entry, self._known, inner))
            elif is_number(entry):
                self._formulas.append(entry)
            else:
                raise ModelError(f"{inner} must be a number or a formula in s and t; got {entry!r}")
        self.entries = tuple(f.text if isinstance(f, Expression) else f for f in self._formulas)
        used = {n for f in self._formulas if isinstance(f, Expression) for n in f.used}
        self._known = {n: p for n, p in self._known.items() if n in used}

    @property
    def is_constant(self) -> bool:
        """Never: it depends on s."""
        return False

    def referred(self) -> Iterable[Any]:
        return self.callable, *self._known.values(), *self.entries

    def sample_at(self, s: Array, t: Array) -> Array:
        """Values at stations s (ns,) and times t (nt,): (nt, ns, 3)."""
        s, t = np.atleast_1d(np.asarray(s, float)), np.atleast_1d(np.asarray(t, float))
        out = np.empty((len(t), len(s), 3))
        if self.callable is not None:
            for i, ti in enumerate(t):
                for k, sk in enumerate(s):
                    out[i, k] = self._value(sk, ti)
        else:
            names = {n: p.value for n, p in self._known.items()} | {"s": s[None, :], "t": t[:, None]}
            for k, formula in enumerate(self._formulas):
                out[..., k] = formula.evaluate(names) if isinstance(formula, Expression) else resolve(formula)
        if not np.all(np.isfinite(out)):
            i, k, _ = np.argwhere(~np.isfinite(out))[0]
            raise ModelError(f"{self.where} is not finite at s = {s[k]:g}, t = {t[i]:g}")
        return out

    def _value(self, s: float, t: float) -> Array:
        function: Any = self.callable
        try:
            value = np.array([float(resolve(x)) for x in (function(t, s) if self._swapped else function(s, t))])
        except Exception as error:
            raise ModelError(
                f"{self.where}: the function failed at s = {s:g}, t = {t:g} with {type(error).__name__}: {error}"
            ) from None
        if value.shape != (3,):
            raise ModelError(f"{self.where} must give 3 numbers, got {value.shape[0]} at s = {s:g}, t = {t:g}")
        return value

    def at(self, s: float) -> VectorFunction:
        """The function of time at a station."""
        return VectorFunction(lambda t: self._any(s, t), self.where)

    def along(self, t: float) -> VectorFunction:
        """The function of s at a time."""
        return VectorFunction(lambda s: self._any(s, t), self.where, variable="s")

    def _any(self, s: Any, t: Any) -> Any:
        """Three values where s or t may be a jet."""
        if self.callable is not None:
            function: Any = self.callable
            return function(t, s) if self._swapped else function(s, t)
        names = {n: p.value for n, p in self._known.items()} | {"s": s, "t": t}
        return [f.evaluate(names) if isinstance(f, Expression) else resolve(f) for f in self._formulas]

    def sample(self, t: Any) -> Array:
        """Means over s (nt, 3), of ten points."""
        x, weight = np.polynomial.legendre.leggauss(10)
        return np.asarray(np.einsum("g,tgk->tk", 0.5 * weight, self.sample_at(0.5 * (1.0 + x), t)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineFunction):
            return NotImplemented
        return self.entries == other.entries and VectorFunction.__eq__(self, other) is True

    def __repr__(self) -> str:
        return f"LineFunction({self.callable if self.callable is not None else list(self.entries)!r})"


class StationMean(VectorFunction):
    """A vector along a beam, averaged over stations with weights: what one end of an element gets of it."""

    def __init__(self, function: VectorFunction, s: Array, weight: Array) -> None:
        self.of, self._s, self._weight = function, s, weight

    @property
    def is_constant(self) -> bool:
        """Whether it never changes with time."""
        return self.of.is_constant

    def sample(self, t: Any) -> Array:
        """Values (nt, 3)."""
        if not isinstance(self.of, LineFunction):
            return self.of.sample(t)
        return np.asarray(np.einsum("g,tgk->tk", self._weight, self.of.sample_at(self._s, t)))
