"""Impulses on nodes: velocities jump as joints allow it, M dv + Phi^T mu = p, Phi dv = 0.

Joints that are engaged at the same time make it a plastic impact, Phi (v + dv) = what they prescribe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.compiled import CompiledModel, row_to_frame
from cosserat.compile.joints import opened
from cosserat.errors import SolveError
from cosserat.kernels.alpha import move
from cosserat.kernels.blocks import solve
from cosserat.kernels.integrate import count_turns
from cosserat.kernels.joint_rows import ROTATION
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.residual import constraints, track_angles
from cosserat.lie.protocol import Array
from cosserat.results.moment import Moment
from cosserat.solve.assembly import constraint_units
from cosserat.solve.initial import (
    consistent_accelerations,
    factor_at,
    project_velocities,
    set_trial,
    soften_redundant,
    warn_redundant,
)
from cosserat.solve.motion.crossings import snapshot
from cosserat.solve.motion.grading import STANDING, begin_smoothly
from cosserat.solve.motion.smooth_start import settle
from cosserat.solve.motion.switching import FITTING, Misfit

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_AFTER = 1e-9  # of the step
_CORRECTIONS = 4  # of positions, where joints are engaged
_CLOSED = 1e-12  # of the extent: gaps that count as none


def jolt(
    work: Integration, t: float, h: float, moment: Moment, impulses: dict[Any, Array], open: frozenset[str] | None
) -> None:
    """Let impulses (6,) in world axes act at places at time t; steps of about length h follow.

    `open`: joints that are open from there on, None: as before.
    """
    memory, before = work.memory, snapshot(work.state)
    engaged = frozenset[str]() if open is None else switch(work, t, h, open)
    if impulses:
        _push(work, moment, impulses)
    if engaged:
        project_velocities(work.compiled, t, memory)
    if work.unheld is not None:
        work.unheld.forget()
    consistent_accelerations(work.compiled, t, memory, work.commanded(work.compiled.sampler.sample(np.array([t]))))
    work.accel_step = 0.0
    if work.at_breaks and work.scheme != CONSERVING:
        work.set_step(h)
        settle(work, t + _AFTER * h, h)
        work.accel_step = STANDING
    both = np.array([t - _AFTER * h, t + _AFTER * h])
    work.crossings.add(float(both[0]), both, before, snapshot(work.state))  # what is stored is after it


def _push(work: Integration, moment: Moment, impulses: dict[Any, Array]) -> None:
    """Let velocities jump with impulses."""
    memory, n = work.memory, work.compiled.n_nodes
    set_trial(memory, work.state)
    factor_at(memory, 1.0, 0.0, work.compiled.mass)
    x = memory.problem.solver.x
    x[:] = 0.0
    for place, impulse in impulses.items():
        station, label = moment.mechanism.station(place)
        if station.frame is None:
            raise SolveError(f"event: an impulse at {label!r}, between two nodes; give one at a node")
        if station.node < n:
            R = row_to_frame(work.state.frame[station.node])[:3, :3]
            force, turn = R.T @ impulse[:3], R.T @ impulse[3:]
            x[station.node] += np.concatenate((force, turn + np.cross(station.frame[:3, 3], force)))
    solve(memory.address)
    work.state.twist[:n] += x[:n]


def switch(work: Integration, t: float, h: float, open: frozenset[str]) -> frozenset[str]:
    """Release and engage joints, so that these are open from time t on; gives the names of those engaged.

    Positions of those are corrected where their gaps are small; velocities are left as they are.
    """
    assert work.phases is not None
    engaged, known = work.phases.open - open, work.compiled
    take_joints(work, opened(work.whole, open))
    if engaged.intersection(joint.name for joint in work.compiled.joints):
        state = work.state
        work.memory.replace(inputs=work.compiled.sampler.sample(np.array([t])))
        columns = [k for k, (name, _) in enumerate(work.compiled.freedoms) if name in engaged]
        angles = state.angle[columns]
        state.angle[columns] = 0.0  # turns are counted from here
        set_trial(work.memory, state)
        track_angles(work.memory.address)
        count_turns(work.memory.address)
        state.angle[columns] = work.memory.problem.trial.angle[columns]
        try:
            _close(work, engaged)
        except Misfit:
            state.angle[columns] = angles
            take_joints(work, known)
            raise
    warn_redundant(soften_redundant(work.compiled, work.memory))
    work.unheld = None  # it has the joints as they were
    work.phases.turn(t, h, open)
    return engaged


def take_joints(work: Integration, compiled: CompiledModel) -> None:
    """Go on with other joints."""
    work.compiled = compiled
    groups = ("bodies", "joints", "freedoms", "springs")
    work.memory.replace(**{name: getattr(compiled.system, name) for name in groups})


def _close(work: Integration, engaged: frozenset[str]) -> None:
    """Move nodes to where joints that are engaged, and all others, hold; raises `Misfit` if that is far."""
    compiled, memory, n = work.compiled, work.memory, work.compiled.n_nodes
    state, trial, solver = work.state, memory.problem.trial, memory.problem.solver
    numbers = [k for k, joint in enumerate(compiled.joints) if joint.name in engaged]
    unit, kind = constraint_units(compiled), compiled.system.joints.kind
    for _ in range(_CORRECTIONS):
        set_trial(memory, state)
        trial.phi[:] = 0.0
        constraints(memory.address, 0)
        gaps = np.abs(trial.phi / unit)[numbers]
        k, row = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        gap, joint = float(gaps[k, row]), numbers[k]
        if gap > FITTING:
            size = "rad" if kind[joint, row] == ROTATION else "m"
            raise Misfit(compiled.constraint_title(joint), gap if size == "rad" else gap * compiled.size, size)
        if gap <= _CLOSED:
            return
        factor_at(memory, 1.0, 0.0, compiled.mass)
        solver.x[:n], solver.x[n:] = 0.0, -compiled.mass * trial.phi
        solve(memory.address)
        trial.increment[:n] = solver.x[:n]
        move(state.frame.copy(), trial.increment, 1.0, state.frame)


def go_on(work: Integration, t: float, h: float) -> None:
    """Start the method anew at time t, for steps of length h; its velocities are not those that are stored."""
    if work.scheme != CONSERVING and not work.at_breaks:
        begin_smoothly(work, t, h)
        work.graded = False
