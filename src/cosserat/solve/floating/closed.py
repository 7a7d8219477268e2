"""Implicit steps of a tree whose loops are closed by joints alone, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_arrays import pack_seats
from cosserat.kernels.flexible import closing, dynamics, implicit
from cosserat.kernels.flexible.arrays import Packed
from cosserat.results.status import Outcome
from cosserat.solve.floating.bordered import Bordered
from cosserat.solve.floating.compiled import CompiledStep
from cosserat.solve.floating.state import Point, StepFailure
from cosserat.solve.relative.tree_constraints import TreeConstraints

Array = NDArray[np.float64]


class ClosedStep:
    """Memory of `kernels.flexible.closing.closed_step`.

    Parameters
    ----------
    step : CompiledStep
        Whose memory it shares.
    constraints : TreeConstraints
        Of joints without efforts in their freedoms.
    allowed : float
        Gap (m) that counts as closed.
    """

    def __init__(self, step: CompiledStep, constraints: TreeConstraints, allowed: float) -> None:
        self._step, self._constraints = step, constraints
        self._items = constraints.joint_rows
        n_v, n_z, m = step.n_v, step.n_z, constraints.n_rows
        rows = [item.arrays() for item in self._items]
        counts = [len(kind) for kind, _, _ in rows]
        driven = [item.driven for item in self._items]
        numbers = np.cumsum(driven) - 1
        kind, u, w = (np.concatenate([row[k] for row in rows]) for k in range(3))
        value, rate, lever, force, rest, push = np.zeros((6, m))
        self._closing = closing.Closing(
            np.arange(2 * len(rows)).reshape(-1, 2), np.concatenate(([0], np.cumsum(counts))).astype(np.int64), kind,
            u, w, np.where(driven, numbers, -1).astype(np.int64), np.zeros((sum(driven), 42)), np.zeros((m, n_z)),
            np.zeros((m, n_v)), value, rate, lever,
        )  # fmt: skip
        self._border = closing.Border(
            np.zeros((m, n_v)), np.zeros((m, n_v)), np.zeros((m, m)), force, np.zeros(n_v), rest, push,
            np.array([allowed]),
        )  # fmt: skip
        seats = pack_seats([seat for item in self._items for seat in (item.a, item.b)])
        arrays = closing.Closed(seats, self._closing, self._border)
        self._packed = Packed(closing.closed_handles, arrays)
        tree, acting, fixed, _, factored, stepping = step.addresses
        closing.load_closed(tree, acting, fixed, factored, stepping, self._packed.address, arrays)

    def take(self, old: Point, before: Array, h: float) -> Point:
        """A step; raises `StepFailure` where other factors would help, too."""
        step, border, now = self._step, self._border, self._closing
        tree, acting, fixed, free, factored, stepping = step.addresses
        step.begin(old, before, h)
        for item, k in zip(self._items, now.driven, strict=True):
            if k >= 0:
                now.motion[k] = item.drive(old.t + h)[:2].ravel()
        implicit.predict(tree, fixed, stepping)
        dynamics.place(tree, fixed)
        implicit.factor_step(tree, fixed, factored, stepping)
        step.counters[1] += 1
        closing.close(tree, fixed, self._packed.address)
        none = np.zeros((0, step.n_v))
        self.matrix = Bordered(step, now.A.copy(), none, np.zeros(0))
        border.A[:], border.Y[:], border.inverse[:] = self.matrix.C, self.matrix.Y, self.matrix.inverse
        border.force[:] = old.force
        code = closing.closed_step(tree, acting, fixed, free, factored, stepping, self._packed.address)
        found = step.end(old, h, code)._replace(force=border.force.copy())
        wrong = self._constraints.inside_out(step.now, found.q, found.t)
        if wrong:
            raise StepFailure(Outcome.WRONG_BRANCH, wrong)
        return found
