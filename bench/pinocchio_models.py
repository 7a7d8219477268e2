"""Robots for the recursive algorithms, and the same robots for Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import cosserat as cs

Array = NDArray[np.float64]

GRAVITY = (0.0, 0.0, -9.81)
ALIGNED = {(1, 0, 0): pin.JointModelRX, (0, 1, 0): pin.JointModelRY, (0, 0, 1): pin.JointModelRZ}


def chain(n: int, aligned: bool = True, seed: int = 1) -> cs.Model:
    """A chain of n links with hinges about z, y, x in turn, or about any axes."""
    rng = np.random.default_rng(seed)
    model = cs.Model(f"chain of {n}", gravity=GRAVITY)
    inner: cs.RigidBody | None = None
    x = np.zeros(3)
    for i in range(n):
        body = model.add(_body(f"link{i}", x + rng.uniform(-0.1, 0.1, 3), rng))
        axis = np.eye(3)[2 - i % 3] if aligned else rng.normal(size=3)
        model.add(cs.Revolute(f"joint{i}", cs.GROUND if inner is None else inner.at(x), body.at(x), axis=axis))
        inner, x = body, x + rng.uniform(-0.3, 0.3, 3)
    return model


def arm() -> cs.Model:
    """An arm with seven hinges."""
    return chain(7, seed=7)


def walker(legs: int = 4, joints: int = 7, seed: int = 3) -> cs.Model:
    """A free base with legs: hinges, a ball for a hip, a slider for a foot."""
    rng = np.random.default_rng(seed)
    model = cs.Model("walker", gravity=GRAVITY)
    base = model.add(_body("base", rng.uniform(-0.1, 0.1, 3), rng))
    model.add(cs.Free("float", cs.GROUND, base.at((0, 0, 0))))
    for k in range(legs):
        inner, x = base, rng.uniform(-0.5, 0.5, 3)
        for i in range(joints):
            name = f"{k}{i}"
            body = model.add(_body(f"link{name}", x + rng.uniform(-0.1, 0.1, 3), rng))
            places = (inner.at(x), body.at(x))
            if i == 0:
                model.add(cs.Spherical(f"joint{name}", *places))
            elif i == joints - 1:
                model.add(cs.Prismatic(f"joint{name}", *places, axis=rng.normal(size=3)))
            else:
                model.add(cs.Revolute(f"joint{name}", *places, axis=rng.normal(size=3)))
            inner, x = body, x + rng.uniform(-0.3, 0.3, 3)
    return model


def _body(name: str, com: Array, rng: np.random.Generator) -> cs.RigidBody:
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = R @ np.diag(rng.uniform(0.02, 0.03, 3)) @ R.T
    return cs.RigidBody(name, mass=rng.uniform(0.5, 2.0), com=com, inertia=(inertia + inertia.T) / 2)


def pinocchio_model(model: cs.Model) -> pin.Model:
    """The same tree; every joint frame has the world axes in the reference configuration."""
    out = pin.Model()
    out.gravity.linear[:] = model.gravity
    known: dict[str, tuple[int, Array]] = {"ground": (0, np.zeros(3))}
    for joint in model.joints:
        parent, origin = known[joint.parent.owner.name]
        at = joint.position()
        index = out.addJoint(parent, _joint(joint), pin.SE3(np.eye(3), at - origin), joint.name)
        body = joint.child.owner
        R = body.rotation
        out.appendBodyToJoint(
            index, pin.Inertia(body.mass, body.com - at, R @ body.inertia @ R.T), pin.SE3.Identity()
        )
        known[body.name] = (index, at)
    return out


def _joint(joint: cs.model.joint.Joint) -> object:
    if joint.kind == "free":
        return pin.JointModelFreeFlyer()
    if joint.kind == "spherical":
        return pin.JointModelSpherical()
    axis = joint.axes()[:, 2]
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(*axis)
    aligned = ALIGNED.get(tuple(int(x) for x in np.round(axis)))
    if aligned is not None and np.abs(axis - np.round(axis)).max() < 1e-15:
        return aligned()
    return pin.JointModelRevoluteUnaligned(*axis)


def pinocchio_coordinates(model: cs.Model, robot: pin.Model, q: Array) -> Array:
    """Coordinates with quaternions (x, y, z, w) in place of rotation vectors."""
    out: list[float] = []
    at = 0
    for joint in model.joints:
        own = q[at : at + len(joint.freedoms)]
        at += len(joint.freedoms)
        if joint.isotropic:
            w, x, y, z = cs.lie.so3.to_quaternion(cs.lie.so3.exp(own[-3:]))
            out += [*own[:-3], x, y, z, w]
        else:
            out += list(own)
    assert len(out) == robot.nq
    return np.array(out)
