"""One implicit step of a flexible tree: the generalised-alpha method on the group of its coordinates.

The iteration matrix is M + c_v D + c_q K with the stiffness and damping of bodies, joints, springs and users' laws;
what velocities and other loads add to it is left to the iteration.
"""

import math
from typing import Annotated, NamedTuple

from cosserat.jit import passed_as, stage
from cosserat.kernels import alpha, efforts
from cosserat.kernels.arrays import F1, F2, I1
from cosserat.kernels.flexible.arrays import N_JOINT, N_MODES, PIVOT
from cosserat.kernels.flexible.articulated import coordinate, factor, solve_once
from cosserat.kernels.flexible.border import build_border, divide, eliminate, soften
from cosserat.kernels.flexible.closing import FORCES, ROWS, close, wrong_branch
from cosserat.kernels.flexible.coordinates import moved
from cosserat.kernels.flexible.course import take_inputs
from cosserat.kernels.flexible.dynamics import act, balance
from cosserat.kernels.flexible.kinematics import move
from cosserat.kernels.slots import CONVERGED, NOT_CONVERGED, NOT_FINITE, WRONG_BRANCH
from cosserat.kernels.vectors import copy_row

_ROUNDED = 3e-3  # gap below which nothing but rounding errors is left to close, which stiff bodies would answer
_OPEN = 1e4  # gap, as a multiple of the allowed one, that no rounding error excuses

STEP, MEAN, SHIFT, GAMMA, BETA, TOLERANCE, ROUNDING, SLOW, MOST, ALLOWED, LARGEST = range(11)
UNITS = 3  # of coordinates, each with a largest acceleration of its own: lengths, modes, angles
CHANGE = LARGEST + UNITS
"""Where `ImplicitMethod.numbers` has what; the largest accelerations of joints and of modes so far come last."""
SOLVED, FACTORED, BRANCH = 1, 2, 6
"""Where `ImplicitMethod.counters` has evaluations, factors, and 1 + the number of a joint that turned inside out."""


class StepStart(NamedTuple):
    """The state at the start of the step, each (n_v,)."""

    q: Annotated[F1, "n"]
    v: Annotated[F1, "n"]
    a: Annotated[F1, "n"]
    carried: Annotated[F1, "n"]  # algorithmic accelerations
    force: Annotated[F1, "m"]  # multipliers
    angle: Annotated[F1, "nf"]  # coordinates of cut joints
    inner: Annotated[F2, 3, "ny"]  # states of laws, their rates, the integrator's rate-like variable


class TrialStep(NamedTuple):
    """What the iteration works with; accelerations end up here, coordinates and velocities too."""

    q: Annotated[F1, "n"]
    v: Annotated[F1, "n"]
    a: Annotated[F1, "n"]
    carried: Annotated[F1, "n"]
    delta: Annotated[F1, "n"]
    right: Annotated[F1, "n"]
    change: Annotated[F1, "n"]
    nothing: Annotated[F1, "nz"]  # zeros
    still: Annotated[F1, 6]  # zeros


class Passive(NamedTuple):
    """Damping and stiffness of bodies and joints, a block for every link; friction and servos of coordinates."""

    damping: F1
    stiffness: F1
    extra: F1
    diagonal: I1  # (n_v,) where the diagonal is
    columns: I1  # (n_v,) coordinates of the diagonal
    friction: F1  # (n_v,)
    speed: F1
    servo: F2  # (3, n_v) kp, kd, limit
    target: F1  # (n_v,)
    held: I1
    unit: I1  # (n_v,) of a coordinate, see UNITS


class ImplicitMethod(NamedTuple):
    """Numbers of the method, and prescribed motions."""

    numbers: F1
    driven: I1  # (k,) coordinates
    motion: F2  # (3, k) prescribed coordinates, rates, accelerations
    counters: I1  # (BRANCH + 1,)
    largest: F1  # (UNITS,) largest accelerations before the step


@passed_as("stepping")
class Stepping(NamedTuple):
    """One step."""

    known: StepStart
    trial: TrialStep
    passive: Passive
    method: ImplicitMethod




@stage
def predict(tree, state, stepping, further):
    """Coordinates and velocities of the trial for its accelerations, with a further change (n_v,) of the former."""
    known, trial, method, x = stepping.known, stepping.trial, stepping.method, state.vectors
    s = method.numbers
    h, mean, shift, gamma, beta = s[STEP], s[MEAN], s[SHIFT], s[GAMMA], s[BETA]
    for k in range(len(known.q)):
        before = known.carried[k]
        carried = ((1.0 - shift) * trial.a[k] + shift * known.a[k] - mean * before) / (1.0 - mean)
        trial.carried[k] = carried
        x.v[k] = known.v[k] + h * ((1.0 - gamma) * before + gamma * carried)
        trial.delta[k] = h * known.v[k] + h * h * ((0.5 - beta) * before + beta * carried) + further[k]
    moved(tree, known.q, trial.delta, x.q)
    for i in range(len(method.driven)):
        k = method.driven[i]
        x.q[k], x.v[k], trial.a[k] = method.motion[0, i], method.motion[1, i], method.motion[2, i]
        trial.carried[k] = trial.a[k]
    for k in range(len(known.q)):
        x.a[k] = trial.a[k]
    return 0


@stage
def factor_step(tree, state, factored, stepping, c_v, c_q):
    """Factor M + c_v D + c_q K at a state."""
    passive, x = stepping.passive, state.vectors
    for k in range(len(passive.extra)):
        passive.extra[k] = c_v * passive.damping[k] + c_q * passive.stiffness[k]
    for i in range(len(passive.diagonal)):
        k = passive.columns[i]
        if passive.friction[k] > 0.0:
            _, slope = efforts.friction(passive.friction[k], passive.speed[k], x.v[k])
            passive.extra[passive.diagonal[i]] += c_v * slope
        if passive.servo[0, k] + passive.servo[1, k] > 0.0:
            kp, kd, limit = passive.servo[0, k], passive.servo[1, k], passive.servo[2, k]
            _, by_q, by_rate = efforts.servo(kp, kd, limit, passive.target[k], x.q[k], x.v[k])
            passive.extra[passive.diagonal[i]] -= c_v * by_rate + c_q * by_q
    return factor(tree, state, factored, passive.extra, passive.held)


@stage
def size_of_change(stepping):
    """Update the largest accelerations; 1 if the change is not finite.

    The size of the change, relative to the largest accelerations of the same unit, ends up last in numbers.
    """
    trial, unit, s = stepping.trial, stepping.passive.unit, stepping.method.numbers
    for k in range(len(unit)):
        s[LARGEST + unit[k]] = max(s[LARGEST + unit[k]], abs(trial.a[k]))
    worst = 0.0
    for k in range(len(unit)):
        ratio = abs(trial.change[k]) / s[LARGEST + unit[k]]
        if not ratio < math.inf:
            return 1
        worst = max(worst, ratio)
    s[CHANGE] = worst
    return 0


@stage
def take_step(tree, acting, fixed, free, factored, stepping, closed, border):
    """One step; factors belong to the state `fixed`, further iterations work in `free`.

    Constraints hold for positions and for velocities at the end of the step: velocities through the multipliers,
    positions through a further change of the coordinates (the stabilised form of index 2; M. Arnold, O. Bruls,
    A. Cardona, Numer. Math. 129 (2015) 149-179).
    """
    known, trial, passive, method = stepping.known, stepping.trial, stepping.passive, stepping.method
    rows, s = closed.rows, method.numbers
    n, m, shift = len(known.q), len(rows.value), border.shift
    none = 0
    gain = (1.0 - s[SHIFT]) / (1.0 - s[MEAN])
    c_v, c_q = s[STEP] * s[GAMMA] * gain, s[STEP] * s[STEP] * s[BETA] * gain
    closes = len(rows.angle) + m > 0
    forces, every = FORCES + none, ROWS | FORCES + none
    owned = known.inner.shape[1] > 0  # whether laws own states
    if owned:
        weights = alpha.inner_step(s[STEP], s[MEAN], s[SHIFT], s[GAMMA])
        acting.inner.follow[0] = 1.0 / weights[0]
        alpha.start_inner(known.inner, weights, acting.inner.inner)
    for k in range(n):
        trial.a[k], shift[k] = known.a[k], 0.0
    for i in range(m):
        rows.force[i] = known.force[i]
    for i in range(len(rows.angle)):
        rows.before[i] = known.angle[i]
    anew, renewed, count, last, last_gap = 1, 0, 0, math.inf, math.inf
    while count < s[MOST]:
        room = fixed if anew == 1 else free
        x = room.vectors
        predict(tree, room, stepping, shift)
        move(tree, room)
        act(tree, acting, room)
        if closes:
            close(tree, room, closed, every if anew == 1 else forces)
        balance(tree, room)
        method.counters[SOLVED] += 1
        speed, gap = 1.0, 0.0
        for k in range(n):
            if not abs(x.tau[k]) < math.inf:
                return NOT_FINITE
            speed = max(speed, 1.0 + abs(x.v[k]))
            trial.right[k] = 0.0 if passive.held[k] == 1 else -x.tau[k]
            trial.change[k] = 0.0
        if anew == 1:
            factor_step(tree, room, factored, stepping, c_v, c_q)
            soften(tree, acting, closed, border, c_v, c_q)
            if border.laws[1] > 0:
                build_border(tree, room, factored, closed, border)
            method.counters[FACTORED] += 1
        solve_once(tree, fixed, factored, trial.right, trial.nothing, none, trial.still, trial.change)
        if border.laws[1] > 0:
            for i in range(border.laws[1]):
                y = rows.rate[i] / c_v if i < m else 0.0
                for k in range(n):
                    y += rows.C[i, k] * trial.change[k]
                border.rest[i] = y
            eliminate(border, trial.change)
        for i in range(m):
            gap = max(gap, abs(rows.value[i]), abs(rows.rate[i]) / speed)
        gap /= s[ALLOWED]
        copy_row(method.largest, s[LARGEST:CHANGE])  # what an iterate was on the way does not count
        if size_of_change(stepping) == 1 or not gap < math.inf:
            return NOT_FINITE
        size = s[CHANGE]
        closing = gap >= 1.0 and (gap < 0.5 * last_gap or gap > _OPEN)
        stalled = count > 3 and last < s[ROUNDING] and size > 0.5 * last and not closing
        if (size < s[TOLERANCE] and gap < 1.0) or (stalled and anew == 1):  # with old factors errors may shrink slowly
            for k in range(n):
                trial.q[k], trial.v[k] = x.q[k], x.v[k]
            for i in range(m):  # where loops leave nothing free, no change of accelerations tells theirs
                rows.force[i] += border.push[i]
            if owned:
                alpha.finish_inner(known.inner, s[MEAN], s[SHIFT], acting.inner.inner)
            if m > 0:
                method.counters[BRANCH] = wrong_branch(closed)
            return CONVERGED if method.counters[BRANCH] == 0 else WRONG_BRANCH
        if size > 1e3 * last:
            return NOT_CONVERGED
        anew = 0
        if stalled or (size > s[SLOW] * last and size > s[TOLERANCE] and renewed < 3):
            anew, renewed = 1, renewed + 1
            border.laws[0] = 1  # what users' laws add to the matrix matters
        for k in range(n):
            trial.a[k] += trial.change[k]
        if m > 0:
            for i in range(border.laws[1]):
                border.rest[i] = 0.0
                if i < m:
                    rows.force[i] += border.push[i]
                    border.rest[i] = rows.value[i] - c_q / c_v * rows.rate[i] * rows.holonomic[i]
            if gap > _ROUNDED:
                eliminate(border, shift)
        last, last_gap = size, gap
        count += 1
    return NOT_CONVERGED


@stage
def implicit_step(tree, acting, fixed, free, factored, stepping, closed, border, course, explicit, number):
    """One step with inputs of this number, and with what users' laws add to the matrix if it fails without."""
    method = stepping.method
    take_inputs(acting, stepping, closed, course, number)
    copy_row(method.numbers[LARGEST:CHANGE], method.largest)
    method.counters[BRANCH] = 0
    code = take_step(tree, acting, fixed, free, factored, stepping, closed, border)
    if code != CONVERGED and border.laws[0] == 0 and len(acting.laws.node) > 0:
        border.laws[0] = 1
        copy_row(method.largest, method.numbers[LARGEST:CHANGE])
        code = take_step(tree, acting, fixed, free, factored, stepping, closed, border)
    if code != CONVERGED:
        copy_row(method.largest, method.numbers[LARGEST:CHANGE])
    return code


@stage
def filter_error(tree, fixed, factored, stepping, closed, border, held, error_out):
    """Take out of an error of the coordinates what the iteration matrix holds for stiff: S e = M d, A e = 0.

    `error_out` holds d on entry. Of accelerations, what constraints demand stays: A e = A d where `held` is 0, not 1.
    """
    passive, trial, rows = stepping.passive, stepping.trial, closed.rows
    links, n, m, p = tree.links, len(error_out), len(rows.value), border.laws[2]
    for k in range(n):
        trial.right[k] = 0.0
    for i in range(len(links.table)):
        row = links.table[i]
        d = row[N_JOINT] + row[N_MODES]
        for r in range(d):
            for c in range(d):
                y = passive.extra[row[PIVOT] + r * d + c] * error_out[coordinate(row, c)]
                trial.right[coordinate(row, r)] += y
    for i in range(m + p):
        y = 0.0
        for k in range(n):
            y += rows.C[i, k] * error_out[k]
        border.push[i] = y
    for i in range(m):
        border.rest[i] = border.push[i]
    for i in range(p):
        y = 0.0
        for j in range(p):
            y += border.K[i, j] * border.push[m + j]
        for k in range(n):
            trial.right[k] += y * rows.C[m + i, k]
    for k in range(n):
        if passive.held[k] == 1:
            trial.right[k] = 0.0
    for i in range(m):
        rows.bias[i] = held * border.rest[i]
    divide(tree, fixed, factored, closed, border, trial.right, rows.bias, trial.change)
    for k in range(n):
        error_out[k] -= trial.change[k]
    return 0
