"""Consistent initial conditions: assembled configuration, velocities that the joints allow, accelerations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import keep_all
from cosserat.compile.spanning import DisjointSets
from cosserat.errors import ModelError, warn
from cosserat.kernels.alpha import move
from cosserat.kernels.arrays import Inputs, State
from cosserat.kernels.blocks import factor, solve
from cosserat.kernels.law_states import FROZEN, STEADY
from cosserat.kernels.residual import add_inertia, constraint_rates, constraints, forces
from cosserat.kernels.rolling import rolling_rates
from cosserat.kernels.rules import rule_rates
from cosserat.lie.protocol import Array
from cosserat.solve.memory import Memory, assemble_blocks

EPSILON = 1e-10  # relative size of the multipliers' diagonal
_SMALL_PIVOT = 1e-3  # of a joint's block, relative to the mass, below which its rows may be implied by others


def set_trial(memory: Memory, state: State) -> None:
    """Make a state the trial state, at which the kernels evaluate."""
    trial = memory.problem.trial
    for name in ("frame", "twist", "rate", "force", "angle"):
        getattr(trial, name)[...] = getattr(state, name)
    trial.inner[:3] = state.inner
    memory.problem.solver.follow[0] = FROZEN


def settle_states(memory: Memory) -> None:
    """Give the states of laws the values that are steady at the motion of the state."""
    if memory.problem.state.inner.shape[1] == 0:
        return
    set_trial(memory, memory.problem.state)
    memory.problem.solver.follow[0] = STEADY
    forces(memory.address, 0)
    memory.problem.solver.follow[0] = FROZEN
    memory.problem.state.inner[0] = memory.problem.trial.inner[0]


def factor_at(memory: Memory, cm: float, ck: float, scale: float) -> None:
    """Factor [cm M + ck K, s Phi^T; s Phi, -epsilon s] at the trial state."""
    assemble_blocks(memory, mass=cm, stiffness=ck, scale=scale, epsilon=EPSILON)
    factor(memory.address)


def closing_joints(compiled: CompiledModel, order: NDArray[np.int64]) -> list[int]:
    """Joints that close loops of joints, in the order of elimination; the others form trees and are independent.

    A knife edge or rolling disc counts as a joint to the ground, numbered after the joints.
    """
    nodes = compiled.system.joints.node.tolist()
    nodes += [(int(node), compiled.n_nodes) for node in compiled.system.rolling.node]
    for item, pair in zip(compiled.system.rules.item, compiled.system.rules.node.tolist(), strict=True):
        nodes[compiled.n_joints + int(item)] = tuple(pair)
    parts = DisjointSets(range(len(compiled.frames)))
    numbers = [int(vertex) - compiled.n_nodes for vertex in order if vertex >= compiled.n_nodes]
    return [j for j in numbers if not parts.join(*nodes[j])]


def soften_redundant(compiled: CompiledModel, memory: Memory) -> list[str]:
    """Find combinations of constraint rows that other joints imply, tell the kernels, and return the titles of what
    demands them.

    Only joints that close loops can be implied, and those show by small pivots of their blocks once everything before
    them is eliminated. What exactly is implied follows from the gradients alone: pivots of bodies with very different
    inertias are not exact enough.
    """
    soft, pattern, solver = memory.problem.joints.soft, memory.problem.pattern, memory.problem.solver
    rolling, nj = memory.problem.rolling, compiled.n_joints
    soft[:] = 0.0
    keep_all(rolling)
    set_trial(memory, memory.problem.state)
    closing = closing_joints(compiled, pattern.order)
    if not closing:
        return []
    scale = compiled.mass
    factor_at(memory, 1.0, 0.0, scale)
    pivots = dict(zip(pattern.order.tolist(), solver.pivots, strict=True))
    suspects = [j for j in closing if pivots[compiled.n_nodes + j] < _SMALL_PIVOT * scale]
    if not suspects:
        return []
    from cosserat.solve.gradients import implied_rows  # sparse matrices of SciPy, which most runs do without

    names = []
    for j, lost in zip(suspects, implied_rows(compiled, memory, suspects), strict=True):
        if lost.shape[1]:
            if j < nj:
                soft[j] = lost @ lost.T
            else:
                rolling.keep[j - nj] -= (lost @ lost.T)[:3, :3]
            names.append(compiled.constraint_title(j))
    return names


def warn_redundant(names: list[str]) -> None:
    """Say which joints, knife edges and rolling discs demand what others imply."""
    if names:
        warn(
            f"redundant constraints: what {', '.join(names)} demand(s) is partly implied by the "
            "others; the motion is unique, but the reactions are only one of many possible sets",
        )


def constraint_rates_of(memory: Memory, drives: Array, pace: float = 1.0) -> tuple[Array, Array]:
    """phi_dot and the part of phi_ddot free of accelerations at the trial state, of joints and of what rolls.

    With a pace of zero, as with drives that have no rates, nothing is prescribed to move.
    """
    rate, accel = np.zeros((2, *memory.problem.trial.phi.shape))
    constraint_rates(memory.address, drives[0], drives[1], drives[2], rate, accel)
    nr = len(memory.problem.rolling.node)
    if nr:
        of_rolling = rate[len(rate) - nr :], accel[len(rate) - nr :]
        rolling_rates(memory.address, *of_rolling)
        if len(memory.problem.rules.item):
            rule_rates(memory.address, 0, pace, *of_rolling)
    return rate, accel


def constrained(compiled: CompiledModel, memory: Memory, force: Array | float, demand: Array | float) -> Array:
    """x (n, 6) with M x + Phi^T mu = force, Phi x = demand, by the factors that there are."""
    n, x = compiled.n_nodes, memory.problem.solver.x
    x[:n], x[n:] = force, compiled.mass * demand
    solve(memory.address)
    return x[:n]


def correct_positions(
    compiled: CompiledModel, memory: Memory, gap: Callable[[Array], float], closed: float, most: int
) -> None:
    """Move the state to the nearest one, in the metric of the kinetic energy, in which joints hold.

    At most so often; `gap` says of constraint values how far that is, and may raise.
    """
    state, trial = memory.problem.state, memory.problem.trial
    for _ in range(most):
        set_trial(memory, state)
        trial.phi[:] = 0.0
        constraints(memory.address, 0)  # what rolls restricts velocities
        if gap(trial.phi) <= closed:
            return
        factor_at(memory, 1.0, 0.0, compiled.mass)
        trial.increment[: compiled.n_nodes] = constrained(compiled, memory, 0.0, -trial.phi)
        move(state.frame.copy(), trial.increment, 1.0, state.frame)


def consistent_velocities(compiled: CompiledModel, t: float, memory: Memory) -> None:
    """Velocities that the joints allow: what was given is kept, the rest follows with the least strain rate in the
    beams, and among equals with the least kinetic energy.

    Raises
    ------
    ModelError
        If a velocity that the user gave had to be changed.
    """
    n = compiled.n_nodes
    state, trial = memory.problem.state, memory.problem.trial
    inputs, drives = compiled.sampler.sample_all(np.array([t]), load_factor=0.0)
    memory.replace(inputs=inputs)
    state.twist[:] = compiled.twists
    state.force[:] = 0.0
    set_trial(memory, state)
    forces(memory.address, 0)
    violation, _ = constraint_rates_of(memory, drives[:, 0])
    if not _misfit(violation, state.twist) and not _strained(compiled):
        return
    from cosserat.solve.velocities import least_velocities  # sparse matrices of SciPy, which most runs do without

    trial.twist[:] = 0.0
    wanted, _ = constraint_rates_of(memory, drives[:, 0])
    state.twist[:n] = least_velocities(compiled, memory, -wanted)
    trial.twist[:] = state.twist
    left, _ = constraint_rates_of(memory, drives[:, 0])
    if _misfit(left, state.twist):
        _refuse_velocities(compiled, violation, left)


def project_velocities(compiled: CompiledModel, t: float, memory: Memory) -> None:
    """The nearest velocities, in the metric of the kinetic energy, that joints and prescribed motions allow."""
    n, state, trial = compiled.n_nodes, memory.problem.state, memory.problem.trial
    inputs, drives = compiled.sampler.sample_all(np.array([t]))
    memory.replace(inputs=inputs)
    set_trial(memory, state)
    factor_at(memory, 1.0, 0.0, compiled.mass)
    for _ in range(3):
        rate, _ = constraint_rates_of(memory, drives[:, 0])
        trial.twist[:n] += constrained(compiled, memory, 0.0, -rate)
    state.twist[:n] = trial.twist[:n]


def _misfit(violation: Array, twist: Array) -> bool:
    """Whether rates of constraints are more than rounding errors."""
    return bool(np.max(np.abs(violation), initial=0.0) > 1e-9 * (1e-9 + np.max(np.abs(twist))))


def _strained(compiled: CompiledModel) -> bool:
    """Whether velocities were given of some nodes of elements only, which the others have to follow."""
    given = compiled.given[compiled.system.elements.node].reshape(len(compiled.system.elements.node), 4)
    return bool(np.any(given.any(axis=1) & ~given.all(axis=1)))


def _refuse_velocities(compiled: CompiledModel, violation: Array, left: Array) -> None:
    """Raise: no velocities satisfy all constraints and keep what was given."""
    worst = int(np.argmax(np.max(np.abs(left), axis=1)))
    arrays, nj = compiled.system.joints, compiled.n_joints
    near = arrays.node[worst] if worst < nj else compiled.system.rolling.node[worst - nj :][:1]
    given = np.nonzero(compiled.given.any(axis=1))[0]
    title = compiled.constraint_title(worst)
    if not len(given):
        raise ModelError(
            f"{title}: the prescribed motions demand velocities at the start that the joints cannot have together "
            f"(they miss by {np.max(np.abs(left[worst])):.3g} m/s or rad/s); check the rates of the prescribed motions"
        )
    node = next((int(i) for i in near if i in given), int(given[0]))
    word = "velocity" if compiled.given[node, 0] else "angular velocity"
    size = max(np.max(np.abs(violation[worst])), np.max(np.abs(left[worst])))
    raise ModelError(
        f"{_owner(compiled, node)}: its initial {word} violates {title} (by {size:.3g} m/s or rad/s); give velocities "
        "that all of them allow, or leave them out and they are computed"
    )


def _owner(compiled: CompiledModel, node: int) -> str:
    for name, i in compiled.bodies.items():
        if i == node:
            return f"body '{name}'"
    return next(f"beam '{b}'" for b, m in compiled.beams.items() if m.first_node <= node < m.first_node + m.n_nodes)


def consistent_accelerations(
    compiled: CompiledModel, t: float, memory: Memory, inputs: Inputs | None = None, *, frozen: bool = False
) -> None:
    """Accelerations and multipliers of the equations of motion at time t, and the integrator's start a = v_dot.

    `inputs`: those of that time, where they are not the model's own. `frozen`: prescribed motions stand still.
    """
    n = compiled.n_nodes
    state, trial, solver = memory.problem.state, memory.problem.trial, memory.problem.solver
    own, (drive, *rates) = compiled.sampler.sample_all(np.array([t]))
    memory.replace(inputs=own if inputs is None else inputs)
    drives = np.array([drive[0], *((0.0 if frozen else 1.0) * rate[0] for rate in rates)])
    state.rate[:] = 0.0
    state.force[:] = 0.0
    set_trial(memory, state)
    _, phi_ddot = constraint_rates_of(memory, drives, 0.0 if frozen else 1.0)
    forces(memory.address, 0)  # sets masses that change with time or with the motion
    factor_at(memory, 1.0, 0.0, compiled.mass)
    drives[1:] = 0.0
    gradient = np.zeros_like(trial.phi)
    for _ in range(3):
        forces(memory.address, 0)
        add_inertia(memory.address)
        trial.rate[:n] += constrained(compiled, memory, -trial.residual[:n], -(phi_ddot + gradient))
        trial.force[:] += compiled.mass * solver.x[n:]
        twist = trial.twist.copy()
        trial.twist[:] = trial.rate  # Phi v_dot through the same kernel as Phi v
        gradient, _ = constraint_rates_of(memory, drives, 0.0)
        trial.twist[:] = twist
    state.rate[:n] = trial.rate[:n]
    state.force[:] = trial.force
    state.accel[:] = state.rate
    state.inner[1:] = trial.inner[1]
