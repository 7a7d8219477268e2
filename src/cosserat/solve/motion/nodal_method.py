"""Steps of a `Method` in the Galilean formulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.skeleton import extent
from cosserat.kernels.alpha import move
from cosserat.kernels.residual import track_angles
from cosserat.lie.protocol import Array
from cosserat.results.run import Run
from cosserat.results.trajectory import Trajectory
from cosserat.solve.initial import consistent_accelerations, correct_positions, project_velocities, set_trial
from cosserat.solve.memory import Memory, loaded_memory
from cosserat.solve.motion.asked import Asked
from cosserat.solve.motion.method import Method, MotionState, MotionSystem
from cosserat.solve.motion.starting import set_start
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.storing import Shelf
from cosserat.solve.motion.walk import StepFailure, Walk

_MOST_CORRECTIONS, _CLOSED = 8, 1e-13  # of positions to joints, and gaps relative to the extent that count as none


class NodalSystem(MotionSystem):
    """A compiled model as a `Method` sees it."""

    def __init__(self, compiled: CompiledModel, memory: Memory) -> None:
        self.compiled, self.memory, self.tally = compiled, memory, Tally()
        self._twists = compiled.n_nodes + 1

    def _joined(self, twists: Array, inner: Array) -> Array:
        """Twists, and behind them rows with the states of laws."""
        rows = np.zeros((-(-len(inner) // 6), 6))
        rows.ravel()[: len(inner)] = inner
        return np.vstack((twists, rows))

    def parts(self, v: Array) -> tuple[Array, Array]:
        """Twists and states of laws."""
        return v[: self._twists], v[self._twists :].ravel()[: self.compiled.n_inner]

    def now(self, t: float) -> MotionState:
        """The state in memory."""
        state = self.memory.problem.state
        return MotionState(t, state.frame.copy(), self._joined(state.twist, state.inner[0]), state.angle.copy())

    def _put(self, state: MotionState) -> None:
        known = self.memory.problem.state
        known.frame[:], known.angle[:] = state.place, state.angles
        known.twist[:], known.inner[0] = self.parts(state.v)

    def acceleration(self, state: MotionState) -> Array:
        self._put(state)
        self.tally.counts[1:3] += 1
        sampler, at = self.compiled.sampler, self.load_time(state.t)
        inputs = sampler.sample(np.array([at]))
        if at != state.t and sampler.driven:
            inputs = inputs._replace(drive=sampler.sample(np.array([state.t])).drive)
        consistent_accelerations(self.compiled, state.t, self.memory, inputs)
        found = self.memory.problem.state
        return self._joined(found.rate, found.inner[1])

    def moved(self, state: MotionState, dt: float, x: Array, dv: Array) -> MotionState:
        frame = state.place.copy()
        move(state.place, np.ascontiguousarray(x[: self._twists], dtype=float), 1.0, frame)
        trial = self.memory.problem.trial
        trial.frame[:], trial.angle[:] = frame, state.angles
        track_angles(self.memory.address)
        v = state.v + dv
        v[self._twists - 1] = 0.0  # the ground
        return MotionState(state.t + dt, frame, v, trial.angle.copy())

    def closed(self, state: MotionState) -> MotionState:
        if not self.compiled.n_multipliers:
            return state
        memory, known, closed = self.memory, self.memory.problem.state, _CLOSED * self.compiled.size
        self._put(state)
        memory.replace(inputs=self.compiled.sampler.sample(np.array([state.t])))
        correct_positions(self.compiled, memory, lambda phi: float(np.abs(phi).max()), closed, _MOST_CORRECTIONS)
        set_trial(memory, known)
        track_angles(memory.address)
        known.angle[:] = memory.problem.trial.angle
        project_velocities(self.compiled, state.t, memory)
        return self.now(state.t)


class MethodWalk(Walk):
    """Steps of a method; see `driver.EqualSteps`."""

    remedy = "a method of one's own may need steps that resolve every vibration"

    def __init__(self, method: Method, system: NodalSystem, t: float) -> None:
        super().__init__()
        self.method, self.system, self.order = method, system, method.order
        self.size = extent(system.compiled.model, system.compiled.frames, system.compiled.length)
        self.now, self.tally = system.now(t), system.tally
        self.shelf = Shelf(system.compiled, system.memory, False)

    def steps(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """One step, others follow."""
        try:
            with np.errstate(all="ignore"):
                self.now = self.system.take(self.method, self.now._replace(t=t), h)
        except StepFailure as failure:
            return failure
        self.done += 1
        self.tally.add(1)
        if (phase + 1) % every == 0:
            self.store()
        return None

    def store(self) -> None:
        self.system.acceleration(self.now)
        self.shelf.put(self.tally.steps, 0.0)

    @property
    def n_stored(self) -> int:
        return self.shelf.count

    def saved(self) -> Any:
        return self.now, self.tally.steps

    def load(self, saved: Any, goes_on: bool = False) -> None:
        self.now, steps = saved
        self.tally.add(steps - self.tally.steps)


def simulate_method(asked: Asked, method: Method) -> Run:
    """`simulate` with steps of one's own."""
    compiled = compile_model(asked.model)
    memory = loaded_memory(compiled, compiled.sampler.sample(np.array([asked.start_time])))
    t = set_start(compiled, memory, asked.start, asked.start_time).time
    walk = MethodWalk(method, NodalSystem(compiled, memory), t)
    times, status = asked.steps(walk, t, (), None)
    told = asked.recorded(walk, times, status, (compiled.n_nodes, compiled.n_joints))
    return Run(Trajectory(compiled, times, walk.shelf.history(len(times)), **told))
