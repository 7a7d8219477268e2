"""Rigid benchmarks of the IFToMM library of computational benchmark problems.

A01 simple pendulum: m = L = 1, released at rest from (-1, 0). A02 N-four-bar mechanism: 2 N + 1 links of 1 m and 1 kg
(uniform), vertical at the start, the first tip moving with 1 m/s; it passes a singular pose where all links are in one
line. A04 Bricard's mechanism: five rods of 1 m and 1 kg, at rest at the start. M. Gonzalez, D. Dopico, U. Lugris,
J. Cuadrado, A benchmarking system for MBS simulation software, Multibody Syst. Dyn. 16 (2006) 179-190. Reference
digits: independent integration in one coordinate.
"""

import numpy as np
import pytest

import cosserat as cs

Z = (0, 0, 1)


def rod(name, start, end, **motion):
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    inertia = (along @ along * np.eye(3) - np.outer(along, along)) / 12 + 1e-9 * np.eye(3)
    return cs.RigidBody(name, mass=1.0, com=(start + end) / 2, inertia=inertia, **motion)


def test_a01_pendulum():
    model = cs.Model("A01", gravity=(0, -9.81, 0))
    bob = model.add(cs.RigidBody("bob", mass=1, com=(-1, 0, 0), inertia=1e-12 * np.eye(3)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=Z))
    run = cs.simulate(model, 10.0, 5e-5, every=20000, newton_tolerance=1e-8)
    assert run.status.ok
    x = run.position("bob").values
    np.testing.assert_allclose(run.time[[5, 10]], [5, 10])
    np.testing.assert_allclose(x[5, :2], (-0.9423054350, -0.3347543384), atol=1e-6)
    np.testing.assert_allclose(x[10, :2], (-0.2750874626, -0.9614192051), atol=1e-6)


def four_bars(n):
    model = cs.Model(f"A02 with {n} loops", gravity=(0, -9.81, 0))
    for i in range(n + 1):
        motion = {"velocity": (0.5, 0, 0), "angular_velocity": (0, 0, -1)}
        leg = model.add(rod(f"leg{i}", (i, 0, 0), (i, 1, 0), **motion))
        model.add(cs.Revolute(f"foot{i}", cs.GROUND, leg.at((i, 0, 0)), axis=Z))
    for i in range(n):
        bar = model.add(rod(f"bar{i}", (i, 1, 0), (i + 1, 1, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 0)))
        model.add(cs.Revolute(f"left{i}", model[f"leg{i}"].at((i, 1, 0)), bar.at((i, 1, 0)), axis=Z))
        model.add(cs.Revolute(f"right{i}", bar.at((i + 1, 1, 0)), model[f"leg{i + 1}"].at((i + 1, 1, 0)), axis=Z))
    return model


@pytest.mark.parametrize(
    "n, tip, step",
    [(2, (0.328458112, 0.944518538), 1e-3), (40, (0.180512227, 0.983572741), 2e-3)],
    ids=["two loops", "forty loops"],
)
def test_a02_n_four_bar(n, tip, step):
    model = four_bars(n)
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 10.0, step, every=round(0.05 / step), rho=0.9)
    assert run.status.ok, run.status.message
    first = run.position(model["leg0"].at((0, 1, 0))).values
    last = run.position(model[f"leg{n}"].at((n, 1, 0))).values - (n, 0, 0)
    assert first[:, 1].min() < -0.5  # through the horizontal, singular pose
    np.testing.assert_allclose(first, last, atol=1e-6)  # parallel legs: no switch to the crossed branch
    bar = run.rotation("bar0").values
    np.testing.assert_allclose(bar, np.broadcast_to(np.eye(3), bar.shape), atol=1e-6)
    np.testing.assert_allclose(first[-1, :2], tip, atol=4e-4)


@pytest.mark.parametrize("integrator, step", [("energy-momentum", 1e-3), ("generalized-alpha", 2e-4)])
def test_a02_singular_pose_is_crossed(integrator, step):
    """Also by the integrator without damping, and with small steps, which come nearer to the singular pose."""
    model = four_bars(2)
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 10.0, step, integrator=integrator, every=round(0.05 / step))
    assert run.status.ok, run.status.message
    first = run.position(model["leg0"].at((0, 1, 0))).values
    last = run.position(model["leg2"].at((2, 1, 0))).values - (2, 0, 0)
    np.testing.assert_allclose(first, last, atol=1e-6)
    np.testing.assert_allclose(first[-1, :2], (0.328458112, 0.944518538), atol=4e-4)


def bricard():
    """Six hinges along the edges of a cube, across both edges that meet; one constraint follows from the others."""
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    model = cs.Model("A04", gravity=(0, -9.81, 0))
    links = [cs.GROUND, *(model.add(rod(f"rod{i}", *corners[i : i + 2])) for i in range(5)), cs.GROUND]
    for i in range(6):
        model.add(cs.Revolute(f"hinge{i}", links[i], links[i + 1], axis=axes[i], at=corners[i]))
    return model


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a04_bricard(formulation):
    """Against the motion in one coordinate along the curve of poses, energy by differences, to 1e-7 after 1 s."""
    expected, errors = (0.50866472, -1.64982708, 0.13903531), []
    for step in (0.01, 0.005):
        with pytest.warns(cs.CosseratWarning, match="redundant"):
            run = cs.simulate(bricard(), 1.0, step, formulation=formulation)
        assert run.status.ok
        errors.append(np.linalg.norm(run.position("rod2.at(1, -1, 1)").values[-1] - expected))
    assert errors[1] < 2e-5
    assert 3.5 < errors[0] / errors[1] < 4.5
