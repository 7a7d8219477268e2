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


SECTION, ALLOY = cs.Rectangle(width=0.02, height=0.03), cs.materials.ALUMINIUM_6061


def elastic_tree(free: bool) -> cs.Model:
    """Rigid and elastic bodies by turns, with joints of several kinds, a bar fixed to a beam, springs and loads."""
    model = cs.Model("elastic tree", gravity=(0.3, -0.2, -9.81))
    hub = model.add(cs.RigidBody.box("hub", (0.4, 0.5, 0.3), mass=20.0))
    if not free:
        model.add(cs.Spherical("root", cs.GROUND, hub.at((0, 0, 0.2)), damping=0.4))
    upper = model.add(cs.Beam("upper", [(0, 0, 0), (0.6, 0, 0)], section=SECTION, material=ALLOY, elements=3))
    lower = model.add(cs.Beam("lower", [(0.6, 0, 0), (1.4, 0, 0.1)], section=SECTION, material=ALLOY, elements=4))
    tip = model.add(cs.RigidBody.bar("tip", (1.4, 0, 0.1), (1.5, 0.1, 0.1), mass=0.4))
    hand = model.add(cs.RigidBody.box("hand", (0.1, 0.1, 0.2), mass=1.0, com=(1.6, 0, 0)))
    friction = cs.Friction(0.7, 0.3)
    model.add(cs.Revolute("shoulder", hub, upper.start, axis=(0, 0.6, 0.8), stiffness=3.0, friction=friction))
    model.add(cs.Universal("elbow", upper.end, lower.start, axes=((0, 1, 0), (0, 0, 1)), stiffness=2.0, damping=0.1))
    model.add(cs.Fixed("weld", lower.end, tip.at((1.4, 0, 0.1))))
    model.add(cs.Cylindrical("wrist", lower.end, hand, axis=(1, 0, 0), at=(1.4, 0, 0.1), damping=(1.0, 0.2)))
    model.add(cs.Spring("spring", hub.at((0, 0.2, 0)), lower.end, 30.0, damping=2.0))
    model.add(cs.Force("push", hand.at((1.6, 0.1, 0)), ("3*t", 0, "2 + t"), follower=True))
    return model


def elastic_state(model: cs.Model, rng: np.random.Generator, count: int) -> tuple[cs.Tree, list[np.ndarray]]:
    tree = cs.Tree(model, modes=2)
    scale = np.array([1e-3 if ".mode" in name else 0.6 for name in tree.coordinates])
    return tree, [scale * rng.normal(size=len(scale)) for _ in range(count)]


@pytest.mark.parametrize("free", [True, False])
def test_elastic_bodies_have_a_number_for_each_mode(rng: np.random.Generator, free: bool) -> None:
    model = elastic_tree(free)
    tree, (q, v, tau, a) = elastic_state(model, rng, 4)
    tree.set_time(0.7)
    vectors = cs.composed_vectors(model, q, v, tau, t=0.7, modes=2)
    modes = {name: body.n_modes for name, body in tree.modal_bodies.items()}
    assert vectors.bodies == ("hub", "tip", "hand", "upper", "lower")
    assert vectors.modes == (0, 0, 0, modes["upper"], modes["lower"])
    assert vectors.of_body(vectors.forces, "lower").shape == (6 + modes["lower"],)
    assert close(vectors.mass_matrix, tree.mass_matrix(q))
    assert close(vectors.bias, tree.bias(q, v) - tau)
    assert close(vectors.accelerations, tree.forward_dynamics(q, v, tau), 1e-9)
    coriolis = np.einsum("gab,a,b->g", vectors.brackets, v, v)
    # stiffness is even in the velocities, damping and friction are odd: the quadratic terms are what is left
    even = 0.5 * (tree.bias(q, v) + tree.bias(q, -v)) - tree.bias(q, 0 * v)
    assert np.abs(coriolis).max() > 0.1
    assert np.abs(coriolis - even).max() < 1e-10 * np.abs(tree.bias(q, v)).max()
    # what acts on each body is what changes its momenta, reactions included, which do no work
    assert close(vectors.velocities @ vectors.rates_of_momenta(a), tree.mass_matrix(q) @ a + coriolis, 1e-10)
    same = tree.composed_vectors(q, v, tau)
    assert np.array_equal(same.forces, vectors.forces)


def test_brackets_of_elastic_bodies_are_christoffel_symbols(rng: np.random.Generator) -> None:
    """Of a tree whose velocities are rates of coordinates."""
    model = elastic_tree(free=True)
    model.add(cs.Fixed("stand", cs.GROUND, model["hub"]))
    tree, (q,) = elastic_state(model, rng, 1)
    n = len(q)
    da = np.zeros((n, n, n))
    for k, name in enumerate(tree.coordinates):
        h = 1e-4 if ".mode" in name else 5e-3
        for weight, m in ((45, 1), (-9, 2), (1, 3)):
            step = m * h * np.eye(n)[k]
            da[..., k] += weight * (tree.mass_matrix(q + step) - tree.mass_matrix(q - step)) / (60 * h)
    expected = 0.5 * (da + np.einsum("iba->iab", da) - np.einsum("abi->iab", da))
    assert close(tree.composed_vectors(q).brackets, expected, 1e-8)


def test_momenta_of_bodies_are_those_of_the_whole(rng: np.random.Generator) -> None:
    """Sums over bodies: momentum and weight, without ground; joints and springs add nothing."""
    model = elastic_tree(free=True)
    tree, (q, v) = elastic_state(model, rng, 2)
    vectors = tree.composed_vectors(q, v)
    momentum = sum(vectors.of_body(v @ vectors.momenta, body)[:3] for body in vectors.bodies)
    assert close(momentum, tree.centroidal_momentum(q, v)[:3])
    k = tree.coordinates.index("hub.x")
    mass = tree.mass_matrix(q)[k, k]
    push = tree.frame("hand", q)[:3, :3] @ (0, 0, 2.0)
    total = sum(vectors.of_body(vectors.forces, body)[:3] for body in vectors.bodies)
    assert close(total, mass * np.array(model.gravity) + push)


@pytest.mark.parametrize("free", [True, False])
def test_a_rigid_link_is_a_link_without_modes(zoo, rng: np.random.Generator, free: bool) -> None:
    model = zoo(forces=True, free=free)
    q, v, tau = rng.normal(size=(3, len(cs.Tree(model).coordinates))) * 0.7
    one, two = (kind(model).composed_vectors(q, v, tau) for kind in (cs.Tree, cs.FlexibleTree))
    for name in ("velocities", "momenta", "quadratic", "forces"):
        assert close(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "elastic"])
def test_closed_loops_stay_closed(flexible: bool) -> None:
    """A spatial four-bar, cut at a ball joint with a spring and a damper: forces in the cut act on both bodies."""
    model = cs.Model("linkage", gravity=(0.3, -9.81, 1.0))
    corners = [(0, 0, 0), (0, 0.4, 0), (1, 0.6, 0.1), (1.1, 0, 0)]
    crank, rocker = (
        model.add(cs.RigidBody.bar(name, corners[k], corners[k + 1], mass=1.0 + k))
        for k, name in ((0, "crank"), (2, "rocker"))
    )
    if flexible:
        nylon = cs.materials.NYLON
        coupler = model.add(cs.Beam("coupler", points=corners[1:3], section=SECTION, material=nylon, elements=4))
        ends = coupler.start, coupler.end
    else:
        coupler = model.add(cs.RigidBody.bar("coupler", corners[1], corners[2], mass=0.5))
        ends = coupler.at(corners[1]), coupler.at(corners[2])
    model.add(cs.Revolute("A", cs.GROUND, crank.at(corners[0]), axis=(0, 0, 1), damping=0.1, stiffness=2.0))
    model.add(cs.Universal("B", crank.at(corners[1]), ends[0], axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Spherical("C", ends[1], rocker.at(corners[2]), stiffness=1.5, damping=0.2))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(corners[3]), axis=(0, 0.1, 1)))
    tree = cs.Tree(model, modes=2 if flexible else None)
    motion = tree.integrate(0.2, 0.001)
    q, v, tau = motion.q[-1], motion.v[-1], np.linspace(-0.3, 0.3, len(motion.q[-1]))
    vectors = tree.composed_vectors(q, v, tau)
    tied = tree.constrained_dynamics(q, v, tau)
    assert close(vectors.mass_matrix, tree.mass_matrix(q))
    assert close(vectors.bias, tree.bias(q, v) - tau)
    assert close(vectors.accelerations, tied.a, 1e-8)
    assert np.abs(vectors.constraint_forces).max() > 0.1
    gap = vectors.mass_matrix @ tied.a + vectors.bias - vectors.constraint_forces
    assert np.abs(gap).max() < 1e-9 * np.abs(vectors.bias).max()
    turned = np.linalg.qr(np.vander(np.arange(1.0, 1 + len(q))))[0]
    assert close(turned @ vectors.combined(turned).accelerations, vectors.accelerations, 1e-8)
