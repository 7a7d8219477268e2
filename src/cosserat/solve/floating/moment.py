"""The state of a flexible tree as a controller sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cosserat.compile.flexible_arrays import new_motions, pack_seats
from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.kernels.arrays import Packed, bound
from cosserat.kernels.flexible import kinematics, readout
from cosserat.kernels.flexible.arrays import FIRST, KIND
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import JointInfo, Station, mechanism_of
from cosserat.results.moment import Moment, site_of
from cosserat.results.run import Run
from cosserat.results.trajectory import Reference
from cosserat.solve.floating.engine import FloatingEngine
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.state import Instant
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.switching import Phases
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.seat_motion import seat_rows


class TreeMoment(Moment):
    """Reads a state of a tree."""

    def __init__(
        self, engine: FloatingEngine, reference: Reference, phases: Phases | None, control: Controlled | None
    ) -> None:
        super().__init__(mechanism_of(reference.compiled))
        self._engine, self._reference, self._phases, self._control = engine, reference, phases, control
        self._tree, self._seats = engine.tree, engine.seats
        self._links = Motions(self._tree.data)
        self._place: Callable[[], int] | None = None
        self._seen: list[Packed] = []  # kept alive for their readers
        self._number = {name: k for k, name in enumerate(self._tree.coordinates)}
        self._q = self._v = np.zeros(0)
        self._point: Callable[[], Instant]
        self._moved = False

    def begin(self, t: float, *where: Any) -> None:
        """Another time; coordinates, velocities, and what gives a copy of the whole state."""
        self.t, self._run, self._moved = t, None, False
        self._q, self._v, self._point = where

    def generalised(self, impulses: dict[Any, Array]) -> Array:
        """Impulses (n,) of efforts of joints that do what impulses (6,) in world axes at places do."""
        total, now = np.zeros(len(self._q)), self._links.move(self._q, self._v)
        self._moved = False
        for node, frame, impulse in self.pushed(impulses):
            seat = self._seats[node]
            seat = replace(seat, frame=seat.frame @ frame)
            R = self._tree.forces.frame(now, self._q, seat)[:3, :3]
            rows = seat_rows(self._tree.data, now, self._q, [seat])
            total += np.concatenate((R.T @ impulse[:3], R.T @ impulse[3:])) @ rows
        return _as_efforts(self._tree.data, self._q, total)

    def _snapshot(self) -> Run:
        """A run of one moment, whose results are found when they are asked for."""
        control, restore = self._control, None
        if control is not None:
            told, held = control.tell, control.values

            def restore(t: float | None) -> None:
                told(None if t is None else held)

        states, phases = self._point().stored, () if self._phases is None else self._phases.now
        found = FloatingResults(self._engine, self._reference, np.array([self.t]), states, restore, phases=phases)
        return Run(found.trajectory())

    def _locate(self, joint: JointInfo, i: int) -> tuple[int, int] | None:
        name = joint.name if len(joint.names) == 1 else f"{joint.name}.{joint.names[i]}"
        number = self._number.get(name)
        return None if number is None or joint.kind in ("spherical", "free") else (number, number)

    def _stored(self, column: int) -> float:
        return float(self._q[column])

    def _read(self, number: int, which: int) -> float:
        return float(self._v[number])

    def _site(self, station: Station) -> tuple[Any, Array]:
        site = site_of(station)
        if station.frame is None:  # between two nodes
            return None, site.motion
        seat = self._seats[station.node] if station.node < len(self._seats) else Seat(-1, np.eye(4))
        seat = replace(seat, frame=seat.frame @ station.frame)
        seats = pack_seats([seat])
        seated = Packed(readout.Seated(seats, new_motions(seats), site))
        self._seen.append(seated)
        return bound(readout.read_seat, self._tree.data.arrays.tree, self._links.address, seated.address), site.motion

    def _move(self, site: Any) -> None:
        if not self._moved:
            if self._place is None:
                self._place = bound(kinematics.move, self._tree.data.arrays.tree, self._links.address)
            vectors = self._links.vectors
            vectors.q[:], vectors.v[:] = self._q, self._v
            self._place()
            self._moved = True
        site()


def _as_efforts(data: TreeData, q: Array, pulls: Array) -> Array:
    """Efforts (n,) of joints that are forces (n,) along the velocities of a tree: `tree_joints.act` turned round."""
    out = pulls.copy()
    for link, row in zip(data.links, data.arrays.table, strict=True):
        if row[KIND] not in (SPHERICAL, FREE):
            continue
        slides = slice(row[FIRST], row[FIRST] + 3)
        turns = slice(row[FIRST] + 3, row[FIRST] + 6) if row[KIND] == FREE else slides
        if link.turn > 0.0:
            R = so3.exp(q[turns])
            out[slides], out[turns] = R @ pulls[slides], R @ pulls[turns]
        else:
            out[slides], out[turns] = -pulls[slides], -pulls[turns]
            if row[KIND] == FREE:
                out[turns] += np.cross(q[slides], pulls[slides])
    return out
