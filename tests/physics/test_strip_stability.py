"""Wings whose laws own lags: divergence on every grid, structural modes first, and failures that name the section."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ArgumentError

SPAN, TORSION = 16.0, 200.0
DIVERGES = np.sqrt(2 * (np.pi / (2 * SPAN)) ** 2 * TORSION / (2 * np.pi * 0.25 * 1.225))  # continuous wing, m/s


def soft_wing(speed, elements, airfoil=None, **options):
    """A long wing with its axis at half of the chord: torsion of a bar, GJ theta'' + q c e a theta = 0."""
    model = cs.Model("wing", fluid=cs.Fluid(density=1.225, velocity=(-1.0 * speed, 0, 0)))
    section = cs.Section(stiffness=[1e7, 1e6, 1e6, TORSION, 2e4, 4e6], mass=[0.75, 0.75, 0.75, 0.1, 1e-3, 0.1])
    beam = model.add(
        cs.Beam("wing", points=[(0, 0, 0), (0, SPAN, 0)], section=section, elements=elements, up=(0, 0, 1))
    )
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Strip("air", beam, airfoil or cs.Airfoil(), chord=1.0, axis=0.5, **options))
    return model


GRIDS = {8: ([0.97, 0.999, 1.005, 1.013], [0.9, 1.1], [0.5, 1.5]), 12: ([0.97, 0.999, 1.005, 1.013], [0.99, 1.01])}


@pytest.mark.parametrize("elements", GRIDS)
def test_divergence_is_found_on_every_grid(elements):
    """With 8 elements all modes are in the first basis, with 12 idle lags are left out."""
    model = soft_wing(cs.Parameter("U", 1.0), elements)
    values = []
    for grid in GRIDS[elements]:
        found = cs.stability(model, "U", DIVERGES * np.array(grid), n=5)
        assert [c.kind for c in found.critical] == ["divergence"]
        assert found.stable[0]
        assert not found.stable[-1]
        assert found.eigenvalues[-1].real.max() > 0.0
        values.append(found.critical[0].value)
    np.testing.assert_allclose(values, values[0], rtol=1e-9)
    assert values[0] == pytest.approx(DIVERGES, rel=0.11 / elements**2 * 1.05)
    model.set(U=values[0] * (1 + 1e-6))
    assert np.linalg.eigvals(cs.linearize(model).A).real.max() > 1e-9
    assert not cs.modes(model, 3).stable


def test_modes_of_a_wing_oscillate_and_lags_come_last():
    model = soft_wing(0.7 * DIVERGES, 8)
    found = cs.modes(model, 10).eigenvalues
    assert np.all(found.imag > 0.0)
    all_of_them = np.linalg.eigvals(cs.linearize(model).A)
    for s in found:
        assert np.min(np.abs(all_of_them - s)) < 1e-6 * abs(s)
    everything = cs.modes(model, 200).eigenvalues
    lags = everything.imag == 0.0
    assert lags.any()
    assert np.all(np.diff(lags.astype(int)) >= 0)


def test_equilibrium_names_section_and_angle_beyond_the_table():
    foil = cs.Airfoil(lift=[(-0.05, -0.3), (0.05, 0.3)])
    for options in ({}, {"unsteady": False}):
        found = cs.equilibrium(soft_wing(0.5 * DIVERGES, 4, foil, twist=0.08, **options))
        assert found.status.outcome.name == "LOAD_UNKNOWN"
        assert "'air[1]' meets an angle of attack of 0.08 rad" in found.status.message
        assert "-0.05 to 0.05 rad" in found.status.message


def test_equilibrium_names_a_state_without_a_steady_value():
    model = cs.Model("cart")
    cart = model.add(cs.RigidBody("cart", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), stiffness=1.0))
    law = {"fx": "-k*total", "total": "x - 1", "late": "(x - late)/0.1"}
    model.add(cs.StateLoad("integral", cart, law, {"k": 1.0}, states={"late": 0.0, "total": 0.0}))
    found = cs.equilibrium(model)
    assert found.status.outcome.name == "LOAD_UNKNOWN"
    assert "load 'integral': its state 'total' has no steady value" in found.status.message


@pytest.mark.parametrize(("wind", "words"), [((20, 0, 0), "in reversed flow "), ((-2, 0, 6), "")])
def test_a_slope_beyond_stall_is_warned_of(wind, words):
    model = cs.Model("wing", fluid=cs.Fluid(density=1.2, velocity=wind))
    wing = model.add(cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Fixed("mount", cs.GROUND, wing))
    model.add(cs.Strip("air", wing, cs.Airfoil(), chord=1.0, width=1.0, unsteady=False, twist=0.1))
    with pytest.warns(cs.CosseratWarning, match=rf"'air\[1\]' meets an angle of attack of .* rad {words}at t = 0 s"):
        cs.equilibrium(model)
    with pytest.warns(cs.CosseratWarning, match="no stall"):
        cs.simulate(model, 0.1, 0.01)


def failing_wing(argument):
    model = cs.Model("wing", fluid=cs.Fluid(density=1.2))
    wing = model.add(cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Strip("air", wing, cs.Airfoil(), width=1.0, **{"chord": 1.0, argument: lambda s: 1 / 0}))


def test_functions_of_a_strip_that_fail_are_named():
    for argument in ("chord", "twist"):
        with pytest.raises(ArgumentError, match=rf"{argument} must give a number at s = 0; it fails with ZeroDivision"):
            failing_wing(argument)
