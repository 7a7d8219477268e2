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
    values = np.array([u - 0.1, u + 0.1]) / np.sqrt(beta)
    found = cs.stability(pipe(beta, cs.Parameter("U", 1.0), 64), "U", values, n=4).critical
    first = next(c for c in found if c.kind == "flutter")
    assert first.value * np.sqrt(beta) == pytest.approx(u, abs=6e-6)
    assert 2 * np.pi * first.frequency == pytest.approx(omega, abs=1.5e-4)


def held(beta, ends):
    """Held at both ends, free to shorten."""
    model = pipe(beta, cs.Parameter("U", 1.0), 16)
    model.remove("wall")
    if ends == "clamped":
        model.add(cs.Fixed("wall", cs.GROUND, "pipe.start"))
        model.add(cs.Prismatic("far", cs.GROUND, "pipe.end", axis=(1, 0, 0)))
    else:
        model.add(cs.Universal("near", cs.GROUND, "pipe.start", axes=((0, 1, 0), (0, 0, 1))))
        slide = model.add(cs.RigidBody("slide", mass=1e-6, com=(1, 0, 0), inertia=(1e-9,) * 3))
        model.add(cs.Prismatic("rail", cs.GROUND, slide, at=(1, 0, 0), axis=(1, 0, 0)))
        model.add(cs.Spherical("far", slide, "pipe.end", at=(1, 0, 0)))
    return model


@pytest.mark.parametrize("beta", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("ends", "u"), [("pinned", np.pi), ("clamped", 2 * np.pi)])
def test_divergence_of_a_pipe_held_at_both_ends(beta, ends, u):
    """In both planes at once, whatever the share of the fluid; its Coriolis forces do not decide, nothing flutters."""
    model = held(beta, ends)
    (found,) = cs.stability(model, "U", np.array([0.8, 0.9, 1.05, 1.1]) * u / np.sqrt(beta), n=4).critical
    assert (found.kind, found.loss, found.modes) == ("divergence", True, 2)
    assert found.value * np.sqrt(beta) == pytest.approx(u, rel=4e-5)


@pytest.mark.parametrize("grid", [(0.9, 0.998, 1.05), (0.9, 0.998, 0.9997, 1.05), (0.99, 1.001), (1.1, 0.9997)])
def test_slow_vibrations_beside_divergence_are_not_flutter(grid):
    """Errors of the stiffness move them the further, the slower they are; and each value is found once."""
    (found,) = cs.stability(held(0.5, "pinned"), "U", np.array(grid) * np.pi / np.sqrt(0.5), n=4).critical
    (fine,) = cs.stability(held(0.5, "pinned"), "U", np.array([0.9, 1.05]) * np.pi / np.sqrt(0.5), n=4).critical
    assert (found.kind, found.loss, found.modes) == ("divergence", grid[0] < 1.0, 2)
    assert found.value == pytest.approx(fine.value, rel=1e-8)
    assert found.value * np.sqrt(0.5) == pytest.approx(np.pi, rel=4e-5)


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
