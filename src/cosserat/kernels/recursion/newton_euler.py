"""Inverse dynamics by the recursive Newton-Euler algorithm, in the links' own frames.

Linear velocities are not needed: with the acceleration x of the link's origin, its angular velocity w and acceleration
y, the inertia forces are f = m x + y x h + w x (w x h) and t = J y + w x J w + h x x (h: first moment).
Apart from `flexible.inverse` for speed: half of its time, and several states side by side.
Source: [Boyer05] (64)-(66) without modes; Luh, Walker, Paul, J. Dyn. Sys. Meas. Control 102 (1980).
"""

from cosserat.jit import inlined, quick
from cosserat.jit.lanes import get, put
from cosserat.kernels.recursion.link import (
    add_pair,
    fault,
    get3,
    get_frame,
    get_pair,
    link_of,
    outward,
    own_inertia,
    put3,
    put_effort,
    put_pair,
    turn_links,
)
from cosserat.kernels.recursion.table import (
    ABOVE,
    EFFORT,
    FORCES,
    N_LINKS,
    N_V,
    REVOLUTE,
    SCREW,
    SLIDE,
    SPHERICAL,
    TURN,
    W_ACCELERATION,
    W_FORCE,
    W_FRAME,
    W_TWIST,
    WORK,
    WRENCH,
)
from cosserat.kernels.vectors import add, cross, mul_t, sub, symmetric


@inlined
def newton_euler(table, q, v, a, work, tau_out):
    """tau = M(q) a + h(q, v) less the model's own forces: wrenches on links and efforts in joints, if it has any."""
    turn_links(table, q, work)
    forced = table[FORCES] != 0.0
    wrench, effort = int(table[WRENCH]), int(table[EFFORT])
    n = int(table[N_LINKS])
    for i in range(n):
        row, at, kind, _, k = link_of(table, i)
        above = int(table[row + ABOVE])
        R, p = get_frame(work, at + W_FRAME)
        w, y = get3(work, above + W_TWIST + 3), get3(work, above + W_ACCELERATION + 3)
        x = add(add(get3(work, above + W_ACCELERATION), cross(y, p)), cross(w, cross(w, p)))
        w, x, y = mul_t(R, w), mul_t(R, x), mul_t(R, y)
        if kind == REVOLUTE:
            rate = get(v, k)
            y = (y[0] + rate * w[1], y[1] - rate * w[0], y[2] + get(a, k))
            w = (w[0], w[1], w[2] + rate)
        elif kind == SCREW:
            slide, turn = table[row + SLIDE] * get(v, k), table[row + TURN] * get(v, k)
            x = (x[0] + 2.0 * (slide * w[1]), x[1] - 2.0 * (slide * w[0]), x[2] + table[row + SLIDE] * get(a, k))
            y = (y[0] + turn * w[1], y[1] - turn * w[0], y[2] + table[row + TURN] * get(a, k))
            w = (w[0], w[1], w[2] + turn)
        else:
            turns, spins = get3(v, k), get3(a, k)
            if kind != SPHERICAL:
                slides, turns, spins = turns, get3(v, k + 3), get3(a, k + 3)
                x = add(add(x, get3(a, k)), cross(add(add(w, w), turns), slides))
            y = add(add(y, cross(w, turns)), spins)
            w = add(w, turns)
        m, h, J = own_inertia(table, row)
        f = add((m * x[0], m * x[1], m * x[2]), add(cross(y, h), cross(w, cross(w, h))))
        t = add(add(symmetric(J, y), cross(w, symmetric(J, w))), cross(h, x))
        if forced:
            f, t = sub(f, get3(work, wrench + 6 * i)), sub(t, get3(work, wrench + 6 * i + 3))
        put3(work, at + W_TWIST + 3, w)
        put_pair(work, at + W_ACCELERATION, x, y)
        put_pair(work, at + W_FORCE, f, t)
    for j in range(n):
        row, at, kind, parent, k = link_of(table, n - 1 - j)
        f, t = get_pair(work, at + W_FORCE)
        put_effort(table, row, kind, k, f, t, a, tau_out)
        if parent >= 0:
            above = int(table[row + ABOVE])
            R, p = get_frame(work, at + W_FRAME)
            f, t = outward(R, p, f, t)
            add_pair(work, above + W_FORCE, f, t)
    if forced:
        for k in range(int(table[N_V])):
            put(tau_out, k, get(tau_out, k) - get(work, effort + k))


@quick(1, 1, 1, 1, 1)
def inverse_dynamics(table, q, v, a, tau_out):
    """Efforts tau (n_v,) of one state; returns 1 if a vector has a wrong size or is not finite."""
    if fault(int(table[N_V]), q, v, a, tau_out) != 0:
        return 1
    newton_euler(table, q, v, a, table[int(table[WORK]) :], tau_out)
    return 0
