"""Calls about a point of a path: the model has the parameters of that point while they last."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium

_P = ParamSpec("_P")
_R = TypeVar("_R")


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
