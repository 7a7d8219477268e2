"""A quicker way through Numba's front end, for stages and their helpers.

Three quarters of the time that a stage takes to compile are spent in Python: passes for what kernels never do
(closures, generators, exceptions, array expressions, reference counts), the same call resolved hundreds of times, and
searches for registrations that cannot be there. What is left out here does not change the machine code.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering, NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.untyped_passes import FixupArgs, GenericRewrites, IRProcessing, ReconstructSSA, TranslateByteCode
from numba.np import arrayobj

_PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, GenericRewrites, ReconstructSSA,
    NopythonTypeInference, PreLowerStripPhis, NativeLowering, NoPythonBackend,
)  # fmt: skip


class PlainCompiler(CompilerBase):
    """Numbers, tuples, borrowed arrays and loops only; variables are not deleted, for nothing counts references."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("plain")
        for each in _PASSES:
            passes.add_pass(each, each._name)
        passes.finalize()
        return [passes]


_resolved: dict[Any, Any] = {}  # (function, types of arguments) -> signature, of what Numba brings along
_array_class = functools.cache(arrayobj.make_array)
_MANY = 1_000_000  # objects, some 200 MB
_left = 0  # objects of finished stages that were not collected yet


@contextmanager
def quickened() -> Iterator[None]:
    """Numba without what takes it long: nothing to collect, nothing to look up or to make twice."""
    typing = cpu_target.typing_context
    target = type(cpu_target.target_context)  # Numba copies the context: what is set on it would lead back to it
    make_array = arrayobj.make_array
    typing.resolve_function_type = _remembering(typing.resolve_function_type)
    target.get_function = _searching_once(target.get_function)
    arrayobj.make_array = _array_class
    try:
        with _uncollected():
            yield
    finally:
        del typing.resolve_function_type, target.get_function
        arrayobj.make_array = make_array


@contextmanager
def _uncollected() -> Iterator[None]:
    """Leave what a stage makes to a later collection; looking through it after every stage takes long."""
    global _left
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        _left += gc.get_count()[0]
        if _left > _MANY:
            _left = 0
            gc.collect()
        elif gc.get_freeze_count() == 0:
            gc.freeze()  # and back, to the oldest generation
            gc.unfreeze()
        gc.enable()


def _remembering(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Resolve calls of operators and functions of Numba's once for each type of arguments."""

    def resolve_function_type(function: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(function, types.Function):
            return resolve(function, args, kws)
        key = function, args
        if key not in _resolved:
            _resolved[key] = resolve(function, args, kws)
        return _resolved[key]

    return resolve_function_type


def _searching_once(find: Callable[..., Any]) -> Callable[..., Any]:
    """Find implementations; of operations known by a name, such as ``__array__``, none is registered later."""

    def get_function(self: Any, function: Any, signature: Any, _firstcall: bool = True) -> Any:
        return find(self, function, signature, _firstcall and not isinstance(function, str))

    return get_function
