"""Explicit steps of a flexible tree, accelerations under constraints, and projection onto these.

Methods are those of Runge and Kutta in exponential coordinates theta about the start of each step, which change with
T^-1(theta) v (H. Munthe-Kaas, BIT 38 (1998) 92-111). What is left of the constraints' violations is taken out
afterwards, by the least change in the metric of the mass matrix.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from cosserat.jit import helper, passed_as, stage
from cosserat.kernels.arrays import F1, F2, I1, zeros
from cosserat.kernels.flexible.articulated import factor
from cosserat.kernels.flexible.border import build_border, eliminate
from cosserat.kernels.flexible.closing import BIAS, FORCES, ROWS, close, wrong_branch
from cosserat.kernels.flexible.coordinates import exponential_rates, moved
from cosserat.kernels.flexible.course import impose, take_inputs
from cosserat.kernels.flexible.dynamics import accelerate_under, act
from cosserat.kernels.flexible.implicit import ALLOWED, BRANCH, FACTORED, SOLVED, STEP
from cosserat.kernels.flexible.kinematics import move
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.slots import CONVERGED, NOT_CONVERGED, NOT_FINITE, WRONG_BRANCH

_MOST_PROJECTIONS = 40


class Tableau(NamedTuple):
    """An explicit method of ns stages."""

    matrix: F2  # (ns, ns)
    weight: F1  # (ns,) times `divisor`
    divisor: F1  # (1,)
    embedded: F1  # (ns + 1,) weights less those of an embedded method, whose last stage is at the end of the step
    sample: I1  # (ns + 1,) number of the sample of functions of time that a stage takes, and of that at the end


CLASSICAL = Tableau(
    np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]]), np.array([1.0, 2, 2, 1]), np.array([6.0]),
    np.zeros(5), np.array([0, 1, 1, 2, 3]),
)  # fmt: skip
"""Of fourth order, with nothing embedded."""

DORMAND_PRINCE = Tableau(
    np.array([
        [0.0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
    ]),
    np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]), np.array([1.0]),
    np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]), np.arange(7),
)  # fmt: skip
"""Of fifth order with one of fourth embedded, J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26."""


class Stages(NamedTuple):
    """Rates of theta and v in the stages, each (ns, n_v), and what differs from the embedded solution."""

    theta: Annotated[F2, "stages", "n"]
    speed: Annotated[F2, "stages", "n"]
    error: Annotated[F2, 2, "n"]  # of theta and v
    inner: Annotated[F2, "stages", "ny"]  # rates of states of laws


@passed_as("explicit")
class ExplicitWork(NamedTuple):
    """What `explicit_step` takes, and writes besides the trial."""

    stages: Stages
    tableau: Tableau




def new_explicit(tableau, n, ny):
    """Memory of a method for n coordinates and ny states of laws."""
    return ExplicitWork(zeros(Stages, stages=len(tableau.weight), n=n, ny=ny), tableau)


@helper
def samples_in_step(explicit):
    """How many samples of functions of time a step takes."""
    tableau = explicit.tableau
    return tableau.sample[len(tableau.weight)] + 1


@helper
def combined(row, count, rates, k):
    """Sum of the first rates (ns, ...) of number k, weighted by a row; without those whose weight is zero."""
    out = 0.0
    for j in range(count):
        if row[j] != 0.0:
            out += row[j] * rates[j, k]
    return out


@stage
def accelerate(tree, acting, state, factored, closed, border):
    """a at the state q, v under loads, constraints and accelerations of held coordinates; multipliers in `Rows.force`.

    Returns NOT_FINITE where forces are not numbers.

    States of laws are those in `LawStateArrays.inner`, where their rates end up.
    Angles of cut joints continue from `Rows.before`.
    """
    rows, x = closed.rows, state.vectors
    m, n = len(rows.value), len(x.q)
    task = ROWS | BIAS | FORCES
    acting.inner.follow[0] = FROZEN
    move(tree, state)
    act(tree, acting, state)
    for j in range(len(x.wrench)):  # on what is driven, too, where no acceleration would tell
        if not abs(x.wrench[j]) < math.inf:
            return NOT_FINITE
    for i in range(m):
        rows.force[i] = 0.0
    if m + len(rows.angle) > 0:
        close(tree, state, closed, task)
    for k in range(n):
        x.tau[k] = 0.0
    accelerate_under(tree, state, factored)
    if m > 0:
        border.laws[1], border.laws[2] = m, 0
        build_border(tree, state, factored, closed, border)
        for i in range(m):
            y = rows.bias[i]
            for k in range(n):
                y += rows.C[i, k] * x.a[k]
            border.rest[i] = y
        eliminate(border, x.a)
        for i in range(m):
            rows.force[i] = border.push[i]
    return CONVERGED


@stage
def project_state(tree, state, factored, stepping, closed, border):
    """The nearest q, v that the constraints allow."""
    rows, x, method = closed.rows, state.vectors, stepping.method
    delta = stepping.trial.delta
    m, n = len(rows.value), len(x.q)
    none, task = 0, ROWS
    closed_now = 0
    for count in range(_MOST_PROJECTIONS + 1):
        move(tree, state)
        close(tree, state, closed, task if count == 0 else none)
        if count == 0:
            factor(tree, state, factored, x.extra, x.held)
            border.laws[1], border.laws[2] = m, 0
            build_border(tree, state, factored, closed, border)
        worst = 0.0
        for i in range(m):
            border.rest[i] = rows.value[i]
            worst = max(worst, abs(rows.value[i]))
            if not abs(rows.value[i]) < math.inf:
                return NOT_FINITE
        if worst < method.numbers[ALLOWED]:
            closed_now = 1
            break
        for k in range(n):
            delta[k] = 0.0
        eliminate(border, delta)
        moved(tree, x.q, delta, x.a)
        for k in range(n):
            x.q[k] = x.a[k]
    if closed_now == 0:
        return NOT_CONVERGED
    method.counters[BRANCH] = wrong_branch(closed)
    if method.counters[BRANCH] > 0:
        return WRONG_BRANCH
    for _ in range(3):
        for i in range(m):
            border.rest[i] = rows.rate[i]
        eliminate(border, x.v)
        move(tree, state)
        close(tree, state, closed, none)
    return CONVERGED


@stage
def explicit_step(tree, acting, state, free, factored, stepping, closed, border, course, explicit, number):
    """One step of this number in a course; the state at its end is the trial."""
    known, trial, method = stepping.known, stepping.trial, stepping.method
    rows, x, r, h = closed.rows, state.vectors, explicit.stages, method.numbers[STEP]
    n, inner, tableau = len(known.q), acting.inner.inner, explicit.tableau
    ns, share, first = len(tableau.weight), h / tableau.divisor[0], samples_in_step(explicit) * number
    for i in range(len(rows.angle)):
        rows.before[i] = known.angle[i]
    for s in range(ns):
        weight = tableau.matrix[s]
        for k in range(n):
            trial.delta[k] = h * combined(weight, s, r.theta, k)
            x.v[k] = known.v[k] + h * combined(weight, s, r.speed, k)
            x.a[k] = 0.0
        for k in range(inner.shape[1]):
            inner[0, k] = known.inner[0, k] + h * combined(weight, s, r.inner, k)
        moved(tree, known.q, trial.delta, x.q)
        take_inputs(acting, stepping, closed, course, first + tableau.sample[s])
        impose(stepping, state)
        if accelerate(tree, acting, state, factored, closed, border) != CONVERGED:
            return NOT_FINITE
        for k in range(n):
            r.speed[s, k] = x.a[k]
        for k in range(inner.shape[1]):
            r.inner[s, k] = inner[1, k]
        exponential_rates(tree, trial.delta, x.v, r.theta[s])
        method.counters[SOLVED] += 1
        method.counters[FACTORED] += 1
    for k in range(n):
        trial.delta[k] = share * combined(tableau.weight, ns, r.theta, k)
        x.v[k] = known.v[k] + share * combined(tableau.weight, ns, r.speed, k)
        x.a[k] = 0.0
    for k in range(inner.shape[1]):
        inner[0, k] = known.inner[0, k] + share * combined(tableau.weight, ns, r.inner, k)
    moved(tree, known.q, trial.delta, x.q)
    take_inputs(acting, stepping, closed, course, first + tableau.sample[ns])
    impose(stepping, state)
    for k in range(n):
        if not (abs(x.q[k]) < math.inf and abs(x.v[k]) < math.inf):
            return NOT_FINITE
    exponential_rates(tree, trial.delta, x.v, r.error[0])
    for k in range(n):
        r.error[0, k] = h * (combined(tableau.embedded, ns, r.theta, k) + tableau.embedded[ns] * r.error[0, k])
    if len(rows.value) > 0:
        code = project_state(tree, state, factored, stepping, closed, border)
        if code != CONVERGED:
            return code
        for k in range(n):
            x.a[k] = 0.0
        impose(stepping, state)
    if accelerate(tree, acting, state, factored, closed, border) != CONVERGED:
        return NOT_FINITE
    for k in range(n):
        trial.q[k], trial.v[k], trial.a[k], trial.carried[k] = x.q[k], x.v[k], x.a[k], x.a[k]
        r.error[1, k] = h * (combined(tableau.embedded, ns, r.speed, k) + tableau.embedded[ns] * x.a[k])
    for k in range(inner.shape[1]):
        inner[2, k] = inner[1, k]
    return CONVERGED
