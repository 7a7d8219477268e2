"""Tendons: cables that run through any number of places without friction."""

from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.fields import Given, PlaceField, Scalar, number
from cosserat.model.forces import LineForce
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import recorded


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
            raise ArgumentError(
                self.title, "through", f"must be two places or more, such as {such_as}, got {shown(through)}"
            )
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
            raise ArgumentError(self.title, "offset", f"has {len(given)} rows for {count} places; give one, or {count}")
        if self.tension is not None:
            self.tension.sample([0.0])
        elif self.stiffness == 0.0 and self.damping == 0.0:
            raise ArgumentError(self.title, "stiffness", "is 0, and so are damping and tension; give one of them")
