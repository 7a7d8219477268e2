"""Frequencies and damping ratios measured on simulated ring-downs, against Euler-Bernoulli theory."""

import numpy as np
import pytest

import cosserat as cs

BETA = 1.8751040687


def plucked(damping=0.0, elements=6):
    """An aluminium strip, bent by a small tip force that is gone at t > 0."""
    model = cs.Model("ring-down")
    material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=damping)
    section = cs.Rectangle(width=0.03, height=0.004)
    beam = model.add(
        cs.Beam("strip", points=[(0, 0, 0), (0.5, 0, 0)], section=section, material=material, elements=elements)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("pluck", beam.end, lambda t: (0 * t, 0 * t, np.where(t > 0, 0.0, 0.01))))
    I, A = 0.03 * 0.004**3 / 12, 0.03 * 0.004
    omega = BETA**2 * np.sqrt(70e9 * I / (2700 * A * 0.5**4))
    return model, omega


def crossings(t, z):
    """Times at which z passes through zero, by linear interpolation."""
    i = np.nonzero(np.signbit(z[1:]) != np.signbit(z[:-1]))[0]
    return t[i] - z[i] * (t[i + 1] - t[i]) / (z[i + 1] - z[i])


def test_frequency_of_a_cantilever():
    model, omega = plucked()
    period = 2 * np.pi / omega
    run = cs.simulate(model, 10 * period, period / 200, start="equilibrium", rho=0.5)
    assert run.status.ok
    z = run.position("strip.end").values[:, 2]
    times = crossings(run.time, z)
    measured = np.pi / np.diff(times).mean()
    assert measured == pytest.approx(omega, rel=2e-3)


def test_kelvin_voigt_damping_ratio():
    """C = tau K damps mode i with the ratio tau omega_i / 2."""
    tau = 1e-3
    model, omega = plucked(damping=tau)
    period = 2 * np.pi / omega
    run = cs.simulate(model, 6 * period, period / 400, start="equilibrium")
    z = run.position("strip.end").values[:, 2]
    peaks = np.array([np.abs(z[i * 400 : (i + 1) * 400]).max() for i in range(1, 6)])
    decrement = -np.diff(np.log(peaks)).mean()
    ratio = decrement / np.hypot(2 * np.pi, decrement)
    assert ratio == pytest.approx(tau * omega / 2, rel=0.02)


def test_undamped_beam_does_not_decay_with_energy_momentum():
    model, omega = plucked()
    period = 2 * np.pi / omega
    run = cs.simulate(model, 20 * period, period / 60, start="equilibrium", integrator="energy-momentum")
    total = run.energy.total.values[2:]
    assert np.ptp(total) < 1e-6 * total[0]


def test_torsional_pendulum():
    """A disc on a thin rod twists with sqrt(GJ / (L I)), the rod's own inertia small."""
    model = cs.Model("torsional pendulum")
    rod = cs.Section(stiffness=[1e6, 1e6, 1e6, 2.0, 50, 50], mass=[0.01, 0.01, 0.01, 1e-7, 1e-7, 1e-7])
    beam = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=rod, elements=2))
    disc = model.add(
        cs.RigidBody("disc", mass=1, com=(1, 0, 0), inertia=np.diag([0.08, 0.05, 0.05]), angular_velocity=(0.5, 0, 0))
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Fixed("weld", beam.end, disc))
    omega = np.sqrt(2.0 / 0.08)
    run = cs.simulate(model, 4.0, 2e-3)
    assert run.status.ok
    R = run.rotation("disc").values
    angle = np.arctan2(R[:, 2, 1], R[:, 1, 1])
    np.testing.assert_allclose(angle, 0.5 / omega * np.sin(omega * run.time), atol=2e-3)
