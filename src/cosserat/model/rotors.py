"""`Rotor` and `Propeller`: thrust, torque and gyroscopic moment of what turns in air or water."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.coefficients import constant, pairs, tabled
from cosserat.model.fluid import still
from cosserat.model.fluid_loads import FluidLoad
from cosserat.model.frame_laws import cross, in_axes, turning
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, is_number
from cosserat.model.placed_laws import Lagging
from cosserat.model.records import Component, Given, number, recorded, unit_vector


def _one_or_other(item: str, argument: str, value: Any) -> None:
    if not is_number(value) or value not in (1, -1):
        raise ArgumentError(item, argument, f"is {value!r}; it must be 1 or -1")


def _table(item: str, argument: str, value: Any) -> tuple[Array, Array]:
    """Advance ratios and values of a table."""
    wanted = "must be a number, or a table of two or more pairs (J, value) with growing advance ratios J"
    return pairs(item, argument, value, wanted)


def _number_or_table(item: str, argument: str, value: Any) -> Any:
    return (checks.number if is_number(value) else _table)(item, argument, value)


class Turning(Lagging, FluidLoad):
    """Base of rotors: the speed as an input or from the motion of the place, its lag and limits, the momentum."""

    _feels_frame = True
    follows = "spin", "speed"

    _direction = Given[Any](_one_or_other)
    _inertia = number(nonnegative=True)
    _axis = unit_vector()

    def _turn(self, speed: Any) -> None:
        Component.__init__(self, self._given["name"])
        self._driven = speed is not None
        self._inputs = {}
        if self._driven:
            self._inputs = {"speed": TimeFunction(speed, f"{self.title}: speed")}
            self._keep(speed=self._inputs["speed"])

    def check(self) -> None:
        super().check()
        if not self._driven:
            for name, value in (("inertia", self._inertia), ("lag", self._lag), ("limits", self._limits)):
                if value is not None and value != 0.0:
                    raise self._wrong(
                        name, "belongs to a rotor whose speed= is an input; without it the place turns "
                        "itself, with the inertia of its body and the drive of its joint"
                    )  # fmt: skip

    @property
    def turn_numbers(self) -> dict[str, Number]:
        """Numbers of axis, speed and angular momentum."""
        axis = self.place.frame()[:3, :3].T @ self._axis
        low, high = (-1e300, 1e300) if self._limits is None else self._limits
        numbers: dict[str, Number] = {f"a{i}": float(x) for i, x in enumerate(axis)}
        return numbers | {"inertia": self._inertia, "lag": self._lag, "low": low, "high": high}

    @property
    @abstractmethod
    def push(self) -> Callable[..., Any]:
        """push(speed, inflow, x, y, z, t, p): thrust along the axis, and moment about it that the air exerts."""

    @property
    def law(self) -> Callable[..., Any]:
        velocity = self.fluid.velocity_function if self.needs_fluid else still
        return rotor_law(self.push, velocity, self._driven, self.lags, self.moving)

    @property
    @abstractmethod
    def needs_fluid(self) -> bool:
        """Whether the law asks for density and wind."""

    @property
    def numbers(self) -> dict[str, Number]:
        fluid = self.fluid.numbers if self.needs_fluid else {}
        return {**self.own_numbers, **self.turn_numbers, **fluid}

    def check_places(self) -> None:
        super().check_places()
        self.numbers  # noqa: B018  (what is missing is said now)


class Rotor(Turning):
    """A rotor whose thrust and torque go with the square of its speed: k_T W |W| along its axis, -k_Q W |W| about it.

    With `speed` the rotor is not a body of the model: its speed W is an input, ``"name.speed"`` for controllers and
    `linearize`, and its angular momentum turns with the place, with the gyroscopic moment -w x (J W a). Without it the
    place belongs to a body that turns on a hinge, and W is the angular velocity of the place about the axis.

    Parameters
    ----------
    name : str
    place : place
        Its hub.
    thrust, torque : number
        k_T (N s^2) and k_Q (N m s^2).
    speed : number, Parameter, formula or function of t, optional
        W (rad/s), positive about `axis`, relative to the body.
    direction : 1 or -1
        Of the thrust for a positive speed: a left-handed rotor, which turns with a negative speed, has -1.
    inertia : number
        J (kg m^2) about its axis, with `speed`.
    lag : number
        Time constant of the speed (s), with `speed`; the moment -J W' of its acceleration then acts, too.
    limits : (low, high), optional
        Of the speed.
    axis : (3,)
        World axes of the reference configuration.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("hover", gravity=(0, 0, -9.81))
    >>> body = model.add(cs.RigidBody("body", mass=1.2, com=(0, 0, 0), inertia=np.eye(3)))
    >>> for k, d in enumerate((1, -1, 1, -1)):
    ...     arm = body.at((0.2 * np.cos(k * np.pi / 2), 0.2 * np.sin(k * np.pi / 2), 0))
    ...     _ = model.add(cs.Rotor(f"rotor{k}", arm, 1e-5, 2e-7, speed=d * cs.Parameter("W", 500.0), direction=d))
    >>> round(cs.trim(model, ["W"]).parameters["W"], 6)
    542.49424
    """

    _thrust = number()
    _torque = number(nonnegative=True)

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        thrust: Number,
        torque: Number = 0.0,
        speed: Any = None,
        direction: int = 1,
        inertia: Number = 0.0,
        lag: Number = 0.0,
        limits: Any = None,
        axis: Any = (0.0, 0.0, 1.0),
    ) -> None:
        self._turn(speed)

    @property
    def own_numbers(self) -> dict[str, Number]:
        return {"k_thrust": self._direction * self._thrust, "k_torque": self._torque}

    @property
    def needs_fluid(self) -> bool:
        return False

    @property
    def push(self) -> Callable[..., Any]:
        return squared_push


class Propeller(Turning):
    """A propeller with coefficients of the advance ratio J = V/(n D): rho n^2 D^4 C_T(J) and rho n^2 D^5 C_Q(J).

    V is the speed of the place along the axis relative to the fluid, n the turns per second. The rest is as for
    `Rotor`.

    Parameters
    ----------
    name : str
    place : place
        Its hub.
    diameter : number
        D (m).
    thrust, torque : number or table
        C_T and C_Q: a number, or pairs (J, value) with growing J and straight lines between them. A run that leaves a
        table ends there and names the propeller.
    speed, direction, inertia, lag, limits, axis
        As for `Rotor`.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("plane", fluid=cs.Fluid(density=1.225))
    >>> body = model.add(cs.RigidBody("body", mass=5, com=(0, 0, 0), inertia=np.eye(3), velocity=(10, 0, 0)))
    >>> table = [(0.0, 0.1), (1.0, 0.0)]
    >>> _ = model.add(cs.Propeller("prop", body, 0.4, table, 0.005, speed=100 * np.pi, axis=(1, 0, 0)))
    >>> run = cs.simulate(model, duration=0.1, step=0.01)  # J = 10/(50 * 0.4) = 0.5
    >>> bool(np.isclose(run.acceleration("body")[0, 0], 1.225 * 50**2 * 0.4**4 * 0.05 / 5))
    True
    """

    _diameter = number(positive=True)
    _thrust = Given[Any](_number_or_table)
    _torque = Given[Any](_number_or_table)

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        diameter: Number,
        thrust: Any,
        torque: Any = 0.0,
        speed: Any = None,
        direction: int = 1,
        inertia: Number = 0.0,
        lag: Number = 0.0,
        limits: Any = None,
        axis: Any = (1.0, 0.0, 0.0),
    ) -> None:
        self._coefficients = {"thrust": self._given["thrust"], "torque": self._given["torque"]}
        self._turn(speed)

    def _table(self, word: str) -> tuple[Array, Array]:
        return _table(self.title, word, self._coefficients[word])

    @property
    def own_numbers(self) -> dict[str, Number]:
        numbers = {f"c_{word}": value for word, value in self._coefficients.items() if is_number(value)}
        return {"diameter": self._diameter, "direction": float(self._direction), **numbers}

    @property
    def needs_fluid(self) -> bool:
        return True

    @property
    def push(self) -> Callable[..., Any]:
        functions = [
            constant(f"c_{word}") if is_number(value) else tabled(*self._table(word))
            for word, value in self._coefficients.items()
        ]
        return coefficient_push(self.fluid.density_function, *functions)

    def fault(self, t: float, frame: Array, twist: Array, states: Array) -> str:
        """In words, which advance ratio the tables do not cover; or nothing."""
        p = self.numbers_at(t, states)
        flow = rotor_flow(self.fluid.velocity_function, self._driven, self.lags, self.moving)
        spin, _, inflow, _ = flow(t, frame, twist, p)
        J = advance_ratio(spin, inflow, p)
        tables = [self._table(word)[0] for word, value in self._coefficients.items() if not is_number(value)]
        if all(x[0] <= J <= x[-1] for x in tables):
            return ""
        low, high = max(x[0] for x in tables), min(x[-1] for x in tables)
        return f"meets the advance ratio {J:.4g}, and its tables cover {low:g} to {high:g}"


def rotor_flow(velocity: Callable[..., Any], driven: bool, lags: bool, moving: bool) -> Callable[..., Any]:
    """flow(t, frame, twist, p): speed, the speed that is wanted, inflow along the axis, turning in space (3)."""

    def flow(t, frame, twist, p):
        wind = velocity(frame[0, 3], frame[1, 3], frame[2, 3], t, p)
        v0, v1, v2 = in_axes(frame, wind[0], wind[1], wind[2])
        inflow = p["a0"] * (twist[0] - v0) + p["a1"] * (twist[1] - v1) + p["a2"] * (twist[2] - v2)
        w = twist[3], twist[4], twist[5]
        if moving:
            w = turning(frame, twist, p)
        spin = p["a0"] * w[0] + p["a1"] * w[1] + p["a2"] * w[2]
        wanted = spin
        if driven:
            wanted = min(max(p["speed"], p["low"]), p["high"])
            spin = wanted
            if lags:
                spin = p["spin"]
        return spin, wanted, inflow, w

    return flow


def rotor_law(
    push: Callable[..., Any], velocity: Callable[..., Any], driven: bool, lags: bool, moving: bool
) -> Callable[..., Any]:
    """Thrust along the axis, torque of the air about it, gyroscopic moment of a speed that is given."""
    size = 7 if lags else 6
    flow = rotor_flow(velocity, driven, lags, moving)

    def law(t, frame, twist, p):
        a0, a1, a2 = p["a0"], p["a1"], p["a2"]
        spin, wanted, inflow, turned = flow(t, frame, twist, p)
        w = np.zeros(size)
        thrust, torque = push(spin, inflow, frame[0, 3], frame[1, 3], frame[2, 3], t, p)
        if driven:
            h = p["inertia"] * spin
            w[3], w[4], w[5] = cross(h * a0, h * a1, h * a2, turned[0], turned[1], turned[2])
            if lags:
                w[size - 1] = (wanted - spin) / p["lag"]
                torque -= p["inertia"] * w[size - 1]
        w[0], w[1], w[2] = thrust * a0, thrust * a1, thrust * a2
        w[3] += torque * a0
        w[4] += torque * a1
        w[5] += torque * a2
        return w

    return law


def squared_push(spin, inflow, x, y, z, t, p):
    """k_T W |W| and -k_Q W |W|."""
    square = spin * abs(spin)
    return p["k_thrust"] * square, -p["k_torque"] * square


def forward_side(spin, p):
    """1 where it pushes along its axis, -1 where it pushes against it."""
    return p["direction"] if spin >= 0.0 else -p["direction"]


def advance_ratio(spin, inflow, p):
    """J = V/(n D) with the speed V along its thrust."""
    n = abs(spin) / (2.0 * math.pi)
    return forward_side(spin, p) * inflow / (n * p["diameter"]) if n > 0.0 else 0.0


def coefficient_push(density, c_thrust, c_torque):
    """rho n^2 D^4 C_T(J) and rho n^2 D^5 C_Q(J); the thrust turns round with the speed."""

    def push(spin, inflow, x, y, z, t, p):
        d, n = p["diameter"], abs(spin) / (2.0 * math.pi)
        if n == 0.0:
            return 0.0, 0.0
        J = advance_ratio(spin, inflow, p)
        size = density(x, y, z, t, p) * n * n * d**4
        thrust = forward_side(spin, p) * size * c_thrust(J, 0.0, p)
        return thrust, -math.copysign(size * d * c_torque(J, 0.0, p), spin)

    return push
