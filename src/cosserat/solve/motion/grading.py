"""A first step in parts, where loads and dampers begin to act faster than steps can follow.

A torque that sets in at the light end of a beam turns it at once, up to where dampers hold it. Steps that do not see
this take the damper for absent in their first half, and the velocities of the method alternate from then on. Parts that
double follow it; what even the shortest does not resolve is filtered by the iteration matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.newton import CONSERVING, CONVERGED
from cosserat.solve.initial import consistent_accelerations
from cosserat.solve.memory import copy_state, new_state
from cosserat.solve.motion.crossings import snapshot
from cosserat.solve.motion.smooth_start import smooth_start, unresolved
from cosserat.solve.motion.walk import NEVER, Failure

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_DOUBLINGS = 10
_STIFF = 0.1  # of accelerations: what is left where the conserving scheme takes a first step in parts
_AFTER = 1e-9  # of a part: how far after its beginning loads are taken
STANDING = -1.0
"""In place of the step to which accelerations of the method belong: it has yet to start."""


def parts_of(h: float) -> list[float]:
    """Lengths of the parts of a step, each as long as all before it."""
    return [h * 0.5**k for k in (_DOUBLINGS, *range(_DOUBLINGS, 0, -1))]


def first_part(work: Integration) -> float:
    """Share of a first step with which adaptive ones begin: steps that double follow what dampers hold at a light end
    without ringing; the generalised-alpha method filters that by its iteration matrix.
    """
    return 0.5**_DOUBLINGS if work.scheme == CONSERVING and _damped(work) else 1.0


def _damped(work: Integration) -> bool:
    freedoms = work.memory.problem.freedoms
    return bool(np.any(freedoms.damping > 0.0) or np.any(freedoms.kd > 0.0))


def _resisted(work: Integration) -> bool:
    """Whether anything acts against velocities, which parts of a first step find out; without, a whole one does."""
    problem = work.memory.problem
    resisting = problem.freedoms.friction, problem.springs.damping, problem.elements.viscosity
    return _damped(work) or len(problem.state_loads.node) > 0 or any(bool(np.any(x > 0.0)) for x in resisting)


def begin_smoothly(work: Integration, t: float, h: float) -> None:
    """Start the generalised-alpha method for steps of length h; find out whether the first one is taken in parts.

    The conserving scheme needs no such start. Where dampers hold something light it tries one, and goes back.
    """
    conserves = work.scheme == CONSERVING
    if work.accel_step != 0.0:
        return
    if work.at_breaks and not conserves:
        work.accel_step = STANDING
    if work.at_breaks or (conserves and (work.driven or not _damped(work))):
        return
    scheme, work.scheme = work.scheme, 0.0
    work.set_step(h)
    memory, kept = work.memory, new_state(work.compiled)
    copy_state(work.state, kept)
    most = _STIFF if conserves else np.inf  # a run that goes on begins so, too, and must not differ
    room = smooth_start(work, t, h)
    work.graded = _resisted(work) and unresolved(work, room, kept.rate, most)
    work.scheme, work.accel_step = scheme, h
    if work.graded or conserves:
        copy_state(kept, work.state)
        work.accel_step = 0.0
    if conserves:
        work.set_step(h)
        memory.problem.solver.memory[slots.FACTORED] = 0.0  # these factors are of the other method


def jump_at_start(work: Integration, t: float, h: float) -> None:
    """Let accelerations jump with loads that do so where the run begins."""
    if work.jumps is None or not work.jumps.at_start:
        return
    inputs, before = work.compiled.sampler.sample(np.array([t]), step=h, jumps=work.jumps), work.state.rate.copy()
    consistent_accelerations(work.compiled, t, work.memory, work.commanded(inputs))
    work.state.accel[:] += work.state.rate - before


def graded_step(work: Integration, t: float, h: float, every: int, phase: int) -> Failure | None:
    """The step from t to t + h in parts, stored as `Walk.advance` does."""
    code = graded_part(work, t, h)
    work.done = int(code == CONVERGED)
    if work.done and (phase + 1) % every == 0:
        work.store()
    return work.failure(code)


def graded_part(work: Integration, t: float, h: float) -> int:
    """The step, or part of one, from t to t + h in parts; how it ended, see `kernels.integrate`."""
    work.graded = False
    conserves, at, sizes = work.scheme == CONSERVING, t, parts_of(h)
    if not conserves:
        work.halt()
    for k, size in enumerate(sizes):
        if not conserves:
            work.restart(at + _AFTER * size, size)
        code = work.run(np.array([at, at + size]), size, NEVER, 0, 0, search=True)
        if code != CONVERGED:
            return code
        at += size
        if k + 1 < len(sizes):  # powers change much in this step
            here = snapshot(work.state)
            work.crossings.add(at, np.array([at, at]), here, here)
    work.tally.add(-_DOUBLINGS)
    if not conserves:
        work.restart(t + h + _AFTER * h, h)
    return CONVERGED
