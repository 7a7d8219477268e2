"""Time steps of a flexible tree: implicit generalised-alpha, and explicit Runge-Kutta-Munthe-Kaas of fourth order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError
from cosserat.model.functions import TimeFunction
from cosserat.model.model import Model
from cosserat.results.status import Outcome
from cosserat.solve.motion.bordered import Bordered
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_coordinates import exponential_rates, moved
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints, TreeRows

Array = NDArray[np.float64]

_MOST_ITERATIONS = 40
_ROUNDING = 1e-5  # changes below this that no longer shrink are rounding errors of stiff forces
_CLOSED = 1e-12  # of the size of the mechanism: gaps of constraints that count as none
_SLOW = 0.3  # shrinking slower than this, the iteration takes new factors


class Point(NamedTuple):
    """A state at a time: coordinates, velocities, accelerations, and the algorithmic accelerations of the method."""

    t: float
    q: Array
    v: Array
    a: Array
    carried: Array
    step: float  # the one to which `carried` belongs, 0: any
    force: Array  # multipliers of the constraints
    angles: Array  # of cut joints


class StepFailure(CosseratError):
    """A step that could not be taken."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Drives:
    """Prescribed coordinates of a model; those of spherical and free joints are constraints instead."""

    def __init__(self, model: Model, tree: FlexibleTree) -> None:
        self.held = np.zeros(len(tree.coordinates), dtype=bool)
        self._functions: list[tuple[int, TimeFunction]] = []
        cut = {loop.joint.name for loop in tree.data.loops}
        for joint in model.joints:
            if joint.name in cut or joint.kind in ("spherical", "free"):
                continue
            for name, motion in zip(joint.coordinates, joint.motion, strict=True):
                if motion is not None:
                    k = tree.coordinates.index(name)
                    self.held[k] = True
                    self._functions.append((k, motion))

    def impose(self, t: float, q: Array, v: Array, a: Array) -> None:
        """Write prescribed coordinates, rates and accelerations at time t."""
        for k, motion in self._functions:
            q[k], v[k], a[k] = (float(x[0]) for x in motion.jet(np.array([t])))


class Stepper:
    """Takes steps of one method.

    The iteration matrix of an implicit step is M + c_v D + c_q K with the stiffness and damping of bodies, joints and
    springs, which the articulated recursion divides by in O(n); what velocities and other loads add to it is left to
    the iteration. Constraints hold for positions and for velocities at the end of every step: velocities through the
    multipliers, positions through a further change of the coordinates (the stabilised form of index 2; M. Arnold,
    O. Bruls, A. Cardona, Numer. Math. 129 (2015) 149-179).

    Parameters
    ----------
    tree : FlexibleTree
    drives : Drives
    constraints : TreeConstraints
    rho, tolerance : float
    size : float
        Extent of the mechanism (m).
    """

    def __init__(
        self, tree: FlexibleTree, drives: Drives, constraints: TreeConstraints, rho: float, tolerance: float,
        size: float = 1.0,
    ) -> None:  # fmt: skip
        self.tree, self.drives, self.constraints, self.tolerance, self.size = tree, drives, constraints, tolerance, size
        self.mean, self.shift = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        self.gamma = 0.5 + self.shift - self.mean
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.residuals = self.factorizations = self.halved = self.rejected = 0
        modal = np.zeros(len(tree.coordinates), dtype=bool)
        for link in tree.data.links:
            modal[link.columns[len(link.columns) - link.n_modes :]] = True
        self._groups = [which for which in (~modal, modal) if which.any()]
        # what counts as a large acceleration, at least: that of gravity, so that a mechanism at rest finds its rest
        self._largest = np.full(2, max(float(np.linalg.norm(tree.gravity)), 1e-6))

    def start(self, t: float, q: Array, v: Array, angles: Array | None = None) -> Point:
        """A state with the accelerations and multipliers that belong to it."""
        a = np.zeros(len(q))
        self.drives.impose(t, q, v, a)
        angles = self.constraints.start_angles() if angles is None else angles
        a, force, angles = self._accelerations(t, q, v, a, angles)
        return Point(t, q, v, a, a.copy(), 0.0, force, angles)

    def _accelerations(self, t: float, q: Array, v: Array, a: Array, angles: Array) -> tuple[Array, Array, Array]:
        now = flexible_recursion.motions(self.tree.data, q, v)
        if not self.constraints.present:
            self.factorizations += 1
            a = self.tree.accelerations(now, q, v, np.zeros(len(q)), a, self.drives.held, t)
            return a, np.zeros(0), angles
        rows = self.constraints.at(now, q, t, angles)
        r = self._residual(now, rows, q, v, a, t, np.zeros(self.constraints.n_rows))
        found = self._inertial(now, rows).solve(r, -rows.bias - rows.A @ a)
        return a + found.a, found.force, rows.angles

    def _inertial(self, now: Motions, rows: TreeRows) -> Bordered:
        self.factorizations += 1
        factored = Articulated(now, None, self.drives.held)
        return Bordered(factored, rows.A, np.zeros((0, rows.A.shape[1])), np.zeros(0))

    def _residual(
        self, now: Motions, rows: TreeRows, q: Array, v: Array, a: Array, t: float, force: Array
    ) -> Array:
        self.residuals += 1
        r = self.tree.residual(now, q, v, a, t) - rows.efforts + force @ rows.A
        r[self.drives.held] = 0.0
        if not np.isfinite(r).all():
            raise StepFailure(Outcome.NOT_FINITE)
        return np.asarray(r)

    def implicit(self, old: Point, h: float) -> Point:
        """One step of the generalised-alpha method on the group."""
        data, held, constraints = self.tree.data, self.drives.held, self.constraints
        t, gain = old.t + h, (1.0 - self.shift) / (1.0 - self.mean)
        c_v, c_q = h * self.gamma * gain, h**2 * self.beta * gain
        before = self._carried(old, h)
        a, force, shift = old.a.copy(), old.force, np.zeros(len(old.q))
        matrix: Bordered | None = None
        last, renewed = np.inf, 0
        for count in range(_MOST_ITERATIONS):
            carried = ((1.0 - self.shift) * a + self.shift * old.a - self.mean * before) / (1.0 - self.mean)
            v = old.v + h * ((1.0 - self.gamma) * before + self.gamma * carried)
            delta = h * old.v + h**2 * ((0.5 - self.beta) * before + self.beta * carried)
            q = moved(data, old.q, delta + shift)
            self.drives.impose(t, q, v, a)
            carried[held] = a[held]
            now = flexible_recursion.motions(data, q, v)
            rows = constraints.at(now, q, t, old.angles)
            r = self._residual(now, rows, q, v, a, t, force)
            if matrix is None:
                matrix = self._matrix(now, rows, q, v, c_v, c_q)
            change = matrix.solve(r, -rows.rate / c_v)
            size, gap = self._size(change.a, a), self._gap(rows, v)
            rounding = count > 3 and last < _ROUNDING and size > 0.5 * last and gap < 1e4
            if (size < self.tolerance and gap < 1.0) or rounding:
                if rows.inside_out:
                    raise StepFailure(Outcome.WRONG_BRANCH, rows.inside_out)
                return Point(t, q, v, a, carried, h, force, rows.angles)
            if size > 1e3 * last:
                break
            a, force = a + change.a, force + change.force
            if len(force):
                ahead = np.where(constraints.holonomic, c_q / c_v * rows.rate, 0.0)
                shift = shift + matrix.solve(None, ahead - rows.value).a
            if size > _SLOW * last and size > self.tolerance and renewed < 3:
                matrix, renewed = None, renewed + 1
            last = size
        raise StepFailure(Outcome.NOT_CONVERGED)

    def _carried(self, old: Point, h: float) -> Array:
        """Algorithmic accelerations for a step of another length than the last.

        They belong to a time shifted by a fixed part of the step: without this, changing steps cost one order of
        accuracy.
        """
        if old.step in (0.0, h):
            return old.carried
        ratio = h / old.step
        return np.asarray(old.a + (ratio if ratio <= 3.0 else 0.0) * (old.carried - old.a))

    def _matrix(self, now: Motions, rows: TreeRows, q: Array, v: Array, c_v: float, c_q: float) -> Bordered:
        self.factorizations += 1
        factored = Articulated(now, self._extra(v, c_v, c_q), self.drives.held)
        soft = self.constraints.compliance(now, q, rows.angles)
        return Bordered(factored, rows.A, soft.rows, c_v * soft.damping + c_q * soft.stiffness)

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
        return worst / (_CLOSED * self.size)

    def _extra(self, v: Array, c_v: float, c_q: float) -> Array:
        forces, out = self.tree.forces, []
        slope = forces.damping + forces.friction / forces.speed * (1.0 - np.tanh(v / forces.speed) ** 2)
        for link in self.tree.data.links:
            own = np.diag(c_v * slope[link.columns] + c_q * forces.stiffness[link.columns])
            if link.modal is not None:
                k = len(link.columns) - link.n_modes
                own[k:, k:] += c_v * link.modal.damping + c_q * link.modal.stiffness
            out.append(own.ravel())
        return np.concatenate(out)

    def explicit(self, old: Point, h: float) -> Point:
        """One step of the classical Runge-Kutta method in exponential coordinates about the start of the step.

        H. Munthe-Kaas, BIT 38 (1998) 92-111; the coordinates theta change with T^-1(theta) v. What is left of the
        constraints' violations is taken out afterwards, by the least change in the metric of the mass matrix.
        """
        rates: list[tuple[Array, Array]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            theta, v = np.zeros(len(old.q)), old.v
            if rates:
                theta, v = share * h * rates[-1][0], old.v + share * h * rates[-1][1]
            rates.append(self._rates(old, old.t + share * h, theta, v))
        weights = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
        theta, change = (np.asarray(h * np.tensordot(weights, [r[k] for r in rates], 1)) for k in (0, 1))
        t, q, v, a = old.t + h, moved(self.tree.data, old.q, theta), old.v + change, np.zeros(len(old.q))
        self.drives.impose(t, q, v, a)
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise StepFailure(Outcome.NOT_FINITE)
        if self.constraints.present:
            q, v = self.projected(t, q, v, old.angles)
        a, force, angles = self._accelerations(t, q, v, a, old.angles)
        return Point(t, q, v, a, a, h, force, angles)

    def projected(self, t: float, q: Array, v: Array, angles: Array) -> tuple[Array, Array]:
        """The nearest state that the constraints allow."""
        data = self.tree.data
        now = flexible_recursion.motions(data, q, v)
        rows = self.constraints.at(now, q, t, angles)
        matrix = self._inertial(now, rows)
        for _ in range(_MOST_ITERATIONS):
            if np.abs(rows.value).max(initial=0.0) < _CLOSED * self.size:
                break
            q = moved(data, q, matrix.solve(None, -rows.value).a)
            now = flexible_recursion.motions(data, q, v)
            rows = self.constraints.at(now, q, t, angles)
        else:
            raise StepFailure(Outcome.NOT_CONVERGED, "the loops could not be closed")
        if rows.inside_out:
            raise StepFailure(Outcome.WRONG_BRANCH, rows.inside_out)
        for _ in range(3):
            v = v + matrix.solve(None, -rows.rate).a
            rows = self.constraints.at(flexible_recursion.motions(data, q, v), q, t, angles)
        return q, v

    def _rates(self, old: Point, t: float, theta: Array, v: Array) -> tuple[Array, Array]:
        q, v, a = moved(self.tree.data, old.q, theta), v.copy(), np.zeros(len(v))
        self.drives.impose(t, q, v, a)
        a, _, _ = self._accelerations(t, q, v, a, old.angles)
        return exponential_rates(self.tree.data, theta, v), a
