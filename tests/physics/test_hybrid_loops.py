"""Hybrid dynamics of models with closed loops: some joints driven, the loops kept closed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

Array = np.ndarray
CORNERS = np.array([(0, 0, 0), (0.1, 0.4, 0), (1.0, 0.6, 0), (1.1, 0, 0)])
Z = (0, 0, 1)


def four_bar(kind: str = "planar", motion: Any = None) -> cs.Model:
    """Crank, coupler and rocker; in the plane three of the five rows of the cut are redundant.

    Joint C is cut; of the spatial ones it is a ball joint. It has a spring and a damper of its own. With gears, it has
    a coordinate, too, and is cut behind it.
    """
    geared = {"armature": 0.05} if kind == "geared" else {}
    model = cs.Model("four-bar", gravity=(0.3, -9.81, 0))
    crank = model.add(cs.RigidBody.bar("crank", *CORNERS[:2], mass=1.0))
    if kind == "elastic":
        section, nylon = cs.Rectangle(0.03, 0.02), cs.materials.NYLON
        coupler: Any = model.add(cs.Beam("coupler", CORNERS[1:3], section=section, material=nylon, elements=4))
        ends = coupler.start, coupler.end
    else:
        coupler = model.add(cs.RigidBody("coupler", mass=0.5, com=(0.5, 0.5, 0), inertia=(0.01, 0.05, 0.06)))
        ends = coupler.at(CORNERS[1]), coupler.at(CORNERS[2])
    rocker = model.add(cs.RigidBody.bar("rocker", *CORNERS[:1:-1], mass=1.2))
    spring = {"stiffness": 2.0, "damping": 0.1}
    model.add(cs.Revolute("A", cs.GROUND, crank.at(CORNERS[0]), axis=Z, motion=motion, **spring, **geared))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(CORNERS[3]), axis=Z, damping=0.3, **geared))
    if kind in ("planar", "geared"):
        model.add(cs.Revolute("B", crank.at(CORNERS[1]), ends[0], axis=Z, **geared))
        model.add(cs.Revolute("C", ends[1], rocker.at(CORNERS[2]), axis=Z, **spring, **geared))
    else:
        model.add(cs.Universal("B", crank.at(CORNERS[1]), ends[0], axes=(Z, (0, 1, 0))))
        model.add(cs.Spherical("C", ends[1], rocker.at(CORNERS[2]), **spring))
    model.add(cs.Force("push", rocker, (1, "2*t", 0), follower=True))
    return model


@pytest.fixture(params=["planar", "geared", "spatial", "elastic"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def case(kind: str) -> tuple[cs.Model, Any, Array, Array]:
    """A model, its modes, and a state in motion that closes the loop."""
    model, modes = four_bar(kind), 2 if kind == "elastic" else None
    motion = cs.Tree(model, modes=modes).integrate(0.2, 0.001)
    return model, modes, motion.q[-1], motion.v[-1]


def close(a: Array, b: Array, tolerance: float) -> bool:
    return bool(np.abs(a - b).max() <= tolerance * np.abs(b).max())


def test_forward_dynamics_undoes_hybrid_dynamics(case) -> None:
    model, modes, q, v = case
    found = cs.hybrid_dynamics(model, q, v, {"A": 3.0}, {"D": 0.4}, t=0.2, modes=modes)
    at = found.coordinates.index
    assert list(found.efforts) == ["A"]
    assert found.a[at("A")] == 3.0
    assert found.tau[at("D")] == 0.4
    assert np.count_nonzero(found.tau) == 2
    assert close(cs.forward_dynamics(model, q, v, found.tau, t=0.2, modes=modes), found.a, 1e-10)
    # back again: with the effort given, the same acceleration; with no motions at all, forward dynamics itself
    efforts = {"A": found.efforts["A"], "D": 0.4}
    assert close(cs.hybrid_dynamics(model, q, v, efforts=efforts, t=0.2, modes=modes).a, found.a, 1e-10)
    tree = cs.Tree(model, modes=modes)
    tree.set_time(0.2)
    tau = np.where(found.driven, 0.0, found.tau)
    assert np.array_equal(tree.forward_dynamics(q, v, tau, driven={"A": 3.0}), found.a)


def test_drives_of_the_model_do_what_constrained_dynamics_says(kind, case) -> None:
    """Which has dense matrices."""
    _, modes, q, v = case
    model = four_bar(kind, motion="0.4*sin(5*t)")
    found = cs.hybrid_dynamics(model, q, v, t=0.2, modes=modes)
    exact = cs.constrained_dynamics(model, q, v, t=0.2, modes=modes)
    assert found.efforts["A"] == pytest.approx(exact.efforts[found.coordinates.index("A")], rel=1e-9)
    assert close(found.a, exact.a, 1e-9)


def test_efforts_of_drives_are_those_of_a_run() -> None:
    """The Galilean run of a driven four-bar, second order in its step, against one call at the state it comes to."""
    model, T = four_bar("spatial", motion="0.3*sin(4*t)"), 0.5
    motion = cs.Tree(model).integrate(T, 2.5e-4)
    found = cs.hybrid_dynamics(model, motion.q[-1], motion.v[-1], t=T)
    error = []
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, T, step)
        error.append(abs(float(run.effort("A")[-1].item()) - found.efforts["A"]))
    assert abs(found.efforts["A"]) > 0.5
    assert error[1] < 0.3 * error[0]
    assert error[1] < 1e-3 * abs(found.efforts["A"])


def test_stacks(case) -> None:
    model, modes, q, v = case
    states = np.stack([q, q]), np.stack([v, 0.5 * v])
    found = cs.hybrid_dynamics(model, *states, {"A": 3.0}, modes=modes)
    for k in range(2):
        one = cs.hybrid_dynamics(model, q, states[1][k], {"A": 3.0}, modes=modes)
        assert np.array_equal(found.a[k], one.a)
        assert np.array_equal(found.tau[k], one.tau)
    assert found.efforts["A"].shape == (2,)


def test_wrenches_are_no_part_of_the_efforts_found(case) -> None:
    model, modes, q, v = case
    w = np.array([1.0, -2.0, 0.0, 0.0, 0.0, 0.5])
    found = cs.hybrid_dynamics(model, q, v, {"A": 3.0}, wrenches={"rocker": w}, modes=modes)
    tau = found.tau + cs.jacobian(model, "rocker", q, modes=modes).T @ w
    assert close(cs.forward_dynamics(model, q, v, tau, modes=modes), found.a, 1e-10)


def test_more_drives_than_freedoms_must_agree(case) -> None:
    """Efforts are then those with the least forces in the cuts; where all is driven, those of inverse dynamics."""
    model, modes, q, v = case
    tree = cs.Tree(model, modes=modes)
    a = tree.forward_dynamics(q, v, np.linspace(-0.3, 0.3, len(q)))
    both = {name: a[tree.coordinates.index(name)] for name in ("A", "D")}
    found = cs.hybrid_dynamics(model, q, v, both, modes=modes)
    assert close(tree.forward_dynamics(q, v, found.tau), found.a, 1e-10)
    everything, tau = tree.hybrid_dynamics(q, v, np.ones(len(q)), a)
    assert np.array_equal(everything, a)
    assert close(tau, tree.inverse_dynamics(q, v, a), 1e-12)
    still, _ = tree.hybrid_dynamics(q, 1e-14 * v, np.ones(len(q)), np.zeros(len(q)))  # as an equilibrium may be
    assert not still.any()
    if modes is None:  # an elastic coupler gives way
        with pytest.raises(cs.CosseratError, match="the given motions would open the loop at joint 'C', by an accel"):
            cs.hybrid_dynamics(model, q, v, both | {"D": both["D"] + 1.0}, modes=modes)
    else:
        cs.hybrid_dynamics(model, q, v, both | {"D": both["D"] + 1.0}, modes=modes)


def test_a_dead_point_is_named() -> None:
    """Crank and rod in line: the slider cannot be driven outwards, and at rest needs no acceleration."""
    model = cs.Model("crank")
    crank = model.add(cs.RigidBody.bar("crank", (0, 0, 0), (0.5, 0, 0), mass=1.0))
    rod = model.add(cs.RigidBody.bar("rod", (0.5, 0, 0), (1.5, 0, 0), mass=1.0))
    slider = model.add(cs.RigidBody.box("slider", (0.1, 0.1, 0.1), mass=1.0, com=(1.5, 0, 0)))
    model.add(cs.Revolute("main", cs.GROUND, crank.at((0, 0, 0)), axis=Z))
    model.add(cs.Revolute("pin", crank.at((0.5, 0, 0)), rod.at((0.5, 0, 0)), axis=Z))
    model.add(cs.Prismatic("guide", cs.GROUND, slider.at((1.5, 0, 0)), axis=(1, 0, 0)))
    model.add(cs.Spherical("wrist", rod.at((1.5, 0, 0)), slider.at((1.5, 0, 0))))
    zero = np.zeros(3)
    assert np.abs(cs.hybrid_dynamics(model, zero, zero, {"guide": 0.0}).a).max() < 1e-12
    with pytest.raises(cs.CosseratError, match="open the loop at joint 'wrist', by an acceleration of 1"):
        cs.hybrid_dynamics(model, zero, zero, {"guide": 1.0})
