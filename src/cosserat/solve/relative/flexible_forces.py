"""What acts on a tree of rigid and elastic links besides gravity: springs, loads, and what its joints have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleTreeData
from cosserat.compile.seats import Seat
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3
from cosserat.model.functions import TimeFunction
from cosserat.model.model import Model
from cosserat.solve.relative.flexible_coordinates import curved
from cosserat.solve.relative.flexible_recursion import LinkMotion

Array = NDArray[np.float64]


class FlexibleForces:
    """Springs, dampers and loads at places; stiffness, damping, friction and efforts of joint coordinates."""

    def __init__(self, model: Model, data: FlexibleTreeData) -> None:
        self._data = data
        self._springs = [
            (data.seat(s.a), data.seat(s.b), s.stiffness, s.damping, s.length) for s in model.springs
        ]  # fmt: skip
        self._loads = [(data.seat(load.place), load.place.frame()[:3, :3], load) for load in model.loads]
        n = len(data.coordinates)
        self.stiffness, self.damping = np.zeros(n), np.zeros(n)
        self.friction, self.speed = np.zeros(n), np.ones(n)
        self.efforts: list[tuple[int, TimeFunction]] = []
        place = {name: k for k, name in enumerate(data.coordinates)}
        cut = {loop.joint.name for loop in data.loops}
        for joint in model.joints:
            for index, name in enumerate(() if joint.name in cut else joint.coordinates):
                k = place[name]
                self.stiffness[k], self.damping[k] = joint.stiffness[index], joint.damping[index]
                friction, effort = joint.friction[index], joint.effort[index]
                if friction is not None:
                    self.friction[k], self.speed[k] = friction.level, friction.speed
                if effort is not None:
                    self.efforts.append((k, effort))

    def in_joints(self, q: Array, v: Array, t: float | None) -> Array:
        """Efforts (n,) in the coordinates; prescribed efforts do not count without a time.

        Where a body turns freely, springs and dampers act along the components of position, rotation vector and
        velocities in the parent's axes.
        """
        drive = np.zeros(len(q))
        for k, effort in () if t is None else self.efforts:
            drive[k] += effort.sample(np.array([t]))[0]

        def pull(at: slice, x: Array, rate: Array) -> Array:
            friction = self.friction[at] * np.tanh(rate / self.speed[at])
            return np.asarray(drive[at] - self.stiffness[at] * x - self.damping[at] * rate - friction)

        out = pull(slice(None), q, v)
        for kind, k, ahead in curved(self._data):
            at = slice(k, k + 3) if kind == layout.SPHERICAL else slice(k + 3, k + 6)
            R, turns = so3.exp(q[at]), v[at]
            if ahead:
                out[at] = R.T @ pull(at, q[at], R @ turns)
            else:
                out[at] = -pull(at, q[at], -turns)
            if kind == layout.FREE:
                first, x, slides = slice(k, k + 3), q[k : k + 3], v[k : k + 3]
                if ahead:
                    out[first] = R.T @ pull(first, x, R @ slides)
                else:
                    f = pull(first, x, -slides - np.cross(turns, x))
                    out[first] = -f
                    out[at] -= np.cross(x, f)
        return out

    def on_links(self, now: list[LinkMotion], q: Array, t: float) -> list[Array]:
        """Wrenches and modal forces (6 + m,) on every link, in its own axes."""
        out = [np.zeros(len(w.z)) for w in now]
        self._add_springs(out, now, q)
        self._add_loads(out, now, q, t)
        return out

    def _add_springs(self, out: list[Array], now: list[LinkMotion], q: Array) -> None:
        for a, b, stiffness, damping, length in self._springs:
            (H_a, u_a), (H_b, u_b) = self._motion(now, q, a), self._motion(now, q, b)
            line = H_b[:3, 3] - H_a[:3, 3]
            distance = float(np.linalg.norm(line))
            unit = line / distance
            pull = stiffness * (distance - length) + damping * float(unit @ (u_b - u_a))
            self._add(out, q, a, np.concatenate((H_a[:3, :3].T @ (pull * unit), np.zeros(3))))
            self._add(out, q, b, np.concatenate((-H_b[:3, :3].T @ (pull * unit), np.zeros(3))))

    def _add_loads(self, out: list[Array], now: list[LinkMotion], q: Array, t: float) -> None:
        at = np.array([t])
        for seat, axes, load in self._loads:
            turn = axes.T if load.follower else self.frame(now, q, seat)[:3, :3].T
            parts = [np.zeros(3) if f is None else turn @ f.sample(at)[0] for f in (load.force, load.moment)]
            self._add(out, q, seat, np.concatenate(parts))

    def powers(self, now: list[LinkMotion], q: Array, v: Array, t: float) -> tuple[float, float]:
        """Power (W) that dampers, friction and damped bodies take, and power of loads and prescribed efforts."""
        held = self.in_joints(q, 0 * v, None)
        loss = -float(v @ (self.in_joints(q, v, None) - held))
        supply = float(v @ (self.in_joints(q, 0 * v, t) - held))
        moving, still, loads = ([np.zeros(len(w.z)) for w in now] for _ in range(3))
        self._add_springs(moving, now, q)
        self._add_springs(still, [w._replace(z=0 * w.z) for w in now], q)
        self._add_loads(loads, now, q, t)
        for link, w, f, g, p in zip(self._data.links, now, moving, still, loads, strict=True):
            loss -= float((f - g) @ w.z)
            supply += float(p @ w.z)
            if link.modal is not None:
                loss += float(w.z[6:] @ link.modal.damping @ w.z[6:])
        return loss, supply

    def strain_energy(self, now: list[LinkMotion], q: Array) -> float:
        """Energy (J) of springs and of the stiffness of joints."""
        total = 0.5 * float(self.stiffness @ q**2)
        for a, b, stiffness, _, length in self._springs:
            line = self.frame(now, q, b)[:3, 3] - self.frame(now, q, a)[:3, 3]
            total += 0.5 * stiffness * (float(np.linalg.norm(line)) - length) ** 2
        return total

    def _modal(self, q: Array, seat: Seat) -> Array:
        link = self._data.links[seat.link]
        return q[link.columns[len(link.columns) - link.n_modes :]]

    def frame(self, now: list[LinkMotion], q: Array, seat: Seat) -> Array:
        """Frame (4, 4) of a seat in the world."""
        return seat.frame if seat.link < 0 else now[seat.link].frame @ seat.at(self._modal(q, seat))

    def _motion(self, now: list[LinkMotion], q: Array, seat: Seat) -> tuple[Array, Array]:
        """Frame of a place and velocity of its origin, in the world."""
        H = self.frame(now, q, seat)
        if seat.link < 0:
            return H, np.zeros(3)
        return H, H[:3, :3] @ seat_twist(now[seat.link], seat, self._modal(q, seat))[:3]

    def _add(self, out: list[Array], q: Array, seat: Seat, wrench: Array) -> None:
        """Add a wrench given in the axes of a place."""
        if seat.link >= 0:
            modal = self._modal(q, seat)
            out[seat.link][:6] += se3.adjoint(se3.inverse(seat.at(modal))).T @ wrench
            out[seat.link][6:] += seat.jacobian(modal).T @ wrench


def seat_twist(now: LinkMotion, seat: Seat, modal: Array) -> Array:
    """Twist (6,) of a seat in its own axes."""
    eta = se3.adjoint(se3.inverse(seat.at(modal))) @ now.z[:6]
    return eta + seat.jacobian(modal) @ now.z[6:]
