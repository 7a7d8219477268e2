"""Questions about places over time: where they are, how they are turned, how they move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError, shown
from cosserat.results import kinematics
from cosserat.results.attitude import converted
from cosserat.results.labels import AXES
from cosserat.results.motion import Motion
from cosserat.results.quantities import KINDS, spoken, target_of

if TYPE_CHECKING:
    from xarray import DataArray

Array = NDArray[np.float64]


class PlaceAnswers:
    """Answers about places of a `Motion`; places are text such as ``"arm1.end"``, or `Place` objects."""

    motion: Motion

    def position(self, place: Any) -> DataArray:
        """Position (time, axis) of a place, world coordinates (m)."""
        return self._of_place("position", place)

    def rotation(self, place: Any) -> DataArray:
        """Axes of a place as the columns of rotation matrices (time, 3, 3)."""
        station, label = self.motion.mechanism.station(place)
        values = kinematics.place_frames(self.motion, station)[0]
        return self._labelled(values, ("axis", "local"), {"axis": AXES, "local": AXES}, f"rotation of {label}", "1")

    def attitude(self, place: Any, kind: str = "yaw_pitch_roll") -> DataArray:
        """Attitude (time, k) of a place without jumps: "yaw_pitch_roll", "euler", "quaternion" or "rotation_vector".

        Angles are those of `cosserat.lie.rotations` (rad), quaternions are (w, x, y, z).
        """
        values, names, unit = converted(kind, self.rotation(place).values)
        label = f"{kind.replace('_', ' ')} of {self.motion.mechanism.station(place)[1]}"
        return self._labelled(values, ("angle",), {"angle": names}, label, unit)

    def yaw_pitch_roll(self, place: Any) -> DataArray:
        """Yaw, pitch and roll (time, 3) of a place (rad): M3(yaw) M2(pitch) M1(roll). Source: [Lerbet17] 1.8.3."""
        return self.attitude(place)

    def velocity(self, place: Any, frame: str = "world") -> DataArray:
        """Velocity (time, axis) of a place (m/s), in world axes or in those of the place (``frame="body"``)."""
        return self._of_place("velocity", place, frame)

    def angular_velocity(self, place: Any, frame: str = "world") -> DataArray:
        """Angular velocity (time, axis) of a place (rad/s), in world axes or in those of the place."""
        return self._of_place("angular_velocity", place, frame)

    def acceleration(self, place: Any, frame: str = "world") -> DataArray:
        """Acceleration (time, axis) of a place (m/s^2), in world axes or in those of the place."""
        return self._of_place("acceleration", place, frame)

    def angular_acceleration(self, place: Any, frame: str = "world") -> DataArray:
        """Angular acceleration (time, axis) of a place (rad/s^2), in world axes or in those of the place."""
        return self._of_place("angular_acceleration", place, frame)

    def _of_place(self, word: str, place: Any, frame: str = "world") -> DataArray:
        """A quantity of the table that is of places, in world axes or in those of the place."""
        station, label, _ = target_of(self.motion.mechanism, word, place)
        values = KINDS[word].values(self.motion, station)
        if not in_world(frame, "body"):
            R = kinematics.place_frames(self.motion, station)[0]
            values = kinematics.rotate(np.swapaxes(R, 1, 2), values)
        return self._labelled(values, ("axis",), {"axis": AXES}, f"{spoken(word)} of {label}", KINDS[word].units[0])

    def _labelled(
        self, values: Array, dims: tuple[str, ...], coords: dict[str, Any], name: str, units: str
    ) -> DataArray:
        from xarray import DataArray

        labels = {"time": ("time", self.motion.time, {"units": "s", "long_name": "time"})}
        labels.update({key: (key, list(value)) for key, value in coords.items()})  # type: ignore[misc]
        return DataArray(values, dims=("time", *dims), coords=labels, attrs={"long_name": name, "units": units})


def in_world(frame: str, other: str) -> bool:
    if frame not in ("world", other):
        raise SolveError(f"frame is {shown(frame)}; pass 'world' or {other!r}")
    return frame == "world"
