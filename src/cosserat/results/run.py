"""`Run`: the result of a simulation."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import CosseratError, ModelError, PlaceError, SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.results import kinematics, rolling
from cosserat.results.answers import Answers, Question
from cosserat.results.beams import divergence
from cosserat.results.dataset import dataset, report
from cosserat.results.labels import ENERGIES, FLUID_ENERGIES, SECTION_FORCE, SOLID, STRAIN
from cosserat.results.monitors import FloatingMonitors, Monitors, fluid_energies
from cosserat.results.motion import Motion, motion_of
from cosserat.results.nodal import external
from cosserat.results.observed import Observed
from cosserat.results.status import FEWEST, JUDGED, Status, held_together, judged
from cosserat.results.trajectory import FloatingRecord, OfTrajectory, Trajectory, as_simulated, record_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset


_MODAL = {"coordinate": ("q", "modal coordinate"), "rate": ("v", "modal rate")}
_INTERNAL = frozenset(("floating", "monitors", "motion", "of_motion", "trajectory"))


@answering
class Run(OfTrajectory, Answers["DataArray"]):
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

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> run = cs.simulate(model, duration=0.1, step=0.01)
    >>> run.status.ok, len(run.time)
    (True, 11)
    >>> run.position("bob").dims
    ('time', 'axis')
    >>> round(float(run.coordinate("hinge")[-1]), 4)
    0.0476
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.motion = motion_of(trajectory)

    @classmethod
    def of_motion(cls, trajectory: Any, motion: Motion) -> Run:
        """A run whose motion comes from elsewhere than a solver, such as a file."""
        run = cls.__new__(cls)
        run.trajectory, run.motion = trajectory, motion
        return run

    @cached_property
    def monitors(self) -> Monitors:
        """Energies, momenta and violations over time."""
        record = self.floating
        return Monitors(self.motion) if record is None else FloatingMonitors(self.motion, record)

    @property
    def events(self) -> list[tuple[str, float]]:
        """Events that were asked for and happened, each a name and a time (s)."""
        return [(str(name), float(t)) for name, t in self.settings.get("events", ())]

    @property
    def floating(self) -> FloatingRecord | None:
        """Coordinates of a run in floating frames; None in the Galilean formulation."""
        return self.motion.record if self.trajectory is None else self.trajectory.floating

    @cached_property
    def status(self) -> Status:
        """How the run ended, and whether its joints held and its energy balance holds."""
        known = self.trajectory.status
        if len(self.time) < FEWEST or known.outcome not in JUDGED:
            return known
        try:
            extent = self.motion.mechanism.length
            if self.stats.get("stalled_steps"):  # only then can constraints be violated
                found = held_together(known, self.time, self.monitors.violation(), extent)
                if found is not known:
                    return found
            velocity, spin = self.monitors.speeds()
            travel = float(max(velocity / extent, spin) * np.diff(self.time).max())
            found = judged(known, self.time, self.monitors.energies(), self.stats, travel)
            every = int(self.settings.get("every", 1))
            return known if found is not known and every > 1 and self.monitors.skips(every) else found
        except CosseratError:  # a model that was changed since
            return known

    @property
    def time(self) -> Array:
        """Stored times (nt,) in seconds."""
        return self.motion.time

    def _answer(self, question: Question) -> DataArray:
        return self._labelled(question.values(self.motion), question.labels, question.name, question.units)

    def _labelled(self, values: Array, labels: dict[str, Any], name: str, units: str) -> DataArray:
        """Values (time, ...) with labels by dimension."""
        from xarray import DataArray

        coords: dict[str, Any] = {"time": ("time", self.motion.time, {"units": "s", "long_name": "time"})}
        coords.update({key: (key, list(value)) for key, value in labels.items()})
        return DataArray(values, dims=("time", *labels), coords=coords, attrs={"long_name": name, "units": units})

    # places: see `Answers` --------------------------------------------------------------------------------------------

    def seen_from(self, observer: Any) -> Observed:
        """The run as a moving observer sees it: positions, velocities, accelerations, apparent wrenches.

        Parameters
        ----------
        observer : place or Observer
            A place of the model, whose frame is the observer's, or a frame that moves as prescribed.

        Examples
        --------
        >>> import cosserat as cs
        >>> model = cs.Model("puck")
        >>> _ = model.add(cs.RigidBody("puck", mass=1, com=(1, 0, 0), inertia=(1, 1, 1), velocity=(0, 2, 0)))
        >>> run = cs.simulate(model, duration=1.5, step=0.01)
        >>> table = run.seen_from(cs.Observer(turns=[((0, 0, 1), "2*t")]))
        >>> table.position("puck").values[-1, :2].round(6).tolist()
        [-0.566632, -3.111097]
        """
        return Observed(self, observer)

    # joints: see `Answers` --------------------------------------------------------------------------------------------

    def slip(self, item: Any) -> DataArray:
        """Speed (time,) at which a knife edge moves across itself, or at which the lowest point of a disc slips (m/s).

        It is held at zero: what is left are rounding errors and the tolerance of the iteration.
        """
        number = self.motion.mechanism.rolls(item)
        if number is None:
            known = ", ".join(map(repr, self.motion.mechanism.rolling)) or "none"
            raise ModelError(f"slip: unknown knife edge or rolling disc {shown(item)}; those of the model: {known}")
        name = list(self.motion.mechanism.rolling)[number]
        return self._labelled(rolling.slips(self.motion, number), {}, f"slip of {name}", "m/s")

    def _of_freedoms(self, word: str, item: Any) -> DataArray:
        if word in _MODAL and self._is_modal(item):
            return self._modal(item, *_MODAL[word])
        return super()._of_freedoms(word, item)

    def _is_modal(self, target: Any) -> bool:
        name = getattr(target, "name", target)
        mechanism = self.motion.mechanism
        if not isinstance(name, str) or name in mechanism.joints:
            return False
        return name.split(".mode")[0] in (*mechanism.beams, *mechanism.modal)

    def _modal(self, target: Any, part: str, name: str) -> DataArray:
        owner = getattr(target, "name", target)
        record = record_of(self.floating, name)
        columns, modes = record.modal(owner)
        values = getattr(record, part)[:, columns]
        if owner in record.coordinates:
            return self._labelled(values[:, 0], {}, f"{name} of {owner}", "modal")
        return self._labelled(values, {"mode": modes}, f"{name}s of {owner}", "modal")

    # beams ------------------------------------------------------------------------------------------------------------

    def strain(self, beam: Any, s: float | str | None = None) -> DataArray:
        """Strain measures (time, component) of a beam at s, or at a place: stretch, shears, twist, curvatures (1/m).

        Of a modal body, with the name of a recovery point for s: strains xx, yy, zz, yz, xz, xy (the last three
        doubled), see `stress`.
        """
        body = getattr(beam, "name", beam)
        if isinstance(body, str) and body in self.motion.mechanism.modal:
            return self._recovered(beam, s, "strain", (SOLID, "1"), (STRAIN, "1, 1/m"))
        return super().strain(beam, s)  # type: ignore[arg-type]  # what is no number is refused

    def stress(self, body: Any, point: str) -> DataArray:
        """Stress (time, component) at a recovery point of a modal body (Pa): xx, yy, zz, yz, xz, xy.

        In the axes of the floating frame. At a point on a beam: its section force, as `section_force` has it. It is
        that of the modes, and what they leave out of the static answer to weight, to accelerations of the frame, and to
        joints and loads at interfaces (mode acceleration), if the body is held at an interface: all that changes slowly
        is answered to the accuracy of the elements, with however few modes. Of vibrations it has the modes.
        """
        return self._recovered(body, point, "stress", (SOLID, "Pa"), (SECTION_FORCE, "N, N m"))

    def _recovered(
        self, body: Any, point: Any, kind: str, solid: tuple[Any, str], section: tuple[Any, str]
    ) -> DataArray:  # fmt: skip
        name, info = self.motion.mechanism.modal_body(body)
        if not isinstance(point, str) or point not in info.recovery:
            known = ", ".join(map(repr, info.recovery)) or "none; name some with recovery= when the body is made"
            raise PlaceError(f"{kind}: modal body {name!r} has no recovery point {shown(point)}; it has: {known}")
        found = info.recovery[point]
        record = record_of(self.floating, kind)
        values = record.q[:, record.modal(name)[0]] @ getattr(found, kind).T
        rest = getattr(found, f"{kind}_rest")
        values += kinematics.linear_field(self.motion, info.frame) @ rest[:, :12].T
        if rest.shape[1] > 12:
            acting = self.motion.kept("external forces", lambda: external(self.motion).force)
            wrenches = acting[:, list(info.interfaces.values())].reshape(len(values), -1)
            values += wrenches @ rest[:, 12:].T
        labels, units = section if found.section else solid
        return self._labelled(values, {"component": labels}, f"{kind} of {name} at {point}", units)

    # monitors ---------------------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Dataset:
        """Energies over time (J): kinetic, strain, potential, dissipated, work, total and balance.

        ``total = kinetic + strain + potential``; ``balance = total - total[0] + dissipated - work`` is zero for an
        exact solution. Work and dissipation are integrals over the stored times (trapezoidal rule): store every step
        if the balance matters. In a fluid there are also `fluid`, the work of its loads, and `wake`, what is stored in
        lags of wakes; both are parts of the work.
        """
        from xarray import Dataset

        values, words = self.monitors.energies(), dict(ENERGIES)
        with self._then():
            found = {} if self.trajectory is None else fluid_energies(self.trajectory, self.motion)
        words |= {k: text for k, text in FLUID_ENERGIES.items() if k in found}
        return Dataset({k: self._labelled((values | found)[k], {}, text, "J") for k, text in words.items()})

    def _then(self) -> AbstractContextManager[None]:
        """With the parameters that the model had when it was simulated."""
        model = self.motion.model
        return nullcontext() if model is None else as_simulated(model, self.motion.parameters)

    @cached_property
    def law_states(self) -> DataArray:
        """States that laws own (time, state), such as the lags of a wing, by the names that `linearize` gives them."""
        names = self.trajectory.compiled.inner_names
        return self._labelled(self.motion.states.inner, {"state": names}, "states of laws", "")

    @cached_property
    def momentum(self) -> DataArray:
        """Linear momentum and angular momentum about the world's origin (time, 6), world axes (kg m/s, kg m^2/s)."""
        labels = {"component": ("px", "py", "pz", "lx", "ly", "lz")}
        return self._labelled(self.monitors.momentum(), labels, "momentum", "kg m/s, kg m^2/s")

    @cached_property
    def constraint_violation(self) -> DataArray:
        """Largest violation of a joint constraint over time (m, or sine of an angle), or gap below a disc (m)."""
        return self._labelled(self.monitors.violation(), {}, "constraint violation", "m, 1")

    @cached_property
    def transport_residual(self) -> DataArray:
        """Residual of the transport of the momentum over each stored step, relative to the forces (1).

        The momentum of every node, seen from the Galilean frame, changes by the forces on it and nothing else
        ([deSaxce26] section 11.2); with a second-order method the residual falls with the square of the step. In
        floating frames: the momentum of every link.
        """
        return self._labelled(self.monitors.transport(), {}, "momentum transport residual", "1")

    def divergence(self, beam: Any) -> DataArray:
        """Covariant divergence of the momentum of a beam (time, s, component), at its inner nodes (N/m, N m/m).

        What the stored motion leaves of the field equation of the continuous beam [deSaxce26] (65), 11.2: zero for an
        exact solution, and it falls with the square of element length and step. Where a joint or a load acts on an
        inner node, it is that wrench over the length of an element.
        """
        name, _ = self.motion.mechanism.beam(beam)
        model = self.motion.model or self.model
        part = next(item for item in model.beams if item.name == name)
        spread = [law.title for law in model.along_beams]
        spread += ["gravity of a central body"] * (model.field is not None)
        spread += ["a moving frame"] * (model.frame is not None)
        if spread:
            raise SolveError(f"divergence: forces along the beam by {spread[0]} are not in its field equation here")
        with self._then():
            s, values = divergence(self.motion, name, lambda at: part.section_at(at)[1])
        labels = {"s": s.tolist(), "component": SECTION_FORCE}
        title = f"divergence of the momentum of {name}"
        return self._labelled(values, labels, title, "N/m, N m/m")

    def report(self) -> str:
        """A table of how the run went; also printed by ``print(run.report())``."""
        return report(self)

    # everything, files and pictures -----------------------------------------------------------------------------------

    @cached_property
    def data(self) -> Dataset:
        """Everything as one labelled Dataset: bodies, beams (time, node), joints, energies, monitors."""
        return dataset(self)

    def save(self, path: str | Path) -> None:
        """Write a file, whole or not at all; the suffix decides the format.

        ``.nc`` and ``.h5``: NetCDF, which `cosserat.load_run` (and any NetCDF reader) reads. ``.csv`` and ``.parquet``:
        a table of `data` over time. ``.zarr``: `data`, for xarray.
        """
        from cosserat.io.formats import save_run

        save_run(self, path)

    def plot(self, *places: Any, quantity: str | None = None, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw a quantity over time, of places ("position", "section_force", ...) or joints ("coordinate", ...).

        Default: the position of places, the coordinate of joints. Without places: the ends of all beams and bodies, or,
        for a quantity of joints, all of them. `path` saves the figure.
        """
        from cosserat.view.plot import plot

        return plot(self, places, quantity, ax, path)

    def plot_energy(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw the energies over time."""
        from cosserat.view.plot import plot_energy

        return plot_energy(self, ax, path)

    def show(self, path: str | Path | None = None, open: bool | None = None, trail: Any = None) -> Path:
        """Write a 3D animation as one HTML file that needs no network, and open it in a browser.

        Parameters
        ----------
        path : path, optional
            Where to write; default: a temporary file.
        open : bool, optional
            Open a browser; default: only if no path is given.
        trail : place or list of places, optional
            Places that leave a trail; default: the end of the last beam, or the last body.
        """
        from cosserat.view.scene import show

        return show(self, path, open, trail)

    def __dir__(self) -> list[str]:
        """What is meant for users; raw states and what reads them are left out."""
        return [name for name in super().__dir__() if name not in _INTERNAL]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its file, so that a model with functions that cannot be pickled is no obstacle."""
        from cosserat.io.netcdf import image, run_from

        return run_from, (image(self), "pickle of a run")

    def __repr__(self) -> str:
        name = self.motion.mechanism.name
        return f"<Run of {name!r}: {len(self.time)} stored times to t = {self.time[-1]:g} s, {self.status.message}>"
