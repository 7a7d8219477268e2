"""Operators of Python as functions of NumPy, for what is more than a number: jets, parameters, symbols."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

ORDER: dict[Any, Callable[[Any, Any], bool]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
}  # fmt: skip
LOGICAL = {np.logical_and, np.logical_or, np.logical_not, np.logical_xor}
JUDGING = {np.equal, np.not_equal, np.isfinite, np.isnan, np.isinf, np.signbit} | LOGICAL
"""Functions whose answers are truths."""


class Operators:
    """What has them says in `_apply` what a function makes of its operands; NotImplemented asks the other operand."""

    __slots__ = ()

    def _apply(self, function: Any, *operands: Any) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._apply(np.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._apply(np.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._apply(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._apply(np.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._apply(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._apply(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._apply(np.true_divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._apply(np.true_divide, other, self)

    def __pow__(self, other: Any) -> Any:
        return self._apply(np.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._apply(np.power, other, self)

    def __mod__(self, other: Any) -> Any:
        return self._apply(np.remainder, self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._apply(np.remainder, other, self)

    def __lt__(self, other: Any) -> Any:
        return self._apply(np.less, self, other)

    def __le__(self, other: Any) -> Any:
        return self._apply(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return self._apply(np.greater, self, other)

    def __ge__(self, other: Any) -> Any:
        return self._apply(np.greater_equal, self, other)

    def __neg__(self) -> Any:
        return self._apply(np.negative, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._apply(np.absolute, self)


def boxed(value: Any) -> Any:
    """A thing as an array without dimensions, so that NumPy does not look into it; arrays as they are."""
    if isinstance(value, np.ndarray):
        return value
    box = np.empty((), dtype=object)
    box[()] = value
    return box
