"""The model's own forces: springs, loads, and stiffness, damping, friction, efforts, servos of joints; derivatives.

Links take the place of the engine's nodes, so that springs and loads are the engine's own kernels; joints are those of
`kernels.tree_joints`, whose prescribed efforts and targets of servos are two more rows of `passive`.
"""

from typing import NamedTuple

import numpy as np

from cosserat.jit import bound, helper, passed_as, stage
from cosserat.kernels import tree_joints
from cosserat.kernels.arrays import F1, F2, Loads, Springs
from cosserat.kernels.frames import store_frame
from cosserat.kernels.loads import add_load, load_tangent
from cosserat.kernels.recursion.link import get_frame, get_pair
from cosserat.kernels.recursion.spatial import both_parts, move_links, placed, spatial_parts
from cosserat.kernels.recursion.table import (
    COUNT,
    D_AXIS,
    D_PSI,
    DOF,
    FIRST,
    HEADER,
    KIND,
    N_LINKS,
    PARENT,
    ROW,
    TURN,
    X_FRAME,
    X_ROW,
    X_TWIST,
)
from cosserat.kernels.springs import add_spring, spring_tangent
from cosserat.kernels.vectors import add, clear, cross, dot, mul_t, store

DRIVE, TARGET = 7, 8  # rows of `passive`


class StackedStates(NamedTuple):
    """A tree and N states of it."""

    table: F1
    q: F2  # (N, n_v)
    v: F2
    passive: F2  # (9, n_v) see `tree_joints`, then efforts, targets of servos
    wrench: F2  # (n_loads, 6) sampled
    forces: F2  # (N, 6 n + n_v) what acts: wrenches on the links, in their frames, and efforts in the joints


class ForceRoom(NamedTuple):
    """What the kernels below write on the way."""

    frames: F2  # (n + 1, 12), the ground is last
    twists: F2  # (n + 1, 6)
    wrenches: F2  # (n + 1, 6)
    K: F2  # (6 p, 6 p) of the spring with the most points, p; at least of one place
    C: F2  # (6 p, 6 p)
    row: F2  # (p, 12)
    J: F2  # (6 p, n_v)
    P: F2  # (6 p, n_v)


@passed_as("acting")
class ActingOnLinks(NamedTuple):
    """What acts on a tree, and where."""

    states: StackedStates
    springs: Springs
    loads: Loads
    room: ForceRoom




def room(n: int, n_v: int, points: int) -> ForceRoom:
    """Arrays for n links, and springs of at most so many points."""
    m = 6 * max(points, 1)
    shapes = ((n + 1, 12), (n + 1, 6), (n + 1, 6), (m, m), (m, m), (points, 12), (m, n_v), (m, n_v))
    return ForceRoom(*map(np.empty, shapes))


@helper
def _nodes(table, q, v, frame_out, twist_out):
    """World frames (n + 1, 12) of the links and twists (n + 1, 6) in their own frames; the ground is last."""
    links, freedoms, origin = placed(table, q)
    move_links(table, v, links, freedoms)
    n = int(table[N_LINKS])
    o = (origin[0], origin[1], origin[2])
    for i in range(n):
        at = i * X_ROW
        R, x = get_frame(links, at + X_FRAME)
        u, w = get_pair(links, at + X_TWIST)
        store_frame(R, add(x, o), frame_out[i])
        store(mul_t(R, add(u, cross(w, x))), twist_out[i], 0)
        store(mul_t(R, w), twist_out[i], 3)
    for c in range(12):
        frame_out[n, c] = 1.0 if c < 9 and c % 4 == 0 else 0.0
    for c in range(6):
        twist_out[n, c] = 0.0


@helper
def joint_efforts(table, q, v, passive, effort_out):
    """Generalised efforts of the joints."""
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        kind, n, ahead = int(table[row + KIND]), int(table[row + COUNT]), table[row + TURN] > 0.0
        k = int(table[row + FIRST])
        tree_joints.act(kind, n, k, ahead, passive, passive[DRIVE], passive[TARGET], q, v, effort_out)


@stage
def model_forces(acting):
    """Forces of all states; wrenches are left alone, as zeros, where nothing acts on links."""
    states, springs, loads, room = acting.states, acting.springs, acting.loads, acting.room
    table, q, v, forces_out = states.table, states.q, states.v, states.forces
    n = int(table[N_LINKS])
    frames, twists, r = room.frames, room.twists, room.wrenches
    for s in range(q.shape[0]):
        joint_efforts(table, q[s], v[s], states.passive, forces_out[s, 6 * n :])
        if len(springs.stiffness) + len(loads.column) == 0:
            continue
        clear(r)
        _nodes(table, q[s], v[s], frames, twists)
        for i in range(len(springs.stiffness)):
            add_spring(springs, i, frames, twists, r)
        for i in range(len(loads.column)):
            add_load(loads, i, frames, states.wrench, r)
        for i in range(n):
            for c in range(6):
                forces_out[s, 6 * i + c] = -r[i, c]
    return 0


def forces_call(acting):
    """`model_forces` with this argument, as a call without any."""
    return bound(model_forces, acting)


@stage
def add_force_derivatives(acting, dq_out, dv_out):
    """Subtract the derivatives of these forces from d tau/d q and d tau/d v (N, n_v, n_v) of all states.

    Freedoms are counted from link to link.
    """
    states, springs, loads, room = acting.states, acting.springs, acting.loads, acting.room
    table, q, v = states.table, states.q, states.v
    for s in range(q.shape[0]):
        _joint_derivatives(table, q[s], v[s], states.passive, dq_out[s], dv_out[s])
        if len(springs.stiffness) + len(loads.column) > 0:
            _nodes(table, q[s], v[s], room.frames, room.twists)
            for i in range(len(springs.stiffness) + len(loads.column)):
                _item_derivatives(table, springs, loads, i, states.wrench, room, dq_out[s], dv_out[s])
    return 0


@helper
def _item_derivatives(table, springs, loads, i, wrench, room, dq_out, dv_out):
    """Of spring i; those of a load, which come behind the springs, act at one place."""
    frames, twists, r = room.frames, room.twists, room.wrenches
    K, C, J, P = room.K, room.C, room.J, room.P
    clear(r)
    clear(J)
    clear(P)
    load, nodes, first, n = i - len(springs.stiffness), loads.node, 0, 1
    if load < 0:
        nodes, first, n = springs.node, springs.start[i], springs.start[i + 1] - springs.start[i]
        spring_tangent(springs, i, frames, twists, K, C, room.row)
        add_spring(springs, i, frames, twists, r)
    else:
        first = load
        clear(K)
        clear(C)
        load_tangent(loads, load, frames, wrench, K)
        add_load(loads, load, frames, wrench, r)
    for p in range(n):
        _columns(table, nodes[first + p], 6 * p, J, P)
    _add_products(K, C, 6 * n, J, P, dq_out, dv_out)
    for p in range(n):
        a = nodes[first + p]
        _add_turns(table, a, 6 * p, r[a], J, dq_out)
        for c in range(6):
            r[a, c] = 0.0  # a link that the line meets again has its turns now


@helper
def _columns(table, i, first, J, P):
    """Body Jacobian of link i in rows first ... first + 5 of J, the same of psi in P."""
    links, freedoms, _ = spatial_parts(table)
    if i >= int(table[N_LINKS]):
        return
    R, x = get_frame(links, i * X_ROW + X_FRAME)
    while i >= 0:
        d = int(table[HEADER + i * ROW + DOF])
        for c in range(d, d + int(table[HEADER + i * ROW + COUNT])):
            for matrix, kind in ((J, D_AXIS), (P, D_PSI)):
                u, w = both_parts(freedoms, kind, c)
                u, w = mul_t(R, add(u, cross(w, x))), mul_t(R, w)
                for e in range(3):
                    matrix[first + e, c] = u[e]
                    matrix[first + 3 + e, c] = w[e]
        i = int(table[HEADER + i * ROW + PARENT])


@helper
def _add_products(K, C, n, J, P, dq_out, dv_out):
    """dq += J^T (K J + C P), dv += J^T C J, of the first n rows."""
    n_v = J.shape[1]
    for i in range(n_v):
        for c in range(n):
            g, h = 0.0, 0.0
            for e in range(n):
                g += K[c, e] * J[e, i] + C[c, e] * P[e, i]
                h += C[c, e] * J[e, i]
            for j in range(n_v):
                dq_out[j, i] += J[c, j] * g
                dv_out[j, i] += J[c, j] * h


@helper
def _add_turns(table, i, first, r, J, dq_out):
    """dq_ji -= (J_i x J_j) . r for freedoms i beyond j: inner axes turn in the link's frame when outer joints move."""
    if i >= int(table[N_LINKS]):
        return
    force, moment = (r[0], r[1], r[2]), (r[3], r[4], r[5])
    outer = i
    while outer >= 0:
        d = int(table[HEADER + outer * ROW + DOF])
        inner = int(table[HEADER + outer * ROW + PARENT])
        while inner >= 0:
            e = int(table[HEADER + inner * ROW + DOF])
            for a in range(d, d + int(table[HEADER + outer * ROW + COUNT])):
                u = (J[first, a], J[first + 1, a], J[first + 2, a])
                w = (J[first + 3, a], J[first + 4, a], J[first + 5, a])
                for b in range(e, e + int(table[HEADER + inner * ROW + COUNT])):
                    s = (J[first, b], J[first + 1, b], J[first + 2, b])
                    t = (J[first + 3, b], J[first + 4, b], J[first + 5, b])
                    x, y = add(cross(w, s), cross(u, t)), cross(w, t)
                    dq_out[b, a] -= dot(x, force) + dot(y, moment)
            inner = int(table[HEADER + inner * ROW + PARENT])
        outer = int(table[HEADER + outer * ROW + PARENT])


@helper
def _joint_derivatives(table, q, v, passive, dq_out, dv_out):
    """Derivatives of `joint_efforts`."""
    drive, target = passive[DRIVE], passive[TARGET]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        kind, n, ahead = int(table[row + KIND]), int(table[row + COUNT]), table[row + TURN] > 0.0
        k, d = int(table[row + FIRST]), int(table[row + DOF])
        tree_joints.differentiate(kind, n, k, d, ahead, passive, drive, target, q, v, dq_out, dv_out)
