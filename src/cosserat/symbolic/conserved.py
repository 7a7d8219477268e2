"""Noether's theorem on a group: which translations leave a Lagrangian as it is, and the momenta this conserves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.lie.matrix_group import reduced
from cosserat.symbolic.dependency import sp

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
    """Return the constant vectors xi with <variation, xi> = 0 for every state: from values at random states."""
    dim = problem.group.dim
    if all(v == 0 for v in variation):
        return [sp.Matrix(sp.eye(dim)[:, a]) for a in range(dim)]
    numeric = problem.group.numeric
    entries = [(s, i, j) for (i, j), s in np.ndenumerate(np.array(problem.g.tolist())) if s.is_Symbol]
    others = sorted(variation.free_symbols - {s for s, _, _ in entries}, key=str)
    function = sp.lambdify([*(s for s, _, _ in entries), *others], list(variation), "numpy")
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(3 * dim + 4):
        g = numeric.matrix(numeric.exp(rng.uniform(-0.8, 0.8, dim)))
        rows.append(function(*(g[i, j] for _, i, j in entries), *rng.uniform(0.4, 1.6, len(others))))
    _, values, vectors = np.linalg.svd(np.array(rows, dtype=float))
    rank = int(np.sum(values > 1e-9 * max(1.0, values[0])))
    if rank == dim:
        return []
    space = sp.Matrix([[sp.nsimplify(round(v, 12), rational=True) for v in row] for row in reduced(vectors[rank:])])
    return [space[k, :].T for k in range(space.shape[0])]
