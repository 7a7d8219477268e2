"""Inputs and outputs of linear models by name.

Inputs: ``"shoulder"`` or ``"slider.x"`` (the effort in a freedom, or its prescribed motion if it has one), ``"wind"``
(a load along its present direction), ``"motor"`` (the target of a servo), ``"engine.throttle"`` (an input of a law),
``"cable.tension"`` (of a tendon), ``"tip.fz"`` (a component of a load, or a new force at a place), ``"P"`` (a
parameter). Outputs: ``"arm.end"`` and ``"arm.end.x"`` (position), ``"elbow"`` (coordinate), ``"cable"`` (length), with
the words of `KINDS`; single components as in ``"arm.end.vy"``, ``"elbow.fz"``, ``"arm.at(0.5).Mz"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cosserat.compile.state_loads import signals_of
from cosserat.errors import PlaceError, SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.parameters import Parameter
from cosserat.model.places import Owner, Place
from cosserat.model.servos import Servo
from cosserat.results.labels import WRENCH
from cosserat.results.linear import Output
from cosserat.results.mechanism import JointInfo
from cosserat.results.quantities import JOINT, KINDS, LINE, OWN, PLACE, Quantity, SpringNumber
from cosserat.solve.linear import input_columns
from cosserat.solve.linear.input_columns import Column


def input_ports(point: Any, items: Any, caller: str = "linearize") -> InputPorts:
    """Columns of inputs given by name, as objects of the model, or as pairs (object, component)."""
    columns = [column for item in _listed(items) for column in _input(point, item, caller)]
    _demand_distinct([c.name for c in columns], "input", caller)
    n, m = point.n_unknowns, point.n_constraints
    force = np.stack([c.force for c in columns], axis=1) if columns else np.zeros((n, 0))
    drive = np.stack([c.drive for c in columns], axis=1) if columns else np.zeros((m, 0))
    return InputPorts(tuple(columns), force, drive)


def output_ports(point: Any, items: Any, inputs: InputPorts, caller: str = "linearize") -> OutputPorts:
    """Rows of outputs given by name, as objects of the model, or as pairs (object, word)."""
    asked = [quantity_of(point, item, caller) for item in _listed(items)]
    names = [q.names[k] for q in asked for k in q.picked]
    _demand_distinct(names, "output", caller)
    found: OutputPorts = point.outputs(asked, inputs)
    return found


def _listed(items: Any) -> list[Any]:
    if isinstance(items, (str, Output, Place, Owner, Joint, PointLoad, DistributedLoad, Parameter, Servo)):
        return [items]
    if isinstance(items, tuple) and len(items) == 2 and not isinstance(items[0], str) and isinstance(items[1], str):
        return [items]
    if not np.iterable(items):
        got = shown(items)
        raise SolveError(f"inputs and outputs are names or lists of names, such as ['elbow', 'tip.fz']; got {got}")
    return list(items)


def _demand_distinct(names: list[str], word: str, caller: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SolveError(f"{caller}: the {word} {name!r} is asked for twice")


def _text(item: Any, caller: str) -> str:
    """An input or output as text."""
    if isinstance(item, tuple) and len(item) == 2:
        return f"{_text(item[0], caller)}.{item[1]}"
    if isinstance(item, Place):
        return item.label
    if isinstance(item, (Owner, Joint, PointLoad, DistributedLoad, Parameter, Servo)):
        return item.name
    if isinstance(item, str):
        return item.strip()
    raise SolveError(f"{caller}: {item!r} is neither a name nor a part of the model; write for instance 'arm.end.fz'")


def _split(text: str) -> tuple[str, str]:
    """Before and after the last dot that is not inside brackets."""
    depth = 0
    for k in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[k], 0)
        if text[k] == "." and depth == 0:
            return text[:k], text[k + 1 :]
    return text, ""


def _input(point: Any, item: Any, caller: str) -> list[Column]:
    model, mechanism = point.model, point.mechanism
    text = _text(item, caller)
    head, word = _split(text)
    loads = {load.name: load for load in (*model.loads, *model.distributed_loads)}
    if isinstance(item, Parameter) or (text in model.parameters and text not in model):
        if text not in model.parameters:
            known = ", ".join(map(repr, model.parameters)) or "none"
            raise SolveError(f"{caller}: nothing in the model depends on the parameter {text!r}; parameters: {known}")
        return [point.parameter_column(text)]
    if text in mechanism.joints or head in mechanism.joints:
        joint, pick = mechanism.joint(text)
        if not joint.freedoms:
            raise SolveError(f"{caller}: joint {joint.name!r} is fixed; it has no freedom to drive or push")
        chosen = range(len(joint.freedoms)) if pick is None else [pick]
        return [_joint_column(point, joint, i) for i in chosen]
    servos = {servo.name: servo for servo in model.servos}
    if text in servos:
        joint, pick = mechanism.joint(servos[text].coordinate)
        return [_felt(point, input_columns.target_column, joint, pick or 0, servos[text])]
    if text in (signal.name for signal in signals_of(model) if signal.offered):
        return [_felt(point, input_columns.signal_column, text)]
    if word == "tension" and head in (spring.name for spring in model.springs if spring.tension is not None):
        return [_felt(point, input_columns.tension_column, head)]
    if text in loads:
        direction = input_columns.present_direction(point.still, loads[text])
        return [_felt(point, input_columns.load_column, loads[text], direction, text)]
    if head in loads:
        if word not in WRENCH:
            raise SolveError(f"{caller}: load {head!r} has no component {word!r}; components: {', '.join(WRENCH)}")
        unit = np.eye(6)[WRENCH.index(word)]
        return [_felt(point, input_columns.load_column, loads[head], unit, text)]
    if word in WRENCH:
        _station(point, head, text, caller)
        return [_felt(point, input_columns.place_force_column, head, WRENCH.index(word), text)]
    owner = _split(head)[0] if head not in mechanism.owners else head
    if owner in mechanism.owners:
        raise SolveError(f"{caller}: input {text!r}: say which force at the place: {_words(text, WRENCH)}")
    raise SolveError(f"{caller}: unknown input {text!r}; {_known_inputs(point, loads)}")


def _felt(point: Any, make: Callable[..., Column], *what: Any) -> Column:
    """An input that nodes feel, brought to the unknowns of the point; it does not move constraints."""
    column = make(point.still, *what)
    return replace(column, force=point.carried(column.force), drive=np.zeros(point.n_constraints))


def _joint_column(point: Any, joint: JointInfo, i: int) -> Column:
    name = joint.coordinates[i]
    if joint.driven[i]:
        column: Column = point.motion_column(joint, i, name)
        return column
    return _felt(point, input_columns.effort_column, joint, i, name)


def _words(text: str, words: Iterable[str]) -> str:
    return ", ".join(repr(f"{text}.{word}") for word in words)


def _known_inputs(point: Any, loads: Iterable[str]) -> str:
    names = {
        "joints": point.mechanism.joints,
        "servos": [servo.name for servo in point.model.servos],
        "loads": loads,
        "inputs of loads": [signal.name for signal in signals_of(point.model) if signal.offered],
        "tensions": [f"{spring.name}.tension" for spring in point.model.springs if spring.tension is not None],
        "parameters": point.model.parameters,
        "bodies, with a place and a component such as 'arm.end.fz'": point.mechanism.owners,
    }
    return "; ".join(f"{what}: {', '.join(map(repr, found))}" for what, found in names.items() if list(found))


def _station(point: Any, place: str, text: str, caller: str) -> Any:
    try:
        return point.mechanism.station(place)[0]
    except PlaceError as error:
        raise SolveError(f"{caller}: {text!r}: {error}") from None


def quantity_of(point: Any, item: Any, caller: str) -> Quantity:
    """An output given by name, as an object of the model, as a pair (object, word), or an `Output`."""
    if isinstance(item, Output):
        return Quantity(OWN, (item.name,), item)
    mechanism = point.mechanism
    text = _text(item, caller)
    head, word = _split(text)
    inner = _split(head)
    for name, rest in ((text, ""), (head, word), (inner[0], f"{inner[1]}.{word}")):
        if name in mechanism.joints:
            return _of_joint(mechanism.joints[name], rest, text, caller)
    if head in mechanism.springs:
        return _of_line(mechanism.springs[head], head, word, text, caller)
    words = {k: row for k, row in KINDS.items() if row.of not in (JOINT, LINE)}
    kind = next((k for k, row in words.items() if word == k or word in row.components), None)
    if kind is None:
        head, word, kind = text, "", "position"
    owner = _split(head)[0] if head not in mechanism.owners else head
    if owner not in mechanism.owners and owner != "ground":
        raise SolveError(
            f"{caller}: unknown output {text!r}; joints: {', '.join(map(repr, mechanism.joints)) or 'none'}; bodies: "
            f"{', '.join(map(repr, mechanism.owners))}"
        )
    station = _station(point, head, text, caller)
    components = KINDS[kind].components
    names = tuple(f"{head}.{c}" for c in components)
    pick = None if word in ("", kind) else (components.index(word),)
    if KINDS[kind].of == PLACE:
        return Quantity(kind, names, station, pick)
    if owner not in mechanism.beams:
        raise SolveError(f"{caller}: output {text!r}: {owner!r} is not a beam and has no {kind.replace('_', ' ')}")
    s = point.model.place(head).s
    assert s is not None
    return Quantity(kind, names, (owner, s), pick)


def _of_line(number: int, name: str, word: str, text: str, caller: str) -> Quantity:
    """Output of a spring or tendon: its length where there is no word."""
    kind = word or "length"
    known = [k for k, row in KINDS.items() if row.of == LINE]
    if kind not in known:
        raise SolveError(f"{caller}: output {text!r}: {name!r} has no {word!r}; it has: {', '.join(known)}")
    return Quantity(kind, (f"{name}.{kind}",), SpringNumber(number))


def _of_joint(joint: JointInfo, rest: str, text: str, caller: str) -> Quantity:
    """Output of a joint: `rest` is empty, a word, a freedom, a freedom and a word, or a component of the reaction."""
    freedom, _, word = rest.partition(".")
    if freedom not in joint.names:
        freedom, word = "", rest
    kind = "reaction" if word in WRENCH and not freedom else word or "coordinate"
    known = [k for k, row in KINDS.items() if row.of == JOINT]
    if kind not in known or (freedom and kind == "reaction"):
        words = ", ".join([*joint.names, *known, *WRENCH])
        raise SolveError(f"{caller}: output {text!r}: joint {joint.name!r} has no {rest!r}; it has: {words}")
    if kind == "reaction":
        pick = (WRENCH.index(word),) if word in WRENCH else None
        return Quantity(kind, tuple(f"{joint.name}.{c}" for c in WRENCH), joint, pick)
    if not joint.freedoms:
        raise SolveError(f"{caller}: output {text!r}: joint {joint.name!r} is fixed and has no {kind}")
    names = tuple(n if kind == "coordinate" else f"{n}.{kind}" for n in joint.coordinates)
    return Quantity(kind, names, joint, (joint.names.index(freedom),) if freedom else None)


@dataclass(frozen=True)
class InputPorts:
    """Columns of all inputs: force (6n, k), drive (m, k)."""

    columns: tuple[Column, ...]
    force: Array
    drive: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(column.name for column in self.columns)

    def inner(self, ny: int) -> Array:
        """What the inputs add to the rates of states of laws (ny, k)."""
        none = np.zeros(ny)
        return np.array([none if c.inner is None else c.inner for c in self.columns]).reshape(-1, ny).T


@dataclass(frozen=True)
class OutputPorts:
    """Rows of all outputs: y = position x + rate x' + acceleration x" + multiplier lambda + direct u.

    The rows are those of the components that are meant of the quantities asked for; `values` are those at the point.
    """

    asked: list[Quantity]
    position: Array
    rate: Array
    acceleration: Array
    multiplier: Array
    direct: Array
    values: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(quantity.names[k] for quantity in self.asked for k in quantity.picked)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units, for axes of pictures."""
        return tuple(quantity.units[k] for quantity in self.asked for k in quantity.picked)

    def at(self, s: complex, x: Array, multipliers: Array, u: Array) -> Array:
        """Outputs of a motion x exp(s t) with its multipliers under inputs u exp(s t); columns may be several."""
        turned = self.position @ x + s * (self.rate @ x) + s * s * (self.acceleration @ x)
        return np.asarray(turned + self.multiplier @ multipliers + self.direct @ u)

