"""States of a model, each as a point about which to linearise; and along parameters, as `SteadyStates` asks for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.errors import ParameterError, SolveError
from cosserat.kernels.arrays import Inputs
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.balance.balance import Attempt, Balance
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import changed_among, inputs_alone, numbers_of, sampled
from cosserat.solve.balance.statics import Statics, statics_at
from cosserat.solve.initial import (
    consistent_accelerations,
    project_velocities,
    set_trial,
    settle_states,
    soften_redundant,
)
from cosserat.solve.linear.described import described_motion, steady
from cosserat.solve.linear.point import EQUILIBRIUM, MOMENT, MOTION, ROTATION, OperatingPoint, new_point_memory
from cosserat.solve.memory import Memory, loaded_memory, take_stored
from cosserat.solve.spin import check_steady, spin_twist, twists_in

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-12  # unbalanced force, relative to reactions and stresses, below which nothing needs to be solved
_MET = 1e-11  # what constraints miss, relative to the extent of the mechanism, below which they hold


@dataclass
class Points(ABC):
    """States of a model, each as one about which to linearise, in one of the formulations."""

    model: Model
    caller: str

    @abstractmethod
    def at_reference(self, time: float) -> Any:
        """The reference configuration, where prescribed motions want it, with the reactions it has there."""

    @abstractmethod
    def described(self, time: float) -> Any:
        """The steady motion that the initial velocities describe."""

    @abstractmethod
    def of_moment(self, run: Run, k: int) -> Any:
        """A stored state of a run."""

    @abstractmethod
    def of_equilibrium(self, found: Equilibrium, given: bool) -> Any:
        """An equilibrium, given by the user or found here."""

    @abstractmethod
    def balance(self, point: Any) -> Balance:
        """Equations of balance, in the reference configuration from which a point was made."""


@dataclass
class NodalPoints(Points):
    """Of the Galilean formulation."""

    spin: Any
    center: Any

    def at_reference(self, time: float) -> OperatingPoint:
        compiled, memory = new_point_memory(self.model, time)
        rotation = spin_twist(self.spin, self.center)
        inputs = compiled.sampler.sample(np.array([time]))
        assemble_configuration(compiled, time, memory)
        soften_redundant(compiled, memory)
        _turn_steadily(compiled, memory, time, rotation, inputs)
        return _finish(compiled, memory, time, EQUILIBRIUM if rotation is None else ROTATION)

    def described(self, time: float) -> OperatingPoint:
        return described_motion(self.model, time, self.caller)

    def balance(self, point: OperatingPoint) -> Balance:
        return statics_at(self.model, point.time, None, self.spin, self.center, compiled=point.compiled)

    def of_equilibrium(self, found: Equilibrium, given: bool) -> OperatingPoint:
        time = float(found.trajectory.time[-1])
        compiled, memory = new_point_memory(self.model, time, None if given else found.trajectory.compiled)
        self._take_state(compiled, memory, found, -1)
        return _finish(compiled, memory, time, EQUILIBRIUM if found.settings.get("spin") is None else ROTATION)

    def of_moment(self, run: Run, k: int) -> OperatingPoint:
        time = float(run.trajectory.time[k])
        compiled, memory = new_point_memory(self.model, time)
        inputs = memory.problem.inputs
        controlled = run.trajectory.efforts is not None
        if run.trajectory.efforts is not None:
            inputs = inputs._replace(effort=run.trajectory.efforts[k : k + 1].copy())
        self._take_state(compiled, memory, run, k)
        soften_redundant(compiled, memory)
        # integrators know accelerations and reactions less well than positions and velocities, and these less well
        # along directions that joints prescribe: compute them
        project_velocities(compiled, time, memory)
        consistent_accelerations(compiled, time, memory, inputs)
        found = replace(_finish(compiled, memory, time, MOMENT), controlled=controlled)
        if all(all(item.held) for item in self.model.rolling):
            return found
        return steady(replace(found, kind=MOTION), self.caller)  # what rolls has linear equations in steady motion only

    def _take_state(self, compiled: CompiledModel, memory: Memory, found: Run | Equilibrium, k: int) -> None:
        source, state = found.trajectory, memory.problem.state
        history = source.history
        force = history.force[k]
        if source.phases:  # of joints that are open then there is no force
            names = [joint.name for joint in compiled.joints]
            open = [i for i, joint in enumerate(source.compiled.joints) if joint.name not in names]
            force = np.delete(force, open, axis=0)
        same = history.frame.shape[1:] == compiled.frames.shape and force.shape == state.force.shape
        if not same or found.motion.mechanism.layout != compiled.layout:
            raise SolveError(
                f"{self.caller}: the state given as about belongs to a model with other bodies, beams or joints, or "
                "with other nodes along its beams, as where something more is attached to them"
            )
        state.force[...] = force
        if not take_stored(compiled, memory, source, k, ("frame", "twist", "rate")):
            settle_states(memory)


def _finish(compiled: CompiledModel, memory: Memory, time: float, kind: str) -> OperatingPoint:
    soften_redundant(compiled, memory)
    set_trial(memory, memory.problem.state)
    point = OperatingPoint(compiled, memory, time, kind)
    point.refresh()
    return point


def _turn_steadily(
    compiled: CompiledModel, memory: Memory, time: float, rotation: Array | None, inputs: Inputs
) -> None:
    """Let the state turn, or rest, with the multipliers and states of laws that it has then."""
    state = memory.problem.state
    state.twist[:] = 0.0 if rotation is None else twists_in(rotation, state.frame)
    if rotation is not None:
        check_steady(compiled, inputs, rotation)
    settle_states(memory)
    consistent_accelerations(compiled, time, memory, inputs, frozen=True)
    state.rate[:] = 0.0  # in balance accelerations vanish


class Sweep(ABC):
    """States of a model at the present values of parameters that turn."""

    @abstractmethod
    def points(self) -> Points:
        """States that a user may name, or an equilibrium."""

    @abstractmethod
    def solved(self, configuration: Any, last: bool) -> Any:
        """The point in balance, started from a known configuration; None if not found.

        With `last` it is not tried again in smaller steps.
        """

    @abstractmethod
    def configuration(self, point: Any) -> Any:
        """What is kept of a point, to start from it; others may follow in its memory."""


class _KnownBalance(NamedTuple):
    """A configuration in balance."""

    frame: Array
    force: Array
    angle: Array


class NodalSweep(Sweep):
    """Of the Galilean formulation; the memory of one point serves all."""

    def __init__(self, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool) -> None:
        self._knobs, self._times = knobs, np.array([time], dtype=float)
        self._point: OperatingPoint | None = None
        with knobs.kept():
            self._inputs_only = all([self._check(k, ranges, described) for k in range(len(knobs.names))])

    def _check(self, k: int, ranges: Sequence[Array], described: bool) -> bool:
        """Whether a parameter changes nothing but loads and gravity; an error if it changes nothing at all."""
        starts, samples = np.array([r[0] for r in ranges]), []
        for value in (ranges[k][0], ranges[k][len(ranges[k]) // 2], ranges[k][-1]):
            self._knobs.take(np.where(np.arange(len(starts)) == k, value, starts))
            compiled = compile_model(self._knobs.model)
            own = {"twists": compiled.twists} if described else {}
            samples.append(numbers_of(compiled, self._knobs, self._times) | own)
        changed = changed_among(samples)
        if not changed:
            raise ParameterError(
                f"{self._knobs.caller}: nothing changes when parameter {self._knobs.names[k]!r} goes from "
                f"{ranges[k][0]:g} to {ranges[k][-1]:g}; name one that a load, a stiffness, a mass, a length or the "
                "spin depends on"
            )
        return inputs_alone(changed)

    def points(self) -> NodalPoints:
        return NodalPoints(self._knobs.model, self._knobs.caller, self._knobs.spin, self._knobs.center)

    def solved(self, configuration: _KnownBalance, last: bool) -> OperatingPoint | None:
        point = self._renewed()
        memory, compiled = point.memory, point.compiled
        state, inputs = memory.problem.state, memory.problem.inputs
        rotation = spin_twist(self._knobs.spin, self._knobs.center)
        state.frame[:] = configuration.frame
        state.angle[:] = configuration.angle if configuration.angle.shape == state.angle.shape else 0.0
        _turn_steadily(compiled, memory, point.time, rotation, inputs)
        set_trial(memory, state)
        point.refresh()
        trial = memory.problem.trial
        acting = max(np.max(np.abs(a), initial=0.0) for a in (trial.force, trial.stress, inputs.wrench))
        held = np.max(np.abs(trial.phi), initial=0.0) <= _MET * compiled.size
        if held and np.max(np.abs(trial.residual[: compiled.n_nodes])) <= _AT_REST * acting:
            return point
        trial.force[:] = configuration.force
        statics = Statics(compiled, memory, rotation)
        attempt = statics.balance(_TOLERANCE * compiled.size, limit_first=not last, stay=True)
        if attempt is not Attempt.BALANCED:
            if not last or attempt is not Attempt.SINGULAR:
                return None
            _turn_steadily(compiled, memory, point.time, rotation, inputs)
            set_trial(memory, state)
            trial.force[:] = configuration.force
            point.refresh()
            # nothing holds a motion, so there are no corrections; but the state is in balance
            return point if held and point.imbalance()[0] <= 1.0 else None
        point.refresh()
        return point if np.all(np.isfinite(trial.frame)) else None

    def _renewed(self) -> OperatingPoint:
        """The point with arrays and inputs for the present parameters."""
        assert self._point is not None
        point = self._point
        if self._inputs_only:
            point.memory.replace(inputs=sampled(point.compiled, self._times))
            return point
        compiled = compile_model(self._knobs.model)
        if compiled.frames.shape != point.compiled.frames.shape:
            raise SolveError(f"{self._knobs.caller}: parameter {self._knobs.names[0]!r} changes the number of nodes")
        memory = loaded_memory(compiled, sampled(compiled, self._times))
        soften_redundant(compiled, memory)
        self._point = OperatingPoint(compiled, memory, point.time, point.kind)
        return self._point

    def configuration(self, point: OperatingPoint) -> _KnownBalance:
        self._point, trial = point, point.memory.problem.trial
        return _KnownBalance(trial.frame.copy(), trial.force.copy(), trial.angle.copy())
