"""`Strip`: a wing, blade or fin whose sections each feel the flow as if they were alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.coefficients import Airfoil
from cosserat.model.fluid_loads import FluidLoad, demand_fluid, in_reversed_flow
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import AlongBeam, checked_span, shares
from cosserat.model.places import Place
from cosserat.model.records import Now, number, recorded, unit_vector
from cosserat.model.strip_laws import lag_names, section_flow, strip_law
from cosserat.model.wagner import JONES, MOST, SEARS, Lags, kuessner_lags, wagner_lags

STALLED = 0.5  # rad, where every section has stalled


class Strip(AlongBeam):
    """Strip theory along a beam: every section has the forces of an aerofoil in the flow that it meets.

    The sections are at the nodes of the beam; each stands for the part of the beam nearest to it. A rigid wing is one
    section at a place of a rigid body.

    Parameters
    ----------
    name : str
    beam : Beam, or a place on a RigidBody
    airfoil : Airfoil
    chord : number, pair or callable
        (m); a pair (at the start, at the end) tapers, a function is one of s in [0, 1].
    axis : number
        Where the beam's axis, or the place, is on the chord: 0 at the leading edge, 1 at the trailing edge.
    unsteady : bool
        Whether the wake is followed by lag states, and the apparent mass counts. Without it forces are those of a
        steady flow with the present velocity at three quarters of the chord.
    lags : int or pairs (A, b), optional
        Of Wagner's function 1 - sum A exp(-b s), s in half chords; default: the two of R. T. Jones. A number of lags:
        so many, fitted to Theodorsen's function. A gust of the fluid (`Fluid(gust=...)`) has as many lags of its own,
        of Kuessner's function.
    apparent : bool, optional
        Whether the apparent mass counts; default: as `unsteady`. It needs a fluid of one density.
    twist : number, pair or callable
        Incidence (rad), nose up, against `forward`.
    span : (s0, s1)
        The part of the beam that carries strips.
    width : number
        Of the section of a rigid body (m).
    tip_loss : number
        Lift is taken times 1 - exp(-tip_loss d/span), d the distance from the end of the beam; 0: none.
    deflection : number or Parameter
        Of the control surface (rad), trailing edge down; what it does is told by the `Airfoil`.
    forward, up : (3,)
        Axes in world coordinates of the reference configuration; along a beam they are made perpendicular to it.

    Examples
    --------
    A wing of unit span and chord that starts at an angle of attack of 0.1 rad: at first it has half of its steady lift
    (Wagner).

    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("wing", fluid=cs.Fluid(density=1.2, velocity=(-10, 0, 0)))
    >>> wing = model.add(cs.RigidBody("wing", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    >>> mount = model.add(cs.Fixed("mount", cs.GROUND, wing))
    >>> _ = model.add(cs.Strip("air", wing, cs.Airfoil(), chord=1.0, width=1.0, twist=0.1))
    >>> lift = np.abs(cs.simulate(model, duration=30, step=0.05).reaction("mount").values[:, 2])
    >>> round(float(lift[0] / lift[-1]), 1)
    0.5
    """

    word = "strip"
    _axis = number()
    _tip_loss = number(nonnegative=True)
    _deflection = number()
    _width = number(positive=True, optional=True)
    _span = Now[tuple[float, float]](checked_span)
    _forward = unit_vector()
    _up = unit_vector()

    @recorded
    def __init__(
        self,
        name: str,
        beam: Any,
        airfoil: Airfoil,
        chord: Any,
        axis: Number = 0.25,
        unsteady: bool = True,
        lags: Any = None,
        apparent: bool | None = None,
        twist: Any = 0.0,
        span: Any = (0.0, 1.0),
        width: Number | None = None,
        tip_loss: Number = 0.0,
        deflection: Number = 0.0,
        forward: Any = (1.0, 0.0, 0.0),
        up: Any = (0.0, 0.0, 1.0),
    ) -> None:
        super().__init__(name)
        if not isinstance(airfoil, Airfoil):
            raise self._wrong("airfoil", f"must be a cs.Airfoil, got {airfoil!r}")
        self.airfoil = airfoil
        self.unsteady = checks.flag(self.title, "unsteady", unsteady)
        self.apparent = self.unsteady if apparent is None else checks.flag(self.title, "apparent", apparent)
        self._lags, self._chord, self._twist = self._given["lags"], self._given["chord"], self._given["twist"]

    def _settle(self) -> None:
        owner = self.place.owner
        if not isinstance(owner, (Beam, RigidBody)):
            raise self._wrong("beam", f"must be a Beam or a place on a RigidBody, got {owner!r}")
        if isinstance(owner, RigidBody):
            self._keep(beam=self._place)
        else:
            super()._settle()

    @property
    def lags(self) -> Lags:
        """Lags (A, b) of Wagner's function; none in quasi-steady flow."""
        if not self.unsteady:
            return ()
        if self._lags is None or isinstance(self._lags, (int, np.integer)):
            return JONES if self._lags is None else wagner_lags(int(self._lags))
        rows = checks.array(self.title, "lags", self._lags, (len(self._lags), 2))
        return tuple((float(a), float(b)) for a, b in rows)

    @property
    def gust_lags(self) -> Lags:
        """Lags (A, b) of Kuessner's function; none where no gust blows, or in quasi-steady flow."""
        fluid = None if self._model is None else self._model.fluid
        if not self.unsteady or fluid is None or not fluid.has_gust:
            return ()
        count = len(self.lags)
        return SEARS if count <= 2 else kuessner_lags(count)

    def check(self) -> None:
        self._check_lags()
        super().check()
        for s in (0.0, 0.5, 1.0):
            checks.number(self.title, "chord", self._along("chord", self._chord, s), positive=True)
            checks.number(self.title, "twist", self._along("twist", self._twist, s))
        if abs(float(self._forward @ self._up)) > 1.0 - 1e-6:
            raise self._wrong("up", "is along forward; give another direction")

    def _check_lags(self) -> None:
        if self._lags is None:
            return
        if not self.unsteady:
            raise self._wrong("lags", "belong to unsteady=True")
        count = isinstance(self._lags, (int, np.integer)) and 1 <= int(self._lags) <= MOST and self._lags is not True
        pairs = isinstance(self._lags, (tuple, list)) and len(self._lags) > 0
        if not (count or pairs) or min(b for _, b in self.lags) <= 0.0:
            raise self._wrong("lags", f"must be a number from 1 to {MOST}, or pairs (A, b) with b > 0 such as {JONES}")

    def check_places(self) -> None:
        """Raise if it cannot act where it is; called when the model is complete."""
        if isinstance(self.place.owner, RigidBody) and self._width is None:
            raise self._wrong("width", f"must be given: {self.place.owner.title} is rigid, one section")
        if isinstance(self.place.owner, Beam) and self._width is not None:
            raise self._wrong("width", "is that of the section of a rigid body; a beam has its own length")
        demand_fluid(self.title, self._model)
        for section in self.sections:
            section.inertia  # noqa: B018  (what is missing is said now)
            checks.number(self.title, f"chord at s = {section._s:g}", section.own_numbers["chord"], positive=True)

    @property
    def sections(self) -> tuple[StripSection, ...]:
        """One load for every section, from the start of the beam to its end."""
        owner = self.place.owner
        if isinstance(owner, RigidBody):
            return (StripSection(self, 1, self.place, 0.0, resolve(self._width or 0.0), 1.0),)
        assert isinstance(owner, Beam)
        a, b = self._span
        grid, share = shares(owner, a, b)
        loss, length = resolve(self._tip_loss), owner.length
        found: list[StripSection] = []
        for s, part in zip(grid, share / length, strict=True):
            if part > 1e-12:
                middle = min(max(s, 0.5 * (max(s - part, a) + s)), b)
                factor = 1.0 if loss == 0.0 else 1.0 - math.exp(-loss * max(b - middle, 0.25 * part) / (b - a))
                found.append(StripSection(self, len(found) + 1, owner.at(float(s)), float(s), part * length, factor))
        return tuple(found)


class StripSection(FluidLoad):
    """One section of a `Strip`."""

    _feels_frame, spread = True, True

    def __init__(self, strip: Strip, number: int, place: Place, s: float, width: float, loss: float) -> None:
        self._made(f"{strip.name}[{number}]", place, strip._model)
        names = lag_names(len(strip.lags)) + lag_names(len(strip.gust_lags), "gust")
        self._states = dict.fromkeys(names, 0.0)
        self.strip, self._s, self._part, self._loss = strip, s, width, loss

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """Forward, up and right in the place's frame, turned by the incidence."""
        strip, R = self.strip, self.place.frame()[:3, :3]
        forward, up = R.T @ strip._forward, R.T @ strip._up
        if isinstance(self.place.owner, Beam):
            forward = forward - np.array([forward[0], 0.0, 0.0])  # the beam's axis is x
            if np.linalg.norm(forward) < 1e-6:
                raise ArgumentError(
                    strip.title, "forward", f"is along {self.place.owner.title}; give its chord's direction"
                )
            forward = forward / np.linalg.norm(forward)
            up = up - np.array([up[0], 0.0, 0.0])
        up = up - (up @ forward) * forward
        up = up / np.linalg.norm(up)
        turn = strip._along("twist", strip._twist, self._s)
        forward, up = np.cos(turn) * forward + np.sin(turn) * up, np.cos(turn) * up - np.sin(turn) * forward
        return forward, up, np.cross(forward, up)

    @property
    def own_numbers(self) -> dict[str, Number]:
        strip = self.strip
        axes = {f"{word}{i}": float(x) for word, axis in zip("fur", self.axes, strict=True) for i, x in enumerate(axis)}
        return {
            **axes,
            "chord": strip._along("chord", strip._chord, self._s),
            "axis": strip._axis,
            "width": self._part,
            "loss": self._loss,
            "deflection": strip._deflection,
            **strip.airfoil.numbers,
        }

    @property
    def law(self) -> Callable[..., Any]:
        strip, fluid = self.strip, self.fluid
        return strip_law(
            fluid.density_function, fluid.mean_function, strip.airfoil.functions, strip.lags, strip.apparent,
            fluid.gust_function if fluid.has_gust else None, strip.gust_lags, fluid.mean_varies, self.moving,
        )  # fmt: skip

    @property
    def inertia(self) -> Array | None:
        """Apparent mass (6, 6) of the section in the place's frame."""
        if not self.strip.apparent:
            return None
        if self.fluid.has_surface or "density" not in self.fluid.numbers:
            raise ModelError(
                f"{self.strip.title}: its apparent mass needs a fluid of one density; pass apparent=False to do without"
            )
        n = {name: resolve(value) for name, value in self.own_numbers.items()}
        half = 0.5 * n["chord"]
        heavy = math.pi * resolve(self.fluid.numbers["density"]) * half**2 * n["width"]
        _, up, right = self.axes
        row, turn = np.concatenate((up, (n["axis"] - 0.5) * n["chord"] * right)), np.concatenate((np.zeros(3), right))
        return np.asarray(heavy * (np.outer(row, row) + half**2 / 8.0 * np.outer(turn, turn)))

    def _met(self, t: float, frame: Array, twist: Array, states: Array) -> tuple[float, float]:
        """Speed (m/s) and angle of attack (rad) that its aerofoil meets."""
        fluid, strip, p = self.fluid, self.strip, self.numbers_at(t, states)
        gust = fluid.gust_function if fluid.has_gust else None
        flow = section_flow(fluid.mean_function, strip.lags, gust, strip.gust_lags, self.moving)(t, frame, twist, p)
        return math.hypot(flow[0], flow[3]), math.atan2(flow[3], flow[0])

    def fault(self, t: float, frame: Array, twist: Array, states: Array) -> str:
        """In words, which angle of attack the tables of the aerofoil do not cover; or nothing."""
        (_, alpha), (low, high) = self._met(t, frame, twist, states), self.strip.airfoil.range()
        if low <= alpha <= high:
            return ""
        covered = f"the tables of its Airfoil go from {low:.4g} to {high:.4g} rad"
        return f"meets an angle of attack of {alpha:.4g} rad; {covered}"

    def wake_energy(self, t: float, frame: Array, states: Array) -> float:
        """rho c a b/4 times the sum of A b y^2 over the lags, a the slope of the lift at no angle, times the width."""
        strip, lift = self.strip, self.strip.airfoil.slope
        x, y, z = (float(c) for c in frame[:3, 3])
        density = self.fluid.at(x, y, z, t)[0]
        chord = strip._along("chord", strip._chord, self._s)
        held = sum(A * b * lag * lag for (A, b), lag in zip(strip.lags, states.tolist(), strict=False))
        return 0.125 * density * chord**2 * lift * self._loss * self._part * held

    @property
    def cautious(self) -> bool:
        return self.strip.airfoil.has_slope or self.strip.airfoil.is_one_sided

    def caution(self, t: float, frame: Array, twist: Array, states: Array) -> tuple[float, str]:
        speed, alpha = self._met(t, frame, twist, states)
        if not self.strip.airfoil.has_slope:
            return speed, in_reversed_flow(self.title, t, alpha)
        if abs(alpha) <= STALLED:
            return speed, ""
        where = "in reversed flow " if abs(alpha) > 0.5 * math.pi else ""
        return speed, (
            f"{self.title} meets an angle of attack of {alpha:.3g} rad {where}at t = {t:g} s: its Airfoil has a slope "
            "of the lift and no stall, so its lift goes on growing; give lift= as a table or a function of the angle"
        )
