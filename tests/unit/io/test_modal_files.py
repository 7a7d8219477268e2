"""Modal bodies in model files: round trip, arrays beside the file, located errors, no code from arrays."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import cosserat as cs
from cosserat.io import yaml_model
from cosserat.io.yaml_writer import to_text

BEAM = """
model: arm
gravity: [0, 0, -9.81]
parameters: {d: 0.02}
modal_bodies:
  - kind: beam
    name: arm
    points: [[0, 0, 0], [1, 0, 0]]
    section: {kind: Rod, diameter: 0.02}
    material: STEEL
    elements: 6
    modes: 3
    recovery: {half: 0.5}
joints:
  - {kind: Revolute, name: hinge, parent: ground, child: arm.start, axis: [0, 1, 0]}
simulate: {duration: 0.1, step: 0.01, formulation: floating, modes: {arm: 3}, stiffening: false, every: 2}
"""
MATRICES = """
model: mass
gravity: [0, 0, -9.81]
modal_bodies:
  - name: m
    inertia: {mass: 1, first_moment: [0, 0, 0], inertia: [1, 1, 1], modal_mass: [[1]], linear_coupling: [[0, 0, 0.5]],
              angular_coupling: [[0, 0, 0]]}
    stiffness: STIFFNESS
    interfaces: {tip: {position: [1, 0, 0], shape: SHAPE}}
"""


def arm(**options) -> cs.ModalBody:
    beam = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=6)
    return cs.modal_body(beam, 3, recovery={"half": 0.5}, **options)


@pytest.fixture
def write(tmp_path: Path):
    def writer(text: str) -> Path:
        (tmp_path / "model.yaml").write_text(text)
        return tmp_path / "model.yaml"

    return writer


def refused(path: Path, *parts: str) -> None:
    with pytest.raises(cs.CosseratError) as error:
        cs.load_model(path)
    for part in parts:
        assert part in str(error.value)


def test_a_beam_by_options_is_the_modal_body_of_python(write) -> None:
    loaded = yaml_model.load(write(BEAM))
    assert loaded.model["arm"] == arm()
    assert loaded.simulate == {
        "duration": 0.1, "step": 0.01, "formulation": "floating", "modes": {"arm": 3}, "stiffening": False, "every": 2,
    }  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"boundary": "free"}, {"boundary": "craig-bampton", "stiffening": False}])
def test_round_trip(tmp_path: Path, options) -> None:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    body = model.add(arm(**options))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at("start"), axis=(0, 1, 0)))
    cs.save_model(model, tmp_path / "arm.yaml")
    assert (tmp_path / "arm.npz").exists()
    assert cs.load_model(tmp_path / "arm.yaml") == model
    (tmp_path / "inline.yaml").write_text(to_text(model))
    (tmp_path / "arm.npz").unlink()
    assert cs.load_model(tmp_path / "inline.yaml") == model


def test_a_body_of_few_numbers_stays_in_the_file(write, tmp_path: Path) -> None:
    model = cs.load_model(
        write(MATRICES.replace("STIFFNESS", "[4]").replace("SHAPE", "[[0], [0], [1], [0], [0], [0]]"))
    )
    cs.save_model(model, tmp_path / "copy.yaml")
    assert not (tmp_path / "copy.npz").exists()
    assert cs.load_model(tmp_path / "copy.yaml") == model


def test_arrays_beside_the_file(write, tmp_path: Path) -> None:
    np.save(tmp_path / "k.npy", np.array([4.0]))
    np.savez(tmp_path / "shapes.npz", tip=np.eye(6)[:, 2:3], other=np.zeros(3))
    model = cs.load_model(write(MATRICES.replace("STIFFNESS", "k.npy").replace("SHAPE", "shapes.npz:tip")))
    assert model["m"].stiffness[0, 0] == 4.0
    assert model["m"].interfaces["tip"].shape[2, 0] == 1.0


def test_wrong_arrays(write, tmp_path: Path) -> None:
    np.save(tmp_path / "k.npy", np.array([4.0]))
    np.savez(tmp_path / "shapes.npz", tip=np.ones((5, 1)))
    np.save(tmp_path / "words.npy", np.array(["a"]))
    (tmp_path / "text.npy").write_text("4.0")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 no archive")
    shape, ones = ("SHAPE", "[[0], [0], [1], [0], [0], [0]]"), MATRICES.replace("STIFFNESS", "[4]")
    where = "model.yaml, line 8, modal_bodies[0].stiffness: "
    for given, said in (
        ("l.npy", "there is no file 'l.npy' beside the model file"),
        ("../k.npy", "'../k.npy' does not lie beside the model file"),
        ("/tmp/k.npy", "does not lie beside the model file"),
        ("k.npy:key", "k.npy holds one array; write 'k.npy' without ':key'"),
        ("shapes.npz", "say which array of the file, 'file.npz:key'; keys: tip"),
        ("shapes.npz:top", "say which array of the file, 'file.npz:key'; keys: tip"),
        ("words.npy", "words.npy holds <U1, not numbers"),
        ("text.npy", "text.npy cannot be read as an array of numbers"),
        ("broken.npz:k", "broken.npz:k cannot be read as an array of numbers"),
        ("[[1, 2], [3]]", "must be an array; it has rows of different lengths"),
        ("stiff", "'stiff' names no array; write 'file.npy' or 'file.npz:key', or numbers"),
        ("[-4]", "has the negative eigenvalue -4"),
    ):
        refused(write(MATRICES.replace("STIFFNESS", given).replace(*shape)), where, said)
    refused(write(ones.replace("SHAPE", "shapes.npz:tip")), "modal_bodies[0].interfaces.tip.shape", "got shape (5, 1)")


def test_arrays_of_objects_are_not_run(write, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "trapped",))

    np.save(tmp_path / "k.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    assert pickle.dumps(Trap())
    refused(
        write(MATRICES.replace("STIFFNESS", "k.npy").replace("SHAPE", "[[0]]")), "cannot be read as an array of numbers"
    )
    assert not (tmp_path / "trapped").exists()


def test_wrong_entries(write) -> None:
    for old, new, *said in (
        ("modes: 3\n", "modes: 0\n", "modal_bodies[0].modes", "modes is 0; it must be at least 1"),
        ("modes: 3\n", "modes: many\n", "modal_bodies[0].modes", "unknown name 'many'"),
        ("    modes: 3\n", "", "modal_bodies[0].modes", "give one of them, not neither"),
        ("modes: 3\n", "modess: 3\n", "line 12, modal_bodies[0].modess: unknown key 'modess'"),
        ("diameter: 0.02", "diameter: d", "it depends on the parameter 'd'", "write the number"),
        ("kind: beam", "kind: bam", "unknown kind 'bam'; kinds: ModalBody, beam, mesh"),
        ("{half: 0.5}", "[0.5]", "modal_bodies[0].recovery", "must be a mapping of names to values"),
        (
            "child: arm.start",
            "child: arm",
            "unknown frame 'arm'; frames of 'arm': 'start', 'end'",
        ),
        ("child: arm.start", "child: arm.tip", "unknown frame 'arm.tip'; frames of 'arm': 'start', 'end'"),
        ("modes: {arm: 3}", "modes: {arm: -1}", "simulate.modes", "at least 0"),
        ("stiffening: false", "stiffening: maybe", "simulate.stiffening", "must be True or False"),
        ("every: 2", "every: 1.5", "simulate.every", "must be a whole number"),
    ):
        assert old in BEAM
        refused(write(BEAM.replace(old, new)), *said)


def test_a_mesh_beside_the_file(write, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    pytest.importorskip("skfem")
    mesh = cs.SolidMesh.box((1000, 40, 80), (8, 1, 1))
    sets = {name: mesh.regions[name] for name in ("x_min", "x_max")}
    meshio.write(tmp_path / "bar.inp", meshio.Mesh(mesh.points, [("tetra", mesh.cells)], point_sets=sets))
    text = """
model: bar
gravity: [0, 0, -9.81]
modal_bodies:
  - {kind: mesh, name: bar, mesh: bar.inp, scale: 1e-3, material: STEEL, modes: 1,
     interfaces: {root: x_min, tip: {region: x_max, tie: averaged}}, recovery: {top: [0.1, 0.02, 0.08]}}
"""
    body = cs.load_model(write(text))["bar"]
    assert body.mass == pytest.approx(7850 * 0.0032)
    assert body.n_modes == 7
    refused(write(text.replace("bar.inp", "rod.inp")), "modal_bodies[0].mesh", "there is no file 'rod.inp' beside")
    refused(write(text.replace("root: x_min", "root: left")), "modal_bodies[0]", "no region 'left'; regions: 'x_min'")
    refused(write(text.replace("region: x_max, ", "")), "interfaces.tip", "has no region")
    refused(write(text.replace("averaged", "glued")), "has the tie 'glued'; choose one of 'rigid', 'averaged'")
