"""Inverse dynamics: accelerations outwards, the sum of [Boyer05] (63) inwards."""

from cosserat.jit import helper, stage
from cosserat.kernels.flexible.arrays import (
    AXES,
    CARRIERS,
    CARRY,
    FIRST,
    INERTIA,
    MODE,
    MOVING,
    N_JOINT,
    N_MODES,
    PARENT,
    Z,
)
from cosserat.kernels.flexible.kinematics import accelerate
from cosserat.kernels.flexible.twists import add_scaled, projected
from cosserat.kernels.vectors import load


@helper
def times(matrix, at, n, x, x_at, out, out_at):
    """out += matrix x, n numbers; the matrix is symmetric."""
    for i in range(n):
        add_scaled(x[x_at + i], matrix, at + n * i, n, out, out_at)


@helper
def gather(links, now, force_out, tau_out):
    """Sum forces (n_z,) of all links inwards, and take what acts along the coordinates out of the sums."""
    n = len(links.table)
    for c in range(n):
        i = n - 1 - c
        row = links.table[i]
        parent, z, m, k = row[PARENT], row[Z], row[N_MODES], row[N_JOINT]
        f, t = load(force_out, z), load(force_out, z + 3)
        for j in range(k):
            tau_out[row[FIRST] + j] = 0.0
        projected(now.axes, row[AXES], k, f, t, tau_out, row[FIRST])
        for j in range(m):
            tau_out[row[MODE] + j] = force_out[z + 6 + j]
        if row[MOVING]:
            projected(now.axes, row[AXES] + 6 * k, m, f, t, tau_out, row[MODE])
        if parent >= 0:
            projected(now.carry, row[CARRY], 6 + row[CARRIERS], f, t, force_out, links.table[parent, Z])


@stage
def efforts(tree, state, a, ground, wrench, force_out, tau_out):
    """Efforts and modal forces tau (n_v,) for accelerations a.

    `ground` (6,): acceleration of the ground, against gravity; `wrench` (n_z,): what acts on links from outside, in
    their axes; `force_out` (n_z,): what the joint of every link puts on it.
    """
    links, now, rates = tree.links, state.motion, state.scratch.one
    accelerate(links, now, a, ground, rates)
    for i in range(len(links.table)):
        z, d = links.table[i, Z], 6 + links.table[i, N_MODES]
        for j in range(d):
            force_out[z + j] = now.bias[z + j] - wrench[z + j]
        times(now.inertia, links.table[i, INERTIA], d, rates, z, force_out, z)
    gather(links, now, force_out, tau_out)
    for k in range(len(tau_out)):
        tau_out[k] += links.armature[k] * a[k]
    return 0


@stage
def project(tree, state, force, tau_out):
    """Efforts (r, n_v) of r sets of forces on all links, force (r, n_z), which is overwritten."""
    links, now = tree.links, state.motion
    for r in range(len(force)):
        gather(links, now, force[r], tau_out[r])
    return 0
