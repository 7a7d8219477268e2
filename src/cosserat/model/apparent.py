"""Apparent forces: what a model that is described in a rotating frame feels besides its loads.

A mechanism seen from a frame that turns steadily obeys the equations of a Galilean frame with the drive and Coriolis
wrenches of [Lerbet17] (45)-(47) added, with the opposite sign.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ModelError
from cosserat.model.bodies import RigidBody
from cosserat.model.observers import Observer
from cosserat.model.places import Place
from cosserat.model.records import Component
from cosserat.model.state_loads import StateLoad

Array = NDArray[np.float64]

_TIMES = np.array([0.0, 0.37, 1.9, 11.3])  # s, at which a frame is looked at
_STEADY = 1e-9


class ApparentLoad(StateLoad):
    """Drive and Coriolis wrenches on one rigid body in a frame that turns steadily about a fixed axis."""

    def __init__(self, body: RigidBody, frame: Observer) -> None:
        self._given: dict[str, Any] = {}
        Component.__init__(self, f"apparent forces on {body.name}")
        self.body, self._place, self._other, self.derivative = body, Place(body), None, None
        J = body.inertia
        self._numbers = dict(zip(("ox", "oy", "oz"), steady_spin(frame).tolist(), strict=True))
        self._numbers |= {"m": body.mass, "jxx": J[0, 0], "jyy": J[1, 1], "jzz": J[2, 2]}
        self._numbers |= {"jxy": J[0, 1], "jxz": J[0, 2], "jyz": J[1, 2]}

    @property
    def law(self) -> Callable[..., Any]:
        return apparent_wrench

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(float(x) for x in self._numbers.values())

    def check(self) -> None:
        """Its numbers are those of body and frame, which are checked themselves."""


def steady_spin(frame: Observer) -> Array:
    """Angular velocity (3,), in its own axes, of a frame that turns steadily about an axis at rest through its origin.

    Any other frame is an error.
    """
    motion = frame.motion(_TIMES)
    own = np.einsum("tji,tj->ti", motion.rotation, motion.omega)
    spin = max(float(np.abs(motion.omega).max()), np.finfo(float).tiny)
    still = np.abs(motion.velocity).max() + np.abs(motion.acceleration).max() == 0.0
    steady = max(np.ptp(motion.omega, axis=0).max(), np.ptp(own, axis=0).max()) <= _STEADY * spin
    if not still or not steady or np.abs(motion.alpha).max() > _STEADY * spin**2:
        raise ModelError(
            "Model: frame= must turn steadily about an axis at rest, such as Observer(turns=[((0, 0, 1), '2*t')]) or "
            "Observer.earth(latitude); for other motions simulate in a Galilean frame and look with run.seen_from"
        )
    return np.asarray(own[0])


def apparent_wrench(t, frame, twist, p):
    """-(K_r + K_c) of a rigid body about its centre of mass, in its axes: [Lerbet17] (45)-(46)."""
    ox, oy, oz = p["ox"], p["oy"], p["oz"]
    # velocities in the axes of the turning frame, positions from its origin
    x, y, z = frame[0, 3], frame[1, 3], frame[2, 3]
    vx = frame[0, 0] * twist[0] + frame[0, 1] * twist[1] + frame[0, 2] * twist[2]
    vy = frame[1, 0] * twist[0] + frame[1, 1] * twist[1] + frame[1, 2] * twist[2]
    vz = frame[2, 0] * twist[0] + frame[2, 1] * twist[1] + frame[2, 2] * twist[2]
    ux, uy, uz = oy * z - oz * y + 2.0 * vx, oz * x - ox * z + 2.0 * vy, ox * y - oy * x + 2.0 * vz
    fx, fy, fz = -p["m"] * (oy * uz - oz * uy), -p["m"] * (oz * ux - ox * uz), -p["m"] * (ox * uy - oy * ux)
    w = np.empty(6)
    spin = np.empty(3)
    for i in range(3):
        w[i] = frame[0, i] * fx + frame[1, i] * fy + frame[2, i] * fz
        spin[i] = frame[0, i] * ox + frame[1, i] * oy + frame[2, i] * oz
    J = np.empty((3, 3))
    J[0, 0], J[1, 1], J[2, 2] = p["jxx"], p["jyy"], p["jzz"]
    J[0, 1], J[0, 2], J[1, 2] = p["jxy"], p["jxz"], p["jyz"]
    J[1, 0], J[2, 0], J[2, 1] = p["jxy"], p["jxz"], p["jyz"]
    turned, driven, mixed = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            k, n = (j + 1) % 3, (j + 2) % 3
            turned[i] += J[i, j] * twist[3 + j]
            driven[i] += J[i, j] * spin[j]
            mixed[i] += J[i, j] * (spin[k] * twist[3 + n] - spin[n] * twist[3 + k])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[3 + i] = -(
            (spin[j] + twist[3 + j]) * driven[k]
            - (spin[k] + twist[3 + k]) * driven[j]
            + spin[j] * turned[k]
            - spin[k] * turned[j]
            + mixed[i]
        )
    return w
