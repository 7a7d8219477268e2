"""Implicit steps of a flexible tree: the generalised-alpha method on the group of its coordinates."""

from __future__ import annotations

import numpy as np

from cosserat.kernels.alpha import phase_constant
from cosserat.lie.protocol import Array
from cosserat.solve.floating.engine import CLOSED
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Instant
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.crossings import Jump
from cosserat.solve.motion.smooth_start import parts_of
from cosserat.solve.motion.walk import NEVER

_MOST_ITERATIONS = 40
_ROUNDING = 1e-5  # changes below this that no longer shrink are rounding errors of stiff forces
_SLOW = 0.3  # shrinking slower than this, the iteration takes new factors


class Implicit(FloatingWalk):
    """Generalised-alpha steps, see `kernels.flexible.implicit`.

    Parameters
    ----------
    floating : FloatingModel
    rho : float
        Spectral radius at infinite frequency.
    tolerance : float
        Of accelerations, relative to the largest.
    """

    order = 2

    def __init__(self, floating: FloatingModel, rho: float, tolerance: float) -> None:
        tree, drives, size = floating.tree, floating.drives, floating.size
        self.rule = rho  # loads are filtered as accelerations are
        self.mean, self.shift = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 + self.shift - self.mean
        self.beta = 0.25 * (gamma + 0.5) ** 2
        # what counts as a large acceleration, at least: that of gravity, so that a mechanism at rest finds its rest
        large = max(float(np.linalg.norm(tree.gravity)), 1e-6)
        heavy = np.sqrt(max((link.modal.mass for link in tree.data.links if link.modal is not None), default=1.0))
        numbers = (
            0.0, self.mean, self.shift, gamma, self.beta, tolerance, _ROUNDING, _SLOW, _MOST_ITERATIONS, CLOSED * size,
            large, large * heavy, large / size,
        )  # fmt: skip
        super().__init__(floating, numbers)
        forces = tree.forces
        modal = any(link.modal is not None and np.any(link.modal.damping) for link in tree.data.links)
        self._damped = modal or bool(np.any(forces.damping) or np.any(forces.servo[1]))
        self._soft = (forces.stiffness == 0.0) & (forces.damping == 0.0) & (forces.servo[0] == 0.0)
        self._modal = np.zeros(len(self._soft), dtype=bool)
        for link in tree.data.links:
            self._modal[link.columns[len(link.columns) - link.n_modes :]] = True
        self._soft = (self._soft & ~self._modal) | drives.held

    def readied(self, old: Instant, t: float, h: float) -> Instant:
        """With accelerations of the method for steps of this length."""
        if self.at_breaks and old.step != h:
            old = self._started(old, t, h)
        if old.step not in (0.0, h):
            old = self._rescaled(old, h)
        return old

    def in_parts(self, now: Instant, t: float, h: float) -> Instant | None:
        """In parts, where anything damps: how soon dampers take what begins to act, only shorter steps tell.

        Vibrations that a whole step would filter are no worse for it.
        """
        if self.at_breaks or not self._damped:
            return None
        sizes = parts_of(h)
        if self.course(now, t, sizes[0], 1, NEVER, 0).failure is not None:
            return None
        first = np.where(self.drives.held, now.a, self.resolved(now.a))
        now, points = now._replace(a=first, carried=first), []
        for size in sizes:
            step = self.course(now, now.t, size, 1, NEVER, 0)
            if step.failure is not None:
                return None
            now = step.now
            points.append(now)
        for point in points[:-1]:  # powers change much in this step
            self.crossings += (Jump(point.t, np.array([point.t, point.t]), point.row, point.row),)
        return now._replace(t=t + h)

    def _started(self, old: Instant, t: float, h: float) -> Instant:
        """A state from which steps of length h start anew.

        The algorithmic accelerations belong to the time t + (alpha_m - alpha_f) h; a first step tells how accelerations
        change. Scaled from other steps, their errors would grow where steps do, one after another.
        """
        self.impulses.begin(t, h)
        times = np.array([t + h])
        first = self.engine.advance(old._replace(carried=old.a), (times, times), h, 1, 2, 0, -h)
        if first.failure is not None:
            return old._replace(carried=old.a, step=h)
        part, (y, g, _) = self.mean - self.shift, old.inner
        inner = np.array([y, g, g + part * (first.now.inner[1] - g)])
        return old._replace(carried=old.a + part * (first.now.a - old.a), step=h, inner=inner)

    def _rescaled(self, old: Instant, h: float) -> Instant:
        """A state with the algorithmic accelerations for a step of another length than the last.

        They belong to a time shifted by a fixed part of the step: without this, changing steps cost one order of
        accuracy. Where steps grow, one after another, scaled errors would grow with them.
        """
        part, (y, g, z) = min(1.0, h / old.step), old.inner
        return old._replace(carried=old.a + part * (old.carried - old.a), inner=np.array([y, g, g + part * (z - g)]))

    def resolved(self, change: Array) -> Array:
        """As the iteration matrix of the last step has it."""
        return self.engine.filtered(np.where(self.drives.held, 0.0, change), held=False)

    def errors(self, old: Instant, new: Instant) -> tuple[Array, Array]:
        """The leading error c h^2 (a_new - a_old) in the long run, stiff motions filtered: S e = M times that, A e = 0.

        That of velocities is c h times what a_new - a_old differs from the same of the step before. Where motions are
        prescribed, what they and the loops hold is not filtered out, so that steps resolve it: only positions are exact
        there.
        """
        h, before = new.step, self.slopes[0]
        slope = (new.a - old.a) / h
        self.slopes = before, slope
        c, missed = phase_constant(self.rule), np.zeros(len(slope)) if before is None else slope - before
        astray = new.v - old.v - 0.5 * h * (new.a + old.a)  # where the method started with accelerations to come
        missed = c * h**2 * missed
        raw = c * h**3 * slope, np.where(np.abs(missed) > np.abs(astray), missed, astray)
        found = [self.engine.filtered(np.where(self.drives.held, 0.0, x)) for x in raw]
        if self.drives.held.any() or self.constraints.driven:
            found[0] = np.where(self._soft, raw[0], found[0])
            if self.constraints.present:
                led = self._loose(h) * raw[0]
                found[0] = np.where(np.abs(led) > np.abs(found[0]), led, found[0])
        return found[0], found[1]

    def _loose(self, h: float) -> Array:
        """Share (n,) of its inertia in what a coordinate of a joint has in the iteration matrix; none of modes.

        A loop leads these coordinates along with the drives, whatever little springs and dampers hold them.
        """
        forces, inertia = self.tree.forces, np.diag(self.tree.mass_matrix(self.now.q))
        kp, kd, _ = forces.servo
        holding = 0.5 * h * (forces.damping + kd) + 0.25 * h**2 * (forces.stiffness + kp)
        total = inertia + holding
        share = np.divide(inertia, total, out=np.zeros(len(total)), where=total > 0.0)
        return np.where(self._modal, 0.0, share)
