"""Inputs of many equal steps, sampled at once: a controller that is called at every step need not pay for sampling."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.inputs import Sampler
from cosserat.compile.jumps import Jumps
from cosserat.kernels.arrays import Inputs, handles
from cosserat.solve.memory import Memory

Array = NDArray[np.float64]

STEPS = 512  # sampled at once


class Window:
    """Inputs at the ends of equal steps; kernels see those from the present row on.

    Attributes
    ----------
    row : int
        Of the present time.
    count : int
        Rows there are after the first.
    """

    def __init__(self, sampler: Sampler, t: float, h: float, count: int, jumps: Jumps | None) -> None:
        self.h, self.row, self.count = h, 0, count
        self.inputs = sampler.sample(np.asarray(t + h * np.arange(count + 1)), step=h, jumps=jumps)
        self._pair = Inputs(*(np.zeros((2, *a.shape[1:])) for a in self.inputs))
        self._pointers = handles.pointers("inputs")
        self._first, self._at_pair = (np.array([a.ctypes.data for a in x]) for x in (self.inputs, self._pair))
        self._stride = np.array([a.strides[0] for a in self.inputs])

    def show(self, memory: Memory, values: Mapping[int, float], n: int) -> None:
        """Let kernels see the next n steps, with what a controller holds."""
        k = self.row
        for column, value in values.items():
            self.inputs.effort[k : k + n + 1, column] = value
        if memory.table is None:
            memory.replace(inputs=Inputs(*(a[k:] for a in self.inputs)))
        else:
            memory.table[self._pointers] = self._first + k * self._stride

    def show_change(self, memory: Memory, before: Mapping[int, float], after: Mapping[int, float]) -> None:
        """Let kernels see the present time twice, with what a controller held before and what it holds now."""
        for two, rows in zip(self._pair, self.inputs, strict=True):
            two[:] = rows[self.row]
        effort = self._pair.effort
        for column, value in before.items():
            effort[0, column] = value
        for column, value in after.items():
            effort[1, column] = value
        if memory.table is None:
            memory.replace(inputs=self._pair)
        else:
            memory.table[self._pointers] = self._at_pair
