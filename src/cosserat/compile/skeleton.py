"""Nodes of a mechanism: where bodies and beams stand, on which node a place lies, and typical sizes.

`Parts` are what the packers of a model share: nodes, elements, joints, laws, the numbers of the blocks of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import Attachment, CompiledJoint, ModalNodes, frame_to_row, row_to_frame
from cosserat.compile.elements import ElementMatrices
from cosserat.compile.media import CompiledMedium
from cosserat.compile.mesh import BeamMesh, mesh_beam
from cosserat.compile.state_laws import CompiledLaw
from cosserat.compile.timetable import WrenchSource
from cosserat.errors import ModelError
from cosserat.kernels.arrays import Elements
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.functions import TimeFunction
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.nodes import stations_of
from cosserat.model.places import Place

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Skeleton:
    """Reference frames of all nodes: rigid bodies, nodes of beams, frames of modal bodies, the ground last."""

    frames: Array  # (n+1, 12)
    bodies: dict[str, int]  # rigid body -> node
    beams: dict[str, BeamMesh]
    modal: dict[str, ModalNodes]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, without the ground."""
        return len(self.frames) - 1

    @property
    def n_corners(self) -> int:
        """Number of corners of beams, at which two nodes are welded."""
        return sum(len(mesh.corners) for mesh in self.beams.values())

    @cached_property
    def pairs(self) -> Ints:
        """Nodes (ne, 2) of all elements."""
        return np.concatenate([np.zeros((0, 2), dtype=np.int64), *(mesh.pairs for mesh in self.beams.values())])

    @cached_property
    def vectors(self) -> Array:
        """Relative vectors (ne, 6) of all elements in the reference configuration."""
        return np.concatenate([np.zeros((0, 6)), *(mesh.vectors for mesh in self.beams.values())])

    def attach(self, place: Place) -> Attachment:
        """Node and constant frame of a place; the mesh has a node wherever something is attached to a beam."""
        owner = place.owner
        if isinstance(owner, RigidBody):
            node = self.bodies[owner.name]
            return Attachment(node, se3.inverse(row_to_frame(self.frames[node])) @ place.frame())
        if isinstance(owner, Beam):
            found = self.beams[owner.name].node_at(float(place.s or 0.0))
            assert found is not None
            return Attachment(found, np.eye(4))
        if isinstance(owner, ModalBody):
            nodes = self.modal[owner.name]
            return Attachment(nodes.frame if place.interface is None else nodes.interfaces[place.interface], np.eye(4))
        return Attachment(self.n_nodes, place.frame())


def build_skeleton(model: Model) -> Skeleton:
    """Place the nodes."""
    bodies = {body.name: i for i, body in enumerate(model.bodies)}
    beams: dict[str, BeamMesh] = {}
    stations = stations_of(model, model.state_loads)
    n, ne = len(bodies), 0
    for beam in model.beams:
        mesh = mesh_beam(beam, stations[beam.name], n, ne)
        beams[beam.name] = mesh
        n += mesh.n_nodes
        ne += len(mesh.pairs)
    modal: dict[str, ModalNodes] = {}
    for elastic in model.modal_bodies:
        modal[elastic.name] = ModalNodes(n, {name: n + 1 + i for i, name in enumerate(elastic.interfaces)})
        n += 1 + len(elastic.interfaces)
    frames = np.zeros((n + 1, 12))
    frames[-1] = frame_to_row(np.eye(4))
    for body in model.bodies:
        frames[bodies[body.name]] = frame_to_row(se3.frame(body.rotation, body.com))
    for mesh in beams.values():
        frames[mesh.nodes] = frame_to_row(mesh.frames)
    for elastic in model.modal_bodies:
        nodes = modal[elastic.name]
        frames[nodes.frame] = frame_to_row(elastic.frame)
        for name, node in nodes.interfaces.items():
            frames[node] = frame_to_row(elastic.at(name).frame())
    return Skeleton(frames, bodies, beams, modal)


def initial_twists(model: Model, skeleton: Skeleton) -> tuple[Array, NDArray[np.bool_]]:
    """Initial twists in the nodes' frames (n+1, 6), and which of their two parts the user gave (n+1, 2)."""
    frames = skeleton.frames
    twists = np.zeros((len(frames), 6))
    given = np.zeros((len(frames), 2), dtype=bool)

    def put(node: int, v: Array | None, omega: Array | None) -> None:
        R = frames[node, :9].reshape(3, 3)
        if v is not None:
            twists[node, :3], given[node, 0] = R.T @ v, True
        if omega is not None:
            twists[node, 3:], given[node, 1] = R.T @ omega, True

    for body in model.bodies:
        put(skeleton.bodies[body.name], body.velocity, body.angular_velocity)
    for elastic in model.modal_bodies:
        put(skeleton.modal[elastic.name].frame, elastic.velocity, elastic.angular_velocity)
    for beam in model.beams:
        mesh = skeleton.beams[beam.name]
        for i, s in enumerate(mesh.s):
            motion = beam.velocity_at(float(s))
            if motion is not None:
                put(mesh.first_node + i, *motion)
    return twists, given


@dataclass
class Parts:
    """A model on its way to arrays; `floating`: for floating frames, in which loads along beams turn with the nodes."""

    model: Model
    skeleton: Skeleton
    floating: bool
    elements: Elements
    matrices: dict[str, ElementMatrices]  # of every beam
    joints: list[CompiledJoint]
    laws: tuple[CompiledLaw, ...]  # of loads that depend on the state
    media: dict[str, CompiledMedium]  # by beam, those that are not quadratic
    number: dict[tuple[int, int], int] = field(default_factory=dict)  # of the blocks of the matrix
    size: float = 0.0  # extent of the mechanism
    efforts: list[TimeFunction] = field(default_factory=list)  # of joints, servos and tendons; behind: signals of laws
    sources: list[WrenchSource] = field(default_factory=list)  # of sampled wrenches, filled by `load_arrays`
    carried: dict[int, int] = field(default_factory=dict)  # laws whose inertia changes, and its row among the bodies
    line_columns: dict[str, NDArray[np.int64]] = field(default_factory=dict)  # likewise, see `CompiledModel`

    def block(self, i: int, k: int) -> int:
        """Number of the block of two vertices: nodes, ground (n), joints, wheels; the scratch block for the ground."""
        n = self.skeleton.n_nodes
        if i == n or k == n:
            return len(self.number)
        return self.number[i - (i > n), k - (k > n)]

    def couples(self, items: Iterable[Any]) -> list[tuple[int, int]]:
        """Pairs of nodes that components couple, each those of all its places."""
        lines = ([self.skeleton.attach(place).node for place in item.places] for item in items)
        return [pair for nodes in lines for pair in combinations(nodes, 2)]

    def pair(self, a: int, b: int) -> list[int]:
        """Blocks of two nodes."""
        return [self.block(a, a), self.block(a, b), self.block(b, a), self.block(b, b)]

    def held(self, a: int, b: int, row: int) -> list[int]:
        """Blocks of two nodes and of the multipliers between them, of joint or wheel number `row`."""
        v = self.skeleton.n_nodes + 1 + row
        ends = [(a, v), (v, a), (b, v), (v, b), (v, v)]
        return self.pair(a, b) + [self.block(i, k) for i, k in ends]


def body_masses(model: Model) -> Array:
    """Mass matrices (nb, 6, 6) of the rigid bodies, with what moves of a fluid around them."""
    out = np.array([mass_about(body) for body in model.bodies]).reshape(-1, 6, 6)
    for added in model.added_masses:
        out[model.bodies.index(added.body)] += added.matrix
    return out


def mass_about(body: RigidBody, frame: Array | None = None) -> Array:
    """Mass matrix (6, 6) of a rigid body about the origin of a frame (4, 4) of the world, in its axes; or its own."""
    m, R, c = float(body.mass), np.eye(3), np.zeros(3)
    if frame is not None:
        R, c = frame[:3, :3].T @ body.rotation, frame[:3, :3].T @ (body.com - frame[:3, 3])
    M, C = m * np.eye(6), so3.hat(c)
    M[:3, 3:], M[3:, :3] = -m * C, m * C
    M[3:, 3:] = R @ body.inertia @ R.T - m * C @ C
    return M


def extents(model: Model, skeleton: Skeleton, masses: Array) -> tuple[float, float]:
    """Typical length of a part, and extent of mechanism and origin; `masses`: of the rigid bodies.

    Rounding of positions grows with their distance from the origin: the extent is for gaps that count as none.

    Raises
    ------
    ModelError
        If nothing has mass.
    """
    size = float(np.max(np.ptp(skeleton.frames[:, 9:], axis=0)))
    heavy = masses[masses[:, 0, 0] > 0.0]
    if not len(heavy) and not len(skeleton.pairs) and not model.modal_bodies:
        raise ModelError(f"{model.title}: nothing in it has mass, only frames between joints; add a body or a beam")
    lengths = list(np.linalg.norm(skeleton.vectors[:, :3], axis=1))
    lengths += [float(np.sqrt(np.trace(M[3:, 3:]) / (2.0 * M[0, 0]))) for M in heavy]
    lengths += [float(np.sqrt(np.trace(body.inertia.inertia) / (2.0 * body.mass))) for body in model.modal_bodies]
    positive = [x for x in lengths if x > 0.0]
    length = float(np.mean(positive)) if positive else max(size, 1.0)
    return length, max(size, length)


def extent(model: Model, frames: Array, length: float) -> float:
    """Longest side of the box around nodes, joints, what holds to the ground and what attracts; a `length` at least.

    The same wherever the mechanism is described: the origin does not count.
    """
    points = [*frames[:-1, 9:], *(joint.position() for joint in model.joints)]
    points += [place.point for part in model for place in part.places if place.on_ground and place.point is not None]
    if model.field is not None and model.frame is None:
        points.append(model.field.centre)
    return max(float(np.max(np.ptp(points, axis=0))), length)


def typical_mass(model: Model, masses: Array, elements: Array) -> float:
    """Typical mass of a node; `masses` of the rigid bodies (nb, 6, 6), of `elements` (ne,)."""
    found = [float(np.trace(M[:3, :3])) / 3.0 for M in masses if M[0, 0] > 0.0]
    return float(np.mean([*found, *elements, *(body.mass for body in model.modal_bodies)]))
