"""Collocation at Gauss points on a Lie group: order 2s with s stages, symmetric, never leaving the group.

H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Appl. Numer. Math. 29 (1999); coefficients from
E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), II.1. Within a step g = g_0 exp(w) (material)
or exp(w) g_0 (spatial); the collocation acts on the vector w of the algebra and on the other unknowns y.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array, Group

Field = Callable[[float, Any, Array], tuple[Array, Array]]
"""Takes (t, g, y); returns the velocity of g (dim,) and the rate of y."""

_MOST_ITERATIONS = 100
_FAR = 1e6  # a step this long in the algebra is a diverged one


@cache
def gauss(stages: int) -> tuple[Array, Array, Array]:
    """Return (c, b, a): nodes, weights and matrix of the Gauss method on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c, b = 0.5 * (1.0 + x), 0.5 * w
    a = np.empty((stages, stages))
    for i in range(stages):
        inner = c[i] * c
        for j in range(stages):
            others = np.delete(c, j)
            basis = np.prod((inner[:, None] - others) / (c[j] - others), axis=1)
            a[i, j] = c[i] * float(b @ basis)
    return c, b, a


def integrate(
    group: Group[Any],
    field: Field,
    g: Any,
    y: Array,
    times: Array,
    *,
    stages: int = 3,
    setting: str = "material",
    who: str = "integrate",
) -> tuple[list[Any], Array]:
    """Return elements and unknowns y at all ``times``: d g = g hat(eta) (or hat(eta) g), d y = f."""
    c, b, a = gauss(stages)
    left = setting == "material"
    elements, unknowns = [g], [np.array(y, dtype=float)]
    for start, end in pairwise(times):
        h = float(end - start)
        g, y = elements[-1], unknowns[-1]
        rates = np.tile(np.concatenate(field(float(start), g, y)), (stages, 1))
        change, converged = np.inf, False
        for _ in range(_MOST_ITERATIONS):
            inner = h * a @ rates
            if not float(np.max(np.abs(inner))) < _FAR:
                break
            new = np.empty_like(rates)
            for i in range(stages):
                w = inner[i, : group.dim]
                move = group.exp(w)
                at = group.compose(g, move) if left else group.compose(move, g)
                eta, f = field(float(start) + c[i] * h, at, y + inner[i, group.dim :])
                new[i, : group.dim] = group.tangent_inv(w if left else -w) @ eta
                new[i, group.dim :] = f
            last, change = change, float(np.max(np.abs(new - rates)))
            rates = new
            size = max(1.0, float(np.max(np.abs(rates))))
            if change <= 1e-15 * size or last <= change < 1e-10 * size:
                converged = True
                break
        if not converged:
            raise SolveError(f"{who}: no convergence at t = {start:.6g} with step {h:.3g}; take a shorter step")
        total = h * b @ rates
        move = group.exp(total[: group.dim])
        elements.append(group.compose(g, move) if left else group.compose(move, g))
        unknowns.append(y + total[group.dim :])
    return elements, np.array(unknowns)
