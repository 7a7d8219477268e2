"""Solid bracket on a shaker: finite elements, a few modes, stresses over time.

An L of plastic, meshed with tetrahedra, carries a ball and is shaken at its foot. Six static shapes of the toe and four
modes move it in floating frames; the stress at the inner face of its upright leg follows. The page written at the end
shows it bending.
"""

import numpy as np

import cosserat as cs

box = cs.SolidMesh.box((0.2, 0.05, 0.2), (8, 2, 8))  # an L is cut out of it
middle = box.points[box.cells].mean(axis=1)
mesh = cs.SolidMesh(box.points, box.cells[(middle[:, 0] < 0.05) | (middle[:, 2] < 0.05)])
plastic = cs.Material(E=2e9, nu=0.38, rho=1100, damping=1e-3)
feet = {"foot": lambda x: x[2] > 0.2 - 1e-9, "toe": lambda x: x[0] > 0.2 - 1e-9}
face = {"face": (0.045, 0.02, 0.12)}
bracket = cs.modal_body_from_mesh("bracket", mesh, plastic, feet, modes=4, recovery=face)

model = cs.Model("bracket", gravity=(0, 0, -9.81))
model.add(bracket)
ball = model.add(cs.RigidBody.sphere("ball", diameter=0.06, mass=1.5, com=(0.23, 0.025, 0.025)))
shake = "0.002 * sin(30 * pi * t)**3 if t < 0.2 else 0"
model.add(cs.Prismatic("shaker", cs.GROUND, "bracket.foot", axis=(0, 0, 1), motion=shake))
model.add(cs.Fixed("bolts", "bracket.toe", ball.at((0.2, 0.025, 0.025))))

run = cs.simulate(model, duration=0.4, step=1e-3, formulation="floating")
stress = run.stress("bracket", "face").sel(component="zz").values
print(f"{run.status}; {bracket.n_modes} modes from {bracket.frequencies[0]:.0f} Hz on")
print(f"stress from {stress.min() / 1e3:.0f} to {stress.max() / 1e3:.0f} kPa, at rest {stress[-1] / 1e3:.0f} kPa")
run.show("bracket.html", open=False)

# at rest the leg is bent by the ball and the lower leg: sigma = F / A + M x / I, were it slender
below, lower = 1100 * 0.05**2 * 0.12, 1100 * 0.05**2 * 0.15
force, moment = 9.81 * (1.5 + below + lower), 9.81 * (1.5 * 0.205 + lower * 0.1)
expected = force / 0.05**2 + moment * 0.02 / (0.05**4 / 12)
assert run.status.ok
assert abs(stress[-1] / expected - 1) < 0.05
assert np.abs(run.energy.balance.values).max() < 0.01 * np.ptp(run.energy.work.values)
