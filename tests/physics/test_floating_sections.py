"""Section forces and strains of beams in floating runs: from the balance of parts, not from the modes."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

RING = cs.Tube(outer_diameter=0.030, inner_diameter=0.027, shear_factor=0.5)


@pytest.fixture(scope="module")
def runs(manipulator) -> tuple[cs.Run, dict[int, cs.Run]]:
    model, options = manipulator(damping=1e-4), {"duration": 0.06, "step": 1e-3, "rho": 0.5}
    floating = {m: cs.simulate(model, formulation="floating", modes=m, **options) for m in (1, 4, 8)}
    return cs.simulate(model, **options), floating


def worst(a: cs.Run, b: cs.Run, quantity: str) -> float:
    """Largest difference of forces and of moments after the first shock, over the largest value at the root."""
    found = 0.0
    for beam in ("arm1", "arm2"):
        whole = getattr(a, quantity)(beam, 0.0).values[20:]
        for s in (0.0, 0.3, 0.5, 1.0):
            away = np.abs(getattr(a, quantity)(beam, s).values - getattr(b, quantity)(beam, s).values)[20:]
            for part in (slice(0, 3), slice(3, 6)):
                found = max(found, away[:, part].max() / np.abs(whole[:, part]).max())
    return found


@pytest.mark.parametrize("quantity", ["section_force", "strain"])
def test_they_converge_to_the_galilean_ones(runs, quantity) -> None:
    galilean, floating = runs
    errors = [worst(galilean, run, quantity) for run in floating.values()]
    assert errors[0] > 0.05
    assert errors[1] < 0.02
    assert errors[2] < 1e-3


def test_at_joints_they_are_the_reactions(runs) -> None:
    run = runs[1][4]
    R = run.rotation("arm2.start").values
    reaction = run.reaction("elbow").values
    local = np.hstack([np.einsum("tji,tj->ti", R, reaction[:, part]) for part in (slice(0, 3), slice(3, 6))])
    np.testing.assert_allclose(-run.section_force("arm2", 0.0).values, local, atol=1e-4 * np.abs(local).max())
    np.testing.assert_allclose(run.section_force("arm2", 1.0).values, 0.0, atol=1e-4 * np.abs(local).max())


@pytest.mark.parametrize("stiffening", [True, False])
def test_a_rotating_blade_is_pulled_though_its_modes_only_bend(stiffening) -> None:
    """N = rho A omega^2 (L^2 - x^2) / 2."""
    omega, length = 6.0, 2.0
    model = cs.Model("rotor")
    alloy = cs.Material(E=70e9, nu=0.33, rho=2700.0)
    points = [(0, 0, 0), (length, 0, 0)]
    turning = {"velocity": (0, f"{omega} * x", 0, 0, 0, omega)}
    blade = model.add(cs.Beam("blade", points=points, section=RING, material=alloy, elements=6, **turning))
    model.add(cs.Revolute("hub", cs.GROUND, blade.start, axis=(0, 0, 1), motion=f"{omega} * t"))
    run = cs.simulate(model, 0.1, 5e-3, formulation="floating", modes=2, stiffening=stiffening)
    per_length = 2700.0 * np.pi / 4 * (0.030**2 - 0.027**2)
    for s in (0.0, 0.1, 1 / 3, 0.5, 0.7, 5 / 6):  # at nodes and between them
        expected = 0.5 * per_length * omega**2 * length**2 * (1 - s**2)
        np.testing.assert_allclose(run.section_force("blade", s).values[:, 0], expected, rtol=1e-6)
        stretch = expected / (70e9 * per_length / 2700.0)
        np.testing.assert_allclose(run.strain("blade", s).values[:, 0], stretch, rtol=1e-6)


def test_a_bent_beam_with_a_corner_and_a_load_inside() -> None:
    """At rest under its weight and a force: statics at every section, on both sides of the load and of the corner."""
    model = cs.Model("crane", gravity=(0, 0, -9.81))
    oil = cs.Material(E=210e9, nu=0.3, rho=7850.0, damping=5e-3)
    points = [(0, 0, 0), (0, 0, 1), (1, 0, 1)]
    crane = model.add(cs.Beam("crane", points=points, section=cs.Rod(0.04), material=oil, elements=8))
    model.add(cs.Fixed("foot", cs.GROUND, crane.start))
    model.add(cs.Force("load", crane.at(0.75), (0, 0, -100.0)))
    run = cs.simulate(model, 1.5, 5e-3, formulation="floating", modes=8)
    per_length = 9.81 * 7850 * np.pi / 4 * 0.04**2
    rest = cs.equilibrium(model)
    for s in (0.1, 0.45, 0.55, 0.7, 0.8):
        found, static = run.section_force("crane", s).values[-1], rest.section_force("crane", s)
        scale = np.repeat([np.abs(rest.section_force("crane", 0.0)[:3]).max(), 100 * 0.5], 3)
        assert np.abs((found - static) / scale).max() < 2e-3
    assert run.section_force("crane", 0.1).values[-1, 0] == pytest.approx(-(1.8 * per_length + 100), rel=1e-3)


def test_saved_runs_have_them_too(runs, tmp_path) -> None:
    run = runs[1][4]
    run.save(tmp_path / "run.nc")
    back = cs.load_run(tmp_path / "run.nc")
    np.testing.assert_array_equal(run.section_force("arm1", 0.3), back.section_force("arm1", 0.3))
    np.testing.assert_array_equal(run.strain("arm1", 0.3), back.strain("arm1", 0.3))
    np.testing.assert_array_equal(run.coordinate("arm1"), back.coordinate("arm1"))
    np.testing.assert_array_equal(run.energy.balance, back.energy.balance)
