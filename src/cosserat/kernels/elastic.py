"""Strain energy of a beam element: W(e) = 1/2 v . K v + 1/2 y . F^-1 y, e = d - d0.

    v = e + (e Q e)/2 - (0, e_w x y)

K, Q and F are constants of the reference element, see `compile.elements`: Q is what the inner displacements of linear
statics add to its mean strain. y is an inner turn that makes W least: where a moment m is not along the curvature, it
turns the sections between the nodes about the soft axes, with the flexibility F,

    y = F (m x e_w),   m = (K v)_w,   so that   (1 + F e_w~^T K_ww e_w~) y = F (m0 x e_w)

with the m0 of y = 0. Nothing is switched off anywhere: W is never negative.

Rows of Q: k, columns 6 i + j of Q[i, j, k].
"""

from cosserat.jit import helper
from cosserat.kernels.beams import multiply
from cosserat.kernels.loads import matvec
from cosserat.kernels.vectors import IDENTITY, add, axpy, clear, combine, cross, dot, matmul, mul, scale, skew, sub


@helper
def load_block(A, offset):
    """The 3x3 block of an array that starts at (offset, offset)."""
    i = int(offset)
    return (
        A[i, i], A[i, i + 1], A[i, i + 2],
        A[i + 1, i], A[i + 1, i + 1], A[i + 1, i + 2],
        A[i + 2, i], A[i + 2, i + 1], A[i + 2, i + 2],
    )  # fmt: skip


@helper
def inverse(A):
    """Inverse of a 3x3 matrix."""
    a, b, c = A[4] * A[8] - A[5] * A[7], A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4]
    d, e, f = A[5] * A[6] - A[3] * A[8], A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5]
    g, h, k = A[3] * A[7] - A[4] * A[6], A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]
    s = 1.0 / (A[0] * a + A[1] * d + A[2] * g)
    return (s * a, s * b, s * c, s * d, s * e, s * f, s * g, s * h, s * k)


@helper
def slopes(Q, eu, ew, D_out):
    """D = e Q, (6, 6): the derivative of (e Q e)/2."""
    for i in range(6):
        for j in range(6):
            c = 6 * i + j
            a = Q[0, c] * eu[0] + Q[1, c] * eu[1] + Q[2, c] * eu[2]
            D_out[i, j] = a + Q[3, c] * ew[0] + Q[4, c] * ew[1] + Q[5, c] * ew[2]


@helper
def measure(Q, eu, ew, D_out):
    """e + (e Q e)/2; D = e Q."""
    slopes(Q, eu, ew, D_out)
    qu, qw = matvec(D_out, eu, ew)
    return axpy(0.5, qu, eu), axpy(0.5, qw, ew)


@helper
def inner(K, F, ew, vu, vw):
    """v, y, K v and (F^-1 + e_w~^T K_ww e_w~)^-1 of the module's docstring, from v without the turn."""
    n, m = multiply(K, vu, vw)
    W, C = skew(ew), load_block(F, 0.0)
    C = matmul(inverse(combine(1.0, IDENTITY, -1.0, matmul(matmul(C, W), matmul(load_block(K, 3.0), W)))), C)
    y = mul(C, cross(m, ew))
    x = cross(ew, y)
    kn, km = multiply(K, (0.0, 0.0, 0.0), x)
    return vu, sub(vw, x), y, sub(n, kn), sub(m, km), C


@helper
def stress(K, F, ew, vu, vw, D):
    """Gradient (n, m) of W, from v without the turn and D = e Q."""
    _, _, y, n, m, _ = inner(K, F, ew, vu, vw)
    qn, qm = multiply(D, n, m)
    return add(n, qn), add(add(m, qm), cross(m, y))


@helper
def energy(K, Q, F, eu, ew, D_out):
    """W."""
    vu, vw = measure(Q, eu, ew, D_out)
    vu, vw, y, n, m, _ = inner(K, F, ew, vu, vw)
    return 0.5 * (dot(vu, n) + dot(vw, m) + dot(y, cross(m, ew)))


@helper
def change(K, Q, F, eu0, ew0, eu1, ew1, D_out):
    """W1 - W0, free of the rounding errors of W, and the mean of both gradients."""
    vu0, vw0 = measure(Q, eu0, ew0, D_out)
    vu0, vw0, y0, n0, m0, _ = inner(K, F, ew0, vu0, vw0)
    qn0, qm0 = multiply(D_out, n0, m0)
    vu1, vw1 = measure(Q, eu1, ew1, D_out)
    vu1, vw1, y1, n1, m1, _ = inner(K, F, ew1, vu1, vw1)
    qn1, qm1 = multiply(D_out, n1, m1)
    n, m = add(n0, n1), add(m0, m1)
    twice = dot(n, sub(vu1, vu0)) + dot(m, sub(vw1, vw0))
    twice += dot(sub(y1, y0), add(cross(m0, ew0), cross(m1, ew1)))
    turned = add(cross(m0, y0), cross(m1, y1))
    return 0.5 * twice, scale(0.5, add(n, add(qn0, qn1))), scale(0.5, add(m, add(turned, add(qm0, qm1))))


@helper
def second_derivative(K, Q, F, eu, ew, vu, vw, work, H_out):
    """H = second derivative of W, (6, 6): of the energy in e and y, y condensed. Returns the gradient.

    Both for the strains e and for the stress of (vu, vw), e + (e Q e)/2 or what is predicted for it. work is (18, 6).
    """
    D, V, X = work[0:6], work[6:12], work[12:18]
    slopes(Q, eu, ew, D)
    _, _, y, n, m, C = inner(K, F, ew, vu, vw)
    qn, qm = multiply(D, n, m)
    # V = dv/de at fixed y
    for i in range(6):
        for j in range(6):
            V[i, j] = D[i, j] + (1.0 if i == j else 0.0)
    Y, M, W = skew(y), skew(m), skew(ew)
    for i in range(3):
        for j in range(3):
            V[3 + i, 3 + j] += Y[3 * i + j]
    # X = mixed derivative, -V^T K (0, e_w~) + (0, m~): (6, 3); H = V^T K V + sigma Q - X C X^T
    clear(H_out)
    for j in range(6):
        ku, kw = multiply(K, (V[0, j], V[1, j], V[2, j]), (V[3, j], V[4, j], V[5, j]))
        for i in range(6):
            a = V[0, i] * ku[0] + V[1, i] * ku[1] + V[2, i] * ku[2]
            H_out[i, j] = a + V[3, i] * kw[0] + V[4, i] * kw[1] + V[5, i] * kw[2]
            c = Q[i, j] * n[0] + Q[i, 6 + j] * n[1] + Q[i, 12 + j] * n[2]
            H_out[i, j] += c + Q[i, 18 + j] * m[0] + Q[i, 24 + j] * m[1] + Q[i, 30 + j] * m[2]
        for k in range(3):
            X[j, k] = -(kw[0] * W[k] + kw[1] * W[3 + k] + kw[2] * W[6 + k])
    for i in range(3):
        for k in range(3):
            X[3 + i, k] += M[3 * i + k]
    for i in range(6):
        x = mul(C, (X[i, 0], X[i, 1], X[i, 2]))
        for j in range(6):
            H_out[i, j] -= x[0] * X[j, 0] + x[1] * X[j, 1] + x[2] * X[j, 2]
    return add(n, qn), add(add(m, qm), cross(m, y))
