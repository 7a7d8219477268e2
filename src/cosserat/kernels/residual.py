"""The equations of motion of a whole mechanism: r = inertia + internal - applied + Phi^T lambda, and phi.

Source: [Grazioso17] (25)-(26), all rows in the local frames of the nodes. Everything is evaluated at the trial state,
with the inputs of row `k`.
"""

from cosserat.jit import call_address, helper, stage
from cosserat.kernels import beams, elastic, freedoms, joints, loads, matter, rigid, slots, varying
from cosserat.kernels.vectors import ZERO, add, add_to_nodes, axpy, clear, load, scale, store, sub


@helper
def note(eu, ew, vu, vw, n, m, strain_out):
    """What the tangent needs of an element: e, v for its stress, and the stress beyond that of the strain energy."""
    store(eu, strain_out, 0)
    store(ew, strain_out, 3)
    store(vu, strain_out, 6)
    store(vw, strain_out, 9)
    store(n, strain_out, 12)
    store(m, strain_out, 15)


@stage
def element_forces(problem):
    """trial.residual = internal forces of the beams (everything else is added to it), trial.stress and trial.strain."""
    el, trial, D = problem.elements, problem.trial, problem.scratch.E
    frames, twists, r = trial.frame, trial.twist, trial.residual
    clear(r)
    for e in range(el.node.shape[0]):
        a, b, like = el.node[e, 0], el.node[e, 1], el.like[e]
        K = el.stiffness[like]
        u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
        vu, vw, _, _, _, _, _, _, n, m = elastic.weigh(K, el.second[like], el.turning[like], eu, ew, D)
        ku, kw = ZERO, ZERO
        if el.viscosity[e] > 0.0:
            ru, rw = beams.strain_rate(u, w, c, c1, twists[a], twists[b])
            ku, kw = beams.multiply(K, scale(el.viscosity[e], ru), scale(el.viscosity[e], rw))
            n, m = add(n, ku), add(m, kw)
        note(eu, ew, vu, vw, ku, kw, trial.strain[e])
        store(n, trial.stress[e], 0)
        store(m, trial.stress[e], 3)
        add_to_nodes(beams.nodal_forces(u, w, c, c1, n, m), a, b, r)
    return 0


@stage
def predict_strain(problem, frames, increments, fraction):
    """trial.strain = the strains that Newton's method predicts, and trial.residual for them.

    With strain and stress as unknowns of their own, the iteration takes moduli and stresses from their linear
    predictions and not from the moved configuration, which for slender beams is spoilt by the second-order stretch of
    every correction; the difference of both strains counts in the residual with the predicted moduli. The strain is
    the one at `frames`, before the correction, and its change along the left increments (n+1, 6); where only a
    fraction of a correction was taken, only this fraction of the way from the last prediction. In the first iteration,
    with fraction 0, there is no such. After the mixed integration point strategy of Magisano, Leonetti and Garcea,
    CMAME 313, 2017, where the strain is not an unknown.
    """
    el, trial, scratch = problem.elements, problem.trial, problem.scratch
    for e in range(el.node.shape[0]):
        a, b, like = el.node[e, 0], el.node[e, 1], el.like[e]
        K, Q, I, known = el.stiffness[like], el.second[like], el.turning[like], trial.strain[e]
        u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
        du, dw = beams.strain_rate(u, w, c, c1, increments[a], increments[b])
        if fraction > 0.0:
            bu, bw = load(known, 18), load(known, 21)
            du, dw = axpy(fraction, sub(eu, bu), du), axpy(fraction, sub(ew, bw), dw)
            eu, ew = bu, bw
        vu, vw = elastic.measure(Q, eu, ew, scratch.E)
        qu, qw = elastic.rows(scratch.E, du, dw)
        vu, vw = add(vu, add(du, qu)), add(vw, add(dw, qw))
        eu, ew = add(eu, du), add(ew, dw)
        elastic.second_derivative(K, Q, I, eu, ew, vu, vw, scratch.E, scratch.H)
        _, _, _, _, _, _, _, _, n, m = elastic.weigh(K, Q, I, eu, ew, scratch.E)
        u, w, c, c1, bu, bw = beams.strain(trial.frame, a, b, el.d0[e])
        du, dw = beams.multiply(scratch.H, sub(bu, eu), sub(bw, ew))
        ku, kw = load(known, 12), load(known, 15)
        n, m = sub(add(n, add(du, ku)), load(trial.stress[e], 0)), sub(add(m, add(dw, kw)), load(trial.stress[e], 3))
        add_to_nodes(beams.nodal_forces(u, w, c, c1, n, m), a, b, trial.residual)
        note(eu, ew, vu, vw, ku, kw, known)
        store(eu, known, 18)
        store(ew, known, 21)
    return 0


@stage
def applied_forces(problem, k):
    """residual -= gravity, loads, and the forces of all kinds of laws in use."""
    nodes, inputs, trial = problem.nodes, problem.inputs, problem.trial
    frames, r = trial.frame, trial.residual
    varying.take_masses(problem.bodies, nodes, inputs.effort[k], inputs.effort[k])
    g = (inputs.gravity[k, 0], inputs.gravity[k, 1], inputs.gravity[k, 2])
    if g[0] != 0.0 or g[1] != 0.0 or g[2] != 0.0:
        for i in range(nodes.mass.shape[0] - 1):
            loads.add_gravity(nodes.mass[i], nodes.moment[i], frames[i], g, r[i])
    ld = problem.loads
    for i in range(ld.node.shape[0]):
        loads.add_load(ld, i, frames, inputs.wrench[k], r)
    laws = problem.solver.laws
    for i in range(laws.shape[0]):
        call_address(laws[i, slots.ADD], (problem, k))
    return 0


@stage
def joint_forces(problem, k):
    """residual += Phi^T lambda, and trial.phi."""
    jt, inputs, trial = problem.joints, problem.inputs, problem.trial
    for j in range(jt.node.shape[0]):
        joints.add_reaction(
            jt, j, trial.frame, inputs.drive[k], trial.angle, trial.force[j], trial.residual, trial.phi[j]
        )
    return 0


@stage
def forces(problem, k):
    """residual = internal forces - applied forces + reactions, without inertia; trial.phi."""
    element_forces(problem)
    applied_forces(problem, k)
    joint_forces(problem, k)
    bonds = problem.solver.bonds
    for i in range(bonds.shape[0]):
        call_address(bonds[i, slots.ADD], (problem, k))
    return 0


@stage
def add_inertia(problem):
    """residual += M v_dot - ad(v)^T M v, bodies and elements. Source: [Grazioso17] (7), (20)."""
    el, trial, scratch = problem.elements, problem.trial, problem.scratch
    twists, rates, r = trial.twist, trial.rate, trial.residual
    p = scratch.p
    for e in range(el.node.shape[0]):
        matter.add_inertia(el.mass[el.like[e]], trial.frame, twists, rates, el.node[e, 0], el.node[e, 1], r)
    bodies = problem.bodies
    for k in range(bodies.node.shape[0]):
        node = bodies.node[k]
        M = bodies.mass[k]
        for i in range(6):
            s = 0.0
            t = 0.0
            for j in range(6):
                s += M[i, j] * rates[node, j]
                t += M[i, j] * twists[node, j]
            r[node, i] += s
            p[i] = t
        rigid.add_gyroscopic(p, 0, twists[node], r[node])
    return 0


@stage
def constraints(problem, k):
    """trial.phi at the trial configuration."""
    jt, inputs, trial = problem.joints, problem.inputs, problem.trial
    for j in range(jt.node.shape[0]):
        joints.constraint(jt, j, trial.frame, inputs.drive[k], trial.angle, trial.phi[j])
    return 0


@stage
def track_angles(problem):
    """Continue the tracked joint coordinates in trial.angle to the trial configuration, near the previous one."""
    fr, trial = problem.freedoms, problem.trial
    if fr.joint.shape[0] > 0:
        jt = problem.joints
        for i in range(fr.joint.shape[0]):
            _, _, _, _, R, x = joints.place_frames(jt, fr.joint[i], trial.frame)
            trial.angle[i] = freedoms.coordinate(fr, i, R, x, trial.angle[i])
    return 0


@stage
def wrong_branch(problem, k):
    """Index of a joint whose constraints hold at the spurious root, or -1."""
    jt, inputs, trial = problem.joints, problem.inputs, problem.trial
    for j in range(jt.node.shape[0]):
        if joints.wrong_branch(jt, j, trial.frame, inputs.drive[k]):
            return j
    return -1


@stage
def constraint_rates(problem, drive, drive_rate, drive_accel, rate_out, accel_out):
    """phi_dot and the part of phi_ddot free of accelerations at the trial state, (nj, 6) each."""
    jt, trial = problem.joints, problem.trial
    for j in range(jt.node.shape[0]):
        joints.constraint_rates(
            jt, j, trial.frame, trial.twist, drive, drive_rate, drive_accel, rate_out[j], accel_out[j]
        )
    return 0
