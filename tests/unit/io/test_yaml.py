"""Model files: round trip of everything, located errors, no code from files."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cosserat
import cosserat.model as cs
from cosserat.errors import CosseratError, FileFormatError
from cosserat.io import yaml_model
from cosserat.io.yaml_writer import to_text

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"


def everything() -> cs.Model:
    """A model with every component, in every notation a file can hold."""
    P, L = cs.Parameter("P", 3.0), cs.Parameter("L", 0.1)
    model = cs.Model("every thing", gravity=(0, 0, -9.81 * P / 3))
    silk = cs.Material(E=1e9, nu=0.3, rho=1300, damping=1e-5)
    add = model.add
    add(cs.RigidBody("hub", mass=P, com=(0, 0, 1), inertia=[[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]],
                     rotation=(0.6, 0.8, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 1, 0)))  # fmt: skip
    add(cs.RigidBody.box("box", size=(L, 2 * L, 0.3), density=1000, com=(1, 0, 0)))
    add(cs.RigidBody.cylinder("cyl", diameter=0.1, length=1, mass=2, axis=(1, 1, 0)))
    add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 2, 3), section=cs.Rod(0.01), material=silk))
    add(
        cs.Beam("straight", points=[(0, 0, 0), (1 + L, 0, 0)], section=cs.Tube(0.1, L / 2), material=silk, up=(0, 1, 0))
    )
    add(cs.Beam("frame", points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], section=cs.IBeam(0.1, 0.2, 0.005, 0.01),
                material=cs.materials.STEEL, elements=4, velocity=("-y", "x", 0)))  # fmt: skip
    add(cs.Beam("arc", curve=("cos(s)", "sin(s)", 0), section=(cs.Rod(0.1), cs.Rod(0.2, shear_factor=None)),
                material=silk, velocity=(1, 2, 3)))  # fmt: skip
    add(
        cs.Beam(
            "bare", points=[(0, 0, 5), (1, 0, 5)], section=cs.Section(np.diag([1e6, 1e5, 1e5, 10, 20, 30]), [1] * 6)
        )
    )
    add(cs.Beam("catalogue", points=[(0, 0, 6), (1, 0, 6)], section=cs.Profile(1e-3, 1e-6, 1e-6, 1e-6, (0.8, 0.7)),
                material=silk))  # fmt: skip
    add(cs.Beam("thin", points=[(0, 0, 7), (1, 0, 7)], section=cs.Box(0.1, 0.1, 0.01), material=silk))
    add(cs.Beam("slab", points=[(0, 0, 8), (1, 0, 8)], section=cs.Rectangle(0.1, 0.2), material=silk))
    add(cs.Fixed("j0", cs.GROUND, "straight.start"))
    add(cs.Revolute("j1", "straight.end", "box", axis=(0, 0, 1), at=(1, 1, 1), friction=0.5,
                    motion=cs.TimeFunction("P*t", parameters=[P])))  # fmt: skip
    add(cs.Prismatic("j2", cs.GROUND, "cyl", axis=(0, 1, 0), effort="2*cos(t)", stiffness=P, damping=0.5))
    add(cs.Screw("j3", cs.GROUND, "hub", axis=(0, 1, 0), pitch=L))
    add(
        cs.Cylindrical(
            "j4", "frame.start", "hub", axis=(1, 0, 0), at=(0, 0, 0), motion={"rz": "sin(t)"}, stiffness=(1, 0)
        )
    )
    add(cs.Planar("j5", "frame.at(0.5)", "hub", normal=(1, 0, 0), at=(0, 0, 0), friction={"x": cs.Friction(1.0, 0.5)}))
    add(cs.PlanarTranslation("j6", "frame.end", "hub", normal=(1, 0, 0), at=(0, 0, 0), damping=2))
    add(cs.Spherical("j7", "arc.start", "hub", at=(0, 0, 0), stiffness=3))
    add(cs.Universal("j8", "arc.end", "hub", axes=((1, 0, 0), (0, 0, 1)), at=(0, 0, 0), effort=(P, None)))
    add(cs.Free("j9", cs.GROUND.at((0, 0, 5)), "bare.start", stiffness=(1, 2, 3, 4, 4, 4)))
    add(cs.Force("f", "box.at(0.1, 0, 1e-3)", (0, P, "sin(t)"), follower=True))
    add(cs.Torque("m", "bare.end", (0, 0, 2 * P)))
    add(cs.Wrench("w", "bare.at(0.25)", (1, 2, 3, 4, "5*t", 6)))
    add(cs.DistributedLoad("q", "bare", force=(0, 0, -1), moment=(0, "t", 0)))
    add(cs.DistributedLoad("along", "bare", force=("s", P, 2 * P)))
    add(cs.Spring("s", cs.GROUND, "box", stiffness=P, length=0.5, damping=0.1))
    add(cs.Spring("s2", cs.GROUND.at((0, 0, 2 * L)), "bare.at(0.75)", stiffness=1))
    add(cs.Damper("d2", model.bodies[0].at((P, 0, L)), model.beams[0].at(5 * L), damping=1))
    add(cs.Damper("d", "hub", "bare.end", damping=1e-7))
    through = [cs.GROUND.at((0, 0, 2 * L)), "hub", "bare.at(0.5)", "bare.end"]
    add(cs.Tendon("t", through, stiffness=P, rest_length=L, tension="3*t", slack=True, offset=(0, 0.01, 0)))
    add(cs.Tendon("t2", through, damping=0.1, tension=P, offset=[(0, 0, 0), (0, L, 0), (0, 0, 0), (0, 0, 0)]))
    return model


def test_round_trip_of_everything(tmp_path: Path) -> None:
    model = everything()
    model.validate()
    yaml_model.save(model, tmp_path / "m.yaml", {"duration": 1.0, "formulation": "floating"})
    again = yaml_model.load(tmp_path / "m.yaml")
    assert again.simulate == {"duration": 1.0, "formulation": "floating"}
    for component in model:
        assert again.model[component.name] == component, component
    assert again.model == model
    assert again.model.coordinates == model.coordinates
    assert again.model.parameters == model.parameters
    again.model.set(P=6.0, L=0.08)
    assert again.model.gravity.tolist() == [0, 0, -19.62]
    assert to_text(yaml_model.load_model(tmp_path / "m.yaml")) == to_text(model)


@pytest.mark.parametrize("name", ["two_link", "four_bar", "cantilever"])
def test_examples_load_and_validate(name: str, tmp_path: Path) -> None:
    file = yaml_model.load(EXAMPLES / f"{name}.yaml")
    file.model.validate()
    assert file.simulate["duration"] > 0
    assert file.simulate["step"] > 0
    yaml_model.save_model(file.model, tmp_path / "again.yaml")
    assert yaml_model.load_model(tmp_path / "again.yaml") == file.model


def test_the_two_link_manipulator() -> None:
    file = yaml_model.load(EXAMPLES / "two_link.yaml")
    model = file.model
    assert file.simulate == {"duration": 2 * np.pi, "step": 0.01, "rho": 0.9}
    assert model.beams[1].end.position.tolist() == [3, 0, 0]
    assert model.beams[0].elements == 1
    motion = model.joints[0].motion[0]
    assert motion is not None
    assert motion.jet([np.pi])[1][0] == pytest.approx(2.0)
    K, M = model.beams[0].section_at(0.5)
    assert K[1, 1] == pytest.approx(0.5 * 68.9e9 / 2.66 * 1.343030e-4, rel=1e-5)
    assert M[0, 0] == pytest.approx(2700 * 1.343030e-4, rel=1e-5)


def test_body_kinds_and_library_materials(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        """
        gravity: [0, 0, -9.81]
        bodies:
          - {kind: sphere, name: ball, diameter: 0.1, density: 1e3}
          - kind: bar
            name: link
            start: [0, 0, 0]
            end: [1, 0, 0]
            section: {kind: Rod, diameter: 0.01}
            material: STEEL
        """
    )
    model = yaml_model.load_model(file)
    assert model.name == "model"
    assert model.bodies[0].mass == pytest.approx(1000 * np.pi / 6 * 1e-3)
    assert model.bodies[1].mass == pytest.approx(7850 * np.pi / 4 * 1e-4)


def test_models_without_python_functions_can_be_pickled() -> None:
    model = everything()
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    again.set(P=4.0)
    assert again != model


def python_function_models() -> list[tuple[cs.Model, str]]:
    rod: dict[str, Any] = {"section": cs.Rod(0.1), "material": cs.materials.STEEL}
    line = [(0, 0, 0), (1, 0, 0)]
    cases: list[tuple[Any, str]] = [
        (cs.Revolute("j", cs.GROUND, "b.start", axis=(0, 0, 1), motion=lambda t: t), "joint 'j': motion is a Python"),
        (cs.Force("f", "b.end", lambda t: (t, 0, 0)), "load 'f': vector is a Python function"),
        (cs.Beam("c", curve=lambda s: (s, 0, 0), **rod), "beam 'c': curve is a Python function"),
        (cs.Beam("c", points=line, velocity=lambda x: x, **rod), "beam 'c': velocity is a Python function"),
        (cs.Beam("c", points=line, section=lambda s: cs.Rod(1), material=cs.materials.STEEL), "beam 'c': section is a"),
    ]
    result = []
    for component, message in cases:
        model = cs.Model("m")
        model.add(cs.Beam("b", points=line, **rod))
        model.add(component)
        result.append((model, message))
    return result


@pytest.mark.parametrize("model, message", python_function_models())
def test_python_functions_cannot_be_written(model: cs.Model, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=message):
        yaml_model.save(model, tmp_path / "m.yaml")
    assert not (tmp_path / "m.yaml").exists()


GOOD = """\
model: m
gravity: [0, 0, -9.81]
parameters: {P: 2}
beams:
  - name: b
    points: [[0, 0, 0], [1, 0, 0]]
    section: {kind: Rod, diameter: 0.1}
    material: STEEL
joints:
  - {kind: Fixed, name: clamp, parent: ground, child: b.start}
  - kind: Revolute
    name: hinge
    parent: b.end
    child: ground
    axis: [0, 0, 1]
loads:
  - {kind: Force, name: f, place: b.end, vector: [0, 0, "P*t"]}
simulate: {duration: 1, step: 0.1}
"""


def test_the_good_file(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    assert yaml_model.load(tmp_path / "good.yaml").model.parameters == {"P": 2.0}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("axis: [0, 0, 1]", "axis: [0, 0, 0]", "bad.yaml, line 15, joints[1].axis: joint 'hinge': axis has norm 0"),
        ("axis: [0, 0, 1]", "axes: [0, 0, 1]", "line 15, joints[1].axes: unknown key 'axes'; known keys: kind, name"),
        ("    axis: [0, 0, 1]\n", "", "line 11, joints[1]: Revolute 'hinge': missing a required argument: 'axis'"),
        ("kind: Revolute", "kind: Hinge", "line 11, joints[1].kind: has the unknown kind 'Hinge'; kinds: Fixed, Rev"),
        ("kind: Revolute\n    name", "name", "joints[1].kind: has no kind; kinds: Fixed, Revolute"),
        ("diameter: 0.1", "diameter: -0.1", "line 7, beams[0].section.diameter: section Rod: diameter is -0.1"),
        (
            "diameter: 0.1",
            "diameter: 2*Q",
            "line 7, beams[0].section.diameter: formula: unknown name 'Q' (names: P, pi, e",
        ),
        ("diameter: 0.1", "diameter: .nan", "beams[0].section.diameter: section Rod: diameter is nan"),
        (
            "{kind: Rod, diameter: 0.1}",
            "tube",
            "line 7, beams[0].section: unknown section 'tube'; sections of the file: ",
        ),
        (
            "{kind: Rod, diameter: 0.1}",
            "{diameter: 0.1}",
            "beams[0].section: must be the name of a section, or a mapping",
        ),
        (
            "{kind: Rod, diameter: 0.1}",
            "{kind: Rod, d: 0.1}",
            "beams[0].section.d: unknown key 'd'; known keys: kind, di",
        ),
        ("material: STEEL", "material: WOOD", "line 8, beams[0].material: unknown material 'WOOD'; known: ALUMINIUM"),
        ("material: STEEL", "material: {E: 1, mu: 3}", "beams[0].material.mu: unknown key 'mu'; known keys: E, nu"),
        ("b.end, vector", "b.tip, vector", "line 17, loads[0].place: Force 'f': unknown frame 'b.tip'; frames of 'b'"),
        ("P*t", "P*t.real", "line 17, loads[0].vector[2]: formula: 't.real' is not allowed"),
        ("P*t", "__import__('os')", "loads[0].vector[2]: formula: unknown function '__import__'"),
        ("vector: [0, 0, ", "vector: [0, ", "line 17, loads[0]: load 'f': vector must be 3 numbers"),
        ("gravity: [0, 0, -9.81]", "gravity: down", "line 2, gravity: formula: unknown name 'down'"),
        ("gravity: [0, 0, -9.81]", "gravity: [1, 2]", "line 2, gravity: model 'm': gravity must be 3 numbers"),
        ("parameters: {P: 2}", "parameters: {t: 2}", "line 3, parameters.t: parameter 't': this name has a meaning"),
        ("parameters: {P: 2}", "parameters: {P: x}", "line 3, parameters.P: formula: unknown name 'x'"),
        ("parameters: {P: 2}", "parameters: 3", "line 3, parameters: must be a mapping of names to values, got 3"),
        ("name: hinge", "name: clamp", "line 11, joints[1]: model 'm': the name 'clamp' of the joint is taken"),
        ("name: hinge", "name: no", "joints[1]: joint: its name must be a non-empty text such as 'arm1', got False"),
        ("model: m\n", "model: m\nmodel: n\n", "line 2, model: the key 'model' occurs twice"),
        ("model: m\n", "title: m\n", "line 1, title: unknown key 'title'; known keys: model, gravity"),
        ("model: m\n", "1: m\n", "a key must be text"),
        ("model: m\n", "model: [m\n", "not valid YAML"),
        ("model: m\n", "model: !!python/object/apply:os.system [echo]\n", "bad.yaml, line 1, model: the tag"),
        ("model: m\n", "model: &a [*a]\n", "an anchor that contains itself"),
        ("duration: 1", "time: 1", "line 18, simulate.time: unknown key 'time'; known keys: duration, step"),
        ("duration: 1", "duration: long", "line 18, simulate.duration: formula: unknown name 'long'"),
        ("step: 0.1", "formulation: 3", "line 18, simulate.formulation: must be text, got 3"),
        ("step: 0.1", "step: [1]", "line 18, simulate.step: simulate: step must be a number or a Parameter, got [1]"),
        ("joints:\n", "joints: 3\nsprings:\n", "line 9, joints: must be a list; begin each entry with '- '"),
        (
            "  - {kind: Fixed, name: clamp, parent: ground, child: b.start}",
            "  - clamp",
            "joints[0]: must be a mapping of",
        ),
        (GOOD, "", "bad.yaml: the file is empty"),
        (GOOD, "- 1\n- 2\n", "bad.yaml, line 1: must be a mapping of keys to values, got [1, 2]"),
        (GOOD, "model: nothing\n", "bad.yaml, line 1: model 'nothing': it is empty"),
        (GOOD, "a: " + "[" * 1200, "bad.yaml"),
    ],
)
def test_errors_are_located(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    (tmp_path / "bad.yaml").write_text(GOOD.replace(old, new))
    with pytest.raises(FileFormatError) as caught:
        yaml_model.load(tmp_path / "bad.yaml")
    assert message in str(caught.value)
    assert "bad.yaml" in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CosseratError, match="no such file"):
        yaml_model.load(tmp_path / "missing.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileFormatError, match="cannot be read as text"):
        yaml_model.load(tmp_path / "binary.yaml")
    with pytest.raises(FileFormatError, match="is not a regular file"):
        yaml_model.load(tmp_path)
    (tmp_path / "tab.yaml").write_text("model: a\nbodies:\n\t- {name: b}\n")
    with pytest.raises(FileFormatError, match="line 3, column 1: not valid YAML: a tab, where YAML takes blanks only"):
        yaml_model.load(tmp_path / "tab.yaml")
    with pytest.raises(FileFormatError) as caught:
        yaml_model.load("model: a\n" * 1000)
    assert len(str(caught.value)) < 400


def test_anchors_are_allowed(tmp_path: Path) -> None:
    text = GOOD.replace("section: {kind: Rod, diameter: 0.1}", "section: &rod {kind: Rod, diameter: 0.1}")
    text = text.replace(
        "joints:", "  - {name: c, points: [[0, 1, 0], [1, 1, 0]], section: *rod, material: STEEL}\njoints:"
    )
    (tmp_path / "m.yaml").write_text(text)
    assert len(yaml_model.load_model(tmp_path / "m.yaml").beams) == 2


def test_numbers_of_numpy_are_written_as_numbers(tmp_path: Path) -> None:
    two = np.float64(2.0)
    model = cs.Model("m", gravity=(0, 0, two))
    body = model.add(cs.RigidBody("b", mass=two, com=np.zeros(3), inertia=np.ones(3)))
    model.add(
        cs.Cylindrical("j", cs.GROUND, body, axis=np.array([0, 0, 1]), stiffness=np.array([2.0, 3.0]),
                       damping=(two, two), effort={"z": two, "rz": np.int64(1)}, friction=(np.float32(0.5), None))
    )  # fmt: skip
    model.add(cs.Force("f", body, (two, np.array(1.0), np.int64(2))))
    cosserat.save_model(model, tmp_path / "m.yaml")
    assert cosserat.load_model(tmp_path / "m.yaml") == model
    run = cosserat.simulate(model, 0.02, step=0.01)
    run.save(tmp_path / "run.nc")
    assert cosserat.load_run(tmp_path / "run.nc").status.ok


def test_numbers_of_numpy_are_written(tmp_path: Path) -> None:
    """In joints, loads and names, and in runs of such a model."""
    from fractions import Fraction

    import cosserat as cs

    model = cs.Model(np.str_("arm"), gravity=np.array([0, 0, -9.81]))
    body = model.add(cs.RigidBody.box(np.str_("body"), size=np.ones(3), mass=np.float32(2), com=np.array([1, 0, 0])))
    model.add(cs.Revolute("pivot", cs.GROUND, body, axis=np.array([0, 1, 0]), at=np.zeros(3), stiffness=np.int64(3),
                          damping=Fraction(1, 4), effort=np.float64(2.0)))  # fmt: skip
    model.add(cs.Force("push", body, np.array([1.0, 2.0, 3.0]), follower=np.bool_(True)))
    model.add(cs.Torque("turn", body, (np.float64(1), np.int32(2), Fraction(1, 2))))
    cs.save_model(model, tmp_path / "arm.yaml")
    assert cs.load_model(tmp_path / "arm.yaml") == model
    run = cs.simulate(model, duration=np.float64(0.02), step=np.float32(0.01), every=np.int64(1))
    run.save(tmp_path / "arm.nc")
    assert cs.load_run(tmp_path / "arm.nc").model == model


def test_what_is_found_wrong_at_the_end_is_located_too(tmp_path: Path) -> None:
    text = """
model: gap
beams:
  - {name: a, points: [[0, 0, 0], [1, 0, 0]], section: {kind: Rod, diameter: 0.1}, material: STEEL, elements: 1}
joints:
  - {kind: Fixed, name: clamp, parent: ground, child: a.start}
  - {kind: Fixed, name: clasp, parent: "ground.at(0, 0, 1)", child: a.end}
"""
    (tmp_path / "gap.yaml").write_text(text)
    with pytest.raises(CosseratError, match=r"^gap.yaml, line 7, joints\[1\]: joint 'clasp': its places do not"):
        yaml_model.load(tmp_path / "gap.yaml")
    (tmp_path / "gap.yaml").write_text(text.replace('"', ""))
    with pytest.raises(CosseratError, match=r"line 7, .* put it in quotes, and so text with commas in it"):
        yaml_model.load(tmp_path / "gap.yaml")
