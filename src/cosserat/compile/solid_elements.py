"""Finite elements of solids: the adapter to scikit-fem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import MissingDependencyError
from cosserat.lie.protocol import Array
from cosserat.model.materials import Material
from cosserat.model.solid_mesh import EDGES, SolidMesh

Ints = NDArray[np.int64]

_PAIRS = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))  # xx, yy, zz, yz, xz, xy


class SolidElements:
    """scikit-fem's view of a mesh: matrices over points (corners and, for quadratic elements, middles of edges)."""

    def __init__(self, mesh: SolidMesh, material: Material, order: int) -> None:
        try:
            import skfem
        except ImportError:
            raise MissingDependencyError(
                "modal_body_from_mesh needs scikit-fem; install it with pip install 'cosserat[fem]'"
            ) from None
        from skfem.models.elasticity import lame_parameters, linear_elasticity

        used, corners = np.unique(mesh.cells[:, :4], return_inverse=True)
        cells = corners.reshape(-1, 4)
        arrays = (np.ascontiguousarray(part) for part in (mesh.points[used].T, cells.T))
        straight = skfem.MeshTet(*arrays, sort_t=False)
        self.nodes = np.full(len(mesh.points), -1, dtype=np.int64)  # of the mesh -> points
        self.nodes[used] = np.arange(len(used))
        skmesh = straight
        if mesh.cells.shape[1] == 10:
            edge_of = {tuple(sorted(pair)): k for k, pair in enumerate(straight.edges.T.tolist())}
            middles = np.empty((straight.edges.shape[1], 3))
            for k, (a, b) in enumerate(EDGES):
                edges = [edge_of[tuple(sorted(pair))] for pair in cells[:, [a, b]].tolist()]
                middles[edges] = mesh.points[mesh.cells[:, 4 + k]]
                self.nodes[mesh.cells[:, 4 + k]] = len(used) + np.array(edges)
            skmesh = skfem.MeshTet2(np.hstack((straight.p, middles.T)), straight.t)
        scalar = skfem.ElementTetP2() if order == 2 else skfem.ElementTetP1()
        degree = 2 * order + (2 if mesh.cells.shape[1] == 10 else 0)
        self.basis = skfem.Basis(skmesh, skfem.ElementVector(scalar), intorder=degree)
        self.scalar_basis = self.basis.with_element(scalar)
        self.lame = lame_parameters(material.E, material.nu)
        vector, single = self._numbering(self.basis), self._numbering(self.scalar_basis)[:, 0]
        self.vector, self.single = vector, single
        self.positions = np.ascontiguousarray(self.scalar_basis.doflocs[:, single].T)
        flat = vector.ravel()
        K = linear_elasticity(*self.lame).assemble(self.basis).tocsr()
        self.stiffness = K[flat][:, flat]
        mass = skfem.BilinearForm(lambda u, v, w: material.rho * u * v).assemble(self.scalar_basis).tocsr()
        self.mass = mass[single][:, single]

    @staticmethod
    def _numbering(basis: Any) -> Ints:
        """Unknowns (p, components) of the points: corners, then edges."""
        edges = basis.edge_dofs if basis.edge_dofs is not None else np.zeros((0, 0), dtype=np.int64)
        parts = [basis.nodal_dofs.T] + ([edges.T] if edges.size else [])
        return np.concatenate(parts).astype(np.int64)

    def fields(self, u: Array) -> Array:
        """Gradients (3, 3, q, m), d u_k / d x_i at [k, i], of displacements (3 p, m) at the quadrature points."""
        out = []
        for column in u.T:
            dofs = np.empty(len(column))
            dofs[self.vector.ravel()] = column
            out.append(np.asarray(self.basis.interpolate(dofs).grad).reshape(3, 3, -1))
        return np.stack(out, axis=-1)

    @property
    def weights(self) -> Array:
        """Volumes (q,) of the quadrature points."""
        return np.asarray(self.basis.dx).ravel()

    def stress(self, gradient: Array) -> Array:
        """Stresses of displacement gradients, (3, 3, ...)."""
        lam, mu = self.lame
        trace = gradient[0, 0] + gradient[1, 1] + gradient[2, 2]
        out = mu * (gradient + np.swapaxes(gradient, 0, 1))
        for k in range(3):
            out[k, k] += lam * trace
        return np.asarray(out)

    def strain_rows(self, x: Array) -> Array | None:
        """Strain (6, 3 p) at a point of the mesh, or None if it lies outside."""
        mesh, element, mapping = self.scalar_basis.mesh, self.scalar_basis.elem, self.scalar_basis.mapping
        corners = np.transpose(mesh.p[:, mesh.t[:4]], (2, 0, 1))  # (ne, 3, 4)
        edges = corners[:, :, 1:] - corners[:, :, :1]
        inside = np.linalg.solve(edges, x[None, :, None] - corners[:, :, :1])[:, :, 0]
        depth = np.minimum(inside.min(axis=1), 1.0 - inside.sum(axis=1))
        cell = np.array([int(np.argmax(depth))])
        curved = mesh.p.shape[1] > mesh.nvertices
        if depth[cell[0]] < (-0.1 if curved else -1e-6):
            return None
        local = inside[cell[0]].reshape(3, 1)
        for _ in range(10 if curved else 0):
            miss = mapping.F(local, tind=cell).reshape(3) - x
            local = local - np.linalg.solve(mapping.DF(local, tind=cell).reshape(3, 3), miss)[:, None]
        if min(float(local.min()), 1.0 - float(local.sum())) < -1e-6:
            return None
        out = np.zeros((6, 3 * len(self.positions)))
        point_of = np.empty(self.scalar_basis.N, dtype=np.int64)
        point_of[self.single] = np.arange(len(self.single))
        for i, dof in enumerate(self.scalar_basis.element_dofs[:, cell[0]]):
            slope = np.asarray(element.gbasis(mapping, local, i, tind=cell)[0].grad).reshape(3)
            for row, (a, b) in enumerate(_PAIRS):
                out[row, 3 * point_of[dof] + a] += slope[b]
                if a != b:
                    out[row, 3 * point_of[dof] + b] += slope[a]
        return out
