"""`Motion`: stored states of a mechanism at the stored times, and its inputs there; every accessor reads from it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import rule_rows, users
from cosserat.compile.state_loads import carried_inertias, state_wrenches
from cosserat.compile.timetable import SIDE
from cosserat.kernels.arrays import History, Inputs
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.mechanism import Mechanism, mechanism_of
from cosserat.results.trajectory import Crossed, FloatingRecord, Pending, Phase, Trajectory, as_simulated, kept_now


class Motion:
    """States over time."""

    def __init__(
        self,
        mechanism: Mechanism | Callable[[], Mechanism],
        time: Array,
        history: History | Pending,
        settings: Mapping[str, Any],
        sample: Callable[[], tuple[Inputs, dict[str, Array]]],
        parameters: dict[str, float] | None = None,
        model: Model | None = None,
        crossed: Crossed | None = None,
        respond: Callable[[Array, History, Inputs], None] | None = None,
        record: FloatingRecord | None = None,
        phases: tuple[Phase, ...] = (),
    ) -> None:
        self._mechanism = mechanism
        self.phases = phases  # in which other joints are open; empty: none ever is
        self._respond = respond  # writes what laws answer to states into inputs
        self.crossed = crossed  # where powers jump
        self.record = record  # coordinates in floating frames
        self.model = model  # as it was run: what was added or removed later does not show; None: see the trajectory
        self.parameters = parameters  # values at the time of the run; None: not recorded
        self.time = time
        self._found = history
        self.floating = settings.get("formulation") == "floating"
        self._conserves = settings.get("integrator") == "energy-momentum"
        # columns of efforts that are those a controller held up to the stored times; True in older files: all
        self.commanded: Any = settings.get("controlled") or []
        self._kept: dict[str, Array] = {}
        self._sample = sample
        self._sampled: tuple[Inputs, dict[str, Array]] | None = None

    @property
    def mechanism(self) -> Mechanism:
        """What moves, made when it is first asked for."""
        if not isinstance(self._mechanism, Mechanism):
            self._mechanism = self._mechanism()
        return self._mechanism

    @property
    def states(self) -> History:
        """What was stored; multipliers that were not asked for yet may be missing."""
        return self._found.states if isinstance(self._found, Pending) else self._found

    @property
    def frame(self) -> Array:
        """Frames (nt, n+1, 12) of the nodes and of the ground."""
        return self.states.frame

    @property
    def twist(self) -> Array:
        """Twists (nt, n+1, 6) of the nodes."""
        return self.states.twist

    @property
    def angle(self) -> Array:
        """Coordinates (nt, nf) of joints whose turns are counted."""
        return self.states.angle

    @property
    def spent(self) -> Array | None:
        """What damping and friction took so far (nt,), J, where steps have summed it up."""
        spent = self.states.spent[:, 0]
        return spent if self._conserves and len(spent) == len(self.time) and np.isfinite(spent).all() else None

    @property
    def rate(self) -> Array:
        """Rates (nt, n+1, 6) of the twists."""
        return self.states.rate

    @property
    def force(self) -> Array:
        """Multipliers (nt, nj, 6) of the joints."""
        return (self._found.complete if isinstance(self._found, Pending) else self._found).force

    @property
    def inputs(self) -> Inputs:
        """Gravity, prescribed motions, efforts and loads at the stored times."""
        return self.sample()[0]

    @property
    def prescribed(self) -> dict[str, Array]:
        """Prescribed coordinates over time, by coordinate name."""
        return self.sample()[1]

    def sample(self) -> tuple[Inputs, dict[str, Array]]:
        """Inputs and prescribed coordinates, sampled when they are first asked for."""
        if self._sampled is None:
            self._sampled = self._sample()
        return self._sampled

    def held(self, column: int) -> bool:
        """Whether what a column of efforts holds is what a controller held up to the stored times."""
        return column >= 0 and (self.commanded is True or column in self.commanded)

    def held_before(self) -> Motion:
        """The same states under what a controller held from each on, up to the next."""
        effort = self.inputs.effort.copy()
        for column in range(effort.shape[1]):
            if self.held(column):
                effort[:-1, column] = effort[1:, column]
        return self.with_inputs(self.inputs._replace(effort=effort))

    def with_inputs(self, inputs: Inputs) -> Motion:
        """The same states under other inputs."""
        other = copy.copy(self)
        other._kept, other._sampled = {}, (inputs, self.prescribed)
        return other

    def displaced(self, **states: Array) -> Motion:
        """Other states (k, ...) of its last moment under its inputs: frames, twists, ...; what is not given stays."""
        count = len(next(iter(states.values())))
        there = {**self.states._asdict(), "force": self.force}
        history = History(**{name: np.repeat(a[-1:], count, axis=0) for name, a in there.items()} | states)
        time = np.repeat(self.time[-1:], count)

        def sample() -> tuple[Inputs, dict[str, Array]]:
            inputs = Inputs(*(np.repeat(a[-1:], count, axis=0) for a in self.inputs))
            if self._respond is not None:
                self._respond(time, history, inputs)
            return inputs, {name: np.repeat(q[-1:], count) for name, q in self.prescribed.items()}

        return Motion(self._mechanism, time, history, {}, sample, self.parameters, respond=self._respond)

    def kept(self, name: str, make: Callable[[], Array]) -> Array:
        """What several accessors need, made when it is first asked for."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def in_phases(self, find: Callable[[Motion], Array]) -> Array:
        """What `find` makes of a motion, time first, from each part of it in which the same joints are open."""
        if not self.phases:
            return find(self)
        return np.concatenate([find(part) for part in self.parts])

    @property
    def parts(self) -> list[Motion]:
        """The parts of the motion in which the same joints are open, each of a mechanism without these."""
        if not self.phases:
            return [self]
        ends = [*(phase.first for phase in self.phases[1:]), len(self.time)]
        return [self._part(slice(phase.first, end), phase) for phase, end in zip(self.phases, ends, strict=True)]

    def _part(self, rows: slice, phase: Phase) -> Motion:
        history = History(*(a[rows] for a in self.states._replace(force=self.force)))
        sampled = Inputs(*(a[rows] for a in self.inputs)), {name: q[rows] for name, q in self.prescribed.items()}
        mechanism = self.mechanism.opened(phase.open)
        part = Motion(mechanism, self.time[rows], history, {}, lambda: sampled, self.parameters, self.model)
        part.commanded, part.floating = self.commanded, self.floating
        return part

    def closed(self, joint: str) -> NDArray[np.bool_]:
        """Whether a joint is closed at the stored times (nt,)."""
        out = np.ones(len(self.time), dtype=bool)
        for phase in self.phases:
            out[phase.first :] = joint not in phase.open
        return out

    def engaged(self, joint: str) -> list[int]:
        """Numbers of the stored states at which an event engaged a joint."""
        pairs = pairwise(self.phases)
        return [after.first for before, after in pairs if joint in before.open and joint not in after.open]

    def at_reference(self) -> Motion:
        """The mechanism at rest in its reference configuration, as a motion of one moment."""
        frame = self.mechanism.frames[None]
        still = np.zeros((1, frame.shape[1], 6))
        history = History(frame, still, still, np.zeros((1, *self.force.shape[1:])), np.zeros((1, self.angle.shape[1])))
        return Motion(self.mechanism, self.time[:1], history, {}, self._sample, self.parameters)

    def node(self, i: int) -> tuple[Array, Array]:
        """Rotations (nt, 3, 3) and positions (nt, 3) of a node."""
        return self.frame[:, i, :9].reshape(-1, 3, 3), self.frame[:, i, 9:]

    @property
    def moving(self) -> tuple[Array, Array, Array]:
        """Frames, twists and rates with time as the last axis: so functions of kernels take all states at once."""
        return last(self.frame), last(self.twist), last(self.rate)

    def placed(self, i: int, frame: Array) -> tuple[Array, Array]:
        """Rotations (nt, 3, 3) and positions (nt, 3) of a frame (4, 4) that is fixed to a node."""
        R, x = self.node(i)
        return R @ frame[:3, :3], x + R @ frame[:3, 3]


def last(array: Array) -> Array:
    """An array over time with time as the last axis."""
    return np.moveaxis(array, 0, -1)


def motion_of(trajectory: Trajectory, mechanism: Mechanism | Callable[[], Mechanism] | None = None) -> Motion:
    """The motion that a solver stored; the mechanism of its compiled model is made if it is not given."""
    model, now = trajectory.kept or kept_now(trajectory.model)
    values = now if len(trajectory.time) > 1 else None
    factor = float(trajectory.settings.get("load_factor", 1.0))
    laws = bool(model.state_loads or (model.rolling and users(model)))

    def respond(time: Array, history: History, inputs: Inputs, seen: Array | None = None) -> None:
        compiled = trajectory.compiled
        states, at = (history.frame, history.twist), time if seen is None else seen
        inputs.state[:] = factor * state_wrenches(compiled, at, *states, history.inner, inputs.effort)
        inputs.carried[:] = carried_inertias(compiled, at, *states)
        inputs.rule[:] = rule_rows(compiled, time, *states)

    def sample() -> tuple[Inputs, dict[str, Array]]:
        with as_simulated(model, values):
            compiled = trajectory.compiled
            sampler, h = compiled.sampler, _equal_step(trajectory)
            looked = h != 0.0 or trajectory.crossed is not None
            jumps = compiled.timetable.jumps(trajectory.time[0], trajectory.time[-1]) if looked else None
            seen = trajectory.time
            if jumps is not None and jumps.laws:  # on the side of their jumps that is stored
                seen = _after(seen) if trajectory.parted else seen + SIDE * min(h, 0.0)
            if trajectory.parted:
                inputs = sampler.sample(_after(trajectory.time), factor)
            else:
                inputs = sampler.sample(trajectory.time, factor, h, jumps)
            if trajectory.efforts is not None:
                inputs = inputs._replace(effort=trajectory.efforts)
            if laws:
                found = trajectory.found
                respond(trajectory.time, found.states if isinstance(found, Pending) else found, inputs, seen)
            prescribed = prescribed_at(compiled, trajectory.time)
        return inputs, prescribed

    def made() -> Mechanism:
        with as_simulated(model, values):
            return mechanism_of(replace(trajectory.compiled, model=model))

    if mechanism is None:
        mechanism = made() if values is None else made
    return Motion(
        mechanism, trajectory.time, trajectory.found, trajectory.settings, sample, values, model, trajectory.crossed,
        respond if laws else None,
        trajectory.floating, trajectory.phases,
    )  # fmt: skip


def prescribed_at(compiled: CompiledModel, times: Array) -> dict[str, Array]:
    """Prescribed coordinates (nt,) at times, by coordinate name."""
    return {
        coordinate: function.sample(times)
        for joint in compiled.sampler.driven
        for coordinate, function in zip(joint.coordinates, joint.motion, strict=True)
        if function is not None
    }


def _equal_step(trajectory: Trajectory) -> float:
    """The length of the steps if every one was stored, and loads acted as `Jumps` has it; else zero.

    Adaptive steps end where loads jump, and the states stored there are those before: a negative length.
    """
    step, time = trajectory.settings.get("step"), trajectory.time
    if len(time) < 3:
        return 0.0
    if step is None:
        return -float(np.diff(time).min()) if trajectory.crossed is not None else 0.0
    return float(step) if np.abs(np.diff(time) - step).max() < 1e-6 * step else 0.0


def _after(time: Array) -> Array:
    """Just after stored times, and before the last: the states stored at jumps are those after, but for the end."""
    side = 1e-9 * float(np.diff(time).min())
    return np.minimum(time + side, time[-1] - side)


def virtual_motion(motion: Motion, increments: Array) -> Motion:
    """The last state of a motion with left increments (6n,) or (k, 6n) of its nodes for twists, k times."""
    n = motion.mechanism.n_nodes
    twist = np.zeros((increments.size // (6 * n) if n else 1, n + 1, 6))
    twist[:, :n] = increments.reshape(-1, n, 6)
    return motion.displaced(twist=twist, rate=np.zeros_like(twist))
