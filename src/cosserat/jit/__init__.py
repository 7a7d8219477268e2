"""The one place where Numba is configured: decorators of kernels, and the cache of compiled code.

A process that finds its kernels in the cache links their object code and never imports Numba, which would take longer
than most runs. The cache is keyed on a digest of every source that ends up in compiled code (`sources`), so a stale
kernel cannot survive an edit. With ``NUMBA_DISABLE_JIT=1`` kernels stay plain Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from cosserat.jit import cache, native
from cosserat.jit.cache import announce, cache_directory, compiled_names, mute
from cosserat.jit.handles import Packed, part_of, passed_as
from cosserat.jit.sources import folder_of, kernel_name, source_digest
from cosserat.jit.switch import COMPILED
from cosserat.jit.user import Unit, UserCodeError, compile_user, keep_user, write_numbers

__all__ = [
    "COMPILED", "Packed", "Unit", "UserCodeError", "address_of", "address_table", "announce", "apart", "bound",
    "cache_directory", "call_address", "compile_user", "compiled_names", "helper", "inlined", "keep_user", "kernel",
    "load", "mute", "part_of", "passed_as", "quick", "source_digest", "stage", "wide", "write_numbers",
]  # fmt: skip

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Helper:
    """A function that only kernels call. Numba sees it through `_numba_type_`, Python as the function itself."""

    def __init__(self, function: Callable[..., Any], *, inline: bool = False, apart: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = {"forceinline": inline, "apart": apart}

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    @functools.cached_property
    def _in_stages(self) -> Any:
        from cosserat.jit.compiler import dispatcher

        return dispatcher(self.function, in_stages=True, **self.options)

    @functools.cached_property
    def _in_kernels(self) -> Any:
        from cosserat.jit.compiler import dispatcher

        return dispatcher(self.function, **self.options)

    @property
    def _numba_type_(self) -> Any:
        """Two handles: code that counts references, as kernels of Numba do, must not end up in stages."""
        from cosserat.jit.compiler import compiling_stage

        return (self._in_stages if compiling_stage() else self._in_kernels)._numba_type_


class Stage:
    """A function compiled for the types of the arguments of its first call, or of `load`."""

    def __init__(self, function: Callable[..., Any], *, wide: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.function, self.wide = function, wide
        self.name = kernel_name(function)
        self.symbol = f"cosserat_{self.name.replace('.', '_')}"
        self.address, self.signature = 0, ""
        self._call: Callable[..., int] | None = None
        _STAGES[self.symbol] = self

    def __call__(self, *args: Any) -> int:
        if self._call is None:
            self.load(args)
            assert self._call is not None
        return self._call(*args)

    def bound(self, *args: int) -> Callable[[], int]:
        """A call with the same integers every time."""
        self.load(args)
        return native.bound(self.address, native.signature_of(args), args)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from cosserat.jit.compiler import symbol_type

        return symbol_type(self.symbol)

    def load(self, args: tuple[Any, ...]) -> None:
        """Compile it for arguments like these, or read it from the cache, unless that was done before."""
        if self._call is None:
            self._link(native.signature_of(args))

    def _link(self, signature: str) -> None:
        """Read the object code, or compile it, link it behind that of the stages it calls, and bind the symbol."""
        folder = folder_of(self.function.__code__.co_filename)
        if not folder:  # subfolders announce themselves
            cache.announce_cold_start()
        kept = cache.read(self.name, folder)
        if kept is None or kept.signature != signature:
            from cosserat.jit.compiler import compile_object

            kept = compile_object(self.function, signature, self.wide)
            cache.write(self.name, folder, kept)
        for symbol, called in kept.calls.items():
            callee = _STAGES[symbol]
            if not callee.address:
                callee._link(called)
            if callee.signature != called:
                raise TypeError(f"{self.name} calls {callee.name}, compiled for {callee.signature}, with {called}")
        address = native.link(kept.code, kept.entry)
        native.bind(self.symbol, address)
        self.signature, self.address = signature, address  # last: other threads link callers once it is there
        self._call = native.caller(address, signature)


_STAGES: dict[str, Stage] = {}  # by symbol


class _CallAddress:
    """`call_address` inside kernels."""

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from cosserat.jit.compiler import call_address_type

        return call_address_type()


def stage(function: _Function) -> _Function:
    """Compile a kernel that other kernels call through its address, so that its code is not compiled again in them.

    Numba copies the code of every callee into its caller and optimises it anew; over a few levels of calls that
    multiplies the compile time. A stage is compiled once; callers hold only a symbol, which is bound in the running
    process when the first of them is loaded. It takes integers, doubles and C-contiguous arrays of them, releases the
    GIL, allocates nothing, writes only into its ``*_out`` arguments and its workspace, never raises, and returns an
    integer.
    """
    return cast(_Function, Stage(function)) if COMPILED else function


def wide(function: _Function) -> _Function:
    """Compile a stage that spends its time in helpers which are `apart`: there LLVM computes four sums at once.

    It takes pains to do so everywhere in the stage; code of single numbers and three-vectors becomes slower.
    """
    return cast(_Function, Stage(function, wide=True)) if COMPILED else function


def helper(function: _Function) -> _Function:
    """Compile a small function that only kernels call: inlined into them by LLVM, not cached on its own."""
    return cast(_Function, Helper(function)) if COMPILED else function


def apart(function: _Function) -> _Function:
    """Compile a helper whose arrays share no memory where it writes into one, for `wide` stages."""
    return cast(_Function, Helper(function, apart=True)) if COMPILED else function


def inlined(function: _Function) -> _Function:
    """Compile a helper that LLVM must inline: where arguments are many or wide, a call costs more than the body."""
    return cast(_Function, Helper(function, inline=True)) if COMPILED else function


def quick(*dimensions: int, nogil: bool = False) -> Callable[[_Function], _Function]:
    """Compile a kernel that lasts microseconds and is called from Python thousands of times a second.

    It keeps the GIL unless told otherwise: that is faster, and two threads cannot meet in the workspace of one object.
    It takes writable C-contiguous arrays of doubles with these numbers of dimensions, and raises a TypeError for
    anything else instead of being compiled again. No kernel allocates: none counts references.
    """

    def decorate(function: _Function) -> _Function:
        if not COMPILED:
            return function
        from cosserat.jit.compiler import quick_dispatcher

        return cast(_Function, quick_dispatcher(function, dimensions, nogil))

    return decorate


def kernel(function: _Function) -> _Function:
    """Compile a kernel that Python calls, as Numba does it: any types, GIL released, no allocation."""
    if not COMPILED:
        return function
    from cosserat.jit.compiler import cached_dispatcher

    return cast(_Function, cached_dispatcher(function, nogil=True))


def load(function: Callable[..., Any], *args: Any) -> None:
    """Compile a stage for arguments like these, or read it from the cache, and bind its symbol in this process."""
    if isinstance(function, Stage):
        function.load(args)


def bound(function: Callable[..., Any], *args: Any) -> Callable[[], int]:
    """A call of a stage with the same arguments every time, addresses and other integers: quicker than the stage."""
    return function.bound(*args) if isinstance(function, Stage) else functools.partial(function, *args)


def address_of(function: Callable[..., Any]) -> Any:
    """Address of a loaded stage, for `call_address`; with the compiler off, the function itself."""
    return function.address if isinstance(function, Stage) else function


def address_table(*shape: int) -> Any:
    """An array that holds what `address_of` gives."""
    return np.zeros(shape, dtype=np.int64 if COMPILED else object)


def _call_plain(address: Any, args: Any) -> Any:
    return address(*args)


call_address: Any = _CallAddress() if COMPILED else _call_plain
"""Call the stage that `address_of` gave with a tuple of arguments."""
