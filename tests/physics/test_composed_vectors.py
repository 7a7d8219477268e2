"""Composed vectors against the recursions, on random trees and on joints of every kind."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs


def random_tree(seed: int, bodies: int = 9) -> cs.Model:
    """Every body hangs by a revolute, prismatic or screw joint on the ground or on an earlier body."""
    rng = np.random.default_rng(seed)
    model = cs.Model(f"tree {seed}", gravity=rng.normal(size=3) * 5)
    made: list[cs.RigidBody] = []
    for i in range(bodies):
        A = rng.normal(size=(3, 3))
        inertia = np.trace(A @ A.T) * np.eye(3) - A @ A.T + 0.1 * np.eye(3)
        body = model.add(cs.RigidBody(f"b{i}", mass=rng.uniform(0.5, 2), com=rng.normal(size=3), inertia=inertia))
        inner = made[rng.integers(len(made))] if made and rng.random() < 0.9 else cs.GROUND
        passive = {"stiffness": rng.uniform(0, 3), "damping": rng.uniform(0, 2), "friction": cs.Friction(0.7, 0.3)}
        kind = rng.choice(["revolute", "prismatic", "screw"], p=[0.6, 0.2, 0.2])
        made_joint = {"revolute": cs.Revolute, "prismatic": cs.Prismatic, "screw": cs.Screw}[kind]
        pitch = {"pitch": 0.2} if kind == "screw" else {}
        where = tuple(rng.normal(size=3))
        model.add(made_joint(f"j{i}", inner, body, axis=rng.normal(size=3), at=where, **pitch, **passive))
        made.append(body)
    model.add(cs.Spring("spring", made[-1].at((1, 2, 3)), made[0].at((0, 1, 0)), 30.0, damping=2.0))
    model.add(cs.Force("pull", made[3].at((0.3, 0, 1)), (1, "2*t", -4), follower=True))
    return model


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> bool:
    return bool(np.abs(a - b).max() < tolerance * np.abs(b).max())


@pytest.fixture(params=range(6))
def case(request: pytest.FixtureRequest) -> tuple[cs.Model, np.ndarray]:
    rng = np.random.default_rng(100 + request.param)
    model = random_tree(request.param)
    return model, rng.normal(size=(4, 9))


def test_equations_are_those_of_the_recursions(case) -> None:
    model, (q, v, tau, a) = case
    vectors = cs.composed_vectors(model, q, v, tau, t=0.7)
    assert close(vectors.mass_matrix, cs.mass_matrix(model, q))
    assert close(vectors.bias, cs.bias(model, q, v, t=0.7) - tau)
    assert close(vectors.accelerations, cs.forward_dynamics(model, q, v, tau, t=0.7))
    at_rest = cs.composed_vectors(model, q, t=0.7)
    coriolis = np.einsum("gab,a,b->g", vectors.brackets, v, v)
    apart = cs.bias(without_forces(model), q, v) - cs.gravity_forces(model, q)
    assert close(coriolis, apart)
    assert close(-at_rest.generalised_forces, cs.bias(model, q, 0 * q, t=0.7))
    # FN of Newton and Euler holds reactions, which do no work
    assert close(vectors.velocities @ vectors.rates_of_momenta(a), cs.mass_matrix(model, q) @ a + coriolis)


def without_forces(model: cs.Model) -> cs.Model:
    """The same bodies and joints, gravity kept, nothing else acting."""
    bare = cs.Model("bare", gravity=model.gravity)
    bodies = {body.name: bare.add(body) for body in model.bodies}
    for joint in model.joints:
        inner = cs.GROUND if joint.parent.on_ground else bodies[joint.parent.owner.name]
        outer = bodies[joint.child.owner.name]
        H = joint.frame()
        pitch = {"pitch": joint.pitch} if joint.kind == "screw" else {}
        bare.add(type(joint)(joint.name, inner, outer, axis=H[:3, joint.freedoms[0].axis], at=H[:3, 3], **pitch))
    return bare


def test_brackets_are_christoffel_symbols(case) -> None:
    """[Giacaglia20] (2.22) with its missing half, the mass matrix differentiated by sixth-order differences."""
    model, (q, *_) = case
    n, h = len(q), 2e-3
    da = np.zeros((n, n, n))  # last index: direction
    for k in range(n):
        step = h * np.eye(n)[k]
        for weight, m in ((45, 1), (-9, 2), (1, 3)):
            da[..., k] += (
                weight * (cs.mass_matrix(model, q + m * step) - cs.mass_matrix(model, q - m * step)) / (60 * h)
            )
    expected = 0.5 * (np.einsum("iab->iab", da) + np.einsum("iba->iab", da) - np.einsum("abi->iab", da))
    assert close(cs.composed_vectors(model, q).brackets, expected, 1e-9)


def test_derivatives_of_velocities_are_rates_of_jacobians(case) -> None:
    model, (q, *_) = case
    vectors = cs.composed_vectors(model, q)
    n = len(q)
    for body in model.bodies:
        XY = vectors.of_body(vectors.quadratic, body.name)
        for k in range(n):
            rate = cs.jacobian_rate(model, body, q, np.eye(n)[k])
            assert np.allclose(XY[:, k, :3], body.mass * rate[:3].T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("free", [True, False])
def test_joints_of_every_kind(zoo, rng: np.random.Generator, free: bool) -> None:
    model = zoo(forces=True, free=free)
    q, v, tau = rng.normal(size=(3, len(cs.Tree(model).coordinates))) * 0.7
    vectors = cs.composed_vectors(model, q, v, tau)
    assert close(vectors.mass_matrix, cs.mass_matrix(model, q))
    assert close(vectors.bias, cs.bias(model, q, v) - tau)


def test_forces_of_joints_and_springs_are_pairs(zoo, rng: np.random.Generator) -> None:
    """Without ground and gravity, FN has neither a resultant nor a moment."""
    model = cs.Model("pairs")
    one, two = (model.add(cs.RigidBody.box(name, (1, 2, 3), mass=2.0, com=(x, 0, 0))) for x, name in enumerate("ab"))
    model.add(cs.Universal("cross", one, two, axes=((1, 0, 0), (0, 1, 0)), at=(0.5, 1, 0), damping=(1.0, 2.0)))
    model.add(cs.Spring("spring", one.at((0, 1, 1)), two.at((2, 3, 1)), 10.0))
    q, v = rng.normal(size=(2, 8))
    vectors = cs.composed_vectors(model, q, v)
    posture = cs.forward_kinematics(model, q)
    wrenches = vectors.forces.reshape(2, 6)
    centres = np.stack([posture.position(body) for body in vectors.bodies])
    assert np.abs(wrenches).max() > 1.0
    assert np.allclose(wrenches[:, :3].sum(axis=0), 0, atol=1e-12)
    moment = wrenches[:, 3:] + np.cross(centres, wrenches[:, :3])
    assert np.allclose(moment.sum(axis=0), 0, atol=1e-12)


def test_bad_input() -> None:
    model = random_tree(1)
    with pytest.raises(cs.CosseratError, match=r"composed_vectors: q has the shape \(3,\)"):
        cs.composed_vectors(model, np.zeros(3))
    vectors = cs.composed_vectors(model, np.zeros(9))
    with pytest.raises(cs.CosseratError, match="no body 'b77' that moves; bodies: b0, b1"):
        vectors.of_body(vectors.forces, "b77")
    with pytest.raises(cs.CosseratError, match=r"combined: T must be a regular matrix \(9, 9\)"):
        vectors.combined(np.ones((9, 9)))
    with pytest.raises(cs.CosseratError, match=r"combined: T must be \(9, 9\) finite numbers, got the shape \(2, 2\)"):
        vectors.combined(np.eye(2))
    with pytest.raises(cs.CosseratError, match="combined: T is 'turn', not numbers"):
        vectors.combined("turn")
    with pytest.raises(cs.CosseratError, match=r"combined: names is \('a',\); pass one name for each of the 9"):
        vectors.combined(np.eye(9), names=("a",))
    with pytest.raises(cs.CosseratError, match=r"rates_of_momenta: a must be \(9,\) finite numbers"):
        vectors.rates_of_momenta(np.zeros(2))
