"""Places: points with a frame on rigid bodies, on beams and on the ground, as objects or as text."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import ExpressionError, PlaceError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.closures import Referring
from cosserat.model.parameters import Number, Parameter, ParameterLike, number_from_text, resolve

_TEXT = re.compile(r"\s*([^.()]+?)\s*(?:\.\s*([^.()]+?)\s*(?:\((.*)\))?)?\s*")


class Owner(ABC):
    """What can carry a place: a rigid body, a beam, the ground."""

    name: str

    @abstractmethod
    def frame_at(self, place: "Place") -> Array:
        """Reference frame (4, 4) at one of its places."""

    @abstractmethod
    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> "Place | None":
        """The place called ``name``, ``name.word`` or ``name.word(numbers)``; None if there is none."""

    @abstractmethod
    def place_names(self) -> str:
        """The places it has, for error messages."""


@answering
class Place(Referring):
    """A frame fixed to a body.

    Attributes
    ----------
    owner : RigidBody, Beam or Ground
    s : float or None
        Position along a beam, 0 at its start, 1 at its end.
    point : (3,) array or None
        Point of a rigid body or of the ground, in world coordinates of the reference configuration;
        None for the centre of mass of a body, and for the ground as a whole.
    interface : str or None
        Name of an interface of a modal body.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> place = body.at((0.1, 0, 0))
    >>> place.label, place.position.tolist()
    ('ball.at(0.1, 0, 0)', [0.1, 0.0, 0.0])
    """

    __slots__ = ("_point", "_s", "interface", "label", "owner")

    def __init__(self, owner: Owner, s: Number | None = None, point: Any = None, interface: str | None = None) -> None:
        self.owner = owner
        self.interface = interface
        self._s = s
        self._point = None if point is None else tuple(x if isinstance(x, ParameterLike) else float(x) for x in point)
        if self._point is not None:
            self.label = f"{owner.name}.at({', '.join(_short(x) for x in self._point)})"
        elif interface is not None:
            self.label = f"{owner.name}.{interface}"
        elif s is None:
            self.label = owner.name
        elif not isinstance(s, ParameterLike) and s in (0.0, 1.0):
            self.label = f"{owner.name}.{'start' if s == 0.0 else 'end'}"
        else:
            self.label = f"{owner.name}.at({_short(s)})"

    @property
    def s(self) -> float | None:
        return None if self._s is None else resolve(self._s)

    @property
    def point(self) -> Array | None:
        return None if self._point is None else np.array([resolve(x) for x in self._point])

    def referred(self) -> Iterable[Any]:
        return self._s, self._point

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
        mine, its = ((p.owner.name, p._s, p._point, p.interface) for p in (self, other))
        return mine == its

    def __hash__(self) -> int:
        return hash(self.owner.name)

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"<place {self.label!r}>"


class Ground(Owner):
    """The immovable body. As a place it stands for whichever point of the ground is wanted.

    Examples
    --------
    >>> import cosserat as cs
    >>> cs.GROUND.at((0, 0, 1)).position.tolist()
    [0.0, 0.0, 1.0]
    """

    name = "ground"

    def at(self, point: Any) -> Place:
        """The place at a point (3,) in world coordinates."""
        checks.array("ground", "at", point, (3,), "GROUND.at((0, 0, 1))")
        return Place(self, point=point)

    def frame_at(self, place: Place) -> Array:
        H = np.eye(4)
        if place.point is not None:
            H[:3, 3] = place.point
        return H

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
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


def find_place(
    target: Any, owners: Mapping[str, Owner], where: str = "", parameters: Callable[[], dict[str, Parameter]] = dict
) -> Place:
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
            f"{prefix}{shown(target)} is not a place; pass beam.start, beam.end, beam.at(s), body.at((x, y, z)), "
            "GROUND, or text such as 'arm1.end'"
        )
    match = _TEXT.fullmatch(target)
    name = match.group(1) if match else target
    if name == GROUND.name:
        owner: Owner = GROUND
    elif name in owners:
        owner = owners[name]
    else:
        listed = ", ".join(repr(n) for n in [*owners, GROUND.name])
        raise PlaceError(f"{prefix}unknown body {name!r} in the place {target!r}; bodies of the model: {listed}")
    assert match is not None
    word, inside = match.group(2), match.group(3)
    numbers = None
    if inside is not None:
        try:
            numbers = tuple(_number(x, parameters) for x in inside.split(","))
        except ExpressionError as error:
            raise PlaceError(
                f"{prefix}cannot read the numbers in {target!r}; write for instance 'arm1.at(0.5)' ({error})"
            ) from None
    found = owner.place(word, numbers)
    if found is None:
        raise PlaceError(f"{prefix}unknown frame {target!r}; frames of {name!r}: {owner.place_names()}")
    return found


def _number(text: str, parameters: Callable[[], dict[str, Parameter]]) -> Number:
    try:
        return float(text)
    except ValueError:
        return number_from_text(text, parameters(), "formula")


def _short(x: Any) -> str:
    if isinstance(x, ParameterLike):
        return x.text
    return repr(int(x)) if float(x).is_integer() and abs(x) < 1e15 else repr(float(x))
