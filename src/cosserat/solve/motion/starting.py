"""Where a simulation starts: the reference configuration, an equilibrium, or the end of a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError, shown
from cosserat.kernels.arrays import Inputs
from cosserat.kernels.integrate import count_turns
from cosserat.kernels.residual import add_inertia, constraint_rates, forces, track_angles
from cosserat.results.run import Run
from cosserat.results.trajectory import Carried
from cosserat.solve.assembly import assemble_configuration, close_gaps, constraint_units
from cosserat.solve.initial import (
    consistent_accelerations,
    consistent_velocities,
    project_velocities,
    set_trial,
    soften_redundant,
    warn_redundant,
)
from cosserat.solve.memory import Memory, take_stored

IN_BALANCE = 1e-4  # of what acts: what Newton's iteration may have left of it, at most

_FITTING = 1e-3  # of the extent, or rad: gaps of joints that are closed at the start

STARTS = "'reference', 'equilibrium', a Run or an Equilibrium"


class Started(NamedTuple):
    """Time of the start, and the last step of a run that goes on (0: it starts anew)."""

    time: float
    step: float


def set_start(
    compiled: CompiledModel,
    memory: Memory,
    start: Any,
    t: float,
    project: bool = True,
    carried: Carried | None = None,
    inputs: Inputs | None = None,
) -> Started:
    """Fill the state.

    `project`: velocities of a run, in which those along prescribed directions are the method's own, become true ones;
    without, the conserving scheme goes on. `carried`: what the method goes on with where the run given as start is in
    balance, under `inputs` if given.
    """
    state = memory.problem.state
    state.twist[:] = 0.0
    t = _filled(compiled, memory, start, t)
    if not isinstance(start, str):
        _fit(compiled, memory, start, t)
        project = project or not _same_joints(compiled, start.trajectory.compiled)
    turning = not isinstance(start, (Run, str)) and start.settings.get("spin") is not None
    set_trial(memory, state)
    track_angles(memory.address)
    count_turns(memory.address)
    state.angle[:] = memory.problem.trial.angle
    warn_redundant(soften_redundant(compiled, memory))
    if not isinstance(start, Run) and not turning:
        consistent_velocities(compiled, t, memory)
    side = 1e-9 * float(np.ptp(start.time)) if isinstance(start, Run) else 0.0
    smooth = not side or not compiled.timetable.kinks([t], side)
    after = t if smooth else t + side  # it may have ended before the impact
    if carried is not None and smooth and _goes_on(compiled, memory, t, inputs, carried):
        rates = memory.problem.trial.inner[1]
        state.accel[...] = carried.accel
        state.inner[1], state.inner[2] = rates, carried.inner[1] + rates - carried.inner[0]
        return Started(t, carried.step)
    if isinstance(start, Run) and (project or not smooth):
        project_velocities(compiled, after, memory)
    consistent_accelerations(compiled, after, memory, inputs)
    last = 0.0 if project or not _as_it_was(compiled, memory, start) else float(start.time[-1] - start.time[-2])
    return Started(t, last)


def _as_it_was(compiled: CompiledModel, memory: Memory, start: Run) -> bool:
    """Whether accelerations are those at the end of a run: nothing has been changed or has jumped since."""
    unit, gravity = np.repeat([1.0, compiled.length], 3), float(np.linalg.norm(compiled.sampler.gravity))
    before, now = (unit * rates for rates in (start.trajectory.history.rate[-1], memory.problem.state.rate))
    return len(start.time) > 1 and bool(np.abs(now - before).max() <= IN_BALANCE * (np.abs(before).max() + gravity))


def _goes_on(compiled: CompiledModel, memory: Memory, t: float, inputs: Inputs | None, carried: Carried) -> bool:
    """Whether the state is in balance with its accelerations: nothing has been changed or has jumped since."""
    if carried.inner.shape[1] != compiled.n_inner:
        return False
    memory.replace(inputs=compiled.sampler.sample(np.array([t])) if inputs is None else inputs)
    trial, unit = memory.problem.trial, np.repeat([1.0, 1.0 / compiled.length], 3)
    set_trial(memory, memory.problem.state)
    forces(memory.address, 0)
    acting = trial.residual[:-1] * unit
    add_inertia(memory.address)
    left = np.max(np.abs(trial.residual[:-1] * unit), initial=0.0)
    weight = compiled.mass * float(np.linalg.norm(compiled.sampler.gravity))
    return bool(left <= IN_BALANCE * (np.max(np.abs(acting), initial=0.0) + weight))


def _filled(compiled: CompiledModel, memory: Memory, start: Any, t: float) -> float:
    """Fill configuration and angles, of a run the velocities too."""
    state = memory.problem.state
    if isinstance(start, Run):
        other = start.trajectory.compiled
        require_same(compiled, other, "run", joints=False)
        same = [joint.name for joint in compiled.joints] == [joint.name for joint in other.joints]
        take_stored(compiled, memory, start.trajectory, -1, ("frame", "twist", "rate", "force")[: 3 + same])
        return float(start.time[-1])
    if isinstance(start, str):
        if start != "reference":
            raise SolveError(f"simulate: start is {shown(start)}; pass {STARTS}")
        assemble_configuration(compiled, t, memory)
    else:
        from cosserat.results.equilibrium import Equilibrium

        if not isinstance(start, Equilibrium):
            raise SolveError(f"simulate: start is {shown(start)}; pass {STARTS}")
        require_same(compiled, start.trajectory.compiled, "equilibrium", joints=not compiled.model.closes)
        take_stored(compiled, memory, start.trajectory, -1, ("frame",))
        if start.settings.get("spin") is not None:
            state.twist[:-1] = start.trajectory.history.twist[-1, :-1]  # the ground stands still
            _demand_turning(compiled, memory, t)
    return t


def _fit(compiled: CompiledModel, memory: Memory, start: Any, t: float) -> None:
    """Close small gaps of joints in the state that a result gives as start; raise if a joint does not fit there.

    The model may have other joints since, or other parameters, or be driven elsewhere at this time.
    """
    gap = close_gaps(compiled, t, memory, _FITTING)
    if len(gap) and float(np.max(gap)) > _FITTING:
        word, j = "run" if isinstance(start, Run) else "equilibrium", int(np.argmax(gap))
        title = compiled.constraint_title(j)
        new = title not in map(start.trajectory.compiled.constraint_title, range(start.trajectory.compiled.n_joints))
        since = f"is new since the {word} given as start, and " if new and j < compiled.n_joints else ""
        again = "end the run where it fits"
        if word == "equilibrium":
            again = f"find the equilibrium of the model as it is, at time={t:g}"
        raise SolveError(
            f"simulate: {title} {since}does not fit where its bodies are in the {word} given as start: it misses by "
            f"{float(np.max(gap)):.3g} of the extent or rad at t = {t:g}; {again}"
        )


def _same_joints(compiled: CompiledModel, other: CompiledModel) -> bool:
    """Whether joints, rolling and constraints hold the same directions as those of another model of the same nodes."""
    groups = ("joints", "rolling", "rules")
    pairs = ((getattr(compiled.system, name), getattr(other.system, name)) for name in groups)
    return all(np.array_equal(a, b) for one, two in pairs for a, b in zip(one, two, strict=True))


def _demand_turning(compiled: CompiledModel, memory: Memory, t: float) -> None:
    """Raise if joints to the ground, which stands still in a run, do not allow the rotation of an equilibrium."""
    set_trial(memory, memory.problem.state)
    drives, (rate, unused) = compiled.sampler.sample_rates(np.array([t])), np.zeros((2, compiled.n_multipliers, 6))
    constraint_rates(memory.address, drives[0][0], drives[1][0], drives[2][0], rate, unused)
    fastest = np.max(np.abs(memory.problem.state.twist), axis=0) / np.repeat([compiled.size, 1.0], 3)
    worst = np.max(np.abs(rate) / constraint_units(compiled), axis=1, initial=0.0)
    if len(worst) and float(np.max(worst)) > 1e-6 * float(np.max(fastest)):
        raise SolveError(
            f"simulate: the equilibrium given as start is a steady rotation together with the ground, which stands "
            f"still in a run: {compiled.constraint_title(int(np.argmax(worst)))} does not allow it; put a Revolute "
            "along the axis between the ground and the mechanism, with the rotation as its motion"
        )


def require_same(compiled: CompiledModel, other: CompiledModel, word: str, joints: bool = True) -> None:
    """Raise if a result given as start cannot be of this model.

    A run may be one of the same bodies and beams with other joints: they were released, or caught, since.
    """
    same = compiled.frames.shape == other.frames.shape and compiled.layout == other.layout
    if not same or (joints and compiled.n_multipliers != other.n_multipliers):
        what = "nodes, joints or wheels" if joints else "bodies, beams or nodes"
        raise SolveError(
            f"simulate: the {word} given as start belongs to a model with other {what}; beams have nodes "
            "where something is attached to them"
        )
