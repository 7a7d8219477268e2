"""Three-vectors and 3x3 matrices as tuples of numbers (matrices row by row)."""

from cosserat.jit import helper, inlined


@helper
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@helper
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@helper
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@helper
def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@helper
def axpy(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@helper
def neg(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@helper
def mul(R, a):
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@helper
def mul_t(R, a):
    """R^T a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@helper
def matmul(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@helper
def transpose(A):
    """A^T."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@helper
def skew(a):
    """Cross-product matrix of a."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@helper
def outer(a, b):
    """a b^T."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@helper
def spiral(s, a):
    """s I + a~."""
    return (s, -a[2], a[1], a[2], s, -a[0], -a[1], a[0], s)


@helper
def add_outer(a, b, M):
    """M + a b^T."""
    return (
        M[0] + a[0] * b[0], M[1] + a[0] * b[1], M[2] + a[0] * b[2],
        M[3] + a[1] * b[0], M[4] + a[1] * b[1], M[5] + a[1] * b[2],
        M[6] + a[2] * b[0], M[7] + a[2] * b[1], M[8] + a[2] * b[2],
    )  # fmt: skip


@helper
def cross_columns(a, B):
    """a~ B."""
    return (
        a[1] * B[6] - a[2] * B[3], a[1] * B[7] - a[2] * B[4], a[1] * B[8] - a[2] * B[5],
        a[2] * B[0] - a[0] * B[6], a[2] * B[1] - a[0] * B[7], a[2] * B[2] - a[0] * B[8],
        a[0] * B[3] - a[1] * B[0], a[0] * B[4] - a[1] * B[1], a[0] * B[5] - a[1] * B[2],
    )  # fmt: skip


@helper
def combine(s, A, t, B):
    """s A + t B for matrices."""
    return (
        s * A[0] + t * B[0], s * A[1] + t * B[1], s * A[2] + t * B[2],
        s * A[3] + t * B[3], s * A[4] + t * B[4], s * A[5] + t * B[5],
        s * A[6] + t * B[6], s * A[7] + t * B[7], s * A[8] + t * B[8],
    )  # fmt: skip


@inlined
def symmetric(S, a):
    """S a, S symmetric: xx xy xz yy yz zz."""
    return (
        S[0] * a[0] + S[1] * a[1] + S[2] * a[2],
        S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[2] * a[0] + S[4] * a[1] + S[5] * a[2],
    )


@helper
def load(array, offset):
    """Three numbers of a one-dimensional array as a vector."""
    return (array[offset], array[offset + 1], array[offset + 2])


@helper
def load_matrix(array, offset):
    """Nine numbers of a one-dimensional array as a matrix."""
    return (
        array[offset], array[offset + 1], array[offset + 2],
        array[offset + 3], array[offset + 4], array[offset + 5],
        array[offset + 6], array[offset + 7], array[offset + 8],
    )  # fmt: skip


@helper
def store(a, array_out, offset):
    """Write a vector into a one-dimensional array."""
    array_out[offset] = a[0]
    array_out[offset + 1] = a[1]
    array_out[offset + 2] = a[2]


@helper
def accumulate(a, array_out, offset):
    """Add a vector into a one-dimensional array."""
    array_out[offset] += a[0]
    array_out[offset + 1] += a[1]
    array_out[offset + 2] += a[2]


@helper
def add_to_nodes(wrenches, a, b, r_out):
    """Add wrenches (f_A, m_A, f_B, m_B) into the rows a and b of a two-dimensional array."""
    accumulate(wrenches[0], r_out[a], 0)
    accumulate(wrenches[1], r_out[a], 3)
    accumulate(wrenches[2], r_out[b], 0)
    accumulate(wrenches[3], r_out[b], 3)


@helper
def add_block(s, A, matrix_out, row, column):
    """Add s A, a 3x3 matrix, into a two-dimensional array at (row, column).

    The position is given in floats, since Numba would compile the function anew for every integer literal.
    """
    i, j = int(row), int(column)
    matrix_out[i, j] += s * A[0]
    matrix_out[i, j + 1] += s * A[1]
    matrix_out[i, j + 2] += s * A[2]
    matrix_out[i + 1, j] += s * A[3]
    matrix_out[i + 1, j + 1] += s * A[4]
    matrix_out[i + 1, j + 2] += s * A[5]
    matrix_out[i + 2, j] += s * A[6]
    matrix_out[i + 2, j + 1] += s * A[7]
    matrix_out[i + 2, j + 2] += s * A[8]


@helper
def clear(matrix_out):
    """Zero a two-dimensional array."""
    for i in range(matrix_out.shape[0]):
        for j in range(matrix_out.shape[1]):
            matrix_out[i, j] = 0.0


@helper
def copy_row(source, row_out):
    """Copy a one-dimensional array."""
    for i in range(len(source)):
        row_out[i] = source[i]


@helper
def copy(source, matrix_out):
    """Copy a two-dimensional array."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            matrix_out[i, j] = source[i, j]


ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
