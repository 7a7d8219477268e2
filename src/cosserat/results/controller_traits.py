"""What a controller is made of, as texts: its code, the values that it closes over, its attributes.

A checkpoint compares them, so that a run does not go on with other gains. Only what stays the same while a run goes on
tells: the memory of a controller changes, and its `get_state` keeps it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

_DEEPEST = 4  # objects within objects
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_ASKED = ("get_state", "set_state", "period")  # compared elsewhere, or not what it does


def traits(controller: Any) -> dict[str, str]:
    """Text by name: numbers as they are written, a checksum of all else."""
    out: dict[str, str] = {}
    while isinstance(controller, functools.partial):
        out["arguments"] = _text((controller.args, sorted(controller.keywords.items(), key=repr)), 0)
        controller = controller.func
    if isinstance(controller, MethodType):
        out |= _attributes(controller.__self__)
        controller = controller.__func__
    if isinstance(controller, FunctionType):
        out["code"] = _code(controller.__code__)
        out |= _closed_over(controller, 0)
    return out | _attributes(controller)


def _attributes(thing: Any) -> dict[str, str]:
    """Those of a thing, and those of its class that are functions or plain values."""
    out: dict[str, str] = {}
    for owner in reversed(() if isinstance(thing, FunctionType) else type(thing).__mro__[:-1]):
        for name, value in vars(owner).items():
            if (name not in _ASKED and not name.startswith("__")) or name == "__call__":
                if isinstance(value, (FunctionType, np.ndarray, tuple, list, dict, *_PLAIN)):
                    out[name] = _text(value, 0)
    return out | {str(k): _text(v, 0) for k, v in getattr(thing, "__dict__", {}).items() if k not in _ASKED}


def _closed_over(function: FunctionType, depth: int) -> dict[str, str]:
    """Variables around a function, default arguments, plain values of its module that it names."""
    out: dict[str, str] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            out[name] = _text(cell.cell_contents, depth)
        except ValueError:  # not yet bound
            out[name] = "unbound"
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, (*_PLAIN[:-1], np.ndarray, np.generic, tuple, list, dict)):
            out[name] = _text(value, depth)
    if function.__defaults__ or function.__kwdefaults__:
        out["default arguments"] = _text((function.__defaults__, function.__kwdefaults__), depth)
    return out


def _code(code: CodeType) -> str:
    parts = [code.co_code.hex(), repr(code.co_names)]
    consts = code.co_consts[1:] if code.co_consts and isinstance(code.co_consts[0], str) else code.co_consts
    parts += [_code(c) if isinstance(c, CodeType) else repr(c) for c in consts]  # without the docstring
    return _sum(*parts)


def _text(value: Any, depth: int) -> str:
    """A number as it is written, a checksum of all else; of objects that are too deep within others, their type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _PLAIN):
        return repr(value) if len(repr(value)) < 40 else _sum(repr(value))
    kind = type(value).__qualname__
    if depth >= _DEEPEST:
        return kind
    if isinstance(value, np.ndarray):
        return _sum(repr(value.shape), str(value.dtype), "" if value.dtype.hasobject else value.tobytes().hex())
    if isinstance(value, FunctionType):
        return _sum(_code(value.__code__), *map(repr, sorted(_closed_over(value, depth + 1).items())))
    if isinstance(value, MethodType):
        return _text(value.__func__, depth)
    if isinstance(value, Mapping):
        return _sum(kind, *sorted(f"{_text(k, depth + 1)}: {_text(v, depth + 1)}" for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return _sum(kind, *(_text(v, depth + 1) for v in value))
    if isinstance(value, (set, frozenset)):
        return _sum(kind, *sorted(_text(v, depth + 1) for v in value))
    within = getattr(value, "__dict__", {})
    return _sum(kind, *sorted(f"{k}: {_text(v, depth + 1)}" for k, v in within.items())) if within else kind


def _sum(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
