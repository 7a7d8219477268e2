"""Columns of inputs and rows of outputs of linear equations, whatever their unknowns are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.solve.linear.input_columns import Column


@dataclass(frozen=True)
class InputPorts:
    """Columns of all inputs: force (6n, k), drive (m, k)."""

    columns: tuple[Column, ...]
    force: Array
    drive: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(column.name for column in self.columns)

    def inner(self, ny: int) -> Array:
        """What the inputs add to the rates of states of laws (ny, k)."""
        none = np.zeros(ny)
        return np.array([none if c.inner is None else c.inner for c in self.columns]).reshape(-1, ny).T


@dataclass(frozen=True)
class OutputPorts:
    """Rows of all outputs: y = position x + rate x' + acceleration x" + multiplier lambda + direct u.

    `kinds` and `values` (at the point) go with `names`.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    position: Array
    rate: Array
    acceleration: Array
    multiplier: Array
    direct: Array
    values: Array

    def at(self, s: complex, x: Array, multipliers: Array, u: Array) -> Array:
        """Outputs of a motion x exp(s t) with its multipliers under inputs u exp(s t); columns may be several."""
        turned = self.position @ x + s * (self.rate @ x) + s * s * (self.acceleration @ x)
        return np.asarray(turned + self.multiplier @ multipliers + self.direct @ u)
