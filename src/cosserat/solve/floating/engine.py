"""Memory of the compiled steps of a flexible tree, and the calls that work on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.fluid_links import lost_power, uplift_power
from cosserat.compile.spanning import potential_at_rest
from cosserat.compile.timetable import SIDE
from cosserat.kernels import slots
from cosserat.kernels.arrays import Packed, address_of, bound, load, zeros
from cosserat.kernels.flexible import border, closing, commands, course, explicit, implicit, record
from cosserat.kernels.flexible.arrays import Z
from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Advance, Instant, States
from cosserat.solve.motion.walk import StepFailure
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree

_OUTCOMES = {
    slots.NOT_CONVERGED: Outcome.NOT_CONVERGED,
    slots.NOT_FINITE: Outcome.NOT_FINITE,
    slots.WRONG_BRANCH: Outcome.WRONG_BRANCH,
}


_REUSED = 64  # samples, and states
CLOSED = 1e-12  # of the size of the mechanism: gaps of constraints that count as none


def _passive(tree: FlexibleTree, held: NDArray[np.bool_]) -> implicit.Passive:
    """Damping and stiffness of bodies and joints, friction and servos, and which coordinates are `held`."""
    forces, at = tree.forces, 0
    damping, stiffness, diagonal = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    unit = np.zeros(len(tree.coordinates), dtype=np.int64)
    for link in tree.data.links:
        n, k = len(link.columns), len(link.columns) - link.n_modes
        D, K = np.diag(forces.damping[link.columns]), np.diag(forces.stiffness[link.columns])
        if link.modal is not None:
            D[k:, k:] += link.modal.damping
            K[k:, k:] += link.modal.stiffness
            unit[link.columns[k:]] = 1
        unit[link.columns[:k][np.any(link.axes[3:] != 0.0, axis=0)]] = 2
        damping.append(D.ravel())
        stiffness.append(K.ravel())
        diagonal.append(at + (n + 1) * np.arange(n))
        at += n * n
    columns = np.concatenate([link.columns for link in tree.data.links])
    return implicit.Passive(
        np.concatenate(damping), np.concatenate(stiffness), np.zeros(at), np.concatenate(diagonal), columns,
        forces.friction.copy(), forces.speed.copy(), forces.servo, forces.target, held.astype(np.int64), unit,
    )  # fmt: skip


class FloatingEngine:
    """A tree under constraints: accelerations, projection, courses of steps, and results at states.

    Parameters
    ----------
    floating : FloatingModel
    numbers : tuple of float
        Of an implicit method, see `kernels.flexible.implicit.ImplicitMethod`; others have none.
    tableau : Tableau
        Of explicit steps, if it takes any.
    """

    def __init__(
        self, floating: FloatingModel, numbers: tuple[float, ...] = (), tableau: explicit.Tableau | None = None
    ) -> None:  # fmt: skip
        tree, drives, constraints = floating.tree, floating.drives, floating.constraints
        self.tree, self.drives, self.constraints, self.seats = tree, drives, constraints, floating.seats
        sizes, n, rows = tree.data.arrays, len(tree.coordinates), constraints.closed.rows
        m, nf, size, ny = len(rows.value), len(rows.angle), len(rows.C), tree.forces.inner.inner.shape[1]
        self._rooms = Motions(tree.data), Motions(tree.data)
        for room in self._rooms:
            room.vectors.ground[:], room.vectors.held[:] = tree.ground, drives.held
        self._factor = sizes.new_factor()
        self.numbers = np.zeros(implicit.CHANGE + 1)
        self.numbers[implicit.ALLOWED], self.numbers[: len(numbers)] = CLOSED * floating.size, numbers
        self.largest = self.numbers[implicit.LARGEST : implicit.CHANGE]  # accelerations so far
        self.counters = np.zeros(implicit.BRANCH + 1, dtype=np.int64)
        driven, given = np.asarray(drives.columns, dtype=np.int64), constraints.closed.given
        self._sizes = {
            "n": n, "m": m, "mp": size, "p": size - m, "no": 3 * size, "nf": nf, "ny": ny, "nz": sizes.n_z,
            "nl": len(tree.forces.inputs.load), "nk": len(driven), "nd": len(given.motion), "ne": len(given.effort),
            "ni": len(tree.forces.signals),
        }  # fmt: skip
        self._stepping = implicit.Stepping(
            zeros(implicit.StepStart, **self._sizes),
            zeros(implicit.TrialStep, **self._sizes),
            _passive(tree, drives.held),
            implicit.ImplicitMethod(
                self.numbers, driven, np.zeros((3, len(driven))), self.counters, np.zeros(implicit.UNITS)
            ),
        )
        self._border = zeros(border.Border, **self._sizes)
        self._border.laws[1] = m
        self._packed = (
            Packed(self._stepping),
            Packed(self._border),
        )
        self.stages = None if tableau is None else Packed(explicit.new_explicit(tableau, n, ny))
        self.known = self._stepping.known  # the state at which steps begin and end
        rooms, (stepping, bordered) = [room.address for room in self._rooms], [x.address for x in self._packed]
        # what kernels take: tree, what acts, the factored state, another one, factors, step, constraints, border
        self.addresses: tuple[Any, ...] = (
            sizes.tree, tree.forces.address, *rooms, self._factor.address, stepping, constraints.address, bordered
        )  # fmt: skip
        self._short: Packed | None = None
        self._open = frozenset[str]()
        self._reached: Instant | None = None
        step = implicit.implicit_step if self.stages is None else explicit.explicit_step
        stages = 0 if self.stages is None else self.stages.address
        load(step, *self.addresses, self.course_at(np.zeros(0), np.zeros(0), 0.0, 0).address, stages, 0)
        self._method: tuple[Any, ...] = stages, address_of(step)

    @property
    def open(self) -> frozenset[str]:
        """Names of joints and springs that are open."""
        return self._open

    @open.setter
    def open(self, names: frozenset[str]) -> None:
        if names != self._open:
            self._open = names
            self.constraints.open(names)
            self.tree.forces.open(names)

    def command(self, efforts: dict[str, float]) -> None:
        """Let a controller's efforts act from here on."""
        self.tree.forces.command(efforts)
        self.constraints.command(efforts)

    @property
    def memory(self) -> tuple[Any, ...]:
        """Arrays that go on from step to step: of the method, counters, whether laws are stiff, their answers."""
        return self.numbers, self.counters, self._border.laws, *self.tree.forces.answers

    def resume(self, kept: list[Any]) -> None:
        """Take back a copy of `memory`."""
        for array, values in zip(self.memory, kept, strict=True):
            array[:] = values
        softened, rows, stiff = self._border.laws.tolist()
        if softened not in (0, 1) or not 0 <= stiff <= rows <= len(self._border.push):
            raise ValueError(f"{rows} rows")

    def course_at(self, times: Array, load_times: Array, jump: float, stored: int, own: bool = False) -> Packed:
        """Functions of time at some times, loads at others that may be just before or after; room for states.

        What fits uses the same memory again, unless it is to be its `own`: packing it costs more than a step.
        """
        constraints, tree = self.constraints, self.tree
        n, nt = len(tree.coordinates), len(times)
        large = own or nt > _REUSED or stored > _REUSED
        found = None if large else self._short
        if found is None:
            size, rows = (nt, stored) if large else (_REUSED, _REUSED)
            memory = zeros(course.Samples, nt=size, **self._sizes), zeros(course.Stored, ns=rows, **self._sizes)
            found = Packed(course.Course(*memory))
            self._short = self._short if large else found
        drive, target, load, signal = tree.forces.sample(load_times, jump)
        samples, states = found.problem
        if jump < 0.0 and tree.forces.jumps is not None and tree.forces.jumps.laws:
            load_times = load_times + SIDE * jump  # laws see the time inside the step
        samples.clock[:nt], samples.drive[:nt], samples.target[:nt], samples.load[:nt] = load_times, drive, target, load
        samples.signal[:nt] = signal
        if n and len(self.drives.columns):
            samples.motion[:nt] = self.drives.sample(times)
        if samples.joint.shape[1]:
            samples.joint[:nt] = constraints.sample_motions(times)
        if samples.effort.shape[1]:
            samples.effort[:nt] = constraints.sample_efforts(load_times)
        states.counts[:] = 0
        return found

    def set_time(self, t: float, load_time: float | None = None) -> None:
        """Take functions of time as they are at one time, loads and efforts at another if it is given."""
        at = np.array([t])
        found = self.course_at(at, at if load_time is None else np.array([load_time]), 0.0, 0)
        _, acting, _, _, _, stepping, closed, _ = self.addresses
        course.take_inputs(acting, stepping, closed, found.address, 0)

    def point(self, t: float) -> Instant:
        """That state, at time t."""
        x = self.known
        now = Instant(
            t, x.q.copy(), x.v.copy(), x.a.copy(), x.carried.copy(), float(self.numbers[implicit.STEP]), x.force.copy(),
            x.angle.copy(), x.inner.copy(),
        )  # fmt: skip
        self._reached = now
        return now

    def know(self, now: Instant) -> None:
        """Begin steps at a state."""
        known, last = self.known, self._reached
        if last is not None and now.q is last.q and now.v is last.v:  # that is where the last course ended
            if now.a is last.a and now.carried is last.carried and now.force is last.force and now.inner is last.inner:
                return
            known.a[:], known.carried[:], known.force[:], known.inner[:] = now.a, now.carried, now.force, now.inner
            return
        known.q[:], known.v[:], known.a[:], known.carried[:] = now.q, now.v, now.a, now.carried
        known.force[:], known.angle[:], known.inner[:] = now.force, now.angles, now.inner

    def accelerations(
        self, t: float, q: Array, v: Array, a: Array, angles: Array, inner: Array, load_time: float | None = None
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Accelerations, multipliers, angles and rates of states of laws at a state.

        `a` has the accelerations that are prescribed, `inner` (ny,) states of laws.
        """
        tree, acting, fixed, _, factored, _, closed, bordered = self.addresses
        x, rows = self._rooms[0].vectors, self.constraints.closed.rows
        self.set_time(t, load_time)
        x.q[:], x.v[:], x.a[:], rows.before[:] = q, v, a, angles
        own = self.tree.forces.inner.inner
        own[0] = inner
        code = explicit.accelerate(tree, acting, fixed, factored, closed, bordered)
        if code != slots.CONVERGED or not np.isfinite(x.a).all():
            raise self._failure(slots.NOT_FINITE)
        return x.a.copy(), rows.force.copy(), rows.angle.copy(), own[1].copy()

    def jumped(self, now: Instant, h: float = 0.0) -> Instant:
        """A state whose accelerations have jumped with loads and efforts; a step of length h follows."""
        a = np.zeros(len(now.q))
        self.drives.impose(now.t, now.q.copy(), now.v.copy(), a)
        a, force, _, rates = self.accelerations(
            now.t, now.q, now.v, a, now.angles, now.inner[0], now.t + SIDE * h
        )
        y, g, z = now.inner
        inner = np.array([y, rates, z + rates - g])
        return now._replace(a=a, carried=now.carried + a - now.a, force=force, inner=inner)

    def pushed(self, now: Instant, force: Array) -> Array:
        """Accelerations at the state at which they were found last, with other multipliers (m,)."""
        return np.asarray(now.a + (now.force - force) @ self._border.Y[: len(force)])

    def response(self, now: Instant, more: tuple[Array, ...]) -> Array:
        """By what accelerations at a state change with more of what `sample_loads` gives."""
        tree, acting, fixed, _, factored, stepping, closed, bordered = self.addresses
        x, at, found = self._rooms[0].vectors, np.array([now.t]), []
        course_of_one = self.course_at(at, at, 0.0, 0)
        samples = course_of_one.problem.samples
        for share in (0.0, 1.0):
            for values, change in zip(self._loads_in(samples), more, strict=True):
                values[0] += share * change
            course.take_inputs(acting, stepping, closed, course_of_one.address, 0)
            x.q[:], x.v[:], x.a[:] = now.q, now.v, 0.0
            self.constraints.closed.rows.before[:] = now.angles
            self.tree.forces.inner.inner[0] = now.inner[0]
            self.drives.impose(now.t, x.q, x.v, x.a)
            explicit.accelerate(tree, acting, fixed, factored, closed, bordered)
            found.append(x.a.copy())
        return np.asarray(found[1] - found[0])

    def sample_loads(self, times: Array) -> tuple[Array, ...]:
        """What acts and is a function of time, at times."""
        samples = self.course_at(times, times, 0.0, 0).problem.samples
        return tuple(values[: len(times)].copy() for values in self._loads_in(samples))

    @staticmethod
    def _loads_in(samples: course.Samples) -> tuple[Array, ...]:
        return samples.drive, samples.target, samples.load, samples.signal, samples.effort

    def projected(
        self, t: float, q: Array, v: Array, angles: Array, held: NDArray[np.bool_] | None = None
    ) -> tuple[Array, Array]:  # fmt: skip
        """The nearest state that the constraints allow; coordinates that are `held` keep their values."""
        tree, _, fixed, _, factored, stepping, closed, bordered = self.addresses
        x, rows = self._rooms[0].vectors, self.constraints.closed.rows
        self.set_time(t)
        x.q[:], x.v[:], rows.before[:] = q, v, angles
        x.held[:] = self.drives.held if held is None else self.drives.held | held
        code = explicit.project_state(tree, fixed, factored, stepping, closed, bordered)
        x.held[:] = self.drives.held
        if code == slots.NOT_CONVERGED:
            raise StepFailure(Outcome.NOT_CONVERGED, "the constraints cannot be met")
        if code != slots.CONVERGED:
            raise self._failure(code)
        return x.q.copy(), x.v.copy()

    def advance(
        self, old: Instant, times: tuple[Array, Array], h: float, n: int, every: int, phase: int, jump: float
    ) -> Advance:
        """Take n steps of length h from a state with samples at `times`, those of loads second; see `Jumps.sample`."""
        self.numbers[implicit.STEP] = h
        found = self.course_at(*times, jump, (phase + n) // every - phase // every)
        self.know(old)
        given: tuple[Any, ...] = *self.addresses, found.address, *self._method, 0, n, every, phase
        code = course.advance(*given)
        states = found.problem.stored
        done, kept = states.counts.tolist()
        now = self.point(old.t + done * h) if done else old
        stored = None
        if code != slots.CONVERGED:
            self._reached = None
        if kept:
            stored = States(*(part[:kept].copy() for part in states[:-1]))
        return Advance(now, done, stored, None if code == slots.CONVERGED else self._failure(code))

    def commanded(self, course: Any, given: Any) -> Any:
        """Steps of a course with what a controller holds, as a call without arguments."""
        samples = 1 if self.stages is None else explicit.samples_in_step(self.stages.problem)
        return bound(commands.commanded_course, *self.addresses, course, *self._method, samples, given)

    def _failure(self, code: int) -> StepFailure:
        if code == slots.WRONG_BRANCH:
            return StepFailure(Outcome.WRONG_BRANCH, self.constraints.titled(int(self.counters[implicit.BRANCH]) - 1))
        for room in self._rooms:
            flat = self.constraints.lying_flat(room, room.vectors.q)
            if flat:
                return StepFailure(Outcome.NOT_CONVERGED, flat)
        return StepFailure(_OUTCOMES[code])

    def filtered(self, error: Array, held: bool = True) -> Array:
        """An error of the coordinates without what the iteration matrix of the last step holds for stiff.

        Not `held`: accelerations, in which what constraints demand stays.
        """
        tree, _, fixed, _, factored, stepping, closed, bordered = self.addresses
        out = error.copy()
        implicit.filter_error(tree, fixed, factored, stepping, closed, bordered, float(held), out)
        return out

    def extent(self, q: Array, change: Array, length: float) -> float:
        """How far watched seats move (m), turns counted with a length, for small changes of the coordinates."""
        tree, out, room = self.tree.data.arrays.tree, np.zeros(2), self._rooms[1].move(q, change)
        closing.extent(tree, room.address, self.constraints.address, self.constraints.watched, out)
        return max(float(out[0]), length * float(out[1]))

    def record(
        self, times: Array, states: States, load_times: Array | None = None, step: float = 0.0
    ) -> record.StoredLinks:  # fmt: skip
        """Links at states, with loads as they are at times of their own if these are given.

        What jumps is spread over both ends of steps of a given length, as in the steps themselves.
        """
        nt = len(times)
        found = self.course_at(times, times if load_times is None else load_times, max(step, 0.0), 0)
        q, v, a, force, angles, inner = (np.ascontiguousarray(x) for x in states)
        stored = course.Stored(q, v, a, force, angles, inner, np.zeros(2, dtype=np.int64))
        given = Packed(found.problem._replace(stored=stored))
        links = zeros(record.StoredLinks, nt=nt, **{**self._sizes, "nl": len(self.tree.data.links)})
        room = zeros(record.RecordRoom, **self._sizes)
        room.gravity[:] = self.tree.gravity
        packed = Packed(record.RecordWork(links, room))
        tree, acting, _, free, _, stepping, closed, _ = self.addresses
        record.record_states(tree, acting, free, stepping, closed, given.address, packed.address)
        forces = self.tree.forces
        carried = {int(link): forces.units[i] for i, link, _, _ in forces.laws.carried}
        for i, link in enumerate(self.tree.data.links):
            if not link.has_weight:
                at = int(self.tree.data.arrays.table[i, Z])
                twist, inertia = links.z[:, at : at + 6], link.inertia
                if i in carried:
                    placed = np.array([row_to_frame(row) for row in links.frame[:, i]])
                    inertia, gained = carried[i].inertia_over(times, placed, twist)
                    links.powers[:, 4] += gained
                links.powers[:, 4] -= uplift_power(room.gravity, links.frame[:, i], twist, inertia)
        signal = found.problem.samples.signal[:nt]
        for i, first in self.tree.forces.burning:  # what burns takes its energy along
            lost = signal[:, first + 10 : first + 20]
            at = int(self.tree.data.arrays.table[i, Z])
            links.powers[:, 4] += lost_power(room.gravity, links.frame[:, i], links.z[:, at : at + 6], lost)
        links.powers[:, 2] += potential_at_rest(self.tree.gravity, self.tree.forces.moment_at_rest)
        return links
