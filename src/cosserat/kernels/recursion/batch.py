"""Inverse and forward dynamics of many states, `LANES` of them side by side."""

import numpy as np

from cosserat.jit import helper, kernel
from cosserat.kernels.recursion.articulated import articulated_body
from cosserat.kernels.recursion.lanes import LANES
from cosserat.kernels.recursion.newton_euler import newton_euler
from cosserat.kernels.recursion.stacks import empty, fill
from cosserat.kernels.recursion.table import EFFORT, FORCES, N_V, WORK, WRENCH


def _in_lanes(recursion):
    """A recursion over stacks of states; returns 1 if a number was not finite."""

    @helper
    def sweep(table, q, v, x, forces, out):
        n_v, begin, wrench = int(table[N_V]), int(table[WORK]), int(table[WRENCH])
        size = int(table[EFFORT]) + n_v
        work = np.empty((size, LANES))
        for k in range(size):
            for c in range(LANES):
                work[k, c] = table[begin + k]
        pulls = work[wrench:]
        q_now, v_now = np.empty((n_v, LANES)), np.empty((n_v, LANES))
        x_now, found = np.empty((n_v, LANES)), np.empty((n_v, LANES))
        bad = 0
        for first in range(0, q.shape[0], LANES):
            bad |= fill(q, first, q_now) | fill(v, first, v_now) | fill(x, first, x_now)
            if table[FORCES] != 0.0:
                fill(forces, first, pulls)
            recursion(table, q_now, v_now, x_now, work, found)
            empty(found, first, out)
        return bad

    return sweep


_newton_euler, _articulated_body = _in_lanes(newton_euler), _in_lanes(articulated_body)


@kernel
def inverse_dynamics_batch(table, q, v, a, forces, tau_out):
    """Efforts tau (N, n_v); forces (N, 6 n + n_v) are the model's own wrenches and efforts, if it has any.

    Returns 1 if a number was not finite.
    """
    return _newton_euler(table, q, v, a, forces, tau_out)


@kernel
def forward_dynamics_batch(table, q, v, tau, forces, a_out):
    """Accelerations a (N, n_v); arguments as above."""
    return _articulated_body(table, q, v, tau, forces, a_out)
