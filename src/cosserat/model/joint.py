"""Joints: which relative motions of two places are free, and what drives, holds or brakes them.

Each joint has one frame in the reference configuration, shared there by its parent side A and its child side B; a
coordinate is zero in the reference configuration. Freedoms are named x, y, z (translations) and rx, ry, rz (rotations)
in that frame.
"""

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Ground, Place
from cosserat.model.potentials import read_potential
from cosserat.model.records import Component, Given, Now, PlaceField, Record, Scalar, recorded

COINCIDE = 1e-6  # of the distance of the places from the origin, and at least 1e-9 m


class Freedom(NamedTuple):
    """One free relative motion: its name, "translation" or "rotation", and the axis (0, 1, 2) of the joint frame."""

    name: str
    kind: str
    axis: int


X, Y, Z = (Freedom(n, "translation", i) for i, n in enumerate("xyz"))
RX, RY, RZ = (Freedom("r" + n, "rotation", i) for i, n in enumerate("xyz"))


class Friction(Record):
    """Smoothed dry friction: effort = -level tanh(rate / speed).

    Parameters
    ----------
    level : float
        Greatest effort (N m or N), not negative.
    speed : float
        Rate at which it is reached to 76 % (rad/s or m/s), greater than 0.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> slide = cs.Prismatic("slide", cs.GROUND, body, axis=(1, 0, 0), friction=cs.Friction(level=2.0, speed=0.01))
    >>> slide.coordinates
    ('slide',)
    """

    word = "friction"

    level = Scalar("Greatest effort (N m or N).", nonnegative=True)
    speed = Scalar("Rate at which it is reached to 76 % (rad/s or m/s).", positive=True)

    @recorded
    def __init__(self, level: Number, speed: Number = 0.01) -> None:
        pass


class Armature(Record):
    """Inertia of a rotor that turns with a joint through a gear: inertia gear^2 is added to that of the coordinate.

    The rotor counts along the coordinate only: its weight belongs to the bodies, and that it turns with its carrier,
    too, is left out, as it is small where the gear is large.

    Parameters
    ----------
    inertia : float
        Of the rotor about its own axis (kg m^2; for a slider kg m^2 with a `gear` in rad/m), not negative.
    gear : float
        Turns of the rotor for one of the joint.

    Examples
    --------
    >>> import cosserat as cs
    >>> link = cs.RigidBody.bar("link", (0, 0, 0), (1, 0, 0), mass=2.0)
    >>> motor = cs.Armature(inertia=2e-5, gear=100.0)
    >>> cs.Revolute("elbow", cs.GROUND, link.at((0, 0, 0)), axis=(0, 0, 1), armature=motor).armature
    (0.2,)
    """

    word = "armature"

    inertia = Scalar("Of the rotor about its own axis (kg m^2).", nonnegative=True)
    gear = Scalar("Turns of the rotor for one of the joint.")

    @recorded
    def __init__(self, inertia: Number, gear: Number = 1.0) -> None:
        pass

    @property
    def value(self) -> float:
        """What it adds to the inertia of the coordinate."""
        return self.inertia * self.gear**2


class Joint(Component):
    """Base of all joints.

    Parameters
    ----------
    name : str
    parent, child : place
        A `Place`, a rigid body (its centre of mass), `GROUND`, or text such as ``"arm1.end"``.
    at : (3,), optional
        Position of the joint in world coordinates of the reference configuration. Default: the child's place, with
        which the parent's must then coincide (`GROUND` without a point coincides with everything).
    motion : optional
        Prescribed coordinate as a function of time (what `TimeFunction` takes).
    effort : optional
        Prescribed generalised force (N m or N) as a function of time; not together with `motion`.
    stiffness, damping : float
        Linear spring and damper on the coordinate (N m/rad, N m s/rad; N/m, N s/m), not negative.
    friction : Friction or float, optional
        Dry friction.
    potential : str or Potential, optional
        Potential energy U(t, q) of the coordinates, as a formula; acts with -dU/dq. In spherical and free joints
        it is a function of the rotation vector (rx, ry, rz) in the joint's frame, and may have preferred axes.
    armature : float or Armature, optional
        Inertia that moves with the coordinate (kg m^2 or kg), such as that of a motor seen through its gear. Not for
        spherical and free joints.
    open : bool
        Whether it begins open: it does nothing until an event of `simulate` engages it, and no other analysis sees it.
        Its places may then be apart; unless `at` is given, each side has the joint at its own place.

    With several freedoms, `motion`, `effort`, `stiffness`, `damping`, `friction` and `armature` take one entry per
    freedom, or a dict by the names of freedoms.
    """

    word = "joint"
    kind: ClassVar[str]
    freedoms: ClassVar[tuple[Freedom, ...]]
    isotropic: ClassVar[bool] = False  # the rotations form a rotation vector: equal stiffness about all axes
    parent = PlaceField[Place]("The place on side A.")
    child = PlaceField[Place]("The place on side B.")
    pitch = Scalar("Advance per radian (m/rad) of a screw, 0 for all others.", absent=0.0)
    open = Given[bool](checks.flag, "Whether it begins open.", absent=False)
    _at = Now[Array | None](checks.array, optional=True, shape=(3,), example="at=(0, 0, 0)")

    @abstractmethod
    def axes(self) -> Array:
        """Orientation (3, 3) of the joint frame in the reference configuration."""

    def _setup(self) -> None:
        """Take what was recorded of the arguments that all joints have; `Fixed` has few of them."""
        given = self._given
        Component.__init__(self, given["name"])
        self.motion, self.effort = self._functions("motion"), self._functions("effort")
        for freedom, q, u in zip(self.freedoms, self.motion, self.effort, strict=True):
            if q is not None and u is not None:
                raise ModelError(
                    f"{self.title}: both motion and effort are given for {freedom.name!r}; prescribe the motion and "
                    "the solver finds the effort, or prescribe the effort and it finds the motion, never both"
                )
        self._stiffness = self._per_freedom("stiffness", 0.0)
        self._damping = self._per_freedom("damping", 0.0)
        self.friction = tuple(
            f if f is None or isinstance(f, Friction) else self._as_friction(f)
            for f in self._per_freedom("friction", None)
        )
        energy = given.get("potential")
        self.potential = None if energy is None else read_potential(self, energy)
        self._armature = self._per_freedom("armature", 0.0)
        self._keep(
            motion=self.motion, effort=self.effort, stiffness=self._stiffness, damping=self._damping,
            friction=self.friction, potential=self.potential, armature=self._armature,
        )  # fmt: skip

    def _functions(self, argument: str) -> tuple[TimeFunction | None, ...]:
        names = [""] if len(self.freedoms) == 1 else [f.name for f in self.freedoms]
        return tuple(
            None if f is None else TimeFunction(f, f"{self.title}: {argument} {name}".rstrip())
            for f, name in zip(self._per_freedom(argument, None), names, strict=True)
        )

    def _as_friction(self, value: Any) -> Friction:
        checks.number(self.title, "friction", value, nonnegative=True)
        return Friction(value)

    def _per_freedom(self, argument: str, empty: Any) -> tuple[Any, ...]:
        """One entry per freedom from an argument: a scalar, a sequence, or a dict by names of freedoms."""
        given = self._given.get(argument)
        names = [f.name for f in self.freedoms]
        n = len(names)
        if given is None or (empty == 0.0 and type(given) in (int, float) and given == 0.0):
            return (empty,) * n
        if n == 0:
            raise self._wrong(argument, "is given, but a fixed joint has no freedom")
        if isinstance(given, dict):
            for key in given:
                if key not in names:
                    raise self._wrong(argument, f"names the freedom {key!r}; freedoms: {', '.join(names)}")
            return tuple(given.get(name, empty) for name in names)
        triple = n == 1 and argument == "motion" and isinstance(given, (tuple, list)) and len(given) == 3
        if isinstance(given, (tuple, list)) and not triple:
            if len(given) != n:
                raise self._wrong(
                    argument, f"has {len(given)} entries; this joint has {n} freedom(s): {', '.join(names)}"
                )
            return tuple(given)
        if n > 1 and (argument in ("motion", "effort") or len({f.kind for f in self.freedoms}) > 1):
            raise self._wrong(
                argument,
                f"must have one entry per freedom ({', '.join(names)}), or be a dict by their names",
            )
        return (given,) * n

    def check(self) -> None:
        super().check()
        for argument, values in (("stiffness", self._stiffness), ("damping", self._damping)):
            for value in values:
                checks.number(self.title, argument, value, nonnegative=True)
            about = {resolve(v) for f, v in zip(self.freedoms, values, strict=True) if f.kind == "rotation"}
            if self.isotropic and len(about) > 1:
                raise self._wrong(
                    argument, f"is {tuple(resolve(v) for v in values)}; about a rotation vector it must be "
                    "isotropic: three equal values for rx, ry, rz"
                )  # fmt: skip
        for friction in self.friction:
            if friction is not None:
                friction.check()
        for value in self._armature:
            if isinstance(value, Armature):
                value.check()
            else:
                checks.number(self.title, "armature", value, nonnegative=True)
        if self.isotropic and any(self.armature):
            raise self._wrong(
                "armature", f"cannot be given to a {self.kind} joint, whose coordinates are no angles of a "
                "motor; use a Universal joint, or hinges one after another"
            )  # fmt: skip
        if self.potential is not None:
            self.potential.check()
        for motion, effort in zip(self.motion, self.effort, strict=True):
            if motion is not None:
                motion.jet([0.0])
            if effort is not None:
                effort.sample([0.0])
        self.axes()

    def arguments(self) -> dict[str, Any]:
        """As for every record; per-freedom arguments as one value, or as a dict of those given."""
        given = super().arguments()
        for argument in ("motion", "effort", "stiffness", "damping", "friction", "armature"):
            entries = given.pop(argument, ())
            present = {
                f.name: e for f, e in zip(self.freedoms, entries) if not (e is None or (type(e) is float and e == 0.0))
            }
            if present:
                given[argument] = present[self.freedoms[0].name] if len(self.freedoms) == 1 else present
        return given

    @property
    def stiffness(self) -> tuple[float, ...]:
        """Stiffness of each freedom (N m/rad or N/m)."""
        return tuple(resolve(k) for k in self._stiffness)

    @property
    def damping(self) -> tuple[float, ...]:
        """Damping of each freedom (N m s/rad or N s/m)."""
        return tuple(resolve(c) for c in self._damping)

    @property
    def armature(self) -> tuple[float, ...]:
        """Inertia that moves with each freedom (kg m^2 or kg)."""
        return tuple(a.value if isinstance(a, Armature) else resolve(a) for a in self._armature)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates: the joint's own name, or name.freedom if there are several."""
        if len(self.freedoms) == 1:
            return (self.name,)
        return tuple(f"{self.name}.{f.name}" for f in self.freedoms)

    def position(self) -> Array:
        """Position (3,) of the joint in the reference configuration."""
        at = self._at
        if at is not None:
            return at
        anywhere = isinstance(self.child.owner, Ground) and self.child.point is None
        return (self.parent if anywhere else self.child).position

    def frame(self) -> Array:
        """Joint frame H (4, 4) in world coordinates of the reference configuration."""
        return se3.frame(self.axes(), self.position())

    def sides(self) -> tuple[Array, Array]:
        """Joint frames (4, 4) of parent and child in the reference configuration: the same, but where it is open."""
        H = self.frame()
        if self._at is not None or not self.open:
            return H, H
        own = (H[:3, 3] if p.on_ground and p.point is None else p.position for p in (self.parent, self.child))
        a, b = (se3.frame(H[:3, :3], x) for x in own)
        return a, b

    def check_places(self) -> None:
        """Raise if the two places are on the same body, both on the ground, or do not coincide where they must."""
        a, b = self.parent, self.child
        if a.on_ground and b.on_ground:
            raise ModelError(f"{self.title}: it connects the ground to the ground; one side must be a body")
        if a.owner is b.owner and (a.s is None or a.s == b.s):
            raise ModelError(f"{self.title}: it connects {a.owner.name!r} to itself; name two bodies")
        if self._at is None and not self.open and not any(p.on_ground and p.point is None for p in (a, b)):
            gap = float(np.linalg.norm(a.position - b.position))
            if gap > max(1e-9, COINCIDE * float(np.abs([a.position, b.position]).max())):
                here, there = checks.listed(a.position), checks.listed(b.position)
                raise ModelError(
                    f"{self.title}: its places do not coincide: {a.label!r} is at {here}, {b.label!r} at {there}, "
                    f"{gap:g} m apart; move one, or pass at=(x, y, z), the position of the joint"
                )

    def freedom_matrix(self) -> Array:
        """Matrix A (6, k) of the free relative twists in the joint frame, linear part first.

        Source: [Grazioso17] Table I. Differs: n is the z axis of the joint frame; columns are in the order of
        `freedoms` (cylindrical: translation first); planar has the rotation too; a universal joint, whose
        matrix is not constant, gives that of the reference configuration.
        """
        A = np.zeros((6, len(self.freedoms)))
        for column, freedom in enumerate(self.freedoms):
            A[freedom.axis + (0 if freedom.kind == "translation" else 3), column] = 1.0
        if self.kind == "screw":
            A[2, 0] = self.pitch
        return A
