"""Apparent forces: what a model that is described in a moving frame feels besides its loads.

A mechanism seen from a frame that moves obeys the equations of a Galilean frame with the drive and Coriolis wrenches of
[Lerbet17] (45)-(47) added, with the opposite sign.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.model.frame_laws import driven, driven_at, in_axes, in_world, turning, turning_rate
from cosserat.model.nodes import BeamElement, Lump, elements_of, lumps_of
from cosserat.model.observers import Observer, frame_motion
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model


class ApparentLoad(PlacedLaw):
    """Drive and Coriolis wrenches on one lump of mass in a frame that moves as prescribed."""

    def __init__(self, lump: Lump, frame: Observer) -> None:
        self._made(lump.titled("apparent forces"), lump.place)
        numbers, signals = frame_motion(frame)
        self._numbers = {**lump.numbers, **numbers}
        self._inputs = {**lump.signals, **signals}

    @property
    def law(self) -> Callable[..., Any]:
        return apparent_wrench


class ApparentOnElement(PlacedLaw):
    """The same on a node of an element of a beam, with the inertia of the element: exact as its inertia is.

    The kinetic energy of an element is tr(Z' G Z'^T)/2 + (Y_A w_A) . (Y_B w_B), Z = (x_A, R_A, x_B, R_B), w in space;
    see `compile.matter`. A frame adds the drive and Coriolis accelerations of the columns of Z, and its turning to w.
    """

    spread = True

    def __init__(self, part: BeamElement, frame: Observer) -> None:
        place, self._other = part.ends
        self._made(f"apparent forces on {part.beam.name} element {part.number} {int(part.turned)}", place)
        self._part = part
        self._numbers, self._inputs = frame_motion(frame)

    @property
    def acts_on(self) -> int:
        return 1

    @property
    def element(self) -> BeamElement:
        return self._part

    def record_type(self) -> Any:
        return np.dtype([*((name, np.float64) for name in self.names), ("G", np.float64, (82,))])

    @property
    def law(self) -> Callable[..., Any]:
        return apparent_on_element


def apparent_loads(model: Model, frame: Observer, laws: tuple[StateLoad, ...]) -> tuple[StateLoad, ...]:
    """All of a model in a moving frame that has these laws besides."""
    what = "a moving frame"
    on_lumps = [ApparentLoad(lump, frame) for lump in lumps_of(model, what)]
    return (*on_lumps, *(ApparentOnElement(part, frame) for part in elements_of(model, laws, what)))


def apparent_on_element(t, frame, twist, other_frame, other_twist, p):
    """Wrench on the first node of an element, in its axes."""
    G = p["G"]
    ax, ay, az = p["ax"], p["ay"], p["az"]
    F = np.zeros((3, 4))  # forces on the columns x, R of the node
    for side in range(2):
        H, eta = (frame, twist) if side == 0 else (other_frame, other_twist)
        w0, w1, w2 = eta[3], eta[4], eta[5]
        for k in range(4):  # velocity v, then w x e_k
            v0, v1, v2 = eta[0], eta[1], eta[2]
            if k == 1:
                v0, v1, v2 = 0.0, w2, -w1
            elif k == 2:
                v0, v1, v2 = -w2, 0.0, w0
            elif k == 3:
                v0, v1, v2 = w1, -w0, 0.0
            c = 3 if k == 0 else k - 1
            vx, vy, vz = in_world(H, v0, v1, v2)
            bx, by, bz = driven(H[0, c], H[1, c], H[2, c], vx, vy, vz, p)
            if k > 0:  # the columns of a rotation are directions
                bx, by, bz = bx - ax, by - ay, bz - az
            for j in range(4):
                g = G[8 * (4 * side + k) + j]
                F[0, j] -= g * bx
                F[1, j] -= g * by
                F[2, j] -= g * bz
    f = np.zeros((4, 3))  # the same in the node's axes
    for j in range(4):
        f[j, 0], f[j, 1], f[j, 2] = in_axes(frame, F[0, j], F[1, j], F[2, j])
    W, V = np.empty(3), np.empty(3)  # turning in space of both nodes, and what it has besides the rates of the twists
    W[0], W[1], W[2] = turning(frame, twist, p)
    V[0], V[1], V[2] = turning(other_frame, other_twist, p)
    r = np.empty(3)
    r[0], r[1], r[2] = turning_rate(other_frame, other_twist, p)
    seen = _product(G, frame, other_frame, twist[3:], other_twist[3:], np.zeros(3))
    m = seen - _product(G, frame, other_frame, W, V, r)
    w = np.empty(6)
    w[0], w[1], w[2] = f[0, 0], f[0, 1], f[0, 2]
    w[3] = m[0] + f[2, 2] - f[3, 1]
    w[4] = m[1] + f[3, 0] - f[1, 2]
    w[5] = m[2] + f[1, 1] - f[2, 0]
    return w


def _product(G, frame, other_frame, w, v, rate):
    """Inertia moment of (Y_A w_A) . (Y_B w_B) on node A, in its axes; w, v: turning of A and B, `rate` that of v."""
    Y, R, H, K = np.empty((3, 3)), np.empty((3, 3)), frame, other_frame
    turned, grown, seen = np.zeros(3), np.zeros(3), np.zeros(3)  # in the axes of B: Y_B w_B and Y_B times its rate
    p, q, q_rate, apart = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            Y[i, j] = G[64 + 3 * i + j]
            turned[i] += G[73 + 3 * i + j] * v[j]
            grown[i] += G[73 + 3 * i + j] * rate[j]
            R[i, j] = H[0, i] * K[0, j] + H[1, i] * K[1, j] + H[2, i] * K[2, j]
    for i in range(3):
        for j in range(3):
            p[i] += Y[i, j] * w[j]
            q[i] += R[i, j] * turned[j]
            q_rate[i] += R[i, j] * grown[j]
            apart[i] += R[i, j] * v[j]
    apart -= w
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        q_rate[i] += apart[j] * q[k] - apart[k] * q[j]
    for i in range(3):
        for j in range(3):
            seen[i] += Y[i, j] * q[j]
    out = np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = w[j] * seen[k] - w[k] * seen[j] + q[j] * p[k] - q[k] * p[j]
        for n in range(3):
            out[i] += Y[i, n] * q_rate[n]
    return out


def apparent_wrench(t, frame, twist, p):
    """-(K_r + K_c) of a lump about its place, in its axes: [Lerbet17] (45)-(46).

    With the angular velocity O of the frame, its rate L and the acceleration A of its origin, along its axes, a point
    at x with the velocity v has the apparent acceleration -(A + L × x + O × (O × x) + 2 O × v).
    """
    gx, gy, gz = driven_at(frame, twist, p)
    g = in_axes(frame, -gx, -gy, -gz)
    spin, turn = in_axes(frame, p["ox"], p["oy"], p["oz"]), in_axes(frame, p["lx"], p["ly"], p["lz"])
    s = p["sx"], p["sy"], p["sz"]
    J = np.empty((3, 3))
    J[0, 0], J[1, 1], J[2, 2] = p["jxx"], p["jyy"], p["jzz"]
    J[0, 1], J[0, 2], J[1, 2] = p["jxy"], p["jxz"], p["jyz"]
    J[1, 0], J[2, 0], J[2, 1] = p["jxy"], p["jxz"], p["jyz"]
    # of the first moment: L × s + O × (O × s) + 2 O × (w × s)
    a, b = np.empty(3), np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a[i] = spin[j] * s[k] - spin[k] * s[j] + 2.0 * (twist[3 + j] * s[k] - twist[3 + k] * s[j])
        b[i] = turn[j] * s[k] - turn[k] * s[j]
    w = np.empty(6)
    turned, driven, mixed = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[i] = p["m"] * g[i] - b[i] - (spin[j] * a[k] - spin[k] * a[j])
        for n in range(3):
            q, r = (n + 1) % 3, (n + 2) % 3
            turned[i] += J[i, n] * twist[3 + n]
            driven[i] += J[i, n] * spin[n]
            mixed[i] += J[i, n] * (spin[q] * twist[3 + r] - spin[r] * twist[3 + q] + turn[n])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[3 + i] = (s[j] * g[k] - s[k] * g[j]) - (
            (spin[j] + twist[3 + j]) * driven[k]
            - (spin[k] + twist[3 + k]) * driven[j]
            + spin[j] * turned[k]
            - spin[k] * turned[j]
            + mixed[i]
        )
    return w
