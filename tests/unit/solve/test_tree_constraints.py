"""Rows of constraints on trees: rates and second derivatives against differences along a motion."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.tree import TreeData, compile_tree
from cosserat.kernels.flexible.inverses import safe_inverse
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.coordinates import moved
from cosserat.solve.relative.tree_constraints import TreeConstraints

HERE = (0.7, 0.2, 0.4)
CLOSING = {
    "fixed": lambda b: cs.Fixed("x", cs.GROUND, b.at(0.6)),
    "revolute": lambda b: cs.Revolute("x", cs.GROUND, b.at(0.6), axis=(1, 2, 3)),
    "revolute, driven": lambda b: cs.Revolute("x", cs.GROUND, b.at(0.6), axis=(1, 2, 3), motion="0.3 + t + t**2"),
    "prismatic": lambda b: cs.Prismatic("x", b.at(0.6), cs.GROUND, axis=(1, 2, 3), at=HERE),
    "prismatic, driven": lambda b: cs.Prismatic("x", cs.GROUND, b.at(0.6), axis=(1, 2, 3), motion="sin(t)"),
    "screw": lambda b: cs.Screw("x", cs.GROUND, b.at(0.6), axis=(0, 1, 3), pitch=0.2),
    "screw, driven": lambda b: cs.Screw("x", cs.GROUND, b.at(0.6), axis=(0, 1, 3), pitch=0.2, motion="t + t**2"),
    "cylindrical": lambda b: cs.Cylindrical("x", cs.GROUND, b.at(0.6), axis=(1, 0, 3), motion=("t**2", None)),
    "planar": lambda b: cs.Planar("x", cs.GROUND, b.at(0.6), normal=(1, 0, 3), motion=("t", None, "0.2 * t")),
    "planar translation": lambda b: cs.PlanarTranslation("x", cs.GROUND, b.at(0.6), normal=(1, 0, 3)),
    "universal": lambda b: cs.Universal("x", cs.GROUND, b.at(0.6), axes=((1, 0, 0), (0, 0, 1)), motion=("t", None)),
    "universal, driven": lambda b: cs.Universal("x", b.at(0.6), cs.GROUND, axes=((1, 0, 0), (0, 0, 1)), at=HERE,
                                                motion=("0.3 * t", "t**2")),
    "spherical": lambda b: cs.Spherical("x", cs.GROUND, b.at(0.6)),
    "spherical, driven": lambda b: cs.Spherical("x", cs.GROUND, b.at(0.6), motion=("t", "0.2 + t**2", "sin(t)")),
    "free, driven": lambda b: cs.Free("x", cs.GROUND, b.at(0.6), motion=("t", None, "t**2", "t", "t**2", "0.1")),
    "knife edge": lambda b: cs.KnifeEdge("x", b.at(0.6), direction=(1, 2, 0)),
    "rolling disc": lambda b: cs.RollingDisc("x", b.at(0.6), 0.4, axis=(1, 2, 1), normal=(0, 1, 3)),
}  # fmt: skip


def closed(kind: str) -> tuple[cs.Model, TreeConstraints, TreeData]:
    """A rigid body on a spherical joint, a beam on a revolute one, and what closes the loop.

    The first two are driven, so that the last is the one that is cut.
    """
    model = cs.Model("closed")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0.1), inertia=(0.1, 0.12, 0.13)))
    points = [(0.1, 0.2, 0.4), (1.1, 0.2, 0.4)]
    beam = model.add(cs.Beam("beam", points=points, section=cs.Rod(0.05), material=cs.materials.STEEL, elements=5))
    model.add(cs.Spherical("ball", cs.GROUND, body.at((0, 0, 0)), motion=("t", "t**2", "0.1")))
    model.add(cs.Revolute("pin", body.at(points[0]), beam.start, axis=(0, 1, 1), motion="t"))
    model.add(CLOSING[kind](beam))
    data = compile_tree(model, 2, None, True, None, "test", cut=True)
    return model, TreeConstraints(model, data), data


@pytest.mark.parametrize("kind", CLOSING)
def test_rates_and_second_derivatives(kind: str, rng: np.random.Generator) -> None:
    model, constraints, data = closed(kind)
    assert [loop.joint.name for loop in data.loops] == [] if model.rolling else ["x"]
    n, t = len(data.coordinates), 0.4
    q, v, a = 0.3 * rng.normal(size=(3, n))
    modal = [k for k, name in enumerate(data.coordinates) if ".mode" in name]
    for x in (q, v, a):
        x[modal] *= 0.05
    angles = np.zeros(len(constraints.tracked))

    def at(s: float, biased: bool = False):
        """The state after a short time s; rotations follow the exponential of v s + a s^2 / 2 to second order."""
        now = flexible_recursion.Motions(data).move(moved(data, q, s * v + 0.5 * s**2 * a), v + s * a)
        return constraints.at(now, moved(data, q, s * v + 0.5 * s**2 * a), t + s, angles, biased)

    here, h = at(0.0, biased=True), 1e-5
    ahead, behind = at(h), at(-h)
    holonomic = constraints.holonomic.copy()
    if kind == "screw":  # an angle is read about an axis that both sides share only where the joint's other rows hold
        holonomic[4] = False
    np.testing.assert_allclose(((ahead.value - behind.value) / (2 * h))[holonomic], here.rate[holonomic], atol=1e-7)
    np.testing.assert_allclose((ahead.rate - behind.rate) / (2 * h), here.A @ a + here.bias, atol=2e-6)


@pytest.mark.parametrize("full", [True, False])
def test_inverses_of_borders(full: bool, rng: np.random.Generator) -> None:
    """Constraints and soft rows against the assembled matrix; with a row that others imply, and a row of zeros."""
    n, m, p = 9, 4 if full else 6, 3
    S = rng.normal(size=(n, n))
    S = S @ S.T + np.eye(n)
    A, B, K = rng.normal(size=(m, n)), rng.normal(size=(p, n)), rng.normal(size=(p, p))
    K = 1e3 * (K @ K.T)
    if not full:
        A[4], A[5] = A[0] - 2 * A[1], 0.0
    r, wanted = rng.normal(size=n), rng.normal(size=m)
    if not full:
        wanted[4:] = wanted[0] - 2 * wanted[1], 0.0
    C = np.vstack((A, B))
    Y = np.linalg.solve(S, C.T).T
    G = C @ Y.T
    N = np.linalg.inv(np.eye(p) + K @ G[m:, m:]) @ K
    E = G[:m, :m] - G[:m, m:] @ N @ G[m:, :m]
    size = m + p
    safe_inverse(E, m, np.zeros(size), np.zeros(3 * size, dtype=np.int64), *np.zeros((3, size, size)))
    free = np.linalg.solve(S, -r)
    force = E @ (A @ free - wanted - G[:m, m:] @ N @ (B @ free))
    soft = N @ (B @ free - G[m:, :m] @ force)
    a = free - force @ Y[:m] - soft @ Y[m:]
    np.testing.assert_allclose(A @ a, wanted, atol=1e-9)
    np.testing.assert_allclose((S + B.T @ K @ B) @ a + A.T @ force + r, 0, atol=1e-7)
    if not full:
        assert force[5] == 0.0
