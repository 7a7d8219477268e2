"""`Morison` and `PipeFlow`: a fluid around a slender beam, of cables and risers, and one through it, as in a hose."""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.fluid_loads import FluidLoad, demand_level
from cosserat.model.frame_laws import driven, driven_at, flow_change, in_axes, in_world, turning
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import AlongBeam, checked_span, shares, smooth_shares
from cosserat.model.records import Now, number, recorded


class Morison(AlongBeam):
    """Drag, added mass and buoyancy along a beam in a fluid: Morison's equation on the sections at its nodes.

    Per length, with the velocity V of the fluid relative to the section, across and along the beam:
    rho d C_D |V_n| V_n / 2 + rho pi d C_T |V_t| V_t / 2, the added mass rho A C_A times the part across of the
    acceleration relative to the fluid, rho A times the acceleration of the fluid, and its buoyancy -rho A g; A is
    pi d^2/4. Source: Morison, O'Brien, Johnson, Schaaf, Petroleum Transactions 189 (1950).

    Parameters
    ----------
    name : str
    beam : Beam or its name
    diameter : number, pair or callable
        (m); a pair (at the start, at the end) tapers, a function is one of s in [0, 1].
    drag, tangential_drag : number
        C_D, referred to the diameter, and C_T, referred to the wetted surface pi d.
    added_mass : number
        C_A; 1 for a circular cylinder in a perfect fluid. In a fluid of varying density, and at a free surface, the
        density is that in the reference configuration.
    buoyancy : bool
        Whether the weight of the displaced fluid counts.
    span : (s0, s1)
        The part of the beam that is in the fluid.

    Examples
    --------
    A heavy cable towed at a steady speed hangs straight, at the angle at which the drag across balances its weight in
    water: w cos(a) = rho d C_D U^2 sin(a)^2 / 2.

    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("tow", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, velocity=(-2, 0, 0)))
    >>> section = cs.Section(stiffness=[1e7, 1e7, 1e7, 10, 10, 10], mass=[1.0, 1.0, 1.0, 1e-4, 1e-4, 1e-4])
    >>> cable = model.add(cs.Beam("cable", points=[(0, 0, 0), (0, 0, -50)], section=section, elements=20))
    >>> _ = model.add(cs.Revolute("ship", cs.GROUND, cable.start, axis=(0, 1, 0)))
    >>> _ = model.add(cs.Morison("water", cable, diameter=0.02, drag=1.2))
    >>> x = cs.equilibrium(model).position("cable.end")
    >>> w, k = (1.0 - 1000 * np.pi * 0.02**2 / 4) * 9.81, 0.5 * 1000 * 0.02 * 1.2 * 2.0**2
    >>> c = (-w + np.sqrt(w**2 + 4 * k**2)) / (2 * k)  # cosine of the angle below the horizontal
    >>> bool(abs(np.arctan2(-x[2], -x[0]) - np.arccos(c)) < 1e-6)
    True
    """

    _drag = number(nonnegative=True)
    _tangential_drag = number(nonnegative=True)
    _added_mass = number(nonnegative=True)
    _span = Now[tuple[float, float]](checked_span)

    @recorded
    def __init__(
        self,
        name: str,
        beam: Any,
        diameter: Any,
        drag: Number = 1.2,
        tangential_drag: Number = 0.0,
        added_mass: Number = 1.0,
        buoyancy: bool = True,
        span: Any = (0.0, 1.0),
    ) -> None:
        super().__init__(name)
        self._diameter = self._given["diameter"]
        self.buoyancy = checks.flag(self.title, "buoyancy", buoyancy)

    def check(self) -> None:
        for s in (0.0, 0.5, 1.0):
            checks.number(self.title, "diameter", self._along("diameter", self._diameter, s), positive=True)
        super().check()

    def check_places(self) -> None:
        super().check_places()
        for section in self.sections:
            checks.number(self.title, f"diameter at s = {section._s:g}", section.own_numbers["diameter"], positive=True)
        assert self._model is not None
        demand_level(self.title, self._model)

    @property
    def sections(self) -> tuple[MorisonSection, ...]:
        """One load for every section, from the start of the beam to its end."""
        beam = self.beam
        grid, share = shares(beam, *self._span)
        arm = np.zeros(len(grid))
        arm[0], arm[-1] = share[0] / 3.0, -share[-1] / 3.0  # where linear shapes put the load on half an element
        rows = [row for row in zip(grid, share, arm, strict=True) if row[1] > 1e-12 * beam.length]
        return tuple(MorisonSection(self, k, *(float(x) for x in row)) for k, row in enumerate(rows, 1))


class MorisonSection(FluidLoad):
    """One section of a `Morison`."""

    _feels_frame, spread = True, True

    def __init__(self, line: Morison, number: int, s: float, length: float, arm: float) -> None:
        self._made(f"{line.name}[{number}]", line.beam.at(s), line._model)
        self.line, self._s, self._part, self._arm = line, s, length, arm

    @property
    def _area(self) -> float:
        return 0.25 * math.pi * self.line._along("diameter", self.line._diameter, self._s) ** 2

    @property
    def held(self) -> float:
        """Added mass (kg) across, in the reference configuration."""
        x, y, z = (float(c) for c in self.place.position)
        fluid = self.fluid
        low, high = fluid.at(x, y, z)[0], 0.0
        part = 1.0
        if fluid.has_surface:
            level = resolve(fluid.numbers["surface"])
            part = submerged(z - level, abs(float(self.place.frame()[2, 0])), self._part, 2.0 * math.sqrt(self._area))
            low, high = fluid.at(x, y, min(z, level - 1e-9))[0], fluid.at(x, y, max(z, level + 1e-9))[0]
        return (part * low + (1.0 - part) * high) * self._area * self._part * resolve(self.line._added_mass)

    @property
    def own_numbers(self) -> dict[str, Number]:
        line = self.line
        return {
            "diameter": line._along("diameter", line._diameter, self._s),
            "length": self._part,
            "arm": self._arm,
            "drag": line._drag,
            "tangential_drag": line._tangential_drag,
            "added_mass": line._added_mass,
            "held": self.held,
            "floats": float(line.buoyancy),
        }

    @property
    def inertia(self) -> Array | None:
        """Added mass (6, 6) of the section in the place's frame, whose x axis is along the beam."""
        held = self.held
        if held == 0.0:
            return None
        y, z = (np.eye(6)[k] for k in (1, 2))
        y[5], z[4] = self._arm, -self._arm  # velocities across of the point at the arm
        return np.asarray(held * (np.outer(y, y) + np.outer(z, z)))

    @property
    def law(self) -> Callable[..., Any]:
        fluid = self.fluid
        return morison_law(
            fluid.density_function, fluid.velocity_function, fluid.has_surface, not fluid.is_steady, self.moving
        )


def submerged(height: float, upright: float, length: float, width: float) -> float:
    """Which part of a section is below a level: of a bar whose middle is at `height` above it.

    `upright` is the sine of its slope; its extent is that along the beam and that across it.
    """
    reach = 0.5 * (length * upright + width * math.sqrt(max(1.0 - upright * upright, 0.0)))
    return min(max(0.5 - 0.5 * height / reach, 0.0), 1.0)


def morison_law(density: Any, velocity: Any, surface: bool, unsteady: bool, moving: bool) -> Callable[..., Any]:
    """Wrench of a section p["length"] long, whose added mass p["held"] is part of the mechanism's inertia.

    It acts at p["arm"] along the beam from the node, so that loads at its ends are shared as its weight is.

    Of that the mechanism has held (dv/dt across) + omega x p and the moment v x p, p its momentum; Morison's force is
    held times the part across of the acceleration, without a moment: the law has the difference.
    """
    change = flow_change(velocity)

    def law(t, frame, twist, p):
        d, length = p["diameter"], p["length"]
        arm = p["arm"]
        x, y, z = frame[0, 3] + arm * frame[0, 0], frame[1, 3] + arm * frame[1, 0], frame[2, 3] + arm * frame[2, 0]
        s0, s1, s2 = twist[0], twist[1] + arm * twist[5], twist[2] - arm * twist[4]  # velocity there
        volume = 0.25 * math.pi * d * d * length
        w0, w1, w2 = 0.0, 0.0, 0.0
        below = 1.0
        if surface:
            below = submerged(z - p["surface"], abs(frame[2, 0]), length, d)
        for side in range(2):
            part = below if side == 0 else 1.0 - below
            if part == 0.0:
                continue
            h = z
            if surface:
                h = min(z, p["surface"] - 1e-9) if side == 0 else max(z, p["surface"] + 1e-9)
            rho = part * density(x, y, h, t, p)
            u = velocity(x, y, h, t, p)
            v0, v1, v2 = in_axes(frame, u[0], u[1], u[2])
            v0, v1, v2 = v0 - s0, v1 - s1, v2 - s2
            across = 0.5 * rho * d * length * p["drag"] * math.sqrt(v1 * v1 + v2 * v2)
            w0 += 0.5 * rho * math.pi * d * length * p["tangential_drag"] * abs(v0) * v0
            w1 += across * v1
            w2 += across * v2
            a, b, c = 0.0, 0.0, 0.0  # acceleration of the fluid, world axes
            if unsteady:
                a, b, c = change(x, y, h, u[0], u[1], u[2], t, p)
            if moving:
                d0, d1, d2 = driven(x, y, h, u[0], u[1], u[2], p)
                a, b, c = a + d0, b + d1, c + d2
            more, lifts = 1.0 + p["added_mass"], p["floats"]
            a, b, c = in_axes(frame, a, b, c)
            g0, g1, g2 = in_axes(frame, p["gravity_x"], p["gravity_y"], p["gravity_z"])
            w0 += rho * volume * (a - lifts * g0)
            w1 += rho * volume * (more * b - lifts * g1)
            w2 += rho * volume * (more * c - lifts * g2)
        held = p["held"]
        p1, p2 = held * s1, held * s2
        # omega x p - held P (omega x v), and v x p
        w0 += twist[4] * p2 - twist[5] * p1
        w1 += -twist[3] * p2 - held * (twist[5] * s0 - twist[3] * s2)
        w2 += twist[3] * p1 - held * (twist[3] * s1 - twist[4] * s0)
        if moving:
            vx, vy, vz = in_world(frame, s0, s1, s2)
            d0, d1, d2 = driven(x, y, z, vx, vy, vz, p)
            _, d1, d2 = in_axes(frame, d0, d1, d2)
            w1, w2 = w1 - held * d1, w2 - held * d2
        return w0, w1, w2, s1 * p2 - s2 * p1, -s0 * p2 - arm * w2, s0 * p1 + arm * w1

    return law


class PipeFlow(AlongBeam):
    """Fluid of constant speed that flows from the start of a beam to its end, and leaves it as a jet.

    Its particles have the acceleration r_tt + 2 U r_st + U^2 r_ss: the pipe carries their mass, feels the Coriolis
    force -2 m U omega x t per length, and what U^2 r_ss does, m U^2 along the tangent in at the start and out at the
    end, because the pipe keeps its length. Axial forces of the sections are therefore effective ones: T - m U^2, with
    the pressure of the fluid in T. Source: Paidoussis, Fluid-Structure Interactions 1 (1998), chapter 3.

    Parameters
    ----------
    name : str
    beam : Beam or its name
        The pipe itself, without the fluid.
    mass : number
        Of the fluid per length (kg/m).
    speed : number or Parameter
        Of the fluid along the pipe (m/s); negative: from the end to the start.

    Examples
    --------
    A hose that hangs on nothing begins to flutter at a speed (Paidoussis: u = 5.5914 for a fifth of fluid):

    >>> import numpy as np
    >>> import cosserat as cs
    >>> U = cs.Parameter("U", 1.0)
    >>> model = cs.Model("hose")
    >>> mass = [0.8, 0.8, 0.8, 1e-6, 1e-6, 1e-6]
    >>> section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1.0, 1.0, 1.0], mass=mass)
    >>> pipe = model.add(cs.Beam("pipe", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    >>> _ = model.add(cs.Fixed("wall", cs.GROUND, pipe.start))
    >>> _ = model.add(cs.PipeFlow("water", pipe, mass=0.2, speed=U))
    >>> first = cs.stability(model, "U", np.sqrt(5.0) * np.array([5.0, 6.0]), n=4).critical[0]
    >>> first.kind, round(float(first.value) * 0.2**0.5, 2)
    ('flutter', 5.59)
    """

    _mass = number(positive=True)
    _speed = number()

    @recorded
    def __init__(self, name: str, beam: Any, mass: Number, speed: Number) -> None:
        super().__init__(name)

    @property
    def sections(self) -> tuple[PipeSection, ...]:
        """One load for every section, from the start of the beam to its end."""
        pairs = enumerate(zip(*smooth_shares(self.beam), strict=True), 1)
        return tuple(PipeSection(self, k, float(s), float(part)) for k, (s, part) in pairs)


class PipeSection(FluidLoad):
    """One section of a `PipeFlow`."""

    _feels_frame, spread = True, True

    def __init__(self, pipe: PipeFlow, number: int, s: float, length: float) -> None:
        self._made(f"{pipe.name}[{number}]", pipe.beam.at(s), pipe._model)
        self.pipe, self._s, self._part = pipe, s, length

    @property
    def own_numbers(self) -> dict[str, Number]:
        ends = float(self._s == 0.0) - float(self._s == 1.0)
        return {"mass": self.pipe._mass, "speed": self.pipe._speed, "length": self._part, "inflow": ends}

    @property
    def numbers(self) -> dict[str, Number]:
        """All numbers of the law: the fluid around the pipe is none of them."""
        return self.own_numbers | self.pull

    @property
    def inertia(self) -> Array | None:
        """Mass (6, 6) of the fluid in the section."""
        return np.diag([self.heavy, self.heavy, self.heavy, 0.0, 0.0, 0.0])

    @property
    def heavy(self) -> float:
        """Mass (kg) of the fluid in the section."""
        return float(resolve(self.pipe._mass) * self._part)

    @property
    def law(self) -> Callable[..., Any]:
        return moving_pipe_law if self.moving else pipe_law


def pipe_law(t, frame, twist, p):
    """Weight and Coriolis force of the fluid in a section, and its momentum where it enters or leaves."""
    heavy, U = p["mass"] * p["length"], p["speed"]
    gx, gy, gz = in_axes(frame, p["gravity_x"], p["gravity_y"], p["gravity_z"])
    w0 = heavy * gx + p["inflow"] * p["mass"] * U * U
    return w0, heavy * (gy - 2.0 * U * twist[5]), heavy * (gz + 2.0 * U * twist[4]), 0.0, 0.0, 0.0


def moving_pipe_law(t, frame, twist, p):
    """The same in a frame that moves: the apparent forces on the fluid, too."""
    w0, w1, w2, _, _, _ = pipe_law(t, frame, twist, p)
    heavy = p["mass"] * p["length"]
    ax, ay, az = driven_at(frame, twist, p)
    ax, ay, az = in_axes(frame, ax, ay, az)
    _, v, w = turning(frame, twist, p)
    w1 -= heavy * (ay + 2.0 * p["speed"] * (w - twist[5]))
    w2 -= heavy * (az - 2.0 * p["speed"] * (v - twist[4]))
    return w0 - heavy * ax, w1, w2, 0.0, 0.0, 0.0
