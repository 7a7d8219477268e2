"""Arrays of joints, and of what acts along their freedoms: stiffness, damping, friction, servos.

Joints that are open for a while in a run hold nothing, and nothing acts along their freedoms. Springs, too. Their rows,
multipliers and freedoms keep their places in all arrays, so that the pattern of the equations stays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Sized
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import Attachment, CompiledJoint, CompiledModel, System, frame_to_row, row_to_frame
from cosserat.compile.rows import NO_BRANCH, ActiveFreedom, active_freedoms, counted_freedoms, joint_rows, weld_rows
from cosserat.compile.skeleton import Skeleton
from cosserat.kernels.arrays import Bodies, Freedoms, Joints, Turns
from cosserat.kernels.joint_rows import ROTATION
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.servos import Servo, servos_of

if TYPE_CHECKING:
    from cosserat.compile.skeleton import Parts


PASSIVE = ("stiffness", "damping", "friction", "speed", "kp", "kd", "limit")


def passive(joint: Joint, index: int, servo: Servo | None) -> tuple[float, ...]:
    """`PASSIVE` of a freedom: speed is that of friction, the last three are those of its servo."""
    friction = joint.friction[index]
    rubbing = (0.0, 1.0) if friction is None else (friction.level, friction.speed)
    driven = (0.0, 0.0, 0.0) if servo is None else (servo.kp, servo.kd, servo.limit)
    return joint.stiffness[index], joint.damping[index], *rubbing, *driven


def freedom_laws(rows: Sequence[tuple[Joint, ActiveFreedom]], servos: dict[tuple[str, int], Servo]) -> dict[str, Any]:
    """`PASSIVE` of freedoms, and how each is measured, by fields of groups."""
    numbers = [passive(joint, freedom.index, servos.get((joint.name, freedom.index))) for joint, freedom in rows]
    columns = np.ascontiguousarray(np.array(numbers, dtype=float).reshape(-1, len(PASSIVE)).T)
    return measures([freedom for _, freedom in rows]) | dict(zip(PASSIVE, columns, strict=True))


def measures(freedoms: Sequence[ActiveFreedom]) -> dict[str, Any]:
    """How freedoms are measured between two places, by fields of groups."""
    return {
        "kind": np.array([f.kind for f in freedoms], dtype=np.int64),
        "axis": np.array([f.axis for f in freedoms]).reshape(-1, 3),
        "cosine": np.array([f.cosine for f in freedoms]).reshape(-1, 3),
        "sine": np.array([f.sine for f in freedoms]).reshape(-1, 3),
    }


class CoordinateLaws(NamedTuple):
    """What acts along the coordinates of a tree."""

    passive: Array  # (7, n) `PASSIVE`
    efforts: list[tuple[int, TimeFunction]]  # coordinate, function
    targets: list[tuple[str, int, TimeFunction]]  # of servos: name, coordinate, function


def coordinate_laws(model: Model, coordinates: Sequence[str]) -> CoordinateLaws:
    """Those of the joints of a model whose coordinates are among these."""
    numbers = np.zeros((len(PASSIVE), len(coordinates)))
    numbers[3], numbers[6] = 1.0, np.inf
    laws = CoordinateLaws(numbers, [], [])
    servos, place = servos_of(model) if model.servos else {}, {name: k for k, name in enumerate(coordinates)}
    for joint in model.joints:
        for index, name in enumerate(joint.coordinates):
            if name not in place:
                continue
            k, effort, servo = place[name], joint.effort[index], servos.get((joint.name, index))
            numbers[:, k] = passive(joint, index, servo)
            if effort is not None:
                laws.efforts.append((k, effort))
            if servo is not None:
                laws.targets.append((servo.name, k, servo.target))
    return laws


def compile_joints(model: Model, skeleton: Skeleton) -> list[CompiledJoint]:
    """The joints of a model, and the welds of its beams' corners."""
    frames = skeleton.frames
    joints = []
    for joint in model.joints:
        sides = []
        for place, J in zip((joint.parent, joint.child), joint.sides(), strict=True):
            node = skeleton.attach(place).node
            sides.append(Attachment(node, se3.inverse(row_to_frame(frames[node])) @ J))
        joints.append(CompiledJoint(joint.name, joint, sides[0], sides[1], joint_rows(joint)))
    for name, mesh in skeleton.beams.items():
        for k, (a, b) in enumerate(mesh.corners):
            relative = se3.inverse(row_to_frame(frames[a])) @ row_to_frame(frames[b])
            parent, child = Attachment(a, relative), Attachment(b, np.eye(4))
            joints.append(CompiledJoint(f"{name}.corner{k + 1}", None, parent, child, weld_rows()))
    return joints


def driven_joints(joints: list[CompiledJoint]) -> list[Joint]:
    """Joints with a prescribed motion."""
    return [j.joint for j in joints if j.joint is not None and any(m is not None for m in j.joint.motion)]


def freedom_arrays(
    joints: list[CompiledJoint], servos: dict[tuple[str, int], Servo]
) -> tuple[Freedoms, list[tuple[str, ActiveFreedom]], list[TimeFunction]]:
    """Arrays of the active freedoms, the names of their joints, and the functions of their efforts, then targets."""
    named = [(k, item.joint) for k, item in enumerate(joints) if item.joint is not None]
    rows = [(k, a, joint) for k, joint in named for a in active_freedoms(joint, servos)]
    aims = [servos.get((joint.name, a.index)) for _, a, joint in rows]
    given = [*(joint.effort[a.index] for _, a, joint in rows), *(None if aim is None else aim.target for aim in aims)]
    number = count()
    columns = ints([-1 if function is None else next(number) for function in given])
    arrays = Freedoms(
        joint=ints([k for k, _, _ in rows]),
        **freedom_laws([(joint, a) for _, a, joint in rows], servos),
        effort=columns[: len(rows)],
        target=columns[len(rows) :],
        armature=np.array([j.armature[a.index] for _, a, j in rows], dtype=float),
    )
    return arrays, [(joints[k].name, a) for k, a, _ in rows], [function for function in given if function is not None]


def turn_arrays(
    joints: list[CompiledJoint], servos: dict[tuple[str, int], Servo]
) -> tuple[Turns, list[tuple[str, ActiveFreedom]]]:
    """Arrays of the angles whose turns are counted, and the names of their joints."""
    named = [(k, item.joint) for k, item in enumerate(joints) if item.joint is not None]
    rows = [(k, a) for k, joint in named for a in counted_freedoms(joint, servos)]
    arrays = Turns(joint=ints([k for k, _ in rows]), **measures([a for _, a in rows]))
    return arrays, [(joints[k].name, a) for k, a in rows]


def joint_arrays(parts: Parts, freedoms: list[tuple[str, ActiveFreedom]], driven: list[Joint], length: float) -> Joints:
    """Arrays of the joints.

    Rotation rows are multiplied by a typical length: all rows are lengths and all multipliers forces, whose errors
    compare in any units.
    """
    joints = parts.joints
    nj = len(joints)
    arrays = Joints(
        node=ints([(j.parent.node, j.child.node) for j in joints], 2),
        frame_a=np.array([frame_to_row(j.parent.frame) for j in joints]).reshape(-1, 12),
        frame_b=np.array([frame_to_row(j.child.frame) for j in joints]).reshape(-1, 12),
        n_rows=ints([len(j.rows.rows) for j in joints]),
        kind=np.zeros((nj, 6), dtype=np.int64),
        row_a=np.zeros((nj, 6, 3)),
        row_b=np.zeros((nj, 6, 3)),
        pitch=np.array([0.0 if j.joint is None else float(j.joint.pitch) for j in joints]),
        drive=np.full(nj, -1, dtype=np.int64),
        branch=ints([j.rows.branch for j in joints]),
        angle=np.full(nj, -1, dtype=np.int64),
        soft=np.zeros((nj, 6, 6)),
        block=np.zeros((nj, 9), dtype=np.int64),
    )
    names = [name for name, _ in freedoms]
    for k, j in enumerate(joints):
        for r, row in enumerate(j.rows.rows):
            arrays.kind[k, r] = row.kind
            arrays.row_a[k, r], arrays.row_b[k, r] = (length if row.kind == ROTATION else 1.0) * row.a, row.b
        for column, joint in enumerate(driven):
            if j.joint is joint:
                arrays.drive[k] = column
        if j.joint is not None and j.joint.kind == "screw" and j.name in names:
            arrays.angle[k] = names.index(j.name)
        arrays.block[k] = parts.held(j.parent.node, j.child.node, k)
    return arrays


def ranges(parts: Sequence[Sized]) -> NDArray[np.int64]:
    """Where each of some parts begins in all of them one after another, and behind them the end: (n+1,)."""
    return np.concatenate(([0], np.cumsum([len(part) for part in parts], dtype=np.int64)))


def ints(values: object, width: int | None = None) -> NDArray[np.int64]:
    """An integer array, of rows of `width` numbers if given, also when it is empty."""
    array = np.asarray(values, dtype=np.int64)
    return array if width is None else array.reshape(-1, width)


LAWS = ("stiffness", "damping", "friction", "kp", "kd")
"""What acts along a freedom whatever the time; the rest of it are columns of sampled inputs."""


def silent(system: System, joints: Collection[int], springs: Collection[int] = ()) -> System:
    """Arrays in which joints and springs with these numbers are open; all that does not change is shared."""
    if springs:
        lines, cut = system.springs, list(springs)
        stiffness, damping, column = lines.stiffness.copy(), lines.damping.copy(), lines.column.copy()
        stiffness[cut], damping[cut], column[cut] = 0.0, 0.0, -1
        given = np.zeros_like(lines.given)  # written anew wherever there is a column
        lines = lines._replace(stiffness=stiffness, damping=damping, column=column, given=given)
        system = system._replace(springs=lines)
    if not joints:
        return system
    rows, freedoms, numbers = system.joints, system.freedoms, list(joints)
    n_rows, branch = rows.n_rows.copy(), rows.branch.copy()
    n_rows[numbers], branch[numbers] = 0, NO_BRANCH
    own = np.isin(freedoms.joint, numbers)
    laws = {name: np.where(own, 0.0, getattr(freedoms, name)) for name in LAWS}
    columns = {name: np.where(own, -1, getattr(freedoms, name)) for name in ("effort", "target")}
    closed = np.delete(rows.node, numbers, axis=0)
    held = {*closed.ravel().tolist(), *system.rolling.node.tolist(), *system.rules.node.ravel().tolist()}
    return system._replace(
        bodies=system.bodies._replace(lone=lone_bodies(system.bodies, held)),
        joints=rows._replace(n_rows=n_rows, branch=branch),
        freedoms=freedoms._replace(**laws, **columns),
    )


def lone_bodies(bodies: Bodies, held: Collection[int]) -> NDArray[np.int64]:
    """Bodies, and their propellant, that no joint or other constraint holds; not where a fluid moves with them."""
    nodes, burning = bodies.node.tolist(), set(bodies.varying[:, 0].tolist())
    coupled = {
        i for k, (i, M) in enumerate(zip(nodes, bodies.mass, strict=True))
        if k not in burning and not np.array_equal(M[:3], np.eye(3, 6) * M[0, 0])
    }  # fmt: skip
    return ints([k for k, i in enumerate(nodes) if i not in held and i not in coupled])


def opened(compiled: CompiledModel, names: Collection[str]) -> CompiledModel:
    """A compiled model in which the joints and springs of these names are open."""
    joints = [k for k, joint in enumerate(compiled.joints) if joint.name in names]
    springs = [k for k, spring in enumerate(compiled.model.springs) if spring.name in names]
    return replace(compiled, system=silent(compiled.system, joints, springs))
