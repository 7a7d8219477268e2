"""Laws that users write: the wrench at a place as a function of time, frames and twists, called by address.

A law gives the wrench on its place, in the place's frame. With another place it may depend on the motion of both, and
the opposite wrench, transported, acts on the other: w_b = -Ad(H_ab)^T w. Its derivatives are given by the user, or
found by central differences on the group, H exp(d) and twists + d, each with two steps: where the law is smooth the
long step, extrapolated once, is exact to 1e-10 or so; where it is not (a branch, an absolute value within the step) the
two disagree, and the short one, of 3e-8 relative to a typical change, is taken.
"""

from cosserat.jit import call_address, compile_user, helper, inlined, write_numbers
from cosserat.kernels.frames import compose, exp_frame, load_frame, relative, twist_at_place, wrench_to_node
from cosserat.kernels.vectors import ZERO, accumulate, add, clear, cross, load, mul, mul_t, neg, scale, store, sub

SIGNATURE = "d,d2,d1,d2,d1,d1,d1"  # t, frame, twist, the other's frame and twist, parameters, wrench_out
DERIVATIVE_SIGNATURE = "d,d2,d1,d2,d1,d1,d2"  # the same, derivatives (6, 24)
LONG, SHORT = 1e-3, 3e-8  # steps of differences relative to a typical change
AGREE = 1e-8  # relative difference below which the law counts as smooth

FAILED, WRONG_SIZE = 1, 2  # what a law returns that raises an error, or gives another number of components


def compile_law(law, parameters, pair, n_more):
    """A user's law as a unit with `SIGNATURE`; `parameters`: dtype of the record that it gets.

    A law that owns states gives their rates behind the wrench, see `law_states`; one with an energy gives that.
    """
    size = 6 + n_more

    def glue(law):
        def alone(t, frame, twist, other_frame, other_twist, numbers, out):
            try:
                given = law(t, frame, twist, numbers.view(parameters)[0])
                if len(given) != size:
                    return 2
                write_numbers(given, size, out)
            except Exception:
                return 1
            return 0

        def between(t, frame, twist, other_frame, other_twist, numbers, out):
            try:
                given = law(t, frame, twist, other_frame, other_twist, numbers.view(parameters)[0])
                if len(given) != size:
                    return 2
                write_numbers(given, size, out)
            except Exception:
                return 1
            return 0

        return between if pair else alone

    return compile_user(glue, (law,), SIGNATURE, "")


def compile_values(law, parameters, moving, size):
    """A user's constraint as a unit with `SIGNATURE`; `moving`: it takes a twist."""

    def glue(law):
        def held(t, frame, twist, parameters):
            return law(t, frame, parameters)

        return held

    return compile_law(law if moving else glue(law), parameters, False, size - 6)


def compile_derivative(derivative, parameters, pair):
    """A user's derivative of a law, (6, 12) or (6, 24), as a unit with `DERIVATIVE_SIGNATURE`."""

    def glue(derivative):
        def alone(t, frame, twist, other_frame, other_twist, numbers, J_out):
            try:
                J = derivative(t, frame, twist, numbers.view(parameters)[0])
                if J.shape[0] != 6 or J.shape[1] != 12:
                    return 2
                J_out[:, :12] = J
                J_out[:, 12:] = 0.0
            except Exception:
                return 1
            return 0

        def between(t, frame, twist, other_frame, other_twist, numbers, J_out):
            try:
                J = derivative(t, frame, twist, other_frame, other_twist, numbers.view(parameters)[0])
                if J.shape[0] != 6 or J.shape[1] != 24:
                    return 2
                J_out[:, :] = J
            except Exception:
                return 1
            return 0

        return between if pair else alone

    return compile_user(glue, (derivative,), DERIVATIVE_SIGNATURE, "")


@helper
def place_motion(node, F, y, frames, twists):
    """World frame (R, x) and twist (v, w) of a place (F, y) of a node."""
    R, x = load_frame(frames[node])
    R, x = compose(R, x, F, y)
    v, w = twist_at_place(F, y, load(twists[node], 0), load(twists[node], 3))
    return R, x, v, w


@helper
def write_motion(R, x, v, w, frame_out, twist_out):
    """Frame as a 4x4 matrix, twist as six numbers."""
    for i in range(3):
        for j in range(3):
            frame_out[i, j] = R[3 * i + j]
        frame_out[i, 3] = x[i]
        frame_out[3, i] = 0.0
    frame_out[3, 3] = 1.0
    store(v, twist_out, 0)
    store(w, twist_out, 3)


@helper
def take_signals(laws, before, now):
    """Numbers of laws that follow sampled inputs: their mean over a step, or `before` and `now` are the same."""
    for j in range(laws.signal.shape[0]):
        column = laws.signal[j, 1]
        laws.parameter[laws.signal[j, 0]] = 0.5 * (before[column] + now[column])


@inlined
def call(sl, i, address, t, visit):
    """visit.wrench of law i at the motion in `visit`; not a number where the law fails."""
    numbers = sl.parameter[sl.start[i] : sl.start[i + 1]]
    code = call_address(address, (t, visit.frame_a, visit.twist_a, visit.frame_b, visit.twist_b, numbers, visit.wrench))
    if code != 0:
        for i in range(6):
            visit.wrench[i] = float("nan")


@helper
def visit_motions(here, there, visit):
    """Write the motions (R, x, v, w) of both places into `visit`."""
    write_motion(here[0], here[1], here[2], here[3], visit.frame_a, visit.twist_a)
    write_motion(there[0], there[1], there[2], there[3], visit.frame_b, visit.twist_b)


@helper
def read_motion(frame, twist):
    """What `write_motion` wrote."""
    R = (
        frame[0, 0], frame[0, 1], frame[0, 2], frame[1, 0], frame[1, 1], frame[1, 2], frame[2, 0], frame[2, 1],
        frame[2, 2],
    )  # fmt: skip
    return R, (frame[0, 3], frame[1, 3], frame[2, 3]), load(twist, 0), load(twist, 3)


@helper
def visited(visit):
    """The motions (R, x, v, w) of both places in `visit`."""
    return read_motion(visit.frame_a, visit.twist_a), read_motion(visit.frame_b, visit.twist_b)


@inlined
def motions_of(sl, i, frames, twists):
    """Motions (R, x, v, w) of both places of law i; a law of one place gets its own twice, and does not look."""
    F, y = load_frame(sl.frame_a[i])
    here = place_motion(sl.node[i, 0], F, y, frames, twists)
    if sl.pair[i] == 0:
        return here, here
    F, y = load_frame(sl.frame_b[i])
    return here, place_motion(sl.node[i, 1], F, y, frames, twists)


@inlined
def enter(sl, i, here, there, visit):
    """Write the motions at which law i looks into `visit`."""
    write_motion(here[0], here[1], here[2], here[3], visit.frame_a, visit.twist_a)
    if sl.pair[i] != 0:
        write_motion(there[0], there[1], there[2], there[3], visit.frame_b, visit.twist_b)


@inlined
def call_at(sl, i, address, t, frames, twists, visit):
    """visit.wrench of law i at the motion of nodes."""
    here, there = motions_of(sl, i, frames, twists)
    enter(sl, i, here, there, visit)
    call(sl, i, address, t, visit)


@helper
def opposite(R, x, f, m):
    """Minus the wrench on the other place, seen at (R, x) from this one: Ad^T (f, m)."""
    return mul_t(R, f), mul_t(R, sub(m, cross(x, f)))


@helper
def relative_place(sl, i, frames):
    """Frame (R, x) of the other place seen from the place of law i."""
    F, y = load_frame(sl.frame_a[i])
    R_a, x_a = load_frame(frames[sl.node[i, 0]])
    R_a, x_a = compose(R_a, x_a, F, y)
    F, y = load_frame(sl.frame_b[i])
    R_b, x_b = load_frame(frames[sl.node[i, 1]])
    R_b, x_b = compose(R_b, x_b, F, y)
    return relative(R_a, x_a, R_b, x_b)


@helper
def add_wrench(sl, i, factor, frames, wrench, r_out):
    """r -= factor times a wrench in the place of law i, and its opposite on the other place."""
    f, m = scale(factor, load(wrench, 0)), scale(factor, load(wrench, 3))
    F, y = load_frame(sl.frame_a[i])
    p, q = wrench_to_node(F, y, f, m)
    accumulate(neg(p), r_out[sl.node[i, 0]], 0)
    accumulate(neg(q), r_out[sl.node[i, 0]], 3)
    if sl.pair[i] == 1:
        R, x = relative_place(sl, i, frames)
        f, m = opposite(R, x, f, m)
        F, y = load_frame(sl.frame_b[i])
        p, q = wrench_to_node(F, y, f, m)
        accumulate(p, r_out[sl.node[i, 1]], 0)
        accumulate(q, r_out[sl.node[i, 1]], 3)


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
def differentiate(sl, i, unit, t, here, there, least, visit):
    """visit.J (6, 24): derivatives of law i by frame and twist of its place, then of the other one; visit.wrench.

    Rounding errors are judged by the size of what the law gives, at least by `least`.
    """
    J, numbers = visit.J, sl.parameter[sl.start[i] : sl.start[i + 1]]
    visit_motions(here, there, visit)
    call(sl, i, unit[0], t, visit)
    f, m = load(visit.wrench, 0), load(visit.wrench, 3)
    if unit[1] != 0:
        code = call_address(unit[1], (t, visit.frame_a, visit.twist_a, visit.frame_b, visit.twist_b, numbers, J))
        for p in range(6):
            for q in range(24):
                if code != 0:
                    J[p, q] = float("nan")
        return
    size = max(largest(f, m), least)
    clear(J)
    for column in range(12 if sl.pair[i] == 0 else 24):
        motion = here if column < 12 else there
        s = typical(column, motion[1], motion[2], motion[3], sl.length[i])
        for side in range(6):
            step = (LONG if side < 2 else 0.5 * LONG if side < 4 else SHORT) * s * (1.0 - 2.0 * (side % 2))
            changed = shifted(column, step, motion)
            if column < 12:
                visit_motions(changed, there, visit)
            else:
                visit_motions(here, changed, visit)
            call(sl, i, unit[0], t, visit)
            for p in range(6):
                visit.sides[side, p] = visit.wrench[p]
        for p in range(6):
            full = (visit.sides[0, p] - visit.sides[1, p]) / (2.0 * LONG * s)
            half = (visit.sides[2, p] - visit.sides[3, p]) / (LONG * s)
            short = (visit.sides[4, p] - visit.sides[5, p]) / (2.0 * SHORT * s)
            smooth = half + (half - full) / 3.0
            J[p, column] = smooth if abs(smooth - short) <= AGREE * (abs(smooth) + size / s) else short
    store(f, visit.wrench, 0)
    store(m, visit.wrench, 3)


@helper
def tangents(sl, i, factor, frames, visit, K_out, C_out):
    """Derivatives of -wrenches of law i by increments and twists of both places, in their frames: (12, 12) each."""
    J = visit.J
    clear(K_out)
    clear(C_out)
    for p in range(6):
        for q in range(6):
            K_out[p, q], K_out[p, 6 + q] = -factor * J[p, q], -factor * J[p, 12 + q]
            C_out[p, q], C_out[p, 6 + q] = -factor * J[p, 6 + q], -factor * J[p, 18 + q]
    if sl.pair[i] != 1:
        return
    R, x = relative_place(sl, i, frames)
    for q in range(24):
        f, m = opposite(R, x, (J[0, q], J[1, q], J[2, q]), (J[3, q], J[4, q], J[5, q]))
        column = 6 * (q // 12) + q % 6
        for p in range(3):
            if (q // 6) % 2 == 0:
                K_out[6 + p, column], K_out[9 + p, column] = factor * f[p], factor * m[p]
            else:
                C_out[6 + p, column], C_out[9 + p, column] = factor * f[p], factor * m[p]
    # the opposite turns with the other place: Ad(H exp(d))^T w changes by coad(d) Ad(H)^T w
    f, m = opposite(R, x, scale(factor, load(visit.wrench, 0)), scale(factor, load(visit.wrench, 3)))
    for q in range(12):
        k = q % 3
        d = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        u = d if q % 6 < 3 else (0.0, 0.0, 0.0)
        w = (0.0, 0.0, 0.0) if q % 6 < 3 else d
        if q < 6:  # the place itself moves: the other moves back, seen from it
            u, w = mul_t(R, add(u, cross(w, x))), mul_t(R, w)
            u, w = neg(u), neg(w)
        df, dm = cross(f, w), add(cross(f, u), cross(m, w))
        for p in range(3):
            K_out[6 + p, q] += df[p]
            K_out[9 + p, q] += dm[p]
