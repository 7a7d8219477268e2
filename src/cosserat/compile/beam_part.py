"""A beam as a `FlexiblePart`, or a model of beams and rigid bodies that are fixed to each other.

The matrices are those of the beams' own finite elements in the reference configuration.

Stiffness, damping and mass are those of the equations that `simulate` solves, linearised. Strains of second order,
from which loads stiffen the beam, are those of the same elements: with e = d - d0 = e1 + e2/2 + ... for displacements
u and rotation vectors w of the nodes, e1 = P y and e2 = DP[P y] y - P (w x u, 0), to which the second order of the
strains adds e1 Q e1 (see `elements`).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_part import (
    Drawn,
    FlexiblePart,
    MassPoints,
    Recovery,
    assemble_matrices,
    beam_points,
    joined,
    lumped_body,
    sparse_matrix,
)
from cosserat.compile.matter import nodal_mass
from cosserat.compile.media import linear_medium
from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.compile.series import skew
from cosserat.errors import ArgumentError, CosseratWarning, ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Fixed
from cosserat.model.model import Model
from cosserat.model.places import Place

Ints = NDArray[np.signedinteger[Any]]


def beam_part(beam: Beam, stations: dict[str, float], recovery: dict[str, float]) -> FlexiblePart:
    """Matrices of a beam with interfaces at the stations (name: s) and recovery of section forces."""
    places = {name: beam.at(s) for name, s in stations.items()}
    return assemble_part(beam.title, (beam,), (), (), places, {name: beam.at(s) for name, s in recovery.items()})


def assemble_part(
    title: str,
    beams: tuple[Beam, ...],
    welds: tuple[tuple[Place, Place], ...],
    lumps: tuple[tuple[RigidBody, Place], ...],
    interfaces: dict[str, Place],
    recovery: dict[str, Place],
) -> FlexiblePart:
    """Matrices of beams welded to each other, and of rigid bodies that each move with a place on a beam."""
    for beam in beams:
        linear_medium("the floating formulation", beam)
    places = [*interfaces.values(), *(p for pair in welds for p in pair), *(p for _, p in lumps)]
    meshes: dict[str, BeamMesh] = {}
    first = 0
    for beam in beams:
        stations = [float(p.s or 0.0) for p in places if p.owner is beam]
        meshes[beam.name] = mesh_beam(beam, stations, first)
        first += meshes[beam.name].n_nodes
    frames = np.concatenate([mesh.frames for mesh in meshes.values()])
    number = _numbering(meshes, [(_node(meshes, a), _node(meshes, b)) for a, b in welds])
    n = 6 * (int(number.max()) + 1)
    rigid = np.zeros((n // 6, 6, 6))
    rigid[:] = np.eye(6)
    rigid[number, :3, 3:] = -skew(frames[:, :3, 3])
    parts = []
    for beam in beams:
        mesh = meshes[beam.name]
        rows = (6 * number[mesh.pairs][:, :, None] + np.arange(6)).reshape(-1, 12)
        elements = _WorldElements(beam, mesh)
        length = np.linalg.norm(elements.d0[:, :3], axis=1)
        parts.append((elements, rows, beam_points(beam, mesh, elements.local, length, rows, n)))
    K = sum(assemble_matrices(e.stiffness, rows, n) for e, rows, _ in parts)
    D = sum(assemble_matrices(e.stiffness * e.viscosity[:, None, None], rows, n) for e, rows, _ in parts)
    M = sum(assemble_matrices(e.mass, rows, n) for e, rows, _ in parts)
    points = [p for _, _, p in parts]
    for body, place in lumps:
        node = 6 * number[_node(meshes, place)] + np.arange(6)
        matrix, particles = lumped_body(body, place.position, node, n)
        M = M + matrix
        points.append(particles)
    columns = (6 * number[:, None] + np.arange(3)).ravel()
    moved = sparse_matrix(1.0, np.arange(len(columns)), columns, (len(columns), n))
    at = {name: 6 * number[_node(meshes, place)] + np.arange(6) for name, place in interfaces.items()}
    return FlexiblePart(
        title=title,
        stiffness=K,
        damping=D,
        mass=M,
        rigid=rigid.reshape(n, 6),
        frames={name: place.frame() for name, place in interfaces.items()},
        constraints={name: sparse_matrix(1.0, np.arange(6), node, (6, n)) for name, node in at.items()},
        points=joined(points),
        prestress=lambda U, Phi: np.asarray(sum(e.prestress(U[rows], Phi[rows]) for e, rows, _ in parts)),
        recovery={name: _section_forces(meshes, parts, place, n) for name, place in recovery.items()},
        velocity=_velocities(beams, meshes, number, n),
        drawn=Drawn(frames[:, :3, 3], moved, np.concatenate([mesh.pairs for mesh in meshes.values()])),
    )


def _node(meshes: dict[str, BeamMesh], place: Place) -> int:
    node = meshes[place.owner.name].node_at(float(place.s or 0.0))
    assert node is not None
    return node


def _numbering(meshes: dict[str, BeamMesh], welds: list[tuple[int, int]]) -> Ints:
    """Number of the moving point each node belongs to: nodes of a corner, and welded ones, move as one."""
    from scipy.sparse.csgraph import connected_components

    total = sum(mesh.n_nodes for mesh in meshes.values())
    pairs = np.array([pair for mesh in meshes.values() for pair in mesh.corners] + welds, dtype=np.int64).reshape(-1, 2)
    graph = sparse_matrix(1.0, pairs[:, 0], pairs[:, 1], (total, total))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _velocities(beams: tuple[Beam, ...], meshes: dict[str, BeamMesh], number: Ints, n: int) -> Array | None:
    out = np.zeros((n // 6, 6))
    given = False
    for beam in beams:
        mesh = meshes[beam.name]
        for i, s in enumerate(mesh.s):
            motion = beam.velocity_at(float(s))
            if motion is not None:
                out[number[mesh.first_node + i]] = np.concatenate(motion)
                given = True
    return out.ravel() if given else None


class _WorldElements:
    """Element matrices (ne, 12, 12) in world axes."""

    def __init__(self, beam: Beam, mesh: BeamMesh) -> None:
        self.beam, self.d0, (a, b) = beam, mesh.vectors, mesh.local.T
        self.local, self.viscosity, like = beam_matrices(beam, mesh)
        self._different, self._which = np.unique(like, return_inverse=True)
        self.turn = np.zeros((len(self.d0), 12, 12))  # from world axes to those of the two nodes
        for block, node in enumerate((a, a, b, b)):
            span = slice(3 * block, 3 * block + 3)
            self.turn[:, span, span] = np.swapaxes(mesh.frames[node, :3, :3], 1, 2)
        self.section = self.local.stiffness
        P = [np.hstack((-se3.tangent_inv(-d), se3.tangent_inv(d))) for d in self.d0[self._different]]
        self.P = np.array(P)[self._which]
        gradient = self.P @ self.turn
        self.stiffness = np.swapaxes(gradient, 1, 2) @ self.section @ gradient
        turn = np.swapaxes(mesh.frames[a, :3, :3], 1, 2) @ mesh.frames[b, :3, :3]
        self.mass = np.swapaxes(self.turn, 1, 2) @ nodal_mass(self.local.mass, turn) @ self.turn

    def _second(self) -> Array:
        """e2 + e1 Q e1 (ne, 6, 12, 12) as a symmetric bilinear map of displacements in the axes of the nodes."""
        found = []
        for e in self._different:
            d, P = self.d0[e], self.P[e]
            E2 = np.empty((6, 12, 12))
            for j in range(12):
                E2[:, j, :6] = se3.tangent_inv_derivative(-d, P[:, j])
                E2[:, j, 6:] = se3.tangent_inv_derivative(d, P[:, j])
            for u, w in ((slice(0, 3), slice(3, 6)), (slice(6, 9), slice(9, 12))):
                E2[:, w, u] -= np.swapaxes(P[:, u] @ skew(np.eye(3)), 0, 1)  # - w x u, w with the first index
            found.append(0.5 * (E2 + np.swapaxes(E2, 1, 2)))
        Q = self.local.second.reshape(-1, 6, 6, 6)  # [k, i, j]
        return np.array(found)[self._which] + np.einsum("ekij,ekb,eja->eiab", Q, self.P, self.P, optimize=True)

    def prestress(self, U: Array, Phi: Array) -> Array:
        """Work (k, m, m) of the stresses of nodal values (ne, 12, k) on the strains of second order of (ne, 12, m)."""
        u, phi = self.turn @ U, self.turn @ Phi
        pairs = np.einsum("ecij,eja->ecia", self._second(), phi, optimize=True)
        return np.einsum("eck,ecia,eib->kab", self.section @ self.P @ u, pairs, phi, optimize=True)


def _section_forces(
    meshes: dict[str, BeamMesh], parts: list[tuple[_WorldElements, Ints, MassPoints]], place: Place, n: int
) -> Recovery:
    """Force and moment of the part of larger s on the part of smaller s, and strains, in the section's axes.

    Inside the element, its own loads take off their shares on the way, as in `results.beams`.
    """
    mesh, s = meshes[place.owner.name], float(place.s or 0.0)
    elements, rows, points = next(part for part in parts if part[0].beam is place.owner)
    e, z = mesh.element_at(s)
    nodal = elements.section[e] @ elements.P[e] @ elements.turn[e]
    force = -elements.P[e].T[:6] @ nodal  # on node A, in its axes; carried to the section without loads in between
    carry = se3.adjoint(se3.exp(z * elements.d0[e])).T
    stress = carry @ force
    full = np.zeros((6, n))
    full[:, rows[e]] = stress
    position = (mesh.frames[mesh.local[e, 0]] @ se3.exp(z * elements.d0[e]))[:3, 3]
    share = elements.turn[e] @ _inertia_shares(points, e, rows[e])
    back = se3.adjoint(se3.exp((z - 1.0) * elements.d0[e])).T
    own = 0.5 * ((1.0 - z) * (carry @ share[:6] + share[:6]) - z * (back @ share[6:] + share[6:]))
    stiffness = elements.beam.section_at(s)[0]
    strain, own_strain = np.linalg.solve(stiffness, full), np.linalg.solve(stiffness, own)
    return Recovery(position, strain, full, own_strain=own_strain, own_stress=own)


def _inertia_shares(points: MassPoints, e: int, unknowns: Ints) -> Array:
    """Forces (12, 12) on the unknowns of element e against accelerations e_i and e_i x_k of the world, i outer."""
    assert points.element is not None
    here = np.nonzero(points.element == e)[0]
    moments = points.weights[here, None] * np.hstack((np.ones((len(here), 1)), points.positions[here]))
    fields = np.einsum("pc,ij->pijc", moments, np.eye(3)).reshape(3 * len(here), 12)
    sampling = points.sampling[(3 * here[:, None] + np.arange(3)).ravel()][:, unknowns]
    return -np.asarray(sampling.T @ fields)


def welded_part(model: Model, interfaces: dict[str, Any], recovery: dict[str, Any]) -> FlexiblePart:
    """Matrices of a model; interfaces and recovery points are places on its beams, as objects or as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)  # a part need not be attached to anything
        model.validate()
    for component in model:
        if not isinstance(component, (Beam, RigidBody, Fixed)):
            raise ModelError(
                f"{component.title}: a part that becomes a modal body has beams, rigid bodies and fixed joints only"
            )
    if not model.beams:
        raise ModelError(f"{model.title}: it has no beam, so nothing in it is elastic")
    welds = []
    attached: dict[str, Place] = {}  # rigid body -> place on a beam
    waiting = list(model.joints)
    for joint in waiting:
        if joint.parent.on_ground or joint.child.on_ground:
            raise ModelError(f"{joint.title}: it leads to the ground; leave it out and attach the modal body instead")
        if isinstance(joint.parent.owner, Beam) and isinstance(joint.child.owner, Beam):
            if float(np.linalg.norm(joint.parent.position - joint.child.position)) > 1e-9 * _size(model):
                raise ModelError(f"{joint.title}: the two beams do not meet there; let their places coincide")
            welds.append((joint.parent, joint.child))
    _demand_connected(model, welds)
    for _ in model.bodies:
        for joint in waiting:
            _attach(joint, attached)
    for body in model.bodies:
        if body.name not in attached:
            raise ModelError(f"{body.title}: no fixed joint leads from it to a beam")
    places = {}
    for argument, table in (("interfaces", interfaces), ("recovery", recovery)):
        for name, target in table.items():
            place = model.place(target, f"{model.title}: {argument}[{name!r}]")
            if not isinstance(place.owner, Beam):
                raise ArgumentError(model.title, f"{argument}[{name!r}]", f"is {place.label!r}; name a place on a beam")
            places[argument, name] = place
    return assemble_part(
        model.title,
        model.beams,
        tuple(welds),
        tuple((body, attached[body.name]) for body in model.bodies),
        {name: places["interfaces", name] for name in interfaces},
        {name: places["recovery", name] for name in recovery},
    )


def _demand_connected(model: Model, welds: list[tuple[Place, Place]]) -> None:
    reached = {model.beams[0].name}
    for _ in model.beams:
        for pair in welds:
            names = {place.owner.name for place in pair}
            if names & reached:
                reached |= names
    for beam in model.beams:
        if beam.name not in reached:
            raise ModelError(f"{beam.title}: no fixed joint connects it to {model.beams[0].title}, they are apart")


def _attach(joint: Any, attached: dict[str, Place]) -> None:
    """Note the place on a beam with which a rigid body moves; a second, different one is an error."""
    for body, other in ((joint.child, joint.parent), (joint.parent, joint.child)):
        if not isinstance(body.owner, RigidBody):
            continue
        place = other if isinstance(other.owner, Beam) else attached.get(other.owner.name)
        if place is None:
            continue
        if attached.setdefault(body.owner.name, place) != place:
            raise ModelError(
                f"{joint.title}: {body.owner.title} is fixed to two places, {attached[body.owner.name].label!r} and "
                f"{place.label!r}; fix it to one and the beams to each other"
            )


def _size(model: Model) -> float:
    return max(beam.length for beam in model.beams)
