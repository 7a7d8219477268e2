"""The error of steps as the iteration matrix filters it where no joint holds anything.

Along what joints prescribe, positions are exact however long a step is, and an estimate that respects the joints is
zero. Velocities, accelerations and reactions are not exact, and what rolls is led astray by them: what the step would
commit if nothing were prescribed tells how well it resolves the motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.arrays import State, handles
from cosserat.kernels.judging import KNOWN, REACH
from cosserat.kernels.newton import step_coefficients
from cosserat.solve.initial import EPSILON, factor_at
from cosserat.solve.memory import Memory

_LOOSE = 1e-10  # of the inertia: how much joints count
_LASTING = 20  # steps with the same factors: in the frames of the nodes, inertia and stiffness hardly change
_OWN = ("x", "tangent", "blocks", "pivots", "coefficients", "memory", "past")


class Unheld:
    """The problem of a run with factors of its own, without joints, and with the state before a step."""

    def __init__(self, memory: Memory, before: State) -> None:
        solver = memory.problem.solver
        solver = solver._replace(**{name: getattr(solver, name).copy() for name in _OWN})
        problem = memory.problem._replace(solver=solver, state=before)
        self._shared, self.memory = memory, Memory(problem, handles.pack(problem))
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
