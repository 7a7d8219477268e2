"""Nodes of a mechanism: where bodies and beams stand, and on which node a place lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import Attachment, ModalNodes, frame_to_row, row_to_frame
from cosserat.compile.mesh import BeamMesh, mesh_beam
from cosserat.kernels.beams import relative_vectors
from cosserat.lie import se3
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.nodes import stations_of
from cosserat.model.places import Place

Array = NDArray[np.float64]
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
        none = np.zeros((0, 2), dtype=np.int64)
        return np.concatenate([none, *(mesh.pairs for mesh in self.beams.values())])

    @cached_property
    def vectors(self) -> Array:
        """Relative vectors (ne, 6) of all elements in the reference configuration."""
        d0 = np.zeros((len(self.pairs), 6))
        if len(d0):
            relative_vectors(self.frames, self.pairs, d0)
        return d0

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
        frames[mesh.first_node : mesh.first_node + mesh.n_nodes] = frame_to_row(mesh.frames)
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
