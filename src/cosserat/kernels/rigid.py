"""Rigid bodies on nodes: forces -ad(v)^T M v of their momenta, and the tangent."""

from cosserat.jit import helper
from cosserat.kernels.vectors import accumulate, add, cross, load


@helper
def add_gyroscopic(p, offset, twist, r_out):
    """r += -ad(v)^T p for the node whose momentum stands at p[offset:offset+6]."""
    pu, pw = load(p, offset), load(p, offset + 3)
    v, omega = load(twist, 0), load(twist, 3)
    accumulate(cross(omega, pu), r_out, 0)
    accumulate(add(cross(v, pu), cross(omega, pw)), r_out, 3)


@helper
def add_gyroscopic_tangent(p, offset, twist, factor, M, matrix_out):
    """matrix += factor * d(-ad(v)^T M v)/dv for the six rows at `offset`; M has all columns."""
    v, omega = load(twist, 0), load(twist, 3)
    n = M.shape[0]
    for j in range(n):
        mu = (M[offset, j], M[offset + 1, j], M[offset + 2, j])
        mw = (M[offset + 3, j], M[offset + 4, j], M[offset + 5, j])
        gu = cross(omega, mu)
        gw = add(cross(v, mu), cross(omega, mw))
        for i in range(3):
            matrix_out[offset + i, j] += factor * gu[i]
            matrix_out[offset + 3 + i, j] += factor * gw[i]
    pu, pw = load(p, offset), load(p, offset + 3)
    for i in range(3):
        k = (i + 1) % 3
        m = (i + 2) % 3
        # -factor * skew(p): entries (m, k) and (k, m) of the cross-product matrix
        matrix_out[offset + m, offset + 3 + k] -= factor * pu[i]
        matrix_out[offset + k, offset + 3 + m] += factor * pu[i]
        matrix_out[offset + 3 + m, offset + k] -= factor * pu[i]
        matrix_out[offset + 3 + k, offset + m] += factor * pu[i]
        matrix_out[offset + 3 + m, offset + 3 + k] -= factor * pw[i]
        matrix_out[offset + 3 + k, offset + 3 + m] += factor * pw[i]
