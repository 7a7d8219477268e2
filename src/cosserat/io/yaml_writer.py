"""Writing model files: the inverse of `cosserat.io.yaml_model`."""

import io
import numbers
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.errors import FileFormatError, shown
from cosserat.io import output
from cosserat.io.modal_entries import plain_body
from cosserat.model.beams import Beam
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.line_functions import LineFunction
from cosserat.model.materials import Material
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.parameters import ParameterLike
from cosserat.model.places import Place
from cosserat.model.records import Component, Record
from cosserat.model.section import AnySection
from cosserat.model.winds import Wind


def save(model: Model, path: str | Path, simulate: dict[str, Any] | None = None) -> None:
    """Write a model file; Python functions in the model are an error that names the component.

    Matrices of modal bodies go into a file of arrays beside it, of the same name with ``.npz``.

    Parameters
    ----------
    model : Model
    path : path
    simulate : dict, optional
        Settings for the ``simulate`` section.
    """
    if not isinstance(model, Model):
        raise FileFormatError(f"save_model: {model!r} is not a Model")
    arrays: dict[str, NDArray[Any]] = {}
    file = output.target(path, (".yaml", ".yml"), "a model file ends in .yaml or .yml")
    beside = file.with_suffix(".npz")
    text = to_text(model, simulate, arrays, beside.name)
    if arrays:  # first: a model file that is there is whole
        stream = io.BytesIO()
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
        output.write(output.target(beside), stream.getvalue())
    output.write(file, text)


@answered()
def save_model(model: Model, path: str | Path) -> None:
    """Write a model file, which `load_model` reads; Python functions in the model are an error.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.yaml"
    >>> cs.save_model(model, path)
    >>> cs.load_model(path) == model
    True
    """
    save(model, path)


def to_text(
    model: Model,
    simulate: dict[str, Any] | None = None,
    arrays: dict[str, NDArray[Any]] | None = None,
    file: str = "",
) -> str:
    """The text of a model file; large arrays of modal bodies go into `arrays`, for the `file` it names."""
    return _Writer(model, arrays, file).text(simulate)


class _Writer:
    def __init__(self, model: Model, arrays: dict[str, NDArray[Any]] | None, file: str) -> None:
        self.model = model
        self.arrays, self.file = arrays, file
        self.materials: dict[str, Material] = {}
        self.sections: dict[str, AnySection] = {}

    def text(self, simulate: dict[str, Any] | None) -> str:
        model = self.model
        tables = {
            "bodies": [self._component(c, "RigidBody") for c in model.bodies],
            "beams": [self._component(c, "Beam") for c in model.beams],
            "modal_bodies": [self._component(c, "ModalBody") for c in model.modal_bodies],
            "joints": [self._component(c) for c in model.all_joints],
            "loads": [
                self._component(c)
                for c in (*model.loads, *model.distributed_loads, *model.given_state_loads, *model.along_beams)
            ],
            "springs": [self._component(c) for c in model.springs],
            "servos": [self._component(c, "Servo") for c in model.servos],
            "rolling": [self._component(c) for c in model.rolling],
        }
        content: dict[str, Any] = {"model": model.name, "gravity": self._plain(model.given_gravity, "gravity")}
        for key, around in (("gravity", model.field), ("fluid", model.fluid), ("frame", model.frame)):
            if around is not None:
                content[key] = {k: self._plain(v, f"{key}: {k}") for k, v in around.arguments().items()}
        content["parameters"] = model.parameters
        content["materials"] = {k: self._record(m, k) for k, m in self.materials.items()}
        content["sections"] = {k: self._record(s, k) for k, s in self.sections.items()}
        content.update(tables)
        content["simulate"] = simulate or {}
        present = {key: value for key, value in content.items() if value}
        return yaml.safe_dump(_simple(present), sort_keys=False, default_flow_style=None, width=120)

    def _component(self, component: Component, implied: str = "") -> dict[str, Any]:
        kind = type(component).__name__
        entry: dict[str, Any] = {} if kind == implied else {"kind": kind}
        matrices = plain_body(component, self.arrays, self.file) if isinstance(component, ModalBody) else {}
        for name, value in component.arguments().items():
            where = f"{component.title}: {name}"
            if isinstance(component, Beam) and name == "material":
                entry[name] = self._named(value, self.materials, value.name or "material")
            elif isinstance(component, Beam) and name == "section":
                ends = value if isinstance(value, tuple) else (value,)
                for end in ends:
                    if not isinstance(end, AnySection):
                        raise _refuse(where, "a taper as a pair (start, end) of sections")
                names = [self._named(end, self.sections, type(end).__name__.lower()) for end in ends]
                entry[name] = names if isinstance(value, tuple) else names[0]
            else:
                entry[name] = matrices[name] if name in matrices else self._plain(value, where)
        return entry

    @staticmethod
    def _named(value: Any, table: dict[str, Any], stem: str) -> str:
        """The name of an equal entry of the table, or a new one."""
        for name, entry in table.items():
            if entry == value:
                return name
        name, count = stem, 1
        while name in table:
            count += 1
            name = f"{stem}{count}"
        table[name] = value
        return name

    def _record(self, record: Record, name: str) -> dict[str, Any]:
        entry = {k: self._plain(v, f"{record.title}: {k}") for k, v in record.arguments().items()}
        if isinstance(record, Material):
            given = entry.pop("name", None)
            return entry if given == name else {**entry, "name": given}
        return {"kind": type(record).__name__, **entry}

    def _plain(self, value: Any, where: str) -> Any:
        if isinstance(value, ParameterLike):
            return value.text
        if isinstance(value, Place):
            return value.label
        if isinstance(value, TimeFunction):
            if value.text is not None:
                return value.text
            if not value.is_constant:
                raise _refuse(where, "a formula such as '2*sin(t)'")
            return self._plain(value.source, where)
        if isinstance(value, LineFunction) and value.callable is None:
            return [self._plain(e, where) for e in value.entries]
        if isinstance(value, VectorFunction):
            if value.callable is not None:
                raise _refuse(where, "three formulas such as ['2*sin(t)', 0, 0]")
            return [self._plain(c, where) for c in value.components]
        if isinstance(value, Wind):
            given = {k: self._plain(v, where) for k, v in value.numbers.items() if v is not None}
            return {"kind": value.kind, **given}
        if isinstance(value, Record):
            return {k: self._plain(v, where) for k, v in value.arguments().items()}
        if isinstance(value, dict):
            return {k: self._plain(v, where) for k, v in value.items()}
        if isinstance(value, (tuple, list)):
            return [self._plain(v, where) for v in value]
        if callable(value):
            raise _refuse(where, "numbers or formulas as text")
        return value


def _simple(value: Any) -> Any:
    """Plain Python values for what only behaves like them: numbers and text of NumPy, fractions, enumerations."""
    if isinstance(value, dict):
        return {str(k): _simple(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_simple(v) for v in value]
    if isinstance(value, np.ndarray):
        return _simple(value.tolist())
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise FileFormatError(f"{shown(value)} cannot be written into a file; give numbers or text")


def _refuse(where: str, instead: str) -> FileFormatError:
    return FileFormatError(f"{where} is a Python function, which a file cannot hold; give {instead}")
