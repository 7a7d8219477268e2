"""Wrenches on places and gravity."""

from cosserat.jit import helper
from cosserat.kernels.frames import load_frame, wrench_to_node
from cosserat.kernels.vectors import accumulate, add_block, cross, load, matmul, mul_t, scale, skew, transpose


@helper
def matvec(G, f, m):
    """G (f, m) for a 6x6 array, as two vectors."""
    w0 = w1 = w2 = w3 = w4 = w5 = 0.0
    for k in range(6):
        s = f[k] if k < 3 else m[k - 3]
        w0 += G[0, k] * s
        w1 += G[1, k] * s
        w2 += G[2, k] * s
        w3 += G[3, k] * s
        w4 += G[4, k] * s
        w5 += G[5, k] * s
    return (w0, w1, w2), (w3, w4, w5)


@helper
def in_axes(R, f, m):
    """Components along axes R of a wrench given along those of the world: dead loads in the axes of their place."""
    return mul_t(R, f), mul_t(R, m)


@helper
def local_wrench(loads, i, frame, f, m):
    """Components (f, m) of load i in the axes of its place on a node, before the gain."""
    if loads.follower[i] == 0:
        R, _ = load_frame(frame)
        F, _ = load_frame(loads.frame[i])
        f, m = in_axes(R, f, m)
        f, m = in_axes(F, f, m)
    return f, m


@helper
def add_wrench(loads, i, frame, f, m, r_out):
    """r -= load i with components (f, m) on its node."""
    f, m = local_wrench(loads, i, frame, f, m)
    f, m = matvec(loads.gain[i], f, m)
    F, y = load_frame(loads.frame[i])
    f, m = wrench_to_node(F, y, f, m)
    accumulate(scale(-1.0, f), r_out[loads.node[i]], 0)
    accumulate(scale(-1.0, m), r_out[loads.node[i]], 3)


@helper
def add_load(loads, i, frames, wrench, r_out):
    """r -= load i."""
    column = wrench[loads.column[i]]
    add_wrench(loads, i, frames[loads.node[i]], load(column, 0), load(column, 3), r_out)


@helper
def load_tangent(loads, i, frames, wrench, K_out):
    """K (6, 6) += d(-load)/d(left increments) of the node."""
    if loads.follower[i] == 1:
        return
    column = wrench[loads.column[i]]
    f, m = local_wrench(loads, i, frames[loads.node[i]], load(column, 0), load(column, 3))
    F, y = load_frame(loads.frame[i])
    # turning the node by w changes dead components by f~ F^T w
    D_f = matmul(skew(f), transpose(F))
    D_m = matmul(skew(m), transpose(F))
    for j in range(3):
        f, m = matvec(loads.gain[i], (D_f[j], D_f[3 + j], D_f[6 + j]), (D_m[j], D_m[3 + j], D_m[6 + j]))
        f, m = wrench_to_node(F, y, f, m)
        for q in range(3):
            K_out[q, 3 + j] -= f[q]
            K_out[3 + q, 3 + j] -= m[q]


@helper
def local_gravity(frame, gravity):
    """Acceleration of free fall in the axes of a frame: R^T g."""
    R, _ = load_frame(frame)
    return mul_t(R, gravity)


@helper
def add_gravity(mass, moment, frame, gravity, r_out):
    """r -= weight of a node: (m R^T g, c x R^T g)."""
    g = local_gravity(frame, gravity)
    accumulate(scale(-mass, g), r_out, 0)
    accumulate(cross(g, load(moment, 0)), r_out, 3)


@helper
def gravity_tangent(mass, moment, frame, gravity, K_out):
    """K (6, 6) += d(-weight)/d(left increments)."""
    G = skew(local_gravity(frame, gravity))
    add_block(-mass, G, K_out, 0.0, 3.0)
    M = matmul(skew(load(moment, 0)), G)
    add_block(-1.0, M, K_out, 3.0, 3.0)
