"""Groups of arrays handed to kernels as one address."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from cosserat.jit.native import place_of
from cosserat.jit.switch import COMPILED

_DTYPES = {name: np.dtype(name) for name in ("float64", "int64")}


class Getter:
    """A function for kernels: address of a table -> group."""

    def __init__(self, start: int, fields: list[tuple[str, int]], group: type) -> None:
        self._layout = start, fields, group

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from cosserat.jit.compiler import getter_type

        return getter_type(*self._layout)


class Handles:
    """Getters of the groups of a problem: kernels receive one address instead of hundreds of arguments.

    A problem is a NamedTuple of groups, a group a NamedTuple of C-contiguous arrays annotated with element type and
    number of dimensions. `pack` writes addresses and shapes into one table; `handles.elements(problem)` inside a
    kernel reads a group back. The arrays are borrowed: whoever packs them keeps them alive.
    """

    def __init__(self, problem: type) -> None:
        self.problem = problem
        self._offsets: dict[str, int] = {}
        self._fields: dict[str, list[tuple[str, int]]] = {}
        offset = 0
        for name, group in problem.__annotations__.items():
            self._offsets[name] = offset
            self._fields[name] = [kind.__metadata__[0] for kind in group.__annotations__.values()]
            offset += sum(1 + n for _, n in self._fields[name])
        self.size = offset

    def pack(self, problem: Any) -> Any:
        """Table (int64 array) of a problem, or None with the compiler off: then the problem serves itself."""
        if not COMPILED:
            return None
        return np.array([word for name in self._fields for word in self._words(name, getattr(problem, name))])

    def repack(self, table: Any, name: str, group: Any) -> None:
        """Write one group anew, after its arrays were replaced."""
        words = self._words(name, group)
        table[self._offsets[name] : self._offsets[name] + len(words)] = words

    def _words(self, name: str, group: Any) -> list[int]:
        """Addresses and shapes of the arrays of a group."""
        words: list[int] = []
        for array, (kind, n) in zip(group, self._fields[name], strict=True):
            if array.dtype != _DTYPES[kind] or array.ndim != n or not array.flags.c_contiguous:
                raise TypeError(f"{name}: expected a C-contiguous {kind} array with {n} dimensions, got {array.dtype}")
            words.append(place_of(array))
            words += array.shape
        return words

    def pointers(self, name: str) -> Any:
        """Where a table has the addresses of the arrays of a group: rows of them can be shown by moving these."""
        steps = [1 + n for _, n in self._fields[name]]
        return self._offsets[name] + np.cumsum([0, *steps[:-1]])

    def part(self, name: str) -> slice:
        """Where a table has addresses and shapes of a group."""
        at = self._offsets[name]
        return slice(at, at + sum(1 + n for _, n in self._fields[name]))

    def getter(self, name: str, group: type) -> Any:
        """A function for kernels: address of a table -> group."""
        if not COMPILED:
            return lambda problem: getattr(problem, name)
        return Getter(self._offsets[name], self._fields[name], group)
