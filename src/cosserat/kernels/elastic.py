"""Strain energy of a beam element: W(e) = 1/2 v . K v + 1/2 y . F^-1 y, e = d - d0.

    v = e + (e Q e)/2 - (0, e_w x y)

K, Q and F are constants of the reference element, see `compile.elements`: Q is what the inner displacements of linear
statics add to its mean strain. y is an inner turn that makes W least: where a moment m is not along the curvature, it
turns the sections between the nodes about the soft axes, with the flexibility F,

    y = F (m x e_w),   m = (K v)_w,   so that   (F^-1 + e_w~^T K_ww e_w~) y = m0 x e_w

with the m0 of y = 0. Nothing is switched off anywhere: W is never negative.

Arrays are flat, and sums written out, or the compiler would not vectorise them: Q (216,) has Q[i, j, k] at
36 k + 6 i + j, D = e Q (36,) is the derivative of (e Q e)/2, and F^-1 and its like are (xx, xy, xz, yy, yz, zz).
"""

from cosserat.jit import apart, helper, inlined
from cosserat.kernels.beams import multiply, six
from cosserat.kernels.vectors import add, axpy, cross, dot, mul, scale, sub


@inlined
def rows(D, u, w):
    """D (u, w) as two vectors."""
    above = (six(D[0:6], u, w), six(D[6:12], u, w), six(D[12:18], u, w))
    return above, (six(D[18:24], u, w), six(D[24:30], u, w), six(D[30:36], u, w))


@inlined
def columns(D, u, w):
    """D^T (u, w) as two vectors."""
    above = (six(D[0::6], u, w), six(D[1::6], u, w), six(D[2::6], u, w))
    return above, (six(D[3::6], u, w), six(D[4::6], u, w), six(D[5::6], u, w))


@inlined
def measure(Q, eu, ew, D_out):
    """e + (e Q e)/2; D = e Q."""
    for c in range(36):
        s = Q[c] * eu[0] + Q[36 + c] * eu[1] + Q[72 + c] * eu[2]
        D_out[c] = s + Q[108 + c] * ew[0] + Q[144 + c] * ew[1] + Q[180 + c] * ew[2]
    qu, qw = rows(D_out, eu, ew)
    return axpy(0.5, qu, eu), axpy(0.5, qw, ew)


@inlined
def softness(K, I, w):
    """(F^-1 + w~^T K_ww w~)^-1; I = F^-1."""
    x, y, z = w
    a, b, c, d, e, f = K[3, 3], K[3, 4], K[3, 5], K[4, 4], K[4, 5], K[5, 5]
    # columns of K_ww w~, then what is left of the symmetric product
    p0, p1, p2 = b * z - c * y, d * z - e * y, e * z - f * y
    q0, q1, q2 = c * x - a * z, e * x - b * z, f * x - c * z
    r0, r1, r2 = a * y - b * x, b * y - d * x, c * y - e * x
    a, b, c = I[0] + z * p1 - y * p2, I[1] + z * q1 - y * q2, I[2] + z * r1 - y * r2
    d, e, f = I[3] + x * q2 - z * q0, I[4] + x * r2 - z * r0, I[5] + y * r0 - x * r1
    p0, p1, p2 = d * f - e * e, c * e - b * f, b * e - c * d
    q1, q2, r2 = a * f - c * c, b * c - a * e, a * d - b * b
    s = 1.0 / (a * p0 + b * p1 + c * p2)
    return (s * p0, s * p1, s * p2, s * p1, s * q1, s * q2, s * p2, s * q2, s * r2)


@inlined
def inner(K, I, ew, vu, vw):
    """v, y, K v and `softness`, from v without the turn."""
    C = softness(K, I, ew)
    _, m = multiply(K, vu, vw)
    y = mul(C, cross(m, ew))
    vw = sub(vw, cross(ew, y))
    n, m = multiply(K, vu, vw)
    return vu, vw, y, n, m, C


@inlined
def gradient(D, y, n, m):
    """Gradient of W from D = e Q, the inner turn y and K v = (n, m)."""
    qn, qm = columns(D, n, m)
    return add(n, qn), add(add(m, qm), cross(m, y))


@inlined
def weigh(K, Q, I, eu, ew, D_out):
    """v without the turn, v, y, K v, m x e_w, and the gradient; D = e Q."""
    au, aw = measure(Q, eu, ew, D_out)
    vu, vw, y, n, m, _ = inner(K, I, ew, au, aw)
    return au, aw, vu, vw, y, n, m, cross(m, ew), *gradient(D_out, y, n, m)


@inlined
def energy(found):
    """W of what `weigh` finds."""
    return 0.5 * (dot(found[2], found[5]) + dot(found[3], found[6]) + dot(found[4], found[7]))


@inlined
def change(start, end):
    """W1 - W0, free of the rounding errors of W, and the mean of both gradients."""
    _, _, vu0, vw0, y0, n0, m0, c0, gn0, gm0 = start
    _, _, vu1, vw1, y1, n1, m1, c1, gn1, gm1 = end
    twice = dot(add(n0, n1), sub(vu1, vu0)) + dot(add(m0, m1), sub(vw1, vw0)) + dot(sub(y1, y0), add(c0, c1))
    return 0.5 * twice, scale(0.5, add(gn0, gn1)), scale(0.5, add(gm0, gm1))


@helper
def second_derivative(K, Q, I, eu, ew, vu, vw, work, H_out):
    """H = second derivative of W, (6, 6), the inner turn condensed. Returns the gradient; work is (126,) or longer.

    Both for the strains e and for the stress of (vu, vw), e + (e Q e)/2 or what is predicted for it.
    """
    return _second(K, Q, I, eu, ew, vu, vw, work[0:36], work[36:72], work[72:108], work[108:126], H_out)


@apart
def _second(K, Q, I, eu, ew, vu, vw, D_out, V_out, KV_out, X_out, H_out):
    """`second_derivative` with its workspace apart."""
    D, V, KV, X = D_out, V_out, KV_out, X_out
    measure(Q, eu, ew, D)
    _, _, y, n, m, C = inner(K, I, ew, vu, vw)
    # V = dv/de at fixed y
    for c in range(36):
        V[c] = D[c]
    for i in range(6):
        V[7 * i] += 1.0
    V[22], V[23], V[29] = V[22] - y[2], V[23] + y[1], V[29] - y[0]
    V[27], V[33], V[34] = V[27] + y[2], V[33] - y[1], V[34] + y[0]
    for i in range(6):
        a, b, c, d, e, f = K[i, 0], K[i, 1], K[i, 2], K[i, 3], K[i, 4], K[i, 5]
        for j in range(6):
            s = a * V[j] + b * V[6 + j] + c * V[12 + j]
            KV[6 * i + j] = s + d * V[18 + j] + e * V[24 + j] + f * V[30 + j]
    # X = mixed derivative, e_w x (K V)_w + (0, -m~): (3, 6); H = V^T K V + sigma Q - X^T C X
    for j in range(6):
        unit = (1.0 * (j == 3), 1.0 * (j == 4), 1.0 * (j == 5))
        x = add(cross(ew, (KV[18 + j], KV[24 + j], KV[30 + j])), cross(unit, m))
        X[j], X[6 + j], X[12 + j] = x[0], x[1], x[2]
    for i in range(6):
        a, b, c, d, e, f = V[i], V[6 + i], V[12 + i], V[18 + i], V[24 + i], V[30 + i]
        p, q, r = mul(C, (X[i], X[6 + i], X[12 + i]))
        k = 36 * i
        for j in range(6):
            s = a * KV[j] + b * KV[6 + j] + c * KV[12 + j] + d * KV[18 + j] + e * KV[24 + j] + f * KV[30 + j]
            s += Q[k + j] * n[0] + Q[k + 6 + j] * n[1] + Q[k + 12 + j] * n[2]
            s += Q[k + 18 + j] * m[0] + Q[k + 24 + j] * m[1] + Q[k + 30 + j] * m[2]
            H_out[i, j] = s - p * X[j] - q * X[6 + j] - r * X[12 + j]
    return gradient(D, y, n, m)
