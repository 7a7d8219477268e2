"""Times at which a function of time jumps, has a kink, or wakes up after being constant.

Formulas and functions that take arrays are watched while they are evaluated on a grid (`jets.watched`): wherever a
comparison, an absolute value, a minimum or a table changes sides, the change is located by refining the grid. So a jump
is found however short the pulse that it belongs to. Functions that take only numbers are looked at from outside.
"""

from __future__ import annotations

import numpy as np

from cosserat.model.derivatives import floats, vector_of_floats
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.jets import Array, Jet, watched
from cosserat.model.line_functions import LineFunction, StationMean

_GRID = 2048
_FINE = 33
_MOST = 500  # breaks of one function; one with more is not told from a smooth one
_STILL = 1e-3  # of the largest change between grid points: less counts as none
_PARTS = 4  # pieces of equal variation into which a short pulse is cut


def breaks_of(function: TimeFunction | VectorFunction, start: float, end: float) -> list[float]:
    """Times between `start` and `end`, in ascending order.

    Examples
    --------
    >>> breaks_of(TimeFunction("2*step(t, 0.503)"), 0.0, 2.0)
    [0.503]
    """
    if function.is_constant or not end > start or isinstance(function, StationMean):
        return []  # means along an element break where the load does, which is looked at itself
    if isinstance(function, LineFunction):
        return sorted({t for s in (0.0, 0.5, 1.0) for t in breaks_of(function.at(s), start, end)})
    if isinstance(function, VectorFunction) and function.callable is None:
        return sorted({t for part in function.components for t in breaks_of(part, start, end)})
    grid = np.linspace(start, end, _GRID + 1)
    sides = _sides(function, grid)
    values = _values(function, grid)
    found = _jumps(function, grid, values) if sides is None else _crossings(function, grid, sides)
    near = 2.0 * (grid[1] - grid[0])
    found += [t for t in _pulses(grid, values) if all(abs(t - other) > near for other in found)]
    inside = 1e-12 * (end - start)
    return sorted({round(t, 15) for t in found if start + inside < t < end - inside})


def _sides(function: TimeFunction | VectorFunction, t: Array) -> list[Array] | None:
    """On which side of every switch the times are; None if the function cannot be watched."""
    if isinstance(function, TimeFunction) and isinstance(function.source, tuple):
        return None
    try:
        with watched() as notes:
            if isinstance(function, VectorFunction):
                assert function.callable is not None
                function.callable(Jet.variable(t))
            else:
                function.watch(t)
    except Exception:
        return None
    return [np.broadcast_to(note, t.shape) for note in notes]


def _crossings(function: TimeFunction | VectorFunction, grid: Array, sides: list[Array]) -> list[float]:
    out: list[float] = []
    for k, side in enumerate(sides):
        changes = np.nonzero(side[1:] != side[:-1])[0]
        if len(changes) > _MOST:
            continue
        for i in changes:
            a, b = grid[i], grid[i + 1]
            for _ in range(12):
                fine = np.linspace(a, b, _FINE)
                again = _sides(function, fine)
                if again is None or len(again) != len(sides):
                    break
                moved = np.nonzero(again[k][1:] != again[k][:-1])[0]
                if not len(moved) or fine[moved[0] + 1] - fine[moved[0]] >= b - a:
                    break
                a, b = fine[moved[0]], fine[moved[0] + 1]
            out.append(float(b))
    return out


def _values(function: TimeFunction | VectorFunction, t: Array) -> Array:
    """Values (nt, size) at times."""
    if isinstance(function, VectorFunction):
        assert function.callable is not None
        at = [vector_of_floats(function.callable, x, function.total, function.where, function.variable) for x in t]
        return np.array(at)
    source = function.source
    if isinstance(source, tuple):
        return floats(source[0], t, function.where)[:, None]
    return function.sample(t)[:, None]


def _jumps(function: TimeFunction | VectorFunction, grid: Array, values: Array) -> list[float]:
    """Jumps seen from outside: changes that do not shrink when the interval does."""
    change = np.abs(np.diff(values, axis=0)).max(axis=1)
    usual = max(float(np.median(change)), 1e-9 * float(np.ptp(values)))
    out = []
    for i in np.nonzero(change > 8.0 * usual)[0][:_MOST]:
        a, b, low, high = grid[i], grid[i + 1], values[i], values[i + 1]
        for _ in range(40):
            middle = 0.5 * (a + b)
            at = _values(function, np.array([middle]))[0]
            if np.abs(at - low).max() >= np.abs(high - at).max():
                b, high = middle, at
            else:
                a, low = middle, at
        if np.abs(high - low).max() > 0.5 * change[i]:
            out.append(float(b))
    return out


def _pulses(grid: Array, values: Array) -> list[float]:
    """Ends of stretches in which something happens, and points of equal variation inside, if it mostly does not."""
    change = np.abs(np.diff(values, axis=0)).max(axis=1)
    awake = change > _STILL * change.max(initial=0.0)
    if not awake.any() or 2 * awake.sum() > len(awake):
        return []
    edges = np.nonzero(np.diff(np.concatenate(([0], awake.astype(int), [0]))))[0]
    if len(edges) > 2 * _MOST:
        return []
    out: list[float] = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if last - first <= 1:
            continue
        variation = np.concatenate(([0.0], np.cumsum(change[first:last])))
        shares = np.linspace(0.0, variation[-1], _PARTS + 1)
        out += np.interp(shares, variation, grid[first : last + 1]).tolist()
    return out
