"""A quicker way through Numba's front end, for stages and their helpers.

Three quarters of the time that a stage takes to compile are spent in Python: passes for what kernels never do
(closures, generators, exceptions, array expressions, reference counts), the same call resolved hundreds of times, and
searches for registrations that cannot be there. What is left out here does not change the machine code.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core import transforms
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.postproc import PostProcessor
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


@contextlib.contextmanager
def quickened() -> Iterator[None]:
    """Numba without what takes it long: nothing to collect, nothing to look up or to make twice."""
    _know_everything()
    typing = cpu_target.typing_context
    typing.refresh()  # kernels that were imported since may bring functions of their own
    target = type(cpu_target.target_context)  # Numba copies the context: what is set on it would lead back to it
    changes = [
        (types.Function, "get_call_type", _remembering(types.Function.get_call_type)),
        (target, "get_function", _searching_once(target.get_function)),
        (target, "refresh", _read_registries),
        (typing, "refresh", lambda: None),
        (arrayobj, "make_array", _array_class),
        (PostProcessor, "run", _ordering_blocks(PostProcessor.run)),
    ]
    with _uncollected(), contextlib.ExitStack() as stack:
        for owner, name, changed in changes:
            stack.callback(_put_back(owner, name))
            setattr(owner, name, changed)
        yield


@functools.cache
def _know_everything() -> None:
    """Register all that Numba and packages beside it bring along, which it otherwise looks for before each function."""
    cpu_target.target_context.refresh()


def _read_registries(target: Any) -> None:
    """Take over what was registered since, such as symbols of stages."""
    for registry in list(target._registries):
        target.install_registry(registry)


def _put_back(owner: Any, name: str) -> Callable[[], None]:
    """What undoes a change of an attribute, inherited or its own."""
    if name in vars(owner):
        return functools.partial(setattr, owner, name, vars(owner)[name])
    return functools.partial(delattr, owner, name)


def _ordering_blocks(run: Callable[..., None]) -> Callable[..., None]:
    """Bring the blocks of a function into order; how long its variables live is asked only where they are deleted."""

    def run_quickly(self: PostProcessor, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if emit_dels or self.func_ir.is_generator:
            run(self, emit_dels, extend_lifetimes)
        else:
            self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)

    return run_quickly


@contextlib.contextmanager
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

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return resolve(function, context, args, kws)
        key = function, args
        if key not in _resolved:
            _resolved[key] = resolve(function, context, args, kws)
        return _resolved[key]

    return get_call_type


def _searching_once(find: Callable[..., Any]) -> Callable[..., Any]:
    """Find implementations; of operations known by a name, such as ``__array__``, none is registered later."""

    def get_function(self: Any, function: Any, signature: Any, _firstcall: bool = True) -> Any:
        return find(self, function, signature, _firstcall and not isinstance(function, str))

    return get_function
