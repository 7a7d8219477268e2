"""Heavy top: a spinning body with one point fixed, without numerical damping.

The top of Brüls, Cardona and Arnold, Mechanism and Machine Theory 48 (2012) 121-137, section 6.1: mass 15 kg, spin 150
rad/s. Two integrators on the same model: the energy-momentum method keeps the energy to round-off.
"""

import numpy as np

import cosserat as cs

model = cs.Model("heavy top", gravity=(0, 0, -9.81))
top = model.add(
    cs.RigidBody(
        "top",
        mass=15.0,
        com=(0, 1, 0),
        inertia=np.diag([0.234375, 0.46875, 0.234375]),
        velocity=(4.61538, 0, 0),
        angular_velocity=(0, 150, -4.61538),
    )
)
model.add(cs.Spherical("tip", cs.GROUND, top, at=(0, 0, 0)))

for integrator in ("generalized-alpha", "energy-momentum"):
    run = cs.simulate(model, duration=1.0, step=1e-4, every=10, integrator=integrator)
    energy = np.asarray(run.energy["total"])
    change = np.ptp(energy) / np.ptp(np.asarray(run.energy["potential"]))
    distance = np.linalg.norm(run.position("top"), axis=1)
    print(f"{integrator}: energy changes by {change:.1e} of what is exchanged")
    assert run.status.ok
    assert np.allclose(distance, 1.0, atol=1e-9)
    assert abs(float(run.position("top")[-1, 2]) + 0.74849) < 1e-3  # by DOP853 on the Euler equations

assert change < 1e-7
