"""Stacks of states, one row each, turned into lanes and back."""

import math

import numba
from llvmlite import ir
from numba.extending import intrinsic, overload

from cosserat.jit import helper
from cosserat.jit.angles import any_far
from cosserat.jit.lanes import LANES, VECTOR, lanes_type, load, store, wide


@intrinsic
def peek(typing_context, states, i, c):
    """Numbers c, c + 1, ... of row i."""

    def generate(context, builder, signature, values):
        return builder.load(_at(context, builder, signature, values), align=8)

    return lanes_type(states, i, c), generate


@intrinsic
def poke(typing_context, states, i, c, x):
    """Write them."""

    def generate(context, builder, signature, values):
        builder.store(values[3], _at(context, builder, signature, values), align=8)
        return context.get_dummy_value()

    return numba.types.void(states, i, c, x), generate


def _at(context, builder, signature, values):
    array = context.make_array(signature.args[0])(context, builder, values[0])
    i, c = (context.cast(builder, values[k], signature.args[k], numba.types.intp) for k in (1, 2))
    width = builder.extract_value(array.shape, 1)
    return builder.bitcast(builder.gep(array.data, [builder.add(builder.mul(i, width), c)]), VECTOR.as_pointer())


@intrinsic
def _turned(typing_context, a, b, c, d):
    """Rows of a 4 x 4 matrix from its columns."""

    def generate(context, builder, signature, values):
        def picked(x, y, *which):
            return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), LANES), list(which)))

        a, b, c, d = values
        e, f = picked(a, b, 0, 4, 2, 6), picked(a, b, 1, 5, 3, 7)
        g, h = picked(c, d, 0, 4, 2, 6), picked(c, d, 1, 5, 3, 7)
        rows = [picked(x, y, *which) for which in ((0, 1, 4, 5), (2, 3, 6, 7)) for x, y in ((e, g), (f, h))]
        return context.make_tuple(builder, signature.return_type, rows)

    return numba.types.UniTuple(lanes_type, LANES)(a, b, c, d), generate


def fill(states, first, lanes_out):
    """States first, first + 1, ... into the lanes; beyond the last state the last is repeated. 1 if not all finite."""
    last = states.shape[0] - 1
    bad = 0
    for k in range(LANES):
        i = min(first + k, last)
        for c in range(states.shape[1]):
            bad |= int(not abs(states[i, c]) < math.inf)
            lanes_out[c, k] = states[i, c]
    return bad


def empty(lanes, first, states_out):
    """The lanes back into states."""
    for k in range(min(LANES, states_out.shape[0] - first)):
        for c in range(states_out.shape[1]):
            states_out[first + k, c] = lanes[c, k]


_fill_one_by_one, _empty_one_by_one = helper(fill), helper(empty)


@overload(fill)
def _fill(states, first, lanes_out):
    def blocks(states, first, lanes_out):
        n, last = states.shape[1], states.shape[0] - 1
        if n < LANES:
            return _fill_one_by_one(states, first, lanes_out)
        i, j, k, l = first, min(first + 1, last), min(first + 2, last), min(first + 3, last)
        rest = wide(0.0)
        at = 0
        while at < n:
            at = min(at, n - LANES)
            w, x, y, z = _turned(peek(states, i, at), peek(states, j, at), peek(states, k, at), peek(states, l, at))
            store(lanes_out, at, w)
            store(lanes_out, at + 1, x)
            store(lanes_out, at + 2, y)
            store(lanes_out, at + 3, z)
            rest = rest + 0.0 * w + 0.0 * x + 0.0 * y + 0.0 * z  # zero, or not a number
            at += LANES
        return int(any_far(rest))

    return blocks


@overload(empty)
def _empty(lanes, first, states_out):
    def blocks(lanes, first, states_out):
        n = states_out.shape[1]
        if n < LANES or first + LANES > states_out.shape[0]:
            _empty_one_by_one(lanes, first, states_out)
            return
        at = 0
        while at < n:
            at = min(at, n - LANES)
            w, x, y, z = _turned(load(lanes, at), load(lanes, at + 1), load(lanes, at + 2), load(lanes, at + 3))
            poke(states_out, first, at, w)
            poke(states_out, first + 1, at, x)
            poke(states_out, first + 2, at, y)
            poke(states_out, first + 3, at, z)
            at += LANES

    return blocks
