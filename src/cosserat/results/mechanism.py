"""What results need to know of a mechanism: arrays, names, places and joints; from a compiled model or from a file."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel, System, row_to_frame
from cosserat.compile.joints import silent
from cosserat.compile.loads import dead_shares
from cosserat.compile.media import CompiledMedium
from cosserat.compile.mesh import BeamMesh, beam_matrices, node_layout
from cosserat.compile.rows import ActiveFreedom, freedom_geometry
from cosserat.errors import ModelError, PlaceError, shown
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.forces import LineForce
from cosserat.model.joints import Joint
from cosserat.model.modal import ModalBody
from cosserat.model.modal_inertia import Outline, RecoveryPoint
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Owner, Place, find_place
from cosserat.model.rolling import Rolling

Found = TypeVar("Found")


class Station(NamedTuple):
    """Where a place sits: in the frame of one node (frame given), or between two (fraction of the way)."""

    node: int
    other: int
    fraction: float
    frame: Array | None


def at_node(node: int) -> Station:
    """A node itself as a place."""
    return Station(node, node, 0.0, np.eye(4))


@dataclass(frozen=True)
class JointInfo:
    """A joint as results see it."""

    name: str
    index: int
    kind: str
    freedoms: tuple[ActiveFreedom, ...]
    names: tuple[str, ...]  # of the freedoms
    kinds: tuple[str, ...]  # "translation" or "rotation"
    driven: tuple[bool, ...]
    active: tuple[int, ...]  # row of each freedom in the arrays of freedoms, -1: none
    counted: tuple[int, ...]  # column of each freedom in the stored angles, -1: none

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates: its own, or joint.freedom if it has several."""
        return (self.name,) if len(self.names) == 1 else tuple(f"{self.name}.{freedom}" for freedom in self.names)


class LineLoad(NamedTuple):
    """A distributed load on the elements of a beam."""

    columns: NDArray[np.int64]  # (ne,) in the sampled wrenches
    follower: bool
    spread: Array  # (ne, 2, 6, 6) nodal wrenches of a unit load


class ModalInfo(NamedTuple):
    """A modal body as results see it: nodes of its floating frame and interfaces, and points of recovery."""

    frame: int
    interfaces: dict[str, int]
    recovery: dict[str, RecoveryPoint]
    outline: Outline

    @property
    def nodes(self) -> list[int]:
        """Its interfaces, with its floating frame before a single one: a line that shows where it is."""
        ends = list(self.interfaces.values())
        return ends if len(ends) > 1 else [self.frame, *ends]


@dataclass(frozen=True)
class Mechanism:
    """Arrays and names of a mechanism."""

    name: str

    system: System
    frames: Array  # (n+1, 12) reference configuration
    bodies: dict[str, int]
    beams: dict[str, BeamMesh]
    joints: dict[str, JointInfo]
    rolling: dict[str, int]  # knife edge or rolling disc -> its number
    springs: dict[str, int]  # spring, damper or tendon -> its number
    owners: Mapping[str, Owner]
    length: float  # typical length of an element or body
    line_loads: Callable[[str], list[LineLoad]]  # of a beam
    compliance: Callable[[str, float], Array]  # of the section of a beam at s, (6, 6)
    media: Callable[[], dict[str, CompiledMedium]]  # by beam, those that are not quadratic
    modal: dict[str, ModalInfo]  # by modal body, in floating frames

    @property
    def n_nodes(self) -> int:
        """Number of nodes, without the ground."""
        return len(self.frames) - 1

    def opened(self, names: Collection[str]) -> Mechanism:
        """The mechanism while joints and springs of these names are open."""
        joints = [self.joints[name].index for name in names if name in self.joints]
        springs = [self.springs[name] for name in names if name in self.springs]
        return replace(self, system=silent(self.system, joints, springs))

    @functools.cached_property
    def layout(self) -> tuple[Any, ...]:
        """What its nodes are, see `node_layout`."""
        return node_layout(self.bodies, self.beams)

    def station(self, target: Any) -> tuple[Station, str]:
        """Where a place is, and its label; a located error for what does not exist."""
        if isinstance(target, ModalBody) and target.name in self.modal:
            target = target.name
        place = find_place(target, self.owners)
        name = place.owner.name
        if name in self.modal:
            info = self.modal[name]
            node = info.frame if place.interface is None else info.interfaces[place.interface]
            return at_node(node), place.label
        if name in self.bodies:
            node = self.bodies[name]
            frame = np.eye(4)
            if place.point is not None:
                H = row_to_frame(self.frames[node])
                frame[:3, 3] = se3.inverse(H)[:3, :3] @ (place.point - H[:3, 3])
            return Station(node, node, 0.0, frame), place.label
        if name in self.beams:
            return self.beam_station(name, 0.0 if place.s is None else place.s), place.label
        if place.on_ground:
            return Station(self.n_nodes, self.n_nodes, 0.0, place.frame()), place.label
        listed = ", ".join(repr(n) for n in self.owners)
        raise PlaceError(f"the place {place.label!r} belongs to another model; bodies of this one: {listed}")

    def beam_station(self, name: str, s: float) -> Station:
        """Where a section of a beam is."""
        mesh = self.beams[name]
        node = mesh.node_at(s)
        if node is not None:
            return at_node(node)
        element, fraction = mesh.element_at(s)
        a, b = mesh.pairs[element - mesh.first_element]
        return Station(int(a), int(b), fraction, None)

    def beam(self, target: Any) -> tuple[str, BeamMesh]:
        """Name and mesh of a beam given by name or as an object."""
        return _found(target, "beam", "beams", self.beams)

    def spring(self, target: Any) -> tuple[str, int]:
        """Name and number of a spring, damper or tendon given by name or as an object."""
        return _found(target, "spring or tendon", "springs and tendons", self.springs)

    def modal_body(self, target: Any) -> tuple[str, ModalInfo]:
        """Name and nodes of a modal body given by name or as an object."""
        return _found(target, "modal body", "modal bodies", self.modal)

    def joint(self, target: Any) -> tuple[JointInfo, int | None]:
        """A joint given by name or as an object, and the freedom if the name has one (``"slider.x"``)."""
        name = target.name if isinstance(target, Joint) else target
        if isinstance(name, str) and name in self.joints:
            return self.joints[name], None
        if isinstance(name, str) and "." in name:
            owner, freedom = name.rsplit(".", 1)
            if owner in self.joints and freedom in self.joints[owner].names:
                return self.joints[owner], self.joints[owner].names.index(freedom)
            if owner in self.joints:
                names = ", ".join(self.joints[owner].names) or "none"
                raise ModelError(f"joint {owner!r}: no freedom {freedom!r}; its freedoms: {names}")
        known = ", ".join(map(repr, self.joints)) or "none"
        raise ModelError(f"unknown joint {shown(name)}; joints of the model: {known}")

    def rolls(self, target: Any) -> int | None:
        """Number of a knife edge or rolling disc given by name or as an object; None if it is neither."""
        name = target.name if isinstance(target, Rolling) else target
        return self.rolling.get(name) if isinstance(name, str) else None


def _found(target: Any, word: str, words: str, table: Mapping[str, Found]) -> tuple[str, Found]:
    """Name and entry of a thing given by name or as an object, or an error that lists those there are."""
    name = target.name if isinstance(target, (Owner, LineForce)) else target
    if not isinstance(name, str) or name not in table:
        known = ", ".join(map(repr, table)) or "none"
        raise ModelError(f"unknown {word} {shown(name)}; {words} of the model: {known}")
    return name, table[name]


def mechanism_of(compiled: CompiledModel) -> Mechanism:
    """The mechanism of a compiled model."""
    positions = {(name, active.index): k for k, (name, active) in enumerate(compiled.freedoms)}
    n_active = len(compiled.system.freedoms.joint)
    joints = {}
    for k, item in enumerate(compiled.joints):
        joint = item.joint
        if joint is None:
            continue
        indices = range(len(joint.freedoms))
        columns = tuple(positions.get((joint.name, i), -1) for i in indices)
        joints[joint.name] = JointInfo(
            name=joint.name,
            index=k,
            kind=joint.kind,
            freedoms=tuple(freedom_geometry(joint, i) for i in indices),
            names=tuple(f.name for f in joint.freedoms),
            kinds=tuple(f.kind for f in joint.freedoms),
            driven=tuple(m is not None for m in joint.motion),
            active=tuple(k if k < n_active else -1 for k in columns),
            counted=columns,
        )
    model = compiled.model.snapshot()
    owners: dict[str, Owner] = {body.name: body for body in model.bodies}
    owners.update({beam.name: beam for beam in model.beams})
    modal = {}
    for body in model.modal_bodies:
        nodes = compiled.modal[body.name]
        modal[body.name] = ModalInfo(nodes.frame, nodes.interfaces, body.recovery, body.outline)
    owners.update({name: StoredModal(name, tuple(info.interfaces)) for name, info in modal.items()})

    # as they are now: a parameter that is set later does not change what was computed
    beams = {b.name: copy.deepcopy(b) if next(b.parameters(), None) is not None else b for b in model.beams}

    def line_loads(name: str) -> list[LineLoad]:
        mesh = compiled.beams[name]
        found = []
        turning = len(compiled.system.line_loads.element) > 0  # then follower loads and moments are there
        for k, load in enumerate(model.distributed_loads):
            if load.beam.name == name and not (turning and load.follower):
                matrices, _, _ = beam_matrices(beams[name], mesh)
                towards = dead_shares(matrices.towards) if turning else matrices.towards
                if load.name in compiled.line_columns:
                    columns = compiled.line_columns[load.name]
                    found += [LineLoad(columns[:, side], bool(load.follower), towards[:, side]) for side in range(2)]
                    continue
                column = np.full(len(mesh.pairs), len(model.loads) + k, dtype=np.int64)
                found.append(LineLoad(column, bool(load.follower), towards.sum(axis=1)))
        return found

    def compliance(name: str, s: float) -> Array:
        return np.asarray(np.linalg.inv(beams[name].section_at(s)[0]))

    return Mechanism(
        name=model.name,
        system=compiled.system,
        frames=compiled.frames,
        bodies=compiled.bodies,
        beams=compiled.beams,
        joints=joints,
        rolling={item.name: k for k, item in enumerate(compiled.rolling)},
        springs={item.name: k for k, item in enumerate(model.springs)},
        owners=owners,
        length=compiled.length,
        line_loads=functools.cache(line_loads),
        compliance=compliance,
        media=lambda: compiled.media,
        modal=modal,
    )


class StoredOwner(Owner):
    """A body or beam of which only the discrete mechanism is known, read from a file."""

    def __init__(self, name: str, frame: Array | None) -> None:
        self.name = name
        self._frame = frame  # of a rigid body; None: a beam

    def frame_at(self, place: Place) -> Array:
        """Reference frame of a place on a rigid body."""
        H = np.eye(4) if self._frame is None else self._frame.copy()
        if place.point is not None:
            H[:3, 3] = place.point
        return H

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
        """The place of that name, as on the original body."""
        if self._frame is not None:
            if word is None:
                return Place(self)
            return Place(self, point=numbers) if word == "at" and numbers is not None and len(numbers) == 3 else None
        if word in ("start", "end") and numbers is None:
            return Place(self, s=0.0 if word == "start" else 1.0)
        if word != "at" or numbers is None or len(numbers) != 1:
            return None
        if not 0.0 <= resolve(numbers[0]) <= 1.0:
            raise PlaceError(f"beam {self.name!r}: at({numbers[0]!r}) is not on the beam; s runs from 0 to 1")
        return Place(self, s=numbers[0])

    def place_names(self) -> str:
        """The places it has, for error messages."""
        if self._frame is None:
            return "'start', 'end', 'at(s)'"
        return f"{self.name!r}, '{self.name}.at(x, y, z)'"


class StoredModal(Owner):
    """A modal body of which results know the floating frame, which its name stands for, and the interfaces."""

    def __init__(self, name: str, interfaces: tuple[str, ...]) -> None:
        self.name = name
        self._interfaces = interfaces

    def frame_at(self, place: Place) -> Array:
        """Refused: results know the frames of nodes over time, not the shape they were reduced from."""
        raise PlaceError(
            f"modal body {self.name!r}: results keep no reference frame of {place.label!r}; ask the run for its "
            "position or rotation at the first time, or the model for the place"
        )

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
        """The floating frame, or an interface."""
        if numbers is not None or (word is not None and word not in self._interfaces):
            return None
        return Place(self, interface=word)

    def place_names(self) -> str:
        """The places it has, for error messages."""
        return ", ".join(repr(name) for name in (self.name, *self._interfaces))
