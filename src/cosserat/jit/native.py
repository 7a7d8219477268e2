"""Object code of kernels: linked into the running process, and called from Python, without the compiler.

A signature is a string with one part per argument, separated by commas: ``i`` an integer, ``d`` a double, ``i2`` or
``d2`` a C-contiguous array with so many dimensions. Numba's calling convention: pointers to the result and to an
exception (never used), then the arguments, an array as (meminfo, parent, items, item size, data, shape, strides).
"""

from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

_INTEGER = np.dtype(np.int64)
_DTYPES = {"d": np.dtype(np.float64), "i": _INTEGER}
_KINDS = {dtype: kind for kind, dtype in _DTYPES.items()}


_byte, _address = ctypes.c_byte.from_buffer, ctypes.addressof


def place_of(array: Any) -> int:
    """Address of the data of a C-contiguous array, zero if it is empty; a quarter of what NumPy takes to tell it."""
    if not array.size:
        return 0
    try:
        return _address(_byte(array))
    except (TypeError, BufferError):  # not to be written into
        return int(array.ctypes.data)


def signature_of(args: tuple[Any, ...]) -> str:
    """Signature of arguments like these."""
    return ",".join(map(_part, args))


def _part(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.dtype in _KINDS and value.flags.c_contiguous:
            return f"{_KINDS[value.dtype]}{value.ndim}"
    elif isinstance(value, int | np.integer):
        return "i"
    elif isinstance(value, float):
        return "d"
    what = f"a {value.dtype} array with strides {value.strides}" if isinstance(value, np.ndarray) else repr(value)
    raise TypeError(f"kernels take numbers and C-contiguous arrays of float64 or int64, not {what}")


@functools.cache
def _engine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def link(code: bytes, entry: str) -> int:
    """Link object code into the process; returns the address of the function named `entry`."""
    import llvmlite.binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    address = engine.get_function_address(entry)
    assert address
    return int(address)


def bind(symbol: str, address: int) -> None:
    """Make an address known to code that is linked later."""
    import llvmlite.binding as llvm

    llvm.add_symbol(symbol, address)


def _function(address: int, signature: str) -> Any:
    """A kernel as ctypes calls it."""
    types: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
    for part in signature.split(","):
        if len(part) == 1:
            types.append(ctypes.c_int64 if part == "i" else ctypes.c_double)
        else:
            words = [ctypes.c_int64] * (2 * int(part[1:]))
            types += [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, *words]
    return ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address)


def bound(address: int, signature: str, args: tuple[int, ...]) -> Callable[[], int]:
    """A call with the same integers every time, which are converted once: it costs less than a microsecond."""
    if set(signature.split(",")) != {"i"}:
        raise TypeError(f"only integers can be bound, not arguments with the signature {signature}")
    function, result = _function(address, signature), ctypes.c_int64(0)
    no_exception = ctypes.c_void_p()  # kept alive by the closure, as the result is
    words = ctypes.byref(result), ctypes.byref(no_exception), *(ctypes.c_int64(operator.index(x)) for x in args)

    def call() -> int:
        function(*words)
        return result.value

    return call


def caller(address: int, signature: str) -> Callable[..., int]:
    """A Python function that calls a kernel at an address; the GIL is released meanwhile."""
    function = _function(address, signature)
    kinds = [(_DTYPES[part[0]], int(part[1:] or 0)) for part in signature.split(",")]
    no_exception = ctypes.c_void_p()

    def call(*args: Any) -> int:
        result = ctypes.c_int64(0)
        words: list[Any] = [ctypes.byref(result), ctypes.byref(no_exception)]
        for value, (dtype, n) in zip(args, kinds, strict=True):
            if n == 0:
                plain = type(value) is int or type(value) is float
                words.append(value if plain else operator.index(value) if dtype is _INTEGER else float(value))
                continue
            if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != n:
                raise TypeError(f"compiled for the signature {signature}, called with {signature_of(args)}")
            if not value.flags.c_contiguous:
                raise TypeError(f"kernels take C-contiguous arrays, not one with strides {value.strides}")
            words += (None, None, value.size, 8, place_of(value), *value.shape, *value.strides)
        function(*words)
        return result.value

    return call
