"""Eel: a chain that swims by bending.

A wave runs from the head of a chain of bars to its tail. The water resists motion across a bar ten times more than
motion along it. The joints are given their motions; hybrid dynamics finds what the free body does.
"""

import matplotlib.pyplot as plt
import numpy as np

import cosserat as cs

LINKS, LENGTH, MASS = 8, 0.1, 0.05
OMEGA, SHIFT, AMPLITUDE = 2 * np.pi, 2 * np.pi / 8, 0.5

model = cs.Model("eel")
bars = [
    model.add(cs.RigidBody.bar(f"bar{i}", (-i * LENGTH, 0, 0), (-(i + 1) * LENGTH, 0, 0), mass=MASS))
    for i in range(LINKS)
]
for i in range(1, LINKS):
    model.add(cs.Revolute(f"joint{i}", bars[i - 1], bars[i], axis=(0, 0, 1), at=(-i * LENGTH, 0, 0)))
tree = cs.Tree(model)


def shape(t):
    """Angles of the joints, their rates and accelerations."""
    phase = OMEGA * t - SHIFT * np.arange(1, LINKS)
    return AMPLITUDE * np.array([np.sin(phase), OMEGA * np.cos(phase), -(OMEGA**2) * np.sin(phase)])


def drag(q, v, along, across):
    """Wrench of the water on every bar, in world axes."""
    posture = tree.forward_kinematics(q, v)
    wrenches = {}
    for bar in bars:
        axis, velocity, spin = posture.rotation(bar)[:, 0], posture.velocity(bar), posture.angular_velocity(bar)
        ahead = (velocity @ axis) * axis
        force = -LENGTH * (along * ahead + across * (velocity - ahead))
        wrenches[bar.name] = np.concatenate((force, -across * LENGTH**3 / 12 * spin))
    return wrenches


def swim(along, across, periods=3, steps=40):
    """Coordinates and velocities after every Runge-Kutta step."""
    h = 1.0 / steps
    x = np.zeros((2, LINKS + 5))
    x[:, : LINKS - 1] = shape(0.0)[:2]
    x[0, -1] = 0.86  # the head turned aside, so that the body lies along x
    states = [x]

    def slope(t, x):
        motions = dict(zip(tree.coordinates, shape(t)[2], strict=False))  # the joints come first
        found = cs.hybrid_dynamics(model, *x, motions, wrenches=drag(*x, along, across))
        return np.array([tree.coordinate_rates(*x), found.a])

    for t in h * np.arange(periods * steps):
        a = slope(t, x)
        b = slope(t + h / 2, x + h / 2 * a)
        c = slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(t + h, x + h * c))
        states.append(x)
    return np.array(states)


states, still = swim(along=1.0, across=10.0), swim(along=10.0, across=10.0)
centre, idle = (np.array([tree.centre_of_mass(q) for q in way[:, 0]]) for way in (states, still))
stride, drift = np.linalg.norm(centre[-1] - centre[-41]) / (LINKS * LENGTH), np.linalg.norm(idle[-1] - idle[-41])
print(f"{stride:.3f} lengths per stroke; where all directions are resisted alike, {drift:.0e} m")

ends = [f"bar{i}.at({-i * LENGTH}, 0, 0)" for i in range(LINKS)] + [f"bar{LINKS - 1}.at({-LINKS * LENGTH}, 0, 0)"]
plt.figure(figsize=(8, 2))
for q in states[::30, 0]:
    posture = tree.forward_kinematics(q)
    plt.plot(*np.array([posture.position(place)[:2] for place in ends]).T, ".-")
plt.plot(*centre[:, :2].T, "k--")
plt.gca().set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
plt.savefig("eel.png", bbox_inches="tight")

assert abs(stride - 0.442) < 0.003
assert drift < 1e-5
