"""Noether's theorem on a group: which translations leave a Lagrangian as it is, and the momenta this conserves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.matrix_group import reduced
from cosserat.lie.protocol import Array
from cosserat.model.algebra import exact, sp
from cosserat.symbolic.evaluate import entries

if TYPE_CHECKING:
    from cosserat.symbolic.poincare import PoincareChetayev


@dataclass(frozen=True)
class Current:
    """A conserved current: sum_i d_i densities[i] = 0 along every motion without forces.

    Attributes
    ----------
    side : str
        "left": invariance under g -> exp(eps xi) g, motions of space; "right": under g -> g exp(eps xi), motions of the
        material.
    generator : column (dim, 1)
        The vector xi of the algebra.
    densities : dict
        One expression per parameter; with the parameter t alone, ``densities["t"]`` is a first integral.
    """

    side: str
    generator: Any
    densities: dict[str, Any]


def currents(problem: PoincareChetayev) -> list[Current]:
    """Return one current per generator of a symmetry, left translations first."""
    jets, group, L = problem.jets, problem.group, problem.lagrangian
    own, other = ("right", "left") if problem.setting == "material" else ("left", "right")
    sign = 1 if problem.setting == "material" else -1
    # Variation of L when g is translated on the side of the setting: eta changes by +-[eta, xi], g by the defect.
    turned = sp.zeros(group.dim, 1)
    for p in problem.parameters:
        turned += sign * group.ad(problem.eta[p]).T * problem.momenta[p]
    variations = {
        own: turned + problem.defect,
        other: jets.defect(L, "spatial" if problem.setting == "material" else "material"),
    }
    inverse = group.inverse(jets.g)
    found = []
    for side in ("left", "right"):
        for xi in _kernel(problem, variations[side]):
            carried = xi
            if side != own:
                X = group.hat(xi)
                carried = group.vee(inverse * X * jets.g if side == "left" else jets.g * X * inverse)
            densities = {p: problem.momenta[p].dot(carried) for p in problem.parameters}
            found.append(Current(side, xi, densities))
    return found


def _kernel(problem: PoincareChetayev, variation: Any) -> list[Any]:
    """Return the constant vectors xi with <variation, xi> = 0 for every state: from values at random states.

    A component counts as zero where it is so compared with the terms it is made of: units do not matter.
    """
    dim = problem.group.dim
    if all(v == 0 for v in variation):
        return [sp.Matrix(sp.eye(dim)[:, a]) for a in range(dim)]
    rows, sizes = _samples(problem, variation)
    unit = np.where(sizes > 0.0, sizes, 1.0)
    _, values, vectors = np.linalg.svd(rows / unit)
    rank = int(np.sum(values > 1e-12))
    if rank == dim:
        return []
    found = reduced(vectors[rank:])
    first = [int(np.flatnonzero(row)[0]) for row in found]
    return [sp.Matrix([_neat(x) for x in row * (unit[k] / unit)]) for k, row in zip(first, found, strict=True)]


def _neat(x: float) -> Any:
    """A fraction where a number is one but for the rounding of a null space."""
    ratio = Fraction(x).limit_denominator(1000)
    return exact(float(ratio) if abs(float(ratio) - x) <= 1e-12 * abs(x) else x)


def _samples(problem: PoincareChetayev, variation: Any) -> tuple[Array, Array]:
    """Values (n, dim) of a variation at random states, and sizes (dim,) of the terms of its components."""
    dim, numeric = problem.group.dim, problem.group.numeric
    symbols, numbers_of = entries(problem)
    others = sorted(variation.free_symbols.difference(symbols), key=str)
    function = sp.lambdify([*symbols, *others], [*variation, *(_size(v) for v in variation)], "numpy")
    rng = np.random.default_rng(0)
    found: list[Any] = []
    with np.errstate(all="ignore"):
        for k in range(40 * dim + 40):  # wider and wider, for Lagrangians that are not defined everywhere
            spread = 1.0 + k // (6 * dim + 8)
            g = numeric.exp(spread * rng.uniform(-0.8, 0.8, dim))
            row = function(*numbers_of(g), *rng.uniform(0.4, 1.6, len(others)) * spread)
            if np.isrealobj(row) and np.isfinite(row).all():
                found.append(row)
            if len(found) == 3 * dim + 4:
                values = np.array(found, dtype=float)
                return values[:, :dim], values[:, dim:].max(axis=0)
    raise ArgumentError(
        "PoincareChetayev", "lagrangian", f"has no finite value at most of {k + 1} random states, at which conserved() "
        "looks for symmetries; shift or scale its variables so that values of about 1 are within its domain"
    )  # fmt: skip


def _size(expression: Any) -> Any:
    """The expression with absolute values of all its terms: what its rounding is compared with."""
    if expression.is_Add or expression.is_Mul:
        return expression.func(*(_size(x) for x in expression.args))
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        return _size(expression.base) ** expression.exp
    return sp.Abs(expression)
