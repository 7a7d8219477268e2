"""Strains of elastic links: coordinates s of second order in the modal ones, in which the elastic energy is quadratic.

    s_c = q_c - q^a q^b bend_cab / 2    W = ds/dq    energy s K s / 2    forces W^T (K s + D s_dot)

Where there is no `bend`, s = q. A link has m m + 6 m numbers from where its inertia begins: W, s, s_dot, the stresses
K s + D s_dot, and room for three vectors.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, INERTIA, MODE, N_MODES, SQUARE, Z


@helper
def strains(row, bodies, q, z, out):
    """Write W, s, s_dot and the stresses of a link with the rates z[6...]."""
    m, mode, rate, o, bend = row[N_MODES], row[MODE], row[Z] + 6, row[INERTIA], bodies.curved[row[BODY]]
    s = o + m * m
    for c in range(m):
        out[s + c], out[s + m + c] = q[mode + c], z[rate + c]
        if bend >= 0:
            for a in range(m):
                w = 0.0
                for b in range(m):
                    w += bodies.bend[bend + m * (m * c + a) + b] * q[mode + b]
                out[o + m * c + a] = -w
                out[s + c] -= 0.5 * w * q[mode + a]
                out[s + m + c] -= w * z[rate + a]
            out[o + m * c + c] += 1.0
    stresses(row, bodies, out, s, s + 2 * m)


@helper
def stresses(row, bodies, out, at, o):
    """out[o...] = K s + D s_dot, where s begins at `at` and s_dot follows."""
    m, square = row[N_MODES], row[SQUARE]
    for c in range(m):
        force = 0.0
        for d in range(m):
            p = square + m * c + d
            force += bodies.stiffness[p] * out[at + d] + bodies.damping[p] * out[at + m + d]
        out[o + c] = force


@helper
def add_stresses(row, bodies, elastic, at, out, o):
    """out += W^T of the stresses elastic[at...]."""
    m, w = row[N_MODES], row[INERTIA]
    if bodies.curved[row[BODY]] < 0:
        for j in range(m):
            out[o + j] += elastic[at + j]
        return
    for c in range(m):
        for j in range(m):
            out[o + j] += elastic[w + m * c + j] * elastic[at + c]


@helper
def change_stresses(row, bodies, z, l, along_q, elastic, dforce_out):
    """Add the change of the elastic forces with the modal coordinate l, or with its rate."""
    m, o, rate, bend = row[N_MODES], row[INERTIA], row[Z] + 6, bodies.curved[row[BODY]]
    s, f = o + m * m, rate
    if bend < 0:
        for j in range(m):
            p = row[SQUARE] + m * j + l
            dforce_out[f + j] += bodies.stiffness[p] if along_q else bodies.damping[p]
        return
    ds, ds_dot, stress = s + 3 * m, s + 4 * m, s + 2 * m
    for c in range(m):
        elastic[ds + c], elastic[ds_dot + c] = 0.0, elastic[o + m * c + l]
        if along_q:
            elastic[ds + c], elastic[ds_dot + c] = elastic[o + m * c + l], 0.0
            for j in range(m):
                b = bodies.bend[bend + m * (m * c + l) + j]
                elastic[ds_dot + c] -= b * z[rate + j]
                dforce_out[f + j] -= elastic[stress + c] * b
    stresses(row, bodies, elastic, ds, s + 5 * m)
    add_stresses(row, bodies, elastic, s + 5 * m, dforce_out, f)
