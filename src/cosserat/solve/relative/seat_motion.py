"""How seats on the links of a tree move, and how rows on pairs of seats become rows on the tree's coordinates.

Places of trees with elastic links have a `Posture` from it, and rates of their Jacobians. At velocities v a place has,
besides J a, the accelerations c(v) = J_dot(v) v, which the recursion gives exactly. They are quadratic in v, so that
c(v + w) - c(v) - c(w) = J_dot(v) w + J_dot(w) v. The difference of the two terms on the right follows from the
commutator [v, w] of the velocities of joints: J_dot(v) w - J_dot(w) v = J [v, w], with omega_v x omega_w more in the
angular rows (Maurer-Cartan). Half of both together is J_dot(v) w, without differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.flexible_arrays import new_motions, pack_seats
from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.kernels.arrays import Packed
from cosserat.kernels.flexible import arrays, record
from cosserat.kernels.flexible.arrays import Z
from cosserat.kernels.flexible.record import Paths
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.results.composed import Posture
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.coordinates import bracket
from cosserat.solve.relative.flexible_recursion import Motions, projected

_ROUNDING = 1e-13


def seat_paths(room: Motions, places: arrays.Seats, q: Array, frame: Array, z: Array, z_dot: Array) -> Paths:
    """Motion of seats over times at which that of the links is known, with coordinates q (nt, n); `room` to work in."""
    shape = len(q), len(places.link)
    out = np.zeros((*shape, 12)), np.zeros((*shape, 6)), np.zeros((*shape, 6))
    paths = Paths(np.ascontiguousarray(q), frame, z, z_dot, *out)
    history = Packed(record.SeatHistory(places, new_motions(places), paths))
    record.record_seats(room.data.arrays.tree, room.address, history.address)
    return paths


def seats_at(now: Motions, places: arrays.Seats, q: Array, rates: Array | None = None) -> Paths:
    """The same where the links are now, with these rates (n_z,) of their velocities; the only time is number 0."""
    links = now.arrays
    z_dot = np.zeros(len(links.z)) if rates is None else rates
    return seat_paths(now, places, q[None], links.frame[None], links.z[None], z_dot[None])


def seat_frames(now: Motions, places: arrays.Seats, q: Array) -> Array:
    """World frames (n, 4, 4) of seats."""
    return np.array([row_to_frame(row) for row in seats_at(now, places, q).frame[0]]).reshape(-1, 4, 4)


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
        self._rates = flexible_recursion.accelerations(self._now, a, np.zeros(6))

    def _seat(self, place: Any) -> tuple[Array, Array, Array]:
        """Frame in the world, twist, and rate of the twist, both in the seat's own axes."""
        found = seats_at(self._now, pack_seats([self._seat_of(place)]), self._q, self._rates)
        return row_to_frame(found.frame[0, 0]), found.twist[0, 0], found.rate[0, 0]

    def frame(self, place: Any) -> Array:
        """Frame H (4, 4) of a place."""
        return self._seat(place)[0]

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
