"""States of a model, each as a point about which to linearise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.joints import tracked_in
from cosserat.results.run import Run
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.balance.balance import Balance
from cosserat.solve.balance.statics import statics_at
from cosserat.solve.initial import (
    consistent_accelerations,
    project_velocities,
    set_trial,
    settle_states,
    soften_redundant,
)
from cosserat.solve.linear.described import described_motion, steady
from cosserat.solve.linear.point import EQUILIBRIUM, MOMENT, MOTION, ROTATION, OperatingPoint, new_point_memory
from cosserat.solve.memory import Memory
from cosserat.solve.spin import check_steady, spin_twist, twists_in


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
        if rotation is not None:
            check_steady(compiled, compiled.sampler.sample(np.array([time])), rotation)
        assemble_configuration(compiled, time, memory)
        state = memory.problem.state
        soften_redundant(compiled, memory)
        if rotation is not None:
            state.twist[:] = twists_in(rotation, state.frame)
        settle_states(memory)
        # for the multipliers; in balance the accelerations vanish
        consistent_accelerations(compiled, time, memory, frozen=True)
        state.rate[:] = 0.0
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
        for name in ("frame", "twist", "rate"):
            getattr(state, name)[...] = getattr(history, name)[k]
        state.force[...] = force
        state.angle[:] = tracked_in(source, k, compiled.freedoms)
        if len(history.inner) and history.inner.shape[1:] == state.inner[0].shape:
            state.inner[0] = history.inner[k]
        else:
            settle_states(memory)


def _finish(compiled: CompiledModel, memory: Memory, time: float, kind: str) -> OperatingPoint:
    soften_redundant(compiled, memory)
    set_trial(memory, memory.problem.state)
    point = OperatingPoint(compiled, memory, time, kind)
    point.refresh()
    return point
