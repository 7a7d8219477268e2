"""Groups of arrays handed to kernels as one address.

A group is a NamedTuple of C-contiguous arrays, annotated with element type and number of dimensions, or of such groups.
Stages get it as the address of a table of addresses and shapes, and read what they ask for: `problem.trial.frame`. The
arrays are borrowed: whoever packs them keeps them alive.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from cosserat.jit.native import place_of
from cosserat.jit.sources import folder_of
from cosserat.jit.switch import COMPILED

_Group = TypeVar("_Group", bound=type)
_DTYPES = {name: np.dtype(name) for name in ("float64", "int64")}

PASSED: dict[tuple[str, str], type] = {}
"""Groups by subfolder of `kernels` and name of an argument of the stages in it."""


def passed_as(*names: str) -> Callable[[_Group], _Group]:
    """Declare that integer arguments with these names, of stages in the folder of a group, are the address of such."""

    def decorate(group: _Group) -> _Group:
        folder = folder_of(str(sys.modules[group.__module__].__file__))
        for name in names:
            known = PASSED.setdefault((folder, name), group)
            if known is not group:
                raise TypeError(f"stages already take {known.__name__} as {name!r}, not {group.__name__}")
        return group

    return decorate


@functools.cache
def places_in(group: type) -> tuple[dict[str, tuple[int, Any]], int]:
    """Words in the table of a group: before each of its parts, a group or (element type, dimensions); of all."""
    places: dict[str, tuple[int, Any]] = {}
    at = 0
    for name, kind in group.__annotations__.items():
        array = getattr(kind, "__metadata__", None)
        places[name] = at, array[0] if array else kind
        at += 1 + array[0][1] if array else places_in(kind)[1]
    return places, at


def part_of(group: type, name: str) -> slice:
    """Where the table of a group has one of its parts."""
    start, part = places_in(group)[0][name]
    return slice(start, start + places_in(part)[1])


def words_of(kind: type, group: Any) -> list[int]:
    """Addresses and shapes of the arrays of a group."""
    words: list[int] = []
    for value, (name, (_, part)) in zip(group, places_in(kind)[0].items(), strict=True):
        if isinstance(part, type):
            words += words_of(part, value)
            continue
        dtype, n = part
        if value.dtype != _DTYPES[dtype] or value.ndim != n or not value.flags.c_contiguous:
            raise TypeError(f"{name}: expected a C-contiguous {dtype} array with {n} dimensions, got {value.dtype}")
        words.append(place_of(value))
        words += value.shape
    return words


class Packed:
    """A group, and what kernels take for it: the address of its table, or itself with the compiler off."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.table = np.array(words_of(type(problem), problem)) if COMPILED else None
        self.address: Any = problem if self.table is None else self.table.ctypes.data

    def replace(self, **parts: Any) -> None:
        """Put others in the place of its parts."""
        self.problem = self.problem._replace(**parts)
        if self.table is None:
            self.address = self.problem
            return
        for name, part in parts.items():
            self.table[part_of(type(self.problem), name)] = words_of(type(part), part)
