"""Modal bodies from solid meshes."""

from __future__ import annotations

from typing import Any

from cosserat.calls import answered
from cosserat.compile.modal import reduce_part
from cosserat.compile.solid_part import SolidInterface, solid_part
from cosserat.errors import ArgumentError
from cosserat.model import checks
from cosserat.model.materials import Material
from cosserat.model.modal import ModalBody
from cosserat.model.solid_mesh import SolidMesh


@answered()
def modal_body_from_mesh(
    name: str,
    mesh: Any,
    material: Material,
    interfaces: dict[str, Any],
    modes: int | None = None,
    frequency: float | None = None,
    boundary: str = "craig-bampton",
    root: str | None = None,
    order: int = 2,
    recovery: dict[str, Any] | None = None,
    stiffening: bool = False,
) -> ModalBody:
    """The modal body of an elastic solid, by finite elements of scikit-fem.

    Parameters
    ----------
    name : str
    mesh : SolidMesh, or a tetrahedral mesh of scikit-fem
        In world coordinates of the reference configuration; `load_mesh` reads files.
    material : Material
        Its damping time gives the damping matrix.
    interfaces : dict
        Name: region of nodes (its name in the mesh, node numbers, or a function of coordinates x (3, n) giving n truth
        values), or a `SolidInterface`, which also says where the frame is and how it is tied to the nodes.
    modes, frequency, boundary
        As those of `modal_body`.
    root : str, optional
        Interface that carries the floating frame; default: the first.
    order : {1, 2}
        Linear or quadratic elements. Linear ones are far too stiff in bending.
    recovery : dict, optional
        Points (3,) by name, world coordinates, of which strain and stress can be asked.
    stiffening : bool
        Include the displacements of second order, so that loads stiffen the body; see `modal_body`.

    Examples
    --------
    >>> from cosserat.model import materials
    >>> mesh = SolidMesh.box(size=(1, 0.05, 0.1), divisions=(10, 1, 1))
    >>> blade = modal_body_from_mesh("blade", mesh, materials.STEEL, {"root": "x_min", "tip": "x_max"}, modes=4)
    >>> blade.n_modes, round(blade.mass, 3)
    (10, 39.25)
    """
    title = f"modal body {name!r}"
    if not isinstance(material, Material):
        raise ArgumentError(title, "material", f"must be a Material, got {material!r}")
    if not material.nu < 0.5:
        raise ArgumentError(title, "material", f"has nu = {material.nu:g}: displacements do not describe it; take 0.49")
    if order not in (1, 2):
        raise ArgumentError(title, "order", f"is {order!r}; it is 1 (linear) or 2 (quadratic elements)")
    if not isinstance(interfaces, dict) or not interfaces:
        raise ArgumentError(title, "interfaces", "must be a dictionary such as {'root': 'x_min', 'tip': 'x_max'}")
    solid = _solid_mesh(title, mesh)
    order = 2 if solid.cells.shape[1] == 10 else order
    table = {k: v if isinstance(v, SolidInterface) else SolidInterface(v) for k, v in interfaces.items()}
    checks.flag(title, "stiffening", stiffening)
    part = solid_part(title, solid, material, table, order, recovery or {})
    return reduce_part(part, name, modes, frequency, boundary, root or next(iter(table)), stiffening)


def _solid_mesh(title: str, mesh: Any) -> SolidMesh:
    """A `SolidMesh`, from itself or from a mesh of scikit-fem with its named boundaries."""
    if isinstance(mesh, SolidMesh):
        return mesh
    kind = type(mesh).__name__
    if not type(mesh).__module__.startswith("skfem") or kind not in ("MeshTet", "MeshTet1"):
        raise ArgumentError(
            title, "mesh", f"must be a SolidMesh or a MeshTet of scikit-fem, got {kind}; load_mesh(path) reads files"
        )
    regions = {name: mesh.facets[:, facets].ravel() for name, facets in (mesh.boundaries or {}).items()}
    return SolidMesh(mesh.p.T, mesh.t.T, regions)
