"""Arguments that the analyses share, checked before anything is computed: located errors instead of NumPy's.

In calls about a point of a path the model has the parameters of that point while they last.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

import numpy as np

from cosserat.errors import SolveError, shown
from cosserat.model.model import Model
from cosserat.model.parameters import ParameterLike, is_number, resolve
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.spin import three_numbers

SHARPEST = 1e-14  # tolerance of adaptive steps
SHORTEST, LONGEST = 1e-50, 1e12  # s
MOST_STEPS = 1e10
MOST_COUNTED = 1_000_000_000
_P = ParamSpec("_P")
_R = TypeVar("_R")


def check_state(caller: str, model: Any, time: Any, spin: Any = None, center: Any = (0.0, 0.0, 0.0)) -> None:
    """Demand a model, a time, and a rotation that can be understood."""
    check_model(model, caller)
    check_number(time, caller, "time", "the time at which loads and prescribed motions are taken, in s")
    if spin is not None:
        three_numbers("spin", spin, caller)
        demand_no_rolling(model, caller)
    point = three_numbers("center", center, caller)
    if spin is None and (np.any(point) or any(isinstance(x, ParameterLike) for x in center)):
        raise SolveError(f"{caller}: center={shown(center)} is a point on the axis of a rotation; pass spin= with it")


def check_model(model: Any, caller: str) -> None:
    """Demand a model."""
    if not isinstance(model, Model):
        raise SolveError(f"{caller}: {shown(model)} is not a Model; build one with cosserat.Model or load_model")


def demand_no_rolling(model: Model, caller: str) -> None:
    """Refuse knife edges and rolling discs on a turntable: their planes stand still."""
    for item in model.rolling:
        law = item.word == "constraint"
        does = "has a law that may not turn along" if law else "rolls on a plane that stands still"
        raise SolveError(
            f"{caller}: {item.title} {does}, and spin turns the mechanism together with "
            "its ground; leave out spin, and pass about='motion' for a steady motion given by the initial velocities"
        )


def check_number(value: Any, caller: str, name: str, meaning: str, *, positive: bool = False) -> float:
    """A finite number, or a located error that says what it means."""
    ok = is_number(value) and not isinstance(value, ParameterLike) and np.isfinite(resolve(value))
    if not ok or (positive and value <= 0.0):
        raise SolveError(f"{caller}: {name} is {shown(value)}; pass {meaning}, a finite{' positive' * positive} number")
    return float(value)


def check_flag(value: Any, caller: str, name: str) -> None:
    """Demand True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise SolveError(f"{caller}: {name} is {shown(value)}; pass True or False")


def check_call(function: Any, caller: str, name: str, meaning: str) -> None:
    """Demand a function, or None."""
    if function is not None and not callable(function):
        raise SolveError(f"{caller}: {name} is {shown(function)}; pass a function {meaning}")


def check_start(start: Any, caller: str) -> None:
    """Demand an equilibrium, or None."""
    if start is not None and not isinstance(start, Equilibrium):
        raise SolveError(f"{caller}: start is {shown(start)}; pass an Equilibrium, or leave it out")


def check_rho(rho: Any, caller: str) -> None:
    """Demand a spectral radius."""
    if not 0.0 <= check_number(rho, caller, "rho", "how much numerical damping there is, from 0 to 1") <= 1.0:
        raise SolveError(f"{caller}: rho is {shown(rho)}; it must be from 0 (strong numerical damping) to 1 (none)")


def check_span(caller: str, duration: Any, step: Any, every: Any = 1, tolerance: Any = 1e-4) -> None:
    """Refuse times and numbers of steps that cannot be meant: they would take for ever, or store more than there is."""
    times = {"duration": duration} if step is None else {"duration": duration, "step": step}
    for name, value in times.items():
        seconds = check_number(value, caller, name, "a positive time in seconds", positive=True)
        if not SHORTEST <= seconds <= LONGEST:
            raise SolveError(
                f"{caller}: {name} is {seconds:g} s, which cannot be meant; pass a positive time in seconds, from "
                f"{SHORTEST:g} to {LONGEST:g}"
            )
    wanted = check_number(tolerance, caller, "tolerance", "how accurate steps are, such as 1e-4", positive=True)
    if step is None and wanted < SHARPEST:
        raise SolveError(
            f"{caller}: tolerance is {wanted:g}, below the rounding errors of positions; pass {SHARPEST:g} or more"
        )
    if not isinstance(every, Integral) or isinstance(every, bool) or not 1 <= int(every) <= MOST_STEPS:
        raise SolveError(f"{caller}: every is {shown(every)}; pass a whole number of steps, 1 or more")
    if step is None:
        return
    duration, step = float(duration), float(step)
    if step > duration:
        raise SolveError(f"{caller}: step {step:g} s is longer than the duration {duration:g} s; pass a shorter step")
    if duration / step > MOST_STEPS:
        raise SolveError(
            f"{caller}: a step of {step:g} s divides {duration:g} s into {duration / step:.3g} steps, more than can be "
            f"taken ({MOST_STEPS:g}); pass a longer step or a shorter duration"
        )


def check_choice(value: Any, caller: str, name: str, choices: tuple[str, ...]) -> None:
    """Demand one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise SolveError(f"{caller}: {name} is {shown(value)}; pass {' or '.join(map(repr, choices))}")


def check_known(value: Any, caller: str, name: str, known: Iterable[str], where: str = "") -> None:
    """Demand the name of something that exists."""
    listed = tuple(known)
    if not isinstance(value, str) or value not in listed:
        names = ", ".join(map(repr, listed))
        raise SolveError(f"{caller}: unknown {name} {shown(value)}; available{where}: {names}")


def check_count(n: Any, caller: str, name: str = "n", meaning: str = "how many") -> int:
    """A whole number from 1, or a located error that says what it means."""
    try:
        count = operator.index(n)
    except TypeError:
        count = 0
    if not 1 <= count <= MOST_COUNTED or isinstance(n, bool):
        raise SolveError(f"{caller}: {name} is {shown(n)}; pass {meaning}, a whole number from 1 to {MOST_COUNTED}")
    return count


def carrying(argument: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorate a call whose first argument is a model: an equilibrium of a path given as `argument` sets the model's
    parameters for as long as the call takes.
    """

    def decorate(call: Callable[_P, _R]) -> Callable[_P, _R]:
        position = list(inspect.signature(call).parameters).index(argument)

        @functools.wraps(call)
        def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            given: Any = kwargs.get(argument, args[position] if len(args) > position else None)
            model: Any = args[0] if args else kwargs.get("model")
            carried = given.settings.get("parameters") if isinstance(given, Equilibrium) else None
            if not carried or not isinstance(model, Model) or model is not given.model:
                return call(*args, **kwargs)
            known = model.parameters  # some may have left with their components
            carried = {name: value for name, value in carried.items() if name in known}
            now = {name: known[name] for name in carried}
            try:
                model.set(**carried)
                result = call(*args, **kwargs)
                motion = getattr(result, "motion", None)
                if motion is not None:
                    motion.sample()  # loads as they are now; the model gets its own parameters back
                return result
            finally:
                model.set(**now)

        return wrapper

    return decorate
