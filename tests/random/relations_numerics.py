"""Numerical methods against each other: orders of convergence, integrators, formulations, adaptive steps.

Beams are replaced by bars where an order is measured: their fast vibrations, which no step resolves, would hide it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from cosserat.results.trajectory import Reference

from .answers import SHARP, STEP, Answers, NotApplicable, Unanswered, Violation, answers_of, demand, distance, run_of
from .mechanism import BODIES, Mechanism, Observer, Part, Spot, build
from .relations_same import UNITS, rng_of

MOTION, FORCES = ("position", "velocity", "spin"), ("force", "moment", "section", "energy")
SHORT, FINE = 0.04, STEP / 4  # a time and a step in which all that moves in a small mechanism is resolved
ENOUGH = 2e-7  # what Newton's tolerance leaves in velocities


def _ends(mechanism: Mechanism, **settings: Any) -> Answers:
    """The state at the end of a short run."""
    return answers_of(
        run_of(mechanism, **{"duration": SHORT, "newton_tolerance": SHARP, **settings}), mechanism, at=[-1]
    )


def _demand_falling(
    what: str, factor: float, error_of: Callable[[int], tuple[float, str]], enough: float = ENOUGH
) -> None:
    """An error falls by a factor when the step is halved; `error_of` steps in n parts.

    Asked of the second halving, if it leaves more than next to nothing, or of the next two: a vibration that long steps
    do not resolve may hide the order, and a servo that reaches its limit inside a step errs by h^2 times where in the
    step that is.
    """
    errors: list[float] = []
    for n in (1, 2, 4, 8, 16):
        error, where = error_of(n)
        errors.append(error)
        if (n == 4 and error <= enough) or (n >= 4 and error * factor <= errors[-2]):
            return
    shown = ", ".join(f"{e:.1e}" for e in errors)
    raise Violation(f"{what}: {shown} as the step is halved ({where})")


def _order(mechanism: Mechanism, what: str, factor: float, **settings: Any) -> None:
    """Differences of runs whose steps are halved fall by the factor."""
    ends = cache(lambda n: _ends(mechanism, step=FINE / n, **settings))
    _demand_falling(what, factor, lambda n: distance(ends(2 * n), ends(n), skip=FORCES))


def second_order(mechanism: Mechanism) -> None:
    """Generalised-alpha is of second order."""
    mechanism = mechanism.rigid()
    _order(mechanism, "generalised-alpha", 3.0)


def second_order_conserving(mechanism: Mechanism) -> None:
    """The energy-momentum scheme is of second order."""
    mechanism = mechanism.rigid()
    _order(mechanism, "energy-momentum", 3.0, integrator="energy-momentum", newton_tolerance=1e-11)


def second_order_floating(mechanism: Mechanism) -> None:
    """Generalised-alpha in floating frames is of second order."""
    mechanism = mechanism.rigid()
    _order(mechanism, "generalised-alpha, floating", 3.0, formulation="floating")


def second_order_damped(mechanism: Mechanism) -> None:
    """So it is with any numerical damping."""
    rho = float(rng_of(mechanism).choice([0.0, 0.5, 1.0]))
    _order(mechanism.rigid(), f"generalised-alpha, rho {rho:g}", 2.5, rho=rho)


def integrators(mechanism: Mechanism) -> None:
    """Generalised-alpha and the conserving scheme approach the same motion."""
    mechanism = mechanism.rigid()

    def difference(n: int) -> tuple[float, str]:
        runs = (_ends(mechanism, step=FINE / n, integrator=i) for i in ("generalized-alpha", "energy-momentum"))
        return distance(*runs, skip=FORCES)

    _demand_falling("difference of the integrators", 2.5, difference)


def formulations(mechanism: Mechanism) -> None:
    """Galilean and floating runs of rigid mechanisms approach the same motion and the same reactions."""
    mechanism = mechanism.rigid()
    ends = cache(lambda n, f: _ends(mechanism, step=FINE / n, formulation=f))

    def difference(n: int, skip: tuple[str, ...]) -> tuple[float, str]:
        return distance(ends(n, "galilean"), ends(n, "floating"), skip=skip)

    _demand_falling("difference of the formulations", 2.5, lambda n: difference(n, FORCES))
    # reactions have rounding of m eps |x| / h^2, and more in loops near a dead point: another origin shows it
    others, see = (*MOTION, "energy"), Observer(shift=(0.3, 0.7, -0.4))
    moved = run_of(mechanism, see, duration=SHORT, newton_tolerance=SHARP, step=FINE / 4)
    rounding = distance(ends(4, "galilean"), answers_of(moved, mechanism, see, at=[-1]), skip=others)[0]
    enough = max(50 * ENOUGH, 3.0 * rounding)
    _demand_falling("difference of reactions in the formulations", 2.5, lambda n: difference(n, others), enough)


def boost(mechanism: Mechanism) -> None:
    """Runs of what the ground does not hold approach what an observer sees who moves along with a constant velocity."""
    if any(isinstance(v, Spot) and v.grounded for p in mechanism.parts for v in p.given.values()):
        raise NotApplicable("the ground does not move along")
    mechanism, V = mechanism.rigid(), 3.0 * rng_of(mechanism).normal(size=3)
    faster = mechanism.mapped(lambda p: p.but(velocity=(V + p.given["velocity"]).tolist()), *BODIES)

    def difference(n: int) -> tuple[float, str]:
        first, second = (_ends(m, step=FINE / n) for m in (mechanism, faster))
        for key in second:
            if key[0] in ("position", "velocity"):
                second[key] = second[key] - (SHORT * V if key[0] == "position" else V)
        return distance(first, second, skip=FORCES)

    _demand_falling("difference to a moving observer", 2.5, difference)


def floating_same(mechanism: Mechanism) -> None:
    """Floating frames: other axes and units describe the same motion. (Another order may cut loops elsewhere.)"""
    mechanism, rng = mechanism.rigid(), rng_of(mechanism)
    if any(p.kind in ("Planar", "PlanarTranslation") and "motion" in p.given for p in mechanism.joints):
        raise NotApplicable("coordinates in a plane are along axes that the world's x axis fixes")
    units = UNITS[int(rng.integers(len(UNITS)))]
    see = replace(Observer.turned(rng), length=units.length, mass=units.mass, time=units.time)
    settings = {"formulation": "floating", "duration": SHORT, "newton_tolerance": SHARP}
    first = answers_of(run_of(mechanism, **settings), mechanism)
    second = answers_of(run_of(mechanism, see, **settings), mechanism, see)
    demand(first, second, 1e-6, "floating frames, other axes and units")


def runge_kutta(mechanism: Mechanism) -> None:
    """The explicit method in floating frames and the implicit one in the Galilean frame approach the same motion."""
    mechanism = mechanism.rigid()
    exact = _ends(mechanism, step=FINE / 2, formulation="floating", integrator="runge-kutta", newton_tolerance=None)
    _demand_falling(
        "difference to Runge-Kutta", 2.5, lambda n: distance(exact, _ends(mechanism, step=FINE / n), skip=FORCES)
    )


def adaptive(mechanism: Mechanism) -> None:
    """A hundred adaptive steps are as good as their tolerance says, and a tighter tolerance is not worse."""
    _demand_adaptive(mechanism.rigid())


def adaptive_others(mechanism: Mechanism) -> None:
    """So are those of the conserving scheme, of other numerical damping, and in floating frames."""
    ways = ({"integrator": "energy-momentum"}, {"rho": 0.5}, {"formulation": "floating"},
            {"formulation": "floating", "integrator": "runge-kutta", "newton_tolerance": None})  # fmt: skip
    _demand_adaptive(mechanism.rigid(), **ways[int(rng_of(mechanism).integers(len(ways)))])


def _demand_adaptive(mechanism: Mechanism, **how: Any) -> None:
    fine = [_ends(mechanism, step=FINE / n) for n in (16, 32)]
    exact = {k: v if isinstance(k, str) else v + (v - fine[0][k]) / 3 for k, v in fine[1].items()}
    errors, share = [], Reference(build(mechanism)).extent / mechanism.extent
    for tolerance in (1e-4, 1e-6):
        settings = {"duration": SHORT, "newton_tolerance": SHARP, "step": None, "tolerance": tolerance, **how}
        run = run_of(mechanism, **settings)
        error, where = distance(exact, answers_of(run, mechanism, at=[-1]), skip=("velocity", "spin", *FORCES))
        errors.append(error)
        if not error <= 3.0 * tolerance * share * max(1.0, run.stats["steps"] / 100):  # a hundred steps may err so far
            raise Violation(f"adaptive steps {how} with tolerance {tolerance:g}: {where} is off by {error:.1e}")
    if errors[1] > max(errors[0], ENOUGH):
        raise Violation(f"adaptive steps {how}: errors {errors[0]:.1e}, {errors[1]:.1e} for tolerances 1e-4, 1e-6")


def assembled(mechanism: Mechanism) -> None:
    """A run that ends well has kept its joints together."""
    found = float(run_of(mechanism).constraint_violation.max()) / mechanism.extent
    if not found <= 1e-6:
        raise Violation(f"a run that ended well violates its constraints by {found:.1e} of its extent")


def still(mechanism: Mechanism) -> None:
    """Nothing happens where nothing acts: no weight, loads, drives or strained springs."""
    from .relations_laws import idle

    try:
        run = run_of(idle(mechanism))
    except Unanswered as error:
        raise Violation(f"at rest: {error}") from None
    found = answers_of(run, mechanism)
    for key, value in found.items():
        if key[0] in ("velocity", "spin") and not np.abs(value).max() <= 1e-9:
            raise Violation(f"at rest: {' '.join(key)} reaches {np.abs(value).max():.1e}")


def jumps(mechanism: Mechanism) -> None:
    """Loads that are switched on at a moment: adaptive steps find it, whatever their tolerance."""
    moment, end = 0.013, SHORT
    mechanism = mechanism.rigid()
    if not mechanism.of("Force", "Torque"):
        raise NotApplicable("no load to switch on")

    def switched(part: Part, switch: str) -> Part:
        return part.but(vector=[f"({f})*{switch}" for f in part.given["vector"]])

    late = mechanism.mapped(lambda p: switched(p, f"step({{t}}, {moment!r})"), "Force", "Torque")
    # the reference stops and starts anew at the jump, with the loads off and on throughout
    ends = []
    for n in (8, 16):
        step, sharp = FINE / n, {"newton_tolerance": SHARP}
        before = run_of(
            mechanism.mapped(lambda p: switched(p, "0"), "Force", "Torque"), duration=moment, step=step, **sharp
        )
        after = run_of(mechanism, duration=end - moment, step=step, start=before, **sharp)
        ends.append(answers_of(after, mechanism, at=[-1]))
    exact = {k: v if isinstance(k, str) else v + (v - ends[0][k]) / 3 for k, v in ends[1].items()}
    for tolerance in (1e-4, 1e-6, 1e-8):
        found = _ends(late, step=None, tolerance=tolerance)
        error, where = distance(exact, found, skip=("velocity", "spin", *FORCES))
        if not error <= max(3.0 * tolerance, 5e-7):
            raise Violation(f"jump of a load, tolerance {tolerance:g}: {where} is off by {error:.1e}")
