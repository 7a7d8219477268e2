"""What moments that turn inside an element add to its strain energy, beyond the linear element.

Between the nodes the stress is sigma + x h with h = ad(f)^T sigma, f the strains of the deformed element; its
complementary energy has the part (L^3/24) h . S h. The linear element holds it for f = f0. What the strains add to the
moment, g = m x e_w with e = d - d0 and m = (K e)_w, is zero where a section bends alike about all axes; else it would
leave the element of second order in large deflections. To leading order

    W2 = -e . A g - 1/2 g . Q g,   A = K C/L,   Q = (c S - C^T K C)/L^2,   C = c (t x, kappa0 x) S,   c = L^3/12,

S being the flexibility in twist and bending. The energy is W = fade(z) W2 with z = e . Z e, which is of the order of
L^2 in a given deflection: 1 - fade is of the order of L^4. Z is such that W changes the stiffness of the element by
about half at most (`compile.elements`); an element with z > 1, too coarse for W2 to mean anything, is the linear one.

Elements of sections that bend and twist nearly alike leave W out: their `Elements.bending` is zero, and where it is
zero everywhere, it has no rows and the stages below are not called. Rows of B: Z (6), A^T (3), Q (3, three columns).
"""

from cosserat.jit import helper, stage
from cosserat.kernels import beams
from cosserat.kernels.arrays import elements_of, middle_of, scratch_of, solver_of, state_of, trial_of
from cosserat.kernels.beams import multiply
from cosserat.kernels.tangent import scatter
from cosserat.kernels.vectors import accumulate, add, axpy, clear, cross, dot, load, scale, store


@helper
def fade(z):
    """(1 - z^2)^3 below one, and its two derivatives."""
    if z >= 1.0:
        return 0.0, 0.0, 0.0
    y = 1.0 - z * z
    return y * y * y, -6.0 * z * y * y, (24.0 * z * z - 6.0 * y) * y


@helper
def rows_times(B, row, columns, eu, ew):
    """Three rows of B times (eu, ew), over the first three columns or all six."""
    y0 = y1 = y2 = 0.0
    for j in range(columns):
        e = eu[j] if j < 3 else ew[j - 3]
        y0 += B[row, j] * e
        y1 += B[row + 1, j] * e
        y2 += B[row + 2, j] * e
    return y0, y1, y2


@helper
def terms(K, B, eu, ew):
    """m, g, b = A^T e + Q g, W2 and its gradient, all without the fading."""
    _, m = multiply(K, eu, ew)
    g = cross(m, ew)
    a = rows_times(B, 6, 6, eu, ew)
    q = rows_times(B, 9, 3, g, g)
    b = add(a, q)
    y = cross(ew, b)
    ku, kw = multiply(K, (0.0, 0.0, 0.0), y)
    Ag_u = (
        B[6, 0] * g[0] + B[7, 0] * g[1] + B[8, 0] * g[2],
        B[6, 1] * g[0] + B[7, 1] * g[1] + B[8, 1] * g[2],
        B[6, 2] * g[0] + B[7, 2] * g[1] + B[8, 2] * g[2],
    )
    Ag_w = (
        B[6, 3] * g[0] + B[7, 3] * g[1] + B[8, 3] * g[2],
        B[6, 4] * g[0] + B[7, 4] * g[1] + B[8, 4] * g[2],
        B[6, 5] * g[0] + B[7, 5] * g[1] + B[8, 5] * g[2],
    )
    energy = -dot(a, g) - 0.5 * dot(g, q)
    return m, b, energy, scale(-1.0, add(Ag_u, ku)), scale(-1.0, add(add(Ag_w, kw), cross(b, m)))


@helper
def energy_and_stress(K, B, eu, ew):
    """W, and its gradient (n, m)."""
    zu, zw = multiply(B, eu, ew)
    f, f1, _ = fade(dot(eu, zu) + dot(ew, zw))
    if f == 0.0:
        return 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    _, _, energy, du, dw = terms(K, B, eu, ew)
    s = 2.0 * f1 * energy
    return f * energy, axpy(s, zu, scale(f, du)), axpy(s, zw, scale(f, dw))


@helper
def second_derivative(K, B, eu, ew, work, D_out):
    """D = second derivative of W, (6, 6); work is (8, 6) or larger. Returns whether it is not zero."""
    zu, zw = multiply(B, eu, ew)
    f, f1, f2 = fade(dot(eu, zu) + dot(ew, zw))
    if f == 0.0:
        return False
    m, b, energy, du, dw = terms(K, B, eu, ew)
    clear(D_out)
    for j in range(6):
        # columns of G = dg/de and of A^T + Q G/2, and what the curvature of g adds
        m_j = (K[3, j], K[4, j], K[5, j])
        axis = (1.0 if j == 3 else 0.0, 1.0 if j == 4 else 0.0, 1.0 if j == 5 else 0.0)
        G = add(cross(m_j, ew), cross(m, axis))
        q = rows_times(B, 9, 3, G, G)
        y = cross(m_j, b)
        for i in range(3):
            work[i, j] = G[i]
            work[3 + i, j] = B[6 + i, j] + 0.5 * q[i]
            D_out[j, 3 + i] += f * y[i]
            D_out[3 + i, j] += f * y[i]
        work[6, j] = 2.0 * (zu[j] if j < 3 else zw[j - 3])
        work[7, j] = f1 * (du[j] if j < 3 else dw[j - 3]) + 0.5 * f2 * energy * work[6, j]
    for i in range(6):
        for j in range(6):
            s = 0.0
            for k in range(3):
                s += work[k, i] * work[3 + k, j] + work[3 + k, i] * work[k, j]
            t = work[6, i] * work[7, j] + work[7, i] * work[6, j]
            D_out[i, j] += t - f * s + 2.0 * f1 * energy * B[i, j]
    return True


@helper
def note(trial, e, n, m, eu, ew):
    """What the tangent needs: stress += (n, m), strain = (eu, ew)."""
    accumulate(n, trial.stress[e], 0)
    accumulate(m, trial.stress[e], 3)
    store(eu, trial.strain[e], 0)
    store(ew, trial.strain[e], 3)


@helper
def add_to_nodes(u, w, c, c1, n, m, a, b, r_out):
    """r += the nodal forces of a stress (n, m)."""
    fa, ma, fb, mb = beams.nodal_forces(u, w, c, c1, n, m)
    accumulate(fa, r_out[a], 0)
    accumulate(ma, r_out[a], 3)
    accumulate(fb, r_out[b], 0)
    accumulate(mb, r_out[b], 3)


@stage
def add_forces(problem):
    """trial.residual and trial.stress += what W adds; trial.strain."""
    el, trial = elements_of(problem), trial_of(problem)
    for e in range(el.node.shape[0]):
        if el.bending[el.like[e], 9, 0] != 0.0:
            a, b = el.node[e, 0], el.node[e, 1]
            u, w, c, c1, eu, ew = beams.strain(trial.frame, a, b, el.d0[e])
            _, n, m = energy_and_stress(el.stiffness[el.like[e]], el.bending[el.like[e]], eu, ew)
            note(trial, e, n, m, eu, ew)
            add_to_nodes(u, w, c, c1, n, m, a, b, trial.residual)
    return 0


@stage
def add_predicted_stress(problem, frames, increments):
    """trial.stress += what W adds at the strains that `residual.predict_stress` predicts; these to trial.strain."""
    el, trial = elements_of(problem), trial_of(problem)
    for e in range(el.node.shape[0]):
        if el.bending[el.like[e], 9, 0] != 0.0:
            a, b = el.node[e, 0], el.node[e, 1]
            u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
            du, dw = beams.strain_rate(u, w, c, c1, increments[a], increments[b])
            eu, ew = add(eu, du), add(ew, dw)
            _, n, m = energy_and_stress(el.stiffness[el.like[e]], el.bending[el.like[e]], eu, ew)
            note(trial, e, n, m, eu, ew)
    return 0


@stage
def add_tangent(problem, frames):
    """solver.blocks += ck P^T (second derivative of W) P T, taken at trial.strain.

    `beams.element_tangent` has the rest, from trial.stress.
    """
    el, solver, scratch = elements_of(problem), solver_of(problem), scratch_of(problem)
    strains = trial_of(problem).strain
    ck, T, blocks_out = solver.coefficients[2], solver.tangent, solver.blocks
    P, Y, D, plain = scratch.P, scratch.Y, scratch.D, scratch.C
    if ck == 0.0:
        return 0
    clear(plain)
    for e in range(el.node.shape[0]):
        if el.bending[el.like[e], 9, 0] != 0.0:
            a, b = el.node[e, 0], el.node[e, 1]
            eu, ew = load(strains[e], 0), load(strains[e], 3)
            if second_derivative(el.stiffness[el.like[e]], el.bending[el.like[e]], eu, ew, scratch.W, D):
                u, w, c, c1, _, _ = beams.strain(frames, a, b, el.d0[e])
                beams.strain_operator(u, w, c, c1, P)
                beams.project(P, D, Y)
                beams.product(Y, P, 1.0, scratch.K)
                scatter(scratch.K, plain, ck, T[a], T[b], el.block[e], blocks_out)
    return 0


@stage
def add_conserving_forces(problem):
    """The same as `add_forces` over a step of `conserving`: mean stress, its work corrected to the change of W."""
    el, state, trial, middle = elements_of(problem), state_of(problem), trial_of(problem), middle_of(problem)
    for e in range(el.node.shape[0]):
        if el.bending[el.like[e], 9, 0] != 0.0:
            a, b = el.node[e, 0], el.node[e, 1]
            K, B = el.stiffness[el.like[e]], el.bending[el.like[e]]
            _, _, _, _, eu0, ew0 = beams.strain(state.frame, a, b, el.d0[e])
            _, _, _, _, eu1, ew1 = beams.strain(trial.frame, a, b, el.d0[e])
            u, w, c, c1, _, _ = beams.strain(middle.frame, a, b, el.d0[e])
            W0, n0, m0 = energy_and_stress(K, B, eu0, ew0)
            W1, n1, m1 = energy_and_stress(K, B, eu1, ew1)
            n, m = scale(0.5, add(n0, n1)), scale(0.5, add(m0, m1))
            nu, nw = beams.strain_rate(u, w, c, c1, trial.increment[a], trial.increment[b])
            ku, kw = multiply(K, nu, nw)
            weight = dot(ku, nu) + dot(kw, nw)
            gap = W1 - W0 - dot(n, nu) - dot(m, nw)
            if abs(gap) < weight:
                n = axpy(gap / weight, ku, n)
                m = axpy(gap / weight, kw, m)
            note(trial, e, n, m, scale(0.5, add(eu0, eu1)), scale(0.5, add(ew0, ew1)))
            add_to_nodes(u, w, c, c1, n, m, a, b, trial.residual)
    return 0


@stage
def states(frames, node, d0, stiffness, bending, energy_out, force_out):
    """W (nt, ne) of given elements over stored states, and its nodal forces (nt, ne, 12)."""
    for k in range(frames.shape[0]):
        for e in range(node.shape[0]):
            u, w, c, c1, eu, ew = beams.strain(frames[k], node[e, 0], node[e, 1], d0[e])
            energy_out[k, e], n, m = energy_and_stress(stiffness[e], bending[e], eu, ew)
            fa, ma, fb, mb = beams.nodal_forces(u, w, c, c1, n, m)
            store(fa, force_out[k, e], 0)
            store(ma, force_out[k, e], 3)
            store(fb, force_out[k, e], 6)
            store(mb, force_out[k, e], 9)
    return 0
