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

from cosserat.solve.linear.bordered import Bordered
from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.inner import joined
from cosserat.solve.linear.matrices import Matrices

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_ALL = 60  # free motions up to which all modes make the first basis, and no lag counts as idle
_SPARE = 12  # modes of the structure beyond those that are wanted
_IDLE = 0.02  # relative distance from the decay of a state by itself
_ZERO = 1e-7  # |s| relative to the largest that is a double zero with rounding
_APART = 1e-4  # relative distance from which two eigenvalues are refined each for itself
_STILL = 1e-12  # share of the motion in the shape of a state that decays and moves nothing
_REFINED = 1e-12
_TURNS = 8


def lagged_pairs(matrices: Matrices, n: int) -> tuple[Complex, Complex]:
    """The n eigenvalues nearest zero and motions (6n, k) of equations without units.

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
    values = np.where(np.abs(values) <= _ZERO * np.max(np.abs(values), initial=0.0), 0.0, values)
    keep = values.imag >= 0.0
    if free > _ALL:
        decays = np.linalg.eigvals(inner.rate.toarray())
        near = np.min(np.abs(values[:, None] - decays[None, :]), axis=1) <= _IDLE * np.abs(values)
        keep &= ~(near & (values.real < 0.0))
    order = np.nonzero(keep)[0]
    order = order[np.argsort(np.abs(values[order]), kind="stable")]
    full = joined(matrices)
    out_values: list[complex] = []
    out_shapes: list[NDArray[Any]] = []
    for k in order:
        if len(out_values) >= n:
            break
        s, z = complex(values[k]), np.concatenate((V @ vectors[:m, k], vectors[2 * m :, k]))
        others = np.abs(np.delete(values, k) - s)
        if s != 0.0 and np.min(others, initial=np.inf) > _APART * abs(s):
            s, z = _refined(full, s, z)
        x = z[: len(V)]
        size = float(np.linalg.norm(x))
        if size <= _STILL * np.linalg.norm(z):
            continue
        x = x / size
        for value, shape in ((s, x),) if s.imag == 0.0 else ((s, x), (s.conjugate(), x.conj())):
            out_values.append(value)
            out_shapes.append(shape)
    order = np.argsort(np.abs(out_values), kind="stable")
    return np.array(out_values, dtype=complex)[order], np.array(out_shapes, dtype=complex)[order].T


def _refined(full: Matrices, s: complex, z: Complex) -> tuple[complex, Complex]:
    """Newton's method for P(s) z = 0: u = P^-1 P' z, s - (z.z)/(z.u)."""
    start = s, z
    for _ in range(_TURNS):
        shift = s if s.imag else s.real
        try:
            u = Bordered(full, shift * shift, shift).solve(2.0 * shift * (full.mass @ z) + full.damping @ z)
        except RuntimeError:
            return s, z  # it is the eigenvalue
        step = complex(np.vdot(z, z) / np.vdot(z, u))
        s = complex(s - step) if start[0].imag else complex((s - step).real)
        z = u / np.linalg.norm(u)
        if not np.isfinite(s) or abs(s - start[0]) > 0.5 * abs(start[0]):
            return start  # it went to another
        if abs(step) <= _REFINED * abs(s):
            break
    return s, z
