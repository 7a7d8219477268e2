"""`Equilibrium`: the result of a static solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie.protocol import Array
from cosserat.results import kinematics
from cosserat.results.answers import Answers, Question
from cosserat.results.monitors import Monitors
from cosserat.results.motion import Motion, motion_of
from cosserat.results.run import Run
from cosserat.results.status import Status
from cosserat.results.trajectory import OfTrajectory, Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@answering
class Equilibrium(OfTrajectory, Answers[Any]):
    """Result of a static solution; the same questions as for `Run`, without time: plain arrays.

    Attributes
    ----------
    status : Status
        ``equilibrium.status.ok``.
    stats, settings : dict
        Work done by the solver, and what it was asked for.
    parameters : dict
        Values of the model's parameters in this equilibrium.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> push = model.add(cs.Force("push", body, (2.0, 0, 0)))
    >>> rest = cs.equilibrium(model)
    >>> round(rest.coordinate("rail"), 9), round(float(rest.position("body")[0]), 9)
    (0.5, 0.5)
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.parameters: dict[str, float] = trajectory.model.parameters
        self.motion: Motion = motion_of(trajectory)
        self.motion.sample()  # loads as they are now; parameters may be set to something else later
        self.motion.parameters = self.parameters

    @classmethod
    def of_motion(cls, trajectory: Any, motion: Motion) -> Equilibrium:
        """An equilibrium that comes from elsewhere than a solver, such as a file."""
        found = cls.__new__(cls)
        found.trajectory, found.motion, found.parameters = trajectory, motion, dict(motion.parameters or {})
        return found

    @property
    def status(self) -> Status:
        """How the solution ended."""
        return self.trajectory.status

    @property
    def stable(self) -> bool | None:
        """Whether it resists every small push; None where that was not found out, as for a state from a file.

        With a potential: no motion lowers the energy. In rotation and under follower loads: no small motion grows.
        """
        return self.trajectory.stats.get("stable")

    def _answer(self, question: Question) -> Any:
        found = np.array(question.values(self.motion)[-1])
        return found if found.ndim else float(found)

    def reference_position(self, place: Any) -> Array:
        """Position (3,) of a place in the reference configuration, world coordinates (m)."""
        station, _ = self.motion.mechanism.station(place)
        return kinematics.place_frames(self.motion.at_reference(), station)[1][-1].copy()

    @property
    def law_states(self) -> dict[str, float]:
        """States that laws own, by the names that `linearize` gives them."""
        inner = self.motion.states.inner
        return dict(zip(self.trajectory.compiled.inner_names, inner[-1].tolist(), strict=True))

    @property
    def energy(self) -> dict[str, float]:
        """Strain energy, potential energy of gravity and their sum (J)."""
        values = Monitors(self.motion).energies()
        return {key: float(values[key][-1]) for key in ("strain", "potential", "total")}

    @property
    def constraint_violation(self) -> float:
        """Largest violation of a joint constraint (m, or sine of an angle)."""
        return float(Monitors(self.motion).violation()[-1])

    def save(self, path: str | Path) -> None:
        """Write a file, which `cosserat.load_equilibrium` reads if it is NetCDF (``.nc``, ``.h5``); see `Run.save`."""
        from cosserat.io.formats import save_run

        save_run(Run.of_motion(self.trajectory, self.motion), path)

    def plot(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw the shape, with the reference configuration behind it; `path` saves the figure."""
        from cosserat.view.plot import plot_shape

        return plot_shape(self.motion, ax, path)

    def show(self, path: str | Path | None = None, open: bool | None = None) -> Path:
        """Write a 3D view as one HTML file, as `Run.show` does, and open it in a browser if no path is given."""
        from cosserat.view.scene import show

        return show(Run.of_motion(self.trajectory, self.motion), path, open, None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its file; see `Run`."""
        from cosserat.io.netcdf import equilibrium_from, image

        return equilibrium_from, (image(Run.of_motion(self.trajectory, self.motion)), "pickle of an equilibrium")

    def __repr__(self) -> str:
        return f"<Equilibrium of {self.motion.mechanism.name!r}: {self.status.message}>"
