"""Loads dead, follower, distributed and in time; springs and dampers; against closed forms."""

import numpy as np
import pytest

import cosserat as cs

L, EI = 2.0, 3.0
STIFF = [1e9, 1e9, 1e9, 1e3, EI, EI]
LIGHT = [1, 1, 1, 1e-6, 1e-6, 1e-6]


def cantilever(elements=4, stiffness=STIFF, **options):
    model = cs.Model("cantilever", **options)
    section = cs.Section(stiffness=list(stiffness), mass=LIGHT)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


def balanced(model):
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    return result


@pytest.mark.parametrize("elements", [1, 2, 5])
@pytest.mark.parametrize("follower", [False, True])
def test_uniform_load_deflection_is_exact_at_nodes(elements, follower):
    """Small load: w(x) = q x^2 (6 L^2 - 4 L x + x^2) / (24 EI), q L^4 / (8 EI) at the tip."""
    q = 1e-6
    model = cantilever(elements)
    model.add(cs.DistributedLoad("load", "beam", force=(0, 0, q), follower=follower))
    result = balanced(model)
    for i in range(1, elements + 1):
        x = i / elements * L
        exact = q * x**2 * (6 * L**2 - 4 * L * x + x**2) / (24 * EI)
        found = float(result.position(f"beam.at({i / elements})")[2])
        assert found == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("elements", [1, 3])
def test_own_weight_deflection(elements):
    model = cantilever(elements, gravity=(0, 0, -1e-6))
    tip = float(balanced(model).position("beam.end")[2])
    assert tip == pytest.approx(-1e-6 * L**4 / (8 * EI), rel=1e-6)


@pytest.mark.parametrize("elements", [1, 3])
def test_tip_load_deflection_with_shear(elements):
    """P L^3 / (3 EI) + P L / GA."""
    GA, P = 20.0, 1e-6
    model = cantilever(elements, stiffness=[1e9, GA, GA, 1e3, EI, EI])
    model.add(cs.Force("load", "beam.end", (0, P, 0)))
    assert float(balanced(model).position("beam.end")[1]) == pytest.approx(P * L**3 / (3 * EI) + P * L / GA, rel=1e-6)


def test_distributed_moment():
    """Moment c per length about z: M = c (L - x), theta(L) = c L^2 / (2 EI), w(L) = c L^3 / (3 EI).

    It works on the turn of the sections, also between the nodes: exact with any mesh.
    """
    c = 1e-6
    for n in (1, 3):
        model = cantilever(n)
        model.add(cs.DistributedLoad("load", "beam", moment=(0, 0, c)))
        result = balanced(model)
        assert float(result.rotation("beam.end")[1, 0]) == pytest.approx(c * L**2 / (2 * EI), rel=1e-9)
        assert float(result.position("beam.end")[1]) == pytest.approx(c * L**3 / (3 * EI), rel=1e-9)


def test_follower_and_dead_loads_differ_where_the_beam_turns():
    """A tip force across the beam: dead, it turns the beam towards itself; follower, it goes round with the tip."""
    ends = {}
    for follower in (False, True):
        model = cantilever(16)
        model.add(cs.Force("load", "beam.end", (0, 0, 3 * EI / L**2), follower=follower))
        result = balanced(model)
        R = np.asarray(result.rotation("beam.end"))
        ends[follower] = np.arctan2(R[2, 0], R[0, 0])
    assert ends[False] < np.pi / 2
    assert ends[True] > ends[False] + 0.2


def test_follower_force_keeps_its_place_in_the_section():
    """Balance of the cantilever: section force at the tip is the load, in the axes of the section."""
    model = cantilever(16)
    load = np.array([0.1, 0.0, 2 * EI / L**2])
    model.add(cs.Force("load", "beam.end", load, follower=True))
    found = np.asarray(balanced(model).section_force("beam", 1.0))[:3]
    np.testing.assert_allclose(found, load, atol=0.05 * np.linalg.norm(load))


def test_reaction_of_the_clamp():
    """The parent pushes the child: reaction = -(loads), moments about the clamp in the deformed state."""
    model = cantilever(8)
    force = np.array([0.2, 0.5, 0.3])
    model.add(cs.Force("load", "beam.end", force))
    result = balanced(model)
    reaction = np.asarray(result.reaction("clamp"))
    np.testing.assert_allclose(reaction[:3], -force, atol=1e-8)
    np.testing.assert_allclose(reaction[3:], -np.cross(result.position("beam.end"), force), atol=1e-7)


def point_mass(*parts, gravity=(0, 0, 0), **motion):
    model = cs.Model("point mass", gravity=gravity)
    model.add(cs.RigidBody("m", mass=2.0, com=(1, 0, 0), inertia=0.1 * np.eye(3), **motion))
    for part in parts:
        model.add(part)
    return model


def test_load_in_time():
    """m x'' = F sin(w t) from rest: x = F/(m w) (t - sin(w t)/w)."""
    w, F = 5.0, 3.0
    model = point_mass(cs.Force("push", "m", lambda t: (F * np.sin(w * t), 0 * t, 0 * t)))
    run = cs.simulate(model, 2.0, 2e-3)
    t = run.time
    np.testing.assert_allclose(run.position("m")[:, 0], 1 + F / (2 * w) * (t - np.sin(w * t) / w), atol=2e-5)


def test_follower_force_in_time_spins_and_pushes():
    """A follower force through the centre of a spinning body goes round: v = F/(m W) (sin W t, 1 - cos W t)."""
    W, F = 4.0, 3.0
    model = point_mass(cs.Force("thrust", "m", (F, 0, 0), follower=True), angular_velocity=(0, 0, W))
    run = cs.simulate(model, 2.0, 1e-3)
    t = run.time
    exact = F / (2 * W) * np.stack((np.sin(W * t), 1 - np.cos(W * t), 0 * t), axis=1)
    np.testing.assert_allclose(run.velocity("m"), exact, atol=1e-4)


def test_spring_frequency():
    """A mass on a spring of length 1 along x, released stretched: 1 + (x0 - 1) cos(w t)."""
    model = point_mass(cs.Spring("spring", cs.GROUND, "m", stiffness=50.0, length=0.8))
    run = cs.simulate(model, 3.0, 1e-3)
    t = run.time
    np.testing.assert_allclose(run.position("m")[:, 0], 0.8 + 0.2 * np.cos(5 * t), atol=2e-4)
    assert np.abs(run.position("m")[:, 1:]).max() < 1e-12


def test_damped_spring():
    """Spring and damper in parallel: envelope exp(-c t / 2m)."""
    k, c, m = 50.0, 2.0, 2.0
    model = point_mass(cs.Spring("spring", cs.GROUND, "m", stiffness=k, length=0.8, damping=c))
    run = cs.simulate(model, 3.0, 1e-3)
    t = run.time
    a, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    exact = 0.8 + 0.2 * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    np.testing.assert_allclose(run.position("m")[:, 0], exact, atol=2e-4)


def test_damper_alone_stops_a_mass():
    """v = v0 exp(-c t / m) along the line of the damper."""
    model = point_mass(cs.Damper("damper", cs.GROUND, "m", damping=4.0), velocity=(1, 0, 0))
    run = cs.simulate(model, 2.0, 1e-3)
    np.testing.assert_allclose(run.velocity("m")[:, 0], np.exp(-2 * run.time), atol=1e-5)


def test_conical_motion_of_a_spring_pendulum():
    """A mass circling on a spring: k (r - l) = m w^2 r."""
    k, m, l = 50.0, 2.0, 0.8
    w = np.sqrt(k * (1 - l) / m)
    model = point_mass(cs.Spring("spring", cs.GROUND, "m", stiffness=k, length=l), velocity=(0, w, 0))
    run = cs.simulate(model, 5.0, 1e-3)
    np.testing.assert_allclose(np.linalg.norm(run.position("m"), axis=1), 1.0, atol=1e-4)


def test_spring_between_bodies_keeps_their_centre():
    model = cs.Model("two masses")
    for name, x, v in (("a", 0.0, (0, 0.3, 0)), ("b", 1.0, (0, -0.1, 0.2))):
        model.add(cs.RigidBody(name, mass=1.0, com=(x, 0, 0), inertia=0.1 * np.eye(3), velocity=v))
    model.add(cs.Spring("spring", "a", "b", stiffness=30.0, length=0.7))
    run = cs.simulate(model, 3.0, 2e-3)
    centre = (run.position("a").values + run.position("b").values) / 2
    np.testing.assert_allclose(centre, np.outer(run.time, (0, 0.1, 0.1)) + (0.5, 0, 0), atol=1e-9)


def test_free_fall_of_a_beam():
    model = cs.Model("fall", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[100, 50, 50, 1, 1, 1], mass=[1, 1, 1, 0.01, 0.01, 0.01])
    model.add(cs.Beam("thing", points=[(-1, 0, 0), (1, 0, 0)], section=section, elements=4))
    run = cs.simulate(model, 1.0, 1e-2)
    np.testing.assert_allclose(run.position("thing.at(0.3)")[:, 2], -9.81 / 2 * run.time**2, atol=1e-9)


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_free_fall_of_a_spinning_body(integrator):
    """Motion on SE(3): translation feels the rotation with an error that falls with the square of the step."""
    model = cs.Model("fall", gravity=(0, 0, -9.81))
    model.add(cs.RigidBody("thing", mass=1, com=(0, 0, 0), inertia=np.diag([1, 2, 2.5]), angular_velocity=(1, 2, 3)))
    errors = []
    for step in (1e-2, 5e-3):
        run = cs.simulate(model, 1.0, step, integrator=integrator)
        errors.append(np.abs(run.position("thing").values[:, 2] + 9.81 / 2 * run.time**2).max())
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 3.8 + 1e-9
