"""The kinds of joints: each states its freedoms and the orientation of its frame."""

from typing import Any

import numpy as np

from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.joint import RX, RY, RZ, Armature, Freedom, Friction, Joint, X, Y, Z
from cosserat.model.parameters import Number
from cosserat.model.records import recorded, unit_vector

__all__ = [
    "JOINTS", "Armature", "Cylindrical", "Fixed", "Free", "Freedom", "Friction", "Joint", "Planar",
    "PlanarTranslation", "Prismatic", "Revolute", "Screw", "Spherical", "Universal",
]  # fmt: skip


def axes_about(z: Array) -> Array:
    """A rotation whose third column is the unit vector z; its first is world x made orthogonal to z.

    World y takes the place of world x if z is within 25 degrees of it.
    """
    k = 0 if abs(z[0]) < 0.9 else 1
    x = np.eye(3)[k] - z[k] * z
    x /= np.sqrt(x @ x)
    return np.stack([x, so3.hat(z) @ x, z], axis=1)


class AxisJoint(Joint):
    """Base of the joints with one distinguished direction, which becomes the z axis of the joint frame."""

    axis = unit_vector("Unit vector (3,) of the axis in world coordinates of the reference configuration.")

    @recorded
    def __init__(
        self,
        name: str,
        parent: Any,
        child: Any,
        axis: Any,
        at: Any = None,
        motion: Any = None,
        effort: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = None,
        potential: Any = None,
        armature: Any = 0.0,
        open: bool = False,
    ) -> None:
        self._setup()

    def axes(self) -> Array:
        return axes_about(self.axis)


class Revolute(AxisJoint):
    """Rotation about an axis (a hinge).

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> hinge = cs.Revolute("hinge", cs.GROUND, body, axis=(0, 0, 1), at=(0.5, 0, 0), damping=0.1)
    >>> hinge.coordinates
    ('hinge',)
    """

    kind, freedoms = "revolute", (RZ,)


class Prismatic(AxisJoint):
    """Translation along an axis (a slider).

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Prismatic("slide", cs.GROUND, body, axis=(1, 0, 0), motion="0.1*sin(t)").coordinates
    ('slide',)
    """

    kind, freedoms = "prismatic", (Z,)


class Cylindrical(AxisJoint):
    """Translation along an axis and rotation about it, independent of each other.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Cylindrical("sleeve", cs.GROUND, body, axis=(0, 0, 1), stiffness=(100.0, 0.0)).coordinates
    ('sleeve.z', 'sleeve.rz')
    """

    kind, freedoms = "cylindrical", (Z, RZ)


class Screw(AxisJoint):
    """Rotation about an axis with an advance of `pitch` metres per radian along it.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Screw("screw", cs.GROUND, body, axis=(0, 0, 1), pitch=0.002).coordinates
    ('screw',)
    """

    kind, freedoms = "screw", (RZ,)

    @recorded
    def __init__(
        self,
        name: str,
        parent: Any,
        child: Any,
        axis: Any,
        pitch: Number,
        at: Any = None,
        motion: Any = None,
        effort: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = None,
        potential: Any = None,
        armature: Any = 0.0,
        open: bool = False,
    ) -> None:
        self._setup()


class NormalJoint(Joint):
    """Base of the joints that move in a plane; its normal becomes the z axis of the joint frame."""

    normal = unit_vector("Unit normal (3,) in world coordinates of the reference configuration.")

    @recorded
    def __init__(
        self,
        name: str,
        parent: Any,
        child: Any,
        normal: Any,
        at: Any = None,
        motion: Any = None,
        effort: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = None,
        potential: Any = None,
        armature: Any = 0.0,
        open: bool = False,
    ) -> None:
        self._setup()

    def axes(self) -> Array:
        return axes_about(self.normal)


class Planar(NormalJoint):
    """Two translations in a plane and the rotation about its normal.

    The x axis of the plane is world x made orthogonal to the normal (world y where the normal is within 25 degrees of
    world x); y is the cross product of the normal and x.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Planar("table", cs.GROUND, body, normal=(0, 0, 1)).coordinates
    ('table.x', 'table.y', 'table.rz')
    """

    kind, freedoms = "planar", (X, Y, RZ)


class PlanarTranslation(NormalJoint):
    """Two translations in a plane, no rotation (the planar joint of [Grazioso17] Table I).

    Its axes are those of `Planar`: with the normal along world y, a motion along y goes down world z.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.PlanarTranslation("stage", cs.GROUND, body, normal=(0, 0, 1)).coordinates
    ('stage.x', 'stage.y')
    """

    kind, freedoms = "planar_translation", (X, Y)


class FrameJoint(Joint):
    """Base of the joints without a distinguished direction; the joint frame has the world axes."""

    @recorded
    def __init__(
        self,
        name: str,
        parent: Any,
        child: Any,
        at: Any = None,
        motion: Any = None,
        effort: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = None,
        potential: Any = None,
        armature: Any = 0.0,
        open: bool = False,
    ) -> None:
        self._setup()

    def axes(self) -> Array:
        return np.eye(3)


class Spherical(FrameJoint):
    """All rotations about a point; the coordinates are the rotation vector in the joint frame.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Spherical("ball joint", cs.GROUND, body).coordinates
    ('ball joint.rx', 'ball joint.ry', 'ball joint.rz')
    """

    kind, freedoms, isotropic = "spherical", (RX, RY, RZ), True


class Free(FrameJoint):
    """No constraint: six coordinates (translation, rotation vector) that can be driven, held or braked.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Free("tether", cs.GROUND, body, stiffness=(10, 10, 10, 1, 1, 1)).coordinates
    ('tether.x', 'tether.y', 'tether.z', 'tether.rx', 'tether.ry', 'tether.rz')
    """

    kind, freedoms, isotropic = "free", (X, Y, Z, RX, RY, RZ), True


class Fixed(Joint):
    """No relative motion.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Fixed("weld", cs.GROUND, body).coordinates
    ()
    """

    kind, freedoms = "fixed", ()

    @recorded
    def __init__(self, name: str, parent: Any, child: Any, at: Any = None, open: bool = False) -> None:
        self._setup()

    def axes(self) -> Array:
        return np.eye(3)


class Universal(Joint):
    """Two rotations about perpendicular axes: the first fixed in the parent (x), the second in the child (y).

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Universal("cardan", cs.GROUND, body, axes=((1, 0, 0), (0, 1, 0))).coordinates
    ('cardan.rx', 'cardan.ry')
    """

    kind, freedoms = "universal", (RX, RY)

    @recorded
    def __init__(
        self,
        name: str,
        parent: Any,
        child: Any,
        axes: Any,
        at: Any = None,
        motion: Any = None,
        effort: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = None,
        potential: Any = None,
        armature: Any = 0.0,
        open: bool = False,
    ) -> None:
        self._setup()

    def axes(self) -> Array:
        pair = checks.array(self.title, "axes", self._given["axes"], (2, 3), "((1, 0, 0), (0, 1, 0))")
        x, y = (checks.unit(self.title, "axes", row) for row in pair)
        if abs(float(x @ y)) > 1e-6:
            angle = np.degrees(np.arccos(np.clip(x @ y, -1.0, 1.0)))
            raise self._wrong("axes", f"must be perpendicular; the angle between them is {angle:.4g} degrees")
        y = y - (x @ y) * x
        y /= np.linalg.norm(y)
        return np.stack([x, y, np.cross(x, y)], axis=1)


JOINTS: dict[str, type[Joint]] = {
    cls.__name__: cls
    for cls in (
        Fixed, Revolute, Prismatic, Screw, Cylindrical, Planar, PlanarTranslation, Spherical, Universal, Free,
    )
}  # fmt: skip
