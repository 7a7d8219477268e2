"""One implicit step of a flexible tree without constraints: the generalised-alpha method on the group.

What the step needs and finds lies in `Stepping`; the iteration is that of `solve.floating.implicit`.
"""

import math
from typing import NamedTuple

from cosserat.jit import Handles, load, stage
from cosserat.kernels import efforts
from cosserat.kernels.flexible.arrays import F1, F2, I1, vectors_of
from cosserat.kernels.flexible.articulated import factor, solve_once
from cosserat.kernels.flexible.coordinates import moved
from cosserat.kernels.flexible.dynamics import place, residual

CONVERGED, NOT_CONVERGED, NOT_FINITE = 0, 1, 2

STEP, MEAN, SHIFT, GAMMA, BETA, TOLERANCE, ROUNDING, SLOW, MOST, LARGEST = range(10)
"""Where `Method.numbers` has what; the largest accelerations of joints and of modes so far come last."""


class Known(NamedTuple):
    """The state at the start of the step, each (n_v,)."""

    q: F1
    v: F1
    a: F1
    carried: F1  # algorithmic accelerations


class Trial(NamedTuple):
    """What the iteration works with; accelerations end up here, coordinates and velocities too."""

    q: F1
    v: F1
    a: F1
    carried: F1
    delta: F1
    right: F1  # (n_v,)
    change: F1
    nothing: F1  # (n_z,) zeros
    still: F1  # (6,) zeros


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
    modal: I1  # (n_v,) 1 where a coordinate is modal


class Method(NamedTuple):
    """Numbers of the method, and prescribed motions."""

    numbers: F1
    driven: I1  # (k,) coordinates
    motion: F2  # (3, k) prescribed coordinates, rates, accelerations
    counters: I1  # residuals, factors


class Stepping(NamedTuple):
    """One step."""

    known: Known
    trial: Trial
    passive: Passive
    method: Method


stepping_handles = Handles(Stepping)
known_of = stepping_handles.getter("known", Known)
trial_of = stepping_handles.getter("trial", Trial)
passive_of = stepping_handles.getter("passive", Passive)
method_of = stepping_handles.getter("method", Method)


@stage
def predict(tree, state, stepping):
    """Coordinates and velocities of the trial for its accelerations, written to the state."""
    known, trial, method, x = known_of(stepping), trial_of(stepping), method_of(stepping), vectors_of(state)
    s = method.numbers
    h, mean, shift, gamma, beta = s[STEP], s[MEAN], s[SHIFT], s[GAMMA], s[BETA]
    for k in range(len(known.q)):
        before = known.carried[k]
        carried = ((1.0 - shift) * trial.a[k] + shift * known.a[k] - mean * before) / (1.0 - mean)
        trial.carried[k] = carried
        x.v[k] = known.v[k] + h * ((1.0 - gamma) * before + gamma * carried)
        trial.delta[k] = h * known.v[k] + h * h * ((0.5 - beta) * before + beta * carried)
    moved(tree, known.q, trial.delta, x.q)
    for i in range(len(method.driven)):
        k = method.driven[i]
        x.q[k], x.v[k], trial.a[k] = method.motion[0, i], method.motion[1, i], method.motion[2, i]
        trial.carried[k] = trial.a[k]
    for k in range(len(known.q)):
        x.a[k] = trial.a[k]
    return 0


@stage
def factor_step(tree, state, factored, stepping):
    """Factor M + c_v D + c_q K at a state."""
    passive, s, x = passive_of(stepping), method_of(stepping).numbers, vectors_of(state)
    gain = (1.0 - s[SHIFT]) / (1.0 - s[MEAN])
    c_v, c_q = s[STEP] * s[GAMMA] * gain, s[STEP] * s[STEP] * s[BETA] * gain
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

    The size of the change, relative to the largest accelerations, of joints and modes apart, ends up last in numbers.
    """
    trial, modal, s = trial_of(stepping), passive_of(stepping).modal, method_of(stepping).numbers
    for k in range(len(modal)):
        s[LARGEST + modal[k]] = max(s[LARGEST + modal[k]], abs(trial.a[k]))
    worst = 0.0
    for k in range(len(modal)):
        ratio = abs(trial.change[k]) / s[LARGEST + modal[k]]
        if not ratio < math.inf:
            return 1
        worst = max(worst, ratio)
    s[LARGEST + 2] = worst
    return 0


@stage
def implicit_step(tree, acting, fixed, free, factored, stepping):
    """One step; factors belong to the state `fixed`, further iterations work in `free`."""
    known, trial, passive, method = known_of(stepping), trial_of(stepping), passive_of(stepping), method_of(stepping)
    s = method.numbers
    n = len(known.q)
    none = 0 * n
    for k in range(n):
        trial.a[k] = known.a[k]
    anew, renewed, count, last = 1, 0, 0, math.inf
    while count < s[MOST]:
        room = fixed if anew == 1 else free
        x = vectors_of(room)
        predict(tree, room, stepping)
        place(tree, room)
        residual(tree, acting, room)
        method.counters[0] += 1
        for k in range(n):
            trial.right[k] = 0.0 if passive.held[k] == 1 else -x.tau[k]
            trial.change[k] = 0.0
        if anew == 1:
            factor_step(tree, room, factored, stepping)
            method.counters[1] += 1
        solve_once(tree, fixed, factored, trial.right, trial.nothing, none, trial.still, trial.change)
        if size_of_change(stepping) == 1:
            return NOT_FINITE
        size = s[LARGEST + 2]
        if size < s[TOLERANCE] or (count > 3 and last < s[ROUNDING] and size > 0.5 * last):
            for k in range(n):
                trial.q[k], trial.v[k] = x.q[k], x.v[k]
            return CONVERGED
        if size > 1e3 * last:
            return NOT_CONVERGED
        anew = 0
        if size > s[SLOW] * last and renewed < 3:
            anew, renewed = 1, renewed + 1
        for k in range(n):
            trial.a[k] += trial.change[k]
        last = size
        count += 1
    return NOT_CONVERGED


def load_step(tree, acting, state, factored, stepping, arrays):
    """Compile what the step needs besides `dynamics.load_stages`, or read it from the cache."""
    x = arrays.trial
    load(moved, tree, x.q, x.delta, x.v)
    load(predict, tree, state, stepping)
    load(factor_step, tree, state, factored, stepping)
    load(size_of_change, stepping)
    load(implicit_step, tree, acting, state, state, factored, stepping)
