"""Raw results: what the time loop stored, coordinates and links in floating frames, and what gives it meaning.

Steps in coordinates of a tree need no arrays of nodes. `Reference`, the described configuration as nodes, from which
such a run starts and on which its results stand, makes them when a result is asked for that needs them, from the model
as it was.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.fluid_links import demand_own_bodies
from cosserat.compile.joints import opened
from cosserat.compile.rows import joint_rows
from cosserat.compile.skeleton import body_masses, build_skeleton, extent, extents, initial_twists
from cosserat.errors import CosseratWarning, ModelError, SolveError
from cosserat.kernels.arrays import History
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Status


class Carried(NamedTuple):
    """What the generalised-alpha method carries from step to step besides the motion, at the end of a run."""

    accel: Array  # (n+1, 6) of the nodes, or (n,) of the coordinates of a tree
    step: float  # s, to which it belongs
    inner: Array  # (2, ny) rates of states of laws, and the rate-like variable of the method
    force: Array  # (m,) multipliers of the constraints of a tree; nodes have theirs in the history
    factors: tuple[Array, ...] | None = None  # what the iteration begins with, those of its matrix first; not in files


class Crossed(NamedTuple):
    """Times at which loads or prescribed velocities jump, the powers on both sides, and the work of impulses there.

    A prescribed motion with a kink drives its mechanism by an impulse; what the kinetic energy gains is its work, as
    all other constraints are at rest on both sides.
    """

    time: Array  # (nb,)
    before: Array  # (nb, 2) loss and supply (W)
    after: Array  # (nb, 2)
    work: Array  # (nb,) J


class Phase(NamedTuple):
    """A part of a run in which the same joints are open."""

    first: int  # number of its first stored state
    open: tuple[str, ...]


Kept = tuple[Model, dict[str, float]]
"""A model, and the values that its parameters had when it was taken."""


class Pending:
    """A history that is found when it is first asked for, its multipliers when these are.

    Attributes
    ----------
    fill : callable, optional
        Writes the multipliers into the history.
    """

    def __init__(self, find: Callable[[], History]) -> None:
        self._find = find
        self.fill: Callable[[], None] | None = None

    @cached_property
    def states(self) -> History:
        """Frames, twists, rates and coordinates; the multipliers may be missing."""
        return self._find()

    @property
    def complete(self) -> History:
        """With the multipliers."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill()
        return self.states


@dataclass(frozen=True)
class Trajectory:
    """Stored states over time.

    Attributes
    ----------
    source : CompiledModel, Reference or StoredModel
        What the states belong to; the compiled model itself, or that on demand.
    time : (nt,)
    found : History or Pending
    history : History
        Frames (nt, n+1, 12), twists and their rates (nt, n+1, 6), multipliers (nt, nj, 6), tracked coordinates
        (nt, nf).
    efforts : (nt, n_efforts), optional
        Joint efforts at the stored times where a controller gave them; otherwise they are functions of the model.
    held : dict, optional
        What a controller held at the end, by the name of its joint, servo or input of a load.
    floating : FloatingRecord, optional
        What a run in floating frames has besides.
    carried : Carried, optional
        With it a run that starts at the end of this one goes on as if there were no end.
    crossed : Crossed, optional
        Where powers jump.
    parted : bool
        Whether equal steps were taken in parts where loads or prescribed velocities jump.
    phases : tuple of Phase
        Where joints begin open, or events release and engage some; empty: nothing of that.
    kept : Kept, optional
        The model as it was at the end; None: as it is.
    """

    source: Any
    time: Array
    found: History | Pending
    status: Status
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    efforts: Array | None = None
    floating: FloatingRecord | None = None
    carried: Carried | None = None
    crossed: Crossed | None = None
    parted: bool = False
    held: dict[str, float] | None = None
    phases: tuple[Phase, ...] = ()
    kept: Kept | None = None

    @property
    def compiled(self) -> CompiledModel:
        """The compiled model."""
        return self.source if isinstance(self.source, CompiledModel) else self.source.compiled

    @property
    def model(self) -> Model:
        """The model that was solved."""
        return self.source.model

    @property
    def history(self) -> History:
        """The stored states."""
        return self.found.complete if isinstance(self.found, Pending) else self.found


def carried_to(trajectory: Any, **settings: Any) -> Carried | None:
    """What goes on from the end of a run to one with these settings: nothing if the method is another."""
    wanted = {"integrator": "generalized-alpha", **settings}
    same = all(trajectory.settings.get(key) == value for key, value in wanted.items())
    return trajectory.carried if same else None


class OfTrajectory:
    """What results of all kinds tell about how they were found."""

    trajectory: Any

    @property
    def stats(self) -> dict[str, Any]:
        """Steps, iterations, solves, times and sizes."""
        return self.trajectory.stats

    @property
    def settings(self) -> dict[str, Any]:
        """What the solver was asked for."""
        return self.trajectory.settings

    @property
    def model(self) -> Model:
        """The model that was solved."""
        return self.trajectory.model

    def __copy__(self) -> Self:
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # nothing in it changes


class LinkLedger(NamedTuple):
    """Energies, and what moves the links of a tree, over the stored times."""

    powers: Array  # (nt, 5) kinetic, strain and potential energy (J), loss and supply (W)
    origin: Array  # (nt, nl, 3) of the links' frames, world
    momentum: Array  # (nt, nl, 6) of the links about these, world axes
    force: Array  # (nt, nl, 6) wrenches on the links about these, world axes


class FloatingRecord:
    """Coordinates of a tree over the stored times, and its `LinkLedger`, made when it is first asked for.

    Attributes
    ----------
    coordinates : tuple of str
    q, v, a : (nt, n)
    """

    def __init__(
        self, coordinates: tuple[str, ...], q: Array, v: Array, a: Array, ledger: LinkLedger | Callable[[], LinkLedger]
    ) -> None:  # fmt: skip
        self.coordinates, self.q, self.v, self.a = coordinates, q, v, a
        self._ledger = ledger

    @property
    def ledger(self) -> LinkLedger:
        """Energies and links."""
        if not isinstance(self._ledger, LinkLedger):
            self._ledger = self._ledger()
        return self._ledger

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        return {"q": self.q, "v": self.v, "a": self.a, **self.ledger._asdict()}

    def modal(self, name: str) -> tuple[list[int], list[str]]:
        """Columns and names of the modal coordinates of a body, or of one of them (``"arm.mode1"``)."""
        if name in self.coordinates and ".mode" in name:
            return [self.coordinates.index(name)], [name.rsplit(".", 1)[1]]
        if "." in name:
            owner, mode = name.split(".", 1)
            modes = self.modal(owner)[1]
            raise ModelError(f"body {owner!r} has no mode {mode!r}; its modes: {modes[0]!r} to {modes[-1]!r}")
        found = [k for k, other in enumerate(self.coordinates) if other.startswith(f"{name}.mode")]
        return found, [self.coordinates[k].rsplit(".", 1)[1] for k in found]

    @property
    def elastic(self) -> list[str]:
        """Names of the bodies with modal coordinates."""
        return list(dict.fromkeys(name.rsplit(".", 1)[0] for name in self.coordinates if ".mode" in name))


def record_of(record: FloatingRecord | None, call: str) -> FloatingRecord:
    """The record of a run that must have one."""
    if record is None:
        raise SolveError(f"{call}: modal coordinates belong to runs with formulation='floating'; this one has none")
    return record


@contextmanager
def as_simulated(model: Model, values: dict[str, float] | None) -> Iterator[None]:
    """The model with the parameters it had when it was simulated; what was set since then comes back afterwards."""
    now = model.parameters
    if values is None or now == values:
        yield
        return
    model.set(**values)
    try:
        yield
    finally:
        model.set(**now)


def kept_now(model: Model) -> Kept:
    """A model as it is now: what is added, removed or set later does not show."""
    return model.snapshot(), dict(model.parameters)


def as_kept(kept: Kept | None) -> AbstractContextManager[None]:
    """The model with the parameters that it had when it was taken; None: as it is."""
    return nullcontext() if kept is None else as_simulated(*kept)


class Reference:
    """Nodes of a model, and its arrays on demand.

    Attributes
    ----------
    skeleton : Skeleton
    twists, given
        Initial velocities of the nodes, see `initial_twists`.
    length, size : float
        Typical length of a part, and extent of the mechanism (m).
    kept : Kept
        The model as it was when this was made.
    rules : tuple, optional
        Users' constraints that were looked at, in place of those that the arrays would come with.

    Raises
    ------
    ModelError
        If the model is not sound; the message names the part and the remedy.
    """

    def __init__(self, model: Model) -> None:
        model.validate()
        for joint in model.joints:
            if sum(freedom.kind == "rotation" for freedom in joint.freedoms) > 1:
                joint_rows(joint)  # raises if its rows are not known
        self.model, self.skeleton = model, build_skeleton(model)
        self.length, self.size = extents(model, self.skeleton, body_masses(model))
        self.twists, self.given = initial_twists(model, self.skeleton)
        demand_own_bodies(model, self.skeleton)
        self.rules: tuple[Any, ...] | None = None
        self.kept = kept_now(model)

    def opened(self, names: Collection[str]) -> Reference:
        """The same while joints of these names are open."""
        if not names:
            return self
        new = copy.copy(self)
        new.__dict__["compiled"] = opened(self.compiled, names)
        return new

    @property
    def extent(self) -> float:
        """Size of the mechanism, wherever its origin is (m)."""
        return extent(self.model, self.skeleton.frames, self.length)

    @cached_property
    def compiled(self) -> CompiledModel:
        """The arrays of the nodes and of what acts on them."""
        with as_simulated(*self.kept), warnings.catch_warnings():
            warnings.simplefilter("ignore", CosseratWarning)  # said when the run began
            found = compile_model(self.kept[0], floating=True)
        return replace(found, model=self.model, rules=found.rules if self.rules is None else self.rules)
