"""A time that notes what it is compared with: when a function of time and state, which is not known before, switches.

It is a float, so that any Python function takes it. Sums and products with numbers know how they depend on time; what
other functions make of it is a plain number.
"""

from __future__ import annotations

import dis
import itertools
import math
from collections.abc import Callable
from typing import Any

_SAMPLES = 17  # times at which a function is called at first
_MOST = 500  # switches of one function; one with more is not told from a smooth one


class Clock(float):
    """A time, or what sums and products with numbers make of it: slope t + offset."""

    slope: float
    offset: float
    notes: list[float]

    @classmethod
    def of(cls, slope: float, offset: float, t: float, notes: list[float]) -> Clock:
        """slope t + offset at a time."""
        out = cls(slope * t + offset)
        out.slope, out.offset, out.notes = slope, offset, notes
        out._t = t  # type: ignore[attr-defined]
        return out

    def _like(self, slope: float, offset: float) -> Clock:
        return Clock.of(slope, offset, self._t, self.notes)  # type: ignore[attr-defined]

    def _note(self, other: Any) -> None:
        """Remember when both are equal."""
        if not isinstance(other, (int, float)):
            return
        slope, offset = (other.slope, other.offset) if isinstance(other, Clock) else (0.0, float(other))
        if self.slope != slope:
            self.notes.append((offset - self.offset) / (self.slope - slope))

    def _combined(self, other: Any, sign: float, own: float) -> Any:
        """own self + sign other."""
        if isinstance(other, Clock):
            return self._like(own * self.slope + sign * other.slope, own * self.offset + sign * other.offset)
        if isinstance(other, (int, float)):
            return self._like(own * self.slope, own * self.offset + sign * float(other))
        return NotImplemented

    def _scaled(self, other: Any, what: Callable[[float, float], float]) -> Any:
        if isinstance(other, (int, float)) and not isinstance(other, Clock):
            return self._like(what(self.slope, float(other)), what(self.offset, float(other)))
        return what(float(self), float(other)) if isinstance(other, Clock) else NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._combined(other, 1.0, 1.0)

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, -1.0, 1.0)

    def __rsub__(self, other: Any) -> Any:
        return self._combined(other, 1.0, -1.0)

    def __mul__(self, other: Any) -> Any:
        return self._scaled(other, lambda x, y: x * y)

    def __truediv__(self, other: Any) -> Any:
        return self._scaled(other, lambda x, y: x / y)

    def __neg__(self) -> Clock:
        return self._like(-self.slope, -self.offset)

    def __abs__(self) -> Clock:
        self._note(0.0)
        return self if float(self) >= 0.0 else -self

    def __mod__(self, other: Any) -> Any:
        whole = math.floor(float(self) / other)
        for k in (whole, whole + 1):
            self._note(k * other)
        return self - whole * other

    def __floordiv__(self, other: Any) -> float:
        return round((float(self) - float(self % other)) / other)

    def __lt__(self, other: Any) -> bool:
        self._note(other)
        return float(self) < other

    def __le__(self, other: Any) -> bool:
        self._note(other)
        return float(self) <= other

    def __gt__(self, other: Any) -> bool:
        self._note(other)
        return float(self) > other

    def __ge__(self, other: Any) -> bool:
        self._note(other)
        return float(self) >= other

    def __eq__(self, other: object) -> bool:
        self._note(other)
        return float(self) == other

    __radd__, __rmul__ = __add__, __mul__
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
