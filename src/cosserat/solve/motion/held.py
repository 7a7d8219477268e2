"""What a controller holds, written where compiled steps find it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cosserat.kernels.held import BEFORE, HELD, JUMPS, SIGNAL, WHOLE

view: Any = memoryview  # quicker to write than an array


class Held:
    """Values of a controller, see `kernels.held`.

    Parameters
    ----------
    arrays : tuple
        A group of commands.
    places : mapping
        Kind and place of what can be held, by column.
    jumps : bool
        Whether accelerations jump with what changes: the method remembers them.
    """

    def __init__(self, arrays: Any, places: Mapping[int, tuple[int, int]], jumps: bool = True) -> None:
        self._kind, self._place, self._before, self._value, self._order = (view(a) for a in arrays[:5])
        self._places, self._jumps = places, jumps
        self._held: Mapping[int, float] | None = None

    def hold(self, values: Mapping[int, float], before: Mapping[int, float] | None) -> None:
        """Values by column from here on; accelerations jump from those before, if they are given."""
        order = self._order
        if values is not self._held:
            self._held = values
            if order[HELD] != len(values):  # columns only join, at the end
                for i, column in enumerate(values):
                    self._kind[i], self._place[i] = self._places[column]
                order[HELD], order[WHOLE] = len(values), int(any(self._places[k][0] == SIGNAL for k in values))
            for i, value in enumerate(values.values()):
                self._value[i] = value
        order[JUMPS] = 0
        if before is not None and self._jumps:
            for i, value in enumerate(before.values()):
                self._before[i] = value
            order[BEFORE], order[JUMPS] = len(before), 1
