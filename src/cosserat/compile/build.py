"""`compile_model`: mesh the beams, collect the rows of the joints, order the unknowns, fill the arrays.

Whatever acts on nodes has a row in `KINDS`. A kind that a model does not use is not packed: its arrays are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel, System
from cosserat.compile.elements import ElementMatrices, element_weights
from cosserat.compile.fluid_links import demand_own_bodies
from cosserat.compile.joints import (
    compile_joints,
    driven_joints,
    freedom_arrays,
    ints,
    joint_arrays,
    lone_bodies,
    turn_arrays,
)
from cosserat.compile.loads import (
    along_beams,
    line_load_arrays,
    load_arrays,
    spring_arrays,
)
from cosserat.compile.media import compile_media, media_arrays
from cosserat.compile.mesh import beam_matrices
from cosserat.compile.ordering import build_pattern
from cosserat.compile.rules import compile_rules, coupled_by_rules, rolling_arrays, rule_arrays, users
from cosserat.compile.skeleton import (
    Parts,
    Skeleton,
    body_masses,
    build_skeleton,
    extents,
    initial_twists,
    typical_mass,
)
from cosserat.compile.state_laws import compile_law
from cosserat.compile.state_loads import signal_functions, signals_of, state_load_arrays
from cosserat.compile.timetable import Sampler
from cosserat.errors import ModelError
from cosserat.kernels import arrays
from cosserat.lie import se3
from cosserat.model.model import Model
from cosserat.model.servos import servos_of


class ComponentKind(NamedTuple):
    """What acts on nodes: its group in `System`, those of a model, how they are packed, which nodes they couple."""

    name: str
    group: Any
    used: Callable[[Parts], Any]
    pack: Callable[[Parts], Any]
    couples: Callable[[Parts], list[tuple[int, int]]] | None = None


KINDS = (
    ComponentKind(
        "springs", arrays.Springs, lambda p: p.model.springs, spring_arrays, lambda p: p.couples(p.model.springs)
    ),
    ComponentKind("loads", arrays.Loads, lambda p: p.model.loads or p.model.distributed_loads, load_arrays),
    ComponentKind(
        "line_loads", arrays.LineLoads, lambda p: p.model.distributed_loads and along_beams(p), line_load_arrays
    ),
    ComponentKind(
        "state_loads",
        arrays.StateLoads,
        lambda p: p.laws,
        state_load_arrays,
        lambda p: p.couples(x.load for x in p.laws),
    ),
    ComponentKind("media", arrays.Media, lambda p: p.media, media_arrays),
    ComponentKind("rolling", arrays.RollingArrays, lambda p: p.model.rolling, rolling_arrays, coupled_by_rules),
    ComponentKind("rules", arrays.Rules, lambda p: p.model.rolling and users(p.model), rule_arrays),
)


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
    laws = tuple(compile_law(load) for load in model.state_loads)
    media = {} if floating else compile_media(model)
    parts = Parts(model, skeleton, floating, elements, matrices, joints, laws, media)
    used = [kind for kind in KINDS if kind.used(parts)]
    coupled = {kind.name: kind.couples(parts) for kind in used if kind.couples is not None}
    wheels = coupled.get("rolling", [])
    links = [(int(a), int(b), -1) for a, b in elements.node]
    links += [(a, b, -1) for pairs in coupled.values() for a, b in pairs if a != b and (pairs is not wheels or b < n)]
    links += [(j.parent.node, j.child.node, k) for k, j in enumerate(joints)]
    pattern, parts.number = build_pattern(n, len(joints), links, wheels)
    parts.elements = elements = elements._replace(block=ints([parts.pair(a, b) for a, b in elements.node], 4))
    own = skeleton.bodies
    for body in model.bodies:  # their weight comes to that of the nodes
        nodes.mass[own[body.name]] += float(body.mass)
    bodies = arrays.zeros(arrays.Bodies)._replace(
        node=ints(list(own.values())), mass=body_masses(model), block=ints([parts.block(i, i) for i in own.values()])
    )
    servos = servos_of(model) if model.servos else {}
    freedoms, named_freedoms, efforts = freedom_arrays(joints, servos)
    parts.efforts = [*efforts, *(s.tension for s in model.springs if s.tension is not None)]
    turns, counted = turn_arrays(joints, servos)
    driven = driven_joints(joints)
    length, parts.size = extents(model, skeleton, bodies.mass)
    mass = typical_mass(model, bodies.mass, elements.mass[:, 0])
    if laws:
        demand_own_bodies(model, skeleton)
        bodies = _with_fluid_and_propellant(parts, bodies, nodes)
    held = {i for joint in joints for i in (joint.parent.node, joint.child.node)}.union(*wheels)
    bodies = bodies._replace(lone=lone_bodies(bodies, held))
    packed = {kind.name: kind.pack(parts) if kind in used else arrays.zeros(kind.group) for kind in KINDS}
    signals = signal_functions(signals_of(model)) if laws else []
    twists, given = initial_twists(model, skeleton)
    return CompiledModel(
        model=model,
        system=System(
            nodes=nodes,
            elements=elements,
            bodies=bodies,
            joints=joint_arrays(parts, named_freedoms, driven, length),
            freedoms=freedoms,
            turns=turns,
            pattern=pattern,
            **packed,
        ),
        sampler=Sampler(
            np.asarray(model.gravity, dtype=float),
            tuple(driven),
            (*parts.efforts, *signals),
            tuple(parts.sources),
            len(packed["state_loads"].node),
            len(signals),
            len(packed["rules"].item),
            len(packed["state_loads"].carried),
        ),
        frames=skeleton.frames,
        twists=twists,
        given=given,
        bodies=skeleton.bodies,
        beams=skeleton.beams,
        joints=tuple(joints),
        rolling=model.rolling,
        freedoms=(*named_freedoms, *counted),
        size=parts.size,
        length=length,
        mass=mass,
        blocks=ints(list(parts.number), 2),
        modal=skeleton.modal,
        laws=laws,
        rules=compile_rules(model) if model.rolling else (),
        media=media,
        line_columns=parts.line_columns,
    )


def _with_fluid_and_propellant(parts: Parts, bodies: arrays.Bodies, weights: arrays.Nodes) -> arrays.Bodies:
    """The bodies, and behind them, as further bodies, what moves with places: a fluid, then propellant.

    What burns away has a mass that is sampled.
    """
    nodes, masses = bodies.node.tolist(), list(bodies.mass)
    rows: list[tuple[int, int, int]] = []
    base = []
    for k, law in enumerate(parts.laws):
        inertia = law.load.inertia
        if inertia is not None:
            if law.inertia is not None:
                parts.carried[k] = len(nodes)
            at = parts.skeleton.attach(law.load.place)
            carry = se3.adjoint(se3.inverse(at.frame))
            nodes.append(at.node)
            masses.append(carry.T @ inertia @ carry)
    columns = {(x.load, x.name.rpartition(".")[2]): len(parts.efforts) + x.column for x in signals_of(parts.model)}
    for k, law in enumerate(parts.laws):
        if law.load.varying:
            node = parts.skeleton.attach(law.load.place).node
            rows.append((len(nodes), node, columns[k, law.load.varying[0]]))
            base.append((weights.mass[node], *weights.moment[node]))
            nodes.append(node)
            masses.append(np.zeros((6, 6)))
    return bodies._replace(
        node=ints(nodes),
        mass=np.array(masses).reshape(-1, 6, 6),
        block=ints([parts.block(i, i) for i in nodes]),
        varying=ints(rows, 3),
        base=np.array(base).reshape(-1, 4),
    )


def _elements(model: Model, skeleton: Skeleton) -> tuple[arrays.Elements, arrays.Nodes, dict[str, ElementMatrices]]:
    """Element arrays, gravity data of nodes, and the matrices of every beam."""
    beams, n = skeleton.beams, skeleton.n_nodes
    node, d0, ne = skeleton.pairs, skeleton.vectors, len(skeleton.pairs)
    like = np.zeros(ne, dtype=np.int64)
    stiffness, second, turning = np.zeros((ne, 6, 6)), np.zeros((ne, 216)), np.zeros((ne, 6))
    viscosity, mass = np.zeros(ne), np.zeros((ne, 82))
    nodes = arrays.Nodes(np.zeros(n + 1), np.zeros((n + 1, 3)))
    found: dict[str, ElementMatrices] = {}
    for beam in model.beams:
        mesh = beams[beam.name]
        span = mesh.elements
        matrices, viscosity[span], same = beam_matrices(beam, mesh)
        like[span] = mesh.first_element + same
        stiffness[span], second[span], turning[span] = matrices.stiffness, matrices.second, matrices.turning
        mass[span], found[beam.name] = matrices.mass, matrices
        masses, moments = element_weights(matrices.mass)
        for side in range(2):
            np.add.at(nodes.mass, mesh.pairs[:, side], masses[:, side])
            np.add.at(nodes.moment, mesh.pairs[:, side], moments[:, side])
    return arrays.Elements(node, like, d0, stiffness, second, turning, viscosity, mass, ints([], 4)), nodes, found
