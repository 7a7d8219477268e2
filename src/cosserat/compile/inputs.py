"""Functions of time to samples: gravity, prescribed motions, efforts and loads at given times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.rows import drive_frames
from cosserat.kernels.arrays import Inputs
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.joints import Joint

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WrenchSource:
    """Where the six numbers of a sampled wrench come from."""

    force: VectorFunction | None
    moment: VectorFunction | None


@dataclass(frozen=True)
class Sampler:
    """Everything in a mechanism that depends on time."""

    gravity: Array
    driven: tuple[Joint, ...]
    efforts: tuple[TimeFunction, ...]
    wrenches: tuple[WrenchSource, ...]
    n_state: int = 0  # number of loads that depend on the state

    def sample(self, t: Array, load_factor: float = 1.0, jump: float = 0.0) -> Inputs:
        """Inputs at times t; the load factor scales gravity, efforts and wrenches, not prescribed motions.

        With `jump` > 0, efforts and wrenches are the mean of their values that long before and after: at a jump this
        is what keeps the integrators second order.
        """
        n = len(t)
        drive = np.zeros((n, len(self.driven), 21))
        for k, joint in enumerate(self.driven):
            drive[:, k] = drive_frames(joint, t, order=0)[0]
        return self._inputs(t, drive, load_factor, jump)

    def sample_rates(self, t: Array) -> tuple[Array, Array, Array]:
        """Prescribed motions and their first two derivatives: three arrays (nt, n_driven, 21)."""
        values = [drive_frames(joint, t) for joint in self.driven]
        empty = np.zeros((len(t), 0, 21))
        stack: Callable[[int], Array] = lambda k: np.stack([v[k] for v in values], 1) if values else empty  # noqa: E731
        return stack(0), stack(1), stack(2)

    def _inputs(self, t: Array, drive: Array, load_factor: float, jump: float) -> Inputs:
        n = len(t)
        effort = np.zeros((n, len(self.efforts)))
        for k, function in enumerate(self.efforts):
            effort[:, k] = load_factor * mean_sample(function, t, jump)
        wrench = np.zeros((n, len(self.wrenches), 6))
        for k, source in enumerate(self.wrenches):
            if source.force is not None:
                wrench[:, k, :3] = load_factor * mean_sample(source.force, t, jump)
            if source.moment is not None:
                wrench[:, k, 3:] = load_factor * mean_sample(source.moment, t, jump)
        gravity = np.broadcast_to(load_factor * self.gravity, (n, 3)).copy()
        clock = np.stack((np.asarray(t, dtype=float), np.full(n, load_factor)), axis=1)
        return Inputs(gravity, drive, effort, wrench, clock, np.zeros((n, self.n_state, 6)))


def mean_sample(function: TimeFunction | VectorFunction, t: Array, jump: float) -> Array:
    """Values at times t; with `jump` > 0 the mean of those that long before and after."""
    if jump == 0.0 or function.is_constant:
        return function.sample(t)
    before = np.maximum(t - jump, min(float(t[0]), 0.0))  # never before the start
    return np.asarray(0.5 * (function.sample(before) + function.sample(t + jump)))
