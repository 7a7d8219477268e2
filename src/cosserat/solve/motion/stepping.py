"""Drivers of the compiled time loop: fixed steps with halving where Newton fails, and adaptive steps."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import failing_law
from cosserat.kernels.arrays import History, Inputs, State
from cosserat.kernels.integrate import advance, load_careful, load_search, load_stages, local_error
from cosserat.kernels.newton import CONVERGED, NOT_CONVERGED, NOT_FINITE, WRONG_BRANCH
from cosserat.results.status import Outcome, Status
from cosserat.solve.initial import EPSILON
from cosserat.solve.memory import Memory, copy_state, new_history, new_state
from cosserat.solve.motion.control import Controlled

Array = NDArray[np.float64]
Progress = Callable[[float, "Counters"], None]

_MAX_HALVINGS = 10
_CHUNK = 4096
_NEVER = 2**62

_OUTCOMES = {NOT_FINITE: Outcome.NOT_FINITE, WRONG_BRANCH: Outcome.WRONG_BRANCH}


class Counters:
    """Work done by the integrator."""

    def __init__(self, raw: NDArray[np.int64]) -> None:
        self._raw = raw
        self.halved = 0
        self.rejected = 0

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self._raw[0])

    @property
    def solves(self) -> int:
        """Evaluations of the residual, each with one back-substitution."""
        return int(self._raw[1])

    @property
    def factorizations(self) -> int:
        """Matrices assembled and factored."""
        return int(self._raw[2])

    @property
    def careful(self) -> int:
        """Steps that the iteration with frozen factors could not solve."""
        return int(self._raw[3])

    @property
    def stalled(self) -> int:
        """Steps accepted though rounding errors kept the iteration above its tolerance, as near a singular pose."""
        return int(self._raw[4])

    @property
    def searched(self) -> int:
        """Steps that needed a line search, and were solved by it."""
        return int(self._raw[5])

    def forget(self, steps: int) -> None:
        """Take back steps that were repeated."""
        self._raw[0] -= steps


@dataclass
class Integration:
    """Everything the drivers share."""

    compiled: CompiledModel
    memory: Memory
    rho: float
    scheme: float  # 0: generalised-alpha, 1: conserving
    newton_tolerance: float
    progress: Progress | None = None
    controlled: Controlled | None = None

    def __post_init__(self) -> None:
        self.counters = Counters(self.memory.problem.solver.counters)
        self.report = np.zeros(3, dtype=np.int64)
        self.accel_step = 0.0  # the step to which state.accel belongs
        self.careful: Any = 0  # iterations for hard steps, loaded when the first one comes
        self.search: Any = 0
        self._backup = new_state(self.compiled), 0.0
        self.set_step(1.0)
        self.evaluate = load_stages(self.memory.table, self.memory.problem)

    def set_step(self, h: float) -> None:
        """Numbers for the kernels; their order is that of `kernels.arrays.Solver.settings`."""
        c = self.compiled
        gravity = float(np.linalg.norm(c.sampler.gravity))
        values = (h, self.rho, self.newton_tolerance, c.mass, c.length, EPSILON, self.scheme, gravity)
        self.memory.problem.solver.settings[:] = values

    @property
    def state(self) -> State:
        """The state of the integrator."""
        return self.memory.problem.state

    def keep(self) -> None:
        """Remember the state, for `restore`."""
        copy_state(self.state, self._backup[0])
        self._backup = self._backup[0], self.accel_step

    def restore(self) -> None:
        """Go back to the state kept last."""
        copy_state(self._backup[0], self.state)
        self.accel_step = self._backup[1]

    @property
    def kept(self) -> State:
        """The state kept last."""
        return self._backup[0]

    def run(self, times: Array, h: float, every: int, phase: int, row: int, *, search: bool = False) -> int:
        """Steps of size h ending at times[1:], if wanted with a line search; see `kernels.integrate.advance`."""
        inputs = self.compiled.sampler.sample(times, jump=1e-7 * h)
        if self.controlled is not None:
            inputs = self.controlled.apply(inputs)
        self.set_step(h)
        if self.accel_step not in (0.0, h):
            # a is the acceleration at a time shifted by a fixed part of the step: without this, changing steps cost
            # one order of accuracy
            accel, rate = self.state.accel, self.state.rate
            ratio = h / self.accel_step
            accel[:] = rate + (ratio if ratio <= 3.0 else 0.0) * (accel - rate)
        self.accel_step = h
        n, done, stored = len(times) - 1, 0, 0
        while True:
            self.memory.replace(inputs=Inputs(*(a[done:] for a in inputs)))
            last = self.search if search else 0
            where = (n - done, every, phase + done, row + stored, self.report)
            code = advance(self.memory.address, *where, self.evaluate, self.careful, last)
            done += int(self.report[0])
            stored += int(self.report[1])
            if code in (CONVERGED, WRONG_BRANCH) or not self._load_more(search):
                self.report[:2] = done, stored
                return code

    def _load_more(self, search: bool) -> bool:
        """Get ready what to try next where a step cannot be solved; False if there is nothing more."""
        memory = self.memory
        if self.careful == 0:
            self.careful = load_careful(memory.table, memory.problem, self.evaluate)
            return True
        if search and self.search == 0:
            self.search = load_search(memory.table, memory.problem, self.evaluate)
            return True
        return False

    def recorded_efforts(self, times: Array) -> Array | None:
        """Efforts (nt, n_efforts) at given times if a controller was in the loop."""
        if self.controlled is None:
            return None
        return self.controlled.efforts_at(times, self.compiled.sampler.sample(times).effort)

    def detail(self) -> str:
        """The joint that stopped the last run, or the law of a load that failed, if one did."""
        joint = int(self.report[2])
        if joint >= 0 or not self.compiled.laws:
            return f"joint '{self.compiled.joints[joint].name}'" if joint >= 0 else ""
        clock = self.memory.problem.inputs.clock[:, 0]
        times = np.unique(clock[[0, min(1, len(clock) - 1), -1]])
        frames, twists = (np.repeat(a[None], len(times), axis=0) for a in (self.state.frame, self.state.twist))
        return failing_law(self.compiled, times, frames, twists)


def store(state: State, history: History, row: int) -> None:
    """Put a state into a history."""
    for array, value in zip(history, (state.frame, state.twist, state.rate, state.force, state.angle), strict=True):
        array[row] = value


def fixed_steps(work: Integration, start: float, n_steps: int, h: float, every: int) -> tuple[Array, History, Status]:
    """n_steps of size h; a step that fails is tried with a line search, then split into 2, 4, ... parts."""
    history = new_history(work.compiled, 1 + -(-n_steps // every))
    work.memory.replace(history=history)
    store(work.state, history, 0)
    row, done = 1, 0
    chunk = 64 if work.progress is not None else _CHUNK
    status = Status(Outcome.OK, start + n_steps * h)
    while done < n_steps:
        n = min(chunk, n_steps - done)
        if work.controlled is not None:
            n = min(n, _until_next_call(work, start, done, h))
        times = np.asarray(start + h * np.arange(done, done + n + 1), dtype=np.float64)
        began = clock.perf_counter()
        try:
            code = work.run(times, h, every, done, row, search=True)
        except KeyboardInterrupt:
            status = Status(Outcome.INTERRUPTED, start + done * h)
            break
        done += int(work.report[0])
        row += int(work.report[1])
        if code != CONVERGED:
            failed = _split_step(work, start + done * h, h)
            if failed is not None:
                status = failed
                break
            done += 1
            if done % every == 0:
                store(work.state, history, row)
                row += 1
        if work.progress is not None:
            work.progress(start + done * h, work.counters)
            pace = (clock.perf_counter() - began) / max(1, n)
            chunk = int(np.clip(0.1 / max(pace, 1e-9), 1, _CHUNK))
    times = np.asarray(start + h * every * np.arange(row), dtype=np.float64)
    if done % every != 0:  # the state at the end is always stored
        store(work.state, history, row)
        times = np.append(times, start + h * done)
        row += 1
    return times, History(*(a[:row] for a in history)), status


def _until_next_call(work: Integration, start: float, done: int, h: float) -> int:
    """Call the controller if it is due; returns the number of steps until it is due again."""
    assert work.controlled is not None
    period = work.controlled.period
    per_call = 1 if period is None else max(1, int(round(period / h)))
    if done % per_call == 0:
        work.controlled.update(start + done * h, work.state)
    return per_call - done % per_call


def _split_step(work: Integration, t: float, h: float) -> Status | None:
    """Take the step from t to t + h in ever smaller parts; None on success."""
    work.keep()
    code = NOT_CONVERGED
    for level in range(1, _MAX_HALVINGS + 1):
        parts = 2**level
        work.counters.halved += 1
        code = work.run(t + h * np.arange(parts + 1) / parts, h / parts, _NEVER, 0, 0)
        if code == CONVERGED:
            work.counters.forget(parts - 1)
            return None
        work.counters.forget(int(work.report[0]))
        work.restore()
    detail = work.detail() or f"step cut to {h / 2**_MAX_HALVINGS:.3g} s"
    return Status(_OUTCOMES.get(code, Outcome.NOT_CONVERGED), t, detail)


def adaptive_steps(work: Integration, start: float, duration: float, tolerance: float) -> tuple[Array, History, Status]:
    """Steps chosen so that a hundred of them commit an estimated position error of at most tolerance * size.

    An error per step, not per time: a vibration too small to matter is then never resolved, however fast it is.
    """
    compiled = work.compiled
    allowed = 0.01 * tolerance * compiled.size
    h = min(duration / 10.0, _first_step(work))
    smallest = 1e-7 * duration
    rows, times = [_snapshot(work.state)], [start]
    error = np.zeros(1)
    work.memory.replace(history=new_history(compiled, 1))
    t, end = start, start + duration
    status = Status(Outcome.OK, end)
    try:
        while t < end - 1e-12 * duration:
            h = min(h, end - t)
            if end - t - h < 0.1 * h:
                h = end - t if end - t <= 1.1 * h else h
            work.keep()
            if work.controlled is not None:
                h = _controlled_step(work, t, h, start)
            code = work.run(np.array([t, t + h], dtype=np.float64), h, _NEVER, 0, 0)
            if code != CONVERGED:
                work.restore()
                work.counters.rejected += 1
                h *= 0.5
                if h < smallest:
                    status = Status(_OUTCOMES.get(code, Outcome.NOT_CONVERGED), t, work.detail())
                    break
                continue
            local_error(work.memory.address, work.kept.rate, error)
            ratio = error[0] / allowed
            if ratio > 1.0 and h > smallest:
                work.restore()
                work.counters.forget(1)
                work.counters.rejected += 1
                h *= float(np.clip(0.9 / np.cbrt(ratio), 0.2, 0.8))
                if h < smallest:
                    status = Status(Outcome.STEP_TOO_SMALL, t)
                    break
                continue
            t += h
            times.append(t)
            rows.append(_snapshot(work.state))
            if work.progress is not None:
                work.progress(t, work.counters)
            growth = float(np.clip(0.9 / np.cbrt(max(ratio, 1e-12)), 0.5, 2.0))
            if growth > 1.3 or growth < 0.9:  # otherwise keep the step, and with it the factors
                h *= growth
    except KeyboardInterrupt:
        status = Status(Outcome.INTERRUPTED, t)
    history = History(*(np.stack([row[k] for row in rows]) for k in range(5)))
    return np.asarray(times), history, status


def _controlled_step(work: Integration, t: float, h: float, start: float) -> float:
    """Call the controller if it is due, and shorten the step to its next call."""
    assert work.controlled is not None
    period = work.controlled.period
    if period is None:
        work.controlled.update(t, work.state)
        return h
    phase = (t - start) / period
    nearest = round(phase)
    if abs(phase - nearest) < 1e-9:
        work.controlled.update(t, work.state)
        phase = nearest
    remaining = float(start + (np.floor(phase) + 1) * period - t)
    return remaining / max(1, int(np.ceil(remaining / h - 1e-9)))  # equal parts, no tiny last one


def _snapshot(state: State) -> tuple[Array, ...]:
    return state.frame.copy(), state.twist.copy(), state.rate.copy(), state.force.copy(), state.angle.copy()


def _first_step(work: Integration) -> float:
    """A step over which the initial acceleration moves nothing by more than a thousandth of the size."""
    size = work.compiled.size
    a = float(np.max(np.abs(work.state.rate[:, :3]), initial=0.0))
    v = float(np.max(np.abs(work.state.twist[:, :3]), initial=0.0))
    steps = [x for x in (np.sqrt(2e-3 * size / a) if a > 0 else None, 1e-2 * size / v if v > 0 else None) if x]
    return float(min(steps)) if steps else np.inf
