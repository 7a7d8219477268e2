"""Kernels of flexible trees: parts against independent formulas, and whole trees; also with the compiler off."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.physics import modal_equations

import cosserat as cs
from cosserat.jit.switch import COMPILED
from cosserat.kernels.flexible import pivots, so3_tangents
from cosserat.lie import se3, so3
from cosserat.solve.relative import coordinates as flexible_coordinates
from cosserat.solve.relative import flexible_recursion

SECTION = cs.Rectangle(width=0.02, height=0.03)


@pytest.fixture(scope="module")
def tree() -> cs.FlexibleTree:
    """A beam that carries a modal body and a load, with springs and loads on them."""
    model = cs.Model("arm", gravity=(0.3, -0.2, -9.81))
    beam = {"section": SECTION, "material": cs.materials.ALUMINIUM_6061, "elements": 3}
    one = model.add(cs.Beam("one", points=[(0, 0, 0), (0.5, 0, 0)], **beam))
    two = model.add(cs.modal_body(cs.Beam("two", points=[(0.5, 0, 0), (1, 0, 0)], **beam), modes=2, boundary="free"))
    model.add(cs.Spherical("base", one.start, cs.GROUND, stiffness=2.0, damping=0.1))
    model.add(cs.Revolute("elbow", one.end, two.at("start"), axis=(1, 2, 0), friction=cs.Friction(0.3, 0.4)))
    model.add(cs.Force("push", one.end, (1.0, -2.0, 3.0)))
    model.add(cs.Torque("turn", two.at("end"), (0.1, 0.2, 0.3), follower=True))
    model.add(cs.Spring("line", two.at("end"), cs.GROUND.at((0, 1, 0)), stiffness=30.0, damping=2.0))
    return cs.FlexibleTree(model, modes=1)


@pytest.fixture
def state(tree: cs.FlexibleTree, rng: np.random.Generator) -> np.ndarray:
    scale = np.array([0.5, 0.5, 0.5, 0.5, *np.full(len(tree.coordinates) - 4, 2e-4)])
    return rng.normal(size=(3, len(scale))) * scale * np.array([1.0, 3.0, 10.0])[:, None]


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.3, 2.0, 3.5])
def test_derivatives_of_the_tangent_operator(rng, angle: float) -> None:
    w, d, e, x = rng.normal(size=(4, 3))
    w *= angle / np.linalg.norm(w)
    for sign, T in ((-1.0, so3.tangent), (1.0, lambda y: so3.tangent(y).T)):
        assert np.allclose(so3_tangents.tangent_times(tuple(w), tuple(x), sign), T(w) @ x, atol=1e-14)
        h = 1e-4
        slope = (T(w + h * d) @ x - T(w - h * d) @ x) / (2 * h)
        assert np.allclose(so3_tangents.tangent_slope(tuple(w), tuple(d), tuple(x), sign), slope, atol=1e-7)
        ahead, behind = (so3_tangents.tangent_slope(tuple(w + s * e), tuple(d), tuple(x), sign) for s in (h, -h))
        found = so3_tangents.tangent_curvature(tuple(w), tuple(d), tuple(e), tuple(x), sign)
        assert np.allclose(found, np.subtract(ahead, behind) / (2 * h), atol=1e-7)


def test_factors_of_badly_scaled_matrices(rng) -> None:
    n, scale = 6, np.logspace(-4, 4, 6)
    root = rng.normal(size=(n, n))
    A = scale[:, None] * (root @ root.T + np.eye(n)) * scale
    x = rng.normal(size=n) / scale
    factors, size, right = A.ravel().copy(), np.empty(n), A @ x
    assert pivots.decompose(factors, 0, n, size, 0) == 0
    pivots.divide(factors, 0, n, size, 0, right, 0, 1)
    assert np.allclose(right * scale, x * scale, rtol=1e-12)
    assert pivots.decompose((-A).ravel(), 0, n, size, 0) == n


def test_bodies_give_the_equations_of_modal_dynamics(tree: cs.FlexibleTree, state: np.ndarray) -> None:
    q, v, _ = state
    now = flexible_recursion.Motions(tree.data).move(q, v)
    for i, link in enumerate(tree.data.links):
        w = now[i]
        if link.modal is None:
            expected, b = link.inertia, -se3.bracket(w.z).T @ (link.inertia @ w.z)
        else:
            inertia, bent = link.modal.inertia, tree.data.modal(i, q)
            expected = modal_equations.inertia_matrix(inertia, bent)
            b = modal_equations.newton_euler(inertia, bent, w.z[:6], w.z[6:], np.zeros(6), np.zeros(len(bent)))
            b[6:] += link.modal.elastic_forces(bent, w.z[6:])
        assert np.abs(w.M - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())
        assert np.abs(w.b - b).max() <= 1e-12 * max(1.0, np.abs(b).max())


def test_velocities_are_rates_of_frames(tree: cs.FlexibleTree, state: np.ndarray) -> None:
    """And their rates those of the accelerations: z and z_dot against differences along a motion."""
    q, v, a = state
    zero, h = np.zeros(6), 1e-5

    def at(s: float) -> flexible_recursion.Motions:
        return flexible_recursion.Motions(tree.data).move(tree.moved(q, s * v + 0.5 * s**2 * a), v + s * a)

    now, ahead, behind = at(0.0), at(h), at(-h)
    rates = tree.data.parts(flexible_recursion.accelerations(now, a, zero))
    for i in range(len(now)):
        twist = se3.log(se3.inverse(behind[i].frame) @ ahead[i].frame) / (2 * h)
        assert np.allclose(now[i].z[:6], twist, atol=1e-7 * max(1.0, np.abs(twist).max()))
        assert np.allclose(rates[i], (ahead[i].z - behind[i].z) / (2 * h), atol=1e-6 * max(1.0, np.abs(rates[i]).max()))


def test_dynamics_of_a_tree(tree: cs.FlexibleTree, state: np.ndarray) -> None:
    q, v, a = state
    M, h, tau = tree.mass_matrix(q), tree.bias(q, v), tree.inverse_dynamics(q, v, a)
    assert np.abs(M @ a + h - tau).max() < 1e-12 * np.abs(tau).max()
    away = tree.forward_dynamics(q, v, tau) - a
    assert away @ M @ away < (1e-11) ** 2 * (a @ M @ a)
    energy = tree.energy(q, v)
    assert energy.kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-12)
    rows = np.eye(tree.data.arrays.n_z)[:2]
    now = flexible_recursion.Motions(tree.data).move(q, v)
    assert flexible_recursion.projected(now, rows) @ v == pytest.approx(now.arrays.z[:2])


def test_derivatives_of_a_tree(tree: cs.FlexibleTree, state: np.ndarray, rng: np.random.Generator) -> None:
    """Along a random direction, against differences."""
    q, v, a = state
    found = tree.inverse_dynamics_derivatives(q, v, a)
    d = rng.normal(size=len(q)) * np.array([1.0] * 4 + [1e-3] * (len(q) - 4))
    for h, tolerance in ((1e-4, 1e-6),):
        ahead, behind = (tree.inverse_dynamics(tree.moved(q, s * d), v, a) for s in (h, -h))
        change = found.dq @ d
        assert np.allclose((ahead - behind) / (2 * h), change, atol=tolerance * np.abs(change).max())
        ahead, behind = (tree.inverse_dynamics(q, v + s * d, a) for s in (h, -h))
        change = found.dv @ d
        assert np.allclose((ahead - behind) / (2 * h), change, atol=tolerance * np.abs(change).max())


def test_powers_of_dampers_and_loads(tree: cs.FlexibleTree, state: np.ndarray) -> None:
    """Power of all that acts in the model is the change of strain energy, the losses and the supply."""
    q, v, _ = state
    now, h = flexible_recursion.Motions(tree.data).move(q, v), 1e-6
    loss, supply = tree.forces.powers(now, q, v, 0.0)
    ends = [tree.energy(tree.moved(q, s * v), 0 * v).strain for s in (h, -h)]
    acting = tree.forces.on_links(now, q, 0.0) @ now.arrays.z + tree.forces.in_joints(q, v, 0.0) @ v
    body = sum(
        float(now[i].z[6:] @ link.modal.elastic_forces(tree.data.modal(i, q), now[i].z[6:]))
        for i, link in enumerate(tree.data.links)
        if link.modal is not None
    )
    assert acting - body == pytest.approx(supply - loss - (ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_exponential_coordinates(tree: cs.FlexibleTree, state: np.ndarray) -> None:
    """T^-1(theta) v are the rates of theta while the state moves with the velocities v."""
    q, v, theta = state
    h = 1e-6
    rate = flexible_coordinates.exponential_rates(tree.data, theta, v)
    ahead = tree.moved(q, theta + h * rate)
    assert np.allclose(ahead, tree.moved(tree.moved(q, theta), h * v), atol=1e-11)
    coordinates = tree.coordinate_rates(q, v)
    assert np.allclose(tree.moved(q, h * v) - q, h * coordinates, atol=1e-10)


FRESH = """
import sys
import cosserat as cs
model = cs.Model("arm")
rod, steel = cs.Rod(diameter=0.02), cs.materials.STEEL
beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=2))
model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 0, 1)))
tree = cs.FlexibleTree(model, modes=1)
assert not tree.forward_dynamics([0, 0], [0, 0], [0, 0]).any()
assert cs.simulate(model, 0.02, 0.01, formulation="floating", modes=1).status.ok
sys.exit("numba" in sys.modules)
"""


@pytest.mark.skipif(not COMPILED, reason="the compiler is off")
def test_a_second_process_needs_no_compiler() -> None:
    """The first one may compile."""
    codes = [subprocess.run([sys.executable, "-c", FRESH], env=os.environ, check=False).returncode for _ in range(2)]
    assert codes[1] == 0
