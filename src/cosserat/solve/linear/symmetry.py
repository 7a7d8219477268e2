"""Whether the stiffness of a mechanism is that of a potential."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import diags, identity
from scipy.sparse.linalg import splu

from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.scaling import without_units

if TYPE_CHECKING:
    from cosserat.solve.linear.point import OperatingPoint

_ASYMMETRY = 1e-5  # of the stiffness, in parts of the forces that act, that an equilibrium found by iteration may leave
_ROUNDING = 1e-13
_PROBES = 6  # motions on which the symmetry of the stiffness is looked at


def is_symmetric(point: OperatingPoint, matrices: Matrices) -> bool:
    """Whether the stiffness is that of a potential, but for rounding and what is left of the balance."""
    if matrices.slips is not None or matrices.inner is not None:
        return False
    compiled = point.compiled
    skew = matrices.stiffness - matrices.stiffness.T
    if skew.nnz == 0 or abs(skew).max() == 0.0:
        return True
    per_node = np.array([1.0, 1.0 / compiled.length]).repeat(3)  # rotations as displacements of that length
    weight = diags(np.tile(per_node, compiled.n_nodes))
    uneven = abs(weight @ skew @ weight).max()
    rounding = _ROUNDING * abs(weight @ matrices.stiffness @ weight).max()
    accepted = _ASYMMETRY * max(point.acting_forces()) / compiled.length + rounding
    return bool(uneven <= accepted) or _even_where_allowed(matrices, accepted)


def _even_where_allowed(matrices: Matrices, accepted: float) -> bool:
    """Whether the skew part of the stiffness does no work on motions that the joints allow, some of them at random.

    Reactions and springs of a joint that is bent each have one; on such motions they cancel.
    """
    scaled, units = without_units(matrices)
    size, rows = scaled.mass.shape[0], scaled.constraints.shape[0]
    if rows == 0:
        return False
    right = np.zeros((size + rows, _PROBES))
    right[:size] = np.random.default_rng(3).normal(size=(size, _PROBES))
    x = splu(scaled.bordered(identity(size, format="csc"))).solve(right)[:size]
    skew = 0.5 * (scaled.stiffness - scaled.stiffness.T)
    work = np.abs(x.T @ (skew @ x))
    terms = np.abs(x).T @ (abs(scaled.stiffness) @ np.abs(x))
    unit = units.inertia * (units.rate / matrices.length) ** 2
    return bool(np.all(work <= _ROUNDING * terms + accepted / unit * (np.abs(x).T @ np.abs(x))))
