"""Snap-through of Lee's frame, and buckling of a mast onto its bent branches.

An angle of two legs with hinged ends, loaded near the corner, loses its stability at 18.5567, snaps through and is
stable again from -9.4144 on (Lee, Manuel, Rossow 1968; converged values). A clamped mast buckles at Euler's load; the
bent branches carry 1.15172 times that load with the tip turned by 60 degrees (elastica).
"""

import numpy as np

import cosserat as cs

frame = cs.Model("Lee's frame")
load = cs.Parameter("P", 0.0)
section = cs.Section(stiffness=(7200 * 6, 1e9, 1e9, 1e5, 1e5, 7200 * 2), mass=[1, 1, 1, 1, 1, 1])
column = frame.add(cs.Beam("column", points=[(0, 0, 0), (0, 120, 0)], section=section, elements=16, up=(0, 0, 1)))
girder = frame.add(cs.Beam("girder", points=[(0, 120, 0), (120, 120, 0)], section=section, elements=16, up=(0, 0, 1)))
frame.add(cs.Fixed("corner", column.end, girder.start))
frame.add(cs.Revolute("foot", cs.GROUND, column.start, axis=(0, 0, 1)))
frame.add(cs.Revolute("support", cs.GROUND, girder.end, axis=(0, 0, 1)))
frame.add(cs.Force("load", girder.at(0.2), (0, -load, 0)))

path = cs.continuation(frame, "P", 0.0, 20.0)
path.plot("girder.at(0.2)", "y", path="snap_through.png")
print(path)

mast = cs.Model("mast")
force = cs.Parameter("force", 0.0)  # in units of Euler's load
rod = cs.Section(stiffness=[1e7, 1e7, 1e7, 1.0, 2.0, 1.0], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
line = mast.add(cs.Beam("mast", points=[(0, 0, 0), (1, 0, 0)], section=rod, elements=16))
mast.add(cs.Fixed("clamp", cs.GROUND, line.start))
mast.add(cs.Force("weight", line.end, (-force * np.pi**2 / 4, 0, 0)))

straight = cs.continuation(mast, "force", 0.0, 1.15172, switch="branch 1")
straight.plot("mast.end", "y", path="mast.png")
tip = straight.branches[0].rotation("mast.end")[-1]
angle = np.degrees(np.arccos(tip[0, 0]))
print(f"the mast buckles at {straight.points[0].value:.6f}; at 1.15172 its tip is turned by {angle:.3f} degrees")

assert abs(path.points[0].value - 18.556728) < 5e-3
assert abs(path.points[1].value + 9.414432) < 5e-3
assert abs(straight.points[0].value - 1.0) < 1e-5
assert abs(angle - 60.0) < 4e-3
