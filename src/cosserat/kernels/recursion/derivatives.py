"""Analytic derivatives of inverse and forward dynamics, and the mass matrix, from composite bodies in world axes.

For a freedom j between freedom i and the ground (S, psi, psi_dot, sum as in `spatial`; I, B, f of the composite body
that freedom i carries):

    d tau_i/d q_j = 2 B^T S_i . psi_j + I S_i . psi_dot_j      d tau_i/d v_j = 2 B^T S_i . S_j + I S_i . sum_j
    d tau_j/d q_i = S_j . (2 B psi_i + I psi_dot_i + S_i x* f)  d tau_j/d v_i = S_j . (2 B S_i + I sum_i)

Apart from `flexible.tangents` for speed: a quarter of its time, an eighth for forward dynamics.
Source: Singh, Russell, Wensing, IEEE RA-L 7 (2022). Differs: linear part first; of 2 B = [[0, -2 p~], [0, G - l~]]
only the momentum (p, l) and the symmetric G are kept.
"""

import numpy as np

from cosserat.jit import helper, quick
from cosserat.kernels.recursion.articulated import articulated_body
from cosserat.kernels.recursion.dense import invert, minus_product
from cosserat.kernels.recursion.link import fault, get_pair, gyration, misshapen
from cosserat.kernels.recursion.spatial import (
    accelerate_links,
    both_parts,
    composite_force,
    gather,
    move_links,
    own_inertias,
    part,
    placed,
)
from cosserat.kernels.recursion.table import (
    ARMATURE,
    COUNT,
    D_AXIS,
    D_PSI,
    D_PSI_DOT,
    D_SUM,
    DOF,
    HEADER,
    N_LINKS,
    N_V,
    ORDER,
    ROW,
    WORK,
    X_FORCE,
    X_GYRATION,
    X_MASS,
    X_MOMENTUM,
    X_ROW,
)
from cosserat.kernels.vectors import add, cross, scale, symmetric


@helper
def inverse_derivatives(table, q, v, a, dq_out, dv_out, mass_out):
    """d tau/d q, d tau/d v and the mass matrix, freedoms counted from link to link."""
    links, freedoms, _ = placed(table, q)
    own_inertias(table, links)
    move_links(table, v, links, freedoms)
    accelerate_links(table, v, a, links, freedoms)
    for i in range(dq_out.shape[0]):  # freedoms on different branches do not meet
        for j in range(dq_out.shape[0]):
            dq_out[i, j] = 0.0
            dv_out[i, j] = 0.0
            mass_out[i, j] = 0.0
    n, runs = int(table[N_LINKS]), int(table[ORDER]) + int(table[N_V])
    for j in range(n):
        i = n - 1 - j
        row = HEADER + i * ROW
        d = int(table[row + DOF])
        count = int(table[row + COUNT])
        for c in range(count):
            _pairs(table, runs, links, freedoms, i, d + c, d, d + count, dq_out, dv_out, mass_out)
        mass_out[d, d] += table[row + ARMATURE]
        gather(table, i, links, X_MASS, X_ROW)


@helper
def _pairs(table, runs, links, freedoms, i, d, own, end, dq_out, dv_out, mass_out):
    """Rows and columns of freedom d of link i; the joint's own freedoms are own ... end - 1."""
    at = i * X_ROW
    s, t = both_parts(freedoms, D_AXIS, d)
    p, l = get_pair(links, at + X_MOMENTUM)
    G = (links[at + X_GYRATION], links[at + X_GYRATION + 1], links[at + X_GYRATION + 2], links[at + X_GYRATION + 3],
         links[at + X_GYRATION + 4], links[at + X_GYRATION + 5])  # fmt: skip
    f, m = composite_force(links, i, s, t)
    b = add(scale(2.0, cross(p, s)), add(symmetric(G, t), cross(l, t)))
    psi_w = part(freedoms, D_PSI + 3, d)
    x, y = composite_force(links, i, *both_parts(freedoms, D_PSI_DOT, d))
    e, g = gyration(s, t, *get_pair(links, at + X_FORCE))
    x, y = add(add(x, e), scale(-2.0, cross(p, psi_w))), add(add(y, g), _twice_b(G, l, psi_w))
    z, o = composite_force(links, i, *both_parts(freedoms, D_SUM, d))
    z, o = add(z, scale(-2.0, cross(p, t))), add(o, _twice_b(G, l, t))
    last, n_v = end - 1, int(table[N_V])
    while last >= 0:
        first = int(table[runs + last])
        row_q, row_v, row_m = dq_out[d], dv_out[d], mass_out[d]
        for j in range(np.uint64(first), np.uint64(last + 1)):
            s0, s1, s2 = freedoms[0, j], freedoms[1, j], freedoms[2, j]
            s3, s4, s5 = freedoms[3, j], freedoms[4, j], freedoms[5, j]
            row_m[j] = f[0] * s0 + f[1] * s1 + f[2] * s2 + m[0] * s3 + m[1] * s4 + m[2] * s5
            row_q[j] = (
                b[0] * freedoms[9, j] + b[1] * freedoms[10, j] + b[2] * freedoms[11, j]
                + f[0] * freedoms[12, j] + f[1] * freedoms[13, j] + f[2] * freedoms[14, j]
                + m[0] * freedoms[15, j] + m[1] * freedoms[16, j] + m[2] * freedoms[17, j]
            )  # fmt: skip
            row_v[j] = (
                b[0] * s3 + b[1] * s4 + b[2] * s5
                + f[0] * freedoms[18, j] + f[1] * freedoms[19, j] + f[2] * freedoms[20, j]
                + m[0] * freedoms[21, j] + m[1] * freedoms[22, j] + m[2] * freedoms[23, j]
            )  # fmt: skip
        for j in range(np.uint64(first), np.uint64(min(last + 1, own))):
            s0, s1, s2 = freedoms[0, j], freedoms[1, j], freedoms[2, j]
            s3, s4, s5 = freedoms[3, j], freedoms[4, j], freedoms[5, j]
            dq_out[j, d] = x[0] * s0 + x[1] * s1 + x[2] * s2 + y[0] * s3 + y[1] * s4 + y[2] * s5
            dv_out[j, d] = z[0] * s0 + z[1] * s1 + z[2] * s2 + o[0] * s3 + o[1] * s4 + o[2] * s5
            mass_out[j, d] = row_m[j]
        last = int(table[runs + n_v + last])


@helper
def _twice_b(G, l, w):
    """(G - l~) w."""
    return add(symmetric(G, w), scale(-1.0, cross(l, w)))


@quick(1, 1, 1, 1, 2, 2, 2)
def inverse_dynamics_derivatives(table, q, v, a, dq_out, dv_out, mass_out):
    """d tau/d q, d tau/d v, d tau/d a (n_v, n_v), freedoms counted from link to link; returns 1 for bad arguments."""
    if fault(int(table[N_V]), q, v, a, q) + misshapen(int(table[N_V]), dq_out, dv_out, mass_out) != 0:
        return 1
    inverse_derivatives(table, q, v, a, dq_out, dv_out, mass_out)
    return 0


@helper
def divide(parts, dq_out, dv_out, dtau_out):
    """d a/d q = -M^-1 d tau/d q, d a/d v, M^-1 from parts (3, n_v, n_v): d tau/d q, d tau/d v, M, which is lost."""
    invert(parts[2], dq_out, dtau_out)
    minus_product(dtau_out, parts[0], dq_out)
    minus_product(dtau_out, parts[1], dv_out)


@quick(3, 2, 2, 2)
def divide_by_mass(parts, dq_out, dv_out, dtau_out):
    """Derivatives of forward dynamics from those of inverse dynamics."""
    divide(parts, dq_out, dv_out, dtau_out)


@quick(1, 3, 1, 1, 1, 2, 2, 2, 1)
def forward_dynamics_derivatives(table, scratch, q, v, tau, dq_out, dv_out, dtau_out, a_out):
    """d a/d q, d a/d v, d a/d tau = M^-1 (n_v, n_v), freedoms counted from link to link, and a; scratch (3, n_v, n_v).

    Returns 1 for bad arguments.
    """
    n_v = int(table[N_V])
    if fault(n_v, q, v, tau, a_out) + misshapen(n_v, dq_out, dv_out, dtau_out) != 0:
        return 1
    articulated_body(table, q, v, tau, table[int(table[WORK]) :], a_out)
    inverse_derivatives(table, q, v, a_out, scratch[0], scratch[1], scratch[2])
    divide(scratch, dq_out, dv_out, dtau_out)
    return 0
