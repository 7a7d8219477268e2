"""Derivatives of the tangent operator of rotations, T(w) x = x - c w x x + d w x (w x x), c = cosc, d = sincc."""

from cosserat.jit import helper
from cosserat.kernels.frames import cosc, sincc
from cosserat.kernels.vectors import add, axpy, cross, dot, scale
from cosserat.lie import coefficients

d_cosc = helper(coefficients.d_cosc)
d_sincc = helper(coefficients.d_sincc)
dd_cosc = helper(coefficients.dd_cosc)
dd_sincc = helper(coefficients.dd_sincc)


@helper
def tangent_times(w, x, sign):
    """T(w) x with sign = -1, T(w)^T x with sign = 1."""
    t2 = dot(w, w)
    y = cross(w, x)
    return axpy(sign * cosc(t2), y, axpy(sincc(t2), cross(w, y), x))


@helper
def tangent_slope(w, d, x, sign):
    """Derivative of `tangent_times` as w moves along d."""
    t2, along = dot(w, w), dot(w, d)
    wx, dx = cross(w, x), cross(d, x)
    first = axpy(sign * d_cosc(t2) * along, wx, scale(sign * cosc(t2), dx))
    return add(
        first, axpy(d_sincc(t2) * along, cross(w, wx), scale(sincc(t2), add(cross(d, wx), cross(w, dx))))
    )  # fmt: skip


@helper
def tangent_curvature(w, d, e, x, sign):
    """Second derivative of `tangent_times` as w moves along d and along e."""
    t2, wd, we, de = dot(w, w), dot(w, d), dot(w, e), dot(d, e)
    wx, dx, ex = cross(w, x), cross(d, x), cross(e, x)
    c1, b1 = sign * d_cosc(t2), d_sincc(t2)
    out = scale(sign * dd_cosc(t2) * wd * we + c1 * de, wx)
    out = axpy(c1 * wd, ex, axpy(c1 * we, dx, out))
    out = axpy(dd_sincc(t2) * wd * we + b1 * de, cross(w, wx), out)
    out = axpy(b1 * wd, add(cross(e, wx), cross(w, ex)), out)
    out = axpy(b1 * we, add(cross(d, wx), cross(w, dx)), out)
    return axpy(sincc(t2), add(cross(d, ex), cross(e, dx)), out)
