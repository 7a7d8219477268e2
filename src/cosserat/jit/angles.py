"""Sines and cosines of angles, single or in lanes, and of the angles of rotation vectors."""

import math

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, overload

from cosserat.jit import inlined
from cosserat.jit.lanes import LANES, QUARTERS, VECTOR, LanesType, lanes_type, load

ROUND = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to the nearest integer
TWO_OVER_PI = 2.0 / math.pi
PI_A, PI_B, PI_C = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
TINY = 1e-300  # a square whose root is an angle that equals its sine
FAR = 1e5  # beyond, the three parts of pi/2 no longer reduce the angle to the last bit


@intrinsic
def _lane(typing_context, x, k):
    def generate(context, builder, signature, values):
        return builder.extract_element(values[0], values[1])

    return numba.types.float64(x, numba.types.int64), generate


@intrinsic
def _with_lane(typing_context, x, k, value):
    def generate(context, builder, signature, values):
        return builder.insert_element(values[0], values[2], values[1])

    return lanes_type(x, numba.types.int64, value), generate


@intrinsic
def _swap_odd(typing_context, s, c, shifted):
    """Sine and cosine of the full angle from those of the rest and from `shifted` = quarters + ROUND."""

    def generate(context, builder, signature, values):
        s, c, shifted = values
        bits = builder.bitcast(shifted, QUARTERS)
        one, two = (ir.Constant(QUARTERS, [k] * LANES) for k in (1, 2))
        zero = ir.Constant(QUARTERS, [0] * LANES)
        odd = builder.icmp_unsigned("!=", builder.and_(bits, one), zero)
        sine, cosine = builder.select(odd, c, s), builder.select(odd, s, c)
        by = ir.Constant(QUARTERS, [62] * LANES)
        flip_s = builder.shl(builder.and_(bits, two), by)
        flip_c = builder.shl(builder.and_(builder.add(bits, one), two), by)

        def flipped(value, sign):
            return builder.bitcast(builder.xor(builder.bitcast(value, QUARTERS), sign), VECTOR)

        pair = numba.types.UniTuple(lanes_type, 2)
        return context.make_tuple(builder, pair, (flipped(sine, flip_s), flipped(cosine, flip_c)))

    return numba.types.UniTuple(lanes_type, 2)(s, c, shifted), generate


@intrinsic
def any_far(typing_context, x):
    """Whether a lane is not below `FAR` in magnitude."""

    def generate(context, builder, signature, values):
        mask = ir.Constant(QUARTERS, [2**63 - 1] * LANES)
        size = builder.bitcast(builder.and_(builder.bitcast(values[0], QUARTERS), mask), VECTOR)
        far = builder.fcmp_unordered(">=", size, ir.Constant(VECTOR, [FAR] * LANES))
        return builder.icmp_unsigned("!=", builder.bitcast(far, ir.IntType(LANES)), ir.IntType(LANES)(0))

    return numba.types.boolean(x), generate


@intrinsic
def _root(typing_context, x):
    """Square root of what is at least `TINY`."""

    def generate(context, builder, signature, values):
        least = ir.Constant(VECTOR, [TINY] * LANES)
        x = builder.select(builder.fcmp_unordered(">", values[0], least), values[0], least)
        root = ir.FunctionType(VECTOR, (VECTOR,))
        return builder.call(cgutils.get_or_insert_function(builder.module, root, f"llvm.sqrt.v{LANES}f64"), [x])

    return lanes_type(x), generate


@inlined
def sine_cosine_rest(r):
    """sin and cos of an angle in [-pi/4, pi/4]; minimax polynomials, about one unit in the last place."""
    z = r * r
    s = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8
    s = s * z + 2.75573136213857245213e-6
    s = s * z - 1.98412698295895385996e-4
    s = s * z + 8.33333333332211858878e-3
    s = s * z - 1.66666666666666307295e-1
    c = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9
    c = c * z - 2.75573141792967388112e-7
    c = c * z + 2.48015872888517045348e-5
    c = c * z - 1.38888888888730564116e-3
    c = c * z + 4.16666666666665929218e-2
    return r + r * z * s, 1.0 - 0.5 * z + z * z * c


@inlined
def sine_cosine(x):
    """Sine and cosine of an angle below `FAR`, without a branch, so that a loop over angles is vectorised."""
    n = (x * TWO_OVER_PI + ROUND) - ROUND
    s, c = sine_cosine_rest(((x - n * PI_A) - n * PI_B) - n * PI_C)
    quarters = int(n)
    sine = c if quarters & 1 else s
    cosine = s if quarters & 1 else c
    return sine * (1.0 - (quarters & 2)), cosine * (1.0 - ((quarters + 1) & 2))


@inlined
def _sine_cosine_lanes(x):
    """The same for lanes."""
    shifted = x * TWO_OVER_PI + ROUND
    n = shifted - ROUND
    s, c = sine_cosine_rest(((x - n * PI_A) - n * PI_B) - n * PI_C)
    return _swap_odd(s, c, shifted)


def prepare_angles(q, n, work_out, at):
    """For single states: sines of the first n angles to work_out[at:], their cosines after them."""


@overload(prepare_angles)
def _prepare_angles(q, n, work_out, at):
    def narrow(q, n, work_out, at):
        for i in range(n):
            s, c = sine_cosine(q[i])
            work_out[at + i] = s
            work_out[at + n + i] = c
        for i in range(n):
            if not abs(q[i]) < FAR:
                work_out[at + i] = math.sin(q[i])
                work_out[at + n + i] = math.cos(q[i])

    def side_by_side(q, n, work_out, at):
        pass  # states are side by side already

    return narrow if q.ndim == 1 else side_by_side


def angle(q, k, n, work, at):
    """Sine and cosine of angle k, which were prepared."""
    return np.sin(q[k]), np.cos(q[k])


@overload(angle)
def _angle(q, k, n, work, at):
    def narrow(q, k, n, work, at):
        return work[at + k], work[at + n + k]

    def side_by_side(q, k, n, work, at):
        return _all_sines_cosines(load(q, k))

    return narrow if q.ndim == 1 else side_by_side


@inlined
def _all_sines_cosines(x):
    """Sines and cosines of lanes of any size."""
    s, c = _sine_cosine_lanes(x)
    if any_far(x):
        for k in range(LANES):
            s, c = _with_lane(s, k, math.sin(_lane(x, k))), _with_lane(c, k, math.cos(_lane(x, k)))
    return s, c


def half_turn(square):
    """sin(h) / h and cos(h) of half an angle, from the square of the angle."""
    h = np.sqrt(np.maximum(0.25 * square, TINY))
    return np.sin(h) / h, np.cos(h)


@overload(half_turn)
def _half_turn(square):
    def narrow(square):
        h = math.sqrt(max(0.25 * square, TINY))
        return math.sin(h) / h, math.cos(h)

    def side_by_side(square):
        h = _root(0.25 * square)
        s, c = _all_sines_cosines(h)
        return s / h, c

    return side_by_side if isinstance(square, LanesType) else narrow
