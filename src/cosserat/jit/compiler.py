"""Everything that needs Numba; imported only when something must be compiled.

Kernels call helpers (Numba copies and optimises their code in each caller), other kernels through a symbol that
`native.bind` fills, and a few functions made of LLVM instructions.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, serialize
from numba.core.caching import FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError, NumbaPerformanceWarning
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import infer_getattr, lower_builtin, lower_getattr_generic, models, overload, register_model
from numba.np import arrayobj

from cosserat.jit import store
from cosserat.jit.cache import CachedCode, cache_directory
from cosserat.jit.frontend import PlainCompiler, quickened
from cosserat.jit.handles import PASSED, places_in
from cosserat.jit.sources import folder_of, kernel_name, source_digest
from cosserat.jit.user import write_numbers

_KINDS = {"i": types.int64, "d": types.float64}
_called: dict[str, str] = {}  # symbols of stages that compiled code calls, and with which signatures


def dispatcher(function: Callable[..., Any], apart: bool = False, in_stages: bool = False, **options: Any) -> Any:
    """Numba's handle of a function that only compiled code calls: strict IEEE; its arrays may be said to be apart."""
    if in_stages:
        options["pipeline_class"] = PlainCompiler
    handle = numba.njit(error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True, **options)(function)
    if apart:
        handle._compiler._customize_flags = _without_aliases
    handle.get_call_template = functools.partial(_any_number, handle.get_call_template)
    return handle


def _any_number(template: Callable[..., Any], args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
    """What a call is typed by, numbers in the source being like others: Numba would compile anew for each of them."""
    return template(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})


def _without_aliases(flags: Any) -> Any:
    flags.noalias = True
    return flags


def compile_object(function: Callable[..., Any], signature: str, wide: bool = False) -> CachedCode:
    """Object code of a function."""
    # arrays are borrowed: no reference counts, here and in helpers
    handle = dispatcher(function, in_stages=True, _nrt=False)
    names = function.__code__.co_varnames
    folder = folder_of(function.__code__.co_filename)
    groups = [PASSED.get((folder, name)) for name in names[: function.__code__.co_argcount]]
    args = tuple(
        _group_type(group) if group and kind is types.int64 else kind
        for group, kind in zip(groups, argument_types(signature), strict=True)
    )
    with global_compiler_lock, _unlinked(), quickened():  # what they change is Numba's own, for all threads
        handle.compile(args)
        result = handle.overloads[args]
        assert types.unliteral(result.signature.return_type) is types.int64, function
        code, called = result.library.object_code(wide)
    return CachedCode(result.fndesc.llvm_func_name, signature, code, {symbol: _called[symbol] for symbol in called})


def argument_types(signature: str) -> tuple[Any, ...]:
    """Numba's types of a signature as `native` writes it."""
    return tuple(
        _KINDS[part] if len(part) == 1 else types.Array(_KINDS[part[0]], int(part[1:]), "C")
        for part in signature.split(",")
    )


def signature_of_types(args: tuple[Any, ...]) -> str:
    """Signature, as `native` writes it, of arguments of these types."""
    parts = []
    for given in map(types.unliteral, args):
        is_array = isinstance(given, types.Array)
        plain = types.int64 if isinstance(given, _ArrayGroup) else given.dtype if is_array else given
        kinds = [kind for kind, number in _KINDS.items() if number == plain]
        if not kinds or (is_array and given.layout != "C"):
            raise TypeError(f"kernels take numbers and C-contiguous arrays of float64 or int64, not {given}")
        parts.append(f"{kinds[0]}{given.ndim if is_array else ''}")
    return ",".join(parts)


class _Unlinked(JITCodeLibrary):
    """Code of one function; that of its callees is linked in only for machine code, and then optimised as a whole.

    Numba links all callees into every function, optimises that, makes machine code of it, and then does the same for
    its callers; of helpers nobody needs machine code.
    """

    def add_ir_module(self, ir_module: Any) -> None:
        """Read the text of a module; its instructions and their blocks, which refer to each other, are done with."""
        super().add_ir_module(ir_module)
        for function in ir_module.functions:
            for block in function.blocks:
                block.instructions.clear()

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """What other libraries of Numba link in: this function and all it calls."""
        return self._linked(super()._get_module_for_linking().clone())

    def object_code(self, wide: bool) -> tuple[bytes, list[str]]:
        """Machine code of this function and all it calls, and symbols of the stages among these."""
        module = self._linked(self._final_module)
        passes = self._codegen._module_pass_manager(slp_vectorize=wide)
        if isinstance(passes, tuple):  # from Numba 0.61 on
            passes[0].run(module, passes[1])
        else:
            passes.run(module)
        outside = [function.name for function in module.functions if function.is_declaration]
        return self._codegen._tm.emit_object(module), [name for name in outside if name in _called]

    def _linked(self, module: Any) -> Any:
        seen, todo = {self}, list(self._linking_libraries)
        while todo:
            library = todo.pop()
            if library not in seen:
                seen.add(library)
                if isinstance(library, _Unlinked):
                    todo += library._linking_libraries
                    module.link_in(JITCodeLibrary._get_module_for_linking(library), preserve=True)
                else:
                    module.link_in(library._get_module_for_linking(), preserve=True)
        return module


def compiling_stage() -> bool:
    """Whether what is compiled now is object code of a stage."""
    return "_library_class" in vars(cpu_target.target_context.codegen())


@contextmanager
def _unlinked() -> Iterator[None]:
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = _Unlinked
    codegen.set_env = lambda name, environment: None  # Python objects for errors, which kernels do not raise
    try:
        yield
    finally:
        del codegen._library_class, codegen.set_env


def _function_type(typed: Callable[..., Any], generate: Callable[..., Any]) -> Any:
    """Numba's type of a function made of LLVM instructions; typed(*args) gives its signature."""
    lower_builtin(generate, types.VarArg(types.Any))(generate)

    class Template(AbstractTemplate):
        key = generate

        def generic(self, args, kws):
            return typed(*args)

    return types.Function(Template)


def symbol_type(symbol: str) -> Any:
    """Type of a kernel as other kernels see it: a symbol, called with Numba's convention."""

    def generate(context, builder, signature, values):
        _called[symbol] = signature_of_types(signature.args)
        function_type = context.call_conv.get_function_type(types.int64, signature.args)
        callee = cgutils.get_or_insert_function(builder.module, function_type, symbol)
        _, result = context.call_conv.call_function(builder, callee, types.int64, signature.args, values)
        return result

    return _function_type(lambda *args: types.int64(*args), generate)


def call_address_type() -> Any:
    """Type of `call_address`."""

    def generate(context, builder, signature, values):
        args = tuple(signature.args[1])
        function_type = context.call_conv.get_function_type(types.int64, args)
        callee = builder.inttoptr(values[0], function_type.as_pointer())
        unpacked = cgutils.unpack_tuple(builder, values[1])
        _, result = context.call_conv.call_function(builder, callee, types.int64, args, unpacked)
        return result

    return _function_type(lambda address, args: types.int64(types.int64, args), generate)


class _ArrayGroup(types.Type):
    """A group of arrays as kernels see it: where its part of a table starts; arrays are read when asked for."""

    def __init__(self, group: type) -> None:
        self.places = {}  # attribute -> word from the start, type
        for name, (at, part) in places_in(group)[0].items():
            inner = _group_type(part) if isinstance(part, type) else types.Array(getattr(types, part[0]), part[1], "C")
            self.places[name] = at, inner
        super().__init__(f"{group.__module__}.{group.__qualname__}")


_group_type = functools.cache(_ArrayGroup)


@register_model(_ArrayGroup)
class _GroupModel(models.PrimitiveModel):
    def __init__(self, manager: Any, group: _ArrayGroup) -> None:
        super().__init__(manager, group, ir.IntType(64))


@infer_getattr
class _GroupAttributes(AttributeTemplate):
    key = _ArrayGroup

    def generic_resolve(self, group: _ArrayGroup, name: str) -> Any:
        return group.places[name][1] if name in group.places else None


@lower_getattr_generic(_ArrayGroup)
def _part_of_group(context, builder, group, address, name):
    at, array_type = group.places[name]
    place = builder.add(address, context.get_constant(types.int64, 8 * at))
    if isinstance(array_type, _ArrayGroup):
        return place
    return builder.call(_array_reader(context, builder.module, array_type), [place])


def _array_reader(context, module, array_type):
    """Function of a module, inlined by LLVM: where a table describes an array -> the array."""
    word, value = context.get_value_type(types.intp), context.get_value_type(array_type)
    name = f"cosserat_array_{array_type.dtype}_{array_type.ndim}"
    reader = cgutils.get_or_insert_function(module, ir.FunctionType(value, [word]), name)
    if reader.blocks:
        return reader
    reader.linkage = "linkonce_odr"
    reader.attributes.add("alwaysinline")
    builder = ir.IRBuilder(reader.append_basic_block())
    table = builder.inttoptr(reader.args[0], word.as_pointer())
    words = []
    for i in range(1 + array_type.ndim):
        words.append(builder.load(builder.gep(table, [word(i)])))
        # nobody moves arrays while kernels run: what was read once need not be read again
        words[-1].set_metadata("invariant.load", module.add_metadata([]))
    strides = [word(8)]
    for extent in reversed(words[2:]):
        strides.insert(0, builder.mul(strides[0], extent))
    array = context.make_array(array_type)(context, builder)
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(words[0], context.get_data_type(array_type.dtype).as_pointer()),
        shape=cgutils.pack_array(builder, words[1:], word),
        strides=cgutils.pack_array(builder, strides, word),
        itemsize=word(8),
        meminfo=None,
    )
    builder.ret(array._getvalue())
    return reader


class _DigestLocator(_CacheLocator):
    """Where Numba would keep overloads: in `cache_directory()`, stamped with `source_digest()` of their folder.

    Numba notices an edit of the file that holds a kernel, but not of a callee in another file.
    """

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._name = kernel_name(py_func)
        self._folder = folder_of(py_file)
        self._line = py_func.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        """Nothing to do: `store.write` makes the folder."""

    def get_cache_path(self) -> str:
        return str(cache_directory(self._folder))

    def get_source_stamp(self) -> str:
        return source_digest(self._folder)

    def get_disambiguator(self) -> str:
        return f"{self._name}-{self._line}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _DigestLocator:
        return cls(py_func, py_file)


class _Overloads:
    """Compiled overloads of one function, one file each, in the place of Numba's index and data files.

    They are pickles, which run code when they are read: `store` looks at owner, rights and checksum before that.
    """

    def __init__(self, stem: Path) -> None:
        self._stem = stem

    def _path(self, key: Any) -> Path:
        return self._stem.with_name(f"{self._stem.name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.overload")

    def load(self, key: Any) -> Any:
        kept = store.read(self._path(key))
        try:
            return None if kept is None else pickle.loads(kept)
        except ImportError:  # the same function was in another module, which is no more
            return None

    def save(self, key: Any, data: Any) -> None:
        store.write(self._path(key), serialize.dumps(data))

    def flush(self) -> None:
        for path in self._stem.parent.glob(f"{self._stem.name}-*.overload"):
            path.unlink()


class _DigestCache(FunctionCache):
    class _impl_class(FunctionCache._impl_class):
        _locator_classes = (_DigestLocator,)

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        locator = self._impl.locator
        self._cache_file = _Overloads(Path(locator.get_cache_path()) / locator.get_disambiguator())


def cached_dispatcher(function: Callable[..., Any], **options: Any) -> Any:
    """Numba's handle of a function that Python calls directly, with Numba's cache; without reference counts, too."""
    compiled = numba.njit(error_model="numpy", no_cfunc_wrapper=True, _nrt=False, **options)(function)
    compiled._cache = _DigestCache(function)
    return compiled


def quick_dispatcher(function: Callable[..., Any], dimensions: tuple[int, ...], nogil: bool) -> Any:
    """The same, for writable C-contiguous arrays of doubles of these dimensions only."""
    compiled = cached_dispatcher(function, nogil=nogil)
    signature = tuple(types.Array(types.float64, n, "C") for n in dimensions)

    def compile_for(*args: Any, **kwargs: Any) -> Any:
        if [_plain_array(x) for x in args] != list(dimensions):
            raise TypeError(f"expected writable C-contiguous arrays of doubles of {dimensions} dimensions")
        return compiled.compile(signature)

    compiled._compile_for_args = compile_for
    with suppress(TypeError, NumbaError):  # once refused, swapped bytes are not taken for others that are not aligned
        compiled(*(np.zeros(n * (0,), ">f8") for n in dimensions))
    return compiled


def _plain_array(x: Any) -> int:
    """Number of dimensions of a writable C-contiguous array of doubles, -1 for anything else."""
    if not isinstance(x, np.ndarray) or x.dtype != np.float64:
        return -1
    return x.ndim if x.flags.c_contiguous and x.flags.writeable and x.flags.aligned else -1


def is_compiled(function: Any) -> bool:
    """Whether a user compiled a function with Numba."""
    return isinstance(function, Dispatcher)


def user_dispatcher(function: Callable[..., Any]) -> Any:
    """Numba's handle of a user's function: with Numba's runtime, as Numba compiles it."""
    return numba.njit(error_model="numpy")(function)


@overload(write_numbers)
def _write_numbers(given: Any, size: int, out: Any) -> Callable[..., None]:
    if isinstance(given, (types.UniTuple, types.Array)):
        return write_numbers

    def write(given: Any, size: int, out: Any) -> None:
        numbers = np.asarray(given)  # of a tuple with several types, which cannot be indexed by a variable
        for k in range(size):
            out[k] = numbers[k]

    return write


class _UserLocator(_DigestLocator):
    """The same for users' functions, named by the digest of what they are made of."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder, self._digest = py_func.__user__  # type: ignore[attr-defined]

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return f"user-{self._digest}"


class _UserCache(_DigestCache):
    class _impl_class(FunctionCache._impl_class):
        _locator_classes = (_UserLocator,)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._py_func.__user__  # Numba's own key changes with every process


def kept_dispatcher(function: Callable[..., Any], digest: str | None) -> Any:
    """The same for calls from Python, without the interpreter's lock; kept in the cache by its digest."""
    handle = numba.njit(error_model="numpy", nogil=True)(function)
    if digest is not None:
        function.__user__ = "", digest  # type: ignore[attr-defined]
        handle._cache = _UserCache(function)
    return handle


def user_address(function: Callable[..., Any], signature: str, folder: str, digest: str | None) -> tuple[int, Any]:
    """Address of a function compiled with Numba's runtime, and what owns its code; kept in the cache by its digest."""
    handle = numba.njit(error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
    if digest is not None:
        function.__user__ = folder, digest  # type: ignore[attr-defined]
        handle._cache = _UserCache(function)
    args = argument_types(signature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)  # of parts of small matrices
        handle.compile(args)
    result = handle.overloads[args]
    assert types.unliteral(result.signature.return_type) is types.int64, function
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name)), (handle, result.library)
