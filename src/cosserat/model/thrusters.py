"""`Thruster`: a force that turns with its body, with throttle and gimbal angles as inputs."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.model.frame_laws import cross
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.placed_laws import Lagging, demand_limits, gimbal_angles
from cosserat.model.records import Component, Given, number, recorded, unit_vector


class Thruster(Lagging):
    """An engine: thrust times throttle at a place, along a direction that turns with the body and with the gimbal.

    The throttle and the two gimbal angles are inputs: functions of time in the model, ``"motor.throttle"``,
    ``"motor.pitch"`` and ``"motor.yaw"`` in `linearize` and in what a controller gives.

    Parameters
    ----------
    name : str
    place : place
        Where the force acts.
    thrust : number
        Force at full throttle (N).
    throttle : number, Parameter, formula or function of t
        Share of the thrust; cut off at `limits`.
    gimbal : pair
        Pitch and yaw of the force (rad), each as `throttle`: pitch turns it from `axis` towards `up`, yaw then about
        `up`, to the left.
    lag : number
        Time constant of the thrust (s): it follows the throttle as a first-order lag; 0: at once.
    limits : (low, high)
        Of the throttle.
    gimbal_limit : number, optional
        Largest gimbal angle (rad).
    level : number, optional
        First value of the lagging throttle; default: the throttle at the time 0.
    axis, up : (3,)
        Direction of the force without gimbal, and the one to which pitch turns it, world axes of the reference
        configuration.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("sled")
    >>> sled = model.add(cs.RigidBody("sled", mass=2, com=(0, 0, 0), inertia=np.eye(3)))
    >>> motor = model.add(cs.Thruster("motor", sled, thrust=6.0, lag=0.5, level=0.0))
    >>> late = cs.simulate(model, duration=2.0, step=0.01).velocity("sled").values[-1, 0]
    >>> bool(abs(late - 3.0 * (2.0 - 0.5 * (1 - np.exp(-4.0)))) < 1e-3)
    True
    """

    follows = "level", "throttle"
    _thrust = number()
    _limits = Given[Any](demand_limits)
    _gimbal_limit = number(positive=True, optional=True)
    _level = number(optional=True)
    _axis = unit_vector()
    _up = unit_vector()

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        thrust: Number,
        throttle: Any = 1.0,
        gimbal: Any = (0.0, 0.0),
        lag: Number = 0.0,
        limits: Any = (0.0, 1.0),
        gimbal_limit: Number | None = None,
        level: Number | None = None,
        axis: Any = (1.0, 0.0, 0.0),
        up: Any = (0.0, 0.0, 1.0),
    ) -> None:
        Component.__init__(self, name)
        angles = gimbal_angles(self.title, self._given["gimbal"], ("gimbal[0]", "gimbal[1]"))
        self._inputs = {"throttle": TimeFunction(throttle, f"{self.title}: throttle"), **angles}
        self._keep_inputs()

    def _keep_inputs(self) -> None:
        self._keep(throttle=self._inputs["throttle"], gimbal=(self._inputs["pitch"], self._inputs["yaw"]))

    def check(self) -> None:
        super().check()
        (low, high), level = (resolve(x) for x in self._limits), self._level
        if level is not None and not low <= resolve(level) <= high:
            raise self._wrong("level", f"is {resolve(level):g}; it must be within limits, {low:g} to {high:g}")

    def check_places(self) -> None:
        super().check_places()
        self._directions(self._axis, self._up, ("axis", "up"))

    @property
    def numbers(self) -> dict[str, Number]:
        forward, up = self._directions(self._axis, self._up, ("axis", "up"))
        axes = {f"{word}{i}": float(x) for word, axis in (("f", forward), ("u", up)) for i, x in enumerate(axis)}
        low, high = self._limits
        most = math.inf if self._gimbal_limit is None else self._gimbal_limit
        return {**axes, "thrust": self._thrust, "lag": self._lag, "low": low, "high": high, "most": most}

    @property
    def first_states(self) -> tuple[float, ...]:
        return (resolve(self._level),) if self.lags and self._level is not None else super().first_states

    @property
    def law(self) -> Callable[..., Any]:
        return lagging_thrust if self.lags else direct_thrust


def thrust_along(share, p):
    """Force (3,) in the place's frame: share of the thrust, along the axis that the gimbal turns."""
    pitch = min(max(p["pitch"], -p["most"]), p["most"])
    yaw = min(max(p["yaw"], -p["most"]), p["most"])
    a, b, c = math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), math.sin(pitch)
    push = share * p["thrust"]
    l0, l1, l2 = cross(p["u0"], p["u1"], p["u2"], p["f0"], p["f1"], p["f2"])  # to the left
    return (
        push * (a * p["f0"] + b * l0 + c * p["u0"]),
        push * (a * p["f1"] + b * l1 + c * p["u1"]),
        push * (a * p["f2"] + b * l2 + c * p["u2"]),
    )


def direct_thrust(t, frame, twist, p):
    """Wrench of a thruster whose thrust follows the throttle at once."""
    f = thrust_along(min(max(p["throttle"], p["low"]), p["high"]), p)
    w = np.zeros(6)
    w[0], w[1], w[2] = f[0], f[1], f[2]
    return w


def lagging_thrust(t, frame, twist, p):
    """Wrench, and the rate of the throttle that acts: (throttle - level)/lag."""
    f = thrust_along(p["level"], p)
    w = np.zeros(7)
    w[0], w[1], w[2] = f[0], f[1], f[2]
    w[6] = (min(max(p["throttle"], p["low"]), p["high"]) - p["level"]) / p["lag"]
    return w
