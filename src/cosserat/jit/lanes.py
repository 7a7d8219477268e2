"""Several states side by side: a vector of `LANES` doubles with the arithmetic of one double.

`get(array, i)` is a double where the array has one dimension and a vector where it has two (rows of `LANES`), so that
one text of a recursion is compiled for a single state and for states in lanes. With the compiler off a vector is a row
of a NumPy array. In lanes a product and a sum may be fused, so that the last bits differ from those of a single state.
"""

import operator

import numba
from llvmlite import ir
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

LANES = 4


class LanesType(numba.types.Type):
    """`LANES` doubles in one register."""

    def __init__(self) -> None:
        super().__init__(name=f"lanes{LANES}")


lanes_type = LanesType()
DOUBLE = ir.DoubleType()
VECTOR = ir.VectorType(DOUBLE, LANES)
QUARTERS = ir.VectorType(ir.IntType(64), LANES)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


def _broadcast(builder, value):
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), zeros)


def _define(symbol, instruction):
    """Arithmetic of two vectors, or of a vector and a double on either side."""

    @type_callable(symbol)
    def resolve(context):
        def typed(a, b):
            if LanesType in (type(a), type(b)) and all(isinstance(x, (LanesType, numba.types.Float)) for x in (a, b)):
                return lanes_type
            return None

        return typed

    for left in (LanesType, numba.types.Float):
        for right in (LanesType, numba.types.Float):
            if LanesType in (left, right):

                @lower_builtin(symbol, left, right)
                def lower(context, builder, signature, values):
                    wide = [
                        x if isinstance(kind, LanesType) else _broadcast(builder, x)
                        for x, kind in zip(values, signature.args, strict=True)
                    ]
                    return getattr(builder, instruction)(*wide, flags=("contract",))


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_symbol, _instruction)


@type_callable(operator.neg)
def _type_negative(context):
    return lambda a: lanes_type if isinstance(a, LanesType) else None


@lower_builtin(operator.neg, LanesType)
def _lower_negative(context, builder, signature, values):
    return builder.fneg(values[0])


@intrinsic
def load(typing_context, array, i):
    """Row i."""

    def generate(context, builder, signature, values):
        return builder.load(_row(context, builder, signature, values), align=8)

    return lanes_type(array, i), generate


@intrinsic
def store(typing_context, array, i, x):
    """Write row i."""

    def generate(context, builder, signature, values):
        builder.store(values[2], _row(context, builder, signature, values), align=8)
        return context.get_dummy_value()

    return numba.types.void(array, i, x), generate


def _row(context, builder, signature, values):
    array = context.make_array(signature.args[0])(context, builder, values[0])
    at = builder.mul(context.cast(builder, values[1], signature.args[1], numba.types.intp), ir.IntType(64)(LANES))
    return builder.bitcast(builder.gep(array.data, [at]), VECTOR.as_pointer())


@intrinsic
def wide(typing_context, x):
    """A number in all lanes."""

    def generate(context, builder, signature, values):
        return _broadcast(builder, values[0])

    return lanes_type(x), generate


def get(array, i):
    """Number i of a one-dimensional array, row i of a two-dimensional one."""
    return 1.0 * array[i]  # a copy: a row may be written while its old value is in use


def put(array_out, i, x):
    """Write what `get` reads."""
    array_out[i] = x


def like(x, reference):
    """A double as wide as a reference."""
    return x


@overload(like)
def _like(x, reference):
    if isinstance(reference, LanesType):
        return lambda x, reference: wide(x)
    return lambda x, reference: x


@overload(get)
def _get(array, i):
    if array.ndim == 1:
        return lambda array, i: array[i]
    return lambda array, i: load(array, i)


@overload(put)
def _put(array_out, i, x):
    if array_out.ndim == 1:

        def one(array_out, i, x):
            array_out[i] = x

        return one
    if isinstance(x, LanesType):
        return lambda array_out, i, x: store(array_out, i, x)
    return lambda array_out, i, x: store(array_out, i, wide(x))
