"""Vectors and matrices that users hand to the recursions: taken as they are, or refused with what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError, shown
from cosserat.kernels.recursion import table as layout
from cosserat.lie.protocol import Array
from cosserat.model import checks


class StateChecker:
    """Checks vectors of the coordinates of one model."""

    def __init__(self, title: str, coordinates: tuple[str, ...]) -> None:
        self.title, self.coordinates = title, coordinates
        self._shape = (len(coordinates),)

    def are_plain(self, *vectors: Any) -> bool:
        """Whether there is nothing to check: this takes a microsecond for each, the check several."""
        with np.errstate(all="ignore"):  # of what overflows in the quick test
            return all(self.is_room(x) and (math.isfinite(x.dot(x)) or np.isfinite(x).all()) for x in vectors)

    def is_room(self, x: Any, depth: int = 1) -> bool:
        """Whether kernels can write vectors (depth 1) or matrices (depth 2) into it."""
        return (
            type(x) is np.ndarray and x.dtype == np.float64 and x.shape == depth * self._shape and bool(x.flags.carray)
        )

    def vectors(self, call: str, **given: Any) -> list[Array]:
        """Arrays of doubles, all (n,) or all (N, n); a single vector among stacks of them is repeated.

        Single vectors are finite; stacks are left to the kernel, and to `demand_finite` if it finds fault.
        """
        if self.are_plain(*given.values()):
            return list(given.values())
        arrays = [self._array(call, name, value, False) for name, value in given.items()]
        depth = max(a.ndim for a in arrays)
        if depth == 1:
            self.demand_finite(call, dict(zip(given, arrays, strict=True)))
            return arrays
        counts = {len(a) for a in arrays if a.ndim == 2}
        if len(counts) > 1:
            sizes = ", ".join(f"{name} has {len(a)}" for name, a in zip(given, arrays, strict=True) if a.ndim == 2)
            raise SolveError(f"{call}: stacks of states must have the same length; {sizes}")
        (count,) = counts
        return [a if a.ndim == 2 else np.tile(a, (count, 1)) for a in arrays]

    def vector(self, call: str, name: str, given: Any) -> Array:
        """One finite vector (n,)."""
        if self.are_plain(given):
            return np.asarray(given)
        array = self._array(call, name, given)
        if array.ndim != 1:
            raise SolveError(
                f"{call}: {name} has the shape {array.shape}; this call takes one state, {self._expected()}"
            )
        return array

    def _array(self, call: str, name: str, given: Any, finite: bool = True) -> Array:
        try:
            if np.iscomplexobj(given):
                raise TypeError
            array = np.require(given, float, ["C", "W", "A", "E"])
        except (TypeError, ValueError, OverflowError):
            self._refuse(call, name, f"is {shown(given)}, not numbers")
        if array.ndim not in (1, 2) or array.shape[-1] != len(self.coordinates):
            self._refuse(call, name, f"has the shape {array.shape}")
        if finite:
            self.demand_finite(call, {name: array})
        return array

    def demand_finite(self, call: str, arrays: dict[str, Array]) -> None:
        """Raise for the first entry that is not a finite number."""
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
                index = ", ".join(str(i) for i in where)
                raise SolveError(
                    f"{call}: {name}[{index}] (coordinate {self.coordinates[where[-1]]!r}) is {array[where]}; "
                    "every entry must be a finite number"
                )

    def defined(self, rates: Array) -> Array:
        """Rates of coordinates, or an error where a rotation vector has none."""
        if not np.isfinite(rates).all():
            name = self.coordinates[int(np.argmin(np.isfinite(rates)))].rsplit(".", 1)[0]
            raise SolveError(
                f"coordinate_rates: the rotation vector of {name!r} is a whole turn long, where its rates are not "
                "defined; tree.moved(q, 0 * q) gives the shorter vector of the same rotation"
            )
        return rates

    def _expected(self) -> str:
        names = ", ".join(self.coordinates[:8]) + (", ..." if len(self.coordinates) > 8 else "")
        return f"one number for each of the {len(self.coordinates)} coordinates of {self.title} ({names})"

    def _refuse(self, call: str, name: str, problem: str) -> NoReturn:
        raise SolveError(f"{call}: {name} {problem}; expected {self._expected()}, or a stack of such rows")

    def out(self, call: str, given: Any, shape: tuple[int, ...]) -> Array:
        """An array to write into: the given one, or a new one."""
        if given is None:
            return np.empty(shape)
        plain = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.flags.c_contiguous
        if not plain or given.shape != shape or not given.flags.writeable:
            what = f"an array {given.shape} of {given.dtype}" if isinstance(given, np.ndarray) else repr(given)
            raise SolveError(f"{call}: out is {what}; expected a writable C-contiguous array of doubles {shape}")
        return np.asarray(given)

    def several(self, call: str, given: Any, count: int) -> list[Any]:
        """As many arrays to write into, or Nones."""
        if given is None:
            return [None] * count
        if not isinstance(given, (tuple, list)) or len(given) != count:
            what = len(given) if isinstance(given, (tuple, list)) else f"a {type(given).__name__}"
            raise SolveError(f"{call}: out must be {count} arrays to write into, got {what}")
        return list(given)

    def wrenches(self, call: str, given: Any, shape: tuple[int, ...]) -> Array:
        """Wrenches on links."""
        try:
            array = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != shape or not np.isfinite(array).all():
            raise SolveError(f"{call}: wrenches must be finite numbers {shape}, one row of six for each link")
        return array

    def driven(self, call: str, given: Any, data: TreeData) -> Array:
        """1 where a motion is given, 0 elsewhere; spherical and free joints are driven in all freedoms or in none."""
        array = self._array(call, "driven", given)
        if array.ndim != 1 or not np.isin(array, (0.0, 1.0)).all():
            what = f"has the shape {array.shape}" if array.ndim != 1 else f"has the values {set(array.tolist())}"
            raise SolveError(f"{call}: driven {what}; expected 0 or 1 for each of the {len(array.T)} coordinates")
        for link in data.links:
            part = array[link.freedoms]
            if link.kind in (layout.SPHERICAL, layout.FREE) and part.any() and not part.all():
                names = ", ".join(data.coordinates[k] for k in link.freedoms)
                owner = f"body {link.name!r}" if link.joint is None else f"joint {link.joint.name!r}"
                raise SolveError(
                    f"{call}: {owner} is given a motion in some of its freedoms ({names}); "
                    "its motion must be given in all of them, or in none"
                )
        return array

    def drives(self, call: str, tau: Any, driven: Any) -> tuple[Array, Array]:
        """1 where an acceleration is given by name, and it there; elsewhere the effort."""
        given = self.vector(call, "tau", tau).copy()
        held = np.zeros(len(given))
        if not isinstance(driven, Mapping):
            raise SolveError(f"{call}: driven is {driven!r}; pass a dict of accelerations by coordinate")
        for name, value in driven.items():
            if name not in self.coordinates:
                known = ", ".join(self.coordinates[:8])
                raise SolveError(f"{call}: driven names {name!r}, which is no coordinate; coordinates: {known}")
            k = self.coordinates.index(name)
            if given[k] != 0.0:
                raise SolveError(
                    f"{call}: both the acceleration and an effort ({given[k]:g}) are given for {name!r}; give "
                    "one, the other follows"
                )
            if not (isinstance(value, Real) and np.isfinite(float(value))):
                raise SolveError(f"{call}: driven[{name!r}] is {value!r}; pass a finite acceleration")
            given[k], held[k] = value, 1.0
        return held, given

    def law_states(self, names: tuple[str, ...], now: Array, given: Any) -> Array:
        """States (ny,) of laws from an array of all or a dict of some; the others stay as they are now."""
        what = "Tree.set_law_states"
        if not isinstance(given, Mapping):
            return checks.array(what, "states", given, (len(names),))
        for name in given:
            if name not in names:
                known = ", ".join(map(repr, names)) or "none"
                raise SolveError(f"{what}: {name!r} is no state of a law; there are: {known}")
        values = dict(zip(names, now.tolist(), strict=True)) | dict(given)
        return np.array([checks.number(what, name, x) for name, x in values.items()], dtype=float)
