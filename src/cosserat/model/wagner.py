"""Lags that stand for the wake of a thin aerofoil: Wagner's and Kuessner's functions as sums of exponentials."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.model import checks

Lags = tuple[tuple[float, float], ...]

JONES: Lags = ((0.165, 0.0455), (0.335, 0.3))
"""Lags (A, b) of R. T. Jones, NACA Report 681 (1940): Wagner's function 1 - sum A exp(-b s), s in half chords."""

MOST = 8
_LEAST = 1e-6  # half chords


def theodorsen(k: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Theodorsen's function C(k) = H1/(H1 + i H0) of Hankel functions of the second kind (NACA Report 496, 1935)."""
    return _lag(np.asarray(1j * k, dtype=np.complex128))


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
    checks.integer("wagner_lags", "n", n, 1, MOST)
    return JONES if n == 2 else _fitted(n, theodorsen, 0.5, 5.0, 0.02)


SEARS: Lags = ((0.5, 0.13), (0.5, 1.0))
"""Lags (A, b) of W. R. Sears, J. Franklin Inst. 230 (1940): Kuessner's function 1 - sum A exp(-b s)."""


def sears(k: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Lift in a sinusoidal gust, counted from its phase at the leading edge: ((J0 - i J1) C + i J1) exp(-i k)."""
    return _entered(np.asarray(1j * k, dtype=np.complex128))


@functools.cache
def kuessner_lags(n: int) -> Lags:
    """So many lags of Kuessner's function, fitted to the lift in sinusoidal gusts; two are those of Sears.

    Examples
    --------
    >>> kuessner_lags(2) == SEARS
    True
    >>> lags = kuessner_lags(4)
    >>> s = np.array([0.5, 2.0, 8.0])
    >>> bool(np.abs(1 - sum(A * np.exp(-b * s) for A, b in lags) - kuessner(s)).max() < 0.01)
    True
    """
    checks.integer("kuessner_lags", "n", n, 1, MOST)
    return SEARS if n == 2 else _fitted(n, sears, 1.0, 20.0, 0.05)


def _fitted(n: int, wanted_of: Callable[..., NDArray[np.complex128]], total: float, most: float, slow: float) -> Lags:
    """n lags whose A add up to `total`, for reduced frequencies from 0.001 to `most`."""
    from scipy.optimize import least_squares

    k = np.logspace(-3, np.log10(most), 60)
    wanted = wanted_of(k)

    def shares(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """A of decays b = exp(logs), best for these and with their sum."""
        basis = 1j * k[:, None] / (1j * k[:, None] + np.exp(logs)[None, :])
        free, fixed = basis[:, :-1] - basis[:, -1:], 1.0 - wanted - total * basis[:, -1]
        A, *_ = np.linalg.lstsq(np.vstack((free.real, free.imag)), np.concatenate((fixed.real, fixed.imag)), rcond=None)
        return np.append(A, total - A.sum())

    def misfit(logs: NDArray[np.float64]) -> NDArray[np.float64]:
        basis = 1j * k[:, None] / (1j * k[:, None] + np.exp(logs)[None, :])
        rest = 1.0 - basis @ shares(logs) - wanted
        return np.concatenate((rest.real, rest.imag))

    start = np.linspace(np.log(slow), np.log(most / 5.0), n) if n > 1 else np.array([np.log(0.15)])
    logs = np.sort(least_squares(misfit, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).x)
    return tuple((float(A), float(np.exp(b))) for A, b in zip(shares(logs), logs, strict=True))


def wagner(s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wagner's function, exact: lift after a sudden start, of the steady one; s >= 0 in half chords.

    Examples
    --------
    >>> wagner(np.array([1.0, 10.0])).round(4).tolist()
    [0.6006, 0.875]
    """
    return _inverted(s, _lag, 0.5)


def kuessner(s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Kuessner's function, exact: lift of a wing that enters a sharp gust, s >= 0 in half chords from its edge.

    Examples
    --------
    >>> kuessner(np.array([1.0, 10.0])).round(3).tolist()
    [0.417, 0.856]
    """
    return _inverted(s, _entered, 0.0)


def _lag(p: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Theodorsen's function of p = i k: K1/(K0 + K1)."""
    from scipy.special import kve

    return np.asarray(kve(1, p) / (kve(0, p) + kve(1, p)))


def _entered(p: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The lift in a gust as a function of p = i k: exp(-p) (I0 K1 + I1 K0)/(K0 + K1), with the Wronskian of I and K."""
    from scipy.special import kve

    return np.asarray(1.0 / (p * (kve(0, p) + kve(1, p))))


def _inverted(
    s: NDArray[np.float64], transform: Callable[..., NDArray[np.complex128]], start: float
) -> NDArray[np.float64]:
    """Step response, `start` at zero, of a transfer function of p: inverse Laplace transform along Talbot's contour.

    Source: J. Abate, P. P. Valko, Int. J. Numer. Meth. Eng. 60 (2004) 979-993.
    """
    given = np.asarray(s, dtype=float)
    s = np.maximum(given.ravel(), _LEAST)
    M = 24
    theta = np.arange(1, M) * np.pi / M
    cot = 1.0 / np.tan(theta)
    nodes = np.concatenate(([0.4 * M + 0j], 0.4 * np.arange(1, M) * np.pi * (cot + 1j)))
    turn = 1j * theta * (1.0 + cot**2) - 1j * cot
    weights = np.concatenate(([0.5 * np.exp(nodes[0])], (1.0 + turn) * np.exp(nodes[1:])))
    p = nodes[None, :] / s[:, None]
    found = 0.4 / s * np.sum(np.real(weights[None, :] * transform(p) / p), axis=1)
    return np.asarray(np.where(given > 0.0, found.reshape(given.shape), start))
