"""The first step of the generalised-alpha method, so that reactions do not ring.

The method's acceleration a_n belongs to the time t_n + (alpha_m - alpha_f) h. Along directions in which joints
prescribe the motion, its velocities differ from the true ones by h^2 (C v_ddot + [v, v_dot]/12), C = 1/6 - beta -
(alpha_m - alpha_f)/2, since increments are exact there. Started with a = v_dot and the true velocities, errors of first
order in the reactions alternate until they have died out. Source: M. Arnold, O. Bruls, A. Cardona, Numer. Math. 129
(2015) 149-179.

Where loads and dampers begin to act faster than steps can follow, a first step is taken in parts: a torque that sets in
at the light end of a beam turns it at once, up to where dampers hold it. Steps that do not see this take the damper for
absent in their first half, and the velocities of the method alternate from then on. Parts that double follow it; what
even the shortest does not resolve is filtered by the iteration matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.blocks import solve
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.residual import add_inertia, forces
from cosserat.kernels.slots import CONVERGED
from cosserat.kernels.starting import PART, load_rates, second_rates, settle_rates, start_smoothly
from cosserat.lie.protocol import Array
from cosserat.solve.initial import set_trial
from cosserat.solve.memory import copy_state, new_state
from cosserat.solve.motion.crossings import Jump
from cosserat.solve.motion.walk import NEVER, SIDE

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_MUCH = 0.2  # of the accelerations that a step resolves: change within a first one that is too much for it
_DAMPED = 0.02  # of all accelerations: change by which dampers show themselves beside unresolved vibrations
_NOTHING = 1e-12  # of a length: less than this is rounding
_DOUBLINGS = 10
_STIFF = 0.1  # of accelerations: what is left where the conserving scheme takes a first step in parts
STANDING = -1.0
"""In place of the step to which accelerations of the method belong: it has yet to start."""


class Workspace(NamedTuple):
    """What the kernels of `kernels.starting` take besides the problem."""

    drives: Array
    others: Any
    rows: Array
    nodes: Array


def _prepare(work: Integration, t: float, h: float) -> Workspace:
    """Sample what acts just after time t and over a small part of a step, and make it the inputs."""
    # a load may jump at the start: what counts is what comes after it
    compiled, memory = work.compiled, work.memory
    inputs, sampled = compiled.sampler.sample_all(t + h * np.array([SIDE, 0.5 * PART, PART]))
    memory.replace(inputs=work.commanded(inputs))
    drives = np.concatenate((sampled, np.zeros_like(sampled[:, :1])), axis=1)
    rows, nodes = np.zeros((4, len(memory.problem.trial.phi), 6)), np.zeros((3, compiled.n_nodes + 1, 6))
    kinds = len(memory.problem.rolling.node) > 0, len(memory.problem.rules.item) > 0
    others = load_rates(memory.address, rows, compiled.n_joints, *kinds)
    return Workspace(drives, others, rows, nodes)


def smooth_start(work: Integration, t: float, h: float) -> Workspace:
    """Set the integrator's acceleration and velocities for steps of length h from time t; all else is consistent."""
    room = _prepare(work, t, h)
    start_smoothly(work.memory.address, *room, 0)
    return room


def changes_much(whole: float, left: float, change: float, smallest: float) -> bool:
    """Whether a first step is better taken in parts.

    Given are the size of accelerations at the start, of what the iteration matrix leaves of them and of their change in
    the step (m/s^2), and what is next to nothing. Loads and dampers that begin to act on something light, as a beam's
    end, change velocities there within the step, and dampers take them for what they never are. In the random
    mechanisms of the tests a step in parts was then never worse than a whole one, and where the bound lies the two are
    equally good: as the step is halved, the error does not jump. Vibrations that nothing damps within the step are left
    to the filter of a whole one.
    """
    return change > max(_MUCH * left, _DAMPED * whole, smallest)


def unresolved(work: Integration, room: Workspace, rate: Array, most: float = np.inf) -> bool:
    """Whether accelerations, at first `rate`, change much in a first step; after `smooth_start`, which gave `room`.

    At most the share `most` of them may be left by the iteration matrix.
    """
    compiled, memory = work.compiled, work.memory
    n, state, trial, solver = compiled.n_nodes, memory.problem.state, memory.problem.trial, memory.problem.solver
    scale = np.array([1.0, 1.0, 1.0, compiled.length, compiled.length, compiled.length])
    smallest = _NOTHING * compiled.length / float(solver.settings[slots.STEP]) ** 2
    whole, change = (float(np.abs(a[:n] * scale).max(initial=0.0)) for a in (rate, solver.past[0]))
    if not changes_much(whole, 0.0, change, smallest):
        return False
    set_trial(memory, state)
    trial.rate[:], trial.increment[:] = 0.0, 0.0
    forces(memory.address, 0)
    add_inertia(memory.address)
    cm, s = solver.coefficients[slots.CM], solver.coefficients[slots.SCALE]
    second_rates(memory.address, *room, 0)
    solver.x[:n], solver.x[n:] = -cm * trial.residual[:n], -s * room.rows[0]
    solve(memory.address)
    left = float(np.abs(solver.x[:n] * scale).max(initial=0.0))
    return left < most * whole and changes_much(whole, left, change, smallest)


def settle(work: Integration, t: float, h: float) -> Workspace:
    """Velocities that joints allow at time t; accelerations and multipliers follow.

    Those of vibrations that steps of length h do not resolve are filtered by the iteration matrix.
    """
    room = _prepare(work, t, h)
    settle_rates(work.memory.address, *room)
    return room


def restart(work: Integration, t: float, h: float) -> None:
    """Start anew at time t, for steps of another length or just after a kink in a prescribed motion."""
    restarting(work, t, h)()


def restarting(work: Integration, t: float, h: float) -> Callable[[], None]:
    """The same as a call, for one state after another."""
    room = _prepare(work, t, h)  # it replaces what the address means with the compiler off

    def call() -> None:
        settle_rates(work.memory.address, *room)
        start_smoothly(work.memory.address, *room, 1)

    return call


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
    found = work.in_parts is None and _resisted(work) and unresolved(work, room, kept.rate, most)
    work.graded = found if work.in_parts is None else work.in_parts
    work.scheme, work.accel_step = scheme, h
    if work.graded or conserves:
        copy_state(kept, work.state)
        work.accel_step = 0.0
    if conserves:
        work.set_step(h)
        memory.problem.solver.memory[slots.FACTORED] = 0.0  # these factors are of the other method


def graded_part(work: Integration, t: float, h: float) -> int:
    """The step, or part of one, from t to t + h in parts; how it ended, see `kernels.integrate`."""
    work.graded = False
    conserves, at, sizes = work.scheme == CONSERVING, t, parts_of(h)
    if not conserves:
        work.halt()
    for k, size in enumerate(sizes):
        if not conserves:
            work.restart(at + SIDE * size, size)
        code = work.run(np.array([at, at + size]), size, NEVER, 0, 0, search=True)
        if code != CONVERGED:
            return code
        at += size
        if k + 1 < len(sizes):  # powers change much in this step
            here = work.row()
            work.crossings += (Jump(at, np.array([at, at]), here, here),)
    work.tally.add(-_DOUBLINGS)
    if not conserves:
        work.restart(t + h + SIDE * h, h)
    return CONVERGED
