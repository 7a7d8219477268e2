"""Beams: a reference line carrying sections, to be divided into geometrically exact finite elements."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import CosseratError, ModelError, PlaceError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.curves import Curve, Line, Polyline
from cosserat.model.expressions import Expression
from cosserat.model.functions import VectorFunction
from cosserat.model.materials import Material
from cosserat.model.medium import Medium
from cosserat.model.parameters import Number, ParameterLike, is_number, resolve
from cosserat.model.places import Owner, Place
from cosserat.model.records import Component, recorded
from cosserat.model.section import AnySection

MOST_ELEMENTS = 100_000


class Beam(Component, Owner):
    """A geometrically exact beam.

    Parameters
    ----------
    name : str
    points : (n, 3), n >= 2
        A straight beam, or a polyline with rigid corners; s is proportional to arc length.
    curve : callable of s in [0, 1] giving three numbers, or three formulas in ``s``
        Instead of `points`, without corners; s is its own parameter.
    section : section, pair of sections, or callable of s
        A pair tapers linearly from start to end (linear in the dimensions of the shape, or in the matrices).
    material : Material, optional
        Not needed for `Section`.
    elements : int
        Number of finite elements, shared among the pieces of a polyline in proportion to their length.
    up : (3,), optional
        The local z axis of the section is as near to it as possible; default: see `cosserat.model.curves`.
    velocity : optional
        Initial velocity, world components: three numbers; six numbers (v, omega); three or six formulas in ``x, y, z``;
        or a function of a world point (3,) giving three or six numbers. A field of three numbers turns the sections
        with half its curl.
    medium : Medium, optional
        Instead of `section` and `material`: kinetic and potential energy of your own.

    Examples
    --------
    >>> from cosserat.model.sections import Rod
    >>> from cosserat.model.materials import STEEL
    >>> beam = Beam("arm", points=[(0, 0, 0), (2, 0, 0)], section=Rod(0.01), material=STEEL, elements=4)
    >>> beam.length, beam.end.position.tolist()
    (2.0, [2.0, 0.0, 0.0])
    """

    word = "beam"

    @recorded
    def __init__(
        self,
        name: str,
        points: Any = None,
        curve: Any = None,
        section: Any = None,
        material: Material | None = None,
        elements: Any = 10,
        up: Any = None,
        velocity: Any = None,
        medium: Medium | None = None,
    ) -> None:
        super().__init__(name)
        given = self._given
        self._points, self._up, self._velocity = given["points"], given["up"], given["velocity"]
        self._section, self._elements = given["section"], given["elements"]
        self.material, self.medium = material, medium
        self._curve: VectorFunction | None = None
        if (points is None) == (curve is None):
            raise ModelError(
                f"{self.title}: give either points= or curve=, not {'neither' if curve is None else 'both'}"
            )
        if curve is not None:
            self._curve = VectorFunction(given["curve"], f"{self.title}: curve", variable="s")
            self._keep(curve=self._curve)
        self._cache: tuple[Any, Line] | None = None
        self._fields: tuple[Any, ...] | None = None
        if isinstance(self._velocity, tuple) and any(isinstance(v, str) for v in self._velocity):
            where = f"{self.title}: velocity"
            self._fields = tuple(Expression(v, "xyz", where) if isinstance(v, str) else v for v in self._velocity)

    def check(self) -> None:
        if self.medium is not None:
            self._check_medium(self.medium)
        elif self._section is None:
            raise self._wrong("section", "must be given, for instance section=cs.Rod(diameter=0.01)")
        if self.material is not None and not isinstance(self.material, Material):
            raise self._wrong("material", f"must be a Material, got {shown(self.material)}")
        if self._up is not None:
            checks.unit(self.title, "up", self._up)
        pieces = len(self.line.pieces)
        if checks.integer(self.title, "elements", self._elements, 1, MOST_ELEMENTS) < pieces:
            raise self._wrong("elements", f"is {self._elements}; its {pieces} straight pieces need at least one each")
        ends = self._section if isinstance(self._section, tuple) else (self._section,)
        known = len(ends) in (1, 2) and all(isinstance(e, AnySection) or callable(e) for e in ends)
        if self.medium is None and not known:
            raise self._wrong(
                "section",
                f"must be a section, a pair (start, end) or a function of s, got {shown(self._section)}",
            )
        for s in (0.0, 0.5, 1.0):
            stiffness, mass = self.section_at(s)
            checks.strong(self.title, "section", np.diag(stiffness), "a stiffness")
            checks.strong(self.title, "section", np.diag(mass)[:3], "a mass per length")
            self.velocity_at(s)

    def _check_medium(self, medium: Any) -> None:
        if not isinstance(medium, Medium):
            raise self._wrong("medium", f"must be one Medium for the whole beam, got {shown(medium)}")
        for argument, value in (("section", self._section), ("material", self.material)):
            if value is not None:
                raise self._wrong(argument, "is given with a medium, which has stiffness and mass")
        medium.check()

    @property
    def line(self) -> Line:
        """The reference line for the present values of the parameters."""
        up = None if self._up is None else checks.array(self.title, "up", self._up, (3,))
        key: list[Any] = [None if up is None else up.tolist()]
        if self._curve is not None:
            key += ((n, p.value) for n, p in self._curve.parameters.items())
        else:
            count, example = len(self._points) if isinstance(self._points, tuple) else 0, "[(0, 0, 0), (1, 0, 0)]"
            if count < 2:
                got = shown(self._points)
                raise self._wrong("points", f"must be two points or more such as {example}, got {got}")
            points = checks.array(self.title, "points", self._points, (count, 3), example)
            key += points.tolist()
        if self._cache is None or self._cache[0] != key:
            if self._curve is None:
                self._cache = (key, Polyline(self.title, points, up))
            else:
                count = checks.integer(self.title, "elements", self._elements, 1, MOST_ELEMENTS)
                self._cache = (key, Curve(self.title, self._curve, up, count))
        return self._cache[1]

    @property
    def elements(self) -> int:
        """Number of finite elements."""
        return int(self._elements)

    @property
    def pieces(self) -> list[tuple[float, float]]:
        """Ranges (s0, s1) of the smooth pieces."""
        return list(self.line.pieces)

    @property
    def length(self) -> float:
        """Length of the reference line (m)."""
        return self.line.length

    def frames(self, s: Any, piece: int = 0) -> Array:
        """Reference section frames (m, 4, 4) at the parameters s (m,) of one piece."""
        return self.line.frames(np.atleast_1d(np.asarray(s, float)), piece)

    @property
    def is_uniform(self) -> bool:
        """True if one section serves the whole beam."""
        return self.medium is not None or isinstance(self._section, AnySection)

    def section_at(self, s: float) -> tuple[Array, Array]:
        """Stiffness (6, 6) and mass (6, 6) per unit length at s; of a medium, those at zero strain."""
        if self.medium is not None:
            return self.medium.matrices(self.title)
        section = self.section_object_at(s)
        try:
            return section.matrices(self.material)
        except CosseratError as error:
            raise ModelError(f"{self.title}: section at s = {s:g}: {error}") from None

    def section_object_at(self, s: float) -> AnySection:
        """The section at s."""
        if self.medium is not None:
            return self.medium.section
        try:
            if isinstance(self._section, tuple) and len(self._section) == 2:
                section: Any = self._section[0].between(self._section[1], s)
            else:
                source = self._section[0] if isinstance(self._section, tuple) else self._section
                section = source if isinstance(source, AnySection) else source(s)
        except Exception as error:
            raise ModelError(f"{self.title}: section at s = {s:g}: {error}") from None
        if not isinstance(section, AnySection):
            raise ModelError(
                f"{self.title}: the section function gives {shown(section)} at s = {s:g}; it must give a section"
            )
        return section

    def damping_at(self, s: float) -> float:
        """Kelvin-Voigt time tau (s): the damping matrix is tau times the stiffness."""
        source = self.material if self.medium is None else self.medium
        return 0.0 if source is None else source.damping

    def velocity_at(self, s: float) -> tuple[Array, Array] | None:
        """Initial velocity and angular velocity at s, world components, or None if not given."""
        if self._velocity is None:
            return None
        where = f"{self.title}: velocity"
        if self._fields is None and not callable(self._velocity):
            size = len(self._velocity) if isinstance(self._velocity, tuple) else 0
            v = checks.array(self.title, "velocity", self._velocity, (6,) if size == 6 else (3,))
            return v[:3], v[3:] if size == 6 else np.zeros(3)
        field: Callable[[Array], Any] = self._velocity if callable(self._velocity) else self._formula_field
        x = self.at(s).position
        v = _field_value(field, x, where)
        if v.size == 6:
            return v[:3], v[3:]
        step = max(self.length, float(np.abs(x).max())) * 2.0**-10
        gradient = np.empty((3, 3))
        for j in range(3):
            dx = np.zeros(3)
            dx[j] = step
            gradient[:, j] = (_field_value(field, x + dx, where) - _field_value(field, x - dx, where)) / (2.0 * step)
        curl = [gradient[2, 1] - gradient[1, 2], gradient[0, 2] - gradient[2, 0], gradient[1, 0] - gradient[0, 1]]
        return v, 0.5 * np.array(curl)

    def _formula_field(self, point: Array) -> list[float]:
        values = dict(zip("xyz", point, strict=True))
        fields = self._fields or ()
        return [float(f.evaluate(values)) if isinstance(f, Expression) else resolve(f) for f in fields]

    @property
    def start(self) -> Place:
        """The place at s = 0."""
        return self.at(0.0)

    @property
    def end(self) -> Place:
        """The place at s = 1."""
        return self.at(1.0)

    def at(self, s: Number) -> Place:
        """The place at s in [0, 1]; on a corner of a polyline, the end of the piece before it."""
        self._demand_on_beam(s)
        return Place(self, s=s if isinstance(s, ParameterLike) else float(s))

    def _demand_on_beam(self, s: Any) -> None:
        if not is_number(s) or not 0.0 <= resolve(s) <= 1.0:
            raise PlaceError(f"{self.title}: at({shown(s)}) is not on the beam; s runs from 0 (start) to 1 (end)")

    def frame_at(self, place: Place) -> Array:
        s = 0.0 if place.s is None else place.s
        self._demand_on_beam(s)
        ends = [end for _, end in self.pieces[:-1]]
        return self.frames([s], bisect.bisect_left(ends, s))[0]  # a corner belongs to the piece before it

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
        if word in ("start", "end") and numbers is None:
            return self.at(0.0 if word == "start" else 1.0)
        return self.at(numbers[0]) if word == "at" and numbers is not None and len(numbers) == 1 else None

    def place_names(self) -> str:
        return "'start', 'end', 'at(s)'"


def _field_value(field: Callable[[Array], Any], x: Array, where: str) -> Array:
    try:
        v = np.array([resolve(c) for c in field(x)], float)
    except Exception as error:
        raise ModelError(
            f"{where}: the field failed at the point {x.tolist()} with {type(error).__name__}: {error}; "
            "it must take a point (3,) and give three or six numbers"
        ) from None
    if v.shape not in ((3,), (6,)):
        raise ModelError(
            f"{where}: the field gives {v.size} numbers at the point {x.tolist()}; three or six are needed"
        )
    if not np.isfinite(v).all():
        raise ModelError(f"{where}: the field gives {v.tolist()} at the point {x.tolist()}; it must be finite")
    return v
