"""Arrays that solvers own, bound together with those of a compiled model into one problem for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import break_array
from cosserat.jit import address_table
from cosserat.kernels import slots
from cosserat.kernels.arrays import (
    History,
    Inputs,
    Middle,
    Problem,
    Scratch,
    Solver,
    State,
    Trial,
    handles,
    new_owned,
    new_visit,
)
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.laws import CONSTRAINTS, FORCES, kinds_in_use


@dataclass
class Memory:
    """A problem and its table; replacing a group keeps both in step."""

    problem: Problem
    table: Any

    def __post_init__(self) -> None:
        self._address = None if self.table is None else self.table.ctypes.data

    @property
    def address(self) -> Any:
        """What kernels take as `problem`."""
        return self.problem if self._address is None else self._address

    def replace(self, **groups: Any) -> None:
        """Put other arrays in the place of a group."""
        self.problem = self.problem._replace(**groups)
        if self.table is not None:
            for name, group in groups.items():
                handles.repack(self.table, name, group)


def new_state(compiled: CompiledModel) -> State:
    """The reference configuration at rest."""
    n, nj, nf = compiled.n_nodes, compiled.n_multipliers, len(compiled.freedoms)
    return State(
        frame=compiled.frames.copy(),
        twist=np.zeros((n + 1, 6)),
        rate=np.zeros((n + 1, 6)),
        accel=np.zeros((n + 1, 6)),
        force=np.zeros((nj, 6)),
        angle=np.zeros(nf),
        inner=compiled.first_states(),
    )


def copy_state(source: State, target: State) -> None:
    """Overwrite the arrays of `target`."""
    for a, b in zip(source, target, strict=True):
        b[...] = a


def new_history(compiled: CompiledModel, n_rows: int) -> History:
    """Room for n_rows stored states."""
    n, nj, nf = compiled.n_nodes, compiled.n_multipliers, len(compiled.freedoms)
    return History(
        frame=np.empty((n_rows, n + 1, 12)),
        twist=np.empty((n_rows, n + 1, 6)),
        rate=np.empty((n_rows, n + 1, 6)),
        force=np.empty((n_rows, nj, 6)),
        angle=np.empty((n_rows, nf)),
        inner=np.empty((n_rows, compiled.n_inner)),
    )


def trial_history(memory: Memory) -> History:
    """The trial state as a history of one moment."""
    trial = memory.problem.trial
    known = trial.frame, trial.twist, trial.rate, trial.force, trial.angle, trial.inner[0]
    return History(*(a[None].copy() for a in known))


def new_memory(compiled: CompiledModel, inputs: Inputs) -> Memory:
    """A problem in the reference configuration at rest."""
    n, nj, nf = compiled.n_nodes, compiled.n_multipliers, len(compiled.freedoms)
    n_blocks = int(compiled.system.pattern.n_blocks[0])
    problem = Problem(
        *compiled.system,
        inputs=inputs,
        state=new_state(compiled),
        trial=Trial(
            frame=compiled.frames.copy(),
            twist=np.zeros((n + 1, 6)),
            rate=np.zeros((n + 1, 6)),
            accel=np.zeros((n + 1, 6)),
            increment=np.zeros((n + 1, 6)),
            force=np.zeros((nj, 6)),
            angle=np.zeros(nf),
            stress=np.zeros((len(compiled.system.elements.node), 6)),
            strain=np.zeros((len(compiled.system.elements.node), 24)),
            residual=np.zeros((n + 1, 6)),
            phi=np.zeros((nj, 6)),
            inner=np.vstack((compiled.first_states(), np.zeros((1, compiled.n_inner)))),
        ),
        middle=Middle(
            frame=compiled.frames.copy(),
            mean=np.zeros((n + 1, 6)),
            phi=np.zeros((nj, 6)),
            start=np.zeros((len(compiled.system.elements.node), 36)),
            momentum=np.zeros((2, n + 1, 6)),
            drive_rate=np.zeros((0, 0, 21)),
            blocks=np.zeros((0, 6, 6)),
        ),
        solver=Solver(
            x=np.zeros((n + nj, 6)),
            direction=np.zeros((n + nj, 6)),
            tangent=np.broadcast_to(np.eye(6), (n + 1, 6, 6)).copy(),
            blocks=np.zeros((n_blocks + 1, 6, 6)),
            pivots=np.zeros(n + nj),
            settings=np.array([0.0, 0.0, 0.0, 0.0, compiled.length, 0.0, 0.0, 0.0, 0.0]),
            coefficients=np.zeros(5),
            memory=np.array([0.0, 0.1, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            past=np.zeros((3, n + 1, 6)),
            pull=np.zeros((3, nj, 6)),
            counters=np.zeros(6, dtype=np.int64),
            follow=np.array([FROZEN]),
            laws=address_table(kinds_in_use(FORCES, compiled.system), 3),
            bonds=address_table(kinds_in_use(CONSTRAINTS, compiled.system), 3),
            **compiled.addresses(),
            breaks=break_array(compiled.rules),
            settle=address_table(2),
        ),
        scratch=Scratch(
            K=np.zeros((12, 12)),
            C=np.zeros((12, 12)),
            W=np.zeros((12, 12)),
            P=np.zeros((6, 12)),
            Y=np.zeros((12, 6)),
            D=np.zeros((6, 6)),
            H=np.zeros((6, 6)),
            E=np.zeros(144),
            row=np.zeros(12),
            p=np.zeros(12),
            q=np.zeros(12),
        ),
        visit=new_visit(),
        owned=new_owned(compiled.system.state_loads.inner),
        history=new_history(compiled, 1),
    )
    return Memory(problem, handles.pack(problem))


def loaded_memory(compiled: CompiledModel, inputs: Inputs) -> Memory:
    """The same with its stages loaded, for evaluations at one time: of balance, and of linear equations."""
    memory = new_memory(compiled, inputs)
    memory.problem.solver.settings[slots.STEP] = 1.0
    load_stages(memory.table, memory.problem)
    return memory
