"""Cantilever bent into a circle, and under a dead force: statics of large deflections.

A moment 2 pi EI/L at the end of a clamped beam closes it into a circle, exactly, on any mesh. Under a force P across
the tip with P L^2/EI = 10, Bisshopp and Drucker (1945) give the deflection 0.8106 L.
"""

import numpy as np

import cosserat as cs

L, EI = 1.0, 100.0
section = cs.Section(stiffness=[1e8, 1e8, 1e8, EI, EI, EI], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])


def clamped_beam(elements: int) -> cs.Model:
    """A beam along x, clamped at the origin."""
    model = cs.Model("cantilever")
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


circle = clamped_beam(elements=4)
circle.add(cs.Torque("moment", "beam.end", (0, 0, 2 * np.pi * EI / L)))
gap = np.linalg.norm(cs.equilibrium(circle).position("beam.end"))
print(f"circle: the ends are {gap:.1e} m apart")

bent = clamped_beam(elements=40)
bent.add(cs.Force("pull", "beam.end", (0, 0, 10 * EI / L**2)))
found = cs.equilibrium(bent)
deflection = found.position("beam.end")[2]
moment = found.reaction("clamp")[4]
print(f"force: deflection {deflection:.4f} m, moment in the clamp {moment:.1f} N m")

assert gap < 1e-10
assert abs(deflection - 0.8106) < 5e-4
assert abs(moment - 10 * EI / L**2 * found.position("beam.end")[0]) < 1e-6 * moment
