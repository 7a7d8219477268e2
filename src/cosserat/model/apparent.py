"""Apparent forces: what a model that is described in a moving frame feels besides its loads.

A mechanism seen from a frame that moves obeys the equations of a Galilean frame with the drive and Coriolis wrenches of
[Lerbet17] (45)-(47) added, with the opposite sign.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.model.frame_laws import driven_at
from cosserat.model.frame_signals import frame_motion
from cosserat.model.lumps import Lump
from cosserat.model.observers import Observer
from cosserat.model.parameters import Number
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.records import Component

Array = NDArray[np.float64]


class ApparentLoad(PlacedLaw):
    """Drive and Coriolis wrenches on one lump of mass in a frame that moves as prescribed."""

    def __init__(self, lump: Lump, frame: Observer) -> None:
        name = lump.titled("apparent forces")
        self._given = {"name": name}
        Component.__init__(self, name)
        self._place, self._other, self.derivative = lump.place, None, None
        numbers, signals = frame_motion(frame)
        self._numbers: dict[str, Number] = {**lump.numbers, **numbers}
        self._inputs = {**lump.signals, **signals}

    @property
    def numbers(self) -> dict[str, Number]:
        return self._numbers

    @property
    def law(self) -> Callable[..., Any]:
        return apparent_wrench


def apparent_wrench(t, frame, twist, p):
    """-(K_r + K_c) of a lump about its place, in its axes: [Lerbet17] (45)-(46).

    With the angular velocity O of the frame, its rate L and the acceleration A of its origin, along its axes, a point
    at x with the velocity v has the apparent acceleration -(A + L × x + O × (O × x) + 2 O × v).
    """
    gx, gy, gz = driven_at(frame, twist, p)
    ox, oy, oz = p["ox"], p["oy"], p["oz"]
    lx, ly, lz = p["lx"], p["ly"], p["lz"]
    g, spin, turn = np.empty(3), np.empty(3), np.empty(3)  # in the axes of the place
    for i in range(3):
        g[i] = -(frame[0, i] * gx + frame[1, i] * gy + frame[2, i] * gz)
        spin[i] = frame[0, i] * ox + frame[1, i] * oy + frame[2, i] * oz
        turn[i] = frame[0, i] * lx + frame[1, i] * ly + frame[2, i] * lz
    s = np.empty(3)
    s[0], s[1], s[2] = p["sx"], p["sy"], p["sz"]
    J = np.empty((3, 3))
    J[0, 0], J[1, 1], J[2, 2] = p["jxx"], p["jyy"], p["jzz"]
    J[0, 1], J[0, 2], J[1, 2] = p["jxy"], p["jxz"], p["jyz"]
    J[1, 0], J[2, 0], J[2, 1] = p["jxy"], p["jxz"], p["jyz"]
    # of the first moment: L × s + O × (O × s) + 2 O × (w × s)
    a, b = np.empty(3), np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a[i] = spin[j] * s[k] - spin[k] * s[j] + 2.0 * (twist[3 + j] * s[k] - twist[3 + k] * s[j])
        b[i] = turn[j] * s[k] - turn[k] * s[j]
    w = np.empty(6)
    turned, driven, mixed = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[i] = p["m"] * g[i] - b[i] - (spin[j] * a[k] - spin[k] * a[j])
        for n in range(3):
            q, r = (n + 1) % 3, (n + 2) % 3
            turned[i] += J[i, n] * twist[3 + n]
            driven[i] += J[i, n] * spin[n]
            mixed[i] += J[i, n] * (spin[q] * twist[3 + r] - spin[r] * twist[3 + q] + turn[n])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[3 + i] = (s[j] * g[k] - s[k] * g[j]) - (
            (spin[j] + twist[3 + j]) * driven[k]
            - (spin[k] + twist[3 + k]) * driven[j]
            + spin[j] * turned[k]
            - spin[k] * turned[j]
            + mixed[i]
        )
    return w
