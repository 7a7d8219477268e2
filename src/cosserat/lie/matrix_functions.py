"""Functions of small dense matrices: exponential, logarithm, and phi(A) = (e^A - 1)/A with its derivative.

SciPy has the first two; the groups rest on NumPy alone. N. J. Higham, Functions of Matrices (2008), chapters 10-11.
"""

import math

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie.protocol import Array

_PADE = [math.factorial(26 - k) // (math.factorial(13 - k) * math.factorial(k)) for k in range(14)]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_SMALL = 5.4  # norm below which the Pade approximant of order 13 is exact to rounding
_NEAR = 0.2  # distance from the unit matrix below which eight points give the logarithm to rounding


def exponential(A: Array) -> Array:
    """Return e^A by scaling, a Pade approximant of order 13, and squaring."""
    norm = float(np.max(np.sum(np.abs(A), axis=0), initial=0.0))
    s = max(0, math.ceil(math.log2(norm / _SMALL))) if norm > _SMALL else 0
    B = A / 2.0**s
    B2 = B @ B
    one = np.eye(len(A))
    even, odd = _PADE[12] * one, _PADE[13] * one
    for k in range(5, -1, -1):
        even = even @ B2 + _PADE[2 * k] * one
        odd = odd @ B2 + _PADE[2 * k + 1] * one
    odd = B @ odd
    X = np.linalg.solve(even - odd, even + odd)
    for _ in range(s):
        X = X @ X
    return np.asarray(X)


def logarithm(A: Array, what: str) -> Array:
    """Return the principal logarithm of A, or raise an error that starts with ``what`` where there is none."""
    values = np.linalg.eigvals(A)
    scale = float(np.max(np.abs(values)))
    if np.any((values.real <= 0.0) & (np.abs(values.imag) <= 1e-12 * scale)):
        raise GeometryError(
            f"{what}: an eigenvalue of the matrix is not positive ({values.real.min():.6g}), it has no principal "
            "logarithm; take the logarithm of a part of the motion, closer to the identity"
        )
    one, X, doublings = np.eye(len(A)), A, 0
    while float(np.max(np.abs(X - one))) * len(A) > _NEAR and doublings < 60:
        X, doublings = _square_root(X), doublings + 1
    D = X - one
    log = np.zeros_like(D)
    for node, weight in zip(_NODES, _WEIGHTS):
        log += 0.5 * weight * np.linalg.solve(one + 0.5 * (1.0 + node) * D, D)
    return log * 2.0**doublings


def _square_root(A: Array) -> Array:
    """Return the principal square root by Denman and Beavers' iteration in product form."""
    one = np.eye(len(A))
    X, M = A, A
    for _ in range(40):
        inverse = np.linalg.inv(M)
        X = 0.5 * X @ (one + inverse)
        M = 0.5 * (one + 0.5 * (M + inverse))
        if float(np.max(np.abs(M - one))) < 1e-15 * len(A):
            break
    return X


def phi(A: Array) -> Array:
    """Return phi(A) = sum A^k/(k + 1)!, a block of the exponential of [[A, 1], [0, 0]]."""
    n = len(A)
    B = np.zeros((2 * n, 2 * n))
    B[:n, :n] = A
    B[:n, n:] = np.eye(n)
    return exponential(B)[:n, n:]


def phi_derivative(A: Array, dA: Array) -> Array:
    """Return D phi(A)[dA], a block of phi([[A, dA], [0, A]])."""
    n = len(A)
    B = np.zeros((2 * n, 2 * n))
    B[:n, :n] = B[n:, n:] = A
    B[:n, n:] = dA
    return phi(B)[:n, n:]
