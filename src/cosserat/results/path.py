"""`Path`: equilibria along a parameter, with the limit and branch points between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.compile.build import compile_model
from cosserat.errors import SolveError, shown
from cosserat.kernels.arrays import History
from cosserat.lie.protocol import Array
from cosserat.results.answers import Answers, Question
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion, motion_of, virtual_motion
from cosserat.results.quantities import KINDS
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cosserat.model.model import Model


@dataclass(frozen=True)
class PathPoint:
    """A limit point (the parameter turns) or a branch point (another path crosses).

    Attributes
    ----------
    kind : "limit" or "branch"
    label : str
        "limit 1", "branch 2": kind and number along the path.
    value : float
        Of the parameter.
    index : int
        In the arrays of the path.
    shapes : tuple of (6 n_nodes,)
        Null vectors of the tangent, left increments of the nodes: directions in which the mechanism moves without
        resistance; more than one where several branches cross at once.
    motions : tuple of arrays
        The same in the unknowns of the formulation, for the solver that continues from here.
    direction : array
        Along the path, for the solver that continues from here.
    """

    kind: str
    label: str
    value: float
    index: int
    shapes: tuple[Array, ...] = field(repr=False)
    motions: tuple[Array, ...] = field(repr=False)
    direction: Array = field(repr=False)
    path: Path = field(repr=False)

    @property
    def multiplicity(self) -> int:
        """Number of independent shapes."""
        return len(self.shapes)

    @property
    def equilibrium(self) -> Equilibrium:
        """The configuration."""
        return self.path.equilibrium(self.index)

    def position(self, place: Any) -> Array:
        """Position (3,) of a place, world coordinates (m)."""
        return self.path.position(place)[self.index]

    def shape(self, place: Any, mode: int = 0) -> Array:
        """Displacement (3,) of a place in the critical shape, world components, of no particular size."""
        motion = virtual_motion(self.equilibrium.motion, self.shapes[mode])
        return KINDS["velocity"].values(motion, motion.mechanism.station(place)[0])[0]


@answering
class Path(Answers[NDArray[np.float64]]):
    """Equilibria along a parameter; the same questions as for `Run`, answered for all points: plain arrays.

    Attributes
    ----------
    name : str
        Of the parameter.
    parameter : (n,)
        Its value at every equilibrium of the path.
    stable : (n,) bool
        Whether the tangent stiffness has no negative eigenvalue: no divergence (flutter is a matter of `stability`).
    points : list of PathPoint
        Limit and branch points in order.
    branches : list of Path
        Those that were asked for with ``switch``.
    status : Status
    stats : dict
        Work done by the solver.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> push = model.add(cs.Force("push", body, (cs.Parameter("P", 0.0), 0, 0)))
    >>> path = cs.continuation(model, "P", 0.0, 2.0)
    >>> path.status.ok, round(float(path.position("body")[-1, 0]), 9)
    (True, 0.5)
    """

    def __init__(
        self,
        model: Model,
        name: str,
        parameter: Array,
        history: History | None,
        *,
        found: list[Equilibrium] | None = None,
        time: float,
        spin: Array | None,
        fixed_system: bool,
        stable: NDArray[np.bool_],
        status: Status,
        stats: dict[str, Any],
    ) -> None:
        self.model, self.name, self.parameter, self.stable = model, name, parameter, stable
        self.status, self.stats = status, stats
        self.points: list[PathPoint] = []
        self.branches: list[Path] = []
        self.origin: PathPoint | None = None
        self._history, self._time, self._spin = history, time, spin
        self._fixed_system = fixed_system and history is not None
        self._then = model.snapshot()  # without what is added or removed since
        self._others = {k: v for k, v in model.parameters.items() if k != name}
        self._in_model = name in model.parameters
        self._found: dict[int, Equilibrium] = dict(enumerate(found or []))
        self._motion: Motion | None = None

    def __len__(self) -> int:
        return len(self.parameter)

    def equilibrium(self, index: int) -> Equilibrium:
        """The equilibrium of a point of the path; with it `modes`, `stability` or `simulate` can go on.

        Given to one of them as `about` or `start`, it brings its value of the parameter along: the model has it while
        the call lasts.
        """
        try:
            i = range(len(self))[index]
        except (IndexError, TypeError):
            raise SolveError(
                f"path: there is no point {shown(index)}; pass a number from 0 to {len(self) - 1}, or from the end, -1"
            ) from None
        if i not in self._found:
            assert self._history is not None
            then, now = self._then, self._then.parameters
            wanted = self._others | ({self.name: float(self.parameter[i])} if self._in_model else {})
            try:
                then.set(**wanted)
                history = History(*(a[i : i + 1] for a in self._history))
                status = Status(Outcome.OK, self._time)
                settings = {
                    "time": self._time,
                    "spin": None if self._spin is None else self._spin[i],
                    "parameters": wanted,
                }
                stats = {"stable": bool(self.stable[i])}
                compiled = compile_model(then)
                trajectory = Trajectory(compiled, np.array([self._time]), history, status, settings, stats)
                found = Equilibrium(trajectory)
                found.trajectory = replace(trajectory, source=replace(compiled, model=self.model))
                self._found[i] = found
            finally:
                then.set(**now)
        return self._found[i]

    def _all(self) -> Motion:
        """All points as one motion; its inputs are not those of the points."""
        if self._history is None:
            return self.equilibrium(0).motion
        if self._motion is None:
            compiled = replace(self.equilibrium(0).trajectory.compiled, model=self._then)
            times = np.full(len(self), self._time)
            self._motion = motion_of(Trajectory(compiled, times, self._history, self.status))
        return self._motion

    @property
    def _mechanism(self) -> Mechanism:
        return self._all().mechanism

    def _answer(self, question: Question) -> Array:
        if question.placed and self._fixed_system:
            return np.array(question.values(self._all()))
        return np.array([question.values(self.equilibrium(i).motion)[-1] for i in range(len(self))])

    def point(self, label: str) -> PathPoint:
        """The special point of a label, such as ``"branch 1"``."""
        for point in self.points:
            if point.label == label:
                return point
        known = ", ".join(repr(p.label) for p in self.points) or "none"
        raise SolveError(f"path: no point {label!r}; special points: {known}")

    def plot(self, place: Any, component: str = "z", *, ax: Any = None, path: str | FilePath | None = None) -> Figure:
        """Draw the parameter over the displacement of a place, with its special points and branches.

        Parameters
        ----------
        place
            A place such as ``"beam.end"``.
        component : "x", "y" or "z"
            Of the displacement from the reference configuration.
        ax : matplotlib axes, optional
        path : file name, optional
            Saves the figure.
        """
        from cosserat.view.stability import plot_path

        return plot_path(self, place, component, ax, path)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made again when it is asked for."""
        return {**self.__dict__, "_found": {} if self._history is not None else self._found, "_motion": None}

    def __repr__(self) -> str:
        marks = ", ".join(f"{p.label} at {p.value:.6g}" for p in self.points) or "no special points"
        return (
            f"<Path of {self.model.name!r}: {len(self)} points, {self.name} from {self.parameter[0]:.6g} to "
            f"{self.parameter[-1]:.6g}; {marks}; {self.status.message}>"
        )
