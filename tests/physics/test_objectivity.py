"""A rigid motion of the whole problem (model, loads and gravity) moves the solution and changes nothing else."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.lie import so3

IDENTITY = np.eye(3), np.zeros(3)
MOVED = so3.exp(np.array([1.3, -0.8, 2.1])), np.array([2.0, -1.0, 3.0])


def mechanism(R, d, motion=True):
    """A beam, a body, joints with springs, loads of all kinds, turned by R and shifted by d."""
    p = lambda *x: R @ np.array(x, float) + d  # noqa: E731
    v = lambda *x: R @ np.array(x, float)  # noqa: E731
    model = cs.Model("moved", gravity=v(0, 1, -9.81))
    section = cs.Section(stiffness=[1e4, 5e3, 4e3, 15, 20, 80], mass=[1, 1, 1, 3e-3, 1e-3, 2e-3])
    beam = model.add(cs.Beam("beam", points=[p(0, 0, 0), p(1, 0, 0)], section=section, elements=6, up=v(0, 0, 1)))
    J = np.diag([0.02, 0.03, 0.04])
    hub = model.add(cs.RigidBody("hub", mass=0.7, com=p(1.2, 0.1, 0), inertia=J, rotation=R))
    drive = {"motion": lambda t: 0.4 * np.sin(3 * t)} if motion else {"stiffness": 50.0}
    model.add(cs.Revolute("root", cs.GROUND, beam.start, axis=v(0, 0.6, 0.8), **drive))
    model.add(
        cs.Universal(
            "wrist", beam.end, hub.at(p(1, 0, 0)), axes=(v(1, 0, 0), v(0, 1, 0)), stiffness=(8, 9), damping=0.1
        )
    )
    model.add(
        cs.Spring("spring", cs.GROUND.at(p(1, 1, 1)), hub.at(p(1.2, 0.2, 0)), stiffness=20, length=1.0, damping=0.3)
    )
    model.add(cs.Force("dead", hub, v(1, 2, 3)))
    model.add(cs.Torque("follower", beam.at(0.5), v(0.3, 0.2, -0.4), follower=True))
    model.add(cs.DistributedLoad("wind", beam, force=v(0, 2, 1)))
    return model


def seen_back(x, motion):
    R, d = motion
    return (np.asarray(x) - d) @ R


def test_equilibrium():
    results = [cs.equilibrium(mechanism(*m, motion=False)) for m in (IDENTITY, MOVED)]
    assert all(r.status.ok for r in results)
    for place in ("beam.end", "beam.at(0.5)", "hub"):
        here, there = (seen_back(r.position(place), m) for r, m in zip(results, (IDENTITY, MOVED)))
        np.testing.assert_allclose(there, here, atol=1e-10)
        R1, R2 = np.asarray(results[0].rotation(place)), np.asarray(results[1].rotation(place))
        np.testing.assert_allclose(MOVED[0].T @ R2, R1, atol=1e-10)
    forces = [np.asarray(r.section_force("beam", 0.3)) for r in results]
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-8, atol=1e-8 * np.abs(forces[0]).max())


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_dynamics(integrator):
    runs = [
        cs.simulate(mechanism(*m), 0.5, 2e-3, integrator=integrator, newton_tolerance=1e-11) for m in (IDENTITY, MOVED)
    ]
    assert all(r.status.ok for r in runs)
    for place in ("beam.end", "hub"):
        here, there = (seen_back(r.position(place), m) for r, m in zip(runs, (IDENTITY, MOVED)))
        np.testing.assert_allclose(there, here, atol=1e-10)
        v1, v2 = (r.velocity(place).values for r in runs)
        np.testing.assert_allclose(v2 @ MOVED[0], v1, atol=1e-8 * np.abs(v1).max())
    q1, q2 = (r.coordinate("wrist").values for r in runs)
    np.testing.assert_allclose(q2, q1, atol=1e-9)


def drift_error(elements):
    """What a uniform translation of a free bending beam changes in the motion of its end."""
    section = cs.Section(stiffness=[1e3, 5e2, 5e2, 3, 2, 4], mass=[1, 1, 1, 0.02, 0.01, 0.01])
    ends = []
    for extra in (np.zeros(3), np.array([3.0, -2.0, 1.0])):
        model = cs.Model("free beam")

        def field(x, extra=extra):
            return (extra[0], extra[1] + 2 * np.sin(3 * x[0]), extra[2], 0, 0, 6 * np.cos(3 * x[0]))

        model.add(cs.Beam("beam", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=elements, velocity=field))
        run = cs.simulate(model, 1.0, 1e-3, integrator="energy-momentum")
        assert run.status.ok
        ends.append(run.position("beam.end").values - np.outer(run.time, extra))
    return np.abs(ends[1] - ends[0]).max()


def test_uniform_motion_is_hardly_felt():
    """The equations are invariant on any mesh; what is left is the error of the steps, the same on all."""
    assert max(drift_error(n) for n in (2, 8, 32)) < 2e-5
