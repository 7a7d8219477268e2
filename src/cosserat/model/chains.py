"""Robots from tables of Denavit and Hartenberg."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import ModelError, shown
from cosserat.lie import rotations, se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import AxisJoint, Prismatic, Revolute
from cosserat.model.model import Model
from cosserat.model.places import GROUND

_CONVENTIONS = ("standard", "modified")
_BALL = 0.1  # diameter (m) of a link whose two frames have one origin and of which only the mass is known


def dh_frame(row: Any, q: float = 0.0, joint: str = "R", convention: str = "standard") -> Array:
    """Frame (4, 4) of a link in that of the one before, from its row (a, alpha, d, theta).

    Standard: Rz(theta) Tz(d) Tx(a) Rx(alpha). Modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d), with a and alpha of
    the link before. q is added to theta, or to d of a joint "P".

    Examples
    --------
    >>> dh_frame((1, 0, 0, np.pi / 2)).round(6)[:2, 3]
    array([0., 1.])
    """
    a, alpha, d, theta = checks.array("dh_frame", "row", row, (4,), "(a, alpha, d, theta)")
    theta, d = (theta + q, d) if joint == "R" else (theta, d + q)
    turn, tilt = se3.frame(rotations.about_z(theta), (0, 0, d)), se3.frame(rotations.about_x(alpha), (a, 0, 0))
    return turn @ tilt if convention == "standard" else tilt @ turn


@answered()
def chain_from_dh(
    table: Any,
    joints: str | None = None,
    convention: str = "standard",
    bodies: Sequence[Any] | None = None,
    name: str = "robot",
    gravity: Any = (0.0, 0.0, 0.0),
    base: Any = None,
    damping: Any = 0.0,
) -> Model:
    """A chain of rigid bodies from a table of Denavit and Hartenberg.

    The reference configuration, in which all coordinates are zero, is that of the table: coordinates are added to
    theta of revolute and to d of prismatic joints. Bodies are called ``link1`` ..., joints ``q1`` ...; the frame of a
    body has the axes of its frame of the table.

    Parameters
    ----------
    table : (n, 4)
        Rows (a, alpha, d, theta), in m and rad.
    joints : str, optional
        One letter for each row, R or P; default: all revolute.
    convention : "standard" or "modified"
        See `dh_frame`. Joint i turns about z of frame i - 1 in the standard one, of frame i in the modified one.
    bodies : sequence, optional
        For each link its mass (a thin bar between the origins of its two frames; a ball if they coincide), or a dict
        with ``mass``, ``com`` (in the frame of the table) and ``inertia`` (about the centre of mass, in its axes).
        Default: 1 kg each.
    name, gravity
        Of the model.
    base : (4, 4), optional
        Frame 0 in world coordinates.
    damping : float
        Of all joints.

    Returns
    -------
    Model

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.chain_from_dh([(1.0, 0, 0, 0), (0.5, 0, 0, 0)])
    >>> model.coordinates
    ('q1', 'q2')
    >>> tip = cs.forward_kinematics(model, [np.pi / 2, 0]).position("link2.at(1.5, 0, 0)")
    >>> tip.round(6) + 0.0
    array([0. , 1.5, 0. ])
    """
    where = f"chain_from_dh: robot {name!r}"
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise ModelError(f"{where}: the table is {shown(table)}; give one row (a, alpha, d, theta) for each joint")
    rows = [checks.array(where, f"row {i + 1}", row, (4,), "(a, alpha, d, theta)") for i, row in enumerate(table)]
    if not rows:
        raise ModelError(f"{where}: the table is empty; give one row (a, alpha, d, theta) for each joint")
    kinds = "R" * len(rows) if joints is None else joints
    if not isinstance(kinds, str) or len(kinds) != len(rows) or set(kinds) - set("RP"):
        raise ModelError(f"{where}: joints is {joints!r}; give {len(rows)} letters R or P, one for each row")
    if convention not in _CONVENTIONS:
        raise ModelError(f"{where}: convention is {convention!r}; conventions: {', '.join(_CONVENTIONS)}")
    if not isinstance(bodies, Sequence | None):
        raise ModelError(f"{where}: bodies is {shown(bodies)}; give a list, one for each row")
    if bodies is not None and len(bodies) != len(rows):
        raise ModelError(f"{where}: there are {len(bodies)} bodies for {len(rows)} rows; give one for each")
    model = Model(name, gravity=gravity)
    frame = np.eye(4) if base is None else checks.array(where, "base", base, (4, 4))
    checks.rotation(where, "base", frame[:3, :3])
    before: Any = GROUND
    for i, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        after = frame @ dh_frame(row, 0.0, kind, convention)
        pivot = frame if convention == "standard" else after
        body = model.add(_body(f"link{i + 1}", 1.0 if bodies is None else bodies[i], frame, after, where))
        joint: type[AxisJoint] = Revolute if kind == "R" else Prismatic
        axis, at = tuple(pivot[:3, 2]), tuple(pivot[:3, 3])
        model.add(joint(f"q{i + 1}", before, body, axis=axis, at=at, damping=damping))
        before, frame = body, after
    return model


def _body(name: str, given: Any, start: Array, end: Array, where: str) -> RigidBody:
    """A link from what is known of it."""
    R, x = end[:3, :3], end[:3, 3]
    if isinstance(given, dict):
        unknown = set(given) - {"mass", "com", "inertia"}
        if unknown or not {"mass", "inertia"} <= set(given):
            raise ModelError(f"{where}: body {name!r} is {given!r}; give mass, inertia and, if not at the origin, com")
        com = checks.array(where, f"com of {name!r}", given.get("com", (0, 0, 0)), (3,))
        return RigidBody(name, given["mass"], com=tuple(x + R @ com), inertia=given["inertia"], rotation=R)
    along = R.T @ (x - start[:3, 3])
    if np.linalg.norm(along) < 1e-9:
        J: Any = given * _BALL**2 / 10
        return RigidBody(name, given, com=tuple(x), inertia=(J, J, J), rotation=R)
    bar = RigidBody.bar(name, -along, (0.0, 0.0, 0.0), mass=given)
    return RigidBody(name, given, com=tuple(x - R @ along / 2), inertia=bar.as_given("inertia"), rotation=R)
