"""Media that users describe: what their potentials add to the quadratic strain energy of beam elements.

The element has its own energy with the stiffness at zero strain, see `elastic`. To it comes

    V(e) = sum_g w_g W(eps_g),   eps_g = B_g v,   v = e + (e Q e)/2,

W(eps) = U(eps) - U(0) - eps . K eps/2 the rest of the potential per length, at two points in the element, where the
strain is that of linear statics between its nodes: uniform strains are uniform, and others are of fourth order. W and
its derivatives are functions of users, called by address; where they fail, nothing is a number.

In the energy-momentum scheme the mean of the stress on the way from one strain to the other, by two Gauss points, acts
halfway, corrected along the change of strain so that it works exactly by the change of V. The correction is small even
where steps are large, or Newton's iteration, which does not know it, would be slow.
"""

import math

from cosserat.jit import call_address, compile_user, helper, stage
from cosserat.kernels import beams, elastic, slots
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.tangent import scatter
from cosserat.kernels.vectors import add, add_to_nodes, axpy, clear, dot, load, scale, store, sub

FIRST, SECOND = "d1,d1,d1", "d1,d1,d2"  # strain, parameters, (7,) or (6, 6) out
ROUNDING = 4e-16
LATER = 0.5 + 0.5 / math.sqrt(3.0)


def compile_medium(function, signature):
    """A generated function of strain and parameters as a unit."""

    def glue(function):
        def checked(strain, numbers, out):
            try:
                function(strain, numbers, out)
            except Exception:
                return 1
            return 0

        return checked

    return compile_user(glue, (function,), signature, "")


@helper
def strain_at(B, g, vu, vw, strain_out):
    """eps_g."""
    for k in range(6):
        b = B[6 * g + k]
        strain_out[k] = b[0] * vu[0] + b[1] * vu[1] + b[2] * vu[2] + b[3] * vw[0] + b[4] * vw[1] + b[5] * vw[2]


@helper
def slopes(B, weight, numbers, address, vu, vw, strain_out, values_out):
    """V and its derivative (n, m) by v."""
    energy, n, m = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for g in range(2):
        strain_at(B, g, vu, vw, strain_out)
        if call_address(address, (strain_out, numbers, values_out)) != 0 or not abs(values_out[0]) < math.inf:
            values_out[0] = values_out[1] = float("nan")  # where there is no energy a slope means nothing
        energy += weight[g] * values_out[0]
        for k in range(6):
            b, s = B[6 * g + k], weight[g] * values_out[1 + k]
            n = (n[0] + s * b[0], n[1] + s * b[1], n[2] + s * b[2])
            m = (m[0] + s * b[3], m[1] + s * b[4], m[2] + s * b[5])
    return energy, n, m


@helper
def stress(B, weight, numbers, address, Q, eu, ew, D_out, strain_out, values_out):
    """V and its derivative (n, m) by e."""
    vu, vw = elastic.measure(Q, eu, ew, D_out)
    energy, n, m = slopes(B, weight, numbers, address, vu, vw, strain_out, values_out)
    qn, qm = elastic.columns(D_out, n, m)
    return energy, add(n, qn), add(m, qm)


@helper
def sandwich(A, S, X_out, H_out, weight):
    """H += weight A^T S A, all (36,) but S, (6, 6)."""
    for r in range(6):
        a, b, c, d, e, f = S[r, 0], S[r, 1], S[r, 2], S[r, 3], S[r, 4], S[r, 5]
        for k in range(6):
            x = a * A[k] + b * A[6 + k] + c * A[12 + k]
            X_out[6 * r + k] = weight * (x + d * A[18 + k] + e * A[24 + k] + f * A[30 + k])
    for r in range(6):
        a, b, c, d, e, f = A[r], A[6 + r], A[12 + r], A[18 + r], A[24 + r], A[30 + r]
        for k in range(6):
            x = a * X_out[k] + b * X_out[6 + k] + c * X_out[12 + k]
            x += d * X_out[18 + k] + e * X_out[24 + k] + f * X_out[30 + k]
            H_out[6 * r + k] += x


@helper
def second_derivative(md, i, units, Q, eu, ew, scratch):
    """scratch.H = second derivative of V by e; returns the first."""
    D, V, S, X = scratch.E[0:36], scratch.E[36:72], scratch.E[72:108], scratch.E[108:144]
    H, strain, values, B = scratch.H, scratch.p, scratch.q, md.point[i]
    numbers = md.parameter[md.start[i, 0] : md.start[i, 1]]
    vu, vw = elastic.measure(Q, eu, ew, D)
    _, n, m = slopes(B, md.weight[i], numbers, units[i, 0], vu, vw, strain, values)
    for c in range(36):
        S[c] = 0.0
    for g in range(2):
        strain_at(B, g, vu, vw, strain)
        if call_address(units[i, 1], (strain, numbers, H)) != 0:
            H[0, 0] = float("nan")
        for r in range(6):
            for c in range(6):
                V[6 * r + c] = B[6 * g + r, c]
        sandwich(V, H, X, S, md.weight[i, g])
    # H = V^T S V + (n, m) Q with V = 1 + D
    for r in range(6):
        for c in range(6):
            H[r, c], S[6 * r + c] = S[6 * r + c], 0.0
            V[6 * r + c] = D[6 * r + c] + (1.0 if r == c else 0.0)
    sandwich(V, H, X, S, 1.0)
    for r in range(6):
        k = 36 * r
        for c in range(6):
            y = Q[k + c] * n[0] + Q[k + 6 + c] * n[1] + Q[k + 12 + c] * n[2]
            y += Q[k + 18 + c] * m[0] + Q[k + 24 + c] * m[1] + Q[k + 30 + c] * m[2]
            H[r, c] = S[6 * r + c] + y
    qn, qm = elastic.columns(D, n, m)
    return add(n, qn), add(m, qm)


@stage
def add_media(problem, k):
    """residual += forces of what potentials have beyond the quadratic part."""
    md, el, trial, scratch = problem.media, problem.elements, problem.trial, problem.scratch
    units = problem.solver.media
    for i in range(md.element.shape[0]):
        e = md.element[i]
        a, b = el.node[e, 0], el.node[e, 1]
        u, w, c, c1, eu, ew = beams.strain(trial.frame, a, b, el.d0[e])
        numbers = md.parameter[md.start[i, 0] : md.start[i, 1]]
        _, n, m = stress(
            md.point[i], md.weight[i], numbers, units[i, 0], el.second[el.like[e]], eu, ew, scratch.E, scratch.p,
            scratch.q,
        )  # fmt: skip
        add_to_nodes(beams.nodal_forces(u, w, c, c1, n, m), a, b, trial.residual)
    return 0


@helper
def on_way(eu0, ew0, eu1, ew1, g):
    """Strain at one of two Gauss points of the way from the start to the end of a step."""
    x = LATER if g > 0 else 1.0 - LATER
    return axpy(x, sub(eu1, eu0), eu0), axpy(x, sub(ew1, ew0), ew0)


@stage
def conserve_media(problem, k):
    """The same over a step: the mean stress on the way, corrected to work exactly by the change of energy."""
    md, el, scratch = problem.media, problem.elements, problem.scratch
    state, trial, middle, units = problem.state, problem.trial, problem.middle, problem.solver.media
    for i in range(md.element.shape[0]):
        e = md.element[i]
        a, b, like = el.node[e, 0], el.node[e, 1], el.like[e]
        numbers = md.parameter[md.start[i, 0] : md.start[i, 1]]
        _, _, _, _, eu0, ew0 = beams.strain(state.frame, a, b, el.d0[e])
        _, _, _, _, eu1, ew1 = beams.strain(trial.frame, a, b, el.d0[e])
        u, w, c, c1, _, _ = beams.strain(middle.frame, a, b, el.d0[e])
        n, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        gap, doubt = 0.0, 0.0
        for g in range(4):
            # energies at both ends, then stresses on the way
            eu, ew = (eu0, ew0) if g == 0 else (eu1, ew1)
            if g > 1:
                eu, ew = on_way(eu0, ew0, eu1, ew1, g - 2)
            energy, gn, gm = stress(
                md.point[i], md.weight[i], numbers, units[i, 0], el.second[like], eu, ew, scratch.E, scratch.p,
                scratch.q,
            )  # fmt: skip
            if g < 2:
                gap += energy if g == 1 else -energy
                doubt += ROUNDING * abs(energy)
            else:
                n, m = axpy(0.5, gn, n), axpy(0.5, gm, m)
        nu, nw = beams.strain_rate(u, w, c, c1, trial.increment[a], trial.increment[b])
        ku, kw = beams.multiply(el.stiffness[like], nu, nw)
        weight = dot(ku, nu) + dot(kw, nw)
        gap -= dot(n, nu) + dot(m, nw)
        gap = max(gap - doubt, min(gap + doubt, 0.0))
        if abs(gap) < weight:
            n, m = axpy(gap / weight, ku, n), axpy(gap / weight, kw, m)
        add_to_nodes(beams.nodal_forces(u, w, c, c1, n, m), a, b, trial.residual)
    return 0


@helper
def over_step(md, i, units, Q, eu0, ew0, eu1, ew1, scratch):
    """scratch.H = twice the derivative of the mean stress on the way by the strain at the end; returns that mean."""
    H, first = scratch.H, scratch.W
    eu, ew = on_way(eu0, ew0, eu1, ew1, 0)
    n0, m0 = second_derivative(md, i, units, Q, eu, ew, scratch)
    for r in range(6):
        for c in range(6):
            first[r, c] = H[r, c]
    eu, ew = on_way(eu0, ew0, eu1, ew1, 1)
    n1, m1 = second_derivative(md, i, units, Q, eu, ew, scratch)
    for r in range(6):
        for c in range(6):
            H[r, c] = LATER * H[r, c] + (1.0 - LATER) * first[r, c]
    return scale(0.5, add(n0, n1)), scale(0.5, add(m0, m1))


@stage
def assemble_media(problem, k, frames, twists):
    """Second derivatives of V: 12x12 matrices on the nodes of elements."""
    md, el, solver, scratch = problem.media, problem.elements, problem.solver, problem.scratch
    ck, T, C = solver.coefficients[slots.CK], solver.tangent, scratch.C
    if ck == 0.0:
        return 0
    state, trial, conserving = problem.state, problem.trial, solver.settings[slots.SCHEME] == CONSERVING
    clear(C)
    for i in range(md.element.shape[0]):
        e = md.element[i]
        a, b, like = el.node[e, 0], el.node[e, 1], el.like[e]
        Q = el.second[like]
        if conserving:
            _, _, _, _, eu0, ew0 = beams.strain(state.frame, a, b, el.d0[e])
            _, _, _, _, eu1, ew1 = beams.strain(trial.frame, a, b, el.d0[e])
            n, m = over_step(md, i, solver.media, Q, eu0, ew0, eu1, ew1, scratch)
        else:
            _, _, _, _, eu, ew = beams.strain(frames, a, b, el.d0[e])
            n, m = second_derivative(md, i, solver.media, Q, eu, ew, scratch)
        beams.element_tangent(frames, twists, a, b, el.d0[e], scratch.H, el.stiffness[like], 0.0, n, m, scratch)
        scatter(scratch.K, C, ck, T[a], T[b], el.block[e], solver.blocks)
    return 0


@stage
def media_states(frames, node, d0, second, point, weight, start, parameter, unit, element, force_out, energy_out, work):
    """Add V and its nodal forces to those (nt, ne) of elements; row i belongs to column element[i]. work is (60,)."""
    for k in range(frames.shape[0]):
        for i in range(element.shape[0]):
            e = element[i]
            u, w, c, c1, eu, ew = beams.strain(frames[k], node[e, 0], node[e, 1], d0[e])
            numbers = parameter[start[i, 0] : start[i, 1]]
            energy, n, m = stress(
                point[i], weight[i], numbers, unit[i, 0], second[e], eu, ew, work[0:36], work[36:48], work[48:60]
            )
            energy_out[k, e] += energy
            fa, ma, fb, mb = beams.nodal_forces(u, w, c, c1, n, m)
            store(add(fa, load(force_out[k, e], 0)), force_out[k, e], 0)
            store(add(ma, load(force_out[k, e], 3)), force_out[k, e], 3)
            store(add(fb, load(force_out[k, e], 6)), force_out[k, e], 6)
            store(add(mb, load(force_out[k, e], 9)), force_out[k, e], 9)
    return 0
