"""Optimal control of a flexible manipulator, designed on its linear model.

The two-link manipulator of Grazioso et al. with both arms flexible, a motor and a brake in each joint. Something pushes
its tip sideways. With the brakes on the arms ring for long; with the brakes off, a linear-quadratic regulator, designed
with python-control on the linear model and run on the nonlinear one, brings the tip to rest.
"""

import control
import matplotlib.pyplot as plt
import numpy as np

import cosserat as cs
from cosserat.demo import two_link_arm

PERIOD = 0.004  # of the controller (s)
JOINTS = ("shoulder", "elbow")

model = two_link_arm("FF", actuated=True)
model.add(cs.Force("push", "arm2.end", (0, lambda t: 4 * np.sin(10 * np.pi * t) * (t < 0.1), 0)))
rest = cs.equilibrium(model)  # the arms sag; nothing but friction holds them in the horizontal plane

linear = cs.linearize(model, inputs=JOINTS, outputs=["arm2.end.y", *JOINTS], about=rest)

# The linear model against the nonlinear one: a small step of torque in the shoulder.
torque, times = 1e-3, np.linspace(0, 1, 1001)
step = control.forced_response(linear.to_control(), times, [torque * np.ones(1001), np.zeros(1001)])
quiet = two_link_arm("FF", actuated=True)
run = cs.simulate(
    quiet, 1.0, 1e-3, start=cs.equilibrium(quiet), integrator="energy-momentum",
    controller=type("Step", (), {"period": 1.0, "__call__": lambda self, t, state: {"shoulder": torque}})(),
)  # fmt: skip
tip = np.asarray(run.position("arm2.end"))[:, 1]
difference = np.abs(step.outputs[0] - tip).max() / np.abs(tip).max()
print(f"step response: linear and nonlinear model differ by {difference:.1e} of the largest deflection")

# The regulator: the slowest modes that the motors reach, sampled like the controller, tip and joints weighted.
reached = np.abs(linear.modes[1].T @ linear.force).max(axis=1) > 1e-6
small = linear.reduce([int(k) for k in np.flatnonzero(reached)[:4]])
sampled = control.sample_system(small.to_control(), PERIOD)
weighted = np.diag([100.0, 10.0, 10.0]) @ sampled.C
gain, _, poles = control.dlqr(sampled.A, sampled.B, weighted.T @ weighted, np.eye(2))


class Regulator:
    """Torques from the states of the reduced linear model, read off the positions and velocities of the mechanism."""

    period = PERIOD

    def __call__(self, t, state):
        return dict(zip(JOINTS, -gain @ small.state(state)))


figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
swing = {}
for name, law, brake in (("brakes on", None, 1e5), ("regulator", Regulator(), 0.0)):
    model.set(brake=brake)
    run = cs.simulate(model, 2.0, 0.001, start=rest, controller=law)
    assert run.status.ok, run.status
    tip = np.asarray(run.position("arm2.end"))[:, 1]
    swing[name] = np.ptp(tip[run.time > 1.5])
    axes[0].plot(run.time, 100 * tip, label=name)
    for joint, style in zip(JOINTS, ("-", "--")):
        axes[1].plot(run.time, run.effort(joint), style, color=axes[0].lines[-1].get_color(), label=f"{joint}, {name}")
axes[0].set(ylabel="tip sideways (cm)")
axes[1].set(xlabel="time (s)", ylabel="torque (N m)")
for ax in axes:
    ax.legend(fontsize=8, loc="upper right")
    ax.grid(alpha=0.3)
figure.savefig("lqr.png", dpi=120)
print(", ".join(f"{name}: the tip still swings by {1000 * s:.2g} mm" for name, s in swing.items()))

assert difference < 1e-4
assert swing["regulator"] < 0.05 * swing["brakes on"]
