"""Mesh files through meshio: groups of gmsh, cell data of VTK, quadratic cells, broken files."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratError

meshio = pytest.importorskip("meshio")
pytest.importorskip("skfem")

BOX = cs.SolidMesh.box((1, 0.1, 0.2), (5, 1, 1))


def faces(region):
    """Triangles of the box whose nodes all lie in a region."""
    nodes = set(BOX.nodes(region).tolist())
    corners = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    return np.array([cell[list(c)] for cell in BOX.cells for c in corners if set(cell[list(c)].tolist()) <= nodes])


def write(path, **kwargs):
    blocks = [("triangle", faces("x_min")), ("triangle", faces("x_max")), ("tetra", BOX.cells)]
    marks = [np.full(len(b[1]), tag) for b, tag in zip(blocks, (1, 2, 3))]
    meshio.Mesh(1e3 * BOX.points, blocks, **{k: f(marks) for k, f in kwargs.items()}).write(path)
    return path


def test_gmsh_groups(tmp_path):
    groups = {"root": np.array([1, 2]), "tip": np.array([2, 2]), "solid": np.array([3, 3])}
    both = lambda marks: {"gmsh:physical": marks, "gmsh:geometrical": marks}  # noqa: E731
    path = tmp_path / "box.msh"
    blocks = [("triangle", faces("x_min")), ("triangle", faces("x_max")), ("tetra", BOX.cells)]
    marks = [np.full(len(b[1]), tag) for b, tag in zip(blocks, (1, 2, 3))]
    mesh = meshio.Mesh(1e3 * BOX.points, blocks, cell_data=both(marks), field_data=groups)
    mesh.write(path, file_format="gmsh22", binary=False)
    found = cs.load_mesh(path, scale=1e-3)
    assert found.volume == pytest.approx(BOX.volume)
    assert found.nodes("root").tolist() == BOX.nodes("x_min").tolist()
    assert found.nodes("tip").tolist() == BOX.nodes("x_max").tolist()
    assert found.nodes("gmsh:physical:2").tolist() == found.nodes("tip").tolist()
    here, there = (
        cs.modal_body_from_mesh("b", mesh, cs.materials.STEEL, ends, modes=1, order=1)
        for mesh, ends in ((BOX, {"a": "x_min", "b": "x_max"}), (found, {"a": "root", "b": "tip"}))
    )
    np.testing.assert_allclose(here.frequencies, there.frequencies, rtol=1e-9)


def test_vtk_cell_data(tmp_path):
    path = write(tmp_path / "box.vtu", cell_data=lambda marks: {"part": marks, "load": [0.5 * m for m in marks]})
    found = cs.load_mesh(path, scale=1e-3)
    assert found.nodes("part:1").tolist() == BOX.nodes("x_min").tolist()
    assert "load:0" not in found.regions


def quadratic(bulge=0.0):
    """The box with ten-node cells; middles of edges may be moved outwards along y."""
    pairs = [tuple(sorted((int(c[a]), int(c[b])))) for c in BOX.cells for a, b in
             ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))]  # fmt: skip
    number = {pair: len(BOX.points) + k for k, pair in enumerate(sorted(set(pairs)))}
    middles = np.array([BOX.points[list(pair)].mean(axis=0) for pair in number])
    middles[:, 1] += bulge * np.sign(middles[:, 1] - 0.05) * (np.abs(middles[:, 1] - 0.05) > 0.049)
    cells = np.hstack((BOX.cells, np.array([number[p] for p in pairs]).reshape(-1, 6)))
    return np.vstack((BOX.points, middles)), cells


def test_quadratic_cells(tmp_path):
    points, cells = quadratic()
    path = tmp_path / "box.vtk"
    meshio.Mesh(points, [("tetra10", cells)]).write(path)
    found = cs.load_mesh(path)
    assert found.cells.shape[1] == 10
    ends = {"a": lambda x: x[0] < 1e-9, "b": lambda x: x[0] > 1 - 1e-9}
    probe = {"p": (0.41, 0.03, 0.07)}
    straight, ten = (
        cs.modal_body_from_mesh("b", mesh, cs.materials.STEEL, ends, modes=2, order=2, recovery=probe)
        for mesh in (BOX, found)
    )
    np.testing.assert_allclose(straight.frequencies, ten.frequencies, rtol=1e-8)
    stress = [np.abs(body.stress("p", np.eye(8)[0])) for body in (straight, ten)]
    np.testing.assert_allclose(stress[0], stress[1], rtol=1e-6)
    fat = cs.SolidMesh(*quadratic(0.01))
    body = cs.modal_body_from_mesh("b", fat, cs.materials.STEEL, ends, modes=2, recovery=probe)
    assert body.mass > 1.05 * ten.mass  # curved edges count


def test_scikit_fem_meshes():
    import skfem

    mesh = skfem.MeshTet(BOX.points.T, BOX.cells.T).with_boundaries(
        {"root": lambda x: x[0] < 1e-9, "tip": lambda x: x[0] > 1 - 1e-9}
    )
    body = cs.modal_body_from_mesh("b", mesh, cs.materials.STEEL, {"root": "root", "tip": "tip"}, modes=0, order=1)
    assert body.mass == pytest.approx(7850 * 0.02)


def test_gmsh_itself(tmp_path):
    gmsh = pytest.importorskip("gmsh")
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.model.occ.addBox(0, 0, 0, 1, 0.1, 0.2)
        gmsh.model.occ.synchronize()
        for tag, x in (("root", 0.0), ("tip", 1.0)):
            face = [t for d, t in gmsh.model.getEntities(2) if abs(gmsh.model.occ.getCenterOfMass(d, t)[0] - x) < 1e-9]
            gmsh.model.addPhysicalGroup(2, face, name=tag)
        gmsh.model.addPhysicalGroup(3, [1], name="solid")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.15)
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(2)
        gmsh.write(str(tmp_path / "box.msh"))
    finally:
        gmsh.finalize()
    mesh = cs.load_mesh(tmp_path / "box.msh")
    assert mesh.volume == pytest.approx(0.02)
    body = cs.modal_body_from_mesh("b", mesh, cs.materials.STEEL, {"root": "root", "tip": "tip"}, modes=2)
    beam = cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rectangle(0.1, 0.2), material=cs.materials.STEEL)
    np.testing.assert_allclose(body.frequencies[:2], cs.modal_body(beam, modes=2).frequencies, rtol=0.03)


def test_broken_files(tmp_path):
    with pytest.raises(CosseratError, match="there is no such file"):
        cs.load_mesh(tmp_path / "none.msh")
    (tmp_path / "bad.msh").write_text("nonsense")
    with pytest.raises(CosseratError, match="cannot be read as a mesh"):
        cs.load_mesh(tmp_path / "bad.msh")
    (tmp_path / "bad.xyz").write_text("nonsense")
    with pytest.raises(CosseratError, match="cannot be read as a mesh"):
        cs.load_mesh(tmp_path / "bad.xyz")
    flat = meshio.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [("triangle", [(0, 1, 2)])])
    flat.write(tmp_path / "flat.vtu")
    with pytest.raises(CosseratError, match="holds no tetrahedra, only triangle"):
        cs.load_mesh(tmp_path / "flat.vtu")
    mixed = meshio.Mesh(BOX.points, [("tetra", BOX.cells), ("wedge", [(0, 1, 2, 3, 4, 5)])])
    mixed.write(tmp_path / "mixed.vtu")
    with pytest.raises(CosseratError, match=r"mixes elements \(wedge\)"):
        cs.load_mesh(tmp_path / "mixed.vtu")
