"""Flexible arm under a digital controller.

A light arm with a payload is turned by a quarter turn. The controller is sampled every 2 ms, sees the angle and the
speed of its motor, as a real one would, and sets the torque.
"""

import numpy as np

import cosserat as cs

model = cs.Model("controlled arm")
tube = cs.Tube(outer_diameter=0.020, inner_diameter=0.018)
arm = model.add(
    cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=tube, material=cs.materials.ALUMINIUM_6061, elements=8)
)
load = model.add(cs.RigidBody.sphere("load", diameter=0.06, mass=0.5, com=(1, 0, 0)))
rotor = model.add(cs.RigidBody("rotor", mass=1.0, com=(0, 0, 0), inertia=np.diag([0.01, 0.01, 0.02])))
model.add(cs.Fixed("grip", arm.end, load, at=(1, 0, 0)))
model.add(cs.Fixed("hub", rotor, arm.start, at=(0, 0, 0)))
model.add(cs.Revolute("motor", cs.GROUND, rotor, axis=(0, 0, 1), at=(0, 0, 0), effort=0.0))  # set by a controller


class Controller:
    """A proportional and derivative law."""

    period = 0.002
    target = np.pi / 2

    def __call__(self, t, state):
        """Torques by joint, held until the next call."""
        angle = float(state.coordinate("motor")[-1])
        speed = float(state.coordinate_rate("motor")[-1])
        return {"motor": 12.0 * (self.target - angle) - 5.0 * speed}


run = cs.simulate(model, duration=4.0, step=0.001, controller=Controller())
run.show("controlled_arm.html", open=False)
angle = np.asarray(run.coordinate("motor"))
bend = np.arctan2(*np.asarray(run.position("load"))[:, 1::-1].T) - angle
print(f"{run.status}; motor at {angle[-1]:.4f} rad, the arm lags by up to {abs(bend).max():.3f} rad")

assert run.status.ok
assert abs(angle[-1] - np.pi / 2) < 0.01
