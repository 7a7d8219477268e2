"""The model: an ordered collection of named components, gravity and parameters."""

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from cosserat.calls import answering
from cosserat.errors import ModelError, ParameterError, no_attribute, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.added_mass import AddedMass
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.closures import Referring, parameters_in
from cosserat.model.fluid import Fluid
from cosserat.model.forces import LineForce
from cosserat.model.gravity_fields import CentralGravity, FieldLoad, apparent_loads
from cosserat.model.joint import Joint
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.modal import ModalBody
from cosserat.model.nodes import lumps_of
from cosserat.model.observers import Observer
from cosserat.model.parameters import Parameter
from cosserat.model.placed_laws import AlongBeam
from cosserat.model.places import Owner, Place, find_place
from cosserat.model.potentials import JointPotential
from cosserat.model.records import Component, plain
from cosserat.model.rolling import Rolling
from cosserat.model.servos import Servo
from cosserat.model.state_loads import StateLoad
from cosserat.model.summary import summarize
from cosserat.model.validation import demand_same, names_of, validate

C = TypeVar("C", bound=Component)


class Members(Generic[C]):
    """Those components of a model that are of a kind, in the order they were added."""

    def __init__(self, kind: Any, doc: str, wanted: Callable[[Any, Any], bool] | None = None) -> None:
        self.__doc__, self._kind, self._wanted = doc, kind, wanted

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type) -> tuple[C, ...]:
        if model is None:
            return self  # type: ignore[return-value]
        if model._sorted[0] != model.revision:
            model._sorted = model.revision, {}
        known: dict[str, tuple[C, ...]] = model._sorted[1]
        if self._name not in known:
            found = (c for c in model._components.values() if isinstance(c, self._kind))
            known[self._name] = tuple(c for c in found if self._wanted is None or self._wanted(model, c))
        return known[self._name]

    def __set__(self, model: Any, value: Any) -> None:
        raise AttributeError("components of a model cannot be set; use model.add, model.swap and model.remove")


@answering
class Model(Referring):
    """A mechanism.

    Parameters
    ----------
    name : str
    gravity : (3,) or CentralGravity
        Acceleration of free fall in world coordinates (m/s^2); entries may be parameters. Default: none.
    fluid : Fluid, optional
        What surrounds it.
    frame : Observer, optional
        A frame that moves as prescribed, in whose axes the model is described and its results are given.

    Examples
    --------
    >>> from cosserat.model.places import GROUND
    >>> from cosserat.model.joints import Revolute
    >>> model = Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    >>> hinge = model.add(Revolute("hinge", GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> model.coordinates
    ('hinge',)
    """

    bodies = Members[RigidBody](RigidBody, "Rigid bodies in order.")
    beams = Members[Beam](Beam, "Beams in order.")
    modal_bodies = Members[ModalBody](ModalBody, "Modal bodies in order.")
    joints = Members[Joint](
        Joint, "Joints in order, without those that are open.", lambda model, joint: model.closes or not joint.open
    )
    all_joints = Members[Joint](Joint, "Joints in order, with those that are open.")
    loads = Members[PointLoad](PointLoad, "Forces, torques and wrenches in order.")
    distributed_loads = Members[DistributedLoad](DistributedLoad, "Distributed loads in order.")
    given_state_loads = Members[StateLoad](StateLoad, "Loads that depend on the state, as they were added.")
    along_beams = Members[AlongBeam](
        AlongBeam, "Laws that act on the sections of beams, in order: `Strip`, `Morison`, `PipeFlow`."
    )
    added_masses = Members[AddedMass](AddedMass, "Inertia of the fluid around bodies.")
    springs = Members[LineForce](LineForce, "Springs and dampers in order.")
    servos = Members[Servo](Servo, "Servos in order.")
    rolling = Members[Rolling](Rolling, "Knife edges, rolling discs and constraints of the user's, in order.")

    def __init__(
        self,
        name: str = "model",
        gravity: Any = (0.0, 0.0, 0.0),
        *,
        fluid: Fluid | None = None,
        frame: Observer | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"model: its name must be a non-empty text, got {shown(name)}")
        self.name = str(name)
        self._components: dict[str, Component] = {}
        self._owners: dict[str, Owner] = {}
        self.revision = 0  # counts what changes the model, so that what was made from it knows when to be made anew
        self._sorted: tuple[int, dict[str, tuple[Any, ...]]] = -1, {}  # components by kind, of one revision
        self.derived: Any = None  # what a solver keeps for the next call
        self.closes = False  # whether open joints count, too: in a run that may engage them
        self.gravity = gravity
        self.fluid = fluid
        self.frame = frame
        self._finished = True

    def __setattr__(self, name: str, value: Any) -> None:
        known = name.startswith("_") or name in self.__dict__ or hasattr(Model, name)
        if not known and "_finished" in self.__dict__:
            raise no_attribute(self, name)
        super().__setattr__(name, value)

    @property
    def title(self) -> str:
        """How error messages call it."""
        return f"model {self.name!r}"

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall (3,), world components (m/s^2), for the present values of the parameters."""
        return checks.array(self.title, "gravity", self._gravity, (3,), "(0, 0, -9.81)")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self.field = value if isinstance(value, CentralGravity) else None
        value = (0.0, 0.0, 0.0) if self.field is not None else plain(value)
        checks.array(self.title, "gravity", value, (3,), "(0, 0, -9.81)")
        self._gravity = value
        self.revision += 1

    @property
    def fluid(self) -> Fluid | None:
        """What surrounds the mechanism; None: nothing."""
        return self._fluid

    @fluid.setter
    def fluid(self, value: Fluid | None) -> None:
        if value is not None and not isinstance(value, Fluid):
            raise ModelError(f"{self.title}: fluid is {value!r}; pass a Fluid such as cs.Fluid(density=1.225)")
        self._fluid = value
        self.revision += 1

    @property
    def frame(self) -> Observer | None:
        """Observer in whose axes the model is described and its results are given; None: a Galilean frame."""
        return self._frame

    @frame.setter
    def frame(self, value: Observer | None) -> None:
        if value is not None and not isinstance(value, Observer):
            raise ModelError(f"{self.title}: frame is {shown(value)}; pass an Observer such as cs.Observer.earth(0.8)")
        self._frame = value
        self.revision += 1

    @property
    def given_gravity(self) -> tuple[Any, ...]:
        """Gravity as it was given, parameters included."""
        return self._gravity

    def add(self, component: C) -> C:
        """Add a component and return it.

        Places given as text are resolved now, so bodies are added before what refers to them by name.

        Examples
        --------
        >>> model = Model("fall", gravity=(0, 0, -9.81))
        >>> model.add(RigidBody.sphere("ball", diameter=0.1, mass=1.0)).name
        'ball'
        """
        self._demand_component(component, "add")
        if component.name in self._components:
            other = self._components[component.name]
            what = "it is in the model already" if other is component else f"used by the {other.word} {other.name!r}"
            raise ModelError(f"{self.title}: the name {component.name!r} of the {component.word} is taken ({what}); "
                             "give each component its own name; model.swap replaces joints and loads, model.remove "
                             "takes out")  # fmt: skip
        self._take(component)
        if isinstance(component, Owner):
            self._owners[component.name] = component
        return component

    def swap(self, component: C) -> C:
        """Put a component in the place of the one with its name, and return it; others then refer to the new one.

        Not for bodies and beams, on which places of others lie.

        Examples
        --------
        >>> from cosserat.model.loads import Force
        >>> model = Model("fall")
        >>> ball = model.add(RigidBody.sphere("ball", diameter=0.1, mass=1.0))
        >>> push = model.add(Force("push", ball, (1, 0, 0)))
        >>> model.swap(Force("push", ball, (2, 0, 0))) is model["push"]
        True
        """
        self._demand_component(component, "swap")
        old = self._components.get(component.name)
        if old is None or isinstance(component, Owner) or isinstance(old, Owner):
            listed = names_of([item for item in self.components if not isinstance(item, Owner)])
            raise ModelError(
                f"{self.title}: there is no {component.word} {component.name!r} to be replaced; what can be replaced: "
                f"{listed}; add others with model.add"
            )
        self._take(component, instead=old)
        return component

    def _demand_component(self, component: Any, verb: str) -> None:
        if not isinstance(component, Component):
            raise ModelError(
                f"{self.title}: cannot {verb} {shown(component)}; a model takes bodies, beams, joints, loads, springs, "
                "dampers, servos, knife edges, rolling discs, constraints"
            )

    def _take(self, component: Component, instead: Component | None = None) -> None:
        """Check a component and take it in, if wanted in the place of another."""
        parameters = list(component.parameters())
        gone = set() if instead is None else {id(parameter) for parameter in instead.parameters()}
        known = self.parameter_objects() if parameters else {}
        for parameter in parameters:
            for other in known.get(parameter.name, []):
                if id(other) not in gone:
                    demand_same(parameter, other, component.title)
        component.find_places(lambda target, argument: self.place(target, component.title))
        component.join(self)
        self._components[component.name] = component
        self.revision += 1

    def remove(self, component: "Component | str") -> Component:
        """Take a component out of the model and return it.

        Parameters
        ----------
        component : Component or str
            One of the model, or its name. What others refer to (a body with a joint on it) is refused: remove those
            first.

        Examples
        --------
        >>> model = Model("two")
        >>> ball = model.add(RigidBody.sphere("ball", diameter=0.1, mass=1.0))
        >>> model.remove("ball") is ball, len(model)
        (True, 0)
        """
        name = component.name if isinstance(component, Component) else component
        found = self[name] if isinstance(name, str) else None
        if found is None or (isinstance(component, Component) and found is not component):
            listed = names_of(self.components)
            raise ModelError(f"{self.title}: {shown(component)} is not in the model; components: {listed}")
        users = [item for item in self if any(id(owner) == id(found) for owner in item.owners)]
        users += [servo for servo in self.servos if isinstance(found, Joint) and servo.coordinate in found.coordinates]
        if users:
            titles = ", ".join(item.title for item in users)
            raise ModelError(f"{self.title}: {found.title} is needed by {titles}; remove what needs it first")
        del self._components[found.name]
        self._owners.pop(found.name, None)
        self.revision += 1
        return found

    @property
    def owners(self) -> tuple[Owner, ...]:
        """Bodies and beams, on which places lie."""
        return tuple(self._owners.values())

    def __getitem__(self, name: str) -> Component:
        try:
            return self._components[name]
        except KeyError:
            raise ModelError(f"{self.title}: no component {name!r}; components: {names_of(self.components)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._components

    def __iter__(self) -> Iterator[Component]:
        return iter(self._components.values())

    def __len__(self) -> int:
        return len(self._components)

    @property
    def components(self) -> tuple[Component, ...]:
        """All components in the order they were added."""
        return tuple(self._components.values())

    @property
    def state_loads(self) -> tuple[StateLoad, ...]:
        """Loads that depend on the state in order, behind them potentials of joints, sections along beams, gravity of a
        central body, and apparent ones of a frame.
        """
        given = self.given_state_loads
        given += tuple(JointPotential(joint) for joint in self.joints if joint.potential is not None)
        given += tuple(section for law in self.along_beams for section in law.sections)
        if self.field is not None:
            given += tuple(FieldLoad(lump, self.field, self.frame) for lump in lumps_of(self, "a central field", given))
        return given if self.frame is None else given + apparent_loads(self, self.frame, given)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates of the joints, in order: the joint's name, or joint.freedom if it has several.

        Bodies that no joint ties to the ground and modes of elastic bodies have coordinates of their own, which follow
        these: `Tree.coordinates` names all, as the recursive algorithms take them.
        """
        return tuple(name for joint in self.joints for name in joint.coordinates)

    def place(self, target: Any, where: str = "", parameters: dict[str, Parameter] | None = None) -> Place:
        """A place from text such as ``"arm1.end"``, ``"arm1.at(0.5)"``, ``"hub"``; places are returned as they are.

        Numbers in the text may be formulas of `parameters` (default: those of the model).
        """

        def known() -> dict[str, Parameter]:
            if parameters is not None:
                return parameters
            return {name: objects[0] for name, objects in self.parameter_objects().items()}

        return find_place(target, self._owners, where, known)

    # parameters -----------------------------------------------------------------------------------------------------

    def parameter_objects(self) -> dict[str, list[Parameter]]:
        """Every parameter object that occurs in the model, by name, in the order of appearance."""
        found: dict[str, list[Parameter]] = {}
        for parameter in parameters_in(self):
            found.setdefault(parameter.name, []).append(parameter)
        return found

    def referred(self) -> Iterable[Any]:
        return self._gravity, *self._around()

    def _around(self) -> tuple[Any, ...]:
        """What surrounds the mechanism, and its components."""
        return *(item for item in (self._fluid, self.frame, self.field) if item is not None), *self._components.values()

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters that occur in the model, by name."""
        return {name: objects[0].value for name, objects in self.parameter_objects().items()}

    def set(self, *unnamed: Any, **values: float) -> None:
        """Set parameters by name; if the model cannot take a value, all keep their old ones and an error is raised."""
        if unnamed:
            raise ParameterError(f"{self.title}: set takes names, such as model.set(P=3.0) or model.set(**values)")
        objects = self.parameter_objects()
        for name in values:
            if name not in objects:
                known = ", ".join(repr(n) for n in objects) or "none"
                raise ParameterError(f"{self.title}: no parameter {name!r}; parameters: {known}")
        old = [(p, p.value) for name in values for p in objects[name]]
        try:
            for name, value in values.items():
                for parameter in objects[name]:
                    parameter.value = value
            self.check()
        except Exception:
            for parameter, value in old:
                parameter.value = value
            raise

    def check(self) -> None:
        """Raise an error if a component cannot take the present values of the parameters."""
        for item in self._around():
            item.check()

    def validate(self) -> None:
        """Raise the first error that can be found without solving; warn about bodies that nothing can move."""
        validate(self)

    # the whole ------------------------------------------------------------------------------------------------------

    def copy(self) -> "Model":
        """An independent copy: setting a parameter of one does not change the other."""
        return copy.deepcopy(self)

    def snapshot(self) -> "Model":
        """A copy that shares its components: what is added, removed or set as gravity later does not show in it."""
        new = copy.copy(self)
        new._components, new._owners, new.derived = dict(self._components), dict(self._owners), None
        return new

    def with_open(self) -> "Model":
        """A snapshot among whose joints are those that begin open."""
        new = self.snapshot()
        new.closes, new._sorted = True, (-1, {})
        return new

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (
            (self.name, self._gravity, self.field, self._fluid, self.frame)
            == (other.name, other._gravity, other.field, other._fluid, other.frame)
            and self._components == other._components
            and all(getattr(self, k) == getattr(other, k) for k in ("all_joints", "bodies", "beams"))
        )

    def summary(self) -> str:
        """A table of components, degrees of freedom and parameters."""
        return summarize(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self)} components>"
