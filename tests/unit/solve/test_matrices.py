"""Linear equations of motion against differences of the nonlinear ones along motions through a point."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.matrices import matrices_at


def compare(found, expected, scale):
    assert np.max(np.abs(found - expected)) <= 1e-6 * scale


@pytest.mark.parametrize("which", ["stiffness", "damping", "mass"])
def test_matrices_are_derivatives_of_the_equations_of_motion(point, laboratory, rng, which):
    lab = laboratory(point)
    matrix = getattr(matrices_at(point), which).toarray()
    place = {"stiffness": 0, "damping": 1, "mass": 2}[which]
    for direction in rng.uniform(-1, 1, (6, 6 * lab.n)):

        def residual(e, direction=direction):
            displacement = [None] * 3
            displacement[place] = e * direction
            return lab.equations(lab.state(*displacement))[0]

        compare(matrix @ direction, lab.derivative(residual), np.abs(matrix).max())


def test_constraints_are_derivatives_of_the_joints(point, laboratory, rng):
    lab = laboratory(point)
    phi = matrices_at(point).constraints
    for x in rng.uniform(-1, 1, (4, 6 * lab.n)):
        change = lab.derivative(lambda e, x=x: lab.equations(lab.state(e * x))[1])
        rows = [keep @ change[j] for j, keep in enumerate(point.independent_rows)]
        compare(phi @ x, np.concatenate(rows), 1.0)


def test_prescribed_motions(driven_point, laboratory, rng):
    lab = laboratory(driven_point)
    matrices = matrices_at(driven_point)
    for x in rng.uniform(-1, 1, (3, 6 * lab.n)):
        K = matrices.stiffness
        expected = lab.derivative(lambda e, x=x: lab.equations(lab.state(e * x))[0])
        compare(K @ x, expected, np.abs(K.toarray()).max())


def test_free_motions_span_what_the_joints_allow(point):
    matrices = matrices_at(point)
    N, phi = matrices.free_motions(), matrices.constraints.toarray()
    np.testing.assert_allclose(phi @ N, 0.0, atol=1e-13)
    np.testing.assert_allclose(N.T @ N, np.eye(N.shape[1]), atol=1e-13)
    assert N.shape[1] == phi.shape[1] - np.linalg.matrix_rank(phi)
    assert np.linalg.matrix_rank(phi) == phi.shape[0]


def four_bar(stiffness=0.0):
    """A planar parallelogram of three bars on four hinges: two of its three rows across the plane are implied."""
    model = cs.Model("four-bar", gravity=(0, -9.81, 0))
    names = ["left", "top", "right"]
    corners = [(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)]
    bars = [
        model.add(cs.RigidBody.bar(n, corners[i], corners[i + 1], section=cs.Rod(0.05), material=cs.materials.STEEL))
        for i, n in enumerate(names)
    ]
    model.add(cs.Revolute("A", cs.GROUND, bars[0].at(corners[0]), axis=(0, 0, 1), stiffness=stiffness))
    model.add(cs.Revolute("B", bars[0].at(corners[1]), bars[1].at(corners[1]), axis=(0, 0, 1)))
    model.add(cs.Revolute("C", bars[1].at(corners[2]), bars[2].at(corners[2]), axis=(0, 0, 1)))
    model.add(cs.Revolute("D", bars[2].at(corners[3]), cs.GROUND, axis=(0, 0, 1)))
    return model


def test_redundant_constraints_leave_the_one_motion():
    """The parallelogram stands upright: its potential is -m g L (1 - cos q) for the lumped masses, exactly."""
    model = four_bar(stiffness=300.0)
    point = point_at(model)
    matrices = matrices_at(point)
    assert matrices.constraints.shape[0] == 17
    N = matrices.free_motions()
    assert N.shape[1] == 1
    N = N / (N[5, 0])  # the left bar turns by one
    left, top, right = (float(model[n].mass) for n in ("left", "top", "right"))
    inertia = sum(float(model[n].inertia[2, 2]) + 0.25 * m for n, m in (("left", left), ("right", right))) + top
    falling = 9.81 * (0.5 * left + top + 0.5 * right)
    assert (N.T @ matrices.mass @ N).item() == pytest.approx(inertia, rel=1e-9)
    assert (N.T @ matrices.stiffness @ N).item() == pytest.approx(300.0 - falling, rel=1e-9)


def test_gyroscopic_and_centrifugal_terms_of_a_bead():
    """A bead on three springs fixed to a turntable: (K - m W^2) across the axis, Coriolis matrix 2 m W."""
    mass, stiffness, speed = 2.0, 50.0, 3.0
    model = cs.Model("bead")
    bead = model.add(cs.RigidBody("bead", mass=mass, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.PlanarTranslation("plane", cs.GROUND, bead, normal=(0, 0, 1), stiffness=(stiffness, stiffness),
                                   damping=(0.3, 0.3)))  # fmt: skip
    point = point_at(model, spin=(0, 0, speed))
    assert point.kind == "steady rotation"
    matrices = matrices_at(point)
    N = np.eye(6)[:, :2]
    np.testing.assert_allclose(N.T @ matrices.mass @ N, mass * np.eye(2), atol=1e-12)
    np.testing.assert_allclose(N.T @ matrices.stiffness @ N, (stiffness - mass * speed**2) * np.eye(2), atol=1e-11)
    coriolis = 2 * mass * speed * np.array([[0, -1], [1, 0]])
    np.testing.assert_allclose(N.T @ matrices.damping @ N, coriolis + 0.3 * np.eye(2), atol=1e-12)


def test_damper_to_the_turntable_does_not_feel_the_rotation():
    """Spring and damper between the turntable and a mass that turns with it: no force in the damper."""
    model = cs.Model("on a turntable")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(1, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    model.add(cs.Spring("leash", cs.GROUND.at((0, 0.5, 0)), body, stiffness=40.0, length=1.0, damping=5.0))
    found = cs.equilibrium(model, spin=(0, 0, 2.0))
    assert found.status.ok
    x = float(found.position("body")[0])
    length = np.hypot(x, 0.5)
    assert 40.0 * (length - 1.0) * x / length == pytest.approx(1.0 * 4.0 * x, rel=1e-9)
    point = point_at(model, found)
    matrices = matrices_at(point)
    along = np.eye(6)[:, :1]
    cosine = x / length
    expected = 40.0 * cosine**2 + 40.0 * (length - 1.0) / length * (1 - cosine**2) - 4.0
    assert (along.T @ matrices.stiffness @ along).item() == pytest.approx(expected, rel=1e-9)
    assert (along.T @ matrices.damping @ along).item() == pytest.approx(5.0 * cosine**2, rel=1e-9)
