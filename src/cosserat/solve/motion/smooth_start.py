"""The first step of the generalised-alpha method, so that reactions do not ring.

The method's acceleration a_n belongs to the time t_n + (alpha_m - alpha_f) h. Along directions in which joints
prescribe the motion, its velocities differ from the true ones by h^2 (C v_ddot + [v, v_dot]/12), C = 1/6 - beta -
(alpha_m - alpha_f)/2, since increments are exact there. Started with a = v_dot and the true velocities, errors of first
order in the reactions alternate until they have died out. Source: M. Arnold, O. Bruls, A. Cardona, Numer. Math. 129
(2015) 149-179.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.series import bracket
from cosserat.kernels.alpha import method, move
from cosserat.kernels.arrays import Inputs
from cosserat.kernels.blocks import solve
from cosserat.kernels.newton import refactor
from cosserat.kernels.residual import add_inertia, forces
from cosserat.solve.initial import constraint_rates_of, project_velocities, set_trial
from cosserat.solve.memory import Memory
from cosserat.solve.motion.control import Controlled

Array = NDArray[np.float64]

UNRESOLVED = 0.1
"""Share of an acceleration that the iteration matrix must leave, for a step to resolve it."""

PART = 1e-2  # of the step, over which the equations are differentiated
_SMALL = 0.01  # see `unresolved`
_AFTER = 1e-9  # of the step: after the start


def smooth_start(
    compiled: CompiledModel, memory: Memory, t: float, h: float, rho: float, controlled: Controlled | None
) -> None:
    """Set the integrator's acceleration and velocities for steps of length h from time t; all else is consistent."""
    n, state = compiled.n_nodes, memory.problem.state
    alpha_m, alpha_f, _, _ = method(rho)
    jerk, bend = _jerk(compiled, memory, t, h, controlled)
    state.accel[:n] = state.rate[:n] + (alpha_m - alpha_f) * h * jerk
    state.inner[2] = state.inner[1] + (alpha_m - alpha_f) * h * bend
    state.accel[n:] = state.rate[n:]
    if compiled.n_joints or compiled.rules:
        _shift_velocities(compiled, memory, t, h * h, rho, jerk)


def unresolved(
    compiled: CompiledModel, memory: Memory, t: float, h: float, rate: Array, controlled: Controlled | None
) -> bool:
    """Whether steps of length h are too long for how loads and dampers begin to act; to be asked after `smooth_start`.

    They are where the iteration matrix leaves little of the accelerations at the start, `rate`, as at a beam's light
    end, and the correction of `smooth_start` is not small beside that: velocities there change within the step, and
    dampers take them for what they never are.
    """
    n, state, trial, solver = compiled.n_nodes, memory.problem.state, memory.problem.trial, memory.problem.solver
    scale = np.array([1.0, 1.0, 1.0, compiled.length, compiled.length, compiled.length])
    shift = float(np.abs((state.accel[:n] - rate[:n]) * scale).max(initial=0.0))
    largest = float(np.abs(rate[:n] * scale).max(initial=0.0))
    if shift < _SMALL * UNRESOLVED * largest or largest == 0.0:
        return False
    times = np.array([t])
    memory.replace(inputs=_sampled(compiled, times + _AFTER * h, controlled))
    set_trial(memory, state)
    trial.rate[:], trial.increment[:] = 0.0, 0.0
    forces(memory.address, 0)
    add_inertia(memory.address)
    cm, s = solver.coefficients[0], solver.coefficients[3]
    solver.x[:n], solver.x[n:] = -cm * trial.residual[:n], -s * _second_rates(compiled, memory, times)
    solve(memory.address)
    left = float(np.abs(solver.x[:n] * scale).max(initial=0.0))
    return left < UNRESOLVED * largest and shift > _SMALL * left


def restart(
    compiled: CompiledModel, memory: Memory, t: float, h: float, rho: float, controlled: Controlled | None
) -> None:
    """Start anew at time t, as just after a kink in a prescribed motion: velocities jump as after an impact.

    Accelerations and multipliers follow, those of unresolved vibrations filtered by the iteration matrix.
    """
    n, state, trial, solver = compiled.n_nodes, memory.problem.state, memory.problem.trial, memory.problem.solver
    times = np.array([t])
    project_velocities(compiled, t, memory)
    memory.replace(inputs=_sampled(compiled, times, controlled))
    set_trial(memory, state)
    trial.increment[:] = 0.0
    forces(memory.address, 0)
    refactor(memory.address, 0)
    cm, s = solver.coefficients[0], solver.coefficients[3]
    for _ in range(3):
        forces(memory.address, 0)
        add_inertia(memory.address)
        solver.x[:n] = -cm * trial.residual[:n]
        solver.x[n:] = -s * _second_rates(compiled, memory, times)
        solve(memory.address)
        trial.rate[:n] += solver.x[:n]
        trial.force[:] += s / cm * solver.x[n:]
    state.rate[:n], state.force[:] = trial.rate[:n], trial.force
    smooth_start(compiled, memory, t, h, rho, controlled)


def _shift_velocities(
    compiled: CompiledModel, memory: Memory, t: float, square: float, rho: float, jerk: Array
) -> None:
    """Add, along prescribed directions, by what velocities of the method differ from true ones per square of h."""
    n, state, solver = compiled.n_nodes, memory.problem.state, memory.problem.solver
    alpha_m, alpha_f, _, beta = method(rho)
    twisted = np.einsum("nij,nj->ni", bracket(state.twist[:n]), state.rate[:n])
    change = square * ((1.0 / 6.0 - 0.5 * (alpha_m - alpha_f) - beta) * jerk + twisted / 12.0)
    solver.x[:n] = 0.0
    solver.x[n:] = solver.coefficients[3] * _along(compiled, memory, t, change)
    solve(memory.address)
    state.twist[:n] += solver.x[:n]


def _jerk(
    compiled: CompiledModel, memory: Memory, t: float, h: float, controlled: Controlled | None
) -> tuple[Array, Array]:
    """Rates (n, 6) of the accelerations at the start, those of unresolved vibrations filtered, and of the rates of
    states of laws; leaves the factors.

    The equations of motion and the second derivatives of the constraints are differentiated along the motion, by
    differences to one side: functions of time may have a kink at the start.
    """
    n = compiled.n_nodes
    state, trial, solver = memory.problem.state, memory.problem.trial, memory.problem.solver
    parts = (0.0, 0.5 * PART * h, PART * h)
    weights = np.array([-3.0, 4.0, -1.0]) / (PART * h)
    residual, accel, bend = np.zeros((n, 6)), np.zeros_like(trial.phi), np.zeros(state.inner.shape[1])
    for weight, part in zip(weights, parts, strict=True):
        at = np.array([t + max(part, _AFTER * h)])  # a load may jump at the start: what counts is what comes after it
        memory.replace(inputs=_sampled(compiled, at, controlled))
        set_trial(memory, state)
        trial.increment[:n] = part * state.twist[:n] + 0.5 * part * part * state.rate[:n]
        move(state.frame, trial.increment, 1.0, trial.frame)
        trial.twist[:n] = state.twist[:n] + part * state.rate[:n]
        trial.inner[0] = state.inner[0] + part * state.inner[1]
        forces(memory.address, 0)
        add_inertia(memory.address)
        residual += weight * trial.residual[:n]
        accel += weight * _second_rates(compiled, memory, at)
        bend += weight * trial.inner[1]
    memory.replace(inputs=_sampled(compiled, np.array([t]), controlled))
    set_trial(memory, state)
    trial.increment[:] = 0.0
    forces(memory.address, 0)
    refactor(memory.address, 0)
    cm, s = solver.coefficients[0], solver.coefficients[3]
    solver.x[:n] = -cm * residual
    solver.x[n:] = -s * accel
    solve(memory.address)
    return np.array(solver.x[:n]), bend


def _sampled(compiled: CompiledModel, times: Array, controlled: Controlled | None) -> Inputs:
    inputs = compiled.sampler.sample(times)
    return inputs if controlled is None else controlled.apply(inputs)


def _second_rates(compiled: CompiledModel, memory: Memory, times: Array) -> Array:
    """Second derivatives (groups, 6) of the constraints at the trial state and its accelerations."""
    trial = memory.problem.trial
    drives = tuple(d[0] for d in compiled.sampler.sample_rates(times))
    rate, accel = np.zeros_like(trial.phi), np.zeros_like(trial.phi)
    constraint_rates_of(memory, drives, rate, accel)
    return accel + _gradient(memory, drives[0], trial.rate)


def _along(compiled: CompiledModel, memory: Memory, t: float, change: Array) -> Array:
    """Rates (groups, 6) of the constraints for small velocities (n, 6); those of what rolls are velocities already."""
    drive = compiled.sampler.sample_rates(np.array([t]))[0][0]
    out = _gradient(memory, drive, np.vstack((change, np.zeros((1, 6)))))
    rules = compiled.system.rules
    moved = np.isin(np.arange(len(out)) - compiled.n_joints, rules.item[rules.held == 1])
    moved[: compiled.n_joints] = True
    out[~moved] = 0.0
    return out


def _gradient(memory: Memory, drive: Array, velocities: Array) -> Array:
    """Phi times velocities (n+1, 6) at the trial configuration, through the kernel of the rates."""
    trial = memory.problem.trial
    kept = trial.twist.copy()
    trial.twist[:] = velocities
    rate, unused = np.zeros_like(trial.phi), np.zeros_like(trial.phi)
    constraint_rates_of(memory, (drive, np.zeros_like(drive), np.zeros_like(drive)), rate, unused, 0.0)
    trial.twist[:] = kept
    return rate
