"""`PipeFlow`: a fluid that flows through a beam, as through a garden hose."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.along import AlongBeam, smooth_shares
from cosserat.model.fields import number
from cosserat.model.fluid_loads import FluidLoad
from cosserat.model.frame_laws import driven_at, in_axes, turning
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import recorded


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
        heavy = resolve(self.pipe._mass) * self._part
        return np.diag([heavy, heavy, heavy, 0.0, 0.0, 0.0])

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
