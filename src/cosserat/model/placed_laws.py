"""Bases of the loads whose law the library brings: `PlacedLaw`, with numbers and inputs by name, and `AlongBeam`.

Laws that act along a beam are loads on sections at its nodes.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cosserat.errors import ArgumentError, PlaceError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.functions import TimeFunction
from cosserat.model.observers import frame_motion
from cosserat.model.parameters import Number, is_number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component, Given, PlaceField, number
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model


def demand_limits(title: str, argument: str, limits: Any) -> tuple[float, float]:
    """A pair (lowest, highest) of numbers."""
    low, high = checks.array(title, argument, limits, (2,))
    if not low < high:
        raise ArgumentError(title, argument, f"is ({low:g}, {high:g}); the first must be less than the second")
    return float(low), float(high)


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
        frame = self._model.frame if self._feels_frame and self._model is not None else None
        return ({}, {}) if frame is None else frame_motion(frame)

    @property
    def signals(self) -> Mapping[str, TimeFunction]:
        return {**self.inputs, **self._frame_motion[1]}

    def check(self) -> None:
        super().check()
        for signal in self._inputs.values():
            signal.sample([0.0])

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
        return tuple(self.numbers_at(0.0).values())

    def numbers_at(self, t: float, states: Any = ()) -> dict[str, float]:
        """What its law gets at a time, by `names`, and states behind it where they are given."""
        fixed = {name: resolve(value) for name, value in (*self.numbers.items(), *self._frame_motion[0].items())}
        signals = {name: float(signal.sample([t])[0]) for name, signal in self.signals.items()}
        return fixed | signals | dict(zip(self.states, (float(y) for y in states), strict=False))

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
        vars(self)["body"] = owner
        self._keep(body=owner.name)


class Lagging(PlacedLaw):
    """Base of the laws that may follow an input with a lag, by a state that they then own."""

    follows: ClassVar[tuple[str, str]]  # names of the state and of its input
    _lag = number(nonnegative=True)
    _limits = Given[Any](demand_limits, optional=True)

    @property
    def lags(self) -> bool:
        """Whether it follows its input with a lag."""
        return self.follows[1] in self._inputs and resolve(self._lag) > 0.0

    @property
    def states(self) -> tuple[str, ...]:
        return self.follows[:1] if self.lags else ()

    @property
    def first_states(self) -> tuple[float, ...]:
        if not self.lags:
            return ()
        low, high = (-math.inf, math.inf) if self._limits is None else (resolve(x) for x in self._limits)
        return (min(max(float(self._inputs[self.follows[1]].sample([0.0])[0]), low), high),)


def gimbal_angles(title: str, given: Any, labels: tuple[str, str]) -> dict[str, TimeFunction]:
    """Pitch and yaw of a thrust as functions of time, from a pair."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError(title, "gimbal", f"must be a pair (pitch, yaw) of angles (rad), got {given!r}")
    words = zip(("pitch", "yaw"), given, labels, strict=True)
    return {word: TimeFunction(angle, f"{title}: {label}") for word, angle, label in words}


_STEP = 1e-5  # of s, over which the arc length of a curve is differenced


class AlongBeam(Component):
    """Base of what acts on all sections of a beam: `Strip`, `Morison`, `PipeFlow`."""

    word = "load"
    place = PlaceField[Place]("The start of the beam, or the place of a rigid wing.", argument="beam")
    _model: Model | None = None
    _place: Any

    def find_places(self, find: Callable[[Any, str], Any]) -> None:
        def found(target: Any, argument: str) -> Any:
            target = target.start if isinstance(target, Beam) else target
            try:
                return find(target, argument)
            except PlaceError:
                if not isinstance(target, str) or "." in target:
                    raise
                return find(f"{target}.start", argument)  # of a beam

        super().find_places(found)

    def _settle(self) -> None:
        """Take the beam, or say why it cannot be taken."""
        owner = self.place.owner
        if not isinstance(owner, Beam):
            raise self._wrong("beam", f"must be a Beam, got {owner!r}")
        if self._place != owner.start:
            raise self._wrong("beam", f"is the place {self._place.label!r}; pass the beam, and span=")
        if len(owner.pieces) > 1:
            raise self._wrong("beam", f"{owner.title} has corners; give every straight piece a beam")
        self._keep(beam=owner.name)

    def join(self, model: Model) -> None:
        self._model = model

    @property
    def beam(self) -> Beam:
        """The beam along which it acts."""
        owner = self.place.owner
        assert isinstance(owner, Beam)
        return owner

    def _along(self, argument: str, value: Any, s: float) -> float:
        """A number, the value of a pair between both ends, or of a function, at s."""
        if is_number(value):
            return resolve(value)
        if callable(value):
            try:
                return float(value(s))
            except Exception as error:
                failure = f"{type(error).__name__}: {error}"
                raise self._wrong(argument, f"must give a number at s = {s:g}; it fails with {failure}") from None
        if not isinstance(value, (tuple, list)) or len(value) != 2 or not all(is_number(v) for v in value):
            raise self._wrong(
                argument,
                f"must be a number, a pair (at the start, at the end) or a function of s, got {value!r}",
            )
        first, last = (resolve(v) for v in value)
        return first + s * (last - first)

    def check_places(self) -> None:
        """Raise if it cannot act where it is; called when the model is complete."""
        for section in self.sections:
            section.values, section.inertia  # noqa: B018  (what is missing is said now)

    @property
    @abstractmethod
    def sections(self) -> Sequence[StateLoad]:
        """One load for every section, from the start of the beam to its end."""


def checked_span(title: str, argument: str, given: Any) -> tuple[float, float]:
    """The part of a beam on which something acts."""
    span = checks.array(title, argument, given, (2,))
    if not 0.0 <= span[0] < span[1] <= 1.0:
        raise ArgumentError(title, argument, f"is {span.tolist()}; it must grow within [0, 1]")
    return float(span[0]), float(span[1])


def shares(beam: Beam, a: float = 0.0, b: float = 1.0) -> tuple[Array, Array]:
    """Nodes s of a beam, and of each the part of it between a and b that is nearest (m): both (n,)."""
    grid = np.linspace(0.0, 1.0, int(beam.elements) + 1)
    edges = np.clip(np.concatenate(([0.0], 0.5 * (grid[1:] + grid[:-1]), [1.0])), a, b)
    return grid, np.diff(_arc(beam, edges))


def smooth_shares(beam: Beam) -> tuple[Array, Array]:
    """Nodes s of a beam and weights (m) of an integral along it, of fourth order where it is smooth (Gregory)."""
    n = int(beam.elements)
    grid, weight = np.linspace(0.0, 1.0, n + 1), np.full(n + 1, 1.0 / n)
    if n >= 6:
        ends = np.array([3 / 8, 7 / 6, 23 / 24]) / n
        weight[:3], weight[-3:] = ends, ends[::-1]
    else:  # all polynomials through so few nodes
        weight = np.linalg.solve(np.vander(grid, increasing=True).T, 1.0 / np.arange(1.0, n + 2.0))
    low, high = (np.clip(grid + step, 0.0, 1.0) for step in (-_STEP, _STEP))
    return grid, weight * (_arc(beam, high) - _arc(beam, low)) / (high - low)


def _arc(beam: Beam, s: Array) -> Array:
    """Length of a beam up to s (m)."""
    return np.asarray(beam.length * beam.line.fractions(np.zeros(1), np.ones(1), s[None])[0])
