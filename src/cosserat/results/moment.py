"""`Moment`: the state that a controller is given; quick answers to what controllers ask for, a whole `Run` behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import frame_to_row
from cosserat.errors import SolveError
from cosserat.kernels import readout
from cosserat.lie.protocol import Array
from cosserat.results.answers import in_world
from cosserat.results.mechanism import JointInfo, Mechanism, Station
from cosserat.results.run import Run


class Values(np.ndarray):
    """Numbers, the first dimension a time; ``.values`` as labelled arrays of a `Run` have it."""

    @property
    def values(self) -> Array:
        """The numbers as a plain array."""
        return self.view(np.ndarray)

    def __float__(self) -> float:
        """The number, where there is only one."""
        return float(self.item())

_new: Callable[..., Any] = np.ndarray.__new__


class FreedomAddresses(NamedTuple):
    """Where the freedoms of a joint are found; `slow`: only a `Run` knows them."""

    shape: tuple[int, ...]  # of the answer
    coordinate: tuple[int, ...]  # column of the stored coordinates, -1: to be read
    number: tuple[int, ...]  # for reading
    slow: bool


class Moment(ABC):
    """The state of a mechanism at one time, while a controller is called.

    Positions, velocities, coordinates and rates cost a few microseconds each; everything else that a `Run` answers is
    there, too, at the cost of making one. Answers have one time, so that ``state.coordinate("elbow")[-1]`` is a number.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.t = 0.0
        self._live = True  # whether the state is still the one that it is asked for
        self._run: Run | None = None
        self._joints: dict[str, FreedomAddresses] = {}
        self._places: dict[str, tuple[Any, dict[int, Any], Array]] = {}  # what is moved, views of where it is read

    def begin(self, t: float, *where: Any) -> None:
        """Another time; `where`: what a formulation reads then, if that is elsewhere than before."""
        self.t, self._run = t, None

    @property
    def time(self) -> Array:
        """The time (1,) in seconds."""
        return np.array([self.t])

    @property
    def run(self) -> Run:
        """The state as a run of one moment."""
        if self._run is None:
            self._run = self._snapshot()
        return self._run

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.run, name)

    def keep(self) -> None:
        """Stay what it is while the motion goes on: answers come from the run of one moment from here on."""
        self._run, self._live = self.run, False

    # joints -----------------------------------------------------------------------------------------------------------

    def coordinate(self, joint: Any) -> Any:
        """Coordinate of a joint: (1,) for one freedom, (1, k) for several."""
        return self._freedoms("coordinate", joint, 0)

    def coordinate_rate(self, joint: Any) -> Any:
        """Time derivative of `coordinate`."""
        return self._freedoms("coordinate_rate", joint, 1)

    def _freedoms(self, name: str, joint: Any, which: int) -> Any:
        """Displacements (0) or rates (1) of the freedoms of a joint."""
        found = self._joints.get(joint) if type(joint) is str else None
        if found is None:
            found = self._find(joint)
        if found.slow or not self._live:
            return getattr(self.run, name)(joint)
        out = _new(Values, found.shape)
        flat = out if len(found.shape) == 1 else out[0]
        for i, number in enumerate(found.number):
            column = -1 if which else found.coordinate[i]
            flat[i] = self._stored(column) if column >= 0 else self._read(number, which)
        return out

    def _find(self, joint: Any) -> FreedomAddresses:
        name = getattr(joint, "name", joint)
        if type(name) is str and name in self._joints:
            return self._joints[name]
        try:
            info, pick = self.mechanism.joint(joint)
        except Exception:  # modal coordinates, or nothing that exists: the run says which
            return FreedomAddresses((), (), (), True)
        chosen = range(len(info.freedoms)) if pick is None else (pick,)
        parts = [self._locate(info, i) for i in chosen]
        shape = (1,) if len(info.names) == 1 or pick is not None else (1, len(parts))
        slow = any(part is None for part in parts)
        columns = tuple(part[0] for part in parts if part is not None)
        found = FreedomAddresses(shape, columns, tuple(part[1] for part in parts if part is not None), slow)
        if type(name) is str:
            self._joints[name] = found
        return found

    # places -----------------------------------------------------------------------------------------------------------

    def position(self, place: Any) -> Any:
        """Position (1, 3) of a place, world coordinates (m)."""
        return self._part("position", place, readout.POSITION, (1, 3))

    def rotation(self, place: Any) -> Any:
        """Axes of a place as the columns of a rotation matrix (1, 3, 3)."""
        return self._part("rotation", place, readout.ROTATION, (1, 3, 3))

    def velocity(self, place: Any, frame: str = "world") -> Any:
        """Velocity (1, 3) of a place (m/s), in world axes or in those of the place (``frame="body"``)."""
        first = readout.VELOCITY if in_world(frame, "body") else readout.OWN_VELOCITY
        return self._part("velocity", place, first, (1, 3), frame)

    def angular_velocity(self, place: Any, frame: str = "world") -> Any:
        """Angular velocity (1, 3) of a place (rad/s), in world axes or in those of the place."""
        first = readout.SPIN if in_world(frame, "body") else readout.OWN_SPIN
        return self._part("angular_velocity", place, first, (1, 3), frame)

    def _part(self, name: str, place: Any, first: int, shape: tuple[int, ...], *how: str) -> Any:
        found = self._places.get(place) if type(place) is str else None
        if found is None:
            station, label = self.mechanism.station(place)
            if label not in self._places:
                site, motion = self._site(station)
                self._places[label] = site, {}, motion
            found = self._places[label]
            if type(place) is str:
                self._places[place] = found
        if found[0] is None or not self._live:
            return getattr(self.run, name)(place, *how)
        self._move(found[0])
        view = found[1].get(first)
        if view is None:
            size = 9 if first == readout.ROTATION else 3
            view = found[1][first] = found[2][first : first + size].reshape(shape).view(Values)
        return view.copy()

    def pushed(self, impulses: Mapping[Any, Array]) -> Iterator[tuple[int, Array, Array]]:
        """Nodes, places (4, 4) in their frames and impulses (6,), of impulses at places but those on the ground."""
        for place, impulse in impulses.items():
            station, label = self.mechanism.station(place)
            if station.frame is None:
                raise SolveError(
                    f"event: an impulse at {label!r}, between two nodes; give one at a node, such as the end"
                )
            if station.node < self.mechanism.n_nodes:
                yield station.node, station.frame, impulse

    # of a formulation -------------------------------------------------------------------------------------------------

    @abstractmethod
    def _snapshot(self) -> Run:
        """The state as a run of one moment."""

    @abstractmethod
    def _locate(self, joint: JointInfo, i: int) -> tuple[int, int] | None:
        """Column of the coordinate of a freedom (-1: to be read) and its number; None where only a run knows it."""

    @abstractmethod
    def _stored(self, column: int) -> float:
        """A stored coordinate."""

    @abstractmethod
    def _read(self, number: int, which: int) -> float:
        """Displacement (0) or rate (1) of a freedom."""

    @abstractmethod
    def _site(self, station: Station) -> tuple[Any, Array]:
        """What `_move` takes for a place, None where only a run knows it, and where it writes."""

    @abstractmethod
    def _move(self, site: Any) -> None:
        """Read the motion of a place."""


def site_of(station: Station) -> readout.Site:
    """A place for the kernels."""
    frame = np.eye(4) if station.frame is None else station.frame
    nodes = np.array([station.node, station.other], dtype=np.int64)
    return readout.Site(nodes, np.array([station.fraction]), frame_to_row(frame).copy(), np.zeros(readout.END))
