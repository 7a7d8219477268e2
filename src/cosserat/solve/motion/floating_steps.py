"""Time steps of a flexible tree: implicit generalised-alpha, and explicit Runge-Kutta-Munthe-Kaas of fourth order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3
from cosserat.model.functions import TimeFunction
from cosserat.model.model import Model
from cosserat.results.status import Outcome, Status
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_coordinates import curved, moved
from cosserat.solve.relative.flexible_recursion import Articulated
from cosserat.solve.relative.flexible_tree import FlexibleTree

Array = NDArray[np.float64]

_MOST_ITERATIONS = 40
_ROUNDING = 1e-5  # changes below this that no longer shrink are rounding errors of stiff forces


class Point(NamedTuple):
    """A state at a time: coordinates, velocities, accelerations, and the algorithmic accelerations of the method."""

    t: float
    q: Array
    v: Array
    a: Array
    carried: Array


class Drives:
    """Prescribed coordinates of a model."""

    def __init__(self, model: Model, tree: FlexibleTree) -> None:
        self.held = np.zeros(len(tree.coordinates), dtype=bool)
        self._functions: list[tuple[int, TimeFunction]] = []
        for joint in model.joints:
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

    The iteration matrix of an implicit step is M + c_v D + c_q K with the stiffness and damping of bodies and joints,
    which the articulated recursion divides by in O(n); what velocities and other loads add to it is left to the
    iteration.
    """

    def __init__(self, tree: FlexibleTree, drives: Drives, rho: float, tolerance: float) -> None:
        self.tree, self.drives, self.tolerance = tree, drives, tolerance
        self.mean, self.shift = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        self.gamma = 0.5 + self.shift - self.mean
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.residuals = self.factorizations = 0
        modal = np.zeros(len(tree.coordinates), dtype=bool)
        for link in tree.data.links:
            modal[link.columns[len(link.columns) - link.n_modes :]] = True
        self._groups = [which for which in (~modal, modal) if which.any()]
        # what counts as a large acceleration, at least: that of gravity, so that a mechanism at rest finds its rest
        self._largest = np.full(2, max(float(np.linalg.norm(tree.gravity)), 1e-6))

    def start(self, t: float, q: Array, v: Array) -> Point:
        """A state with the accelerations that belong to it."""
        a = np.zeros(len(q))
        self.drives.impose(t, q, v, a)
        a = self._accelerations(t, q, v, a)
        return Point(t, q, v, a, a.copy())

    def _accelerations(self, t: float, q: Array, v: Array, a: Array) -> Array:
        now = flexible_recursion.motions(self.tree.data, q, v)
        self.factorizations += 1
        return self.tree.accelerations(now, q, v, np.zeros(len(q)), a, self.drives.held, t)

    def implicit(self, old: Point, h: float) -> Point | None:
        """One step of the generalised-alpha method on the group; None if the iteration does not converge."""
        data, held = self.tree.data, self.drives.held
        t, gain = old.t + h, (1.0 - self.shift) / (1.0 - self.mean)
        a = old.a.copy()
        extra = self._extra(h * self.gamma * gain, h**2 * self.beta * gain)
        factored: Articulated | None = None
        still = np.zeros(6)
        last = np.inf
        for count in range(_MOST_ITERATIONS):
            carried = ((1.0 - self.shift) * a + self.shift * old.a - self.mean * old.carried) / (1.0 - self.mean)
            v = old.v + h * ((1.0 - self.gamma) * old.carried + self.gamma * carried)
            q = moved(data, old.q, h * old.v + h**2 * ((0.5 - self.beta) * old.carried + self.beta * carried))
            self.drives.impose(t, q, v, a)
            carried[held] = a[held]
            now = flexible_recursion.motions(data, q, v)
            r = self.tree.residual(now, q, v, a, t)
            self.residuals += 1
            if not np.isfinite(r).all():
                return None
            if factored is None:
                factored = Articulated(data, now, extra, held)
                nothing = [np.zeros(len(w.z)) for w in now]
                self.factorizations += 1
            r[held] = 0.0
            change = factored.solve(-r, np.zeros(len(r)), nothing, False, still)
            size = self._size(change, a)
            rounding = count > 3 and last < _ROUNDING and size > 0.5 * last
            if size < self.tolerance or rounding:
                return Point(t, q, v, a, carried)
            a, last = a + change, size
        return None

    def _size(self, change: Array, a: Array) -> float:
        """Size of a change of the accelerations, relative to the largest so far, of joints and modes apart."""
        worst = 0.0
        for k, which in enumerate(self._groups):
            self._largest[k] = max(self._largest[k], float(np.abs(a[which]).max()))
            worst = max(worst, float(np.abs(change[which]).max()) / self._largest[k])
        return worst

    def _extra(self, c_v: float, c_q: float) -> list[Array]:
        forces, out = self.tree.forces, []
        for link in self.tree.data.links:
            own = np.diag(c_v * forces.damping[link.columns] + c_q * forces.stiffness[link.columns])
            if link.modal is not None:
                k = len(link.columns) - link.n_modes
                own[k:, k:] += c_v * link.modal.damping + c_q * link.modal.stiffness
            out.append(own)
        return out

    def explicit(self, old: Point, h: float) -> Point | None:
        """One step of the classical Runge-Kutta method in exponential coordinates about the start of the step.

        H. Munthe-Kaas, BIT 38 (1998) 92-111; the coordinates theta change with T^-1(theta) v.
        """
        n = len(old.q)
        zero = np.zeros(n)
        rates: list[tuple[Array, Array]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            theta, v = zero, old.v
            if rates:
                theta, v = share * h * rates[-1][0], old.v + share * h * rates[-1][1]
            rates.append(self._rates(old, old.t + share * h, theta, v))
        weights = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
        theta, change = (np.asarray(h * np.tensordot(weights, [r[k] for r in rates], 1)) for k in (0, 1))
        q, v, a = moved(self.tree.data, old.q, theta), old.v + change, zero.copy()
        self.drives.impose(old.t + h, q, v, a)
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return None
        a = self._accelerations(old.t + h, q, v, a)
        return Point(old.t + h, q, v, a, a)

    def _rates(self, old: Point, t: float, theta: Array, v: Array) -> tuple[Array, Array]:
        q, v, a = moved(self.tree.data, old.q, theta), v.copy(), np.zeros(len(v))
        self.drives.impose(t, q, v, a)
        a = self._accelerations(t, q, v, a)
        turned = v.copy()
        for kind, k, _ in curved(self.tree.data):
            if kind == layout.SPHERICAL:
                turned[k : k + 3] = so3.tangent_inv(theta[k : k + 3]) @ v[k : k + 3]
            else:
                turned[k : k + 6] = se3.tangent_inv(theta[k : k + 6]) @ v[k : k + 6]
        return turned, a


def take_steps(
    stepper: Stepper,
    explicit: bool,
    start: Point,
    n_steps: int,
    h: float,
    every: int,
    progress: Callable[[Point, int], None] | None = None,
) -> tuple[list[Point], Status]:
    """Stored states and how it ended."""
    stored, now, begin = [start], start, start.t
    step = stepper.explicit if explicit else stepper.implicit
    for k in range(1, n_steps + 1):
        try:
            with np.errstate(all="ignore"):  # what overflows is refused by the step
                new = step(now, h)
        except KeyboardInterrupt:
            return stored, Status(Outcome.INTERRUPTED, now.t)
        except np.linalg.LinAlgError:
            new = None
        if new is None and explicit:
            detail = "an explicit method needs steps that resolve every vibration"
            return stored, Status(Outcome.NOT_FINITE, now.t, detail)
        if new is None:
            detail = "the floating formulation iterates without the stiffness of springs and loads: take a smaller step"
            return stored, Status(Outcome.NOT_CONVERGED, now.t, detail)
        now = new._replace(t=begin + k * h)
        if k % every == 0 or k == n_steps:
            stored.append(now)
        if progress is not None:
            progress(now, k)
    return stored, Status(Outcome.OK, now.t)
