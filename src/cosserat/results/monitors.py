"""Monitors of a motion: energies and their balance, momentum, constraint violation, transport of the momentum; fluids.

Time integrals of powers are taken over the stored times by the trapezoidal rule, and over those at which loads jump.
Conserving steps sum up themselves what damping and friction take: these act on the mean motion of a step, and
velocities at its ends, which may alternate about it, tell nothing of that.
"""

from __future__ import annotations

import copy
from functools import cached_property

import numpy as np

from cosserat.compile.state_loads import motions_of
from cosserat.errors import CosseratError
from cosserat.kernels.joint_rows import ROTATION
from cosserat.kernels.joints import constraint
from cosserat.lie.protocol import Array
from cosserat.model.fluid_loads import FluidLoad
from cosserat.results import rolling
from cosserat.results.motion import Motion, last
from cosserat.results.nodal import (
    Ledger,
    armature_energy,
    exchange,
    external,
    ledger,
    momenta,
    power_of_law,
    stored_energies,
    supplied_later,
)
from cosserat.results.trajectory import Crossed, FloatingRecord, Trajectory

_UNTOLD = 0.05  # of the ways between stored times: more is missed with fewer than ten of them in a period
_RESOLVED = 0.1  # of (w h)^2 for steps of length h: about twenty in a period of frequency w

class Monitors:
    """Computes each monitor once, when it is first asked for."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion

    @cached_property
    def book(self) -> Ledger:
        """Energies, powers and forces."""
        return ledger(self.motion)

    @cached_property
    def nodal_momenta(self) -> Array:
        """Momenta (nt, n+1, 6) of the nodes in their own frames."""
        return momenta(self.motion)

    def kinetic(self) -> Array:
        """Kinetic energy (nt,), J."""
        moving = 0.5 * np.einsum("tni,tni->t", self.nodal_momenta, self.motion.twist)
        return np.asarray(moving + armature_energy(self.motion))

    def energies(self) -> dict[str, Array]:
        """Energies (J) over time; balance = total - total[0] + dissipated - work should vanish."""
        book = self.book
        held = book.held + self._later(self.motion)
        return self._balanced(self.kinetic(), book.strain, book.potential, book.loss, book.supply, held)

    @staticmethod
    def _later(motion: Motion) -> Array:
        """Work (nt,) that trapezoids leave out where a controller changes what it holds: it acts from there on."""
        if not motion.commanded:
            return np.zeros(len(motion.time))
        return np.concatenate(([0.0], np.cumsum(0.5 * np.diff(motion.time) * supplied_later(motion)[:-1])))

    def _balanced(
        self, kinetic: Array, strain: Array, potential: Array, loss: Array, supply: Array, held: Array | float = 0.0
    ) -> dict[str, Array]:
        """Energies with the integrals of loss and supply (W), and work besides that a controller's efforts did."""
        t, crossed = self.motion.time, self.motion.crossed
        dissipated, work = (integrate(t, p, crossed, k) for k, p in enumerate((loss, supply)))
        spent = self.motion.spent
        if spent is not None:
            dissipated = spent - spent[0]
        work = work + held + impulsive(t, crossed)
        total = kinetic + strain + potential
        return {
            "kinetic": kinetic, "strain": strain, "potential": potential, "dissipated": dissipated, "work": work,
            "total": total, "balance": total - total[0] + dissipated - work,
        }  # fmt: skip

    def speeds(self) -> Array:
        """Largest velocity and angular velocity (2,) of a node, by component."""
        largest = np.abs(self.motion.twist).max(axis=(0, 1))
        return np.array([largest[:3].max(), largest[3:].max()])

    def skips(self, every: int) -> bool:
        """Whether storing only every so many steps leaves out what the steps resolve, so that integrals miss it.

        Velocities at the stored times then do not tell the ways between them, by what trapezoids miss or by what these
        change: of a vibration that is stored n times in a period each is about 1.6/n^2 of the way, and where n is two
        or one, one of them is large. Accelerations tell whether it is the steps instead that are too long.
        """
        t, length = self.motion.time, self.motion.mechanism.length
        twist, R = self._in_space(self.motion.twist), self.motion.frame[:, :, :9].reshape(len(t), -1, 3, 3)
        arms = length * np.swapaxes(R, 2, 3)
        x = np.concatenate((self.motion.frame[:, :, None, 9:], arms), axis=2)
        v = np.concatenate((twist[:, :, None, :3], np.cross(twist[:, :, None, 3:], arms)), axis=2)
        way, half = np.diff(x, axis=0), 0.5 * np.diff(t)[:, None, None]
        speed, change = np.linalg.norm(v, axis=3), np.linalg.norm(np.diff(v, axis=0), axis=3)
        both = speed[1:] + speed[:-1]
        missed = np.linalg.norm(way - half[..., None] * (v[1:] + v[:-1]), axis=3)
        missed += np.divide(half * change**2, 3.0 * both, out=np.zeros_like(both), where=both > 0.0)
        if missed.sum() <= _UNTOLD * (np.linalg.norm(way, axis=3) + half * both).sum():
            return False
        step = float(np.diff(t).max()) / every
        size = np.linalg.norm(self.motion.rate * np.repeat([1.0, length], 3))
        reach = np.linalg.norm(v) + np.linalg.norm(x - x.mean(axis=0)) / step
        return bool(step * size < _RESOLVED * reach)

    def momentum(self) -> Array:
        """Linear momentum and angular momentum about the world's origin (nt, 6), world axes."""
        x = self.motion.frame[:, :, 9:]
        p = self._in_space(self.nodal_momenta)
        p[..., 3:] += np.cross(x, p[..., :3])
        return np.asarray(p.sum(axis=1))

    def violation(self) -> Array:
        """Largest constraint value (nt,), m or 1."""
        return self.motion.in_phases(self._violation)

    @staticmethod
    def _violation(motion: Motion) -> Array:
        arrays, frames, drive = motion.mechanism.system.joints, motion.moving[0], last(motion.inputs.drive)
        worst, phi = np.zeros(len(motion.time)), np.empty((6, len(motion.time)))
        for j in range(len(arrays.n_rows)):
            constraint(arrays, j, frames, drive, motion.angle.T, phi)
            long = np.where(arrays.kind[j] == ROTATION, np.linalg.norm(arrays.row_a[j], axis=1), 1.0)
            for k in range(arrays.n_rows[j]):
                worst = np.maximum(worst, np.abs(phi[k]) / long[k])
        for k in motion.mechanism.rolling.values():
            worst = np.maximum(worst, np.abs(rolling.gaps(motion, k)))
        return worst

    def transport(self) -> Array:
        """Residual (nt,) of the transport of the momentum over each step, relative to the forces; the first is 0.

        In the Galilean frame the momentum of every node changes only by the forces on it: its covariant derivative
        along the motion is the force [deSaxce26] section 11.2. Here (J1 - J0)/h - (F0 + F1)/2 with J, F transported to
        the point halfway, moments divided by the typical length of a part. The reference is the largest root sum of
        squares of forces and momentum changes, plus that of the momenta over the whole time.
        """
        motion = self.motion
        if len(motion.time) < 2:
            return np.zeros(len(motion.time))
        force = self.book.force.copy()
        force[..., 3:] += exchange(motion)
        parts = (motion.frame[:, :, 9:], self._in_space(self.nodal_momenta), self._in_space(force))
        return self._transport(*(part[:, :-1] for part in parts))

    def _transport(self, x: Array, p: Array, f: Array) -> Array:
        """Residual for momenta p and forces f (nt, n, 6) about points x (nt, n, 3), all in the world."""
        t, length = self.motion.time, self.motion.mechanism.length
        if len(t) < 2:
            return np.zeros(len(t))
        middle = 0.5 * (x[1:] + x[:-1])

        def about(q: Array, arm: Array) -> Array:
            moment = (q[..., 3:] + np.cross(arm, q[..., :3])) / length
            return np.concatenate((q[..., :3], moment), axis=-1)

        before, after = x[:-1] - middle, x[1:] - middle
        h = np.diff(t)[:, None, None]
        change = (about(p[1:], after) - about(p[:-1], before)) / h
        mean = 0.5 * (about(f[1:], after) + about(f[:-1], before))
        size = np.sqrt(np.sum(change**2 + mean**2, axis=(1, 2))).max()
        size += np.sqrt(np.sum(about(p, np.zeros(3)) ** 2, axis=(1, 2))).max() / (t[-1] - t[0])
        residual = np.sqrt(np.sum((change - mean) ** 2, axis=(1, 2)))
        return np.concatenate(([0.0], residual / size if size > 0.0 else residual))

    def _in_space(self, wrenches: Array) -> Array:
        """Wrenches of nodes in world axes, still about the nodes."""
        R = self.motion.frame[:, :, :9].reshape(*wrenches.shape[:2], 3, 3)
        f = np.einsum("tnij,tnj->tni", R, wrenches[..., :3])
        m = np.einsum("tnij,tnj->tni", R, wrenches[..., 3:])
        return np.concatenate((f, m), axis=-1)


def impulsive(t: Array, crossed: Crossed | None) -> Array:
    """Work (nt,) of impulses so far; states at the very time of one are those before it."""
    if crossed is None:
        return np.zeros(len(t))
    return np.concatenate(([0.0], np.cumsum(crossed.work)))[np.searchsorted(crossed.time, t)]


def integrate(t: Array, power: Array, crossed: Crossed | None = None, column: int = 0) -> Array:
    """Time integral from the first time on, trapezoidal rule; powers jump where something was crossed."""
    if crossed is None or not len(crossed.time):
        return np.concatenate(([0.0], np.cumsum(0.5 * np.diff(t) * (power[1:] + power[:-1]))))
    sides = [np.full(len(x), k) for k, x in enumerate((t, crossed.time, crossed.time))]
    order = np.lexsort((np.concatenate(sides), np.concatenate((t, crossed.time, crossed.time))))
    at = np.concatenate((t, crossed.time, crossed.time))[order]
    p = np.concatenate((power, crossed.before[:, column], crossed.after[:, column]))[order]
    found = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(at) * (p[1:] + p[:-1]))))
    return np.asarray(found[np.argsort(order, kind="stable")[: len(t)]])


class FloatingMonitors(Monitors):
    """Energies and momenta as the formulation has them: of modal bodies, not of nodes."""

    def __init__(self, motion: Motion, record: FloatingRecord) -> None:
        super().__init__(motion)
        self._record = record

    def energies(self) -> dict[str, Array]:
        """Energies (J) over time; balance = total - total[0] + dissipated - work should vanish."""
        kinetic, strain, potential, loss, supply = self._record.ledger.powers.T
        energy, power = stored_energies(self.motion)  # of laws, whose work the formulation counts as supplied
        return self._balanced(kinetic, strain, potential + energy, loss, supply - power, self._commanded())

    def _commanded(self) -> Array:
        """Work (nt,) that trapezoids leave out: `supply` has what a controller held up to the stored times."""
        if not self.motion.commanded:
            return np.zeros(len(self.motion.time))
        known = external(self.motion).held
        later = copy.copy(self.motion)
        later.commanded = []
        powers = external(later).supply - external(self.motion).supply  # of efforts that a controller held
        return known - integrate(later.time, powers) + self._later(self.motion)

    def speeds(self) -> Array:
        """Largest velocity of a coordinate, as that of a point and as an angular one (2,)."""
        return np.full(2, np.abs(self._record.v).max(initial=0.0))

    def momentum(self) -> Array:
        """Linear momentum and angular momentum about the world's origin (nt, 6), world axes."""
        p = self._record.ledger.momentum.copy()
        p[..., 3:] += np.cross(self._record.ledger.origin, p[..., :3])
        return np.asarray(p.sum(axis=1))

    def transport(self) -> Array:
        """Residual (nt,) of the transport of the momentum of every link over each step; the first is 0.

        As in the Galilean formulation, with links instead of nodes.
        """
        record = self._record.ledger
        return self._transport(record.origin, record.momentum, record.force)


def fluid_energies(trajectory: Trajectory, motion: Motion) -> dict[str, Array]:
    """Work (nt,) of the loads of fluids, and energy (nt,) in the lags of wakes; nothing where there are none.

    A lag y' = (V/b)(w - b_i y) whose force is ½ρ c a V A_i b_i y takes from a motion w the energy ¼ρ c a b A_i b_i y²,
    which it gives back, and dissipates the rest: its part of the work of the fluid that is not lost.
    """
    loads = motion.mechanism.system.state_loads
    if not len(loads.node):
        return {}
    try:
        compiled = trajectory.compiled
    except CosseratError:
        return {}  # a file without its model
    chosen = [k for k, law in enumerate(compiled.laws) if isinstance(law.load, FluidLoad)]
    if not chosen:
        return {}
    power, wake, inner = np.zeros(len(motion.time)), np.zeros(len(motion.time)), motion.states.inner
    for k in chosen:
        power += power_of_law(motion, k)
        load = compiled.laws[k].load
        if load.states and inner is not None and inner.shape[1]:
            frames = motions_of(compiled, k, motion.frame, motion.twist)[0][:, 0]
            own = inner[:, loads.inner[k] : loads.inner[k + 1]]
            rows = zip(motion.time, frames, own, strict=True)
            wake += np.array([load.wake_energy(float(t), frame, states) for t, frame, states in rows])
    return {"fluid": integrate(motion.time, power), "wake": wake}
