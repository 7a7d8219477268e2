"""Runs of a model with a parameter moved a little, for derivatives by differences of fourth order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import CosseratError, SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Status
from cosserat.solve.linear.input_columns import CENTRAL, FORWARD, PARAMETER_STEP
from cosserat.solve.linear.ports import InputPorts
from cosserat.solve.sweeps.protocol import STEP, TapedRun


class Variant(NamedTuple):
    """A model with a parameter moved."""

    weight: float  # in the difference
    value: float  # of the parameter
    work: Any  # its steps
    first: Any  # its state before the first map
    inputs: list[Any]  # of each map, where they are kept


class VariedRun(TapedRun):
    """A recorded run of a model with parameters."""

    model: Model
    tape: list[Any]
    first: Any  # the state before the first map
    status: Status
    _variants: dict[str, list[Variant]]

    def _take(self, tape: list[Any]) -> None:
        """A run has ended: its maps, unless it failed."""
        if not self.status.ok:
            raise SolveError(f"gradient: the run fails: {self.status.message}")
        self.tape, self.count, self._variants = tape, len(tape), {}

    def is_step(self, k: int) -> bool:
        return bool(self.tape[k].kind == STEP)

    def columns(self, sizes: Array, base: Any, call: Callable[[int, float], Any]) -> Array:
        """Derivatives (N, k) of a state by numbers with points of differences apart by sizes (k,).

        `call(k, amount)`: the state for another number k; `base`: for the present ones.
        """
        found = [
            sum(weight / size * self.difference(call(k, i * size), base) for i, weight in CENTRAL)
            for k, size in enumerate(sizes.tolist())
        ]
        return np.array(found).reshape(len(sizes), self.size).T

    def unit(self, k: int, amount: float) -> Array:
        """A change (N,) of one number."""
        out = np.zeros(self.size)
        out[k] = amount
        return out

    @contextmanager
    def moved(self, name: str, value: float) -> Iterator[None]:
        """Inside, a parameter has another value."""
        here = self.model.parameters[name]
        try:
            self.model.set(**{name: value})
            yield
        finally:
            self.model.set(**{name: here})

    def varied(self, name: str) -> list[Variant]:
        """The model with a parameter moved to all points of a difference."""
        if name not in self._variants:
            if name not in self.model.parameters:
                known = ", ".join(repr(key) for key in self.model.parameters) or "none"
                raise SolveError(f"gradient: {name!r} is not a parameter of the model; parameters: {known}")
            try:
                self._variants[name] = self._stencil(name, CENTRAL)
            except CosseratError:  # at the border of what the model can take, such as a damping of zero
                self._variants[name] = self._stencil(name, FORWARD)
        return self._variants[name]

    def _stencil(self, name: str, stencil: tuple[tuple[int, float], ...]) -> list[Variant]:
        value, found = self.model.parameters[name], []
        step = PARAMETER_STEP * (abs(value) or 1.0)
        for i, weight in stencil:
            with self.moved(name, value + i * step):
                found.append(Variant(weight / step, value + i * step, *self._variant(name)))
        return found

    @abstractmethod
    def _variant(self, name: str) -> tuple[Any, Any, list[Any]]:
        """Steps of the model as it is now, its state before the first map, inputs of the maps."""

    @abstractmethod
    def difference(self, after: Any, base: Any) -> Array:
        """By what a state differs from another one (N,)."""

    @abstractmethod
    def _changed(self, k: int, name: str, variant: Variant) -> Array:
        """What a moved parameter leaves in the equations of map k, or makes of what is after it."""

    def start_columns(self, names: Sequence[str]) -> Array:
        columns = [sum(v.weight * self.difference(v.first, self.first) for v in self.varied(name)) for name in names]
        return np.array(columns).T.reshape(self.size, len(names))

    def sources(self, k: int, names: Sequence[str]) -> Array:
        columns = [sum(v.weight * self._changed(k, name, v) for v in self.varied(name)) for name in names]
        return np.array(columns).T


def demand_forces(ports: InputPorts) -> None:
    """Refuse inputs that move constraints."""
    for column in ports.columns:
        if np.any(column.drive) or column.kind in ("motion", "parameter"):
            raise SolveError(
                f"gradient: control {column.name!r} is a {column.kind}; controls are efforts, targets of servos, loads "
                "and forces at places" + ("; name parameters in wrt=" if column.kind == "parameter" else "")
            )
