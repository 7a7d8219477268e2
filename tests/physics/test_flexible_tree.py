"""The generalised Newton-Euler recursion of flexible trees: against assembled equations, rigid limits, conservation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.physics import modal_equations

import cosserat as cs
from cosserat.lie import se3
from cosserat.solve.relative import flexible_recursion

SECTION = cs.Rectangle(width=0.02, height=0.03)
ALLOY = cs.materials.ALUMINIUM_6061


def rotation(k: int) -> tuple[float, float, float]:
    return ((0, 0, 1), (0, 1, 1), (1, 0.2, 0))[k % 3]


def chain(n: int, kinds: str = "BRM", free: bool = False, gravity=(0.3, -0.2, -9.81)) -> cs.Model:
    """Beams (B), rigid bars (R) and modal bodies with free modes (M) along x, with side branches."""
    model = cs.Model("chain", gravity=gravity)
    end = cs.GROUND.at((0, 0, 0))
    for k in range(n):
        a, b = (0.5 * k, 0, 0), (0.5 * (k + 1), 0, 0)
        kind = kinds[k % len(kinds)]
        beam = cs.Beam(f"p{k}", points=[a, b], section=SECTION, material=ALLOY, elements=4)
        if kind == "R":
            bar = model.add(cs.RigidBody.bar(f"p{k}", a, b, section=SECTION, material=ALLOY))
            inner, outer = bar.at(a), bar.at(b)
        elif kind == "M":
            body = model.add(cs.modal_body(beam, modes=3, boundary="free"))
            inner, outer = body.at("start"), body.at("end")
        else:
            model.add(beam)
            inner, outer = beam.start, beam.end
        if k > 0 or not free:
            sides = [end, inner] if k % 2 == 0 else [inner, end]
            model.add(cs.Revolute(f"j{k}", *sides, axis=rotation(k), stiffness=0.5 * k, damping=0.1))
        if kind == "B":
            load = model.add(cs.RigidBody.sphere(f"load{k}", diameter=0.1, mass=0.4, com=(0.5 * k + 0.25, 0.1, 0)))
            model.add(cs.Fixed(f"weld{k}", beam.at(0.5), load.at((0.5 * k + 0.25, 0, 0))))
        end = outer
    return model


def state(tree: cs.FlexibleTree, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Modes bend the less the stiffer they are."""
    n = len(tree.coordinates)
    q, v = np.full(n, 0.6), np.full(n, 1.5)
    for body in tree.modal_bodies.values():
        k = tree.coordinates.index(f"{body.name}.mode1")
        q[k : k + body.n_modes] = 0.1 / (2 * np.pi * body.frequencies)
        v[k : k + body.n_modes] = 0.1
    return rng.normal(size=n) * q, rng.normal(size=n) * v, rng.normal(size=n)


def largest(x: np.ndarray) -> float:
    return float(np.abs(x).max())


@pytest.mark.parametrize("free", [False, True])
def test_recursions_equal_assembled_equations(rng, free: bool) -> None:
    boundary = "free" if free else "cantilever"
    tree = cs.FlexibleTree(chain(3, free=free), modes=3, boundary=boundary)
    q, v, _ = state(tree, rng)
    M, h = tree.mass_matrix(q), tree.bias(q, v)
    assert largest(M - M.T) < 1e-12 * largest(M)
    assert np.linalg.eigvalsh(M).min() > 0
    dense = np.linalg.solve(M, -h)
    found = tree.forward_dynamics(q, v, 0 * q)
    assert largest(found - dense) < 1e-10 * largest(dense)
    a = rng.normal(size=len(q)) * largest(found)  # as large as what elastic forces cause, which round
    tau = tree.inverse_dynamics(q, v, a)
    assert largest(M @ a + h - tau) < 1e-10 * largest(tau)
    assert largest(tree.forward_dynamics(q, v, tau) - a) < 1e-10 * largest(a)


@pytest.mark.parametrize("kinds", ["BRM", "B"])
def test_forward_dynamics_undoes_inverse_dynamics(rng, kinds: str) -> None:
    """With static shapes of interfaces too, whose mass matrix has a condition number of 10^9 and more.

    The difference is measured by its kinetic energy: rounding of the efforts alone changes the accelerations of light
    coordinates by that condition number times the precision of numbers.
    """
    tree = cs.FlexibleTree(chain(6, kinds), modes=3)
    assert tree.modal_bodies["p0"].n_modes == 3 + 12
    ratios = []
    for _ in range(12):
        q, v, _ = state(tree, rng)
        M, h = tree.mass_matrix(q), tree.bias(q, v)
        a = rng.normal(size=len(q))
        tau = tree.inverse_dynamics(q, v, a)
        assert largest(M @ a + h - tau) < 1e-13 * largest(tau)
        away = tree.forward_dynamics(q, v, tau) - a
        dense = np.linalg.solve(M, tau - h) - a
        assert away @ M @ away < (1e-11) ** 2 * (a @ M @ a)
        ratios.append((away @ M @ away) / (dense @ M @ dense))
    assert np.median(ratios) < 2  # no worse than elimination in the assembled equations; one ratio alone varies by tens
    effort = np.where(np.arange(len(q)) < 6, rng.normal(size=len(q)), 0.0)
    a = tree.forward_dynamics(q, v, effort)
    assert largest(M @ a + h - effort) < 1e-13 * largest(M) * largest(a)
    again = tree.forward_dynamics(q, v, tree.inverse_dynamics(q, v, a))
    assert largest(again - a) < 1e-10 * largest(a)  # where efforts cause them, in every coordinate


def test_many_right_hand_sides(rng) -> None:
    tree = cs.FlexibleTree(chain(3), modes=2)
    q, v, _ = state(tree, rng)
    factored = flexible_recursion.Articulated(flexible_recursion.Motions(tree.data).move(q, v))
    M = tree.mass_matrix(q)
    r = rng.normal(size=(4, len(q)))
    found = factored.solve(r)
    assert factored.wrong == 0
    assert largest(found @ M - r) < 1e-13 * largest(M) * largest(found)
    assert np.array_equal(found[2], factored.solve(r[2]))


def test_extra_blocks_and_held_coordinates(rng) -> None:
    """(M + extra) a = r where coordinates are free, a = 0 where they are held."""
    tree = cs.FlexibleTree(chain(3), modes=2)
    q, v, _ = state(tree, rng)
    n = len(q)
    blocks, full = [], tree.mass_matrix(q)
    for link in tree.data.links:
        k = len(link.columns)
        root = rng.normal(size=(k, k))
        blocks.append(3.0 * root @ root.T)
        full[np.ix_(link.columns, link.columns)] += blocks[-1]
    held = np.zeros(n, dtype=bool)
    held[[1, n - 2]] = True
    now = flexible_recursion.Motions(tree.data).move(q, v)
    factored = flexible_recursion.Articulated(now, np.concatenate([b.ravel() for b in blocks]), held)
    r = rng.normal(size=n)
    found = factored.solve(r)
    assert not found[held].any()
    expected = np.linalg.solve(full[np.ix_(~held, ~held)], r[~held])
    assert largest(found[~held] - expected) < 1e-10 * largest(expected)


def test_mass_matrix_is_inverse_dynamics_column_by_column(rng) -> None:
    tree = cs.FlexibleTree(chain(5), modes=2)
    q, v, _ = state(tree, rng)
    h = tree.bias(q, 0 * v)
    columns = np.stack([tree.inverse_dynamics(q, 0 * v, e) - h for e in np.eye(len(q))], axis=1)
    M = tree.mass_matrix(q)
    assert np.array_equal(M, M.T)
    assert largest(M - columns) < 1e-11 * largest(M)


def test_gravity_forces_are_what_gravity_changes(rng) -> None:
    heavy, light = (cs.FlexibleTree(chain(3, gravity=g), modes=2) for g in ((0.3, -0.2, -9.81), (0, 0, 0)))
    q, v, a = state(heavy, rng)
    change = heavy.inverse_dynamics(q, v, a) - light.inverse_dynamics(q, v, a)
    assert largest(heavy.gravity_forces(q) - change) < 1e-11 * largest(heavy.inverse_dynamics(q, v, a))


def test_jacobian(rng) -> None:
    tree = cs.FlexibleTree(chain(3, "BMB"), modes=2)
    q, v, _ = state(tree, rng)
    h = 1e-6
    before, after = (tree.frame("p2.end", tree.moved(q, s * h * v)) for s in (-1, 1))
    twist = se3.log(se3.inverse(before) @ after) / (2 * h)
    assert tree.jacobian("p2.end", q, "body") @ v == pytest.approx(twist, rel=1e-7, abs=1e-7 * largest(twist))
    speed = (after - before)[:3, 3] / (2 * h)
    assert tree.jacobian("p2.end", q)[:3] @ v == pytest.approx(speed, rel=1e-7, abs=1e-7 * largest(speed))


def test_energy_gives_the_equations(rng) -> None:
    """d/dt (kinetic + strain + potential) = v . tau - dissipation, for any motion: no term is missing or wrong."""
    tree = cs.FlexibleTree(chain(4, free=True), modes=3)
    q, v, a = state(tree, rng)
    power = v @ (tree.inverse_dynamics(q, v, a))
    joints = [tree.coordinates.index(f"j{k}") for k in range(1, 4)]
    power -= sum(0.1 * v[k] ** 2 for k in joints)
    for body in tree.modal_bodies.values():
        k = tree.coordinates.index(f"{body.name}.mode1")
        own, rates = q[k : k + body.n_modes], v[k : k + body.n_modes]
        power -= rates @ (body.elastic_forces(own, rates) - body.elastic_forces(own, 0 * rates))
    errors = []
    for h in (2e-4, 1e-4):
        ends = [tree.energy(tree.moved(q, s * h * v + 0.5 * h**2 * a), v + s * h * a).total for s in (-1, 1)]
        errors.append((ends[1] - ends[0]) / (2 * h) - power)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.01)  # errors of differences, which extrapolation removes
    assert abs(4 * errors[1] - errors[0]) / 3 < 1e-7 * abs(power)


def test_mass_matrix_is_the_kinetic_energy(rng) -> None:
    tree = cs.FlexibleTree(chain(4), modes=2)
    q, v, _ = state(tree, rng)
    assert tree.energy(q, v).kinetic == pytest.approx(0.5 * v @ tree.mass_matrix(q) @ v, rel=1e-12)


@pytest.mark.parametrize("forces", [False, True])
def test_rigid_trees_give_what_the_rigid_recursion_gives(zoo, rng, forces: bool) -> None:
    model = zoo(forces=forces)
    rigid, tree = cs.Tree(model), cs.FlexibleTree(model)
    assert tree.coordinates == rigid.coordinates
    q, v, a = (rng.normal(size=len(tree.coordinates)) * 0.6 for _ in range(3))
    tau = rigid.inverse_dynamics(q, v, a)
    assert largest(tree.inverse_dynamics(q, v, a) - tau) < 1e-11 * largest(tau)
    expected = rigid.forward_dynamics(q, v, a)
    assert largest(tree.forward_dynamics(q, v, a) - expected) < 1e-10 * largest(expected)
    assert np.allclose(tree.moved(q, v), rigid.moved(q, v), atol=1e-12)
    assert np.allclose(tree.coordinate_rates(q, v), rigid.coordinate_rates(q, v), atol=1e-12)
    assert np.allclose(tree.energy(q, v), rigid.energy(q, v), rtol=1e-11)


def test_momentum_about_the_centre_of_mass(zoo, rng) -> None:
    """Of rigid trees as in their own recursion; of elastic ones, what gravity and motions of the whole make of it."""
    model = zoo()
    rigid, tree = cs.Tree(model), cs.FlexibleTree(model)
    q = rng.normal(size=len(tree.coordinates)) * 0.6
    matrix = rigid.centroidal_matrix(q)
    assert largest(tree.centroidal_matrix(q) - matrix) < 1e-12 * largest(matrix)
    tree = cs.FlexibleTree(chain(3, free=True), modes=2)
    q, v, _ = state(tree, rng)
    momentum, h = tree.centroidal_momentum(q, v), 1e-6
    ends = [tree.energy(tree.moved(q, s * v), v).potential for s in (h, -h)]
    assert momentum[:3] @ tree.gravity == pytest.approx(-(ends[0] - ends[1]) / (2 * h), rel=1e-7)
    # where only the base moves, all turns as one body, whose motion takes up the power of the momentum
    first = next(k for k, name in enumerate(tree.coordinates) if name.endswith(".x"))
    A, J = (matrix[:, first : first + 6] for matrix in (tree.centroidal_matrix(q), tree.jacobian("p0.end", q)))
    mass = largest(A[:3, :3]) / largest(J[:3, :3])
    powers = A[:3].T @ momentum[:3] / mass + J[3:].T @ momentum[3:]
    assert powers == pytest.approx((tree.mass_matrix(q) @ v)[first : first + 6], rel=1e-10)


def test_stiff_beams_are_rigid_bars(rng) -> None:
    """The stiffer the material, the closer are the accelerations of the joints to those of rigid bars."""
    rigid = cs.Tree(chain(3, "R"))
    n = len(rigid.coordinates)
    q, v = rng.normal(size=(2, n))
    expected = rigid.forward_dynamics(q, v, np.zeros(n))
    errors = []
    for factor in (1.0, 1e3):
        bars = cs.Model("bars", gravity=(0.3, -0.2, -9.81))
        stiff = cs.Material(E=factor * 1e12, nu=0.3, rho=ALLOY.rho)
        end = cs.GROUND.at((0, 0, 0))
        for k in range(3):
            points = [(0.5 * k, 0, 0), (0.5 * (k + 1), 0, 0)]
            beam = bars.add(cs.Beam(f"p{k}", points=points, section=SECTION, material=stiff, elements=8))
            sides = [end, beam.start] if k % 2 == 0 else [beam.start, end]
            bars.add(cs.Revolute(f"j{k}", *sides, axis=rotation(k), stiffness=0.5 * k, damping=0.1))
            end = beam.end
        tree = cs.FlexibleTree(bars, modes=8, boundary="cantilever")
        m = len(tree.coordinates) - n
        x, y = np.concatenate((q, np.zeros(m))), np.concatenate((v, np.zeros(m)))
        for _ in range(3):  # the deflection that follows statically: modes do not accelerate
            a = np.concatenate((expected, np.zeros(m)))
            for body in tree.modal_bodies.values():
                k = tree.coordinates.index(f"{body.name}.mode1")
                load = tree.inverse_dynamics(x, y, a)[k : k + 8]
                x[k : k + 8] -= np.linalg.solve(body.stiffness, load)
        errors.append(largest(tree.inverse_dynamics(x, y, a)[:n]) / largest(rigid.mass_matrix(q) @ expected))
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] > 100


def test_one_beam_is_one_modal_body(rng) -> None:
    """A free beam as a tree gives the equations of its modal body."""
    beam = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=SECTION, material=ALLOY, elements=8)
    model = cs.Model("free", gravity=(0, 0, 0))
    model.add(beam)
    tree = cs.FlexibleTree(model, modes=4)
    body = cs.modal_body(beam, modes=4, boundary="free")
    q, v, a = state(tree, rng)
    R = np.eye(4)
    R[:3, :3] = body.frame[:3, :3].T
    turn = se3.adjoint(R)  # from world axes to those of the body
    expected = modal_equations.newton_euler(body.inertia, q[6:], turn @ v[:6], v[6:], turn @ a[:6], a[6:])
    expected[6:] += body.stiffness @ q[6:] + body.damping @ v[6:]
    expected[:6] = turn.T @ expected[:6]
    tau = tree.inverse_dynamics(q, v, a)
    assert largest(tau - expected) < 1e-12 * largest(expected)


def test_loads_and_springs_on_elastic_bodies(rng) -> None:
    """The work of loads and springs on a small motion is that of their places."""
    model = chain(3, "BBR", gravity=(0, 0, 0))
    plain = cs.FlexibleTree(model, modes=3)
    force = np.array([1.0, -2.0, 3.0])
    model.add(cs.Force("push", "p0.end", force))
    model.add(cs.Torque("twist", "p1.at(0.5)", (0.5, 0.2, -0.1), follower=True))
    model.add(cs.Spring("spring", "p1.end", "ground.at(0, 1, 0)", stiffness=30.0))
    tree = cs.FlexibleTree(model, modes=3)
    q, v, a = state(tree, rng)
    acting = plain.inverse_dynamics(q, 0 * v, a) - tree.inverse_dynamics(q, 0 * v, a)
    h = 1e-6
    sides = [tree.moved(q, s * h * v) for s in (-1, 1)]
    frames = [tree.frame("p1.at(0.5)", x) for x in sides]
    work = force @ (tree.frame("p0.end", sides[1]) - tree.frame("p0.end", sides[0]))[:3, 3]
    work += np.array([0.5, 0.2, -0.1]) @ se3.log(se3.inverse(frames[0]) @ frames[1])[3:]  # the beam's axes: the world's
    work -= tree.energy(sides[1], v).strain - tree.energy(sides[0], v).strain
    work += plain.energy(sides[1], v).strain - plain.energy(sides[0], v).strain
    assert acting @ v == pytest.approx(work / (2 * h), rel=1e-6)


def test_driven_joints(rng) -> None:
    """Where the acceleration is given, the effort follows; hybrid dynamics and inverse dynamics agree."""
    tree = cs.FlexibleTree(chain(4), modes=2)
    q, v, _ = state(tree, rng)
    tau = rng.normal(size=len(q))
    tau[1] = 0.0
    a = tree.forward_dynamics(q, v, tau, driven={"j1": 2.0})
    assert a[1] == 2.0
    back = tree.inverse_dynamics(q, v, a)
    terms = largest(tree.mass_matrix(q)) * largest(a)
    assert largest(np.delete(back - tau, 1)) < 1e-13 * terms
    assert abs(back[1]) > 1e-3


COUNT = """
import cProfile, sys
sys.path.insert(0, "tests/physics")
import numpy as np
import cosserat as cs
from test_flexible_tree import chain
for n in (3, 12):
    tree = cs.FlexibleTree(chain(n, "BR"), modes=2)
    zero = tree.neutral()
    profile = cProfile.Profile()
    profile.runcall(lambda: tree.inverse_dynamics(zero, zero, tree.forward_dynamics(zero, zero, zero)))
    print(sum(entry.callcount for entry in profile.getstats()))
"""


def test_work_grows_with_the_number_of_bodies() -> None:
    """Counted in calls of functions of kernels that are not compiled: no other load on the machine disturbs it."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", COUNT], env=environment, cwd=root, capture_output=True, check=True)
    few, many = (int(word) for word in run.stdout.split())
    assert few > 1000
    assert np.log(many / few) / np.log(4.0) < 1.05


def test_a_free_beam_that_carries_something_has_few_good_modes() -> None:
    """Frequencies of a boom in flight with a thick arm at each end; modes of the free boom end without moment there."""
    model = cs.Model("satellite")

    def bar(name: str, start: tuple, end: tuple, diameter: float) -> cs.Beam:
        section, steel = cs.Rod(diameter), cs.materials.STEEL
        return model.add(cs.Beam(name, points=[start, end], section=section, material=steel, elements=8))

    boom = bar("boom", (0, 0, 0), (2, 0, 0), 0.02)
    for name, place, end in (("one", boom.start, (0, 0.5, 0)), ("two", boom.end, (2, 0, 0.5))):
        arm = bar(name, tuple(place.position), end, 0.06)
        model.add(cs.Revolute(f"hinge {name}", place, arm.start, axis=(1, 0, 0)))
    found = cs.modes(model, 4)

    def error(**options) -> float:
        tree = cs.FlexibleTree(model, modes=4, **options)
        assert tree.coordinates[2] == "boom.x"
        M, K = tree.mass_matrix(tree.neutral()), np.zeros((len(tree.coordinates),) * 2)
        for name, body in tree.modal_bodies.items():
            k = tree.coordinates.index(f"{name}.mode1")
            K[k : k + body.n_modes, k : k + body.n_modes] = body.stiffness
        root = np.linalg.inv(np.linalg.cholesky(M))
        squares = np.linalg.eigvalsh(root @ K @ root.T)[found.rigid :]
        return float(np.abs(np.sqrt(squares[:4]) / (2 * np.pi) / found.frequencies[found.rigid :] - 1).max())

    assert error() < 1e-3
    assert error(boundary={"boom": "free", "one": None, "two": None}) > 0.1
