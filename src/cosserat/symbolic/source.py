"""Python modules of equations: functions of `model.formula_code` with the imports and helpers they need, compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from cosserat.errors import ParameterError
from cosserat.jit import keep_user
from cosserat.lie.protocol import Array
from cosserat.symbolic import turns

_HELPERS = {
    "coshalf": turns.numeric_coshalf,
    "sinhalf": turns.numeric_sinhalf,
    "cotc": turns.numeric_cotc,
}


def module_source(functions: Iterable[str], title: str) -> str:
    """A module of functions that runs by itself: with the imports and helpers it needs."""
    functions = list(functions)
    text = "\n\n".join(functions)
    parts = [f'"""{title}"""\n\nimport math\n']
    parts += [inspect.getsource(f) for n, f in _HELPERS.items() if f"numeric_{n}(" in text]
    return "\n\n".join([*parts, *functions])


class CompiledSource:
    """Functions of numbers made from a source, with numbers by name that can be changed without compiling anew."""

    source: str
    title: str
    _word: ClassVar[str] = "parameter"
    _names: tuple[str, ...]
    _p: Array

    def __init__(self, jit: bool) -> None:
        self._jit, self._inner = jit, dict[int, Any]()

    def _defined(self) -> dict[str, Any]:
        """What the source defines, as plain Python."""
        space: dict[str, Any] = {"__name__": __name__}  # kept code belongs to a module that can be imported
        exec(compile(self.source, f"<equations of {self.title}>", "exec"), space)
        return space

    def _ready(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return keep_user(function, self._inner) if self._jit else function

    def _values(self) -> dict[str, float]:
        return dict(zip(self._names, self._p.tolist()))  # where there are none, `_p` has one that nobody reads

    def set(self, **values: float) -> None:
        """Set numbers by name."""
        for name, value in values.items():
            if name not in self._names:
                known = ", ".join(map(repr, self._names)) or "none"
                raise ParameterError(f"{self.title}: no {self._word} {name!r}; {self._word}s: {known}")
            if not np.isfinite(value):
                raise ParameterError(f"{self.title}: {self._word} {name!r} is {value}; it must be finite")
            self._p[self._names.index(name)] = value
