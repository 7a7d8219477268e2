"""`PlacedLaw`: base of the loads whose law the library brings, with numbers and inputs by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.bodies import RigidBody
from cosserat.model.fields import PlaceField
from cosserat.model.functions import TimeFunction
from cosserat.model.observers import frame_motion
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model


class PlacedLaw(StateLoad):
    """A law at one place, from numbers by name; some of them may be inputs, functions of time."""

    _model: Model | None = None
    _numbers: Mapping[str, Number] = {}
    _inputs: Mapping[str, TimeFunction] = {}
    _feels_frame = False  # whether its law has the numbers of a frame in which the model is described, see `frame_laws`

    def _made(self, name: str, place: Place, model: Model | None = None) -> None:
        """Begin a law that the library makes, of what the model has at a place."""
        self._given, self.name, self._place, self._model = {"name": name}, name, place, model

    def join(self, model: Model) -> None:
        self._model = model

    @property
    def numbers(self) -> dict[str, Number]:
        """Numbers of the law by name, without its inputs."""
        return dict(self._numbers)

    @property
    def inputs(self) -> Mapping[str, TimeFunction]:
        """Its own functions of time."""
        return self._inputs

    @property
    def pull(self) -> dict[str, Number]:
        """Gravity, as it was given."""
        assert self._model is not None
        return dict(zip(("gravity_x", "gravity_y", "gravity_z"), self._model.given_gravity, strict=True))

    @property
    def moving(self) -> bool:
        """Whether its law follows the motion of the model's frame."""
        return self._feels_frame and self._model is not None and self._model.frame is not None

    @property
    def _frame_motion(self) -> tuple[Mapping[str, Number], Mapping[str, TimeFunction]]:
        if not self.moving:
            return {}, {}
        assert self._model is not None
        assert self._model.frame is not None
        return frame_motion(self._model.frame)

    @property
    def signals(self) -> Mapping[str, TimeFunction]:
        return {**self.inputs, **self._frame_motion[1]}

    def check(self) -> None:
        super().check()
        for signal in self._inputs.values():
            signal.sample([0.0])

    def _first(self, name: str, limits: Any) -> float:
        """An input at the start, within limits, from which what follows it with a lag begins."""
        value = float(self._inputs[name].sample([0.0])[0])
        low, high = (-math.inf, math.inf) if limits is None else (resolve(x) for x in limits)
        return min(max(value, low), high)

    def set_input(self, name: str, function: TimeFunction) -> None:
        """Give one of its inputs another function of time."""
        self._inputs = {**self._inputs, name: function}
        self._keep_inputs()

    def _keep_inputs(self) -> None:
        """Record the inputs as arguments: of the same names, unless a class says otherwise."""
        self._keep(**self._inputs)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.numbers, *self._frame_motion[0], *self.signals)

    @property
    def values(self) -> tuple[float, ...]:
        fixed = tuple(resolve(value) for value in (*self.numbers.values(), *self._frame_motion[0].values()))
        return (*fixed, *(float(signal.sample([0.0])[0]) for signal in self.signals.values()))

    def _directions(self, forward: Any, up: Any, names: tuple[str, str]) -> tuple[Array, Array]:
        """Two perpendicular unit vectors in the place's frame, given in world axes of the reference configuration."""
        forward, up = (checks.unit(self.title, n, v) for n, v in zip(names, (forward, up), strict=True))
        up = up - (up @ forward) * forward
        if np.linalg.norm(up) < 1e-6:
            raise self._wrong(names[1], f"is along {names[0]}; give another direction")
        turn = self.place.frame()[:3, :3].T
        return turn @ forward, turn @ up / np.linalg.norm(up)


class BodyLaw(PlacedLaw):
    """Base of the laws on a whole rigid body, which is recorded by its name."""

    place = PlaceField[Place]("Centre of the body.", argument="body")
    body: RigidBody

    def _settle(self) -> None:
        owner = self._place.owner
        if not isinstance(owner, RigidBody):
            raise self._wrong("body", f"must be a RigidBody, got {owner!r}")
        if owner is not self.__dict__.get("body") and self._place != Place(owner):
            got = f"its place {self._place.label!r}; pass centre= for that"
            raise self._wrong("body", f"must be a RigidBody, got {got}")
        self.body = owner
        self._keep(body=owner.name)


def gimbal_angles(title: str, given: Any, labels: tuple[str, str]) -> dict[str, TimeFunction]:
    """Pitch and yaw of a thrust as functions of time, from a pair."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError(title, "gimbal", f"must be a pair (pitch, yaw) of angles (rad), got {given!r}")
    words = zip(("pitch", "yaw"), given, labels, strict=True)
    return {word: TimeFunction(angle, f"{title}: {label}") for word, angle, label in words}


def demand_limits(title: str, argument: str, limits: Any) -> tuple[float, float]:
    """A pair (lowest, highest) of numbers."""
    low, high = checks.array(title, argument, limits, (2,))
    if not low < high:
        raise ArgumentError(title, argument, f"is ({low:g}, {high:g}); the first must be less than the second")
    return float(low), float(high)
