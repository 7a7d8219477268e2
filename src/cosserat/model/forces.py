"""Springs and dampers between two places, along the straight line that joins them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.model import checks
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place, find_place
from cosserat.model.records import Component, recorded


class Link(Component):
    """Base of what acts along the line between two places.

    Attributes
    ----------
    a, b : Place
    """

    def _setup(self, name: str, a: Any, b: Any) -> None:
        Component.__init__(self, name)
        self._a = a if isinstance(a, str) else find_place(a, {}, f"{self.title}: a")
        self._b = b if isinstance(b, str) else find_place(b, {}, f"{self.title}: b")
        self._keep(a=self._a, b=self._b)

    @property
    def a(self) -> Place:
        return self._resolved("a", self._a)

    @property
    def b(self) -> Place:
        return self._resolved("b", self._b)

    def _resolved(self, side: str, target: Any) -> Place:
        if isinstance(target, Place):
            return target
        raise ModelError(f"{self.title}: {side} {target!r} is text; add the {self.word} to a model first")

    def resolve_places(self, place: Callable[[Any], Place]) -> None:
        self._a, self._b = place(self._a), place(self._b)
        self._keep(a=self._a, b=self._b)

    @property
    def distance(self) -> float:
        """Distance of the two places in the reference configuration (m)."""
        return float(np.linalg.norm(self.b.position - self.a.position))

    @property
    def stiffness(self) -> float:
        """(N/m)."""
        return 0.0

    @property
    def damping(self) -> float:
        """(N s/m)."""
        return 0.0

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

    @recorded
    def __init__(
        self, name: str, a: Any, b: Any, stiffness: Number, length: Number | None = None, damping: Number = 0.0
    ) -> None:
        self._setup(name, a, b)
        self._stiffness, self._length, self._damping = stiffness, length, damping

    def check(self) -> None:
        checks.number(self.title, "stiffness", self._stiffness, positive=True)
        checks.number(self.title, "damping", self._damping, nonnegative=True)
        if self._length is not None:
            checks.number(self.title, "length", self._length, nonnegative=True)

    @property
    def stiffness(self) -> float:
        return resolve(self._stiffness)

    @property
    def damping(self) -> float:
        return resolve(self._damping)

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

    @recorded
    def __init__(self, name: str, a: Any, b: Any, damping: Number) -> None:
        self._setup(name, a, b)
        self._damping = damping

    def check(self) -> None:
        checks.number(self.title, "damping", self._damping, nonnegative=True)

    @property
    def damping(self) -> float:
        return resolve(self._damping)
