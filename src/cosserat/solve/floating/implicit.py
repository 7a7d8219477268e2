"""Implicit steps of a flexible tree: the generalised-alpha method on the group of its coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.efforts import friction, servo
from cosserat.results.status import Outcome
from cosserat.solve.floating.bordered import Bordered
from cosserat.solve.floating.closed import ClosedStep
from cosserat.solve.floating.compiled import CompiledStep, passive_blocks
from cosserat.solve.floating.state import Drives, Point, StepFailure
from cosserat.solve.floating.steps import CLOSED, Stepper
from cosserat.solve.relative.flexible_coordinates import moved
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import Compliance, TreeConstraints, TreeRows

Array = NDArray[np.float64]

_MOST_ITERATIONS = 40
_ROUNDING = 1e-5  # changes below this that no longer shrink are rounding errors of stiff forces
_OPEN = 1e4  # gap, as a multiple of the allowed one, that no rounding error excuses
_SLOW = 0.3  # shrinking slower than this, the iteration takes new factors


class Iteration(NamedTuple):
    """The matrix of an implicit step, M + c_v D + c_q K bordered by constraints, and what it has besides M."""

    matrix: Bordered
    A: Array  # (m, n) constraints
    extra: Array  # c_v D + c_q K of the links' own coordinates, block after block
    soft: Compliance
    stiffness: Array  # (p,) c_v D + c_q K of the springs


class Implicit(Stepper):
    """Generalised-alpha steps.

    The iteration matrix is M + c_v D + c_q K with the stiffness and damping of bodies, joints and springs, which the
    articulated recursion divides by in O(n); what velocities and other loads add to it is left to the iteration.
    Constraints hold for positions and for velocities at the end of every step: velocities through the multipliers,
    positions through a further change of the coordinates (the stabilised form of index 2; M. Arnold, O. Bruls,
    A. Cardona, Numer. Math. 129 (2015) 149-179).

    Parameters
    ----------
    tree, drives, constraints, size
        As for `Stepper`.
    rho : float
        Spectral radius at infinite frequency.
    tolerance : float
        Of accelerations, relative to the largest.
    """

    order, stages, splits, remedy = 2, 1, True, ""

    def __init__(
        self, tree: FlexibleTree, drives: Drives, constraints: TreeConstraints, size: float, rho: float,
        tolerance: float,
    ) -> None:  # fmt: skip
        super().__init__(tree, drives, constraints, size)
        self.tolerance = tolerance
        self.mean, self.shift = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        self.gamma = 0.5 + self.shift - self.mean
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self._blocks = passive_blocks(tree)
        modal = self._blocks.modal == 1
        self._groups = [which for which in (~modal, modal) if which.any()]
        # what counts as a large acceleration, at least: that of gravity, so that a mechanism at rest finds its rest
        self._largest = np.full(2, max(float(np.linalg.norm(tree.gravity)), 1e-6))
        self._iteration: Iteration | None = None
        self._compiled: CompiledStep | None = None
        self._closed: ClosedStep | None = None
        if constraints.none or constraints.joint_rows:
            numbers = np.array([0.0, self.mean, self.shift, self.gamma, self.beta, tolerance])
            limits = np.array([_ROUNDING, _SLOW, _MOST_ITERATIONS])
            self._compiled = CompiledStep(tree, drives, self._blocks, numbers, limits, self._largest)
            if constraints.present:
                self._closed = ClosedStep(self._compiled, constraints, CLOSED * size)

    def keepsake(self) -> list[Any]:
        """The largest accelerations, too: changes are measured by them."""
        numbers = [] if self._compiled is None else [self._compiled.numbers]
        return [*super().keepsake(), self._largest, *numbers]

    def resume(self, kept: list[Any]) -> None:
        """Take it back."""
        super().resume(kept)
        self._largest[:] = kept[1]
        if self._compiled is not None:
            self._compiled.numbers[:] = kept[2]

    def step(self, old: Point, h: float) -> Point:
        """One step of the generalised-alpha method on the group."""
        self.tree.forces.jump = -h if self.at_breaks else h
        if self._compiled is not None:
            try:
                return self._taken(self._compiled, old, h)
            except StepFailure:
                if self._closed is None:
                    raise
            finally:
                self.residuals += int(self._compiled.counters[0])
                self.factorizations += int(self._compiled.counters[1])
                self._compiled.counters[:] = 0
        data, held, constraints = self.tree.data, self.drives.held, self.constraints
        t, gain = old.t + h, (1.0 - self.shift) / (1.0 - self.mean)
        c_v, c_q = h * self.gamma * gain, h**2 * self.beta * gain
        before = self._carried(old, h)
        a, force, shift = old.a.copy(), old.force, np.zeros(len(old.q))
        used: Iteration | None = None
        last, last_gap, renewed = np.inf, np.inf, 0
        for count in range(_MOST_ITERATIONS):
            carried = ((1.0 - self.shift) * a + self.shift * old.a - self.mean * before) / (1.0 - self.mean)
            v = old.v + h * ((1.0 - self.gamma) * before + self.gamma * carried)
            delta = h * old.v + h**2 * ((0.5 - self.beta) * before + self.beta * carried)
            q = moved(data, old.q, delta + shift)
            self.drives.impose(t, q, v, a)
            carried[held] = a[held]
            now = self.links(q, v)
            rows = constraints.at(now, q, t, old.angles)
            r = self.residual(now, rows, q, v, a, t, force)
            if used is None:
                used = self._iteration = self._factored(now, rows, q, v, t, c_v, c_q)
            change = used.matrix.solve(r, -rows.rate / c_v)
            size, gap = self._size(change.a, a), self._gap(rows, v)
            closing = gap >= 1.0 and (gap < 0.5 * last_gap or gap > _OPEN)
            rounding = count > 3 and last < _ROUNDING and size > 0.5 * last and not closing
            if (size < self.tolerance and gap < 1.0) or rounding:
                if rows.inside_out:
                    raise StepFailure(Outcome.WRONG_BRANCH, rows.inside_out)
                return Point(t, q, v, a, carried, h, force, rows.angles)
            if size > 1e3 * last:
                break
            a, force = a + change.a, force + change.force
            if len(force):
                ahead = np.where(constraints.holonomic, c_q / c_v * rows.rate, 0.0)
                shift = shift + used.matrix.solve(None, ahead - rows.value).a
            if size > _SLOW * last and size > self.tolerance and renewed < 3:
                used, renewed = None, renewed + 1
            last, last_gap = size, gap
        raise StepFailure(Outcome.NOT_CONVERGED)

    def _taken(self, compiled: CompiledStep, old: Point, h: float) -> Point:
        """A compiled step."""
        before = self._carried(old, h)
        if self._closed is None:
            return compiled.take(old, before, h)
        new = self._closed.take(old, before, h)
        none = np.zeros(0)
        soft = Compliance(np.zeros((0, len(old.q))), none, none)
        self._iteration = Iteration(self._closed.matrix, self._closed.matrix.C, compiled.extra, soft, none)
        return new

    def _carried(self, old: Point, h: float) -> Array:
        """Algorithmic accelerations for a step of another length than the last.

        They belong to a time shifted by a fixed part of the step: without this, changing steps cost one order of
        accuracy. Where steps grow, one after another, scaled errors would grow with them.
        """
        if old.step in (0.0, h):
            return old.carried
        return np.asarray(old.a + min(1.0, h / old.step) * (old.carried - old.a))

    def _factored(
        self, now: Motions, rows: TreeRows, q: Array, v: Array, t: float, c_v: float, c_q: float
    ) -> Iteration:  # fmt: skip
        extra = self._extra(q, v, c_v, c_q)
        factored = self.factored(now, extra)
        soft = self.constraints.compliance(now, q, rows.angles, t)
        stiffness = c_v * soft.damping + c_q * soft.stiffness
        return Iteration(Bordered(factored, rows.A, soft.rows, stiffness), rows.A, extra, soft, stiffness)

    def pushed(self, now: Point, efforts: Array | None) -> Point:
        """As what the iteration matrix makes of the efforts: vibrations that the step does not resolve stay out."""
        if efforts is None or now.step == 0.0:
            return self.jumped(now)
        right = np.where(self.drives.held, 0.0, efforts)
        if self._compiled is not None and self._closed is None:
            a, force = self._compiled.solve(right), now.force
        elif self._iteration is not None:
            found = self._iteration.matrix.solve(-right, np.zeros(len(self._iteration.A)))
            a, force = found.a, now.force + found.force
        else:
            return self.jumped(now)
        return now._replace(a=now.a + a, carried=now.carried + a, force=force)

    def error(self, old: Point, new: Point) -> Array:
        """The leading error c h^2 (a_new - a_old), stiff motions filtered: S e = M times that, A e = 0."""
        c = self.beta + 0.5 * (self.mean - self.shift) - 1.0 / 6.0
        d = np.where(self.drives.held, 0.0, c * new.step**2 * (new.a - old.a))
        if self._compiled is not None and self._closed is None:
            return np.asarray(d - self._compiled.solve(self._stiff(self._compiled.extra, d)))
        assert self._iteration is not None
        matrix, A, extra, soft, stiffness = self._iteration
        stiff = self._stiff(extra, d) + (stiffness * (soft.rows @ d)) @ soft.rows
        return np.asarray(d - matrix.solve(np.where(self.drives.held, 0.0, -stiff), A @ d).a)

    def _stiff(self, extra: Array, d: Array) -> Array:
        """Blocks of the links times d."""
        out, at = np.zeros(len(d)), 0
        for columns in (link.columns for link in self.tree.data.links):
            out[columns] += extra[at : at + len(columns) ** 2].reshape(len(columns), -1) @ d[columns]
            at += len(columns) ** 2
        return out

    def _size(self, change: Array, a: Array) -> float:
        """Size of a change of the accelerations, relative to the largest so far, of joints and modes apart."""
        worst = 0.0
        for k, which in enumerate(self._groups):
            self._largest[k] = max(self._largest[k], float(np.abs(a[which]).max()))
            worst = max(worst, float(np.abs(change[which]).max()) / self._largest[k])
        return worst

    def _gap(self, rows: TreeRows, v: Array) -> float:
        """Greatest violation of a constraint by positions or velocities, relative to what is allowed."""
        if not len(rows.value):
            return 0.0
        speed = 1.0 + float(np.abs(v).max())
        worst = max(float(np.abs(rows.value).max()), float(np.abs(rows.rate).max()) / speed)
        return worst / (CLOSED * self.size)

    def _extra(self, q: Array, v: Array, c_v: float, c_q: float) -> Array:
        """c_v D + c_q K of bodies and joints."""
        forces = self.tree.forces
        extra = c_v * self._blocks.damping + c_q * self._blocks.stiffness
        if forces.friction.any():
            _, slope = friction(forces.friction, forces.speed, v)
            extra[self._blocks.diagonal] += c_v * slope[self._blocks.columns]
        if forces.servo[:2].any():
            kp, kd, limit = forces.servo
            _, by_q, by_rate = servo(kp, kd, limit, forces.target, q, v)
            extra[self._blocks.diagonal] -= (c_v * by_rate + c_q * by_q)[self._blocks.columns]
        return np.asarray(extra)
