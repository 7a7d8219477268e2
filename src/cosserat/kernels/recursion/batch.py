"""Inverse and forward dynamics of many states, `LANES` of them side by side."""

import numpy as np

from cosserat.jit import helper, quick
from cosserat.kernels.recursion.articulated import articulated_body
from cosserat.kernels.recursion.lanes import LANES
from cosserat.kernels.recursion.newton_euler import newton_euler
from cosserat.kernels.recursion.stacks import empty, fill
from cosserat.kernels.recursion.table import EFFORT, FORCES, N_V, WORK, WRENCH

LINE = 64  # bytes of a cache line


def workspace(table):
    """Rows of lanes for a call, each within one cache line: the workspace, then three arguments and a result."""
    n_v = int(table[N_V])
    rows = int(table[EFFORT]) + 5 * n_v
    room = np.empty(rows * LANES + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + rows * LANES].reshape(rows, LANES)


def _in_lanes(recursion):
    """A recursion over stacks of states."""

    @helper
    def sweep(table, q, v, x, forces, work, out):
        n_v, begin, wrench = int(table[N_V]), int(table[WORK]), int(table[WRENCH])
        size = int(table[EFFORT]) + n_v
        for k in range(size):
            for c in range(LANES):
                work[k, c] = table[begin + k]
        q_now, v_now = work[size : size + n_v], work[size + n_v : size + 2 * n_v]
        x_now, found = work[size + 2 * n_v : size + 3 * n_v], work[size + 3 * n_v : size + 4 * n_v]
        bad = 0
        for first in range(0, q.shape[0], LANES):
            bad |= fill(q, first, q_now) | fill(v, first, v_now) | fill(x, first, x_now)
            if table[FORCES] != 0.0:
                fill(forces, first, work[wrench:])
            recursion(table, q_now, v_now, x_now, work, found)
            empty(found, first, out)
        return bad

    return sweep


_newton_euler, _articulated_body = _in_lanes(newton_euler), _in_lanes(articulated_body)


@quick(1, 2, 2, 2, 2, 2, 2, nogil=True)
def inverse_dynamics_batch(table, q, v, a, forces, work, tau_out):
    """Efforts tau (N, n_v); forces (N, 6 n + n_v) are the model's own wrenches and efforts, if it has any.

    `work` is a `workspace`. Returns 1 if a number was not finite.
    """
    return _newton_euler(table, q, v, a, forces, work, tau_out)


@quick(1, 2, 2, 2, 2, 2, 2, nogil=True)
def forward_dynamics_batch(table, q, v, tau, forces, work, a_out):
    """Accelerations a (N, n_v); arguments as above."""
    return _articulated_body(table, q, v, tau, forces, work, a_out)
