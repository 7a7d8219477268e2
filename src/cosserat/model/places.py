"""Places: points with a frame on rigid bodies, on beams and on the ground, as objects or as text."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from cosserat.errors import PlaceError
from cosserat.model import checks
from cosserat.model.jets import Array

_TEXT = re.compile(r"\s*([^.()]+?)\s*(?:\.\s*([^.()]+?)\s*(?:\((.*)\))?)?\s*")


class Owner(ABC):
    """What can carry a place: a rigid body, a beam, the ground."""

    name: str

    @abstractmethod
    def frame_at(self, place: "Place") -> Array:
        """Reference frame (4, 4) at one of its places."""

    @abstractmethod
    def place(self, word: str | None, numbers: tuple[float, ...] | None) -> "Place | None":
        """The place called ``name``, ``name.word`` or ``name.word(numbers)``; None if there is none."""

    @abstractmethod
    def place_names(self) -> str:
        """The places it has, for error messages."""


class Place:
    """A frame fixed to a body.

    Attributes
    ----------
    owner : RigidBody, Beam or Ground
    s : float or None
        Position along a beam, 0 at its start, 1 at its end.
    point : (3,) array or None
        Point of a rigid body or of the ground, in world coordinates of the reference configuration;
        None for the centre of mass of a body, and for the ground as a whole.
    """

    __slots__ = ("label", "owner", "point", "s")

    def __init__(self, owner: Owner, s: float | None = None, point: Any = None, label: str | None = None) -> None:
        self.owner = owner
        self.s = s
        self.point: Array | None = None if point is None else np.array(point, float)
        if label is None:
            label = owner.name
            if self.point is not None:
                label += f".at({', '.join(_short(x) for x in self.point)})"
            elif s is not None:
                label += {0.0: ".start", 1.0: ".end"}.get(s, f".at({_short(s)})")
        self.label = label

    def frame(self) -> Array:
        """Reference frame H (4, 4): orientation of the body (world axes on the ground) and position of the point."""
        return self.owner.frame_at(self)

    @property
    def position(self) -> Array:
        """Position (3,) in the reference configuration, in world coordinates."""
        return self.frame()[:3, 3]

    @property
    def on_ground(self) -> bool:
        return isinstance(self.owner, Ground)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        mine = None if self.point is None else self.point.tolist()
        theirs = None if other.point is None else other.point.tolist()
        return (self.owner.name, self.s, mine) == (other.owner.name, other.s, theirs)

    def __hash__(self) -> int:
        return hash((self.owner.name, self.s))

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"<place {self.label!r}>"


class Ground(Owner):
    """The immovable body. As a place it stands for whichever point of the ground is wanted."""

    name = "ground"

    def at(self, point: Any) -> Place:
        """The place at a point (3,) in world coordinates."""
        return Place(self, point=checks.array("ground", "at", point, (3,), "GROUND.at((0, 0, 1))"))

    def frame_at(self, place: Place) -> Array:
        H = np.eye(4)
        if place.point is not None:
            H[:3, 3] = place.point
        return H

    def place(self, word: str | None, numbers: tuple[float, ...] | None) -> Place | None:
        if word is None:
            return Place(self)
        return self.at(numbers) if word == "at" and numbers is not None and len(numbers) == 3 else None

    def place_names(self) -> str:
        return "'ground', 'ground.at(x, y, z)'"

    def __copy__(self) -> "Ground":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Ground":
        return self

    def __reduce__(self) -> str:
        return "GROUND"

    def __repr__(self) -> str:
        return "GROUND"


GROUND = Ground()


def find_place(target: Any, owners: Mapping[str, Owner], where: str = "") -> Place:
    """A `Place` from a place, a body, or text such as ``"arm1.end"``, ``"arm1.at(0.5)"``, ``"hub"``, ``"ground"``."""
    prefix = f"{where}: " if where else ""
    if isinstance(target, Place):
        return target
    if isinstance(target, Owner):
        found = target.place(None, None)
        if found is None:
            raise PlaceError(
                f"{prefix}{target.name!r} is not one place; say where: frames of {target.name!r}: "
                f"{target.place_names()}"
            )
        return found
    if not isinstance(target, str):
        raise PlaceError(
            f"{prefix}{target!r} is not a place; pass beam.start, beam.end, beam.at(s), body.at((x, y, z)), "
            "GROUND, or text such as 'arm1.end'"
        )
    match = _TEXT.fullmatch(target)
    name = match.group(1) if match else target
    if name == GROUND.name:
        owner: Owner = GROUND
    elif name in owners:
        owner = owners[name]
    else:
        _unknown_owner(prefix, target, name, owners)
    assert match is not None
    word, inside = match.group(2), match.group(3)
    numbers = None
    if inside is not None:
        try:
            numbers = tuple(float(x) for x in inside.split(","))
        except ValueError:
            raise PlaceError(
                f"{prefix}cannot read the numbers in {target!r}; write for instance 'arm1.at(0.5)'"
            ) from None
    found = owner.place(word, numbers)
    if found is None:
        raise PlaceError(f"{prefix}unknown frame {target!r}; frames of {name!r}: {owner.place_names()}")
    return found


def _unknown_owner(prefix: str, target: str, name: str, owners: Mapping[str, Owner]) -> NoReturn:
    listed = ", ".join(repr(n) for n in [*owners, GROUND.name])
    raise PlaceError(f"{prefix}unknown body {name!r} in the place {target!r}; bodies of the model: {listed}")


def _short(x: float) -> str:
    return repr(int(x)) if float(x).is_integer() and abs(x) < 1e15 else repr(float(x))
