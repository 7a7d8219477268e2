"""Many states in one call: dynamics with `LANES` of them side by side, matrices one after the other.

All kernels release the GIL and return 1 if a number was not finite.
"""

import numpy as np

from cosserat.jit import helper, quick
from cosserat.jit.lanes import LANES, put
from cosserat.kernels.recursion.articulated import articulated_body
from cosserat.kernels.recursion.composite import composite_bodies
from cosserat.kernels.recursion.derivatives import divide, inverse_derivatives
from cosserat.kernels.recursion.hybrid import hybrid
from cosserat.kernels.recursion.link import fault
from cosserat.kernels.recursion.newton_euler import newton_euler
from cosserat.kernels.recursion.stacks import empty, fill
from cosserat.kernels.recursion.table import EFFORT, FORCES, N_V, WORK, WRENCH

LINE = 64  # bytes of a cache line


def workspace(table):
    """Rows of lanes for a call, each within one cache line: the workspace, then three arguments and two results."""
    n_v = int(table[N_V])
    rows = int(table[EFFORT]) + 6 * n_v
    room = np.empty(rows * LANES + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + rows * LANES].reshape(rows, LANES)


@helper
def _spread(table, work):
    """What never changes in the workspace, to all lanes."""
    begin = int(table[WORK])
    for k in range(int(table[EFFORT]) + int(table[N_V])):
        put(work, k, table[begin + k])


def _in_lanes(recursion):
    """A recursion over stacks of states."""

    @helper
    def sweep(table, q, v, x, forces, work, out):
        n_v, wrench = int(table[N_V]), int(table[WRENCH])
        at = int(table[EFFORT]) + n_v
        q_now, v_now = work[at : at + n_v], work[at + n_v : at + 2 * n_v]
        x_now, found = work[at + 2 * n_v : at + 3 * n_v], work[at + 3 * n_v : at + 4 * n_v]
        _spread(table, work)
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
def inverse_dynamics(table, q, v, a, forces, work, tau_out):
    """Efforts tau (N, n_v); forces (N, 6 n + n_v) are wrenches on links and efforts in joints, if there are any.

    `work` is a `workspace`.
    """
    return _newton_euler(table, q, v, a, forces, work, tau_out)


@quick(1, 2, 2, 2, 2, 2, 2, nogil=True)
def forward_dynamics(table, q, v, tau, forces, work, a_out):
    """Accelerations a (N, n_v); arguments as above."""
    return _articulated_body(table, q, v, tau, forces, work, a_out)


@quick(1, 2, 2, 1, 2, 2, 2, 2, 2, nogil=True)
def hybrid_dynamics(table, q, v, driven, given, forces, work, a_out, tau_out):
    """Accelerations and efforts (N, n_v), see `hybrid`; the same freedoms are driven in all states."""
    n_v, wrench = int(table[N_V]), int(table[WRENCH])
    at = int(table[EFFORT]) + n_v
    q_now, v_now = work[at : at + n_v], work[at + n_v : at + 2 * n_v]
    given_now, a_now = work[at + 2 * n_v : at + 3 * n_v], work[at + 3 * n_v : at + 4 * n_v]
    tau_now = work[at + 4 * n_v : at + 5 * n_v]
    _spread(table, work)
    bad = 0
    for first in range(0, q.shape[0], LANES):
        bad |= fill(q, first, q_now) | fill(v, first, v_now) | fill(given, first, given_now)
        if table[FORCES] != 0.0:
            fill(forces, first, work[wrench:])
        hybrid(table, q_now, v_now, driven, given_now, work, a_now, tau_now)
        empty(a_now, first, a_out)
        empty(tau_now, first, tau_out)
    return bad


@quick(1, 2, 3, nogil=True)
def mass_matrix(table, q, mass_out):
    """M (N, n_v, n_v), freedoms counted from link to link."""
    bad = 0
    for s in range(q.shape[0]):
        bad |= fault(int(table[N_V]), q[s], q[s], q[s], q[s])
        composite_bodies(table, q[s], mass_out[s])
    return bad


@quick(1, 2, 2, 2, 3, 3, 3, nogil=True)
def inverse_dynamics_derivatives(table, q, v, a, dq_out, dv_out, mass_out):
    """d tau/d q, d tau/d v, M (N, n_v, n_v), freedoms counted from link to link."""
    bad = 0
    for s in range(q.shape[0]):
        bad |= fault(int(table[N_V]), q[s], v[s], a[s], q[s])
        inverse_derivatives(table, q[s], v[s], a[s], dq_out[s], dv_out[s], mass_out[s])
    return bad


@quick(3, 3, 3, 3, nogil=True)
def divide_by_mass(scratch, dq, dv, mass):
    """d a/d q, d a/d v, M^-1 (N, n_v, n_v) in place of d tau/d q, d tau/d v, M; scratch (3, n_v, n_v)."""
    for s in range(dq.shape[0]):
        for i in range(dq.shape[1]):
            for j in range(dq.shape[1]):
                scratch[0, i, j], scratch[1, i, j], scratch[2, i, j] = dq[s, i, j], dv[s, i, j], mass[s, i, j]
        divide(scratch, dq[s], dv[s], mass[s])
    return 0
