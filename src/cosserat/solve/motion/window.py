"""Inputs sampled once for many steps: a controller that is called at every step need not pay for sampling."""

from __future__ import annotations

import numpy as np

from cosserat.compile.inputs import Sampler
from cosserat.compile.jumps import Jumps
from cosserat.kernels.arrays import Inputs, handles
from cosserat.lie.protocol import Array
from cosserat.model.parameters import Parameter
from cosserat.solve.memory import Memory

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

    def __init__(self, sampler: Sampler, times: Array, h: float, side: float, jumps: Jumps | None) -> None:
        count = len(times) - 1
        self.h, self.row, self.count = h, 0, count
        self.inputs = sampler.sample(times, step=side, jumps=jumps)
        self._part = handles.part("inputs")
        table = np.zeros(handles.size, dtype=np.int64)
        handles.repack(table, "inputs", self.inputs)
        self._shown = np.repeat(table[None, self._part], count + 1, axis=0)  # addresses and shapes, row by row
        pointers = handles.pointers("inputs") - self._part.start
        self._shown[:, pointers] += np.arange(count + 1)[:, None] * np.array([a.strides[0] for a in self.inputs])

    def show(self, memory: Memory) -> None:
        """Let kernels see the steps from the present row on."""
        if memory.table is None:
            memory.replace(inputs=Inputs(*(a[self.row :] for a in self.inputs)))
        else:
            memory.table[self._part] = self._shown[self.row]


class Steady:
    """Inputs of one step where nothing but the clock changes with time: the same arrays for all steps.

    Attributes
    ----------
    valid : bool
        Whether that is so.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler, self._changes = sampler, -1
        self._inputs: Inputs
        self.valid = not sampler.varying and not sampler.driven

    def at(self, times: Array) -> Inputs:
        """Inputs at both ends of a step; efforts may have those of a controller in them."""
        if self._changes != Parameter.changes:
            self._inputs, self._changes = self._sampler.sample(times), Parameter.changes
        self._inputs.clock[:, 0] = times
        return self._inputs
