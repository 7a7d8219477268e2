"""What adaptive steps err, over what the tolerance promises: `python -m bench.tolerance [--only WORDS] [--least 1e-9]`.

A hundred steps may commit an error of positions of `tolerance` times the extent of the mechanism. Every row is a
problem in one kind of run, every column a tolerance; figures are the largest error at any stored time, against an
integral of the equations of motion written by hand or a run with far shorter steps, over the promise for the number of
steps taken. The last two problems let errors grow by themselves and are counted apart. It takes about four minutes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.compile.skeleton import extent

Array = NDArray[np.float64]
Reference = Callable[[Array], Array]
G = 9.81

KINDS: dict[str, dict[str, Any]] = {
    "alpha 0.9": {},
    "alpha 0": {"rho": 0.0},
    "alpha 0.6": {"rho": 0.6},
    "conserving": {"integrator": "energy-momentum"},
    "floating": {"formulation": "floating"},
    "runge-kutta": {"formulation": "floating", "integrator": "runge-kutta"},
}
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)


class Problem(NamedTuple):
    """A model, how long it moves, the place that is looked at, and its positions (nt, 3) at times (nt,)."""

    model: cs.Model
    duration: float
    place: str
    exact: Reference


class Figure(NamedTuple):
    """Error of a run over its promise, steps, and CPU seconds."""

    ratio: float
    steps: int
    seconds: float


def figure(problem: Problem, tolerance: float, kind: dict[str, Any]) -> Figure:
    """Run a problem."""
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = cs.simulate(problem.model, problem.duration, tolerance=tolerance, **kind)
    seconds = time.process_time() - began
    if not run.status.ok:
        raise RuntimeError(f"{problem.model.name}: {run.status.message}")
    away = np.linalg.norm(run.position(problem.place).values - problem.exact(np.asarray(run.time)), axis=1).max()
    steps, compiled = run.stats["steps"], compile_model(problem.model)
    size = extent(problem.model, compiled.frames, compiled.length)
    return Figure(float(away) / (tolerance * size * steps / 100), steps, seconds)


def solved(
    rate: Callable[[float, Array], Any], start: Any, duration: float, place: Callable[[Array], Any],
    switches: Callable[[float, Array], Any] | None = None, jumps: tuple[float, ...] = (),
) -> Reference:  # fmt: skip
    """Positions that follow from an equation y' = rate(t, y), whose integration ends and starts anew wherever one of
    `switches(t, y)` changes sign, and at `jumps`.
    """
    pieces, t, y = [], 0.0, np.asarray(start, dtype=float)
    while t < duration:
        end = min((x for x in (*jumps, duration) if x > t + 1e-12), default=duration)
        side = np.sign(switches(t, y)) if switches is not None else None
        events = []
        for k in range(len(side) if side is not None else 0):
            def event(t: float, y: Array, k: int = k) -> float:
                return float(switches(t, y)[k])  # type: ignore[misc]

            event.terminal = True  # type: ignore[attr-defined]
            events.append(event)
        found = solve_ivp(rate, (t, end), y, "DOP853", rtol=3e-14, atol=1e-15, dense_output=True, events=events or None)
        pieces.append((t, float(found.t[-1]), found.sol))
        t, y = float(found.t[-1]), found.y[:, -1]
        if found.status == 1:  # go on at the other side of it
            small = 1e-13 * duration
            y, t = y + small * np.asarray(rate(t, y)), t + small

    def positions(times: Array) -> Array:
        begins = np.array([begin for begin, _, _ in pieces])
        at = np.searchsorted(begins, times, side="right") - 1
        return np.array([place(pieces[max(k, 0)][2](x)) for k, x in zip(at, times, strict=True)])

    return positions


def converged(model: cs.Model, duration: float, place: str, step: float, kink: float = 0.0) -> Reference:
    """Positions of a run with short equal steps, whose velocities may jump at one of their ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = cs.simulate(model, duration, step, formulation="floating", integrator="runge-kutta")
    assert run.status.ok, run.status.message
    times, found, at = np.asarray(run.time), run.position(place).values, round(kink / step)
    after = CubicSpline(times[at:], found[at:])
    before = CubicSpline(times[: at + 1], found[: at + 1]) if at else after
    return lambda t: np.where((t < kink)[:, None], before(t), after(t))


def pendulum() -> Problem:
    """Released from the horizontal, where fourth derivatives vanish."""
    model = cs.Model("pendulum", gravity=(0, 0, -G))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(1, 0, 0), inertia=0.01 * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
    exact = solved(
        lambda _, y: [y[1], G / 1.01 * np.cos(y[0])], [0.0, 0.0], 2.0, lambda y: (np.cos(y[0]), 0.0, -np.sin(y[0]))
    )
    return Problem(model, 2.0, "bob", exact)


def double_pendulum() -> Problem:
    """Released from the horizontal."""
    model = cs.Model("double pendulum", gravity=(0, 0, -G))
    a = model.add(cs.RigidBody("a", mass=1, com=(1, 0, 0), inertia=0.01 * np.eye(3)))
    b = model.add(cs.RigidBody("b", mass=1, com=(2, 0, 0), inertia=0.01 * np.eye(3)))
    model.add(cs.Revolute("j", cs.GROUND, a, axis=(0, 1, 0), at=(0, 0, 0)))
    model.add(cs.Revolute("k", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0)))
    return Problem(model, 1.0, "b", converged(model, 1.0, "b", 2.5e-4))


def slider(name: str, load: Any = None, speed: float = 0.0, **joint: Any) -> tuple[cs.Model, cs.RigidBody]:
    """A mass of 1 kg on a rail along x."""
    model = cs.Model(name)
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), velocity=(speed, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), **joint))
    if load is not None:
        model.add(cs.StateLoad("law", body, load))
    return model, body


def along(y: Array) -> Any:
    """Position of a body on a rail."""
    return y[0], 0.0, 0.0


def hard_stop() -> Problem:
    """A body flies between two springs that it touches now and then."""
    def stops(t, frame, twist, parameters):
        wrench = np.zeros(6)
        wrench[0] = 2e4 * max(0.0, -frame[0, 3]) - 1e4 * max(0.0, frame[0, 3] - 0.5)
        return wrench

    model, _ = slider("hard stop", stops, speed=1.0)
    exact = solved(
        lambda _, y: [y[1], 2e4 * max(0.0, -y[0]) - 1e4 * max(0.0, y[0] - 0.5)], [0.0, 1.0], 2.0, along,
        lambda _, y: (y[0], y[0] - 0.5),
    )  # fmt: skip
    return Problem(model, 2.0, "body", exact)


def bouncing() -> Problem:
    """A ball that falls on a hard floor with losses."""
    def floor(t, frame, twist, parameters):
        wrench = np.zeros(6)
        depth = max(0.0, -frame[2, 3])
        wrench[2] = 1e5 * depth * (1.0 - 0.2 * twist[2])
        return wrench

    model = cs.Model("bouncing", gravity=(0, 0, -G))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0.5), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(0, 0, 1)))
    model.add(cs.StateLoad("floor", ball, floor))
    exact = solved(
        lambda _, y: [y[1], -G + 1e5 * max(0.0, -y[0]) * (1.0 - 0.2 * y[1])], [0.5, 0.0], 1.5,
        lambda y: (0.0, 0.0, y[0]), lambda _, y: (y[0],),
    )  # fmt: skip
    return Problem(model, 1.5, "ball", exact)


def friction() -> Problem:
    """Dry friction on a rail, pushed to and fro."""
    model, body = slider("friction", friction=cs.Friction(3.0, 0.01))
    model.add(cs.Force("push", body, ("5*sin(4*t)", 0, 0)))
    exact = solved(
        lambda t, y: [y[1], 5.0 * np.sin(4.0 * t) - 3.0 * np.tanh(y[1] / 0.01)], [0.0, 0.0], 3.0, along,
        lambda t, y: (y[1] - 0.05, y[1] + 0.05),
    )  # fmt: skip
    return Problem(model, 3.0, "body", exact)


def limited_servo() -> Problem:
    """An effort at its limit most of the time."""
    model, _ = slider("limited servo")
    model.add(cs.Servo("motor", "rail", target=1.0, kp=1000.0, kd=50.0, limit=4.0))
    push = lambda y: 1000.0 * (1.0 - y[0]) - 50.0 * y[1]  # noqa: E731
    exact = solved(
        lambda _, y: [y[1], min(max(push(y), -4.0), 4.0)], [0.0, 0.0], 3.0, along,
        lambda _, y: (push(y) - 4.0, push(y) + 4.0),
    )  # fmt: skip
    return Problem(model, 3.0, "body", exact)


def dead_point() -> Problem:
    """A slider-crank that passes close to the pose in which rod and rail are square to each other."""
    model = cs.Model("dead point", gravity=(0, -G, 0))
    crank = model.add(cs.RigidBody("crank", mass=1.0, com=(0.35, 0.35, 0), inertia=(0.1, 0.1, 0.1)))
    rod = model.add(cs.RigidBody("rod", mass=1.0, com=(1.2, 0.3, 0), inertia=(0.1, 0.1, 0.1)))
    block = model.add(cs.RigidBody("block", mass=1.0, com=(1.7, 0, 0), inertia=(0.1, 0.1, 0.1)))
    a, b = (0.70710678, 0.70710678, 0.0), (0.70710678 + np.sqrt(0.72**2 - 0.5), 0.0, 0.0)
    z = (0, 0, 1)
    model.add(cs.Revolute("A", cs.GROUND, crank.at((0, 0, 0)), axis=z))
    model.add(cs.Revolute("B", crank.at(a), rod.at(a), axis=z))
    model.add(cs.Cylindrical("C", rod.at(b), block.at(b), axis=z))
    model.add(cs.Prismatic("rail", cs.GROUND, block.at(b), axis=(1, 0, 0)))
    return Problem(model, 1.0, "block", converged(model, 1.0, "block", 1e-4))


def timed_law() -> Problem:
    """A law of the state that jumps in time, twice."""
    def pull(t, frame, twist, parameters):
        wrench = np.zeros(6)
        if t > 0.513:
            wrench[0] = -40.0 * (frame[0, 3] - 1.0)
        if 1.1 < t < 1.17:
            wrench[0] += 30.0
        return wrench

    model, _ = slider("timed law", pull, speed=0.5)
    exact = solved(
        lambda t, y: [y[1], -40.0 * (y[0] - 1.0) * (t > 0.513) + 30.0 * (1.1 < t < 1.17)], [0.0, 0.5], 2.0, along,
        jumps=(0.513, 1.1, 1.17),
    )  # fmt: skip
    return Problem(model, 2.0, "body", exact)


def top() -> Problem:
    """A fast top with nutation."""
    model = cs.Model("top", gravity=(0, 0, -G))
    body = model.add(
        cs.RigidBody("body", mass=1.0, com=(0, 0.05, 0.3), inertia=(0.01, 0.01, 0.02), angular_velocity=(0, 0, 30))
    )
    model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
    return Problem(model, 0.5, "body", converged(model, 0.5, "body", 1e-4))


def tumbling(name: str = "tumbling", omega: tuple[float, float, float] = (0.5, 1.0, 5.0)) -> Problem:
    """A free body that turns and wobbles; what is looked at is a point far from its centre."""
    model = cs.Model(name)
    spin = {"angular_velocity": omega}
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3), **spin))
    velocity = (0, omega[2], -omega[1])
    tip = model.add(
        cs.RigidBody("tip", mass=0.01, com=(1, 0, 0), inertia=1e-4 * np.eye(3), velocity=velocity, **spin)
    )
    model.add(cs.Fixed("weld", body.at((1, 0, 0)), tip.at((1, 0, 0))))
    return Problem(model, 2.0, "tip", converged(model, 2.0, "tip", 2.5e-4))


def flipping() -> Problem:
    """The same about the middle axis, where a deviation grows by e in a third of a second."""
    return tumbling("flipping", (0.01, 5.0, 0.02))


def two_scales() -> Problem:
    """A stiff spring that vibrates, with a swing that does not."""
    model = cs.Model("two scales", gravity=(0, 0, -G))
    a = model.add(cs.RigidBody("a", mass=1.0, com=(1, 0, 0), inertia=0.01 * np.eye(3)))
    b = model.add(cs.RigidBody("b", mass=0.1, com=(1.5, 0, 0), inertia=0.01 * np.eye(3), velocity=(1.0, 0, 0)))
    model.add(cs.Revolute("j", cs.GROUND, a, axis=(0, 1, 0), at=(0, 0, 0)))
    model.add(cs.Prismatic("k", a.at((1.5, 0, 0)), b.at((1.5, 0, 0)), axis=(1, 0, 0), stiffness=1e3))
    return Problem(model, 1.0, "b", converged(model, 1.0, "b", 1e-4))


def driven() -> Problem:
    """A bar on a driven bar, whose rate jumps."""
    model = cs.Model("driven", gravity=(0, 0, -G))
    first = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    second = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=0.7))
    motion = lambda t: np.where(t < 0.7, 0.5 * t**2, 0.245 + 0.1 * (t - 0.7))  # noqa: E731
    model.add(cs.Revolute("d", cs.GROUND, first.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("q", first, second, at=(1, 0, 0), axis=(0, 1, 0)))
    return Problem(model, 1.0, "b", converged(model, 1.0, "b", 2.5e-4, kink=0.7))


def pulse() -> Problem:
    """A load that jumps, and a short smooth one."""
    model, body = slider("pulse", stiffness=20.0)
    push = "2*step(t, 0.503) + 20*exp(-((t-1.2)/0.02)**2)"
    model.add(cs.Force("push", body, (push, 0, 0)))
    exact = solved(
        lambda t, y: [y[1], -20.0 * y[0] + 2.0 * (t >= 0.503) + 20.0 * np.exp(-(((t - 1.2) / 0.02) ** 2))],
        [0.0, 0.0], 2.0, along, jumps=(0.503, 1.1, 1.15, 1.2, 1.25, 1.3),
    )  # fmt: skip
    return Problem(model, 2.0, "body", exact)


def loop(name: str = "loop", gravity: tuple[float, float, float] = (G, G, 0)) -> Problem:
    """A spatial four-bar that swings."""
    model = cs.Model(name, gravity=gravity)
    corners = [(0, 0, 0), (0, 0.4, 0), (1, 0.6, 0), (1.1, 0, 0)]
    bars = [
        model.add(cs.RigidBody(name, mass=1.0, com=np.mean(corners[k : k + 2], axis=0), inertia=(0.01, 0.02, 0.02)))
        for k, name in enumerate(("crank", "coupler", "rocker"))
    ]
    model.add(cs.Revolute("A", cs.GROUND, bars[0].at(corners[0]), axis=(0, 0, 1)))
    model.add(cs.Universal("B", bars[0].at(corners[1]), bars[1].at(corners[1]), axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Spherical("C", bars[1].at(corners[2]), bars[2].at(corners[2])))
    model.add(cs.Revolute("D", cs.GROUND, bars[2].at(corners[3]), axis=(0, 0, 1)))
    return Problem(model, 0.8, "coupler", converged(model, 0.8, "coupler", 1e-4))


def falling_loop() -> Problem:
    """The same from upright, where a deviation grows tenfold in half a second."""
    return loop("falling loop", (0, -G, 0))


def vibration() -> Problem:
    """A plain oscillator over twenty periods."""
    model, _ = slider("vibration", stiffness=100.0, speed=1.0)
    return Problem(
        model, 4.0 * np.pi, "body", lambda t: np.stack((0.1 * np.sin(10.0 * t), 0.0 * t, 0.0 * t), axis=1)
    )


GROWING = (falling_loop, flipping)
PROBLEMS = (
    pendulum, double_pendulum, hard_stop, bouncing, friction, limited_servo, dead_point, timed_law, top, tumbling,
    two_scales, driven, pulse, loop, vibration, *GROWING,
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="words in names of problems")
    parser.add_argument("--kinds", nargs="*", default=[], help="words in names of kinds of run")
    parser.add_argument("--least", type=float, default=1e-8, help="tightest tolerance")
    asked = parser.parse_args()
    tolerances = [x for x in TOLERANCES if x > 0.99 * asked.least]
    print(f"{'error over promise (steps)':<36}" + "".join(f"{x:>16.0e}" for x in tolerances))
    worst, began = {False: 0.0, True: 0.0}, time.perf_counter()
    for make in PROBLEMS:
        if asked.only and not any(word in make.__name__ for word in asked.only):
            continue
        problem = make()
        for name, kind in KINDS.items():
            if asked.kinds and not any(word in name for word in asked.kinds):
                continue
            line, spent = f"{make.__name__:<20}{name:<16}", 0.0
            for tolerance in tolerances:
                try:
                    found = figure(problem, tolerance, kind)
                except Exception as error:
                    line += f"  {type(error).__name__}: {str(error)[:60]}"
                    continue
                growing, spent = make in GROWING, spent + found.seconds
                worst[growing] = max(worst[growing], found.ratio)
                line += f"{found.ratio:>8.2f} ({found.steps:>5})"
            print(f"{line}   {spent:.2f} s", flush=True)
    print(f"worst: {worst[False]:.2f}; where errors grow by themselves: {worst[True]:.2f}")
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
