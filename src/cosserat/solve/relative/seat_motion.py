"""How seats on the links of a tree move, and how rows on pairs of seats become rows on the tree's coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cosserat.compile.seats import Seat
from cosserat.compile.tree import TreeData
from cosserat.kernels.flexible.arrays import Z
from cosserat.lie import se3
from cosserat.lie.protocol import Array
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
