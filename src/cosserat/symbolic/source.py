"""Python modules of equations: functions of `model.formula_code` with the imports and helpers they need."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

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
