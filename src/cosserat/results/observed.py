"""A run as a moving observer sees it: [Lerbet17] section 6.

Observer 1 is the Galilean frame of the run, observer 2 the one that moves. What differs between them is what they call
constant: velocities and accelerations of 2 lack what the motion of 2 itself drives along, and the Coriolis part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import ModelError, SolveError
from cosserat.lie import Inertia, MovingFrame, Twist, Wrench
from cosserat.lie.frame import Frame
from cosserat.lie.protocol import Array
from cosserat.model.observers import Observer, ObserverMotion
from cosserat.results import kinematics
from cosserat.results.labels import AXES, WRENCH

if TYPE_CHECKING:
    from xarray import DataArray

    from cosserat.results.run import Run

_Law = Callable[[Inertia, MovingFrame, int], Wrench]
"""The wrench of a rigid body seen from a moving frame at time number k."""


@answering
class Observed:
    """What an observer sees of a run; made by `Run.seen_from`.

    The same questions as to a run, answered in the observer's axes with derivatives as the observer takes them; with
    ``frame="body"`` in the axes of the place. Wrenches of a rigid body are about its centre of mass.
    """

    def __init__(self, run: Run, observer: Any) -> None:
        self.run = run
        self.observer = observer
        self.motion: ObserverMotion = _motion_of(run, observer)

    @property
    def time(self) -> Array:
        """Stored times (nt,) in seconds."""
        return self.run.time

    def position(self, place: Any) -> DataArray:
        """Position (time, axis) of a place, from the observer's origin in the observer's axes (m)."""
        return self._in_axes(self._place(place)[1] - self.motion.origin, "position", place, "m")

    def rotation(self, place: Any) -> DataArray:
        """Axes of a place in those of the observer, as the columns of rotation matrices (time, 3, 3)."""
        values = np.swapaxes(self.motion.rotation, 1, 2) @ self._place(place)[0]
        labels = {"axis": AXES, "local": AXES}
        return self.run._labelled(values, labels, self._title("rotation", place), "1")

    def velocity(self, place: Any, frame: str = "observer") -> DataArray:
        """Velocity (time, axis) of a place seen by the observer (m/s): (43)."""
        return self._in_axes(self._velocity(place), "velocity", place, "m/s", frame)

    def angular_velocity(self, place: Any, frame: str = "observer") -> DataArray:
        """Angular velocity (time, axis) of a place with respect to the observer (rad/s)."""
        return self._in_axes(self._spin(place), "angular velocity", place, "rad/s", frame)

    def acceleration(self, place: Any, frame: str = "observer") -> DataArray:
        """Acceleration (time, axis) of a place seen by the observer (m/s^2), without drive and Coriolis parts."""
        values = self.run.acceleration(place).values - self._drive(place) - self._coriolis(place)
        return self._in_axes(values, "acceleration", place, "m/s^2", frame)

    def drive_acceleration(self, place: Any, frame: str = "observer") -> DataArray:
        """Acceleration that a place would have if it were at rest for the observer (m/s^2)."""
        return self._in_axes(self._drive(place), "drive acceleration", place, "m/s^2", frame)

    def coriolis_acceleration(self, place: Any, frame: str = "observer") -> DataArray:
        """Coriolis acceleration of a place, 2 omega x v (m/s^2)."""
        return self._in_axes(self._coriolis(place), "Coriolis acceleration", place, "m/s^2", frame)

    def angular_acceleration(self, place: Any, frame: str = "observer") -> DataArray:
        """Time derivative, as the observer takes it, of `angular_velocity` (rad/s^2)."""
        return self._in_axes(self._spin_rate(place), "angular acceleration", place, "rad/s^2", frame)

    def reaction(self, joint: Any) -> DataArray:
        """Wrench of the parent on the child through a joint as `Run.reaction` has it, in the observer's axes."""
        return self._wrench(self.run.reaction(joint).values, "reaction", getattr(joint, "name", joint))

    # wrenches of rigid bodies -----------------------------------------------------------------------------------------

    def kinetic_wrench(self, body: Any) -> DataArray:
        """Momentum and angular momentum (time, 6) of a rigid body seen by the observer (kg m/s, kg m^2/s): (44)."""
        v, w = self._velocity(body), self._spin(body)
        wrench: _Law = lambda inertia, _, k: inertia.kinetic_wrench(Twist(v[k], w[k]))  # noqa: E731
        return self._of_body(body, wrench, "kinetic wrench", "kg m/s, kg m^2/s")

    def dynamic_wrench(self, body: Any) -> DataArray:
        """Dynamic wrench K_2 (time, 6) of a rigid body: rate of change of its momentum for the observer (N, N m).

        It is the sum of the wrenches that act on the body and of `apparent_wrench`: (47).
        """
        a = self.run.acceleration(body).values - self._drive(body) - self._coriolis(body)
        w, rate = self._spin(body), self._spin_rate(body)
        wrench: _Law = lambda inertia, _, k: inertia.dynamic_wrench(a[k], w[k], rate[k])  # noqa: E731
        return self._of_body(body, wrench, "dynamic wrench", "N, N m")

    def drive_wrench(self, body: Any) -> DataArray:
        """Dynamic wrench K_r (time, 6) of a rigid body if it were fixed to the observer (N, N m): (45)."""
        wrench: _Law = lambda inertia, frame, _: frame.drive_dynamic_wrench(inertia)  # noqa: E731
        return self._of_body(body, wrench, "drive wrench", "N, N m")

    def coriolis_wrench(self, body: Any) -> DataArray:
        """Coriolis part K_c (time, 6) of the dynamic wrench of a rigid body (N, N m): (46)."""
        v, w = self._velocity(body), self._spin(body)
        wrench: _Law = lambda inertia, frame, k: frame.coriolis_dynamic_wrench(inertia, Twist(v[k], w[k]))  # noqa: E731
        return self._of_body(body, wrench, "Coriolis wrench", "N, N m")

    def apparent_wrench(self, body: Any) -> DataArray:
        """What the observer must add to the wrenches that act on a rigid body: -(drive + Coriolis) (time, 6)."""
        values = -(self.drive_wrench(body) + self.coriolis_wrench(body))
        return values.assign_attrs(long_name=self._title("apparent wrench", body), units="N, N m")

    # ------------------------------------------------------------------------------------------------------------------

    def _place(self, place: Any) -> tuple[Array, Array]:
        station, _ = self.run.motion.mechanism.station(place)
        return kinematics.place_frames(self.run.motion, station)

    def _velocity(self, place: Any) -> Array:
        arm = self._place(place)[1] - self.motion.origin
        return self.run.velocity(place).values - self.motion.velocity - np.cross(self.motion.omega, arm)

    def _spin(self, place: Any) -> Array:
        return self.run.angular_velocity(place).values - self.motion.omega

    def _spin_rate(self, place: Any) -> Array:
        absolute = self.run.angular_acceleration(place).values
        return absolute - self.motion.alpha - np.cross(self.motion.omega, self._spin(place))

    def _drive(self, place: Any) -> Array:
        arm, omega = self._place(place)[1] - self.motion.origin, self.motion.omega
        return self.motion.acceleration + np.cross(self.motion.alpha, arm) + np.cross(omega, np.cross(omega, arm))

    def _coriolis(self, place: Any) -> Array:
        return 2.0 * np.cross(self.motion.omega, self._velocity(place))

    def _of_body(self, body: Any, wrench: _Law, name: str, units: str) -> DataArray:
        inertia, R = self._inertia(body)
        x = self._place(body)[1]
        values = np.empty((len(x), 6))
        for k in range(len(x)):
            # about the centre of mass, axes of the world: all vectors along one basis
            m = self.motion
            frame = MovingFrame(m.origin[k] - x[k], m.velocity[k], m.acceleration[k], m.omega[k], m.alpha[k])
            values[k] = wrench(inertia.carried_by(Frame(R[k])), frame, k).array
        return self._wrench(values, name, getattr(body, "name", body), units)

    def _inertia(self, body: Any) -> tuple[Inertia, Array]:
        mechanism = self.run.motion.mechanism
        name = getattr(body, "name", body)
        if not isinstance(name, str) or name not in mechanism.bodies:
            known = ", ".join(map(repr, mechanism.bodies)) or "none"
            raise ModelError(f"seen_from: wrenches are those of rigid bodies, got {name!r}; rigid bodies: {known}")
        node = mechanism.bodies[name]
        bodies = mechanism.system.bodies
        M = bodies.mass[int(np.flatnonzero(bodies.node == node)[0])]
        return Inertia(float(M[0, 0]), central=M[3:, 3:]), self._place(name)[0]

    def _wrench(self, values: Array, name: str, of: Any, units: str = "N, N m") -> DataArray:
        back = np.swapaxes(self.motion.rotation, 1, 2)
        return self.run._labelled(kinematics.turned(back, values), {"component": WRENCH}, self._title(name, of), units)

    def _in_axes(self, values: Array, name: str, place: Any, units: str, frame: str = "observer") -> DataArray:
        if frame not in ("observer", "body"):
            raise SolveError(f"frame is {frame!r}; pass 'observer' or 'body'")
        axes = self.motion.rotation if frame == "observer" else self._place(place)[0]
        values = kinematics.rotate(np.swapaxes(axes, 1, 2), values)
        return self.run._labelled(values, {"axis": AXES}, self._title(name, place), units)

    def _title(self, name: str, of: Any) -> str:
        return f"{name} of {getattr(of, 'label', of)} seen from {self._seen_from}"

    @property
    def _seen_from(self) -> str:
        if isinstance(self.observer, Observer):
            return "an observer"
        return str(getattr(self.observer, "label", self.observer))

    def __repr__(self) -> str:
        return f"<{self.run!r} seen from {self._seen_from}>"


def _motion_of(run: Run, observer: Any) -> ObserverMotion:
    if isinstance(observer, Observer):
        return observer.motion(run.time)
    station, _ = run.motion.mechanism.station(observer)
    asked = (run.velocity, run.acceleration, run.angular_velocity, run.angular_acceleration)
    return ObserverMotion(*kinematics.place_frames(run.motion, station), *(f(observer).values for f in asked))
