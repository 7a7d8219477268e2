"""Rows of knife edges and rolling discs between the ground and a seat of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.seats import Seat
from cosserat.model.joints import Joint
from cosserat.model.rolling import Rolling, RollingDisc
from cosserat.solve.relative.joint_rows import crossed
from cosserat.solve.relative.nonholonomic import PlaceMotion, rolling_rows
from cosserat.solve.relative.seat_motion import PairRows, SeatMotion

Array = NDArray[np.float64]


class RollingRows:
    """Rows on the velocity of a place; of a disc the first, along the normal, is the rate of its gap.

    Parameters
    ----------
    item : Rolling
    seat : Seat
        The place.
    """

    joint: Joint | None = None

    def __init__(self, item: Rolling, seat: Seat) -> None:
        self.a, self.b = Seat(-1, np.eye(4)), seat
        self.title = item.title
        self._rows = rolling_rows(item)
        self.count = 3 if isinstance(item, RollingDisc) else 1
        self.holonomic = np.arange(self.count) < (1 if self.count == 3 else 0)

    def at(self, a: SeatMotion, b: SeatMotion, t: float, previous: float, biased: bool) -> tuple[PairRows, float]:
        """Rows for the motion of the place; the rest is as for `JointRows`."""
        R = b.frame[:3, :3]
        u, omega = b.twist[:3], b.twist[3:]
        J = np.zeros((6, 6))
        J[:3, :3] = J[3:, 3:] = R
        rate = np.concatenate((R @ (b.rate[:3] + crossed(omega, u)), R @ b.rate[3:]))
        rows = self._rows.rows(PlaceMotion(b.frame, J, rate), b.twist)
        return PairRows(np.zeros((self.count, 6)), rows.A, rows.gap, rows.A @ b.twist, rows.bias), previous

    def inside_out(self, a: SeatMotion, b: SeatMotion, t: float) -> bool:
        """Never: there is one way to touch."""
        return False
