"""Servos: what drives the coordinate of a joint to a target, taken implicitly by every solver."""

from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError, shown
from cosserat.model.functions import TimeFunction
from cosserat.model.joint import Joint
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import Component, Scalar, number, recorded


class Servo(Component):
    """A position servo in one coordinate of a joint: effort = kp (target - q) - kd q_dot, within -limit and limit.

    It acts at every moment, not at samples, and solvers know its derivatives: steps stay stable however stiff it is,
    and `equilibrium`, `modes`, `linearize` and `stability` see the closed loop. It adds to what the joint has itself
    (`effort`, `stiffness`, `damping`, `friction`). A moving target is followed with a lag of kd/kp seconds; give the
    joint ``effort=`` kd times the rate of the target to remove it.

    Parameters
    ----------
    name : str
    joint : Joint or str
        A joint with one freedom, or the name of a coordinate such as ``"table.x"``. Not of spherical and free joints,
        and not where the motion is prescribed.
    target : number, Parameter, formula in ``t`` or function of time
        Wanted coordinate (rad or m). A controller may set another one at any time under the name of the servo.
    kp : float
        Effort for a unit of the error (N m/rad or N/m), not negative.
    kd : float
        Effort against a unit of the rate (N m s/rad or N s/m), not negative.
    limit : float, optional
        Greatest effort (N m or N). The effort is cut off there exactly: beyond it, it does not change at all.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arm", gravity=(0, -9.81, 0))
    >>> arm = model.add(cs.RigidBody.bar("arm", (0, 0, 0), (1, 0, 0), mass=1.0))
    >>> elbow = model.add(cs.Revolute("elbow", cs.GROUND, arm.at((0, 0, 0)), axis=(0, 0, 1)))
    >>> servo = model.add(cs.Servo("motor", elbow, target=0.5, kp=200.0, kd=20.0))
    >>> run = cs.simulate(model, duration=2.0, step=0.01)
    >>> round(float(run.coordinate("elbow")[-1]), 3)  # it sags under the weight
    0.478
    """

    word = "servo"
    kp = Scalar("Effort for a unit of the error (N m/rad or N/m).", nonnegative=True)
    kd = Scalar("Effort against a unit of the rate (N m s/rad or N s/m).", nonnegative=True)
    _limit = number(positive=True, optional=True)

    @recorded
    def __init__(
        self, name: str, joint: Any, target: Any = 0.0, kp: Number = 0.0, kd: Number = 0.0, limit: Number | None = None
    ) -> None:
        Component.__init__(self, name)
        if isinstance(joint, Joint):
            _demand_one(self.title, joint)
            joint = joint.name
        if not isinstance(joint, str) or not joint.strip():
            raise self._wrong(
                "joint", f"must be a joint or the name of a coordinate such as 'elbow', got {shown(joint)}"
            )
        self.coordinate = joint.strip()
        self.target = TimeFunction(target, f"{self.title}: target")
        self._keep(joint=self.coordinate, target=self.target)

    def check(self) -> None:
        super().check()
        if self.kp == 0.0 and self.kd == 0.0:
            raise self._wrong("kp", "and kd are both 0, so that it does nothing; give one of them")
        self.target.sample([0.0])

    @property
    def limit(self) -> float:
        """Greatest effort; infinite if there is none."""
        return np.inf if self._limit is None else resolve(self._limit)

    def join(self, model: Any) -> None:
        self.find(model)
        for other in model.servos:
            if other.coordinate == self.coordinate and other.name != self.name:
                raise ModelError(
                    f"{self.title}: the coordinate {self.coordinate!r} has the {other.title} already; a coordinate "
                    "takes one servo"
                )

    def find(self, model: Any) -> tuple[Joint, int]:
        """Its joint, and the number of the freedom; a located error for what it cannot drive."""
        coordinates = {name: (joint, i) for joint in model.joints for i, name in enumerate(joint.coordinates)}
        if self.coordinate not in coordinates:
            for joint in model.joints:
                if joint.name == self.coordinate:
                    _demand_one(self.title, joint)
            known = ", ".join(map(repr, coordinates)) or "none"
            raise self._wrong("joint", f"names {self.coordinate!r}; coordinates of the model: {known}")
        joint, index = coordinates[self.coordinate]
        if joint.isotropic:
            raise self._wrong(
                "joint", f"is {joint.title}, of kind {joint.kind}, whose coordinates are those of a "
                "rotation vector; use a Universal joint, hinges one after another, or a StateLoad"
            )  # fmt: skip
        if joint.motion[index] is not None:
            raise self._wrong(
                "joint", f"is {joint.title}, whose motion is prescribed; leave out the motion, or the servo"
            )
        return joint, index


def _demand_one(title: str, joint: Joint) -> None:
    if len(joint.freedoms) != 1:
        choices = ", ".join(map(repr, joint.coordinates)) or "none"
        raise ArgumentError(
            title, "joint", f"is {joint.title} with {len(joint.freedoms)} freedoms; name one coordinate: {choices}"
        )


def servos_of(model: Any) -> dict[tuple[str, int], Servo]:
    """Servos of a model by the name of their joint and the number of the freedom."""
    found = {}
    for servo in model.servos:
        joint, index = servo.find(model)
        found[joint.name, index] = servo
    return found
