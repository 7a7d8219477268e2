"""What refers to parameters: which ones, whether two are the same, and copies with their own.

A record refers to its arguments. A Python function refers to what is in its closure, its defaults and the globals that
it names, and on through other functions, bound methods, partial functions, containers and attributes of objects.
Modules, classes and what NumPy, SciPy and Numba define are not looked into.
"""

import copy
import dis
import functools
import types
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from cosserat.model.parameters import Parameter, ParameterLike

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, type, types.ModuleType, types.BuiltinFunctionType, np.ufunc,
)  # fmt: skip
_NUMBERS = frozenset((float, int, bool, str, type(None)))  # most of what records hold: told by its type alone
_FOREIGN = ("numpy", "scipy", "numba", "builtins")


class Referring:
    """What says itself what it refers to: records, functions of time, places."""

    __slots__ = ()

    @abstractmethod
    def referred(self) -> Iterable[Any]:
        """Where its parameters are."""


def parameters_in(value: Any) -> Iterator[Parameter]:
    """Parameters that something refers to, each object once: numbers, containers, records, functions."""
    waiting, seen = [value], dict[int, Any]()
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is tuple:
            waiting += value[::-1]
        if kind is tuple or kind in _NUMBERS or id(value) in seen or isinstance(value, _PLAIN):
            continue
        seen[id(value)] = value  # kept alive, so that its address is its own
        if not isinstance(value, Referring) and isinstance(value, Parameter):
            yield value
        else:
            waiting += reversed(_parts(value))


def _parts(value: Any) -> list[Any]:
    """What something that is not a number refers to."""
    if isinstance(value, Referring):
        return list(value.referred())
    if isinstance(value, (tuple, list, set, frozenset)):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, ParameterLike):
        return list(value.parameters.values())
    if isinstance(value, types.FunctionType):
        cells = [c.cell_contents for c in value.__closure__ or () if _filled(c)]
        given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        return [*cells, *given, *used_globals(value).values()]
    if isinstance(value, types.MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    return list(_attributes(value).values())


def _attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object of a class of the user's own."""
    if type(value).__module__.split(".")[0] in _FOREIGN:
        return {}
    return dict(getattr(value, "__dict__", {}))


def used_globals(function: types.FunctionType) -> dict[str, Any]:
    """Globals that a function, or a function defined in it, reads."""
    return {n: function.__globals__[n] for n in _global_names(function.__code__) if n in function.__globals__}


@functools.lru_cache(maxsize=4096)
def _global_names(code: types.CodeType) -> tuple[str, ...]:
    """Names of globals in the order of the alphabet; names of attributes do not count."""
    read = {str(i.argval) for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = (_global_names(c) for c in code.co_consts if isinstance(c, types.CodeType))
    return tuple(sorted(read.union(*inner)))


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def defined(source: str, name: str, what: str, **space: Any) -> Any:
    """The function of a name that a generated source defines, over these names; `what` it is stands in tracebacks."""
    exec(compile(source, f"<{what}>", "exec"), space)
    return space[name]


def same_function(a: Any, b: Any) -> bool:
    """Whether two sources of functions are the same: equal numbers, or the same code over equal values."""
    return _same(a, b, {})


def _same(a: Any, b: Any, seen: dict[tuple[int, int], Any]) -> bool:
    if a is b or (id(a), id(b)) in seen:  # what refers to itself is the same unless a difference is found elsewhere
        return True
    if type(a) is not type(b):
        return not isinstance(a, ParameterLike) and not isinstance(b, ParameterLike) and _equal(a, b)
    seen[id(a), id(b)] = (a, b)
    if isinstance(a, types.FunctionType):
        return a.__code__ is b.__code__ and _all_same(_parts(a), _parts(b), seen)
    if isinstance(a, (types.MethodType, functools.partial, tuple, list)):
        keywords = not isinstance(a, functools.partial) or list(a.keywords) == list(b.keywords)
        return keywords and _all_same(_parts(a), _parts(b), seen)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k], seen) for k in a)
    return _equal(a, b) or (_attributes(a) != {} and _same(_attributes(a), _attributes(b), seen))


def _all_same(a: list[Any], b: list[Any], seen: dict[tuple[int, int], Any]) -> bool:
    return len(a) == len(b) and all(_same(x, y, seen) for x, y in zip(a, b, strict=True))


def _equal(a: Any, b: Any) -> bool:
    try:
        same = a == b
        return same if isinstance(same, bool) else bool(np.array_equal(a, b))
    except Exception:  # things that cannot be compared are not the same
        return False


def copy_function(source: Any, memo: dict[int, Any]) -> Any:
    """A copy whose parameters are the copied ones; functions without parameters are shared."""
    if type(source) is tuple:
        return tuple(copy_function(f, memo) for f in source)
    if type(source) is dict:
        return {k: copy_function(f, memo) for k, f in source.items()}
    if isinstance(source, (types.FunctionType, types.MethodType, functools.partial)):
        return _renewed(source, memo)
    if callable(source) and _attributes(source) and not hasattr(source, "__deepcopy__"):
        return _renewed(source, memo)
    return copy.deepcopy(source, memo)


class Copied(Referring):
    """Base of what holds users' functions: copies of it depend on copies of the parameters, its functions, too."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = object.__new__(type(self))
        memo[id(self)] = new
        for key, value in self.__dict__.items():
            new.__dict__[key] = copy_function(value, memo)
        return new


def _renewed(value: Any, memo: dict[int, Any]) -> Any:
    """A copy of what refers to parameters; anything else itself."""
    if id(value) in memo:
        return memo[id(value)]
    if next(parameters_in(value), None) is None:
        return value
    new: Any
    if isinstance(value, types.FunctionType):
        cells = tuple(types.CellType() for _ in value.__closure__ or ())
        namespace = dict(value.__globals__)
        new = types.FunctionType(value.__code__, namespace, value.__name__, None, cells or None)
        memo[id(value)] = new  # before its parts, which may refer to it
        for cell, old in zip(cells, value.__closure__ or (), strict=True):
            if _filled(old):
                cell.cell_contents = _renewed(old.cell_contents, memo)
        namespace.update({n: _renewed(v, memo) for n, v in used_globals(value).items()})
        new.__defaults__ = tuple(_renewed(d, memo) for d in value.__defaults__ or ()) or None
        new.__kwdefaults__ = {k: _renewed(v, memo) for k, v in (value.__kwdefaults__ or {}).items()} or None
    elif isinstance(value, types.MethodType):
        new = types.MethodType(_renewed(value.__func__, memo), _renewed(value.__self__, memo))
    elif isinstance(value, functools.partial):
        keywords = {k: _renewed(v, memo) for k, v in value.keywords.items()}
        new = functools.partial(_renewed(value.func, memo), *(_renewed(a, memo) for a in value.args), **keywords)
    elif isinstance(value, ParameterLike) or hasattr(value, "__deepcopy__"):
        new = copy.deepcopy(value, memo)
    elif type(value) in (tuple, list, set, frozenset):
        new = type(value)(_renewed(v, memo) for v in value)
    elif type(value) is dict:
        new = {k: _renewed(v, memo) for k, v in value.items()}
    elif isinstance(value, np.ndarray):
        new = copy.deepcopy(value, memo)
    else:
        new = copy.copy(value)
        memo[id(value)] = new
        for name, attribute in _attributes(value).items():
            object.__setattr__(new, name, _renewed(attribute, memo))
    memo[id(value)] = new
    return new
