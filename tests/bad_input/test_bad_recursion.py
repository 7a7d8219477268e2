"""Relative coordinates: what is refused, and with which words."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture
def arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    one = model.add(cs.RigidBody("one", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    two = model.add(cs.RigidBody("two", mass=1.0, com=(3, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("shoulder", cs.GROUND, one.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("elbow", one.at((2, 0, 0)), two.at((2, 0, 0)), axis=(0, 1, 0), damping=0.1))
    return model


CALLS = {
    "inverse_dynamics": cs.inverse_dynamics,
    "forward_dynamics": cs.forward_dynamics,
    "inverse_dynamics_derivatives": cs.inverse_dynamics_derivatives,
    "forward_dynamics_derivatives": cs.forward_dynamics_derivatives,
}
ZERO = np.zeros(2)


@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros(3), r"v has the shape \(3,\); expected one number for each of the 2 coordinates .*shoulder, elbow"),
        (np.zeros(1), r"v has the shape \(1,\)"),
        (0.0, r"v has the shape \(\)"),
        (np.zeros((2, 2, 2)), r"v has the shape \(2, 2, 2\)"),
        (np.array([0.0, np.nan]), r"v\[1\] \(coordinate 'elbow'\) is nan"),
        ([np.inf, 0.0], r"v\[0\] \(coordinate 'shoulder'\) is inf"),
        ("fast", "v is 'fast', not numbers"),
        (1j * np.ones(2), "v is array.*, not numbers"),
        (None, "v"),
    ],
)
def test_bad_vectors(arm: cs.Model, name: str, bad: object, words: str, forced: bool) -> None:
    if forced:
        arm.add(cs.Force("pull", "two", (1, 0, 0)))
    with pytest.raises(cs.CosseratError, match=rf"{name}: .*{words}"):
        CALLS[name](arm, ZERO, bad, ZERO)


def test_arrays_of_other_kinds_are_not_compiled_for(arm: cs.Model) -> None:
    from cosserat.kernels.recursion.articulated import forward_dynamics
    from cosserat.kernels.recursion.newton_euler import inverse_dynamics

    tree = cs.Tree(arm)
    tree.forward_dynamics(ZERO, ZERO, ZERO)
    expected = tree.inverse_dynamics(np.array([1.0, 2.0]), ZERO, ZERO)
    before = [kernel.signatures for kernel in (inverse_dynamics, forward_dynamics)]
    frozen = np.array([1.0, 2.0])
    frozen.flags.writeable = False
    for q in (np.array([1, 2]), np.array([1, 2], dtype=np.float32), frozen, np.array([[1.0, 9.0], [2.0, 9.0]])[:, 0]):
        assert np.array_equal(tree.inverse_dynamics(q, ZERO, ZERO), expected)
        assert np.array_equal(tree.forward_dynamics(q, q, ZERO), tree.forward_dynamics([1.0, 2.0], [1.0, 2.0], ZERO))
    assert [kernel.signatures for kernel in (inverse_dynamics, forward_dynamics)] == before


def test_swapped_bytes_are_not_taken_for_plain_ones() -> None:
    model = cs.Model("pendulum")
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Universal("hook", cs.GROUND, bob, at=(0, 0, 0), axes=((0, 1, 0), (1, 0, 0))))
    tree, q = cs.Tree(model), np.array([0.3, 0.5])
    shifted = np.zeros(17, dtype=np.uint8)[1:].view(float)  # not aligned
    shifted[:] = q
    expected = tree.centroidal_matrix(q), tree.mass_matrix(q)
    for other in (shifted, q.astype(">f8")):
        for found, known in zip((tree.centroidal_matrix(other), tree.mass_matrix(other)), expected, strict=True):
            assert np.array_equal(found, known)


def test_arrays_of_other_kinds_are_taken(arm: cs.Model) -> None:
    expected = cs.inverse_dynamics(arm, np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.zeros(2))
    strided = np.array([[1.0, 9.0], [2.0, 9.0]])[:, 0]
    frozen = np.array([3.0, 4.0])
    frozen.flags.writeable = False
    assert np.array_equal(cs.inverse_dynamics(arm, strided, frozen, np.zeros(2, dtype=np.float32)), expected)
    assert np.array_equal(cs.inverse_dynamics(arm, [1, 2], (3, 4), [0, 0]), expected)


@pytest.mark.parametrize("stack", [False, True])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_the_result_may_overwrite_what_was_given(arm: cs.Model, name: str, stack: bool) -> None:
    given = np.random.default_rng(1).normal(size=(3, 9, 2) if stack else (3, 2))
    for tree in (cs.Tree(arm), cs.Tree(_without_damping(arm))):
        call = getattr(tree, name)
        expected = call(*given)
        for k in range(3):
            states = list(given.copy())
            assert np.array_equal(call(*states, out=states[k]), expected)
            assert np.array_equal(states[k], expected)


def _without_damping(arm: cs.Model) -> cs.Model:
    free = cs.Model("free", gravity=(0, 0, -9.81))
    for component in arm:
        if component.name == "elbow":
            component = cs.Revolute("elbow", "one.at(2, 0, 0)", "two.at(2, 0, 0)", axis=(0, 1, 0))
        free.add(component)
    return free


@pytest.mark.parametrize("kind", [cs.Tree, cs.FlexibleTree])
def test_rates_of_a_rotation_vector_of_a_whole_turn(kind: type) -> None:
    model = cs.Model("ball")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Spherical("joint", cs.GROUND, body.at((0, 0, 0))))
    tree = kind(model)
    turned = np.array([2 * np.pi, 0, 0])
    with pytest.raises(cs.CosseratError, match="rotation vector of 'joint' is a whole turn long"):
        tree.coordinate_rates(turned, [0, 1, 0])
    assert np.allclose(tree.coordinate_rates(tree.moved(turned, 0 * turned), [0, 1, 0]), [0, 1, 0])


def test_counts_of_numpy(arm: cs.Model) -> None:
    stack = np.zeros((3, 2))
    one, two = (cs.forward_dynamics(arm, stack, ZERO, ZERO, threads=n) for n in (1, np.int64(2)))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("kind", [cs.Tree, cs.FlexibleTree])
def test_not_a_model(kind: type) -> None:
    with pytest.raises(cs.CosseratError, match="Tree: expected a Model, got None"):
        kind(None)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_nan_in_a_stack(arm: cs.Model, threads: int) -> None:
    v = np.zeros((11, 2))
    v[9, 1] = np.nan
    with pytest.raises(cs.CosseratError, match=r"forward_dynamics: v\[9, 1\] \(coordinate 'elbow'\) is nan"):
        cs.forward_dynamics(arm, ZERO, v, ZERO, threads=threads)


def test_stacks_of_different_lengths(arm: cs.Model) -> None:
    with pytest.raises(cs.CosseratError, match="same length; q has 3, v has 4"):
        cs.forward_dynamics(arm, np.zeros((3, 2)), np.zeros((4, 2)), ZERO)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_threads(arm: cs.Model, threads: object) -> None:
    with pytest.raises(cs.CosseratError, match="threads is"):
        cs.forward_dynamics(arm, np.zeros((3, 2)), ZERO, ZERO, threads=threads)


@pytest.mark.parametrize(
    "out", [np.zeros(3), np.zeros(2, dtype=np.float32), np.zeros((2, 2))[:, 0], [0.0, 0.0], np.zeros((2, 2))]
)
def test_out(arm: cs.Model, out: object) -> None:
    with pytest.raises(cs.CosseratError, match=r"inverse_dynamics: out is .*expected a writable C-contiguous array"):
        cs.inverse_dynamics(arm, ZERO, ZERO, ZERO, out=out)


def test_one_state_where_one_is_meant(arm: cs.Model) -> None:
    with pytest.raises(cs.CosseratError, match=r"energy: q has the shape \(5, 2\); this call takes one state"):
        cs.energy(arm, np.zeros((5, 2)), ZERO)


def test_beams() -> None:
    model = cs.Model("soft")
    model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL))
    with pytest.raises(cs.CosseratError, match=r"mass_matrix: beam 'rod': pass modes=, the number of modes"):
        cs.mass_matrix(model, [0.0])
    with pytest.raises(cs.CosseratError, match=r"mass_matrix: q has the shape .1,.*each of the 8 coordinates"):
        cs.mass_matrix(model, [0.0], modes=2)
    with pytest.raises(cs.CosseratError, match=r"composed_vectors: beam 'rod': pass modes=, the number of modes"):
        cs.composed_vectors(model, [0.0])
    with pytest.raises(cs.CosseratError, match=r"threads is 2; states of models with elastic bodies take one"):
        cs.inverse_dynamics(model, *np.zeros((3, 8)), modes=2, threads=2)


def test_modes_of_rigid_models(arm: cs.Model) -> None:
    with pytest.raises(cs.CosseratError, match=r"bias: modes is 3, but model 'arm' has no beams"):
        cs.bias(arm, ZERO, ZERO, modes=3)


def test_nothing_moves() -> None:
    model = cs.Model("rock")
    model.add(cs.RigidBody("rock", mass=1.0, inertia=(1, 1, 1)))
    model.add(cs.Fixed("glue", cs.GROUND, "rock"))
    with pytest.raises(cs.CosseratError, match="every body is fixed to the ground"):
        cs.mass_matrix(model, [])


def test_places_frames_and_times(arm: cs.Model) -> None:
    with pytest.raises(cs.CosseratError, match=r"jacobian: unknown body 'three'.*'one', 'two'"):
        cs.jacobian(arm, "three", ZERO)
    with pytest.raises(cs.CosseratError, match="frame is 'local'; pass 'world' or 'body'"):
        cs.jacobian(arm, "two", ZERO, frame="local")
    other = cs.RigidBody("other", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(cs.CosseratError, match="'other' is on a body that is not in model 'arm'"):
        cs.jacobian(arm, other, ZERO)
    with pytest.raises(cs.CosseratError, match="t is nan"):
        cs.bias(arm, ZERO, ZERO, t=float("nan"))
    with pytest.raises(cs.CosseratError, match="expected a Model, got 'arm'"):
        cs.bias("arm", ZERO, ZERO)


def test_bad_stacks_and_results(arm: cs.Model) -> None:
    two = np.zeros((2, 2))
    for call in (cs.mass_matrix, cs.gravity_forces):
        with pytest.raises(cs.CosseratError, match="threads is 0; pass a number of threads, 1 or more"):
            call(arm, two, threads=0)
        with pytest.raises(cs.CosseratError, match=r"q\[1, 0\] \(coordinate 'shoulder'\) is nan"):
            call(arm, np.array([[0.0, 0.0], [np.nan, 0.0]]))
        with pytest.raises(cs.CosseratError, match=r"out is an array .* expected a writable C-contiguous"):
            call(arm, ZERO, np.zeros(3))
    for derivatives, count in ((cs.inverse_dynamics_derivatives, 3), (cs.forward_dynamics_derivatives, 4)):
        with pytest.raises(cs.CosseratError, match=f"out must be {count} arrays to write into, got 1"):
            derivatives(arm, ZERO, ZERO, ZERO, out=[two])
        with pytest.raises(cs.CosseratError, match=r"v\[1, 1\] \(coordinate 'elbow'\) is inf"):
            derivatives(arm, two, np.array([[0.0, 0.0], [0.0, np.inf]]), two)
        with pytest.raises(cs.CosseratError, match="q has 2, v has 3"):
            derivatives(arm, two, np.zeros((3, 2)), ZERO)
