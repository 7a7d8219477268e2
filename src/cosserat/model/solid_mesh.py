"""Meshes of tetrahedra for elastic bodies."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.modal_inertia import numbers

Ints = NDArray[np.int64]
# a region of nodes: its name in the mesh, node numbers, or a function of the coordinates x (3, n) giving n truth values
Region = str | Any | Callable[[Array], Any]
EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))  # of a tetrahedron, in the order of VTK's middle nodes


@answering
class SolidMesh:
    """Tetrahedra with four nodes, or ten (corners, then the middles of edges in VTK's order).

    Parameters
    ----------
    points : (n, 3)
        Nodes, in world coordinates of the reference configuration (m).
    cells : (ne, 4) or (ne, 10)
        Node numbers; orientation does not matter.
    regions : dict, optional
        Named sets of nodes, usually from the tags of a mesh file.

    Examples
    --------
    >>> mesh = SolidMesh.box(size=(1, 0.1, 0.1), divisions=(10, 1, 1))
    >>> mesh.volume.__round__(6), sorted(mesh.regions)[:2], len(mesh.nodes("x_max"))
    (0.01, ['x_max', 'x_min'], 4)
    """

    def __init__(self, points: Any, cells: Any, regions: Mapping[str, Any] | None = None) -> None:
        title = self.title = "mesh"
        shape = np.shape(points)
        self.points = numbers(title, "points", points, (shape[0] if shape else 0, 3))
        self.cells = _indices(title, "cells", cells, len(self.points))
        if self.cells.ndim != 2 or self.cells.shape[1] not in (4, 10) or len(self.cells) == 0:
            raise ArgumentError(title, "cells", f"must be rows of 4 or 10 node numbers, got shape {self.cells.shape}")
        volumes = self._volumes()
        size = float(np.max(np.ptp(self.points, axis=0)))
        flat = np.nonzero(np.abs(volumes) <= 1e-12 * size**3)[0]
        if len(flat):
            raise ArgumentError(title, "cells", f"has {len(flat)} tetrahedra without volume, first number {flat[0]}")
        _, counts = np.unique(np.sort(self.cells[:, :4], axis=1), axis=0, return_counts=True)
        if np.any(counts > 1):
            raise ArgumentError(title, "cells", f"has {int(np.sum(counts - 1))} tetrahedra that are there already")
        if not (regions is None or isinstance(regions, Mapping)):
            raise ArgumentError(title, "regions", f"must be a dictionary of node numbers by name, got {regions!r}")
        wrong = volumes < 0.0
        swap = [0, 2, 1, 3] if self.cells.shape[1] == 4 else [0, 2, 1, 3, 6, 5, 4, 7, 9, 8]
        self.cells[wrong] = self.cells[wrong][:, swap]
        self.regions = {
            name: np.unique(_indices(title, f"regions[{name!r}]", nodes, len(self.points)))
            for name, nodes in (regions or {}).items()
        }

    def _volumes(self) -> Array:
        corners = self.points[self.cells[:, :4]]
        edges = corners[:, 1:] - corners[:, :1]
        return np.linalg.det(edges) / 6.0

    @property
    def volume(self) -> float:
        """Volume of the tetrahedra with straight edges (m^3)."""
        return float(self._volumes().sum())

    def nodes(self, region: Region, points: Array | None = None) -> Ints:
        """Numbers of the nodes of a region; `points` (n, 3) are the candidates of a function, default: all nodes."""
        if isinstance(region, str):
            if region not in self.regions:
                known = ", ".join(repr(n) for n in self.regions) or "none"
                raise ArgumentError(self.title, "", f"no region {region!r}; regions: {known}")
            return self.regions[region]
        if not callable(region):
            return np.unique(_indices(self.title, "region", region, len(self.points)))
        candidates = self.points if points is None else points
        inside = np.asarray(region(candidates.T))
        if inside.dtype != bool or inside.shape != (len(candidates),):
            raise ArgumentError(
                self.title, "region", "must give one truth value per node for coordinates x of shape (3, n), such as "
                f"lambda x: x[0] < 1e-6; got {inside.dtype} of shape {inside.shape}"
            )  # fmt: skip
        return np.nonzero(inside)[0]

    @classmethod
    def box(cls, size: Any, divisions: Any, origin: Any = (0.0, 0.0, 0.0)) -> SolidMesh:
        """A box of the given sides from `origin`, six tetrahedra per cell; faces are regions "x_min", "x_max", ..."""
        title = "SolidMesh.box"
        sides = checks.array(title, "size", size, (3,))
        counts = [checks.integer(title, "divisions", n, 1) for n in divisions]
        corner = checks.array(title, "origin", origin, (3,))
        if len(counts) != 3 or (sides <= 0.0).any():
            raise ArgumentError(title, "size", "and divisions must be three positive numbers each")
        axes = [np.linspace(0.0, s, n + 1) for s, n in zip(sides, counts)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        index = np.arange(len(grid)).reshape([n + 1 for n in counts])
        lowest = index[:-1, :-1, :-1].ravel()
        stride = np.array([index[1, 0, 0], index[0, 1, 0], index[0, 0, 1]]) - index[0, 0, 0]
        # each cell along the six ways from its lowest to its highest corner
        cells = [
            np.stack([lowest + sum(stride[list(way[:k])]) for k in range(4)], axis=1)
            for way in itertools.permutations(range(3))
        ]
        faces = {}
        for k, letter in enumerate("xyz"):
            faces[f"{letter}_min"] = np.nonzero(grid[:, k] == 0.0)[0]
            faces[f"{letter}_max"] = np.nonzero(grid[:, k] == axes[k][-1])[0]
        return cls(grid + corner, np.concatenate(cells), faces)


def _indices(title: str, argument: str, value: Any, n: int) -> Ints:
    array = np.asarray(value)
    if array.size == 0 or not np.issubdtype(array.dtype, np.integer):
        raise ArgumentError(title, argument, f"must be node numbers, got {array.dtype} of shape {array.shape}")
    if array.min() < 0 or array.max() >= n:
        raise ArgumentError(title, argument, f"names node {array.max() if array.max() >= n else array.min()} of {n}")
    return array.astype(np.int64)
