"""Steps in floating frames: what the compiled iteration leaves of the equations, and its matrices."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.tree import compile_tree
from cosserat.jit.switch import COMPILED
from cosserat.solve.floating.integration import new_stepper
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.walk import FloatingWalk as Stepper
from cosserat.solve.motion.walk import StepFailure
from cosserat.solve.relative import flexible_recursion


def arm() -> cs.Model:
    """A free hub, an elastic arm with friction in its hinge, a driven tip on a spherical joint's far side."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    hub = model.add(cs.RigidBody("hub", mass=5.0, com=(0, 0, 0), inertia=(0.2, 0.3, 0.25), angular_velocity=(1, 2, 3)))
    material = cs.Material(E=70e9, nu=0.3, rho=2700.0, damping=1e-4)
    points = [(0.1, 0, 0), (1.1, 0, 0)]
    beam = model.add(cs.Beam("arm", points=points, section=cs.Rod(0.02), material=material, elements=3))
    tip = model.add(cs.RigidBody("tip", mass=0.5, com=(1.2, 0, 0.1), inertia=(0.01, 0.01, 0.01)))
    model.add(cs.Revolute("hinge", hub.at(points[0]), beam.start, axis=(0, 1, 0), friction=0.2, damping=0.1))
    model.add(cs.Universal("wrist", beam.end, tip.at(points[1]), axes=((0, 1, 0), (0, 0, 1)), motion=("t**2", None)))
    model.add(cs.Force("push", tip, ("sin(20 * t)", "1", "0")))
    return model


def closed() -> cs.Model:
    """A crank, an elastic coupler and a rocker between driven and free joints; the second spherical joint is cut."""
    model = cs.Model("closed", gravity=(0, 0, -9.81))
    points = np.array([(0, 0, 0), (0, 0.4, 0.1), (1, 0.5, 0), (1.1, 0, 0.1)])
    crank = model.add(cs.RigidBody("crank", mass=1.0, com=points[:2].mean(axis=0), inertia=(0.02, 0.02, 0.02)))
    rocker = model.add(cs.RigidBody("rocker", mass=1.0, com=points[2:].mean(axis=0), inertia=(0.02, 0.02, 0.02)))
    rod = model.add(cs.Beam("rod", points=points[1:3], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=3))
    model.add(cs.Spherical("A", cs.GROUND, crank.at(points[0]), motion=("0.1 * t**2", "t**2", "3 * t**2")))
    model.add(cs.Universal("B", crank.at(points[1]), rod.start, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Spherical("C", rod.end, rocker.at(points[2])))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(points[3]), axis=(0, 0, 1)))
    model.add(cs.Force("push", rocker, ("sin(20 * t)", "1", "0")))
    return model


def sprung() -> cs.Model:
    """The same with springs and dampers: straight ones, one in a cut joint, and a user's."""
    model = closed()
    model.add(cs.Spring("line", cs.GROUND.at((0.5, 1, 0)), "rocker", stiffness=2e4, damping=30.0))

    def pull(t, frame, twist, parameters):
        wrench = np.zeros(6)
        for i in range(3):
            wrench[i] = -40.0 * twist[i]
            for j in range(3):
                wrench[i] -= 3e4 * frame[j, i] * (frame[j, 3] - parameters["at"] * (j == 0))
        return wrench

    model.add(cs.StateLoad("user", "crank", pull, {"at": 0.1}))
    return model


MODELS = {"open": arm, "closed": closed, "sprung": sprung}


def new(model: cs.Model, integrator: str = "generalized-alpha", tolerance: float = 1e-11) -> Stepper:
    return new_stepper(FloatingModel(model, compile_tree(model, 2, cut=True)), integrator, 0.8, tolerance)


def left(stepper: Stepper, point) -> np.ndarray:
    """What a state leaves of the equations of motion of coordinates that are not held."""
    tree, constraints = stepper.tree, stepper.constraints
    tree.set_time(point.t)
    now = flexible_recursion.Motions(tree.data).move(point.q, point.v)
    rows = constraints.at(now, point.q, point.t, point.angles)
    found = tree.inverse_dynamics(point.q, point.v, point.a) + point.force @ rows.A
    return np.where(stepper.drives.held, 0.0, found)


@pytest.mark.parametrize("name", MODELS)
def test_steps_leave_nothing_of_the_equations(name: str) -> None:
    stepper = new(MODELS[name]())
    n = len(stepper.tree.coordinates)
    point = stepper.start(0.0, np.zeros(n), np.zeros(n))
    size = np.abs(stepper.tree.inverse_dynamics(point.q, point.v, 0 * point.a)).max()
    for h in (1e-3, 1e-3, 2e-3, 5e-4):
        point = stepper.step(point, h)
        assert np.abs(left(stepper, point)).max() < 1e-7 * size
        rows = stepper.constraints.at(
            flexible_recursion.Motions(stepper.tree.data).move(point.q, point.v), point.q, point.t, point.angles
        )
        assert np.abs(rows.value[stepper.constraints.holonomic]).max(initial=0.0) < 1e-12
        assert np.abs(rows.rate).max(initial=0.0) < 1e-11


@pytest.mark.parametrize("name", ["open", "closed"])
def test_a_course_is_its_steps(name: str) -> None:
    for integrator in ("generalized-alpha", "runge-kutta"):
        one, many = (new(MODELS[name](), integrator) for _ in range(2))
        n, h = len(one.tree.coordinates), 2e-5
        begin = one.start(0.0, np.zeros(n), np.zeros(n))
        found = many.course(begin, 0.0, h, 6, 2, 0)
        assert found.failure is None
        assert found.stored is not None
        assert (found.done, len(found.stored.q)) == (6, 3)
        point = begin
        for _ in range(6):
            point = one.step(point, h)
        np.testing.assert_allclose(found.now.q, point.q, rtol=1e-10, atol=1e-16)
        np.testing.assert_allclose(found.stored.v[-1], point.v, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", MODELS)
def test_the_error_is_filtered_by_the_iteration_matrix(name: str, rng: np.random.Generator) -> None:
    """S e = M d and A e = 0 against the assembled matrices of the state that was factored."""
    stepper = new(MODELS[name]())
    tree, n = stepper.tree, len(stepper.tree.coordinates)
    stepper.step(stepper.start(0.0, np.zeros(n), np.zeros(n)), 1e-3)
    engine, free = stepper.engine, ~stepper.drives.held
    d = np.where(free, rng.normal(size=n), 0.0)
    e = engine.filtered(d)
    rows, border, m = stepper.constraints.closed.rows, engine._border, stepper.constraints.n_rows
    M = tree.mass_matrix(engine._rooms[0].vectors.q)
    S, at = M.copy(), 0
    for link in tree.data.links:
        k = len(link.columns)
        S[np.ix_(link.columns, link.columns)] += engine._stepping.passive.extra[at : at + k * k].reshape(k, k)
        at += k * k
    soft = border.laws[1] - m
    B = rows.C[m : m + soft]
    S += B.T @ border.K[:soft, :soft] @ B
    A = rows.C[:m][:, free]
    off = (S @ e - M @ d)[free]
    off -= A.T @ np.linalg.lstsq(A.T, off, rcond=1e-10)[0] if m else 0.0
    assert np.abs(off).max() < 1e-8 * np.abs(S @ d).max()
    assert np.abs(A @ e[free]).max(initial=0.0) < 1e-8
    assert not e[~free].any()


@pytest.mark.skipif(not COMPILED, reason="Python's own sine refuses what is infinite")
def test_what_is_not_finite_is_refused() -> None:
    stepper = new(arm())
    n = len(stepper.tree.coordinates)
    begin = stepper.start(0.0, np.zeros(n), np.zeros(n))
    with pytest.raises(StepFailure), np.errstate(all="ignore"):
        stepper.step(begin._replace(v=np.full(n, 1e200)), 1.0)


def test_stiff_laws_of_users_enter_the_iteration_matrix() -> None:
    """A mass on a stiff law: steps far longer than its period, which fixed factors without the law cannot take."""
    def stiff(t, frame, twist, parameters):
        wrench = np.zeros(6)
        for i in range(3):
            wrench[i] = -parameters["c"] * twist[i]
            for j in range(3):
                wrench[i] -= parameters["k"] * frame[j, i] * frame[j, 3]
        return wrench

    model = cs.Model("stiff", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.StateLoad("law", body, stiff, {"k": 1e8, "c": 1e4}))
    run = cs.simulate(model, 0.1, 1e-3, formulation="floating")
    assert run.status.ok, run.status
    assert run.stats["steps_split"] == 0
    assert run.stats["solves"] < 6 * run.stats["steps"]
    assert run.position("body").values[-1, 2] == pytest.approx(-9.81 / 1e8, rel=1e-2)
