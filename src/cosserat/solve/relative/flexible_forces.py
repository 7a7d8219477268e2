"""What acts on a tree of rigid and elastic links besides gravity: springs, loads, and what its joints have."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.flexible_arrays import new_motions, pack_seats
from cosserat.compile.fluid_links import WEIGHT, Uplift, uplifts
from cosserat.compile.joints import coordinate_laws
from cosserat.compile.loads import ElementLoad, given_tensions, line_arrays, nodal_loads, seat_loads
from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.spanning import moment_at_rest, potential_at_rest
from cosserat.compile.state_laws import CompiledLaw, compile_law
from cosserat.compile.state_loads import Signal, law_fields, signals_of
from cosserat.compile.timetable import Jumps
from cosserat.compile.tree import FLUID, PROPELLANT, TreeData
from cosserat.kernels.arrays import Loads, Packed, Springs, address_rows, most_places, new_owned, new_visit, zeros
from cosserat.kernels.efforts import servo
from cosserat.kernels.flexible import arrays, composite, forces
from cosserat.kernels.flexible.course import burn
from cosserat.kernels.flexible.owning import load_owning, new_inner
from cosserat.lie.protocol import Array
from cosserat.model.forces import LineForce
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.trajectory import Kept, as_kept
from cosserat.solve.relative.flexible_recursion import Motions


def law_group(laws: list[CompiledLaw], first: int, length: float, inertia: Array) -> arrays.Laws:
    """Arrays of users' laws, whose seats come one after another from `first` on."""
    fields = law_fields(laws, length)
    count = int(fields["first"][-1])
    return zeros(arrays.Laws)._replace(
        **fields,
        node=first + np.arange(count, dtype=np.int64),
        frame=np.tile(frame_to_row(np.eye(4)), (count, 1)),
        unit=address_rows([(law.law, law.derivative, law.inertia) for law in laws], 3),
        inertia=inertia,
    )


def new_items(places: Sequence[int]) -> arrays.Items:
    """Room for derivatives of what acts at so many seats each."""
    if not places:
        return zeros(arrays.Items)
    first, at = (np.cumsum([0, *parts], dtype=np.int64) for parts in (places, [72 * n * n for n in places]))
    return zeros(arrays.Items, nk=int(at[-1]), nw=6 * max(places))._replace(first=first, at=at[:-1])


class FlexibleForces:
    """Springs, dampers and loads at places; stiffness, damping, friction, efforts, servos of joint coordinates."""

    def __init__(self, model: Model, data: TreeData) -> None:
        self._data, self._tree = data, data.arrays.tree
        self.moment_at_rest = moment_at_rest(model, data.carrier)
        n = len(data.coordinates)
        cut = {name for loop in data.loops for name in loop.joint.coordinates}
        self._passive, self.efforts, self._targets = coordinate_laws(
            model, ["" if name in cut else name for name in data.coordinates]
        )
        self.stiffness, self.damping, self.friction, self.speed = self._passive[:4]
        self.servo = self._passive[4:]  # kp, kd, limit
        self._aimed: dict[str, float] = {}
        springs, loads = model.springs, nodal_loads(model, data)
        self._loads: dict[str, tuple[PointLoad | DistributedLoad | ElementLoad, list[int]]] = {}
        # by name: load, and its rows
        for k, row in enumerate(loads):
            self._loads.setdefault(row.load.name, (row.load, []))[1].append(k)
        seats = [data.seat(place) for s in springs for place in s.places]
        numbers, lines, pushes = itertools.count(), zeros(Springs), zeros(Loads)
        if springs:
            lines = line_arrays(springs, [[(next(numbers), np.eye(4)) for _ in s.places] for s in springs])
        if loads:
            pushes = seat_loads(loads, range(len(seats), len(seats) + len(loads)))
        seats += [row.seat for row in loads]
        n_seats = len(seats)
        laws = [compile_law(load) for load in model.state_loads]
        if data.fluids:
            laws += [compile_law(load) for load in uplifts(model, data.fluids)]
        self.law_seats = [[data.seat(place) for place in law.load.places] for law in laws]
        seats += [seat for line in self.law_seats for seat in line]
        self.inputs = arrays.TreeInputs(np.zeros(n), np.zeros(n), np.zeros((len(loads), 6)))
        self.target = self.inputs.target
        inertia = data.arrays.link_inertia.reshape(-1, 6, 6)
        self.laws = zeros(arrays.Laws)._replace(inertia=inertia)
        self._signals: list[tuple[str, int, TimeFunction]] = []
        self.burning: list[tuple[int, int]] = []
        if laws:
            self._take_laws(model, data, laws, n_seats)
        self._tensions = np.zeros(0, dtype=np.int64)  # where `laws.parameter` has those of springs
        if springs:
            self._take_tensions(springs, lines.column)
        most = most_places(self.laws.first)
        owned = new_owned(self.laws.inner, most)
        self.inner_names = tuple(f"{law.load.name}.{name}" for law in laws for name in law.load.states)
        self.first_states = np.array([y for law in laws for y in law.load.first_states], dtype=float)
        self.inner = new_inner(self.first_states, np.zeros((len(laws), *owned.J.shape)))
        self.answers = owned.gain, owned.slope, owned.known  # of states of laws, from step to step
        packed = pack_seats(seats)
        items = new_items([*np.diff(lines.start).tolist(), *(1 for _ in loads), *np.diff(self.laws.first).tolist()])
        acting = arrays.Acting(
            packed, new_motions(packed), lines, pushes, self._passive, items, self.inputs, self.laws,
            new_visit(most), self.inner, owned,
        )  # fmt: skip
        self._units = laws  # own the code
        self.units = tuple(law for law in laws if not isinstance(law.load, Uplift))  # those of users
        self.targets = {name: k for name, k, _ in self._targets}  # coordinates of servos, by name
        self.signals = {name: k for k, (name, _, _) in enumerate(self._signals)}  # numbers of inputs of laws, by name
        self._acting = Packed(acting)
        self.address = self._acting.address
        if len(self.first_states):
            load_owning(self.address, self.inner)
        self.places = self._acting.problem.places
        self._commandable = {name: (0, k) for k, name in enumerate(data.coordinates)}
        self._commandable |= {name: (1, k) for name, k in self.targets.items()}
        self._commandable |= {name: (3, k) for name, k in self.signals.items()}
        self.jumps: Jumps | None = None
        self._springs = {spring.name: k for k, spring in enumerate(springs)}
        self._whole = lines.stiffness.copy(), lines.damping.copy(), lines.column.copy()  # where none is open
        self._steady: tuple[int, tuple[Array, ...]] | None = None  # samples that never change
        self._constants: dict[int, tuple[int, Any]] = {}  # by identity of the function: values of constants
        self._sampled: tuple[float, int] | None = None
        self.then: Kept | None = None  # the model whose values are used; None: follow parameters

    def _take_laws(self, model: Model, data: TreeData, laws: list[CompiledLaw], first: int) -> None:
        """Arrays of users' laws, their inputs, and the links that these change."""
        group, signals = law_group(laws, first, self._extent(model), self.laws.inertia), signals_of(model)
        self._signals = [(signal.name, signal.column, signal.function) for signal in signals]
        slots = [int(group.start[signal.load]) + signal.place for signal in signals]
        self.burning = self._burning(model, data, signals)
        found = [(link, slots[k]) for link, k in self.burning]
        self.laws = group._replace(
            signal=np.array(slots, dtype=np.int64),
            burning=np.array(found, dtype=np.int64).reshape(-1, 2),
            carried=np.array(list(self._carried(data, laws, group.start)), dtype=np.int64).reshape(-1, 4),
        )

    def _take_tensions(self, springs: Sequence[LineForce], slots: NDArray[np.int64]) -> None:
        """Tensions that tendons are given, as further inputs of laws behind the numbers of all; their `slots`."""
        for k, tension in given_tensions(springs).items():
            slots[k] = len(self.laws.parameter) + np.count_nonzero(slots >= 0)
            self._signals.append((f"{springs[k].name}.tension", -1 - k, tension))
        self._tensions = slots[slots >= 0]
        self.laws = self.laws._replace(
            parameter=np.append(self.laws.parameter, np.zeros(len(self._tensions))),
            signal=np.append(self.laws.signal, self._tensions),
        )

    def slopes_of_law(self, k: int) -> Array:
        """Derivatives (6n, 12n) of the wrenches of law k by frame and twist of its n places, as last found."""
        items, n = self._acting.problem.items, int(self.laws.first[k + 1] - self.laws.first[k])
        at = int(items.at[len(items.at) - len(self.laws.acts) + k])
        return np.asarray(items.slope[at : at + 72 * n * n].reshape(6 * n, 12 * n))

    def open(self, names: Collection[str]) -> None:
        """Let springs, dampers and tendons of these names pull no more, and all others do."""
        lines = self._acting.problem.springs
        lines.stiffness[:], lines.damping[:], lines.column[:] = self._whole
        for k in (k for name, k in self._springs.items() if name in names):
            lines.stiffness[k], lines.damping[k], lines.given[k], lines.column[k] = 0.0, 0.0, 0.0, -1

    @staticmethod
    def _extent(model: Model) -> float:
        """A length over which laws may change: the extent of what they act on, sizes of bodies included."""
        points = [place.position for load in model.state_loads for place in load.places]
        points += [body.com for body in model.bodies]
        points += [beam.frames(np.array([s]))[0, :3, 3] for beam in model.beams for s in (0.0, 1.0)]
        sizes = [np.sqrt(np.trace(body.inertia) / (2.0 * body.mass)) for body in model.bodies if body.mass > 0.0]
        apart = float(np.max(np.ptp(np.array(points), axis=0), initial=0.0)) if points else 0.0
        return max([apart, *(float(x) for x in sizes)]) or 1.0

    @staticmethod
    def _carried(data: TreeData, laws: list[CompiledLaw], start: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
        """Laws whose inertia changes, their links, and where their numbers have it, as `arrays.Laws` has them."""
        names, links = [law.load.name for law in laws], [link.name for link in data.links]
        for i, law in enumerate(laws):
            if law.inertia is not None:
                weight = f"{law.load.name}{WEIGHT}"
                at = start[names.index(weight)] + 3 if weight in names else -1
                yield i, links.index(f"{law.load.name}{FLUID}"), start[i] + len(law.load.values), at

    @staticmethod
    def _burning(model: Model, data: TreeData, signals: list[Signal]) -> list[tuple[int, int]]:
        """Links that burn away, and the first of the signals of each: ten numbers, their ten rates."""
        number = {link.name: i for i, link in enumerate(data.links) if link.burns}
        found = []
        for k, signal in enumerate(signals):
            load = model.state_loads[signal.load]
            link = number.get(f"{load.name}{PROPELLANT}")
            if link is not None and load.varying and signal.name == f"{load.name}.{load.varying[0]}":
                found.append((link, k))
        return found

    def command(self, efforts: dict[str, float]) -> None:
        """Efforts by coordinate and targets by servo that a controller holds; they win over those of the model."""
        before, self._aimed, self._sampled = self._aimed, efforts, None
        if self._steady is not None:
            if before.keys() <= efforts.keys():
                self._write_commands(self._steady[1])
            else:
                self._steady = None

    def _write_commands(self, samples: tuple[Array, ...]) -> None:
        """What a controller holds, in place of what functions of time gave."""
        for name, value in self._aimed.items():
            kind, k = self._commandable.get(name, (0, -1))  # others are in cut joints
            if k >= 0:
                rows = samples[kind]
                if len(rows) == 1:
                    rows[0, k] = value  # much quicker than a column
                else:
                    rows[:, k] = value

    def set_time(self, t: float) -> arrays.TreeInputs:
        """Sample prescribed efforts and loads, unless that was done before and parameters kept their values."""
        followed = Parameter.changes if self.then is None else 0
        if self._sampled != (t, followed):
            with as_kept(self.then):
                drive, target, load, signal = self.sample(np.array([t]))
            self.laws.clock[0] = t
            self.laws.parameter[self.laws.signal] = signal[0]
            burn(self.laws)
            self.inputs.drive[:], self.inputs.target[:], self.inputs.load[:] = drive[0], target[0], load[0]
            self._sampled = (t, followed)
        return self.inputs

    def scale(self, t: float, factor: float) -> None:
        """Sample prescribed efforts and loads anew, and scale them."""
        self._sampled = None
        inputs = self.set_time(t)
        inputs.load[:] *= factor
        inputs.drive[:] *= factor
        self.laws.parameter[self._tensions] *= factor

    def sample(self, times: Array, step: float = 0.0) -> tuple[Array, ...]:
        """Prescribed efforts and targets (nt, n), loads (nt, nl, 6), inputs of laws (nt, nm).

        With a step they are those at ends of steps, see `Jumps`.

        Where nothing changes with time there is one row, for all times.
        """
        if self._steady is not None and self._steady[0] == Parameter.changes:
            self._sampled = None  # kernels may change the inputs
            return self._steady[1]
        for law, first in zip(self._units, self.laws.start, strict=False):
            self.laws.parameter[first : first + len(law.numbers)] = law.numbers
        steady = not self.varying
        n_times = 1 if steady else len(times)
        drive, targets = np.zeros((2, n_times, self._passive.shape[1]))
        loads = np.zeros((n_times, *self.inputs.load.shape))
        for k, effort in self.efforts:
            drive[:, k] += self._values(effort, times, step)
        for _, k, target in self._targets:
            targets[:, k] = self._values(target, times, step)
        for load, rows in self._loads.values():
            for function, part in ((load.force, slice(0, 3)), (load.moment, slice(3, 6))):
                if function is not None:
                    values = self._values(function, times, step)
                    loads[:, rows, part] = values[:, None] if values.ndim == 2 else values
        signals = np.zeros((n_times, len(self._signals)))
        sampled: dict[int, Any] = {}
        for k, (_, column, signal) in enumerate(self._signals):
            if column not in sampled:
                sampled[column] = self._values(signal, times, step)
            signals[:, k] = sampled[column]
        found = drive, targets, loads, signals
        if self._aimed:
            self._write_commands(found)
        self._steady = (Parameter.changes, found) if steady else None
        self._sampled = None
        return found

    @property
    def varying(self) -> bool:
        """Whether an effort, target or load changes with time."""
        return not all(function.is_constant for function in self.functions())

    def functions(self) -> Iterator[TimeFunction | VectorFunction]:
        """All functions of time."""
        yield from (effort for _, effort in self.efforts)
        yield from (target for _, _, target in self._targets)
        yield from (signal for _, _, signal in self._signals)
        for load, _ in self._loads.values():
            yield from (function for function in (load.force, load.moment) if function is not None)

    def _values(self, function: TimeFunction | VectorFunction, times: Array, step: float) -> Any:
        """Values at all times first index; those of a constant only once, since sampling it costs more than a step."""
        if id(function) in self._constants:
            changes, value = self._constants[id(function)]
            if changes == Parameter.changes:
                return value
        if function.is_constant:
            self._constants[id(function)] = Parameter.changes, function.sample(np.zeros(1))[0]
            return self._constants[id(function)][1]
        return function.sample(times) if self.jumps is None else self.jumps.sample(function, times, step)

    def in_joints(self, q: Array, v: Array, t: float | None) -> Array:
        """Efforts (n,) in the coordinates; prescribed efforts and servos do not count without a time.

        Where a body turns freely, springs and dampers act along the components of position, rotation vector and
        velocities in the parent's axes.
        """
        out, none = np.empty(len(q)), np.zeros(len(q))
        now = self.inputs._replace(drive=none, target=none) if t is None else self.set_time(t)
        forces.joint_efforts(self._tree, self.address, q, v, now.drive, now.target, out)
        kp, kd, limit = self.servo
        return out if t is not None else out - servo(kp, kd, limit, none, q, v)[0]

    def carried(self, now: Motions, q: Array, t: float) -> Motions:
        """The motion, with those inertias of links that follow laws as they are there."""
        if len(self.laws.carried):
            self.on_links(now, q, t)
        return now

    def on_links(self, now: Motions, q: Array, t: float) -> Array:
        """Wrenches and modal forces (n_z,) on all links, in their own axes."""
        out = np.empty(self._data.arrays.n_z)
        forces.wrenches(self._tree, self.address, now.address, q, self.set_time(t).load, out)
        return out

    def powers(self, now: Motions, q: Array, v: Array, t: float) -> tuple[float, float]:
        """Power (W) that dampers, friction and damped bodies take, and power of loads and prescribed efforts."""
        held = self.in_joints(q, 0 * v, None)
        loss = -float(v @ (self.in_joints(q, v, None) - held))
        supply = float(v @ (self.in_joints(q, v, t) - self.in_joints(q, v, None)))
        self.on_links(now, q, t)
        damped, supplied = self._acting.problem.items.power.tolist()
        return loss - damped + float(self.energies(now, q, np.zeros(3))[3]), supply + supplied

    def energies(self, now: Motions, q: Array, gravity: Array) -> Array:
        """Kinetic, strain and potential energy (J), all springs included, and power (W) that damped bodies take."""
        out, more = np.empty(4), np.empty(1)
        composite.energies(self._tree, now.address, gravity, out)
        forces.spring_energy(self._tree, self.address, now.address, q, more)
        out[1] += more[0]
        out[2] += potential_at_rest(gravity, self.moment_at_rest)
        return out

    def frame(self, now: Motions, q: Array, seat: Seat) -> Array:
        """Frame (4, 4) of a seat in the world."""
        return seat.frame if seat.link < 0 else now[seat.link].frame @ seat.at(self._data.modal(seat.link, q))
