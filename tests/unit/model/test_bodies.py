"""Rigid bodies and their constructors against textbook inertias."""

import numpy as np
import pytest

from cosserat.errors import CosseratError
from cosserat.lie import so3
from cosserat.model.bodies import RigidBody
from cosserat.model.materials import STEEL
from cosserat.model.parameters import Parameter
from cosserat.model.section import Section
from cosserat.model.sections import Rectangle, Rod


def test_plain() -> None:
    R = so3.exp([0.1, 0.2, 0.3])
    body = RigidBody("b", mass=2, com=(1, 2, 3), inertia=np.diag([1, 2, 2.5]), rotation=R, velocity=(1, 0, 0))
    assert body.mass == 2.0
    assert body.com.tolist() == [1, 2, 3]
    assert body.angular_velocity is None
    np.testing.assert_allclose(body.rotation, R)
    H = body.at((4, 5, 6)).frame()
    np.testing.assert_allclose(H[:3, :3], R)
    assert H[:3, 3].tolist() == [4, 5, 6]
    assert RigidBody("b", 1, inertia=(1, 1, 1), rotation=(1, 0, 0, 0)).rotation.tolist() == np.eye(3).tolist()
    np.testing.assert_allclose(RigidBody("b", 1, inertia=(1, 1, 1), rotation=so3.to_quaternion(R)).rotation, R)


def test_shapes() -> None:
    box = RigidBody.box("b", size=(1, 2, 3), density=2)
    assert box.mass == 12
    assert np.diag(box.inertia).tolist() == [13, 10, 5]
    ball = RigidBody.sphere("s", diameter=2, mass=5)
    np.testing.assert_allclose(np.diag(ball.inertia), 2.0)
    assert RigidBody.sphere("s", diameter=2, density=3).mass == pytest.approx(4 * np.pi)
    roll = RigidBody.cylinder("c", diameter=2, length=3, mass=4, axis=(1, 0, 0))
    np.testing.assert_allclose(np.diag(roll.inertia), [2, 4, 4])  # m r^2/2; m (3 r^2 + L^2)/12
    assert roll.shape is not None
    assert roll.shape.kind == "cylinder"
    assert roll.shape.axis.tolist() == [1, 0, 0]
    plate = RigidBody.plate("p", size=(1, 2), thickness=0.1, mass=12)
    np.testing.assert_allclose(np.diag(plate.inertia), [4.01, 1.01, 5])


def test_bars() -> None:
    bar = RigidBody.bar("b", start=(0, 0, 0), end=(0, 3, 0), mass=4)
    assert bar.com.tolist() == [0, 1.5, 0]
    np.testing.assert_allclose(np.diag(bar.inertia), [3, 4 * 0.03**2 / 8, 3])
    rod = RigidBody.bar("b", (0, 0, 0), (0, 0, 2), section=Rod(0.1), material=STEEL)
    cylinder = RigidBody.cylinder("b", diameter=0.1, length=2, density=7850)
    assert rod.mass == pytest.approx(cylinder.mass)
    np.testing.assert_allclose(rod.inertia, cylinder.inertia, rtol=1e-12)
    slab = RigidBody.bar("b", (0, 0, 0), (2, 0, 0), section=Rectangle(width=0.3, height=0.1), material=STEEL)
    block = RigidBody.box("b", size=(2, 0.3, 0.1), density=7850)
    np.testing.assert_allclose(slab.inertia, block.inertia, rtol=1e-12)
    oblique = RigidBody.bar("b", (0, 0, 0), (1, 1, 1), mass=1)
    a = np.ones(3) / np.sqrt(3)
    assert a @ oblique.inertia @ a == pytest.approx(3 / 100**2 / 8)


def test_parameters_stay_alive() -> None:
    a = Parameter("a", 1.0)
    body = RigidBody.box("b", size=(a, 1, 1), density=12)
    a.value = 2.0
    assert body.mass == 24
    assert body.inertia[1, 1] == 24 / 12 * 5
    roller = RigidBody.cylinder("c", diameter=a, length=1, mass=1, axis=(1, 1, 0))
    a.value = 3.0
    assert np.linalg.eigvalsh(roller.inertia)[-1] == pytest.approx(9 / 8)


def test_a_bar_between_moving_points() -> None:
    L = Parameter("L", 1.0)
    bar = RigidBody.bar("b", (0, 0, 0), (L, 2 * L, 0), mass=12)
    L.value = 2.0
    np.testing.assert_allclose(bar.com, [1, 2, 0])
    np.testing.assert_allclose(bar.inertia, RigidBody.bar("b", (0, 0, 0), (2, 4, 0), mass=12).inertia, rtol=1e-12)
    with pytest.raises(CosseratError, match="body 'b': end may not depend on the parameter 'L'; pass a number"):
        RigidBody.bar("b", (0, 0, 0), (L, 0, 0), section=Rod(0.1), material=STEEL)
    with pytest.raises(CosseratError, match="body 'b': section may not depend on the parameter 'L'"):
        RigidBody.bar("b", (0, 0, 0), (1, 0, 0), section=Rod(L), material=STEEL)
    with pytest.raises(CosseratError, match="body 'c': axis may not depend on the parameter 'L'"):
        RigidBody.cylinder("c", diameter=1, length=1, mass=1, axis=(L, 0, 0))


def test_the_heavy_top_passes_the_triangle_inequality_on_its_edge() -> None:
    body = RigidBody("top", mass=15, com=(0, 1, 0), inertia=np.diag([0.234375, 0.46875, 0.234375]))
    assert body.inertia[1, 1] == 0.46875


def test_equality_and_repr() -> None:
    a, b = (RigidBody.box("b", size=[1, 2, 3], mass=1) for _ in range(2))
    assert a == b
    assert a != RigidBody.box("b", size=(1, 2, 3), mass=2)
    assert a != "b"
    assert repr(a).startswith("RigidBody('b', mass=1, ")


def test_a_reflection_is_not_a_rotation() -> None:
    with pytest.raises(CosseratError, match="body 'b': rotation is a reflection"):
        RigidBody("b", 1, inertia=(1, 1, 1), rotation=np.diag([1, 1, -1]))
    with pytest.raises(CosseratError, match="body 'b': rotation is not orthonormal"):
        RigidBody("b", 1, inertia=(1, 1, 1), rotation=2 * np.eye(3))
    with pytest.raises(CosseratError, match="quaternion of norm 2"):
        RigidBody("b", 1, inertia=(1, 1, 1), rotation=(2, 0, 0, 0))


def test_bar_of_a_section_whose_mass_is_off_the_axis() -> None:
    """The same mass, centre and inertia as the beam of this section."""
    c, m = np.array([0.0, 0.2, -0.1]), 3.0
    C = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    J = np.diag([0.05, 0.02, 0.03]) - m * C @ C
    section = Section(stiffness=[1e6] * 3 + [1e3] * 3, mass=np.block([[m * np.eye(3), -m * C], [m * C, J]]))
    bar = RigidBody.bar("bar", (0, 0, 0), (2, 0, 0), section=section)
    np.testing.assert_allclose(bar.com, [1, 0.2, -0.1])
    wanted = 2 * np.diag([0.05, 0.02, 0.03]) + np.diag([0, 1, 1]) * 6 * 4 / 12
    np.testing.assert_allclose(bar.inertia, wanted, atol=1e-12)
