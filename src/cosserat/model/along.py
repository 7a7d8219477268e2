"""`AlongBeam`: laws that act along a beam, as loads on sections at its nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError, PlaceError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.fields import PlaceField
from cosserat.model.parameters import is_number, resolve
from cosserat.model.places import Place
from cosserat.model.records import Component
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model

_STEP = 1e-5  # of s, over which the arc length of a curve is differenced


class AlongBeam(Component):
    """Base of what acts on all sections of a beam: `Strip`, `Morison`, `PipeFlow`."""

    word = "load"
    place = PlaceField[Place]("The start of the beam, or the place of a rigid wing.", argument="beam")
    _model: Model | None = None
    _place: Any

    def _place_or_text(self, target: Any, argument: str) -> Any:
        return super()._place_or_text(target.start if isinstance(target, Beam) else target, argument)

    def resolve_places(self, place: Callable[[Any], Place]) -> None:
        def found(target: Any) -> Place:
            try:
                return place(target)
            except PlaceError:
                if not isinstance(target, str) or "." in target:
                    raise
                return place(f"{target}.start")  # of a beam

        super().resolve_places(found)

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
