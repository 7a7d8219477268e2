"""Cables in the sea: one that a ship tows, one that moors it.

A towed cable hangs straight where weight across it and drag balance: its angle is known. A mooring line is
a catenary at rest; when the ship surges in swell, drag keeps the line from following, and its tension rises above the
static one of the farthest position.
"""

import numpy as np
from scipy.optimize import brentq

import cosserat as cs

RHO, G, DIAMETER, MASS, EA, EI = 1025.0, 9.81, 0.05, 5.0, 1e7, 200.0
WEIGHT = (MASS - RHO * np.pi * DIAMETER**2 / 4) * G  # per length, in water (N/m)
SPEED, LENGTH, HALF, SURGE, OMEGA = 1.5, 100.0, 40.0, 2.0, 1.0
SECTION = cs.Section(stiffness=[EA, EA, EA, EI, EI, EI], mass=[MASS] * 3 + [1e-3] * 3)


def towed() -> cs.Model:
    """A cable behind a ship, seen from it."""
    model = cs.Model("towed", gravity=(0, 0, -G), fluid=cs.Fluid(RHO, velocity=(-SPEED, 0, 0)))
    cable = model.add(cs.Beam("cable", points=[(0, 0, 0), (0, 0, -50)], section=SECTION, elements=20))
    model.add(cs.Revolute("winch", cs.GROUND, cable.start, axis=(0, 1, 0)))
    model.add(cs.Morison("water", cable, diameter=DIAMETER, drag=1.2, tangential_drag=0.02))
    return model


def moored(surge: str) -> cs.Model:
    """A line between an anchor and a ship at one level; drawn as an arc of its length."""
    model = cs.Model("moored", gravity=(0, 0, -G), fluid=cs.Fluid(RHO))
    turn = brentq(lambda b: np.sin(b) / b - 2 * HALF / LENGTH, 1e-3, 3.0)
    r = LENGTH / (2 * turn)
    arc = [f"{r}*sin({turn}*(2*s - 1))", "0", f"{r}*(cos({turn}) - cos({turn}*(2*s - 1)))"]
    line = model.add(cs.Beam("line", curve=arc, section=SECTION, elements=40))
    model.add(cs.Revolute("anchor", cs.GROUND, line.start, axis=(0, 1, 0)))
    ship = model.add(cs.RigidBody("ship", mass=1.0, com=(HALF, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("surge", cs.GROUND, ship, axis=(1, 0, 0), at=(HALF, 0, 0), motion=surge))
    model.add(cs.Spherical("fairlead", ship.at((HALF, 0, 0)), line.end))
    model.add(cs.Morison("water", line, diameter=DIAMETER, drag=1.2, tangential_drag=0.02))
    return model


def tension(half: float) -> float:
    """Of an elastic catenary at its ends (N)."""
    V = 0.5 * WEIGHT * LENGTH
    H = brentq(lambda H: 2 * H / WEIGHT * np.arcsinh(V / H) + H * LENGTH / EA - 2 * half, 1.0, 1e6)
    return float(np.hypot(H, V))


end = np.asarray(cs.equilibrium(towed()).position("cable.end"))
found = np.degrees(np.arctan2(-end[2], -end[0]))
k = 0.5 * RHO * DIAMETER * 1.2 * SPEED**2
closed = np.degrees(np.arccos((-WEIGHT + np.sqrt(WEIGHT**2 + 4 * k**2)) / (2 * k)))
print(f"towed at {SPEED} m/s: {found:.4f} degrees below the horizontal, closed form {closed:.4f}")
assert abs(found - closed) < 1e-3

model = moored(f"{SURGE / 2}*(1 - cos({OMEGA}*t))")
rest = cs.equilibrium(model)
pull = np.linalg.norm(np.asarray(rest.reaction("fairlead"))[:3])
print(f"moored: tension {pull:.2f} N at rest, catenary {tension(HALF):.2f} N")
assert abs(pull / tension(HALF) - 1) < 1e-3

run = cs.simulate(model, 2 * np.pi / OMEGA, 0.05, start=rest)
run.show("mooring.html", open=False)
assert run.status.ok, run.status
most = float(np.linalg.norm(np.asarray(run.reaction("fairlead"))[:, :3], axis=1).max())
far = tension(HALF + SURGE / 2)
print(f"in swell of {SURGE / 2} m: up to {most:.0f} N, {most / far:.2f} times that of the farthest position at rest")
assert most > 1.02 * far
