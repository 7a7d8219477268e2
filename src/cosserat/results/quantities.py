"""The table of quantities that results answer with: what each is of, components, units, its function of a motion.

`Run` and its relatives, the dataset, and outputs of linear models, which are derivatives of these functions, read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import PlaceError, SolveError, shown
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model.places import find_place
from cosserat.results.beams import section_forces, strains
from cosserat.results.joints import coordinate_rates, coordinates, efforts, reactions
from cosserat.results.kinematics import place_frames, place_rates, place_twists, rotate
from cosserat.results.labels import AXES, SECTION_FORCE, STRAIN, WRENCH
from cosserat.results.mechanism import JointInfo, Mechanism, Station
from cosserat.results.motion import Motion
from cosserat.results.nodal import spring_line, spring_tensions

Evaluate = Callable[[Motion], Array]

OWN = "output"
"""Kind of a quantity of the user's own."""

PLACE, JOINT, BEAM, LINE = "place", "joint", "beam", "line"


class QuantityKind(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    of : "place", "joint", "beam" or "line", which is that of a spring, damper or tendon
    components : words of the components; of joints one for each freedom where there are none
    units : of the components, one for all, or of freedoms for (translation, rotation)
    values : callable
        Values (nt, k) for a motion and a `Station`, a `JointInfo`, a beam and s, or a `SpringNumber`.
    order : int
        Highest time derivative of the motion that it depends on.
    loaded : bool
        Whether reactions or loads enter as well.
    rate : str
        Kind of its time derivative, which is linear in the twists of the motion.
    squares : bool
        Whether it is a polynomial of degree two of the twists, so that two states tell its derivative by one exactly.
    stored : bool
        Whether it is a variable of `Run.data`, where it is of places or joints.
    """

    of: str
    components: tuple[str, ...]
    units: tuple[str, ...]
    values: Callable[..., Array]
    order: int
    loaded: bool = False
    rate: str = ""
    squares: bool = False
    stored: bool = True


def _turns(motion: Motion, station: Station) -> Array:
    """Rotation vectors (nt, 3) from the first of the states on."""
    R = place_frames(motion, station)[0]
    return np.array([so3.log(R_t @ R[0].T) for R_t in R])


def _velocities(motion: Motion, station: Station) -> Array:
    return rotate(place_frames(motion, station)[0], place_twists(motion, station)[:, :3])


def _spins(motion: Motion, station: Station) -> Array:
    return rotate(place_frames(motion, station)[0], place_twists(motion, station)[:, 3:])


def place_changes(motion: Motion, station: Station) -> Array:
    """Velocities and angular velocities (nt, 6), world axes: of a virtual motion, displacements and turns."""
    return np.hstack((_velocities(motion, station), _spins(motion, station)))


def _accelerations(motion: Motion, station: Station) -> Array:
    twist, rate = place_twists(motion, station), place_rates(motion, station)
    return rotate(place_frames(motion, station)[0], rate[:, :3] + np.cross(twist[:, 3:], twist[:, :3]))


def _spin_rates(motion: Motion, station: Station) -> Array:
    return rotate(place_frames(motion, station)[0], place_rates(motion, station)[:, 3:])


class SpringNumber(NamedTuple):
    """A spring, damper or tendon by its number."""

    number: int


_FORCES = ("N", "N", "N", "N m", "N m", "N m")

KINDS: dict[str, QuantityKind] = {
    "position": QuantityKind(PLACE, AXES, ("m",), lambda m, station: place_frames(m, station)[1], 0, rate="velocity"),
    "rotation": QuantityKind(PLACE, ("rx", "ry", "rz"), ("rad",), _turns, 0, rate="angular_velocity", stored=False),
    "velocity": QuantityKind(PLACE, ("vx", "vy", "vz"), ("m/s",), _velocities, 1),
    "angular_velocity": QuantityKind(PLACE, ("wx", "wy", "wz"), ("rad/s",), _spins, 1),
    "acceleration": QuantityKind(PLACE, ("ax", "ay", "az"), ("m/s^2",), _accelerations, 2, stored=False),
    "angular_acceleration": QuantityKind(
        PLACE, ("alphax", "alphay", "alphaz"), ("rad/s^2",), _spin_rates, 2, stored=False
    ),
    "section_force": QuantityKind(BEAM, SECTION_FORCE, _FORCES, section_forces, 2, True, squares=True),
    "strain": QuantityKind(BEAM, STRAIN, ("1", "1", "1", "1/m", "1/m", "1/m"), strains, 2, True, squares=True),
    "coordinate": QuantityKind(JOINT, (), ("m", "rad"), coordinates, 0, rate="rate"),
    "rate": QuantityKind(JOINT, (), ("m/s", "rad/s"), coordinate_rates, 1),
    "effort": QuantityKind(JOINT, (), ("N", "N m"), efforts, 2, True),
    "reaction": QuantityKind(JOINT, WRENCH, _FORCES, reactions, 2, True),
    "length": QuantityKind(
        LINE, ("length",), ("m",), lambda m, x: spring_line(m, x.number).length[:, None], 0, rate="length_rate"
    ),
    "length_rate": QuantityKind(
        LINE, ("length_rate",), ("m/s",), lambda m, x: spring_line(m, x.number).rate[:, None], 1
    ),
    "tension": QuantityKind(LINE, ("tension",), ("N",), lambda m, x: spring_tensions(m, x.number)[:, None], 1, True),
}
"""Word -> what it is. Rotations are counted from the first state; results have them as matrices."""


def called(word: str) -> str:
    """As results and their data call a quantity."""
    return "coordinate_rate" if word == "rate" else word


def spoken(word: str) -> str:
    """As labels call a quantity."""
    return called(word).replace("_", " ")


def questions(of: str) -> list[str]:
    """Quantities of places, joints, beams or lines, as `Run` calls them; rotations are matrices there."""
    return [called(word) for word, row in KINDS.items() if row.of == of and word != "rotation"]


def unit_of(kind: str, component: int, motion: str = "") -> str:
    """Unit of a component; of a freedom that is a "translation" or a "rotation"."""
    row = KINDS[kind]
    if not row.components:
        return row.units[0 if motion == "translation" else 1]
    return row.units[component] if len(row.units) > 1 else row.units[0]


def target_of(mechanism: Mechanism, word: str, item: Any, s: float | None = None) -> tuple[Any, str, int | None]:
    """What a quantity is of, as its function takes it; its label, and the freedom of a joint that is meant, if one is.

    Raises
    ------
    SolveError
        If there is no such quantity.
    """
    if not isinstance(word, str) or word not in KINDS:
        raise SolveError(f"quantity: there is no {shown(word)}; quantities: {', '.join(map(repr, KINDS))}")
    if KINDS[word].of == PLACE:
        return *mechanism.station(item), None
    if KINDS[word].of == JOINT:
        joint, pick = mechanism.joint(item)
        return joint, joint.name, pick
    if KINDS[word].of == LINE:
        name, number = mechanism.spring(item)
        return SpringNumber(number), name, None
    if s is None:
        place = find_place(item, mechanism.owners)
        if place.s is None:
            raise SolveError(f"quantity: {word!r} is of a place of a beam, such as 'arm.at(0.5)'; {item!r} is none")
        item, s = place.owner.name, place.s
    name, _ = mechanism.beam(item)
    if not isinstance(s, Real) or not 0.0 <= float(s) <= 1.0:
        raise PlaceError(f"beam {name!r}: s is {s!r}; it runs from 0 at the start of the beam to 1 at its end")
    return (name, s), f"{name} at s = {float(s):g}", None


@dataclass(frozen=True)
class Quantity:
    """A quantity of something: an output, or several that belong together.

    Attributes
    ----------
    kind : a word of `KINDS`, or "output"
    names : of all components
    target : Station, JointInfo, (beam, s), SpringNumber, or a quantity of the user's own
    pick : numbers of the components that are meant, None: all
    """

    kind: str
    names: tuple[str, ...]
    target: Any
    pick: tuple[int, ...] | None = None

    @property
    def units(self) -> tuple[str, ...]:
        """Of all components."""
        if self.kind == OWN:
            return (self.target.unit,)
        if KINDS[self.kind].components:
            return tuple(unit_of(self.kind, k) for k in range(len(self.names)))
        return tuple(unit_of(self.kind, 0, motion) for motion in self.target.kinds)

    @property
    def order(self) -> int:
        """Highest time derivative of the motion that it depends on."""
        return 2 if self.kind == OWN else KINDS[self.kind].order

    @property
    def loaded(self) -> bool:
        """Whether reactions or loads enter."""
        return self.kind == OWN or KINDS[self.kind].loaded

    @property
    def rate(self) -> Quantity | None:
        """Its time derivative, where that is linear in twists."""
        word = "" if self.kind == OWN else KINDS[self.kind].rate
        return replace(self, kind=word) if word else None

    @property
    def linear(self) -> bool:
        """Whether it is linear in twists."""
        return any(row.rate == self.kind for row in KINDS.values())

    @property
    def joint(self) -> JointInfo | None:
        """The joint it is of."""
        return self.target if isinstance(self.target, JointInfo) else None

    def values(self, here: Motion) -> Evaluate:
        """Values (nt, p) of all components for a motion; rotations are counted from `here`."""
        if self.kind == OWN:
            return self.target.values
        if self.kind == "rotation":
            R_0 = place_frames(here, self.target)[0][0]
            return lambda motion: np.array([so3.log(R @ R_0.T) for R in place_frames(motion, self.target)[0]])
        function = KINDS[self.kind].values
        return lambda motion: np.asarray(function(motion, self.target))

    def seen_in(self, mechanism: Mechanism) -> Quantity:
        """The same quantity of the same mechanism with other parameters or inputs."""
        return self if self.joint is None else replace(self, target=mechanism.joints[self.joint.name])

    def nodes(self, mechanism: Mechanism) -> list[int] | None:
        """Nodes whose motion it depends on; None: all."""
        pair: tuple[int, ...]
        if isinstance(self.target, Station):
            pair = (self.target.node, self.target.other)
        elif isinstance(self.target, SpringNumber):
            springs, k = mechanism.system.springs, self.target.number
            pair = tuple(springs.node[springs.start[k] : springs.start[k + 1]].tolist())
        elif isinstance(self.target, JointInfo):
            pair = tuple(mechanism.system.joints.node[self.target.index].tolist())
        elif isinstance(self.target, tuple):
            pair = tuple(mechanism.system.elements.node[mechanism.beams[self.target[0]].element_at(self.target[1])[0]])
        else:
            return None
        return [int(node) for node in dict.fromkeys(pair) if node < mechanism.n_nodes]

    @property
    def picked(self) -> list[int]:
        """Numbers of the components that are meant."""
        return list(range(len(self.names))) if self.pick is None else list(self.pick)
