"""Steps of compiled equations: accelerations, Runge-Kutta on the group, and the way back to constraints.

Rotations R of spherical and free joints are stepped in R exp(u) (with a reversed joint, exp(-u) R), u' = T(u)^-1 omega:
the method of Munthe-Kaas, fourth order. All are plain functions, which `jit.keep_user` compiles for the equations of
each model, and keeps between processes.
"""

# mypy: allow-untyped-defs, disable-error-code="misc"

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cosserat.lie.coefficients import cotc, sinc


class Loops(NamedTuple):
    """Compiled functions of one model."""

    accelerate: Any
    step: Any
    move: Any


def solve_positive(M, x):
    """Overwrite x with M^-1 x and M with its Cholesky factor; 1 if M is not positive definite."""
    n = len(x)
    for j in range(n):
        d = M[j, j]
        for k in range(j):
            d -= M[j, k] * M[j, k]
        if not d > 0.0:
            return 1
        d = math.sqrt(d)
        M[j, j] = d
        for i in range(j + 1, n):
            s = M[i, j]
            for k in range(j):
                s -= M[i, k] * M[j, k]
            M[i, j] = s / d
    substitute(M, x)
    return 0


def substitute(F, x):
    """Overwrite x with (F F^T)^-1 x."""
    n = len(x)
    for i in range(n):
        for k in range(i):
            x[i] -= F[i, k] * x[k]
        x[i] /= F[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= F[k, i] * x[k]
        x[i] /= F[i, i]


def least_change(A, F, wanted):
    """The least x in the metric of F F^T with A x = wanted; not numbers where A or `wanted` are none."""
    carried = A.copy()
    for k in range(len(A)):
        substitute(F, carried[k])
    reduced = A @ carried.T
    if not np.isfinite(reduced).all() or not np.isfinite(wanted).all():
        return np.full(A.shape[1], np.nan)
    return np.linalg.lstsq(reduced, wanted, 1e-10)[0] @ carried


def turned(q, at, sign, u):
    """Write log(exp(w) exp(u)), or log(exp(-u) exp(w)), over the rotation vector w at q[at:]."""
    a = _quaternion(q[at], q[at + 1], q[at + 2])
    b = _quaternion(sign * u[at], sign * u[at + 1], sign * u[at + 2])
    s, o = (a, b) if sign > 0.0 else (b, a)
    e0 = s[0] * o[0] - s[1] * o[1] - s[2] * o[2] - s[3] * o[3]
    e1 = s[0] * o[1] + o[0] * s[1] + s[2] * o[3] - s[3] * o[2]
    e2 = s[0] * o[2] + o[0] * s[2] + s[3] * o[1] - s[1] * o[3]
    e3 = s[0] * o[3] + o[0] * s[3] + s[1] * o[2] - s[2] * o[1]
    if e0 < 0.0:
        e0, e1, e2, e3 = -e0, -e1, -e2, -e3
    size = math.sqrt(e1 * e1 + e2 * e2 + e3 * e3)
    factor = 2.0 * math.atan2(size, e0) / size if size > 1e-9 else 2.0
    q[at], q[at + 1], q[at + 2] = factor * e1, factor * e2, factor * e3


def _quaternion(x, y, z):
    square = x * x + y * y + z * z
    s = 0.5 * sinc(0.25 * square)
    return math.cos(0.5 * math.sqrt(square)), s * x, s * y, s * z


def moved(q, u, balls, q_out):
    """q + u, and on the group where there are rotations."""
    q_out[:] = q + u
    for i in range(len(balls)):
        at = int(balls[i, 0])
        q_out[at : at + 3] = q[at : at + 3]
        turned(q_out, at, balls[i, 1], u)


def local_rates(rate, v, u, balls):
    """Overwrite rates of coordinates by those of u where there are rotations: w + u x w/2 + c u x (u x w)."""
    for i in range(len(balls)):
        at = int(balls[i, 0])
        u0, u1, u2 = u[at], u[at + 1], u[at + 2]
        w0, w1, w2 = v[at], v[at + 1], v[at + 2]
        c = cotc(u0 * u0 + u1 * u1 + u2 * u2)
        a0, a1, a2 = u1 * w2 - u2 * w1, u2 * w0 - u0 * w2, u0 * w1 - u1 * w0
        rate[at] = w0 + 0.5 * a0 + c * (u1 * a2 - u2 * a1)
        rate[at + 1] = w1 + 0.5 * a1 + c * (u2 * a0 - u0 * a2)
        rate[at + 2] = w2 + 0.5 * a2 + c * (u0 * a1 - u1 * a0)


def loops(functions: dict[str, Any], n: int, m: int) -> Loops:
    """Functions for equations with n coordinates and m constraints."""
    system, rates = functions["system"], functions["rates"]
    rows = functions.get("rows")

    def accelerate(t, q, v, tau, p, u, M, h, a_out):
        system(t, q, v, p, u, M, h)
        for i in range(n):
            a_out[i] = tau[i] - h[i]
        bad = solve_positive(M, a_out)
        for i in range(n):
            if not math.isfinite(a_out[i]):
                bad = 1
        return bad

    if m:

        def constrained(t, q, v, tau, p, u, M, h, a_out):
            bad = accelerate(t, q, v, tau, p, u, M, h, a_out)
            A, b, drift, gap = np.empty((m, n)), np.empty(m), np.empty(m), np.empty(m)
            rows(t, q, v, p, u, A, b, drift, gap)
            a_out += least_change(A, M, -b - A @ a_out)
            return bad if np.isfinite(a_out).all() else bad + 1

        def project(t, q, v, p, u, balls, periods, free, M, h):
            A, b, drift, gap = np.empty((m, n)), np.empty(m), np.empty(m), np.empty(m)
            zero, change, still = np.zeros(n), np.empty(n), np.empty(n)
            rates(t, q, zero, p, u, still)
            worst = 0.0
            for attempt in range(7):
                rows(t, q, v, p, u, A, b, drift, gap)
                worst = 0.0
                for k in range(m):
                    if periods[k] != 0.0:
                        gap[k] -= periods[k] * np.round(gap[k] / periods[k])
                    worst = max(worst, abs(gap[k]))
                if worst < 1e-14 or attempt == 6:
                    break
                system(t, q, v, p, u, M, h)
                solve_positive(M, h)
                twist = least_change(A[~free], M, -gap[~free])
                if not np.isfinite(twist).all():
                    return np.nan
                rates(t, q, twist, p, u, change)  # coordinates of a free body are not in the axes of its twist
                change -= still
                local_rates(change, twist, zero, balls)
                moved(q.copy(), change, balls, q)
            system(t, q, v, p, u, M, h)
            solve_positive(M, h)
            v += least_change(A, M, -drift - A @ v)
            return worst if np.isfinite(v).all() else np.nan

        slope = constrained
    else:
        slope = accelerate

        def project(t, q, v, p, u, balls, periods, free, M, h):
            return 0.0

    def stage(t, q0, v0, tau, p, u, balls, du, dv, M, h, q, v, rate_out, a_out):
        """Rates of the local coordinates and of the velocities at q0 moved by du, v0 + dv."""
        moved(q0, du, balls, q)
        v[:] = v0 + dv
        rates(t, q, v, p, u, rate_out)
        local_rates(rate_out, v, du, balls)
        return slope(t, q, v, tau, p, u, M, h, a_out)

    def step(t, dt, q0, v0, tau, p, u, balls, periods, free, q_out, v_out):
        """One step of Runge-Kutta; `u` are inputs at its start, middle and end. Negative if there is no state."""
        M, h, q, v = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
        k, a = np.empty((4, n)), np.empty((4, n))
        zero = np.zeros(n)
        bad = stage(t, q0, v0, tau, p, u[0], balls, zero, zero, M, h, q, v, k[0], a[0])
        bad += stage(t + dt / 2, q0, v0, tau, p, u[1], balls, dt / 2 * k[0], dt / 2 * a[0], M, h, q, v, k[1], a[1])
        bad += stage(t + dt / 2, q0, v0, tau, p, u[1], balls, dt / 2 * k[1], dt / 2 * a[1], M, h, q, v, k[2], a[2])
        bad += stage(t + dt, q0, v0, tau, p, u[2], balls, dt * k[2], dt * a[2], M, h, q, v, k[3], a[3])
        moved(q0, dt / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]), balls, q_out)
        v_out[:] = v0 + dt / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3])
        gap = project(t + dt, q_out, v_out, p, u[2], balls, periods, free, M, h)
        if bad or not 0.0 <= gap <= 1e-8 or not np.isfinite(q_out).all() or not np.isfinite(v_out).all():
            return -1.0
        return gap

    def move(t, qs, vs, p, balls, periods, free):
        """All steps of a motion; the greatest gap, and the number of steps that were made."""
        u, tau = np.zeros((3, 1)), np.zeros(n)
        worst = 0.0
        for i in range(len(t) - 1):
            dt = t[i + 1] - t[i]
            gap = step(t[i], dt, qs[i], vs[i], tau, p, u, balls, periods, free, qs[i + 1], vs[i + 1])
            if not gap >= 0.0:
                return worst, i
            worst = max(worst, gap)
        return worst, len(t) - 1

    return Loops(accelerate, step, move)
