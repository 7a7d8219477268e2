"""Springs and dampers between two places, along the straight line that joins them."""

from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.model.fields import PlaceField, Scalar, number
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component, recorded


class Link(Component):
    """Base of what acts along the line between two places.

    Attributes
    ----------
    a, b : Place
    """

    stiffness = Scalar("(N/m).", absent=0.0)
    damping = Scalar("(N s/m).", absent=0.0)
    a = PlaceField[Place]("One end.")
    b = PlaceField[Place]("The other end.")

    @property
    def distance(self) -> float:
        """Distance of the two places in the reference configuration (m)."""
        return float(np.linalg.norm(self.b.position - self.a.position))

    @property
    def length(self) -> float:
        """Length at which the spring is at rest (m)."""
        return self.distance

    def check_places(self) -> None:
        """Raise if both places are on the same rigid body, or coincide so that the line has no direction."""
        if self.a.owner is self.b.owner and (self.a.s is None or self.a.s == self.b.s):
            raise ModelError(f"{self.title}: both ends are on {self.a.owner.name!r}; it would do nothing")
        if self.distance < 1e-12:
            raise ModelError(
                f"{self.title}: its ends {self.a.label!r} and {self.b.label!r} coincide in the reference "
                "configuration, so that it has no direction; move one, or give stiffness or damping to a joint there"
            )


class Spring(Link):
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


class Damper(Link):
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
