"""Functions that users write, compiled into units of their own and called by address.

A user's function may use what Numba offers, memory from Numba's runtime included (``np.zeros(6)``); kernels may not.
So it is compiled apart, together with a small function of ours (the glue) that has a fixed signature and calls it:
`call_address` then calls the glue as it calls any stage. Plain Python functions that it calls are compiled with it.
Units are kept between processes under a digest of the code and of every value it refers to. With the compiler off the
glue calls the Python function.
"""

from __future__ import annotations

import enum
import hashlib
import linecache
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cosserat.errors import CosseratError
from cosserat.jit import native
from cosserat.jit.sources import compiler_digest
from cosserat.jit.switch import COMPILED

Function = Callable[..., Any]

_LAYOUT = 4  # of kept units; raised where they are named or made otherwise

_FILE = re.compile(r'File "([^"]+)", line (\d+)')
_QUOTED = re.compile(r"'(\w+)'")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = ("Failed in nopython mode", "During:", "File ", "<source", "Overload", "There are", "- Of which", "This error")
_TELLING = (
    "Untyped global", "Unknown attribute", "No implementation", "Cannot", "cannot", "not supported", "Invalid use",
    "No conversion", "Use of unsupported", "undefined", "Undefined", "Unsupported", "not defined", "not found",
)  # fmt: skip


class UserCodeError(CosseratError):
    """A function cannot be compiled; the message shows the line and the reason."""


class Unit:
    """A compiled function of a user; call it, or hand its address to kernels.

    Attributes
    ----------
    address : int or callable
        For `call_address`; valid as long as the unit lives.
    """

    def __init__(self, signature: str, address: Any, library: Any = None) -> None:
        self.address = address
        self._library = library  # owns the code
        self._call = native.caller(address, signature) if COMPILED else address

    def __call__(self, *args: Any) -> int:
        return int(self._call(*args))

    def __deepcopy__(self, memo: dict[int, Any]) -> Unit:
        return self


_units: dict[tuple[str, str], Unit] = {}  # compiled in this process, by digest and signature
_kept: dict[str, Function] = {}  # functions that Python calls, by digest


def compile_user(glue: Callable[..., Function], functions: tuple[Function, ...], signature: str, folder: str) -> Unit:
    """Compile users' functions with the function that `glue(*functions)` gives; it returns an integer.

    Parameters
    ----------
    glue : callable
        Given the compiled functions, returns the function with the fixed signature. It may refer to other values, too.
    functions : tuple of callables
    signature : str
        Of that function, as in `native`.
    folder : str
        Subfolder of `kernels` in whose cache it is kept.

    Raises
    ------
    UserCodeError
        If a function cannot be compiled.
    """
    if not COMPILED:
        return Unit(signature, glue(*functions))
    digest = _digest(glue(*functions))
    key = (digest or "", signature)
    if digest is None or key not in _units:
        from cosserat.jit.compiler import user_address

        inner = tuple(_compiled(function, {}, digest or "") for function in functions)
        try:
            unit = Unit(signature, *user_address(_named(glue(*inner), digest), signature, folder, digest))
        except Exception as error:
            raise UserCodeError(explained(error, functions)) from None
        if digest is None:
            return unit
        _units[key] = unit
    return _units[key]


def write_numbers(given: Any, size: int, out: Any) -> None:
    """out[:size] = what a user's function gave, for glue: an array, or a tuple of numbers of several types."""
    for k in range(size):
        out[k] = given[k]


def keep_user(function: Function, inner: dict[int, Any]) -> Function:
    """A plain function compiled for calls from Python, with arguments of any type, and kept between processes.

    What it calls is compiled with it; `inner` remembers that, for further functions that call the same ones. With the
    compiler off it is the function itself.
    """
    if not COMPILED:
        return function
    digest = _digest(function)
    if digest is None or digest not in _kept:
        from cosserat.jit.compiler import kept_dispatcher

        handle: Function = kept_dispatcher(_compiled(function, inner).py_func, digest)
        if digest is None:
            return handle
        _kept[digest] = handle
    return _kept[digest]


def explained(error: Exception, functions: tuple[Function, ...]) -> str:
    """The user's line that the compiler could not take, and its reason."""
    text = _COLOUR.sub("", str(getattr(error, "msg", None) or error))
    reason = _reason(text)
    for code in (f.__code__ for f in _reached(functions)):
        lines = sorted({line for _, _, line in code.co_lines() if line is not None})
        sources = {line: linecache.getline(code.co_filename, line).strip() for line in lines}
        # Numba writes: File "x.py", line 12:, the innermost last; of unknown names it only says the name
        found = [int(n) for name, n in _FILE.findall(text) if Path(name).name == Path(code.co_filename).name]
        found = [n for n in found if n in sources]
        quoted = [rf"\b{word}\b" for word in _QUOTED.findall(reason)]
        found += [n for n in lines if any(re.search(word, sources[n]) for word in quoted)][:1] if not found else []
        if found:
            shown = f", `{sources[found[-1]]}`" if sources[found[-1]] else ""
            return f"line {found[-1]} of {Path(code.co_filename).name}{shown}: {reason}"
    return reason


def _reached(functions: tuple[Function, ...]) -> list[types.FunctionType]:
    """Plain functions among these and those that they call, the innermost first."""
    found: list[types.FunctionType] = []
    for function in functions:
        function = getattr(function, "py_func", function)
        if isinstance(function, types.FunctionType) and function not in found:
            cells = [c.cell_contents for c in function.__closure__ or ()]
            names = [function.__globals__.get(n) for n in _names(function.__code__)]
            called = tuple(v for v in (*cells, *names) if isinstance(v, types.FunctionType) and v is not function)
            found = [*_reached(called), function, *found]
    return found


def _reason(text: str) -> str:
    """The sentence of Numba's message that says what is wrong."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(_NOISE)]
    telling = [line for line in lines if any(word in line for word in _TELLING)]
    return (telling or lines or ["the compiler gives no reason"])[0]


def _compiled(function: Function, seen: dict[int, Any], unit: str = "") -> Any:
    """Numba's handle of a function; plain functions that it calls are compiled, too.

    `unit` tells the one that they are compiled for: with it their arguments have types that names do not tell, such as
    records with other fields.
    """
    from cosserat.jit.compiler import is_compiled, user_dispatcher

    if not isinstance(function, types.FunctionType):
        if is_compiled(function):
            return function
        raise UserCodeError(
            f"{function!r} is not a plain Python function; write one with `def`, or pass one compiled with numba.njit"
        )
    if id(function) in seen:
        return seen[id(function)]
    used = {n: function.__globals__[n] for n in _names(function.__code__) if n in function.__globals__}
    inner = {n: v for n, v in used.items() if isinstance(v, types.FunctionType)}
    cells = [c.cell_contents for c in function.__closure__ or ()]
    if not inner and not any(isinstance(c, types.FunctionType) for c in cells):
        seen[id(function)] = user_dispatcher(_named(_copied(function, function.__closure__), _digest(function), unit))
        return seen[id(function)]
    space = dict(function.__globals__)
    closure = tuple(
        types.CellType(_compiled(c, seen, unit) if isinstance(c, types.FunctionType) else c) for c in cells
    )
    renewed = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, closure or None)
    renewed.__qualname__, renewed.__kwdefaults__ = function.__qualname__, function.__kwdefaults__
    # first, for functions that call each other
    seen[id(function)] = user_dispatcher(_named(renewed, _digest(function), unit))
    space.update({n: _compiled(v, seen, unit) for n, v in inner.items()})
    return seen[id(function)]


def _copied(function: types.FunctionType, closure: Any) -> types.FunctionType:
    copied = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )  # fmt: skip
    copied.__qualname__, copied.__kwdefaults__ = function.__qualname__, function.__kwdefaults__
    return copied


def _named(function: Any, digest: str | None, unit: str = "") -> Any:
    """The function under a name of its own, by what it does and the unit that it is part of.

    Numba's names of compiled code count functions within a process. Code that was kept by several processes could meet
    under one name, and then the first to be loaded is called for all.
    """
    if digest is not None:
        function.__qualname__ = f"{function.__qualname__}_{digest}_{unit}"
    return function


def _names(code: types.CodeType) -> set[str]:
    """Global names that a function uses, inner functions included."""
    found = set(code.co_names)
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            found |= _names(value)
    return found


def _digest(function: Function) -> str | None:
    """Digest of a function's code and of all values it refers to; None if one of them cannot be told by its value."""
    digest = hashlib.sha256(f"{_LAYOUT} {compiler_digest()}".encode())
    try:
        _feed(digest, function, set())
    except ValueError:
        return None
    return digest.hexdigest()[:24]


def _feed(digest: Any, value: Any, seen: set[int]) -> None:
    value = getattr(value, "py_func", value)
    if isinstance(value, types.FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        _feed(digest, value.__code__, seen)
        _feed(digest, (value.__defaults__, value.__kwdefaults__), seen)
        for cell in value.__closure__ or ():
            _feed(digest, cell.cell_contents, seen)
        _feed_used(digest, value.__globals__, sorted(_names(value.__code__)), seen)
    elif isinstance(value, types.CodeType):
        digest.update(value.co_code + repr((value.co_names, value.co_varnames, value.co_freevars)).encode())
        _feed(digest, value.co_consts, seen)
    elif isinstance(value, dict):
        _feed(digest, list(value.items()), seen)
    elif isinstance(value, (tuple, list)):
        digest.update(f"{type(value).__name__} {len(value)} {getattr(value, '_fields', '')}".encode())
        for item in value:
            _feed(digest, item, seen)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype!r}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, types.ModuleType) and _is_library(value):
        digest.update(value.__name__.encode())
    elif isinstance(value, enum.EnumMeta):
        _feed(digest, [(str(k), member.value) for k, member in dict[str, Any](value.__members__).items()], seen)
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, np.dtype)):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, type) and (hasattr(value, "_fields") or issubclass(value, Exception)):
        digest.update(f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}".encode())
    elif isinstance(value, (np.ufunc, types.BuiltinFunctionType)) or (callable(value) and _is_library(value)):
        digest.update(f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}".encode())
    else:
        raise ValueError


def _feed_used(digest: Any, space: dict[str, Any], names: list[str], seen: set[int]) -> None:
    """Values in a namespace that are named, and in modules of the user's that are among them: they are compiled in."""
    for name in names:
        value = space.get(name)
        if isinstance(value, types.ModuleType) and not _is_library(value):
            if id(value) not in seen:
                seen.add(id(value))
                _feed_used(digest, vars(value), names, seen)
        elif name in space:
            _feed(digest, (name, value), seen)


def _is_library(value: Any) -> bool:
    owner = value.__name__ if isinstance(value, types.ModuleType) else str(getattr(value, "__module__", ""))
    return owner.split(".")[0] in ("numpy", "math", "cmath", "operator", "builtins")
