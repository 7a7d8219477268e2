"""A tree of links in relative coordinates from a model: links, coordinates, and the table the recursions read.

Coordinates are those of `Model.coordinates`, without joints that were cut to open loops, then six for every body that
no joint ties to the ground, as if it had a `Free` joint from the ground to its centre of mass.

Velocities have the same places. For every freedom with a coordinate of its own they are rates. For a spherical joint
they are the angular velocity, for a free joint or base the twist (linear part first) of the outer body relative to the
inner one, in the joint frame of the outer body: not the rates of the rotation vector.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.spanning import GROUND_GROUP, Edge, Loop, Spanning, span
from cosserat.errors import CosseratWarning, ModelError
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3
from cosserat.model.bodies import RigidBody
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.places import Place

Array = NDArray[np.float64]

FREE_BASE = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class Link:
    """A row of the table: a rigid group of bodies, or a massless intermediate of a joint."""

    name: str
    joint: Joint | None  # None: free base
    kind: int
    parent: int  # -1: the ground
    first: int  # its first coordinate
    slide: float
    turn: float
    frame: Array  # (4, 4) link frame in world coordinates of the reference configuration
    bodies: tuple[RigidBody, ...]
    n_modes: int = 0

    @property
    def n_v(self) -> int:
        """Number of freedoms."""
        return {layout.SPHERICAL: 3, layout.FREE: 6}.get(self.kind, 1)

    @property
    def freedoms(self) -> list[int]:
        """Its coordinates."""
        return list(range(self.first, self.first + self.n_v))


@dataclass(frozen=True)
class TreeData:
    """Links of a model, parents before children."""

    title: str
    links: tuple[Link, ...]
    coordinates: tuple[str, ...]
    loops: tuple[Loop, ...]
    spanning: Spanning
    carrier: dict[str, int]  # body -> link, -1 where it is fixed to the ground

    @property
    def n_v(self) -> int:
        """Number of coordinates, and of velocities."""
        return len(self.coordinates)

    def attach(self, place: Place) -> tuple[int, Array]:
        """Link of a place (-1: the ground) and the place's frame (4, 4) in the link's."""
        link = -1 if place.on_ground else self.carrier[place.owner.name]
        frame = place.frame()
        return link, frame if link < 0 else se3.inverse(self.links[link].frame) @ frame

    def frame_in_parent(self, i: int) -> Array:
        """Joint frame (4, 4) of link i in the frame of its parent link."""
        link = self.links[i]
        return link.frame if link.parent < 0 else se3.inverse(self.links[link.parent].frame) @ link.frame

    @functools.cached_property
    def dof(self) -> tuple[int, ...]:
        """First freedom of each link, counted from link to link."""
        return tuple(int(k) for k in np.cumsum([0, *(link.n_v for link in self.links)]))

    @functools.cached_property
    def _last_child(self) -> dict[int, int]:
        return {link.parent: i for i, link in enumerate(self.links)}

    @functools.cached_property
    def named(self) -> dict[str, tuple[int, ...]]:
        """Places among the coordinates by the names of joints, free bases and single coordinates."""
        return named_coordinates(self.coordinates, self.links)

    @functools.cached_property
    def prescribed(self) -> tuple[tuple[int, Joint, TimeFunction], ...]:
        """Coordinates with a motion in the model: place, joint, motion."""
        return prescribed_coordinates(self.coordinates, self.links)

    def order(self) -> Array:
        """Coordinate, start of the run and freedom before the run of every freedom: (3, n_v)."""
        out = np.zeros((3, self.n_v))
        for i, link in enumerate(self.links):
            own = np.arange(link.n_v)
            at = self.dof[i]
            before = -1 if link.parent < 0 else self.dof[link.parent + 1] - 1
            joined = before == at - 1 and before >= 0
            out[0, at + own] = link.first + own
            out[1, at + own] = out[1, before] if joined else at
            out[2, at + own] = out[2, before] if joined else before
        return out

    def table(self, gravity: Array, forced: bool) -> Array:
        """What the kernels read: header, one row per link, order, workspace; see `kernels.recursion.table`."""
        n, n_v = len(self.links), self.n_v
        order = layout.HEADER + n * layout.ROW
        work = order + 3 * n_v
        own, angles, wrench, effort, size = layout.work_places(n, n_v)
        out = np.zeros(work + size + layout.spatial_size(n, n_v))
        out[layout.N_LINKS], out[layout.N_V], out[layout.FORCES] = n, n_v, forced
        out[layout.ORDER], out[layout.WORK], out[layout.SPATIAL] = order, work, work + size
        out[layout.ANGLES], out[layout.WRENCH], out[layout.EFFORT] = angles, wrench, effort
        out[layout.GRAVITY : layout.GRAVITY + 3] = gravity
        out[order:work] = self.order().ravel()
        rows, moved = out[layout.HEADER : order].reshape(n, layout.ROW), armatures(self.coordinates, self.links)
        for i, row in enumerate(rows):
            self._fill_row(i, row, moved)
        places = out[work : work + own].reshape(n + 1, layout.W_ROW)
        places[:n, :12] = rows[:, layout.FRAME : layout.FRAME + 12]
        places[n, layout.W_ACCELERATION : layout.W_ACCELERATION + 3] = -np.asarray(gravity)
        inertias = out[work + own : work + angles].reshape(n, layout.W_OWN)
        for inertia, row in zip(inertias, rows, strict=True):
            inertia[[0, 3, 5]] = row[layout.MASS]
            inertia[6:15] = -so3.hat(row[layout.MOMENT : layout.MOMENT + 3]).ravel()
            inertia[15:] = row[layout.INERTIA : layout.INERTIA + 6]
        return out

    def _fill_row(self, i: int, row: Array, moved: Array) -> None:
        """Constants of a link; `moved`: inertia that moves with the coordinates."""
        link, n = self.links[i], len(self.links)
        row[: layout.ABOVE] = link.kind, link.parent, link.first, link.slide, link.turn
        if link.n_v == 1 and moved[link.first] != 0.0:
            row[layout.KIND], row[layout.ARMATURE] = layout.SCREW, moved[link.first]  # a hinge is a special screw
        row[layout.ABOVE] = layout.W_ROW * (n if link.parent < 0 else link.parent)
        row[layout.COUNT : layout.FRAME] = link.n_v, self.dof[i]
        H = self.frame_in_parent(i)
        row[layout.FRAME : layout.FRAME + 12] = *H[:3, :3].ravel(), *H[:3, 3]
        for body in link.bodies:
            m, moment, J = inertia_about(body, link.frame)
            row[layout.MASS] += m
            row[layout.MOMENT : layout.MOMENT + 3] += moment
            row[layout.INERTIA : layout.INERTIA + 6] += J[np.triu_indices(3)]
        alone = layout.work_places(n, self.n_v)[0]
        row[layout.TOTAL] = layout.W_ROW * i + layout.W_INERTIA if i in self._last_child else alone + layout.W_OWN * i
        if link.parent >= 0:  # the last child is the first to be added
            first = self._last_child[link.parent] == i
            row[layout.BEFORE] = alone + layout.W_OWN * link.parent if first else row[layout.ABOVE] + layout.W_INERTIA


class Jointed(Protocol):
    """A link and the coordinates of its joint."""

    @property
    def name(self) -> str: ...
    @property
    def joint(self) -> Joint | None: ...
    @property
    def freedoms(self) -> list[int]: ...


def named_coordinates(coordinates: tuple[str, ...], links: Sequence[Jointed]) -> dict[str, tuple[int, ...]]:
    """Places among the coordinates by the names of joints, free bases and single coordinates."""
    out = {name: (k,) for k, name in enumerate(coordinates)}
    joints: dict[str, list[int]] = {}
    for link in links:
        if link.freedoms:
            joints.setdefault(link.name if link.joint is None else link.joint.name, []).extend(link.freedoms)
    return out | {name: tuple(sorted(where)) for name, where in joints.items()}


def prescribed_coordinates(
    coordinates: tuple[str, ...], links: Sequence[Jointed]
) -> tuple[tuple[int, Joint, TimeFunction], ...]:
    """Coordinates with a motion in the model: place, joint, motion."""
    joints = {link.joint.name: link.joint for link in links if link.joint is not None}
    number = {name: k for k, name in enumerate(coordinates)}
    return tuple(
        (number[name], joint, motion)
        for joint in joints.values()
        for name, motion in zip(joint.coordinates, joint.motion, strict=True)
        if motion is not None
    )


def armatures(coordinates: tuple[str, ...], links: Sequence[Jointed]) -> Array:
    """Inertia that moves with each coordinate."""
    out, number = np.zeros(len(coordinates)), {name: k for k, name in enumerate(coordinates)}
    for joint in {link.joint.name: link.joint for link in links if link.joint is not None}.values():
        for name, value in zip(joint.coordinates, joint.armature, strict=True):
            out[number[name]] = value
    return out


def refuse_armatures(call: str, model: Model) -> None:
    """Raise if a joint has an armature, where all inertia must be that of bodies."""
    for joint in model.joints:
        if any(joint.armature):
            raise ModelError(
                f"{call}: {joint.title}: this call takes the inertia of bodies only, and the joint has an armature; "
                "leave it out, or use cs.Tree(model) and its methods"
            )


def refuse_state_loads(call: str, model: Model) -> None:
    """Raise if the model has loads that depend on the state, which recursions of rigid bodies do not know."""
    for load in model.state_loads:
        raise ModelError(
            f"{call}: {load.title}: this call takes no loads that depend on the state; cs.Tree(model) and its methods, "
            "cs.simulate, cs.equilibrium, cs.modes and cs.linearize take them"
        )


def compile_tree(model: Model, call: str = "tree") -> TreeData:
    """Links and coordinates of a model; raises where bodies are not rigid."""
    elastic = [*model.beams, *model.modal_bodies]
    if elastic:
        found = ", ".join(repr(body.name) for body in elastic[:3])
        raise ModelError(
            f"{call}: {model.title} has elastic bodies ({found}), and this call takes rigid ones; replace a beam by a "
            "RigidBody.bar, or use cs.Tree(model, modes=...), whose other calls take them"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)  # a body that nothing moves still has coordinates
        model.validate()
    refuse_state_loads(call, model)
    spanning = span(model)
    if not spanning.edges:
        raise ModelError(f"{call}: {model.title}: every body is fixed to the ground; there is nothing that moves")
    for loop in spanning.loops:
        if loop.geared:
            raise ModelError(
                f"{call}: {loop.joint.title}: armature is given to all joints of a closed loop; this call leaves one "
                "of them out: give it to one joint less, or use cs.simulate, cs.modes or cs.linearize"
            )
    cut = {loop.joint.name for loop in spanning.loops}
    names: list[str] = []
    first: dict[str, int] = {}
    for joint in model.joints:
        if joint.name not in cut:
            first[joint.name] = len(names)
            names += joint.coordinates
    links: list[Link] = []
    last = {GROUND_GROUP: -1}
    for edge in spanning.edges:
        bodies = spanning.bodies[edge.outer]
        if edge.joint is None:
            at = len(names)
            names += [f"{bodies[0].name}.{freedom}" for freedom in FREE_BASE]
        else:
            at = first[edge.joint.name]
        links += joint_links(edge, at, bodies[0].name, bodies, last[edge.inner], len(links))
        last[edge.outer] = len(links) - 1
    carrier = {name: last[group] for name, group in spanning.group.items()}
    return TreeData(model.title, tuple(links), tuple(names), spanning.loops, spanning, carrier)


def joint_links(
    edge: Edge, first: int, name: str, bodies: tuple[RigidBody, ...], parent: int, number: int
) -> list[Link]:  # fmt: skip
    """Links of one joint: one per freedom, but one for a screw, a spherical joint and a free joint or base."""
    sign = -1.0 if edge.reverse else 1.0
    joint = edge.joint
    if joint is None:
        frame = se3.frame(np.eye(3), bodies[0].com)
        return [Link(name, None, layout.FREE, parent, first, 0.0, sign, frame, bodies)]
    J = joint.frame()
    if joint.kind in ("spherical", "free"):
        kind = layout.SPHERICAL if joint.kind == "spherical" else layout.FREE
        return [Link(name, joint, kind, parent, first, 0.0, sign, J, bodies)]
    freedoms = list(enumerate(joint.freedoms))
    links = []
    for k, (index, freedom) in enumerate(reversed(freedoms) if edge.reverse else freedoms):
        turns = freedom.kind == "rotation"
        plain = turns and joint.kind != "screw"
        is_last = k == len(freedoms) - 1
        link = Link(
            name if is_last else f"{joint.name}.{freedom.name}",
            joint,
            layout.REVOLUTE if plain else layout.SCREW,
            parent if k == 0 else number + k - 1,
            first + index,
            joint.pitch if turns else 1.0,
            1.0 if turns else 0.0,
            _aligned(J, freedom.axis, sign),
            bodies if is_last else (),
        )
        links.append(link)
    return links


def _aligned(J: Array, axis: int, sign: float) -> Array:
    """The frame turned so that its z axis is sign times the given one."""
    x, y, z = (J[:3, (axis + k) % 3] for k in (1, 2, 0))
    H = J.copy()
    H[:3, :3] = np.stack([x, y, z] if sign > 0.0 else [y, x, -z], axis=1)
    return H


def inertia_about(body: RigidBody, frame: Array) -> tuple[float, Array, Array]:
    """Mass, first moment and inertia of a body about the origin of a frame, in its axes."""
    R = frame[:3, :3].T @ body.rotation
    c = frame[:3, :3].T @ (body.com - frame[:3, 3])
    C = so3.hat(c)
    return body.mass, body.mass * c, R @ body.inertia @ R.T - body.mass * C @ C
