"""Arrays that solvers own, bound together with those of a compiled model into one problem for the kernels; its tangent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import break_array
from cosserat.kernels import slots
from cosserat.kernels.arrays import (
    History,
    Inputs,
    Middle,
    Packed,
    Problem,
    Scratch,
    Solver,
    State,
    Trial,
    address_table,
    most_places,
    new_owned,
    new_visit,
    zeros,
)
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.laws import CONSTRAINTS, FORCES, kinds_in_use
from cosserat.kernels.newton import BEST_RATE
from cosserat.kernels.tangent import assemble
from cosserat.lie.protocol import Array
from cosserat.results.joints import tracked_in


class Memory(Packed):
    """A problem and its table."""

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Afterwards state, trial state and inputs are what they were."""
        inputs = self.problem.inputs
        known = [(array, array.copy()) for group in (self.problem.state, self.problem.trial) for array in group]
        try:
            yield
        finally:
            for array, before in known:
                array[...] = before
            self.replace(inputs=inputs)


def _sizes(compiled: CompiledModel) -> dict[str, int]:
    """Sizes of the arrays of a problem, by the names that `kernels.arrays` gives them."""
    n, nc = compiled.n_nodes, compiled.n_multipliers
    return {
        "n": n + 1, "nc": nc, "nv": n + nc, "na": len(compiled.freedoms), "ny": compiled.n_inner,
        "ne": len(compiled.system.elements.node), "nb": int(compiled.system.pattern.n_blocks[0]),
    }  # fmt: skip


def new_state(compiled: CompiledModel) -> State:
    """The reference configuration at rest."""
    return zeros(State, **_sizes(compiled))._replace(frame=compiled.frames.copy(), inner=compiled.first_states())


def copy_state(source: State, target: State) -> None:
    """Overwrite the arrays of `target`."""
    for a, b in zip(source, target, strict=True):
        b[...] = a


def take_stored(compiled: CompiledModel, memory: Memory, source: Any, k: int, fields: Sequence[str]) -> bool:
    """Fill fields of the state, and its coordinates, with what a trajectory of a like model has at a stored time.

    States of laws are taken, too, if it has them; whether it has.
    """
    state, history = memory.problem.state, source.history
    for name in fields:
        getattr(state, name)[...] = getattr(history, name)[k]
    state.angle[:] = tracked_in(source, k, compiled.freedoms)
    known = len(history.inner) > 0 and history.inner.shape[1:] == (compiled.n_inner,)
    if known:
        state.inner[0] = history.inner[k]
    return known


def new_history(compiled: CompiledModel, n_rows: int) -> History:
    """Room for n_rows stored states."""
    return zeros(History, nt=n_rows, **_sizes(compiled))


def trial_history(memory: Memory) -> History:
    """The trial state as a history of one moment."""
    trial = memory.problem.trial
    known = trial.frame, trial.twist, trial.rate, trial.force, trial.angle, trial.inner[0]
    return History(*(a[None].copy() for a in known))


def new_memory(compiled: CompiledModel, inputs: Inputs) -> Memory:
    """A problem in the reference configuration at rest."""
    sizes, frames = _sizes(compiled), compiled.frames
    solver = zeros(Solver, **sizes)._replace(
        laws=address_table(kinds_in_use(FORCES, compiled.system), 3),
        bonds=address_table(kinds_in_use(CONSTRAINTS, compiled.system), 3),
        **compiled.addresses(),
        breaks=break_array(compiled.rules),
        settle=address_table(2),
        owning=address_table(2),
    )
    solver.tangent[:] = np.eye(6)
    solver.settings[slots.LENGTH] = compiled.length
    solver.memory[slots.RATE], solver.memory[slots.ROW] = BEST_RATE, -1.0
    solver.follow[0] = FROZEN
    points = int(np.max(np.diff(compiled.system.springs.start), initial=0))  # of the longest line
    most = most_places(compiled.system.state_loads.first)
    problem = Problem(
        *compiled.system,
        inputs=inputs,
        state=new_state(compiled),
        trial=zeros(Trial, **sizes)._replace(frame=frames.copy()),
        middle=zeros(Middle, **sizes)._replace(frame=frames.copy()),
        solver=solver,
        scratch=zeros(Scratch, nl=6 * points, np=points),
        visit=new_visit(most),
        owned=new_owned(compiled.system.state_loads.inner, most),
        history=new_history(compiled, 1),
    )
    problem.trial.inner[:3] = problem.state.inner
    return Memory(problem)


def loaded_memory(compiled: CompiledModel, inputs: Inputs) -> Memory:
    """The same with its stages loaded, for evaluations at one time: of balance, and of linear equations."""
    memory = new_memory(compiled, inputs)
    memory.problem.solver.settings[slots.STEP] = 1.0
    load_stages(memory)
    return memory


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


def demand_like(found: Any, like: Any, rows: bool = False) -> None:
    """Raise a ValueError unless arrays have the shapes (with `rows`, besides the first number) and types of others.

    What a file holds must be what a run kept: compiled code takes arrays by address and looks at no shape.
    """
    if isinstance(like, np.ndarray):
        same = isinstance(found, np.ndarray) and found.ndim == like.ndim and found.dtype == like.dtype
        if not same or found.shape[rows:] != like.shape[rows:]:
            raise ValueError(f"an array of the shape {np.shape(found)} instead of {like.shape}")
    elif isinstance(like, (tuple, list)):
        if not isinstance(found, (tuple, list)) or len(found) != len(like):
            raise ValueError(f"not {len(like)} values")
        for item, model in zip(found, like, strict=True):
            demand_like(item, model, rows)
    elif isinstance(found, bool) or not isinstance(found, (int, float)):
        raise ValueError("not a number")
