"""Where runs in floating frames start: equilibria and ends of runs of either formulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

SOFT = {"E": 68.9e9, "elbow": 0.1}  # as published, with a spring in the elbow


def away(one: cs.Run, two: cs.Run, place: str = "arm2.end") -> float:
    return float(np.abs(one.position(place).values - two.position(place).values).max())


def test_an_equilibrium_stays_at_rest(manipulator) -> None:
    model = manipulator(**SOFT)
    rest = cs.equilibrium(model)
    sag = abs(float(np.asarray(rest.position("arm2.end"))[2]))
    assert sag > 0.03
    for start in ("equilibrium", rest):
        run = cs.simulate(model, 0.05, 1e-3, formulation="floating", modes=4, start=start)
        assert np.abs(run.position("arm2.end").values[0] - np.asarray(rest.position("arm2.end"))).max() < 1e-4 * sag
        assert np.ptp(run.position("arm2.end").values[:, 2]) < 1e-3 * sag


def test_modes_that_cannot_follow_are_named(manipulator) -> None:
    model = manipulator(**SOFT)
    rest = cs.equilibrium(model)  # of the Galilean formulation
    with pytest.warns(cs.CosseratWarning, match=r"the modes of 'arm2' cannot follow the shape given as start"):
        cs.simulate(model, 2e-3, 1e-3, formulation="floating", modes=1, start=rest)
    run = cs.simulate(model, 2e-2, 1e-3, formulation="floating", modes=1, start="equilibrium")  # of its own
    assert np.ptp(run.position("arm2.end").values[:, 2]) < 1e-5  # it does not fall on


def test_a_galilean_run_goes_on_in_floating_frames(manipulator) -> None:
    model = manipulator(motion="0.3 + t", **SOFT)
    before = cs.simulate(model, 0.1, 1e-3)
    floating = cs.simulate(model, 0.05, 1e-3, formulation="floating", modes=4, start=before)
    galilean = cs.simulate(model, 0.05, 1e-3, start=before)
    assert floating.time[0] == before.time[-1]
    assert away(floating, galilean) < 1e-4
    assert np.abs(floating.velocity("arm2.end").values[0] - before.velocity("arm2.end").values[-1]).max() < 5e-3


def test_a_floating_run_goes_on_where_it_ended(manipulator) -> None:
    model = manipulator(**SOFT)
    options = {"formulation": "floating", "modes": 2}
    first = cs.simulate(model, 0.05, 1e-3, **options)
    second = cs.simulate(model, 0.05, 1e-3, start=first, **options)
    whole = cs.simulate(model, 0.1, 1e-3, **options)
    np.testing.assert_array_equal(second.position("arm2.end")[0], first.position("arm2.end")[-1])
    np.testing.assert_array_equal(second.velocity("arm2.end")[0], first.velocity("arm2.end")[-1])
    assert np.abs(second.position("arm2.end").values - whole.position("arm2.end").values[50:]).max() < 1e-6
    galilean = cs.simulate(model, 0.02, 1e-3, start=first)  # and in the other formulation
    assert away(galilean, cs.simulate(model, 0.02, 1e-3, start=first, **options)) < 1e-4


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_a_loop_starts_from_its_equilibrium() -> None:
    """A linkage with a spring in the joint that is cut."""
    model = cs.Model("linkage", gravity=(0, -9.81, 0))
    points = np.array([(0, 0, 0), (0, 1, 0), (1, 1.2, 0), (1.1, 0, 0)])
    bars = [
        model.add(cs.RigidBody(name, mass=1.0, com=points[k : k + 2].mean(axis=0), inertia=0.05 * np.eye(3)))
        for k, name in enumerate("abc")
    ]
    ends = [(cs.GROUND, bars[0]), (bars[0], bars[1]), (bars[1], bars[2]), (bars[2], cs.GROUND)]
    for k, (parent, child) in enumerate(ends):
        sides = [side if side is cs.GROUND else side.at(points[k]) for side in (parent, child)]
        spring = {"stiffness": 30.0, "damping": 1.0} if k == 3 else {}
        model.add(cs.Revolute(f"j{k}", *sides, axis=(0, 0, 1), at=points[k], **spring))
    rest = cs.equilibrium(model)
    run = cs.simulate(model, 0.2, 0.01, formulation="floating", start=rest)
    assert run.status.ok, run.status.message
    assert abs(float(rest.coordinate("j3"))) > 0.05
    assert np.abs(run.coordinate("j3").values - float(rest.coordinate("j3"))).max() < 1e-8
    assert np.abs(run.reaction("j3").values[:, 5] + 30.0 * run.coordinate("j3").values).max() < 1e-6


def test_starts_with_modal_bodies() -> None:
    points, steel = [(0, 0, 0), (1, 0, 0)], cs.materials.STEEL
    beam = cs.Beam("blade", points=points, section=cs.Rod(0.02), material=steel, elements=4)
    model = cs.Model("rotor", gravity=(0, 0, -9.81))
    blade = model.add(cs.modal_body(beam, modes=3))
    model.add(cs.Revolute("hub", cs.GROUND, blade.at("start"), axis=(0, 1, 0)))
    first = cs.simulate(model, 0.02, 1e-3, formulation="floating")
    second = cs.simulate(model, 0.02, 1e-3, formulation="floating", start=first)
    np.testing.assert_array_equal(second.position("blade.end")[0], first.position("blade.end")[-1])
    hanging = cs.simulate(model, 0.02, 1e-3, formulation="floating", start="equilibrium")
    assert np.allclose(hanging.position("blade.end").values, (0, 0, -1), atol=1e-5)
    with pytest.raises(cs.CosseratError, match=r"with modal bodies such as 'blade', .* it is 'reference', 'equilib"):
        cs.simulate(model, 0.02, 1e-3, formulation="floating", start="elsewhere")


def test_other_modes_of_the_same_names_begin_at_the_same_places():
    """A softer round beam has other sums of modes that are equally fast; it goes on from where the first one ended."""

    def rod(stiffness):
        model = cs.Model("rod", gravity=(0, 3, -9.81))
        material = cs.Material(E=stiffness, nu=0.3, rho=1100.0)
        points = [(0, 0, 0), (1, 0, 0)]
        beam = model.add(cs.Beam("beam", points=points, section=cs.Rod(0.02), material=material, elements=6))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        return model

    settings = {"formulation": "floating", "modes": 6}
    run = cs.simulate(rod(3e9), 0.05, 0.002, **settings)
    rest = cs.equilibrium(rod(3e9), formulation=cs.Floating(modes=6))
    onwards, released = (cs.simulate(rod(2.9e9), 0.01, 0.002, start=start, **settings) for start in (run, rest))
    for word in ("position", "velocity"):
        before, after = (getattr(which, word)("beam.end").values for which in (run, onwards))
        assert after[0] == pytest.approx(before[-1], abs=1e-6)
    assert released.position("beam.end").values[0] == pytest.approx(rest.position("beam.end"), abs=1e-6)


@pytest.mark.parametrize("joint", [cs.Revolute, cs.Spherical])
def test_what_hangs_on_a_beam_with_a_given_velocity_follows_it(joint):
    """With the least kinetic energy that the joint allows; nothing is left that could strain the beam."""
    model = cs.Model("follower")
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 200, 200, 200], mass=[1, 1, 1, 0.02, 0.01, 0.01])
    turning = {"velocity": lambda x: np.cross([0.3, 0.2, -0.4], x)}
    beam = model.add(cs.Beam("beam", [(0, 0, 0), (1, 0, 0)], section=section, elements=8, **turning))
    ball = model.add(cs.RigidBody("ball", mass=0.4, com=(0.7, 0, 0.1), inertia=(0.01, 0.02, 0.02)))
    axis = {"axis": (0, 1, 0)} if joint is cs.Revolute else {}
    model.add(joint("joint", beam.at(0.7), ball, at=(0.7, 0, 0), **axis))
    galilean, floating = cs.simulate(model, 1e-3, 1e-3), cs.simulate(model, 1e-3, 1e-3, formulation="floating", modes=4)
    for name in ("velocity", "angular_velocity"):
        found, wanted = (getattr(run, name)("ball").values[0] for run in (floating, galilean))
        np.testing.assert_allclose(found, wanted, atol=1e-12)


DRIVES = [
    ("Revolute", {"axis": (0, 1, 2), "motion": "1.9*cos(2*t)"}), ("Revolute", {"axis": (0, 1, 2), "motion": "7.5 + t"}),
    ("Prismatic", {"axis": (1, 1, 0), "motion": "0.4*cos(2*t)"}),
    ("Screw", {"axis": (0, 1, 0), "pitch": 0.1, "motion": "9.8*cos(t)"}),
    ("Cylindrical", {"axis": (0, 1, 0), "motion": {"rz": "0.8*cos(2*t)"}}),
    ("Universal", {"axes": [(1, 0, 0), (0, 1, 0)], "motion": (None, "0.8*cos(2*t)")}),
    ("Spherical", {"motion": ("0.8*cos(2*t)", "0.5 + t", "0.3")}),
    ("Planar", {"normal": (0, 1, 0), "motion": {"x": "0.3*cos(t)"}}),
    ("Free", {"motion": ("0.3*cos(t)", None, "0.2", "0.1", "0.3*cos(t)", "0.4")}),
]  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("kind", "drive"), DRIVES)
def test_bodies_beyond_a_driven_joint_go_along(kind: str, drive: dict[str, Any], turned: bool) -> None:
    """Passive joints stayed in floating frames, and gave way in the Galilean formulation: half a metre apart."""
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody("a", 1.0, (0.2, 0, 0), (0.05, 0.06, 0.07)))
    b = model.add(cs.RigidBody("b", 1.0, (0.6, 0.2, 0), (0.05, 0.06, 0.07)))
    c = model.add(cs.RigidBody("c", 1.0, (0.9, 0.1, 0.2), (0.05, 0.06, 0.07)))
    model.add(cs.Revolute("hinge", cs.GROUND, a, axis=(0, 1, 0), at=(0, 0, 0), stiffness=10.0))
    model.add(getattr(cs, kind)("drive", *((b, a) if turned else (a, b)), at=(0.3, 0.1, 0), **drive))
    model.add(cs.Spherical("ball", b, c, at=(0.8, 0.2, 0.1)))
    runs = [cs.simulate(model, 0.02, 0.001, formulation=name) for name in ("galilean", "floating")]
    for body in ("a", "b", "c"):
        first, second = (run.position(body).values for run in runs)
        assert np.allclose(first[0], second[0], rtol=0.0, atol=1e-9)
        assert np.allclose(first[-1], second[-1], rtol=0.0, atol=1e-5)
    assert abs(float(runs[0].coordinate("hinge")[0])) < 1e-12
