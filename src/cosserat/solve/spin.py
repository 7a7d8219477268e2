"""Steady rotation of a whole mechanism: every frame moves as H(t) = exp(t spin) H(0), so body twists are constant.

Seen from a turntable the mechanism is at rest; what is attached to the ground is attached to the turntable. Gravity and
dead loads must then be parallel to the axis, and laws of loads the same all around it, or no steady rotation exists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.state_loads import state_wrenches
from cosserat.errors import SolveError, shown
from cosserat.kernels.arrays import Inputs
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.parameters import resolve

_PARALLEL = 1e-9
_SAME = 1e-6  # relative change of a law around the axis that is accepted
_FELT = 1e-9  # of centrifugal forces: what a law must give to count
_AROUND = (0.0, 0.7, 2.0)  # rad


def spin_twist(spin: Any, center: Any = (0.0, 0.0, 0.0)) -> Array | None:
    """Twist (6,) at the origin, in space, of a rotation with angular velocity `spin` about an axis through `center`.

    Both are three numbers (or Parameters); None for no rotation.
    """
    if spin is None:
        return None
    omega, point = three_numbers("spin", spin), three_numbers("center", center)
    if not np.any(omega):
        return None
    return np.concatenate((-np.cross(omega, point), omega))


def three_numbers(name: str, value: Any, caller: str = "") -> Array:
    """A vector of three numbers or Parameters, or a located error."""
    try:
        out = np.array([resolve(x) for x in value], dtype=float)
    except (TypeError, ValueError):
        out = np.empty(0)
    if out.shape != (3,) or not np.all(np.isfinite(out)):
        where = f"{caller}: " if caller else ""
        raise SolveError(f"{where}{name}={shown(value)}: pass three finite numbers, such as (0, 0, 10)")
    return out


def twists_in(spin: Array, frames: Array) -> Array:
    """Body twists (n, 6) of frames (n, 12) carried around by a spin."""
    R, x = frames[:, :9].reshape(-1, 3, 3), frames[:, 9:]
    velocity = spin[:3] + np.cross(spin[3:], x)
    return np.hstack((np.einsum("nij,ni->nj", R, velocity), np.einsum("nij,i->nj", R, spin[3:])))


def check_steady(compiled: CompiledModel, inputs: Inputs, spin: Array) -> None:
    """Refuse loads that do not turn with the mechanism.

    Raises
    ------
    SolveError
        If gravity or a dead load has a part across the axis, or a law is another where the mechanism has turned to.
    """
    axis = spin[3:] / np.linalg.norm(spin[3:])
    gravity = inputs.gravity[0]
    if np.linalg.norm(np.cross(axis, gravity)) > _PARALLEL * np.linalg.norm(gravity):
        raise SolveError(
            f"spin: gravity {tuple(gravity.tolist())} is not along the axis of rotation {tuple(axis.tolist())}, so no "
            "steady rotation exists; set gravity=(0, 0, 0) or turn about its direction"
        )
    acting = {*compiled.system.loads.column.tolist(), *compiled.system.line_loads.column.ravel().tolist()}
    for column, source in enumerate(compiled.model.loads + compiled.model.distributed_loads):
        if source.follower or (column not in acting and source.name not in compiled.line_columns):
            continue
        for part in inputs.wrench[0, column].reshape(2, 3):
            if np.linalg.norm(np.cross(axis, part)) > _PARALLEL * np.linalg.norm(part):
                raise SolveError(
                    f"load {source.name!r}: it is fixed in space and not along the axis of rotation "
                    f"{tuple(axis.tolist())}, so no steady rotation exists; pass follower=True if it turns with the "
                    "mechanism"
                )
    _check_laws(compiled, inputs, spin)


def _check_laws(compiled: CompiledModel, inputs: Inputs, spin: Array) -> None:
    """Refuse laws of loads that are others around the axis, at one time and as time goes on with the rotation."""
    if not compiled.laws:
        return
    speed, time = float(np.linalg.norm(spin[3:])), float(inputs.clock[0, 0])
    reference = np.array([row_to_frame(row) for row in compiled.frames])
    frames = [frame_to_row(se3.exp(angle / speed * spin) @ reference) for angle in _AROUND]
    twists, efforts = twists_in(spin, compiled.frames), np.repeat(inputs.effort[:1], len(_AROUND), axis=0)
    unit, felt = np.array([1.0, 1.0 / compiled.length]).repeat(3), _FELT * compiled.mass * compiled.size * speed**2
    places = compiled.system.state_loads
    left = np.full(len(places.node), np.inf)
    for going in (0.0, 1.0 / speed):
        times = time + going * np.array(_AROUND)
        found = state_wrenches(compiled, times, np.array(frames), np.array([twists] * len(_AROUND)), None, efforts)
        wrenches = found[:, :, :6] * unit
        change = np.max(np.abs(wrenches - wrenches[0]), axis=(0, 2))
        left = np.fmin(left, change - _SAME * np.max(np.abs(wrenches), axis=(0, 2)))
    for law, first, count in zip(compiled.laws, places.first, places.acts, strict=False):
        rest = np.max(left[first : first + count], initial=0.0)
        if np.isfinite(rest) and rest > felt:
            axis = tuple((spin[3:] / speed).tolist())
            raise SolveError(
                f"{law.load.title}: its law is another where the mechanism has turned to about the axis of rotation "
                f"{axis}, so no steady rotation exists; write it in the frame of its place, or simulate the rotation"
            )
