"""Axis and angle, Euler angles, yaw-pitch-roll and quaternions, with their rates and singularities."""

import math

import numpy as np
import pytest

from cosserat.errors import CosseratError, GeometryError
from cosserat.lie import rotations, so3
from cosserat.lie.rotations import SingularRotationError

TRIPLES = [(0.3, 0.7, -1.2), (-2.5, 2.9, 3.0), (1.0, 1e-5, -2.0), (0.0, 1.2, 0.0), (3.1, 0.5, 0.1)]
SETS = ["euler", "yaw_pitch_roll"]


def valid(name, angles):
    """Bring theta into the range that the inverse map returns."""
    psi, theta, phi = angles
    return (psi, theta if name == "euler" else theta - math.pi / 2, phi)


def matrix_of(name, angles):
    return getattr(rotations, f"from_{name}")(*angles)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("angles", TRIPLES)
def test_angles_round_trip(name, angles):
    angles = valid(name, angles)
    R = matrix_of(name, angles)
    back = getattr(rotations, f"to_{name}")(R)
    assert np.max(np.abs(np.subtract(back, angles))) < 1e-10  # 1e-15 / theta near the singularity
    assert np.max(np.abs(matrix_of(name, back) - R)) < 1e-15 * 4


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("angles", TRIPLES)
def test_rates_by_differences_on_the_manifold(name, angles):
    angles, h = np.array(valid(name, angles)), 1e-4
    body = getattr(rotations, f"{name}_rates_body")(*angles)
    spatial = getattr(rotations, f"{name}_rates_spatial")(*angles)
    R = matrix_of(name, angles)
    for i, e in enumerate(np.eye(3)):
        right, left = matrix_of(name, angles + h * e), matrix_of(name, angles - h * e)
        omega = so3.log(left.T @ right) / (2 * h)
        assert np.max(np.abs(body[:, i] - omega)) < 1e-8
        omega = so3.log(right @ left.T) / (2 * h)
        assert np.max(np.abs(spatial[:, i] - omega)) < 1e-8
    assert np.max(np.abs(R @ body - spatial)) < 1e-15 * 4


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("side", ["body", "spatial"])
@pytest.mark.parametrize("angles", [TRIPLES[0], TRIPLES[1], TRIPLES[3]])
def test_inverse_rates(name, side, angles):
    angles = valid(name, angles)
    E = getattr(rotations, f"{name}_rates_{side}")(*angles)
    E_inv = getattr(rotations, f"{name}_rates_inv_{side}")(*angles)
    assert np.max(np.abs(E @ E_inv - np.eye(3))) < 1e-14


@pytest.mark.parametrize("side", ["body", "spatial"])
@pytest.mark.parametrize(
    ("name", "theta"),
    [("euler", 0.0), ("euler", math.pi), ("yaw_pitch_roll", math.pi / 2), ("yaw_pitch_roll", -math.pi / 2)],
)
def test_rates_are_refused_where_the_angles_are_singular(name, side, theta):
    with pytest.raises(SingularRotationError, match="rates are not defined") as caught:
        getattr(rotations, f"{name}_rates_inv_{side}")(0.3, theta, 0.1)
    assert isinstance(caught.value, CosseratError)
    E = getattr(rotations, f"{name}_rates_{side}")(0.3, theta, 0.1)
    assert abs(np.linalg.det(E)) < 1e-12


@pytest.mark.parametrize(
    ("name", "theta"),
    [("euler", 0.0), ("euler", math.pi), ("yaw_pitch_roll", math.pi / 2), ("yaw_pitch_roll", -math.pi / 2)],
)
def test_singular_attitudes_give_phi_zero_and_the_same_rotation(name, theta):
    R = matrix_of(name, (0.4, theta, 0.9))
    back = getattr(rotations, f"to_{name}")(R)
    assert back[2] == 0.0
    assert back[1] == pytest.approx(theta, abs=1e-15)
    assert np.max(np.abs(matrix_of(name, back) - R)) < 1e-15 * 4


def test_euler_angular_velocity_is_the_printed_formula():
    """[Lerbet17] (9), written out."""
    psi, theta, phi = 0.4, 1.1, -0.8
    d_psi, d_theta, d_phi = 0.3, -0.2, 0.7
    omega = rotations.euler_rates_spatial(psi, theta, phi) @ [d_psi, d_theta, d_phi]
    assert omega == pytest.approx(
        [
            d_theta * math.cos(psi) + d_phi * math.sin(theta) * math.sin(psi),
            d_theta * math.sin(psi) - d_phi * math.sin(theta) * math.cos(psi),
            d_psi + d_phi * math.cos(theta),
        ],
        abs=1e-15,
    )


def test_yaw_turns_about_z_pitch_lowers_the_nose_roll_lowers_the_right_wing():
    nose, left = [1, 0, 0], [0, 1, 0]
    assert rotations.from_yaw_pitch_roll(math.pi / 2, 0, 0) @ nose == pytest.approx([0, 1, 0], abs=1e-15)
    assert rotations.from_yaw_pitch_roll(0, math.pi / 2, 0) @ nose == pytest.approx([0, 0, -1], abs=1e-15)
    assert rotations.from_yaw_pitch_roll(0, 0, math.pi / 2) @ left == pytest.approx([0, 0, 1], abs=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.5, 2.0, math.pi - 1e-7, math.pi])
def test_axis_angle_and_quaternion_round_trip(angle, rng):
    n = rng.standard_normal(3)
    n *= np.sign(n[0]) / np.linalg.norm(n)
    R = rotations.from_axis_angle(7 * n, angle)
    assert np.max(np.abs(R - so3.exp(angle * n))) < 1e-15 * 2
    axis, back = rotations.to_axis_angle(R)
    assert back == pytest.approx(angle, rel=1e-13, abs=1e-300)
    if angle > 0:
        assert axis == pytest.approx(n, abs=1e-13)
    q = rotations.to_quaternion(R)
    assert q == pytest.approx([math.cos(angle / 2), *(math.sin(angle / 2) * n)], abs=1e-15 * 4)
    assert np.max(np.abs(rotations.from_quaternion(-3 * q) - R)) < 1e-15 * 4


def test_quaternion_of_every_branch(rng):
    for R in [rotations.about_x(3), rotations.about_y(3), rotations.about_z(3), *map(so3.random, [rng] * 50)]:
        q = rotations.to_quaternion(R)
        assert q[0] >= 0
        assert np.linalg.norm(q) == pytest.approx(1, abs=1e-15)
        assert np.max(np.abs(rotations.from_quaternion(q) - R)) < 1e-15 * 4


def test_bad_input_says_what_to_pass():
    with pytest.raises(GeometryError, match=r"norm 0; pass a direction such as \(0, 0, 1\)"):
        rotations.from_axis_angle((0, 0, 0), 1.0)
    with pytest.raises(GeometryError, match=r"identity is \(1, 0, 0, 0\)"):
        rotations.from_quaternion((0, 0, 0, 0))
    with pytest.raises(GeometryError, match="pass a rotation matrix"):
        rotations.to_euler(np.ones((3, 3)))
    with pytest.raises(GeometryError, match="a reflection"):
        rotations.to_quaternion(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(GeometryError, match="pass 4 numbers"):
        rotations.from_quaternion((1, 0, 0))
    with pytest.raises(GeometryError, match="must be finite"):
        rotations.from_axis_angle((math.nan, 0, 1), 1.0)
