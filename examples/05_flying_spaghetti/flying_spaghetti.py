"""Flying spaghetti: a free flexible beam thrown by a force and moments on one end.

Simo and Vu-Quoc, Computer Methods in Applied Mechanics and Engineering 66 (1988) 125-161. The load acts at the lower
end for 5 seconds; afterwards linear and angular momentum and energy are constant.
"""

import numpy as np

import cosserat as cs

section = cs.Section(stiffness=[1e4, 1e4, 1e4, 500, 500, 500], mass=[1, 1, 1, 20, 10, 10])
model = cs.Model("flying spaghetti")
model.add(cs.Beam("beam", points=[(6, 0, 0), (0, 8, 0)], section=section, elements=32))


def pulse(t):
    """Rises to 200 at t = 2.5 s and falls back to 0 at t = 5 s."""
    return np.where(t < 2.5, 80.0 * t, np.where(t < 5.0, 400.0 - 80.0 * t, 0.0))


model.add(cs.Force("throw", "beam.start", lambda t: (pulse(t) / 10, 0, 0)))
model.add(cs.Torque("twist", "beam.start", lambda t: (0, pulse(t) / 2, -pulse(t))))

run = cs.simulate(model, duration=10.0, step=0.01, integrator="energy-momentum")
run.show("flying_spaghetti.html", open=False)
free = run.time > 5.05
momentum = np.asarray(run.momentum)[free]
energy = np.asarray(run.energy["total"])[free]
print(f"{run.status}; momentum after the throw: {np.round(momentum[-1], 4)}")
print(f"largest change of energy in free flight: {np.ptp(energy) / energy[0]:.1e}")

end = run.position("beam.start")[-1]
print(f"loaded end at t = 10 s: {np.round(end.values, 2)}")

assert run.status.ok
assert np.allclose(end, (42.832, 3.693, 4.386), atol=0.1)  # converged, by a spectral method
assert abs(momentum[-1, 0] - 50.0) < 0.05  # the impulse of the force: 20 N x 5 s / 2
assert np.ptp(momentum, axis=0).max() < 1e-6 * np.abs(momentum).max()
assert np.ptp(energy) < 1e-6 * energy[0]
