"""Typical sizes of a mechanism: of its parts, and of the whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.skeleton import Skeleton
from cosserat.errors import ModelError
from cosserat.lie import so3
from cosserat.model.bodies import RigidBody
from cosserat.model.model import Model

Array = NDArray[np.float64]


def body_masses(model: Model) -> Array:
    """Mass matrices (nb, 6, 6) of the rigid bodies, with what moves of a fluid around them."""
    out = np.array([mass_about(body) for body in model.bodies]).reshape(-1, 6, 6)
    for added in model.added_masses:
        out[model.bodies.index(added.body)] += added.matrix
    return out


def mass_about(body: RigidBody, frame: Array | None = None) -> Array:
    """Mass matrix (6, 6) of a rigid body about the origin of a frame (4, 4) of the world, in its axes; or its own."""
    R, c = np.eye(3), np.zeros(3)
    if frame is not None:
        R, c = frame[:3, :3].T @ body.rotation, frame[:3, :3].T @ (body.com - frame[:3, 3])
    M, C = float(body.mass) * np.eye(6), so3.hat(c)
    M[:3, 3:], M[3:, :3] = -body.mass * C, body.mass * C
    M[3:, 3:] = R @ body.inertia @ R.T - body.mass * C @ C
    return M


def extents(model: Model, skeleton: Skeleton, masses: Array) -> tuple[float, float]:
    """Typical length of a part, and extent of mechanism and origin; `masses`: of the rigid bodies.

    Rounding of positions grows with their distance from the origin: the extent is for gaps that count as none.

    Raises
    ------
    ModelError
        If nothing has mass.
    """
    size = float(np.max(np.ptp(skeleton.frames[:, 9:], axis=0)))
    heavy = masses[masses[:, 0, 0] > 0.0]
    if not len(heavy) and not len(skeleton.pairs) and not model.modal_bodies:
        raise ModelError(f"{model.title}: nothing in it has mass, only frames between joints; add a body or a beam")
    lengths = list(np.linalg.norm(skeleton.vectors[:, :3], axis=1))
    lengths += [float(np.sqrt(np.trace(M[3:, 3:]) / (2.0 * M[0, 0]))) for M in heavy]
    lengths += [float(np.sqrt(np.trace(body.inertia.inertia) / (2.0 * body.mass))) for body in model.modal_bodies]
    positive = [x for x in lengths if x > 0.0]
    length = float(np.mean(positive)) if positive else max(size, 1.0)
    return length, max(size, length)


def extent(model: Model, frames: Array, length: float) -> float:
    """Longest side of the box around nodes, joints, what holds to the ground and what attracts; a `length` at least.

    The same wherever the mechanism is described: the origin does not count.
    """
    points = [*frames[:-1, 9:], *(joint.position() for joint in model.joints)]
    points += [place.point for part in model for place in part.places if place.on_ground and place.point is not None]
    if model.field is not None and model.frame is None:
        points.append(model.field.centre)
    return max(float(np.max(np.ptp(points, axis=0))), length)


def typical_mass(model: Model, masses: Array, elements: Array) -> float:
    """Typical mass of a node; `masses` of the rigid bodies (nb, 6, 6), of `elements` (ne,)."""
    found = [float(np.trace(M[:3, :3])) / 3.0 for M in masses if M[0, 0] > 0.0]
    return float(np.mean([*found, *elements, *(body.mass for body in model.modal_bodies)]))
