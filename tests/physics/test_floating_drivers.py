"""Steps in floating frames: adaptive ones, ones that are split, springs in the iteration, driven rotations."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

POINTS = [(0, 0, 0), (0.5, 0.1, 0.2), (1.0, -0.1, 0.5)]


def pendulum() -> cs.Model:
    model = cs.Model("double pendulum", gravity=(0, 0, -9.81))
    one = model.add(cs.RigidBody("one", mass=1, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    two = model.add(cs.RigidBody("two", mass=1, com=(2, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("h", cs.GROUND, one.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Revolute("k", one.at((1.5, 0, 0)), two.at((1.5, 0, 0)), axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize("method", ["generalized-alpha", "runge-kutta"])
def test_adaptive_steps_keep_the_tolerance(method: str) -> None:
    model = pendulum()
    exact = cs.simulate(model, 1.5, 0.005, formulation="floating", integrator="runge-kutta")
    end, steps = exact.position("two").values[-1], []
    for tolerance in (1e-3, 1e-4, 1e-5):
        run = cs.simulate(model, 1.5, tolerance=tolerance, formulation="floating", integrator=method)
        assert run.status.ok, run.status.message
        assert run.time[-1] == pytest.approx(1.5, rel=1e-12)
        error = np.linalg.norm(run.position("two").values[-1] - end)
        # as much as a hundred steps may commit, for each hundred; the pendulum magnifies early errors
        assert error < 10 * tolerance * 2.5 * max(1.0, run.stats["steps"] / 100)
        steps.append(run.stats["steps"])
    growth = 10 ** (1 / 3) if method == "generalized-alpha" else 10**0.25
    assert steps[2] / steps[1] == pytest.approx(growth, rel=0.25)


def test_the_tolerance_means_what_it_does_in_the_galilean_formulation() -> None:
    model = pendulum()
    floating = cs.simulate(model, 1.5, tolerance=1e-4, formulation="floating")
    galilean = cs.simulate(model, 1.5, tolerance=1e-4)
    assert floating.stats["steps"] == pytest.approx(galilean.stats["steps"], rel=0.2)
    assert np.diff(floating.time).max() > 3 * np.diff(floating.time).min()


def test_adaptive_steps_pass_over_fast_vibrations() -> None:
    """A stiff beam that is driven slowly: steps far longer than its periods, as in the Galilean formulation."""
    model = cs.Model("arm")
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.05), material=cs.materials.STEEL,
                             elements=3))  # fmt: skip
    model.add(cs.Revolute("hub", cs.GROUND, beam.start, axis=(0, 0, 1), motion="0.1 * (t - sin(t))"))
    run = cs.simulate(model, 4.0, formulation="floating", modes=3)
    assert run.status.ok, run.status.message
    assert run.stats["steps"] < 150
    turn = 0.1 * (run.time - np.sin(run.time))
    np.testing.assert_allclose(run.position("arm.end").values[:, 1], np.sin(turn), atol=1e-4)


def test_springs_are_in_the_iteration() -> None:
    """A spring whose period is a thousandth of the step: two iterations a step, as in the Galilean formulation."""
    model = cs.Model("spring")
    body = model.add(cs.RigidBody.sphere("body", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    model.add(cs.Spring("spring", "ground.at(0, 0, 0)", body, stiffness=1e8, length=1 - 1e-4, damping=10))
    floating, galilean = cs.simulate(model, 0.5, 0.1, formulation="floating"), cs.simulate(model, 0.5, 0.1)
    assert floating.status.ok, floating.status.message
    assert floating.stats["solves"] <= 3 * 5 + 1
    np.testing.assert_allclose(floating.position("body"), galilean.position("body"), atol=1e-8)


def test_a_chain_of_springs() -> None:
    """Beads that nothing but springs hold: axial stiffness, and the tension across it."""
    model = cs.Model("beads", gravity=(0, 0, -9.81))
    last = "ground.at(0, 0, 0)"
    for k in range(6):
        bead = model.add(cs.RigidBody.sphere(f"b{k}", diameter=0.05, mass=0.1, com=(0.1 * (k + 1), 0, 0)))
        model.add(cs.Spring(f"s{k}", last, bead, stiffness=1e5, damping=1.0))
        last = bead
    floating, galilean = cs.simulate(model, 0.3, 0.01, formulation="floating"), cs.simulate(model, 0.3, 0.01)
    assert floating.status.ok, floating.status.message
    assert floating.stats["solves"] < 8 * 30
    assert np.abs(floating.position("b5").values - galilean.position("b5").values).max() < 1e-6
    energy = floating.energy
    assert np.abs(energy.balance.values).max() < 0.05 * np.ptp(energy.kinetic.values)


def test_steps_that_fail_are_split() -> None:
    """A gyroscope that turns by ten radians in a step."""
    model = cs.Model("gyroscope")
    model.add(cs.RigidBody("b", mass=1, com=(0, 0, 0), inertia=(0.1, 0.12, 0.15), angular_velocity=(1, 200, 2)))
    run = cs.simulate(model, 0.2, 0.05, formulation="floating")
    assert run.status.ok, run.status.message
    assert run.stats["steps_split"] > 0
    assert len(run.time) == 5
    short = cs.simulate(model, 0.01, 1e-3, formulation="floating")
    assert short.stats["steps_split"] == 0


def test_a_run_that_cannot_go_on_says_when_and_why() -> None:
    """A crank that is driven past the point where the linkage is stretched out."""
    model = cs.Model("stretched")
    points = np.array([(0, 0, 0), (1, 0, 0), (1.5, 0.5, 0), (2, 0, 0)])
    bars = [
        model.add(cs.RigidBody(name, mass=1.0, com=points[k : k + 2].mean(axis=0), inertia=0.05 * np.eye(3)))
        for k, name in enumerate("abc")
    ]
    model.add(cs.Revolute("drive", cs.GROUND, bars[0].at(points[0]), axis=(0, 0, 1), motion="t"))
    model.add(cs.Spherical("p", bars[0].at(points[1]), bars[1].at(points[1])))
    model.add(cs.Universal("q", bars[1].at(points[2]), bars[2].at(points[2]), axes=((0, 0, 1), (1, 0, 0))))
    model.add(cs.Revolute("end", cs.GROUND, bars[2].at(points[3]), axis=(0, 0, 1)))
    run = cs.simulate(model, 3.0, 0.02, formulation="floating")
    # crank 1, coupler and rocker 0.707 each: nothing reaches further than 1.414 from (2, 0)
    reach = np.arccos((1 + 4 - 2) / 4)
    assert not run.status.ok
    assert run.status.time == pytest.approx(reach, abs=0.03)
    assert run.time[-1] == run.status.time
    assert "step cut to" in run.status.message


DRIVES = {
    "spherical": lambda A: cs.Spherical("s", cs.GROUND, A, motion=("0.2 + sin(3 * t)", "t**2", "0.5 * t")),
    "spherical, reversed": lambda A: cs.Spherical("s", A, cs.GROUND, at=POINTS[0], motion=("sin(3*t)", "t**2", "t")),
    "free, two translations": lambda A: cs.Free("s", cs.GROUND, A, motion={"x": "0.1 * sin(6 * t)", "z": "0.2 * t**2"}),
    "free, all": lambda A: cs.Free("s", cs.GROUND, A, motion=("0.1 * t", "0", "0.2 * t**2", "t", "t", "sin(3 * t)")),
}


@pytest.mark.parametrize("kind", DRIVES)
def test_prescribed_rotation_vectors_and_places(kind: str) -> None:
    model = cs.Model("driven", gravity=(0, 0, -9.81))
    A, B = (
        model.add(cs.RigidBody(name, mass=1.0, com=np.add(POINTS[k], POINTS[k + 1]) / 2, inertia=(0.02, 0.03, 0.025)))
        for k, name in enumerate("AB")
    )
    joint = model.add(DRIVES[kind](A.at(POINTS[0])))
    model.add(cs.Spherical("k", A.at(POINTS[1]), B.at(POINTS[1])))
    floating = cs.simulate(model, 0.2, 5e-3, formulation="floating", integrator="runge-kutta")
    galilean = cs.simulate(model, 0.2, 2.5e-4, every=20, newton_tolerance=1e-9)
    assert floating.status.ok, floating.status.message
    for name, motion in zip(joint.coordinates, joint.motion, strict=True):
        if motion is not None:
            found = floating.coordinate(name).values.ravel()
            np.testing.assert_allclose(found, motion.sample(floating.time), atol=1e-10)
    for name in "AB":
        assert np.abs(floating.position(name).values - galilean.position(name).values).max() < 2e-6
    for one, two in ((floating.effort("s"), galilean.effort("s")), (floating.reaction("s"), galilean.reaction("s"))):
        assert np.abs(one.values - two.values)[5:].max() < 5e-3 * np.abs(two.values).max()
    energy = floating.energy
    assert np.abs(energy.balance.values).max() < 1e-3 * np.ptp(energy.kinetic.values)
    implicit = cs.simulate(model, 0.2, 5e-3, formulation="floating")
    assert np.abs(floating.position("B").values - implicit.position("B").values).max() < 1e-4
