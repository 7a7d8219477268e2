"""Joints: freedoms against Table I of [Grazioso17], frames, drives."""

from typing import Any

import numpy as np
import pytest

from cosserat.errors import CosseratError, ModelError
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import JOINTS, Friction, Joint
from cosserat.model.materials import STEEL
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.model.places import GROUND
from cosserat.model.sections import Rod

BODY = RigidBody("body", 1, com=(1, 2, 3), inertia=(1, 1, 1))
DIRECTIONS: dict[str, dict[str, Any]] = {
    "Revolute": {"axis": (0, 0, 2)}, "Prismatic": {"axis": (0, 0, 2)}, "Cylindrical": {"axis": (0, 0, 2)},
    "Screw": {"axis": (0, 0, 2), "pitch": 0.25}, "Planar": {"normal": (0, 0, 2)},
    "PlanarTranslation": {"normal": (0, 0, 2)}, "Universal": {"axes": ((2, 0, 0), (0, 3, 0))},
    "Fixed": {}, "Spherical": {}, "Free": {},
}  # fmt: skip
O, N = np.zeros(3), np.array([0.0, 0.0, 1.0])
E1, E2, E3 = np.eye(3)
TABLE_I = {
    "Fixed": np.zeros((6, 0)),
    "Revolute": np.stack([np.r_[O, N]], axis=1),
    "Prismatic": np.stack([np.r_[N, O]], axis=1),
    "Screw": np.stack([np.r_[0.25 * N, N]], axis=1),
    "Cylindrical": np.stack([np.r_[N, O], np.r_[O, N]], axis=1),
    "PlanarTranslation": np.stack([np.r_[E1, O], np.r_[E2, O]], axis=1),
    "Spherical": np.stack([np.r_[O, E1], np.r_[O, E2], np.r_[O, E3]], axis=1),
    # not in the table: the lower pair, the universal joint in its reference configuration, no constraint at all
    "Planar": np.stack([np.r_[E1, O], np.r_[E2, O], np.r_[O, N]], axis=1),
    "Universal": np.stack([np.r_[O, E1], np.r_[O, E2]], axis=1),
    "Free": np.eye(6),
}


def make(kind: str, **more: Any) -> Joint:
    return JOINTS[kind]("j", GROUND, BODY, **{**DIRECTIONS[kind], **more})


@pytest.mark.parametrize("kind", JOINTS)
def test_table_1(kind: str) -> None:
    joint = make(kind)
    np.testing.assert_array_equal(joint.freedom_matrix(), TABLE_I[kind])
    assert len(joint.freedoms) == len(joint.motion) == len(joint.effort) == len(joint.stiffness)
    assert len(joint.damping) == len(joint.friction) == len(joint.coordinates)
    assert joint.pitch == (0.25 if kind == "Screw" else 0.0)
    np.testing.assert_allclose(joint.frame()[:3, 3], [1, 2, 3])


def test_kinds() -> None:
    assert {j.kind for j in JOINTS.values()} == {
        "fixed", "revolute", "prismatic", "screw", "cylindrical", "planar", "planar_translation", "spherical",
        "universal", "free",
    }  # fmt: skip


def test_coordinate_names() -> None:
    assert make("Revolute").coordinates == ("j",)
    assert make("Cylindrical").coordinates == ("j.z", "j.rz")
    assert make("Planar").coordinates == ("j.x", "j.y", "j.rz")
    assert make("Free").coordinates == ("j.x", "j.y", "j.z", "j.rx", "j.ry", "j.rz")
    assert make("Fixed").coordinates == ()


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 2, 3), (1, 1e-3, 0), (0.9, 0.4, 0)])
def test_frames(axis: Any) -> None:
    R = make("Revolute", axis=axis).frame()[:3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1)
    np.testing.assert_allclose(R[:, 2], axis / np.linalg.norm(axis), atol=1e-15)
    if axis == (0, 0, 1):
        np.testing.assert_array_equal(R, np.eye(3))
    x, y = R[:, 0], R[:, 1]
    np.testing.assert_allclose(make("Universal", axes=(x, y)).frame()[:3, :3], R, atol=1e-14)


def test_positions() -> None:
    hub = RigidBody("hub", 1, inertia=(1, 1, 1))
    beam = Beam("b", points=[(1, 0, 0), (2, 0, 0)], section=Rod(0.1), material=STEEL)
    assert make("Fixed", at=(7, 8, 9)).frame()[:3, 3].tolist() == [7, 8, 9]
    assert JOINTS["Fixed"]("j", hub.at((1, 0, 0)), beam.start).frame()[:3, 3].tolist() == [1, 0, 0]
    assert JOINTS["Fixed"]("j", beam.end, GROUND).frame()[:3, 3].tolist() == [2, 0, 0]
    text = JOINTS["Fixed"]("j", "hub", "b.start")
    with pytest.raises(ModelError, match="joint 'j': parent 'hub' is text; add the joint to a model first"):
        _ = text.parent


def test_drives() -> None:
    P = Parameter("P", 2.0)
    joint = make("Revolute", motion=lambda t: t**2, stiffness=P, damping=0.5, friction=Friction(1.0, speed=0.1))
    assert joint.motion[0] is not None
    assert joint.motion[0].jet([3.0])[2][0] == 2.0
    assert joint.stiffness == (2.0,)
    assert joint.damping == (0.5,)
    assert joint.friction[0] is not None
    assert (joint.friction[0].level, joint.friction[0].speed) == (1.0, 0.1)
    assert list(joint.parameters()) == [P]
    triple = make("Prismatic", motion=(lambda t: t, lambda t: 1.0, lambda t: 0.0))
    assert triple.motion[0] is not None
    assert triple.motion[0].jet([5.0])[1][0] == 1.0
    one = make("Revolute", effort=("2*t",))
    assert one.effort[0] is not None
    assert one.effort[0].sample([2.0])[0] == 4.0
    several = make("Cylindrical", motion={"z": "t"}, effort={"rz": 3}, stiffness=(0, 4), friction={"rz": 2.0})
    assert several.motion[1] is None
    assert several.effort[0] is None
    assert several.stiffness == (0, 4)
    assert several.friction[0] is None
    assert several.friction[1] is not None
    assert several.friction[1].level == 2.0
    assert make("Spherical", stiffness=5).stiffness == (5, 5, 5)
    assert make("Spherical", motion=("t", 0, 0)).motion[2] is not None
    assert make("Free", stiffness=(1, 2, 3, 4, 4, 4)).stiffness == (1, 2, 3, 4, 4, 4)
    assert make("PlanarTranslation", damping=3).damping == (3, 3)


def test_repr_shows_what_was_given() -> None:
    assert repr(make("Revolute", stiffness=3)) == (
        "Revolute('j', parent=<place 'ground'>, child=<place 'body'>, axis=(0, 0, 2), stiffness=3)"
    )
    assert make("Cylindrical", stiffness=(0.0, 4)).arguments()["stiffness"] == {"rz": 4}


@pytest.mark.parametrize(
    "kind, arguments, message",
    [
        ("Revolute", {"axis": (0, 0, 0)}, r"axis has norm 0; pass a unit vector such as axis=\(0, 0, 1\)"),
        ("Revolute", {"axis": (0, 0)}, "axis must be 3 numbers"),
        ("Revolute", {"axis": "z"}, "axis must be 3 numbers"),
        ("Planar", {"normal": (0, 0, np.nan)}, "normal contains nan"),
        ("Universal", {"axes": ((1, 0, 0), (1, 1, 0))}, "axes must be perpendicular; .* 45 degrees"),
        ("Universal", {"axes": (1, 0, 0)}, "axes must be 2x3 numbers"),
        ("Screw", {"pitch": np.inf}, "pitch is inf"),
        ("Revolute", {"at": (0, 0)}, "at must be 3 numbers"),
        ("Revolute", {"stiffness": -1}, "stiffness is -1; it must not be negative"),
        ("Revolute", {"damping": "x"}, "damping must be a number"),
        ("Revolute", {"friction": -2}, "friction is -2"),
        ("Revolute", {"motion": "t", "effort": 1}, "both motion and effort are given for 'rz'"),
        ("Cylindrical", {"motion": {"z": "t"}, "effort": {"z": 1}}, "both motion and effort are given for 'z'"),
        ("Cylindrical", {"motion": "t"}, r"motion must have one entry per freedom \(z, rz\)"),
        ("Cylindrical", {"stiffness": 3}, "stiffness must have one entry per freedom"),
        ("Cylindrical", {"stiffness": (1, 2, 3)}, r"stiffness has 3 entries; this joint has 2 freedom\(s\): z, rz"),
        ("Cylindrical", {"effort": {"angle": 3}}, "effort names the freedom 'angle'; freedoms: z, rz"),
        ("Spherical", {"stiffness": (1, 2, 3)}, "stiffness is .* isotropic: three equal values"),
        ("Free", {"damping": (1, 2, 3, 1, 1, 2)}, "damping is .* isotropic"),
        ("Revolute", {"motion": "sin(w*t)"}, "motion: unknown name 'w'"),
        ("Fixed", {"motion": "t"}, "unknown argument 'motion'; accepted arguments: name, parent, child, at"),
    ],
)
def test_bad_joints(kind: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CosseratError, match=f"'j'.*{message}"):
        make(kind, **arguments)


def test_friction_checks_itself() -> None:
    with pytest.raises(CosseratError, match="friction: speed is 0; it must be greater than 0"):
        Friction(1.0, speed=0)


def test_a_ring_may_be_closed_but_a_place_not_joined_to_itself() -> None:
    model = Model("m")
    ring = model.add(
        Beam("ring", curve=("cos(2*pi*s)", "sin(2*pi*s)", 0), section=Rod(0.1), material=STEEL, velocity=(1, 0, 0))
    )
    model.add(JOINTS["Fixed"]("weld", ring.end, ring.start))
    model.validate()
    model.add(JOINTS["Fixed"]("nonsense", ring.end, "ring.at(1)"))
    with pytest.raises(ModelError, match="joint 'nonsense': it connects 'ring' to itself"):
        model.validate()
