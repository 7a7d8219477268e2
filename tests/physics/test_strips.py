"""Strip theory: Wagner's lift, quasi-steady lift, apparent mass, control surfaces, stall, files and refusals."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ArgumentError, ModelError
from cosserat.model.wagner import JONES

RHO, SPEED = 1.2, 10.0


def rigid_wing(airfoil=None, twist=0.01, wind=(-SPEED, 0, 0), motion=None, **options):
    """A wing of unit chord and span on a mount."""
    model = cs.Model("wing", fluid=cs.Fluid(density=RHO, velocity=wind))
    wing = model.add(cs.RigidBody("wing", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    if motion is None:
        model.add(cs.Fixed("mount", cs.GROUND, wing))
    else:
        model.add(cs.Prismatic("mount", cs.GROUND, wing, axis=(0, 0, 1), motion=motion))
    model.add(cs.Strip("air", wing, airfoil or cs.Airfoil(), chord=1.0, width=1.0, twist=twist, **options))
    return model


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_wagner(formulation):
    """Lift after a sudden start: 1 - sum A exp(-b s), s = U t/b."""
    run = cs.simulate(rigid_wing(motion="0*t"), 2.0, 0.005, formulation=formulation)
    lift = -run.reaction("mount").values[:, 2]
    steady = 0.5 * RHO * SPEED**2 * 2 * np.pi * 0.01
    s = SPEED * run.time / 0.5
    wagner = 1.0 - sum(A * np.exp(-b * s) for A, b in JONES)
    scale = np.max(np.abs(lift)) / np.max(wagner)
    np.testing.assert_allclose(np.abs(lift), steady * wagner, rtol=5e-4)
    assert scale == pytest.approx(steady, rel=1e-3)


def test_apparent_mass_alone():
    """In calm air a plate that is moved across itself feels pi rho b^2 times its acceleration and no more."""
    heave = "0.001*sin(20*t)"
    with pytest.warns(cs.CosseratWarning, match="angle of attack of .*1.57 rad"):  # from below
        with_air = cs.simulate(rigid_wing(twist=0.0, wind=(0, 0, 0), motion=heave), 0.3, 0.001)
    bare = cs.simulate(rigid_wing(cs.Airfoil(lift=0.0), 0.0, (0, 0, 0), heave, unsteady=False), 0.3, 0.001)
    more = (with_air.reaction("mount") - bare.reaction("mount")).values[10:, 2]
    acceleration = -0.4 * np.sin(20 * with_air.time[10:])
    size = np.pi * RHO * 0.25
    assert np.linalg.norm(np.abs(more) - size * np.abs(acceleration)) < 0.03 * size * np.linalg.norm(acceleration)


def test_quasi_steady_lift_drag_and_moment():
    foil = cs.Airfoil(lift=5.0, drag=0.02, moment=-0.03, zero_lift=-0.02, flap_lift=2.0, flap_moment=-0.5)
    delta = cs.Parameter("delta", 0.0)
    model = rigid_wing(foil, 0.1, unsteady=False, deflection=delta)
    pressed = 0.5 * RHO * SPEED**2
    for value in (0.0, 0.05):
        model.set(delta=value)
        wrench = -cs.equilibrium(model).reaction("mount")
        lift, drag, moment = 5.0 * 0.12 + 2.0 * value, 0.02, -0.03 - 0.5 * value
        sign = np.sign(wrench[2]) or 1.0
        np.testing.assert_allclose(sign * wrench[[2, 0]], [pressed * lift, -pressed * drag], rtol=1e-9)
        np.testing.assert_allclose(sign * wrench[4], -pressed * moment, rtol=1e-9)


def test_deflection_is_an_input():
    model = cs.Model("flap", fluid=cs.Fluid(density=RHO, velocity=(-SPEED, 0, 0)))
    wing = model.add(cs.RigidBody("wing", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("heave", cs.GROUND, wing, axis=(0, 0, 1), stiffness=50.0))
    delta = cs.Parameter("delta", 0.0)
    foil = cs.Airfoil(flap_lift=3.0)
    model.add(cs.Strip("air", wing, foil, chord=1.0, width=1.0, deflection=delta))
    linear = cs.linearize(model, "delta", "heave")
    assert linear.states == ("heave", "heave.rate", "air[1].lag1", "air[1].lag2")
    heavy = 2.0 + np.pi * RHO * 0.25
    assert linear.B[1, 0] == pytest.approx(0.5 * RHO * SPEED**2 * 3.0 / heavy, rel=1e-7)
    assert linear.A[2].tolist() == pytest.approx([0.0, -20.0, -20.0 * 0.0455, 0.0], abs=1e-7)
    steady = linear.transfer(0.0)[0, 0].real
    assert steady == pytest.approx(0.5 * RHO * SPEED**2 * 3.0 / 50.0, rel=1e-7)


def test_beam_with_taper_twist_and_part_span():
    """Total lift of a stiff wing is the integral over its span."""
    model = cs.Model("wing", fluid=cs.Fluid(density=RHO, velocity=(-SPEED, 0, 0)))
    section = cs.Section(stiffness=[1e9] * 6, mass=[1, 1, 1, 1, 1, 1])
    beam = model.add(cs.Beam("wing", points=[(0, 0, 0), (0, 4, 0)], section=section, elements=40, up=(0, 0, 1)))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Strip("air", "wing", cs.Airfoil(), chord=(1.0, 0.5), twist=(0.02, 0.0), span=(0.25, 1.0)))
    lift = abs(cs.equilibrium(model).reaction("root")[2])
    s = np.linspace(0.25, 1.0, 2001)
    each = (1.0 - 0.5 * s) * 0.02 * (1 - s)
    wanted = 0.5 * RHO * SPEED**2 * 2 * np.pi * 4.0 * np.trapezoid(each, s)
    assert lift == pytest.approx(wanted, rel=2e-3)


def test_tip_loss():
    lifts = []
    for loss in (0.0, 12.0):
        model = cs.Model("wing", fluid=cs.Fluid(density=RHO, velocity=(-SPEED, 0, 0)))
        section = cs.Section(stiffness=[1e9] * 6, mass=[1, 1, 1, 1, 1, 1])
        beam = model.add(cs.Beam("wing", points=[(0, 0, 0), (0, 4, 0)], section=section, elements=40, up=(0, 0, 1)))
        model.add(cs.Fixed("root", cs.GROUND, beam.start))
        model.add(cs.Strip("air", beam, cs.Airfoil(), chord=1.0, twist=0.01, tip_loss=loss))
        lifts.append(abs(cs.equilibrium(model).reaction("root")[2]))
    assert lifts[1] / lifts[0] == pytest.approx(1.0 - (1.0 - np.exp(-12.0)) / 12.0, rel=2e-3)


def test_angles_beyond_the_table_are_told():
    foil = cs.Airfoil(lift=[(-0.2, -1.2), (0.2, 1.2)])
    model = rigid_wing(foil, 0.0, motion="-5*t**2", unsteady=False)
    run = cs.simulate(model, 1.0, 0.01)
    assert not run.status.ok
    assert "air[1]" in run.status.message
    assert "angle of attack" in run.status.message
    assert "-0.2 to 0.2 rad" in run.status.message
    assert 0.15 < run.time[-1] < 0.25


def test_model_files(tmp_path):
    foil = cs.Airfoil(lift=[(-0.2, -1.2), (0.2, 1.2)], drag=0.01)
    model = rigid_wing(foil, lags=((0.1, 0.1), (0.4, 0.5)))
    cs.save_model(model, tmp_path / "wing.yaml")
    again = cs.load_model(tmp_path / "wing.yaml")
    assert again["air"] == model["air"]
    assert again["air"].lags == ((0.1, 0.1), (0.4, 0.5))
    model = cs.Model("beam", fluid=cs.Fluid(density=1.0))
    section = cs.Section(stiffness=[1e9] * 6, mass=[1, 1, 1, 1, 1, 1])
    model.add(cs.Beam("wing", points=[(0, 0, 0), (0, 4, 0)], section=section, elements=4))
    model.add(cs.Strip("air", "wing", cs.Airfoil(), chord=(1.0, cs.Parameter("tip", 0.4)), unsteady=False))
    cs.save_model(model, tmp_path / "beam.yaml")
    assert cs.load_model(tmp_path / "beam.yaml")["air"] == model["air"]


@pytest.mark.parametrize("unsteady", [False, True])
def test_strips_in_both_formulations(unsteady):
    def build():
        model = cs.Model("blade", fluid=cs.Fluid(density=RHO, velocity=(-SPEED, 0, 0)))
        section = cs.Section(stiffness=[1e6, 1e6, 1e6, 40.0, 60.0, 4e3], mass=[2, 2, 2, 0.02, 0.01, 0.01])
        beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (0, 1, 0)], section=section, elements=6, up=(0, 0, 1)))
        model.add(cs.Fixed("root", cs.GROUND, beam.start))
        model.add(cs.Strip("air", beam, cs.Airfoil(), chord=0.2, twist=0.05, unsteady=unsteady))
        return model

    runs = [cs.simulate(build(), 0.5, 0.002), cs.simulate(build(), 0.5, 0.002, formulation="floating", modes=20)]
    ends = [run.position("blade.end").values[:, 2] for run in runs]
    assert np.max(np.abs(ends[0])) > 1e-3
    assert np.max(np.abs(ends[0] - ends[1])) < 0.02 * np.max(np.abs(ends[0]))
    for word in ("fluid", "wake") if unsteady else ("fluid",):
        a, b = (run.energy[word].values for run in runs)
        assert np.max(np.abs(a - b)) < 0.03 * np.max(np.abs(a))


def test_refusals():
    wing = cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=np.eye(3))
    with pytest.raises(ArgumentError, match=r"strip 'air'.*airfoil.*cs\.Airfoil"):
        cs.Strip("air", wing, "naca", chord=1.0)
    with pytest.raises(ArgumentError, match=r"strip 'air'.*chord"):
        cs.Strip("air", wing, cs.Airfoil(), chord=-1.0)
    with pytest.raises(ArgumentError, match=r"strip 'air'.*lags"):
        cs.Strip("air", wing, cs.Airfoil(), chord=1.0, lags=((0.1, -0.1),))
    with pytest.raises(ArgumentError, match=r"strip 'air'.*span"):
        cs.Strip("air", wing, cs.Airfoil(), chord=1.0, span=(0.5, 0.2))
    with pytest.raises(ArgumentError, match="growing angles"):
        cs.Airfoil(lift=[(0.1, 0.0), (0.0, 1.0)])
    model = cs.Model("wing")
    body = model.add(cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Strip("air", body, cs.Airfoil(), chord=1.0, width=1.0))
    with pytest.raises(ModelError, match="strip 'air': the model has no fluid; make it with"):
        cs.simulate(model, 0.1, 0.01)
    model.fluid = cs.Fluid(density="isa")
    with pytest.raises(ModelError, match=r"apparent mass needs a fluid of one density.*apparent=False"):
        cs.simulate(model, 0.1, 0.01)


def test_the_energy_of_the_wake_does_not_depend_on_how_the_lift_is_given():
    found = []
    for lift in (5.0, {"alpha": 5.0}, [(-1.0, -5.0), (1.0, 5.0)], lambda alpha: 5.0 * alpha):
        model = cs.Model("wing", fluid=cs.Fluid(density=1.2, velocity=(-10, 0, 0)))
        wing = model.add(cs.RigidBody("wing", 1.0, (0, 0, 0), np.eye(3), velocity=(0, 0, 0.5)))
        model.add(cs.Prismatic("rail", cs.GROUND, wing, axis=(0, 0, 1), stiffness=50.0))
        model.add(cs.Strip("air", wing, cs.Airfoil(lift=lift), chord=1.0, width=1.0, twist=0.05))
        energy = cs.simulate(model, 0.3, 0.01).energy
        found.append([float(energy[name][-1]) for name in ("wake", "fluid", "work")])
    assert found[0][0] > 0.01
    np.testing.assert_allclose(found[1:], [found[0]] * 3, rtol=1e-6)


def test_energy_of_the_wake_and_work_of_the_fluid():
    """A plate that heaves slowly: what the lags hold and what they lose is what the circulatory force takes."""
    heave = "0.02*sin(6*t)"
    model = rigid_wing(twist=0.0, motion=heave, apparent=False)
    run = cs.simulate(model, 2.0, 0.002)
    names = run.law_states.coords["state"].values.tolist()
    assert names == ["air[1].lag1", "air[1].lag2"]
    y = run.law_states.values
    wake = sum(np.pi * RHO * 0.25 * A * b * y[:, k] ** 2 for k, (A, b) in enumerate(JONES))
    np.testing.assert_allclose(run.energy["wake"].values, wake, rtol=1e-9)
    w, t = -0.12 * np.cos(6 * run.time), run.time
    lost = 0.5 * w**2 + sum(A * (b * y[:, k]) ** 2 for k, (A, b) in enumerate(JONES))
    power = 2 * np.pi * RHO * 0.5 * SPEED * lost
    total = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(t) * (power[1:] + power[:-1]))))
    fluid = run.energy["fluid"].values
    assert np.max(np.abs(fluid + wake - wake[0] + total)) < 2e-3 * np.max(np.abs(fluid))
    rest = cs.equilibrium(rigid_wing(twist=0.01))
    assert rest.law_states["air[1].lag2"] == pytest.approx(SPEED * np.sin(0.01) / 0.3, rel=1e-9)
