"""The law of a strip of a wing: lift, drag and moment of a section, its wake by lag states, and its apparent mass.

Written in the part of Python that Numba compiles. Axes of a section: f forward to the leading edge, u up, r = f x u to
the right; distances x are counted forward from the place. With the velocity relative to the fluid, forward part a and
upward part c, and the pitch rate q = r . omega, the fluid meets the point x from below with w(x) = -(c + q x).

- The wake delays what w at three quarters of the chord does: w_e = (1 - sum A_i) w + sum A_i b_i y_i, with
  y_i' = (V/b)(w - b_i y_i), b half the chord: Duhamel's integral with Wagner's function 1 - sum A_i exp(-b_i s);
  R. T. Jones, NACA Report 681 (1940): A = 0.165, 0.335, b = 0.0455, 0.3.
- A gust that blows upwards with g at the leading edge adds to w_e by Kuessner's function in the same way, with lags of
  its own; what it does at once is in them, and its mass is not counted again.
- Lift and drag are those of the angle atan2(w_e, a), at the quarter chord.
- Apparent mass: pi rho b^2 times the change of w(mid-chord), and pi rho b^4/8 times that of q, per length; the part
  U q of the former acts at three quarters of the chord. Source: T. Theodorsen, NACA Report 496 (1935).
  The inertia itself is part of the mechanism's; here is what it lacks: the flow, and its own gyroscopic terms back.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cosserat.model.frame_laws import cross, flow_change, in_axes, in_world, turning, turning_rate

Function = Callable[..., Any]

_CALM = 1e-9  # (m/s)^2 added to the square of the speed at which lags decay, so that they do so in calm air, too


def lag_names(n: int, word: str = "lag") -> tuple[str, ...]:
    """Names of the lag states."""
    return tuple(f"{word}{i + 1}" for i in range(n))


def _wake(lags: tuple[tuple[float, float], ...], word: str = "lag") -> tuple[Function, Function]:
    """late(w, p), what the wake leaves of w, and rates(w, rate, p) of the lags: written out, so that nothing is stored.

    `rate` is V/b.
    """
    names = lag_names(len(lags), word)
    terms = [f"{1.0 - sum(A for A, _ in lags)!r} * w"]
    terms += [f"{A * b!r} * p[{name!r}]" for (A, b), name in zip(lags, names, strict=True)]
    each = [f"rate * (w - {b!r} * p[{name!r}])," for (_, b), name in zip(lags, names, strict=True)]
    source = f"""
def late(w, p):
    return {" + ".join(terms)}


def rates(w, rate, p):
    return ({" ".join(each)})
"""
    space: dict[str, Any] = {}
    exec(compile(source, "<lags of a wake>", "exec"), space)
    return space["late"], space["rates"]


def section_flow(
    velocity: Function,
    lags: tuple[tuple[float, float], ...],
    gust: Function | None,
    gust_lags: Any = (),
    moving: bool = False,
) -> Function:
    """flow(t, frame, twist, p): (a, q, w, w_e, g, flow along the place's axes (3)), see above."""
    delayed, _ = _wake(lags)
    met, _ = _wake(gust_lags, "gust")
    blows = gust is not None
    blow = velocity if gust is None else gust

    def flow(t, frame, twist, p):
        wind = velocity(frame[0, 3], frame[1, 3], frame[2, 3], t, p)
        x0, x1, x2 = in_axes(frame, wind[0], wind[1], wind[2])
        v0, v1, v2 = twist[0] - x0, twist[1] - x1, twist[2] - x2
        a = p["f0"] * v0 + p["f1"] * v1 + p["f2"] * v2
        c = p["u0"] * v0 + p["u1"] * v1 + p["u2"] * v2
        w0, w1, w2 = twist[3], twist[4], twist[5]
        if moving:
            w0, w1, w2 = turning(frame, twist, p)
        q = p["r0"] * w0 + p["r1"] * w1 + p["r2"] * w2
        w = -(c + q * (p["axis"] - 0.75) * p["chord"])
        late, g = delayed(w, p), 0.0
        if blows:
            ahead = p["axis"] * p["chord"]
            ex, ey, ez = in_world(frame, ahead * p["f0"], ahead * p["f1"], ahead * p["f2"])
            wind = blow(frame[0, 3] + ex, frame[1, 3] + ey, frame[2, 3] + ez, t, p)
            g0, g1, g2 = in_axes(frame, wind[0], wind[1], wind[2])
            a -= p["f0"] * g0 + p["f1"] * g1 + p["f2"] * g2
            g = p["u0"] * g0 + p["u1"] * g1 + p["u2"] * g2
            late += met(g, p)
        return a, q, w, late, g, x0, x1, x2

    return flow


def strip_law(
    density: Function,
    velocity: Function,
    coefficients: tuple[Function, ...],
    lags: tuple[tuple[float, float], ...],
    apparent: bool,
    gust: Function | None = None,
    gust_lags: tuple[tuple[float, float], ...] = (),
    varies: bool = True,
    moving: bool = False,
) -> Function:
    """Wrench of a section of p["width"], and the rates of its lags; `varies`: whether the flow does."""
    change = flow_change(velocity)
    flow, (_, rates) = section_flow(velocity, lags, gust, gust_lags, moving), _wake(lags)
    _, gust_rates = _wake(gust_lags, "gust")
    c_lift, c_drag, c_moment = coefficients

    def law(t, frame, twist, p):
        a, q, w, late, gusty, x0, x1, x2 = flow(t, frame, twist, p)
        rho = density(frame[0, 3], frame[1, 3], frame[2, 3], t, p)
        chord, width, axis = p["chord"], p["width"], p["axis"]
        half = 0.5 * chord
        speed = math.sqrt(a * a + late * late)
        alpha, turned = math.atan2(late, a), p["deflection"]
        lift = p["loss"] * (c_lift(alpha, 0.0, p) + p["airfoil_flap_lift"] * turned)
        drag = c_drag(alpha, 0.0, p) + p["airfoil_flap_drag"] * turned
        moment = c_moment(alpha, 0.0, p) + p["airfoil_flap_moment"] * turned
        push = 0.5 * rho * speed * chord * width  # times a speed: pressure on the strip
        forward = push * (lift * late - drag * a)
        up = push * (lift * a + drag * late)
        pitch = (axis - 0.25) * chord * up + push * speed * chord * moment
        u0, u1, u2, r0, r1, r2 = p["u0"], p["u1"], p["u2"], p["r0"], p["r1"], p["r2"]
        o0, o1, o2, o3, o4, o5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if apparent:
            heavy = math.pi * rho * half * half * width
            mid = (axis - 0.5) * chord
            # change of the flow met by the place, seen from it
            d0, d1, d2 = 0.0, 0.0, 0.0
            if varies:
                vx, vy, vz = in_world(frame, twist[0], twist[1], twist[2])
                d0, d1, d2 = change(frame[0, 3], frame[1, 3], frame[2, 3], vx, vy, vz, t, p)
                d0, d1, d2 = in_axes(frame, d0, d1, d2)
            g0, g1, g2 = cross(twist[3], twist[4], twist[5], x0, x1, x2)
            carried = heavy * (u0 * (d0 - g0) + u1 * (d1 - g1) + u2 * (d2 - g2))
            pitch -= 0.5 * half * heavy * a * q
            if moving:  # the pitch rate is that in space
                t0, t1, t2 = turning_rate(frame, twist, p)
                more = r0 * t0 + r1 * t1 + r2 * t2
                carried -= heavy * mid * more
                pitch -= 0.125 * heavy * half * half * more
                q = r0 * twist[3] + r1 * twist[4] + r2 * twist[5]
            up += carried
            pitch += mid * carried
            # momentum p along u, l along r of the place's own motion: what the inertia adds besides mass times rate
            own = u0 * twist[0] + u1 * twist[1] + u2 * twist[2] + mid * q
            p0, p1, p2 = heavy * own * u0, heavy * own * u1, heavy * own * u2
            spin = heavy * own * mid + 0.125 * heavy * half * half * q
            l0, l1, l2 = spin * r0, spin * r1, spin * r2
            o0, o1, o2 = cross(twist[3], twist[4], twist[5], p0, p1, p2)
            m0, m1, m2 = cross(twist[0], twist[1], twist[2], p0, p1, p2)
            o3, o4, o5 = cross(twist[3], twist[4], twist[5], l0, l1, l2)
            o3, o4, o5 = o3 + m0, o4 + m1, o5 + m2
        o0 += forward * p["f0"] + up * u0
        o1 += forward * p["f1"] + up * u1
        o2 += forward * p["f2"] + up * u2
        o3 += pitch * r0
        o4 += pitch * r1
        o5 += pitch * r2
        rate = math.sqrt(a * a + w * w + _CALM) / half
        return (o0, o1, o2, o3, o4, o5, *rates(w, rate, p), *gust_rates(gusty, rate, p))

    return law
