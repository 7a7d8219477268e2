"""What functions of the user's are made of, as texts: code, values that they refer to, attributes.

A checkpoint compares them, so that a run does not go on with other gains, or with another law in the model. Only what
stays the same while a run goes on tells: the memory of a controller changes, and its `get_state` keeps it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from cosserat.model.closures import used_globals
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.model import Model
from cosserat.model.parameters import ParameterLike
from cosserat.model.places import Place
from cosserat.model.records import Record

_DEEPEST = 5  # objects within objects
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_ASKED = ("get_state", "set_state", "period")  # compared elsewhere, or not what it does
_INSTALLED = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "purelib", "platlib"))
_OURS = __name__.partition(".")[0]


def traits(controller: Any) -> dict[str, str]:
    """Text by name: numbers as they are written, a checksum of all else."""
    out: dict[str, str] = {}
    while isinstance(controller, functools.partial):
        out["arguments"] = _text((controller.args, sorted(controller.keywords.items(), key=repr)))
        controller = controller.func
    if isinstance(controller, MethodType):
        out |= _attributes(controller.__self__)
        controller = controller.__func__
    if isinstance(controller, FunctionType):
        out["code"] = _code(controller.__code__)
        out |= _closed_over(controller, 0)
    return out | _attributes(controller)


def traits_of(model: Model) -> dict[str, str]:
    """Functions and formulas in a model, by component and argument."""
    out: dict[str, str] = {}
    around = (item for item in (model.fluid, model.frame, model.field) if item is not None)
    for item in (*around, *model.components):
        for argument, value in item.arguments().items():
            found = list(_functions(value))
            if found:
                out[f"{item.title}: {argument}"] = _text(found)
    return out


def _functions(value: Any) -> Iterator[Any]:
    """Functions and formulas in an argument of a component; numbers are compared elsewhere."""
    if isinstance(value, TimeFunction):
        yield from [value.text] if value.text is not None else _functions(value.source)
    elif isinstance(value, VectorFunction):
        yield from _functions(value.components if value.callable is None else value.callable)
    elif isinstance(value, Record):
        yield from _functions(value.arguments())
    elif isinstance(value, (tuple, list, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _functions(item)
    elif callable(value) and not isinstance(value, (ParameterLike, Place)):
        yield value


def _attributes(thing: Any) -> dict[str, str]:
    """Those of a thing, and those of its class that are functions or plain values."""
    out: dict[str, str] = {}
    for owner in reversed(() if isinstance(thing, FunctionType) else type(thing).__mro__[:-1]):
        for name, value in vars(owner).items():
            if (name not in _ASKED and not name.startswith("__")) or name == "__call__":
                if isinstance(value, (FunctionType, np.ndarray, tuple, list, dict, *_PLAIN)):
                    out[name] = _text(value)
    return out | {name: _text(value) for name, value in _own(thing).items() if name not in _ASKED}


def _own(thing: Any) -> dict[str, Any]:
    """Attributes of a thing alone."""
    slots = [name for owner in type(thing).__mro__ for name in _listed(getattr(owner, "__slots__", ()))]
    found = {name: getattr(thing, name) for name in slots if name[:2] != "__" and hasattr(thing, name)}
    return found | {str(name): value for name, value in getattr(thing, "__dict__", {}).items()}


def _listed(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _closed_over(function: FunctionType, depth: int) -> dict[str, str]:
    """Variables around a function, default arguments, what it names in its module and in others of the user's."""
    out: dict[str, str] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            out[name] = _text(cell.cell_contents, depth)
        except ValueError:  # not yet bound
            out[name] = "unbound"
    for name, value in used_globals(function).items():
        if not isinstance(value, ModuleType):
            out[name] = _text(value, depth)
        elif not _installed(value):
            used = {n: vars(value)[n] for n in _names(function.__code__) if n in vars(value)}
            out |= {f"{name}.{n}": _text(v, depth) for n, v in used.items() if not isinstance(v, ModuleType)}
    if function.__defaults__ or function.__kwdefaults__:
        out["default arguments"] = _text((function.__defaults__, function.__kwdefaults__), depth)
    return out


def _names(code: CodeType) -> list[str]:
    """All names in a function and in those within it."""
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return sorted({*code.co_names}.union(*inner))


def _installed(thing: Any) -> bool:
    """Whether a module, function or class comes with Python or a package: of those, the name tells."""
    name = thing.__name__ if isinstance(thing, ModuleType) else str(thing.__module__)
    if isinstance(thing, FunctionType):
        file = thing.__code__.co_filename
    else:
        file = getattr(sys.modules.get(name), "__file__", None) or ("" if name == "__main__" else _INSTALLED[0])
    return name.partition(".")[0] == _OURS or os.path.abspath(file).startswith(_INSTALLED)


def _code(code: CodeType) -> str:
    parts = [code.co_code.hex(), repr(code.co_names)]
    consts = code.co_consts[1:] if code.co_consts and isinstance(code.co_consts[0], str) else code.co_consts
    return _sum(*parts, *map(_constant, consts))  # without the docstring


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _code(value)
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)  # sets have no order of their own


def _text(value: Any, depth: int = 0) -> str:
    """A number as it is written, a checksum of all else; of objects that are too deep within others, their type."""
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, os.PathLike):
        value = os.fspath(value)
    value = getattr(value, "py_func", value)  # compiled by the user
    if isinstance(value, _PLAIN):
        return repr(value) if len(repr(value)) < 40 else _sum(repr(value))
    kind, inner = type(value).__qualname__, depth + 1
    named = isinstance(value, (BuiltinFunctionType, np.ufunc))
    if named or (isinstance(value, (FunctionType, type)) and (depth >= _DEEPEST or _installed(value))):
        return _sum(str(getattr(value, "__module__", "")), getattr(value, "__qualname__", repr(value)))
    if depth >= _DEEPEST or isinstance(value, ModuleType):
        return kind
    if isinstance(value, type):
        used = {k: v for k, v in vars(value).items() if k[:2] != "__" or k == "__call__"}
        return _sum(*sorted(f"{k}: {_text(v, inner)}" for k, v in used.items()))
    if isinstance(value, ParameterLike):
        return repr(value.resolve())
    if isinstance(value, np.ndarray):
        return _sum(repr(value.shape), str(value.dtype), "" if value.dtype.hasobject else value.tobytes().hex())
    if isinstance(value, FunctionType):
        return _sum(_code(value.__code__), *map(repr, sorted(_closed_over(value, inner).items())))
    if isinstance(value, MethodType):
        return _sum(_text(value.__func__, depth), _text(value.__self__, inner))
    if isinstance(value, functools.partial):
        return _text((value.func, value.args, value.keywords), depth)
    if isinstance(value, Mapping):
        return _sum(kind, *sorted(f"{_text(k, inner)}: {_text(v, inner)}" for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return _sum(kind, *(_text(v, inner) for v in value))
    if isinstance(value, (set, frozenset)):
        return _sum(kind, *sorted(_text(v, inner) for v in value))
    if type(value).__module__.partition(".")[0] == "sympy":
        return _sum(repr(value))
    within = _own(value)
    return _sum(kind, *sorted(f"{k}: {_text(v, inner)}" for k, v in within.items())) if within else kind


def _sum(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
