"""Jumps of velocities and accelerations of nodes, with impulses, joints that open and close, loads and motions.

Impulses: velocities jump as joints allow it, M dv + Phi^T mu = p, Phi dv = 0. Joints that are engaged at the same time
make it a plastic impact, Phi (v + dv) = what they prescribe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.compiled import CompiledModel, row_to_frame
from cosserat.compile.joints import opened
from cosserat.kernels.arrays import Inputs
from cosserat.kernels.integrate import count_turns
from cosserat.kernels.integrate import kick as kick_velocities
from cosserat.kernels.joint_rows import ROTATION
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.residual import track_angles
from cosserat.lie.protocol import Array
from cosserat.results.moment import Moment
from cosserat.solve.assembly import constraint_units
from cosserat.solve.initial import (
    consistent_accelerations,
    constrained,
    correct_positions,
    factor_at,
    project_velocities,
    set_trial,
    soften_redundant,
    warn_redundant,
)
from cosserat.solve.motion.smooth_start import STANDING, settle
from cosserat.solve.motion.switching import FITTING, Misfit
from cosserat.solve.motion.walk import SIDE

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_CORRECTIONS = 4  # of positions, where joints are engaged
_CLOSED = 1e-12  # of the extent: gaps that count as none


def kick(work: Integration, t: float, moment: Moment, impulses: dict[Any, Array]) -> None:
    """Let velocities jump with impulses, as joints allow it."""
    memory, n = work.memory, work.compiled.n_nodes
    set_trial(memory, work.state)
    factor_at(memory, 1.0, 0.0, work.compiled.mass)
    acting = np.zeros((n, 6))
    for node, frame, impulse in moment.pushed(impulses):
        R = row_to_frame(work.state.frame[node])[:3, :3]
        force, turn = R.T @ impulse[:3], R.T @ impulse[3:]
        acting[node] += np.concatenate((force, turn + np.cross(frame[:3, 3], force)))
    work.state.twist[:n] += constrained(work.compiled, memory, acting, 0.0)


def switch(work: Integration, t: float, open: frozenset[str], engaged: frozenset[str]) -> None:
    """Release and engage joints, so that these are open from time t on; velocities are those that joints allowed.

    Positions of those engaged are corrected where their gaps are small.
    """
    known = work.compiled
    project_velocities(known, t, work.memory)
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
    work.unheld = work.commands = None  # they have the joints as they were


def take_joints(work: Integration, compiled: CompiledModel) -> None:
    """Go on with other joints."""
    work.compiled = compiled
    groups = ("bodies", "joints", "freedoms", "springs")
    work.memory.replace(**{name: getattr(compiled.system, name) for name in groups})


def _close(work: Integration, engaged: frozenset[str]) -> None:
    """Move nodes to where joints that are engaged, and all others, hold; raises `Misfit` if that is far."""
    compiled = work.compiled
    numbers = [k for k, joint in enumerate(compiled.joints) if joint.name in engaged]
    unit, kind = constraint_units(compiled), compiled.system.joints.kind

    def largest(phi: Array) -> float:
        gaps = np.abs(phi / unit)[numbers]
        k, row = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        gap, joint = float(gaps[k, row]), numbers[k]
        if gap > FITTING:
            size = "rad" if kind[joint, row] == ROTATION else "m"
            raise Misfit(compiled.constraint_title(joint), gap if size == "rad" else gap * compiled.size, size)
        return gap

    correct_positions(compiled, work.memory, largest, _CLOSED, _CORRECTIONS)


def land(work: Integration, t: float, h: float, engaged: frozenset[str], switched: bool) -> None:
    """Velocities that joints allow, and what accelerations belong to them."""
    project_velocities(work.compiled, t, work.memory)  # those of the method are not quite what joints allow
    if work.unheld is not None:
        work.unheld.forget()
    work.balance(t)
    work.accel_step = 0.0
    if work.at_breaks and work.scheme != CONSERVING:
        work.set_step(h)
        settle(work, t + SIDE * h, h)
        work.accel_step = STANDING


def cross(work: Integration, t: float, h: float) -> None:
    """Let accelerations jump with loads that do so at time t, and velocities with those that are prescribed."""
    both = np.array([t * (1.0 - 1e-15) - SIDE * h, t + SIDE * h])
    before = work.row()
    if work.unheld is not None:
        work.unheld.forget()
    inputs = work.commanded(work.compiled.sampler.sample(both))
    after = Inputs(*(a[1:] for a in inputs))
    if work.scheme != CONSERVING:
        project_velocities(work.compiled, float(both[1]), work.memory)  # as after an impact
        if work.at_breaks:
            work.set_step(h)
            settle(work, float(both[1]), h)
            work.accel_step = STANDING  # the next step may have another length, or be taken back for a shorter one
        else:
            consistent_accelerations(work.compiled, float(both[1]), work.memory, after)
            work.accel_step = 0.0  # what follows is a first step
    else:
        work.shelf.complete(work.tally.steps, work.accel_step)
        consistent_accelerations(work.compiled, t, work.memory, Inputs(*(a[:1] for a in inputs)))
        if work.parts:
            work.accel_step = 0.0  # rates are those of the end
        else:
            work.shelf.note()
        before = (*before[:2], work.state.rate.copy(), work.state.force.copy(), *before[4:])
        if work.driven or work.compiled.rules:
            project_velocities(work.compiled, float(both[1]), work.memory)
        consistent_accelerations(work.compiled, float(both[1]), work.memory, after)
    work.crossed(t, h, before, bool(work.parts))  # equal steps store what is after it


def make_up(work: Integration, missed: tuple[Array, ...], t: float, h: float) -> None:
    """Stiff parts are filtered as in `kernels.integrate.kick`."""
    inputs = work.compiled.sampler.sample(np.array([t + h, t + h]))
    for given, more in zip((inputs.effort, inputs.wrench), missed, strict=True):
        given[1] += more
    state = work.state
    kept = [a.copy() for a in (state.rate, state.accel, state.force)]
    work.set_step(h)
    work.memory.replace(inputs=work.commanded(inputs))
    kick_velocities(work.memory.address)
    state.twist[:] += h * (state.rate - kept[0])
    state.rate[:], state.accel[:], state.force[:] = kept
