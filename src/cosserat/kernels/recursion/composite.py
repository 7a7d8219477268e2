"""Mass matrix, momentum and energy from composite bodies.

Apart from `flexible.composite` for speed: a 24th of its time for the mass matrix.
"""

from cosserat.jit import helper, quick
from cosserat.kernels.recursion.link import fault, get3, get_pair, misshapen
from cosserat.kernels.recursion.spatial import both_parts, composite_force, gather, move_links, own_inertias, placed
from cosserat.kernels.recursion.table import (
    ARMATURE,
    COUNT,
    D_AXIS,
    DOF,
    FIRST,
    GRAVITY,
    HEADER,
    N_LINKS,
    N_V,
    ORDER,
    PARENT,
    ROW,
    X_MASS,
    X_MOMENT,
    X_MOMENTUM,
    X_ROW,
    X_TWIST,
)
from cosserat.kernels.vectors import add, cross, dot, scale, sub


@helper
def composite_bodies(table, q, mass_out):
    """M (n_v, n_v) by the composite-rigid-body algorithm, freedoms counted from link to link.

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.2, in world axes.
    """
    n, n_v, order = int(table[N_LINKS]), int(table[N_V]), int(table[ORDER])
    links, freedoms, _ = placed(table, q)
    own_inertias(table, links)
    for i in range(n_v):
        for j in range(n_v):
            mass_out[i, j] = 0.0
    for j in range(n):
        i = n - 1 - j
        d, count = int(table[HEADER + i * ROW + DOF]), int(table[HEADER + i * ROW + COUNT])
        for c in range(count):
            f, m = composite_force(links, i, *both_parts(freedoms, D_AXIS, d + c))
            last = d + count - 1
            while last >= 0:
                for e in range(int(table[order + n_v + last]), last + 1):
                    s, t = both_parts(freedoms, D_AXIS, e)
                    mass_out[d + c, e] = dot(f, s) + dot(m, t)
                    mass_out[e, d + c] = mass_out[d + c, e]
                last = int(table[order + 2 * n_v + last])
        mass_out[d, d] += table[HEADER + i * ROW + ARMATURE]
        gather(table, i, links, X_MASS, X_MOMENTUM)


@quick(1, 1, 2)
def mass_matrix(table, q, mass_out):
    """The same, for one state; returns 1 for bad arguments."""
    n_v = int(table[N_V])
    if fault(n_v, q, q, q, q) + misshapen(n_v, mass_out, mass_out, mass_out) != 0:
        return 1
    composite_bodies(table, q, mass_out)
    return 0


@quick(1, 1, 2, 1)
def momentum_matrix(table, q, matrix_out, centre_out):
    """Centroidal momentum matrix (6, n_v), coordinates in their order, and (mass, centre of mass in the world)."""
    links, freedoms, origin = placed(table, q)
    own_inertias(table, links)
    n, order = int(table[N_LINKS]), int(table[ORDER])
    mass, moment = 0.0, (0.0, 0.0, 0.0)
    for j in range(n):
        i = n - 1 - j
        d = int(table[HEADER + i * ROW + DOF])
        for c in range(int(table[HEADER + i * ROW + COUNT])):
            f, m = composite_force(links, i, *both_parts(freedoms, D_AXIS, d + c))
            k = int(table[order + d + c])
            for e in range(3):
                matrix_out[e, k] = f[e]
                matrix_out[3 + e, k] = m[e]
        gather(table, i, links, X_MASS, X_MOMENTUM)
        if int(table[HEADER + i * ROW + PARENT]) < 0:
            mass += links[i * X_ROW + X_MASS]
            moment = add(moment, get3(links, i * X_ROW + X_MOMENT))
    centre = scale(1.0 / mass, moment)
    for k in range(matrix_out.shape[1]):
        f = (matrix_out[0, k], matrix_out[1, k], matrix_out[2, k])
        m = sub((matrix_out[3, k], matrix_out[4, k], matrix_out[5, k]), cross(centre, f))
        for e in range(3):
            matrix_out[3 + e, k] = m[e]
    centre_out[0] = mass
    for e in range(3):
        centre_out[1 + e] = centre[e] + origin[e]


@quick(1, 1, 1, 1)
def energies(table, q, v, energy_out):
    """Kinetic energy, and potential energy of gravity (zero at the world's origin)."""
    links, freedoms, origin = placed(table, q)
    own_inertias(table, links)
    move_links(table, v, links, freedoms)
    energy_out[0], energy_out[1] = 0.0, 0.0
    for i in range(int(table[N_LINKS])):
        rate = v[int(table[HEADER + i * ROW + FIRST])]
        energy_out[0] += _kinetic(links, i) + 0.5 * table[HEADER + i * ROW + ARMATURE] * rate * rate
        at = i * X_ROW
        for e in range(3):
            energy_out[1] -= table[GRAVITY + e] * (links[at + X_MOMENT + e] + links[at + X_MASS] * origin[e])


@helper
def _kinetic(links, i):
    u, w = get_pair(links, i * X_ROW + X_TWIST)
    p, l = composite_force(links, i, u, w)
    return 0.5 * (dot(u, p) + dot(w, l))
