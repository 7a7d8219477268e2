"""Implicit steps of a flexible tree whose loops are closed by constraints.

The rows are those of `kernels.joints` but for screws, between two seats; the iteration is that of
`solve.floating.implicit`, with the rows eliminated through columns and a pseudo-inverse that belong to the
factors.
"""

import math
from typing import NamedTuple

from cosserat.jit import Handles, load, stage
from cosserat.kernels.flexible.arrays import F1, F2, I1, I2, Seats, links_of, motion_of, scratch_of, vectors_of
from cosserat.kernels.flexible.articulated import solve_once
from cosserat.kernels.flexible.coordinates import moved
from cosserat.kernels.flexible.dynamics import place, residual
from cosserat.kernels.flexible.forces import push, seat_motion
from cosserat.kernels.flexible.implicit import (
    BETA,
    CONVERGED,
    GAMMA,
    LARGEST,
    MEAN,
    MOST,
    NOT_CONVERGED,
    NOT_FINITE,
    ROUNDING,
    SHIFT,
    STEP,
    TOLERANCE,
    known_of,
    method_of,
    passive_of,
    predict,
    size_of_change,
    trial_of,
)
from cosserat.kernels.flexible.inverse import project
from cosserat.kernels.flexible.twists import zero
from cosserat.kernels.frames import relative
from cosserat.kernels.joints import ROTATION
from cosserat.kernels.vectors import cross, dot, load_matrix, mul, mul_t, neg
from cosserat.kernels.vectors import load as load3

_STUCK = 0.7  # of the change before: then other factors are needed
_OPEN = 1e4  # gap, as a multiple of the allowed one, that no rounding error excuses
_NOTHING = 1e-13  # of a row's lever: rows below this no velocity moves


class Closing(NamedTuple):
    """Rows (m) of joints between seats, and what they are at a state."""

    seat: I2  # (nj, 2)
    first: I1  # (nj + 1,) where the rows of a joint begin
    kind: I1  # (m,)
    u: F2  # (m, 3)
    w: F2  # (m, 3)
    driven: I1  # (nj,) row of `motion`, -1: none
    motion: F2  # (nd, 42) prescribed motions and their rates, as `kernels.joints.drive_of` has them
    on_links: F2  # (m, n_z)
    A: F2  # (m, n_v)
    value: F1  # (m,)
    rate: F1
    lever: F1


class Border(NamedTuple):
    """The bordered matrix: columns S^-1 A^T as rows of Y, and the pseudo-inverse of A S^-1 A^T."""

    A: F2  # (m, n_v) where it was factored
    Y: F2  # (m, n_v)
    inverse: F2  # (m, m)
    force: F1  # (m,) multipliers
    shift: F1  # (n_v,) further change of the coordinates
    rest: F1  # (m,)
    push: F1  # (m,)
    allowed: F1  # (1,) gap


class Closed(NamedTuple):
    """All that closes loops."""

    places: Seats
    closing: Closing
    border: Border


closed_handles = Handles(Closed)
places_of = closed_handles.getter("places", Seats)
closing_of = closed_handles.getter("closing", Closing)
border_of = closed_handles.getter("border", Border)


@stage
def close(tree, state, closed):
    """Values, rates and rows of the constraints at a state."""
    links, seats, c = links_of(tree), places_of(closed), closing_of(closed)
    now, scratch, q = motion_of(state), scratch_of(state), vectors_of(state).q
    for i in range(c.on_links.shape[0]):
        for j in range(c.on_links.shape[1]):
            c.on_links[i, j] = 0.0
    for j in range(len(c.driven)):
        a, b = c.seat[j, 0], c.seat[j, 1]
        R_a, x_a, v_a, w_a, P_a, y_a = seat_motion(links, seats, now, a, q, scratch.rows, scratch.last)
        R_b, x_b, v_b, w_b, P_b, y_b = seat_motion(links, seats, now, b, q, scratch.more, scratch.last)
        R, x = relative(R_a, x_a, R_b, x_b)
        d = c.driven[j]
        for k in range(c.first[j], c.first[j + 1]):
            u, w = load3(c.u[k], 0 * k), load3(c.w[k], 0 * k)
            value, explicit = 0.0, 0.0
            f_a, m_a, f_b, m_b = zero(), zero(), zero(), zero()
            if c.kind[k] == ROTATION:
                u_0, w_0 = u, w
                if d >= 0:
                    u, w = mul(load_matrix(c.motion[d], 0 * k + 3), u_0), mul(load_matrix(c.motion[d], 0 * k + 12), w_0)
                turned = mul(R, w)
                m_a, m_b, value = cross(u, turned), cross(w, mul_t(R, u)), dot(u, turned)
                if d >= 0:
                    u_dot = mul(load_matrix(c.motion[d], 0 * k + 24), u_0)
                    w_dot = mul(load_matrix(c.motion[d], 0 * k + 33), w_0)
                    explicit = dot(u_dot, turned) + dot(u, mul(R, w_dot))
            else:
                f_a, f_b, m_a, value = neg(u), mul_t(R, u), cross(u, x), dot(u, x)
                if d >= 0:
                    value -= dot(u, load3(c.motion[d], 0 * k))
                    explicit = -dot(u, load3(c.motion[d], 0 * k + 21))
            c.value[k] = value
            c.rate[k] = dot(f_a, v_a) + dot(m_a, w_a) + dot(f_b, v_b) + dot(m_b, w_b) + explicit
            c.lever[k] = math.sqrt(dot(f_b, f_b) + dot(m_a, m_a) + dot(m_b, m_b))
            push(links, seats, a, P_a, y_a, scratch.rows, f_a, m_a, c.on_links[k])
            push(links, seats, b, P_b, y_b, scratch.more, f_b, m_b, c.on_links[k])
    project(tree, state, c.on_links, c.A)
    for k in range(len(c.value)):
        largest = 0.0
        for i in range(c.A.shape[1]):
            largest = max(largest, abs(c.A[k, i]))
        if largest < _NOTHING * c.lever[k]:
            for i in range(c.A.shape[1]):
                c.A[k, i] = 0.0
    return 0


@stage
def eliminate(closed, change_out):
    """push = inverse rest; take what it pushes out of a change."""
    border = border_of(closed)
    m, n = len(border.rest), len(change_out)
    for i in range(m):
        y = 0.0
        for j in range(m):
            y += border.inverse[i, j] * border.rest[j]
        border.push[i] = y
    for i in range(m):
        y = border.push[i]
        for k in range(n):
            change_out[k] -= y * border.Y[i, k]
    return 0


@stage
def closed_step(tree, acting, fixed, free, factored, stepping, closed):
    """One step with factors that belong to the state `fixed`; a slow iteration is given up."""
    known, trial, passive, method = known_of(stepping), trial_of(stepping), passive_of(stepping), method_of(stepping)
    c, border, x, s = closing_of(closed), border_of(closed), vectors_of(free), method.numbers
    n, m = len(known.q), len(border.rest)
    none = 0 * n
    gain = (1.0 - s[SHIFT]) / (1.0 - s[MEAN])
    c_v, c_q = s[STEP] * s[GAMMA] * gain, s[STEP] * s[STEP] * s[BETA] * gain
    for k in range(n):
        trial.a[k], border.shift[k] = known.a[k], 0.0
    count, last, last_gap = 0, math.inf, math.inf
    while count < s[MOST]:
        predict(tree, free, stepping)
        for k in range(n):
            trial.delta[k] += border.shift[k]
        moved(tree, known.q, trial.delta, x.q)
        for i in range(len(method.driven)):
            x.q[method.driven[i]] = method.motion[0, i]
        place(tree, free)
        residual(tree, acting, free)
        close(tree, free, closed)
        method.counters[0] += 1
        speed, gap = 1.0, 0.0
        for k in range(n):
            speed = max(speed, 1.0 + abs(x.v[k]))
            y = x.tau[k]
            for i in range(m):
                y += c.A[i, k] * border.force[i]
            trial.right[k] = 0.0 if passive.held[k] == 1 else -y
            trial.change[k] = 0.0
        solve_once(tree, fixed, factored, trial.right, trial.nothing, none, trial.still, trial.change)
        for i in range(m):
            y = c.rate[i] / c_v
            for k in range(n):
                y += border.A[i, k] * trial.change[k]
            border.rest[i] = y
            gap = max(gap, abs(c.value[i]), abs(c.rate[i]) / speed)
        eliminate(closed, trial.change)
        if size_of_change(stepping) == 1:
            return NOT_FINITE
        size, gap = s[LARGEST + 2], gap / border.allowed[0]
        closing = gap >= 1.0 and (gap < 0.5 * last_gap or gap > _OPEN)
        rounding = count > 3 and last < s[ROUNDING] and size > 0.5 * last and not closing
        if (size < s[TOLERANCE] and gap < 1.0) or rounding:
            for k in range(n):
                trial.q[k], trial.v[k] = x.q[k], x.v[k]
            return CONVERGED
        if size > s[TOLERANCE] and last > s[ROUNDING] and size > _STUCK * last:
            return NOT_CONVERGED
        for k in range(n):
            trial.a[k] += trial.change[k]
        for i in range(m):
            border.force[i] += border.push[i]
            border.rest[i] = c.value[i] - c_q / c_v * c.rate[i]
        eliminate(closed, border.shift)
        last, last_gap = size, gap
        count += 1
    return NOT_CONVERGED


def load_closed(tree, acting, state, factored, stepping, closed, arrays):
    """Compile what the step needs besides `implicit.load_step`, or read it from the cache."""
    load(project, tree, state, arrays.closing.on_links, arrays.closing.A)
    load(close, tree, state, closed)
    load(eliminate, closed, arrays.border.shift)
    load(closed_step, tree, acting, state, state, factored, stepping, closed)
