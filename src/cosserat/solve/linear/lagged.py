"""Eigenvalues of mechanisms whose laws own states, such as the lags of unsteady aerodynamics.

Strips along a wing have dozens of lags that decay at nearly one rate and hardly move anything; a Krylov space about
zero would find these. So the motion is first sought in modes of the structure, with all states of laws: a small dense
problem. What it finds, but for idle lags, is then refined in the full equations, by inverse iteration with shifts that
follow the eigenvalue (Newton's method): what the first basis lacks does not matter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.inner import joined
from cosserat.solve.linear.inverse import Bordered
from cosserat.solve.linear.matrices import Matrices

Complex = NDArray[np.complex128]

_ALL = 60  # free motions up to which all modes make the first basis, and few lags count as idle
_SPARE = 12  # modes of the structure beyond those that are wanted
_MANY = 12  # states of laws, more than there are motions, from which those that hardly move anything are idle
_FAINT = 1e-5  # imaginary part relative to |s| that rounding makes of equal real ones
_IDLE = 0.02  # relative distance from the decay of a state by itself
_ZERO = 1e-7  # |s| relative to the largest that may be a double zero with rounding
_SIMPLE = 1e-4  # step of Newton's method, relative to that, to which only a simple eigenvalue comes
_ROUNDING = 1e-14  # |s| relative to the largest that is zero
_GROWING = 1e-9  # real part relative to |s| that is not rounding
_DECAYING = 4  # one of so many eigenvalues at most is one that decays without oscillation
_APART = 1e-4  # relative distance from which two eigenvalues are refined each for itself
_STILL = 1e-12  # share of the motion in the shape of a state that decays and moves nothing
_REFINED = 1e-12
_TURNS = 8


def lagged_pairs(matrices: Matrices, n: int) -> tuple[Complex, Complex]:
    """n eigenvalues that oscillate or grow, nearest zero, some that decay, and motions (6n, k) of equations without
    units.

    Idle lags, and states that move nothing, are left out.
    """
    inner = matrices.inner
    assert inner is not None
    free = matrices.mass.shape[0] - matrices.constraints.shape[0]
    alone = replace(matrices, inner=None)
    wanted = free if free <= _ALL else min(free, n + _SPARE)
    V = symmetric_modes(alone.symmetric(), wanted).shapes
    m, ny = V.shape[1], inner.rate.shape[0]
    forces = np.hstack((matrices.form(V, V), V.T @ (matrices.damping @ V), -(V.T @ inner.push.toarray())))
    A = np.zeros((2 * m + ny, 2 * m + ny))
    A[:m, m : 2 * m] = np.eye(m)
    A[m : 2 * m] = -np.linalg.solve(V.T @ (matrices.mass @ V), forces)
    A[2 * m :] = np.hstack((inner.position @ V, inner.velocity @ V, inner.rate.toarray()))
    values, vectors = np.linalg.eig(A)
    shapes = np.vstack((V @ vectors[:m], vectors[2 * m :]))
    full, largest = joined(matrices), float(np.max(np.abs(values), initial=0.0))
    values, shapes = _told_from_zero(full, values, shapes, largest)
    faint = (np.abs(values.imag) <= _FAINT * np.abs(values)) & (values.real < 0.0)
    keep = values.imag >= 0.0
    values = np.where(faint, values.real, values)  # lags of many strips that decay alike
    if free > _ALL or ny > max(free, _MANY):
        decays = np.linalg.eigvals(inner.rate.toarray())
        near = np.min(np.abs(values[:, None] - decays[None, :]), axis=1) <= _IDLE * np.abs(values)
        keep &= ~(near & (values.real < 0.0))
    out_values: list[complex] = []
    out_shapes: list[NDArray[Any]] = []
    for k in _first(values, np.nonzero(keep)[0], n):
        s, z = complex(values[k]), shapes[:, k]
        apart = float(np.min(np.abs(np.delete(values, k) - s), initial=largest))
        if abs(s) > _ZERO * largest and apart > _APART * abs(s):
            # beyond, it goes to another; what the first basis lacks may be more than all of an s near zero
            found = _followed(full, s, z, s, 0.5 * max(abs(s), apart))
            s, z = (s, z) if found is None else found[:2]
        x = z[: len(V)]
        size = float(np.linalg.norm(x))
        if size <= _STILL * np.linalg.norm(z):
            continue
        x = x / size
        for value, shape in ((s, x),) if s.imag == 0.0 else ((s, x), (s.conjugate(), x.conj())):
            out_values.append(value)
            out_shapes.append(shape)
    order = np.argsort(np.abs(out_values), kind="stable")
    rows = np.array(out_shapes, dtype=complex).reshape(-1, len(V))
    return np.array(out_values, dtype=complex)[order], rows[order].T


def _first(values: Complex, candidates: NDArray[np.int_], n: int) -> NDArray[np.int_]:
    """Which of the candidates make n eigenvalues: all that grow, then those nearest zero.

    Of those that only decay no more than a part are taken, unless nothing else is left: what flutters must not be
    hidden behind dozens of lags that are slower.
    """
    order = candidates[np.argsort(np.abs(values[candidates]), kind="stable")]
    s = values[order]
    decaying = (s.imag == 0.0) & (s.real < 0.0)
    rank = np.zeros(len(order))
    rank[decaying] = np.cumsum(decaying[decaying]) > max(n // _DECAYING, 1)
    rank[s.real > _GROWING * np.abs(s)] = -1.0
    order = order[np.argsort(rank, kind="stable")]
    weight = np.where(values[order].imag > 0.0, 2, 1)
    grow = int(np.count_nonzero(rank < 0.0))
    return order[: max(int(np.searchsorted(np.cumsum(weight), n)) + 1, grow)]


def _told_from_zero(full: Matrices, values: Complex, shapes: Complex, largest: float) -> tuple[Complex, Complex]:
    """Values and shapes where those that rounding may have made of a double zero are zero, or what they are.

    A free motion has the eigenvalue zero twice with one shape: it comes out as the square root of rounding errors, and
    Newton's method comes nearer by halves. A simple eigenvalue near zero, as of a wing that is about to diverge, is
    found to full precision in a few turns.
    """
    values, shapes = values.copy(), shapes.astype(complex)
    reach = _ZERO * largest
    simple: list[int] = []
    for k in np.nonzero((np.abs(values) <= reach) & (values.imag >= 0.0))[0]:
        z = shapes[:, k] / np.linalg.norm(shapes[:, k])
        found = _followed(full, complex(values[k]), z, 0.0, 10.0 * reach, _SIMPLE**2 * reach)
        values[k] = 0.0
        if found is None or found[2] > _SIMPLE * reach:
            continue
        s, z, _ = found
        if all(abs(np.vdot(z, shapes[:, i])) <= 1.0 - _APART for i in simple):
            values[k], shapes[:, k] = 0.0 if abs(s) <= _ROUNDING * largest else s, z
            simple.append(int(k))
    below = (np.abs(values) <= reach) & (values.imag < 0.0)
    values[below] = 0.0
    return values, shapes


def _newton(full: Matrices, s: complex, z: Complex) -> tuple[complex, Complex, float]:
    """One step of Newton's method for P(s) z = 0: u = P^-1 P' z, s - (z.z)/(z.u); and its size."""
    shift = s if s.imag else s.real
    u = Bordered(full, shift * shift, shift).solve(2.0 * shift * (full.mass @ z) + full.damping @ z)
    step = complex(np.vdot(z, z) / np.vdot(z, u))
    return complex(s - step), u / np.linalg.norm(u), abs(step)


def _followed(
    full: Matrices, s: complex, z: Complex, centre: complex, radius: float, least: float = 0.0
) -> tuple[complex, Complex, float] | None:
    """Newton's method from an eigenvalue and its shape, and its last step; None where it leaves a circle."""
    real, step = not s.imag, np.inf
    for _ in range(_TURNS):
        try:
            s, z, step = _newton(full, s, z)
        except RuntimeError:
            return s, z, 0.0  # it is the eigenvalue
        s = complex(s.real) if real else s
        if not np.isfinite(s) or abs(s - centre) > radius:
            return None
        if step <= max(_REFINED * abs(s), least):
            break
    return s, z, step
