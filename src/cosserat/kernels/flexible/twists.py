"""Twists and wrenches in flat arrays, six numbers each: sums, products with rows, changes of frame."""

from cosserat.jit import helper
from cosserat.kernels.vectors import add, cross, dot, load, mul, mul_t, store, sub


@helper
def outer_twist(R, x, u, w):
    """Twist seen from the frame in which (R, x) is given: Ad(H)."""
    s = mul(R, w)
    return add(mul(R, u), cross(x, s)), s


@helper
def inner_wrench(R, x, f, t):
    """Wrench given outside, seen in the frame (R, x): Ad(H)^T."""
    return mul_t(R, f), mul_t(R, sub(t, cross(x, f)))


@helper
def put6(u, w, array_out, at):
    """Write a twist."""
    store(u, array_out, at)
    store(w, array_out, at + 3)


@helper
def add6(u, w, array_out, at):
    """Add a twist."""
    for c in range(3):
        array_out[at + c] += u[c]
        array_out[at + 3 + c] += w[c]


@helper
def add_scaled(y, source, at, n, sums_out, out_at):
    """sums += y source, n numbers. In views no index is negative, which lets the compiler take several at once."""
    given, sums = source[at : at + n], sums_out[out_at : out_at + n]
    for j in range(n):
        sums[j] += y * given[j]


@helper
def combined(rows, at, n, x, x_at):
    """x^T rows: a twist from n numbers and n rows."""
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(n):
        o, y = at + 6 * r, x[x_at + r]
        a += y * rows[o]
        b += y * rows[o + 1]
        c += y * rows[o + 2]
        d += y * rows[o + 3]
        e += y * rows[o + 4]
        f += y * rows[o + 5]
    return (a, b, c), (d, e, f)


@helper
def projected(rows, at, n, f, t, sums_out, out_at):
    """sums += rows (f, t): the power of a wrench along n rows."""
    for r in range(n):
        o = at + 6 * r
        sums_out[out_at + r] += dot(load(rows, o), f) + dot(load(rows, o + 3), t)


@helper
def coadjoint(a, b, f, t):
    """ad(a, b)^T (f, t)."""
    return cross(f, b), add(cross(f, a), cross(t, b))


@helper
def contracted(table, at, m, width, x, x_at, sums_out):
    """sums (m, width) = x^T table, a table (m, m, width)."""
    n = m * width
    for j in range(n):
        sums_out[j] = 0.0
    for i in range(m):
        add_scaled(x[x_at + i], table, at + i * n, n, sums_out, 0)


@helper
def load6(array, at):
    """Six numbers: a symmetric matrix."""
    return array[at], array[at + 1], array[at + 2], array[at + 3], array[at + 4], array[at + 5]


@helper
def add_symmetric(s, T, S):
    """s T + S of symmetric matrices."""
    return (
        s * T[0] + S[0], s * T[1] + S[1], s * T[2] + S[2], s * T[3] + S[3], s * T[4] + S[4], s * T[5] + S[5]
    )  # fmt: skip
