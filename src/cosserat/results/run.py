"""`Run`: the result of a simulation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.results import joints, kinematics
from cosserat.results.motion import Motion, motion_of
from cosserat.results.status import Status
from cosserat.results.trajectory import Trajectory

if TYPE_CHECKING:
    from xarray import DataArray

    from cosserat.model.model import Model

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


class Run:
    """Result of a simulation: questions by place, joint and beam, answered over the stored times.

    Places are text such as ``"arm1.end"``, ``"arm1.at(0.5)"``, ``"hub"``, or `Place` objects. All answers are
    `xarray.DataArray` with the dimension ``time`` first.

    Attributes
    ----------
    status : Status
        How the run ended; ``run.status.ok``.
    time : (nt,) array
        Stored times (s).
    stats, settings : dict
        Work done by the solver, and what it was asked for.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.motion: Motion = motion_of(trajectory)

    @property
    def status(self) -> Status:
        """How the run ended."""
        return self.trajectory.status

    @property
    def time(self) -> Array:
        """Stored times (nt,) in seconds."""
        return self.trajectory.time

    @property
    def stats(self) -> dict[str, Any]:
        """Steps, solves, times and sizes."""
        return self.trajectory.stats

    @property
    def settings(self) -> dict[str, Any]:
        """What the solver was asked for."""
        return self.trajectory.settings

    @property
    def model(self) -> Model:
        """The model that was simulated."""
        return self.trajectory.compiled.model

    # places -----------------------------------------------------------------------------------------------------------

    def position(self, place: Any) -> DataArray:
        """Position (time, axis) of a place, world coordinates (m)."""
        station, label = self.motion.mechanism.station(place)
        values = kinematics.place_frames(self.motion, station)[1]
        return self._labelled(values, ("axis",), {"axis": AXES}, f"position of {label}", "m")

    def rotation(self, place: Any) -> DataArray:
        """Axes of a place as the columns of rotation matrices (time, 3, 3)."""
        station, label = self.motion.mechanism.station(place)
        values = kinematics.place_frames(self.motion, station)[0]
        return self._labelled(values, ("axis", "local"), {"axis": AXES, "local": AXES}, f"rotation of {label}", "1")

    def velocity(self, place: Any, frame: str = "world") -> DataArray:
        """Velocity (time, axis) of a place (m/s), in world axes or in those of the place (``frame="body"``)."""
        return self._twist_part(place, frame, slice(0, 3), "velocity", "m/s")

    def angular_velocity(self, place: Any, frame: str = "world") -> DataArray:
        """Angular velocity (time, axis) of a place (rad/s), in world axes or in those of the place."""
        return self._twist_part(place, frame, slice(3, 6), "angular velocity", "rad/s")

    def acceleration(self, place: Any, frame: str = "world") -> DataArray:
        """Acceleration (time, axis) of a place (m/s^2), in world axes or in those of the place."""
        station, label = self.motion.mechanism.station(place)
        twist, rate = kinematics.place_twists(self.motion, station), kinematics.place_rates(self.motion, station)
        values = rate[:, :3] + np.cross(twist[:, 3:], twist[:, :3])
        if _in_world(frame, "body"):
            values = kinematics.rotate(kinematics.place_frames(self.motion, station)[0], values)
        return self._labelled(values, ("axis",), {"axis": AXES}, f"acceleration of {label}", "m/s^2")

    def angular_acceleration(self, place: Any, frame: str = "world") -> DataArray:
        """Angular acceleration (time, axis) of a place (rad/s^2), in world axes or in those of the place."""
        station, label = self.motion.mechanism.station(place)
        values = kinematics.place_rates(self.motion, station)[:, 3:]
        if _in_world(frame, "body"):
            values = kinematics.rotate(kinematics.place_frames(self.motion, station)[0], values)
        return self._labelled(values, ("axis",), {"axis": AXES}, f"angular acceleration of {label}", "rad/s^2")

    def _twist_part(self, place: Any, frame: str, part: slice, name: str, units: str) -> DataArray:
        station, label = self.motion.mechanism.station(place)
        values = kinematics.place_twists(self.motion, station)[:, part]
        if _in_world(frame, "body"):
            values = kinematics.rotate(kinematics.place_frames(self.motion, station)[0], values)
        return self._labelled(values, ("axis",), {"axis": AXES}, f"{name} of {label}", units)

    # joints -----------------------------------------------------------------------------------------------------------

    def coordinate(self, joint: Any) -> DataArray:
        """Coordinate of a joint: (time,) for one freedom, (time, freedom) for several.

        Angles (rad) run on through any number of turns. ``"joint.rz"`` picks one of several freedoms.
        """
        return self._of_freedoms(joint, joints.coordinates, "coordinate", ("m", "rad"))

    def coordinate_rate(self, joint: Any) -> DataArray:
        """Time derivative of `coordinate` (m/s, rad/s)."""
        return self._of_freedoms(joint, joints.coordinate_rates, "coordinate rate", ("m/s", "rad/s"))

    def effort(self, joint: Any) -> DataArray:
        """Effort in the freedoms of a joint (N or N m), positive when it pushes the child along the coordinate.

        Where the motion is prescribed: what the drive must give. Elsewhere: the sum of spring, damper, friction and
        prescribed effort.
        """
        return self._of_freedoms(joint, joints.efforts, "effort", ("N", "N m"))

    def reaction(self, joint: Any, frame: str = "world") -> DataArray:
        """Wrench (time, component) that the parent exerts on the child through the joint (N, N m).

        About the origin of the joint on the child's side, in world axes or, with ``frame="joint"``, in the axes of the
        joint frame of the child. Constraint forces, drives, and the efforts in the freedoms all count.
        """
        info, _ = self.motion.mechanism.joint(joint)
        values = joints.reactions(self.motion, info, _in_world(frame, "joint"))
        return self._labelled(values, ("component",), {"component": WRENCH}, f"reaction of {info.name}", "N, N m")

    def _of_freedoms(self, joint: Any, function: Any, name: str, units: tuple[str, str]) -> DataArray:
        info, pick = self.motion.mechanism.joint(joint)
        values = function(self.motion, info)
        unit = [units[0] if kind == "translation" else units[1] for kind in info.kinds]
        if len(info.names) == 1 or pick is not None:
            k = 0 if pick is None else pick
            return self._labelled(values[:, k], (), {}, f"{name} of {info.name}", unit[k])
        mixed = ", ".join(dict.fromkeys(unit))
        return self._labelled(values, ("freedom",), {"freedom": info.names}, f"{name} of {info.name}", mixed)

    def _labelled(self, values: Array, dims: tuple[str, ...], coords: dict[str, Any], name: str, units: str) -> DataArray:
        from xarray import DataArray

        labels = {"time": ("time", self.time, {"units": "s", "long_name": "time"})}
        labels.update({key: (key, list(value)) for key, value in coords.items()})  # type: ignore[misc]
        return DataArray(values, dims=("time", *dims), coords=labels, attrs={"long_name": name, "units": units})

    def __repr__(self) -> str:
        name = self.model.name
        return f"<Run of {name!r}: {len(self.time)} stored times to t = {self.time[-1]:g} s, {self.status.message}>"


def _in_world(frame: str, other: str) -> bool:
    if frame not in ("world", other):
        raise SolveError(f"frame is {frame!r}; pass 'world' or {other!r}")
    return frame == "world"
