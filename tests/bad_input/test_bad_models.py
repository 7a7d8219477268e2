"""Malformed models: each must give an error of this package that names the item and says what to do."""

# ruff: noqa: E501

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cosserat.model as cs
from cosserat.errors import CosseratError, CosseratWarning, ModelError, ParameterError, PlaceError

NAN = float("nan")
ROD: dict[str, Any] = {"section": cs.Rod(0.02), "material": cs.materials.STEEL, "elements": 2}
ONES = (1.0, 1.0, 1.0)
Z = (0, 0, 1)


def arm() -> cs.Model:
    """A clamped beam, a hub at its end and nothing wrong."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    model.add(cs.Beam("arm1", points=[(0, 0, 0), (1, 0, 0)], **ROD))
    model.add(cs.RigidBody("hub", mass=1, com=(1, 0, 0), inertia=ONES))
    model.add(cs.Fixed("clamp", cs.GROUND, "arm1.start"))
    model.add(cs.Revolute("wrist", "arm1.end", "hub", axis=Z))
    return model


def added(*components: Any) -> Callable[[], None]:
    """Add the components to the arm and validate."""

    def build() -> None:
        model = arm()
        for component in components:
            model.add(component)
        model.validate()

    return build


def with_hub(**arguments: Any) -> Callable[[], Any]:
    return lambda: cs.RigidBody("hub", **{"mass": 1, "inertia": ONES, **arguments})


def with_beam(**arguments: Any) -> Callable[[], Any]:
    return lambda: cs.Beam("arm1", **{"points": [(0, 0, 0), (1, 0, 0)], **ROD, **arguments})


def with_joint(**arguments: Any) -> Callable[[], Any]:
    return lambda: cs.Revolute("elbow", **{"parent": "a", "child": "b", "axis": Z, **arguments})


def two_parameters() -> None:
    model = arm()
    model.add(cs.Force("f", "hub", (cs.Parameter("P", 1.0), 0, 0)))
    model.add(cs.Force("g", "hub", (cs.Parameter("P", 2.0), 0, 0)))


def parameters_drift_apart() -> None:
    P, Q = cs.Parameter("P", 1.0), cs.Parameter("P", 1.0)
    model = arm()
    model.add(cs.Force("f", "hub", (P, Q, 0)))
    P.value = 2.0
    model.validate()


def set_unknown() -> None:
    model = arm()
    model.add(cs.Force("f", "hub", (cs.Parameter("P", 1.0), 0, 0)))
    model.set(p=3.0)


def set_impossible() -> None:
    model = cs.Model("m")
    model.add(cs.RigidBody("ball", mass=cs.Parameter("m", 1.0), inertia=ONES))
    model.set(m=0.0)


def stranger() -> Any:
    return cs.RigidBody("stranger", mass=1, com=(1, 0, 0), inertia=ONES)


def same_name_stranger() -> Any:
    return cs.RigidBody("hub", mass=2, com=(1, 0, 0), inertia=ONES)


def nan_motion() -> None:
    joint = cs.Revolute("drive", "a", "b", axis=Z, motion=lambda t: np.where(t > 1, NAN, t))
    motion = joint.motion[0]
    assert motion is not None
    motion.jet(np.linspace(0, 2, 5))


CASES: dict[str, tuple[Callable[[], Any], type[CosseratError], str]] = {
    # rigid bodies
    "zero mass": (with_hub(mass=0), ModelError, "body 'hub': mass is 0; it must be greater than 0"),
    "negative mass": (with_hub(mass=-1), ModelError, "body 'hub': mass is -1; it must be greater than 0"),
    "mass is NaN": (with_hub(mass=NAN), ModelError, "body 'hub': mass is nan; it must be a finite number"),
    "mass is text": (with_hub(mass="heavy"), ModelError, "body 'hub': mass must be a number or a Parameter, got 'heavy'"),
    "com too short": (with_hub(com=(0, 0)), ModelError, "body 'hub': com must be 3 numbers such as com=(0, 0, 0), got"),
    "com with NaN": (with_hub(com=(0, NAN, 0)), ModelError, "body 'hub': com contains nan; all must be finite"),
    "com with None": (with_hub(com=(0, None, 0)), ModelError, "body 'hub': com must be 3 numbers such as com=(0, 0, 0); the entry None"),
    "no inertia": (with_hub(inertia=None), ModelError, "body 'hub': inertia must be given: 3x3 numbers"),
    "inertia of wrong shape": (with_hub(inertia=np.eye(4)), ModelError, "body 'hub': inertia must be 3x3 numbers, got shape (4, 4)"),
    "ragged inertia": (with_hub(inertia=[[1, 0], [0, 1, 0], [0]]), ModelError, "body 'hub': inertia must be 3x3 numbers, got"),
    "inertia not symmetric": (with_hub(inertia=[[2, 1, 0], [0, 2, 0], [0, 0, 2]]), ModelError, "body 'hub': inertia is not symmetric: entry (0, 1) is 1 but (1, 0) is 0"),
    "inertia not positive": (with_hub(inertia=(1, 1, 0)), ModelError, "body 'hub': inertia is not positive definite"),
    "inertia not physical": (with_hub(inertia=(1, 1, 3)), ModelError, "body 'hub': inertia violates the triangle inequality"),
    "rotation not orthonormal": (with_hub(rotation=np.ones((3, 3))), ModelError, "body 'hub': rotation is not orthonormal"),
    "rotation is a reflection": (with_hub(rotation=-np.eye(3)), ModelError, "body 'hub': rotation is a reflection"),
    "velocity too long": (with_hub(velocity=(1, 2, 3, 4)), ModelError, "body 'hub': velocity must be 3 numbers"),
    "unknown argument of a body": (with_hub(weight=3), ModelError, "RigidBody 'hub': unknown argument 'weight'; accepted arguments: name, mass, com, inertia"),
    "body without mass": (lambda: cs.RigidBody("hub"), ModelError, "RigidBody 'hub': missing a required argument: 'mass'"),
    "mass and density": (lambda: cs.RigidBody.box("crate", size=ONES, mass=1, density=1), ModelError, "body 'crate': give either mass= or density=, not both"),
    "box of no size": (lambda: cs.RigidBody.box("crate", size=(1, 0, 1), mass=1), ModelError, "body 'crate': size is (1.0, 0.0, 1.0); all sides must be greater than 0"),
    "unknown argument of a box": (lambda: cs.RigidBody.box("crate", sizes=ONES, mass=1), ModelError, "RigidBody.box 'crate': unknown argument 'sizes'; accepted arguments: name, size"),
    "bar of no length": (lambda: cs.RigidBody.bar("rod", (1, 1, 1), (1, 1, 1), mass=1), ModelError, "body 'rod': end coincides with start [1.0, 1.0, 1.0]"),
    "sphere of negative diameter": (lambda: cs.RigidBody.sphere("ball", diameter=-1, mass=1), ModelError, "body 'ball': diameter is -1"),
    # names
    "no name": (lambda: cs.RigidBody("", mass=1, inertia=ONES), ModelError, "body: its name must be a non-empty text such as 'arm1', got ''"),
    "name with a slash": (lambda: cs.RigidBody("arm/1", mass=1, inertia=ONES), ModelError, "body 'arm/1': a name may not contain '.', ',', '/'"),
    "name with a zero": (lambda: cs.RigidBody("arm\0", mass=1, inertia=ONES), ModelError, "a name may not contain '.', ',', '/', brackets or line"),
    "name with a dot": (lambda: cs.RigidBody("arm.1", mass=1, inertia=ONES), ModelError, "body 'arm.1': a name may not contain '.'"),
    "name of the ground": (lambda: cs.RigidBody("ground", mass=1, inertia=ONES), ModelError, "body 'ground': this name is reserved for the ground"),
    "name used twice": (added(cs.RigidBody("arm1", mass=1, inertia=ONES)), ModelError, "model 'arm': the name 'arm1' of the body is taken (used by the beam 'arm1')"),
    # sections and materials
    "tube without wall": (lambda: cs.Tube(0.03, 0.03), ModelError, "section Tube: inner_diameter is 0.03; it must be less than outer_diameter = 0.03"),
    "negative diameter": (lambda: cs.Rod(-0.01), ModelError, "section Rod: diameter is -0.01; it must be greater than 0"),
    "section not positive definite": (lambda: cs.Section(-np.eye(6), np.eye(6)), ModelError, "section Section: stiffness is not positive definite"),
    "Poisson's ratio": (lambda: cs.Material(E=1, nu=0.7, rho=1, name="jelly"), ModelError, "material 'jelly': nu is 0.7; Poisson's ratio lies between -1 and 0.5"),
    "unknown argument of a material": (lambda: cs.Material(E=1, nu=0.3, density=1), ModelError, "Material: unknown argument 'density'; accepted arguments: E, nu, rho, damping, name"),
    # beams
    "beam of one point": (with_beam(points=[(0, 0, 0)]), ModelError, "beam 'arm1': points must be two points or more"),
    "beam of no length": (with_beam(points=[(0, 0, 0), (0, 0, 0)]), ModelError, "beam 'arm1': points 0 and 1 coincide at [0.0, 0.0, 0.0]; remove one"),
    "plane points": (with_beam(points=[(0, 0), (1, 0)]), ModelError, "beam 'arm1': points must be 2x3 numbers such as [(0, 0, 0), (1, 0, 0)], got shape (2, 2)"),
    "points with NaN": (with_beam(points=[(0, 0, 0), (NAN, 0, 0)]), ModelError, "beam 'arm1': points contains nan"),
    "no elements": (with_beam(elements=0), ModelError, "beam 'arm1': elements is 0; it must be at least 1"),
    "half an element": (with_beam(elements=1.5), ModelError, "beam 'arm1': elements must be a whole number, got 1.5"),
    "no section": (with_beam(section=None), ModelError, "beam 'arm1': section must be given, for instance section=cs.Rod(diameter=0.01)"),
    "no material": (with_beam(material=None), ModelError, "beam 'arm1': section at s = 0: section Rod: it needs a material; pass material="),
    "up along the beam": (with_beam(up=(1, 0, 0)), ModelError, "beam 'arm1': up [1.0, 0.0, 0.0] is parallel to the beam; choose a direction across it"),
    "points and curve": (with_beam(curve=("s", 0, 0)), ModelError, "beam 'arm1': give either points= or curve=, not both"),
    "unknown argument of a beam": (with_beam(element=3), ModelError, "Beam 'arm1': unknown argument 'element'; accepted arguments: name, points, curve"),
    "curve that raises": (lambda: cs.Beam("arm1", curve=lambda s: 1 / 0, **ROD), ModelError, "beam 'arm1': curve: the function failed at s = 0 with ZeroDivisionError"),
    # joints
    "zero axis": (with_joint(axis=(0, 0, 0)), ModelError, "joint 'elbow': axis has norm 0; pass a unit vector such as axis=(0, 0, 1)"),
    "axis as a word": (with_joint(axis="z"), ModelError, "joint 'elbow': axis must be 3 numbers such as (0, 0, 1), got 'z'"),
    "motion and effort": (with_joint(motion="t", effort=1.0), ModelError, "joint 'elbow': both motion and effort are given for 'rz'; prescribe the motion and the solver finds the effort"),
    "negative joint stiffness": (with_joint(stiffness=-5), ModelError, "joint 'elbow': stiffness is -5; it must not be negative"),
    "unknown argument of a joint": (with_joint(torque=5), ModelError, "Revolute 'elbow': unknown argument 'torque'; accepted arguments: name, parent, child, axis"),
    "joint without a child": (lambda: cs.Revolute("elbow", cs.GROUND, axis=Z), ModelError, "Revolute 'elbow': missing a required argument: 'child'"),
    "formula with unknown name": (with_joint(motion="omega*t"), ModelError, "joint 'elbow': motion: unknown name 'omega' (names: t, pi, e"),
    "formula with an attack": (with_joint(motion="__import__('os').getcwd()"), ModelError, "joint 'elbow': motion: unknown function \"__import__('os').getcwd\""),
    "motion becomes NaN": (nan_motion, ModelError, "joint 'drive': motion: its value is nan at t = 1;"),
    "motion of two arguments": (with_joint(motion=lambda t, x: t), ModelError, "joint 'elbow': motion: the function failed at 0 with TypeError"),
    "force that gives a number": (lambda: cs.Force("push", "hub", lambda t: 3.0), ModelError, "load 'push': vector: the function failed at t = 0 with TypeError"),
    "anisotropic spherical joint": (lambda: cs.Spherical("ball", "a", "b", stiffness=(1, 2, 3)), ModelError, "joint 'ball': stiffness is (1.0, 2.0, 3.0); about a rotation vector it must be isotropic: three equal values"),
    "oblique universal joint": (lambda: cs.Universal("cardan", "a", "b", axes=((1, 0, 0), (1, 1, 0))), ModelError, "joint 'cardan': axes must be perpendicular"),
    "scalar for two freedoms": (lambda: cs.Cylindrical("sleeve", "a", "b", axis=Z, motion="t"), ModelError, "joint 'sleeve': motion must have one entry per freedom (z, rz)"),
    "unknown freedom": (lambda: cs.Planar("table", "a", "b", normal=Z, effort={"angle": 1}), ModelError, "joint 'table': effort names the freedom 'angle'; freedoms: x, y, rz"),
    "beam as a place": (lambda: cs.Fixed("weld", cs.GROUND, cs.Beam("arm1", points=[(0, 0, 0), (1, 0, 0)], **ROD)), PlaceError, "joint 'weld': child: 'arm1' is not one place; say where: frames of 'arm1': 'start', 'end', 'at(s)'"),
    "number as a place": (lambda: cs.Fixed("weld", cs.GROUND, 3), PlaceError, "joint 'weld': child: 3 is not a place; pass beam.start"),
    "misspelt frame": (added(cs.Fixed("weld", cs.GROUND, "arm1.tpi")), PlaceError, "joint 'weld': unknown frame 'arm1.tpi'; frames of 'arm1': 'start', 'end', 'at(s)'"),
    "misspelt body": (added(cs.Fixed("weld", cs.GROUND, "amr1.end")), PlaceError, "joint 'weld': unknown body 'amr1' in the place 'amr1.end'; bodies of the model: 'arm1', 'hub', 'ground'"),
    "place beyond the end": (lambda: cs.Beam("arm1", points=[(0, 0, 0), (1, 0, 0)], **ROD).at(1.2), PlaceError, "beam 'arm1': at(1.2) is not on the beam; s runs from 0"),
    "places apart": (added(cs.Revolute("gap", "arm1.start", "hub", axis=Z)), ModelError, "joint 'gap': its places do not coincide: 'arm1.start' is at (0, 0, 0), 'hub' at (1, 0, 0), 1 m apart; move one, or pass at="),
    "body joined to itself": (added(cs.Revolute("loop", "hub", "hub.at(1, 0, 0)", axis=Z)), ModelError, "joint 'loop': it connects 'hub' to itself"),
    "ground joined to ground": (added(cs.Fixed("rock", cs.GROUND, cs.GROUND.at((1, 0, 0)))), ModelError, "joint 'rock': it connects the ground to the ground"),
    "joint to a stranger": (added(cs.Fixed("grip", "hub", stranger())), ModelError, "joint 'grip': refers to the body 'stranger', which is not in the model (add it with model.add); bodies of the model: 'arm1', 'hub'"),
    "joint to a namesake": (added(cs.Fixed("grip", "arm1.end", same_name_stranger())), ModelError, "joint 'grip': refers to the body 'hub', which is not in the model (another component has that name)"),
    # loads and springs
    "vector of two": (lambda: cs.Force("push", cs.GROUND, (1, 2)), ModelError, "load 'push': vector must be 3 numbers or a function of t giving them; got 2 entries"),
    "vector with NaN": (lambda: cs.Force("push", cs.GROUND, (1, NAN, 2)), ModelError, "load 'push': vector, component y is nan; it must be finite"),
    "load on the ground": (added(cs.Force("push", cs.GROUND, (1, 2, 3))), ModelError, "load 'push': it acts on the ground, which cannot move; name a place on a body"),
    "load on a stranger": (added(cs.Torque("twist", stranger(), (1, 2, 3))), ModelError, "load 'twist': refers to the body 'stranger', which is not in the model"),
    "load along a body": (added(cs.DistributedLoad("snow", "hub", force=Z)), ModelError, "load 'snow': unknown beam 'hub'; beams of the model: 'arm1'"),
    "load without value": (lambda: cs.DistributedLoad("snow", "arm1"), ModelError, "load 'snow': give force=, moment= or both"),
    "follower as a number": (lambda: cs.Force("push", cs.GROUND, (1, 2, 3), follower=2), ModelError, "load 'push': follower must be True or False, got 2"),
    "spring without stiffness": (lambda: cs.Spring("coil", "a", "b", stiffness=0), ModelError, "spring 'coil': stiffness is 0; it must be greater than 0"),
    "spring within one body": (added(cs.Spring("coil", "hub", "hub.at(0, 0, 5)", stiffness=1)), ModelError, "spring 'coil': both ends are on 'hub'; it would do nothing"),
    "tendon of one place": (lambda: cs.Tendon("cable", ["a"], stiffness=1), ModelError, "tendon 'cable': through must be two places or more"),
    "tendon through a text": (lambda: cs.Tendon("cable", "hub", stiffness=1), ModelError, "tendon 'cable': through must be two places or more"),
    "tendon that pushes back": (lambda: cs.Tendon("cable", ["a", "b"], stiffness=-1), ModelError, "tendon 'cable': stiffness is -1; it must not be negative"),
    "tendon that does nothing": (lambda: cs.Tendon("cable", ["a", "b"]), ModelError, "tendon 'cable': stiffness is 0, and so are damping and tension"),
    "tendon with few offsets": (lambda: cs.Tendon("cable", ["a", "b", "c"], stiffness=1, offset=[(0, 0, 1), (0, 0, 1)]), ModelError, "tendon 'cable': offset has 2 rows for 3 places"),
    "tendon with a flat offset": (lambda: cs.Tendon("cable", ["a", "b"], stiffness=1, offset=(0, 1)), ModelError, "tendon 'cable': offset must be 3 numbers"),
    "tendon with a word for slack": (lambda: cs.Tendon("cable", ["a", "b"], stiffness=1, slack="yes"), ModelError, "tendon 'cable': slack must be True or False"),
    "tendon on the ground": (added(cs.Tendon("cable", [cs.GROUND.at((0, 0, 0)), cs.GROUND.at((0, 0, 1)), cs.GROUND.at((0, 1, 1))], stiffness=1)), ModelError, "tendon 'cable': all its places are on 'ground'; it would do nothing"),
    "tendon with neighbours that meet": (added(cs.Tendon("cable", [cs.GROUND.at((0, 0, 9)), "arm1.end", "hub"], stiffness=1)), ModelError, "tendon 'cable': its places 'arm1.end' and 'hub' coincide in the reference configuration"),
    "tendon through nowhere": (added(cs.Tendon("cable", ["hub", "arm7.end"], stiffness=1)), ModelError, "arm7"),
    "spring of no length": (added(cs.Spring("coil", "arm1.end", "hub", stiffness=1)), ModelError, "spring 'coil': its ends 'arm1.end' and 'hub' coincide in the reference configuration"),
    # parameters
    "one name, two values": (two_parameters, ParameterError, "load 'g': parameter 'P' has two values, 1 and 2; use one Parameter object"),
    "one name drifts apart": (parameters_drift_apart, ParameterError, "parameter 'P' has two values"),
    "unknown parameter": (set_unknown, ParameterError, "model 'arm': no parameter 'p'; parameters: 'P'"),
    "parameter that breaks the model": (set_impossible, ModelError, "body 'ball': mass is 0; it must be greater than 0"),
    "parameter called t": (lambda: cs.Parameter("t", 1.0), ParameterError, "parameter 't': this name has a meaning in formulas"),
    "parameter that is NaN": (lambda: cs.Parameter("P", NAN), ParameterError, "parameter 'P': value nan is not a finite number"),
    # the model
    "empty model": (lambda: cs.Model("void").validate(), ModelError, "model 'void': it is empty; add a RigidBody or a Beam"),
    "gravity as a number": (lambda: cs.Model("m", gravity=9.81), ModelError, "model 'm': gravity must be 3 numbers such as (0, 0, -9.81), got 9.81"),
    "not a component": (lambda: cs.Model("m").add(cs.Rod(1)), ModelError, "model 'm': cannot add Rod(diameter=1); a model takes bodies"),
    "unknown component": (lambda: arm()["arm2"], ModelError, "model 'arm': no component 'arm2'; components: 'arm1', 'hub', 'clamp', 'wrist'"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_error_names_the_item_and_the_remedy(case: str) -> None:
    build, kind, message = CASES[case]
    with pytest.raises(kind) as caught:
        build()
    assert message in str(caught.value)
    frames = traceback.extract_tb(caught.tb)
    assert "numpy" not in frames[-1].filename, "an error from inside NumPy reached the user"


def test_there_are_enough_distinct_cases() -> None:
    assert len({message for _, _, message in CASES.values()}) >= 40


def test_the_arm_itself_is_fine() -> None:
    arm().validate()


def test_a_body_that_nothing_moves_is_a_warning() -> None:
    model = cs.Model("space")
    model.add(cs.RigidBody("rock", mass=1, inertia=ONES))
    with pytest.warns(CosseratWarning, match="model 'space': 'rock': attached to nothing, without load, gravity or"):
        model.validate()
