"""Frequency responses against closed forms, direct against modal, and against simulation; resonances."""

import numpy as np
import pytest

import cosserat as cs


def oscillator(m=2.0, k=800.0, c=4.0, **drive):
    model = cs.Model("oscillator", gravity=(0, 0, 0))
    body = model.add(cs.RigidBody("body", mass=m, com=(1, 0, 0), inertia=[1, 1, 1]))
    rail = cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), at=(1, 0, 0), stiffness=k, damping=c, **drive)
    model.add(rail)
    return model


def strip(damping=1e-4, elements=20, free=False):
    model = cs.Model("cantilever", gravity=(0, 0, 0))
    material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=damping)
    section = cs.Rectangle(width=0.03, height=0.004)
    beam = model.add(
        cs.Beam("strip", points=[(0, 0, 0), (0.5, 0, 0)], section=section, material=material, elements=elements)
    )
    if not free:
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


def test_oscillator():
    m, k, c = 2.0, 800.0, 4.0
    f = np.linspace(0, 10, 41)
    s = 2j * np.pi * f
    response = cs.frequency_response(oscillator(m, k, c), "rail", ["body.x", "rail", "rail.rate"], f)
    exact = 1 / (m * s**2 + c * s + k)
    assert response.outputs[:2] == ("body.x", "rail")
    np.testing.assert_allclose(response.sel("body.x").values, exact, rtol=1e-10)
    np.testing.assert_allclose(response.sel("rail").values, exact, rtol=1e-10)
    np.testing.assert_allclose(response.data.values[:, 2, 0], s * exact, rtol=1e-10)
    peak, _ = response.peak("body.x")
    assert abs(peak - np.sqrt(k / m) / (2 * np.pi)) < 0.25


@pytest.mark.parametrize("place", ["strip.end", "strip.at(0.43)"])
def test_modal_agrees_with_direct(place):
    """Twelve modes and the static answer of the rest, far below the first one left out."""
    model = strip()
    f = np.concatenate(([0.0], np.geomspace(1, 150, 40)))
    arguments = (model, f"{place}.fz", [f"{place}.z", "strip.at(0.2).My", "clamp.fz"], f)
    direct = cs.frequency_response(*arguments)
    modal = cs.frequency_response(*arguments, method="modal", n=12)
    for name in direct.outputs:
        gain = direct.gain(name)
        np.testing.assert_allclose(modal.sel(name).values, direct.sel(name).values, atol=1e-5 * gain.max())


def test_modal_agrees_with_direct_for_a_free_beam():
    model = strip(free=True)
    f = np.geomspace(2, 200, 30)
    arguments = (model, "strip.end.fz", ["strip.start.z", "strip.end.z"], f)
    direct = cs.frequency_response(*arguments)
    modal = cs.frequency_response(*arguments, method="modal", n=12)
    np.testing.assert_allclose(modal.data.values, direct.data.values, atol=1e-4 * np.abs(direct.data.values).max())


def test_modal_agrees_with_direct_for_a_prescribed_motion():
    model = cs.Model("shaken", gravity=(0, 0, 0))
    material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=1e-4)
    section = cs.Rectangle(width=0.03, height=0.004)
    beam = model.add(cs.Beam("strip", points=[(0, 0, 0), (0.5, 0, 0)], section=section, material=material, elements=12))
    model.add(cs.Prismatic("table", cs.GROUND, beam.start, axis=(0, 0, 1), motion=lambda t: 0 * t))
    f = np.concatenate(([0.0], np.geomspace(1, 150, 30)))
    arguments = (model, "table", ["strip.end.z", "table.effort"], f)
    direct = cs.frequency_response(*arguments)
    modal = cs.frequency_response(*arguments, method="modal", n=30)
    assert direct.gain("strip.end.z")[0] == pytest.approx(1.0)  # slowly it moves as a whole
    for k in range(2):
        values = direct.data.values[:, k, 0]
        np.testing.assert_allclose(modal.data.values[:, k, 0], values, atol=1e-4 * np.abs(values).max())


def test_static_value_is_that_of_the_equilibrium():
    model = strip()
    response = cs.frequency_response(model, "strip.end.fz", "strip.end.z", [0.0])
    model.add(cs.Force("tip", "strip.end", (0, 0, 1e-4)))
    expected = cs.equilibrium(model).position("strip.end")[2] / 1e-4
    assert response.sel().values[0].real == pytest.approx(expected, rel=1e-6)


def test_reaction_at_resonance_balances_inertia():
    """The force in the clamp and the load add up to the change of the momentum: -(2 pi f)^2 times mass times x."""
    m, k, c = 2.0, 800.0, 4.0
    f = np.array([1.0, 3.0, 3.18, 7.0])
    response = cs.frequency_response(oscillator(m, k, c), "body.fx", ["body.x", "rail.effort"], f)
    x, effort = response.data.values[:, 0, 0], response.data.values[:, 1, 0]
    np.testing.assert_allclose(effort + 1.0, -((2 * np.pi * f) ** 2) * m * x, rtol=1e-9)


def test_response_agrees_with_a_simulation():
    model = strip(damping=2e-3, elements=6)
    f0 = cs.modes(model, 1).frequencies[0]
    f = 0.9 * f0
    response = cs.frequency_response(model, "strip.end.fz", "strip.end.z", [f]).sel().values[0]
    model.add(cs.Force("shaker", "strip.end", lambda t: (0 * t, 0 * t, 1e-3 * np.cos(2 * np.pi * f * t))))
    run = cs.simulate(model, 30 / f, 1 / (200 * f))
    t, z = run.time, run.position("strip.end").values[:, 2]
    late = t > 20 / f
    basis = np.stack((np.cos(2 * np.pi * f * t), np.sin(2 * np.pi * f * t)), axis=1)[late]
    a, b = np.linalg.lstsq(basis, z[late], rcond=None)[0]
    assert (a - 1j * b) / 1e-3 == pytest.approx(response, rel=5e-3)


def test_undamped_resonance_is_an_error():
    model = oscillator(m=2.0, k=2.0 * (2 * np.pi) ** 2, c=0.0)
    response = cs.frequency_response(model, "rail", "body.x", [0.5])
    assert response.gain()[0] == pytest.approx(1 / (2 * (2 * np.pi) ** 2 * 0.75))
    free = oscillator(k=0.0, c=0.0)
    with pytest.raises(cs.CosseratError, match="can move freely"):
        cs.frequency_response(free, "rail", "body.x", [0.0, 1.0])


@pytest.mark.parametrize(("frequency", "told"), [(np.sqrt(50.0) / (2 * np.pi), "nothing damps"), (0.0, "move freely")])
def test_modes_that_nothing_resists_have_no_response(frequency, told):
    """Two free masses on a spring: 1e31 before, by modes."""
    model = cs.Model("two")
    a, b = (model.add(cs.RigidBody(name, mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1))) for name in "ab")
    model.add(cs.Prismatic("x", cs.GROUND, a, axis=(1, 0, 0)))
    model.add(cs.Prismatic("y", a, b, axis=(1, 0, 0), stiffness=50.0))
    with pytest.raises(cs.CosseratError, match=told):
        cs.frequency_response(model, "a.fx", "b.x", [0.3, frequency], method="modal", n=1)


@pytest.mark.parametrize("method", ["direct", "modal"])
def test_at_a_resonance_that_nothing_damps_no_method_has_a_response(method):
    """Direct: 4.4e12 m/N, what rounding leaves, before. Close by there is a response, also where the place is still."""
    m, k, f = 3.0, 700.0, np.sqrt(700.0 / 3.0) / (2 * np.pi)
    with pytest.raises(cs.CosseratError, match="nothing damps"):
        cs.frequency_response(oscillator(m=m, k=k, c=0.0), "rail", "body.x", [0.5 * f, f], method=method)
    near = cs.frequency_response(oscillator(m=m, k=k, c=0.0), "rail", "body.x", [f * (1.0 + 1e-8)], method=method)
    assert near.gain()[0] == pytest.approx(1.0 / (2e-8 * k), rel=1e-6)
    tuned = oscillator(m=m, k=k, c=0.0)  # an absorber: where its mass is tuned to, the other one stands still
    extra = tuned.add(cs.RigidBody("extra", mass=0.3, com=(0, 0, 0), inertia=[1, 1, 1]))
    tuned.add(cs.Prismatic("more", "body", extra, axis=(1, 0, 0), at=(0, 0, 0), stiffness=0.3 * (2 * np.pi * f) ** 2))
    still = cs.frequency_response(tuned, "rail", ["body.x", "extra.x"], [f], method=method)
    assert still.gain("body.x")[0] < 1e-12
    assert still.gain("extra.x")[0] == pytest.approx(1.0 / (0.1 * k))


@pytest.mark.parametrize("period", [0.5, 1.0, 2.03])
def test_harmonics_that_meet_modes(period):
    """Oscillators at 1, 2.5 and 6 Hz; by hand: |p / T - f| <= 0.05 f."""
    model = cs.Model("three", gravity=(0, 0, 0))
    own = (1.0, 2.5, 6.0)
    for k, f in enumerate(own):
        body = model.add(cs.RigidBody(f"m{k}", mass=1.0, com=(0, k, 0), inertia=[1, 1, 1]))
        stiffness = (2 * np.pi * f) ** 2
        model.add(cs.Prismatic(f"j{k}", cs.GROUND, body, axis=(1, 0, 0), at=(0, k, 0), stiffness=stiffness))
    found = cs.resonances(model, period, harmonics=15)
    expected = {(p, k) for p in range(1, 16) for k, f in enumerate(own) if abs(p / period - f) <= 0.05 * f}
    assert {(m.harmonic, m.mode) for m in found} == expected
    for m in found:
        r = m.excitation / own[m.mode]
        assert 1 / m.amplification == pytest.approx(abs(1 - r**2), abs=1e-9)


def test_damped_resonance_is_amplified_by_the_damping():
    model = oscillator(m=1.0, k=(2 * np.pi * 3) ** 2, c=2 * 0.01 * 2 * np.pi * 3)
    found = cs.resonances(cs.modes(model, 1), 1.0, harmonics=5)
    assert [(m.harmonic, m.mode) for m in found] == [(3, 0)]
    assert found[0].amplification == pytest.approx(1 / (2 * 0.01), rel=1e-3)


def test_square_wave_has_odd_harmonics_only():
    """Fourier series of a square wave: 4 / (pi p) for odd p."""
    model = oscillator(m=1.0, k=(2 * np.pi * 3) ** 2, c=0.1)
    found = cs.resonances(model, 1.0, harmonics=7, signal=lambda t: 1.0 if t < 0.5 else -1.0)
    np.testing.assert_allclose(found.amplitudes, [4 / np.pi / p * (p % 2) for p in range(1, 8)], rtol=2e-3, atol=1e-12)
    assert [m.harmonic for m in found] == [3]
    half = cs.resonances(model, 2 / 3, harmonics=7, signal=lambda t: 1.0 if t < 1 / 3 else -1.0)
    assert len(half) == 0  # 3 Hz is the second harmonic of 1.5 Hz, which the wave does not have
