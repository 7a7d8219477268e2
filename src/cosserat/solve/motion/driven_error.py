"""Error of a step along what joints prescribe.

There positions are exact however long a step is, and an estimate that respects the joints is zero. Velocities,
accelerations and reactions are not exact, and what rolls is led astray by them: what the step would commit if nothing
were prescribed tells how well it resolves the motion.
"""

from __future__ import annotations

from cosserat.kernels.blocks import solve
from cosserat.kernels.newton import correction_norm, step_coefficients
from cosserat.solve.initial import EPSILON, factor_at
from cosserat.solve.memory import Memory

_LOOSE = 1e-10  # of the inertia: how much joints count


def unheld_error(memory: Memory, n: int) -> float:
    """Estimated position error (m) as `kernels.integrate.local_error` has it, without the joints.

    It must follow that one, which leaves the inertia forces of the error. Factors stay as they were.
    """
    solver, trial = memory.problem.solver, memory.problem.trial
    kept = [a.copy() for a in (solver.blocks, solver.memory, solver.coefficients, solver.tangent, solver.pivots)]
    cm, _, ck, s = step_coefficients(solver.settings)
    factor_at(memory, cm, ck, _LOOSE * EPSILON * s)
    solver.x[:n], solver.x[n:] = cm * trial.residual[:n], 0.0
    solve(memory.address)
    found = float(correction_norm(solver.x, n, n, solver.settings))
    for array, values in zip(
        (solver.blocks, solver.memory, solver.coefficients, solver.tangent, solver.pivots), kept, strict=True
    ):
        array[...] = values
    return found
