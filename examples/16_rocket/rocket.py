"""Rocket ascent with bending: propellant burns, a gimballed engine holds the course, the body bends.

The engine and its propellant are a rigid body, the hull above it is a beam with a payload on top. A sampled controller
sees the angle of the payload and turns the engine; a side gust bends the hull. Thrust and mass follow the burning.
"""

import numpy as np

import cosserat as cs

DRY, FUEL, RATE, EXHAUST, TOP = 200.0, 300.0, 6.0, 2500.0, 100.0

model = cs.Model("rocket", gravity=(0, 0, -9.81))
stage = model.add(cs.RigidBody.cylinder("stage", diameter=0.8, length=3.0, mass=DRY, com=(0, 0, 0), axis=(0, 0, 1)))
fuel = model.add(
    cs.Propellant("fuel", stage, FUEL, RATE, EXHAUST, nozzle=(0, 0, -1.5), direction=(0, 0, 1), up=(1, 0, 0),
                  centre=((0, 0, 0.2), (0, 0, -1.0)), inertia=(200.0, 200.0, 30.0))
)  # fmt: skip
tube = cs.Tube(outer_diameter=0.5, inner_diameter=0.494)
hull = model.add(cs.Beam("hull", points=[(0, 0, 1.5), (0, 0, 7.5)], section=tube, material=cs.materials.ALUMINIUM_6061,
                         elements=6))  # fmt: skip
payload = model.add(cs.RigidBody.sphere("payload", diameter=0.5, mass=TOP, com=(0, 0, 7.5)))
model.add(cs.Fixed("skirt", stage.at((0, 0, 1.5)), hull.start))
model.add(cs.Fixed("adapter", hull.end, payload.at((0, 0, 7.5))))
model.add(cs.Force("gust", payload, (lambda t: 400.0 * (t > 2.0) * (t < 2.5), 0, 0)))


class Pilot:
    """Turns the engine against the angle of the stage and its rate."""

    period = 0.02

    def __call__(self, t, state):
        lean = float(np.asarray(state.rotation("stage"))[-1, 0, 2])
        rate = float(np.asarray(state.angular_velocity("stage"))[-1, 1])
        return {"fuel.pitch": float(np.clip(0.4 * lean + 0.35 * rate, -0.1, 0.1))}


run = cs.simulate(model, 10.0, 0.01, controller=Pilot())
run.show("rocket.html", open=False)
speed = np.asarray(run.velocity("stage"))[:, 2]
mass = DRY + FUEL + TOP + 6.0 * np.pi / 4 * (0.5**2 - 0.494**2) * 2700.0
burnt = RATE * run.time
ideal = EXHAUST * np.log(mass / (mass - burnt)) - 9.81 * run.time
lean = np.degrees(np.arcsin(np.asarray(run.rotation("stage"))[:, 0, 2]))
bent = np.asarray(run.section_force("hull", 0.0))[:, 4:]
print(f"after {run.time[-1]:.0f} s: {speed[-1]:.1f} m/s (straight up: {ideal[-1]:.1f}), leans {lean[-1]:+.2f} degrees, "
      f"at most {np.abs(lean).max():.2f}; bending moment at the root up to {np.abs(bent).max():.0f} N m")  # fmt: skip
print(f"burns out after {fuel.burnout(100.0):.0f} s")

assert run.status.ok, run.status
assert abs(speed[-1] - ideal[-1]) < 0.01 * ideal[-1]
assert 0.1 < np.abs(lean).max() < 15.0
assert abs(lean[-1]) < 3.0
assert np.abs(bent).max() > 50.0
