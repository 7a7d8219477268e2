"""Laws of fluid loads on rigid bodies: from the motion of a place to a wrench in its frame.

Written in the part of Python that Numba compiles; each function here builds a law from functions of the fluid and of
coefficients. `p` holds the numbers of the load and of the fluid.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.model.frame_laws import cross, in_axes, in_world, turning

Function = Callable[..., Any]


def buoyancy_law(density: Function) -> Function:
    """-rho V g at the place, where rho is that of the place: Archimedes."""

    def law(t, frame, twist, p):
        rho = density(frame[0, 3], frame[1, 3], frame[2, 3], t, p)
        w = np.zeros(6)
        pull = in_axes(frame, p["gravity_x"], p["gravity_y"], p["gravity_z"])
        for i in range(3):
            w[i] = -rho * p["volume"] * pull[i]
        return w

    return law


def floating_law(density: Function, vertices: Any, triangles: Any) -> Function:
    """Weight of the displaced fluid of a closed surface, of which a part may be above the free surface.

    The surface's triangles, given in the place's frame, are cut at the level. Tetrahedra from a point of the level to
    the parts below it have the submerged volume and its first moment: the cut face lies in the level and adds nothing.
    """
    corners = np.ascontiguousarray(vertices[triangles], dtype=float)  # (n, 3, 3)
    whole = np.sum(np.linalg.det(corners)) / 6.0
    moment = np.einsum("n,nk->k", np.linalg.det(corners) / 24.0, corners.sum(axis=1))
    total = float(whole)
    cx, cy, cz = (float(c) for c in moment / whole)
    n = len(corners)

    def law(t, frame, twist, p):
        x0, y0, level = frame[0, 3], frame[1, 3], p["surface"]
        cut = np.empty((4, 3))
        world = np.empty((3, 3))
        volume, mx, my, mz = 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            for a in range(3):
                x, y, z = in_world(frame, corners[k, a, 0], corners[k, a, 1], corners[k, a, 2])
                world[a, 0], world[a, 1], world[a, 2] = x, y, z + frame[2, 3] - level
            count = 0
            for a in range(3):
                b = (a + 1) % 3
                below, next_below = world[a, 2] < 0.0, world[b, 2] < 0.0
                if below:
                    for i in range(3):
                        cut[count, i] = world[a, i]
                    count += 1
                if below != next_below:
                    s = world[a, 2] / (world[a, 2] - world[b, 2])
                    for i in range(3):
                        cut[count, i] = world[a, i] + s * (world[b, i] - world[a, i])
                    count += 1
            for j in range(1, count - 1):
                v = (
                    cut[0, 0] * (cut[j, 1] * cut[j + 1, 2] - cut[j, 2] * cut[j + 1, 1])
                    + cut[0, 1] * (cut[j, 2] * cut[j + 1, 0] - cut[j, 0] * cut[j + 1, 2])
                    + cut[0, 2] * (cut[j, 0] * cut[j + 1, 1] - cut[j, 1] * cut[j + 1, 0])
                ) / 6.0
                volume += v
                mx += 0.25 * v * (cut[0, 0] + cut[j, 0] + cut[j + 1, 0])
                my += 0.25 * v * (cut[0, 1] + cut[j, 1] + cut[j + 1, 1])
                mz += 0.25 * v * (cut[0, 2] + cut[j, 2] + cut[j + 1, 2])
        # masses of the fluids displaced below and above, and their first moments from the place
        low = density(x0, y0, level - 1e-9, t, p)
        high = density(x0, y0, level + 1e-9, t, p)
        mz += volume * (level - frame[2, 3])
        mass = low * volume + high * (total - volume)
        less, rest = low - high, high * total
        x, y, z = in_world(frame, cx, cy, cz)
        g0, g1, g2 = p["gravity_x"], p["gravity_y"], p["gravity_z"]
        m = cross(g0, g1, g2, less * mx + rest * x, less * my + rest * y, less * mz + rest * z)
        w = np.empty(6)
        w[0], w[1], w[2] = in_axes(frame, -mass * g0, -mass * g1, -mass * g2)
        w[3], w[4], w[5] = in_axes(frame, m[0], m[1], m[2])
        return w

    return law


def floating_sphere_law(density: Function) -> Function:
    """The same for a sphere of radius p["radius"] about the place: a cap in closed form."""

    def law(t, frame, twist, p):
        r, level = p["radius"], p["surface"]
        depth = min(max(level - frame[2, 3] + r, 0.0), 2.0 * r)
        volume = math.pi * depth * depth * (r - depth / 3.0)
        low = density(frame[0, 3], frame[1, 3], level - 1e-9, t, p)
        high = density(frame[0, 3], frame[1, 3], level + 1e-9, t, p)
        mass = low * volume + high * (4.0 / 3.0 * math.pi * r**3 - volume)
        w = np.zeros(6)
        w[0], w[1], w[2] = in_axes(frame, -mass * p["gravity_x"], -mass * p["gravity_y"], -mass * p["gravity_z"])
        return w

    return law


def aerodynamic_law(
    density: Function,
    velocity: Function,
    coefficients: tuple[Function, ...],
    forward: Any,
    right: Any,
    up: Any,
    moving: bool,
) -> Function:
    """Forces and moments of a body that moves through a fluid, from coefficients of the angles of attack and sideslip.

    `coefficients`: lift, drag, side, roll, pitch, yaw, functions of (alpha, beta, p). The axes have components in the
    place's frame. Rates enter with p b/(2V), q c/(2V), r b/(2V), of the body in space.
    """
    c_lift, c_drag, c_side, c_roll, c_pitch, c_yaw = coefficients
    B = np.ascontiguousarray((forward, right, up), dtype=float)

    def law(t, frame, twist, p):
        x, y, z = frame[0, 3], frame[1, 3], frame[2, 3]
        rho = density(x, y, z, t, p)
        wind = velocity(x, y, z, t, p)
        v0, v1, v2 = in_axes(frame, wind[0], wind[1], wind[2])
        v0, v1, v2 = twist[0] - v0, twist[1] - v1, twist[2] - v2
        w = np.zeros(6)
        a, b, c = in_world(B, v0, v1, v2)  # forward, right, up
        in_plane = math.sqrt(a * a + c * c)
        speed = math.sqrt(in_plane * in_plane + b * b)
        if speed == 0.0:
            return w
        alpha, beta = math.atan2(-c, a), math.atan2(b, in_plane)
        push = 0.5 * rho * speed  # times a speed: dynamic pressure
        chord, span = p["chord"], p["span"]
        w0, w1, w2 = twist[3], twist[4], twist[5]
        if moving:
            w0, w1, w2 = turning(frame, twist, p)
        w0, w1, w2 = in_world(B, w0, w1, w2)
        per = 0.5 / speed
        turn_roll, turn_pitch, turn_yaw = per * span * w0, per * chord * w1, -per * span * w2
        area = p["area"]
        drag = push * area * c_drag(alpha, beta, p)
        lift = push * area * (c_lift(alpha, beta, p) + p["lift_q"] * turn_pitch)
        side = push * speed * area * (c_side(alpha, beta, p) + p["side_p"] * turn_roll + p["side_r"] * turn_yaw)
        raised = lift * speed / in_plane if in_plane > 0.0 else 0.0
        along_f = -drag * a - raised * c - push * p["area_x"] * a
        along_r = -drag * b + side - push * p["area_y"] * b
        along_u = -drag * c + raised * a - push * p["area_z"] * c
        pressed = push * speed * area
        roll = pressed * span * (c_roll(alpha, beta, p) + p["roll_p"] * turn_roll + p["roll_r"] * turn_yaw)
        pitch = pressed * chord * (c_pitch(alpha, beta, p) + p["pitch_q"] * turn_pitch)
        yaw = pressed * span * (c_yaw(alpha, beta, p) + p["yaw_p"] * turn_roll + p["yaw_r"] * turn_yaw)
        w[0], w[1], w[2] = in_axes(B, along_f, along_r, along_u)
        w[3], w[4], w[5] = in_axes(B, roll, pitch, -yaw)
        return w

    return law
