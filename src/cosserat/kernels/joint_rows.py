"""The rows of joints: one constraint on the frame (R, x) of the child's side of a joint, seen from the parent's.

A translation row is a . (x - p(t)); a rotation row is (D_A(t) a) . R D_B(t) b, zero when the two directions are
orthogonal, where a may have a typical length; a screw row is a . x - pitch * angle about a. p, D_A, D_B carry the
prescribed motion. This is the one text of these rows: nodes (`kernels.joints`), trees (`kernels.flexible.closing`) and
results use it.
"""

from cosserat.jit import helper
from cosserat.kernels.vectors import ZERO, add, combine, cross, dot, matmul, mul, mul_t, neg, scale, skew, sub

TRANSLATION = 0
ROTATION = 1
SCREW = 2


@helper
def value(kind, a, b, pitch, angle, R, x, p):
    """Value of a row; a and b with the prescribed rotation, `angle` about the axis of a screw."""
    if kind == ROTATION:
        return dot(a, mul(R, b))
    found = dot(a, sub(x, p))
    return found - pitch * angle if kind == SCREW else found


@helper
def pull(kind, a, b, pitch, R):
    """Force and moment, in the axes of the parent, with which a multiplier of one pulls and turns the child back."""
    if kind == ROTATION:
        return ZERO, cross(a, mul(R, b))
    return a, scale(pitch, a) if kind == SCREW else ZERO


@helper
def both_sides(f, m, R, x):
    """Such a pull as wrenches on both sides, in their axes: (f_a, m_a, f_b, m_b)."""
    return neg(f), add(cross(f, x), m), mul_t(R, f), neg(mul_t(R, m))


@helper
def row(kind, a, b, pitch, R, x):
    """Derivative by the twists of both sides, in their axes: (f_a, m_a, f_b, m_b); also the wrench of a multiplier."""
    f, m = pull(kind, a, b, pitch, R)
    return both_sides(f, m, R, x)


@helper
def relative_rates(R, x, v_a, w_a, v_b, w_b):
    """First and second derivatives of (R, x) for constant twists of both sides: (R_dot, x_dot, R_ddot, x_ddot)."""
    W_a, W_b = skew(w_a), skew(w_b)
    R_W = matmul(R, W_b)
    W_R = matmul(W_a, R)
    R_dot = combine(1.0, R_W, -1.0, W_R)
    R_ddot = combine(1.0, matmul(R_W, W_b), 1.0, matmul(W_a, W_R))
    R_ddot = combine(1.0, R_ddot, -2.0, matmul(W_a, R_W))
    x_dot = sub(sub(mul(R, v_b), v_a), cross(w_a, x))
    return R_dot, x_dot, R_ddot, sub(mul(R_dot, v_b), cross(w_a, x_dot))


@helper
def explicit_rate(kind, a0, b0, a, b, R, p1, A1, B1):
    """What the rates p1, A1, B1 of a prescribed motion add to the rate of a row."""
    if kind == ROTATION:
        return dot(mul(A1, a0), mul(R, b)) + dot(a, mul(R, mul(B1, b0)))
    return -dot(a0, p1)


@helper
def passive_bias(kind, a, b, pitch, R, w_a, w_b, R_ddot, x_ddot):
    """Second derivative of a row for constant twists, without a prescribed motion."""
    if kind == ROTATION:
        return dot(a, mul(R_ddot, b))
    found = dot(a, x_ddot)
    if kind == SCREW:  # the relative spin about the axis changes by -(w_b x R^T w_a) . axis
        found -= pitch * dot(mul_t(R, a), cross(w_b, mul_t(R, w_a)))
    return found


@helper
def explicit_bias(kind, a0, b0, a, b, R, R_dot, A1, B1, p2, A2, B2):
    """What a prescribed motion adds to it."""
    if kind == ROTATION:
        a1, b1 = mul(A1, a0), mul(B1, b0)
        mixed = dot(a1, mul(R_dot, b)) + dot(a1, mul(R, b1)) + dot(a, mul(R_dot, b1))
        return dot(mul(A2, a0), mul(R, b)) + dot(a, mul(R, mul(B2, b0))) + 2.0 * mixed
    return -dot(a0, p2)


@helper
def inside_out(branch, R, D_a, D_b):
    """Whether rotation rows hold half a turn away from where they should; branch 3: by the trace, below 0: never."""
    if branch < 0:
        return False
    E = matmul((D_a[0], D_a[3], D_a[6], D_a[1], D_a[4], D_a[7], D_a[2], D_a[5], D_a[8]), matmul(R, D_b))
    if branch == 3:
        return E[0] + E[4] + E[8] < 0.0
    return E[4 * branch] < 0.0
