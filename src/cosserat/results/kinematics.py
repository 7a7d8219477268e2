"""Frames, twists and accelerations of places, also inside elements.

Between the nodes A and B of an element H(xi) = H_A exp(xi d), d = log(H_A^-1 H_B), so that the twist there is
Ad(exp(-xi d)) eta_A + xi T(xi d) d_dot. Source: [Grazioso17] (16)-(17).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.series import skew
from cosserat.kernels.monitors import between
from cosserat.lie import se3
from cosserat.results.mechanism import Station
from cosserat.results.motion import Motion

Array = NDArray[np.float64]


def place_frames(motion: Motion, station: Station) -> tuple[Array, Array]:
    """Rotations (nt, 3, 3) and positions (nt, 3)."""
    if station.frame is None:
        frames, _ = _between(motion, station)
        return frames[:, :9].reshape(-1, 3, 3), frames[:, 9:]
    R, x = motion.node(station.node)
    F = station.frame
    return R @ F[:3, :3], x + R @ F[:3, 3]


def place_twists(motion: Motion, station: Station) -> Array:
    """Twists (nt, 6) in the place's own frame."""
    if station.frame is None:
        return _between(motion, station)[1]
    return to_place(motion.twist[:, station.node], station.frame)


def place_rates(motion: Motion, station: Station) -> Array:
    """Time derivatives (nt, 6) of the twists in the place's own frame."""
    if station.frame is not None:
        return to_place(motion.rate[:, station.node], station.frame)
    a, b, xi = station.node, station.other, station.fraction
    out = np.empty((len(motion.time), 6))
    (R_a, x_a), (R_b, x_b) = motion.node(a), motion.node(b)
    for k in range(len(out)):
        d = se3.log(se3.inverse(se3.frame(R_a[k], x_a[k])) @ se3.frame(R_b[k], x_b[k]))
        v_a, v_b, r_a, r_b = motion.twist[k, a], motion.twist[k, b], motion.rate[k, a], motion.rate[k, b]
        d1 = se3.tangent_inv(d) @ v_b - se3.tangent_inv(-d) @ v_a
        d2 = se3.tangent_inv(d) @ r_b - se3.tangent_inv(-d) @ r_a
        d2 += se3.tangent_inv_derivative(d, d1) @ v_b + se3.tangent_inv_derivative(-d, d1) @ v_a
        T = se3.tangent(xi * d)
        back = se3.adjoint(se3.exp(-xi * d))
        slip = xi * T @ d1
        out[k] = back @ r_a - se3.bracket(slip) @ back @ v_a
        out[k] += xi * (T @ d2 + xi * se3.tangent_derivative(xi * d, d1) @ d1)
    return out


def linear_field(motion: Motion, node: int) -> Array:
    """Accelerations a + A X of what moves with a node, less gravity, in its own axes: (nt, 12), rows of (a, A)."""
    twist, rate = motion.twist[:, node], motion.rate[:, node]
    omega = twist[:, 3:]
    g = rotate(np.swapaxes(motion.node(node)[0], 1, 2), motion.inputs.gravity)
    field = np.empty((len(twist), 3, 4))
    field[:, :, 0] = rate[:, :3] + np.cross(omega, twist[:, :3]) - g
    spin = skew(omega)
    field[:, :, 1:] = skew(rate[:, 3:]) + spin @ spin
    return field.reshape(-1, 12)


def to_place(twists: Array, frame: Array) -> Array:
    """Twists (nt, 6) of a node, seen in a constant frame of it: Ad(F^-1)."""
    F, y = frame[:3, :3], frame[:3, 3]
    return np.concatenate(((twists[:, :3] + np.cross(twists[:, 3:], y)) @ F, twists[:, 3:] @ F), axis=1)


def rotate(R: Array, v: Array) -> Array:
    """R v over time: (nt, 3, 3), (nt, 3) -> (nt, 3)."""
    return np.einsum("tij,tj->ti", R, v)


def _between(motion: Motion, station: Station) -> tuple[Array, Array]:
    n = len(motion.time)
    frames, twists = np.empty((n, 12)), np.empty((n, 6))
    between(motion.frame, motion.twist, station.node, station.other, station.fraction, frames, twists)
    return frames, twists


def to_node(wrench: Array, frame: Array) -> Array:
    """Wrenches (nt, 6) given in a constant frame of a node, in the node's own frame."""
    f = wrench[:, :3] @ frame[:3, :3].T
    return np.hstack((f, wrench[:, 3:] @ frame[:3, :3].T + np.cross(frame[:3, 3], f)))
