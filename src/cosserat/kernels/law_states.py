"""Laws that own states: beside the wrench they give rates, y' = g(t, motion, y), and the states follow with the step.

A law gets its states behind its parameters and gives the wrench, then the rates. In a step, y1 = drift + g1/sigma with
what the method knows of the start in `drift` (`newton.start_inner`); in an equilibrium, g = 0. Both are
sigma (y - drift) = g(y), sigma = 0 for the latter. Solved law by law wherever forces are evaluated, the states are
functions of the motion, dy = (sigma - dg/dy)^-1 dg, and with them the iteration matrix is exact and keeps its pattern.
With sigma < 0 they stand still: linear models take their derivatives apart.
"""

import math

import numpy as np

from cosserat.jit import call_address, helper, inlined, stage
from cosserat.kernels import joints, slots, state_loads
from cosserat.kernels.arrays import (
    inputs_of,
    middle_of,
    owned_of,
    scratch_of,
    solver_of,
    state_loads_of,
    trial_of,
    visit_of,
)
from cosserat.kernels.state_loads import AGREE, LONG, SHORT
from cosserat.kernels.tangent import scatter

FROZEN, STEADY = -1.0, 0.0  # values of solver.follow[0]; in a step it is sigma
MAX_ITERATIONS = 20
CONVERGED = 1e-13  # change of states, relative to the largest of the law
FAINT = 1e-12  # states below this are zero with rounding, and say nothing of what is typical of them
LINEAR = 0.03  # the same, from which the law need not be called again in a step: iterations of the step follow


def count(problem):
    """Number of laws that own states."""
    return int(np.count_nonzero(np.diff(problem.state_loads.inner)))


def without(loads):
    """Number of laws that own none."""
    return len(loads.node) - int(np.count_nonzero(np.diff(loads.inner)))


@inlined
def call(laws, i, address, t, trial, visit, owned):
    """owned.out: wrench of law i and rates of its states, at the motion in `visit` and the states trial.inner[0]."""
    a, b, first = laws.start[i], laws.start[i + 1], laws.inner[i]
    n = laws.inner[i + 1] - first
    for k in range(n):
        laws.parameter[b - n + k] = trial.inner[0, first + k]
    numbers, out = laws.parameter[a:b], owned.out
    code = call_address(address, (t, visit.frame_a, visit.twist_a, visit.frame_b, visit.twist_b, numbers, out))
    if code != 0:
        for k in range(6 + n):
            out[k] = float("nan")


@helper
def difference(sl, i, address, t, column, here, there, trial, visit, owned):
    """Column of owned.J: derivatives by one of 24 changes of the motions, or by a state behind them."""
    first, n = sl.inner[i], sl.inner[i + 1] - sl.inner[i]
    kept = 0.0
    if column < 24:
        motion = here if column < 12 else there
        s = state_loads.typical(column, motion[1], motion[2], motion[3], sl.length[i])
    else:
        kept = trial.inner[0, first + column - 24]
        s = 0.0
        for k in range(n):
            s = max(s, abs(trial.inner[0, first + k]))
        s = s if s > FAINT else 1.0
    for side in range(6):
        step = (LONG if side < 2 else 0.5 * LONG if side < 4 else SHORT) * s * (1.0 - 2.0 * (side % 2))
        if column < 12:
            state_loads.enter(sl, i, state_loads.shifted(column, step, here), there, visit)
        elif column < 24:
            state_loads.enter(sl, i, here, state_loads.shifted(column, step, there), visit)
        else:
            trial.inner[0, first + column - 24] = kept + step
        call(sl, i, address, t, trial, visit, owned)
        for p in range(6 + n):
            owned.sides[side, p] = owned.out[p]
    if column >= 24:
        trial.inner[0, first + column - 24] = kept
    for p in range(6 + n):
        full = (owned.sides[0, p] - owned.sides[1, p]) / (2.0 * LONG * s)
        half = (owned.sides[2, p] - owned.sides[3, p]) / (LONG * s)
        short = (owned.sides[4, p] - owned.sides[5, p]) / (2.0 * SHORT * s)
        smooth = half + (half - full) / 3.0
        size = abs(smooth) + abs(owned.sides[4, p]) / s
        owned.J[p, column] = smooth if abs(smooth - short) <= AGREE * size else short


@helper
def find_gain(sl, i, sigma, owned):
    """owned.slope[i], and owned.gain[i] = (sigma - dg/dy)^-1 by elimination, from owned.J, which it uses up."""
    n, A, J = sl.inner[i + 1] - sl.inner[i], owned.gain[i], owned.J
    for p in range(6 + n):
        for q in range(n):
            owned.slope[i, p, q] = J[p, 24 + q]
    for p in range(n):
        for q in range(n):
            A[p, q] = 1.0 if p == q else 0.0
            J[6 + p, 24 + q] = (sigma if p == q else 0.0) - J[6 + p, 24 + q]
    for k in range(n):
        best = k
        for p in range(k + 1, n):
            if abs(J[6 + p, 24 + k]) > abs(J[6 + best, 24 + k]):
                best = p
        for q in range(n):
            J[6 + k, 24 + q], J[6 + best, 24 + q] = J[6 + best, 24 + q], J[6 + k, 24 + q]
            A[k, q], A[best, q] = A[best, q], A[k, q]
        pivot = J[6 + k, 24 + k]
        for q in range(n):
            J[6 + k, 24 + q] /= pivot
            A[k, q] /= pivot
        for p in range(n):
            factor = J[6 + p, 24 + k]
            if p != k:
                for q in range(n):
                    J[6 + p, 24 + q] -= factor * J[6 + k, 24 + q]
                    A[p, q] -= factor * A[k, q]
    owned.known[i] = sigma


@helper
def find_answer(sl, i, address, t, sigma, here, there, trial, visit, owned):
    """owned.gain[i] at these motions."""
    for k in range(sl.inner[i + 1] - sl.inner[i]):
        difference(sl, i, address, t, 24 + k, here, there, trial, visit, owned)
    find_gain(sl, i, sigma, owned)


@inlined
def settle(sl, i, address, t, sigma, here, there, trial, visit, owned):
    """States of law i that belong to these motions, in trial.inner[0], their rates in trial.inner[1], and owned.out."""
    first, n = sl.inner[i], sl.inner[i + 1] - sl.inner[i]
    gain, change = owned.gain[i], owned.change
    state_loads.enter(sl, i, here, there, visit)
    previous, start = math.inf, 0.0
    for p in range(n):
        start = max(start, abs(trial.inner[0, first + p]))
    for _ in range(MAX_ITERATIONS):
        if sigma >= 0.0 and owned.known[i] != sigma:
            find_answer(sl, i, address, t, sigma, here, there, trial, visit, owned)
            state_loads.enter(sl, i, here, there, visit)
        call(sl, i, address, t, trial, visit, owned)
        if sigma < 0.0:
            break
        largest, size = 0.0, start
        for p in range(n):
            s = 0.0
            for q in range(n):
                rest = owned.out[6 + q] - sigma * (trial.inner[0, first + q] - trial.inner[3, first + q])
                s += gain[p, q] * rest
            change[p] = s
            largest, size = max(largest, abs(s)), max(size, abs(trial.inner[0, first + p]))
        if not (CONVERGED * size < largest < math.inf):
            break
        if largest > 0.1 * previous:
            owned.known[i] = math.nan  # slow: the law is not linear in its states
        previous = largest
        for p in range(n):
            trial.inner[0, first + p] += change[p]
        if sigma > 0.0 and largest <= LINEAR * size:  # what is left is of second order
            for p in range(6 + n):
                for q in range(n):
                    owned.out[p] += owned.slope[i, p, q] * change[q]
            break
    for k in range(n):
        trial.inner[1, first + k] = owned.out[6 + k]
    for k in range(6):
        visit.wrench[k] = owned.out[k]


@helper
def differentiate(sl, i, address, t, here, there, trial, visit, owned):
    """owned.J (6+n, 24+n): derivatives of wrench and rates of law i by motions and states; visit.wrench."""
    for column in range(24):
        if column < 12 or sl.pair[i] == 1:
            difference(sl, i, address, t, column, here, there, trial, visit, owned)
        else:
            for p in range(6 + sl.inner[i + 1] - sl.inner[i]):
                owned.J[p, column] = 0.0
    for k in range(sl.inner[i + 1] - sl.inner[i]):
        difference(sl, i, address, t, 24 + k, here, there, trial, visit, owned)
    state_loads.enter(sl, i, here, there, visit)
    call(sl, i, address, t, trial, visit, owned)
    for k in range(6):
        visit.wrench[k] = owned.out[k]


@helper
def condense(sl, i, sigma, visit, owned):
    """visit.J (6, 24): derivatives of the wrench where the states follow the motion."""
    n, J, gain = sl.inner[i + 1] - sl.inner[i], owned.J, owned.gain[i]
    for p in range(6):
        for q in range(24):
            visit.J[p, q] = J[p, q]
    if sigma < 0.0:
        return
    find_gain(sl, i, sigma, owned)
    for p in range(6):
        for k in range(n):
            s = 0.0
            for r in range(n):
                s += owned.slope[i, p, r] * gain[r, k]
            for q in range(24):
                visit.J[p, q] += s * J[6 + k, q]


@stage
def add_owning(problem, k):
    """residual -= wrenches of laws that own states."""
    sl, trial, solver, visit = state_loads_of(problem), trial_of(problem), solver_of(problem), visit_of(problem)
    clock, owned, sigma = inputs_of(problem).clock, owned_of(problem), solver.follow[0]
    state_loads.take_signals(sl, inputs_of(problem).effort[k], inputs_of(problem).effort[k])
    for i in range(sl.node.shape[0]):
        if sl.inner[i + 1] == sl.inner[i]:
            continue
        here, there = state_loads.motions_of(sl, i, trial.frame, trial.twist)
        settle(sl, i, solver.units[i, 0], clock[k, 0], sigma, here, there, trial, visit, owned)
        state_loads.add_wrench(sl, i, clock[k, 1], trial.frame, visit.wrench, trial.residual)
    return 0


@stage
def conserve_owning(problem, k):
    """The same over a step: in the frames halfway, for the mean twist and mean states, at the mean time."""
    sl, trial, middle = state_loads_of(problem), trial_of(problem), middle_of(problem)
    solver, visit, owned, clock = solver_of(problem), visit_of(problem), owned_of(problem), inputs_of(problem).clock
    state_loads.take_signals(sl, inputs_of(problem).effort[k - 1], inputs_of(problem).effort[k])
    t = 0.5 * (clock[k - 1, 0] + clock[k, 0])
    for i in range(sl.node.shape[0]):
        if sl.inner[i + 1] == sl.inner[i]:
            continue
        here, there = state_loads.motions_of(sl, i, middle.frame, middle.mean)
        settle(sl, i, solver.units[i, 0], t, solver.follow[0], here, there, trial, visit, owned)
        state_loads.add_wrench(sl, i, clock[k, 1], middle.frame, visit.wrench, trial.residual)
    return 0


@stage
def assemble_owning(problem, k, frames, twists):
    """Derivatives of laws that own states: 12x12 matrices on pairs of nodes."""
    sl, solver, scratch, visit = state_loads_of(problem), solver_of(problem), scratch_of(problem), visit_of(problem)
    cc, ck, clock = solver.coefficients[slots.CC], solver.coefficients[slots.CK], inputs_of(problem).clock
    T, K, C, owned, trial = solver.tangent, scratch.K, scratch.C, owned_of(problem), trial_of(problem)
    if ck == 0.0 and cc == 0.0:
        return 0
    state_loads.take_signals(sl, inputs_of(problem).effort[k], inputs_of(problem).effort[k])
    for i in range(sl.node.shape[0]):
        if sl.inner[i + 1] == sl.inner[i]:
            continue
        here, there = state_loads.motions_of(sl, i, frames, twists)
        differentiate(sl, i, solver.units[i, 0], clock[k, 0], here, there, trial, visit, owned)
        condense(sl, i, solver.follow[0], visit, owned)
        state_loads.tangents(sl, i, clock[k, 1], frames, visit, K, C)
        joints.to_node_frames(sl, i, K, scratch.W)
        joints.to_node_frames(sl, i, C, scratch.W)
        for p in range(12):
            for q in range(12):
                C[p, q] *= cc
        scatter(K, C, ck, T[sl.node[i, 0]], T[sl.node[i, 1]], sl.block[i], solver.blocks)
    return 0


@stage
def slopes(problem, k, slope_out):
    """slope_out (ns, 6+m, 24+m): derivatives of wrenches and rates of laws that own states, at the trial state."""
    sl, trial, solver, visit = state_loads_of(problem), trial_of(problem), solver_of(problem), visit_of(problem)
    owned = owned_of(problem)
    state_loads.take_signals(sl, inputs_of(problem).effort[k], inputs_of(problem).effort[k])
    for i in range(sl.node.shape[0]):
        if sl.inner[i + 1] == sl.inner[i]:
            continue
        here, there = state_loads.motions_of(sl, i, trial.frame, trial.twist)
        t = inputs_of(problem).clock[k, 0]
        differentiate(sl, i, solver.units[i, 0], t, here, there, trial, visit, owned)
        for p in range(owned.J.shape[0]):
            for q in range(owned.J.shape[1]):
                slope_out[i, p, q] = owned.J[p, q]
    return 0
