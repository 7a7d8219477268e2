"""Frames, exponential, logarithm and tangent operators of SE(3) on tuples.

The logarithm of a frame is d = (u, w). The inverse tangent operator of the exponential is
T^-1(d) = [[A, B], [0, A]] with A = I + w~/2 + c w~^2 and B = DA(w)[u], c = `cotc`; T^-1(-d) has blocks A^T, B^T.
"""

import math

from cosserat.jit import helper
from cosserat.kernels.vectors import (
    ZERO,
    add,
    add_outer,
    axpy,
    combine,
    cross,
    dot,
    load,
    load_matrix,
    matmul,
    mul,
    mul_t,
    scale,
    spiral,
    store,
    sub,
    transpose,
)
from cosserat.lie import coefficients

sinc = helper(coefficients.sinc)
cosc = helper(coefficients.cosc)
sincc = helper(coefficients.sincc)
cotc = helper(coefficients.cotc)
d_cotc = helper(coefficients.d_cotc)
dd_cotc = helper(coefficients.dd_cotc)
asinc = helper(coefficients.asinc)


@helper
def load_frame(frame):
    """A row of twelve numbers as (R, x)."""
    return load_matrix(frame, 0), load(frame, 9)


@helper
def store_frame(R, x, frame_out):
    """Write (R, x) into a row of twelve numbers."""
    for i in range(9):
        frame_out[i] = R[i]
    store(x, frame_out, 9)


@helper
def compose(R_a, x_a, R_b, x_b):
    """H_a H_b."""
    return matmul(R_a, R_b), add(x_a, mul(R_a, x_b))


@helper
def relative(R_a, x_a, R_b, x_b):
    """H_a^-1 H_b."""
    return matmul(transpose(R_a), R_b), mul_t(R_a, sub(x_b, x_a))


@helper
def exp_frame(u, w):
    """exp of the twist (u, w): R = exp(w), x = V(w) u."""
    t2 = dot(w, w)
    a = cosc(t2)
    wu = cross(w, u)
    x = axpy(sincc(t2), cross(w, wu), axpy(a, wu, u))
    return add_outer(scale(a, w), w, spiral(1.0 - a * t2, scale(sinc(t2), w))), x


@helper
def log_rotation(R):
    """Rotation vector of R, angle in [0, pi]."""
    ax = (0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1]))
    s2 = dot(ax, ax)
    cosine = 0.5 * (R[0] + R[4] + R[8] - 1.0)
    if cosine > 0.0 and s2 < 0.5:
        return scale(asinc(s2), ax)
    s = math.sqrt(s2)
    angle = math.atan2(s, cosine)
    if s > 1e-3:
        return scale(angle / s, ax)
    # Near pi the axis comes from the symmetric part, its sign from the axial vector.
    k = 1.0 / (1.0 - cosine)
    nx = math.sqrt(max(0.0, (R[0] - cosine) * k))
    ny = math.sqrt(max(0.0, (R[4] - cosine) * k))
    nz = math.sqrt(max(0.0, (R[8] - cosine) * k))
    if nx >= ny and nx >= nz:
        n = (nx, 0.5 * (R[1] + R[3]) * k / nx, 0.5 * (R[2] + R[6]) * k / nx)
    elif ny >= nz:
        n = (0.5 * (R[1] + R[3]) * k / ny, ny, 0.5 * (R[5] + R[7]) * k / ny)
    else:
        n = (0.5 * (R[2] + R[6]) * k / nz, 0.5 * (R[5] + R[7]) * k / nz, nz)
    if dot(n, ax) < 0.0:
        return scale(-angle, n)
    return scale(angle, n)


@helper
def apply_a(w, c, b):
    """A(w) b."""
    wb = cross(w, b)
    return axpy(c, cross(w, wb), axpy(0.5, wb, b))


@helper
def apply_b(u, w, c, c1, b):
    """B(u, w) b, with c = cotc, c1 = d_cotc at |w|^2."""
    wb = cross(w, b)
    ub = cross(u, b)
    y = add(cross(u, wb), cross(w, ub))
    return axpy(c1 * dot(w, u), cross(w, wb), axpy(c, y, scale(0.5, ub)))


@helper
def log_frame(R, x):
    """Twist (u, w) with exp(u, w) = (R, x), and the coefficients c, c1 at |w|^2."""
    w = log_rotation(R)
    t2 = dot(w, w)
    c = cotc(t2)
    wx = cross(w, x)
    u = axpy(c, cross(w, wx), axpy(-0.5, wx, x))
    return u, w, c, d_cotc(t2)


@helper
def matrix_a(w, c):
    """A(w) as a matrix."""
    return add_outer(scale(c, w), w, spiral(1.0 - c * dot(w, w), scale(0.5, w)))


@helper
def matrix_b(u, w, c, c1):
    """B(u, w) as a matrix."""
    wu = dot(w, u)
    M = spiral(-wu * (2.0 * c + c1 * dot(w, w)), scale(0.5, u))
    return add_outer(w, axpy(c1 * wu, w, scale(c, u)), add_outer(scale(c, u), w, M))


@helper
def odd_g(w, c, c1, b):
    """The part of G(w, b) = d(A(w) b)/dw that is odd in w; the even one is -b~/2."""
    wb = dot(w, b)
    z = axpy(wb, w, scale(-dot(w, w), b))
    return add_outer(axpy(-2.0 * c, b, scale(c1, z)), w, add_outer(scale(c, w), b, spiral(c * wb, ZERO)))


@helper
def matrix_h(u, w, c, c1, c2, b):
    """d(G(w, b) u)/dw, the second derivative of A b along u, odd in (u, w); c2 = dd_cotc at |w|^2."""
    wb, wu, ub = dot(w, b), dot(w, u), dot(u, b)
    z = axpy(wb, w, scale(-dot(w, w), b))
    y = axpy(4.0 * wu, b, axpy(-ub, w, scale(-wb, u)))
    M = spiral(c * ub + c1 * wu * wb, ZERO)
    M = add_outer(axpy(c2 * wu, z, scale(-c1, y)), w, M)
    M = add_outer(axpy(-2.0 * c, b, scale(c1, z)), u, M)
    return add_outer(axpy(c1 * wu, w, scale(c, u)), b, M)


@helper
def tangent_blocks(u, w):
    """Tangent operator of exp at (u, w), [[T, T_uw], [0, T]], as the two blocks (T, T_uw)."""
    t2 = dot(w, w)
    a = sincc(t2)
    T = add_outer(scale(a, w), w, spiral(1.0 - a * t2, scale(-cosc(t2), w)))
    B = matrix_b(u, w, cotc(t2), d_cotc(t2))
    TBT = matmul(T, matmul(B, T))
    return T, combine(-1.0, TBT, 0.0, TBT)


@helper
def wrench_to_node(R_f, x_f, force, moment):
    """Wrench given in a frame (R_f, x_f) fixed to a node, in the node's own frame: Ad(F^-1)^T."""
    f = mul(R_f, force)
    return f, add(mul(R_f, moment), cross(x_f, f))


@helper
def twist_at_place(R_f, x_f, v, omega):
    """Twist of a node, seen in a frame (R_f, x_f) fixed to it: Ad(F^-1)."""
    return mul_t(R_f, add(v, cross(omega, x_f))), mul_t(R_f, omega)


@helper
def bracket(a, b, c, d):
    """ad(a, b) (c, d)."""
    return add(cross(b, c), cross(a, d)), cross(b, d)
