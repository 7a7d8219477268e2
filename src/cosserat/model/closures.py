"""Python functions that refer to parameters: which ones, whether two are the same, and copies with their own."""

import copy
import types
from collections.abc import Iterator
from typing import Any

from cosserat.model.parameters import Parameter, parameters_in


def parameters_of_function(function: Any) -> Iterator[Parameter]:
    """Parameters that a Python function refers to: in its closure, its defaults and its module."""
    if not isinstance(function, types.FunctionType):
        return
    cells = [c.cell_contents for c in function.__closure__ or () if _filled(c)]
    names = [function.__globals__.get(n) for n in function.__code__.co_names]
    for value in [*cells, *(function.__defaults__ or ()), *names]:
        yield from parameters_in(value)


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def same_function(a: Any, b: Any) -> bool:
    """Whether two sources of functions are the same: equal numbers, or the same code over equal parameters."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_function(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, types.FunctionType) and isinstance(b, types.FunctionType):
        return a is b or (
            a.__code__ is b.__code__
            and list(parameters_of_function(a)) == list(parameters_of_function(b))
            and bool(list(parameters_of_function(a)))
        )
    return a is b or bool(a == b)


def copy_function(source: Any, memo: dict[int, Any]) -> Any:
    """A copy whose parameters are the copied ones; functions without parameters are shared."""
    if type(source) is tuple:
        return tuple(copy_function(f, memo) for f in source)
    if type(source) is dict:
        return {k: copy_function(f, memo) for k, f in source.items()}
    if not isinstance(source, types.FunctionType):
        return copy.deepcopy(source, memo)
    if not list(parameters_of_function(source)):
        return source

    def renewed(value: Any) -> Any:
        return copy.deepcopy(value, memo) if list(parameters_in(value)) else value

    used = {n: renewed(source.__globals__[n]) for n in source.__code__.co_names if n in source.__globals__}
    cells = tuple(types.CellType(renewed(c.cell_contents)) if _filled(c) else c for c in source.__closure__ or ())
    new = types.FunctionType(
        source.__code__,
        {**source.__globals__, **used},
        source.__name__,
        tuple(renewed(d) for d in source.__defaults__ or ()) or None,
        cells or None,
    )
    new.__kwdefaults__ = source.__kwdefaults__
    return new
