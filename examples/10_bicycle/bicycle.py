"""Bicycle: it rides by itself at 5 m/s and falls at 3 m/s.

Four rigid bodies, three hinges, two wheels that roll without slip, and nobody on the handlebar: the benchmark of
Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007). By itself it is stable from 4.29 to 6.02 m/s.
"""

import matplotlib.pyplot as plt
import numpy as np

import cosserat as cs

BASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10
REAR, FRONT = 0.3, 0.35


def bicycle(speed, lean_rate):
    """Upright, x forward, z up, pushed sideways so that it begins to lean."""
    model = cs.Model("bicycle", gravity=(0, 0, -9.81))

    def body(name, mass, com, inertia, spin=0.0):
        velocity = np.array([speed, 0, 0]) + np.cross((lean_rate, 0, 0), com)
        omega = (lean_rate, spin, 0)
        model.add(cs.RigidBody(name, mass=mass, com=com, inertia=inertia, velocity=velocity, angular_velocity=omega))

    body("frame", 85.0, (0.3, 0, 0.9), [[9.2, 0, -2.4], [0, 11.0, 0], [-2.4, 0, 2.8]])  # with its rider
    body("fork", 4.0, (0.9, 0, 0.7), [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]])
    body("rear wheel", 2.0, (0, 0, REAR), (0.0603, 0.12, 0.0603), speed / REAR)
    body("front wheel", 3.0, (BASE, 0, FRONT), (0.1405, 0.28, 0.1405), speed / FRONT)
    axis = np.array([np.sin(TILT), 0, -np.cos(TILT)])
    head = np.array([BASE + TRAIL, 0, 0]) - 0.8 * axis
    model.add(cs.Revolute("steer", "frame", "fork", axis=axis, at=head))
    model.add(cs.Revolute("rear hub", "frame", "rear wheel", axis=(0, 1, 0), at=(0, 0, REAR)))
    model.add(cs.Revolute("front hub", "fork", "front wheel", axis=(0, 1, 0), at=(BASE, 0, FRONT)))
    model.add(cs.RollingDisc("rear tyre", "rear wheel", radius=REAR, axis=(0, 1, 0)))
    model.add(cs.RollingDisc("front tyre", "front wheel", radius=FRONT, axis=(0, 1, 0)))
    return model


def ride(speed, duration):
    """The run, and how far the frame leans (rad)."""
    run = cs.simulate(bicycle(speed, lean_rate=0.05), duration, step=0.004, rho=0.8)
    return run, np.arcsin(run.rotation("frame").values[:, 2, 1])


fast, steady = ride(5.0, 5.0)
slow, falling = ride(3.0, 3.5)
late = np.abs(steady[fast.time > 4.0]).max()
slip = float(fast.slip("front tyre").max())
print(f"5 m/s: leans by at most {np.abs(steady).max():.4f} rad, {late:.4f} rad after four seconds; slip {slip:.0e} m/s")
print(f"3 m/s: leans by {np.abs(falling).max():.2f} rad within {slow.time[-1]:g} s")
weave = fast.time[1:][np.diff(np.sign(fast.coordinate_rate("steer").values)) != 0]
print(f"weave frequency {np.pi / np.mean(np.diff(weave[1:6])):.2f} rad/s; the linear theory says 4.46")

figure, (above, side) = plt.subplots(2, figsize=(7, 5), layout="constrained")
above.plot(fast.time, steady, label="5 m/s")
above.plot(slow.time, falling, label="3 m/s")
above.set(xlabel="time (s)", ylabel="lean (rad)", ylim=(-0.2, 0.2))
above.legend()
side.plot(*fast.position("front wheel").values[:, :2].T)
side.set(xlabel="x (m)", ylabel="y (m)", title="path of the front wheel at 5 m/s")
figure.savefig("bicycle.png")
fast.show("bicycle.html", open=False)

assert late < 0.2 * np.abs(steady).max()
assert np.abs(falling).max() > 5 * np.abs(falling[slow.time < 1.0]).max()
assert slip < 1e-9
