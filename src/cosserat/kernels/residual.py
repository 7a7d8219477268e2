"""The equations of motion of a whole mechanism: r = inertia + internal - applied + Phi^T lambda, and phi.

Source: [Grazioso17] (25)-(26), all rows in the local frames of the nodes. Everything is evaluated at the trial state,
with the inputs of row `k`.
"""

from cosserat.jit import call_address, stage
from cosserat.kernels import beams, freedoms, joints, loads
from cosserat.kernels.arrays import (
    ADD,
    BENDING_FORCES,
    BENDING_STRESS,
    bodies_of,
    elements_of,
    freedoms_of,
    inputs_of,
    joints_of,
    loads_of,
    nodes_of,
    scratch_of,
    solver_of,
    trial_of,
)
from cosserat.kernels.vectors import accumulate, add, clear, store


@stage
def element_forces(problem):
    """trial.residual = internal forces of the beams (everything else is added to it), and trial.stress."""
    el, trial = elements_of(problem), trial_of(problem)
    frames, twists, r = trial.frame, trial.twist, trial.residual
    clear(r)
    for e in range(el.node.shape[0]):
        a, b = el.node[e, 0], el.node[e, 1]
        u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
        n, m = beams.stress(el.stiffness[el.like[e]], el.viscosity[e], u, w, c, c1, eu, ew, twists[a], twists[b])
        store(n, trial.stress[e], 0)
        store(m, trial.stress[e], 3)
        fa, ma, fb, mb = beams.nodal_forces(u, w, c, c1, n, m)
        accumulate(fa, r[a], 0)
        accumulate(ma, r[a], 3)
        accumulate(fb, r[b], 0)
        accumulate(mb, r[b], 3)
    if el.bending.shape[0] > 0:
        call_address(solver_of(problem).targets[BENDING_FORCES], (problem,))
    return 0


@stage
def predict_stress(problem, frames, increments):
    """trial.stress = K (strain at `frames` + its linear change along left increments, (n+1, 6)).

    With the stress as an unknown of its own, Newton's iteration uses this prediction in the geometric stiffness and
    not the stress of the moved configuration, which for slender beams is spoilt by the second-order stretch of every
    correction (the mixed integration point strategy of Magisano, Leonetti and Garcea, CMAME 313, 2017).
    """
    el, trial = elements_of(problem), trial_of(problem)
    for e in range(el.node.shape[0]):
        a, b = el.node[e, 0], el.node[e, 1]
        u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
        du, dw = beams.strain_rate(u, w, c, c1, increments[a], increments[b])
        n, m = beams.multiply(el.stiffness[el.like[e]], add(eu, du), add(ew, dw))
        store(n, trial.stress[e], 0)
        store(m, trial.stress[e], 3)
    if el.bending.shape[0] > 0:
        call_address(solver_of(problem).targets[BENDING_STRESS], (problem, frames, increments))
    return 0


@stage
def applied_forces(problem, k):
    """residual -= gravity, loads, and the forces of all kinds of laws in use."""
    nodes, inputs, trial = nodes_of(problem), inputs_of(problem), trial_of(problem)
    frames, r = trial.frame, trial.residual
    g = (inputs.gravity[k, 0], inputs.gravity[k, 1], inputs.gravity[k, 2])
    if g[0] != 0.0 or g[1] != 0.0 or g[2] != 0.0:
        for i in range(nodes.mass.shape[0] - 1):
            loads.add_gravity(nodes.mass[i], nodes.moment[i], frames[i], g, r[i])
    ld = loads_of(problem)
    for i in range(ld.node.shape[0]):
        loads.add_load(ld, i, frames, inputs.wrench[k], r)
    laws = solver_of(problem).laws
    for i in range(laws.shape[0]):
        call_address(laws[i, ADD], (problem, k))
    return 0


@stage
def joint_forces(problem, k):
    """residual += Phi^T lambda, and trial.phi."""
    jt, inputs, trial = joints_of(problem), inputs_of(problem), trial_of(problem)
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
    bonds = solver_of(problem).bonds
    for i in range(bonds.shape[0]):
        call_address(bonds[i, ADD], (problem, k))
    return 0


@stage
def add_inertia(problem):
    """residual += M v_dot - ad(v)^T M v, bodies and elements. Source: [Grazioso17] (7), (20)."""
    el, trial, scratch = elements_of(problem), trial_of(problem), scratch_of(problem)
    twists, rates, r = trial.twist, trial.rate, trial.residual
    p, q = scratch.p, scratch.q
    for e in range(el.node.shape[0]):
        a, b = el.node[e, 0], el.node[e, 1]
        M = el.mass[el.like[e]]
        beams.momentum(M, rates[a], rates[b], q)
        beams.momentum(M, twists[a], twists[b], p)
        for i in range(6):
            r[a, i] += q[i]
            r[b, i] += q[6 + i]
        beams.add_gyroscopic(p, 0, twists[a], r[a])
        beams.add_gyroscopic(p, 6, twists[b], r[b])
        beams.add_coupled_inertia(el.coupling[e], trial.frame, twists, rates, a, b, r)
    bodies = bodies_of(problem)
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
        beams.add_gyroscopic(p, 0, twists[node], r[node])
    return 0


@stage
def constraints(problem, k):
    """trial.phi at the trial configuration."""
    jt, inputs, trial = joints_of(problem), inputs_of(problem), trial_of(problem)
    for j in range(jt.node.shape[0]):
        joints.constraint(jt, j, trial.frame, inputs.drive[k], trial.angle, trial.phi[j])
    return 0


@stage
def track_angles(problem):
    """Continue the tracked joint coordinates in trial.angle to the trial configuration, near the previous one."""
    fr, trial = freedoms_of(problem), trial_of(problem)
    if fr.joint.shape[0] > 0:
        jt = joints_of(problem)
        for i in range(fr.joint.shape[0]):
            _, _, _, _, R, x = joints.place_frames(jt, fr.joint[i], trial.frame)
            trial.angle[i] = freedoms.coordinate(fr, i, R, x, trial.angle[i])
    return 0


@stage
def wrong_branch(problem, k):
    """Index of a joint whose constraints hold at the spurious root, or -1."""
    jt, inputs, trial = joints_of(problem), inputs_of(problem), trial_of(problem)
    for j in range(jt.node.shape[0]):
        if joints.wrong_branch(jt, j, trial.frame, inputs.drive[k]):
            return j
    return -1


@stage
def constraint_rates(problem, drive, drive_rate, drive_accel, rate_out, accel_out):
    """phi_dot and the part of phi_ddot free of accelerations at the trial state, (nj, 6) each."""
    jt, trial = joints_of(problem), trial_of(problem)
    for j in range(jt.node.shape[0]):
        joints.constraint_rates(
            jt, j, trial.frame, trial.twist, drive, drive_rate, drive_accel, rate_out[j], accel_out[j]
        )
    return 0
