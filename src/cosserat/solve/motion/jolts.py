"""Impulses on nodes: velocities jump as joints allow it, M dv + Phi^T mu = p, Phi dv = 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.errors import SolveError
from cosserat.kernels.blocks import solve
from cosserat.kernels.newton import CONSERVING
from cosserat.lie.protocol import Array
from cosserat.results.moment import Moment
from cosserat.solve.initial import consistent_accelerations, factor_at, set_trial
from cosserat.solve.motion.crossings import snapshot
from cosserat.solve.motion.grading import STANDING, begin_smoothly
from cosserat.solve.motion.smooth_start import settle

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_AFTER = 1e-9  # of the step


def jolt(work: Integration, t: float, h: float, moment: Moment, impulses: dict[Any, Array]) -> None:
    """Let impulses (6,) in world axes act at places at time t; steps of about length h follow."""
    memory, n, before = work.memory, work.compiled.n_nodes, snapshot(work.state)
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
    if work.unheld is not None:
        work.unheld.forget()
    consistent_accelerations(work.compiled, t, memory)
    work.accel_step = 0.0
    if work.at_breaks and work.scheme != CONSERVING:
        work.set_step(h)
        settle(work, t + _AFTER * h, h)
        work.accel_step = STANDING
    both = np.array([t - _AFTER * h, t + _AFTER * h])
    work.crossings.add(float(both[0]), both, before, snapshot(work.state))  # what is stored is after it


def go_on(work: Integration, t: float, h: float) -> None:
    """Start the method anew at time t, for steps of length h; its velocities are not those that are stored."""
    if work.scheme != CONSERVING and not work.at_breaks:
        begin_smoothly(work, t, h)
        work.graded = False
