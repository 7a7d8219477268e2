"""Angles and quaternions of runs."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.lie import rotations
from cosserat.results import kinematics as attitude


@pytest.fixture(scope="module")
def turning():
    """Rotations about all axes, through more than two turns of yaw."""
    t = np.linspace(0.0, 3.0, 301)
    return t, np.array([rotations.from_yaw_pitch_roll(5 * s, 0.9 * np.sin(s), 0.7 * s) for s in t])


def test_conversions_are_those_of_single_rotations_and_do_not_jump(turning):
    t, R = turning
    angles = attitude.yaw_pitch_roll(R)
    assert np.allclose(angles, np.stack((5 * t, 0.9 * np.sin(t), 0.7 * t), axis=1), atol=1e-12)
    for kind, back in (("euler", rotations.from_euler), ("yaw_pitch_roll", rotations.from_yaw_pitch_roll)):
        values, names, unit = attitude.converted(kind, R)
        assert len(names) == 3
        assert unit == "rad"
        assert np.allclose([back(*row) for row in values], R, atol=1e-12)
    quaternions = attitude.quaternion(R)
    assert np.abs(np.diff(quaternions, axis=0)).max() < 0.05
    assert np.allclose([rotations.from_quaternion(q) for q in quaternions], R, atol=1e-12)
    assert np.allclose([cs.lie.so3.exp(w) for w in attitude.rotation_vector(R)], R, atol=1e-12)


def test_singular_attitude():
    R = np.array([rotations.from_yaw_pitch_roll(0.3, np.pi / 2, 0.0)])
    assert np.allclose(attitude.yaw_pitch_roll(R), [(0.3, np.pi / 2, 0.0)], atol=1e-9)


def test_angles_of_a_run():
    model = cs.Model("turntable")
    disc = model.add(cs.RigidBody.cylinder("disc", 1.0, 0.1, mass=2.0))
    model.add(cs.Revolute("axle", cs.GROUND, disc, axis=(0, 0, 1), motion="4*t"))
    run = cs.simulate(model, duration=2.0, step=0.05)
    found = run.yaw_pitch_roll("disc")
    assert found.dims == ("time", "angle")
    assert list(found.angle.values) == ["yaw", "pitch", "roll"]
    assert np.allclose(found.sel(angle="yaw"), 4 * run.time, atol=1e-8)
    assert run.attitude("disc", "quaternion").shape == (len(run.time), 4)
    with pytest.raises(cs.CosseratError, match="kinds: yaw_pitch_roll, euler"):
        run.attitude("disc", "cardan")
