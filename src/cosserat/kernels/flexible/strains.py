"""Strains of elastic links: coordinates s of second order in the modal ones, in which the elastic energy is quadratic.

    s_c = q_c - q^a q^b bend_cab / 2    W = ds/dq    energy s K s / 2    forces W^T (K s + D s_dot)

Where there is no `bend`, s = q. A link has m m + 6 m numbers from where its inertia begins: W, s, s_dot, the stresses
K s + D s_dot, and room for three vectors.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, INERTIA, MODE, N_MODES, SQUARE, Z


@helper
def strains(row, bodies, q, z, elastic_out):
    """Write W, s, s_dot and the stresses of a link with the rates z[6...]."""
    m, mode, rate, o, bend = row[N_MODES], row[MODE], row[Z] + 6, row[INERTIA], bodies.curved[row[BODY]]
    s = o + m * m
    for c in range(m):
        elastic_out[s + c], elastic_out[s + m + c] = q[mode + c], z[rate + c]
        if bend >= 0:
            for a in range(m):
                w = 0.0
                for b in range(m):
                    w += bodies.bend[bend + m * (m * c + a) + b] * q[mode + b]
                elastic_out[o + m * c + a] = -w
                elastic_out[s + c] -= 0.5 * w * q[mode + a]
                elastic_out[s + m + c] -= w * z[rate + a]
            elastic_out[o + m * c + c] += 1.0
    stresses(row, bodies, s, s + 2 * m, elastic_out)


@helper
def stresses(row, bodies, at, o, elastic_out):
    """Write K s + D s_dot from o on; s begins at `at`, and s_dot follows."""
    m, square = row[N_MODES], row[SQUARE]
    for c in range(m):
        force = 0.0
        for d in range(m):
            p = square + m * c + d
            force += bodies.stiffness[p] * elastic_out[at + d] + bodies.damping[p] * elastic_out[at + m + d]
        elastic_out[o + c] = force


@helper
def add_stresses(row, bodies, elastic, at, o, force_out):
    """Add W^T of the stresses elastic[at...] from o on."""
    m, w = row[N_MODES], row[INERTIA]
    if bodies.curved[row[BODY]] < 0:
        for j in range(m):
            force_out[o + j] += elastic[at + j]
        return
    for c in range(m):
        for j in range(m):
            force_out[o + j] += elastic[w + m * c + j] * elastic[at + c]


@helper
def change_stresses(row, bodies, z, l, along_q, elastic_out, dforce_out):
    """Add the change of the elastic forces with the modal coordinate l, or with its rate."""
    m, o, rate, bend = row[N_MODES], row[INERTIA], row[Z] + 6, bodies.curved[row[BODY]]
    if bend < 0:
        for j in range(m):
            p = row[SQUARE] + m * j + l
            dforce_out[rate + j] += bodies.stiffness[p] if along_q else bodies.damping[p]
        return
    s = o + m * m
    stress, ds, ds_dot = s + 2 * m, s + 3 * m, s + 4 * m
    for c in range(m):
        slope = elastic_out[o + m * c + l]
        elastic_out[ds + c], elastic_out[ds_dot + c] = 0.0, slope
        if along_q:
            elastic_out[ds + c], elastic_out[ds_dot + c] = slope, 0.0
            for j in range(m):
                b = bodies.bend[bend + m * (m * c + l) + j]
                elastic_out[ds_dot + c] -= b * z[rate + j]
                dforce_out[rate + j] -= elastic_out[stress + c] * b
    stresses(row, bodies, ds, s + 5 * m, elastic_out)
    add_stresses(row, bodies, elastic_out, s + 5 * m, rate, dforce_out)
