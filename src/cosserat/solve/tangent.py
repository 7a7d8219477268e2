"""The tangent of the equations at the trial state, as the blocks that the kernels assemble."""

from __future__ import annotations

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.tangent import assemble
from cosserat.lie.protocol import Array
from cosserat.solve.memory import Memory


def assemble_blocks(
    memory: Memory,
    *,
    mass: float = 0.0,
    damping: float = 0.0,
    stiffness: float = 0.0,
    scale: float = 0.0,
    epsilon: float = 0.0,
) -> Array:
    """Blocks of [mass M + damping C + stiffness K, s Phi^T; s Phi, -epsilon s], a view of the solver's own.

    Factors kept from a time step are forgotten.
    """
    return _assemble(memory, np.eye(6), (mass, damping, stiffness, scale, epsilon))


def damping_blocks(memory: Memory) -> Array:
    """Blocks of C alone. The kernel adds viscous parts only beside the stiffness, which a zero tangent of the
    exponential leaves out.
    """
    return _assemble(memory, np.zeros((6, 6)), (0.0, 1.0, 1.0, 0.0, 0.0))


def _assemble(memory: Memory, exponential: Array, coefficients: tuple[float, ...]) -> Array:
    solver, trial = memory.problem.solver, memory.problem.trial
    solver.tangent[...] = exponential
    solver.coefficients[:] = coefficients
    assemble(memory.address, 0, trial.frame, trial.twist)
    solver.memory[slots.FACTORED] = 0.0
    return solver.blocks[:-1]
