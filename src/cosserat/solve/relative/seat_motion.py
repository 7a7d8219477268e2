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


def modal_coordinates(data: TreeData, seat: Seat, q: Array) -> Array:
    """Modal coordinates of the link of a seat."""
    link = data.links[seat.link]
    return q[link.columns[len(link.columns) - link.n_modes :]]


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
    return seat_motion(now[seat.link], drift[seat.link], seat, modal_coordinates(data, seat, q))


def coordinate_rows(
    data: TreeData, now: Motions, q: Array, parts: Sequence[tuple[Seat, Array]], first: Sequence[int]
) -> Array:
    """Rows (m, n) on the velocities of the tree from rows (k, 6) on twists of seats.

    `first`: the number of the first row of every part; parts with the same numbers are added. Rows that no velocity
    of the tree moves are zero, free of rounding errors.
    """
    m = max((start + len(rows) for start, (_, rows) in zip(first, parts, strict=True)), default=0)
    on_links, lever = np.zeros((m, data.arrays.n_z)), np.zeros(m)
    for start, (seat, rows) in zip(first, parts, strict=True):
        if seat.link < 0:
            continue
        modal = modal_coordinates(data, seat, q)
        at, numbers = int(data.arrays.table[seat.link, Z]), slice(start, start + len(rows))
        lever[numbers] += np.abs(rows).sum(axis=1)
        on_links[numbers, at : at + 6] += rows @ se3.adjoint(se3.inverse(seat.at(modal)))
        if seat.interface is not None:
            on_links[numbers, at + 6 : at + 6 + len(modal)] += rows @ seat.jacobian(modal)
    out = projected(now, on_links)
    out[np.abs(out).max(axis=1) < _ROUNDING * lever] = 0.0
    return out
