"""Linear equations without dimensions, so that their solution does not depend on the units of the model.

Displacements count in typical lengths, forces and times in units that follow from the mass and the stiffness: entries
of all matrices are then near one, and the rounding errors of algebra that mixes displacements with turns, or motions
with reactions, are the same whatever the units.
Whether the stiffness is that of a potential is asked in such units, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, diags

from cosserat.lie.protocol import Array
from cosserat.solve.gradients import nearest_motion
from cosserat.solve.linear.elastic import Elastic
from cosserat.solve.linear.matrices import Matrices

if TYPE_CHECKING:
    from cosserat.solve.linear.point import OperatingPoint

_SLOW = 1e-3  # rate of the stiffness, relative to that of the states of laws, below which it is no unit
_ASYMMETRY = 1e-5  # of the stiffness, in parts of the forces that act, that an equilibrium found by iteration may leave
_ROUNDING = 1e-13
_PROBES = 6  # motions on which the symmetry of the stiffness is looked at


@dataclass(frozen=True)
class Units:
    """x = motion y, eigenvalues s = rate s', and x^T M x = inertia y^T M' y."""

    motion: Array  # (6n,)
    rate: float  # 1/s
    inertia: float  # kg m^2
    rows: Array  # (m,) what the constraints were divided by

    def shapes(self, shapes: NDArray[Any]) -> NDArray[Any]:
        """Motions (6n, k) in the units of the model."""
        return self.motion[:, None] * shapes


def without_units(matrices: Matrices) -> tuple[Matrices, Units]:
    """The same equations with lengths, masses and times in units of their own."""
    size = matrices.mass.shape[0]
    length = _round(matrices.length)
    if matrices.unit is not None:
        motion = np.array([_round(float(x)) for x in matrices.unit])
    else:
        motion = np.tile([length, 1.0], size // 6).repeat(3) if size % 6 == 0 else np.ones(size)
    S = diags(motion)
    heavy = np.abs(matrices.mass.diagonal()) * motion**2
    inertia = _round(float(np.mean(heavy[heavy > 0.0]))) if np.any(heavy) else 1.0
    stiff = np.asarray(abs(S @ matrices.stiffness @ S).max(axis=1).todense()).ravel()
    drag = float(abs(S @ matrices.damping @ S).max()) if matrices.damping.nnz else 0.0
    rate = float(np.sqrt(np.mean(stiff[stiff > 0.0]) / inertia)) if np.any(stiff) else drag / inertia
    if matrices.inner is not None:  # where only states of laws pull back, the stiffness is a rounding error
        rate = max(rate, _SLOW * matrices.inner.typical_rate(motion, inertia))
    rate = _round(rate)
    factors = 1.0 / inertia, 1.0 / (inertia * rate), 1.0 / (inertia * rate**2)
    given = matrices.mass, matrices.damping, matrices.stiffness
    M, D, K = (csc_matrix(f * (S @ A @ S)) for f, A in zip(factors, given, strict=True))
    phi = (matrices.constraints @ S).tocsr()
    norms = np.sqrt(np.asarray(phi.multiply(phi).sum(axis=1)).ravel())
    norms = np.array([_round(x) for x in norms])
    elastic, unit = matrices.elastic, np.array([length, 1.0]).repeat(3)
    if elastic is not None:
        elastic = Elastic(
            csc_matrix(diags(np.tile(1.0 / unit, len(elastic.modulus))) @ elastic.strain @ S),
            elastic.modulus * (factors[2] * np.outer(unit, unit)),
            elastic.viscosity * rate,
            csc_matrix(factors[2] * (S @ elastic.stiffness @ S)),
            csc_matrix(factors[1] * (S @ elastic.damping @ S)),
        )
    slips = matrices.slips
    if slips is not None:
        slips = replace(slips, drift=csc_matrix(diags(1.0 / (norms * rate)) @ slips.drift @ S))
    scaled = replace(
        matrices, mass=M, damping=D, stiffness=K, constraints=csc_matrix(diags(1.0 / norms) @ phi), length=1.0,
        elastic=elastic, slips=slips, unit=np.ones(size),
        doubt=None if matrices.doubt is None else csc_matrix(factors[2] * (S @ matrices.doubt @ S)),
        inner=None if matrices.inner is None else matrices.inner.scaled(motion, inertia, rate),
        change=lambda shapes: matrices.resolution(S @ shapes),
    )  # fmt: skip
    return scaled, Units(motion, rate, inertia, norms)


def meeting(matrices: Matrices, heavy: bool) -> Callable[[Array], Array]:
    """A function of demands (m, k) of the constraints: the motions (6n, k) that meet them, the smallest in kinetic
    energy if `heavy`, else in typical lengths.
    """
    scaled, units = without_units(matrices)
    nearest = nearest_motion(scaled.constraints, scaled.mass if heavy else None)

    def least(demand: Array) -> Array:
        none = np.zeros((len(units.motion), demand.shape[1]))
        return np.asarray(units.motion[:, None] * nearest(none, demand / units.rows[:, None])[0])

    return least


def _round(x: float) -> float:
    """The power of two near a number: to multiply by it costs no accuracy."""
    return float(2.0 ** np.round(np.log2(x))) if x > 0.0 else 1.0


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
    moved = np.random.default_rng(3).normal(size=(size, _PROBES))
    x, _ = nearest_motion(scaled.constraints)(moved, np.zeros((rows, _PROBES)))
    skew = 0.5 * (scaled.stiffness - scaled.stiffness.T)
    work = np.abs(x.T @ (skew @ x))
    terms = np.abs(x).T @ (abs(scaled.stiffness) @ np.abs(x))
    unit = units.inertia * (units.rate / matrices.length) ** 2
    return bool(np.all(work <= _ROUNDING * terms + accepted / unit * (np.abs(x).T @ np.abs(x))))
