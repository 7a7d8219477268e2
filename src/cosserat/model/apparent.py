"""Apparent forces: what a model that is described in a moving frame feels besides its loads.

A mechanism seen from a frame that moves obeys the equations of a Galilean frame with the drive and Coriolis wrenches of
[Lerbet17] (45)-(47) added, with the opposite sign.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.model.frame_signals import frame_signals
from cosserat.model.lumps import Lump
from cosserat.model.observers import Observer
from cosserat.model.parameters import Number
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.records import Component

Array = NDArray[np.float64]

_LINEAR = re.compile(r"\s*[-+]?[0-9.]+(e[-+]?[0-9]+)?\s*\*\s*t\s*", re.IGNORECASE)


class ApparentLoad(PlacedLaw):
    """Drive and Coriolis wrenches on one lump of mass in a frame that moves as prescribed."""

    def __init__(self, lump: Lump, frame: Observer) -> None:
        name = f"apparent forces on {lump.place.label}".translate(str.maketrans(".(),", "    ")).strip()
        self._given = {"name": name}
        Component.__init__(self, name)
        self._place, self._other, self.derivative = lump.place, None, None
        self._numbers: dict[str, Number] = dict(lump.numbers)
        steady = steady_spin(frame)
        if steady is None:
            self._inputs = frame_signals(frame)
        else:
            self._numbers |= dict.fromkeys(("ax", "ay", "az", "lx", "ly", "lz"), 0.0)
            self._numbers |= dict(zip(("ox", "oy", "oz"), steady.tolist(), strict=True))

    @property
    def numbers(self) -> dict[str, Number]:
        return self._numbers

    @property
    def law(self) -> Callable[..., Any]:
        return apparent_wrench


def steady_spin(frame: Observer) -> Array | None:
    """Angular velocity (3,), in its own axes, of a frame that turns steadily about an axis at rest through its origin.

    None for any other frame, and for one of which that is not plain: an origin that is not given by numbers, several
    turns, an angle that is no formula such as '2*t'. Signals say all of these, too.
    """
    if not all(part.is_constant for part in frame.origin.components) or frame.origin.callable is not None:
        return None
    turns = [(axis, angle) for axis, angle in frame.turns if not angle.is_constant]
    if len(turns) != 1 or len(frame.turns) != 1 or not _LINEAR.fullmatch(turns[0][1].text or ""):
        return None
    axis, angle = turns[0]
    return np.asarray(float(angle.jet(np.zeros(1))[1][0]) * axis)


def apparent_wrench(t, frame, twist, p):
    """-(K_r + K_c) of a lump about its place, in its axes: [Lerbet17] (45)-(46).

    With the angular velocity O of the frame, its rate L and the acceleration A of its origin, along its axes, a point
    at x with the velocity v has the apparent acceleration -(A + L × x + O × (O × x) + 2 O × v).
    """
    ox, oy, oz = p["ox"], p["oy"], p["oz"]
    lx, ly, lz = p["lx"], p["ly"], p["lz"]
    x, y, z = frame[0, 3], frame[1, 3], frame[2, 3]
    vx = frame[0, 0] * twist[0] + frame[0, 1] * twist[1] + frame[0, 2] * twist[2]
    vy = frame[1, 0] * twist[0] + frame[1, 1] * twist[1] + frame[1, 2] * twist[2]
    vz = frame[2, 0] * twist[0] + frame[2, 1] * twist[1] + frame[2, 2] * twist[2]
    ux, uy, uz = oy * z - oz * y + 2.0 * vx, oz * x - ox * z + 2.0 * vy, ox * y - oy * x + 2.0 * vz
    gx = -(p["ax"] + ly * z - lz * y + oy * uz - oz * uy)
    gy = -(p["ay"] + lz * x - lx * z + oz * ux - ox * uz)
    gz = -(p["az"] + lx * y - ly * x + ox * uy - oy * ux)
    g, spin, turn = np.empty(3), np.empty(3), np.empty(3)  # in the axes of the place
    for i in range(3):
        g[i] = frame[0, i] * gx + frame[1, i] * gy + frame[2, i] * gz
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
