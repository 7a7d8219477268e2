"""Motion of many seats on one link at many times at once: frames, twists and their rates in the seats' own axes.

The formulas are those of `compile.modal_dynamics` for one interface, over arrays (times t, seats p, modes m).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.seats import Seat
from cosserat.compile.series import skew
from cosserat.lie import coefficients

Array = NDArray[np.float64]

_sinc, _cosc, _sincc, _d_cosc, _d_sincc = (
    np.vectorize(f, otypes=[float])
    for f in (coefficients.sinc, coefficients.cosc, coefficients.sincc, coefficients.d_cosc, coefficients.d_sincc)
)


class LinkPath(NamedTuple):
    """A link over time: its frame, the twist of that with the modal rates, and their rates."""

    frame: Array  # (t, 4, 4)
    z: Array  # (t, 6 + m)
    z_dot: Array  # (t, 6 + m)
    modal: Array  # (t, m) modal coordinates


class SeatPaths(NamedTuple):
    """Seats over time."""

    rotation: Array  # (t, p, 3, 3) world
    position: Array  # (t, p, 3) world
    twist: Array  # (t, p, 6) in the seats' own axes
    rate: Array  # (t, p, 6)


class _Relative(NamedTuple):
    """Frames of interfaces in the floating frame, their twists relative to it, and the rates of these."""

    R: Array
    x: Array
    slip: Array
    slip_dot: Array


def seat_paths(seats: list[Seat], path: LinkPath) -> SeatPaths:
    """Where seats of one link are over time, and how they move."""
    shape = (len(path.z), len(seats))
    R, x = np.broadcast_to(np.eye(3), (*shape, 3, 3)).copy(), np.zeros((*shape, 3))
    slip, slip_dot = np.zeros((*shape, 6)), np.zeros((*shape, 6))
    bent = [k for k, seat in enumerate(seats) if seat.interface is not None]
    if bent:
        found = _interfaces([seats[k] for k in bent], path)
        R[:, bent], x[:, bent], slip[:, bent], slip_dot[:, bent] = found
    F, y = (np.array([seat.frame[:3, part] for seat in seats]) for part in (slice(0, 3), 3))
    x = x + np.einsum("tpij,pj->tpi", R, y)
    R = R @ F
    slip, slip_dot = (_to_place(F, y, value) for value in (slip, slip_dot))
    R_t = np.swapaxes(R, -1, -2)
    carried, carried_dot = (_to_place_t(R_t, x, value[:, None, :6]) for value in (path.z, path.z_dot))
    rate = carried_dot + slip_dot + _bracket(carried, slip)
    world = path.frame[:, None, :3, :3]
    origin = path.frame[:, None, :3, 3] + np.einsum("tpij,tpj->tpi", np.broadcast_to(world, R.shape), x)
    return SeatPaths(world @ R, origin, carried + slip, rate)


def _interfaces(seats: list[Seat], path: LinkPath) -> _Relative:
    interfaces = [seat.interface for seat in seats if seat.interface is not None]
    position, rotation, shape, second = (
        np.array([getattr(i, name) for i in interfaces]) for name in ("position", "rotation", "shape", "stiffening")
    )
    q, v, a = path.modal, path.z[:, 6:], path.z_dot[:, 6:]
    slope = shape + np.einsum("pcab,tb->tpca", second, q, optimize=True)
    motion = 0.5 * np.einsum("tpca,ta->tpc", slope + shape, q)
    rate = np.einsum("tpca,ta->tpc", slope, v)
    change = np.einsum("tpca,ta->tpc", slope, a) + np.einsum("pcab,ta,tb->tpc", second, v, v, optimize=True)
    w, turning = motion[..., 3:], rate[..., 3:]
    W, D, t2, along = skew(w), skew(turning), np.sum(w * w, axis=-1), np.sum(w * turning, axis=-1)
    square = W @ W
    sinc, cosc, sincc, d_cosc, d_sincc = (f(t2)[..., None, None] for f in (_sinc, _cosc, _sincc, _d_cosc, _d_sincc))
    exp = np.eye(3) + sinc * W + cosc * square
    T = np.eye(3) - cosc * W + sincc * square
    T_dot = -cosc * D + sincc * (D @ W + W @ D) + along[..., None, None] * (d_sincc * square - d_cosc * W)
    R = exp @ rotation

    def inside(vectors: Array) -> Array:
        """rotation^T times vectors."""
        return np.einsum("pji,tpj->tpi", rotation, vectors)

    omega = inside(_times(T, turning))
    omega_dot = inside(_times(T, change[..., 3:]) + _times(T_dot, turning))
    R_t = np.swapaxes(R, -1, -2)
    u = _times(R_t, rate[..., :3])
    u_dot = _times(R_t, change[..., :3]) - _cross(omega, u)
    together = np.concatenate((u, omega), axis=-1), np.concatenate((u_dot, omega_dot), axis=-1)
    return _Relative(R, position + motion[..., :3], *together)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.einsum("tpij,tpj->tpi", matrices, vectors)


def _to_place(F: Array, y: Array, twists: Array) -> Array:
    """Ad of the inverse of constant frames (p, 3, 3), (p, 3), on twists (t, p, 6)."""
    linear = twists[..., :3] + _cross(twists[..., 3:], y)
    parts = (np.einsum("pji,tpj->tpi", F, part) for part in (linear, twists[..., 3:]))
    return np.concatenate(tuple(parts), axis=-1)


def _to_place_t(R_t: Array, x: Array, twists: Array) -> Array:
    """The same for frames that move, (t, p, 3, 3) transposed and (t, p, 3)."""
    twists = np.broadcast_to(twists, (*x.shape[:2], 6))
    linear = twists[..., :3] + _cross(twists[..., 3:], x)
    return np.concatenate((_times(R_t, linear), _times(R_t, twists[..., 3:])), axis=-1)


def _bracket(a: Array, b: Array) -> Array:
    """ad(a) b of twists (..., 6)."""
    linear = _cross(a[..., 3:], b[..., :3]) + _cross(a[..., :3], b[..., 3:])
    return np.concatenate((linear, _cross(a[..., 3:], b[..., 3:])), axis=-1)


def _cross(a: Array, b: Array) -> Array:
    """a x b (..., 3); numpy's takes several times as long for few vectors."""
    x, y, z, u, v, w = (part[..., k] for part in (a, b) for k in range(3))
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)
