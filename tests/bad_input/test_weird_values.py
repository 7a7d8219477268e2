"""Every argument of every constructor, and every value of a model file, replaced by things that do not belong there.

Whatever happens, it is either accepted or an error of this package: no other exception, no warning.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import cosserat.model as cs
from cosserat.errors import CosseratError, FileFormatError
from cosserat.io import yaml_model

P = cs.Parameter("P", 1.0)
HUB = cs.RigidBody("hub", 1, inertia=(1, 1, 1))
ARM = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.1), material=cs.materials.STEEL)
LINE = [(0, 0, 0), (1, 0, 0)]
WEIRD: list[Any] = [
    None, True, 0, -1, 3, 1.5, float("nan"), float("inf"), 1e308, 1e-320, 10**400, 1 + 0j, "", "abc", "t", "1",
    "ground", "hub", "1/0", "log(-1)", "sqrt(t - 1)", "9" * 400, b"x", (), [], {}, (1,), (1, 2), (1, 2, 3),
    ("a", "b", "c"), (None, None, None), [[1, 2], [3]], (10**400, 0, 0), (1e308, 1e308, 1e308), (1e-320, 0, 0),
    [1, 2, float("nan")],
    LINE, [(0, 0, 0), (1, 0, 0), (float("nan"), 0, 0)], np.zeros((2, 3, 1)), np.array(["a", "b", "c"]),
    np.array([1j, 0, 0]), np.zeros(0), np.array(2.0), np.eye(3), np.eye(6), -np.eye(3), np.float32(2), np.int64(2),
    np.bool_(True), np.datetime64("2020-01-01"), object(), lambda: 1, lambda t: t, lambda t: "x", lambda t: None,
    lambda t: (1, 2, 3), lambda t: 1 / 0, int, P, 2 * P, -P, P - 1, 1 / (P - 1), {1: 2}, {"rz": 1}, {"rz": None},
    {"x": "t"}, {1, 2, 3}, range(3), slice(3), ..., cs.Rod(1), cs.materials.STEEL, HUB, ARM, ARM.end, cs.GROUND,
    cs.Friction(1),
]  # fmt: skip
JOINT: dict[str, Any] = {"name": "j", "parent": "a", "child": "b"}
DRIVE: dict[str, Any] = {"motion": None, "effort": None, "stiffness": 0, "damping": 0, "friction": None}
GOOD: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "RigidBody": (cs.RigidBody, {"name": "b", "mass": 1, "com": (0, 0, 0), "inertia": (1, 1, 1), "rotation": None,
                                 "velocity": None, "angular_velocity": None, "shape": None}),
    "box": (cs.RigidBody.box, {"name": "b", "size": (1, 1, 1), "mass": 1, "density": None, "rotation": None}),
    "cylinder": (cs.RigidBody.cylinder, {"name": "b", "diameter": 1, "length": 1, "mass": 1, "axis": (0, 0, 1)}),
    "sphere": (cs.RigidBody.sphere, {"name": "b", "diameter": 1, "mass": 1}),
    "bar": (cs.RigidBody.bar, {"name": "b", "start": (0, 0, 0), "end": (1, 0, 0), "mass": 1, "section": None,
                               "material": None}),
    "plate": (cs.RigidBody.plate, {"name": "b", "size": (1, 1), "thickness": 0.1, "mass": 1}),
    "Beam": (cs.Beam, {"name": "b", "points": LINE, "curve": None, "section": cs.Rod(0.1), "elements": 3, "up": None,
                       "material": cs.materials.STEEL, "velocity": None}),
    "curved Beam": (cs.Beam, {"name": "b", "curve": ("s", 0, 0), "section": cs.Rod(0.1), "up": None,
                              "material": cs.materials.STEEL}),
    "Rod": (cs.Rod, {"diameter": 1, "shear_factor": None}),
    "Tube": (cs.Tube, {"outer_diameter": 2, "inner_diameter": 1}),
    "Rectangle": (cs.Rectangle, {"width": 1, "height": 1}),
    "Box": (cs.Box, {"width": 1, "height": 1, "thickness": 0.1}),
    "IBeam": (cs.IBeam, {"width": 1, "height": 1, "web_thickness": 0.1, "flange_thickness": 0.1}),
    "Profile": (cs.Profile, {"area": 1, "Iy": 1, "Iz": 1, "J": 1, "shear_factor": 1, "Iyz": 0}),
    "Section": (cs.Section, {"stiffness": [1] * 6, "mass": [1] * 6}),
    "Material": (cs.Material, {"E": 1, "nu": 0, "rho": 1, "damping": 0, "name": None}),
    "Revolute": (cs.Revolute, {**JOINT, "axis": (0, 0, 1), "at": None, **DRIVE}),
    "Screw": (cs.Screw, {**JOINT, "axis": (0, 0, 1), "pitch": 1}),
    "Free": (cs.Free, {**JOINT, **DRIVE}),
    "Universal": (cs.Universal, {**JOINT, "axes": ((1, 0, 0), (0, 1, 0)), "stiffness": 0}),
    "Planar": (cs.Planar, {**JOINT, "normal": (0, 0, 1), **DRIVE}),
    "Fixed": (cs.Fixed, {**JOINT, "at": None}),
    "Friction": (cs.Friction, {"level": 1, "speed": 1}),
    "Force": (cs.Force, {"name": "f", "place": "a", "vector": (1, 2, 3), "follower": False}),
    "Wrench": (cs.Wrench, {"name": "f", "place": "a", "vector": (1, 2, 3), "moment": None, "force": None}),
    "DistributedLoad": (cs.DistributedLoad, {"name": "f", "beam": "a", "force": (1, 2, 3), "moment": None}),
    "Spring": (cs.Spring, {"name": "s", "a": "a", "b": "b", "stiffness": 1, "length": None, "damping": 0}),
    "Damper": (cs.Damper, {"name": "s", "a": "a", "b": "b", "damping": 0}),
    "Shape": (cs.Shape, {"kind": "box", "size": (1, 1, 1), "axis": None}),
    "Model": (cs.Model, {"name": "m", "gravity": (0, 0, 0)}),
    "Parameter": (cs.Parameter, {"name": "P", "value": 1.0}),
    "TimeFunction": (cs.TimeFunction, {"source": "t"}),
    "VectorFunction": (cs.VectorFunction, {"source": (1, 2, 3)}),
    "beam.at": (ARM.at, {"s": 0}),
    "body.at": (HUB.at, {"point": (0, 0, 0)}),
    "ground.at": (cs.GROUND.at, {"point": (0, 0, 0)}),
    "model.place": (cs.Model("m").place, {"target": "a"}),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_arguments(name: str) -> None:
    make, good = GOOD[name]
    messages = []
    for argument in good:
        for value in WEIRD:
            try:
                repr(make(**{**good, argument: value}))
            except CosseratError as error:
                messages.append(str(error))
    assert len(messages) > 10
    assert min(map(len, messages)) > 15


FILE: dict[str, Any] = {
    "model": "m",
    "gravity": [0, 0, -9.81],
    "parameters": {"P": 2},
    "materials": {"wood": {"E": 1e10, "nu": 0.3, "rho": 600}},
    "sections": {"rod": {"kind": "Rod", "diameter": 0.1}},
    "bodies": [{"kind": "box", "name": "crate", "size": [1, 1, 1], "mass": "P", "com": [1, 0, 0]}],
    "beams": [{"name": "b", "points": [[0, 0, 0], [1, 0, 0]], "section": "rod", "material": "wood", "elements": 2}],
    "joints": [
        {"kind": "Fixed", "name": "clamp", "parent": "ground", "child": "b.start"},
        {"kind": "Revolute", "name": "hinge", "parent": "b.end", "child": "crate", "axis": [0, 0, 1],
         "motion": "P*t", "friction": {"level": 1, "speed": 0.1}},
    ],
    "loads": [{"kind": "Force", "name": "f", "place": "crate", "vector": [0, 0, "P*t"], "follower": True}],
    "springs": [{"name": "s", "a": "ground.at(0, 0, 1)", "b": "b.end", "stiffness": 10}],
    "simulate": {"duration": 1, "step": 0.1},
}  # fmt: skip
WEIRD_YAML: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), "", "abc", "__import__('os')", "t", "ground", [], {}, [1, 2],
    ["a", "b", "c"], [[1], [2, 3]], {"kind": "Rod"}, {"x": 1}, {"kind": ["a"]}, "b.end", "P", 10**400, "1/0",
]  # fmt: skip


def routes(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Routes to everything inside a nested value."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [here, *(r for key, item in items for r in routes(item, (*here, key)))]


def replaced(value: Any, route: tuple[Any, ...], new: Any) -> Any:
    if not route:
        return new
    key, *rest = route
    if isinstance(value, dict):
        return {k: replaced(v, tuple(rest), new) if k == key else v for k, v in value.items()}
    return [replaced(v, tuple(rest), new) if k == key else v for k, v in enumerate(value)]


def test_values_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "weird.yaml"
    file.write_text(yaml.safe_dump(FILE))
    yaml_model.load(file)
    messages = []
    for number, route in enumerate(routes(FILE)):
        for new in WEIRD_YAML[number % 8 :: 8]:  # a few at each place
            file.write_text(yaml.safe_dump(replaced(FILE, route, new)))
            try:
                yaml_model.load(file)
            except FileFormatError as error:
                messages.append(str(error))
    assert len(messages) > 150
    assert all(message.startswith("weird.yaml") for message in messages)
