"""Loads: forces and moments at a place or along a beam, constant or functions of time.

Components are in world coordinates of the reference configuration. A dead load keeps its direction in space; a follower
load turns with the body or section it acts on, from the direction given in the reference configuration.
"""

from typing import Any

import numpy as np

from cosserat.errors import ModelError, shown
from cosserat.model import checks
from cosserat.model.beams import Beam
from cosserat.model.functions import VectorFunction
from cosserat.model.line_functions import LineFunction, line_vector
from cosserat.model.parameters import is_number, resolve
from cosserat.model.places import Owner, Place
from cosserat.model.records import Component, PlaceField, recorded


class Load(Component):
    """Base of forces and moments as functions of time."""

    word = "load"
    force: VectorFunction | None = None
    moment: VectorFunction | None = None

    def _setup(self, name: str, follower: Any) -> None:
        Component.__init__(self, name)
        self.follower = checks.flag(self.title, "follower", follower)

    def check(self) -> None:
        for function in (self.force, self.moment):
            if function is not None:
                function.sample([0.0])


class PointLoad(Load):
    """Base of the loads at a place.

    Attributes
    ----------
    place : Place
    force, moment : VectorFunction or None
        (N) and (N m); the moment is about the place.
    follower : bool
    """

    place = PlaceField[Place]("Where it acts.")

    def check_places(self) -> None:
        """Raise if it acts on the ground."""
        if self.place.on_ground:
            raise ModelError(f"{self.title}: it acts on the ground, which cannot move; name a place on a body")


class Force(PointLoad):
    """A force at a place.

    Parameters
    ----------
    name : str
    place : place
    vector : (3,) or callable of t
        (N), in world coordinates; entries may be numbers, parameters, formulas in ``t`` or functions of t.
    follower : bool
        Whether it turns with the body.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> push = cs.Force("push", body, ("2*sin(t)", 0, 0))
    >>> push.place
    <place 'ball'>
    """

    @recorded
    def __init__(self, name: str, place: Any, vector: Any, follower: bool = False) -> None:
        self._setup(name, follower)
        self.force = VectorFunction(vector, f"{self.title}: vector")
        self._keep(vector=self.force)


class Torque(PointLoad):
    """A moment at a place; arguments as for `Force`, in N m.

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Torque("drive", body, (0, 0, 3.0), follower=True).follower
    True
    """

    @recorded
    def __init__(self, name: str, place: Any, vector: Any, follower: bool = False) -> None:
        self._setup(name, follower)
        self.moment = VectorFunction(vector, f"{self.title}: vector")
        self._keep(vector=self.moment)


class Wrench(PointLoad):
    """A force and a moment at a place.

    Parameters
    ----------
    name : str
    place : place
    vector : (6,) or callable of t giving six numbers, optional
        Force and moment together, force first. With three components it is the force.
    moment, force : (3,) or callable of t, optional
        Instead of a vector of six.
    follower : bool

    Examples
    --------
    >>> import cosserat as cs
    >>> body = cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> cs.Wrench("grip", body, (1, 0, 0, 0, 0, 0.5)).place
    <place 'ball'>
    """

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        vector: Any = None,
        moment: Any = None,
        follower: bool = False,
        *,
        force: Any = None,
    ) -> None:
        self._setup(name, follower)
        if vector is not None and force is not None:
            raise ModelError(f"{self.title}: vector and force are both given; use one")
        force = vector if force is None else force
        if force is None and moment is None:
            raise ModelError(f"{self.title}: give a vector of six numbers (force, moment), or force= and moment=")
        if force is not None and moment is None and _size(force, f"{self.title}: vector") == 6:
            both = VectorFunction(force, f"{self.title}: vector", size=6)
            force, moment = both.part(0, 3), both.part(3, 3)
        self.force = None if force is None else VectorFunction(force, f"{self.title}: force")
        self.moment = None if moment is None else VectorFunction(moment, f"{self.title}: moment")
        self._keep(vector=None, force=self.force, moment=self.moment)


class DistributedLoad(Load):
    """A force and a moment per unit length of a beam (N/m, N m/m).

    Parameters
    ----------
    name : str
    beam : Beam or str
    force, moment : (3,) or callable, optional
        In world coordinates; with `follower` they turn with each section. A function of one argument is one of time; a
        load that varies along the beam is a function of ``(s, t)``, s from 0 to 1, or has formulas with ``s`` in them.
    follower : bool

    Examples
    --------
    >>> import cosserat as cs
    >>> line, steel = [(0, 0, 0), (2, 0, 0)], cs.materials.STEEL
    >>> rod = cs.Beam("rod", points=line, section=cs.Rod(0.02), material=steel, elements=4)
    >>> model = cs.Model("cantilever")
    >>> _ = model.add(rod), model.add(cs.Fixed("wall", cs.GROUND, rod.start))
    >>> _ = model.add(cs.DistributedLoad("snow", rod, force=lambda s, t: (0, 0, -30 * (1 - s))))
    >>> round(float(cs.equilibrium(model).reaction("wall")[2]), 6)
    30.0
    """

    @recorded
    def __init__(self, name: str, beam: Any, force: Any = None, moment: Any = None, follower: bool = False) -> None:
        self._setup(name, follower)
        if not isinstance(beam, (Beam, str)):
            raise self._wrong("beam", f"must be a Beam or its name, got {shown(beam)}")
        if force is None and moment is None:
            raise ModelError(f"{self.title}: give force=, moment= or both")
        self._beam = beam
        self.force = None if force is None else line_vector(force, f"{self.title}: force")
        self.moment = None if moment is None else line_vector(moment, f"{self.title}: moment")
        self._keep(beam=beam if isinstance(beam, str) else beam.name, force=self.force, moment=self.moment)

    @property
    def beam(self) -> Beam:
        """The beam it acts on."""
        if isinstance(self._beam, Beam):
            return self._beam
        raise ModelError(f"{self.title}: beam {self._beam!r} is text; add the load to a model first")

    @property
    def owners(self) -> tuple[Owner, ...]:
        return (self.beam,)

    def join(self, model: Any) -> None:
        """Find a beam that was given by name."""
        if isinstance(self._beam, str):
            beams = {beam.name: beam for beam in model.beams}
            if self._beam not in beams:
                known = ", ".join(map(repr, beams)) or "none"
                raise ModelError(f"{self.title}: unknown beam {self._beam!r}; beams of the model: {known}")
            self._beam = beams[self._beam]


def _size(source: Any, where: str) -> int:
    if isinstance(source, VectorFunction):
        return source.size
    if callable(source):
        try:
            return len(source(0.0))
        except Exception as error:
            raise ModelError(f"{where}: the function failed at t = 0 with {type(error).__name__}: {error}") from None
    return len(source) if isinstance(source, (tuple, list)) or np.ndim(source) > 0 else 0


def is_zero(function: VectorFunction | None) -> bool:
    """Whether a load component is absent or constantly zero."""
    if function is None or isinstance(function, LineFunction):
        return function is None
    return function.callable is None and all(
        is_number(c.source) and resolve(c.source) == 0 for c in function.components
    )
