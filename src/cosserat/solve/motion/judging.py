"""Errors of adaptive steps, of several at once if nothing has to be done between them.

The error is that which the iteration matrix filters where no joint holds anything.

Along what joints prescribe, positions are exact however long a step is, and an estimate that respects the joints is
zero. Velocities, accelerations and reactions are not exact, and what rolls is led astray by them: what the step would
commit if nothing were prescribed tells how well it resolves the motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.arrays import State
from cosserat.kernels.judging import KNOWN, REACH, advance_judged
from cosserat.kernels.newton import step_coefficients
from cosserat.solve.initial import EPSILON, factor_at
from cosserat.solve.memory import Memory, new_history
from cosserat.solve.motion.walk import Bounds

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_LOOSE = 1e-10  # of the inertia: how much joints count
_LASTING = 20  # steps with the same factors: in the frames of the nodes, inertia and stiffness hardly change
_OWN = ("x", "tangent", "blocks", "pivots", "coefficients", "memory", "past")


class Unheld:
    """The problem of a run with factors of its own, without joints, and with the state before a step."""

    def __init__(self, memory: Memory, before: State) -> None:
        solver = memory.problem.solver
        solver = solver._replace(**{name: getattr(solver, name).copy() for name in _OWN})
        problem = memory.problem._replace(solver=solver, state=before)
        self._shared, self.memory = memory, Memory(problem)
        self._uses = 0
        solver.memory[:] = 0.0  # without factors it is not asked

    def factor(self, n: int) -> None:
        """Get factors for n steps of the present length."""
        solver = self.memory.problem.solver
        h = float(solver.settings[slots.STEP])
        self._uses += n
        if solver.memory[slots.FACTORED] == h and self._uses <= _LASTING:
            return
        self.memory.replace(inputs=self._shared.problem.inputs)
        cm, _, ck, s = step_coefficients(solver.settings)
        factor_at(self.memory, cm, ck, _LOOSE * EPSILON * s)
        solver.memory[slots.FACTORED], self._uses = h, n

    @property
    def ends(self) -> bool:
        """Whether forces at the ends of conserving steps count: where they may set in, be cut off, or turn round."""
        problem = self.memory.problem
        limited = (problem.freedoms.target >= 0) & np.isfinite(problem.freedoms.limit)
        return bool(np.any(limited | (problem.freedoms.friction > 0.0)) or len(problem.state_loads.node) > 0)

    def reach(self, time: float) -> None:
        """Errors of velocities may grow for so long (s)."""
        self.memory.problem.solver.memory[REACH] = time

    def go_on(self) -> None:
        """The step judged last is accepted."""
        solver = self.memory.problem.solver
        solver.past[0], solver.memory[KNOWN] = solver.past[1], 1.0

    def forget(self) -> None:
        """Accelerations jump, and go on differently."""
        self.memory.problem.solver.memory[KNOWN] = 0.0

    def keepsake(self) -> list[Any]:
        """For `resume`."""
        solver = self.memory.problem.solver
        return [solver.blocks, solver.memory, solver.past, self._uses]

    def resume(self, kept: list[Any]) -> None:
        """Become what gave a keepsake."""
        solver = self.memory.problem.solver
        solver.blocks[...], solver.memory[...], solver.past[...], self._uses = kept


def judge(work: Integration, n: int = 0) -> Unheld:
    """What tells errors of n steps of the present length."""
    if work.unheld is None:
        work.unheld = Unheld(work.memory, work.kept)
    work.unheld.reach(work.reach)
    if n and work.compiled.sampler.driven:
        work.unheld.factor(n)
    return work.unheld


def _before(work: Integration, h: float) -> Any:
    """The state before a first step of another length, which starts the method anew; None before others.

    The velocities with which it starts differ from true ones by a multiple of the square of the step. Where it is not
    taken, the next one must not start from them.
    """
    return None if work.accel_step in (0.0, h) else work.saved()


def stride(
    work: Integration, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
) -> tuple[list[float], bool]:
    """As `Walk.judged`; the errors of steps that were solved, and whether the next one could not be."""
    chunk, errors = new_history(work.compiled, (phase % every + n) // every), np.zeros(n)
    before = _before(work, h)
    work.memory.replace(inputs=work.inputs(np.cumsum([t, *n * [h]]), h), history=chunk)
    both = work.memory.address, judge(work, n).memory.address
    order = np.array([n, every, phase, bounds.enough, bounds.calm])
    code = advance_judged(*both, order, np.array(bounds[:2]), errors, work.report, work.evaluate, work.careful)
    work.done, stored, _ = (int(k) for k in work.report)
    work.shelf.add(chunk, stored)
    back = code == slots.CONVERGED and work.done < n and not errors[work.done] <= bounds.most
    if work.done == 0 and before is not None:
        work.load(before, goes_on=True)
    return errors[: work.done + int(back)].tolist(), code != slots.CONVERGED


def judged_step(
    work: Integration, t: float, h: float, bounds: Bounds, every: int, phase: int
) -> tuple[list[float], bool]:
    """One step from a call of the controller to the next, judged by its error; returns as `stride` does."""
    memory, times = work.memory, np.array([t, t + h])
    same = work.accel_step == h == memory.problem.solver.settings[slots.STEP]
    if not same:
        work.push(t)
    before = _before(work, h)
    inputs = work.sampled(times, h) if same else work.inputs(times, h)
    if inputs is not memory.problem.inputs:
        memory.replace(inputs=inputs)
    (commands, _), unheld = work.commanding(), judge(work, 1)
    code = commands.judge(unheld, bounds, work.careful)
    work.done = commands.report[slots.TAKEN]
    work.report[slots.JOINT] = commands.report[slots.JOINT]
    if work.done == 0 and before is not None:
        work.load(before, goes_on=True)
    if work.done and (phase + 1) % every == 0:
        work.store()
    failed = code != slots.CONVERGED
    return [] if failed else [commands.error[0]], failed
