"""Quadrotor with a linear-quadratic regulator: it recovers from a tilt of 60 degrees in gusts.

Hover is trimmed, the regulator is designed on the linear model about it, and it runs as a sampled controller on the
nonlinear model with rotors that follow their commands with a lag, in a wind with gusts.
"""

import numpy as np
from scipy.linalg import solve_continuous_are

import cosserat as cs

MASS, THRUST, DRAG, ARM = 1.2, 1e-5, 2e-7, 0.2
ROTORS = [f"rotor{k}" for k in range(4)]


def gusts(x, y, z, t):
    """Wind that swells and turns."""
    return 2.0 + 1.5 * np.sin(1.3 * t), 1.5 * np.sin(0.9 * t + 1.0), 0.5 * np.sin(2.1 * t)


def craft(wind=(0, 0, 0), tilt=0.0, speed=542.4942396, lag=0.0):
    model = cs.Model("quadrotor", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.225, velocity=wind))
    turn = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)
    body = model.add(cs.RigidBody("body", mass=MASS, com=(0, 0, 0), inertia=(0.012, 0.013, 0.02), rotation=turn))
    c, s = np.cos(tilt), np.sin(tilt)
    up = (0, -s, c)
    for k, name in enumerate(ROTORS):
        side = 1 if k % 2 == 0 else -1
        x, y = ARM * np.cos(k * np.pi / 2), ARM * np.sin(k * np.pi / 2)
        hub = body.at((x, c * y, s * y))
        model.add(cs.Rotor(name, hub, THRUST, DRAG, speed=side * speed, direction=side, inertia=2e-5, lag=lag,
                           limits=(0, 900) if side > 0 else (-900, 0), axis=up))  # fmt: skip
    model.add(cs.Aerodynamics("air", body, areas=(0.02, 0.02, 0.05), up=up, forward=(1, 0, 0)))
    return model


hover = cs.trim(craft(), [f"{name}.speed" for name in ROTORS], flight=cs.Flight(0.0))
speeds = np.array(list(hover.parameters.values()))
print(f"hover: {abs(speeds[0]):.4f} rad/s")

words = ("x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz")
plant = cs.linearize(craft(speed=abs(speeds[0])), [f"{name}.speed" for name in ROTORS], [f"body.{w}" for w in words],
                     about="reference")  # fmt: skip
A, B = plant.C @ plant.A @ np.linalg.inv(plant.C), plant.C @ plant.B
Q = np.diag([4.0, 4.0, 9.0, 8.0, 8.0, 2.0, 2.0, 2.0, 3.0, 0.3, 0.3, 0.5])
R = 4e-4 * np.eye(4)
gain = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))


class Regulator:
    """Speeds of the rotors from position, attitude and velocities, cut off far away."""

    period = 0.01

    def __call__(self, t, state):
        x, v, w = (np.asarray(f("body"))[-1] for f in (state.position, state.velocity, state.angular_velocity))
        turn = np.asarray(state.rotation("body"))[-1]
        angle = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        angle *= np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1)) / max(np.linalg.norm(angle), 1e-12)
        error = np.concatenate((np.clip(x, -1, 1), angle, np.clip(v, -3, 3), w))
        return {f"{name}.speed": s for name, s in zip(ROTORS, speeds - gain @ error)}


model = craft(gusts, np.radians(60), abs(speeds[0]), lag=0.03)
run = cs.simulate(model, 8.0, 0.005, controller=Regulator())
run.show("quadrotor.html", open=False)
x, turn = np.asarray(run.position("body")), np.asarray(run.rotation("body"))
tilt = np.degrees(np.arccos(np.clip(turn[:, 2, 2], -1, 1)))
print(f"from 60 degrees: lowest {x[:, 2].min():.2f} m; after 5 s {np.linalg.norm(x[1000:], axis=1).max():.2f} m away, "
      f"tilt up to {tilt[1000:].max():.1f} degrees in the gusts")  # fmt: skip

assert run.status.ok
assert abs(abs(speeds[0]) - 542.4942396) < 1e-6
assert tilt[0] > 59.9
assert tilt[1000:].max() < 10.0
assert np.linalg.norm(x[1000:], axis=1).max() < 0.5
