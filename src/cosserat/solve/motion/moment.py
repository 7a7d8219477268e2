"""The state of the Galilean integrator as a controller sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels import readout
from cosserat.kernels.arrays import History, Packed
from cosserat.kernels.freedoms import ROTATION_VECTOR, SLIDE
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import JointInfo, Station, mechanism_of
from cosserat.results.moment import Moment, site_of
from cosserat.results.run import Run
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.memory import Memory
from cosserat.solve.motion.switching import Phases


class NodalMoment(Moment):
    """Reads the state of a problem."""

    def __init__(self, compiled: CompiledModel, memory: Memory, phases: Phases | None) -> None:
        mechanism = mechanism_of(compiled)
        super().__init__(mechanism)
        self._compiled, self._memory, self._phases = compiled, memory, phases
        self._address = None if memory.table is None else memory.address
        self._angle = memory.problem.state.angle
        freedoms = [(info, i) for info in mechanism.joints.values() for i in range(len(info.freedoms))]
        self._numbers = {(info.name, i): k for k, (info, i) in enumerate(freedoms)}
        spot = readout.Spot(
            np.array([info.index for info, _ in freedoms], dtype=np.int64),
            np.array([info.freedoms[i].kind for info, i in freedoms], dtype=np.int64),
            np.array([info.freedoms[i].axis for info, i in freedoms], dtype=float).reshape(-1, 3),
            np.zeros((len(freedoms), 2)),
        )
        self._value, self._spots = spot.value, Packed(spot)
        self._readers: dict[int, Callable[[], int]] = {}
        self._seen: list[Packed] = []  # kept alive for their readers

    def _snapshot(self) -> Run:
        state = self._memory.problem.state
        known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0]
        history = History(*(np.array(a)[None] for a in known))
        times = np.array([self.t])
        phases = () if self._phases is None else self._phases.now
        return Run(Trajectory(self._compiled, times, history, Status(Outcome.OK, self.t), phases=phases))

    def _locate(self, joint: JointInfo, i: int) -> tuple[int, int] | None:
        kind = joint.freedoms[i].kind
        column = joint.active[i] if joint.active[i] >= 0 else joint.counted[i]
        if kind == ROTATION_VECTOR or (column < 0 and kind != SLIDE):
            return None
        return column, self._numbers[joint.name, i]

    def _stored(self, column: int) -> float:
        return float(self._angle[column])

    def _read(self, number: int, which: int) -> float:
        read = self._readers.get(number)
        if read is None or self._address is None:  # with the compiler off a problem is another one now and then
            read = self._readers[number] = readout.freedom_reader(self._memory.address, self._spots.address, number)
        read()
        return float(self._value[number, which])

    def _site(self, station: Station) -> tuple[Any, Array]:
        found = site_of(station)
        site = Packed(found)
        self._seen.append(site)
        return (site if self._address is None else readout.place_reader(self._address, site.address)), found.motion

    def _move(self, site: Any) -> None:
        if self._address is None:
            readout.read_place(self._memory.problem, site.address)
        else:
            site()
