"""Lags that stand for the wake of a thin aerofoil: Wagner's function as a sum of exponentials."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ArgumentError

Lags = tuple[tuple[float, float], ...]

JONES: Lags = ((0.165, 0.0455), (0.335, 0.3))
"""Lags (A, b) of R. T. Jones, NACA Report 681 (1940): Wagner's function 1 - sum A exp(-b s), s in half chords."""

MOST = 8


def theodorsen(k: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Theodorsen's function C(k) = H1/(H1 + i H0) of Hankel functions of the second kind (NACA Report 496, 1935)."""
    from scipy.special import hankel2

    first, zeroth = hankel2(1, k), hankel2(0, k)
    return np.asarray(first / (first + 1j * zeroth), dtype=np.complex128)


@functools.cache
def wagner_lags(n: int) -> Lags:
    """So many lags, fitted to Theodorsen's function for reduced frequencies from 0.001 to 5; two are those of Jones.

    C(k) = 1 - sum A i k/(i k + b), with sum A = 1/2, the limit of fast motions.

    Examples
    --------
    >>> wagner_lags(2) == JONES
    True
    >>> lags = wagner_lags(4)
    >>> round(sum(A for A, _ in lags), 12)
    0.5
    >>> worst = max(abs(1 - sum(A * 1j * k / (1j * k + b) for A, b in lags) - theodorsen(k)) for k in (0.05, 0.3, 1.0))
    >>> bool(worst < 2e-3)
    True
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MOST:
        raise ArgumentError("wagner_lags", "n", f"is {n!r}; pass a number of lags from 1 to {MOST}")
    if n == 2:
        return JONES
    from scipy.optimize import least_squares

    k = np.logspace(-3, np.log10(5.0), 60)
    wanted = theodorsen(k)

    def shares(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """A of decays b = exp(logs), best for these and with their sum."""
        basis = 1j * k[:, None] / (1j * k[:, None] + np.exp(logs)[None, :])
        free, fixed = basis[:, :-1] - basis[:, -1:], 1.0 - wanted - 0.5 * basis[:, -1]
        A, *_ = np.linalg.lstsq(np.vstack((free.real, free.imag)), np.concatenate((fixed.real, fixed.imag)), rcond=None)
        return np.append(A, 0.5 - A.sum())

    def misfit(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        basis = 1j * k[:, None] / (1j * k[:, None] + np.exp(logs)[None, :])
        rest = 1.0 - basis @ shares(logs) - wanted
        return np.concatenate((rest.real, rest.imag))

    start = np.linspace(np.log(0.02), np.log(1.0), n) if n > 1 else np.array([np.log(0.15)])
    logs = np.sort(least_squares(misfit, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).x)
    return tuple((float(A), float(np.exp(b))) for A, b in zip(shares(logs), logs, strict=True))
