"""Laws that own states: beside the wrench they give rates, y' = g(t, motion, y), and the states follow with the step.

A law gets its states behind its parameters and gives the wrench, then the rates. In a step, y1 = drift + g1/sigma with
what the method knows of the start in `drift` (`newton.start_inner`); in an equilibrium, g = 0. Both are
sigma (y - drift) = g(y), sigma = 0 for the latter. Solved law by law wherever forces are evaluated, the states are
functions of the motion, dy = (sigma - dg/dy)^-1 dg, and with them the iteration matrix is exact and keeps its pattern.
With sigma < 0 they stand still: linear models take their derivatives apart.
"""

import math

from cosserat.jit import address_of, call_address, helper, inlined, load, stage
from cosserat.kernels import state_loads

FROZEN, STEADY = -1.0, 0.0  # values of solver.follow[0]; in a step it is sigma
MAX_ITERATIONS = 20
CONVERGED = 1e-13  # change of states, relative to the largest of the law
FAINT = 1e-12  # states below this are zero with rounding, and say nothing of what is typical of them
LINEAR = 0.03  # the same, from which the law need not be called again in a step: iterations of the step follow


def load_owning(address, problem):
    """Compile or read what laws that own states need, if there are any, and write the addresses into the problem."""
    if problem.trial.inner.shape[1] > 0:
        load(settle_law, address, 0, 0.0)
        load(differentiate_law, address, 0, 0.0)
        problem.solver.owning[:] = address_of(settle_law), address_of(differentiate_law)


@inlined
def call(laws, i, address, t, trial, visit, owned):
    """owned.out: wrenches of law i and rates of its states, at the motions in `visit` and the states trial.inner[0]."""
    a, b, first = laws.start[i], laws.start[i + 1], laws.inner[i]
    states = laws.inner[i + 1] - first
    m, n = state_loads.extent(laws, i)
    for k in range(states):
        laws.parameter[b - states + k] = trial.inner[0, first + k]
    numbers, out = laws.parameter[a:b], owned.out
    code = call_address(address, (t, visit.frame[:n], visit.twist[:n], numbers, out))
    if code != 0:
        for k in range(6 * m + states):
            out[k] = float("nan")


@helper
def difference(sl, i, address, t, column, trial, visit, owned):
    """Column of owned.J: derivatives by one of 12 changes of the motion of each place, or by a state behind them."""
    first, states = sl.inner[i], sl.inner[i + 1] - sl.inner[i]
    m, n = state_loads.extent(sl, i)
    place = column // 12 if column < 12 * n else 0
    frame, twist = visit.frame[place], visit.twist[place]
    motion, kept = state_loads.read_motion(frame, twist), 0.0
    if column < 12 * n:
        s = state_loads.typical(column, motion[1], motion[2], motion[3], sl.length[i])
    else:
        kept = trial.inner[0, first + column - 12 * n]
        s = 0.0
        for k in range(states):
            s = max(s, abs(trial.inner[0, first + k]))
        s = s if s > FAINT else 1.0
    for side in range(6):
        step = state_loads.side_step(side, s)
        if column < 12 * n:
            state_loads.write_motion(state_loads.shifted(column, step, motion), frame, twist)
        else:
            trial.inner[0, first + column - 12 * n] = kept + step
        call(sl, i, address, t, trial, visit, owned)
        for p in range(6 * m + states):
            owned.sides[side, p] = owned.out[p]
    state_loads.write_motion(motion, frame, twist)
    if column >= 12 * n:
        trial.inner[0, first + column - 12 * n] = kept
    for p in range(6 * m + states):
        owned.J[p, column] = state_loads.difference(owned.sides, p, s, abs(owned.sides[4, p]))


@helper
def find_gain(sl, i, sigma, owned):
    """owned.slope[i], and owned.gain[i] = (sigma - dg/dy)^-1 by elimination, from owned.J, which it uses up."""
    n, A, J = sl.inner[i + 1] - sl.inner[i], owned.gain[i], owned.J
    m, places = state_loads.extent(sl, i)
    o, c = 6 * m, 12 * places
    for p in range(o + n):
        for q in range(n):
            owned.slope[i, p, q] = J[p, c + q]
    for p in range(n):
        for q in range(n):
            A[p, q] = 1.0 if p == q else 0.0
            J[o + p, c + q] = (sigma if p == q else 0.0) - J[o + p, c + q]
    for k in range(n):
        best = k
        for p in range(k + 1, n):
            if abs(J[o + p, c + k]) > abs(J[o + best, c + k]):
                best = p
        for q in range(n):
            J[o + k, c + q], J[o + best, c + q] = J[o + best, c + q], J[o + k, c + q]
            A[k, q], A[best, q] = A[best, q], A[k, q]
        pivot = J[o + k, c + k]
        for q in range(n):
            J[o + k, c + q] /= pivot
            A[k, q] /= pivot
        for p in range(n):
            factor = J[o + p, c + k]
            if p != k:
                for q in range(n):
                    J[o + p, c + q] -= factor * J[o + k, c + q]
                    A[p, q] -= factor * A[k, q]
    owned.known[i] = sigma


@helper
def find_answer(sl, i, address, t, sigma, trial, visit, owned):
    """owned.gain[i] at the motions in `visit`."""
    _, n = state_loads.extent(sl, i)
    for k in range(sl.inner[i + 1] - sl.inner[i]):
        difference(sl, i, address, t, 12 * n + k, trial, visit, owned)
    find_gain(sl, i, sigma, owned)


@inlined
def settle(sl, i, address, t, sigma, trial, visit, owned):
    """States of law i that belong to the motions in `visit`, in trial.inner[0], their rates in trial.inner[1], and
    owned.out.
    """
    first, n = sl.inner[i], sl.inner[i + 1] - sl.inner[i]
    gain, change, o = owned.gain[i], owned.change, 6 * sl.acts[i]
    previous, start = math.inf, 0.0
    for p in range(n):
        start = max(start, abs(trial.inner[0, first + p]))
    for _ in range(MAX_ITERATIONS):
        if sigma >= 0.0 and owned.known[i] != sigma:
            find_answer(sl, i, address, t, sigma, trial, visit, owned)
        call(sl, i, address, t, trial, visit, owned)
        if sigma < 0.0:
            break
        largest, size = 0.0, start
        for p in range(n):
            s = 0.0
            for q in range(n):
                rest = owned.out[o + q] - sigma * (trial.inner[0, first + q] - trial.inner[3, first + q])
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
            for p in range(o + n):
                for q in range(n):
                    owned.out[p] += owned.slope[i, p, q] * change[q]
            break
    for k in range(n):
        trial.inner[1, first + k] = owned.out[o + k]
    for k in range(o):
        visit.wrench[k] = owned.out[k]


@helper
def differentiate(sl, i, address, t, trial, visit, owned):
    """owned.J (6m+ny, 12n+ny): derivatives of wrenches and rates of law i by motions and states; visit.wrench."""
    m, n = state_loads.extent(sl, i)
    for column in range(12 * n + sl.inner[i + 1] - sl.inner[i]):
        difference(sl, i, address, t, column, trial, visit, owned)
    call(sl, i, address, t, trial, visit, owned)
    for k in range(6 * m):
        visit.wrench[k] = owned.out[k]


@helper
def condense(sl, i, sigma, visit, owned):
    """visit.J (6m, 12n): derivatives of the wrenches where the states follow the motion."""
    states, J, gain = sl.inner[i + 1] - sl.inner[i], owned.J, owned.gain[i]
    m, n = state_loads.extent(sl, i)
    for p in range(6 * m):
        for q in range(12 * n):
            visit.J[p, q] = J[p, q]
    if sigma < 0.0:
        return
    find_gain(sl, i, sigma, owned)
    for p in range(6 * m):
        for k in range(states):
            s = 0.0
            for r in range(states):
                s += owned.slope[i, p, r] * gain[r, k]
            for q in range(12 * n):
                visit.J[p, q] += s * J[6 * m + k, q]


@stage
def settle_law(problem, i, t):
    """visit.wrench of law i, with the states that belong to the motions in `visit` and their rates."""
    sl, solver = problem.state_loads, problem.solver
    settle(sl, i, solver.units[i, 0], t, solver.follow[0], problem.trial, problem.visit, problem.owned)
    return 0


@stage
def differentiate_law(problem, i, t):
    """visit.J of law i at the motions in `visit`, with states that follow as they do, and visit.wrench."""
    sl, solver, visit, owned = problem.state_loads, problem.solver, problem.visit, problem.owned
    differentiate(sl, i, solver.units[i, 0], t, problem.trial, visit, owned)
    condense(sl, i, solver.follow[0], visit, owned)
    return 0


@stage
def slopes(problem, k, slope_out):
    """slope_out (ns, nw, nz): owned.J of all laws that own states, at the trial state."""
    sl, trial, solver, visit = problem.state_loads, problem.trial, problem.solver, problem.visit
    owned = problem.owned
    state_loads.take_signals(sl, problem.inputs.effort[k], problem.inputs.effort[k])
    for i in range(sl.acts.shape[0]):
        if sl.inner[i + 1] == sl.inner[i]:
            continue
        state_loads.visit_places(sl, i, trial.frame, trial.twist, visit)
        differentiate(sl, i, solver.units[i, 0], problem.inputs.clock[k, 0], trial, visit, owned)
        for p in range(owned.J.shape[0]):
            for q in range(owned.J.shape[1]):
                slope_out[i, p, q] = owned.J[p, q]
    return 0
