"""Flutter of a cantilevered pipe that conveys fluid: Gregory and Paidoussis, Proc. R. Soc. A 293 (1966).

u = U L sqrt(m_f/EI) and omega = Omega L^2 sqrt(m/EI) at the share beta of the fluid in the mass m, exact for the
continuous pipe: 5.59140, 13.7147 at beta = 0.2; 9.32242, 26.4973 at 0.5.
"""

import numpy as np
import pytest

import cosserat as cs


def pipe(beta, speed, elements):
    """Length, bending stiffness and mass are one."""
    model, m = cs.Model("hose"), 1.0 - beta
    section = cs.Section(stiffness=[1e8, 1e8, 1e8, 1.0, 1.0, 1.0], mass=[m, m, m, 1e-9, 1e-9, 1e-9])
    beam = model.add(cs.Beam("pipe", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    model.add(cs.PipeFlow("water", beam, mass=beta, speed=speed))
    return model


@pytest.mark.parametrize(("beta", "u", "omega"), [(0.2, 5.59140, 13.7147), (0.5, 9.32242, 26.4973)])
def test_critical_speed(beta, u, omega):
    errors = []
    for elements in (16, 32):
        values = np.array([u - 0.5, u + 0.4]) / np.sqrt(beta)
        found = cs.stability(pipe(beta, cs.Parameter("U", 1.0), elements), "U", values, n=4).critical
        first = next(c for c in found if c.kind == "flutter")
        errors.append((first.value * np.sqrt(beta) - u, 2 * np.pi * first.frequency - omega))
    assert abs(errors[1][0]) < 6e-5
    assert abs(errors[1][1]) < 1.2e-3
    assert abs(errors[1][1]) < abs(errors[0][1]) / 12  # fourth order


def test_energy_that_the_flow_gives():
    """Power of the flow on a pipe whose start is held: -m_f U (v.v + U v.t) at its end."""
    beta, speed = 0.2, 2.0
    model = pipe(beta, speed, 24)
    model.add(cs.Force("push", "pipe.end", lambda t: (0, 0.02 * np.sin(3 * t) ** 2 * (t < 1.0), 0)))
    run = cs.simulate(model, 3.0, 0.002)
    t = run.time
    v = run.velocity("pipe.end").values
    tangent = run.rotation("pipe.end").values[:, :, 0]
    power = -beta * speed * (np.sum(v * v, axis=1) + speed * np.sum(v * tangent, axis=1))
    push = 0.02 * np.sin(3 * t) ** 2 * (t < 1.0) * v[:, 1]
    given = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(t) * ((power + push)[1:] + (power + push)[:-1]))))
    total = run.energy["total"].values
    assert np.max(np.abs(total - total[0] - given)) < 0.02 * np.max(total - total[0])
