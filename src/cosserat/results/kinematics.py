"""Frames, twists and accelerations of places, also inside elements; angles and quaternions of rotations over time.

Between the nodes A and B of an element H(xi) = H_A exp(xi d), d = log(H_A^-1 H_B), so that the twist there is
Ad(exp(-xi d)) eta_A + xi T(xi d) d_dot. Source: [Grazioso17] (16)-(17).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.compile.series import skew
from cosserat.errors import SolveError
from cosserat.kernels.alpha import move
from cosserat.kernels.monitors import between
from cosserat.lie import rotations, so3
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import Station
from cosserat.results.motion import Motion

_PART = 1e-3  # of what a motion takes to turn by a radian, or to move an element by its length


def place_frames(motion: Motion, station: Station) -> tuple[Array, Array]:
    """Rotations (nt, 3, 3) and positions (nt, 3)."""
    if station.frame is None:
        frames, _ = _between(motion, station)
        return frames[:, :9].reshape(-1, 3, 3), frames[:, 9:]
    return motion.placed(station.node, station.frame)


def place_twists(motion: Motion, station: Station) -> Array:
    """Twists (nt, 6) in the place's own frame."""
    if station.frame is None:
        return _between(motion, station)[1]
    return to_place(motion.twist[:, station.node], station.frame)


def place_rates(motion: Motion, station: Station) -> Array:
    """Time derivatives (nt, 6) of the twists in the place's own frame."""
    if station.frame is not None:
        return to_place(motion.rate[:, station.node], station.frame)
    # the rate of `_between` along the motion, by differences of fourth order
    pair = [station.node, station.other]
    frames, twists, rates = (np.ascontiguousarray(a[:, pair]) for a in (motion.frame, motion.twist, motion.rate))
    apart = float(np.linalg.norm(frames[:, 1, 9:] - frames[:, 0, 9:], axis=1).max(initial=0.0)) or 1.0
    unit = np.array([apart, 1.0]).repeat(3)
    fast = np.max(np.abs(twists) / unit, axis=(1, 2)) + np.sqrt(np.max(np.abs(rates) / unit, axis=(1, 2)))
    tau = (_PART / np.where(fast > 0.0, fast, 1.0))[:, None]
    out = np.zeros((len(frames), 6))
    for side, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
        s = side * tau[:, :, None]
        ahead = np.vstack(((s * twists + 0.5 * s * s * rates).reshape(-1, 6), np.zeros((1, 6))))
        moved = np.vstack((frames.reshape(-1, 12), np.zeros((1, 12))))
        move(moved.copy(), ahead, 1.0, moved)
        out += weight / (12.0 * tau) * _inside(moved[:-1].reshape(frames.shape), twists + s * rates, 0, 1, station)[1]
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


def turned(R: Array, wrenches: Array) -> Array:
    """Forces and moments (nt, 6) in the axes to which the rotations R (nt, 3, 3) lead."""
    return np.hstack((rotate(R, wrenches[:, :3]), rotate(R, wrenches[:, 3:])))


def _between(motion: Motion, station: Station) -> tuple[Array, Array]:
    return _inside(motion.frame, motion.twist, station.node, station.other, station)


def _inside(frames: Array, twists: Array, a: int, b: int, station: Station) -> tuple[Array, Array]:
    """Frames (nt, 12) and twists (nt, 6) at a place between the nodes a and b."""
    frame_out, twist_out = np.empty((len(frames), 12)), np.empty((len(frames), 6))
    between(frames, twists, a, b, station.fraction, frame_out, twist_out)
    return frame_out, twist_out


def to_node(wrench: Array, frame: Array) -> Array:
    """Wrenches (nt, 6) given in a constant frame of a node, in the node's own frame."""
    f = wrench[:, :3] @ frame[:3, :3].T
    return np.hstack((f, wrench[:, 3:] @ frame[:3, :3].T + np.cross(frame[:3, 3], f)))


def yaw_pitch_roll(R: Array) -> Array:
    """(psi, theta, phi) of rotations (nt, 3, 3): M3(psi) M2(theta) M1(phi), continuous in psi and phi.

    Where cos(theta) = 0 only psi - phi or psi + phi is defined; phi = 0 there. Source: [Lerbet17] 1.8.3.
    """
    return np.unwrap(rotations.yaw_pitch_roll_angles(R), axis=0)


def euler(R: Array) -> Array:
    """(psi, theta, phi) of rotations (nt, 3, 3): M3(psi) M1(theta) M3(phi), continuous. Source: [Lerbet17] 1.8.2."""
    return np.unwrap(rotations.euler_angles(R), axis=0)


def quaternion(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotations (nt, 3, 3), without jumps of sign; w >= 0 at the start."""
    diagonal = np.einsum("tii->ti", R)
    sign = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    squares = 0.25 * (1.0 + diagonal @ sign.T)  # of w, x, y, z
    pairs = np.empty((len(R), 4, 4))
    pairs[:, range(4), range(4)] = squares
    for i, j, value in (
        (0, 1, R[:, 2, 1] - R[:, 1, 2]), (0, 2, R[:, 0, 2] - R[:, 2, 0]), (0, 3, R[:, 1, 0] - R[:, 0, 1]),
        (1, 2, R[:, 1, 0] + R[:, 0, 1]), (1, 3, R[:, 0, 2] + R[:, 2, 0]), (2, 3, R[:, 2, 1] + R[:, 1, 2]),
    ):  # fmt: skip
        pairs[:, i, j] = pairs[:, j, i] = 0.25 * value
    best = np.argmax(squares, axis=1)
    q = pairs[np.arange(len(R)), best]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    if len(q) and q[0, 0] < 0.0:
        q[0] = -q[0]
    flips = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    q[1:] *= np.cumprod(np.where(flips == 0.0, 1.0, flips))[:, None]
    return q


def rotation_vector(R: Array) -> Array:
    """Rotation vectors of rotations (nt, 3, 3), at most half a turn long."""
    return np.array([so3.log(r) for r in R])

KINDS: dict[str, tuple[Callable[[Array], Array], tuple[str, ...], str]] = {
    "yaw_pitch_roll": (yaw_pitch_roll, ("yaw", "pitch", "roll"), "rad"),
    "euler": (euler, ("precession", "nutation", "spin"), "rad"),
    "quaternion": (quaternion, ("w", "x", "y", "z"), "1"),
    "rotation_vector": (rotation_vector, ("x", "y", "z"), "rad"),
}
"""Function, names of the columns, unit."""


def converted(kind: str, R: Array) -> tuple[Array, tuple[str, ...], str]:
    """Columns, their names and their unit."""
    if kind not in KINDS:
        raise SolveError(f"attitude: kind is {kind!r}; kinds: {', '.join(KINDS)}")
    function, names, unit = KINDS[kind]
    return function(np.asarray(R, dtype=float)), names, unit


def rigid_motions(frames: Array, center: Array) -> Array:
    """Increments (6n, 6) of nodes with frames (n, 12) in rigid motions along and about world axes through a point."""
    turned, arms = np.swapaxes(frames[:, :9].reshape(-1, 3, 3), 1, 2), frames[:, 9:] - center
    out = np.zeros((len(frames), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = turned
    out[:, :3, 3:] = -turned @ skew(arms)
    return out.reshape(-1, 6)
