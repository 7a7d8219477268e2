"""Loads of a fluid on rigid bodies: buoyancy, and lift, drag and moments of what moves through it; surfaces."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model import checks, coefficients, fluid_laws
from cosserat.model.bodies import Shape
from cosserat.model.curves import section_axes
from cosserat.model.fluid import Fluid
from cosserat.model.parameters import Number, is_number, resolve
from cosserat.model.placed_laws import BodyLaw, PlacedLaw
from cosserat.model.records import Component, number, optional_vector, recorded, unit_vector, vector
from cosserat.model.user_laws import named_numbers

if TYPE_CHECKING:
    from cosserat.model.model import Model

COEFFICIENTS = ("lift", "drag", "side", "roll", "pitch", "yaw")
RATES = ("lift_q", "side_p", "side_r", "roll_p", "roll_r", "pitch_q", "yaw_p", "yaw_r")


def demand_fluid(title: str, model: Model | None) -> Fluid:
    """The fluid of the model, which what has this title needs."""
    fluid = None if model is None else model.fluid
    if fluid is None:
        raise ModelError(f"{title}: the model has no fluid; make it with cs.Model(..., fluid=cs.Fluid(density=1.225))")
    return fluid


class FluidLoad(PlacedLaw):
    """Base of the loads of a fluid: a law of state whose numbers come from the model's fluid, too."""

    @property
    def fluid(self) -> Fluid:
        """The fluid of the model."""
        return demand_fluid(self.title, self._model)

    def outside(self, t: float, frame: Array) -> str:
        fluid = None if self._model is None else self._model.fluid
        x, y, z = (float(c) for c in frame[:3, 3])
        known = "" if fluid is None else fluid.outside(x, y, z, t)
        return f"on {self.place.label!r} is at ({x:.4g}, {y:.4g}, {z:.4g}) m; {known}" if known else ""

    @property
    @abstractmethod
    def own_numbers(self) -> dict[str, Number]:
        """Numbers of the load itself, by the names that its law uses."""

    @property
    def numbers(self) -> dict[str, Number]:
        """All numbers of the law: of the load, of the fluid, gravity."""
        return {**self.own_numbers, **self.fluid.numbers, **self.pull}


def demand_level(title: str, model: Model) -> None:
    """Raise if gravity is not across the free surface of the model's fluid."""
    x, y, z = model.gravity
    if model.fluid is not None and model.fluid.has_surface and (max(abs(x), abs(y)) > 1e-9 * abs(z) or z > 0.0):
        raise ModelError(
            f"{title}: the free surface of the fluid is horizontal, z = const, but gravity is "
            f"({x:g}, {y:g}, {z:g}); with a surface it must point along -z"
        )


class Buoyancy(BodyLaw, FluidLoad):
    """What a fluid carries of a body: the weight of the fluid it displaces, upwards.

    In a fluid without a surface: -rho V g at the centre of the volume. With a free surface (``Fluid(surface=...)``) the
    part below it is cut from the body's shape at every state, so that a floating body rights itself or capsizes.

    Parameters
    ----------
    name : str
    body : RigidBody or its name
    volume : number, optional
        (m^3); default: that of the body's shape (`RigidBody.box`, `.sphere`, `.cylinder`, `.plate`, `.bar` of a `Rod`).
    centre : (3,), optional
        Centre of the volume, world coordinates of the reference configuration; default: the centre of mass. The body's
        shape is taken as lying about it.
    surface : (vertices (n, 3), triangles (m, 3)), optional
        A closed surface, in place of the body's shape where there is a free surface: points in world coordinates of the
        reference configuration, corners counted from 0 and seen from outside counter-clockwise.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("raft", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, surface=0.0))
    >>> raft = model.add(cs.RigidBody.box("raft", size=(2, 1, 0.5), mass=400.0))
    >>> _ = model.add(cs.Buoyancy("float", raft))
    >>> round(float(cs.equilibrium(model).position("raft")[2]), 6)  # 0.2 m of draught: 0.05 m above the water's level
    0.05
    """

    _volume = number(nonnegative=True, optional=True)
    _centre = optional_vector()

    @recorded
    def __init__(
        self, name: str, body: Any, volume: Number | None = None, centre: Any = None, surface: Any = None
    ) -> None:
        self._surface = self._given["surface"]
        Component.__init__(self, name)

    def _settle(self) -> None:
        """Move the place to the centre of the volume."""
        super()._settle()
        if self._centre is not None:
            self._place = self.body.at(self._given["centre"])

    def check(self) -> None:
        super().check()
        if self._surface is not None:
            self._given_surface()

    def check_places(self) -> None:
        super().check_places()
        self.law, self.own_numbers  # noqa: B018  (what is missing is said now)
        assert self._model is not None
        demand_level(self.title, self._model)

    @property
    def own_numbers(self) -> dict[str, Number]:
        if self.fluid.has_surface:
            shape = self.body.shape
            ball = self._surface is None and shape is not None and shape.kind == "sphere"
            return {"radius": 0.5 * float(shape.size[0])} if ball and shape is not None else {}
        if self._volume is not None:
            return {"volume": self._volume}
        shape = self._filled
        if shape is None:
            raise self._wrong("volume", f"must be given: {self.body.title} has no shape to take it from")
        a = shape.size
        volumes = {"box": lambda: a[0] * a[1] * a[2], "sphere": lambda: np.pi / 6 * a[0] ** 3}
        return {"volume": float(volumes.get(shape.kind, lambda: np.pi / 4 * a[0] ** 2 * a[1])())}

    @property
    def law(self) -> Callable[..., Any]:
        density = self.fluid.density_function
        if not self.fluid.has_surface:
            return fluid_laws.buoyancy_law(density)
        if self._volume is not None:
            raise self._wrong(
                "volume", "says nothing of what is below the free surface of the fluid; leave it out, and "
                "give the body a shape or the load a surface="
            )  # fmt: skip
        if self._surface is not None:
            return fluid_laws.floating_law(density, *self._given_surface())
        shape = self._filled
        if shape is None:
            raise self._wrong("surface", f"must be given: {self.body.title} has no shape to cut")
        if shape.kind == "sphere":
            return fluid_laws.floating_sphere_law(density)
        vertices, triangles = box_surface(shape.size) if shape.kind == "box" else cylinder_surface(shape)
        return fluid_laws.floating_law(density, vertices, triangles)

    @property
    def _filled(self) -> Shape | None:
        """The shape of the body, if it is more than what bars are drawn as."""
        shape = self.body.shape
        return shape if shape is not None and shape.filled else None

    def _given_surface(self) -> tuple[Array, NDArray[np.int64]]:
        """Vertices in the place's frame, and triangles."""
        try:
            vertices, triangles = (np.asarray(x) for x in self._surface)
            vertices, whole = vertices.astype(float), triangles.astype(np.int64)
        except (TypeError, ValueError):
            vertices, triangles, whole = np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        sound = vertices.ndim == 2 and vertices.shape[1:] == (3,) and whole.ndim == 2 and whole.shape[1:] == (3,)
        if not sound or np.any(whole != triangles) or not np.isfinite(vertices).all():
            raise self._wrong("surface", "must be a pair: vertices (n, 3) and triangles (m, 3)")
        if whole.min() < 0 or whole.max() >= len(vertices):
            raise self._wrong("surface", f"has triangles with corners beyond its {len(vertices)} vertices")
        edges = np.concatenate([whole[:, [0, 1]], whole[:, [1, 2]], whole[:, [2, 0]]])
        if sorted(map(tuple, edges.tolist())) != sorted(map(tuple, edges[:, ::-1].tolist())):
            raise self._wrong("surface", "is not closed: every edge must belong to two triangles, once each way")
        H = self.place.frame()
        local = (vertices - H[:3, 3]) @ H[:3, :3]
        if np.linalg.det(local[whole]).sum() <= 0.0:
            raise self._wrong("surface", "encloses no volume; list corners counter-clockwise from outside")
        return local, whole


class Aerodynamics(FluidLoad):
    """Lift, drag, side force and moments of a body that moves through the fluid of the model.

    Forces are 1/2 rho S V^2 C at the place, with V the velocity of the place relative to the fluid. The angle of
    attack is between `forward` and the relative velocity in the plane of `forward` and `up`, positive when the fluid
    comes from below; the angle of sideslip is positive when it comes from the right. Lift is perpendicular to the
    relative velocity in that plane, drag against the relative velocity, the side force to the right. Moments: roll
    about `forward`, pitch about the axis to the right (nose up), yaw about the axis down (nose to the right), with
    `span`, `chord`, `span` as lengths.

    Parameters
    ----------
    name : str
    place : place
        On a rigid body.
    area : number
        S (m^2).
    lift, drag, side, roll, pitch, yaw : number, polynomial, table or callable
        Coefficients: a number or Parameter; a polynomial of both angles, numbers by products such as
        ``{"1": 0.02, "alpha^2": 1.5, "alpha*beta": -0.1}``; a table, pairs (angle of attack (rad), value), with
        straight lines between them; or a function of (alpha, beta), compiled.
    chord, span : number
        Lengths of moments and rates (m).
    areas : (3,)
        Drag areas C_D S (m^2) along forward, right and up, instead of or besides `drag`: -1/2 rho V (A v).
    rates : dict
        Derivatives by the rates p b/2V, q c/2V, r b/2V, such as ``{"pitch_q": -12.0, "roll_p": -0.5}``.
    forward, up : (3,)
        Axes in world coordinates of the reference configuration.

    Examples
    --------
    A ball that falls 3 s through air:

    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.0))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    >>> _ = model.add(cs.Aerodynamics("air", ball, area=0.2, drag=0.5))
    >>> round(float(cs.simulate(model, duration=3, step=0.01).velocity("ball")[-1, 2]), 3)
    -13.594
    """

    _feels_frame = True
    _area = number(nonnegative=True)
    _chord = number(nonnegative=True)
    _span = number(nonnegative=True)
    _areas = vector()
    _forward = unit_vector()
    _up = unit_vector()

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        area: Number = 0.0,
        lift: Any = 0.0,
        drag: Any = 0.0,
        side: Any = 0.0,
        roll: Any = 0.0,
        pitch: Any = 0.0,
        yaw: Any = 0.0,
        chord: Number = 0.0,
        span: Number = 0.0,
        areas: Any = (0.0, 0.0, 0.0),
        rates: Mapping[str, Number] | None = None,
        forward: Any = (1.0, 0.0, 0.0),
        up: Any = (0.0, 0.0, 1.0),
    ) -> None:
        Component.__init__(self, name)
        self._lengths = {"area": area, "chord": chord, "span": span}
        self._coefficients = {word: self._given[word] for word in COEFFICIENTS}
        self._rates = named_numbers(self.title, "rates", rates, "{'pitch_q': -5.0}")
        for key in self._rates:
            if key not in RATES:
                raise self._wrong("rates", f"has the name {key!r}; known names: {', '.join(RATES)}")

    def check(self) -> None:
        super().check()
        if (self._areas < 0.0).any():
            raise self._wrong("areas", f"is {self._given['areas']}; drag areas must not be negative")
        checks.named(self.title, "rates", self._rates)
        for word, value in self._coefficients.items():
            coefficients.check(self.title, word, value)
        product = float(self._forward @ self._up)
        if abs(product) > 1e-6:
            raise self._wrong("up", f"must be perpendicular to forward; their product is {product:.3g}")
        needs = {"roll": "span", "yaw": "span", "pitch": "chord"}
        for word, length in needs.items():
            used = self._coefficients[word] != 0.0 if is_number(self._coefficients[word]) else True
            if used and resolve(self._lengths[length]) == 0.0:
                raise self._wrong(length, f"must be given for the moment {word}")

    @property
    def own_numbers(self) -> dict[str, Number]:
        numbers: dict[str, Number] = dict(self._lengths)
        numbers |= dict(zip(("area_x", "area_y", "area_z"), self._given["areas"], strict=True))
        numbers |= {name: self._rates.get(name, 0.0) for name in RATES}
        for word, value in self._coefficients.items():
            numbers |= coefficients.numbers(word, value)
        return numbers

    @property
    def law(self) -> Callable[..., Any]:
        functions = [coefficients.function(self.title, word, word, value) for word, value in self._coefficients.items()]
        axes = self._axes()
        fluid = self.fluid
        return fluid_laws.aerodynamic_law(
            fluid.density_function, fluid.velocity_function, tuple(functions), *axes, self.moving
        )

    def _axes(self) -> tuple[Array, Array, Array]:
        """Forward, right and up in the place's frame."""
        turn = self.place.frame()[:3, :3].T
        forward, up = turn @ self._forward, turn @ self._up
        return forward, np.cross(forward, up), up

    def fault(self, t: float, frame: Array, twist: Array, states: Array) -> str:
        """In words, which angle of attack its tables do not cover; or nothing."""
        _, alpha = self._met(t, frame, twist)
        for word, value in self._coefficients.items():
            if coefficients.is_table(value):
                low, *_, high = coefficients.table(self.title, word, value)[0]
                if not low <= alpha <= high:
                    covered = f"its table {word} goes from {low:g} to {high:g} rad"
                    return f"meets an angle of attack of {alpha:.4g} rad; {covered}"
        return ""

    def _met(self, t: float, frame: Array, twist: Array) -> tuple[float, float]:
        """Speed (m/s) and angle of attack (rad)."""
        p = self.numbers_at(t)
        v = twist[:3] - frame[:3, :3].T @ np.array(self.fluid.velocity_function(*frame[:3, 3], t, p))
        forward, _, up = self._axes()
        return float(np.linalg.norm(v)), float(np.arctan2(-up @ v, forward @ v))

    @property
    def cautious(self) -> bool:
        return any(coefficients.is_one_sided(value) for value in self._coefficients.values())

    def caution(self, t: float, frame: Array, twist: Array, states: Array) -> tuple[float, str]:
        speed, alpha = self._met(t, frame, twist)
        return speed, in_reversed_flow(self.title, t, alpha)


def in_reversed_flow(title: str, t: float, alpha: float) -> str:
    """What is to be said of a polynomial of the angle of attack (rad), if the flow comes from behind; or nothing."""
    if abs(alpha) <= 0.5 * np.pi:
        return ""
    return (
        f"{title} meets an angle of attack of {alpha:.3g} rad in reversed flow at t = {t:g} s: its polynomials "
        "of alpha mean nothing there, and jump where alpha goes from pi to -pi; check forward=, or give functions of it"
    )


Ints = NDArray[np.int64]

SIDES = 48
"""Sides of the prism that stands for a cylinder; it has the cylinder's volume."""


def box_surface(size: Array) -> tuple[Array, Ints]:
    """Vertices (8, 3) of a box about the origin, and triangles (12, 3)."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    squares = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, np.array([(a, b, c) for a, b, c, d in squares] + [(a, c, d) for a, b, c, d in squares])


def cylinder_surface(shape: Shape) -> tuple[Array, Ints]:
    """Vertices and triangles of a prism of `SIDES` sides with the volume of a cylinder about the origin."""
    diameter, length = shape.size
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    # area of the polygon: SIDES/2 r^2 sin(2 pi/SIDES)
    radius = 0.5 * diameter * np.sqrt(2.0 * np.pi / (SIDES * np.sin(2.0 * np.pi / SIDES)))
    ring = radius * np.stack((np.zeros(SIDES), np.cos(angle), np.sin(angle)), axis=1)
    ends = [(-0.5 * length, 0.0, 0.0), (0.5 * length, 0.0, 0.0)]
    local = np.concatenate((ring + ends[0], ring + ends[1], ends))
    k = np.arange(SIDES)
    following = (k + 1) % SIDES
    low, high = np.full(SIDES, 2 * SIDES), np.full(SIDES, 2 * SIDES + 1)
    faces = [(k, following + SIDES, k + SIDES), (k, following, following + SIDES), (low, following, k)]
    faces.append((high, k + SIDES, following + SIDES))
    triangles = np.concatenate([np.stack(face, axis=1) for face in faces])
    return local @ section_axes(shape.axis).T, triangles
