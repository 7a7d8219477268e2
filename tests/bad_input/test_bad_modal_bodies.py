"""Nonsense about modal bodies is refused with the item, the argument and the remedy."""

import re
import sys

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratError

RNG = np.random.default_rng(0)
FIELDS = (RNG.uniform(1, 2, 9), RNG.normal(size=(9, 3)), RNG.normal(size=(9, 3, 2)))
INERTIA = cs.ModalInertia.from_fields(*FIELDS)
TIP = cs.Interface(position=(1, 0, 0), shape=np.ones((6, 2)))


def body(**kwargs):
    return cs.ModalBody("wing", **({"inertia": INERTIA, "stiffness": [1.0, 2.0]} | kwargs))


def tensors(**kwargs):
    names = ("mass", "first_moment", "inertia", "modal_mass", "linear_coupling", "angular_coupling")
    return cs.ModalInertia(**({n: getattr(INERTIA, n) for n in names} | kwargs))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: body(stiffness=[[1, 2], [3, 4]]), "modal body 'wing': stiffness is not symmetric: entry (0, 1) is 2"),
        (lambda: body(stiffness=[1, -2]), "modal body 'wing': stiffness has the negative eigenvalue -2"),
        (lambda: body(stiffness=[1, 2, 3]), "modal body 'wing': stiffness must have the shape (2,), got (3,)"),
        (lambda: body(stiffness=[1, np.nan]), "modal body 'wing': stiffness contains nan"),
        (lambda: body(stiffness="soft"), "stiffness must be 2x2 numbers, got 'soft'"),
        (lambda: body(damping=[-1, 0]), "damping has the negative eigenvalue -1"),
        (lambda: body(inertia=3), "inertia must be a ModalInertia, got 3"),
        (lambda: body(interfaces={"tip": TIP}, clamp="tip"), "clamp is 'tip', but mode 0 does not vanish there"),
        (lambda: body(interfaces={"tip": TIP}, clamp="root"), "clamp 'root' is no interface; interfaces: 'tip'"),
        (lambda: body(interfaces={"tip": 3}), "interfaces['tip'] must be of kind Interface, got 3"),
        (lambda: body(interfaces={"a.b": TIP}), "has the name 'a.b'"),
        (lambda: body(interfaces=[TIP]), "interfaces must be a dictionary"),
        (
            lambda: body(interfaces={"tip": cs.Interface((0, 0, 0), np.ones((6, 3)))}),
            "interfaces['tip'] has 3 modes, the body has 2",
        ),
        (lambda: cs.ModalInertia.from_fields([1.0, 2.0], *FIELDS[1:]), "weights must be (9,) or (9, 9)"),
        (lambda: body(position=(1, 2)), "position must be 3 numbers"),
        (lambda: body(rotation=2 * np.eye(3)), "rotation is not orthonormal"),
        (lambda: body(velocity=(0, np.inf, 0)), "velocity contains inf"),
        (lambda: body(mass=3), "unknown argument 'mass'"),
        (lambda: body(interfaces={"tip": TIP}).at("tpi"), "at 'tpi' is no interface; interfaces: 'tip'"),
        (lambda: cs.Interface((0, 0, 0), np.ones((5, 2))), "Interface: shape must be 6 numbers per mode"),
        (lambda: cs.Interface((0, 0, np.nan), np.ones((6, 2))), "Interface: position contains nan"),
        (
            lambda: cs.Interface((0, 0, 0), np.ones((6, 2)), stiffening=RNG.normal(size=(6, 2, 2))),
            "stiffening must be symmetric",
        ),
        (lambda: cs.RecoveryPoint((0, 0, 0), np.ones((6, 3)), np.ones((6, 2))), "strain must have the shape (6, 2)"),
        (
            lambda: cs.RecoveryPoint((0, 0, 0), np.ones((6, 2)), np.ones((6, 2)), stress_rest=np.ones((6, 7))),
            "stress_rest must have the shape (6, 12)",
        ),
        (lambda: tensors(mass=0), "ModalInertia: mass is 0; it must be greater than 0"),
        (lambda: tensors(mass=-1), "ModalInertia: mass is -1"),
        (lambda: tensors(modal_mass=np.ones((2, 3))), "modal_mass must be a square matrix"),
        (lambda: tensors(modal_mass=[[1, 2], [0, 1]]), "modal_mass is not symmetric"),
        (lambda: tensors(modal_mass=np.zeros((2, 2))), "is not positive definite: a mode without mass"),
        (lambda: tensors(linear_coupling=np.ones((3, 2))), "linear_coupling must have the shape (2, 3), got (3, 2)"),
        (lambda: tensors(cross_coupling=np.ones((2, 2, 3))), "cross_coupling must be antisymmetric"),
        (lambda: tensors(inertia_hessian=RNG.normal(size=(2, 2, 3, 3))), "exchanging its modes transposes it"),
        (lambda: tensors(inertia=np.full((3, 3), np.nan)), "inertia contains nan"),
        (lambda: cs.ModalInertia.from_fields(*FIELDS[:2], np.ones((9, 2))), "shapes must be (9, 3, number of modes)"),
    ],
)
def test_bad_data(call, message):
    with pytest.raises(CosseratError, match=re.escape(message)):
        call()


BEAM = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL, elements=2)


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({}, "beam 'arm': modes and frequency: give one of them, not neither"),
        ({"modes": 2, "frequency": 10}, "give one of them, not both"),
        ({"modes": 0}, "modes is 0; it must be at least 1"),
        ({"modes": 2.5}, "modes must be a whole number"),
        ({"modes": 100}, "modes is 100; with this boundary its mesh has only 12"),
        ({"frequency": -1}, "frequency is -1; it must be greater than 0"),
        ({"frequency": 1e-3}, "frequency is 0.001 Hz, below the first mode"),
        ({"modes": 2, "boundary": "clamped"}, "boundary is 'clamped'; choose one of 'cantilever', 'free', 'craig"),
        ({"modes": 2, "root": "middle"}, "root is 'middle', which is no interface; interfaces: 'start', 'end'"),
        ({"modes": 2, "interfaces": {"far": 1.5}}, "interfaces['far'] is 1.5; s runs from 0 to 1"),
        ({"modes": 2, "recovery": {"p": "x"}}, "recovery['p'] must be a number"),
        ({"modes": 2, "interfaces": [0.5]}, "interfaces must be a dictionary of places by name, got [0.5]"),
        ({"modes": 2, "recovery": "end"}, "recovery must be a dictionary of places by name, got 'end'"),
        ({"modes": 2, "interfaces": {"start": 0.5}}, "interfaces['start'] is 0.5; 'start' is an end of the beam"),
        ({"modes": 2, "static": ("tip",)}, "static must be a tuple of interfaces ('start', 'end'), got ('tip',)"),
        ({"modes": 2, "static": "end"}, "static must be a tuple of interfaces ('start', 'end'), got 'end'"),
    ],
)
def test_bad_reductions(kwargs, message):
    with pytest.raises(CosseratError, match=re.escape(message)):
        cs.modal_body(BEAM, **kwargs)


def test_not_a_beam():
    with pytest.raises(CosseratError, match="modal_body: part must be a Beam, or a Model of beams, got 'arm'"):
        cs.modal_body("arm", modes=2)


def test_the_galilean_formulation_refuses_modal_bodies():
    model = cs.Model("m", gravity=(0, 0, -9.81))
    model.add(body(interfaces={"tip": TIP}))
    with pytest.raises(CosseratError, match="modal body 'wing': the Galilean formulation has no modal bodies"):
        cs.simulate(model, 1.0)
    with pytest.raises(CosseratError, match=re.escape("'wing' is not one place; say where: frames of 'wing': 'tip'")):
        model.add(cs.Fixed("f", cs.GROUND, model["wing"]))


def test_bad_model_place():
    model = cs.Model("m")
    model.add(body(interfaces={"tip": TIP}))
    for text in ("wing.tpi", "wing.tip(1)"):
        with pytest.raises(CosseratError, match=re.escape(f"unknown frame '{text}'; frames of 'wing': 'tip'")):
            model.place(text)


MESH = cs.SolidMesh.box((1, 0.1, 0.1), (4, 1, 1))
TWO = cs.SolidMesh(
    np.vstack((MESH.points, MESH.points + (0, 1, 0))), np.vstack((MESH.cells, MESH.cells + len(MESH.points)))
)
ENDS = {"root": "x_min", "tip": "x_max"}


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: cs.SolidMesh([(0, 0, 0)] * 3 + [(np.nan, 0, 0)], [(0, 1, 2, 3)]), "mesh: points contains nan"),
        (lambda: cs.SolidMesh([(0, 0, 0)] * 4, [(0, 1, 2, 4)]), "cells names node 4 of 4"),
        (lambda: cs.SolidMesh([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(0, 1, 2, 3)]), "without volume"),
        (lambda: cs.SolidMesh(MESH.points, MESH.cells[:, :3]), "must be rows of 4 or 10 node numbers"),
        (lambda: cs.SolidMesh(MESH.points, MESH.cells, {"a": [999]}), "regions['a'] names node 999"),
        (lambda: cs.SolidMesh.box((1, 0, 1), (1, 1, 1)), "three positive numbers"),
        (lambda: cs.SolidMesh(MESH.points, MESH.cells[[0, 1, 0]]), "cells has 1 tetrahedra that are there already"),
        (lambda: cs.SolidMesh(MESH.points, MESH.cells, [0, 1]), "regions must be a dictionary of node numbers by name"),
        (lambda: cs.load_mesh(None), "load_mesh: path is None; pass the name of a file"),
        (lambda: MESH.nodes("end"), "mesh: no region 'end'; regions: 'x_min', 'x_max'"),
        (lambda: MESH.nodes(lambda x: x[0]), "must give one truth value per node"),
    ],
)
def test_bad_meshes(call, message):
    with pytest.raises(CosseratError, match=re.escape(message)):
        call()


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"mesh": 3}, "modal body 'b': mesh must be a SolidMesh or a MeshTet of scikit-fem, got int"),
        ({"material": "steel"}, "material must be a Material"),
        ({"material": cs.Material(E=1e9, nu=0.5, rho=1e3)}, "material has nu = 0.5"),
        ({"order": 3}, "order is 3"),
        ({"interfaces": {}}, "interfaces must be a dictionary"),
        ({"interfaces": {"root": "xmin"}}, "no region 'xmin'"),
        ({"interfaces": {"root": lambda x: x[0] < -1}}, "interfaces['root'] has 0 nodes, which do not span a plane"),
        ({"interfaces": {"root": lambda x: (x[0] == 0) & (x[1] == 0)}}, "which do not span a plane"),
        ({"interfaces": {"root": "x_min", "side": "y_min"}}, "interfaces overlap"),
        ({"interfaces": {"root": cs.SolidInterface("x_min", tie="glue")}}, "has the tie 'glue'"),
        ({"interfaces": {"root": "x_min"}}, "'craig-bampton' needs an interface besides the root"),
        ({"recovery": {"p": (2, 0, 0)}}, "recovery['p'] is [2.0, 0.0, 0.0], which is not inside the mesh"),
        (
            {"mesh": TWO, "interfaces": {"root": lambda x: (x[0] < 1e-9) & (x[1] < 0.5)}},
            "modal body 'b': mesh falls into 2 pieces",
        ),
        ({"root": "end"}, "root is 'end', which is no interface; interfaces: 'root', 'tip'"),
    ],
)
def test_bad_solids(kwargs, message):
    pytest.importorskip("skfem")
    given = {"mesh": MESH, "material": cs.materials.STEEL, "interfaces": ENDS, "modes": 1, "order": 1}
    with pytest.raises(CosseratError, match=re.escape(message)):
        cs.modal_body_from_mesh("b", **(given | kwargs))


def test_missing_libraries(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "skfem", None)
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(CosseratError, match=re.escape("needs scikit-fem; install it with pip install 'cosserat[fem]'")):
        cs.modal_body_from_mesh("b", MESH, cs.materials.STEEL, ENDS, modes=1)
    with pytest.raises(CosseratError, match=re.escape("needs meshio; install it with pip install 'cosserat[fem]'")):
        cs.load_mesh(tmp_path / "box.msh")
