"""Mesh files: the adapter to meshio (gmsh, VTK, Abaqus, Nastran, Medit and what else it reads)."""

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import CosseratError, FileFormatError, MissingDependencyError
from cosserat.model.solid_mesh import SolidMesh

_SOLID = ("tetra10", "tetra")
_FLAT = ("triangle", "triangle6", "line", "line3", "vertex", *_SOLID)


@answered()
def load_mesh(path: str | Path, scale: float = 1.0) -> SolidMesh:
    """Read the tetrahedra of a mesh file; its named groups become regions.

    Parameters
    ----------
    path : path
    scale : float
        Factor to metres, 1e-3 for a file in millimetres.

    Returns
    -------
    SolidMesh
        Regions: the nodes of every named group of cells (physical groups of gmsh, sets of others); of every whole
        number that marks cells, as ``"key:number"`` (cell data of VTK files, ``"gmsh:physical:3"``); and of every
        set of points.

    Examples
    --------
    >>> import cosserat as cs
    >>> blade = cs.load_mesh("blade.msh", scale=1e-3)  # doctest: +SKIP
    """
    try:
        import meshio
    except ImportError:
        raise MissingDependencyError("load_mesh needs meshio; install it with pip install 'cosserat[fem]'") from None
    if not isinstance(path, (str, Path)):
        raise FileFormatError(f"load_mesh: path is {path!r}; pass the name of a file")
    if not Path(path).is_file():
        raise FileFormatError(f"{path}: there is no such file")
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # meshio prints empty lines
            mesh = meshio.read(path)
    except (Exception, SystemExit) as error:  # meshio leaves the interpreter for some broken files
        raise FileFormatError(f"{path}: cannot be read as a mesh ({type(error).__name__}: {error})") from None
    kinds = {block.type for block in mesh.cells}
    kind = next((k for k in _SOLID if k in kinds), None)
    if kind is None:
        found = ", ".join(sorted(kinds)) or "nothing"
        raise FileFormatError(f"{path}: holds no tetrahedra, only {found}; mesh the volume with tetrahedra")
    others = kinds - set(_FLAT)
    if others or {"tetra", "tetra10"} <= kinds:
        mixed = ", ".join(sorted(others or {"tetra", "tetra10"}))
        raise FileFormatError(f"{path}: mixes elements ({mixed}); use tetrahedra of one kind only")
    points = scale * np.asarray(mesh.points, dtype=float)
    cells = np.concatenate([block.data for block in mesh.cells if block.type == kind])
    try:
        return SolidMesh(points, cells, _regions(mesh))
    except CosseratError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _regions(mesh: Any) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for name, table in mesh.cell_sets_dict.items():
        if not name.startswith("gmsh:"):
            for kind, members in table.items():
                if kind in _FLAT:
                    found.setdefault(name, []).append(mesh.cells_dict[kind][members].ravel())
    names = {int(tag): name for name, (tag, _) in mesh.field_data.items()}
    for key, values in mesh.cell_data.items():
        for block, marks in zip(mesh.cells, values, strict=True):
            if block.type not in _FLAT or np.ndim(marks) != 1 or not _whole(marks):
                continue
            for mark in np.unique(marks):
                nodes = block.data[marks == mark].ravel()
                found.setdefault(f"{key}:{int(mark)}", []).append(nodes)
                if key == "gmsh:physical" and int(mark) in names and names[int(mark)] not in mesh.cell_sets_dict:
                    found.setdefault(names[int(mark)], []).append(nodes)
    for name, nodes in mesh.point_sets.items():
        found.setdefault(name, []).append(np.asarray(nodes).ravel())
    return {name: np.unique(np.concatenate(parts)) for name, parts in found.items() if sum(map(len, parts))}


def _whole(marks: Any) -> bool:
    return bool(np.isfinite(marks).all() and (np.asarray(marks) == np.round(marks)).all())
