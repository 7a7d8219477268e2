"""`Trim`: parameters for which a wanted state is in balance; `FlightTrim`: a steady flight and its modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium

Complex = NDArray[np.complex128]


@answering
@dataclass(frozen=True)
class Trim:
    """Result of `trim`.

    Attributes
    ----------
    parameters : dict
        Values found; ``model.set(**found.parameters)`` takes them over.
    equilibrium : Equilibrium
        The trimmed state.
    residual : float
        What is left: the largest unbalanced force (N) where a configuration was held, else the largest distance from a
        target (m, rad).
    eigenvalues : (k,) complex
        Of small motions about the state (1/s), those nearest zero, motions go like exp(s t).
    growth_rate : float
        Largest real part of an eigenvalue that is more than rounding (1/s); 0 if none grows.
    neutral : int
        Number of zero eigenvalues: motions that nothing brings back.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> place, T = bob.at((0, 0, 0)), cs.Parameter("T", 0.0)
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, place, axis=(0, 1, 0), effort=T))
    >>> found = cs.trim(model, ["T"])
    >>> round(found.parameters["T"], 9)
    -20.0
    """

    parameters: dict[str, float]
    equilibrium: Equilibrium
    residual: float
    eigenvalues: Complex
    growth_rate: float
    neutral: int

    @property
    def stable(self) -> bool:
        """Whether no small motion about the state grows exponentially."""
        return self.growth_rate == 0.0

    @property
    def verdict(self) -> str:
        """Stability in words."""
        if not self.stable:
            return f"unstable: small motions grow like exp({self.growth_rate:.4g} t)"
        if self.neutral:
            return f"nothing grows exponentially, but {self.neutral} eigenvalue(s) are zero: it drifts when pushed"
        return "stable"

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items())
        return f"<Trim: {values}; {self.verdict}>"


FORCES = ("X", "Y", "Z", "L", "M", "N")
"""Forces forward, to the right, down (N), and the moments about these axes (N m)."""
SPEEDS = ("u", "v", "w", "p", "q", "r")
"""Velocities in still air forward, to the right, down (m/s), angular velocities about these axes (rad/s), body axes."""
STATES = (*SPEEDS, "roll", "pitch", "heading", "ahead", "right", "down")
"""States of flight: the speeds, small turns about the body's axes (rad), displacement along the path's axes (m)."""
MODES = ("short period", "phugoid", "Dutch roll", "roll", "spiral")
_ZERO = 1e-5  # of the fastest mode of flight: eigenvalues that are none
_CANCELLED = 1e-14  # of a sum that counts as zero, relative to its terms
_STILL = 1e-9  # of the typical rate: eigenvalues that are none


@dataclass(frozen=True)
class FlightMode:
    """A motion about a steady flight.

    Attributes
    ----------
    name : str
        One of `MODES`, or empty where it cannot be told.
    eigenvalue : complex
        (1/s); the motion goes like exp(s t).
    states : (12,) complex
        Its shape in the states of flight.
    """

    name: str
    eigenvalue: complex
    states: NDArray[np.complex128]

    @property
    def frequency(self) -> float:
        """Undamped frequency (rad/s)."""
        return abs(self.eigenvalue)

    @property
    def damping(self) -> float:
        """Share of critical damping; negative where it grows."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue != 0.0 else 0.0


@dataclass(frozen=True, repr=False)
class FlightTrim(Trim):
    """Result of ``cs.trim(model, controls, flight=cs.Flight(...))``, besides what a `Trim` has.

    Attributes
    ----------
    attitude : dict
        roll, pitch and heading of the body (rad): about forward, nose up, nose to the right, from the reference.
    angle_of_attack, sideslip : float
        Of the body in still air (rad).
    model : Model
        The model as it flies: in the frame of the flight, with the controls found. Linear models, modes and runs about
        the flight are made of it, with ``about=found.equilibrium`` and ``start=found.equilibrium``.
    derivatives : xarray.DataArray
        Stability derivatives (force, by): of `FORCES` by `SPEEDS` and by the controls, shape and lags steady.
    linear : LinearModel
        About the flight, its inputs the controls.
    states : (12, n)
        States of flight (`STATES`) by the states of the linear model.
    modes : tuple of FlightMode
        Motions of the whole craft, the fastest first; those of neutral motions left out.

    Examples
    --------
    A drone of 1 kg with drag that flies level at 5 m/s leans forward:

    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("drone", gravity=(0, 0, -10), fluid=cs.Fluid(density=1.0))
    >>> body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    >>> _ = model.add(cs.Aerodynamics("drag", body, area=0.2, drag=1.0))
    >>> _ = model.add(cs.Thruster("lift", body, 20.0, axis=(0, 0, 1), up=(1, 0, 0)))
    >>> found = cs.trim(model, ["lift.throttle"], flight=cs.Flight(5.0))
    >>> round(float(np.tan(-found.attitude["pitch"])), 4)  # drag over weight
    0.25
    """

    attitude: dict[str, float]
    angle_of_attack: float
    sideslip: float
    model: Any
    derivatives: Any
    linear: Any
    states: Array
    modes: tuple[FlightMode, ...]

    def mode(self, name: str) -> FlightMode:
        """The mode of a name; an error that lists those there are."""
        for found in self.modes:
            if found.name == name:
                return found
        known = ", ".join(repr(m.name) for m in self.modes if m.name) or "none"
        raise KeyError(f"no mode {name!r}; modes that can be told apart: {known}")

    @property
    def A(self) -> Array:
        """Matrix (12, 12) of the states of flight, of a craft that is one rigid body."""
        back = self._back()
        return np.asarray(self.states @ self.linear.A @ back)

    @property
    def B(self) -> Array:
        """Matrix (12, controls) of the states of flight, of a craft that is one rigid body."""
        self._back()
        return np.asarray(self.states @ self.linear.B)

    def _back(self) -> Array:
        if self.states.shape[1] != 12:
            raise ValueError(
                f"the craft has {self.states.shape[1]} states, not the 12 of a rigid body; use linear, or modes"
            )
        return np.asarray(np.linalg.inv(self.states), dtype=np.float64)


def flight_eigenpairs(A: Array) -> tuple[Complex, Complex, NDArray[np.bool_], Array]:
    """Eigenvalues, eigenvectors in columns, which eigenvalues are zero but for rounding, and how far that moves them.

    Zeros come in chains, as in hover from turns over speeds to places, and rounding splits four of them by eps^(1/4).
    In a turn so do +-i Omega. The terms of y^H A x, y the left eigenvector, are rounded where y^H x cancels,
    and in slow motions that does not.
    """
    from scipy.linalg import eig

    values, left, vectors = eig(A, left=True, right=True)
    size, terms = np.abs(values), np.sum(np.abs(left) * (np.abs(A) @ np.abs(vectors)), axis=0)
    products = np.abs(np.sum(left.conj() * vectors, axis=0))
    error = _CANCELLED * terms / np.maximum(products, np.finfo(float).tiny)
    return values, vectors, (size <= error) | (size <= _STILL * np.sqrt(np.max(np.abs(A), initial=0.0))), error


def named_modes(values: Complex, shapes: Complex, speed: float) -> tuple[FlightMode, ...]:
    """Modes of a linear model, from its eigenvalues and the states of flight in each (12, n), the fastest first.

    A mode is one of the whole craft if nothing vibrates faster that belongs to it: at most eight are looked at, the
    slowest. Longitudinal ones move u, w, q; of two oscillations the faster is the short period. Of lateral ones the
    oscillation is the Dutch roll if it yaws, the faster of two others the roll if it rolls, the slower the spiral.
    """
    weight = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, speed, speed, speed])  # m/s, or rad/s times a metre
    found = []
    for value, shape in zip(values, shapes.T, strict=True):
        if value.imag < 0.0:
            continue
        found.append((value, shape))
    found.sort(key=lambda item: abs(item[0]))
    typical = max((abs(value) for value, _ in found[:8]), default=0.0)
    kept: list[list[Any]] = []
    for value, shape in found[:12]:
        moved, shifted = np.linalg.norm(shape[:9] * weight), abs(value) * np.linalg.norm(shape[9:])
        if abs(value) > _ZERO * max(typical, 1e-12) and moved > _ZERO * shifted:  # a shifted circle is as good
            along = np.linalg.norm((shape[:9] * weight)[[0, 2, 4, 7]])
            aside = np.linalg.norm((shape[:9] * weight)[[1, 3, 5, 6]])
            side = "along" if along > 3.0 * aside else "aside" if aside > 3.0 * along else ""
            kept.append(["", side, value, shape])
    _name(kept)
    return tuple(FlightMode(n, complex(v), s) for n, _, v, s in sorted(kept, key=lambda m: -abs(m[2])))


def _name(modes: list[list[Any]]) -> None:
    """Give names to the slowest modes that can be told apart."""
    p, r = 3, 5  # rates of roll and yaw among the states
    swings = [m for m in modes if m[1] == "along" and m[2].imag > 1e-9 * abs(m[2])]
    if len(swings) >= 2:
        swings[0][0], swings[1][0] = "phugoid", "short period"
    swings = [m for m in modes if m[1] == "aside" and m[2].imag > 1e-9 * abs(m[2])]
    straight = [m for m in modes if m[1] == "aside" and m[2].imag <= 1e-9 * abs(m[2])]
    if len(swings) >= 1 and abs(swings[0][3][r]) > 0.1 * abs(swings[0][3][p]):  # not a pendulum
        swings[0][0] = "Dutch roll"
    if len(straight) >= 2 and abs(straight[1][3][p]) > abs(straight[1][3][r]):
        straight[0][0], straight[1][0] = "spiral", "roll"
