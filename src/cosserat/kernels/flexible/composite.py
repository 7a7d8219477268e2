"""Mass matrix from composite bodies, and energies."""

from cosserat.jit import helper, stage
from cosserat.kernels.flexible.arrays import (
    AXES,
    BODY,
    CARRIERS,
    CARRY,
    FLUID,
    INERTIA,
    MOVING,
    N_JOINT,
    N_MODES,
    PARENT,
    SQUARE,
    Z,
)
from cosserat.kernels.flexible.articulated import coordinate, lift
from cosserat.kernels.flexible.twists import add_scaled
from cosserat.kernels.frames import load_frame
from cosserat.kernels.vectors import axpy, dot, load, mul


@helper
def along(row, now, r, force, at):
    """Power of a force (6 + m) along a unit velocity of the coordinate r of a link."""
    o, k = row[AXES] + 6 * r, row[N_JOINT]
    y = 0.0
    if r < k or row[MOVING]:
        y = dot(load(now.axes, o), load(force, at)) + dot(load(now.axes, o + 3), load(force, at + 3))
    return y + force[at + 6 + r - k] if r >= k else y


@stage
def mass_matrix(tree, state, factored, mass_out):
    """M (n_v, n_v): the composite body beyond each joint, seen along coordinates of all links towards the ground."""
    links, now, scratch, f = tree.links, state.motion, state.scratch, factored
    A = f.inertia
    for c in range(len(A)):
        A[c] = now.inertia[c]
    for a in range(mass_out.shape[0]):
        for b in range(mass_out.shape[1]):
            mass_out[a, b] = 0.0
    n = len(links.table)
    for c in range(n):
        i = n - 1 - c
        row = links.table[i]
        k, d, at = row[N_JOINT], 6 + row[N_MODES], row[INERTIA]
        for r in range(k + row[N_MODES]):
            force = scratch.one
            for j in range(d):
                force[j] = 0.0
            for e in range(6):
                add_scaled(now.axes[row[AXES] + 6 * r + e], A, at + e * d, d, force, 0)
            if r >= k:
                add_scaled(1.0, A, at + (6 + r - k) * d, d, force, 0)
            pass_inwards(links, now, i, r, force, scratch.two, mass_out)
        if row[PARENT] >= 0:
            S = scratch.more[:36]
            for a in range(6):
                for b in range(6):
                    S[6 * a + b] = A[at + a * d + b]
            lift(row, links, now, S, A, scratch.rows)
    for r in range(len(links.armature)):
        mass_out[r, r] += links.armature[r]
    return 0


@helper
def pass_inwards(links, now, i, r, force, work, mass_out):
    """Entries of the mass matrix of one coordinate from the force (6 + m) it takes to accelerate along it."""
    column = coordinate(links.table[i], r)
    at, here, other = i, force, work
    while at >= 0:
        row = links.table[at]
        for s in range(row[N_JOINT] + row[N_MODES]):
            if at != i or s <= r:
                c = coordinate(row, s)
                mass_out[column, c] = along(row, now, s, here, 0)
                mass_out[c, column] = mass_out[column, c]
        at = row[PARENT]
        if at >= 0:
            g, t = load(here, 0), load(here, 3)
            for j in range(6 + links.table[at, N_MODES]):
                other[j] = 0.0
            for j in range(6 + row[CARRIERS]):
                o = row[CARRY] + 6 * j
                other[j] = dot(load(now.carry, o), g) + dot(load(now.carry, o + 3), t)
            here, other = other, here


@stage
def energies(tree, state, gravity, energy_out):
    """Kinetic energy, strain energy of elastic bodies, potential energy of gravity, power their damping takes."""
    links, bodies, now = tree.links, tree.bodies, state.motion
    kinetic, strain, potential, loss = 0.0, 0.0, 0.0, 0.0
    for i in range(len(links.table)):
        row = links.table[i]
        m, z, o = row[N_MODES], row[Z], row[INERTIA]
        d = 6 + m
        for a in range(d):
            s = 0.0
            for b in range(d):
                s += now.inertia[o + a * d + b] * now.z[z + b]
            kinetic += 0.5 * s * now.z[z + a]
        R, x = load_frame(now.frame[i])
        M = now.inertia
        moment = (M[o + 5 * d + 1], M[o + 3 * d + 2], M[o + 4 * d])
        weight = axpy(M[o], x, mul(R, moment))
        if row[BODY] != FLUID:
            potential -= dot(load(gravity, 0), weight)
        if row[BODY] >= 0:
            s = o + m * m
            for a in range(m):
                for b in range(m):
                    p = row[SQUARE] + m * a + b
                    strain += 0.5 * now.elastic[s + a] * bodies.stiffness[p] * now.elastic[s + b]
                    loss += now.elastic[s + m + a] * bodies.damping[p] * now.elastic[s + m + b]
    v = state.vectors.v
    for k in range(len(v)):
        kinetic += 0.5 * links.armature[k] * v[k] * v[k]
    energy_out[0], energy_out[1], energy_out[2], energy_out[3] = kinetic, strain, potential, loss
    return 0
