"""`point_at`: the state about which a mechanism is linearised, in one of the formulations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError, shown
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.joints import tracked_in
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.results.trajectory import Trajectory
from cosserat.solve.arguments import check_number, check_state
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.balance.balance import Balance
from cosserat.solve.balance.equilibrium import equilibrium_of, statics_at
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
from cosserat.solve.trees.formulation import floating_of

Array = NDArray[np.float64]


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


def point_at(
    model: Model,
    about: Any = None,
    *,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    caller: str = "linearize",
    formulation: Any = None,
) -> Any:
    """State about which a model is linearised.

    Parameters
    ----------
    about : None, "reference", "motion", Equilibrium, Run or (Run, time)
        None: the reference configuration if it is in balance, else the equilibrium that `equilibrium` finds. A run
        without a time means its end. "motion": the steady motion that the initial velocities describe.
    time : float
        Time at which loads and prescribed motions are taken, where `about` does not say it (s).
    spin, center
        Steady rotation, as for `equilibrium`; an equilibrium given as `about` brings its own.
    formulation : "galilean", "floating" or Floating, optional
        A `OperatingPoint`, or in floating frames a `TreePoint`, which answers the same questions.

    Raises
    ------
    SolveError
        If the state is not in balance; the message says by how much.
    """
    check_state(caller, model, time, spin, center)
    floating = floating_of(formulation, model, caller)
    if isinstance(about, Run):
        about = about, float(about.trajectory.time[-1])
    of_run = isinstance(about, tuple) and len(about) == 2 and isinstance(about[0], Run)
    if of_run and (spin is not None or time != 0.0):
        raise SolveError(f"{caller}: a moment of a run has its own time and motion; pass about=(run, time) and no spin")
    if isinstance(about, Equilibrium) and spin is not None:
        raise SolveError(f"{caller}: the equilibrium given as about has its own rotation; leave out spin")
    if isinstance(about, str) and about == "motion" and spin is not None:
        raise SolveError(f"{caller}: about='motion' takes the motion from the initial velocities; leave out spin")
    if floating is None:
        return point_of(NodalPoints(model, caller, spin, center), about, time)
    from cosserat.solve.trees.points import TreePoints  # its points are made of these
    from cosserat.solve.trees.turntable import spin_of, spin_of_twist

    turns = spin_of_twist(about.settings.get("spin")) if isinstance(about, Equilibrium) else spin_of(spin, center)
    return point_of(TreePoints(model, caller, turns, floating), about, time)


def point_of(points: Points, about: Any, time: float) -> Any:
    """One of the points of a model; arguments as those of `point_at`, but runs always with a time."""
    caller = points.caller
    if isinstance(about, tuple) and len(about) == 2 and isinstance(about[0], Run):
        return points.of_moment(about[0], _moment(points, *about))
    if isinstance(about, Equilibrium):
        return _balanced(points, about, given=True)
    if about is not None and not (isinstance(about, str) and about in ("reference", "motion")):
        raise SolveError(
            f"{caller}: about={shown(about)} is not understood; pass an Equilibrium, a Run, (run, time), 'reference', "
            "'motion' or None"
        )
    if about == "motion":
        return points.described(time)
    point = points.at_reference(time)
    worst, place = point.imbalance()
    if worst <= 1.0:
        return point
    if about is not None:
        raise SolveError(
            f"{caller}: the reference configuration is not an equilibrium: {place}; "
            "pass about=None to find the equilibrium first"
        )
    found = equilibrium_of(points.balance(point), time)
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; pass about= an Equilibrium or a "
            "moment (run, time) of a simulation"
        )
    return _balanced(points, found, given=False)


def _moment(points: Points, run: Run, then: Any) -> int:
    """Number of the stored state nearest a time."""
    caller, times = points.caller, run.trajectory.time
    time = check_number(then, caller, "the time of about=(run, time)", "a time of the run, in s")
    k = int(np.argmin(np.abs(times - time)))
    spacing = float(np.max(np.diff(times))) if len(times) > 1 else 0.0
    if abs(times[k] - time) > 0.501 * spacing + 1e-12:
        raise SolveError(
            f"{caller}: the run has no state near t = {time:g} s; it goes from {times[0]:g} to {times[-1]:g} s"
        )
    before = run.motion.parameters or {}
    now = points.model.parameters
    changed = [f"{n} = {before[n]:g}, now {v:g}" for n, v in now.items() if before.get(n, v) != v]
    if changed:
        raise SolveError(
            f"{caller}: the run given as about was made with other parameters ({', '.join(changed)}); set them back or "
            "simulate again"
        )
    return k


def _balanced(points: Points, found: Equilibrium, given: bool) -> Any:
    """The point of an equilibrium; an error where it is none of the model as it is now."""
    caller = points.caller
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(f"{caller}: the equilibrium given as about was not found: {found.status.message}")
    point = points.of_equilibrium(found, given)
    worst, place = point.imbalance()
    if worst <= 1.0:
        return point
    if not found.status.ok:  # the loads push along a free motion
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; hold what can fall, or pass "
            "about= a moment (run, time) of a simulation"
        )
    if not given or caller == "trim":
        raise SolveError(
            f"{caller}: the equilibrium that was found is not balanced well enough to linearise about: {place}; "
            "look for parts of very different stiffness, or pass a smaller tolerance to equilibrium or trim"
        )
    raise SolveError(
        f"{caller}: the state given as about is not an equilibrium of the model as it is now: {place}; "
        "were parameters set since? call equilibrium again"
    )


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
        return statics_at(self.model, point.time, None, self.spin, self.center, point.compiled)

    def of_equilibrium(self, found: Equilibrium, given: bool) -> OperatingPoint:
        time = float(found.trajectory.time[-1])
        compiled, memory = new_point_memory(self.model, time, None if given else found.trajectory.compiled)
        self._take_state(compiled, memory, found.trajectory, -1)
        return _finish(compiled, memory, time, EQUILIBRIUM if found.settings.get("spin") is None else ROTATION)

    def of_moment(self, run: Run, k: int) -> OperatingPoint:
        time = float(run.trajectory.time[k])
        compiled, memory = new_point_memory(self.model, time)
        inputs = memory.problem.inputs
        controlled = run.trajectory.efforts is not None
        if run.trajectory.efforts is not None:
            inputs = inputs._replace(effort=run.trajectory.efforts[k : k + 1].copy())
        self._take_state(compiled, memory, run.trajectory, k)
        soften_redundant(compiled, memory)
        # integrators know accelerations and reactions less well than positions and velocities, and these less well
        # along directions that joints prescribe: compute them
        project_velocities(compiled, time, memory)
        consistent_accelerations(compiled, time, memory, inputs)
        found = replace(_finish(compiled, memory, time, MOMENT), controlled=controlled)
        if all(all(item.held) for item in self.model.rolling):
            return found
        return steady(replace(found, kind=MOTION), self.caller)  # what rolls has linear equations in steady motion only

    def _take_state(self, compiled: CompiledModel, memory: Memory, source: Trajectory, k: int) -> None:
        history, state = source.history, memory.problem.state
        if history.frame.shape[1:] != compiled.frames.shape or history.force.shape[1:] != state.force.shape:
            raise SolveError(
                f"{self.caller}: the state given as about belongs to a model with other bodies, beams or joints"
            )
        for name in ("frame", "twist", "rate", "force"):
            getattr(state, name)[...] = getattr(history, name)[k]
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
