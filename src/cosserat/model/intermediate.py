"""Massless frames between joints: higher pairs as combinations of lower ones. Source: [Grazioso17] section 2.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.bodies import RigidBody
from cosserat.model.fields import Now, Scalar, vector
from cosserat.model.records import Component, Record, recorded

if TYPE_CHECKING:
    from cosserat.model.joint import Joint
    from cosserat.model.model import Model


class IntermediateFrame(RigidBody):
    """A frame without mass that joints are attached to, such as a revolute and a prismatic one in a row.

    Every motion of it must move a body: what it can do alone has no equation, and is an error.

    Parameters
    ----------
    name : str
    at : (3,)
        Its origin in world coordinates of the reference configuration (m).
    rotation : (3, 3) or (4,), optional
        Its axes, as those of a `RigidBody`.

    Examples
    --------
    A cylindrical pair from a revolute and a prismatic one:

    >>> import cosserat as cs
    >>> model = cs.Model("pair")
    >>> sleeve = model.add(cs.IntermediateFrame("sleeve"))
    >>> rod = model.add(cs.RigidBody.cylinder("rod", diameter=0.02, length=0.3, mass=0.2))
    >>> turn = model.add(cs.Revolute("turn", cs.GROUND, sleeve, axis=(0, 0, 1)))
    >>> slide = model.add(cs.Prismatic("slide", sleeve, rod, axis=(0, 0, 1), at=(0, 0, 0)))
    >>> model.coordinates
    ('turn', 'slide')
    """

    word = "frame"

    mass = Scalar("Zero.", absent=0.0)
    com = vector("Its origin (3,) in the reference configuration.", argument="at", example="at=(0, 0, 0)")
    inertia = Now[Array](checks.tensor, "Zero (3, 3).", absent=(0.0, 0.0, 0.0))

    @recorded
    def __init__(self, name: str, at: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> None:
        Component.__init__(self, name)
        self.shape = None

    def check(self) -> None:
        Record.check(self)  # not that it has inertia


def check_frames(model: Model) -> None:
    """Raise if a frame without mass, or several together, can move while all bodies stand still.

    Such motions are the null space of the constraints of their joints at the reference configuration. Freedoms that are
    driven, or have an armature, do not count: the one is given, the other has inertia.
    """
    carried = {id(added.body) for added in model.added_masses}
    carried |= {id(place.owner) for item in model.rolling for place in item.places}
    frames = [body for body in model.bodies if isinstance(body, IntermediateFrame) and id(body) not in carried]
    if not frames:
        return
    number = {id(frame): i for i, frame in enumerate(frames)}
    rows = [np.zeros((1, 6 * len(frames)))]
    for joint in model.joints:
        held = _held(joint) @ se3.adjoint(se3.inverse(joint.frame()))  # of twists in world axes at the origin
        block = np.zeros((held.shape[0], 6 * len(frames)))
        for place, sign in ((joint.parent, -1.0), (joint.child, 1.0)):
            i = number.get(id(place.owner))
            if i is not None:
                block[:, 6 * i : 6 * i + 6] += sign * held
        rows.append(block)
    _, sizes, motions = np.linalg.svd(np.vstack(rows))
    scale = float(sizes.max(initial=0.0))
    if np.count_nonzero(sizes > 1e-9 * scale) == 6 * len(frames) and scale > 0.0:
        return
    loose = np.abs(motions[-1].reshape(len(frames), 6)).max(axis=1)
    frame = frames[int(np.argmax(loose))]
    joints = [j.name for j in model.joints if frame in (j.parent.owner, j.child.owner)]
    raise ModelError(
        f"{frame.title}: it has no mass and can move alone, without moving a body; joints at it: "
        f"{', '.join(repr(name) for name in joints) or 'none'}; attach a body to it, or make it a RigidBody with mass"
    )


def _held(joint: Joint) -> Array:
    """Rows (n, 6) of relative twists in the joint's frame that the joint does not leave to the frame alone."""
    free = [m is None and a == 0.0 for m, a in zip(joint.motion, joint.armature, strict=True)]
    A = joint.freedom_matrix()[:, free]
    U, _, _ = np.linalg.svd(A, full_matrices=True) if A.shape[1] else (np.eye(6), None, None)
    return np.asarray(U[:, A.shape[1] :].T)
