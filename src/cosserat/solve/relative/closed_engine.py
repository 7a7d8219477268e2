"""`ClosedEngine`: the recursions over links of a model with closed loops.

A joint of each loop is cut. Its rows hold what it holds, and in its freedoms act its spring, damper, drive or servo:

    M a + h = tau + efforts + A^T lambda,        A a + bias = 0
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dposv

from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.trajectory import Kept
from cosserat.solve.differences import STEP, slopes
from cosserat.solve.relative.coordinates import moved
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.modal_engine import ModalEngine
from cosserat.solve.relative.tree_constraints import TreeConstraints, TreeRows

_RANK = 1e-10  # singular values below this part of the largest belong to redundant rows
_AGREE = 1e-6  # of the greatest acceleration in a cut, by which given motions may open it
_NOTHING = 1e-9  # m/s^2 or rad/s^2, by which they may always
_SURE = 1e-3  # ratio of pivots, in the square root, above which rows are independent beyond doubt


class ClosedEngine(ModalEngine):
    """A `ModalEngine` whose loops are closed. Prescribed motions of the tree and what rolls are left out, as in trees.

    Inverse dynamics gives the efforts without forces between the two sides of a cut: forward dynamics undoes it for all
    accelerations that the loops allow. Hybrid dynamics gives efforts with the least of these forces that the freedoms
    without drives need.
    """

    def __init__(self, model: Model, data: TreeData) -> None:
        super().__init__(model, data)
        self.ties, self._here = TreeConstraints(model, data), Motions(data)
        self._kept = self.ties.numbers_of(lambda slot: slot.closes)
        cut = self.ties.closed.cut
        self._slow = float(np.min(cut.speed[cut.friction > 0.0], initial=1.0))  # rate over which efforts may change

    def keep(self, then: Kept | None) -> None:
        super().keep(then)
        self.ties.then = then

    def closure(self, q: Array, v: Array) -> TreeRows:
        """Rows of cut joints, and what acts in them; angles are those within half a turn of the reference."""
        ties = self.ties
        found = ties.at(self._here.move(q, v), q, self._time, np.zeros(len(ties.tracked)), biased=True)
        A, value, rate, bias = (x[self._kept] for x in found[:4])
        return TreeRows(A, value, rate, bias, found.angles, found.efforts)

    def own_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Wrenches (n_z,) on the links, those of cut joints included, and efforts (n,) in the coordinates."""
        wrenches, efforts = super().own_forces(q, v)
        self.closure(q, v)
        return wrenches + self._here.vectors.wrench, efforts

    def inverse_dynamics(self, q: Array, v: Array, a: Array, tau: Array) -> int:
        """Of q, v, a to tau (n,)."""
        if self._refuses(q, v, a, out=(tau,)):
            return 1
        efforts = self.closure(q, v).efforts
        super().inverse_dynamics(q, v, a, tau)
        tau -= efforts
        return 0

    def forward_dynamics(self, q: Array, v: Array, tau: Array, a: Array) -> int:
        """Of q, v, tau to a (n,)."""
        if self._refuses(q, v, tau, out=(a,)):
            return 1
        a[:] = self._closed(q, v, tau)[0]
        return 0

    def _closed(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, TreeRows, Articulated]:
        """Accelerations, multipliers, rows, and the factored mass matrix."""
        rows, a = self.closure(q, v), np.empty(len(q))
        super().forward_dynamics(q, v, tau + rows.efforts, a)
        factor = Articulated(self._here.move(q, v))  # with inertias that followed laws to this state
        return *_tied(rows, a, factor), rows, factor

    def hybrid_dynamics(self, q: Array, v: Array, driven: Array, given: Array, a: Array, tau: Array) -> int:
        """Of q, v, driven, given to a, tau (n,)."""
        if self._refuses(q, v, driven, given, out=(a, tau)):
            return 1
        held, rows, known = driven != 0.0, self.closure(q, v), given.copy()
        super().hybrid_dynamics(q, v, driven, np.where(held, given, given + rows.efforts), a, tau)
        a[:], multipliers = _tied(rows, a, Articulated(self._here.move(q, v), driven=held))
        if held.any():
            self._demand_closed(rows, a)
        super().inverse_dynamics(q, v, a, tau)
        tau[:] = np.where(held, tau - rows.efforts - multipliers @ rows.A, known)
        return 0

    def _demand_closed(self, rows: TreeRows, a: Array) -> None:
        """Raise if accelerations, some of which were given, would open a loop."""
        opening = np.abs(rows.A @ a + rows.bias)
        size = np.abs(rows.A) @ np.abs(a) + np.abs(rows.bias)
        if np.max(opening, initial=0.0) <= max(_AGREE * np.max(size, initial=0.0), _NOTHING):
            return
        worst = self._kept[np.argmax(opening)]
        slot = next(s for s in self.ties.slots if s.first <= worst < s.first + len(s.rows))
        assert slot.joint is not None
        raise SolveError(
            f"hybrid_dynamics: the given motions would open the loop at joint {slot.joint.name!r}, by an acceleration "
            f"of {opening.max():.3g}; give motions to fewer coordinates, no more than the mechanism has freedoms, and "
            "a state that closes its loops and is no dead point of the motions"
        )

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        """Of q, v, a to dq, dv, da (n, n)."""
        status = super().inverse_dynamics_derivatives(q, v, a, dq, dv, M)
        if status == 0 and self.ties.tracked:
            along_q, along_v = self._differences(q, v, lambda rows: rows.efforts)
            dq -= along_q
            dv -= along_v
        return status

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array
    ) -> int:  # fmt: skip
        """Of q, v, tau to dq, dv, dtau (n, n), a (n,)."""
        if self._refuses(q, v, tau, out=(a,), matrices=(dq, dv, dtau)):
            return 1
        n = len(q)
        found, multipliers, rows, factor = self._closed(q, v, tau)
        super().inverse_dynamics_derivatives(q, v, found, dq, dv, dtau)

        def ties(other: TreeRows) -> Array:
            return np.concatenate((other.efforts + multipliers @ other.A, other.A @ found + other.bias))

        columns = factor.solve(rows.A)
        flexibility = rows.A @ columns.T
        for matrix, tied in zip((dq, dv), self._differences(q, v, ties), strict=True):
            free = factor.solve((tied[:n] - matrix).T).T
            matrix[:] = free + columns.T @ least(flexibility, -tied[n:] - rows.A @ free)
        free = factor.solve(np.eye(n)).T
        dtau[:] = free - columns.T @ least(flexibility, rows.A @ free)
        a[:] = found
        return 0

    def _differences(self, q: Array, v: Array, of: Callable[[TreeRows], Array]) -> tuple[Array, Array]:
        """Derivatives (k, n) of something of the rows along coordinates and velocities, of eighth order."""
        steps = np.diag(STEP / self._data.sizes)
        along_q = slopes(steps, lambda x: of(self.closure(moved(self._data, q, x), v)))
        return along_q, slopes(self._slow * steps, lambda x: of(self.closure(q, v + x)))

    def energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy."""
        kinetic, strain, potential = super().energies(q, v)
        angles = self.closure(q, v).angles
        return kinetic, strain + 0.5 * float(self.ties.closed.cut.stiffness @ angles**2), potential


def _tied(rows: TreeRows, a: Array, factor: Articulated) -> tuple[Array, Array]:
    """Accelerations that the loops allow, of those without forces in the cuts, and the multipliers: the least ones."""
    columns = factor.solve(rows.A)
    multipliers = least(rows.A @ columns.T, -(rows.bias + rows.A @ a))
    return a + multipliers @ columns, multipliers


def least(S: Array, y: Array) -> Array:
    """Least x with S x = y, S symmetric, not negative and perhaps singular; y (m,) or (m, k)."""
    if not len(S):
        return np.zeros(y.shape)
    factor, x, failed = dposv(S, y)
    diagonal = factor.diagonal()
    if failed == 0 and diagonal.min() > _SURE * diagonal.max():
        return np.asarray(x, dtype=np.float64)
    values, vectors = np.linalg.eigh(S)
    shares = vectors.T @ y
    keep = values > _RANK * values[-1]
    shares[keep] = (shares[keep].T / values[keep]).T
    shares[~keep] = 0.0
    return np.asarray(vectors @ shares, dtype=np.float64)
