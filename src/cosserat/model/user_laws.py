"""What loads and constraints have in common whose law is the user's: places, named numbers, a function or formulas."""

from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model import checks
from cosserat.model.fields import PlaceField
from cosserat.model.law_formulas import Formulas
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Record


class UserLaw(Record):
    """A law of the user's about the motion of a place, as such or as seen from another."""

    _law: Any
    _other: Any = None
    _parameters: Mapping[str, Number] = {}
    other: PlaceField[Place | None]

    def _take(self, example: str) -> None:
        """Take the numbers of the law, or raise a located error."""
        self._parameters = named_numbers(self.title, "parameters", self._given["parameters"], example)
        self._keep(parameters=dict(self._parameters))

    @property
    def law(self) -> Callable[..., Any]:
        """The law as a Python function."""
        return self._law.function if isinstance(self._law, Formulas) else self._law

    def _demand_apart(self, place: Place, why: str) -> None:
        """Raise if the other place is on the same body."""
        other = self.other
        if other is not None and other.owner is place.owner and (other.s is None or other.s == place.s):
            raise ModelError(f"{self.title}: both places are on {other.owner.name!r}{why}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its parameters."""
        return tuple(self._parameters)

    @property
    def values(self) -> tuple[float, ...]:
        """Present values of its parameters."""
        return tuple(resolve(value) for value in self._parameters.values())

    def check(self) -> None:
        super().check()
        for key, value in self._parameters.items():
            checks.number(self.title, f"parameters[{key!r}]", value)

    def record_type(self) -> Any:
        """dtype of the record of parameters that the law gets."""
        return record_type(self.names)


def named_numbers(title: str, argument: str, given: Any, example: str) -> dict[str, Number]:
    """Names and numbers that a law uses, or a located error."""
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(title, argument, f"must be a dict such as {example}, got {given!r}")
    for key in given or {}:
        if not isinstance(key, str) or not key.isidentifier() or iskeyword(key):
            raise ArgumentError(title, argument, f"has the name {key!r}; names are words such as 'c'")
    return dict(given or {})


def demand_function(title: str, argument: str, function: Any, names: Sequence[str]) -> None:
    """Raise unless something is a function of arguments in this order."""
    if not callable(function):
        raise ArgumentError(title, argument, f"must be a function of ({', '.join(names)}), got {function!r}")
    checks.arguments(title, argument, function, *names, known=True)


def record_type(names: Sequence[str]) -> Any:
    """dtype of the record of numbers that a law gets."""
    return np.dtype([(name, np.float64) for name in names] or [("_", np.float64)])
