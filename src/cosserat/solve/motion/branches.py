"""Whether steps of a driven loop led past a dead point, so that it may be on the other side since."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.arrays import History
from cosserat.lie.protocol import Array

_APART = 0.3  # of what something moves in a step, by its rates or in fact: what these two may differ by
_SMOOTH = 0.03  # the same of the drives: what is asked of them in a step is resolved
_LEAST = 1e-4  # m or rad: moves that tell
_AROUND = 2  # steps before and after: where something turns back it moves less than in these, by rates that are fine


class Leap(NamedTuple):
    """A step in which something moves otherwise than its rates say."""

    time: float  # at its end
    place: int  # what moved
    moved: float
    by_rates: float

    def told(self, what: str) -> str:
        """In words."""
        return f"{what} moved by {self.moved:.3g} in a step where its rates say {self.by_rates:.3g}"


def first_leap(times: Array, q: Array, v: Array, drive: Array, drive_rate: Array) -> Leap | None:
    """The first step in which coordinates, or points (nt, n, 1 or 3) move otherwise than their rates say while drives
    (nt, k) are smooth.

    It tells of mechanisms in which drives and joints leave nothing free: there rates are known without an error.
    """
    if len(times) < 2:
        return None
    moved, mean, apart = _compared(times, q, v)
    _, _, of_drives = _compared(times, drive[..., None], drive_rate[..., None])
    calm = _around(of_drives.max(axis=1, initial=0.0)) < _SMOOTH  # a rate at a kink is that before it, or after it
    found = np.argwhere((apart > _APART) & calm[:, None])
    if not len(found):
        return None
    k, i = (int(x) for x in found[0])
    return Leap(float(times[k + 1]), i, float(moved[k, i]), float(mean[k, i]))


def _compared(times: Array, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """How far something moves in each step, in fact and by its rates at both ends, and how far these are apart, of the
    largest move around.
    """
    moved, h = np.diff(q, axis=0), np.diff(times)[:, None, None]
    first, last = h * v[:-1], h * v[1:]
    mean = 0.5 * (first + last)
    most = _around(np.linalg.norm([moved, first, last], axis=-1).max(axis=0))
    moves, by_rates, between = (np.linalg.norm(x, axis=-1) for x in (moved, mean, moved - mean))
    return moves, by_rates, between / np.maximum(most, _LEAST)


def _around(x: Array) -> Array:
    """The largest of each column in a step and those around it."""
    padded = np.pad(x, [(_AROUND, _AROUND), *[(0, 0)] * (x.ndim - 1)])
    return np.max([padded[k : k + len(x)] for k in range(2 * _AROUND + 1)], axis=0)


def leap_of_nodes(compiled: CompiledModel, soft: Array, times: Array, history: History) -> tuple[float, str] | None:
    """When a body of a driven mechanism without a freedom leaps, and words about it.

    `soft` has projections on what of each joint others imply.
    """
    rows = sum(len(joint.rows.rows) for joint in compiled.joints) - round(float(np.trace(soft, axis1=1, axis2=2).sum()))
    motions = [motion for joint in compiled.sampler.driven for motion in joint.motion if motion is not None]
    if not motions or len(compiled.system.elements.node) or rows < 6 * compiled.n_nodes or not compiled.n_nodes:
        return None
    frames, n = history.frame[:, : compiled.n_nodes], compiled.n_nodes
    turn, velocity = frames[..., :9].reshape(len(times), n, 3, 3), history.twist[:, :n, :3]
    speed = np.einsum("tnij,tnj->tni", turn, velocity)
    drive, rate = (np.stack(values, axis=1) for values in zip(*(m.jet(times)[:2] for m in motions), strict=True))
    found = first_leap(times, frames[..., 9:], speed, drive, rate)
    if found is None:
        return None
    name = next(name for name, node in compiled.bodies.items() if node == found.place)
    return found.time, found.told(repr(name))
