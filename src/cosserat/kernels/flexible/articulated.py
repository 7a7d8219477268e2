"""Forward dynamics: each link's own accelerations are eliminated, so that it hands a 6x6 inertia to its parent."""

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
    PIVOT,
    Q,
    Z,
)
from cosserat.kernels.flexible.inverse import times
from cosserat.kernels.flexible.pivots import decompose, divide
from cosserat.kernels.flexible.twists import add_scaled, combined, projected, put6
from cosserat.kernels.vectors import add, axpy, dot, load


@helper
def coordinate(row, r):
    """Number of the coordinate r of a link."""
    return row[FIRST] + r if r < row[N_JOINT] else row[MODE] + r - row[N_JOINT]


@helper
def own_block(row, now, f, i, extra, armature):
    """Factor N^T A N + extra + armature over coordinates that are free; returns how many pivots are not positive."""
    k, d, at, axes, v = row[N_JOINT], 6 + row[N_MODES], row[INERTIA], row[AXES], row[Q]
    n, count, D = k + row[N_MODES], f.n_free[i], f.pivot
    for s in range(count):
        r = f.free[v + s]
        for c in range(d):
            f.columns[s * d + c] = 0.0
        if r < k or row[MOVING]:
            for e in range(6):
                add_scaled(now.axes[axes + 6 * r + e], f.inertia, at + e * d, d, f.columns, s * d)
        if r >= k:
            add_scaled(1.0, f.inertia, at + (6 + r - k) * d, d, f.columns, s * d)
        for e in range(6):
            f.pull[axes + 6 * s + e] = f.columns[s * d + e]
            f.share[axes + 6 * s + e] = f.columns[s * d + e]
        for p in range(s + 1):
            D[row[PIVOT] + s * count + p] = extra[row[PIVOT] + r * n + f.free[v + p]]
        D[row[PIVOT] + s * count + s] += armature[coordinate(row, r)]
    for s in range(count):
        r = f.free[v + s]
        a, b = load(now.axes, axes + 6 * r), load(now.axes, axes + 6 * r + 3)
        for p in range(s + 1):
            y = dot(a, load(f.columns, p * d)) + dot(b, load(f.columns, p * d + 3))
            if r >= k:
                y += f.columns[p * d + 6 + r - k]
            D[row[PIVOT] + s * count + p] += y
    wrong = decompose(D, row[PIVOT], count, f.scale, v)
    for e in range(6):
        divide(D, row[PIVOT], count, f.scale, v, f.share, axes + e, 6)
    return wrong


@helper
def hand_on(row, links, now, f, i, extra, rest, work):
    """Add the inertia that remains of a link to its parent's.

    A product, not a difference: what is beyond may be far heavier than what the joint and the modes leave.
    """
    k, d, at, axes, v = row[N_JOINT], 6 + row[N_MODES], row[INERTIA], row[AXES], row[Q]
    n, count = k + row[N_MODES], f.n_free[i]
    for c in range(6 * d):  # (6, d): what remains of a unit twist
        rest[c] = 0.0
        work[c] = 0.0
    for e in range(6):
        rest[(d + 1) * e] = 1.0
    for s in range(count):
        r, o = f.free[v + s], axes + 6 * s
        if r < k or row[MOVING]:
            for e in range(6):
                y = now.axes[axes + 6 * r + e]
                for c in range(6):
                    rest[d * c + e] -= y * f.share[o + c]
        if r >= k:
            for c in range(6):
                rest[d * c + 6 + r - k] -= f.share[o + c]
    S = work[6 * d : 6 * d + 36]
    for b in range(6):
        for g in range(d):
            add_scaled(rest[d * b + g], f.inertia, at + g * d, d, work, d * b)
        for c in range(6):
            y = 0.0
            for g in range(d):
                y += work[d * b + g] * rest[d * c + g]
            S[6 * b + c] = y
    for s in range(count):
        for p in range(count):
            y = extra[row[PIVOT] + f.free[v + s] * n + f.free[v + p]]
            if s == p:
                y += links.armature[coordinate(row, f.free[v + s])]
            if y != 0.0:
                for b in range(6):
                    z = y * f.share[axes + 6 * s + b]
                    for c in range(6):
                        S[6 * b + c] += z * f.share[axes + 6 * p + c]
    lift(row, links, now, S, f.inertia, rest)


@helper
def lift(row, links, now, S, inertia_out, work):
    """Add W^T S W to the inertia of the parent; S (6, 6)."""
    above = links.table[row[PARENT]]
    d, n, at, carry = 6 + above[N_MODES], 6 + row[CARRIERS], above[INERTIA], row[CARRY]
    for a in range(n):
        for e in range(6):
            work[e * n + a] = now.carry[carry + 6 * a + e]
    for a in range(n):
        u, w = combined(S, 0, 6, now.carry, carry + 6 * a)
        for e in range(3):
            add_scaled(u[e], work, e * n, n, inertia_out, at + a * d)
            add_scaled(w[e], work, (3 + e) * n, n, inertia_out, at + a * d)


@stage
def factor(tree, state, factored, extra, held):
    """Factor the mass matrix, or that plus `extra` blocks (k + m, k + m) of links; returns pivots not positive.

    `held` (n_v,): 1 where accelerations are given.
    """
    links, now, scratch, f = tree.links, state.motion, state.scratch, factored
    for c in range(len(now.inertia)):
        f.inertia[c] = now.inertia[c]
    wrong, n = 0, len(links.table)
    for c in range(n):
        i = n - 1 - c
        row = links.table[i]
        count = 0
        for r in range(row[N_JOINT] + row[N_MODES]):
            if held[coordinate(row, r)] == 0:
                f.free[row[Q] + count] = r
                count += 1
        f.n_free[i] = count
        wrong += own_block(row, now, f, i, extra, links.armature)
        if row[PARENT] >= 0:
            hand_on(row, links, now, f, i, extra, scratch.rows, scratch.more)
    return wrong


@stage
def solve_once(tree, state, factored, tau, force, drift, ground, a_out):
    """Accelerations (n_v,) under efforts tau (n_v,) less what acts on the links, force (n_z,).

    Where coordinates are held, `a_out` gives their accelerations on entry. With drift = 1, velocity terms of the
    accelerations count; `ground` (6,): acceleration of the ground.
    """
    links, now, scratch, f = tree.links, state.motion, state.scratch, factored
    p, known = scratch.one, scratch.two
    n = len(links.table)
    for i in range(n):
        row = links.table[i]
        z, k, m, v = row[Z], row[N_JOINT], row[N_MODES], row[Q]
        for s in range(f.n_free[i]):
            a_out[coordinate(row, f.free[v + s])] = 0.0
        u, w = combined(now.axes, row[AXES], k, a_out, row[FIRST])
        if row[MOVING]:
            du, dw = combined(now.axes, row[AXES] + 6 * k, m, a_out, row[MODE])
            u, w = add(u, du), add(w, dw)
        if drift != 0:
            u, w = add(u, load(now.drift[i], 0)), add(w, load(now.drift[i], 3))
        put6(u, w, known, z)
        for j in range(m):
            known[z + 6 + j] = a_out[row[MODE] + j]
    for j in range(len(p)):
        p[j] = force[j]
    for c in range(n):
        i = n - 1 - c
        row = links.table[i]
        z, k, m, v, axes, count = row[Z], row[N_JOINT], row[N_MODES], row[Q], row[AXES], f.n_free[i]
        times(f.inertia, row[INERTIA], 6 + m, known, z, p, z)
        g, t = load(p, z), load(p, z + 3)
        for s in range(count):
            r = f.free[v + s]
            y = tau[coordinate(row, r)]
            if r < k or row[MOVING]:
                y -= dot(load(now.axes, axes + 6 * r), g) + dot(load(now.axes, axes + 6 * r + 3), t)
            if r >= k:
                y -= p[z + 6 + r - k]
            f.value[v + s] = y
        divide(f.pivot, row[PIVOT], count, f.scale, v, f.value, v, 1)
        if row[PARENT] >= 0:
            du, dw = combined(f.pull, axes, count, f.value, v)
            g, t = add(g, du), add(t, dw)
            projected(now.carry, row[CARRY], 6 + row[CARRIERS], g, t, p, links.table[row[PARENT], Z])
    for i in range(n):
        row = links.table[i]
        z, k, m, v, axes = row[Z], row[N_JOINT], row[N_MODES], row[Q], row[AXES]
        if row[PARENT] < 0:
            u, w = combined(now.carry, row[CARRY], 6, ground, 0)
        else:
            u, w = combined(now.carry, row[CARRY], 6 + row[CARRIERS], p, links.table[row[PARENT], Z])
        du, dw = add(u, load(known, z)), add(w, load(known, z + 3))
        for j in range(m):
            p[z + 6 + j] = known[z + 6 + j]
        for s in range(f.n_free[i]):
            r, o = f.free[v + s], axes + 6 * s
            y = f.value[v + s] - dot(load(f.share, o), u) - dot(load(f.share, o + 3), w)
            a_out[coordinate(row, r)] = y
            if r >= k:
                p[z + 6 + r - k] = y
            if r < k or row[MOVING]:
                o = axes + 6 * r
                du, dw = axpy(y, load(now.axes, o), du), axpy(y, load(now.axes, o + 3), dw)
        put6(du, dw, p, z)  # p now holds the rates of the links, from the ground outwards
    return 0


@stage
def solve(tree, state, factored, tau, force, drift, ground, a_out):
    """The same for r right-hand sides: tau (r, n_v), force (r, n_z), a_out (r, n_v)."""
    for r in range(len(tau)):
        solve_once(tree, state, factored, tau[r], force[r], drift, ground, a_out[r])
    return 0
