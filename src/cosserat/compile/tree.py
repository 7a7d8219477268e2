"""A tree of links in relative coordinates from a model: links, rigid or elastic, their joints and coordinates.

Coordinates are those of `Model.coordinates`, without joints that were cut to open loops, then six for every body that
no joint ties to the ground, as if it had a `Free` joint from the ground to its centre of mass, then the modal
coordinates of every elastic body. A rigid link is a link without modes.

Velocities have the same places. For every freedom with a coordinate of its own they are rates. For a spherical joint
they are the angular velocity, for a free joint or base the twist (linear part first) of the outer body relative to the
inner one, in the joint frame of the outer body: not the rates of the rotation vector.

Two packers read the links: `link_table` for kernels of rigid links, `flexible_arrays` for those of links with modes.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_arrays import FlexibleArrays
from cosserat.compile.fluid_links import FluidInertia, fluid_inertias
from cosserat.compile.modal_dynamics import Seat, seat_on
from cosserat.compile.skeleton import mass_about
from cosserat.compile.spanning import GROUND_GROUP, Edge, Loop, Spanning, span
from cosserat.compile.tree_beams import Reduced, reduced_beams
from cosserat.errors import CosseratWarning, ModelError
from cosserat.kernels.flexible.arrays import WELD
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.bodies import RigidBody
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.places import Place

Ints = NDArray[np.int64]

FREE_BASE = ("x", "y", "z", "rx", "ry", "rz")
PROPELLANT = ".propellant"
SHAFT = ".shaft"  # how names of links end that only carry the armature of a joint
FLUID = ".fluid"  # how names of links end that stand for what moves of a fluid
_IDENTITY = np.eye(4)


@dataclass(frozen=True)
class Link:
    """A rigid group of bodies, an elastic body, a massless intermediate of a joint, or what moves of a fluid."""

    name: str
    joint: Joint | None  # None: free base, or fluid
    kind: int  # of `kernels.recursion.table`, or WELD
    first: int  # first coordinate of its joint
    slide: float
    turn: float
    base: Seat  # where its joint sits on the parent
    own: Seat  # the joint frame on its own side
    frame: Array  # (4, 4) its frame (floating, if elastic) in world coordinates of the reference configuration
    bodies: tuple[RigidBody, ...] = ()
    modal: ModalBody | None = None
    first_mode: int = 0  # its first modal coordinate
    n_modes: int = 0
    fluid: Array | None = None  # (6, 6) inertia of what is no body
    burns: bool = False

    @property
    def parent(self) -> int:
        """Number of the link it hangs on, -1: the ground."""
        return self.base.link

    @property
    def is_fluid(self) -> bool:
        """Whether it is no body, but what moves of a fluid, or propellant."""
        return self.fluid is not None

    @property
    def has_weight(self) -> bool:
        """Whether gravity acts on its inertia: not where it is that of a fluid that moves along."""
        return self.burns or not self.is_fluid

    @functools.cached_property
    def axes(self) -> Array:
        """Relative twists (6, k) of its freedoms in the joint frame on its own side."""
        if self.kind == WELD:
            return np.zeros((6, 0))
        if self.kind == layout.FREE:
            return np.eye(6)
        if self.kind == layout.SPHERICAL:
            return np.eye(6)[:, 3:]
        return np.array([[0.0, 0.0, self.slide, 0.0, 0.0, self.turn]]).T

    @property
    def n_v(self) -> int:
        """Number of freedoms of its joint."""
        return self.axes.shape[1]

    @property
    def freedoms(self) -> list[int]:
        """Coordinates of its joint."""
        return list(range(self.first, self.first + self.n_v))

    @functools.cached_property
    def columns(self) -> Ints:
        """Its coordinates (k + m,): of the joint, then modal."""
        joint = range(self.first, self.first + self.axes.shape[1])
        return np.array([*joint, *range(self.first_mode, self.first_mode + self.n_modes)], dtype=np.int64)

    @functools.cached_property
    def inverse(self) -> Array:
        """Inverse (4, 4) of its frame."""
        return se3.inverse(self.frame)

    @functools.cached_property
    def inertia(self) -> Array:
        """Spatial inertia (6, 6) of a rigid link about the origin of its frame, in its axes."""
        if self.fluid is not None:
            return self.fluid
        return sum((mass_about(body, self.frame) for body in self.bodies), np.zeros((6, 6)))


@dataclass(frozen=True)
class TreeData:
    """Links of a model, parents before children."""

    title: str
    links: tuple[Link, ...]
    coordinates: tuple[str, ...]
    armatures: Array  # (n,) inertia that moves with each coordinate
    reduced: Reduced  # its elastic bodies
    carrier: dict[str, int]  # body -> link, -1 where it is fixed to the ground
    spanning: Spanning
    shafts: tuple[tuple[Joint, int], ...] = ()  # joints that were cut behind their armature, and the link they end in
    fluids: tuple[FluidInertia, ...] = ()  # what moves of a fluid, and propellant

    @functools.cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Joints that were cut: they have no coordinates."""
        return tuple(loop for loop in self.spanning.loops if not loop.geared)

    @functools.cached_property
    def joints(self) -> dict[str, Joint]:
        """Joints with coordinates, by name, from the ground outwards."""
        return {link.joint.name: link.joint for link in self.links if link.joint is not None}

    @functools.cached_property
    def arrays(self) -> FlexibleArrays:
        """The links as kernels of links with modes read them."""
        return FlexibleArrays(self.links, self.armatures)

    @functools.cached_property
    def _number(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.coordinates)}

    @functools.cached_property
    def named(self) -> dict[str, tuple[int, ...]]:
        """Places among the coordinates by the names of joints, free bases and single coordinates."""
        out = {name: (k,) for name, k in self._number.items()}
        owned: dict[str, list[int]] = {}
        for link in self.links:
            if link.freedoms:
                owned.setdefault(link.name if link.joint is None else link.joint.name, []).extend(link.freedoms)
        return out | {name: tuple(sorted(where)) for name, where in owned.items()}

    @functools.cached_property
    def prescribed(self) -> tuple[tuple[int, Joint, TimeFunction], ...]:
        """Coordinates with a motion in the model: place, joint, motion."""
        return tuple(
            (self._number[name], joint, motion)
            for joint in self.joints.values()
            for name, motion in zip(joint.coordinates, joint.motion, strict=True)
            if motion is not None
        )

    @functools.cached_property
    def sizes(self) -> Array:
        """How far a unit of each coordinate moves or turns an interface (n,), or more: for points of differences."""
        out = np.ones(len(self.coordinates))
        for link in self.links:
            if link.modal is not None:
                shapes = [np.abs(interface.shape) for interface in link.modal.interfaces.values()]
                out[link.columns[link.n_v :]] += np.max(shapes, axis=(0, 1))
        return out

    def modal(self, link: int, q: Array) -> Array:
        """Modal coordinates (..., m) of a link."""
        columns = self.links[link].columns
        return q[..., columns[len(columns) - self.links[link].n_modes :]]

    def parts(self, z: Array) -> list[Array]:
        """Views (6 + m,) of each link's part of an array (n_z,)."""
        ends = np.cumsum([6 + link.n_modes for link in self.links])
        return np.split(z, ends[:-1])

    def seat(self, place: Place) -> Seat:
        """Where a place is carried; raises if it is on an elastic body and no interface."""
        link = -1 if place.on_ground else self.carrier[place.owner.name]
        if link < 0:
            return Seat(-1, place.frame())
        interface = self.reduced.interface(place)
        if interface is None:
            return Seat(link, self.links[link].inverse @ place.frame())
        return seat_on(link, self.links[link].frame, place.frame(), interface)


def compile_tree(
    model: Model,
    modes: Any = None,
    boundary: Any = None,
    stiffening: bool = True,
    stations: dict[str, list[float]] | None = None,
    call: str = "Tree",
    cut: bool = False,
) -> TreeData:
    """Links and coordinates of a model, which is checked first; arguments as those of `grown_tree`."""
    if not isinstance(model, Model):
        raise ModelError(f"{call}: expected a Model, got {model!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)  # a body that nothing moves still has coordinates
        model.validate()
    return grown_tree(model, modes, boundary, stiffening, stations, call, cut)


def grown_tree(
    model: Model, modes: Any, boundary: Any, stiffening: bool, stations: dict[str, list[float]] | None, call: str,
    cut: bool, loose: Collection[str] = (), like: TreeData | None = None,
) -> TreeData:  # fmt: skip
    """Links and coordinates of a model that is sound; arguments as those of `Tree`.

    `stations`: further places on beams. `cut`: open closed loops at one of their joints rather than raise. `loose`: see
    `span`. `like`: of nearly the same model, near whose modal coordinates those of beams shall be.
    """
    spanning = span(model, loose)
    if not cut:
        spanning.demand_tree(model.title)
    if not spanning.edges:
        raise ModelError(f"{call}: {model.title}: every body is fixed to the ground; there is nothing that moves")
    near = None if like is None else like.reduced.bodies
    reduced = reduced_beams(model, spanning, modes, boundary, stiffening, stations, call, near)
    return _Growth(model, spanning, reduced).tree()


def linked_again(model: Model, like: TreeData) -> TreeData:
    """Links of a model with the elastic bodies of another that has the same bodies and beams, reduced before."""
    return _Growth(model, span(model), like.reduced).tree()


def rigid_tree(model: Model, call: str) -> TreeData:
    """Links of a model of rigid bodies, its loops cut; raises where there is more than bodies and plain joints."""
    refuse_all_but_rigid(call, model)
    data = compile_tree(model, call=call, cut=True)
    for joint, _ in data.shafts:
        raise ModelError(
            f"{call}: {joint.title}: armature is given to all joints of a closed loop; this call leaves one of them "
            "out: give it to one joint less, or use cs.simulate, cs.modes or cs.linearize"
        )
    return data


def refuse_all_but_rigid(call: str, model: Model) -> None:
    """Raise if there is no model, or one with elastic bodies or loads that depend on the state."""
    refuse_state_loads(call, model)
    elastic = [*model.beams, *model.modal_bodies]
    if elastic:
        found = ", ".join(repr(body.name) for body in elastic[:3])
        raise ModelError(
            f"{call}: {model.title} has elastic bodies ({found}), and this call takes rigid ones; replace a beam by a "
            "RigidBody.bar, or use cs.Tree(model, modes=...), whose other calls take them"
        )


def refuse_state_loads(call: str, model: Model) -> None:
    """Raise if there is no model, or one with loads that depend on the state."""
    if not isinstance(model, Model):
        raise ModelError(f"{call}: expected a Model, got {model!r}")
    for load in model.state_loads:
        raise ModelError(
            f"{call}: {load.title}: this call takes no loads that depend on the state; cs.Tree(model) and its methods, "
            "cs.simulate, cs.equilibrium, cs.modes and cs.linearize take them"
        )


def refuse_armatures(call: str, model: Model) -> None:
    """Raise if a joint has an armature, where all inertia must be that of bodies."""
    for joint in model.joints:
        if any(joint.armature):
            raise ModelError(
                f"{call}: {joint.title}: this call takes the inertia of bodies only, and the joint has an armature; "
                "leave it out, or use cs.Tree(model) and its methods"
            )


class _Step(NamedTuple):
    """One of the links of a joint."""

    kind: int
    first: int
    slide: float
    turn: float
    frame: Array  # (4, 4) of the joint, in world coordinates of the reference configuration
    freedom: str = ""


class _Growth:
    """A tree whose links are added from the ground outwards."""

    def __init__(self, model: Model, spanning: Spanning, reduced: Reduced) -> None:
        self._model, self._spanning, self._reduced = model, spanning, reduced
        self._links: list[Link] = []
        self._names: list[str] = []
        self._first: dict[Hashable, int] = {}  # by joint, group with a free base, elastic body and "modes"
        cut = {loop.joint.name for loop in spanning.loops if not loop.geared}
        self._armatures: list[float] = []  # of the joints, which come first
        for joint in model.joints:
            if joint.name not in cut:
                self._number(joint.name, joint.coordinates)
                self._armatures += joint.armature
        for edge in spanning.edges:
            if edge.joint is None:
                self._number(edge.outer, (f"{self._name(edge.outer)}.{freedom}" for freedom in FREE_BASE))
        for name, body in reduced.bodies.items():
            self._number((name, "modes"), (f"{name}.mode{k + 1}" for k in range(body.n_modes)))

    def _number(self, owner: Hashable, names: Iterable[str]) -> None:
        self._first[owner] = len(self._names)
        self._names += names

    def _name(self, group: int) -> str:
        elastic = self._spanning.elastic[group]
        return self._spanning.bodies[group][0].name if elastic is None else elastic.name

    def tree(self) -> TreeData:
        """Links of all joints, then those without bodies."""
        last = {GROUND_GROUP: -1}
        for edge in self._spanning.edges:
            last[edge.outer] = self._grow(edge, last[edge.inner])
        carrier = {name: last[group] for name, group in self._spanning.group.items()}
        shafts = tuple(
            (loop.joint, self._grow_shaft(loop.joint, carrier)) for loop in self._spanning.loops if loop.geared
        )
        fluids = tuple(fluid_inertias(self._model))
        for item in fluids:
            if carrier[item.place.owner.name] >= 0:
                name = f"{item.name}{PROPELLANT if item.burns else FLUID}"
                steps = [_Step(WELD, 0, 0.0, 0.0, item.place.frame())]
                more = {"fluid": item.matrix, "burns": item.burns}
                self._hang(steps, None, name, carrier[item.place.owner.name], item.place, None, **more)
        armatures = np.zeros(len(self._names))
        armatures[: len(self._armatures)] = self._armatures
        return TreeData(
            self._model.title, tuple(self._links), tuple(self._names), armatures, self._reduced, carrier,
            self._spanning, shafts, fluids,
        )  # fmt: skip

    def _grow(self, edge: Edge, parent: int) -> int:
        """Links of the joint that leads to a group; number of the one that carries it."""
        bodies, elastic, joint = self._spanning.bodies[edge.outer], self._spanning.elastic[edge.outer], edge.joint
        modal = None if elastic is None else self._reduced.bodies[elastic.name]
        more: dict[str, Any] = {"bodies": bodies, "modal": modal}
        if modal is not None:
            more |= {"first_mode": self._first[modal.name, "modes"], "n_modes": modal.n_modes}
        if joint is None:
            origin = bodies[0].com if modal is None else modal.frame[:3, 3]
            steps = [_Step(layout.FREE, self._first[edge.outer], 0.0, 1.0, se3.frame(np.eye(3), origin))]
            return self._hang(steps, None, self._name(edge.outer), parent, None, None, **more)
        inner, outer = (joint.child, joint.parent) if edge.reverse else (joint.parent, joint.child)
        steps = _steps(joint, self._first[joint.name], edge.reverse)
        return self._hang(steps, joint, self._name(edge.outer), parent, inner, outer, **more)

    def _grow_shaft(self, joint: Joint, carrier: dict[str, int]) -> int:
        """Massless links of a joint that moves nothing but its armature."""
        parent = -1 if joint.parent.on_ground else carrier[joint.parent.owner.name]
        steps = _steps(joint, self._first[joint.name], False)
        return self._hang(steps, joint, f"{joint.name}{SHAFT}", parent, joint.parent, None)

    def _hang(
        self, steps: list[_Step], joint: Joint | None, name: str, number: int, inner: Place | None, outer: Place | None,
        **carried: Any,
    ) -> int:  # fmt: skip
        """Add links from link `number` on, the first at a place on it; the last has what is carried, at another."""
        for k, step in enumerate(steps):
            parent, number, last = number, len(self._links), k == len(steps) - 1
            modal = carried.get("modal") if last else None
            carrier = _IDENTITY if parent < 0 else self._links[parent].frame
            place = inner if k == 0 and parent >= 0 else None
            base = seat_on(parent, carrier, step.frame, self._reduced.interface(place))
            frame, own = step.frame, Seat(number, _IDENTITY)
            if modal is not None:
                frame = modal.frame
                own = seat_on(number, frame, step.frame, self._reduced.interface(outer))
            title = name if last or joint is None else f"{joint.name}.{step.freedom}"
            more = carried if last else {}
            self._links.append(
                Link(title, joint, step.kind, step.first, step.slide, step.turn, base, own, frame, **more)
            )
        return number


def _steps(joint: Joint, first: int, reverse: bool) -> list[_Step]:
    """Links of one joint: one per freedom, but one for a weld, a screw, a spherical joint and a free joint."""
    sign, J = -1.0 if reverse else 1.0, joint.frame()
    kind = {"fixed": WELD, "spherical": layout.SPHERICAL, "free": layout.FREE}.get(joint.kind)
    if kind is not None:
        return [_Step(kind, first, 0.0, 0.0 if kind == WELD else sign, J)]
    steps = []
    for index, freedom in enumerate(joint.freedoms):
        turns = freedom.kind == "rotation"
        kind = layout.REVOLUTE if turns and joint.kind != "screw" else layout.SCREW
        slide, turn = (joint.pitch, 1.0) if turns else (1.0, 0.0)
        steps.append(_Step(kind, first + index, slide, turn, _aligned(J, freedom.axis, sign), freedom.name))
    return steps[::-1] if reverse else steps


def _aligned(J: Array, axis: int, sign: float) -> Array:
    """The frame turned so that its z axis is sign times the given one."""
    x, y, z = (J[:3, (axis + k) % 3] for k in (1, 2, 0))
    H = J.copy()
    H[:3, :3] = np.stack([x, y, z] if sign > 0.0 else [y, x, -z], axis=1)
    return H
