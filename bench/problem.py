"""The benchmark problems as plain numbers, shared by every code that solves them.

Two-link manipulator: both arms lie along x, joint 1 turns about z at the origin and is driven by
theta(t) = t - sin t, joint 2 turns about z and is passive, gravity acts along -z, start at rest,
t in [0, 2 pi].
Source: [Grazioso17] section IV, with a shear factor of 0.5 for the thin ring.

Cantilever: one arm of the manipulator, clamped at its first section, horizontal, released under gravity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

OUTER_DIAMETER = 0.030
INNER_DIAMETER = 0.027
E = 68.9e9
NU = 0.33
RHO = 2700.0
SHEAR_FACTOR = 0.5
LENGTH = 1.5
GRAVITY = (0.0, 0.0, -9.81)
DURATION = 2.0 * math.pi
RHO_INF = 0.9
CANTILEVER_STEP = 1e-3

VARIANTS = {"RR": 0, "FF": 1, "FF2": 2, "FF5": 5, "FF10": 10}
"""Name of the variant -> elements per arm; 0 is a rigid arm."""


@dataclass(frozen=True)
class Timing:
    """What one run gave: the tip at every step, and CPU seconds of the solver and of everything."""

    time: NDArray[np.float64]
    tip: NDArray[np.float64]
    solve_seconds: float
    total_seconds: float

    def tip_at(self, t: float) -> NDArray[np.float64]:
        """Return the tip at time t (s), by the cubic through the four nearest samples."""
        first = int(np.clip(np.searchsorted(self.time, t) - 2, 0, len(self.time) - 4))
        nodes = self.time[first : first + 4]
        weights = [
            math.prod((t - b) / (a - b) for j, b in enumerate(nodes) if j != i) for i, a in enumerate(nodes)
        ]
        return np.asarray(weights) @ self.tip[first : first + 4]


@dataclass(frozen=True)
class Ring:
    """Stiffness (EA, GA_y, GA_z, GJ, EI_y, EI_z) and inertia per unit length of the tube of both problems."""

    stiffness: NDArray[np.float64]
    mass: float
    inertia: NDArray[np.float64]


def ring() -> Ring:
    """Return the section of the arms."""
    area = math.pi / 4 * (OUTER_DIAMETER**2 - INNER_DIAMETER**2)
    second = math.pi / 64 * (OUTER_DIAMETER**4 - INNER_DIAMETER**4)
    shear = E / (2 * (1 + NU))
    stiffness = np.array(
        [
            E * area,
            SHEAR_FACTOR * shear * area,
            SHEAR_FACTOR * shear * area,
            shear * 2 * second,
            E * second,
            E * second,
        ]
    )
    return Ring(stiffness, RHO * area, RHO * np.array([2 * second, second, second]))
