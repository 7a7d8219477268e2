"""Model files: a mechanism as YAML, read without running any code from it.

Numbers may be formulas in the file's own parameters, functions of time are formulas in ``t``, curves in ``s``. Every
error names the file, the line and the place in it, such as ``joints[2].axis``; unknown keys list the known ones.
"""

import functools
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cosserat import model as parts
from cosserat.calls import answered
from cosserat.errors import ArgumentError, CosseratError
from cosserat.io import modal_entries
from cosserat.io.located_yaml import Document, Route, read
from cosserat.io.yaml_writer import save, save_model
from cosserat.model import checks, materials
from cosserat.model.joints import JOINTS
from cosserat.model.line_functions import LineFunction, varies_with_s
from cosserat.model.parameters import number_from_text
from cosserat.model.section import AnySection
from cosserat.model.winds import KINDS, Wind

__all__ = ["ModelFile", "load", "load_model", "save", "save_model"]


def _kinds(*names: str) -> dict[str, Callable[..., Any]]:
    return {name: getattr(parts, name) for name in names}


SECTIONS = _kinds("Rod", "Tube", "Rectangle", "Box", "IBeam", "Profile", "Section")
SHAPES = ("box", "cylinder", "sphere", "bar", "plate")
# key of the file: the kinds it may hold, and the one meant if no kind is given
TABLES: dict[str, tuple[dict[str, Callable[..., Any]], str | None]] = {
    "bodies": (
        _kinds("RigidBody", "IntermediateFrame") | {shape: getattr(parts.RigidBody, shape) for shape in SHAPES},
        "RigidBody",
    ),
    "beams": (_kinds("Beam"), "Beam"),
    "modal_bodies": (modal_entries.KINDS, "ModalBody"),
    "joints": (dict(JOINTS), None),
    "loads": (
        _kinds(
            "Force", "Torque", "Wrench", "DistributedLoad", "StateLoad", "AddedMass", "Aerodynamics", "Buoyancy",
            "Morison", "PipeFlow", "Strip", "Thruster", "Rotor", "Propeller", "Propellant",
        ),
        None,
    ),
    "springs": (_kinds("Spring", "Damper", "Tendon"), "Spring"),
    "servos": (_kinds("Servo"), "Servo"),
    "rolling": (_kinds("KnifeEdge", "RollingDisc", "Constraint"), None),
}  # fmt: skip
KEYS = ("model", "gravity", "fluid", "frame", "parameters", "materials", "sections", *TABLES, "simulate")
SIMULATE = (
    "duration", "step", "tolerance", "formulation", "integrator", "rho", "start", "every", "modes", "boundary",
    "stiffening",
)  # fmt: skip
_RECORDS: dict[str, tuple[Any, tuple[str, ...]]] = {  # with the arguments that are taken as they are
    "airfoil": (parts.Airfoil, ()), "medium": (parts.Medium, ("kinetic", "potential")),
    "shape": (parts.Shape, ("kind",)),
}  # fmt: skip
_WORDS = ("name", "boundary", "root", "clamp", "stiffening")  # of modal bodies: taken as they are
_PLACES = ("parent", "child", "place", "centre", "other", "a", "b")
_TEXT = {"name", "body", "beam", "joint", "kind", "formulation", "integrator", "start", "through", *_PLACES}
_NUMBERS = {("PipeFlow", "speed")}  # though a key of that name is a function of time elsewhere
_TIME = {"motion", "effort", "vector", "force", "moment", "target", "throttle", "gimbal", "speed", "rate", "tension"}


class ModelFile(NamedTuple):
    """What a file holds: the model, and the settings of its ``simulate`` section (arguments of `simulate`)."""

    model: parts.Model
    simulate: dict[str, Any]


def load(path: str | Path) -> ModelFile:
    """Read a model file.

    Returns
    -------
    ModelFile
        The validated model and the settings of its ``simulate`` section, if any.
    """
    return _Reader(read(path), Path(path).parent).model_file()


@answered()
def load_model(path: str | Path) -> parts.Model:
    """Read the model of a model file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import cosserat as cs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.yaml"
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> cs.save_model(model, path)
    >>> cs.load_model(path)
    <Model 'fall': 1 components>
    """
    return load(path).model


class _Reader:
    def __init__(self, document: Document, folder: Path) -> None:
        self.document = document
        self.files = modal_entries.ArrayFiles(folder)
        self.parameters: dict[str, parts.Parameter] = {}
        self.materials: dict[str, parts.Material] = {}
        self.sections: dict[str, AnySection] = {}

    def model_file(self) -> ModelFile:
        content = self._mapping(self.document.content, (), KEYS)
        for name, value in self._table(content, "parameters"):
            route: Route = ("parameters", name)
            number = self._guard(route, self._number, value)
            self.parameters[name] = self._guard(route, parts.Parameter, name, number)
        for name, value in self._table(content, "materials"):
            self.materials[name] = self._material(value, ("materials", name), name)
        for name, value in self._table(content, "sections"):
            self.sections[name] = self._section(value, ("sections", name))
        given = content.get("gravity", [0, 0, 0])
        route = ("gravity",)
        central = isinstance(given, dict)
        gravity = self._record(parts.CentralGravity, given, route) if central else self._numbers(given, route)
        frame = content.get("frame")
        if frame is not None:
            timed = lambda _, v, to: self._functions(v, to, "t")  # noqa: E731
            frame = self._record(parts.Observer, frame, ("frame",), read=timed)
        model: parts.Model = self._guard(("model",), parts.Model, content.get("model", "model"), frame=frame)
        self._guard((), setattr, model, "gravity", gravity)
        if content.get("fluid") is not None:
            model.fluid = self._record(parts.Fluid, content["fluid"], ("fluid",), read=self._of_fluid)
        titles: dict[str, Route] = {}
        for key in TABLES:
            items = content.get(key) or []
            if not isinstance(items, list):
                raise self.document.error((key,), "must be a list; begin each entry with '- '")
            for i, item in enumerate(items):
                component = self._guard((key, i), model.add, self._component(model, key, item, (key, i)))
                titles[f"{component.title}: "] = (key, i)
        try:
            model.validate()
        except CosseratError as error:
            route = next((route for title, route in titles.items() if str(error).startswith(title)), ())
            argument = error.argument if isinstance(error, ArgumentError) and error.argument else None
            where = (*route, argument) if argument else route
            raise self.document.error(where, str(error)) from error
        return ModelFile(model, self._settings(content.get("simulate") or {}))

    def _settings(self, value: Any) -> dict[str, Any]:
        settings = self._mapping(value, ("simulate",), SIMULATE)
        return {key: self._setting(key, entry, ("simulate", key)) for key, entry in settings.items()}

    def _setting(self, key: str, entry: Any, route: Route) -> Any:
        if isinstance(entry, dict) and key in ("modes", "boundary"):  # by beam
            return {name: self._setting(key, item, (*route, name)) for name, item in entry.items()}
        if key in (*_TEXT, "boundary"):
            if not isinstance(entry, str):
                raise self.document.error(route, f"must be text, got {entry!r}")
            return entry
        if key == "stiffening":
            return self._guard(("simulate",), checks.flag, "simulate", key, entry)
        number = self._guard(route, self._number, entry)
        if key in ("modes", "every"):
            lowest = 0 if key == "modes" else 1
            return self._guard(("simulate",), checks.integer, "simulate", key, number, lowest)
        return self._guard(("simulate",), checks.number, "simulate", key, number, positive=key != "rho")

    def _guard(self, route: Route, build: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a constructor; turn its error into one that names file, line and route."""
        try:
            return build(*args, **kwargs)
        except ArgumentError as error:
            raise self.document.error((*route, error.argument) if error.argument else route, str(error)) from error
        except CosseratError as error:
            if str(error).startswith(self.document.file):
                raise
            raise self.document.error(route, str(error)) from error

    def _mapping(self, value: Any, route: Route, known: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.document.error(route, f"must be a mapping of keys to values, got {value!r}")
        for key in value:
            if key not in known:
                raise self.document.error((*route, key), f"unknown key {key!r}; known keys: {', '.join(known)}")
        return value

    def _table(self, content: dict[str, Any], key: str) -> list[tuple[str, Any]]:
        value = content.get(key) or {}
        if not isinstance(value, dict):
            raise self.document.error((key,), f"must be a mapping of names to values, got {value!r}")
        return list(value.items())

    def _number(self, value: Any) -> Any:
        return number_from_text(value, self.parameters, "formula") if isinstance(value, str) else value

    def _numbers(self, value: Any, route: Route) -> Any:
        """Text anywhere inside is a formula of parameters."""
        return self._within(value, route, lambda v, to: self._guard(to, self._number, v))

    def _within(self, value: Any, route: Route, read: Callable[[Any, Route], Any]) -> Any:
        """What is made of every entry of lists and mappings, anywhere inside."""
        if isinstance(value, list):
            return tuple(self._within(v, (*route, i), read) for i, v in enumerate(value))
        if isinstance(value, dict):
            return {k: self._within(v, (*route, k), read) for k, v in value.items()}
        return read(value, route)

    def _record(
        self, make: Any, value: Any, route: Route, as_it_is: tuple[str, ...] = (), read: Any = None, **default: Any
    ) -> Any:
        """A record from its arguments, numbers or formulas of parameters but for some that are taken as they are.

        `read` reads an argument otherwise, given its name, what stands there and the route.
        """
        given = self._mapping(value, route, _accepted(make))
        read = read or (lambda k, v, to: v if k in as_it_is else self._numbers(v, to))
        return self._guard(route, make, **default | {k: read(k, v, (*route, k)) for k, v in given.items()})

    def _functions(self, value: Any, route: Route, variable: str) -> Any:
        """Text anywhere inside is a formula of the variable and of parameters."""

        def read(v: Any, to: Route) -> Any:
            given = (v, "formula", self.parameters.values(), variable)
            return self._guard(to, parts.TimeFunction, *given) if isinstance(v, str) else v

        return self._within(value, route, read)

    def _of_fluid(self, name: str, entry: Any, route: Route) -> Any:
        """An argument of a fluid."""
        if name == "above" and entry is not None:
            return self._record(parts.Fluid, entry, route, read=self._of_fluid)
        if name in ("velocity", "gust") and isinstance(entry, dict):
            return self._wind(entry, route)
        return entry if name == "density" and entry == "isa" else self._numbers(entry, route)

    def _wind(self, entry: dict[Any, Any], route: Route) -> Wind:
        kind = entry.get("kind")
        if kind not in KINDS:
            raise self.document.error(route, f"kind is {kind!r}; pass one of {', '.join(map(repr, KINDS))}")
        numbers = {}
        for name, value in entry.items():
            if name == "base" and isinstance(value, dict):
                numbers[name] = self._wind(value, (*route, name))
            elif name != "kind":
                numbers[name] = self._numbers(value, (*route, name))
        return self._guard(route, Wind, kind, numbers)

    def _component(self, model: parts.Model, key: str, item: Any, route: Route) -> Any:
        kinds, default = TABLES[key]
        if not isinstance(item, dict):
            raise self.document.error(route, f"must be a mapping of keys to values, got {item!r}")
        kind = item.get("kind", default)
        if not isinstance(kind, str) or kind not in kinds:
            problem = "has no kind" if kind is None else f"has the unknown kind {kind!r}"
            raise self.document.error((*route, "kind"), f"{problem}; kinds: {', '.join(kinds)}")
        make = kinds[kind]
        self._mapping(item, route, ("kind", *_accepted(make)))
        read = functools.partial(self._modal_argument, kind) if key == "modal_bodies" else self._argument
        plain = [k for k in item if (kind, k) in _NUMBERS]
        arguments = {k: read(key, k, v, (*route, k)) for k, v in item.items() if k != "kind" and k not in plain}
        arguments |= {k: self._numbers(item[k], (*route, k)) for k in plain}
        where = f"{make.__name__} {item.get('name')!r}"
        for side in _PLACES if key in ("joints", "loads", "springs", "rolling") else ():
            if side not in arguments or isinstance(arguments[side], tuple):
                continue
            arguments[side] = self._guard((*route, side), model.place, arguments[side], where, self.parameters)
        if isinstance(arguments.get("through"), list):
            arguments["through"] = [
                self._guard((*route, "through", i), model.place, place, where, self.parameters)
                for i, place in enumerate(arguments["through"])
            ]
        return self._guard(route, make, **arguments)

    def _argument(self, table: str, key: str, value: Any, route: Route) -> Any:
        if key == "centre" and isinstance(value, list):  # of a volume; elsewhere it is a place
            return self._numbers(value, route)
        if value is None or key in _TEXT:
            return value
        if key in ("force", "moment") and table == "loads" and isinstance(value, list) and varies_with_s(value):
            return self._guard(route, LineFunction, value, key, self.parameters.values())
        if key in _TIME and table in ("joints", "loads", "servos", "springs"):
            found = self._functions(value, route, "t")
            # of rotors it may change with time, of the flow in a pipe not
            constant = isinstance(found, parts.TimeFunction) and found.is_constant
            return found.source if key == "speed" and constant else found
        if key in ("law", "level") and table == "rolling":
            return value
        if key == "law":
            if not isinstance(value, dict):
                raise self.document.error(route, f"must be formulas by component, such as fz: -c*vz, got {value!r}")
            return value
        if key == "curve":
            return self._functions(value, route, "s")
        if key == "velocity" and table == "beams":
            return tuple(value) if isinstance(value, list) else value
        if key == "section":
            if isinstance(value, list):
                return tuple(self._section(v, (*route, i)) for i, v in enumerate(value))
            return self._section(value, route)
        if key == "material":
            return self._material(value, route, None)
        if key in ("friction", "armature"):
            word, make = ("level", parts.Friction) if key == "friction" else ("inertia", parts.Armature)
            return self._entries(word, make, value, route)
        if key == "potential":
            return self._potential(value, route)
        if key in _RECORDS:
            return self._record(_RECORDS[key][0], value, route, _RECORDS[key][1])
        return self._numbers(value, route)

    def _modal_argument(self, kind: str, table: str, key: str, value: Any, route: Route) -> Any:
        matrices = kind == "ModalBody"
        if value is None or key in _WORDS:
            return value
        if key == "mesh":
            if not isinstance(value, str):
                raise self.document.error(route, f"must be the name of a mesh file, got {value!r}")
            return self._guard(route, self.files.path, value)
        if matrices and key in modal_entries.MATRICES:
            return self._array(value, route)
        if matrices and key in modal_entries.RECORDS:
            return self._array_record(modal_entries.RECORDS[key], value, route)
        if key in modal_entries.TABLES:
            if not isinstance(value, dict):
                raise self.document.error(route, f"must be a mapping of names to values, got {value!r}")
            if matrices:
                make = modal_entries.TABLES[key]
                return {name: self._array_record(make, entry, (*route, name)) for name, entry in value.items()}
            if kind == "mesh" and key == "interfaces":
                return {name: self._region(entry, (*route, name)) for name, entry in value.items()}
        return self._argument("beams" if key == "velocity" and not matrices else table, key, value, route)

    def _array(self, value: Any, route: Route) -> Any:
        """Numbers, or text that names an array beside the file."""
        return self._guard(route, self.files.array, value) if isinstance(value, str) else self._numbers(value, route)

    def _array_record(self, make: Any, value: Any, route: Route) -> Any:
        self._mapping(value, route, _accepted(make))
        missing = [name for name in modal_entries.needed(make) if name not in value]
        if missing:
            raise self.document.error(route, f"lacks {', '.join(missing)}")
        return self._guard(route, make, **{k: self._array(v, (*route, k)) for k, v in value.items()})

    def _region(self, value: Any, route: Route) -> Any:
        """An interface of a mesh: a region by name, or with how it is tied."""
        if isinstance(value, str):
            return value
        self._mapping(value, route, ("region", "position", "rotation", "tie"))
        if "region" not in value:
            raise self.document.error(route, "has no region; write 'region: name', a group of the mesh")
        return {k: v if k in ("region", "tie") else self._numbers(v, (*route, k)) for k, v in value.items()}

    def _potential(self, value: Any, route: Route) -> parts.Potential:
        """A formula, which may use the parameters of the file, or a Potential (formula, parameters)."""
        if isinstance(value, dict):
            return self._record(parts.Potential, value, route, ("formula",))
        words = set(re.findall(r"[A-Za-z_]\w*", value)) if isinstance(value, str) else set()
        return self._guard(route, parts.Potential, value, {n: p for n, p in self.parameters.items() if n in words})

    def _entries(self, word: str, make: Any, value: Any, route: Route) -> Any:
        """A number, a record such as Friction, whose mapping has a `word`, or one of these per freedom."""
        if isinstance(value, dict) and word in value:
            return self._record(make, value, route)
        if isinstance(value, dict):
            return {k: self._entries(word, make, v, (*route, k)) for k, v in value.items()}
        if isinstance(value, list):
            return tuple(self._entries(word, make, v, (*route, i)) for i, v in enumerate(value))
        return self._numbers(value, route)

    def _section(self, value: Any, route: Route) -> AnySection:
        if isinstance(value, str):
            if value not in self.sections:
                names = ", ".join(self.sections) or "none"
                raise self.document.error(route, f"unknown section {value!r}; sections of the file: {names}")
            return self.sections[value]
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in SECTIONS:
            kinds = ", ".join(SECTIONS)
            raise self.document.error(route, f"must be the name of a section, or a mapping with a kind: {kinds}")
        make = SECTIONS[kind]
        self._mapping(value, route, ("kind", *_accepted(make)))
        given = {k: self._numbers(v, (*route, k)) for k, v in value.items() if k != "kind"}
        return self._guard(route, make, **given)

    def _material(self, value: Any, route: Route, name: str | None) -> parts.Material:
        library = {k: m for k, m in vars(materials).items() if isinstance(m, parts.Material)}
        if isinstance(value, str):
            known = {**library, **self.materials}
            if value not in known:
                raise self.document.error(route, f"unknown material {value!r}; known: {', '.join(known)}")
            return known[value]
        return self._record(parts.Material, value, route, ("name",), name=name)


def _accepted(make: Callable[..., Any]) -> list[str]:
    target = make.__init__ if inspect.isclass(make) else make
    return [n for n in inspect.signature(target).parameters if n not in ("self", "cls")]
