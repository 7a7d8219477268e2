"""Wrenches on places and gravity."""

from cosserat.jit import helper
from cosserat.kernels.frames import load_frame, wrench_to_node
from cosserat.kernels.vectors import (
    accumulate,
    add_block,
    cross,
    load,
    matmul,
    mul_t,
    scale,
    skew,
    transpose,
)


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
def local_sample(loads, i, frames, wrench):
    """Sampled components of load i in the place's frame: (force, moment), before the gain."""
    column = wrench[loads.column[i]]
    f, m = load(column, 0), load(column, 3)
    if loads.follower[i] == 0:
        R, _ = load_frame(frames[loads.node[i]])
        F, _ = load_frame(loads.frame[i])
        f, m = mul_t(F, mul_t(R, f)), mul_t(F, mul_t(R, m))
    return f, m


@helper
def add_load(loads, i, frames, wrench, r_out):
    """r -= load i."""
    f, m = local_sample(loads, i, frames, wrench)
    f, m = matvec(loads.gain[i], f, m)
    F, y = load_frame(loads.frame[i])
    f, m = wrench_to_node(F, y, f, m)
    accumulate(scale(-1.0, f), r_out[loads.node[i]], 0)
    accumulate(scale(-1.0, m), r_out[loads.node[i]], 3)


@helper
def load_tangent(loads, i, frames, wrench, K_out):
    """K (6, 6) += d(-load)/d(left increments) of the node."""
    if loads.follower[i] == 1:
        return
    f, m = local_sample(loads, i, frames, wrench)
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
def add_gravity(mass, moment, frame, gravity, r_out):
    """r -= weight of a node: (m R^T g, c x R^T g)."""
    R, _ = load_frame(frame)
    g = mul_t(R, gravity)
    accumulate(scale(-mass, g), r_out, 0)
    accumulate(cross(g, load(moment, 0)), r_out, 3)


@helper
def gravity_tangent(mass, moment, frame, gravity, K_out):
    """K (6, 6) += d(-weight)/d(left increments)."""
    R, _ = load_frame(frame)
    G = skew(mul_t(R, gravity))
    add_block(-mass, G, K_out, 0.0, 3.0)
    M = matmul(skew(load(moment, 0)), G)
    add_block(-1.0, M, K_out, 3.0, 3.0)
