"""Times at which a function of time jumps, has a kink, or wakes up after being constant.

Formulas and functions that take arrays are watched while they are evaluated on a grid (`jets.watched`): wherever a
comparison, an absolute value, a minimum or a table changes sides, the change is located by refining the grid; so is
the point of a cell at which what is compared comes nearest to its switch, where it may go to the other side and return.
So a jump is found however short the pulse that it belongs to. Functions that take only numbers are looked at from
outside: of them, pulses that fit between two points of the grid are not seen, and kinks only where rates are known.

A function of time and state, which is not known before, gets a `Clock`: a time that notes what it is compared with. It
is a float, so that any Python function takes it. Sums and products with numbers know how they depend on time; what
other functions make of it is a plain number.
"""

from __future__ import annotations

import dis
import itertools
import math
import operator
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.derivatives import NeedsFloats
from cosserat.model.expressions import ORDER, Operators
from cosserat.model.functions import Sampled, TimeFunction, VectorFunction
from cosserat.model.jets import Jet, Note, watched
from cosserat.model.line_functions import LineFunction, StationMean

_GRID = 2048
_FINE = 33
_MOST = 500  # breaks or switches of one function; one with more is not told from a smooth one
_STILL = 1e-3  # of the largest change between grid points: less counts as none
_MOMENTS = (0.0, 0.0613, 1.7, 23.9)  # at which a line load is looked at along the beam
_PARTS = 4  # pieces of equal variation into which a short pulse is cut


def breaks_of(function: TimeFunction | VectorFunction, start: float, end: float) -> list[float]:
    """Times between `start` and `end`, in ascending order.

    Examples
    --------
    >>> breaks_of(TimeFunction("2*step(t, 0.503)"), 0.0, 2.0)
    [0.503]
    """
    if function.is_constant or not end > start:
        return []
    if isinstance(function, Sampled):
        return sorted(t for t in function.breaks(start, end) if start < t < end)
    if isinstance(function, StationMean):  # means along an element break where the load does
        return breaks_of(function.of, start, end)
    if isinstance(function, LineFunction):
        return sorted({t for s in (0.0, 0.5, 1.0) for t in breaks_of(function.at(s), start, end)})
    if isinstance(function, VectorFunction) and function.callable is None:
        return sorted({t for part in function.components for t in breaks_of(part, start, end)})
    grid = np.linspace(start, end, _GRID + 1)
    notes = _seen(function, grid)
    known = _exact(function, grid) if notes is None else None
    values = _values(function, grid) if known is None else np.asarray(known.value)[:, None]
    if notes is not None:
        found = _crossings(function, grid, notes)
    else:
        found = jumps_of(partial(_values, function), grid, values)
    if known is not None and isinstance(function, TimeFunction):
        found += _kinks(function, grid, known)
    near = 2.0 * (grid[1] - grid[0])
    # between known times by themselves: beside a large jump all else would seem still, however a vector is written
    inside = np.unique(np.clip(np.searchsorted(grid, found), 1, _GRID)).tolist() if found else []
    cuts = [0, *inside, _GRID + 1]
    woken = [t for a, b in pairwise(cuts) for t in pulses(grid[a:b], values[a:b])]
    found += [t for t in woken if all(abs(t - other) > near for other in found)]
    margin = 1e-12 * (end - start)
    return sorted({round(t, 15) for t in found if start + margin < t < end - margin})


def stations_of_breaks(function: VectorFunction | None) -> tuple[list[float], bool]:
    """Where in s a vector along a beam jumps or has a kink, and whether that moves with time.

    Examples
    --------
    >>> stations_of_breaks(LineFunction((0, 0, "9 if 0.25 < s < 0.5 else 0")))
    ([0.25, 0.5], False)
    """
    if not isinstance(function, LineFunction):
        return [], False
    found = [breaks_of(function.along(t), 0.0, 1.0) for t in _MOMENTS]
    different = {tuple(np.round(s, 9)) for s in found if s}
    return sorted({s for some in found for s in some}), len(different) > 1


def _seen(function: TimeFunction | VectorFunction, t: Array) -> list[Note] | None:
    """What every switch sees at these times; None if the function cannot be watched."""
    try:
        with watched() as notes:
            function.watch(t)
    except Exception:
        return None
    return [Note(*(np.broadcast_to(x, t.shape) for x in note)) for note in notes]


def _crossings(function: TimeFunction | VectorFunction, grid: Array, notes: list[Note]) -> list[float]:
    """Where a switch changes sides: on the grid, or within a cell in which the switch is approached and left."""
    out: list[float] = []
    for k, note in enumerate(notes):
        same = note.side[1:] == note.side[:-1]
        turning = same & (note.nearing[:-1] > note.nearing[1:])
        changes, nearest = np.nonzero(~same)[0], np.nonzero(turning)[0]
        if len(changes) > _MOST or len(nearest) > _MOST:
            continue
        cells = np.stack((grid[:-1], grid[1:]), axis=1)
        if len(nearest):
            middle = _refined(function, k, 1, len(notes), cells[nearest])
            hidden = [[(a, m), (m, b)] for m in middle for a, b in cells[nearest] if a < m < b]
            cells = np.concatenate((cells[changes], np.reshape(hidden, (-1, 2))))
        else:
            cells = cells[changes]
        out += _refined(function, k, 0, len(notes), cells)
    return out


def _refined(
    function: TimeFunction | VectorFunction, switch: int, field: int, switches: int, cells: Array
) -> list[float]:
    """Every change, of one field of what one switch sees, in the cells (n, 2)."""
    scale = np.spacing(np.abs(cells).max(initial=0.0))
    for _ in range(12):
        if not len(cells) or len(cells) > 4 * _MOST or np.all(cells[:, 1] - cells[:, 0] <= 2.0 * scale):
            break
        fine = np.linspace(cells[:, 0], cells[:, 1], _FINE, axis=1)
        again = _seen(function, fine.ravel())
        if again is None or len(again) != switches:
            return []
        value = again[switch][field].reshape(fine.shape)
        row, i = np.nonzero(value[:, 1:] != value[:, :-1])
        cells = np.stack((fine[row, i], fine[row, i + 1]), axis=1)
    return [float(b) for _, b in cells]


def _values(function: TimeFunction | VectorFunction, t: Array) -> Array:
    """Values (nt, size) at times."""
    return function.sample(t).reshape(len(t), -1)


def _exact(function: TimeFunction | VectorFunction, t: Array) -> Jet | None:
    """Values, rates and accelerations at times, of a function that knows them one time after the other."""
    try:
        return function.exact(t) if isinstance(function, TimeFunction) else None
    except NeedsFloats:
        return None


def _kinks(function: TimeFunction, grid: Array, known: Jet) -> list[float]:
    """Where rate or acceleration jumps; `known`: all of them on the grid."""
    out: list[float] = []
    for part in ("rate", "acceleration"):

        def values(t: Array, part: str = part) -> Array:
            return np.asarray(getattr(function.exact(t), part))[:, None]

        on_grid = np.asarray(getattr(known, part))[:, None]
        if np.isfinite(on_grid).all():
            out += jumps_of(values, grid, on_grid)
    return out


def jumps_of(
    function: Callable[[Array], Array], grid: Array, values: Array, width: float = 0.0, noise: float = 0.0
) -> list[float]:
    """Jumps of values (nt, size) seen from outside: changes that do not shrink when the interval does, down to a width
    over which they are smeared. Values are known up to `noise`.
    """
    change = np.abs(np.diff(values, axis=0)).max(axis=1)
    usual = max(float(np.median(change)), 1e-9 * float(np.ptp(values)), noise)
    out = []
    for i in np.nonzero(change > 8.0 * usual)[0][:_MOST]:
        a, b, low, high = grid[i], grid[i + 1], values[i], values[i + 1]
        for _ in range(40):
            if b - a < 2.0 * width:
                break
            middle = 0.5 * (a + b)
            at = function(np.array([middle]))[0]
            if np.abs(at - low).max() >= np.abs(high - at).max():
                b, high = middle, at
            else:
                a, low = middle, at
        if np.abs(high - low).max() > 0.5 * change[i]:
            out.append(float(b if width == 0.0 else 0.5 * (a + b)))
    return out


def pulses(grid: Array, values: Array, least: int = 2) -> list[float]:
    """Ends of stretches in which something happens, and points of equal variation inside, if it mostly does not.

    Stretches of fewer than `least` cells are left out.
    """
    change = np.abs(np.diff(values, axis=0)).max(axis=1)
    awake = change > _STILL * change.max(initial=0.0)
    if not awake.any() or 2 * awake.sum() > len(awake):
        return []
    edges = np.nonzero(np.diff(np.concatenate(([0], awake.astype(int), [0]))))[0]
    if len(edges) > 2 * _MOST:
        return []
    out: list[float] = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if last - first < least:
            continue
        variation = np.concatenate(([0.0], np.cumsum(change[first:last])))
        shares = np.linspace(0.0, variation[-1], _PARTS + 1)
        out += np.interp(shares, variation, grid[first : last + 1]).tolist()
    return out


_SAMPLES = 17  # times at which a function is called at first


_LINEAR: dict[Any, Callable[..., Any]] = {np.add: operator.add, np.subtract: operator.sub, np.negative: operator.neg}
_PLAIN: dict[Any, Callable[..., Any]] = ORDER | _LINEAR | {
    np.multiply: operator.mul, np.true_divide: operator.truediv, np.power: operator.pow, np.remainder: operator.mod,
}  # fmt: skip
"""What operators do with numbers."""


class Clock(Operators, float):
    """A time, or what sums and products with numbers make of it: slope t + offset."""

    slope: float
    offset: float
    notes: list[float]
    _t: float

    @classmethod
    def of(cls, slope: float, offset: float, t: float, notes: list[float]) -> Clock:
        """slope t + offset at a time."""
        out = cls(slope * t + offset)
        out.slope, out.offset, out.notes, out._t = slope, offset, notes, t
        return out

    def _note(self, other: Any) -> None:
        """Remember when both are equal."""
        slope, offset = (other.slope, other.offset) if isinstance(other, Clock) else (0.0, float(other))
        if self.slope != slope:
            self.notes.append((offset - self.offset) / (self.slope - slope))

    def _apply(self, function: Any, *operands: Any) -> Any:
        if not all(isinstance(x, (int, float)) for x in operands):
            return NotImplemented
        plain, clocks = _PLAIN[function], [isinstance(x, Clock) for x in operands]
        if function in ORDER:
            self._note(operands[1])
        elif function in _LINEAR:
            lines = [(x.slope, x.offset) if isinstance(x, Clock) else (0.0, float(x)) for x in operands]
            slope, offset = (plain(*parts) for parts in zip(*lines, strict=True))
            return Clock.of(slope, offset, self._t, self.notes)
        elif clocks == [True, False] and function in (np.multiply, np.true_divide):
            factor = float(operands[1])
            return Clock.of(plain(self.slope, factor), plain(self.offset, factor), self._t, self.notes)
        return plain(*map(float, operands))

    def __abs__(self) -> Any:
        self._note(0.0)
        return self if float(self) >= 0.0 else -self

    def __mod__(self, other: Any) -> Any:
        whole = math.floor(float(self) / other)
        for k in (whole, whole + 1):
            self._note(k * other)
        return self - whole * other

    def __floordiv__(self, other: Any) -> float:
        return round((float(self) - float(self % other)) / other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float)):
            self._note(other)
        return float(self) == other

    __rmul__ = Operators.__mul__
    __hash__ = float.__hash__


def reads_time(law: Callable[..., Any]) -> bool:
    """Whether a function uses its first argument.

    Examples
    --------
    >>> reads_time(lambda t, x: x), reads_time(lambda t, x: x * t)
    (False, True)
    """
    code = getattr(getattr(law, "py_func", law), "__code__", None)
    if code is None or not code.co_argcount:
        return True
    found = [i.argval for i in dis.get_instructions(code)]
    return any(code.co_varnames[0] in (x if isinstance(x, tuple) else (x,)) for x in found)


def switches(function: Callable[[float], Any], start: float, end: float) -> list[float]:
    """Times between two others at which comparisons of a function with time change sides.

    It is called at a few times, then between all that was found, until nothing new comes.

    Examples
    --------
    >>> switches(lambda t: 1.0 if t > 0.5 or (t - 0.1) * 5 < 1 else 0.0, 0.0, 2.0)
    [0.3, 0.5]
    """
    notes: list[float] = []
    seen: set[float] = {start, end}
    waiting = [start + (end - start) * (k + 0.5) / _SAMPLES for k in range(_SAMPLES)]
    while waiting and len(seen) <= _MOST:
        for t in waiting:
            try:
                function(Clock.of(1.0, 0.0, t, notes))
            except Exception:
                return []
        near = 1e-12 * (end - start)
        new = [x for x in {round(t, 15) for t in notes} if start + near < x < end - near and x not in seen]
        notes.clear()
        around = sorted({*seen, *new})
        fresh = set(new)
        waiting = [0.5 * (a + b) for a, b in itertools.pairwise(around) if a in fresh or b in fresh]
        seen |= fresh
    return sorted(seen - {start, end}) if len(seen) <= _MOST else []
