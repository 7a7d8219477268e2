"""How seats on the links of a tree move, and how rows on pairs of seats become rows on the tree's coordinates.

Places of trees with elastic links have a `Posture` from it, and rates of their Jacobians. At velocities v a place has,
besides J a, the accelerations c(v) = J_dot(v) v, which the recursion gives exactly. They are quadratic in v, so that
c(v + w) - c(v) - c(w) = J_dot(v) w + J_dot(w) v. The difference of the two terms on the right follows from the
commutator [v, w] of the velocities of joints: J_dot(v) w - J_dot(w) v = J [v, w], with omega_v x omega_w more in the
angular rows (Maurer-Cartan). Half of both together is J_dot(v) w, without differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.kernels.flexible.arrays import Z
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.results.composed import Posture
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.coordinates import bracket
from cosserat.solve.relative.flexible_recursion import LinkMotion, Motions, projected

_ROUNDING = 1e-13


class SeatMotion(NamedTuple):
    """Frame in the world, twist, and rate of the twist, both in the seat's own axes."""

    frame: Array  # (4, 4)
    twist: Array  # (6,)
    rate: Array  # (6,)


def seat_motion(now: LinkMotion, rate: Array, seat: Seat, modal: Array) -> SeatMotion:
    """Motion of a seat on a link whose velocities have the given rate (6 + m,)."""
    inside = seat.at(modal)
    back = se3.adjoint(se3.inverse(inside))
    eta, eta_dot = back @ now.z[:6], back @ rate[:6]
    if seat.interface is not None:
        Phi = seat.jacobian(modal)
        slip = Phi @ now.z[6:]
        eta_dot = eta_dot + Phi @ rate[6:] + seat.bias(modal, now.z[6:]) + se3.bracket(eta) @ slip
        eta = eta + slip
    return SeatMotion(now.frame @ inside, eta, eta_dot)


def moving_seat(
    data: TreeData, now: Motions, drift: list[Array], seat: Seat, q: Array
) -> SeatMotion:  # fmt: skip
    """Motion of a seat anywhere; `drift`: rates of the links' velocities."""
    if seat.link < 0:
        return SeatMotion(seat.frame, np.zeros(6), np.zeros(6))
    return seat_motion(now[seat.link], drift[seat.link], seat, data.modal(seat.link, q))


def seat_rows(data: TreeData, now: Motions, q: Array, seats: Sequence[Seat]) -> Array:
    """Twists (6 k, n) of seats, in their own axes, per velocity of the tree.

    Rows that no velocity moves are zero, free of rounding errors.
    """
    on_links, lever = np.zeros((6 * len(seats), data.arrays.n_z)), np.zeros(6 * len(seats))
    for k, seat in enumerate(seats):
        if seat.link < 0:
            continue
        modal, rows = data.modal(seat.link, q), slice(6 * k, 6 * k + 6)
        at = int(data.arrays.table[seat.link, Z])
        lever[rows], on_links[rows, at : at + 6] = 1.0, se3.adjoint(se3.inverse(seat.at(modal)))
        if seat.interface is not None:
            on_links[rows, at + 6 : at + 6 + len(modal)] = seat.jacobian(modal)
    out = projected(now, on_links)
    out[np.abs(out).max(axis=1) < _ROUNDING * lever] = 0.0
    return out


class ElasticPosture(Posture):
    """A `Posture` whose places may sit on bodies that deform: each has a motion of its own."""

    def __init__(self, data: TreeData, seat_of: Callable[[Any], Seat], q: Array, v: Array, a: Array) -> None:
        self._data, self._seat_of, self._q = data, seat_of, q
        self._now = Motions(data).move(q, v)
        self._rates = data.parts(flexible_recursion.accelerations(self._now, a, np.zeros(6)))

    def _seat(self, place: Any) -> SeatMotion:
        return moving_seat(self._data, self._now, self._rates, self._seat_of(place), self._q)

    def frame(self, place: Any) -> Array:
        """Frame H (4, 4) of a place."""
        return self._seat(place).frame

    def _motion(self, place: Any) -> tuple[Array, Array, Array, Array, Array]:
        """Motion of the place itself: it is its own origin."""
        H, twist, rate = self._seat(place)
        R, zero = H[:3, :3], np.zeros(3)
        acceleration = rate[:3] + np.cross(twist[3:], twist[:3])
        return R @ twist[:3], R @ twist[3:], R @ acceleration, R @ rate[3:], zero

    def accelerations(self, place: Any) -> Array:
        """Acceleration and angular acceleration (6,) of a place, world axes."""
        _, _, acceleration, turning, _ = self._motion(place)
        return np.concatenate((acceleration, turning))


def jacobian_rate(data: TreeData, seat: Seat, q: Array, v: Array, J: Array) -> Array:
    """J_dot (6, n) in world axes at velocities v, from the Jacobian J (6, n) in world axes."""

    def drift(velocities: Array) -> Array:
        return ElasticPosture(data, lambda seat: seat, q, velocities, np.zeros(len(q))).accelerations(seat)

    at_v, spin = drift(v), J[3:] @ v
    out = np.empty(J.shape)
    for k, w in enumerate(np.eye(len(v))):
        symmetric = drift(v + w) - at_v - drift(w)
        skew = J @ bracket(data, v, w)
        skew[3:] += np.cross(spin, J[3:, k])
        out[:, k] = 0.5 * (symmetric + skew)
    return out
