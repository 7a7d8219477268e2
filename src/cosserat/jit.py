"""The one place where Numba is configured: `@kernel`, and the cache of compiled code.

Numba's own cache notices an edit of the file that holds a kernel, but not of a callee in another file. Here the
cache is keyed on a digest of every source that ends up in compiled code, so a stale kernel cannot survive an edit.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

import llvmlite.binding
import numba
import numpy as np
from numba.core import cgutils
from numba.core.caching import FunctionCache, _CacheLocator
from numba.extending import intrinsic, overload
from numba.np import arrayobj

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_COMPILED_SOURCES = {
    "": ("jit.py", "lie/coefficients.py", "kernels/*.py"),
    "recursion": (
        "jit.py", "lie/coefficients.py", "kernels/vectors.py", "kernels/frames.py", "kernels/springs.py",
        "kernels/loads.py", "kernels/recursion/*.py",
    ),
}  # fmt: skip
"""What the kernels of a subfolder are compiled from, by its name: each subfolder is cached on its own."""


@functools.cache
def source_digest(folder: str = "") -> str:
    """Digest of all sources that are compiled for `kernels/<folder>`, and of the compiler's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for pattern in _COMPILED_SOURCES[folder]:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_directory(folder: str = "") -> Path:
    """Where compiled kernels are kept: `COSSERAT_CACHE_DIR`, else the user's cache folder."""
    root = os.environ.get("COSSERAT_CACHE_DIR")
    if root is None:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        root = os.path.join(base, "cosserat")
    return Path(root) / source_digest(folder)


class _DigestLocator(_CacheLocator):
    """Cache entries live in `cache_directory()` and are stamped with `source_digest()` of their folder."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._name = f"{Path(py_file).stem}.{py_func.__qualname__}"
        folder = Path(py_file).parent.name
        self._folder = folder if folder in _COMPILED_SOURCES else ""
        self._line = py_func.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        os.makedirs(self.get_cache_path(), exist_ok=True)

    def get_cache_path(self) -> str:
        return str(cache_directory(self._folder))

    def get_source_stamp(self) -> str:
        return source_digest(self._folder)

    def get_disambiguator(self) -> str:
        return f"{self._name}-{self._line}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _DigestLocator:
        return cls(py_func, py_file)


class _DigestCache(FunctionCache):
    class _impl_class(FunctionCache._impl_class):
        _locator_classes = (_DigestLocator,)


def kernel(function: _Function) -> _Function:
    """Compile a pure function over arrays and numbers: strict IEEE, GIL released, cached on disk.

    A kernel writes only into its ``*_out`` arguments and its workspace, returns numbers or None, and never raises.
    With ``NUMBA_DISABLE_JIT=1`` it stays plain Python, which is the debug path.
    """
    if numba.config.DISABLE_JIT:
        return function
    compiled = numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True)(function)
    compiled._cache = _DigestCache(function)
    return compiled


def quick(function: _Function) -> _Function:
    """Compile a kernel that lasts microseconds and is called from Python thousands of times a second.

    It keeps the GIL: that is faster, and two threads cannot meet in the workspace of one object.
    """
    if numba.config.DISABLE_JIT:
        return function
    compiled = numba.njit(error_model="numpy", no_cfunc_wrapper=True)(function)
    compiled._cache = _DigestCache(function)
    return compiled


def helper(function: _Function) -> _Function:
    """Compile a small function that only kernels call: inlined into them by LLVM, not cached on its own."""
    if numba.config.DISABLE_JIT:
        return function
    return numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)


def stage(function: _Function) -> _Function:
    """Compile a kernel that other kernels call through its address, so that its code is not compiled again in them.

    Numba copies the code of every callee into its caller and optimises it anew; over a few levels of calls that
    multiplies the compile time. A stage is compiled once; callers hold only a symbol, which `load` binds for the
    running process. A stage returns an integer.
    """
    if numba.config.DISABLE_JIT:
        return function
    compiled = kernel(function)
    symbol = _symbol(function)

    @intrinsic
    def call(typing_context, args):
        def generate(context, builder, signature, values):
            function_type = context.call_conv.get_function_type(numba.types.int64, tuple(args))
            callee = cgutils.get_or_insert_function(builder.module, function_type, symbol)
            return _emit_call(context, builder, callee, args, values[0])

        return numba.types.int64(args), generate

    @functools.wraps(function)
    def stub(*args: Any) -> Any:
        return compiled(*args)

    @overload(stub, strict=False)
    def typed(*args):
        def implementation(*args):
            return call(args)

        return implementation

    _STAGES[symbol] = compiled
    return cast(_Function, stub)


_STAGES: dict[str, Any] = {}
_BOUND: set[str] = set()


def _symbol(function: Callable[..., Any]) -> str:
    return f"cosserat_{function.__module__.rsplit('.', 1)[-1]}_{function.__name__}"


def load(function: Callable[..., Any], *args: Any) -> None:
    """Compile a stage for arguments like these, or read it from the cache, and bind its symbol in this process."""
    symbol = _symbol(function)
    if numba.config.DISABLE_JIT or symbol in _BOUND:
        return
    _announce_cold_start()
    compiled = _STAGES[symbol]
    types = tuple(numba.typeof(a) for a in args)
    compiled.compile(types)
    result = compiled.overloads[types]
    _bind(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    _BOUND.add(symbol)


_cold_start = not numba.config.DISABLE_JIT and not any(cache_directory().glob("*.nbi"))


def mute() -> None:
    """Do not announce a cold start: the caller does it in its own way."""
    global _cold_start
    _cold_start = False


def _announce_cold_start() -> None:
    """Say on the standard error stream that nothing is compiled yet, once."""
    if _cold_start:
        print(
            "cosserat: compiling kernels, once per installation, under a minute (`cosserat doctor` does it beforehand)",
            file=sys.stderr,
        )
    mute()


def announce(folder: str, what: str) -> None:
    """Say on the standard error stream that nothing of a subfolder is compiled yet."""
    if not numba.config.DISABLE_JIT and not any(cache_directory(folder).glob("*.nbi")):
        print(f"cosserat: compiling {what}, once per installation, some seconds each", file=sys.stderr)


def address_of(function: Callable[..., Any]) -> Any:
    """Address of a loaded stage, for `call_address`; with the compiler off, the function itself."""
    if numba.config.DISABLE_JIT:
        return function
    return llvmlite.binding.address_of_symbol(_symbol(function))


def address_table(n: int) -> Any:
    """An array that holds what `address_of` gives."""
    return np.zeros(n, dtype=object if numba.config.DISABLE_JIT else np.int64)


def _emit_call(context: Any, builder: Any, callee: Any, types: Any, packed: Any) -> Any:
    unpacked = cgutils.unpack_tuple(builder, packed)
    _, result = context.call_conv.call_function(builder, callee, numba.types.int64, tuple(types), unpacked)
    return result


if numba.config.DISABLE_JIT:

    def call_address(address: Any, args: Any) -> Any:
        """Call the stage that `address_of` gave."""
        return address(*args)

else:

    @intrinsic
    def call_address(typing_context, address, args):
        """Call the stage at an address with a tuple of arguments."""

        def generate(context, builder, signature, values):
            function_type = context.call_conv.get_function_type(numba.types.int64, tuple(args))
            callee = builder.inttoptr(values[0], function_type.as_pointer())
            return _emit_call(context, builder, callee, args, values[1])

        return numba.types.int64(address, args), generate


def _bind(symbol: str, address: int) -> None:
    llvmlite.binding.add_symbol(symbol, address)


class Handles:
    """Getters of the groups of a problem: kernels receive one address instead of hundreds of arguments.

    A problem is a NamedTuple of groups, a group a NamedTuple of C-contiguous arrays annotated with element type and
    number of dimensions. `pack` writes addresses and shapes into one table; `handles.elements(problem)` inside a
    kernel reads a group back. The arrays are borrowed: whoever packs them keeps them alive.
    """

    def __init__(self, problem: type) -> None:
        self.problem = problem
        self._offsets: dict[str, int] = {}
        self._fields: dict[str, list[tuple[str, int]]] = {}
        offset = 0
        for name, group in get_type_hints(problem).items():
            self._offsets[name] = offset
            self._fields[name] = [
                hint.__metadata__[0] for hint in get_type_hints(group, include_extras=True).values()
            ]
            offset += sum(1 + n for _, n in self._fields[name])
        self.size = offset

    def pack(self, problem: Any) -> Any:
        """Table (int64 array) of a problem, or None with the compiler off: then the problem serves itself."""
        if numba.config.DISABLE_JIT:
            return None
        table = np.zeros(self.size, dtype=np.int64)
        for name in self._fields:
            self.repack(table, name, getattr(problem, name))
        return table

    def repack(self, table: Any, name: str, group: Any) -> None:
        """Write one group anew, after its arrays were replaced."""
        at = self._offsets[name]
        for array, (kind, n) in zip(group, self._fields[name], strict=True):
            if array.dtype != kind or array.ndim != n or not array.flags.c_contiguous:
                raise TypeError(f"{name}: expected a C-contiguous {kind} array with {n} dimensions, got {array.dtype}")
            table[at] = array.ctypes.data
            table[at + 1 : at + 1 + n] = array.shape
            at += 1 + n

    def getter(self, name: str, group: type) -> Any:
        """A function for kernels: address of a table -> group."""
        if numba.config.DISABLE_JIT:
            return lambda problem: getattr(problem, name)
        fields = self._fields[name]
        start = self._offsets[name]
        array_types = [numba.types.Array(getattr(numba.types, kind), n, "C") for kind, n in fields]
        group_type = numba.types.NamedTuple(array_types, group)

        @intrinsic
        def get(typing_context, address):
            def generate(context, builder, signature, values):
                word = context.get_value_type(numba.types.intp)
                table = builder.inttoptr(values[0], word.as_pointer())
                at = start
                arrays = []
                for array_type, (_, n) in zip(array_types, fields, strict=True):
                    words = [builder.load(builder.gep(table, [word(at + i)])) for i in range(1 + n)]
                    array = context.make_array(array_type)(context, builder)
                    strides = [word(8)]
                    for extent in reversed(words[2:]):
                        strides.insert(0, builder.mul(strides[0], extent))
                    element = context.get_data_type(array_type.dtype)
                    arrayobj.populate_array(
                        array,
                        data=builder.inttoptr(words[0], element.as_pointer()),
                        shape=cgutils.pack_array(builder, words[1:], word),
                        strides=cgutils.pack_array(builder, strides, word),
                        itemsize=word(8),
                        meminfo=None,
                    )
                    arrays.append(array._getvalue())
                    at += 1 + n
                return context.make_tuple(builder, group_type, arrays)

            return group_type(address), generate

        return get
