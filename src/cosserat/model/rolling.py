"""Rolling and skating: what restricts the velocity of a place, not its position."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model import checks
from cosserat.model.jets import Array
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place, find_place
from cosserat.model.records import Component, recorded

FLAT = 1e-6  # sine of the angle between the axis of a disc and the normal of its plane, below which it lies flat


class Rolling(Component):
    """Base of the constraints on velocities; `place` is where they hold the body."""

    _argument = "place"  # what the constructor calls the place

    def _setup(self, name: str, place: Any) -> None:
        Component.__init__(self, name)
        self._place = place if isinstance(place, str) else find_place(place, {}, f"{self.title}: {self._argument}")
        self._keep(**{self._argument: self._place})

    @property
    def place(self) -> Place:
        """The point of the body."""
        if isinstance(self._place, Place):
            return self._place
        raise ModelError(f"{self.title}: {self._argument} {self._place!r} is text; add it to a model first")

    @property
    def places(self) -> tuple[Place, ...]:
        """All places it is about, that of the body first."""
        return (self.place,)

    @property
    @abstractmethod
    def held(self) -> tuple[bool, ...]:
        """For each of its rows, those of positions first, whether it holds a position and not only a velocity."""

    def resolve_places(self, place: Callable[[Any], Place]) -> None:
        self._place = place(self._place)
        self._keep(**{self._argument: self._place})

    def check_places(self) -> None:
        """Raise if the place is on the ground."""
        if self.place.on_ground:
            raise ModelError(f"{self.title}: its {self._argument} is on the ground; name a place on a body")


class KnifeEdge(Rolling):
    """A place does not move along one direction of its body: a skate, a keel, a wheel seen from above.

    Parameters
    ----------
    name : str
    place : place
        Where the edge or the wheel touches.
    direction : (3,)
        Across the edge, in world axes of the reference configuration; it turns with the body.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody.box("skate", (0.3, 0.1, 0.1), mass=2.0))
    >>> model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    KnifeEdge('edge', place=<place 'skate'>, direction=(0, 1, 0))
    """

    word = "knife edge"

    @recorded
    def __init__(self, name: str, place: Any, direction: Any) -> None:
        self._setup(name, place)
        self._direction = direction

    def check(self) -> None:
        checks.unit(self.title, "direction", self._direction)

    @property
    def held(self) -> tuple[bool, ...]:
        return (False,)

    @property
    def direction(self) -> Array:
        """Unit vector (3,)."""
        return checks.unit(self.title, "direction", self._direction)


class RollingDisc(Rolling):
    """A thin disc that rolls on a plane without slipping and does not leave it.

    Parameters
    ----------
    name : str
    centre : place
        Centre of the disc.
    radius : float
        (m), greater than 0.
    axis : (3,)
        Axis of the disc, in world axes of the reference configuration; it turns with the body.
    normal, point : (3,)
        Normal of the plane, on the side of the disc, and a point of the plane; the plane is fixed in space.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("coin", gravity=(0, 0, -9.81))
    >>> coin = model.add(cs.RigidBody("coin", mass=0.1, com=(0, 0, 0.5), inertia=(6.25e-3, 12.5e-3, 6.25e-3)))
    >>> wheel = model.add(cs.RollingDisc("wheel", coin, radius=0.5, axis=(0, 1, 0)))
    >>> wheel.gap
    0.0
    """

    word = "rolling disc"
    _argument = "centre"

    @recorded
    def __init__(
        self, name: str, centre: Any, radius: Number, axis: Any, normal: Any = (0, 0, 1), point: Any = (0, 0, 0)
    ) -> None:
        self._setup(name, centre)
        self._radius, self._axis, self._normal, self._point = radius, axis, normal, point

    def check(self) -> None:
        checks.number(self.title, "radius", self._radius, positive=True)
        checks.array(self.title, "point", self._point, (3,), "point=(0, 0, 0)")
        if np.linalg.norm(np.cross(self.axis, self.normal)) < FLAT:
            raise ArgumentError(
                self.title, "axis", "is along the normal: the disc lies flat on the plane, and no single point touches"
            )

    @property
    def held(self) -> tuple[bool, ...]:
        return (True, False, False)

    @property
    def centre(self) -> Place:
        """Centre of the disc."""
        return self.place

    @property
    def radius(self) -> float:
        """(m)."""
        return resolve(self._radius)

    @property
    def axis(self) -> Array:
        """Unit vector (3,)."""
        return checks.unit(self.title, "axis", self._axis)

    @property
    def normal(self) -> Array:
        """Unit vector (3,)."""
        return checks.unit(self.title, "normal", self._normal)

    @property
    def point(self) -> Array:
        """A point (3,) of the plane."""
        return checks.array(self.title, "point", self._point, (3,))

    @property
    def directions(self) -> Array:
        """Right-handed unit vectors (3, 3), as rows: the normal, then two in the plane."""
        k = self.normal
        first = np.cross(k, np.eye(3)[int(np.argmin(np.abs(k)))])
        first /= np.linalg.norm(first)
        return np.array([k, first, np.cross(k, first)])

    @property
    def gap(self) -> float:
        """Distance (m) of its lowest point from the plane in the reference configuration."""
        e, k = self.axis, self.normal
        return float(k @ (self.place.position - self.point) - self.radius * np.linalg.norm(k - (k @ e) * e))


ROLLING: dict[str, type[Rolling]] = {c.__name__: c for c in (KnifeEdge, RollingDisc)}
