"""Constraints that users write: rows on the motion of a place relative to another one, called by address.

A law of positions gives values g(t, H) that are held at zero, H the frame of the place seen from the other one (a);
its rows are dg/dH. A law of velocities gives A(t, H) eta + b(t, H), linear in the relative twist eta. Rows are found as
derivatives of users' loads are (`state_loads.differentiate`), rates and second rates by differences along the motion.
The wrench A^T lambda acts on the place, its opposite on the other. Multipliers and what is left out of them
(`Rolling.keep`) are those of knife edges and rolling discs, among which these constraints are numbered.
"""

from cosserat.jit import helper, stage
from cosserat.kernels import pairs, slots, state_loads
from cosserat.kernels.frames import twist_at_place, wrench_to_node
from cosserat.kernels.joints import to_node_frames
from cosserat.kernels.newton import step_coefficients
from cosserat.kernels.rolling import add_borders, kept, put_corner, store_rows
from cosserat.kernels.rule_laws import back, look, pushed, rates, row, value_at
from cosserat.kernels.tangent import scatter
from cosserat.kernels.vectors import ZERO, add, axpy, clear, cross, load, mul_t, neg, scale, store

SECOND = 3e-3  # step of differences of rows, relative to a typical change


@stage
def add_rules(problem, k):
    """residual += A^T lambda, and trial.phi of these rows."""
    rules, ro, trial, solver, visit = (
        problem.rules, problem.rolling, problem.trial, problem.solver, problem.visit
    )  # fmt: skip
    _, cc, _, _ = step_coefficients(solver.settings)
    t, first = problem.inputs.clock[k, 0], trial.phi.shape[0] - ro.node.shape[0]
    for i in range(rules.item.shape[0]):
        item = rules.item[i]
        motion = pairs.relative_motion(rules, i, trial.frame, trial.twist)
        look(rules, i, solver.rules[i], t, motion, visit)
        force = trial.force[first + item]
        f, m = pushed(rules, i, visit.J, kept(ro, item, (force[0], force[1], force[2])))
        pairs.add_between(rules, i, motion[0], motion[1], f, m, trial.residual)
        s = 1.0 if rules.held[i] == 1 else 1.0 / cc
        store_rows(ro, item, scale(s, load(visit.wrench, 0)), trial.phi[first + item])
    return 0


@stage
def conserve_rules(problem, k):
    """As `add_rules` for the conserving scheme: rows act halfway through the step, where they do no work.

    Those of positions are corrected along the relative increment, so that their work is lambda times the change of the
    value.
    """
    rules, ro, solver, visit, clock = (
        problem.rules, problem.rolling, problem.solver, problem.visit, problem.inputs.clock
    )  # fmt: skip
    state, trial, middle, P = problem.state, problem.trial, problem.middle, problem.scratch.P
    h, size = solver.settings[slots.STEP], solver.settings[slots.LENGTH]
    t, first = 0.5 * (clock[k - 1, 0] + clock[k, 0]), trial.phi.shape[0] - ro.node.shape[0]
    for i in range(rules.item.shape[0]):
        item, unit = rules.item[i], solver.rules[i]
        R, x, u, w = pairs.relative_motion(rules, i, middle.frame, trial.increment)
        look(rules, i, unit, t, (R, x, scale(1.0 / h, u), scale(1.0 / h, w)), visit)
        phi = scale(h, load(visit.wrench, 0))
        for q in range(3):
            d, e = row(rules, i, visit.J, q)
            store(d, P[q], 0)
            store(e, P[q], 3)
        before, after = phi, phi
        if rules.held[i] == 1:
            value_at(rules, i, unit[0], t, pairs.relative_motion(rules, i, state.frame, state.twist), visit)
            before = load(visit.wrench, 0)
            value_at(rules, i, unit[0], t, pairs.relative_motion(rules, i, trial.frame, trial.twist), visit)
            after = load(visit.wrench, 0)
            value_at(rules, i, unit[0], clock[k, 0], pairs.relative_motion(rules, i, trial.frame, trial.twist), visit)
            phi = load(visit.wrench, 0)
        force = trial.force[first + item]
        mu = kept(ro, item, (force[0], force[1], force[2]))
        f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for q in range(rules.n_rows[i]):
            d, e = load(P[q], 0), load(P[q], 3)
            if rules.held[i] == 1:
                d, e = pairs.correct(d, e, u, w, after[q] - before[q], 1e-15 * rules.length[i], size, True)
            f, m = axpy(mu[q], d, f), axpy(mu[q], e, m)
        pairs.add_between(rules, i, R, x, f, m, trial.residual)
        store_rows(ro, item, phi, trial.phi[first + item])
    return 0


@helper
def push_slope(rules, i, unit, t, motion, mu, visit, D_out):
    """D (6, 6): change of the wrench on the place with its frame, by differences of rows, of eighth order."""
    clear(D_out)
    if mu[0] == 0.0 and mu[1] == 0.0 and mu[2] == 0.0:
        return
    for column in range(6):
        s = SECOND * state_loads.typical(column, motion[1], motion[2], motion[3], rules.length[i])
        for side in range(8):
            steps, sign = 1 + side // 2, 1.0 - 2.0 * (side % 2)
            share = 0.8 if steps == 1 else -0.2 if steps == 2 else 4.0 / 105.0 if steps == 3 else -1.0 / 280.0
            look(rules, i, unit, t, state_loads.shifted(column, sign * steps * s, motion), visit)
            f, m = pushed(rules, i, visit.J, mu)
            weight = sign * share / s
            for p in range(3):
                D_out[p, column] += weight * f[p]
                D_out[3 + p, column] += weight * m[p]


@helper
def pair_tangent(D, R, x, f, m, K_out):
    """K (12, 12): change of the wrenches on both places with both, from that of one by the relative increment.

    The opposite is carried by the relative frame, which adds (w x f, w x m + u x f) for an increment (u, w); the other
    place moves the relative frame by minus its increment, seen from the place.
    """
    for column in range(12):
        k = column % 3
        d = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        u = d if column % 6 < 3 else ZERO
        w = ZERO if column % 6 < 3 else d
        if column < 6:
            u, w = neg(mul_t(R, add(u, cross(w, x)))), neg(mul_t(R, w))
        df, dm = times(D, u, w)
        for p in range(3):
            K_out[6 + p, column], K_out[9 + p, column] = df[p], dm[p]
        df, dm = back(R, x, add(df, cross(w, f)), add(dm, add(cross(w, m), cross(u, f))))
        for p in range(3):
            K_out[p, column], K_out[3 + p, column] = df[p], dm[p]


@helper
def times(D, u, w):
    """D (u, w), a (6, 6) matrix."""
    y = (u[0], u[1], u[2], w[0], w[1], w[2])
    f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for q in range(6):
        f = axpy(y[q], (D[0, q], D[1, q], D[2, q]), f)
        m = axpy(y[q], (D[3, q], D[4, q], D[5, q]), m)
    return f, m


@helper
def spread(R, x, places, f, m, row_out):
    """A row on the relative twist as one on the twists of both nodes: (12,)."""
    _, F_a, y_a, _, F_b, y_b = places
    p, n = wrench_to_node(F_b, y_b, f, m)
    store(p, row_out, 6)
    store(n, row_out, 9)
    f, m = back(R, x, f, m)
    p, n = wrench_to_node(F_a, y_a, f, m)
    store(p, row_out, 0)
    store(n, row_out, 3)


@stage
def assemble_rules(problem, k, frames, twists):
    """Borders as those of what rolls (`rolling.assemble_rolling`), on both nodes; change of the forces with these."""
    rules, ro, solver, scratch, visit = (
        problem.rules, problem.rolling, problem.solver, problem.scratch, problem.visit
    )  # fmt: skip
    t, forces = problem.inputs.clock[k, 0], problem.trial.force
    given = solver.coefficients
    cc, ck, s, epsilon = given[slots.CC], given[slots.CK], given[slots.SCALE], given[slots.SOFTNESS]
    blocks_out, P, K, C, D = solver.blocks, scratch.P, scratch.K, scratch.C, scratch.D
    turning = ck / cc if cc != 0.0 else 0.0
    first = forces.shape[0] - ro.node.shape[0]
    for i in range(rules.item.shape[0]):
        item, block, held = rules.item[i], rules.block[i], rules.held[i] == 1
        places = pairs.places_of(rules, i)
        a, F_a, y_a, b, _, _ = places
        T_a, T_b = solver.tangent[a], solver.tangent[b]
        motion = pairs.relative_motion(rules, i, frames, twists)
        R, x = motion[0], motion[1]
        force = forces[first + item]
        mu = kept(ro, item, (force[0], force[1], force[2]))
        if ck != 0.0:
            push_slope(rules, i, solver.rules[i], t, motion, mu, visit, D)
            look(rules, i, solver.rules[i], t, motion, visit)
            f, m = pushed(rules, i, visit.J, mu)
            pair_tangent(D, R, x, f, m, K)
            to_node_frames(rules, i, K, scratch.W)
            clear(C)
            scatter(K, C, ck, T_a, T_b, block, blocks_out)
        else:
            look(rules, i, solver.rules[i], t, motion, visit)
        v_a, w_a = twist_at_place(F_a, y_a, load(twists[a], 0), load(twists[a], 3))
        v_a, w_a = mul_t(R, add(v_a, cross(w_a, x))), mul_t(R, w_a)  # seen from the place
        J = visit.J
        for q in range(3):
            f, m = row(rules, i, J, q)
            spread(R, x, places, f, m, P[q])
            d, e = f, m
            if not held:  # the relative twist changes by the bracket of the increment and the other's twist
                d = add((J[q, 0], J[q, 1], J[q, 2]), cross(w_a, f))
                e = add((J[q, 3], J[q, 4], J[q, 5]), add(cross(v_a, f), cross(w_a, m)))
                d, e = scale(turning, d), scale(turning, e)
            spread(R, x, places, d, e, P[3 + q])
        one = 0.0 if held else 1.0
        for side in range(2):
            column, row_out = blocks_out[block[4 + 2 * side]], blocks_out[block[5 + 2 * side]]
            add_borders(ro.keep[item], s, P, 6 * side, (one, one, one), T_a if side == 0 else T_b, column, row_out)
        put_corner(ro.keep[item], s, epsilon, blocks_out[block[8]])
    return 0


@stage
def rule_rates(problem, k, pace, rate_out, accel_out):
    """Rates and second rates, for constant twists, of the kept rows at the trial state and the time of inputs row k,
    into those of `rolling`.
    """
    rules, ro, trial, visit = problem.rules, problem.rolling, problem.trial, problem.visit
    units, breaks, t = problem.solver.rules, problem.solver.breaks, problem.inputs.clock[k, 0]
    for i in range(rules.item.shape[0]):
        a, F_a, y_a, b, F_b, y_b = pairs.places_of(rules, i)
        R, x = pairs.relative_frame(trial.frame, a, F_a, y_a, b, F_b, y_b)
        v_a, w_a = twist_at_place(F_a, y_a, load(trial.twist[a], 0), load(trial.twist[a], 3))
        v_b, w_b = twist_at_place(F_b, y_b, load(trial.twist[b], 0), load(trial.twist[b], 3))
        rates(rules, i, units[i, 0], t, pace, breaks, R, x, v_a, w_a, v_b, w_b, visit)
        store_rows(ro, rules.item[i], load(visit.sides[1], 0), rate_out[rules.item[i]])
        store_rows(ro, rules.item[i], load(visit.sides[2], 0), accel_out[rules.item[i]])
    return 0
