"""Block LU against dense linear algebra, on mechanisms that are trees and on ones with loops."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.kernels.blocks import factor, load_transposed, solve, solve_transposed

KINDS = ("Revolute", "Prismatic", "Spherical", "Fixed")


def random_mechanism(rng, bodies, loops, springs):
    """A random tree of bodies and a beam, some loops closed by spherical joints, some springs."""
    model = cs.Model("random")
    points = rng.uniform(-1, 1, (bodies, 3))
    placed = []
    for i, point in enumerate(points):
        J = np.diag(rng.uniform(0.5, 1.0, 3))
        body = model.add(cs.RigidBody(f"body{i}", mass=float(rng.uniform(1, 2)), com=point, inertia=J))
        parent = placed[rng.integers(len(placed))] if placed and rng.random() < 0.8 else cs.GROUND
        at = point + rng.uniform(-0.3, 0.3, 3)
        kind = KINDS[rng.integers(len(KINDS))]
        axis = {"axis": rng.normal(size=3)} if kind in ("Revolute", "Prismatic") else {}
        model.add(getattr(cs, kind)(f"joint{i}", parent.at(at), body.at(at), **axis))
        placed.append(body)
    section = cs.Section(stiffness=[5, 4, 3, 2, 2, 1], mass=[1, 1, 1, 0.2, 0.1, 0.1])
    start = points[0] + 0.1
    beam = model.add(cs.Beam("beam", points=[start, start + 1.0], section=section, elements=3))
    model.add(cs.Revolute("root", placed[0].at(start), beam.start, axis=(0, 0, 1)))
    for i in range(loops):
        a, b = rng.choice(bodies, 2, replace=False)
        at = rng.uniform(-1, 1, 3)
        model.add(cs.Spherical(f"loop{i}", placed[a].at(at), placed[b].at(at)))
    for i in range(springs):
        a, b = rng.choice(bodies, 2, replace=False)
        model.add(cs.Spring(f"spring{i}", placed[a].at(points[a] + 0.1), placed[b].at(points[b] - 0.2), stiffness=2.0))
    return model


def residual_of_solution(lab, rng):
    A = lab.matrix(2.0, 0.5, 0.1)
    solver = lab.memory.problem.solver
    b = rng.normal(size=solver.x.shape)
    solver.x[:] = b
    singular = factor(lab.memory.address)
    solve(lab.memory.address)
    exact = np.linalg.solve(A, b.ravel())
    error = np.abs(solver.x.ravel() - exact).max() / np.abs(exact).max()
    solver.x[:] = b
    load_transposed(lab.memory.address)
    solve_transposed(lab.memory.address)
    exact = np.linalg.solve(A.T, b.ravel())
    return singular, max(error, np.abs(solver.x.ravel() - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loops, springs", [(0, 0), (1, 0), (3, 2)], ids=["tree", "one loop", "loops and springs"])
def test_against_dense_solution(laboratory, seed, loops, springs):
    rng = np.random.default_rng(seed)
    lab = laboratory(random_mechanism(rng, 5, loops, springs))
    singular, error = residual_of_solution(lab, rng)
    assert singular == 0
    assert error < 1e-9


def test_cost_grows_linearly_along_a_chain(laboratory):
    sizes = []
    for elements in (10, 20, 40):
        model = cs.Model("chain")
        section = cs.Section(stiffness=[1, 1, 1, 1, 1, 1], mass=[1, 1, 1, 1, 1, 1])
        beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        pattern = laboratory(model).compiled.system.pattern
        sizes.append((int(pattern.n_blocks[0]), len(pattern.update)))
    assert np.diff(sizes, axis=0)[1].tolist() == (2 * np.diff(sizes, axis=0)[0]).tolist()
