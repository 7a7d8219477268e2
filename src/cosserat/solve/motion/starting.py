"""Where a simulation starts: the reference configuration, an equilibrium, or the end of a run."""

from __future__ import annotations

from typing import Any

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError
from cosserat.kernels.arrays import History
from cosserat.results.run import Run
from cosserat.solve.initial import (
    assemble_configuration,
    consistent_accelerations,
    consistent_velocities,
    soften_redundant,
    warn_redundant,
)
from cosserat.solve.memory import Memory


def set_start(compiled: CompiledModel, memory: Memory, start: Any, t: float) -> float:
    """Fill the state; returns the starting time."""
    state = memory.problem.state
    if isinstance(start, Run):
        require_same(compiled, start.trajectory.compiled, "run")
        history: History = start.trajectory.history
        for name in ("frame", "twist", "rate", "force", "angle"):
            getattr(state, name)[...] = getattr(history, name)[-1]
        t = float(start.time[-1])
        warn_redundant(soften_redundant(compiled, memory))
        consistent_accelerations(compiled, t, memory)
        return t
    if isinstance(start, str) and start == "equilibrium":
        from cosserat.solve.balance.equilibrium import equilibrium

        start = equilibrium(compiled.model, time=t)
        if not start.status.ok:
            raise SolveError(f"simulate: no equilibrium to start from: {start.status.message}")
    if isinstance(start, str):
        if start != "reference":
            raise SolveError(f"simulate: start is {start!r}; pass 'reference', 'equilibrium', a Run or an Equilibrium")
        assemble_configuration(compiled, t, memory)
    else:
        from cosserat.results.equilibrium import Equilibrium

        if not isinstance(start, Equilibrium):
            raise SolveError(f"simulate: start is {start!r}; pass 'reference', 'equilibrium', a Run or an Equilibrium")
        require_same(compiled, start.trajectory.compiled, "equilibrium")
        state.frame[:] = start.trajectory.history.frame[-1]
        state.angle[:] = start.trajectory.history.angle[-1]
    warn_redundant(soften_redundant(compiled, memory))
    consistent_velocities(compiled, t, memory)
    consistent_accelerations(compiled, t, memory)
    return t


def require_same(compiled: CompiledModel, other: CompiledModel, word: str) -> None:
    """Raise if a result given as start cannot be of this model."""
    if compiled.frames.shape != other.frames.shape or compiled.n_multipliers != other.n_multipliers:
        raise SolveError(f"simulate: the {word} given as start belongs to a model with other nodes, joints or wheels")
