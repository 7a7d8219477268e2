"""Inverse and forward dynamics of many states, `LANES` of them side by side."""

import math

import numpy as np

from cosserat.jit import helper, kernel
from cosserat.kernels.recursion.articulated import articulated_body
from cosserat.kernels.recursion.lanes import LANES
from cosserat.kernels.recursion.newton_euler import newton_euler
from cosserat.kernels.recursion.table import FORCES, N_LINKS, N_V, W_ROW


@helper
def _fill(states, first, lanes_out):
    """States first, first + 1, ... into the lanes; beyond the last state the last is repeated. 1 if not all finite."""
    bad = 0
    if first + LANES <= states.shape[0]:
        for c in range(states.shape[1]):
            for k in range(LANES):
                x = states[first + k, c]
                bad |= int(not abs(x) < math.inf)
                lanes_out[c, k] = x
        return bad
    for k in range(LANES):
        i = min(first + k, states.shape[0] - 1)
        for c in range(states.shape[1]):
            bad |= int(not abs(states[i, c]) < math.inf)
            lanes_out[c, k] = states[i, c]
    return bad


@helper
def _empty(lanes, first, states_out):
    """The lanes back into states."""
    for k in range(min(LANES, states_out.shape[0] - first)):
        for c in range(states_out.shape[1]):
            states_out[first + k, c] = lanes[c, k]


@kernel
def inverse_dynamics_batch(table, q, v, a, wrench, effort, tau_out):
    """Efforts tau (N, n_v); wrench (N, 6 n) and effort (N, n_v) are the model's own forces, if it has any.

    Returns 1 if a number was not finite.
    """
    n, n_v = int(table[N_LINKS]), int(table[N_V])
    state = np.empty((4, n_v, LANES))
    work = np.empty((n * W_ROW + 2 * n_v, LANES))
    pulls, efforts = np.empty((6 * n, LANES)), np.empty((n_v, LANES))
    bad = 0
    for first in range(0, q.shape[0], LANES):
        bad |= _fill(q, first, state[0]) | _fill(v, first, state[1]) | _fill(a, first, state[2])
        if table[FORCES] != 0.0:
            _fill(wrench, first, pulls)
            _fill(effort, first, efforts)
        newton_euler(table, state[0], state[1], state[2], work, pulls, efforts, state[3])
        _empty(state[3], first, tau_out)
    return bad


@kernel
def forward_dynamics_batch(table, q, v, tau, wrench, effort, a_out):
    """Accelerations a (N, n_v); arguments as above."""
    n, n_v = int(table[N_LINKS]), int(table[N_V])
    state = np.empty((4, n_v, LANES))
    work = np.empty((n * W_ROW + 2 * n_v, LANES))
    pulls, efforts = np.empty((6 * n, LANES)), np.empty((n_v, LANES))
    bad = 0
    for first in range(0, q.shape[0], LANES):
        bad |= _fill(q, first, state[0]) | _fill(v, first, state[1]) | _fill(tau, first, state[2])
        if table[FORCES] != 0.0:
            _fill(wrench, first, pulls)
            _fill(effort, first, efforts)
        articulated_body(table, state[0], state[1], state[2], work, pulls, efforts, state[3])
        _empty(state[3], first, a_out)
    return bad
