"""Springs and dampers along the straight line between two places, tendons along a line through any number of them."""

from typing import Any

import numpy as np

from cosserat.errors import ModelError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component, Given, PlaceField, Scalar, number, recorded


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


def _offset(item: str, argument: str, value: Any) -> Array:
    """Three numbers, or three for each place."""
    several = isinstance(value, (tuple, list)) and len(value) > 0 and isinstance(value[0], (tuple, list))
    return checks.array(item, argument, value, (len(value), 3) if several else (3,), "(0, 0.01, 0)")


class Tendon(LineForce):
    """A cable from a place through eyelets to another place, with the same tension all along.

    The tension is ``tension + stiffness (L - rest_length) + damping L'`` of the whole length L. Eyelets hold the cable
    without friction: each is pulled along the two pieces that meet in it. With two places it is a `Spring`.

    Parameters
    ----------
    name : str
    through : list of places
        The first end, eyelets in their order, the other end; two or more. A place may come again.
    stiffness : float
        (N/m) of the whole cable, not negative.
    rest_length : float, optional
        Length at which it is at rest (m); default: that of the reference configuration. A shorter one is a prestress.
    damping : float
        (N s/m), not negative.
    tension : number, Parameter, formula in ``t`` or function of time, optional
        What it pulls with besides (N): a winch, a muscle, a weight. A controller sets it under ``"name.tension"``,
        which is also an input of linear models.
    slack : bool
        Whether it goes slack where it would push: the tension is then never negative, elastic only beyond the rest
        length, and damped by no more than it is otherwise pulled with.
    offset : (3,) or (n, 3), optional
        Where it passes its places, all or each of them, in the axes of the place (m): an eyelet beside the axis of a
        beam.

    Examples
    --------
    A weight of 2 kg in a loop of a cable, whose end is pulled with half of that:

    >>> import cosserat as cs
    >>> model = cs.Model("pulley", gravity=(0, 0, -10))
    >>> load = model.add(cs.RigidBody.sphere("load", diameter=0.1, mass=2.0, com=(0, 0, -1)))
    >>> ends = cs.GROUND.at((-1e-3, 0, 0)), cs.GROUND.at((1e-3, 0, 0))
    >>> cable = model.add(cs.Tendon("cable", [ends[0], load, ends[1]], tension=10.0))
    >>> run = cs.simulate(model, duration=1.0, step=0.01)
    >>> bool(abs(run.position("load")[-1, 2] + 1.0) < 1e-4)
    True
    >>> round(float(run.quantity("length", "cable")[-1, 0]), 3)
    2.0
    """

    word = "tendon"
    through = PlaceField[tuple[Place, ...]]("Its places in their order.", several=True)
    stiffness = Scalar("(N/m).", nonnegative=True)
    damping = Scalar("(N s/m).", nonnegative=True)
    _rest_length = number(nonnegative=True, optional=True)
    _offset: Any = Given(_offset, optional=True)

    @recorded
    def __init__(
        self,
        name: str,
        through: Any,
        stiffness: Number = 0.0,
        rest_length: Number | None = None,
        damping: Number = 0.0,
        tension: Any = None,
        slack: bool = False,
        offset: Any = None,
    ) -> None:
        given = self._given["through"]
        if not isinstance(given, tuple) or len(given) < 2:
            such_as = "[cs.GROUND.at((0, 0, 1)), 'arm.end']"
            raise self._wrong("through", f"must be two places or more, such as {such_as}, got {shown(through)}")
        super().__init__(name)
        self.slack = checks.flag(self.title, "slack", slack)
        if tension is not None:
            self.tension = TimeFunction(tension, f"{self.title}: tension")
        self._keep(tension=self.tension)

    @property
    def offsets(self) -> Array:
        given = type(self)._offset.check(self)
        return np.zeros((len(self.through), 3)) if given is None else np.broadcast_to(given, (len(self.through), 3))

    @property
    def length(self) -> float:
        return self.distance if self._rest_length is None else resolve(self._rest_length)

    def check(self) -> None:
        super().check()
        given = type(self)._offset.check(self)
        if given is not None and given.ndim == 2 and len(given) != len(self._given["through"]):
            count = len(self._given["through"])
            raise self._wrong("offset", f"has {len(given)} rows for {count} places; give one, or {count}")
        if self.tension is not None:
            self.tension.sample([0.0])
        elif self.stiffness == 0.0 and self.damping == 0.0:
            raise self._wrong("stiffness", "is 0, and so are damping and tension; give one of them")
