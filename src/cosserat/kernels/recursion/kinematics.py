"""Frames and motions of links in the world, and Jacobians of places on them.

Apart from `flexible.kinematics` for speed: a sixth of its time.
"""

from cosserat.jit import helper, quick
from cosserat.kernels.frames import bracket
from cosserat.kernels.recursion.link import get3, get9, get_pair
from cosserat.kernels.recursion.spatial import accelerate_links, both_parts, move_links, own_inertias, placed
from cosserat.kernels.recursion.table import (
    COUNT,
    D_AXIS,
    DOF,
    GRAVITY,
    HEADER,
    N_LINKS,
    N_V,
    ORDER,
    PARENT,
    ROW,
    X_ACCELERATION,
    X_FRAME,
    X_ROW,
    X_TWIST,
)
from cosserat.kernels.vectors import add, cross, mul, mul_t, store, sub


@quick(1, 1, 1, 1, 2, 3)
def link_motions(table, q, v, a, frame_out, motion_out):
    """World frames (n, 12) of the links and their motions (n, 4, 3): velocity, angular velocity, both accelerations.

    Velocities and accelerations are those of the origin of the link frame.
    """
    links, freedoms, origin = placed(table, q)
    own_inertias(table, links)
    move_links(table, v, links, freedoms)
    accelerate_links(table, v, a, links, freedoms)
    o = get3(origin, 0)
    g = (table[GRAVITY], table[GRAVITY + 1], table[GRAVITY + 2])
    for i in range(int(table[N_LINKS])):
        at = i * X_ROW
        x = get3(links, at + X_FRAME + 9)
        for c in range(9):
            frame_out[i, c] = links[at + X_FRAME + c]
        store(add(x, o), frame_out[i], 9)
        u, w = get_pair(links, at + X_TWIST)
        b, y = get_pair(links, at + X_ACCELERATION)
        velocity = add(u, cross(w, x))
        store(velocity, motion_out[i, 0], 0)
        store(w, motion_out[i, 1], 0)
        store(add(add(b, g), add(cross(y, x), cross(w, velocity))), motion_out[i, 2], 0)
        store(y, motion_out[i, 3], 0)


@quick(1, 1, 1, 1, 2, 2)
def place_jacobian(table, q, v, place, jacobian_out, rate_out):
    """Jacobian (6, n_v) of a place and its rate at velocities v; linear part first, the place's velocity.

    place: link, 1 for components in the place's own axes (0: in world axes), R (9) and x (3) in the link's frame.
    """
    n_v = int(table[N_V])
    for e in range(6):
        for k in range(n_v):
            jacobian_out[e, k] = 0.0
            rate_out[e, k] = 0.0
    i = int(place[0])
    if i < 0:
        return
    links, freedoms, _ = placed(table, q)
    move_links(table, v, links, freedoms)
    R = get9(links, i * X_ROW + X_FRAME)
    x = add(get3(links, i * X_ROW + X_FRAME + 9), mul(R, (place[11], place[12], place[13])))
    u, spin = get_pair(links, i * X_ROW + X_TWIST)
    x_dot = add(u, cross(spin, x))
    order = int(table[ORDER])
    while i >= 0:
        row = HEADER + i * ROW
        d = int(table[row + DOF])
        V, W = get_pair(links, i * X_ROW + X_TWIST)
        for c in range(int(table[row + COUNT])):
            s, t = both_parts(freedoms, D_AXIS, d + c)
            s_dot, t_dot = bracket(V, W, s, t)
            j, j_dot = add(s, cross(t, x)), add(s_dot, add(cross(t_dot, x), cross(t, x_dot)))
            if place[1] == 1.0:
                j_dot, t_dot = sub(j_dot, cross(spin, j)), sub(t_dot, cross(spin, t))
                j, t = _inside(R, place, j), _inside(R, place, t)
                j_dot, t_dot = _inside(R, place, j_dot), _inside(R, place, t_dot)
            k = int(table[order + d + c])
            for e in range(3):
                jacobian_out[e, k] = j[e]
                jacobian_out[3 + e, k] = t[e]
                rate_out[e, k] = j_dot[e]
                rate_out[3 + e, k] = t_dot[e]
        i = int(table[row + PARENT])


@helper
def _inside(R, place, a):
    """A world vector in the axes of the place."""
    F = (place[2], place[3], place[4], place[5], place[6], place[7], place[8], place[9], place[10])
    return mul_t(F, mul_t(R, a))
