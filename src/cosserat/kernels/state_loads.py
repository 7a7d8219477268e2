"""Laws that users write: wrenches at places as a function of time, frames and twists, called by address.

A law is about n places and gives the wrenches on the first m of them, each in its place's frame, one after another;
what it gives besides, rates of states or an energy, comes behind them. A law of two places gives the wrench on the
first one, and the opposite, transported, acts on the other: w_b = -Ad(H_ab)^T w. Its derivatives are given by the user,
or found by central differences on the group, H exp(d) and twists + d, each with two steps: where the law is smooth the
long step, extrapolated once, is exact to 1e-10 or so; where it is not (a branch, an absolute value within the step) the
two disagree, and the short one, of 3e-8 relative to a typical change, is taken.
"""

import numpy as np

from cosserat.jit import call_address, compile_user, helper, inlined, write_numbers
from cosserat.kernels.frames import compose, exp_frame, load_frame, twist_at_place, wrench_to_node
from cosserat.kernels.tangent import add_turned
from cosserat.kernels.vectors import ZERO, accumulate, add, load, mul, scale, store

SIGNATURE = "d,d3,d2,d1,d1"  # t, frames (n, 4, 4), twists (n, 6), parameters, wrenches_out and what is behind them
DERIVATIVE_SIGNATURE = "d,d3,d2,d1,d2"  # the same, derivatives (6 m, 12 n)
LONG, SHORT = 1e-3, 3e-8  # steps of differences relative to a typical change
AGREE = 1e-8  # relative difference below which the law counts as smooth

FAILED, WRONG_SIZE = 1, 2  # what a law returns that raises an error, or gives another number of components


def compile_law(law, parameters, n, m, joins, n_more):
    """A user's law of n places that acts on m as a unit with `SIGNATURE`; `parameters`: dtype of the record it gets.

    `joins`: it takes all motions in arrays and gives all wrenches. A law that owns states gives their rates behind the
    wrenches, see `law_states`; one with an energy gives that.
    """
    size = (6 * n if joins else 6) + n_more
    opposed = m == 2 and not joins
    rows = n if n_more == 0 else size  # what a law that joins places gives: a table, or one row of numbers

    def glue(law, opposite):
        def alone(t, frames, twists, numbers, out):
            try:
                given = law(t, frames[0], twists[0], numbers.view(parameters)[0])
                if len(given) != size:
                    return 2
                write_numbers(given, size, out)
            except Exception:
                return 1
            return 0

        def between(t, frames, twists, numbers, out):
            try:
                given = law(t, frames[0], twists[0], frames[1], twists[1], numbers.view(parameters)[0])
                if len(given) != size:
                    return 2
                write_numbers(given, size, out)
                if opposed:
                    for k in range(size - 1, 5, -1):
                        out[6 + k] = out[k]
                    opposite(frames[0], frames[1], out[:6], out[6:12])
            except Exception:
                return 1
            return 0

        def joined(t, frames, twists, numbers, out):
            try:
                given = law(t, frames, twists, numbers.view(parameters)[0])
                if len(given) != rows or given.size != size:
                    return 2
                write_numbers(given.ravel(), size, out)
            except Exception:
                return 1
            return 0

        return joined if joins else alone if n == 1 else between

    return compile_user(glue, (law, opposite), SIGNATURE, "")


def opposite(H, K, w, w_out):
    """Minus the wrench w in a frame H, moved to the frame K: -Ad(H^-1 K)^T w."""
    f0, f1, f2 = 0.0, 0.0, 0.0
    m0, m1, m2 = 0.0, 0.0, 0.0
    for k in range(3):
        f0, f1, f2 = f0 + H[0, k] * w[k], f1 + H[1, k] * w[k], f2 + H[2, k] * w[k]
        m0, m1, m2 = m0 + H[0, k] * w[3 + k], m1 + H[1, k] * w[3 + k], m2 + H[2, k] * w[3 + k]
    x, y, z = K[0, 3] - H[0, 3], K[1, 3] - H[1, 3], K[2, 3] - H[2, 3]
    m0, m1, m2 = m0 - (y * f2 - z * f1), m1 - (z * f0 - x * f2), m2 - (x * f1 - y * f0)
    for k in range(3):
        w_out[k] = -(K[0, k] * f0 + K[1, k] * f1 + K[2, k] * f2)
        w_out[3 + k] = -(K[0, k] * m0 + K[1, k] * m1 + K[2, k] * m2)


def opposite_slopes(H, K, w, J_out):
    """Rows 6 to 11 of derivatives (12, 24): of the opposite of w, whose own derivatives are in the rows before.

    It turns with its place: Ad(H exp(d))^T w changes by coad(d) Ad(H)^T w; not at all where both places move as one.
    """
    moved, turned, back, unit = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6)), np.eye(6)
    for q in range(24):
        opposite(H, K, J_out[:6, q], moved)
        J_out[6:12, q] = moved
    opposite(H, K, w, moved)
    for k in range(6):
        opposite(K, H, unit[k], back[k])
        i, j = (k + 1) % 3, (k + 2) % 3
        if k < 3:
            turned[3 + i, k], turned[3 + j, k] = moved[j], -moved[i]
        else:
            turned[i, k], turned[j, k] = moved[j], -moved[i]
            turned[3 + i, k], turned[3 + j, k] = moved[3 + j], -moved[3 + i]
    for p in range(6):
        for q in range(6):
            J_out[6 + p, 12 + q] += turned[p, q]
            for k in range(6):
                J_out[6 + p, q] += turned[p, k] * back[k, q]


def compile_values(law, parameters, moving, size):
    """A user's constraint as a unit with `SIGNATURE`; `moving`: it takes a twist."""

    def glue(law):
        def held(t, frame, twist, parameters):
            return law(t, frame, parameters)

        return held

    return compile_law(law if moving else glue(law), parameters, 1, 1, False, size - 6)


def compile_derivative(derivative, law, parameters, n, m, joins):
    """A user's derivative of a law, (6, 12 n) or (6 n, 12 n), as a unit with `DERIVATIVE_SIGNATURE`."""
    rows, opposed = 6 * n if joins else 6, m == 2 and not joins

    def glue(derivative, law, opposite_slopes):
        def alone(t, frames, twists, numbers, J_out):
            try:
                J = derivative(t, frames[0], twists[0], numbers.view(parameters)[0])
                if J.shape[0] != 6 or J.shape[1] != 12:
                    return 2
                J_out[:6, :12] = J
            except Exception:
                return 1
            return 0

        def between(t, frames, twists, numbers, J_out):
            try:
                J = derivative(t, frames[0], twists[0], frames[1], twists[1], numbers.view(parameters)[0])
                if J.shape[0] != 6 or J.shape[1] != 24:
                    return 2
                J_out[:6, :24] = J
                if opposed:
                    w = np.zeros(6)
                    write_numbers(law(t, frames[0], twists[0], frames[1], twists[1], numbers.view(parameters)[0]), 6, w)
                    opposite_slopes(frames[0], frames[1], w, J_out)
            except Exception:
                return 1
            return 0

        def joined(t, frames, twists, numbers, J_out):
            try:
                J = derivative(t, frames, twists, numbers.view(parameters)[0])
                if J.shape[0] != rows or J.shape[1] != 12 * n:
                    return 2
                J_out[:rows, : 12 * n] = J
            except Exception:
                return 1
            return 0

        return joined if joins else alone if n == 1 else between

    return compile_user(glue, (derivative, law, opposite_slopes), DERIVATIVE_SIGNATURE, "")


@helper
def write_motion(motion, frame_out, twist_out):
    """A motion (R, x, v, w): frame as a 4x4 matrix, twist as six numbers."""
    R, x, v, w = motion
    for i in range(3):
        for j in range(3):
            frame_out[i, j] = R[3 * i + j]
        frame_out[i, 3] = x[i]
        frame_out[3, i] = 0.0
    frame_out[3, 3] = 1.0
    store(v, twist_out, 0)
    store(w, twist_out, 3)


@helper
def read_motion(frame, twist):
    """What `write_motion` wrote."""
    R = (
        frame[0, 0], frame[0, 1], frame[0, 2], frame[1, 0], frame[1, 1], frame[1, 2], frame[2, 0], frame[2, 1],
        frame[2, 2],
    )  # fmt: skip
    return R, (frame[0, 3], frame[1, 3], frame[2, 3]), load(twist, 0), load(twist, 3)


@helper
def take_signals(laws, before, now):
    """Numbers of laws that follow sampled inputs: their mean over a step, or `before` and `now` are the same."""
    for j in range(laws.signal.shape[0]):
        column = laws.signal[j, 1]
        laws.parameter[laws.signal[j, 0]] = 0.5 * (before[column] + now[column])


@helper
def extent(laws, i):
    """On how many of how many places law i acts."""
    return laws.acts[i], laws.first[i + 1] - laws.first[i]


@inlined
def call(laws, i, address, t, m, n, visit):
    """visit.wrench of law i, of n places on m of them, at the motions in `visit`; not numbers where the law fails."""
    numbers = laws.parameter[laws.start[i] : laws.start[i + 1]]
    code = call_address(address, (t, visit.frame[:n], visit.twist[:n], numbers, visit.wrench))
    if code != 0:
        for k in range(6 * m):
            visit.wrench[k] = float("nan")


@helper
def visit_places(sl, i, frames, twists, visit):
    """Write the motions of the places of law i into `visit`."""
    for p in range(sl.first[i], sl.first[i + 1]):
        node = sl.node[p]
        F, y = load_frame(sl.frame[p])
        R, x = load_frame(frames[node])
        R, x = compose(R, x, F, y)
        v, w = twist_at_place(F, y, load(twists[node], 0), load(twists[node], 3))
        write_motion((R, x, v, w), visit.frame[p - sl.first[i]], visit.twist[p - sl.first[i]])


@helper
def add_wrench(sl, i, factor, wrench, r_out):
    """r -= factor times the wrenches of law i."""
    for p in range(sl.acts[i]):
        F, y = load_frame(sl.frame[sl.first[i] + p])
        f, m = wrench_to_node(F, y, load(wrench, 6 * p), load(wrench, 6 * p + 3))
        row = r_out[sl.node[sl.first[i] + p]]
        accumulate(scale(-factor, f), row, 0)
        accumulate(scale(-factor, m), row, 3)


@helper
def largest(a, b):
    """Largest component of two vectors."""
    return max(max(abs(a[0]), abs(a[1]), abs(a[2])), max(abs(b[0]), abs(b[1]), abs(b[2])))


@helper
def typical(column, x, v, w, length):
    """Typical change of a column of the derivatives: of position, angle, velocity, angular velocity."""
    kind = (column % 12) // 3
    if kind == 0:
        return max(length, largest(x, ZERO))
    if kind == 1:
        return 1.0
    speed = max(largest(v, ZERO), length * largest(w, ZERO), length)
    return speed if kind == 2 else speed / length


@helper
def shifted(column, step, motion):
    """A motion that is changed along one of twelve columns: frame H exp(d), twist + d."""
    R, x, v, w = motion
    k = column % 3
    d = (step * (k == 0), step * (k == 1), step * (k == 2))
    kind = (column % 12) // 3
    if kind == 0:
        x = add(x, mul(R, d))
    elif kind == 1:
        Q, _ = exp_frame(ZERO, d)
        R, _ = compose(R, ZERO, Q, ZERO)
    elif kind == 2:
        v = add(v, d)
    else:
        w = add(w, d)
    return R, x, v, w


@helper
def side_step(side, s):
    """Where the law is called for a difference: six times, with two long, two half as long and two short steps."""
    return (LONG if side < 2 else 0.5 * LONG if side < 4 else SHORT) * s * (1.0 - 2.0 * (side % 2))


@helper
def difference(sides, k, s, size):
    """Derivative of component k from its values at six steps; `size` is that of what the law gives."""
    full = (sides[0, k] - sides[1, k]) / (2.0 * LONG * s)
    half = (sides[2, k] - sides[3, k]) / (LONG * s)
    short = (sides[4, k] - sides[5, k]) / (2.0 * SHORT * s)
    smooth = half + (half - full) / 3.0
    return smooth if abs(smooth - short) <= AGREE * (abs(smooth) + size / s) else short


@helper
def differentiate(laws, i, unit, t, m, n, least, visit):
    """visit.J (6 m, 12 n): derivatives of law i by frame and twist of each of its places, in `visit`; visit.wrench.

    Rounding errors are judged by the size of what the law gives, at least by `least`.
    """
    J, numbers = visit.J, laws.parameter[laws.start[i] : laws.start[i + 1]]
    call(laws, i, unit[0], t, m, n, visit)
    if unit[1] != 0:
        code = call_address(unit[1], (t, visit.frame[:n], visit.twist[:n], numbers, J))
        for p in range(6 * m):
            for q in range(12 * n):
                if code != 0:
                    J[p, q] = float("nan")
        return
    size = least
    for k in range(6 * m):
        visit.kept[k] = visit.wrench[k]
        size = max(size, abs(visit.wrench[k]))
    for column in range(12 * n):
        frame, twist = visit.frame[column // 12], visit.twist[column // 12]
        motion = read_motion(frame, twist)
        s = typical(column, motion[1], motion[2], motion[3], laws.length[i])
        for side in range(6):
            write_motion(shifted(column, side_step(side, s), motion), frame, twist)
            call(laws, i, unit[0], t, m, n, visit)
            for k in range(6 * m):
                visit.sides[side, k] = visit.wrench[k]
        write_motion(motion, frame, twist)
        for k in range(6 * m):
            J[k, column] = difference(visit.sides, k, s, size)
    for k in range(6 * m):
        visit.wrench[k] = visit.kept[k]


@helper
def seen_from_nodes(sl, a, b, factor, J, row, column, K_out):
    """K_out (6, 6): factor times the derivatives J from (row, column) on, of place a by place b, for their nodes."""
    F, y = load_frame(sl.frame[b])
    for i in range(6):
        f, m = wrench_to_node(F, y, load(J[row + i], column), load(J[row + i], column + 3))
        store(f, K_out[i], 0)
        store(m, K_out[i], 3)
    F, y = load_frame(sl.frame[a])
    for k in range(6):
        f, m = (K_out[0, k], K_out[1, k], K_out[2, k]), (K_out[3, k], K_out[4, k], K_out[5, k])
        f, m = wrench_to_node(F, y, f, m)
        for i in range(3):
            K_out[i, k], K_out[3 + i, k] = factor * f[i], factor * m[i]


@helper
def take_inertias(laws, units, t, frames, twists, rates, pace, visit, bodies_out):
    """Inertias of laws that change with the frame: of their bodies, and in their numbers, with `pace` times the rates.

    `rates` are of the nodes.
    """
    for c in range(laws.carried.shape[0]):
        i, row, o = laws.carried[c, 0], laws.carried[c, 1], laws.carried[c, 2]
        p = laws.first[i]
        visit_places(laws, i, frames, twists, visit)
        find_inertia(laws, i, units[i, 2], t, o, visit)
        F, y = load_frame(laws.frame[p])
        v, w = twist_at_place(F, y, load(rates[laws.node[p]], 0), load(rates[laws.node[p]], 3))
        store(scale(pace, v), laws.parameter, o + 36)
        store(scale(pace, w), laws.parameter, o + 39)
        seen_from_nodes(laws, p, p, 1.0, visit.J, 0, 0, bodies_out.mass[row])


@helper
def find_inertia(laws, i, address, t, o, visit):
    """Inertia of law i at the motion in `visit`: in its parameters from number o on, and in visit.J (6, 6)."""
    numbers, out = laws.parameter[laws.start[i] : laws.start[i + 1]], laws.parameter[o : o + 36]
    code = call_address(address, (t, visit.frame[:1], visit.twist[:1], numbers, out))
    for k in range(36):
        visit.J[k // 6, k % 6] = out[k] if code == 0 else float("nan")


@helper
def scatter_law(sl, i, factor, cc, ck, J, tangents, scratch, blocks_out):
    """Add minus the derivatives J of law i, times a factor, to the blocks of all pairs of its places."""
    m, n = extent(sl, i)
    for a in range(m):
        for b in range(n):
            p, q = sl.first[i] + a, sl.first[i] + b
            seen_from_nodes(sl, p, q, -factor, J, 6 * a, 12 * b, scratch.D)
            seen_from_nodes(sl, p, q, -factor * cc, J, 6 * a, 12 * b + 6, scratch.H)
            out = blocks_out[sl.block[sl.corner[i] + n * a + b]]
            add_turned(scratch.D, scratch.H, 0, 0, ck, tangents[sl.node[q]], out)
