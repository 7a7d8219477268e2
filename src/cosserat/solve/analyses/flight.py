"""Steady flight: attitude, controls and shape for which a craft flies straight, climbs, turns or hovers.

Seen from a frame that goes along with the craft, a steady flight is an equilibrium: the air comes towards it, and in a
turn the drive forces of the frame act. So attitude and deformation are found as in statics, together with the controls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.linalg import block_diag

from cosserat.calls import answering
from cosserat.compile.compiled import row_to_frame
from cosserat.compile.state_loads import motions_of, numbers_of, signals_of
from cosserat.errors import ModelError, SolveError
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.fluid import Fluid
from cosserat.model.functions import TimeFunction
from cosserat.model.gravity_fields import ApparentLoad, FieldLoad
from cosserat.model.model import Model
from cosserat.model.observers import Observer
from cosserat.model.parameters import Parameter
from cosserat.model.placed_laws import PlacedLaw
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.trim import FORCES, SPEEDS, FlightTrim, flight_eigenpairs, named_modes
from cosserat.solve.analyses.formulations import Formulation
from cosserat.solve.analyses.linearize import linearize
from cosserat.solve.balance.knobs import Knobs, named
from cosserat.solve.balance.meeting import meet
from cosserat.solve.linear.point import place_jacobian

_LONGEST = 0.2  # rad, or shares of the extent, in a correction
_ROUNDING = 1e-6  # real part, relative to |s|, that counts as zero


@answering
@dataclass(frozen=True)
class Flight:
    """A steady flight, for ``cs.trim(model, controls, flight=cs.Flight(speed=20))``.

    Parameters
    ----------
    speed : float
        Through the air (m/s). 0: hover over the ground, in the wind of the fluid.
    climb : float
        Angle of the path over the horizon (rad); negative in a glide. None: found with the rest, as in a glide without
        power.
    turn : float
        Rate of turn (rad/s), to the right.
    body : str, optional
        The body whose attitude is told; default: the heaviest.
    forward, up : (3,)
        Horizontal direction of the path at the start, and the vertical, world axes; the craft is described as it flies
        level along them.
    sideslip : bool
        Whether the craft may slip sideways; default: not, where it has controls enough.

    Examples
    --------
    >>> Flight(speed=20.0, climb=0.1).text
    'flight at 20 m/s, climb 0.1 rad'
    """

    speed: float
    climb: float | None = 0.0
    turn: float = 0.0
    body: str | None = None
    forward: Any = (1.0, 0.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    sideslip: bool = False

    def __post_init__(self) -> None:
        for argument in ("speed", "climb", "turn"):
            checks.fixed("Flight", argument, getattr(self, argument))
        checks.number("Flight", "speed", self.speed, nonnegative=True)
        if self.climb is not None:
            climb = checks.number("Flight", "climb", self.climb)
            if abs(climb) > 0.5 * np.pi:
                raise SolveError(f"Flight: climb is {climb:g}; it is an angle from -pi/2 to pi/2 (rad)")
        checks.number("Flight", "turn", self.turn)
        if self.turn != 0.0 and self.climb is None:
            raise SolveError("Flight: climb=None is for straight flight; give the climb of a turn")
        forward, up = checks.unit("Flight", "forward", self.forward), checks.unit("Flight", "up", self.up)
        if abs(float(forward @ up)) > 1e-9:
            raise SolveError("Flight: up must be perpendicular to forward, the horizontal direction of the path")

    @property
    def text(self) -> str:
        """In a few words."""
        climb = "" if not self.climb else f", climb {self.climb:g} rad"
        return f"flight at {self.speed:g} m/s{climb}" + (f", turn {self.turn:g} rad/s" if self.turn else "")

    @property
    def axes(self) -> Array:
        """Forward, right and down (3, 3), as columns."""
        f, u = checks.unit("Flight", "forward", self.forward), checks.unit("Flight", "up", self.up)
        return np.column_stack((f, np.cross(f, u), -u))

    def velocity(self, climb: float) -> Array:
        """Of the craft through the air (3,), world axes."""
        f, _, d = self.axes.T
        return np.asarray(self.speed * (np.cos(climb) * f - np.sin(climb) * d))


class FlyingModel:
    """A model in the frame of a flight, its controls as parameters."""

    def __init__(self, model: Model, controls: Any, flight: Flight) -> None:
        if model.frame is not None or model.field is not None:
            raise SolveError("trim: flight= takes a model in a Galilean frame with uniform gravity")
        if flight.speed > 0.0 and model.fluid is None:
            raise SolveError("trim: flight= at a speed needs a fluid: cs.Model(..., fluid=cs.Fluid(density=1.225))")
        if not model.bodies:
            raise SolveError("trim: flight= needs a RigidBody, whose attitude it finds; add one to the craft")
        self.flight, self.model = flight, model.copy()
        heaviest = max(model.bodies, key=lambda b: float(b.mass)).name
        self.body = flight.body if flight.body is not None else heaviest
        if self.body not in [b.name for b in model.bodies]:
            raise SolveError(f"trim: flight: no body {self.body!r}; bodies: {', '.join(b.name for b in model.bodies)}")
        self.names, self.guesses = self._controls(controls)
        self._set_out()

    def _controls(self, controls: Any) -> tuple[list[str], dict[str, float]]:
        """Names of parameters; inputs of loads become parameters of the same name."""
        asked, guesses = named(controls, "names of controls, such as ['motor.throttle', 'elevator']")
        offered = {signal.name: signal for signal in signals_of(self.model) if signal.offered}
        names = []
        for name in dict.fromkeys(asked):
            if name not in offered and name not in self.model.parameters:
                known = ", ".join(map(repr, [*offered, *self.model.parameters])) or "none"
                raise SolveError(f"trim: unknown control {name!r}; inputs of loads, and parameters: {known}")
            if name in offered and name not in self.model.parameters:
                load = self.model.state_loads[offered[name].load]
                assert isinstance(load, PlacedLaw)
                parameter = Parameter(name.replace(".", "_"), float(offered[name].function.sample([0.0])[0]))
                load.set_input(name.rpartition(".")[2], TimeFunction(parameter, load.title))
                self.model.revision += 1
                if name in guesses:
                    guesses[parameter.name] = guesses.pop(name)
                name = parameter.name
            names.append(name)
        return names, guesses

    def _set_out(self) -> None:
        """Let the air come towards the craft, and the frame turn."""
        flight, fluid = self.flight, self.model.fluid
        if flight.speed == 0.0 and flight.turn == 0.0:
            return
        assert fluid is not None
        if callable(fluid._velocity) or fluid.has_surface:
            raise SolveError("trim: flight= takes a uniform wind, and no free surface of the fluid")
        wind = checks.array("Fluid", "velocity", fluid._velocity, (3,))
        given = {k: v for k, v in fluid.arguments().items() if k != "velocity"}
        if flight.turn == 0.0:
            stream: Any
            if flight.climb is None:
                f, _, d = flight.axes.T
                ahead, sink = Parameter("ahead_of_flight", flight.speed), Parameter("sink_of_flight", 0.0)
                stream = tuple(-1.0 * float(a) * ahead + -1.0 * float(b) * sink for a, b in zip(f, d, strict=True))
            else:
                stream = tuple((-flight.velocity(float(flight.climb))).tolist())
            self.model.fluid = Fluid(velocity=stream, **given)
            return
        if np.any(wind):
            raise SolveError("trim: a turn in a wind is not steady; leave out the wind of the fluid")
        spin = flight.turn * flight.axes[:, 2]
        body = next(b for b in self.model.bodies if b.name == self.body)
        # the body has the wanted velocity, not the origin of the frame
        velocity = flight.velocity(float(flight.climb or 0.0)) - np.cross(spin, np.asarray(body.com, dtype=float))
        level = velocity - (velocity @ flight.axes[:, 2]) * flight.axes[:, 2]
        # the origin goes round a circle, and up: x(t) = r/w (sin, 1 - cos)
        rate = float(flight.turn)
        side = np.cross(spin / rate, level)
        rise = velocity - level
        origin = tuple(
            f"({a!r})*sin({rate!r}*t)/{rate!r} + ({b!r})*(1 - cos({rate!r}*t))/{rate!r} + ({c!r})*t"
            for a, b, c in zip(level.tolist(), side.tolist(), rise.tolist(), strict=True)
        )
        turns = [(tuple((spin / rate).tolist()), f"{rate!r}*t")]
        self.model.fluid = Fluid(velocity=_turning_air(velocity, spin), **given)
        self.model.frame = Observer(origin=origin, turns=turns)

    @property
    def free_path(self) -> bool:
        """Whether the path's angle is found."""
        return self.flight.climb is None and self.flight.speed > 0.0


def _turning_air(velocity: Array, spin: Array) -> Any:
    """Still air as it is seen from a frame that moves and turns."""
    a, b, c = (float(x) for x in velocity)
    p, q, r = (float(x) for x in spin)

    def air(x, y, z, t):  # type: ignore[no-untyped-def]
        return -a - (q * z - r * y), -b - (r * x - p * z), -c - (p * y - q * x)

    return air


def trim_flight(
    model: Model,
    controls: Any,
    flight: Flight,
    limits: Mapping[str, Any] | None,
    time: float,
    tolerance: float,
    frames: Formulation,
) -> FlightTrim:
    """Attitude, shape and controls of a steady flight; see `trim`."""
    if not isinstance(flight, Flight):
        raise SolveError(f"trim: flight={flight!r}; pass a Flight such as cs.Flight(speed=20.0)")
    flying = FlyingModel(model, controls, flight)
    bounds = _bounds(limits, flying.names)
    path = ["ahead_of_flight", "sink_of_flight"] if flying.free_path else []
    knobs = Knobs(flying.model, [*flying.names, *path], None, (0.0, 0.0, 0.0), "trim")
    knobs.turn(flying.guesses)
    knobs.check()
    found, residual = _balanced(flying, knobs, bounds, time, tolerance, frames)
    names = [name for name in knobs.names if name not in path]
    objects = flying.model.parameter_objects()  # a component may have the same name
    inputs, outputs = [objects[name][0] for name in names], [f"{flying.body}.{w}" for w in _WORDS]
    linear = linearize(flying.model, inputs=inputs, outputs=outputs, about=found, formulation=frames.floating)
    R = np.asarray(found.rotation(flying.body))
    velocity = _velocity(flying, knobs)
    states = _states(linear.C, R, flight, velocity)
    eigenvalues, vectors, zero, error = flight_eigenpairs(linear.A)
    modes = named_modes(eigenvalues[~zero], states @ vectors[:, ~zero], max(flight.speed, 1.0))
    zero |= np.abs(eigenvalues) <= 1e-5 * max((abs(m.eigenvalue) for m in modes), default=0.0)
    u, v, w = flight.axes.T @ R.T @ velocity
    turned = flight.axes.T @ R @ flight.axes
    values = {name: knobs.values[name] for name in names}
    if flying.free_path:
        speeds = knobs.values
        values["climb"] = float(np.arctan2(-speeds["sink_of_flight"], speeds["ahead_of_flight"]))
    return FlightTrim(
        values, found, residual, eigenvalues, *growth_of(eigenvalues, zero, error),
        {
            "roll": float(np.arctan2(turned[2, 1], turned[2, 2])),
            "pitch": float(-np.arcsin(np.clip(turned[2, 0], -1, 1))),
            "heading": float(np.arctan2(turned[1, 0], turned[0, 0])),
        },
        float(np.arctan2(w, u)) if flight.speed else 0.0,
        float(np.arctan2(v, np.hypot(u, w))) if flight.speed else 0.0,
        flying.model, _derivatives(flying, found, names, frames), linear, states, modes,
    )  # fmt: skip


_WORDS = ("velocity", "angular_velocity", "rotation", "position")


def growth_of(
    eigenvalues: NDArray[np.complex128], zero: NDArray[np.bool_], error: Array | float = 0.0
) -> tuple[float, int]:
    """Largest real part beyond rounding of eigenvalues, some of which are zero, and how many these are."""
    growing = eigenvalues.real[~zero & (eigenvalues.real > np.maximum(_ROUNDING * np.abs(eigenvalues), error))]
    return float(np.max(growing, initial=0.0)), int(np.count_nonzero(zero))


def _velocity(flying: FlyingModel, knobs: Knobs) -> Array:
    """Of the craft through still air (3,), axes of the frame."""
    flight = flying.flight
    if not flying.free_path:
        return flight.velocity(float(flight.climb or 0.0))
    f, _, d = flight.axes.T
    return np.asarray(knobs.values["ahead_of_flight"] * f + knobs.values["sink_of_flight"] * d)


def _bounds(limits: Mapping[str, Any] | None, names: list[str]) -> dict[str, tuple[float, float]]:
    bounds = {}
    if limits is not None and not isinstance(limits, Mapping):
        raise SolveError(f"trim: limits={limits!r}; pass a dict such as {{'elevator': (-0.4, 0.4)}}")
    for name, pair in (limits or {}).items():
        key = name.replace(".", "_") if name not in names else name
        if key not in names:
            known = ", ".join(map(repr, names))
            raise SolveError(f"trim: limits of {name!r}, which is not a control; controls: {known}")
        low, high = checks.array("trim", f"limits[{name!r}]", pair, (2,))
        if not low < high:
            raise SolveError(f"trim: limits of {name!r} are ({low:g}, {high:g}); the first must be the lesser")
        bounds[key] = float(low), float(high)
    return bounds


def _balanced(
    flying: FlyingModel, knobs: Knobs, bounds: dict[str, tuple[float, float]], time: float, tolerance: float,
    frames: Formulation,
) -> tuple[Equilibrium, float]:  # fmt: skip
    """Newton's method on the balance, the place of the body, and no slip to the side; least corrections where free."""
    balance = frames.parametric(knobs, None, time, knobs.spans(1e-2))
    statics, flight = balance.statics, flying.flight
    point = statics.still()
    station = point.still.mechanism.station(flying.body)[0]
    weight = np.ones(statics.residual().size)
    weight[: statics.n_motions] = 1.0 / statics.metric()
    coordinated = not flight.sideslip and flight.speed > 0.0 and len(flying.names) + flying.free_path >= 4

    def correction(names: list[str], rhs: Array) -> Array:
        point = statics.still()
        J = place_jacobian(point.still, station)
        rows = np.zeros((6, rhs.size))
        rows[:, : statics.n_motions] = np.array([point.carried(row) for row in J])
        scales, columns = balance.columns(names)
        extra, missing, by_knobs = _conditions(flying, knobs, names, scales, point, station, rows, coordinated)
        top = np.hstack((statics.matrix().toarray(), columns)) * weight[:, None]
        strong = np.abs(top[:, : rhs.size]).max() / max(statics.extent, 1e-12)
        system = np.vstack((top, strong * np.hstack((extra, by_knobs))))
        right = np.concatenate((weight * rhs, strong * missing))
        watched = block_diag(rows[3:], np.eye(len(names)))
        if not np.isfinite(system).all():
            return np.full(system.shape[1], np.nan)
        return _least(system, right, watched) * np.concatenate((np.ones(rhs.size), scales))

    _, fixed = meet(balance, correction, lambda step: _LONGEST / max(statics.reach(step), 1e-300), tolerance, bounds)
    worst, text = statics.imbalance()
    if not worst <= 1.0:
        at = f"; at its limit: {', '.join(map(repr, fixed))}" if fixed else ""
        using = f" with {', '.join(map(repr, flying.names))}, at {knobs.told}" if flying.names else ""
        raise SolveError(
            f"trim: no steady {flight.text} was found{using}: {text}{at}; name more controls, widen limits, or pass "
            "first guesses, {'thrust': 10.0}"
        )
    rest = weight * statics.residual()
    return balance.found(), float(np.max(np.abs(rest[: statics.n_motions]), initial=0.0))


def _least(system: Array, right: Array, watched: Array) -> Array:
    """Solution in the sense of least squares; of many, the one with the least turn of the body and of controls.

    `watched` has these by corrections. The axes in which a craft is described have no part in it.
    """
    size = np.linalg.norm(system, axis=0)
    size[size == 0.0] = 1.0
    U, values, V = np.linalg.svd(system / size)
    n = int(np.count_nonzero(values > 1e-11 * values[0]))
    found = V[:n].T @ (U[:, :n].T @ right / values[:n])
    free, seen = V[n:].T, watched / size
    weak = 1e-8 * np.linalg.norm(seen) * np.eye(free.shape[1])  # what it does not see, such as reactions, stays
    wanted = np.concatenate((seen @ found, np.zeros(free.shape[1])))
    return np.asarray((found - free @ np.linalg.lstsq(np.vstack((seen @ free, weak)), wanted)[0]) / size)


def _conditions(
    flying: FlyingModel, knobs: Knobs, names: list[str], scales: Array, point: Any, station: Any, rows: Array,
    coordinated: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Rows by corrections, what they miss, and rows by controls: the body stays where it is, does not slip."""
    flight = flying.flight
    extra, missing = [*rows[:3]], [0.0, 0.0, 0.0]
    R = np.asarray(row_to_frame(point.still.frames[station.node])[:3, :3])
    velocity = _velocity(flying, knobs)
    right = R @ flight.axes[:, 1]
    if coordinated:  # the body's axis to the right is across the air: d(R e) = turn x R e
        length = max(flight.speed, 1e-12)
        extra.append(np.cross(right, velocity) @ rows[3:] / length)
        missing.append(-float(right @ velocity) / length)
    elif flight.speed == 0.0:
        extra.append(flight.axes[:, 2] @ rows[3:])
        missing.append(0.0)
    by_knobs = np.zeros((len(extra) + flying.free_path, len(names)))
    if flying.free_path:  # ahead^2 + sink^2 = speed^2
        a, s = knobs.values["ahead_of_flight"], knobs.values["sink_of_flight"]
        extra.append(np.zeros(rows.shape[1]))
        slope = np.array([2 * a if n == "ahead_of_flight" else 2 * s if n == "sink_of_flight" else 0.0 for n in names])
        by_knobs[-1] = slope * scales / flight.speed**2
        missing.append(1.0 - (a * a + s * s) / flight.speed**2)
    return np.array(extra), np.array(missing), by_knobs


def _states(C: Array, R: Array, flight: Flight, velocity: Array) -> Array:
    """States of flight (12, n) by those of the linear model, from rows of velocity, rates, turns and position."""
    v, w, turn, x = C[:3], C[3:6], C[6:9], C[9:12]
    E = flight.axes
    body = E.T @ R.T  # from world axes to forward, right, down of the body
    spin = flight.turn * E[:, 2]
    v, w = v + so3.hat(spin) @ x, w + so3.hat(spin) @ turn  # in space: the frame of a turn carries along
    return np.vstack((body @ (v + so3.hat(velocity) @ turn), body @ w, body @ turn, E.T @ x))


def _derivatives(flying: FlyingModel, found: Equilibrium, names: list[str], frames: Formulation) -> Any:
    """Derivatives of the whole wrench of the air and of engines, about the body's centre, body axes."""
    R, centre = np.asarray(found.rotation(flying.body)), np.asarray(found.position(flying.body))
    to_body = flying.flight.axes.T @ R.T
    model, time = flying.model, float(found.trajectory.time[-1])

    def wrench(motion: Array) -> Array:
        """Of all laws for a rigid motion (v, w) along the body's forward, right, down, (6,) the same axes."""
        from cosserat.compile.build import compile_model

        compiled = compile_model(model, floating=frames.floating is not None)
        placed, efforts = found.trajectory.history.frame[-1], compiled.sampler.sample(np.array([time])).effort
        v, spin = to_body.T @ motion[:3], to_body.T @ motion[3:]
        spatial = np.concatenate((v - np.cross(spin, centre), spin))
        total = np.zeros(6)
        for k, law in enumerate(compiled.laws):
            if isinstance(law.load, (ApparentLoad, FieldLoad)):
                continue
            at = motions_of(compiled, k, placed[None], np.zeros((1, len(placed), 6)))[0][0]
            carry = [se3.adjoint(se3.inverse(H)) for H in at]
            twists = np.array([to_place @ spatial for to_place in carry])
            numbers = numbers_of(compiled, k, efforts[0])
            states = law.steady(time, at, twists, numbers)[0] if law.n_states else None
            w = law.answer(time, at, twists, states, numbers)
            total += sum(carry[p].T @ w[6 * p : 6 * p + 6] for p in range(law.load.acts_on))
        return np.concatenate((to_body @ total[:3], to_body @ (total[3:] - np.cross(centre, total[:3]))))

    columns = []
    for k in range(6):
        step = 1e-4 * (max(flying.flight.speed, 1.0) if k < 3 else 1.0)
        d = step * np.eye(6)[k]
        columns.append((wrench(d) - wrench(-d)) / (2.0 * step))
    for name in names:
        value = model.parameters[name]
        step = 1e-4 * max(abs(value), 1e-2)
        sides = []
        for sign in (1.0, -1.0):
            try:
                model.set(**{name: value + sign * step})
            except ModelError:
                pass  # at the border of what the model can take
            sides.append((model.parameters[name], wrench(np.zeros(6))))
        model.set(**{name: value})
        columns.append((sides[0][1] - sides[1][1]) / (sides[0][0] - sides[1][0]))
    return xr.DataArray(
        np.array(columns).T, dims=("force", "by"), coords={"force": list(FORCES), "by": [*SPEEDS, *names]},
        name="stability derivatives",
    )  # fmt: skip
