"""What the floating formulation refuses, and how it says so."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture
def arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    for k, name in enumerate(("one", "two")):
        points = [(k, 0, 0), (k + 1, 0, 0)]
        model.add(cs.Beam(name, points=points, section=cs.Rod(0.02), material=cs.materials.STEEL, elements=2))
    model.add(cs.Revolute("shoulder", cs.GROUND, "one.start", axis=(0, 0, 1)))
    model.add(cs.Revolute("elbow", "one.end", "two.start", axis=(0, 0, 1)))
    return model


def refused(text: str):
    return pytest.raises(cs.CosseratError, match=text)


def test_modes_must_be_given(arm) -> None:
    with refused(r"Tree: beam 'one': pass modes=, the number of modes"):
        cs.FlexibleTree(arm)
    with refused(r"simulate: beam 'one': pass modes="):
        cs.simulate(arm, 1.0, 0.1, formulation="floating")
    with refused(r"modes says nothing of the beam 'two'; it has 'one'"):
        cs.FlexibleTree(arm, modes={"one": 2})
    with refused(r"modes names 'three', which is no beam; beams of the model: 'one', 'two'"):
        cs.FlexibleTree(arm, modes={"one": 2, "two": 2, "three": 2})
    with refused(r"Tree: stiffening must be True or False, got 'yes'"):
        cs.FlexibleTree(arm, modes=2, stiffening="yes")
    with refused(r"beam 'two': modes"):
        cs.FlexibleTree(arm, modes=0)
    with refused(r"beam 'one': modes"):
        cs.FlexibleTree(arm, modes=-1)
    with refused(r"boundary is 'clamped'; choose one of 'cantilever', 'free', 'craig-bampton'"):
        cs.FlexibleTree(arm, modes=2, boundary="clamped")


def test_closed_loops(arm) -> None:
    arm.add(cs.Revolute("grip", cs.GROUND, "two.end", axis=(0, 0, 1)))
    tree = cs.FlexibleTree(arm, modes=2)
    zero = tree.neutral()
    opening = dict.fromkeys(tree.coordinates, 1.0)
    with refused(r"hybrid_dynamics: the given motions would open the loop at joint 'grip', by an acceleration of"):
        tree.forward_dynamics(zero, zero, zero, driven=opening)


def test_states(arm) -> None:
    tree = cs.FlexibleTree(arm, modes=1)
    zero = tree.neutral()
    with refused(r"inverse_dynamics: q has the shape \(2,\); expected one number for each of the"):
        tree.inverse_dynamics(zero[:2], zero, zero)
    with refused(r"forward_dynamics: v\[0\] \(coordinate 'shoulder'\) is nan"):
        tree.forward_dynamics(zero, np.full(len(zero), np.nan), zero)
    with refused(r"driven names 'wrist', which is no coordinate; coordinates: shoulder, elbow"):
        tree.forward_dynamics(zero, zero, zero, driven={"wrist": 1.0})
    for nonsense in (np.nan, "fast", None):
        with refused(r"driven\['shoulder'\] is .*; pass a finite acceleration"):
            tree.forward_dynamics(zero, zero, zero, driven={"shoulder": nonsense})
    with refused(r"driven is \['shoulder'\]; pass a dict"):
        tree.forward_dynamics(zero, zero, zero, driven=["shoulder"])
    effort = zero.copy()
    effort[0] = 3.0
    with refused(r"both the acceleration and an effort \(3\) are given for 'shoulder'"):
        tree.forward_dynamics(zero, zero, effort, driven={"shoulder": 1.0})


def test_integrate(arm) -> None:
    tree = cs.FlexibleTree(arm, modes=1)
    for options, text in (
        ({"step": -1.0}, "integrate: step is -1.0; pass a positive time"),
        ({"step": 0.1, "rho": 2.0}, "integrate: rho is 2.0"),
        ({"step": 0.1, "integrator": "euler"}, "integrate: unknown integrator 'euler'; available: 'generalized-alpha'"),
        ({"step": 0.1, "q": [0.0]}, r"integrate: q has the shape \(1,\)"),
    ):
        with refused(text):
            tree.integrate(1.0, **options)


def test_places_that_are_no_interface(arm) -> None:
    tree = cs.FlexibleTree(arm, modes=1)
    with refused(r"the place 'one.at\(0.3\)' is no interface"):
        tree.frame("one.at(0.3)", tree.neutral())


def test_what_simulate_refuses(arm) -> None:
    floating = {"formulation": "floating", "modes": 2}
    with refused(r"start is 'rest'; pass 'reference', 'equilibrium', a Run or an Equilibrium"):
        cs.simulate(arm, 1.0, 0.1, start="rest", **floating)
    with refused(r"unknown integrator 'energy-momentum'; available in the floating formulation"):
        cs.simulate(arm, 1.0, 0.1, integrator="energy-momentum", **floating)
    with refused(r"unknown formulation 'lagrangian'; available: 'galilean', 'floating'"):
        cs.simulate(arm, 1.0, 0.1, formulation="lagrangian")
    for options in ({"modes": 3}, {"boundary": "free"}, {"stiffening": False}):
        with refused(r"modes, boundary and stiffening belong to formulation='floating'"):
            cs.simulate(arm, 1.0, 0.1, **options)
        with refused(r"give modes, boundary and stiffening in formulation=Floating\(modes=2, boundary=None"):
            cs.simulate(arm, 1.0, 0.1, formulation=cs.Floating(modes=2), **options)


@pytest.mark.parametrize("options", [{"formulation": "floating", "modes": 2}, {}])
@pytest.mark.parametrize(
    ("nonsense", "message"),
    [
        ({"start_time": "now"}, "simulate: start_time is 'now'; pass the time at the start, in s, a finite number"),
        ({"start_time": np.nan}, "simulate: start_time is nan"),
        ({"newton_tolerance": 0.0}, "simulate: newton_tolerance is 0.0; pass an accepted error such as 1e-6"),
        ({"newton_tolerance": np.nan}, "simulate: newton_tolerance is nan"),
        ({"newton_tolerance": "tight"}, "simulate: newton_tolerance is 'tight'"),
        ({"progress": 3}, "simulate: progress is 3; pass a function"),
        ({"stiffening": 1}, "simulate: stiffening is 1; pass True or False"),
        ({"model": None}, "simulate: None is not a Model"),
    ],
)
def test_nonsense_in_both_formulations(arm, options, nonsense, message) -> None:
    with refused(message):
        cs.simulate(**({"model": arm, "duration": 0.2, "step": 0.1} | options | nonsense))


def test_modal_bodies_in_simulate(arm) -> None:
    model = cs.Model("modal")
    blade = model.add(cs.modal_body(arm["one"], modes=2))
    model.add(cs.Revolute("hub", cs.GROUND, blade.at("start"), axis=(0, 0, 1)))
    assert len(cs.FlexibleTree(model).coordinates) == 3
    with refused(r"modes names 'one', a modal body, which has modes of its own"):
        cs.simulate(model, 1.0, 0.1, formulation="floating", modes={"one": 3})
    with refused(r"modal body 'one': the Galilean formulation has no modal bodies.*formulation='floating'"):
        cs.simulate(model, 1.0, 0.1)
    assert "1 free motion: joint 'hub' turns and 'one' moves" in cs.equilibrium(model).status.message


def test_section_forces_of_a_floating_run(arm) -> None:
    run = cs.simulate(arm, 0.01, 0.005, formulation="floating", modes=1)
    with refused(r"beam 'one': s is 1.5; it runs from 0 at the start"):
        run.section_force("one", 1.5)
    with refused(r"beam 'one': s is 'middle'; it runs from 0 at the start"):
        run.strain("one", "middle")
    with refused(r"unknown beam 'three'; beams of the model: 'one', 'two'"):
        run.strain("three", 0.5)


def test_an_explicit_method_needs_short_steps(arm) -> None:
    run = cs.simulate(arm, 10.0, 0.1, formulation="floating", modes=2, integrator="runge-kutta")
    assert not run.status.ok
    assert "explicit method" in run.status.message
