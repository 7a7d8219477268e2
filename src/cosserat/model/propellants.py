"""`Propellant`: mass that a rocket burns, the thrust that it makes, and what the rest of it does to the motion."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.breaks import breaks_of
from cosserat.model.frame_laws import cross, turning
from cosserat.model.functions import Sampled, TimeFunction
from cosserat.model.parameters import Number, Parameter, resolve
from cosserat.model.placed_laws import BodyLaw, gimbal_angles
from cosserat.model.places import Place
from cosserat.model.records import Component, number, optional_vector, recorded, unit_vector
from cosserat.model.thrusters import thrust_along

MASSES = ("m", "sx", "sy", "sz", "jxx", "jyy", "jzz", "jxy", "jxz", "jyz")
"""Mass, first moments and inertia of the propellant about the centre of its body, in the body's axes."""
_X, _W = np.polynomial.legendre.leggauss(8)
_DIFFERENCE = 1e-5  # of the share that is left


class Propellant(BodyLaw):
    """Propellant in a rigid body: its mass, centre and inertia, which burn away, and the thrust of the exhaust.

    The body has its dry mass; the propellant adds to it what is left. With the rate b of burning and the exhaust speed
    c the thrust is b c at the nozzle. The equations are M(t) v' = F, with no term M' v: what leaves takes its momentum
    along. What flows through a body that turns makes the moments -J' w - b r × (w × r) (jet damping, r the nozzle) and
    the force -2 w × (S' + b r), S the first moment. When it is burnt out, thrust and flow stop; steps end there.

    Parameters
    ----------
    name : str
    body : RigidBody or its name
    mass : number
        Before the start (kg).
    rate : number, Parameter, formula or function of t
        Burnt per second (kg/s), not negative, until nothing is left.
    exhaust : number
        Effective speed of the exhaust (m/s).
    nozzle : (3,), optional
        Where the thrust acts, world coordinates of the reference configuration; default: the centre of the body.
    direction : (3,)
        Of the thrust, world axes of the reference configuration.
    centre : (3,) or pair of these, optional
        Centre of the propellant, world coordinates of the reference configuration: one point, or where it is at the
        start and where it goes as the last burns; default: the centre of the body.
    inertia : (3,), (3, 3) or callable
        Of the full propellant about its centre, the body's axes; it goes with the mass that is left. Or a function
        of the share that is left, from 1 to 0, that gives it.
    gimbal : pair
        Pitch and yaw of the thrust (rad), inputs as for `Thruster`.
    up : (3,)
        Direction to which pitch turns the thrust.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("rocket")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    >>> fuel = model.add(cs.Propellant("fuel", body, mass=2.0, rate=0.5, exhaust=2000.0))
    >>> run = cs.simulate(model, duration=5.0, step=0.01)
    >>> bool(np.isclose(run.velocity("body")[-1, 0], 2000 * np.log(3.0), rtol=1e-5))
    True
    >>> fuel.burnout(10.0)
    4.0
    """

    _feels_frame = True
    varying = MASSES
    _mass = number(positive=True)
    _exhaust = number(nonnegative=True)
    _direction = unit_vector()
    _up = unit_vector()
    _nozzle = optional_vector()

    @recorded
    def __init__(
        self,
        name: str,
        body: Any,
        mass: Number,
        rate: Any,
        exhaust: Number,
        nozzle: Any = None,
        direction: Any = (1.0, 0.0, 0.0),
        centre: Any = None,
        inertia: Any = (0.0, 0.0, 0.0),
        gimbal: Any = (0.0, 0.0),
        up: Any = (0.0, 0.0, 1.0),
    ) -> None:
        Component.__init__(self, name)
        self._rate = TimeFunction(rate, f"{self.title}: rate")
        self._centre, self._inertia = self._given["centre"], self._given["inertia"]
        self._angles = gimbal_angles(self.title, self._given["gimbal"], ("gimbal", "gimbal"))
        self._keep(rate=self._rate, gimbal=tuple(self._angles.values()))

    def check(self) -> None:
        super().check()
        self._centres()
        for share in (1.0, 0.5, 0.0):
            self._inertia_at(share)
        times = np.array([0.0]) if self._rate.is_constant else np.linspace(0.0, 10.0, 101)
        self._demand_burning(times, self._rate.sample(times))

    def _demand_burning(self, t: Array, rate: Array) -> None:
        if len(rate) and rate.min() < 0.0:
            k = int(np.argmax(rate < 0.0))
            raise self._wrong("rate", f"is {rate[k]:g} kg/s at t = {t[k]:g} s; propellant burns, it does not come back")

    def _centres(self) -> tuple[Array, Array]:
        """Centres of the full and of the last propellant, from the body's centre in its axes."""
        R, x = np.eye(3), np.zeros(3)
        if isinstance(self._place, Place):
            H = self._place.frame()
            R, x = H[:3, :3], H[:3, 3]
        if self._centre is None:
            return np.zeros(3), np.zeros(3)
        pair = isinstance(self._centre, tuple) and len(self._centre) == 2
        both = self._centre if pair else (self._centre, self._centre)
        first, last = (R.T @ (checks.array(self.title, "centre", c, (3,)) - x) for c in both)
        return first, last

    def _inertia_at(self, share: float) -> Array:
        """Inertia (3, 3) of a share of the propellant about its centre."""
        value = self._inertia
        if callable(value):
            try:
                value = np.asarray(value(share), dtype=float)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                raise self._wrong("inertia", f"fails for the share {share:g} with {text}") from None
            share = 1.0
        J = checks.tensor(self.title, "inertia", value)
        if np.abs(J - J.T).max() > 1e-12 * np.abs(J).max() or np.linalg.eigvalsh(J).min() < -1e-12 * np.abs(J).max():
            raise self._wrong("inertia", "must be symmetric and not negative")
        return np.asarray(share * J)

    def burnt(self, t: Any) -> Array:
        """Mass (kg) burnt up to the times t (nt,), all of it at most."""
        t = np.atleast_1d(np.asarray(t, dtype=float))
        whole = resolve(self._mass)
        if self._rate.is_constant:
            return np.clip(resolve(self._rate.source) * t, 0.0, whole)
        at = np.clip(t, 0.0, None)
        cuts, sums = self._integral(float(at.max(initial=0.0)))
        k = np.clip(np.searchsorted(cuts, at, side="right") - 1, 0, len(cuts) - 1)
        width = at - cuts[k]
        inside = cuts[k][:, None] + 0.5 * width[:, None] * (1.0 + _X)
        return np.minimum(sums[k] + 0.5 * width * (self._rates(inside.ravel()).reshape(inside.shape) @ _W), whole)

    def _integral(self, last: float) -> tuple[Array, Array]:
        """Times, and the mass burnt up to each if there were enough, up to `last` or later; kept."""
        kept = self.__dict__.get("_summed")
        if kept is None or kept[0] != Parameter.changes or kept[1][-1] < last:
            end = last if kept is None or kept[0] != Parameter.changes else max(last, 2.0 * kept[1][-1])
            cuts = np.array(sorted({*np.linspace(0.0, end, 257).tolist(), *breaks_of(self._rate, 0.0, end)}))
            width = np.diff(cuts)
            at = cuts[:-1, None] + 0.5 * width[:, None] * (1.0 + _X)
            rate = self._rate.sample(at.ravel())
            sums = np.concatenate(([0.0], np.cumsum(0.5 * width * (rate.reshape(at.shape) @ _W))))
            kept = (Parameter.changes, cuts, sums, at.ravel(), rate)
            self.__dict__["_summed"] = kept
        upto = kept[3] <= last
        self._demand_burning(kept[3][upto], kept[4][upto])
        return kept[1], kept[2]

    def _rates(self, t: Array) -> Array:
        rate = self._rate.sample(t)
        self._demand_burning(t, rate)
        return rate

    def burnout(self, last: float) -> float | None:
        """When nothing is left (s), if that is before the time `last`; None: it burns longer."""
        whole = resolve(self._mass)
        if self._rate.is_constant:
            rate = resolve(self._rate.source)
            return float(whole / rate) if rate > 0.0 and whole / rate <= last else None
        key = (last, Parameter.changes)
        if self.__dict__.get("_out", (None,))[0] != key:
            self.__dict__["_out"] = (key, self._burnout(last))
        found: float | None = self.__dict__["_out"][1]
        return found

    def _burnout(self, last: float) -> float | None:
        whole = resolve(self._mass)
        if self.burnt([last])[0] < whole:
            return None
        low, high = 0.0, float(last)
        for _ in range(60):
            grid = np.linspace(low, high, 17)
            k = int(np.argmax(self.burnt(grid) >= whole))
            low, high = float(grid[max(k - 1, 0)]), float(grid[k])
            if high - low <= 1e-14 * last:
                break
        return high

    def events(self, start: float, end: float) -> str:
        out = self.burnout(end)
        if out is None or out > end:
            return ""
        return f"{self.title}: burnt out {'since' if out <= start else 'at'} t = {out:.6g} s"

    def _breaks(self, start: float, end: float) -> list[float]:
        out = self.burnout(end)
        found = [t for t in breaks_of(self._rate, start, end) if out is None or t < out]
        return found if out is None or not start < out < end else [*found, out]

    def _flow(self, t: Array) -> Array:
        """Rate of burning (nt,), zero when nothing is left."""
        rate = self._rates(t)
        left = resolve(self._mass) - self.burnt(t)
        return np.where((left > 0.0) & (t >= 0.0), rate, 0.0)

    def masses(self, share: Array) -> Array:
        """`MASSES` (nt, 10) where a share (nt,) is left."""
        first, last = self._centres()
        m, c = resolve(self._mass) * share, last + share[:, None] * (first - last)
        if callable(self._inertia):
            J = np.array([self._inertia_at(float(f)) for f in share])
        else:
            J = share[:, None, None] * self._inertia_at(1.0)
        J = J + m[:, None, None] * (np.sum(c * c, axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
        parts = (J[:, 0, 0], J[:, 1, 1], J[:, 2, 2], J[:, 0, 1], J[:, 0, 2], J[:, 1, 2])
        return np.column_stack((m, m[:, None] * c, *parts))

    def _sample(self, t: Array) -> Array:
        """Masses and their rates (nt, 20), and the flow, kept until other times are asked for."""
        key = (t.tobytes(), Parameter.changes)
        kept: dict[Any, Array] = self.__dict__.setdefault("_kept", {})
        if key in kept:
            return kept[key]
        whole = resolve(self._mass)
        share, flow = 1.0 - self.burnt(t) / whole, self._flow(t)
        low, high = np.clip(share - _DIFFERENCE, 0.0, 1.0), np.clip(share + _DIFFERENCE, 0.0, 1.0)
        slope = (self.masses(high) - self.masses(low)) / (high - low)[:, None]
        found = np.hstack((self.masses(share), -(flow / whole)[:, None] * slope, flow[:, None]))
        if len(kept) > 4:
            kept.clear()
        kept[key] = found
        return found

    def check_places(self) -> None:
        super().check_places()
        self._directions(self._direction, self._up, ("direction", "up"))

    @property
    def numbers(self) -> dict[str, Number]:
        forward, up = self._directions(self._direction, self._up, ("direction", "up"))
        H = self.place.frame()
        nozzle = self._nozzle
        r = np.zeros(3) if nozzle is None else H[:3, :3].T @ (nozzle - H[:3, 3])
        axes = {f"{word}{i}": float(x) for word, v in (("f", forward), ("u", up), ("r", r)) for i, x in enumerate(v)}
        return {**axes, "thrust": self._exhaust, "most": 1e300}

    @property
    def inputs(self) -> Mapping[str, TimeFunction]:
        names = (*MASSES, *(f"d{name}" for name in MASSES), "flow")

        def column(k: int) -> Callable[[Array], Array]:
            return lambda t: self._sample(t)[:, k]

        hidden: dict[str, TimeFunction] = {
            name: Sampled(column(k), (id(self), name), f"{self.title}: rate", self._breaks)
            for k, name in enumerate(names)
        }
        return hidden | self._angles

    @property
    def law(self) -> Callable[..., Any]:
        moving = self.moving

        def law(t, frame, twist, p):
            f = thrust_along(p["flow"], p)
            b, r0, r1, r2 = p["flow"], p["r0"], p["r1"], p["r2"]
            w0, w1, w2 = twist[3], twist[4], twist[5]
            if moving:
                w0, w1, w2 = turning(frame, twist, p)
            # -2 w × (S' + b r)
            s0, s1, s2 = p["dsx"] + b * r0, p["dsy"] + b * r1, p["dsz"] + b * r2
            pushed = cross(w0, w1, w2, s0, s1, s2)
            # -J' w, and r × (f - b w × r)
            c0, c1, c2 = cross(w0, w1, w2, r0, r1, r2)
            moved = cross(r0, r1, r2, f[0] - b * c0, f[1] - b * c1, f[2] - b * c2)
            w = np.empty(6)
            for i in range(3):
                w[i] = f[i] - 2.0 * pushed[i]
            w[3] = moved[0] - (p["djxx"] * w0 + p["djxy"] * w1 + p["djxz"] * w2)
            w[4] = moved[1] - (p["djxy"] * w0 + p["djyy"] * w1 + p["djyz"] * w2)
            w[5] = moved[2] - (p["djxz"] * w0 + p["djyz"] * w1 + p["djzz"] * w2)
            return w

        return law
