"""`compare`: differences of the two formulations, and words when the modal form leaves its range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture(scope="module")
def stiff(manipulator) -> cs.Comparison:
    return cs.compare(manipulator(), 0.1, 1e-3, modes=4)


def test_a_stiffened_manipulator_agrees(stiff) -> None:
    tip = stiff.places["arm2.end"]
    assert 3e-3 < tip.deflection < 0.01
    assert tip.share < 1e-3
    assert stiff.within_range
    assert "within its range" in stiff.verdict
    assert stiff.between("position", "arm2.end").shape == (101, 3)
    assert tip.difference == pytest.approx(np.linalg.norm(stiff.between("position", "arm2.end"), axis=1).max())
    assert tip.mode_error == pytest.approx(tip.difference, rel=0.2)  # what the modes leave out is the difference
    assert tip.step_error > tip.difference  # larger here: which is why both runs take the same steps
    assert stiff.energy["strain"] < 1e-3 * stiff.energy_scale
    assert stiff.joints["shoulder"].moment_share < 0.01
    assert stiff.joints["elbow"].coordinate < 1e-6
    assert stiff.unknowns == {"galilean": 60, "floating": 16}
    assert set(stiff.cost) == {"galilean", "floating"}


def test_deflection_is_measured_from_where_the_joints_alone_would_lead(stiff, manipulator) -> None:
    rigid = cs.simulate(manipulator(68.9e14), 0.1, 1e-3)
    away = (stiff.galilean.position("arm2.end") - rigid.position("arm2.end")).values
    assert stiff.places["arm2.end"].deflection == pytest.approx(np.linalg.norm(away, axis=1).max(), rel=1e-3)
    assert stiff.places["arm1.start"].deflection == 0.0
    assert stiff.bending["arm1"].deflection == pytest.approx(stiff.places["arm1.end"].deflection)


def test_frequencies_are_those_of_both_formulations(stiff) -> None:
    table = stiff.frequencies
    assert table["galilean"].values[0] == pytest.approx(10.02, rel=1e-3)
    assert np.all(table["error"].values > -1e-9)  # a reduced basis gives upper bounds
    assert np.all(table["error"].values[:5] < 1e-3)
    assert table["error"].values[-1] > 0.05  # sixteen coordinates do not have ten good frequencies


def test_too_few_modes(manipulator) -> None:
    both = cs.compare(manipulator(), 0.05, 1e-3, modes=1)
    assert [finding.kind for finding in both.findings] == ["truncated modes"]
    assert both.share > 0.02
    assert "too few modes" in both.summary()
    assert not both.within_range


def cantilever(E: float) -> cs.Model:
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    metal = cs.Material(E=E, nu=0.3, rho=7800.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=metal, elements=6))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


def test_a_strongly_bent_beam_is_out_of_range() -> None:
    both = cs.compare(cantilever(8e9), 0.5, 0.01, modes=4, checks=False)
    assert both.bending["beam"].deflection > 0.3
    (finding,) = both.findings
    assert finding.kind == "deflection"
    assert "bent too far" in finding.text
    assert "Galilean" in finding.text
    assert "out of its range (deflection)" in repr(both)
    assert both.share > 0.05


def test_distributed_loads_and_starts_from_equilibrium() -> None:
    model = cantilever(2e11)
    model.add(cs.DistributedLoad("wind", model["beam"], force=(0, 5, 0)))
    model.add(cs.Force("pull", "beam.end", (0, 0, "2 * sin(20 * t)")))
    both = cs.compare(model, 0.1, 2e-3, modes=4, checks=False, start="equilibrium")
    assert both.within_range
    assert both.share < 2e-3
    bent = 5 / (8 * 2e11 * np.pi * 0.01**4 / 64)  # q L^4 / (8 E I)
    assert both.floating.position("beam.end").values[0, 1] == pytest.approx(bent, rel=0.01)


def test_without_stiffening_the_range_ends_sooner() -> None:
    both = cs.compare(cantilever(5e10), 0.25, 0.005, modes=4, checks=False)
    plain = cs.compare(cantilever(5e10), 0.25, 0.005, modes=4, checks=False, stiffening=False)
    assert both.within_range
    assert both.share < 5e-3
    assert [finding.kind for finding in plain.findings] == ["deflection"]
    assert "take stiffening=True" in plain.findings[0].text
    assert plain.share > 0.02


def spin_up() -> cs.Model:
    """The beam of Kane, Ryan and Banerjee (1987), see tests/literature/test_kane_1987_spin_up.py."""
    model = cs.Model("spin-up")
    section = cs.Section(stiffness=[2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4], mass=[1.2, 1.2, 1.2, 1.2e-3, 6e-4, 6e-4])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (10, 0, 0)], section=section, elements=6))
    turn = "0.4 * (t**2 / 2 + (7.5 / pi)**2 * (cos(2 * pi * t / 15) - 1))"
    model.add(cs.Revolute("hub", cs.GROUND, beam.start, axis=(0, 0, 1), motion=turn))
    return model


def test_spin_up_agrees_with_stiffening_only() -> None:
    both = cs.compare(spin_up(), 7.0, 0.05, modes=6, checks=False)
    assert both.within_range
    assert both.share < 5e-3
    plain = cs.compare(spin_up(), 7.0, 0.05, modes=6, checks=False, stiffening=False)
    assert plain.share > 0.5
    rate = next(finding for finding in plain.findings if finding.kind == "rotation rate")
    assert rate.value == pytest.approx(2.6 / 3.8, rel=0.05)  # rate of the hub at 7 s, first frequency of the blade
    assert "softens" in rate.text
    assert "stiffening=True" in rate.text


def test_rigid_mechanisms_differ_by_the_accuracy_of_the_integrators() -> None:
    model = cs.Model("pendulums", gravity=(0, 0, -9.81))
    upper = model.add(cs.RigidBody("upper", mass=1, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
    lower = model.add(cs.RigidBody("lower", mass=1, com=(1.5, 0, 0), inertia=(0.01, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", cs.GROUND, upper.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Revolute("elbow", upper.at((1, 0, 0)), lower.at((1, 0, 0)), axis=(0, 1, 0)))
    coarse, fine = (cs.compare(model, 0.5, step) for step in (0.02, 0.01))
    assert fine.difference == pytest.approx(coarse.difference / 4, rel=0.1)
    assert "accuracy of the integrators" in fine.verdict
    assert fine.within_range
    assert fine.deflection == 0.0
    assert np.isnan(fine.share)
    assert fine.richer is None


def test_bodies_fixed_to_each_other_and_to_the_ground() -> None:
    model = cs.Model("post", gravity=(0, 0, -9.81))
    post = model.add(cs.RigidBody("post", mass=10, com=(0, 0, 2), inertia=(1, 1, 1)))
    model.add(cs.Fixed("foot", cs.GROUND, post.at((0, 0, 0))))
    arm = model.add(cs.RigidBody("arm", mass=1, com=(0.5, 0, 4), inertia=(0.01, 0.1, 0.1)))
    load = model.add(cs.RigidBody("load", mass=2, com=(1, 0, 4), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", post.at((0, 0, 4)), arm.at((0, 0, 4)), axis=(0, 1, 0)))
    model.add(cs.Fixed("weld", load.at((1, 0, 4)), arm.at((1, 0, 4))))
    both = cs.compare(model, 0.2, 2e-3)
    assert both.energy["potential"] < 1e-4
    assert cs.energy(model, [0.0], [0.0]).potential == pytest.approx(9.81 * (20 + 4 + 8))
    assert cs.FlexibleTree(model).energy([0.0], [0.0]).potential == pytest.approx(9.81 * (20 + 4 + 8))
    for name in ("foot", "hinge", "weld"):
        assert both.joints[name].force_share < 1e-4
        assert np.abs(both.floating.reaction(name).values).max() > 1


def frame_of_bars(**drive) -> cs.Model:
    model = cs.Model("frame")
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    bars = []
    for name, start, end in zip("abc", corners, corners[1:], strict=False):
        bar = cs.Beam(name, points=[start, end], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=6)
        bars.append(model.add(bar))
    model.add(cs.Revolute("root", cs.GROUND, bars[0].start, axis=(0, 0, 1), **drive))
    for one, two in (bars[:2], bars[1:]):
        model.add(cs.Revolute(f"{one.name}{two.name}", one.end, two.start, axis=(0, 0, 1)))
    model.add(cs.Spherical("foot", bars[2].end, cs.GROUND.at(corners[3])))
    return model


def test_frequencies_of_a_closed_loop() -> None:
    both = cs.compare(frame_of_bars(motion="0 * t"), 4e-3, 2e-3, modes=6, checks=False)
    assert both.deflection == 0.0
    assert "nothing deflects" in both.verdict
    assert both.frequencies.sizes["mode"] == 10
    assert np.abs(both.frequencies["error"].values[:6]).max() < 1e-3
    away = cs.compare(frame_of_bars(motion="0.1 + t"), 4e-3, 2e-3, modes=2, checks=False)
    assert away.frequencies is None
    assert "a motion starts away from zero" in away.notes[0]


def test_a_beam_in_free_flight_with_efforts_and_several_trees() -> None:
    model = cs.Model("flight")
    metal = cs.Material(E=2e10, nu=0.3, rho=2700.0)
    boom = model.add(cs.Beam("boom", points=[(0, 0, 0), (2, 0, 0)], section=cs.Rod(0.03), material=metal, elements=6))
    wheel = model.add(cs.RigidBody.cylinder("wheel", diameter=0.3, length=0.1, mass=1.0, com=(2, 0, 0)))
    model.add(cs.Revolute("axle", boom.end, wheel.at((2, 0, 0)), axis=(0, 0, 1), effort="0.5 * sin(20 * t)"))
    model.add(cs.RigidBody.sphere("stone", diameter=0.1, mass=1.0, com=(0, 5, 0)))
    model.add(cs.Force("push", "stone", (0, 0, 1)))
    both = cs.compare(model, 0.1, 2e-3, modes=6, checks=False)
    assert both.within_range, both.summary()
    assert both.places["boom.start"].share < 0.01
    assert both.places["boom.end"].deflection == 0.0  # held by the wheel, which carries it
    assert both.places["stone"].deflection == 0.0
    assert np.all(np.abs(both.frequencies["error"].values[:2]) < 1e-4)  # in y and in z


def swinging(E: float, **hinge) -> cs.Model:
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    metal = cs.Material(E=E, nu=0.3, rho=7800.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=metal, elements=6))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), **hinge))
    return model


def test_modes_that_are_left_out_are_named() -> None:
    both = cs.compare(swinging(2e8, motion="-3 * t**2"), 0.16, 4e-3, modes=4, checks=False)
    assert both.floating.status.ok
    found = {finding.kind: finding for finding in both.findings}
    assert "upper half of the modes" in found["truncated modes"].text
    assert both.modal_energy["beam"].sum() == pytest.approx(1.0)


def test_a_run_that_stops_is_compared_up_to_there(monkeypatch) -> None:
    def stopping(model, duration, step, formulation="galilean", **options):
        until = duration if formulation == "galilean" else 0.05
        run = cs.simulate(model, until, step, formulation=formulation, **options)
        if formulation == "floating":
            run.trajectory = replace(run.trajectory, status=cs.Status(cs.Outcome.NOT_CONVERGED, 0.05))
        return run

    monkeypatch.setattr("cosserat.solve.analyses.compare.simulate", stopping)
    both = cs.compare(cantilever(2e11), 0.1, 0.01, modes=2, checks=False)
    assert len(both.galilean.time) == 11
    assert both.time == pytest.approx(np.linspace(0, 0.05, 6))
    assert both.findings[0].kind == "stopped"
    assert "floating run stopped at t = 0.05 s" in both.findings[0].text
    assert "stopped" in both.verdict


def held_at_both_ends() -> cs.Model:
    model = cs.Model("held")
    metal = cs.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=metal, elements=10))
    model.add(cs.Fixed("left", cs.GROUND, beam.start))
    model.add(cs.Fixed("right", cs.GROUND.at((1, 0, 0)), beam.end))
    model.add(cs.DistributedLoad("weight", beam, force=(0, 0, "-20*smoothstep(t,0,0.2)")))
    return model


def test_beams_are_compared_between_their_ends() -> None:
    """One mode of a cantilever that is held at its end is too few, across the load even none at all."""
    both = cs.compare(held_at_both_ends(), 0.3, step=2e-3, modes=1)
    assert not both.within_range
    assert both.places["beam.at(0.5)"].share > 0.01
    assert both.places["beam.end"].deflection < 1e-12
    enough = cs.compare(held_at_both_ends(), 0.3, step=2e-3, modes=20)
    assert enough.places["beam.at(0.5)"].share < 0.01


def test_loaded_places_are_compared() -> None:
    model = cantilever(2e11)
    model.add(cs.Force("pull", "beam.at(0.4)", (0, 0, "2 * sin(20 * t)")))
    both = cs.compare(model, 0.02, 2e-3, modes=4, checks=False)
    assert {"beam.at(0.25)", "beam.at(0.4)", "beam.at(0.5)", "beam.at(0.75)"} <= set(both.places)
