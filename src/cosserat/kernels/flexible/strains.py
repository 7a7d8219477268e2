"""Strains of elastic links: coordinates s of second order in the modal ones, in which the elastic energy is quadratic.

    s_c = q_c - q^a V_ac / 2    V_ac = q^b bend_bac    energy s K s / 2    forces (I - V) (K s + D s_dot)

Where there is no `bend`, s = q. A link has m m + 6 m numbers from where its inertia begins: V, s, s_dot, the stresses
K s + D s_dot, and room for three vectors.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, INERTIA, MODE, N_MODES, SQUARE, Z
from cosserat.kernels.flexible.twists import add_scaled, contracted


@helper
def strains(row, bodies, q, z, elastic_out):
    """Write V, s, s_dot and the stresses of a link with the rates z[6...]."""
    m, mode, rate, o, bend = row[N_MODES], row[MODE], row[Z] + 6, row[INERTIA], bodies.curved[row[BODY]]
    s = o + m * m
    if bend >= 0:
        contracted(bodies.bend, bend, m, m, q, mode, elastic_out[o:])
    for c in range(m):
        x, y = q[mode + c], z[rate + c]
        if bend >= 0:
            for a in range(m):
                V = elastic_out[o + m * a + c]
                x -= 0.5 * q[mode + a] * V
                y -= z[rate + a] * V
        elastic_out[s + c], elastic_out[s + m + c] = x, y
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
def product(a, at, b, bt, n):
    """The product of two vectors of n numbers."""
    s = 0.0
    for k in range(n):
        s += a[at + k] * b[bt + k]
    return s


@helper
def add_stresses(row, bodies, elastic, at, o, force_out):
    """Add (I - V) times the stresses elastic[at...] from o on."""
    m, v = row[N_MODES], row[INERTIA]
    for j in range(m):
        force = elastic[at + j]
        if bodies.curved[row[BODY]] >= 0:
            force -= product(elastic, v + m * j, elastic, at, m)
        force_out[o + j] += force


@helper
def change_stresses(row, bodies, z, l, along_q, elastic_out, dforce_out):
    """Add the change of the elastic forces with the modal coordinate l, or with its rate."""
    m, o, rate, bend = row[N_MODES], row[INERTIA], row[Z] + 6, bodies.curved[row[BODY]]
    if bend < 0:
        add_scaled(1.0, bodies.stiffness if along_q else bodies.damping, row[SQUARE] + m * l, m, dforce_out, rate)
        return
    s = o + m * m
    stress, ds, ds_dot = s + 2 * m, s + 3 * m, s + 4 * m
    slope = ds if along_q else ds_dot
    for c in range(2 * m):
        elastic_out[ds + c] = 0.0
    elastic_out[slope + l] = 1.0
    add_scaled(-1.0, elastic_out, o + m * l, m, elastic_out, slope)
    if along_q:
        for j in range(m):
            b = bend + m * (m * l + j)
            add_scaled(-z[rate + j], bodies.bend, b, m, elastic_out, ds_dot)
            dforce_out[rate + j] -= product(bodies.bend, b, elastic_out, stress, m)
    stresses(row, bodies, ds, s + 5 * m, elastic_out)
    add_stresses(row, bodies, elastic_out, s + 5 * m, rate, dforce_out)
