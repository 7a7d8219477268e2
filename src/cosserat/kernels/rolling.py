"""Knife edges and rolling discs on nodes: the rows of `touching` in the residual and in the iteration matrix.

The gap of a disc is held at zero; all other rows are held at zero as velocities, here divided by cc = d eta/d n of the
scheme, so that they count in metres like the gap. Of the rows only those combinations act that nothing else implies
(`keep`).
"""

import math

from cosserat.jit import helper, stage
from cosserat.kernels import slots
from cosserat.kernels.conserving import add_space_force
from cosserat.kernels.frames import load_frame
from cosserat.kernels.newton import step_coefficients
from cosserat.kernels.tangent import scatter_one
from cosserat.kernels.touching import DISC, EDGE, RULE, gap, row_rates, touch, touch_gradient, turn_gradient
from cosserat.kernels.vectors import accumulate, axpy, clear, combine, cross, dot, load, matmul, mul, scale, skew, store


@helper
def kept(rolling, i, values):
    """The combinations of three numbers, one for each row, that act."""
    Q = rolling.keep[i]
    return (
        Q[0, 0] * values[0] + Q[0, 1] * values[1] + Q[0, 2] * values[2],
        Q[1, 0] * values[0] + Q[1, 1] * values[1] + Q[1, 2] * values[2],
        Q[2, 0] * values[0] + Q[2, 1] * values[1] + Q[2, 2] * values[2],
    )


@helper
def push(rolling, i, R, force):
    """Sum of the multipliers times the directions of the rows, and the point where it acts: (f, r)."""
    d0, d1, d2, r = touch(rolling, i, R)
    a, b, c = kept(rolling, i, (force[0], force[1], force[2]))
    return axpy(a, d0, axpy(b, d1, scale(c, d2))), r


@helper
def store_rows(rolling, i, values, phi_out):
    """The combinations that act, padded with zeros."""
    a, b, c = kept(rolling, i, values)
    phi_out[0], phi_out[1], phi_out[2] = a, b, c
    phi_out[3] = phi_out[4] = phi_out[5] = 0.0


@stage
def add_rolling(problem, k):
    """residual += A^T lambda, and trial.phi of these rows."""
    ro, trial, solver = problem.rolling, problem.trial, problem.solver
    _, cc, _, _ = step_coefficients(solver.settings)
    first = trial.phi.shape[0] - ro.node.shape[0]
    for i in range(ro.node.shape[0]):
        if ro.kind[i] == RULE:
            continue
        node = ro.node[i]
        R, x = load_frame(trial.frame[node])
        f, r = push(ro, i, R, trial.force[first + i])
        accumulate(f, trial.residual[node], 0)
        accumulate(cross(r, f), trial.residual[node], 3)
        a, b, c = row_rates(ro, i, R, trial.twist[node])
        a = gap(ro, i, R, x) if ro.kind[i] == DISC else a / cc
        store_rows(ro, i, (a, b / cc, c / cc), trial.phi[first + i])
    return 0


@stage
def conserve_rolling(problem, k):
    """As `add_rolling` for the conserving scheme: neither the rows nor the gap do any work over a step.

    Rows act halfway through the step, A(H_mid) n = 0, so that their work lambda . A n vanishes. (At the ends of steps
    they would fight with joints, whose velocities there may alternate about what the constraints allow.) The force
    along the normal does exactly lambda times the change of the gap if it acts on the axis at the distance
    a (c0 + c1)/(s0 + s1) from the centre: the change of s is -(c0 + c1)/(s0 + s1) times that of c.
    """
    ro, state, trial, middle = problem.rolling, problem.state, problem.trial, problem.middle
    first = trial.phi.shape[0] - ro.node.shape[0]
    for i in range(ro.node.shape[0]):
        if ro.kind[i] == RULE:
            continue
        node = ro.node[i]
        R, _ = load_frame(middle.frame[node])
        d0, d1, d2, r = touch(ro, i, R)
        n = trial.increment[node]
        a, b, c = row_rates(ro, i, R, n)
        force = trial.force[first + i]
        normal, along, across = kept(ro, i, (force[0], force[1], force[2]))
        f = axpy(along, d1, scale(across, d2))
        if ro.kind[i] == EDGE:
            f = axpy(normal, d0, f)
        else:
            R0, _ = load_frame(state.frame[node])
            R1, x1 = load_frame(trial.frame[node])
            e, up = load(ro.axis[i], 0), load(ro.plane[i, 0], 0)
            c0, c1 = dot(up, mul(R0, e)), dot(up, mul(R1, e))
            lean = (c0 + c1) / (math.sqrt(1.0 - c0 * c0) + math.sqrt(1.0 - c1 * c1))
            arm = axpy(ro.radius[i] * lean, e, load(ro.point[i], 0))
            add_space_force(scale(-normal, up), 1.0, arm, R, n, trial.residual[node])
            a = gap(ro, i, R1, x1)
        accumulate(f, trial.residual[node], 0)
        accumulate(cross(r, f), trial.residual[node], 3)
        store_rows(ro, i, (a, b, c), trial.phi[first + i])
    return 0


@helper
def add_push_tangent(rolling, i, R, f, r, K_out):
    """K += d(f, r x f)/d(left increments), f fixed in space: (6, 6). A knife edge has none, its rows do not change."""
    F = skew(f)
    G = touch_gradient(rolling, i, R)
    M = combine(1.0, matmul(skew(r), F), -1.0, matmul(F, G))
    for p in range(3):
        for q in range(3):
            K_out[p, 3 + q] += F[3 * p + q]
            K_out[3 + p, 3 + q] += M[3 * p + q]


@helper
def add_borders(keep, s, P, first, plain, T, column_out, row_out):
    """Borders of three rows on the increments of one node, of the combinations that act (`keep`), times s.

    P has the rows A from column `first` on, and below them D, how they change by increments of the frame: the border of
    the equations is A^T, that of the rows D T, and A more where `plain` (3,) is 1.
    """
    for q in range(3):
        for j in range(6):
            value = plain[q] * P[q, first + j]
            for n in range(6):
                value += P[3 + q, first + n] * T[n, j]
            for p in range(3):
                column_out[j, p] += s * keep[p, q] * P[q, first + j]
                row_out[p, j] += s * keep[p, q] * value


@helper
def put_corner(keep, s, epsilon, corner_out):
    """The block of the multipliers: zero for what acts, but for epsilon."""
    for p in range(3):
        for q in range(3):
            corner_out[p, q] = s * keep[p, q] - (s if p == q else 0.0)
    for p in range(6):
        corner_out[p, p] -= epsilon * s if p < 3 else s


@stage
def assemble_rolling(problem, k, frames, twists):
    """Borders s A^T and s (A + ck/cc d(A eta)/dH T), s A T for a gap; change of the forces with the configuration."""
    ro, solver, scratch, forces = problem.rolling, problem.solver, problem.scratch, problem.trial.force
    given = solver.coefficients
    cc, ck, s, epsilon = given[slots.CC], given[slots.CK], given[slots.SCALE], given[slots.SOFTNESS]
    blocks_out, P, K = solver.blocks, scratch.P, scratch.D
    turning = ck / cc if cc != 0.0 else 0.0
    first = forces.shape[0] - ro.node.shape[0]
    for i in range(ro.node.shape[0]):
        if ro.kind[i] == RULE:
            continue
        node, block = ro.node[i], ro.block[i]
        T = solver.tangent[node]
        R, _ = load_frame(frames[node])
        if ck != 0.0 and ro.kind[i] == DISC:
            f, r = push(ro, i, R, forces[first + i])
            clear(K)
            add_push_tangent(ro, i, R, f, r, K)
            scatter_one(K, ck, T, blocks_out[block[0]])
        write_rows(ro, i, R, twists[node], turning, P)
        plain = (0.0 if ro.kind[i] == DISC else 1.0, 1.0, 1.0)
        add_borders(ro.keep[i], s, P, 0, plain, T, blocks_out[block[1]], blocks_out[block[2]])
        put_corner(ro.keep[i], s, epsilon, blocks_out[block[3]])
    return 0


@helper
def write_rows(rolling, i, R, twist, turning, P_out):
    """A in the first three rows of P (6, 12); in the last three that of a gap, and how others change with the frame."""
    clear(P_out)
    d0, d1, d2, r = touch(rolling, i, R)
    for q in range(3):
        d = d0 if q == 0 else d1 if q == 1 else d2
        m = cross(r, d)
        store(d, P_out[q], 0)
        store(m, P_out[q], 3)
        if rolling.kind[i] == DISC and q == 0:
            store(d, P_out[3], 0)
            store(m, P_out[3], 3)
        elif rolling.kind[i] == DISC and turning != 0.0:
            turn = turn_gradient(rolling, i, R, d, r, load(twist, 0), load(twist, 3))
            store(scale(turning, turn), P_out[3 + q], 3)


@stage
def rolling_rates(problem, rate_out, accel_out):
    """A eta and A_dot eta of the kept rows at the trial state, (nr, 6) each."""
    ro, trial = problem.rolling, problem.trial
    for i in range(ro.node.shape[0]):
        if ro.kind[i] == RULE:
            continue
        node = ro.node[i]
        R, _ = load_frame(trial.frame[node])
        store_rows(ro, i, row_rates(ro, i, R, trial.twist[node]), rate_out[i])
        a, b, c = 0.0, 0.0, 0.0
        if ro.kind[i] == DISC:
            d0, d1, d2, r = touch(ro, i, R)
            v, omega = load(trial.twist[node], 0), load(trial.twist[node], 3)
            a = dot(turn_gradient(ro, i, R, d0, r, v, omega), omega)
            b = dot(turn_gradient(ro, i, R, d1, r, v, omega), omega)
            c = dot(turn_gradient(ro, i, R, d2, r, v, omega), omega)
        store_rows(ro, i, (a, b, c), accel_out[i])
    return 0
