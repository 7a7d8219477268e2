"""Random trees of rigid bodies, beams and modal bodies, every joint either way round: identities of the dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.relative import flexible_recursion

SECTION = cs.Rectangle(width=0.02, height=0.03)
MATERIAL = cs.Material(E=70e9, nu=0.3, rho=2700.0, damping=1e-4)


def random_tree(rng: np.random.Generator) -> cs.Model:
    model = cs.Model("random", gravity=tuple(5 * rng.normal(size=3)))
    ends = [(cs.GROUND, np.zeros(3))]
    for k in range(4):
        place, a = ends[0 if k == 0 else rng.integers(len(ends))]
        b = a + 0.3 * rng.normal(size=3) + (0.4, 0, 0)
        beam = cs.Beam(f"b{k}", points=[a, b], section=SECTION, material=MATERIAL, elements=3)
        kind = rng.choice(["rigid", "beam", "free", "cantilever"])
        if kind == "rigid":
            body = model.add(cs.RigidBody.bar(f"b{k}", a, b, section=SECTION, material=MATERIAL))
            inner, outer = body.at(a), body.at(b)
        elif kind == "beam":
            model.add(beam)
            inner, outer = beam.start, beam.end
        else:
            body = model.add(cs.modal_body(beam, modes=2, boundary=kind))
            inner, outer = body.at("start"), body.at("end")
        sides = [place, inner] if rng.random() < 0.5 else [inner, place]
        if k > 0 or rng.random() < 0.7:  # else the first body is free
            model.add(_joint(rng, f"j{k}", sides))
        ends.append((outer, b))
    model.add(cs.Spring("line", ends[-1][0], cs.GROUND.at((3, 3, 3)), stiffness=20.0, damping=1.0))
    model.add(cs.Wrench("push", ends[1][0], tuple(rng.normal(size=6)), follower=bool(rng.random() < 0.5)))
    return model


def _joint(rng: np.random.Generator, name: str, sides: list) -> cs.Joint:
    axis = tuple(rng.normal(size=3))
    kinds = [
        lambda: cs.Revolute(name, *sides, axis=axis, stiffness=2.0, damping=0.3, friction=cs.Friction(0.2, 0.5)),
        lambda: cs.Prismatic(name, *sides, axis=axis, stiffness=2.0),
        lambda: cs.Screw(name, *sides, axis=axis, pitch=0.1),
        lambda: cs.Cylindrical(name, *sides, axis=axis, damping=(0.1, 0.2)),
        lambda: cs.Planar(name, *sides, normal=axis),
        lambda: cs.Universal(name, *sides, axes=((1, 0, 0), (0, 1, 0))),
        lambda: cs.Spherical(name, *sides, stiffness=1.0, damping=0.2),
        lambda: cs.Free(name, *sides, stiffness=6 * (1.0,), damping=6 * (0.2,)),
        lambda: cs.Fixed(name, *sides),
    ]
    return kinds[rng.integers(len(kinds))]()


@pytest.mark.parametrize("seed", range(10))
def test_identities(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = cs.FlexibleTree(random_tree(rng), modes=1)
    n = len(tree.coordinates)
    size = np.full(n, 0.5)
    for name, body in tree.modal_bodies.items():
        k = tree.coordinates.index(f"{name}.mode1")
        size[k : k + body.n_modes] = 0.05 / (2 * np.pi * body.frequencies)
    q, v, a, d = rng.normal(size=(4, n)) * size
    M, h, tau = tree.mass_matrix(q), tree.bias(q, v), tree.inverse_dynamics(q, v, a)
    assert np.abs(M @ a + h - tau).max() < 1e-12 * np.abs(tau).max()
    assert np.linalg.eigvalsh(M)[0] > 0.0
    away = tree.forward_dynamics(q, v, tau) - a
    assert away @ M @ away < (1e-10) ** 2 * (a @ M @ a)
    slopes = tree.inverse_dynamics_derivatives(q, v, a)
    step = 1e-3
    for found, shifted in (
        (slopes.dq @ d, lambda s: tree.inverse_dynamics(tree.moved(q, s * d), v, a)),
        (slopes.dv @ d, lambda s: tree.inverse_dynamics(q, v + s * d, a)),
    ):
        near, far = (shifted(s) - shifted(-s) for s in (step, 2 * step))
        expected = (8 * near - far) / (12 * step)
        assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max() + 1e-11 * np.abs(tau).max()
    # the power of the efforts is the change of energy, less what loads supply and dampers take
    now = flexible_recursion.Motions(tree.data).move(q, v)
    loss, supply = tree.forces.powers(now, q, v, 0.0)
    ends = [tree.energy(tree.moved(q, s * v + 0.5 * s**2 * a), v + s * a).total for s in (1e-5, -1e-5)]
    change = (ends[0] - ends[1]) / 2e-5
    scale = abs(change) + abs(loss) + abs(supply) + abs(v @ tau)
    assert tau @ v == pytest.approx(change + loss - supply, abs=1e-6 * scale)
