"""Columns: Beck's, Leipholz's, Euler's four, and one under its own weight.

EI = L = m = 1, GA = EA = 1e6: Beck 20.05095 with the frequency 11.01556, uniform tangential load (Leipholz) 40.05374,
cantilever pi^2 / 4, pinned pi^2, clamped-pinned 20.19073, clamped 4 pi^2, self-weight 7.83735.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cosserat as cs

STIFF, ROTARY = 1e6, 1e-8


def column(elements: int, up: tuple[float, float, float] = (1, 0, 0)) -> tuple[cs.Model, cs.Beam, cs.Parameter]:
    model = cs.Model("column")
    section = cs.Section(stiffness=[STIFF, STIFF, STIFF, 10.0, 1.0, 3.0], mass=[1, 1, 1, 2 * ROTARY, ROTARY, ROTARY])
    beam = model.add(cs.Beam("column", points=[(0, 0, 0), up], section=section, elements=elements))
    return model, beam, cs.Parameter("P", 0.0)


def beck(elements: int) -> cs.Model:
    model, beam, P = column(elements)
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("thrust", beam.end, (-P, 0, 0), follower=True))
    return model


def test_beck():
    found = cs.stability(beck(24), "P", np.linspace(0, 25, 26), n=4)
    (critical,) = found.critical
    assert critical.kind == "flutter"
    assert_allclose(critical.value, 20.05095, rtol=1e-4)
    assert_allclose(2 * np.pi * critical.frequency, 11.01556, rtol=1e-4)
    assert np.all(found.stable == (found.values < 20.05))


def test_beck_is_refined_beyond_the_grid():
    """The critical value does not depend on the values given."""
    model = beck(12)
    fine, coarse = (
        cs.stability(model, "P", np.linspace(a, b, k), n=4).critical[0] for a, b, k in ((15, 22, 15), (0, 30, 6))
    )
    assert_allclose(fine.value, coarse.value, rtol=1e-9)
    assert_allclose(fine.frequency, coarse.frequency, rtol=1e-7)


def test_beck_converges_with_the_mesh():
    """Statics of the element is of fourth order, its mass of second or better."""
    values = [cs.stability(beck(k), "P", [18, 21, 24], n=3).critical[0].value for k in (6, 12, 24)]
    assert abs(values[0] - values[1]) > 3.0 * abs(values[1] - values[2])


def test_internal_damping_halves_the_load():
    """A little Kelvin-Voigt damping: 10.94 instead of 20.05 (Bolotin, Zhinzher 1969)."""
    model = cs.Model("column")
    P = cs.Parameter("P", 0.0)
    rod = cs.Rod(0.01)
    steel = cs.Material(E=2e11, nu=0.3, rho=7800, damping=1e-5)
    beam = model.add(cs.Beam("column", points=[(0, 0, 0), (2, 0, 0)], section=rod, material=steel, elements=20))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("thrust", beam.end, (-P, 0, 0), follower=True))
    unit = 2e11 * np.pi * 0.01**4 / 64 / 2**2
    critical = cs.stability(model, "P", np.linspace(0, 15, 7) * unit, n=4).critical[0]
    assert (critical.kind, critical.modes) == ("flutter", 2)
    assert_allclose(critical.value, 10.94 * unit, rtol=5e-4)


def test_leipholz():
    model, beam, P = column(24)
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.DistributedLoad("drag", beam, force=(-P, 0, 0), follower=True))
    critical = cs.stability(model, "P", np.linspace(0, 50, 21), n=4).critical[0]
    assert critical.kind == "flutter"
    assert_allclose(critical.value, 40.05374, rtol=1e-4)


def hinged_slider(model: cs.Model, beam: cs.Beam) -> None:
    slider = model.add(cs.RigidBody("slider", mass=1e-3, com=(1, 0, 0), inertia=1e-6 * np.eye(3)))
    model.add(cs.Prismatic("guide", cs.GROUND, slider, axis=(1, 0, 0), at=(1, 0, 0)))
    model.add(cs.Revolute("top", slider.at((1, 0, 0)), beam.end, axis=(0, 1, 0)))


EULER = {
    "cantilever": np.pi**2 / 4,
    "pinned": np.pi**2,
    "clamped-pinned": 20.19073,
    "clamped": 4 * np.pi**2,
}


@pytest.mark.parametrize("ends", EULER)
def test_euler(ends):
    model, beam, P = column(32)
    if ends == "pinned":
        model.add(cs.Revolute("foot", cs.GROUND, beam.start, axis=(0, 1, 0)))
    else:
        model.add(cs.Fixed("foot", cs.GROUND, beam.start))
    if ends in ("pinned", "clamped-pinned"):
        hinged_slider(model, beam)
    if ends == "clamped":
        model.add(cs.Prismatic("guide", cs.GROUND, beam.end, axis=(1, 0, 0)))
    model.add(cs.Force("weight", beam.end, (-P, 0, 0)))
    found = cs.stability(model, "P", np.linspace(0, 1.5, 7) * EULER[ends], n=3)
    critical = found.critical[0]
    assert critical.kind == "divergence"
    assert critical.frequency == 0.0
    assert_allclose(critical.value, EULER[ends], rtol=1e-4)


def test_self_weight():
    model, beam, P = column(24, up=(0, 0, 1))
    model.gravity = (0, 0, -P)
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    critical = cs.stability(model, "P", np.linspace(0, 10, 11), n=3).critical[0]
    assert critical.kind == "divergence"
    assert_allclose(critical.value, 7.83735, rtol=1e-4)


def test_second_buckling_loads_are_found_too():
    """Beyond the first: 9 pi^2 / 4 in the weak plane, three times pi^2 / 4 in the strong one."""
    model, beam, P = column(24)
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("weight", beam.end, (-P, 0, 0)))
    found = cs.stability(model, "P", np.linspace(0, 25, 26), n=5).critical
    expected = np.array([1, 3, 9]) * np.pi**2 / 4
    assert_allclose([c.value for c in found], expected, rtol=2e-4)
    assert {c.kind for c in found} == {"divergence"}


@pytest.mark.parametrize("factor", [1.01, 0.99])
def test_beck_in_simulation(factor):
    """A kick grows above the flutter load at the computed rate, and does not below it."""
    model = beck(8)
    critical = cs.stability(model, "P", [15, 20, 25], n=3).critical[0]
    model.add(cs.Force("kick", "column.end", lambda t: (0, 0, 1e-6 * np.exp(-(((t - 0.2) / 0.05) ** 2)))))
    load = factor * critical.value
    model.set(P=load)
    eigenvalues = cs.stability(model, "P", [load, 1.0001 * load], n=3).eigenvalues[0]
    fastest = eigenvalues[np.argmax(eigenvalues.real)]
    run = cs.simulate(model, duration=6.0, step=0.002, rho=0.98, start="equilibrium")
    assert run.status.ok
    tip, time = run.position("column.end").values[:, 2], run.time
    early, late = np.max(np.abs(tip[(time > 0.5) & (time < 1.5)])), np.max(np.abs(tip[time > 5.0]))
    if factor < 1:
        assert fastest.real < 1e-6
        assert late < 3 * early
        return
    expected = np.exp(fastest.real * 4.5)
    assert late / early == pytest.approx(expected, rel=0.3)
