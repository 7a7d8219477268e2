"""Energy-momentum scheme on SE(3): no numerical damping, energy and spatial momentum held to round-off.

With the mean twist m = (v0 + v1)/2 and H1 = H0 exp(h m), the momentum balance in the frame halfway,

    Ad(exp(-h m/2))^T p1 - Ad(exp(h m/2))^T p0 = h f,   p = M v,

conserves the spatial momentum when f is internal; and since Ad(exp(s m)) m = m, its product with m gives exactly
the change of the kinetic energy, m . (p1 - p0) = h m . f. So energy is conserved if the work of f over the increment
equals the loss of potential: strains take the mean stress, corrected along the strain increment; forces fixed in
space act through the exact chord of their points; springs, joint efforts and reactions act in the frames halfway,
corrected (`pairs`) to work exactly by their loss of energy. Every correction is along a relative twist and so leaves
the momentum alone. Loads that depend on time take the mean of both ends. Bodies that no joint holds fly straight while
they turn (`fly`): with x1 = x0 + R_mid u and the balance about the middle of that way, the same holds for them.
"""

from cosserat.jit import call_address, helper, stage
from cosserat.kernels import beams, elastic, joints, matter, pairs, slots, varying
from cosserat.kernels.alpha import move, weights
from cosserat.kernels.frames import cosc, exp_frame, load_frame, sinc, sincc
from cosserat.kernels.loads import add_wrench, local_gravity
from cosserat.kernels.residual import constraints, note, track_angles
from cosserat.kernels.vectors import (
    accumulate,
    add,
    add_to_nodes,
    axpy,
    clear,
    combine,
    cross,
    dot,
    load,
    mul,
    mul_t,
    neg,
    scale,
    store,
    sub,
)


@helper
def predict(state, trial, h, smooth, past, order):
    """Trial step: smooth = 1 continues the twist and its rate, 0 the twist alone; `past` as in `alpha.predict`."""
    first, second, third = weights(order)
    for i in range(state.frame.shape[0] - 1):
        for k in range(6):
            v = state.twist[i, k]
            rate = state.rate[i, k] + first * past[0, i, k] + second * past[1, i, k] + third * past[2, i, k]
            n = h * v + (0.5 * h * h * rate if smooth > 0.0 else 0.0)
            trial.increment[i, k] = n
            trial.twist[i, k] = 2.0 * n / h - v
            trial.rate[i, k] = 2.0 * (n / h - v) / h
            trial.accel[i, k] = 0.0


@helper
def fly(bodies, state, trial, middle, h):
    """Positions and velocities of bodies that no joint holds, from the increment n = (u, w).

    A screw, exact about joints, mixes travel with rotation. A body that flies moves by R_mid u = h (V0 + V1)/2 in space
    and turns by w, so that halfway it is in the middle of its way: forces there have no moment about its centre.
    """
    for i in range(bodies.lone.shape[0]):
        node = bodies.node[bodies.lone[i]]
        n, v0, v1 = trial.increment[node], state.twist[node], trial.twist[node]
        R, x = load_frame(state.frame[node])
        E, _ = exp_frame((0.0, 0.0, 0.0), scale(0.5, load(n, 3)))
        way = mul(R, mul(E, load(n, 0)))
        store(add(x, way), trial.frame[node], 9)
        store(axpy(0.5, way, x), middle.frame[node], 9)
        nu0, omega0 = load(v0, 0), load(v0, 3)
        nu1 = mul_t(E, sub(scale(2.0 / h, load(n, 0)), mul_t(E, nu0)))
        omega1 = sub(scale(2.0 / h, load(n, 3)), omega0)
        store(nu1, v1, 0)
        store(omega1, v1, 3)
        store(scale(1.0 / h, sub(nu1, nu0)), trial.rate[node], 0)
        store(scale(1.0 / h, sub(omega1, omega0)), trial.rate[node], 3)


@helper
def chord(n):
    """Half-angle coefficients of an increment: Delta x = R_mid (u + b w x (w x u)), Delta R y = R_mid s (w x y)."""
    w = load(n, 3)
    t2 = dot(w, w)
    # the mean of exp(s w) over s in [-1/2, 1/2] is I + b w~^2 with b = (1 - sinc(half))/theta^2 = sincc(half)/4
    return w, 0.25 * sincc(0.25 * t2), sinc(0.25 * t2)


@helper
def add_space_force(force, mass_like, arm, R_mid, n, r_out):
    """r -= force fixed in space on the points `mass_like x + R arm`: exact work over the increment."""
    w, b, s = chord(n)
    g = mul_t(R_mid, force)
    ww = cross(w, cross(w, g))
    accumulate(scale(-mass_like, axpy(b, ww, g)), r_out, 0)
    accumulate(scale(-s, cross(arm, g)), r_out, 3)


@helper
def _unbend_weight(g, bodies, trial, middle):
    """Take back what `add_space_force` adds for the bow of a screw, on bodies that fly straight."""
    for i in range(bodies.lone.shape[0]):
        k = bodies.lone[i]
        node = bodies.node[k]
        w, b, _ = chord(trial.increment[node])
        fall = local_gravity(middle.frame[node], g)
        accumulate(scale(bodies.mass[k, 0, 0] * b, cross(w, cross(w, fall))), trial.residual[node], 0)


@helper
def half_transport(n, sign, p):
    """Ad(exp(sign n/2))^T p: momentum of one end of the step seen from the frame halfway."""
    w = (0.5 * sign * n[3], 0.5 * sign * n[4], 0.5 * sign * n[5])
    u = (0.5 * sign * n[0], 0.5 * sign * n[1], 0.5 * sign * n[2])
    t2 = dot(w, w)
    a, c, b = sinc(t2), cosc(t2), sincc(t2)
    pu, pw = load(p, 0), load(p, 3)
    wu = cross(w, u)
    x = axpy(b, cross(w, wu), axpy(c, wu, u))
    # Ad^T (f, m) = (R^T f, R^T (m - x x f))
    q = sub(pw, cross(x, pu))
    wp = cross(w, pu)
    f = axpy(c, cross(w, wp), axpy(-a, wp, pu))
    wq = cross(w, q)
    m = axpy(c, cross(w, wq), axpy(-a, wq, q))
    return f, m


@helper
def straight_transport(n, sign, p):
    """The same where the body flies, see `fly`: to the middle of its way."""
    R, _ = exp_frame((0.0, 0.0, 0.0), scale(0.5 * sign, load(n, 3)))
    f = mul_t(R, load(p, 0))
    return f, sub(mul_t(R, load(p, 3)), cross(scale(0.5 * sign, load(n, 0)), f))


@helper
def add_momentum_change(n, p1, p0, h, r_out):
    """r += (transported p1 - transported p0)/h."""
    _add_change(half_transport(n, -1.0, p1), half_transport(n, 1.0, p0), h, r_out)


@helper
def _add_change(end, start, h, r_out):
    accumulate(scale(1.0 / h, sub(end[0], start[0])), r_out, 0)
    accumulate(scale(1.0 / h, sub(end[1], start[1])), r_out, 3)


@helper
def _add_element_momentum(G, frames, twists, a, b, scratch, momentum_out):
    """Add the momenta of an element to those of its nodes."""
    p = scratch.p
    matter.momentum(G, frames, twists[a], twists[b], a, b, p)
    for k in range(6):
        momentum_out[a, k] += p[k]
        momentum_out[b, k] += p[k + 6]


@helper
def note_start(el, scratch, state, middle):
    """middle.start: strain and what its energy has, and momenta of elements at the start of the step."""
    momentum = middle.momentum[0]
    clear(momentum)
    for e in range(el.node.shape[0]):
        a, b, like, start = el.node[e, 0], el.node[e, 1], el.like[e], middle.start[e]
        _, _, _, _, eu, ew = beams.strain(state.frame, a, b, el.d0[e])
        store(eu, start, 30)
        store(ew, start, 33)
        found = elastic.weigh(el.stiffness[like], el.second[like], el.turning[like], eu, ew, scratch.E)
        for k in range(10):
            store(found[k], start, 3 * k)
        _add_element_momentum(el.mass[like], state.frame, state.twist, a, b, scratch, momentum)


@helper
def weighed(start):
    """What `elastic.change` needs of the start."""
    return (
        load(start, 0), load(start, 3), load(start, 6), load(start, 9), load(start, 12),
        load(start, 15), load(start, 18), load(start, 21), load(start, 24), load(start, 27),
    )  # fmt: skip


@helper
def _add_elements(el, scratch, state, trial, middle, h):
    p0, p1 = middle.momentum[0], middle.momentum[1]
    clear(p1)
    for e in range(el.node.shape[0]):
        a, b, like, start = el.node[e, 0], el.node[e, 1], el.like[e], middle.start[e]
        K, G = el.stiffness[like], el.mass[like]
        _, _, _, _, eu1, ew1 = beams.strain(trial.frame, a, b, el.d0[e])
        u, w, c, c1, _, _ = beams.strain(middle.frame, a, b, el.d0[e])
        before, after = weighed(start), elastic.weigh(K, el.second[like], el.turning[like], eu1, ew1, scratch.E)
        gap, n, m = elastic.change(before, after)
        nu, nw = beams.strain_rate(u, w, c, c1, trial.increment[a], trial.increment[b])
        ku, kw = beams.multiply(K, nu, nw)
        weight = dot(ku, nu) + dot(kw, nw)
        gap -= dot(n, nu) + dot(m, nw)
        factor = el.viscosity[e] / h
        trial.spent[0] += factor * weight
        if abs(gap) < weight:
            factor += gap / weight
        ku, kw = scale(factor, ku), scale(factor, kw)
        n, m = add(n, ku), add(m, kw)
        store(n, trial.stress[e], 0)
        store(m, trial.stress[e], 3)
        eu, ew = scale(0.5, add(load(start, 30), eu1)), scale(0.5, add(load(start, 33), ew1))
        vu, vw = scale(0.5, add(before[0], after[0])), scale(0.5, add(before[1], after[1]))
        note(eu, ew, vu, vw, ku, kw, trial.strain[e])
        add_to_nodes(beams.nodal_forces(u, w, c, c1, n, m), a, b, trial.residual)
        _add_element_momentum(G, trial.frame, trial.twist, a, b, scratch, p1)
        _add_exchange(G, state, trial, middle, a, b)
    for i in range(p1.shape[0] - 1 if el.node.shape[0] > 0 else 0):
        add_momentum_change(trial.increment[i], p1[i], p0[i], h, trial.residual[i])


@helper
def _add_exchange(G, state, trial, middle, a, b):
    """r -= the pair of couples by which the kinetic energy resists a change of the relative rotation of two nodes.

    At the middle they are the derivatives of the product of both motions, `matter.across`; they are corrected along
    the relative turn so that their work is half of v0 . (M1 - M0) v1, which is what the change of momentum leaves over.
    """
    halfway = matter.turn_between(middle.frame, a, b)
    _, couple = matter.across(G, halfway, middle.mean[a], middle.mean[b])
    turn = sub(mul(halfway, load(trial.increment[b], 3)), load(trial.increment[a], 3))
    # the product is linear in the rotation
    R = combine(1.0, matter.turn_between(trial.frame, a, b), -1.0, matter.turn_between(state.frame, a, b))
    one, _ = matter.across(G, R, state.twist[a], trial.twist[b])
    other, _ = matter.across(G, R, trial.twist[a], state.twist[b])
    work = 0.5 * (one + other)
    weight = dot(turn, turn)
    if weight > 1e-26:
        couple = axpy((work - dot(couple, turn)) / weight, turn, couple)
    accumulate(couple, trial.residual[a], 3)
    accumulate(neg(mul_t(halfway, couple)), trial.residual[b], 3)


@helper
def _add_bodies(bodies, scratch, state, trial, h):
    p1, p0, lone, flying = scratch.p, scratch.q, bodies.lone, 0
    for k in range(bodies.node.shape[0]):
        node = bodies.node[k]
        for i in range(6):
            s = 0.0
            t = 0.0
            for j in range(6):
                s += bodies.mass[k, i, j] * trial.twist[node, j]
                t += bodies.mass[k, i, j] * state.twist[node, j]
            p1[i] = s
            p0[i] = t
        n, r = trial.increment[node], trial.residual[node]
        if flying < lone.shape[0] and lone[flying] == k:
            flying += 1
            _add_change(straight_transport(n, -1.0, p1), straight_transport(n, 1.0, p0), h, r)
        else:
            add_momentum_change(n, p1, p0, h, r)


@helper
def _add_loads(ld, wrench_start, wrench_end, trial, middle):
    """Loads of the mean of both ends, on the middle frames."""
    for i in range(ld.node.shape[0]):
        start, end = wrench_start[ld.column[i]], wrench_end[ld.column[i]]
        f = scale(0.5, add(load(start, 0), load(end, 0)))
        m = scale(0.5, add(load(start, 3), load(end, 3)))
        add_wrench(ld, i, middle.frame[ld.node[i]], f, m, trial.residual)


@helper
def _add_joints(jt, drive_start, drive_end, trial, middle, length):
    """Reactions at the middle of the step, corrected along the relative increment to do exactly lambda . delta phi."""
    for j in range(jt.node.shape[0]):
        R, x, u, w = pairs.relative_motion(jt, j, middle.frame, trial.increment)
        _, A0, B0 = joints.drive_of(jt, j, drive_start)
        _, A1, B1 = joints.drive_of(jt, j, drive_end)
        D_a, D_b = combine(0.5, A0, 0.5, A1), combine(0.5, B0, 0.5, B1)
        _, _, f, m = joints.reaction(jt, j, R, x, D_a, D_b, trial.force[j])
        work, doubt = _work(jt, j, trial, middle, length)
        f, m = pairs.correct(f, m, u, w, work, doubt, length, jt.drive[j] < 0)
        pairs.add_between(jt, j, R, x, f, m, trial.residual)


@helper
def _work(jt, j, trial, middle, length):
    """lambda . (phi1 - phi0), and what rounding errors of positions may have made of it."""
    work, pull, reach = 0.0, 0.0, length
    for k in range(jt.n_rows[j]):
        work += trial.force[j, k] * (trial.phi[j, k] - middle.phi[j, k])
        pull += abs(trial.force[j, k])
    for side in range(2):
        for k in range(9, 12):
            reach = max(reach, abs(trial.frame[jt.node[j, side], k]))
    return work, 1e-15 * pull * reach


@stage
def evaluate(problem, k):
    """Residual of the momentum balance and the constraints at the end of the trial step."""
    state, trial, middle = problem.state, problem.trial, problem.middle
    nodes, jt, inputs, scratch = problem.nodes, problem.joints, problem.inputs, problem.scratch
    settings = problem.solver.settings
    h, length = settings[slots.STEP], settings[slots.LENGTH]
    move(state.frame, trial.increment, 1.0, trial.frame)
    move(state.frame, trial.increment, 0.5, middle.frame)
    fly(problem.bodies, state, trial, middle, h)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    trial.spent[0] = state.spent[0]
    track_angles(problem)
    constraints(problem, k)
    clear(trial.residual)
    for i in range(middle.mean.shape[0]):
        for q in range(6):
            middle.mean[i, q] = trial.increment[i, q] / h
    varying.take_masses(problem.bodies, nodes, inputs.effort[k - 1], inputs.effort[k])
    g = (inputs.gravity[k, 0], inputs.gravity[k, 1], inputs.gravity[k, 2])
    for i in range(trial.residual.shape[0] - 1):
        R, _ = load_frame(middle.frame[i])
        add_space_force(g, nodes.mass[i], load(nodes.moment[i], 0), R, trial.increment[i], trial.residual[i])
    _unbend_weight(g, problem.bodies, trial, middle)
    _add_elements(problem.elements, scratch, state, trial, middle, h)
    laws, bonds = problem.solver.laws, problem.solver.bonds
    for i in range(laws.shape[0]):  # before bodies: laws may set their inertia
        call_address(laws[i, slots.CONSERVE], (problem, k))
    _add_bodies(problem.bodies, scratch, state, trial, h)
    _add_loads(problem.loads, inputs.wrench[k - 1], inputs.wrench[k], trial, middle)
    _add_joints(jt, inputs.drive[k - 1], inputs.drive[k], trial, middle, length)
    for i in range(bonds.shape[0]):
        call_address(bonds[i, slots.CONSERVE], (problem, k))
    return 0
