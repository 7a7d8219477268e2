"""A tree of rigid and elastic links in relative coordinates from a model.

Coordinates are those of the joints in the model's order, six for every body that no joint ties to the ground, then the
modal coordinates of every elastic body. Each `Beam` becomes a modal body whose floating frame sits where the joint that
leads to the ground is attached; without such a joint, at the first place where something acts on it. Where it carries
something elsewhere, static shapes for that place belong to its modes: modes of a cantilever, which end without moment,
converge badly there.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_arrays import FlexibleArrays
from cosserat.compile.fluid_links import fluid_inertias
from cosserat.compile.line_loads import loaded_stations
from cosserat.compile.modal import modal_body
from cosserat.compile.reduction import BOUNDARIES
from cosserat.compile.seats import Seat, seat_on
from cosserat.compile.spanning import GROUND_GROUP, Edge, Loop, Spanning, span
from cosserat.compile.tree import (
    FREE_BASE,
    armatures,
    inertia_about,
    joint_links,
    named_coordinates,
    prescribed_coordinates,
)
from cosserat.errors import CosseratWarning, ModelError
from cosserat.kernels.flexible.arrays import WELD
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.functions import TimeFunction
from cosserat.model.interfaces import Interface
from cosserat.model.joints import Joint
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.nodes import stations_of
from cosserat.model.places import Place

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAME = 1e-9
PROPELLANT = ".propellant"
SHAFT = ".shaft"  # how names of links end that only carry the armature of a joint
FLUID = ".fluid"  # how names of links end that stand for what moves of a fluid


@dataclass(frozen=True)
class FlexibleLink:
    """A rigid group, an elastic body, or a massless intermediate of a joint with several freedoms."""

    name: str
    joint: Joint | None
    kind: int  # of `kernels.recursion.table`, or WELD
    turn: float  # see `kernels.recursion.table`: TURN
    slide: float
    base: Seat  # where its joint sits on the parent
    own: Seat  # the joint frame on its own side
    frame: Array  # (4, 4) its frame (floating, if elastic) in world coordinates of the reference configuration
    axes: Array  # (6, k) relative twists of its freedoms in the joint frame on its own side
    columns: Ints  # (k + m,) its coordinates: of the joint, then modal
    inertia: Array  # (6, 6) of a rigid link
    modal: ModalBody | None
    burns: bool = False

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates."""
        return 0 if self.modal is None else self.modal.n_modes

    @property
    def is_fluid(self) -> bool:
        """Whether it is no body, but what moves of a fluid, or propellant."""
        return self.joint is None and self.kind == WELD

    @property
    def freedoms(self) -> list[int]:
        """Coordinates of its joint."""
        return [int(k) for k in self.columns[: len(self.columns) - self.n_modes]]


@dataclass(frozen=True)
class FlexibleTreeData:
    """Links of a model, parents before children."""

    title: str
    links: tuple[FlexibleLink, ...]
    coordinates: tuple[str, ...]
    modal_bodies: dict[str, ModalBody]
    carrier: dict[str, int]  # body -> link, -1 where it is fixed to the ground
    stations: dict[str, dict[str, float]]  # beam -> interface -> s
    loops: tuple[Loop, ...] = ()  # joints that were cut: they have no coordinates
    shafts: tuple[tuple[Joint, int], ...] = ()  # joints that were cut behind their armature, and the link they end in

    @functools.cached_property
    def arrays(self) -> FlexibleArrays:
        """The links as kernels read them."""
        return FlexibleArrays(self.links, armatures(self.coordinates, self.links))

    @functools.cached_property
    def named(self) -> dict[str, tuple[int, ...]]:
        """Places among the coordinates by the names of joints, free bases and single coordinates."""
        return named_coordinates(self.coordinates, self.links)

    @functools.cached_property
    def prescribed(self) -> tuple[tuple[int, Joint, TimeFunction], ...]:
        """Coordinates with a motion in the model: place, joint, motion."""
        return prescribed_coordinates(self.coordinates, self.links)

    def modal(self, link: int, q: Array) -> Array:
        """Modal coordinates (m,) of a link."""
        columns = self.links[link].columns
        return q[columns[len(columns) - self.links[link].n_modes :]]

    def parts(self, z: Array) -> list[Array]:
        """Views (6 + m,) of each link's part of an array (n_z,)."""
        ends = np.cumsum([6 + link.n_modes for link in self.links])
        return np.split(z, ends[:-1])

    def seat(self, place: Place) -> Seat:
        """Where a place is carried; raises if it is on an elastic body and no interface."""
        if place.on_ground:
            return Seat(-1, place.frame())
        link = self.carrier[place.owner.name]
        carrier = np.eye(4) if link < 0 else self.links[link].frame
        return seat_on(link, carrier, place.frame(), _interface(self.modal_bodies, self.stations, place))


def compile_flexible_tree(
    model: Model,
    modes: Any = None,
    boundary: Any = None,
    stiffening: bool = True,
    stations: dict[str, list[float]] | None = None,
    call: str = "FlexibleTree",
    cut: bool = False,
) -> FlexibleTreeData:
    """Links and coordinates of a model; arguments as those of `FlexibleTree`.

    `stations`: further places on beams. `cut`: open closed loops at one of their joints rather than raise.
    """
    if not isinstance(model, Model):
        raise ModelError(f"{call}: expected a Model, got {model!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)  # a body that nothing moves still has coordinates
        model.validate()
    _check_choices(call, model, modes=modes, boundary=boundary)
    checks.flag(call, "stiffening", stiffening)
    spanning = span(model)
    if not cut:
        spanning.demand_tree(model.title)
    if not spanning.edges:
        raise ModelError(f"{call}: {model.title}: every body is fixed to the ground; there is nothing that moves")
    used, apart = _used(model), _used(model, spread=False)
    more = stations or loaded_stations(model, used)
    places = {name: _stations([*found, *more.get(name, [])]) for name, found in used.items()}
    above = {edge.outer: edge for edge in spanning.edges}
    bodies = {body.name: body for body in model.modal_bodies}
    for beam in model.beams:
        edge = above[spanning.group[beam.name]]
        count, kind = _choice(call, "modes", modes, beam), _choice(call, "boundary", boundary, beam)
        acting = tuple(
            key for key, s in places[beam.name].items() if any(abs(s - at) <= _SAME for at in apart[beam.name])
        )
        bodies[beam.name] = _reduced(call, beam, count, kind, stiffening, places[beam.name], edge, acting)
    return _links(model, spanning, bodies, places)


def linked_again(model: Model, like: FlexibleTreeData) -> FlexibleTreeData:
    """Links of a model with the elastic bodies of another that has the same bodies and beams, reduced before."""
    return _links(model, span(model), like.modal_bodies, like.stations)


def _used(model: Model, spread: bool = True) -> dict[str, list[float]]:
    """Where something is attached to each beam; also where laws that are spread along it act, if `spread`."""
    return stations_of(model, [law for law in model.state_loads if spread or not law.spread])


def _stations(wanted: list[float]) -> dict[str, float]:
    """Interfaces by name: the ends, and what is wanted besides."""
    out = {"start": 0.0, "end": 1.0}
    for s in wanted:
        if all(abs(s - other) > _SAME for other in out.values()):
            out[f"station{len(out) - 1}"] = s
    return out


def _check_choices(call: str, model: Model, **choices: Any) -> None:
    beams = [beam.name for beam in model.beams]
    for argument, given in choices.items():
        for name in given if isinstance(given, dict) else ():
            if name in (body.name for body in model.modal_bodies):
                raise ModelError(f"{call}: {argument} names {name!r}, a modal body, which has modes of its own")
            if name not in beams:
                known = ", ".join(map(repr, beams)) or "none"
                raise ModelError(f"{call}: {argument} names {name!r}, which is no beam; beams of the model: {known}")


def _choice(call: str, argument: str, given: Any, beam: Beam) -> Any:
    """What was given for a beam, by itself or in a dictionary by beams."""
    if not isinstance(given, dict):
        return given
    if beam.name not in given:
        known = ", ".join(map(repr, given))
        raise ModelError(f"{call}: {argument} says nothing of the beam {beam.name!r}; it has {known}")
    return given[beam.name]


def _reduced(
    call: str,
    beam: Beam,
    modes: Any,
    boundary: Any,
    stiffening: bool,
    stations: dict[str, float],
    edge: Edge,
    acting: tuple[str, ...],
) -> ModalBody:
    if modes is None:
        raise ModelError(f"{call}: {beam.title}: pass modes=, the number of modes of each beam, such as modes=6")
    root = None
    if edge.joint is not None:
        s = (edge.joint.parent if edge.reverse else edge.joint.child).s
        assert s is not None
        root = _station(stations, s)
    elif acting:
        root = acting[0]  # modes of the free beam, which end without moment and shear force, converge badly there
    if boundary is None and root is None:
        boundary = "free"
    elif boundary is None:
        boundary = "craig-bampton" if set(acting) - {root} else "cantilever"
    if not isinstance(boundary, str) or boundary not in BOUNDARIES:
        raise ModelError(f"{call}: boundary is {boundary!r}; choose one of {', '.join(map(repr, BOUNDARIES))}")
    interfaces = {key: s for key, s in stations.items() if key not in ("start", "end")}
    return modal_body(
        beam, modes, boundary=boundary, root=root if boundary != "free" else None, interfaces=interfaces,
        stiffening=stiffening, static=acting,
    )  # fmt: skip


def _station(stations: dict[str, float], s: float) -> str:
    return next(key for key, at in stations.items() if abs(at - s) <= _SAME)


def _interface(
    bodies: dict[str, ModalBody], stations: dict[str, dict[str, float]], place: Place
) -> Interface | None:  # fmt: skip
    name = place.owner.name
    if name not in bodies:
        return None
    if place.s is None:
        return None if place.interface is None else bodies[name].interfaces[place.interface]
    found = [key for key, s in stations[name].items() if abs(s - place.s) <= _SAME]
    if not found:
        raise ModelError(
            f"the place {place.label!r} is no interface of the modal body made of {name!r}, which has s = "
            f"{', '.join(f'{s:g}' for s in stations[name].values())}; a cs.Force there, be it zero, makes it one"
        )
    return bodies[name].interfaces[found[0]]


def _links(
    model: Model, spanning: Spanning, bodies: dict[str, ModalBody], places: dict[str, dict[str, float]]
) -> FlexibleTreeData:
    cut = {loop.joint.name for loop in spanning.loops if not loop.geared}
    kept = [joint for joint in model.joints if joint.name not in cut]
    names = [name for joint in kept for name in joint.coordinates]
    first = {}
    for joint in kept:
        first[joint.name] = names.index(joint.coordinates[0]) if joint.coordinates else 0
    groups = {edge.outer: spanning.bodies[edge.outer] for edge in spanning.edges}
    base_first = {}
    for edge in spanning.edges:
        if edge.joint is None:
            base_first[edge.outer] = len(names)
            names += [f"{_name(spanning, edge.outer)}.{freedom}" for freedom in FREE_BASE]
    mode_first = {}
    for name, body in bodies.items():
        mode_first[name] = len(names)
        names += [f"{name}.mode{k + 1}" for k in range(body.n_modes)]
    links: list[FlexibleLink] = []
    last = {GROUND_GROUP: -1}
    for edge in spanning.edges:
        elastic = spanning.elastic[edge.outer]
        modal = None if elastic is None else bodies[elastic.name]
        at = base_first[edge.outer] if edge.joint is None else first[edge.joint.name]
        parent = last[edge.inner]
        steps = _steps(edge, at, modal, groups[edge.outer], _name(spanning, edge.outer))
        for k, (kind, column, slide, turn, J) in enumerate(steps):
            final = k == len(steps) - 1
            carried = modal if final else None
            frame = J if carried is None else carried.frame
            outer_side = inner_side = None
            if edge.joint is not None:
                inner, outer = edge.joint.parent, edge.joint.child
                if edge.reverse:
                    inner, outer = outer, inner
                outer_side = _interface(bodies, places, outer) if final else None
                inner_side = _interface(bodies, places, inner) if k == 0 and parent >= 0 else None
            carrier = np.eye(4) if parent < 0 else links[parent].frame
            axes = _axes(kind, slide, turn)
            columns = [column + i for i in range(axes.shape[1])]
            if carried is not None:
                columns += [mode_first[carried.name] + i for i in range(carried.n_modes)]
            name = _name(spanning, edge.outer) if final else f"{_name(spanning, edge.outer)}.{k}"
            link = FlexibleLink(
                name, edge.joint, kind, turn, slide, seat_on(parent, carrier, J, inner_side),
                seat_on(len(links), frame, J, outer_side), frame, axes, np.array(columns, dtype=np.int64),
                _inertia(groups[edge.outer] if final and carried is None else (), frame), carried,
            )  # fmt: skip
            links.append(link)
            parent = len(links) - 1
        last[edge.outer] = parent
    carrier_of = {name: last[group] for name, group in spanning.group.items()}
    shafts: list[tuple[Joint, int]] = []
    for joint in (loop.joint for loop in spanning.loops if loop.geared):
        links += _shaft_links(joint, first[joint.name], carrier_of, links, bodies, places)
        shafts.append((joint, len(links) - 1))
    links += _fluid_links(model, carrier_of, links, bodies, places)
    cut_joints = tuple(loop for loop in spanning.loops if not loop.geared)
    return FlexibleTreeData(
        model.title, tuple(links), tuple(names), bodies, carrier_of, places, cut_joints, tuple(shafts)
    )  # fmt: skip


def _shaft_links(
    joint: Joint,
    first: int,
    carrier: dict[str, int],
    links: list[FlexibleLink],
    bodies: dict[str, ModalBody],
    places: dict[str, dict[str, float]],
) -> list[FlexibleLink]:
    """Massless links of a joint that moves nothing but its armature."""
    parent = -1 if joint.parent.on_ground else carrier[joint.parent.owner.name]
    out: list[FlexibleLink] = []
    for step in joint_links(Edge(joint, 0, 0, False), first, f"{joint.name}{SHAFT}", (), -1, 0):
        J, number = step.frame, len(links) + len(out)
        frame, side = (out[-1].frame if out else np.eye(4)), None
        if not out and parent >= 0:
            frame, side = links[parent].frame, _interface(bodies, places, joint.parent)
        columns, axes = np.array([step.first], dtype=np.int64), _axes(step.kind, step.slide, step.turn)
        base, own = seat_on(parent, frame, J, side), seat_on(number, J, J, None)
        out.append(
            FlexibleLink(
                step.name, joint, step.kind, step.turn, step.slide, base, own, J, axes, columns, np.zeros((6, 6)), None
            )
        )  # fmt: skip
        parent = number
    return out


def _fluid_links(
    model: Model,
    carrier: dict[str, int],
    links: list[FlexibleLink],
    bodies: dict[str, ModalBody],
    places: dict[str, dict[str, float]],
) -> list[FlexibleLink]:
    """Welded links of the fluid that moves with places."""
    out: list[FlexibleLink] = []
    for item in fluid_inertias(model):
        parent = carrier[item.place.owner.name]
        if parent < 0:
            continue
        J, number = item.place.frame(), len(links) + len(out)
        base = seat_on(parent, links[parent].frame, J, _interface(bodies, places, item.place))
        none = np.zeros(0, dtype=np.int64)
        name = f"{item.name}{PROPELLANT if item.burns else FLUID}"
        out.append(
            FlexibleLink(
                name, None, WELD, 0.0, 0.0, base, Seat(number, np.eye(4)), J, np.zeros((6, 0)), none, item.matrix, None,
                item.burns,
            )
        )  # fmt: skip
    return out


def _name(spanning: Spanning, group: int) -> str:
    elastic = spanning.elastic[group]
    return spanning.bodies[group][0].name if elastic is None else elastic.name


def _steps(
    edge: Edge, first: int, modal: ModalBody | None, bodies: tuple[RigidBody, ...], name: str
) -> list[tuple[int, int, float, float, Array]]:
    """Kind, first coordinate, slide, turn and joint frame of every link of one joint."""
    if edge.joint is None:
        origin = bodies[0].com if modal is None else modal.frame[:3, 3]
        return [(layout.FREE, first, 0.0, 1.0, se3.frame(np.eye(3), origin))]
    if edge.joint.kind == "fixed":
        return [(WELD, first, 0.0, 0.0, edge.joint.frame())]
    links = joint_links(edge, first, name, bodies, -1, 0)
    return [(link.kind, link.first, link.slide, link.turn, link.frame) for link in links]


def _axes(kind: int, slide: float, turn: float) -> Array:
    if kind == WELD:
        return np.zeros((6, 0))
    if kind == layout.FREE:
        return np.eye(6)
    if kind == layout.SPHERICAL:
        return np.eye(6)[:, 3:]
    return np.array([[0.0, 0.0, slide, 0.0, 0.0, turn]]).T


def _inertia(bodies: tuple[RigidBody, ...], frame: Array) -> Array:
    """Spatial inertia (6, 6) about the origin of a frame, in its axes."""
    M = np.zeros((6, 6))
    for body in bodies:
        m, moment, J = inertia_about(body, frame)
        s = so3.hat(moment)
        M[:3, :3] += m * np.eye(3)
        M[:3, 3:] -= s
        M[3:, :3] += s
        M[3:, 3:] += J
    return M
