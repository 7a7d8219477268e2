"""Hybrid dynamics and kinematics of models with elastic bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

Array = np.ndarray
SECTION, ALLOY = cs.Rectangle(width=0.02, height=0.03), cs.materials.ALUMINIUM_6061
MODES = {"lower": 2}


def robot(elastic: bool = True, free: bool = True, motion: Any = None, gravity: Any = (0.3, -0.2, -9.81)) -> cs.Model:
    """A hub, a rigid upper arm on a spherical joint, a lower arm that may bend, and a hand on a universal joint."""
    model = cs.Model("robot", gravity=gravity)
    hub = model.add(cs.RigidBody.box("hub", (0.4, 0.5, 0.3), mass=20.0))
    if not free:
        model.add(cs.Free("rail", cs.GROUND, hub.at((0, 0, 0))))
    upper = model.add(cs.RigidBody.bar("upper", (0, 0, 0), (0.6, 0, 0), mass=2.0))
    model.add(cs.Spherical("shoulder", hub.at((0, 0, 0)), upper.at((0, 0, 0)), damping=0.3))
    start, end = (0.6, 0, 0), (1.4, 0, 0)
    if elastic:
        lower: Any = model.add(cs.Beam("lower", [start, end], section=SECTION, material=ALLOY, elements=4))
        inner, outer = lower.start, lower.end
    else:
        lower = model.add(cs.RigidBody.bar("lower", start, end, section=SECTION, material=ALLOY))
        inner, outer = lower.at(start), lower.at(end)
    model.add(cs.Revolute("elbow", upper.at(start), inner, axis=(0, 1, 0), motion=motion))
    hand = model.add(cs.RigidBody.box("hand", (0.1, 0.1, 0.2), mass=1.0, com=(1.5, 0, 0)))
    model.add(cs.Universal("wrist", outer, hand.at(end), axes=((0, 1, 0), (0, 0, 1)), stiffness=2.0))
    model.add(cs.Force("push", hand.at((1.6, 0, 0)), ("3*t", 0, "2 + t")))
    return model


def state(model: cs.Model, rng: np.random.Generator, size: float = 0.5) -> tuple[Array, Array]:
    names = cs.FlexibleTree(model, MODES).coordinates
    scale = np.array([1e-3 if ".mode" in name else size for name in names])
    return scale * rng.normal(size=len(names)), scale * rng.normal(size=len(names))


@pytest.mark.parametrize("free", [False, True])
def test_the_unknown_half_satisfies_the_equations(rng: np.random.Generator, free: bool) -> None:
    """What was given is kept; inverse and forward dynamics of the whole give both halves again."""
    model = robot(free=free)
    q, v = state(model, rng)
    motions = {"shoulder": (1.0, -2.0, 0.5), "wrist.ry": 3.0}
    found = cs.hybrid_dynamics(model, q, v, motions, {"elbow": 4.0}, t=0.7, modes=MODES)
    at = {name: k for k, name in enumerate(found.coordinates)}
    assert set(found.efforts) == {"shoulder.rx", "shoulder.ry", "shoulder.rz", "wrist.ry"}
    assert [found.a[at[f"shoulder.r{x}"]] for x in "xyz"] == [1.0, -2.0, 0.5]
    assert found.a[at["wrist.ry"]] == 3.0
    assert found.tau[at["elbow"]] == 4.0
    assert np.count_nonzero(found.tau[~found.driven]) == 1
    size = np.abs(found.tau).max()
    assert np.abs(cs.inverse_dynamics(model, q, v, found.a, t=0.7, modes=MODES) - found.tau).max() < 1e-11 * size
    a = cs.forward_dynamics(model, q, v, found.tau, t=0.7, modes=MODES)
    assert np.abs(a - found.a).max() < 1e-11 * np.abs(a).max()
    names = [name for name in found.coordinates if ".mode" in name]
    assert names
    assert set(names) <= set(found.accelerations)


def test_held_modes_are_the_rigid_limit(rng: np.random.Generator) -> None:
    """With modes at rest that are driven not to move, the arm is the rigid one; the rigid algorithm is another."""
    elastic, rigid = robot(), robot(elastic=False)
    names = cs.FlexibleTree(elastic, MODES).coordinates
    tree = cs.Tree(rigid)
    own = [names.index(name) for name in tree.coordinates]
    w, place = np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.7]), "hand.at(1.5, 0.1, 0.2)"
    x, y = 0.5 * rng.normal(size=(2, len(own)))
    q, v = np.zeros((2, len(names)))
    q[own], v[own] = x, y
    motions: dict[str, Any] = {"shoulder": (1.0, -2.0, 0.5), "wrist": (3.0, 1.0)}
    still = motions | {name: 0.0 for name in names if ".mode" in name}
    more: dict[str, Any] = {"efforts": {"elbow": 4.0}, "wrenches": {place: w}, "t": 0.3}
    found = cs.hybrid_dynamics(elastic, q, v, still, **more, modes=MODES)
    exact = cs.hybrid_dynamics(rigid, x, y, motions, **more)
    assert np.abs(found.a[own] - exact.a).max() < 1e-12 * np.abs(exact.a).max()
    assert np.abs(found.tau[own] - exact.tau).max() < 1e-12 * np.abs(exact.tau).max()


def test_wrenches_act_at_places(rng: np.random.Generator) -> None:
    """J^T w in world axes, on rigid and on elastic bodies, and no part of the efforts found."""
    model = robot()
    q, v = state(model, rng)
    w = np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.7])
    tau = cs.jacobian(model, "lower.end", q, modes=MODES).T @ w + cs.jacobian(model, "hub", q, modes=MODES).T @ (2 * w)
    found = cs.hybrid_dynamics(model, q, v, {"elbow": 1.0}, wrenches={"lower.end": w, "hub": 2 * w}, modes=MODES)
    efforts = cs.inverse_dynamics(model, q, v, found.a, modes=MODES) - tau
    assert np.abs(efforts - found.tau).max() < 1e-9 * np.abs(efforts).max()
    bare = cs.hybrid_dynamics(model, q, v, {"elbow": 1.0}, modes=MODES)
    M, k = cs.mass_matrix(model, q, modes=MODES), found.coordinates.index("elbow")
    free = np.delete(np.arange(len(q)), k)
    moved = np.linalg.solve(M[np.ix_(free, free)], tau[free])  # by what wrenches change the others
    assert found.efforts["elbow"] - bare.efforts["elbow"] == pytest.approx(M[k, free] @ moved - tau[k], rel=1e-6)


def test_motions_of_the_model_are_followed(rng: np.random.Generator) -> None:
    model = robot(motion="0.2*sin(3*t)")
    q, v = state(model, rng)
    found = cs.hybrid_dynamics(model, q, v, t=0.4, modes=MODES)
    assert list(found.efforts) == ["elbow"]
    assert found.a[found.coordinates.index("elbow")] == pytest.approx(-1.8 * np.sin(1.2), rel=1e-12)
    other = cs.hybrid_dynamics(model, q, v, {"elbow": 2.0}, t=0.4, modes=MODES)
    assert other.a[found.coordinates.index("elbow")] == 2.0


def test_stacks(rng: np.random.Generator) -> None:
    model = robot()
    q, v = (np.array(x) for x in zip(*(state(model, rng) for _ in range(3)), strict=True))
    found = cs.hybrid_dynamics(model, q, v, {"elbow": 1.0}, {"wrist": (0.1, 0.2)}, modes=MODES)
    for k in range(3):
        one = cs.hybrid_dynamics(model, q[k], v[k], {"elbow": 1.0}, {"wrist": (0.1, 0.2)}, modes=MODES)
        assert np.array_equal(found.a[k], one.a)
        assert np.array_equal(found.tau[k], one.tau)
    assert found.efforts["elbow"].shape == (3,)


def test_a_free_base_reacts_to_an_elastic_arm() -> None:
    """Momentum stays zero while the motor does as it is told; its work is the energy. Runge-Kutta steps."""
    model = cs.Model("satellite")
    hub = model.add(cs.RigidBody.box("hub", (1.0, 1.2, 0.8), mass=50.0))
    arm = model.add(cs.Beam("arm", [(0.5, 0, 0), (2.5, 0, 0)], section=SECTION, material=ALLOY, elements=6))
    model.add(cs.Revolute("motor", hub.at((0.5, 0, 0)), arm.start, axis=(0, 0.6, 0.8)))
    tree = cs.FlexibleTree(model, modes=2)
    n, steps, h = len(tree.coordinates), 400, 1e-3
    driven = np.eye(n)[0]

    def slope(t: float, x: Array) -> Array:
        q, v = x[:n], x[n : 2 * n]
        a, tau = tree.hybrid_dynamics(q, v, driven, 3.0 * np.cos(5 * t) * driven)
        return np.concatenate((tree.coordinate_rates(q, v), a, [tau[0] * v[0]]))

    x, most = np.zeros(2 * n + 1), 0.0
    for i in range(steps):
        t = i * h
        k1 = slope(t, x)
        k2 = slope(t + h / 2, x + h / 2 * k1)
        k3 = slope(t + h / 2, x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(t + h, x + h * k3))
        most = max(most, float(np.abs(tree.centroidal_momentum(x[:n], x[n : 2 * n])).max()))
    q, v, work = x[:n], x[n : 2 * n], x[-1]
    assert v[0] == pytest.approx(0.6 * np.sin(2.0), abs=1e-9)
    momentum_of_hub = 50.0 * np.linalg.norm(v[1:4])
    assert momentum_of_hub > 0.1
    assert most < 1e-9 * momentum_of_hub
    assert np.abs(q[7:]).max() > 1e-4  # the arm bends
    assert tree.energy(q, v).total == pytest.approx(work, rel=1e-8)


def test_places_move_along_their_frames(rng: np.random.Generator) -> None:
    """Velocities and accelerations are differences of frames along a motion; elastic and rigid places."""
    model = robot()
    tree = cs.FlexibleTree(model, MODES)
    q, v = state(model, rng)
    a = 0.3 * rng.normal(size=len(q)) * np.array([1e-2 if ".mode" in name else 1.0 for name in tree.coordinates])
    h = 1e-3

    def at(t: float) -> Any:
        x, n = q, 20  # midpoint steps along the velocities v + t a
        for i in range(n):
            x = tree.moved(x, t / n * (v + (i + 0.5) * t / n * a))
        return cs.forward_kinematics(model, x, v + t * a, modes=MODES)

    now = cs.forward_kinematics(model, q, v, a, modes=MODES)
    times = np.array([-2, -1, 1, 2]) * h
    around = [at(t) for t in times]
    slope = np.array([1, -8, 8, -1]) / (12 * h)
    for place in ("lower.end", "hand", "hand.at(1.6, 0.1, 0)", "upper"):
        J = cs.jacobian(model, place, q, modes=MODES) @ v
        assert np.allclose(now.frame(place), tree.frame(place, q), atol=1e-14)
        assert np.allclose(np.concatenate((now.velocity(place), now.angular_velocity(place))), J, atol=1e-12)
        for rate, of in (("velocity", "position"), ("acceleration", "velocity")):
            difference = slope @ [getattr(x, of)(place) for x in around]
            assert np.abs(getattr(now, rate)(place) - difference).max() < 1e-7
        difference = slope @ [x.angular_velocity(place) for x in around]
        assert np.abs(now.angular_acceleration(place) - difference).max() < 1e-7
    assert np.abs(now.acceleration("ground")).max() == 0.0


def test_a_force_makes_a_place_known() -> None:
    model = robot()
    zero = cs.FlexibleTree(model, MODES).neutral()
    with pytest.raises(cs.CosseratError, match=r"'lower.at\(0.25\)' is no interface.*s = 0, 1; a cs.Force there"):
        cs.forward_kinematics(model, zero, modes=MODES).position("lower.at(0.25)")
    model.add(cs.Force("mark", model.place("lower.at(0.25)"), (0, 0, 0)))
    zero = cs.FlexibleTree(model, MODES).neutral()
    found = cs.forward_kinematics(model, zero, modes=MODES).position("lower.at(0.25)")
    assert np.allclose(found, (0.8, 0, 0), atol=1e-14)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"motions": {"elbow": 1.0}, "efforts": {"elbow": 2.0}}, "'elbow' has both a motion and an effort"),
        ({"motions": {"knee": 1.0}}, "motions names 'knee'; joints, free bases and coordinates: .*hub"),
        ({"motions": {"shoulder.rx": 1.0}}, "joint 'shoulder' is given a motion in some of its freedoms"),
        ({"motions": {"hub.x": 1.0}}, "body 'hub' is given a motion in some of its freedoms"),
        ({"wrenches": {"ground": np.zeros(6)}}, "at 'ground', which is fixed to the ground"),
        ({"wrenches": {"hub": (1, 2, 3)}}, r"the wrench at 'hub' is \(1, 2, 3\); expected 6 finite"),
        ({"wrenches": np.zeros(6)}, "wrenches is .*; pass a dict by places"),
        ({"wrenches": {"lower.at(0.3)": np.zeros(6)}}, "no interface"),
        ({"threads": 2}, "threads is 2"),
        ({"modes": None}, "hybrid_dynamics: beam 'lower': pass modes="),
    ],
)
def test_refused(given: dict[str, Any], words: str) -> None:
    model = robot()
    zero = cs.FlexibleTree(model, MODES).neutral()
    with pytest.raises(cs.CosseratError, match=words):
        cs.hybrid_dynamics(model, zero, zero, **{"modes": MODES} | given)
