"""Satellite with flexible booms: the gradient of gravity holds it upright.

A hub with two long booms points to the Earth. Seen from its orbit it is in equilibrium; the slowest modes are its
librations, in pitch with n sqrt(3 (I_roll - I_yaw)/I_pitch), and above them are the booms.
"""

import numpy as np

import cosserat as cs

MU, RADIUS = 3.986004418e14, 7.0e6
RATE = float(np.sqrt(MU / RADIUS**3))
LENGTH, LINE, HUB = 20.0, 0.05, np.array([3.0, 3.0, 2.0])

orbit = cs.Observer(
    origin=(f"{RADIUS}*cos({RATE!r}*t)", f"{RADIUS}*sin({RATE!r}*t)", 0.0), turns=[((0, 0, 1), f"{RATE!r}*t")]
)
model = cs.Model("satellite", gravity=cs.CentralGravity(MU), frame=orbit)
hub = model.add(cs.RigidBody("hub", mass=50.0, com=(0, 0, 0), inertia=HUB))
section = cs.Section(stiffness=np.diag([1e5, 1e5, 1e5, 20.0, 30.0, 30.0]), mass=np.diag([LINE] * 3 + [1e-6] * 3))
for name, side in (("up", 1), ("down", -1)):
    boom = model.add(cs.Beam(name, points=[(0, 0, 0), (side * LENGTH, 0, 0)], section=section, elements=6))
    model.add(cs.Fixed(f"{name} root", hub, boom.start))

found = np.sort(np.abs(cs.linearize(model, about="reference").eigenvalues.imag))
across = HUB[1] + 2 * LINE * LENGTH**3 / 3, HUB[2] + 2 * LINE * LENGTH**3 / 3
pitch = RATE * np.sqrt(3 * (across[0] - HUB[0]) / across[1])
near = found[np.argmin(np.abs(found - pitch))]
booms = found[found > 20 * RATE]
print(f"orbit {RATE:.6f} rad/s; pitch libration {near:.6f}, rigid {pitch:.6f}; booms from {booms[0]:.4f} rad/s on")

# a push in pitch, a quarter of an hour: it swings about the vertical
model.add(cs.Torque("wheel", "hub", (0, 0, lambda t: 0.0012 * np.sin(np.pi * t / 100) * (t < 100.0))))
run = cs.simulate(model, 1000.0, 0.5, every=10)
run.show("satellite.html", open=False)
turn = np.asarray(run.rotation("hub"))
angle = np.degrees(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]))
kick = 0.0012 * 200.0 / np.pi / across[1]
print(f"kicked by {kick:.2e} rad/s it swings to {angle.max():.3f} degrees (rigid: {np.degrees(kick / pitch):.3f})")

assert abs(near - pitch) < 1e-3 * pitch
assert run.status.ok
assert abs(angle.max() - np.degrees(kick / pitch)) < 0.05 * np.degrees(kick / pitch)
