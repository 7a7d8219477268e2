"""Parameters that a solver turns, and puts back afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from cosserat.errors import CosseratError, ParameterError, SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model.closures import parameters_in
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.solve.arguments import check_number, check_state

_PARTS = (1.0, -0.5, 0.1, -0.1, 0.01, -0.01, 1e-3, -1e-3)  # of typical changes


class Knobs:
    """Parameters of a model, or of its steady rotation, that a solver turns; they are put back afterwards.

    Parameters
    ----------
    names : names of parameters, or Parameters themselves
    spin, center
        As for `equilibrium`: their numbers may be Parameters too.
    """

    def __init__(self, model: Model, names: Any, spin: Any, center: Any, caller: str) -> None:
        check_state(caller, model, 0.0, spin, center)
        self.model, self.spin, self.center, self.caller = model, spin, center, caller
        self.names: list[str] = []
        self._objects: dict[str, list[Parameter]] = {}
        known = model.parameter_objects()
        for parameter in parameters_in([list(v) for v in (spin, center) if v is not None and np.iterable(v)]):
            known.setdefault(parameter.name, []).append(parameter)
        for item in names:
            name = item.name if isinstance(item, Parameter) else item
            if not isinstance(name, str):
                raise ParameterError(f"{caller}: {shown(item)} is not a parameter; pass its name, such as 'P'")
            if name not in known:
                listed = ", ".join(repr(n) for n in known) or "none; make a number one with cs.Parameter('P', 1.0)"
                raise ParameterError(f"{caller}: nothing depends on a parameter {name!r}; parameters: {listed}")
            if name in self.names:
                raise ParameterError(f"{caller}: parameter {name!r} is named twice")
            self.names.append(name)
            self._objects[name] = known[name]

    @property
    def values(self) -> dict[str, float]:
        """The present values."""
        return {name: self._objects[name][0].value for name in self.names}

    @property
    def vector(self) -> Array:
        """The present values (k,)."""
        return np.array(list(self.values.values()), dtype=float)

    @property
    def told(self) -> str:
        """The present values in words."""
        return told(self.values)

    def spans(self, least: float) -> dict[str, float]:
        """Typical changes: present values, or the least ones; smaller or negative where the model takes no others."""
        return {name: self._taken(name, value, max(least, abs(value))) for name, value in self.values.items()}

    def _taken(self, name: str, value: float, span: float) -> float:
        with self.kept():
            for part in _PARTS:
                self.turn({name: value + part * span})
                try:
                    self.check()
                except CosseratError:
                    continue
                return part * span
        return span

    def turn(self, values: Mapping[str, float]) -> None:
        """Give the parameters values, without asking the components whether they can take them."""
        for name, value in values.items():
            for parameter in self._objects[name]:
                parameter.value = float(value)

    def check(self) -> None:
        """Raise a located error if a component cannot take the present values."""
        for component in self.model.components:
            component.check()

    def take(self, values: Iterable[float]) -> None:
        """Give the parameters values, in the order of their names; an error that names them if a component refuses."""
        self.turn(dict(zip(self.names, values, strict=True)))
        try:
            self.check()
        except CosseratError as error:
            raise ParameterError(f"{self.caller}: with {self.text(self.values.values())}: {error}") from None

    def text(self, values: Iterable[float]) -> str:
        """Values in words."""
        return ", ".join(f"{n} = {v:.10g}" for n, v in zip(self.names, values, strict=True))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Parameters have their old values again afterwards."""
        before = self.values
        try:
            yield
        finally:
            self.turn(before)


def told(values: Mapping[str, float]) -> str:
    """Values of parameters in words."""
    return ", ".join(f"{name} = {value:.6g}" for name, value in values.items())


def named(unknowns: Any, such: str) -> tuple[list[Any], dict[Any, float]]:
    """Names of what `trim` looks for, and first guesses of some of it; `such`: what it takes."""
    if isinstance(unknowns, (str, Parameter)):
        unknowns = [unknowns]
    if not np.iterable(unknowns):
        raise SolveError(f"trim: unknowns={unknowns!r}; pass {such}")
    names = [k.name if isinstance(k, Parameter) else k for k in unknowns]
    given = zip(names, unknowns.values(), strict=True) if isinstance(unknowns, Mapping) else ()
    return names, {
        name: check_number(guess, "trim", f"the first guess of {name!r}", "where to start")
        for name, guess in given if guess is not None
    }  # fmt: skip
