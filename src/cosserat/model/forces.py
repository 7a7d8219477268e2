"""Springs and dampers along the straight line between two places, tendons along a line through any number of them."""

from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.fields import PlaceField, Scalar, number
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component, recorded


class LineForce(Component):
    """Base of what acts along a line of straight pieces through places, with one pull in all of them.

    Attributes
    ----------
    slack : bool
        Whether it goes slack where it would push.
    tension : TimeFunction or None
        What it pulls with besides (N).
    """

    stiffness = Scalar("(N/m).", absent=0.0)
    damping = Scalar("(N s/m).", absent=0.0)
    slack: bool = False
    tension: TimeFunction | None = None

    @property
    def offsets(self) -> Array:
        """Where the line passes each of its places, in the axes of the place (n, 3) (m)."""
        return np.zeros((len(self.places), 3))

    @property
    def distance(self) -> float:
        """Length of the line in the reference configuration (m)."""
        return float(np.sum(self._pieces()))

    @property
    def length(self) -> float:
        """Length at which it is at rest (m)."""
        return self.distance

    def _pieces(self) -> Array:
        """Lengths (n-1,) of its pieces in the reference configuration."""
        points = [H[:3, 3] + H[:3, :3] @ y for H, y in zip((p.frame() for p in self.places), self.offsets, strict=True)]
        return np.asarray(np.linalg.norm(np.diff(points, axis=0), axis=1))

    def check_places(self) -> None:
        """Raise if all places are on one rigid body, or neighbours coincide so that the line has no direction."""
        first, *others = self.places
        if all(place.owner is first.owner and (first.s is None or first.s == place.s) for place in others):
            ends = "both ends" if len(others) == 1 else "all its places"
            raise ModelError(f"{self.title}: {ends} are on {first.owner.name!r}; it would do nothing")
        short = np.flatnonzero(self._pieces() < 1e-12)
        if len(short):
            a, b = self.places[short[0] : short[0] + 2]
            called = "ends" if len(others) == 1 else "places"
            raise ModelError(
                f"{self.title}: its {called} {a.label!r} and {b.label!r} coincide in the reference configuration, so "
                "that it has no direction; move one, or give stiffness or damping to a joint there"
            )


class Straight(LineForce):
    """Base of what acts along the straight line between two places.

    Attributes
    ----------
    a, b : Place
    """

    a = PlaceField[Place]("One end.")
    b = PlaceField[Place]("The other end.")


class Spring(Straight):
    """A linear spring, optionally with a damper in parallel.

    Parameters
    ----------
    name : str
    a, b : place
    stiffness : float
        (N/m), greater than 0.
    length : float, optional
        Length at which it is at rest (m); default: the distance in the reference configuration.
    damping : float
        (N s/m).

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Spring("spring", cs.GROUND.at((0, 0, 1)), body, stiffness=100.0, length=0.5).length
    0.5
    """

    word = "spring"
    stiffness = Scalar("(N/m).", positive=True)
    damping = Scalar("(N s/m).", nonnegative=True)
    _length = number(nonnegative=True, optional=True)

    @recorded
    def __init__(
        self, name: str, a: Any, b: Any, stiffness: Number, length: Number | None = None, damping: Number = 0.0
    ) -> None:
        super().__init__(name)

    @property
    def length(self) -> float:
        return self.distance if self._length is None else resolve(self._length)


class Damper(Straight):
    """A linear damper.

    Parameters
    ----------
    name : str
    a, b : place
    damping : float
        (N s/m), not negative.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Damper("damper", cs.GROUND.at((0, 0, 1)), body, damping=5.0).damping
    5.0
    """

    word = "damper"
    damping = Scalar("(N s/m).", nonnegative=True)

    @recorded
    def __init__(self, name: str, a: Any, b: Any, damping: Number) -> None:
        super().__init__(name)
