"""A state of a flexible tree at a time, and what is prescribed in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.errors import CosseratError
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction
from cosserat.model.model import Model
from cosserat.results.status import Outcome
from cosserat.solve.relative.flexible_tree import FlexibleTree


class Instant(NamedTuple):
    """A state at a time: coordinates, velocities, accelerations, and the algorithmic accelerations of the method."""

    t: float
    q: Array
    v: Array
    a: Array
    carried: Array
    step: float  # the one to which `carried` belongs, 0: any
    force: Array  # multipliers of the constraints
    angles: Array  # of cut joints
    inner: Array  # (3, ny) states of laws, their rates, the rate-like variable of the method

    @property
    def stored(self) -> States:
        """What is stored of it, as one state over time."""
        parts = self.q, self.v, self.a, self.force, self.angles, self.inner[0]
        return States(*(x[None] for x in parts))


class Start(NamedTuple):
    """Time, coordinates, velocities, angles of cut joints, and states of laws."""

    t: float
    q: Array
    v: Array
    angles: Array
    inner: Array


class States(NamedTuple):
    """States over time: coordinates, velocities, accelerations (nt, n), multipliers, angles, states of laws."""

    q: Array
    v: Array
    a: Array
    force: Array
    angles: Array
    inner: Array


def stacked(parts: list[States]) -> States:
    """States one after another."""
    return States(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class StepFailure(CosseratError):
    """A step that could not be taken."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Advance(NamedTuple):
    """Where a course of steps ended."""

    now: Instant
    done: int
    stored: States | None  # None: none
    failure: StepFailure | None


class Drives:
    """Prescribed coordinates of a model; those of spherical and free joints are constraints instead."""

    def __init__(self, model: Model, tree: FlexibleTree) -> None:
        self.held = np.zeros(len(tree.coordinates), dtype=bool)
        self._functions: list[tuple[int, TimeFunction]] = []
        cut = {loop.joint.name for loop in tree.data.loops}
        for joint in model.joints:
            if joint.name in cut or joint.kind in ("spherical", "free"):
                continue
            for name, motion in zip(joint.coordinates, joint.motion, strict=True):
                if motion is not None:
                    k = tree.coordinates.index(name)
                    self.held[k] = True
                    self._functions.append((k, motion))
        self.columns = np.array([k for k, _ in self._functions], dtype=np.int64)

    def sample(self, times: Array) -> Array:
        """Coordinates, rates and accelerations (nt, 3, k)."""
        found = np.array([np.stack(motion.jet(times)) for _, motion in self._functions])
        found = found.reshape(len(self._functions), 3, len(times))
        return np.ascontiguousarray(np.moveaxis(found, 2, 0).swapaxes(1, 2))

    def impose(self, t: float, q: Array, v: Array, a: Array) -> None:
        """Write prescribed coordinates, rates and accelerations at time t."""
        if self._functions:
            q[self.columns], v[self.columns], a[self.columns] = self.sample(np.array([t]))[0]
