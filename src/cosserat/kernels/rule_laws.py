"""Laws of users' constraints: values, rows and rates at a relative motion, whatever carries the places.

`rules` is a group with n_rows, held, length, start, parameter: of nodes (`arrays.Rules`) or of seats of a tree
(`flexible.closing.Held`). See `kernels.rules` for what the laws mean.
"""

import math

from cosserat.jit import helper
from cosserat.kernels import state_loads
from cosserat.kernels.frames import compose, exp_frame
from cosserat.kernels.vectors import add, axpy, cross, mul, mul_t, neg, scale, sub

ALONG = 3e-3  # step of differences along the motion, relative to a typical change
BRIEF = 1e-3  # s, the longest step along the motion
MOST = 512  # breaks of all laws


@helper
def value_at(rules, i, address, t, motion, visit):
    """visit.wrench: what law i gives at a relative motion (R, x, v, w), its unused places zero."""
    clear_values(visit)
    state_loads.write_motion(motion, visit.frame[0], visit.twist[0])
    state_loads.call(rules, i, address, t, 1, 1, visit)


@helper
def clear_values(visit):
    """A law writes as many numbers as it has rows."""
    for k in range(6):
        visit.wrench[k] = 0.0


@helper
def look(rules, i, unit, t, motion, visit):
    """visit.J: derivatives of what law i gives by frame and twist; visit.wrench."""
    clear_values(visit)
    state_loads.write_motion(motion, visit.frame[0], visit.twist[0])
    state_loads.differentiate(rules, i, unit, t, 1, 1, rules.length[i], visit)


@helper
def row(rules, i, J, q):
    """Row q on the twist of the place, in its axes."""
    o = 0 if rules.held[i] == 1 else 6
    return (J[q, o], J[q, o + 1], J[q, o + 2]), (J[q, o + 3], J[q, o + 4], J[q, o + 5])


@helper
def pushed(rules, i, J, force):
    """Wrench on the place for three multipliers."""
    f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for q in range(rules.n_rows[i]):
        d, e = row(rules, i, J, q)
        f, m = axpy(force[q], d, f), axpy(force[q], e, m)
    return f, m


@helper
def back(R, x, f, m):
    """The opposite of a wrench on the place, on the other one, in its axes."""
    f = mul(R, f)
    return neg(f), neg(add(mul(R, m), cross(x, f)))


@helper
def carried(R, x, v_a, w_a, v_b, w_b, tau):
    """Relative motion (R, x, v, w) after a time, for constant twists of both places."""
    Q, p = exp_frame(scale(-tau, v_a), scale(-tau, w_a))
    R, x = compose(Q, p, R, x)
    Q, p = exp_frame(scale(tau, v_b), scale(tau, w_b))
    R, x = compose(R, x, Q, p)
    return R, x, sub(v_b, mul_t(R, add(v_a, cross(w_a, x)))), sub(w_b, mul_t(R, w_a))


@helper
def stencil(breaks, t, tau):
    """(step, first): five times t + (first + k) step at which a law is looked at, all on one side of its breaks.

    `breaks` are in ascending order, after the last one infinite.
    """
    before, after = -math.inf, math.inf
    for i in range(breaks.shape[0]):
        if breaks[i] > t:
            after = breaks[i]
            break
        before = breaks[i]
    tau = min(tau, 0.125 * (after - before))
    return tau, 0 if t - 2.0 * tau < before else -4 if t + 2.0 * tau > after else -2


@helper
def slopes(first, tau, values):
    """Value and first two derivatives from five values at times as `stencil` has them."""
    a, b, c, d, e = values
    if first == -2:
        return c, (a - 8.0 * b + 8.0 * d - e) / (12.0 * tau), (16.0 * (b + d) - 30.0 * c - a - e) / (12.0 * tau * tau)
    if first == -4:
        e, d, c, b, a = values
    slope = (-25.0 * a + 48.0 * b - 36.0 * c + 16.0 * d - 3.0 * e) / (12.0 * tau)
    bend = (35.0 * a - 104.0 * b + 114.0 * c - 56.0 * d + 11.0 * e) / (12.0 * tau * tau)
    return a, slope if first == 0 else -slope, bend


@helper
def rates(rules, i, address, t, pace, breaks, R, x, v_a, w_a, v_b, w_b, visit):
    """visit.sides[:, :3]: values, rates and second rates of the rows for constant twists of both places, as rows.

    With a pace of zero time stands still, and nothing moves by itself. `breaks` as for `stencil`.
    """
    _, _, v, w = carried(R, x, v_a, w_a, v_b, w_b, 0.0)
    fast = max(state_loads.largest(v, v) / rules.length[i], state_loads.largest(w, w))
    tau, first = stencil(breaks, t, min(BRIEF, ALONG / fast) if fast > 0.0 else BRIEF)
    for k in range(5):
        step = (first + k) * tau
        motion = carried(R, x, v_a, w_a, v_b, w_b, step)
        value_at(rules, i, address, t + pace * step, motion, visit)
        for q in range(3):
            visit.sides[k, q] = visit.wrench[q]
        if pace == 0.0 and rules.held[i] == 0:
            still = (0.0, 0.0, 0.0)
            value_at(rules, i, address, t, (motion[0], motion[1], still, still), visit)
            for q in range(3):
                visit.sides[k, q] -= visit.wrench[q]
    sides = visit.sides
    for q in range(3):
        values = sides[0, q], sides[1, q], sides[2, q], sides[3, q], sides[4, q]
        value, slope, bend = slopes(first, tau, values)
        if rules.held[i] == 1:
            sides[0, q], sides[1, q], sides[2, q] = value, slope, bend
        else:
            sides[0, q], sides[1, q], sides[2, q] = 0.0, value, slope
