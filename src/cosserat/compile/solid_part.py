"""An elastic solid as a `FlexiblePart`, with frames tied to regions of its mesh, and as a modal body.

Interfaces are tied to the mesh in one of two ways. "rigid": the nodes of the region move with the frame as one rigid
piece (RBE2), which stiffens the region; the mass of the region is kept. "averaged": the frame follows the mean motion
of the nodes (RBE3, least squares with equal weights), which adds no stiffness; a wrench on it is spread over the nodes.

`SolidElements` is the adapter to the finite elements of scikit-fem.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered, answering
from cosserat.compile.flexible_part import (
    Arm,
    Drawn,
    FlexiblePart,
    MassPoints,
    Recovery,
    Sparse,
    sparse_matrix,
    work_on_turning_arms,
)
from cosserat.compile.modal import reduce_part
from cosserat.compile.series import skew
from cosserat.errors import ArgumentError, MissingDependencyError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.materials import Material
from cosserat.model.modal import ModalBody
from cosserat.model.solid_mesh import EDGES, Region, SolidMesh

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


TIES = ("rigid", "averaged")


@answering
@dataclass(frozen=True)
class SolidInterface:
    """An interface of a solid mesh.

    Parameters
    ----------
    region : str, node numbers, or callable
        A region of the mesh by name, or a function of coordinates x (3, n) giving n truth values.
    position : (3,), optional
        Origin of the frame in world coordinates; default: the mean of the nodes.
    rotation : (3, 3), optional
        Axes of the frame (columns); default: the world axes.
    tie : {"rigid", "averaged"}
        How the frame is tied to the nodes.

    Examples
    --------
    >>> import cosserat as cs
    >>> tip = cs.SolidInterface(region="x_max", tie="averaged")
    >>> tip.tie
    'averaged'
    """

    region: Region
    position: Any = None
    rotation: Any = None
    tie: str = "rigid"


def solid_part(
    title: str,
    mesh: SolidMesh,
    material: Material,
    interfaces: dict[str, SolidInterface],
    order: int,
    recovery: dict[str, Any],
) -> FlexiblePart:
    """Matrices of a solid with its interfaces tied to frames."""
    from scipy.sparse import bmat, csr_matrix, identity, kron

    solid = SolidElements(mesh, material, order)
    X = solid.positions
    sets = {name: _interface_points(title, name, i, mesh, solid) for name, i in interfaces.items()}
    frames = {name: _frame(title, name, i, X[sets[name]]) for name, i in interfaces.items()}
    rigid_ties = [name for name, i in interfaces.items() if i.tie == "rigid"]
    tied = np.concatenate([sets[name] for name in rigid_ties]) if rigid_ties else np.zeros(0, dtype=np.int64)
    if len(np.unique(tied)) < len(tied):
        raise ArgumentError(title, "interfaces", "overlap: a node belongs to two rigid regions; make them smaller")
    _demand_connected(title, mesh, solid, [sets[name] for name in rigid_ties])
    loose = np.setdiff1d(np.arange(len(X)), tied)
    n_loose, n = 3 * len(loose), 3 * len(loose) + 6 * len(rigid_ties)
    flat = (3 * loose[:, None] + np.arange(3)).ravel()
    blocks = [sparse_matrix(1.0, flat, np.arange(n_loose), (3 * len(X), n_loose))]
    rigid = np.zeros((n, 6))
    rigid[:n_loose] = _rigid_rows(X[loose], np.zeros(3))
    constraints, arms = {}, []
    for k, name in enumerate(rigid_ties):
        nodes, origin = sets[name], frames[name][:3, 3]
        rows = (3 * nodes[:, None] + np.arange(3)).reshape(-1, 1)
        blocks.append(sparse_matrix(_rigid_rows(X[nodes], origin), rows, np.arange(6), (3 * len(X), 6)))
        span = n_loose + 6 * k + np.arange(6)
        rigid[span] = np.vstack((_rigid_rows(origin[None], np.zeros(3)), np.eye(6)[3:]))
        constraints[name] = sparse_matrix(1.0, np.arange(6), span, (6, n))
        rotation = sparse_matrix(1.0, rows.reshape(-1, 3), span[3:], (3 * len(X), n))
        arm = np.zeros_like(X)
        arm[nodes] = X[nodes] - origin
        arms.append(Arm(rotation, arm))
    T = csr_matrix(bmat([blocks]))
    for name, interface in interfaces.items():
        if interface.tie == "averaged":
            nodes = sets[name]
            fit = np.asarray(np.linalg.pinv(_rigid_rows(X[nodes], frames[name][:3, 3])), dtype=np.float64)
            columns = (3 * nodes[:, None] + np.arange(3)).ravel()
            constraints[name] = csr_matrix(sparse_matrix(fit, np.arange(6)[:, None], columns, (6, 3 * len(X))) @ T)
    points = MassPoints(solid.mass, X, T, tuple(arms))
    K = csr_matrix(T.T @ solid.stiffness @ T)
    M = csr_matrix(T.T @ kron(solid.mass, identity(3), format="csr") @ T)
    return FlexiblePart(
        title=title,
        stiffness=0.5 * (K + K.T),
        damping=material.damping * K,
        mass=0.5 * (M + M.T),
        rigid=rigid,
        frames=frames,
        constraints={name: constraints[name] for name in interfaces},
        points=points,
        prestress=lambda U, Phi: _prestress(solid, points, U, Phi),
        recovery={name: _recovery(title, name, solid, T, x) for name, x in recovery.items()},
        drawn=_surface(solid, T),
    )


def _surface(solid: SolidElements, T: Sparse) -> Drawn:
    """The surface of a mesh, by the corners of its cells."""
    mesh = solid.scalar_basis.mesh
    faces = mesh.facets[:, mesh.boundary_facets()].T
    corners, cells = np.unique(faces, return_inverse=True)
    rows = (3 * corners[:, None] + np.arange(3)).ravel()
    return Drawn(solid.positions[corners], T[rows], cells.reshape(faces.shape))


def _demand_connected(title: str, mesh: SolidMesh, solid: SolidElements, ties: list[Ints]) -> None:
    """Raise if the mesh falls into pieces that no rigid interface holds together."""
    from scipy.sparse.csgraph import connected_components

    corners = solid.nodes[mesh.cells[:, :4]]
    groups = [np.repeat(corners[:, 0], 4), *(np.full(len(tie), tie[0]) for tie in ties)]
    first, second = np.concatenate(groups), np.concatenate([corners.ravel(), *ties])
    n = len(solid.positions)
    graph = sparse_matrix(1.0, first, second, (n, n))
    label = connected_components(graph, directed=False)[1]
    pieces = len(np.unique(label[: solid.scalar_basis.mesh.nvertices]))
    if pieces > 1:
        raise ArgumentError(title, "mesh", f"falls into {pieces} pieces; merge the nodes where they touch")


def _rigid_rows(X: Array, origin: Array) -> Array:
    """Displacements (3 k, 6) of points for unit translations and rotations about the origin."""
    out = np.zeros((len(X), 3, 6))
    out[:, :, :3] = np.eye(3)
    out[:, :, 3:] = -skew(X - origin)
    return out.reshape(-1, 6)


def _interface_points(title: str, name: str, interface: Any, mesh: SolidMesh, solid: SolidElements) -> Ints:
    """Points of an interface: all of a function's region, or the nodes of a set and the middles of their edges."""
    where = f"interfaces[{name!r}]"
    if interface.tie not in TIES:
        raise ArgumentError(title, where, f"has the tie {interface.tie!r}; choose one of {', '.join(map(repr, TIES))}")
    if callable(interface.region):
        points = mesh.nodes(interface.region, solid.positions)
    else:
        nodes = solid.nodes[mesh.nodes(interface.region)]
        points = nodes[nodes >= 0]
        n_corners = solid.scalar_basis.mesh.nvertices
        if len(solid.positions) > n_corners:
            inside = np.isin(solid.scalar_basis.mesh.edges, points).all(axis=0)
            points = np.union1d(points, n_corners + np.nonzero(inside)[0])
    if not _spans_a_plane(solid.positions[points], float(np.ptp(solid.positions, axis=0).max())):
        raise ArgumentError(
            title, where, f"has {len(points)} nodes, which do not span a plane; a frame needs three or more nodes that "
            "are not in line"
        )  # fmt: skip
    return points


def _spans_a_plane(X: Array, size: float) -> bool:
    return len(X) >= 3 and bool(np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[1] > 1e-9 * size)


def _frame(title: str, name: str, interface: SolidInterface, X: Array) -> Array:
    where = f"interfaces[{name!r}]"
    H = np.eye(4)
    H[:3, 3] = X.mean(axis=0)
    if interface.position is not None:
        H[:3, 3] = checks.array(title, f"{where}.position", interface.position, (3,))
    if interface.rotation is not None:
        H[:3, :3] = checks.rotation(title, f"{where}.rotation", interface.rotation)
    return H


def _recovery(title: str, name: str, solid: SolidElements, T: Sparse, x: Any) -> Recovery:
    point = checks.array(title, f"recovery[{name!r}]", x, (3,))
    strain = solid.strain_rows(point)
    if strain is None:
        raise ArgumentError(title, f"recovery[{name!r}]", f"is {point.tolist()}, which is not inside the mesh")
    strain = np.asarray(strain @ T)
    lam, mu = solid.lame
    C = np.diag([2.0 * mu] * 3 + [mu] * 3)
    C[:3, :3] += lam
    return Recovery(point, strain, C @ strain, turns=True)


def _prestress(solid: SolidElements, points: MassPoints, U: Array, Phi: Array) -> Array:
    """Work (k, m, m) of stresses of U on Green's strains of second order, with exact rotations of rigid regions."""
    T = points.sampling
    grad_u, grad_phi = solid.fields(T @ U), solid.fields(T @ Phi)
    k, m = U.shape[1], Phi.shape[1]
    out = np.zeros((k, m * m))
    for first in range(0, len(solid.weights), 1000):
        part = slice(first, first + 1000)
        stress = np.transpose(solid.stress(solid.weights[part, None] * grad_u[:, :, part]), (2, 0, 1, 3))
        pairs = np.transpose(grad_phi[:, :, part], (2, 1, 0, 3))  # (q, i, n, m)
        pairs = np.einsum("qina,qjnb->qijab", pairs, pairs)
        out += stress.reshape(-1, k).T @ pairs.reshape(-1, m * m)
    work = out.reshape(k, m, m)
    return work + work_on_turning_arms(points, Phi, solid.stiffness @ (T @ U))


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
