"""`compile_model`: mesh the beams, collect the rows of the joints, order the unknowns, fill the arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledJoint, CompiledModel, System
from cosserat.compile.elements import ElementMatrices, element_weights
from cosserat.compile.inputs import Sampler
from cosserat.compile.joints import compile_joints, driven_joints, freedom_arrays, ints, joint_arrays, turn_arrays
from cosserat.compile.loads import line_load_arrays, load_arrays
from cosserat.compile.media import compile_media, media_arrays
from cosserat.compile.mesh import beam_matrices
from cosserat.compile.ordering import build_pattern
from cosserat.compile.rolling import rolling_arrays
from cosserat.compile.rules import compile_rules, coupled_by_rules, rule_arrays, users
from cosserat.compile.skeleton import Skeleton, build_skeleton, initial_twists
from cosserat.compile.state_laws import compile_law
from cosserat.compile.state_loads import coupled_nodes, n_columns, signal_functions, signals_of, state_load_arrays
from cosserat.errors import ModelError
from cosserat.kernels.arrays import Bodies, Elements, Nodes, Springs
from cosserat.kernels.beams import relative_vectors
from cosserat.lie import se3
from cosserat.model.bodies import RigidBody
from cosserat.model.model import Model
from cosserat.model.servos import servos_of

Array = NDArray[np.float64]


def compile_model(model: Model, floating: bool = False) -> CompiledModel:
    """Turn a model into arrays; `floating`: also modal bodies, whose nodes only floating frames can move.

    Raises
    ------
    ModelError
        If the model is not sound; the message names the part and the remedy.
    """
    model.validate()
    if model.modal_bodies and not floating:
        raise ModelError(
            f"{model.modal_bodies[0].title}: the Galilean formulation has no modal bodies, only rigid bodies and "
            "beams; pass formulation='floating' to cs.simulate, or use cs.FlexibleTree"
        )
    skeleton = build_skeleton(model)
    n = skeleton.n_nodes
    elements, nodes, matrices = _elements(model, skeleton)
    joints = compile_joints(model, skeleton)
    ends = [(skeleton.attach(s.a), skeleton.attach(s.b)) for s in model.springs]
    links = [(int(a), int(b), -1) for a, b in elements.node]
    links += [(a.node, b.node, -1) for a, b in ends if a.node != b.node]
    links += [(a, b, -1) for a, b in coupled_nodes(model, skeleton)]
    links += [(j.parent.node, j.child.node, k) for k, j in enumerate(joints)]
    wheels = coupled_by_rules(model, skeleton)
    links += [(a, b, -1) for a, b in wheels if a != b and b < n]
    pattern, number = build_pattern(n, len(joints), links, wheels)

    def block(i: int, k: int) -> int:
        """Number of the block of two vertices: nodes, ground (n), joints, wheels; the scratch block for the ground."""
        if i == n or k == n:
            return len(number)
        return number[i - (i > n), k - (k > n)]

    def pair(a: int, b: int) -> list[int]:
        return [block(a, a), block(a, b), block(b, a), block(b, b)]

    elements = elements._replace(block=ints([pair(a, b) for a, b in elements.node], 4))
    bodies = Bodies(
        node=ints(list(skeleton.bodies.values())),
        mass=np.array([_body_mass(body) for body in model.bodies]).reshape(-1, 6, 6),
        block=ints([block(i, i) for i in skeleton.bodies.values()]),
        varying=ints([], 3),
        base=np.zeros((0, 4)),
        lone=ints([]),
    )
    for added in model.added_masses:
        bodies.mass[model.bodies.index(added.body)] += added.matrix
    for body in model.bodies:
        nodes.mass[skeleton.bodies[body.name]] += float(body.mass)
    springs = Springs(
        node=ints([(a.node, b.node) for a, b in ends], 2),
        point_a=np.array([a.frame[:3, 3] for a, _ in ends]).reshape(-1, 3),
        point_b=np.array([b.frame[:3, 3] for _, b in ends]).reshape(-1, 3),
        stiffness=np.array([s.stiffness for s in model.springs], dtype=float),
        damping=np.array([s.damping for s in model.springs], dtype=float),
        length=np.array([s.length for s in model.springs], dtype=float),
        block=ints([pair(a.node, b.node) for a, b in ends], 4),
    )
    servos = servos_of(model)
    freedoms, named_freedoms, efforts = freedom_arrays(joints, servos)
    turns, counted = turn_arrays(joints, servos)
    driven = driven_joints(joints)
    loads, sources, line_columns = load_arrays(model, skeleton, matrices, block, floating)
    laws, signals = tuple(compile_law(load) for load in model.state_loads), signals_of(model)
    media = compile_media(model, floating)
    length, mass, size = _scales(model, skeleton.frames, elements, bodies)
    bodies = _with_fluid(model, skeleton, bodies, block)
    bodies = _with_propellant(model, skeleton, bodies, block, nodes, len(efforts))
    bodies = bodies._replace(lone=ints(_lone(bodies, joints, wheels)))
    twists, given = initial_twists(model, skeleton)
    return CompiledModel(
        model=model,
        system=System(
            nodes,
            elements,
            bodies,
            joint_arrays(joints, named_freedoms, driven, block, n, length),
            freedoms,
            turns,
            springs,
            loads,
            line_load_arrays(model, skeleton, matrices, line_columns, floating),
            state_load_arrays(model, laws, skeleton, pair, size, len(efforts)),
            media_arrays(media, skeleton.beams, elements),
            rolling_arrays(model, skeleton, block, len(joints)),
            rule_arrays(model, skeleton, block, len(joints), size),
            pattern,
        ),
        sampler=Sampler(
            np.asarray(model.gravity, dtype=float),
            tuple(driven),
            (*efforts, *signal_functions(signals)),
            tuple(sources),
            len(laws),
            n_columns(signals),
            len(users(model)),
        ),
        frames=skeleton.frames,
        twists=twists,
        given=given,
        bodies=skeleton.bodies,
        beams=skeleton.beams,
        joints=tuple(joints),
        rolling=model.rolling,
        freedoms=(*named_freedoms, *counted),
        size=size,
        length=length,
        mass=mass,
        blocks=ints(list(number), 2),
        modal=skeleton.modal,
        laws=laws,
        rules=compile_rules(model),
        media=media,
        line_columns=line_columns,
    )


def _with_fluid(model: Model, skeleton: Skeleton, bodies: Bodies, block: Callable[[int, int], int]) -> Bodies:
    """The bodies, and behind them the inertia of the fluid that moves with places, as that of further bodies."""
    nodes, masses = bodies.node.tolist(), list(bodies.mass)
    for load in model.state_loads:
        inertia = load.inertia
        if inertia is not None:
            at = skeleton.attach(load.place)
            carry = se3.adjoint(se3.inverse(at.frame))
            nodes.append(at.node)
            masses.append(carry.T @ inertia @ carry)
    masses_ = np.array(masses).reshape(-1, 6, 6)
    return bodies._replace(node=ints(nodes), mass=masses_, block=ints([block(i, i) for i in nodes]))


def _with_propellant(
    model: Model, skeleton: Skeleton, bodies: Bodies, block: Callable[[int, int], int], weights: Nodes, n_efforts: int
) -> Bodies:
    """The bodies, and behind them what burns away: further bodies on the same nodes, whose mass is sampled."""
    nodes, masses = bodies.node.tolist(), list(bodies.mass)
    rows: list[tuple[int, int, int]] = []
    base = []
    columns = {(x.load, x.name.rpartition(".")[2]): n_efforts + x.column for x in signals_of(model)}
    for k, load in enumerate(model.state_loads):
        if load.varying:
            node = skeleton.attach(load.place).node
            if any(row[1] == node for row in rows):
                raise ModelError(f"{load.title}: its body has other propellant already; one is offered for each body")
            rows.append((len(nodes), node, columns[k, load.varying[0]]))
            base.append((weights.mass[node], *weights.moment[node]))
            nodes.append(node)
            masses.append(np.zeros((6, 6)))
    return Bodies(
        ints(nodes), np.array(masses).reshape(-1, 6, 6), ints([block(i, i) for i in nodes]), ints(rows, 3),
        np.array(base).reshape(-1, 4), ints([]),
    )  # fmt: skip


def _lone(bodies: Bodies, joints: Sequence[CompiledJoint], others: Sequence[tuple[int, int]]) -> list[int]:
    """Bodies that no joint and no other constraint holds, whose node has no other inertia."""
    held = {i for joint in joints for i in (joint.parent.node, joint.child.node)}.union(*others)
    nodes = bodies.node.tolist()
    plain = [np.array_equal(M[:3], np.eye(3, 6) * M[0, 0]) for M in bodies.mass]
    return [k for k, i in enumerate(nodes) if plain[k] and nodes.count(i) == 1 and i not in held]


def _body_mass(body: RigidBody) -> Array:
    M = np.diag([float(body.mass)] * 6)
    M[3:, 3:] = body.inertia
    return M


def _elements(model: Model, skeleton: Skeleton) -> tuple[Elements, Nodes, dict[str, ElementMatrices]]:
    """Element arrays, gravity data of nodes, and the matrices of every beam."""
    beams, frames, n = skeleton.beams, skeleton.frames, skeleton.n_nodes
    ne = sum(len(mesh.pairs) for mesh in beams.values())
    node = np.zeros((ne, 2), dtype=np.int64)
    like, d0 = np.zeros(ne, dtype=np.int64), np.zeros((ne, 6))
    stiffness, second, turning = np.zeros((ne, 6, 6)), np.zeros((ne, 216)), np.zeros((ne, 6))
    viscosity, mass = np.zeros(ne), np.zeros((ne, 82))
    nodes = Nodes(np.zeros(n + 1), np.zeros((n + 1, 3)))
    found: dict[str, ElementMatrices] = {}
    for mesh in beams.values():
        node[mesh.first_element : mesh.first_element + len(mesh.pairs)] = mesh.pairs
    if ne:
        relative_vectors(frames, node, d0)
    for beam in model.beams:
        mesh = beams[beam.name]
        span = slice(mesh.first_element, mesh.first_element + len(mesh.pairs))
        matrices, viscosity[span], same = beam_matrices(beam, mesh, d0[span])
        like[span] = mesh.first_element + same
        stiffness[span], second[span], turning[span] = matrices.stiffness, matrices.second, matrices.turning
        mass[span], found[beam.name] = matrices.mass, matrices
        masses, moments = element_weights(matrices.mass)
        for side in range(2):
            np.add.at(nodes.mass, mesh.pairs[:, side], masses[:, side])
            np.add.at(nodes.moment, mesh.pairs[:, side], moments[:, side])
    return Elements(node, like, d0, stiffness, second, turning, viscosity, mass, ints([], 4)), nodes, found


def _scales(model: Model, frames: Array, elements: Elements, bodies: Bodies) -> tuple[float, float, float]:
    """Typical length of a part, typical mass of a node, extent of the mechanism."""
    positions = frames[:, 9:]
    size = float(np.max(np.ptp(positions, axis=0)))
    lengths = list(np.linalg.norm(elements.d0[:, :3], axis=1))
    for M in bodies.mass[bodies.mass[:, 0, 0] > 0.0]:
        lengths.append(float(np.sqrt(np.trace(M[3:, 3:]) / (2.0 * M[0, 0]))))
    for body in model.modal_bodies:
        lengths.append(float(np.sqrt(np.trace(body.inertia.inertia) / (2.0 * body.mass))))
    positive = [x for x in lengths if x > 0.0]
    length = float(np.mean(positive)) if positive else max(size, 1.0)
    size = max(size, length)
    masses = [float(np.trace(M[:3, :3])) / 3.0 for M in bodies.mass if M[0, 0] > 0.0]
    masses += list(elements.mass[:, 0])
    masses += [body.mass for body in model.modal_bodies]
    if not masses:
        raise ModelError(f"{model.title}: nothing in it has mass, only frames between joints; add a body or a beam")
    return length, float(np.mean(masses)), size
