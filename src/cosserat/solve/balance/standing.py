"""Whether a balanced state resists every small push, and if not, how it gives way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, diags

from cosserat.lie.protocol import Array
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model
from cosserat.solve.balance.balance import FALLEN, Attempt, Balance
from cosserat.solve.pivots import CLEAR, STIFFENED, pivots

_GIVES = 1e-9  # negative energy, relative to the terms it is summed from, that is no remainder of the balance
_GROWS = 1e-6  # real part of an eigenvalue, relative to its size, that is no rounding
_EQUAL = 1e-3  # of a shape: what may be other than a motion that leads to equal states
_EIGENVALUES = 8
_MOST = 1500  # steps on the way to a stable state: a slack cable takes about 500
_REACH = 0.3  # rad, or parts of half the extent, of one of them
_PUSHES, _NUDGE = 6, 3e-3  # from unstable states met on the way, by that part of the extent
_FAR = 30.0  # such steps taken together, after which a pull on the whole that has not changed never will
_CALM = 1e-3  # such a step, small enough to try whether it rests


class Push(NamedTuple):
    """The way in which an unstable state gives: increments (n_motions,), and how fast (1/s)."""

    shape: Array
    rate: float


def nudge(statics: Balance, push: Push, part: float) -> None:
    """Move the trial state along a push, by a part of the extent of the mechanism."""
    step = np.zeros(statics.n_unknowns)
    step[: statics.n_motions] = push.shape
    statics.apply(statics.state(), step, part * statics.extent / statics.size_of(step))


def descend(statics: Balance, tolerance: float, shift: float) -> Attempt:
    """Lead the trial state down in potential energy until it rests: steps (K + shift M) x = -r of limited size.

    The shift, which makes the steps those of a heavily damped motion, is raised where the way bends and let go where it
    is straight; at last it is zero, and the state one that stands.
    """
    first, start = shift, statics.state()
    rhs, sign, calm, pushes = statics.residual(), 0, 0, 0
    pull, travelled = _pull(statics), 0.0
    for _ in range(_MOST):
        lu, correction, norm = statics._correction(rhs, shift)
        if lu is None or not np.isfinite(norm) or statics.reach(correction) > _REACH or (sign and statics.sign != sign):
            shift = max(4.0 * shift, 1e-3 * first)
            if shift > 1e12 * first:
                return Attempt.FAILED
            continue
        sign = sign or statics.sign
        reach = statics.reach(correction)
        rhs, _ = statics._advance(correction, 1.0)
        if not np.all(np.isfinite(rhs)) or statics.distance(start) > FALLEN * statics.extent:
            return Attempt.FAILED
        travelled += reach
        if travelled > _FAR:
            if _keeps(pull, _pull(statics)):
                return Attempt.FAILED
            travelled = -np.inf  # asked once
        calm = calm + 1 if reach < _CALM else 0
        if calm >= 3:
            calmed = statics.state()
            if statics.balance(tolerance, limit_first=False) is Attempt.BALANCED:
                stands, push = resists(statics)
                if stands is not False or push is None:
                    return Attempt.BALANCED
                pushes += 1
                if pushes > _PUSHES:
                    return Attempt.FAILED
                nudge(statics, push, _NUDGE)
                rhs, calm, shift, sign = statics.residual(), 0, 2.0 * push.rate**2, 0
                continue
            statics.put(calmed)
            rhs, calm = statics.residual(), -10
        shift *= 0.5 if reach < 0.2 * _REACH else 1.0
    return Attempt.FAILED


def _pull(statics: Balance) -> Array:
    """Forces and moments of what is left out of balance on the mechanism as one rigid body; none where it is held."""
    return statics.whole().T @ statics.left_over()


def _keeps(before: Array, after: Array) -> bool:
    """Whether a pull is the same after a long way, so that it leads nowhere."""
    if before.shape != after.shape:
        return False
    matters = np.abs(before) > 1e-3 * np.max(np.abs(before), initial=0.0)
    return bool(np.any(matters & (np.abs(after - before) <= 1e-6 * np.abs(before))))


def _surely_stands(statics: Balance) -> bool:
    """Whether the stiffness of a mechanism under loads with a potential is positive on all that joints allow.

    It is if K + c Phi^T Phi, which joints stiffen, is positive definite: all pivots of a factorization without
    pivoting, which such a matrix does not need, are positive. False: not known.
    """
    model = statics.compiled.model
    if statics.full_spin is not None or not all_have_potentials(model):
        return False
    n, tangent = statics.n_motions, statics.matrix(0.0)
    unit = diags(1.0 / statics.metric())
    K = unit @ tangent[:n, :n] @ unit / statics.scale
    phi = tangent[n:, :n] @ unit / statics.scale
    found = pivots(csc_matrix(0.5 * (K + K.T) + STIFFENED * (phi.T @ phi)))
    return found is not None and bool(np.all(found > CLEAR))


def all_have_potentials(model: Model) -> bool:
    """Whether all loads have a potential: none that follow, no moments, no laws of users, no efforts where bodies turn
    about several axes.
    """
    loads: tuple[PointLoad | DistributedLoad, ...] = (*model.loads, *model.distributed_loads)
    if model.state_loads or any(load.follower or load.moment is not None for load in loads):
        return False
    return not any(
        joint.kind in ("spherical", "free", "universal") and any(effort is not None for effort in joint.effort)
        for joint in model.joints
    )


def resists(statics: Balance) -> tuple[bool | None, Push | None]:
    """Whether the balanced trial state is stable, and else how it gives way; None where that cannot be told.

    With a potential: whether no motion lowers the energy. In rotation and under follower loads: whether no eigenvalue
    of small motions grows.
    """
    from cosserat.errors import SolveError
    from cosserat.solve.linear.eigen import symmetric_modes  # linear analyses are made of equilibria
    from cosserat.solve.linear.quadratic import eigenpairs

    if _surely_stands(statics):
        return True, None
    point = statics.point()
    matrices = point.matrices()
    if matrices.mass.shape[0] <= matrices.constraints.shape[0]:
        return True, None
    try:
        if statics.full_spin is None and point.is_symmetric(matrices):
            even = matrices.symmetric()
            found = symmetric_modes(even, 1)
            x = found.shapes[:, :1]
            terms = np.sum(np.abs(x) * (abs(even.parts.stiffness) @ np.abs(x)), axis=0)
            gives = even.strain_energy(x) < -_GIVES * terms
            if x.shape[1] and bool(gives[0]):
                return False, Push(x[:, 0], float(np.sqrt(-found.squares[0])))
            return True, None
        values, shapes = eigenpairs(matrices, _EIGENVALUES, beyond=())
    except SolveError:
        return None, None
    growing = np.nonzero((values.real > _GROWS * np.abs(values)) & ~equal_states(statics, shapes))[0]
    if not len(growing):
        return True, None
    worst = growing[np.argmax(values.real[growing])]
    return False, Push(shapes[:, worst].real, float(np.abs(values[worst])))


def equal_states(statics: Balance, shapes: NDArray[np.complex128]) -> NDArray[np.bool_]:
    """Which shapes (n_motions, k) lead to equal states: their eigenvalues are zero, but for roots of rounding."""
    known, root = statics.symmetries(), statics.metric()
    if not known.shape[1]:
        return np.zeros(shapes.shape[1], dtype=bool)
    basis, z = np.linalg.qr(root[:, None] * known)[0], root[:, None] * shapes
    rest = np.linalg.norm(z - basis @ (basis.T @ z), axis=0)
    out: NDArray[np.bool_] = rest <= _EQUAL * np.linalg.norm(z, axis=0)
    return out
