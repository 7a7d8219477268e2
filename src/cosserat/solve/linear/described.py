"""The steady motion that a model describes by its initial velocities, as a state about which to linearise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, null_space

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.series import bracket
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.initial import consistent_accelerations, set_trial
from cosserat.solve.linear.flow import Flow, flow_of
from cosserat.solve.linear.matrices import Matrices, matrices_at
from cosserat.solve.linear.point import MOTION, OperatingPoint, name_of_node, new_point_memory
from cosserat.solve.motion.starting import set_start

_STEADY = 1e-6  # acceleration, relative to those that act, that is accepted where there should be none
_SAME = 1e-6  # relative change of the linear equations along the motion that is accepted
_LATER = 0.7  # rad, or typical lengths, by which the fastest part moves on before they are compared
_DENSE = 600  # motions up to which the linear equations are compared, not the accelerations alone


def described_motion(model: Model, time: float, caller: str) -> OperatingPoint:
    """The model as `simulate` starts it, in the frames that go along with it.

    Raises
    ------
    SolveError
        If the motion does not go on as it begins.
    """
    compiled, memory = new_point_memory(model, time)
    set_start(compiled, memory, "reference", time)
    set_trial(memory, memory.problem.state)
    return steady(OperatingPoint(compiled, memory, time, MOTION), caller)


def steady(point: OperatingPoint, caller: str) -> OperatingPoint:
    """A point in motion, with the steady motion it belongs to; an error where it is not steady."""
    point.refresh()
    flow = flow_of(point)
    found = replace(point, flow=flow)
    _demand_rates(found, flow, caller)
    trial, n = point.memory.problem.trial, point.compiled.n_nodes
    trial.rate[:n] = -np.einsum("nij,nj->ni", bracket(flow.spins), trial.twist[:n])
    found.refresh()
    if np.any(trial.twist):
        _demand_constant(found, flow, caller)
    return found


def _demand_rates(point: OperatingPoint, flow: Flow, caller: str, when: str = "") -> None:
    """Raise if a node is accelerated otherwise than in the steady motion."""
    compiled, trial, n = point.compiled, point.memory.problem.trial, point.compiled.n_nodes
    unit = np.array([1.0, compiled.length]).repeat(3)
    wanted = -np.einsum("nij,nj->ni", bracket(flow.spins), trial.twist[:n])
    apart = np.abs(trial.rate[:n] - wanted) * unit
    fast = flow.fastest(trial.twist[:n], compiled.length)
    gravity = float(np.linalg.norm(point.memory.problem.inputs.gravity[0]))
    acting = max(gravity, compiled.length * fast**2, float(np.max(np.abs(trial.rate[:n]) * unit, initial=0.0)))
    if np.max(apart, initial=0.0) <= _STEADY * acting:
        return
    node = int(np.argmax(np.max(apart, axis=1)))
    rest = (trial.rate[:n] - wanted)[node]
    raise SolveError(
        f"{caller}: the motion described by the initial velocities is not steady: {name_of_node(compiled, node)} is "
        f"accelerated by {np.linalg.norm(rest[:3]):.3g} m/s^2 and {np.linalg.norm(rest[3:]):.3g} rad/s^2 beyond "
        f"what keeps it going{when}; give velocities, positions and loads that go on as they begin, or pass "
        "about=(run, time) to linearise about a moment"
    )


@contextmanager
def _later(point: OperatingPoint, flow: Flow, offset: float) -> Iterator[OperatingPoint]:
    """Inside, the mechanism is where the steady motion takes it, with the accelerations and reactions it has there."""
    memory, compiled, n = point.memory, point.compiled, point.compiled.n_nodes
    state, trial = memory.problem.state, memory.problem.trial
    with memory.kept():
        state.frame[:n] = frame_to_row(flow.frames(trial.frame, offset))
        state.twist[:n] = flow.turned(trial.twist, offset)
        set_trial(memory, state)
        later = replace(point, time=point.time + offset)
        later.refresh()  # angles go on
        state.angle[:] = trial.angle
        consistent_accelerations(compiled, later.time, memory)
        set_trial(memory, state)
        later.refresh()
        yield later
    point.refresh()


def _demand_constant(point: OperatingPoint, flow: Flow, caller: str) -> None:
    """Raise if the equations of motion are others a little later."""
    n = point.compiled.n_nodes
    offset = _LATER / flow.fastest(point.memory.problem.trial.twist[:n], point.compiled.length)
    small = 6 * n <= _DENSE
    here = matrices_at(point) if small else None
    with _later(point, flow, offset) as later:
        _demand_rates(later, flow, caller, f" after {offset:.3g} s")
        there = matrices_at(later) if small else None
    if here is None or there is None:
        return
    word = _change(here, there, flow.turns(offset), _LATER / offset)
    if word:
        raise changing(caller, word, offset)


def changing(caller: str, word: str, later: float) -> SolveError:
    """What to say of a steady motion whose linear equations are not constant."""
    return SolveError(
        f"{caller}: the motion goes on, but its linear equations change with time: their {word} is another after "
        f"{later:.3g} s; parts that turn against the others, as wheels do, must look the same from all sides"
    )


def _change(here: Matrices, there: Matrices, turns: Array, fast: float) -> str:
    """What of the linear equations is not the same, a word; empty if nothing.

    `turns` (n, 6, 6) is what spun since, `fast` (1/s) the rate of the motion.
    """
    unit = np.tile([here.length, 1.0], here.mass.shape[0] // 6).repeat(3)
    spun = block_diag(*turns)
    phi = here.constraints.toarray() * unit
    velocities = null_space(phi) if len(phi) else np.eye(len(unit))
    positions = velocities
    if here.slips is not None:
        held = phi[~here.slips.rows]
        positions = null_space(held) if len(held) else np.eye(len(unit))
    if len(phi):
        rows = (there.constraints @ spun) * unit
        norms = np.linalg.norm(rows, axis=1)[:, None]
        if np.max(np.abs(rows / np.where(norms > 0.0, norms, 1.0) @ velocities), initial=0.0) > _SAME:
            return "constraints"
    rate = max(_rate(here, unit), fast)
    left, right = unit[:, None] * velocities, unit[:, None] * positions
    inertia = np.max(np.abs(left.T @ (here.mass @ left)), initial=1e-300)
    for word, power in (("mass", 0), ("damping", 1), ("stiffness", 2)):
        a = left.T @ (getattr(here, word) @ right)
        b = (spun @ left).T @ (getattr(there, word) @ (spun @ right))
        if np.max(np.abs(a - b), initial=0.0) > _SAME * inertia * rate**power:
            return {"damping": "damping or gyroscopic matrix"}.get(word, word)
    return ""


def _rate(matrices: Matrices, unit: Array) -> float:
    """The largest of the rates (1/s) that matrices of the linear equations stand for."""
    inertia = float(np.max(np.abs(matrices.mass.diagonal() * unit**2), initial=1e-300))
    damping = float(np.max(np.abs(matrices.damping.diagonal() * unit**2), initial=0.0))
    both = abs(matrices.damping).multiply(np.outer(unit, unit)).max() if matrices.damping.nnz else 0.0
    stiffness = abs(matrices.stiffness).multiply(np.outer(unit, unit)).max() if matrices.stiffness.nnz else 0.0
    return max(damping / inertia, float(both) / inertia, float(np.sqrt(stiffness / inertia)))
