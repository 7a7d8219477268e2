"""`equilibrium`: where a mechanism rests under its loads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Outcome, Status
from cosserat.solve.analyses.formulations import formulation_of
from cosserat.solve.arguments import check_flag, check_number, check_start, check_state
from cosserat.solve.balance.balance import Attempt, Balance
from cosserat.solve.balance.free_motion import describe, free_motions, push, stands
from cosserat.solve.balance.standing import Push, descend, nudge, resists
from cosserat.solve.balance.statics import Statics
from cosserat.solve.beyond import warn_of_laws
from cosserat.solve.coarseness import taut_element, warn_coarse
from cosserat.solve.motion.stopwatch import Stopwatch

_SMALLEST_STEP = 2.0**-14
_CRITICAL_STEP = 2.0**-11  # a critical load is passed in steps no larger than this
_SINGULAR = 1e-13
_BALANCED = "the loads balance, but the position is not unique"
_AT_REST = 1e-6  # displacement relative to the extent of the mechanism that counts as none


@answered()
def equilibrium(
    model: Model,
    *,
    time: float = 0.0,
    tolerance: float = 1e-12,
    start: Equilibrium | None = None,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    stable: bool = False,
    formulation: Any = None,
) -> Equilibrium:
    """Find the configuration in which a mechanism is in static balance, at rest or in a steady rotation.

    Loads (gravity, forces, efforts) are raised from zero in steps that adapt themselves; in each, Newton's method with
    the exact tangent, with a line search where it is slow. Prescribed motions are taken at `time`. If the mechanism can
    fall (a pendulum away from its rest), pseudo-time steps lead it down to a stable position; if it is in balance where
    it is, upright or on the verge of buckling, it stays there: ``.stable`` is False and ``.status.detail`` says so.

    Parameters
    ----------
    model : Model
    time : float
        Time at which loads and prescribed motions are taken (s).
    tolerance : float
        Accepted last correction of positions, relative to the extent of the mechanism.
    start : Equilibrium, optional
        A known equilibrium of the same model under other loads, from which to start at full load.
    spin : three numbers, optional
        Angular velocity (rad/s) of a steady rotation of the whole mechanism, ground included, as on a turntable:
        centrifugal and gyroscopic forces are then balanced too. Numbers may be Parameters.
    center : three numbers
        A point on the axis of that rotation.
    stable : bool
        Whether to go on from an unstable equilibrium, pushed a little the way it gives, to a stable one.
    formulation : "galilean", "floating" or Floating, optional
        Nodes and beams that bend however far (the default), or floating frames, as in `simulate`; beams then have
        modes, ``formulation=cs.Floating(modes=6)``. A model with modal bodies is in floating frames by itself.

    Returns
    -------
    Equilibrium
        Also if none was found: look at ``.status``; it then holds the last balanced configuration.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("cantilever", gravity=(0, 0, 0))
    >>> rod = cs.Section(stiffness=[1e8, 1e8, 1e8, 1e2, 1e2, 1e2], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    >>> beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, elements=4))
    >>> _ = model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    >>> _ = model.add(cs.Force("tip", beam.end, (0, 0, 0.3)))
    >>> round(float(cs.equilibrium(model).position("beam.end")[2]), 5)
    0.001
    """
    check_state("equilibrium", model, time, spin, center)
    check_number(tolerance, "equilibrium", "tolerance", "the accepted last correction, such as 1e-12", positive=True)
    check_flag(stable, "equilibrium", "stable")
    check_start(start, "equilibrium")
    watch = Stopwatch()
    frames = formulation_of(formulation, model, "equilibrium")
    statics = frames.balance(model, time, start, spin, center, "equilibrium")
    return equilibrium_of(statics, time, tolerance, start is None, stable, watch)


def equilibrium_of(
    statics: Balance, time: float, tolerance: float = 1e-12, raised: bool = True, stable: bool = False,
    watch: Stopwatch | None = None,
) -> Equilibrium:  # fmt: skip
    """The equilibrium of equations of balance; `raised`: under loads that rise from zero. `watch`: since it began."""
    watch = watch or Stopwatch()
    times = np.array([time], dtype=float)
    absolute = tolerance * statics.extent
    if raised:
        status, n_steps = _raise_loads(statics, times, absolute)
    else:
        status, n_steps = _at_full_load(statics, times, absolute)
    balanced = status.ok or (status.outcome is Outcome.FREE_MOTION and status.detail.startswith(_BALANCED))
    stands, push = resists(statics) if balanced else (None, None)
    if stable and push is not None:
        stands = _lead(statics, push, absolute)
        status = _finish(statics, times[0], "led to it from an unstable one" if stands else status.detail)
    if stands is False:
        words = "no stable one was found near it" if stable else "pass stable=True to be led to a stable one"
        detail = f"{status.detail}; " if status.detail else ""
        status = replace(status, detail=f"{detail}the equilibrium is unstable: it leaves it when pushed; {words}")
    stats = {
        "stable": stands,
        "load_steps": n_steps,
        **statics.stats,
        **watch.seconds,
    }
    settings = {"time": time, "tolerance": tolerance, "spin": statics.full_spin}
    found = statics.result(status, settings, stats)
    told = "" if status.ok else _at_limits(found, time)
    if told:
        outcome = Outcome.SATURATED if status.outcome is Outcome.FREE_MOTION else status.outcome
        status = replace(status, outcome=outcome, detail="; ".join(filter(None, (told, status.detail))))
        found = statics.result(status, settings, stats)
    if status.ok and isinstance(statics, Statics):
        warn_coarse(found)
        warn_of_laws(found.trajectory)
    return found


def _finish(statics: Balance, t: float, detail: str = "") -> Status:
    softest = statics.softest()
    if softest < _SINGULAR:
        motions = free_motions(statics)
        named = f"; {describe(statics, motions)}" if len(motions) else ""
        return Status(Outcome.FREE_MOTION, t, f"{_BALANCED}{named}")
    return Status(Outcome.OK, t, detail)


def _lead(statics: Balance, push: Push, absolute: float) -> bool:
    """Lead the present state from an unstable equilibrium to a stable one; where there is none it stays, False."""
    before = statics.state()
    for part in (1e-3, -1e-3, 2e-2, -2e-2):
        nudge(statics, push, part)
        if descend(statics, absolute, 2.0 * push.rate**2) is Attempt.BALANCED:
            return True
        statics.put(before)
    statics.residual()
    return False


def _failed(statics: Balance, times: np.ndarray, reached: float, attempt: Attempt) -> Status:
    """Say why there is no equilibrium: loads that push along a free motion, or a failure to converge."""
    detail = f"balanced up to {100 * reached:.3g} % of the loads"
    statics.load(times)
    known = np.isfinite(statics.residual()).all() and np.isfinite(statics.matrix().data).all()
    if statics.failing and not known:
        return Status(Outcome.LOAD_UNKNOWN, times[0], statics.failing, f"{100 * reached:.3g} % of the loads")
    taut = taut_element(statics.compiled, statics.memory.problem.trial.stress) if isinstance(statics, Statics) else ""
    detail = "; ".join(filter(None, (statics.failing, detail, taut)))
    motions = free_motions(statics)
    force, applied = push(statics, motions)
    statics.load(times, reached)
    if len(motions) and force > 1e-3 * applied:
        told = (describe(statics, motions), f"the loads push along with {force:.4g} N", statics.failing)
        detail = "; ".join(filter(None, told))
    elif len(motions):
        detail = f"{describe(statics, motions)}; {detail}"
    outcome = Outcome.LOAD_UNKNOWN if statics.failing else Outcome.NOT_BALANCED
    if len(motions) or attempt is Attempt.SINGULAR:
        outcome = Outcome.FREE_MOTION
    return Status(outcome, times[0], detail, f"{100 * reached:.3g} % of the loads")


def _first_shift(statics: Balance) -> float:
    """With which a way down begins (1/s^2)."""
    return max(10.0 * statics.gravity / statics.extent, 1e-6 * statics.scale / statics.mass)


def _at_full_load(statics: Balance, times: np.ndarray, absolute: float) -> tuple[Status, int]:
    statics.load(times)
    backup = statics.state()
    outcome = statics.balance(absolute, limit_first=False)
    if outcome is Attempt.BALANCED:
        return _finish(statics, times[0]), 1
    statics.put(backup)  # far from it: down in limited steps
    if descend(statics, absolute, _first_shift(statics)) is Attempt.BALANCED:
        return _finish(statics, times[0]), 2
    statics.put(backup)
    where = "the first step from the equilibrium given as start"
    failed = Outcome.LOAD_UNKNOWN if statics.failing else Outcome.NOT_BALANCED
    return Status(failed, times[0], statics.failing, where), 1


def _raise_loads(statics: Balance, times: np.ndarray, absolute: float) -> tuple[Status, int]:
    """Load factor from 0 to 1; returns the status and the number of load steps."""
    reached, step, n_steps = 0.0, 1.0, 0
    attempt = Attempt.BALANCED
    reference = statics.state()
    statics.load(times, 0.0)
    statics.residual()
    stable_sign = statics.sign if statics.factor(0.0) is not None else 0
    falls = stable_sign == 0  # a mechanism that its loads alone hold
    passed = ""
    while reached < 1.0:
        factor = min(1.0, reached + step)
        statics.load(times, factor)
        backup = statics.state()
        # inside the path a loose balance is enough
        attempt = statics.balance(absolute if factor == 1.0 else 1e4 * absolute, limit_first=step > _SMALLEST_STEP)
        if attempt is Attempt.TOO_FAR and reached == 0.0 and factor == 1.0:
            attempt = statics.leap(absolute)
            if attempt is Attempt.BALANCED and not stands(statics):
                attempt = Attempt.FAILED
        # A tangent whose determinant changed sign belongs to another branch, or lies beyond a critical load.
        changed = attempt is Attempt.BALANCED and stable_sign != 0 and statics.sign == -stable_sign
        if attempt is Attempt.BALANCED and (not changed or step <= _CRITICAL_STEP):
            if changed:
                stable_sign = statics.sign
                passed = (
                    f"a critical load was passed between {100 * reached:.4g} % and {100 * factor:.4g} % of the loads"
                )
            n_steps += 1
            reached = factor
            step *= 2.0
            continue
        statics.put(backup)
        if attempt is Attempt.SINGULAR and reached == 0.0:
            break
        step *= 0.5
        if step < _SMALLEST_STEP:
            break
    if reached == 1.0 and falls and not stands(statics):
        if statics.is_at(reference, _AT_REST):
            return _finish(statics, times[0]), n_steps
        reached = 0.0
        statics.put(reference)
    if reached == 1.0:
        return _finish(statics, times[0], passed), n_steps
    # Fall to a stable position: (K + shift M) steps at full load, the shift let go as the motion calms down.
    statics.load(times)
    gravity = statics.gravity
    for shift in (10.0 * max(gravity, 1.0) / statics.extent, statics.scale / statics.mass):
        backup = statics.state()
        if statics.settle(absolute, shift) is Attempt.BALANCED:
            return _finish(statics, times[0]), n_steps + 1
        statics.put(backup)
    if descend(statics, absolute, _first_shift(statics)) is Attempt.BALANCED:
        return _finish(statics, times[0]), n_steps + 1
    statics.put(backup)
    return _failed(statics, times, reached, attempt), n_steps


def _at_limits(found: Equilibrium, time: float) -> str:
    """The servos at their limit in a configuration, with what they ask for, in words; or ''."""
    model, words = found.trajectory.compiled.model, []
    for servo in model.servos:
        if not np.isfinite(servo.limit):
            continue
        joint, index = servo.find(model)
        q = float(np.atleast_1d(np.asarray(found.coordinate(joint.name)))[index])
        asked = servo.kp * (float(servo.target.sample([time])[0]) - q)
        if abs(asked) >= servo.limit * (1.0 - 1e-9):
            unit = "N" if joint.freedoms[index].kind == "translation" else "N m"
            words.append(f"{servo.title} asks for {asked:.4g} {unit}, and its limit is {servo.limit:.4g} {unit}")
    return "; ".join(words)
