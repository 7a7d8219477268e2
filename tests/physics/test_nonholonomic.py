"""Rolling and skating: closed forms, no drift, energy, constraints given in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.relative.nonholonomic import constraints_of

G = 9.81
MASS, RADIUS = 1.5, 0.3
A, C = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2


def disc(tilt: float) -> cs.Model:
    """A thin disc on the plane z = 0; its axis makes the angle `tilt` with the vertical."""
    model = cs.Model("disc", gravity=(0, 0, -G))
    rotation = cs.lie.so3.exp([0, tilt, 0])
    com = (0, 0, RADIUS * np.sin(tilt))
    body = model.add(cs.RigidBody("disc", mass=MASS, com=com, inertia=(A, A, C), rotation=rotation))
    model.add(cs.RollingDisc("wheel", body, RADIUS, axis=rotation[:, 2]))
    return model


def steady(tilt: float, precession: float) -> tuple[np.ndarray, float]:
    """Velocities of a disc that rolls along a circle, and its spin about the axis.

    Newton's and Euler's equations in the precessing frame: precession sin(tilt) (A precession cos(tilt) - C spin)
    = m R (R spin precession sin(tilt) + g cos(tilt)).
    """
    s, c = np.sin(tilt), np.cos(tilt)
    spin = (A * precession**2 * s * c - MASS * G * RADIUS * c) / (precession * s * (C + MASS * RADIUS**2))
    e = np.array([s, 0, c])
    u = (np.array([0, 0, 1]) - c * e) / s
    return np.concatenate((RADIUS * spin * np.cross(e, u), spin * e + precession * s * u)), spin


@pytest.mark.parametrize(("tilt", "precession"), [(1.2, 2.5), (0.5, 6.0)])
def test_a_disc_rolls_along_a_circle(tilt: float, precession: float) -> None:
    model = disc(tilt)
    v, spin = steady(tilt, precession)
    found = cs.constrained_dynamics(model, np.zeros(6), v)
    assert found.multipliers[0] == pytest.approx(MASS * G, rel=1e-12)  # the plane carries the weight
    force = np.hypot(*found.multipliers[1:])
    assert force == pytest.approx(MASS * abs(RADIUS * spin * precession), rel=1e-12)  # and bends the path

    period = 2 * np.pi / precession
    centre = RADIUS * spin / precession * np.cross((0, 0, 1), (0, -1, 0))  # it starts along -y, or y if spin < 0
    error = []
    for steps in (40, 80):
        motion = cs.constrained_motion(model, np.zeros(6), v, period / 2, period / 2 / steps)
        error.append(np.abs(motion.q[-1, :3] - 2 * centre).max())  # opposite after half a turn
        assert motion.slip < 1e-13
        assert motion.gap < 1e-12
    assert error[0] / error[1] == pytest.approx(16.0, rel=0.15)
    assert error[1] < 1e-4 * abs(RADIUS * spin / precession)


@pytest.mark.slow
def test_nothing_drifts_in_ten_thousand_steps() -> None:
    """A wobbling disc, 50 s: neither slip nor gap, and no loss of energy."""
    model = disc(1.2)
    v, _ = steady(1.2, 2.5)
    v[3:] += [0.3, 0.2, 0.1]  # taken to the nearest velocities that roll
    motion = cs.constrained_motion(model, np.zeros(6), v, 50.0, 0.005)
    assert len(motion.t) == 10_001
    assert motion.slip < 1e-12
    assert motion.gap < 1e-12
    energy = [cs.energy(model, q, u).total for q, u in zip(motion.q[::1000], motion.v[::1000], strict=True)]
    assert np.ptp(energy) < 1e-4 * energy[0]
    assert np.ptp(motion.q[:, 2]) > 1e-3  # it wobbled


def test_energy_of_a_wobbling_disc() -> None:
    """Rolling does no work: what is lost is the error of the steps."""
    model = disc(1.0)
    v, _ = steady(1.0, 3.0)
    v[3:] += [0.5, 0.2, 0.1]
    loss = []
    for step in (0.02, 0.01):
        motion = cs.constrained_motion(model, np.zeros(6), v, 1.0, step)
        first, last = (cs.energy(model, motion.q[i], motion.v[i]).total for i in (0, -1))
        loss.append(abs(last - first) / first)
    assert loss[1] < 1e-5
    assert loss[0] / loss[1] > 12.0


def skate(slope: float, edges: Sequence[str] = ("skate",)) -> cs.Model:
    """On a plane that falls along x, with edges at some places."""
    model = cs.Model("skate", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    body = model.add(cs.RigidBody.box("skate", (0.3, 0.1, 0.1), mass=2.0))
    model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
    for k, place in enumerate(edges):
        model.add(cs.KnifeEdge(f"edge{k}", place, direction=(0, 1, 0)))
    return model


def places(model: cs.Model, motion: cs.ConstrainedMotion) -> np.ndarray:
    """Positions of the skate."""
    return np.array([cs.forward_kinematics(model, q).position("skate") for q in motion.q])


def test_a_skate_does_not_slide_down() -> None:
    """Caratheodory: on a slope, a turning skate goes along a cycloid, sideways and not down."""
    model = skate(0.2)
    omega = 3.0
    motion = cs.constrained_motion(model, np.zeros(3), [0, 0, omega], 4.0, 0.01)
    x, y, _ = places(model, motion).T
    size = G * np.sin(0.2) / (2 * omega**2)
    assert np.allclose(x, size * np.sin(omega * motion.t) ** 2, rtol=0, atol=1e-7)
    assert np.allclose(y, size * (omega * motion.t - 0.5 * np.sin(2 * omega * motion.t)), rtol=0, atol=1e-7)
    assert motion.slip < 1e-14


def test_rows_of_a_function(rng: np.random.Generator) -> None:
    model = skate(0.2, [])
    x, y, angle = (cs.Tree(model).coordinates.index(f"ice.{name}") for name in ("x", "y", "rz"))
    H = model["ice"].frame()[:3, :3]  # the coordinates x and y go along its axes
    first = np.arctan2(H[1, 0], H[0, 0])

    def function(q: np.ndarray, v: np.ndarray) -> tuple[Any, Any]:
        s, c = np.sin(q[angle] - first), np.cos(q[angle] - first)
        A = np.zeros(3)
        A[x], A[y] = -s, c
        return A, -v[angle] * (c * v[x] + s * v[y])

    q, v = rng.normal(size=(2, 3))
    by_hand = cs.constrained_dynamics(model, q, v, constraints=[cs.VelocityConstraint(function)])
    by_edge = cs.constrained_dynamics(skate(0.2), q, v)
    assert np.allclose(by_hand.a, by_edge.a, rtol=1e-12)
    assert np.allclose(by_hand.multipliers, by_edge.multipliers, rtol=1e-12)


def test_a_cart_with_two_wheels_on_one_axle() -> None:
    """Rows that say the same thing twice are shared, and change nothing."""
    wheels = [f"skate.at(0, {y}, 0)" for y in (-0.2, 0.2)]
    q, v = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.5, 2.0])
    one, two = (cs.constrained_dynamics(skate(0.3, edges), q, v) for edges in (["skate"], wheels))
    assert np.allclose(one.a, two.a, rtol=0, atol=1e-11)
    assert np.allclose(two.multipliers.sum(), one.multipliers[0], rtol=1e-10)
    assert two.multipliers[0] == pytest.approx(two.multipliers[1], rel=1e-9)


def tricycle(left: str, right: str, steer: str | None = None) -> cs.Model:
    """A frame on the floor, two wheels with prescribed angles; with `steer`, an edge in front on a driven fork."""
    model = cs.Model("tricycle")
    base = model.add(cs.RigidBody("base", mass=5.0, com=(0, 0, 0.2), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Planar("floor", cs.GROUND, base, normal=(0, 0, 1), at=(0, 0, 0)))
    for name, y, motion in (("left", 0.3, left), ("right", -0.3, right)):
        wheel = model.add(cs.RigidBody(name, mass=0.5, com=(0, y, 0.2), inertia=(0.006, 0.01, 0.006)))
        model.add(cs.Revolute(f"{name} axle", base, wheel, axis=(0, 1, 0), at=(0, y, 0.2), motion=motion))
        model.add(cs.RollingDisc(f"{name} wheel", wheel, radius=0.2, axis=(0, 1, 0)))
    if steer is not None:
        fork = model.add(cs.RigidBody("fork", mass=0.5, com=(0.6, 0, 0), inertia=(0.01, 0.01, 0.01)))
        model.add(cs.Revolute("steer", base, fork, axis=(0, 0, 1), at=(0.6, 0, 0), motion=steer))
        model.add(cs.KnifeEdge("tyre", fork, direction=(0, 1, 0)))
    return model


def test_prescribed_wheels() -> None:
    """The path follows from geometry, what the drives give from the energy."""
    model = tricycle("t**2", "2*t**2")
    names = cs.Tree(model).coordinates
    motion = cs.constrained_motion(model, np.zeros(5), np.zeros(5), 2.0, 0.05)
    turn, radius = 0.2 * motion.t**2 / 0.6, 0.9
    x, y, _ = np.array([cs.forward_kinematics(model, q).position("base") for q in motion.q]).T
    assert np.allclose(x, radius * np.sin(turn), rtol=0, atol=1e-6)
    assert np.allclose(y, radius * (1 - np.cos(turn)), rtol=0, atol=1e-6)
    assert np.array_equal(motion.q[:, names.index("right axle")], 2 * motion.t**2)
    assert motion.slip < 1e-12
    found = [cs.constrained_dynamics(model, q, v, t=t) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]
    power = np.array([f.efforts @ v for f, v in zip(found, motion.v, strict=True)])
    linear = 5.0 + 2 * (0.5 + 0.01 / 0.2**2)
    angular = 0.3 + 2 * (0.006 + (0.5 + 0.01 / 0.2**2) * 0.3**2)
    speed, rate = 0.6 * motion.t, 2 * 0.2 * motion.t / 0.6
    assert np.allclose(power, linear * speed * 0.6 + angular * rate * 0.4 / 0.6, rtol=1e-6)
    assert np.all(found[0].efforts[[names.index(f"floor.{k}") for k in ("x", "y", "rz")]] == 0.0)


def test_rows_and_their_rates(zoo, rng: np.random.Generator) -> None:
    """A_dot v and gaps against differences, on a body far out in a tree."""
    model = zoo()
    model.add(cs.KnifeEdge("edge", "b9.at(1, 2, 3)", direction=(0.2, 1, 0.3)))
    model.add(cs.RollingDisc("wheel", "b7", 0.4, axis=(1, 2, 0), normal=(0.1, 0.2, 1), point=(1, 2, 3)))
    tree = cs.Tree(model)
    q, v = 0.5 * rng.normal(size=(2, len(tree.coordinates)))
    for constraint in constraints_of(model, tree, None, "test"):
        rows = constraint.rows(q, v)
        h = 1e-5
        ahead, behind = (constraint.rows(tree.moved(q, s * h * v), v) for s in (1, -1))
        assert np.allclose((ahead.A - behind.A) @ v / (2 * h), rows.bias, rtol=0, atol=1e-7)
        has_gap = rows.gap != 0.0
        assert np.allclose(((ahead.gap - behind.gap) / (2 * h))[has_gap], (rows.A @ v)[has_gap], rtol=0, atol=1e-7)


def test_bad_input() -> None:
    model = skate(0.1)
    zero = np.zeros(3)
    with pytest.raises(cs.CosseratError, match="has no knife edge and no rolling disc; add one"):
        cs.constrained_dynamics(skate(0.1, []), zero, zero)
    with pytest.raises(cs.CosseratError, match="add knife edges and rolling discs to the model"):
        cs.constrained_dynamics(model, zero, zero, constraints=[model["edge0"]])
    with pytest.raises(cs.CosseratError, match="constrained_motion: step is 0"):
        cs.constrained_motion(model, zero, zero, 1.0, 0)
    with pytest.raises(cs.CosseratError, match=r"constrained_dynamics: v has the shape \(2,\)"):
        cs.constrained_dynamics(model, zero, np.zeros(2))
    wrong = cs.VelocityConstraint(lambda q, v: ([1, 2], 0))
    with pytest.raises(cs.CosseratError, match=r"VelocityConstraint: the function gave arrays \(1, 2\)"):
        cs.constrained_dynamics(model, zero, zero, constraints=[wrong])
    for call in (cs.forward_dynamics, cs.forward_dynamics_derivatives):
        with pytest.raises(cs.CosseratError, match="knife edge 'edge0' restricts the motion"):
            call(model, zero, zero, zero)
    with pytest.raises(cs.CosseratError, match="hybrid_dynamics: knife edge 'edge0' restricts"):
        cs.hybrid_dynamics(model, zero, zero)
    coin = disc(1.0)
    with pytest.raises(cs.CosseratError, match="rolling disc 'wheel': the disc lies flat"):
        cs.constrained_dynamics(coin, [0, 0, 0, 0, -1.0, 0], np.zeros(6))
    with pytest.raises(cs.CosseratError, match=r"0\.1 m away from a plane"):
        cs.constrained_motion(coin, [0, 0, 0.1, 0, 0, 0], np.zeros(6), 1.0, 0.1)
    held = cs.Model("held")
    held.add(cs.RigidBody.box("box", (0.1, 0.1, 0.1), mass=1.0))
    held.add(cs.RigidBody.box("other", (0.1, 0.1, 0.1), mass=1.0))
    held.add(cs.Fixed("weld", cs.GROUND, "box"))
    held.add(cs.KnifeEdge("edge", "box", direction=(1, 0, 0)))
    with pytest.raises(cs.CosseratError, match="knife edge 'edge': the place 'box' is fixed to the ground"):
        cs.constrained_dynamics(held, np.zeros(6), np.zeros(6))
    wheel = model.add(cs.RigidBody.box("wheel", (0.1, 0.1, 0.1), mass=1.0))
    model.add(cs.Spherical("ball", "skate", wheel, at=(0, 0, 0), motion={"rz": "t"}))
    with pytest.raises(cs.CosseratError, match="joint 'ball' has a motion in coordinates whose derivatives are not"):
        cs.constrained_motion(model, np.zeros(6), np.zeros(6), 1.0, 0.1)
    with pytest.raises(cs.CosseratError, match=r"from t = 0\.1 s on the wheels would slip, by"):
        cs.constrained_motion(tricycle("t**2", "2*t", "0"), np.zeros(6), np.zeros(6), 1.0, 0.1)
