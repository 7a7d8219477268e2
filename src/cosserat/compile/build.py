"""`compile_model`: mesh the beams, collect the rows of the joints, order the unknowns, fill the arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import element_weights
from cosserat.compile.inputs import Sampler, WrenchSource
from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.compile.ordering import build_pattern
from cosserat.compile.rows import ActiveFreedom, Rows, active_freedoms, joint_rows, weld_rows
from cosserat.errors import ModelError
from cosserat.kernels.arrays import Bodies, Elements, Freedoms, Joints, Loads, Nodes, Pattern, Springs
from cosserat.kernels.beams import relative_vectors
from cosserat.lie import se3
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.places import Place

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Attachment:
    """A place on the discrete mechanism: a node and a constant frame in it."""

    node: int
    frame: Array  # 4x4


@dataclass(frozen=True)
class CompiledJoint:
    """A joint of the arrays: one the user described, or the weld of a beam's corner."""

    name: str
    joint: Joint | None
    parent: Attachment
    child: Attachment
    rows: Rows


class System(NamedTuple):
    """The groups of `kernels.arrays.Problem` that describe the mechanism, in its order."""

    nodes: Nodes
    elements: Elements
    bodies: Bodies
    joints: Joints
    freedoms: Freedoms
    springs: Springs
    loads: Loads
    pattern: Pattern


@dataclass(frozen=True)
class CompiledModel:
    """Arrays for the kernels and the names behind them."""

    model: Model
    system: System
    sampler: Sampler
    frames: Array  # (n+1, 12) reference configuration, the last is the ground
    twists: Array  # (n+1, 6) initial twists asked for by the user, zero where not given
    given: NDArray[np.bool_]  # (n+1, 2) whether the user gave the linear and the angular part
    bodies: dict[str, int]  # rigid body -> node
    beams: dict[str, BeamMesh]
    joints: tuple[CompiledJoint, ...]
    freedoms: tuple[tuple[str, ActiveFreedom], ...]
    size: float  # extent of the mechanism
    length: float  # typical length of an element or body
    mass: float  # typical mass of a node
    blocks: Ints  # (n_blocks, 2) row and column of every block of the matrix
    joint_index: dict[str, int] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, without the ground."""
        return len(self.frames) - 1

    @property
    def n_joints(self) -> int:
        """Number of joints, welds of corners included."""
        return len(self.joints)

    def attach(self, place: Place) -> Attachment:
        """Node and constant frame of a place; a place on a beam must be at a node."""
        found = _attach(self.model, self.bodies, self.beams, self.frames, place)
        if found is None:
            raise ModelError(f"place '{place.label}' lies inside an element")
        return found


def row_to_frame(row: Array) -> Array:
    """Twelve numbers to a 4x4 matrix."""
    H = np.eye(4)
    H[:3, :3] = row[:9].reshape(3, 3)
    H[:3, 3] = row[9:]
    return H


def frame_to_row(H: Array) -> Array:
    """4x4 matrices to rows of twelve numbers."""
    return np.concatenate((H[..., :3, :3].reshape(*H.shape[:-2], 9), H[..., :3, 3]), axis=-1)


def _attach(
    model: Model, bodies: dict[str, int], beams: dict[str, BeamMesh], frames: Array, place: Place
) -> Attachment | None:
    owner = place.owner
    if isinstance(owner, RigidBody):
        node = bodies[owner.name]
        return Attachment(node, se3.inverse(row_to_frame(frames[node])) @ place.frame())
    if isinstance(owner, Beam):
        mesh = beams[owner.name]
        assert place.s is not None
        found = mesh.node_at(place.s)
        return None if found is None else Attachment(found, np.eye(4))
    return Attachment(len(frames) - 1, place.frame())


def _stations(model: Model) -> dict[str, list[float]]:
    """Where something is attached to each beam."""
    places: list[Place] = []
    for joint in model.joints:
        places += [joint.parent, joint.child]
    places += [load.place for load in model.loads]
    for spring in model.springs:
        places += [spring.a, spring.b]
    stations: dict[str, list[float]] = {beam.name: [] for beam in model.beams}
    for place in places:
        if isinstance(place.owner, Beam) and place.s is not None:
            stations[place.owner.name].append(float(place.s))
    return stations


def compile_model(model: Model) -> CompiledModel:
    """Turn a model into arrays.

    Raises
    ------
    ModelError
        If the model is not sound; the message names the part and the remedy.
    """
    model.validate()
    bodies: dict[str, int] = {body.name: i for i, body in enumerate(model.bodies)}
    beams: dict[str, BeamMesh] = {}
    stations = _stations(model)
    n, ne = len(bodies), 0
    for beam in model.beams:
        mesh = mesh_beam(beam, stations[beam.name], n, ne)
        beams[beam.name] = mesh
        n += mesh.n_nodes
        ne += len(mesh.pairs)
    frames = np.zeros((n + 1, 12))
    frames[-1] = frame_to_row(np.eye(4))
    for body in model.bodies:
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = body.rotation, body.com
        frames[bodies[body.name]] = frame_to_row(H)
    for mesh in beams.values():
        frames[mesh.first_node : mesh.first_node + mesh.n_nodes] = frame_to_row(mesh.frames)

    elements, nodes, gains = _elements(model, beams, frames, n, ne)
    joints = _joints(model, bodies, beams, frames)
    links = [(int(a), int(b), -1) for a, b in elements.node]
    attach = lambda place: _require(_attach(model, bodies, beams, frames, place), place)  # noqa: E731
    spring_ends = [(attach(s.a), attach(s.b)) for s in model.springs]
    links += [(a.node, b.node, -1) for a, b in spring_ends if a.node != b.node]
    links += [(j.parent.node, j.child.node, k) for k, j in enumerate(joints)]
    pattern, number = build_pattern(n, len(joints), links)
    scratch = len(number)

    def block(i: int, k: int) -> int:
        """Number of the block of two vertices; -1 is the ground."""
        return scratch if i < 0 or k < 0 else number[i, k]

    def vertex(node: int) -> int:
        return -1 if node == n else node

    def pair(a: int, b: int) -> list[int]:
        a, b = vertex(a), vertex(b)
        return [block(a, a), block(a, b), block(b, a), block(b, b)]

    elements = elements._replace(block=_ints([pair(a, b) for a, b in elements.node], 4))
    body_arrays = Bodies(
        node=_ints(list(bodies.values())),
        mass=np.array([_body_mass(body) for body in model.bodies]).reshape(-1, 6, 6),
        block=_ints([block(i, i) for i in bodies.values()]),
    )
    for body in model.bodies:
        nodes.mass[bodies[body.name]] += float(body.mass)
    spring_arrays = Springs(
        node=_ints([(a.node, b.node) for a, b in spring_ends], 2),
        point_a=np.array([a.frame[:3, 3] for a, _ in spring_ends]).reshape(-1, 3),
        point_b=np.array([b.frame[:3, 3] for _, b in spring_ends]).reshape(-1, 3),
        stiffness=np.array([s.stiffness for s in model.springs], dtype=float),
        damping=np.array([s.damping for s in model.springs], dtype=float),
        length=np.array([s.length for s in model.springs], dtype=float),
        block=_ints([pair(a.node, b.node) for a, b in spring_ends], 4),
    )
    freedoms, named_freedoms, efforts = _freedoms(joints)
    driven = [j.joint for j in joints if j.joint is not None and any(m is not None for m in j.joint.motion)]
    joint_arrays = _joint_arrays(joints, named_freedoms, driven, block, vertex, n)
    load_arrays, sources = _loads(model, attach, frames, beams, gains, lambda i: block(vertex(i), vertex(i)))
    length, mass, size = _scales(model, frames, elements, body_arrays)
    twists, given = _initial_twists(model, bodies, beams, frames)
    return CompiledModel(
        model=model,
        system=System(
            nodes, elements, body_arrays, joint_arrays, freedoms, spring_arrays, load_arrays, pattern
        ),
        sampler=Sampler(np.asarray(model.gravity, dtype=float), tuple(driven), tuple(efforts), tuple(sources)),
        frames=frames,
        twists=twists,
        given=given,
        bodies=bodies,
        beams=beams,
        joints=tuple(joints),
        freedoms=tuple(named_freedoms),
        size=size,
        length=length,
        mass=mass,
        blocks=_ints(list(number), 2),
        joint_index={j.name: k for k, j in enumerate(joints)},
    )


def _ints(values: object, width: int | None = None) -> Ints:
    array = np.asarray(values, dtype=np.int64)
    return array if width is None else array.reshape(-1, width)


def _require(attachment: Attachment | None, place: Place) -> Attachment:
    if attachment is None:
        raise ModelError(f"place '{place.label}' lies inside an element")
    return attachment


def _body_mass(body: RigidBody) -> Array:
    M = np.zeros((6, 6))
    M[:3, :3] = float(body.mass) * np.eye(3)
    M[3:, 3:] = body.inertia
    return M


def _elements(
    model: Model, beams: dict[str, BeamMesh], frames: Array, n: int, ne: int
) -> tuple[Elements, Nodes, dict[str, tuple[Array, Array]]]:
    """Element arrays, gravity data of nodes, and the load distribution of every beam."""
    node = np.zeros((ne, 2), dtype=np.int64)
    d0 = np.zeros((ne, 6))
    stiffness, mass = np.zeros((ne, 6, 6)), np.zeros((ne, 12, 12))
    viscosity, coupling = np.zeros(ne), np.zeros(ne)
    nodes = Nodes(np.zeros(n + 1), np.zeros((n + 1, 3)))
    gains: dict[str, tuple[Array, Array]] = {}
    for mesh in beams.values():
        node[mesh.first_element : mesh.first_element + len(mesh.pairs)] = mesh.pairs
    if ne:
        relative_vectors(frames, node, d0)
    for beam in model.beams:
        mesh = beams[beam.name]
        span = slice(mesh.first_element, mesh.first_element + len(mesh.pairs))
        matrices, viscosity[span] = beam_matrices(beam, mesh, d0[span])
        stiffness[span], mass[span] = matrices.stiffness, matrices.mass
        gains[beam.name] = (matrices.follower, matrices.dead)
        coupling[span] = matrices.coupling
        masses, moments = element_weights(matrices.mass, matrices.coupling, d0[span])
        for side in range(2):
            np.add.at(nodes.mass, mesh.pairs[:, side], masses[:, side])
            np.add.at(nodes.moment, mesh.pairs[:, side], moments[:, side])
    return Elements(node, d0, stiffness, viscosity, mass, coupling, _ints([], 4)), nodes, gains


def _joints(
    model: Model, bodies: dict[str, int], beams: dict[str, BeamMesh], frames: Array
) -> list[CompiledJoint]:
    joints = []
    for joint in model.joints:
        J = joint.frame()
        sides = []
        for place in (joint.parent, joint.child):
            at = _require(_attach(model, bodies, beams, frames, place), place)
            sides.append(Attachment(at.node, se3.inverse(row_to_frame(frames[at.node])) @ J))
        joints.append(CompiledJoint(joint.name, joint, sides[0], sides[1], joint_rows(joint)))
    lock = weld_rows()
    for name, mesh in beams.items():
        for k, (a, b) in enumerate(mesh.corners):
            relative = se3.inverse(row_to_frame(frames[a])) @ row_to_frame(frames[b])
            joints.append(
                CompiledJoint(f"{name}.corner{k + 1}", None, Attachment(a, relative), Attachment(b, np.eye(4)), lock)
            )
    return joints


def _freedoms(joints: list[CompiledJoint]):  # type: ignore[no-untyped-def]
    """Arrays of the active freedoms, their joints' names, and the effort functions."""
    rows: list[tuple[int, ActiveFreedom, Joint]] = []
    for k, compiled in enumerate(joints):
        if compiled.joint is not None:
            rows += [(k, a, compiled.joint) for a in active_freedoms(compiled.joint)]
    efforts = []
    columns = []
    for _, active, joint in rows:
        function = joint.effort[active.index]
        columns.append(len(efforts) if function is not None else -1)
        if function is not None:
            efforts.append(function)
    friction = [joint.friction[a.index] for _, a, joint in rows]
    arrays = Freedoms(
        joint=_ints([k for k, _, _ in rows]),
        kind=_ints([a.kind for _, a, _ in rows]),
        axis=np.array([a.axis for _, a, _ in rows]).reshape(-1, 3),
        cosine=np.array([a.cosine for _, a, _ in rows]).reshape(-1, 3),
        sine=np.array([a.sine for _, a, _ in rows]).reshape(-1, 3),
        stiffness=np.array([j.stiffness[a.index] for _, a, j in rows], dtype=float),
        damping=np.array([j.damping[a.index] for _, a, j in rows], dtype=float),
        friction=np.array([0.0 if f is None else float(f.level) for f in friction], dtype=float),
        speed=np.array([1.0 if f is None else float(f.speed) for f in friction], dtype=float),
        effort=_ints(columns),
    )
    return arrays, [(joints[k].name, a) for k, a, _ in rows], efforts


def _joint_arrays(joints, freedoms, driven, block, vertex, n) -> Joints:  # type: ignore[no-untyped-def]
    nj = len(joints)
    arrays = Joints(
        node=_ints([(j.parent.node, j.child.node) for j in joints], 2),
        frame_a=np.array([frame_to_row(j.parent.frame) for j in joints]).reshape(-1, 12),
        frame_b=np.array([frame_to_row(j.child.frame) for j in joints]).reshape(-1, 12),
        n_rows=_ints([len(j.rows.rows) for j in joints]),
        kind=np.zeros((nj, 6), dtype=np.int64),
        row_a=np.zeros((nj, 6, 3)),
        row_b=np.zeros((nj, 6, 3)),
        pitch=np.array([float(j.joint.pitch) if j.joint is not None and j.joint.kind == "screw" else 0.0 for j in joints]),
        drive=np.full(nj, -1, dtype=np.int64),
        branch=_ints([j.rows.branch for j in joints]),
        angle=np.full(nj, -1, dtype=np.int64),
        soft=np.zeros((nj, 6, 6)),
        block=np.zeros((nj, 9), dtype=np.int64),
    )
    names = [name for name, _ in freedoms]
    for k, j in enumerate(joints):
        for r, row in enumerate(j.rows.rows):
            arrays.kind[k, r] = row.kind
            arrays.row_a[k, r], arrays.row_b[k, r] = row.a, row.b
        for column, joint in enumerate(driven):
            if j.joint is joint:
                arrays.drive[k] = column
        if j.joint is not None and j.joint.kind == "screw" and j.name in names:
            arrays.angle[k] = names.index(j.name)
        a, b, v = vertex(j.parent.node), vertex(j.child.node), n + k
        arrays.block[k] = [
            block(a, a), block(a, b), block(b, a), block(b, b),
            block(a, v), block(v, a), block(b, v), block(v, b), block(v, v),
        ]  # fmt: skip
    return arrays


def _loads(model, attach, frames, beams, gains, diagonal):  # type: ignore[no-untyped-def]
    """Point loads and distributed loads; all vectors are in world coordinates of the reference configuration."""
    node, frame, follower, gain, column, sources = [], [], [], [], [], []
    for load in model.loads:
        at = attach(load.place)
        place = at.frame.copy()
        place[:3, :3] = row_to_frame(frames[at.node])[:3, :3].T
        node.append(at.node)
        frame.append(frame_to_row(place))
        follower.append(int(load.follower))
        gain.append(np.eye(6))
        column.append(len(sources))
        sources.append(WrenchSource(load.force, load.moment))
    for load in model.distributed_loads:
        mesh = beams[load.beam.name]
        spread = gains[load.beam.name][0 if load.follower else 1]
        total = np.zeros((mesh.n_nodes, 6, 6))
        for side in range(2):
            np.add.at(total, mesh.pairs[:, side] - mesh.first_node, spread[:, side])
        for i in range(mesh.n_nodes):
            R = mesh.frames[i, :3, :3]
            turn = np.zeros((6, 6))
            turn[:3, :3] = turn[3:, 3:] = R
            place = np.eye(4)
            place[:3, :3] = R.T
            # the sample is in world axes fixed to the node; the gain works in the node's own axes
            node.append(mesh.first_node + i)
            frame.append(frame_to_row(place))
            follower.append(int(load.follower))
            gain.append(turn @ total[i] @ turn.T)
            column.append(len(sources))
        sources.append(WrenchSource(load.force, load.moment))
    arrays = Loads(
        node=_ints(node),
        frame=np.array(frame).reshape(-1, 12),
        follower=_ints(follower),
        gain=np.array(gain).reshape(-1, 6, 6),
        column=_ints(column),
        block=_ints([diagonal(i) for i in node]),
    )
    return arrays, sources


def _scales(model: Model, frames: Array, elements: Elements, bodies: Bodies) -> tuple[float, float, float]:
    """Typical length of a part, typical mass of a node, extent of the mechanism."""
    positions = frames[:, 9:]
    size = float(np.max(np.ptp(positions, axis=0)))
    lengths = list(np.linalg.norm(elements.d0[:, :3], axis=1))
    for M in bodies.mass:
        lengths.append(float(np.sqrt(np.trace(M[3:, 3:]) / (2.0 * M[0, 0]))))
    positive = [x for x in lengths if x > 0.0]
    length = float(np.mean(positive)) if positive else max(size, 1.0)
    size = max(size, length)
    masses = [float(np.trace(M[:3, :3])) / 3.0 for M in bodies.mass]
    masses += list(np.trace(elements.mass[:, :3, :3], axis1=1, axis2=2) / 3.0)
    return length, float(np.mean(masses)), size


def _initial_twists(
    model: Model, bodies: dict[str, int], beams: dict[str, BeamMesh], frames: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """Initial twists in the nodes' frames, and which parts of them the user gave."""
    twists = np.zeros((len(frames), 6))
    given = np.zeros((len(frames), 2), dtype=bool)

    def put(node: int, v: Array | None, omega: Array | None) -> None:
        R = frames[node, :9].reshape(3, 3)
        if v is not None:
            twists[node, :3], given[node, 0] = R.T @ v, True
        if omega is not None:
            twists[node, 3:], given[node, 1] = R.T @ omega, True

    for body in model.bodies:
        put(bodies[body.name], body.velocity, body.angular_velocity)
    for beam in model.beams:
        mesh = beams[beam.name]
        for i, s in enumerate(mesh.s):
            motion = beam.velocity_at(float(s))
            if motion is not None:
                put(mesh.first_node + i, *motion)
    return twists, given
