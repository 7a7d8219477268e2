"""Checks of an installation against closed forms, a fraction of a second each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Check(NamedTuple):
    """One number that should come out, and what did."""

    what: str
    expected: float
    got: float
    allowed: float

    @property
    def error(self) -> float:
        """Absolute error."""
        return abs(self.got - self.expected)

    @property
    def passed(self) -> bool:
        """Whether the error is allowed; a number that is not finite never passes."""
        return self.error <= self.allowed


def pendulum() -> Check:
    """Angle after one second of a point-like pendulum released from the horizontal, by the Jacobi elliptic function."""
    from scipy.special import ellipj, ellipk

    import cosserat as cs

    L, g, t, inertia = 1.0, 9.81, 1.0, 1e-3
    model = cs.Model("pendulum", gravity=(0, 0, -g))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(L, 0, 0), inertia=inertia * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
    run = cs.simulate(model, duration=t, step=5e-4)
    k = math.sin(math.pi / 4)
    frequency = math.sqrt(g * L / (L * L + inertia))
    from_below = 2 * math.asin(k * ellipj(ellipk(k * k) - frequency * t, k * k)[0])
    expected = math.pi / 2 - from_below  # from the horizontal, positive downwards
    return Check("pendulum, angle after 1 s (rad)", expected, float(run.coordinate("pivot")[-1]), 1e-5)


def cantilever() -> Check:
    """Tip of a clamped beam under a small force: P L^3/(3 EI) + P L/(k GA), exact with one element."""
    import cosserat as cs

    L, P = 2.0, 1e-3
    steel = cs.materials.STEEL
    rod = cs.Rod(diameter=0.02)
    stiffness = rod.matrices(steel)[0]
    model = cs.Model("cantilever", gravity=(0, 0, 0))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=rod, material=steel, elements=1))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("pull", beam.end, (0, 0, P)))
    expected = P * L**3 / (3 * stiffness[4, 4]) + P * L / stiffness[2, 2]
    got = float(cs.equilibrium(model).position("beam.end")[2])
    return Check("cantilever, tip under a force (µm)", 1e6 * expected, 1e6 * got, 1e-8 * 1e6 * expected)


def circle() -> Check:
    """A moment 2 pi EI/L rolls a beam up into a circle; its tip comes back to the clamp."""
    import cosserat as cs

    L, EI = 1.0, 50.0
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, EI, EI, EI], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
    model = cs.Model("roll-up", gravity=(0, 0, 0))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("moment", beam.end, (0, 0, 2 * math.pi * EI / L)))
    tip = np.asarray(cs.equilibrium(model).position("beam.end"))
    return Check("beam rolled into a circle, gap (m)", 0.0, float(np.linalg.norm(tip)), 1e-9)


CHECKS: tuple[Callable[[], Check], ...] = (pendulum, cantilever, circle)
