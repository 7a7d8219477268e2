"""Two-link arm with flexible links.

The first joint goes once around in 2 pi seconds, the second is free, gravity acts across the plane of motion: the arm
of [Grazioso17] section IV. Rigid links would stay in the plane; these sag by almost 8 cm.
"""

import numpy as np

import cosserat as cs

model = cs.Model("two-link", gravity=(0, 0, -9.81))
tube = cs.Tube(outer_diameter=0.030, inner_diameter=0.027)
alu = cs.materials.ALUMINIUM_6061

arm1 = model.add(cs.Beam("arm1", points=[(0, 0, 0), (1.5, 0, 0)], section=tube, material=alu, elements=10))
arm2 = model.add(cs.Beam("arm2", points=[(1.5, 0, 0), (3, 0, 0)], section=tube, material=alu, elements=10))
model.add(cs.Revolute("shoulder", cs.GROUND, arm1.start, axis=(0, 0, 1), motion=lambda t: t - np.sin(t)))
model.add(cs.Revolute("elbow", arm1.end, arm2.start, axis=(0, 0, 1)))

run = cs.simulate(model, duration=2 * np.pi, step=0.01)
run.show("two_link_arm.html", open=False)
tip = run.position("arm2.end")
deepest = float(abs(tip.sel(axis="z")).max())
print(f"{run.status}; the tip leaves the plane by at most {1000 * deepest:.1f} mm")

assert run.status.ok
assert abs(deepest - 0.0773) < 5e-4
