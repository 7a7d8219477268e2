"""One `Tree` for rigid and elastic models: the same calls, each checked against differences or the other kernels."""

import copy
import pickle

import numpy as np
import pytest

import cosserat as cs

ROD = {"section": cs.Rod(0.02), "material": cs.materials.ALUMINIUM_6061, "elements": 4}


def elastic(first: str = "revolute") -> cs.Model:
    """A beam on a joint, carrying a body on a spherical joint, with a load that depends on time."""
    model = cs.Model("arm", gravity=(0, 0.3, -9.81))
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0.2, 0)], **ROD))
    tip = model.add(cs.RigidBody("tip", mass=1.0, com=(1.3, 0.2, 0.1), inertia=(0.02, 0.03, 0.04)))
    if first == "revolute":
        model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 0.6, 0.8), damping=0.1))
    elif first == "free":
        model.add(cs.Free("loose", beam.start, cs.GROUND))  # described from the other side
    model.add(cs.Spherical("wrist", beam.end, tip.at((1, 0.2, 0))))
    model.add(cs.Force("push", "beam.end", ("sin(3*t)", 0, 1)))
    return model


def rigid() -> cs.Model:
    model = cs.Model("rigid", gravity=(0, 0, -9.81))
    one = model.add(cs.RigidBody("one", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3)))
    two = model.add(cs.RigidBody("two", mass=1.0, com=(1.5, 0.1, 0), inertia=(0.3, 0.2, 0.15)))
    model.add(cs.Free("base", cs.GROUND, one))
    model.add(cs.Spherical("ball", one.at((1, 0, 0)), two.at((1, 0, 0))))
    return model


def state(tree: cs.Tree, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = len(tree.coordinates)
    small = np.array([1e-2 if ".mode" in name else 0.5 for name in tree.coordinates])
    return tuple(small * rng.standard_normal(n) for _ in range(3))


@pytest.mark.parametrize("frame", ["world", "body"])
@pytest.mark.parametrize("first", ["revolute", "free", "none"])
def test_jacobian_rate_of_elastic_trees_is_the_derivative(first, frame, rng):
    tree = cs.Tree(elastic(first), modes=2)
    q, v, _ = state(tree, rng)
    h = 1e-4
    for place in ("beam.end", "tip"):
        ahead, behind = (tree.jacobian(place, tree.moved(q, s * v), frame) for s in (h, -h))
        rate = tree.jacobian_rate(place, q, v, frame)
        assert np.allclose((ahead - behind) / (2 * h), rate, atol=1e-6 * (1 + np.abs(rate).max()))


@pytest.mark.parametrize("frame", ["world", "body"])
def test_both_kernels_agree_on_rigid_models(frame, rng):
    one, other = cs.Tree(rigid()), cs.FlexibleTree(rigid())
    assert type(one) is not type(other)
    assert isinstance(other, cs.Tree)
    q, v, a = state(one, rng)
    for call, args in (
        ("jacobian", ("two", q, frame)),
        ("jacobian_rate", ("two", q, v, frame)),
        ("centroidal_matrix", (q,)),
        ("centre_of_mass", (q,)),
        ("difference", (q, one.moved(q, v))),
    ):
        assert np.allclose(getattr(one, call)(*args), getattr(other, call)(*args), atol=1e-12), call
    driven = np.repeat([0.0, 1.0], [6, 3])
    pulls = rng.standard_normal((2, 6))
    for x, y in zip(
        one.hybrid_dynamics(q, v, driven, a, wrenches=pulls), other.hybrid_dynamics(q, v, driven, a, wrenches=pulls)
    ):
        assert np.allclose(x, y, atol=1e-10)
    pull = rng.standard_normal(len(q))
    for x, y in zip(one.hybrid_dynamics(q, v, driven, a, pull=pull), other.hybrid_dynamics(q, v, driven, a, pull=pull)):
        assert np.allclose(x, y, atol=1e-10)
    free = one.forward_dynamics(q, v, np.zeros(9), driven={"ball.rx": 1.0, "ball.ry": 0.0, "ball.rz": -2.0})
    assert np.allclose(free[6:], (1, 0, -2))


@pytest.mark.parametrize("tree", [cs.Tree(rigid()), cs.Tree(elastic(), modes=2)], ids=["rigid", "elastic"])
def test_stacks_times_and_out(tree, rng):
    tree.set_time(0.4)
    states = [np.stack(x) for x in zip(*(state(tree, rng) for _ in range(3)))]
    q, v, a = states
    tau = tree.inverse_dynamics(q, v, a)
    assert tau.shape == q.shape
    for k in range(3):
        assert np.allclose(tau[k], tree.inverse_dynamics(q[k], v[k], a[k]), rtol=1e-12)
        slopes = tree.inverse_dynamics_derivatives(q, v, a)
        assert np.allclose(slopes.dv[k], tree.inverse_dynamics_derivatives(q[k], v[k], a[k]).dv, rtol=1e-10)
    out = np.empty(q.shape)
    assert tree.forward_dynamics(q, v, tau, out) is out
    M = tree.mass_matrix(q)
    assert all(abs(d @ m @ d) < 1e-16 * abs(x @ m @ x) for d, m, x in zip(out - a, M, a))
    with pytest.raises(cs.CosseratError, match="finite"):
        tree.inverse_dynamics(q, v, np.where(a == a[1, 1], np.nan, a))


def test_time_matters_and_is_kept():
    tree = cs.Tree(elastic(), modes=2)
    zero = tree.neutral()
    before = tree.bias(zero, zero)
    tree.set_time(0.5)
    assert not np.allclose(before, tree.bias(zero, zero))


@pytest.mark.parametrize("make", [lambda: cs.Tree(rigid()), lambda: cs.Tree(elastic(), modes=2)])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_and_pickles(make, again, rng):
    tree = make()
    tree.set_time(0.3)
    other = again(tree)
    assert type(other) is type(tree)
    q, v, a = state(tree, rng)
    assert other.coordinates == tree.coordinates
    assert np.array_equal(other.inverse_dynamics(q, v, a), tree.inverse_dynamics(q, v, a))


def test_constrained_dynamics_of_an_elastic_model(rng):
    # A beam with a knife edge at its middle: M a + h = A^T lambda, and the velocity across the edge stays what it is.
    model = cs.Model("skate")
    section = cs.Section(stiffness=np.full(6, 1e5), mass=np.diag([2.0, 2, 2, 1e-3, 1e-3, 1e-3]))
    bar = model.add(cs.Beam("bar", points=[(-1, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Planar("ice", cs.GROUND, bar.at(0.5), normal=(0, 0, 1)))
    model.add(cs.KnifeEdge("edge", bar.at(0.5), direction=(0, 1, 0)))
    tree = cs.Tree(model, modes=2)
    q, v, _ = state(tree, rng)
    found = cs.constrained_dynamics(model, q, v, modes=2)
    J, J_dot = tree.jacobian(bar.at(0.5), q), tree.jacobian_rate(bar.at(0.5), q, v)
    across = tree.forward_kinematics(q).rotation(bar.at(0.5)) @ (0, 1, 0)
    turning = np.cross(J[3:] @ v, across)
    assert np.allclose(tree.inverse_dynamics(q, v, found.a), across @ J[:3] * found.multipliers[0], atol=1e-8)
    left = across @ (J[:3] @ found.a + J_dot[:3] @ v) + turning @ (J[:3] @ v)
    assert abs(left) < 1e-9 * np.abs(found.a).max()
    motion = cs.constrained_motion(model, q, v, duration=1e-3, step=1e-5, modes=2)
    assert motion.slip < 1e-10


def test_modes_of_a_rigid_model_are_refused():
    with pytest.raises(cs.CosseratError, match="Tree: modes is 3, but model 'rigid' has no beams"):
        cs.Tree(rigid(), modes=3)
    with pytest.raises(cs.CosseratError, match="Tree: beam 'beam': pass modes="):
        cs.Tree(elastic())


@pytest.mark.parametrize("t", ["x", None, [1.0], np.nan])
@pytest.mark.parametrize("kind", [cs.Tree, cs.FlexibleTree])
def test_times_are_numbers(kind, t):
    model = cs.Model("mass")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Force("push", body, ("t", 0, 0)))
    tree = kind(model)
    with pytest.raises(cs.CosseratError, match=r"Tree\.set_time: t "):
        tree.set_time(t)
    assert tree.time == 0.0


class Kind(np.ndarray):
    """Arrays of another class, such as those of files mapped to memory."""


BOTH = [lambda: cs.Tree(rigid()), lambda: cs.Tree(elastic(), modes=2)]
CALLS = {"inverse_dynamics": 3, "forward_dynamics": 3, "bias": 2, "gravity_forces": 1, "mass_matrix": 1}


@pytest.mark.parametrize("make", BOTH, ids=["rigid", "elastic"])
@pytest.mark.parametrize("call", CALLS)
def test_arrays_of_other_classes_are_read_and_written(make, call, rng):
    tree = make()
    given = [x.view(Kind) for x in state(tree, rng)[: CALLS[call]]]
    expected = getattr(tree, call)(*map(np.asarray, given))
    assert np.array_equal(getattr(tree, call)(*given), expected)
    out = np.full(expected.shape, np.nan).view(Kind)
    getattr(tree, call)(*given, out=out)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("make", BOTH, ids=["rigid", "elastic"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_accelerations_may_take_the_place_of_the_state(make, place, rng):
    tree = make()
    given = list(state(tree, rng))
    expected = tree.forward_dynamics_derivatives(*(x.copy() for x in given))
    matrices = np.empty((3, len(given[0]), len(given[0])))
    found = tree.forward_dynamics_derivatives(*given, out=(*matrices, given[place]))
    assert all(np.allclose(a, b, rtol=1e-12, atol=1e-12) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("make", BOTH, ids=["rigid", "elastic"])
def test_results_may_take_a_part_of_the_memory_of_the_state(make, rng):
    tree = make()
    q, v, tau = 0.1 * rng.standard_normal((3, len(tree.coordinates)))
    wanted, free = tree.forward_dynamics(q, v, tau), np.zeros(len(q))
    for out in (lambda x: (x[:], np.empty(len(x))), lambda x: (np.empty(len(x)), x[:])):
        room = v.copy()
        np.testing.assert_array_equal(tree.hybrid_dynamics(q, room, free, tau, out=out(room))[0], wanted)
    room = v.copy()
    np.testing.assert_array_equal(tree.forward_dynamics(q, room, tau, out=room[:]), wanted)


@pytest.mark.parametrize("make", BOTH, ids=["rigid", "elastic"])
def test_states_that_are_none_are_refused_in_every_call(make):
    tree = make()
    n = len(tree.coordinates)
    stack, zero = np.zeros((3, n)), np.zeros(n)
    stack[1, 0] = np.nan
    for call, count in CALLS.items():
        with pytest.raises(cs.CosseratError, match=r"q\[1, 0\] .* is nan"):
            getattr(tree, call)(*count * [stack])
    with pytest.raises(cs.CosseratError, match="pull is 'x', not numbers"):
        tree.hybrid_dynamics(zero, zero, zero, zero, pull="x", wrenches=np.zeros((len(tree.data.links), 6)))
    with pytest.raises(cs.CosseratError, match="this call takes one state"):
        tree.forward_dynamics(np.zeros((3, n)), zero, zero, driven={tree.coordinates[0]: 1.0})
    with pytest.raises(cs.CosseratError, match="threads"):
        tree.forward_dynamics(zero, zero, zero, driven=dict.fromkeys(tree.coordinates, 1.0), threads=0)


def test_numbers_whose_squares_overflow_are_states(rng):
    tree = cs.Tree(elastic(), modes=2)
    q, v, a = state(tree, rng)
    far = np.where(np.arange(len(q)) == 0, 1e160, a)
    assert np.allclose(tree.inverse_dynamics(q, v, far), tree.mass_matrix(q) @ far, rtol=1e-12, atol=1e148)


@pytest.mark.parametrize("kind", [cs.Tree, cs.FlexibleTree])
def test_a_tree_keeps_the_model_as_it_was(kind):
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=cs.Parameter("m", 2.0), com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), stiffness=cs.Parameter("c", 3.0)))
    model.add(cs.Spring("spring", cs.GROUND, bob, stiffness=cs.Parameter("k", 40.0), length=cs.Parameter("l", 0.3)))
    tree, q = kind(model), np.array([0.2])

    def answers(tree: cs.Tree) -> list[float]:
        end = tree.integrate(0.01, 1e-3).q[-1]
        return [*tree.inverse_dynamics(q, q, q), *tree.energy(q, q), *tree.mass_matrix(q)[0], *end]

    before, changed = answers(tree), {"m": 9.0, "c": 99.0, "k": 1.0, "l": 0.1}
    model.set(**changed)
    model.gravity = (0, 0, -1.0)
    for same in (tree, copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert np.allclose(answers(same), before, rtol=1e-14)
    assert model.parameters == changed
    assert not np.allclose(answers(kind(model)), before, rtol=1e-2)


def linkage(flexible):
    """A spatial four-bar: its ball joint, with a spring and a damper, is the one that is cut."""
    model = cs.Model("linkage", gravity=(0.3, -9.81, 1.0))
    corners = [(0, 0, 0), (0, 0.4, 0), (1, 0.6, 0.1), (1.1, 0, 0)]
    crank = model.add(cs.RigidBody.bar("crank", corners[0], corners[1], mass=1.0))
    if flexible:
        section, nylon = cs.Rectangle(0.03, 0.02), cs.materials.NYLON
        coupler = model.add(cs.Beam("coupler", points=corners[1:3], section=section, material=nylon, elements=4))
        ends = coupler.start, coupler.end
    else:
        coupler = model.add(cs.RigidBody("coupler", mass=0.5, com=(0.5, 0.5, 0.05), inertia=(0.01, 0.05, 0.06)))
        ends = coupler.at(corners[1]), coupler.at(corners[2])
    rocker = model.add(cs.RigidBody("rocker", mass=1.2, com=(1.05, 0.3, 0.05), inertia=(0.02, 0.03, 0.04)))
    model.add(cs.Revolute("A", cs.GROUND, crank.at(corners[0]), axis=(0, 0, 1), damping=0.1, stiffness=2.0))
    model.add(cs.Universal("B", crank.at(corners[1]), ends[0], axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Spherical("C", ends[1], rocker.at(corners[2]), stiffness=1.5, damping=0.2))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(corners[3]), axis=(0, 0.1, 1)))
    model.add(cs.Force("push", rocker, (1, "2*t", 0), follower=True))
    return model


def drag(t, frame, twist, parameters):
    out = np.zeros(6)
    out[0] = -parameters["c"] * twist[0] - 0.1
    return out


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_a_tree_keeps_what_acts_as_it_was(loop):
    """Loads, efforts, drives of cut joints and numbers of laws of a tree do not follow the model, either."""
    names = {"F": 3.0, "T": 0.7, "c": 0.4, "k": 2.0}
    F, T, c, k = (cs.Parameter(name, value) for name, value in names.items())
    model = linkage(False) if loop else cs.Model("swing", gravity=(0, 0, -9.81))
    if loop:
        model.remove("C")
        model.add(cs.Spherical("C", "coupler.at(1, 0.6, 0.1)", "rocker.at(1, 0.6, 0.1)", effort=(T, 0, 0), stiffness=k))
        bob = model["rocker"]
    else:
        bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
        model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), effort=T, stiffness=k))
    model.add(cs.Force("pull", bob, (0, 0, F)))
    model.add(cs.StateLoad("drag", bob, drag, {"c": c}))
    tree = cs.Tree(model)
    q, v = np.zeros(len(tree.coordinates)), np.full(len(tree.coordinates), 0.0 if loop else 0.3)
    before = tree.forward_dynamics(q, v, 0.0 * q)
    model.set(F=50.0, T=-3.0, c=9.0, k=40.0)
    for t in (0.0, 0.2, 0.0):
        tree.set_time(t)
        found = tree.forward_dynamics(q, v, 0.0 * q)
    assert np.allclose(found, before, rtol=1e-12)
    assert model.parameters == {"F": 50.0, "T": -3.0, "c": 9.0, "k": 40.0}
    assert not np.allclose(cs.Tree(model).forward_dynamics(q, v, 0.0 * q), before, rtol=1e-2)


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "elastic"])
def test_trees_with_closed_loops(flexible):
    model, modes = linkage(flexible), 2 if flexible else None
    tree = cs.Tree(model, modes=modes)
    n = len(tree.coordinates)
    assert tree.coordinates[:4] == ("A", "B.rx", "B.ry", "D")
    motion = tree.integrate(0.4, 0.001)
    q, v = motion.q[-1], motion.v[-1]
    tree.set_time(0.4)
    run = cs.simulate(model, 0.4, 0.001, **({"formulation": "floating", "modes": modes} if flexible else {}))
    assert np.allclose(tree.frame("rocker", q)[:3, 3], run.position("rocker")[-1], atol=1e-6)
    a = tree.forward_dynamics(q, v, np.zeros(n))
    if not flexible:
        found = tree.forward_kinematics(q, v, a).acceleration("rocker")
        assert np.allclose(found, run.acceleration("rocker")[-1], atol=1e-5)
    energy = tree.energy(q, v)
    for name in ("kinetic", "strain", "potential"):
        assert getattr(energy, name) == pytest.approx(float(run.energy[name][-1]), abs=1e-4)
    # efforts along what the loops allow: forward dynamics undoes inverse dynamics
    tau = np.linspace(-0.3, 0.3, n)
    a = tree.forward_dynamics(q, v, tau)
    scale = np.abs(a).max()
    assert np.allclose(tree.forward_dynamics(q, v, tree.inverse_dynamics(q, v, a)), a, atol=1e-9 * scale)
    tied = tree.constrained_dynamics(q, v, tau)
    assert np.allclose(tied.a, a, atol=1e-7 * scale)
    assert tied.multipliers.shape == (3,)
    assert np.allclose(pickle.loads(pickle.dumps(tree)).forward_dynamics(q, v, tau), a, atol=1e-12 * scale)
    # derivatives
    slopes, inverse = tree.forward_dynamics_derivatives(q, v, tau), tree.inverse_dynamics_derivatives(q, v, a)
    assert np.array_equal(slopes.a, a)
    for k in range(n):
        unit = np.eye(n)[k] * (1e-3 if k < 4 else 1e-6)
        for found, call in (
            (slopes.dq, lambda x: tree.forward_dynamics(tree.moved(q, x), v, tau)),
            (slopes.dv, lambda x: tree.forward_dynamics(q, v + x, tau)),
            (slopes.dtau, lambda x: tree.forward_dynamics(q, v, tau + x)),
            (inverse.dq, lambda x: tree.inverse_dynamics(tree.moved(q, x), v, a)),
            (inverse.dv, lambda x: tree.inverse_dynamics(q, v + x, a)),
        ):
            near, far = (call(s * unit) - call(-s * unit) for s in (1, 2))
            expected = (8 * near - far) / (12 * unit[k])
            assert np.allclose(found[:, k], expected, atol=1e-7 * np.abs(found).max())


def test_multipliers_of_a_closed_loop():
    """A bar on two parallel cranks swings like a point mass, and each crank carries half of it."""
    model = cs.Model("parallel", gravity=(0, 0, -9.81))
    cranks = [model.add(cs.RigidBody.bar(f"crank{k}", (k, 0, 0), (k, 0, -1), mass=1e-9)) for k in (0, 1)]
    bar = model.add(cs.RigidBody.bar("bar", (0, 0, -1), (1, 0, -1), mass=2.0))
    for k, crank in enumerate(cranks):
        model.add(cs.Revolute(f"top{k}", cs.GROUND, crank.at((k, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Revolute("left", cranks[0].at((0, 0, -1)), bar.at((0, 0, -1)), axis=(0, 1, 0)))
    model.add(cs.Spherical("right", cranks[1].at((1, 0, -1)), bar.at((1, 0, -1))))
    tree = cs.Tree(model)
    swing = {"top0": 0.5, "left": -0.5, "top1": 0.5}
    q = np.array([swing[name] for name in tree.coordinates])
    found = tree.constrained_dynamics(q, np.zeros(3))
    a = dict(zip(tree.coordinates, found.a, strict=True))
    assert a["top0"] == pytest.approx(-9.81 * np.sin(0.5), rel=1e-7)  # of a point mass on a string
    assert a["top1"] == pytest.approx(a["top0"])
    assert a["left"] == pytest.approx(-a["top0"])
    assert np.linalg.norm(found.multipliers) == pytest.approx(9.81 * np.cos(0.5), rel=1e-6)  # half of 2 kg
    moved = cs.constrained_motion(model, q, np.zeros(3), 0.5, 0.005)
    run = cs.Tree(model).integrate(0.5, 0.001, q=q)
    assert np.allclose(moved.q[-1], run.q[-1], atol=1e-5)
    assert moved.gap < 1e-12
