"""The iteration matrix, assembled into 6x6 blocks: S = cm M + cc C + ck K T, borders s Phi^T and s Phi T.

T is the tangent operator of the exponential at each node's increment. Source: [Grazioso17] (43). Coefficients are
(cm, cc, ck, s, epsilon): epsilon > 0 puts -epsilon s on the multipliers' diagonal, which with an exact residual only
guides the iteration; for combinations of rows that other joints imply it is `SOFT` instead, so that rounding errors of
constraints that hold anyway do not become large multipliers. Frames without mass get `LIGHT` of the typical mass in
this matrix, where it is to be factored: their blocks come before those of their joints. The residual has none of it.
"""

from cosserat.jit import apart, call_address, helper, stage, wide
from cosserat.kernels import beams, elastic, joints, loads, matter, rigid, slots
from cosserat.kernels.frames import tangent_blocks
from cosserat.kernels.vectors import add, clear, load

SOFT = 1e-3
LIGHT = 1e-6


@stage
def tangent_operators(problem):
    """solver.tangent: tangent operator of the exponential at every node's increment."""
    increments, T_out = problem.trial.increment, problem.solver.tangent
    for i in range(increments.shape[0]):
        T, T_uw = tangent_blocks(load(increments[i], 0), load(increments[i], 3))
        for k in range(3):
            for m in range(3):
                T_out[i, k, m] = T[3 * k + m]
                T_out[i, k + 3, m + 3] = T[3 * k + m]
                T_out[i, k, m + 3] = T_uw[3 * k + m]
                T_out[i, k + 3, m] = 0.0
    return 0


@wide
def scatter(matrix, plain, factor, T_a, T_b, block, blocks_out):
    """Add a (12, 12) matrix to the blocks (AA, AB, BA, BB): plain + factor matrix diag(T_a, T_b)."""
    for side in range(4):
        row, column = 6 * (side // 2), 6 * (side % 2)
        out = blocks_out[block[side]]
        if factor == 0.0:
            for i in range(6):
                for k in range(6):
                    out[i, k] += plain[row + i, column + k]
        else:
            add_turned(matrix, plain, row, column, factor, T_a if column == 0 else T_b, out)
    return 0


@apart
def add_turned(matrix, plain, row, column, factor, T, block_out):
    """block += plain + factor matrix T, of the six rows and columns from (row, column) on."""
    for i in range(6):
        s, p, out = matrix[row + i], plain[row + i], block_out[i]
        a, b, c = factor * s[column], factor * s[column + 1], factor * s[column + 2]
        d, e, f = factor * s[column + 3], factor * s[column + 4], factor * s[column + 5]
        for k in range(6):
            turned = a * T[0, k] + b * T[1, k] + c * T[2, k] + d * T[3, k] + e * T[4, k] + f * T[5, k]
            out[k] += p[column + k] + turned


@helper
def scatter_one(matrix, factor, T, block_out):
    """block += factor matrix T, (6, 6)."""
    for i in range(6):
        for j in range(6):
            s = factor * matrix[i, j]
            for k in range(6):
                block_out[i, k] += s * T[j, k]


@wide
def assemble_elements(problem, frames, twists):
    """Beam elements: stiffness, damping, mass and gyroscopic terms."""
    el, solver, scratch = problem.elements, problem.solver, problem.scratch
    cm, cc, ck = solver.coefficients[slots.CM], solver.coefficients[slots.CC], solver.coefficients[slots.CK]
    T, blocks_out = solver.tangent, solver.blocks
    K, C, W, H = scratch.K, scratch.C, scratch.W, scratch.H
    rates, strains = problem.trial.rate, problem.trial.strain
    for e in range(el.node.shape[0]):
        a, b = el.node[e, 0], el.node[e, 1]
        like = el.like[e]
        if ck != 0.0:
            stiffness = el.stiffness[like]
            known = strains[e]
            eu, ew, vu, vw = load(known, 0), load(known, 3), load(known, 6), load(known, 9)
            n, m = elastic.second_derivative(stiffness, el.second[like], el.turning[like], eu, ew, vu, vw, scratch.E, H)
            n, m = add(n, load(known, 12)), add(m, load(known, 15))
            beams.element_tangent(frames, twists, a, b, el.d0[e], H, stiffness, el.viscosity[e], n, m, scratch)
        else:
            clear(K)
        clear(W)
        matter.add_tangent(el.mass[like], cm, cc, ck, frames, twists, rates, a, b, W, K)
        viscous = ck != 0.0 and el.viscosity[e] > 0.0
        if viscous:
            for i in range(12):
                for j in range(12):
                    W[i, j] += cc * C[i, j]
        scatter(K, W, ck, T[a], T[b], el.block[e], blocks_out)
    return 0


@stage
def assemble_nodes(problem, k, frames, twists):
    """Rigid bodies, gravity and point loads: diagonal blocks."""
    bodies, inputs, solver, scratch = problem.bodies, problem.inputs, problem.solver, problem.scratch
    cm, cc, ck = solver.coefficients[slots.CM], solver.coefficients[slots.CC], solver.coefficients[slots.CK]
    T, blocks_out = solver.tangent, solver.blocks
    K, p = scratch.D, scratch.row
    light = LIGHT * solver.coefficients[slots.SCALE] if cm != 0.0 else 0.0
    for b in range(bodies.node.shape[0]):
        node = bodies.node[b]
        M = bodies.mass[b]
        out = blocks_out[bodies.block[b]]
        for i in range(6):
            p[i] = 0.0
            for j in range(6):
                out[i, j] += cm * M[i, j]
                p[i] += M[i, j] * twists[node, j]
        if M[0, 0] == 0.0:
            for i in range(3):
                out[i, i] += light
                out[i + 3, i + 3] += light * solver.settings[slots.LENGTH] * solver.settings[slots.LENGTH]
        if cc != 0.0:
            rigid.add_gyroscopic_tangent(p, 0, twists[node], cc, M, out)
    if cc != 0.0 and solver.settings[slots.SCHEME] != 0.0:  # conserving: lone bodies fly straight
        for i in range(bodies.lone.shape[0]):
            b = bodies.lone[i]
            omega = load(twists[bodies.node[b]], 3)
            for j in range(3):
                m, n = (j + 1) % 3, (j + 2) % 3
                blocks_out[bodies.block[b], n, m] -= cc * bodies.mass[b, 0, 0] * omega[j]
                blocks_out[bodies.block[b], m, n] += cc * bodies.mass[b, 0, 0] * omega[j]
    if ck == 0.0:
        return 0
    g = (inputs.gravity[k, 0], inputs.gravity[k, 1], inputs.gravity[k, 2])
    nodes, pattern = problem.nodes, problem.pattern
    if g[0] != 0.0 or g[1] != 0.0 or g[2] != 0.0:
        for q in range(pattern.order.shape[0]):
            i = pattern.order[q]
            if i < nodes.mass.shape[0] - 1:
                clear(K)
                loads.gravity_tangent(nodes.mass[i], nodes.moment[i], frames[i], g, K)
                scatter_one(K, ck, T[i], blocks_out[pattern.diagonal[q]])
    ld = problem.loads
    for i in range(ld.node.shape[0]):
        if ld.follower[i] == 0:
            clear(K)
            loads.load_tangent(ld, i, frames, inputs.wrench[k], K)
            scatter_one(K, ck, T[ld.node[i]], blocks_out[ld.block[i]])
    return 0


@stage
def assemble_joints(problem, k, frames):
    """Constraints: borders, and the change of reactions with the configuration."""
    jt, solver, scratch = problem.joints, problem.solver, problem.scratch
    drive, multipliers = problem.inputs.drive[k], problem.trial.force
    given = solver.coefficients
    ck, s, epsilon = given[slots.CK], given[slots.SCALE], given[slots.SOFTNESS]
    T, blocks_out = solver.tangent, solver.blocks
    K, C, phi_q = scratch.K, scratch.C, scratch.P
    clear(C)
    for j in range(jt.node.shape[0]):
        a, b = jt.node[j, 0], jt.node[j, 1]
        block = jt.block[j]
        if ck != 0.0:
            clear(K)
            joints.reaction_tangent(jt, j, frames, drive, multipliers[j], K)
            joints.to_node_frames(jt, j, K, scratch.W)
            scatter(K, C, ck, T[a], T[b], block, blocks_out)
        joints.gradient(jt, j, frames, drive, phi_q)
        for side in range(2):
            o = 6 * side
            T_side = T[a] if side == 0 else T[b]
            column = blocks_out[block[4 + 2 * side]]
            row = blocks_out[block[5 + 2 * side]]
            for i in range(6):
                for q in range(6):
                    column[i, q] += s * phi_q[q, o + i]
                    value = s * phi_q[i, o + q]
                    for m in range(6):
                        row[i, m] += value * T_side[q, m]
        for i in range(6):
            for q in range(6):
                blocks_out[block[8], i, q] = -SOFT * s * jt.soft[j, i, q]
            blocks_out[block[8], i, i] -= epsilon * s if i < jt.n_rows[j] else s
    return 0


@stage
def assemble(problem, k, frames, twists):
    """Assemble S at (frames, twists) and the trial multipliers into solver.blocks."""
    blocks_out = problem.solver.blocks
    for i in range(blocks_out.shape[0]):
        clear(blocks_out[i])
    assemble_elements(problem, frames, twists)
    assemble_nodes(problem, k, frames, twists)
    laws, bonds = problem.solver.laws, problem.solver.bonds
    for i in range(laws.shape[0]):
        call_address(laws[i, slots.ASSEMBLE], (problem, k, frames, twists))
    assemble_joints(problem, k, frames)
    for i in range(bonds.shape[0]):
        call_address(bonds[i, slots.ASSEMBLE], (problem, k, frames, twists))
    return 0
