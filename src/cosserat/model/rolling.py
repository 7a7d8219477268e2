"""Rolling and skating: what restricts the velocity of a place, not its position."""

from abc import abstractmethod
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.lie.protocol import Array
from cosserat.model.fields import PlaceField, Scalar, unit_vector, vector
from cosserat.model.parameters import Number
from cosserat.model.places import Place
from cosserat.model.records import Component, recorded

FLAT = 1e-6  # sine of the angle between the axis of a disc and the normal of its plane, below which it lies flat


class Rolling(Component):
    """Base of the constraints on velocities; `place` is where they hold the body."""

    place = PlaceField[Place]("The point of the body.", called="it")
    _place: Any

    @property
    @abstractmethod
    def held(self) -> tuple[bool, ...]:
        """For each of its rows, those of positions first, whether it holds a position and not only a velocity."""

    def check_places(self) -> None:
        """Raise if the place is on the ground."""
        if self.place.on_ground:
            raise ModelError(f"{self.title}: its {type(self).place.argument} is on the ground; name a place on a body")


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
    direction = unit_vector("Unit vector (3,).")

    @recorded
    def __init__(self, name: str, place: Any, direction: Any) -> None:
        super().__init__(name)

    @property
    def held(self) -> tuple[bool, ...]:
        return (False,)


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
    place = PlaceField[Place]("Centre of the disc.", argument="centre", called="it")
    radius = Scalar("(m).", positive=True)
    point = vector("A point (3,) of the plane.", example="point=(0, 0, 0)")
    axis = unit_vector("Unit vector (3,).")
    normal = unit_vector("Unit vector (3,).")

    @recorded
    def __init__(
        self, name: str, centre: Any, radius: Number, axis: Any, normal: Any = (0, 0, 1), point: Any = (0, 0, 0)
    ) -> None:
        super().__init__(name)

    def check(self) -> None:
        super().check()
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
