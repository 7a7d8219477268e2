"""Mechanisms that can move without resistance: what they can do is named, and shapes are found all the same."""

import numpy as np
import pytest

import cosserat as cs

ROD = cs.Section(stiffness=[1e5, 1e5, 1e5, 10, 10, 10], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])


def free_body(thrust):
    model = cs.Model("free body", gravity=(0, 0, -9.81))
    hub = model.add(cs.RigidBody.box("hub", size=(1, 1, 1), mass=1.0, com=(0, 0, 0)))
    model.add(cs.Force("thrust", hub, (0, 0, thrust)))
    return cs.equilibrium(model)


def cart(push):
    model = cs.Model("cart", gravity=(push, 0, -9.81))
    body = model.add(cs.RigidBody.box("cart", size=(0.1, 0.1, 0.1), mass=1.0, com=(0, 0, 0)))
    rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0), end=(0, 0, -1), mass=1.0))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    model.add(cs.Revolute("hinge", body, rod.at((0, 0, 0)), axis=(0, 1, 0)))
    return cs.equilibrium(model)


def free_beam(force=0.0):
    model = cs.Model("free beam")
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=ROD, elements=8))
    model.add(cs.Torque("left", rod.start, (0, 0, -5.0)))
    model.add(cs.Torque("right", rod.end, (0, 0, 5.0)))
    model.add(cs.Force("force", rod.end, (force, 0, 0)))
    return cs.equilibrium(model)


def test_balanced_body_is_free_in_space():
    found = free_body(9.81)
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert "the loads balance" in found.status.message
    assert "6 free motions: 'hub' moves freely in space" in found.status.message


def test_falling_body_is_pushed():
    found = free_body(0.0)
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert "'hub' moves freely in space; the loads push along with 9.81 N" in found.status.message


def test_cart_is_free_on_its_rail_and_the_pendulum_is_not():
    found = cart(0.0)
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert "1 free motion: joint 'rail' slides and 'cart' and 'rod' move" in found.status.message
    assert "the loads balance" in found.status.message


def test_a_cart_with_a_pendulum_rests_in_floating_frames():
    """Corrections as small as rounding lets them become are calm, whether or not they become smaller still."""
    model = cs.Model("cart", gravity=(0, 0, -9.81))
    cart = model.add(cs.RigidBody("cart", mass=1.0, com=(0, 0, 0), inertia=[1, 1, 1]))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0.7, 0, -0.7), inertia=[0.1, 0.1, 0.1]))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0)))
    model.add(cs.Revolute("pivot", cart, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    found = cs.equilibrium(model, formulation="floating")
    assert "the loads balance" in found.status.message
    assert "1 free motion: joint 'rail' slides" in found.status.message
    assert found.position("bob") - found.position("cart") == pytest.approx((0, 0, -0.7 * np.sqrt(2.0)), abs=1e-9)
    assert found.stats["iterations"] < 100
    assert cs.modes(model, formulation="floating").rigid == 1


def test_pushed_cart_names_the_push():
    message = cart(1.0).status.message
    assert "joint 'rail' slides" in message
    assert "the loads push along with 2 N" in message


def test_free_beam_under_opposite_moments_bends_into_an_arc():
    found = free_beam()
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert "6 free motions: 'rod' moves freely in space" in found.status.message
    assert found.section_force("rod", 0.5)[5] == pytest.approx(5.0, rel=1e-6)
    chord = np.linalg.norm(found.position("rod.end") - found.position("rod.start"))
    assert chord == pytest.approx(2 * np.sin(0.25) / 0.5, rel=1e-6)  # curvature 5 / 10 over a length 1


def test_free_beam_with_a_force_cannot_rest():
    message = free_beam(1.0).status.message
    assert "6 free motions" in message
    assert "the loads push along with 1 N" in message


def test_statically_indeterminate_table():
    model = cs.Model("table", gravity=(0, 0, -9.81))
    top = model.add(cs.RigidBody.box("top", size=(1, 1, 0.1), mass=4.0, com=(0, 0, 0)))
    for i, (x, y) in enumerate([(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)]):
        model.add(cs.Spherical(f"leg{i}", cs.GROUND, top.at((x, y, 0))))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        found = cs.equilibrium(model)
    assert found.status.ok
    assert sum(found.reaction(f"leg{i}") for i in range(4))[:3] == pytest.approx([0, 0, 4 * 9.81], abs=1e-9)


def test_driven_mechanism_at_a_time():
    """Parallelogram turned by its crank: the torque holds two cranks and the coupler."""
    model = cs.Model("parallelogram", gravity=(0, 0, -9.81))
    corners = [(0, 0, 0), (0, 0, 1), (2, 0, 1), (2, 0, 0)]
    bars = [model.add(cs.RigidBody.bar(f"b{i}", start=corners[i], end=corners[i + 1], mass=1.0)) for i in range(3)]
    axis = (0, 1, 0)
    model.add(cs.Revolute("A", cs.GROUND, bars[0].at(corners[0]), axis=axis, motion=lambda t: 0.3 * t))
    model.add(cs.Revolute("B", bars[0].at(corners[1]), bars[1].at(corners[1]), axis=axis))
    model.add(cs.Spherical("C", bars[1].at(corners[2]), bars[2].at(corners[2])))
    model.add(cs.Revolute("D", cs.GROUND, bars[2].at(corners[3]), axis=axis))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        found = cs.equilibrium(model, time=2.0)
    assert found.status.ok
    assert found.coordinate("D") == pytest.approx(0.6, abs=1e-9)
    assert found.effort("A") == pytest.approx(-2 * 9.81 * np.sin(0.6), rel=1e-9)


@pytest.mark.parametrize("formulation", [None, cs.Floating(modes=6)])
def test_a_free_beam_in_steady_rotation(formulation: cs.Floating | None) -> None:
    """It may turn about the axis, slide along it, turn about itself: harmless. s = tan(kL)/k, N = EA (1/cos kL - 1)."""
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 1e2, 1e2, 1e2], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    model = cs.Model("free")
    model.add(cs.Beam("beam", points=[(-1, 0, 0), (1, 0, 0)], section=section, elements=32))
    model.add(cs.Force("pull", "beam.end", (0, 0, 0)))
    found = cs.equilibrium(model, spin=(0, 0, 3), formulation=formulation)
    assert found.status.ok, found.status.message
    assert found.stable
    k = 3.0 / 100.0
    assert float(found.position("beam.end")[0]) - 1.0 == pytest.approx(np.tan(k) / k - 1.0, rel=1e-3)
    assert float(found.section_force("beam", 0.5)[0]) == pytest.approx(1e4 * (1.0 / np.cos(k) - 1.0), rel=1e-3)
    if formulation is None:  # in floating frames the search for it takes long
        model.add(cs.Force("lift", "beam.at(0.5)", (0, 0, 1.0)))
        pushed = cs.equilibrium(model, spin=(0, 0, 3))
        assert pushed.status.outcome.name == "FREE_MOTION"
        assert "the loads push along" in pushed.status.message


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_free_mechanism_in_steady_rotation(formulation: str) -> None:
    """A run from there stays, and `trim` finds the speed of an angle."""
    speed = cs.Parameter("w", 2.0)
    model = cs.Model("free")
    a = model.add(cs.RigidBody("a", mass=2, com=(-0.5, 0, 0), inertia=(0.1, 0.2, 0.2)))
    b = model.add(cs.RigidBody("b", mass=2, com=(0.5, 0, 0.1), inertia=(0.1, 0.2, 0.25)))
    model.add(cs.Revolute("hinge", a.at((0, 0, 0)), b.at((0, 0, 0)), axis=(0, 1, 0), stiffness=5.0))
    found = cs.equilibrium(model, spin=(0, 0, 3), formulation=formulation)
    assert found.status.ok, found.status.message
    assert found.stable
    angle = float(found.coordinate("hinge"))
    assert angle > 0.05
    run = cs.simulate(model, 1.0, 5e-3, start=found, formulation=formulation)
    assert np.allclose(run.coordinate("hinge"), angle, rtol=0, atol=1e-9)
    trimmed = cs.trim(model, {"w": 2.0}, targets={"hinge": angle}, spin=(0, 0, speed), formulation=formulation)
    assert trimmed.parameters["w"] == pytest.approx(3.0, rel=1e-9)
    assert "nothing grows" in repr(trimmed)
