"""What stopped steps, by name, and steps of driven mechanisms that led to a dead point, or past one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import failing_law, leaving
from cosserat.errors import ModelError
from cosserat.kernels.arrays import History
from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome, Status
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.memory import Memory, loaded_memory

_HALVINGS = 12
_APART = 0.3  # of what something moves in a step, by its rates or in fact: what these two may differ by
_SMOOTH = 0.03  # the same of the drives: what is asked of them in a step is resolved
_LEAST = 1e-4  # m or rad: moves that tell
_AROUND = 2  # steps before and after: where something turns back it moves less than in these, by rates that are fine

ENDED = (Outcome.NOT_FINITE, Outcome.NOT_CONVERGED, Outcome.STEP_TOO_SMALL)


def named_failure(compiled: CompiledModel, memory: Memory, joint: int) -> str:
    """The joint that stopped the last run (-1: none did), or the law of a load that failed; empty if there is none."""
    if joint >= 0:
        return f"joint '{compiled.joints[joint].name}'"
    clock = memory.problem.inputs.clock[:, 0]
    times = np.unique(clock[[0, min(1, len(clock) - 1), -1]])
    for here in (memory.problem.state, memory.problem.trial):  # the trial of the last step is where it failed
        now = here.frame, here.twist, here.inner[0]
        frames, twists, inner = (np.repeat(a[None], len(times), axis=0) for a in now)
        found = failing_law(compiled, times, frames, twists, inner)
        if found:
            return found
    return ""


def kept_inside(
    compiled: CompiledModel, times: Array, history: History, status: Status, h: float
) -> tuple[int, Status]:
    """How many of the stored states are within what loads know, and the status, which says where the motion leaves it.

    Within the time h after the last state; the conserving scheme meets laws in the middle of steps and may end outside.
    """

    def state(i: int) -> tuple[Array, ...]:
        return history.frame[i], history.twist[i], history.rate[i], history.inner[i]

    n = len(times)
    if not compiled.laws or not (status.ok or status.outcome in ENDED):
        return n, status
    while n > 1 and leaving(compiled, float(times[n - 1]), state(n - 1), 0.0):
        n -= 1
    if status.ok and n == len(times):
        return n, status
    told = leaving(compiled, float(times[n - 1]), state(n - 1), h)
    if told:
        status = replace(status, outcome=Outcome.BEYOND, time=float(times[n - 1]), detail=told)
    return n, status


def within_reach(compiled: CompiledModel, status: Status, ahead: float) -> Status:
    """The status; of a run that failed, whether there is no pose at some time that follows within `ahead`."""
    if status.outcome not in ENDED or not compiled.sampler.driven or compiled.model.modal_bodies:
        return status
    last, first = status.time, status.time + ahead
    if not _missing(compiled, first) or _missing(compiled, last):  # the run may be where the assembly does not look
        return status
    for _ in range(_HALVINGS):
        middle = 0.5 * (last + first)
        last, first = (last, middle) if _missing(compiled, middle) else (middle, first)
    told = f"no pose is found from t = {first:.6g} s on"
    return replace(status, outcome=Outcome.DEAD_POINT, detail="; ".join(filter(None, (told, status.detail))))


def _missing(compiled: CompiledModel, t: float) -> bool:
    """Whether no pose is found at a time in which all joints hold."""
    memory = loaded_memory(compiled, compiled.sampler.sample(np.array([t])))
    try:
        assemble_configuration(compiled, t, memory)
    except ModelError:
        return True
    return False


class Leap(NamedTuple):
    """A step in which something moves otherwise than its rates say."""

    time: float  # at its end
    place: int  # what moved
    moved: float
    by_rates: float

    def status(self, name: str) -> Status:
        """How a run ends in which something of this name leaps."""
        told = f"{name!r} moved by {self.moved:.3g} in a step where its rates say {self.by_rates:.3g}"
        return Status(Outcome.WRONG_BRANCH, self.time, told)


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


def leap_of_nodes(compiled: CompiledModel, soft: Array, times: Array, history: History) -> Status | None:
    """How a run ends in which a body of a driven mechanism without a freedom leaps; None: none does.

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
    return found.status(name)
