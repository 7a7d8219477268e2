"""Hybrid dynamics between inverse and forward dynamics, over all kinds of joints; also with the compiler off."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

Array = np.ndarray


def groups(model: cs.Model) -> dict[str, list[int]]:
    """Places of coordinates by joint or free base."""
    out: dict[str, list[int]] = {}
    for k, name in enumerate(cs.Tree(model).coordinates):
        out.setdefault(name.split(".")[0], []).append(k)
    return out


@pytest.fixture(params=[False, True])
def case(request: pytest.FixtureRequest, zoo, rng: np.random.Generator) -> tuple[cs.Model, Array]:
    """Joints of every kind, with springs, loads and friction, on the ground and without it."""
    model = zoo(forces=True, free=request.param)
    return model, 0.7 * rng.normal(size=(4, len(cs.Tree(model).coordinates)))


def test_all_driven_is_inverse_dynamics(case) -> None:
    model, (q, v, a, _) = case
    found = cs.hybrid_dynamics(model, q, v, motions={name: a[k] for name, k in groups(model).items()})
    assert found.driven.all()
    assert np.array_equal(found.a, a)
    exact = cs.inverse_dynamics(model, q, v, a)
    assert np.abs(found.tau - exact).max() < 1e-13 * np.abs(exact).max()


def test_none_driven_is_forward_dynamics(case) -> None:
    model, (q, v, _, tau) = case
    found = cs.hybrid_dynamics(model, q, v, efforts={name: tau[k] for name, k in groups(model).items()})
    assert not found.driven.any()
    assert np.array_equal(found.tau, tau)
    exact = cs.forward_dynamics(model, q, v, tau)
    assert np.abs(found.a - exact).max() < 1e-12 * np.abs(exact).max()


@pytest.mark.parametrize("seed", range(8))
def test_some_driven(case, seed: int) -> None:
    """What is found belongs together with what was given."""
    model, (q, v, a, tau) = case
    rng = np.random.default_rng(seed)
    names = groups(model)
    moved = {name for name in names if rng.random() < 0.5}
    motions = {name: a[k] for name, k in names.items() if name in moved}
    efforts = {name: tau[k] for name, k in names.items() if name not in moved}
    found = cs.hybrid_dynamics(model, q, v, motions, efforts)
    for name, k in names.items():
        assert np.array_equal(*((found.a[k], a[k]) if name in moved else (found.tau[k], tau[k])))
    exact = cs.inverse_dynamics(model, q, v, found.a)
    assert np.abs(found.tau - exact).max() < 1e-12 * np.abs(exact).max()


@pytest.mark.parametrize("forces", [False, True])
def test_plain_arrays_and_stacks(zoo, rng: np.random.Generator, forces: bool) -> None:
    """The same half is found from names, from plain arrays, and for states side by side."""
    model = zoo(forces=forces)
    tree = cs.Tree(model)
    n = len(tree.coordinates)
    names = groups(model)
    driven = np.zeros(n)
    for name in list(names)[::2]:
        driven[names[name]] = 1.0
    q, v, given = 0.7 * rng.normal(size=(3, 6, n))
    pulls = rng.normal(size=(6, len(tree.data.links), 6))
    a, tau = tree.hybrid_dynamics(q, v, driven, given)
    pulled = tree.hybrid_dynamics(q, v, driven, given, (np.empty((6, n)), np.empty((6, n))), pulls, threads=2)
    for i in range(6):
        motions = {name: given[i, k] for name, k in names.items() if driven[k[0]]}
        efforts = {name: given[i, k] for name, k in names.items() if not driven[k[0]]}
        found = cs.hybrid_dynamics(model, q[i], v[i], motions, efforts)
        out = np.empty(n), np.empty(n)
        single = tree.hybrid_dynamics(q[i], v[i], driven, given[i], out)
        assert single == out
        assert np.array_equal(single, (found.a, found.tau))
        assert np.abs(a[i] - found.a).max() < 1e-11 * np.abs(found.a).max()
        assert np.abs(tau[i] - found.tau).max() < 1e-11 * np.abs(found.tau).max()
        alone = tree.hybrid_dynamics(q[i], v[i], driven > 0, given[i], wrenches=pulls[i])
        for got, exact in zip(pulled, alone, strict=True):
            assert np.abs(got[i] - exact).max() < 1e-11 * np.abs(exact).max()
        if not forces:
            assert not np.allclose(pulled[0][i], a[i])
        assert np.array_equal(tree.hybrid_dynamics(q[i], v[i], driven, given[i])[0], found.a)  # nothing is left behind
