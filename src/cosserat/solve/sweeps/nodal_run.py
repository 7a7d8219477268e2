"""`NodalRun`: a run in the Galilean formulation for the sweeps."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.kernels.arrays import History, Inputs, State
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.residual import add_inertia, forces, track_angles
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.linear.point import MOMENT, OperatingPoint
from cosserat.solve.linear.ports import input_ports
from cosserat.solve.memory import loaded_memory
from cosserat.solve.sweeps.blocks import BlockPattern
from cosserat.solve.sweeps.conserving_step import Colours, ConservingStep, conserving_left, increments
from cosserat.solve.sweeps.nodal_step import NodalStep, continue_angles
from cosserat.solve.sweeps.nodal_tape import HALT, Entry, NodalChart, Recording, begun, recorded
from cosserat.solve.sweeps.protocol import RESCALE, STEP, LinearMap, MatrixMap, RunMoment, Setting
from cosserat.solve.sweeps.variants import Variant, VariedRun, demand_forces

_PART = 3e-5  # of a length, of a turn, of velocities, accelerations and multipliers: between points of differences


class NodalRun(VariedRun):
    """A recorded run of a model.

    Attributes
    ----------
    work : Recording
        Steps, in the last state.
    first : State
        Before the first map.
    status : Status
    """

    def __init__(self, model: Model, asked: Setting) -> None:
        self.model, self.asked = model, asked
        self.work, self.stored, self.status, self.first = recorded(model, asked)
        self._take(self.work.tape)
        compiled = self.work.compiled
        self.chart = NodalChart(compiled)
        self.size = self.chart.size
        self.times = np.array([entry.times[-1] for entry in self.tape])
        self._memory = loaded_memory(compiled, compiled.sampler.sample(np.array([asked.start_time])))
        self._memory.problem.joints.soft[...] = self.work.memory.problem.joints.soft
        self._pattern = BlockPattern(compiled)
        self._colours = Colours(self._pattern)
        self._restart = -1, MatrixMap(np.zeros((0, 0)))  # the one asked for last
        self.last = State(*(a.copy() for a in self.work.state))

    def linear(self, k: int) -> LinearMap:
        entry = self.tape[k]
        if entry.kind == STEP:
            return self._step(entry)
        n, one = 6 * self.chart.n, np.eye(self.size)
        if entry.kind == RESCALE:
            one[3 * n : 4 * n, 2 * n : 3 * n] = (1.0 - entry.ratio) * np.eye(n)
            one[3 * n : 4 * n, 3 * n : 4 * n] *= entry.ratio
            return MatrixMap(one)
        if entry.kind == HALT:
            one[2 * n : 3 * n] = 0.0
            return MatrixMap(one)
        if self._restart[0] != k:
            restart, work = self.work.restarting(entry), self.work

            def again(i: int, amount: float) -> State:
                work.put(self.moved_state(entry.before, self.unit(i, amount)))
                restart()
                return work.state

            self._restart = k, MatrixMap(self.columns(self.sizes(entry.before), entry.after, again))
        return self._restart[1]

    def _step(self, entry: Entry) -> LinearMap:
        assert entry.inputs is not None
        both = entry.before, entry.after
        if self.work.scheme == CONSERVING:
            return ConservingStep(self.work, self._pattern, self._colours, *both, entry.inputs, entry.h)
        inputs = Inputs(*(a[1:] for a in entry.inputs))
        return NodalStep(self.work.compiled, self._memory, self._pattern, *both, inputs, entry.h, self.asked.rho)

    def sizes(self, state: State) -> Array:
        """Distances (N,) between points of differences."""
        n, length = self.chart.n, self.work.compiled.length
        unit = np.array([length, 1.0]).repeat(3)
        parts = [np.tile(_PART * unit, n)]
        for array in (state.twist, state.rate, state.accel):
            large = max(float(np.max(np.abs(array[:n] / unit), initial=0.0)), 1.0)
            parts.append(np.tile(_PART * large * unit, n))
        large = max(float(np.max(np.abs(state.force), initial=0.0)), 1.0)
        return np.concatenate((*parts, np.full(6 * self.chart.m, _PART * large)))

    def initial_columns(self) -> Array:
        """Derivatives (N, 12 n) of the state before the first map by frames and twists (x, v) at the very start."""

        def start(k: int, amount: float) -> State:
            move = partial(self.chart.move, change=self.unit(k, amount))
            return begun(self.model, self.asked, self.tape, move).state

        lengths = np.array([self.work.compiled.length, 1.0]).repeat(3)
        return self.columns(np.tile(_PART * lengths, 2 * self.chart.n), self.first, start)

    def difference(self, after: State, base: State) -> Array:
        return self.chart.difference(after, base)

    def _variant(self, name: str) -> tuple[Recording, State, list[Inputs | None]]:
        work = begun(self.model, self.asked, self.tape)
        ours, compiled = self.work.compiled, work.compiled
        alike = compiled.frames.shape == ours.frames.shape and compiled.n_multipliers == ours.n_multipliers
        if not alike or len(compiled.freedoms) != len(ours.freedoms):
            raise SolveError(f"gradient: parameter {name!r} changes the number of nodes, joints or freedoms")
        inputs = [
            Inputs(*(a.copy() for a in work.sampled(e.times, e.h))) if e.kind == STEP else None for e in self.tape
        ]
        return work, State(*(a.copy() for a in work.state)), inputs

    def _changed(self, k: int, name: str, variant: Variant) -> Array:
        entry = self.tape[k]
        if entry.kind in (HALT, RESCALE):
            return np.zeros(self.size)
        if entry.kind == STEP:
            return self.left(variant.work, entry, variant.inputs[k])
        # Nodes go with a beam whose length changes: held where they are, it would be strained far too much.
        work, shift, frames = variant.work, np.zeros(self.size), 6 * self.chart.n
        shift[:frames] = self.difference(variant.first, self.first)[:frames]
        with self.moved(name, variant.value):
            work.put(entry.before)
            self.chart.move(work.state, shift)
            continue_angles(work.memory, work.state)
            work.again(entry)
        return self.difference(work.state, entry.after) - self.linear(k).forward(shift)

    def left(self, work: Recording, entry: Entry, inputs: Inputs) -> Array:
        """Residual and values of constraints (M,) of a step, with the equations of a model and some inputs."""
        if work.scheme == CONSERVING:
            given = entry.before, increments(work, entry.before, entry.after), entry.after.force
            residual, phi, _ = conserving_left(work, *given, inputs, entry.h)
            return np.concatenate((residual.ravel(), phi.ravel()))
        memory, trial = work.memory, work.memory.problem.trial
        memory.replace(inputs=Inputs(*(a[1:] for a in inputs)))
        for name in ("frame", "twist", "rate", "force", "angle"):
            getattr(trial, name)[...] = getattr(entry.after, name)
        memory.problem.solver.follow[0] = FROZEN
        track_angles(memory.address)
        forces(memory.address, 0)
        add_inertia(memory.address)
        return np.concatenate((trial.residual[: self.chart.n].ravel(), trial.phi.ravel()))

    def moved_state(self, state: State, change: Array) -> State:
        found = State(*(a.copy() for a in state))
        self.chart.move(found, change)
        continue_angles(self._memory, found)
        return found

    def moment(self, state: State, work: Recording | None = None) -> RunMoment:
        known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0]
        source, t = (self.work if work is None else work).compiled, float(self.stored[-1])
        settings = {"formulation": "galilean", "integrator": self.asked.integrator}
        history = History(*(a[None] for a in known))
        return RunMoment(Trajectory(source, np.array([t]), history, Status(Outcome.OK, t), settings, {}))

    def initial_names(self) -> list[tuple[str, int]]:
        compiled = self.work.compiled
        of_bodies = [(node, name, 1) for name, node in compiled.bodies.items()]
        of_beams = [(mesh.first_node, name, mesh.n_nodes) for name, mesh in compiled.beams.items()]
        return [(name, 6 * count) for _, name, count in sorted(of_bodies + of_beams)]

    def input_sources(self, k: int, items: Any) -> tuple[tuple[str, ...], Array]:
        entry = self.tape[k]
        if self.work.scheme == CONSERVING:
            raise SolveError("gradient: controls are followed by integrator='generalized-alpha'")
        self._step(entry)  # its end is in the memory now
        point = OperatingPoint(self.work.compiled, self._memory, float(entry.times[-1]), MOMENT)
        ports = input_ports(point, items, "gradient")
        demand_forces(ports)
        none = np.zeros((6 * self.chart.m, ports.force.shape[1]))
        return tuple(column.name for column in ports.columns), -np.vstack((ports.force, none))
