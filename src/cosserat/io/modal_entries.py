"""Modal bodies in model files: from matrices, from a beam, or from a mesh next to the file.

Matrices are numbers in the file, or text that names an array beside it: ``blade.npy``, or ``blade.npz:stiffness``.
Arrays are read as numbers only, never as objects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.errors import FileFormatError
from cosserat.model.beams import Beam
from cosserat.model.closures import parameters_in
from cosserat.model.modal import ModalBody
from cosserat.model.modal_inertia import ArrayRecord, Interface, ModalInertia, Outline, RecoveryPoint
from cosserat.model.parameters import Parameter

_SMALL = 36  # numbers that a file keeps inline
TABLES: dict[str, type[ArrayRecord]] = {"interfaces": Interface, "recovery": RecoveryPoint}
RECORDS: dict[str, type[ArrayRecord]] = {"inertia": ModalInertia, "outline": Outline}
MATRICES = ("stiffness", "damping", "stiffening", "rates")


@answered("modal body")
def beam_body(
    name: str,
    points: Any = None,
    curve: Any = None,
    section: Any = None,
    material: Any = None,
    elements: Any = 8,
    up: Any = None,
    velocity: Any = None,
    modes: Any = None,
    frequency: Any = None,
    boundary: Any = "cantilever",
    root: Any = None,
    interfaces: Any = None,
    recovery: Any = None,
    stiffening: Any = True,
) -> ModalBody:
    """A modal body from the finite elements of a beam."""
    from cosserat.compile.modal import modal_body

    given = {"points": points, "curve": curve, "section": section, "material": material, "elements": elements,
             "up": up, "velocity": velocity}  # fmt: skip
    beam = Beam(name, **{key: value for key, value in given.items() if value is not None})
    _demand_numbers(f"modal body {name!r}", [*beam.parameters(), *parameters_in((interfaces, recovery))])
    return modal_body(beam, modes, frequency, boundary, root, interfaces, recovery, stiffening)


@answered("modal body")
def mesh_body(
    name: str,
    mesh: Any,
    material: Any,
    interfaces: Any,
    scale: Any = 1.0,
    modes: Any = None,
    frequency: Any = None,
    boundary: Any = "craig-bampton",
    root: Any = None,
    order: Any = 2,
    recovery: Any = None,
    stiffening: Any = False,
) -> ModalBody:
    """A modal body from a mesh of tetrahedra."""
    from cosserat.compile.solid_part import SolidInterface, modal_body_from_mesh
    from cosserat.io.meshes import load_mesh

    _demand_numbers(f"modal body {name!r}", [*material.parameters(), *parameters_in((scale, interfaces, recovery))])
    tied = {
        key: SolidInterface(**value) if isinstance(value, dict) else value for key, value in (interfaces or {}).items()
    }
    found = load_mesh(mesh, float(scale))
    return modal_body_from_mesh(
        name, found, material, tied, modes, frequency, boundary, root, order, recovery, stiffening
    )


KINDS: dict[str, Callable[..., Any]] = {"ModalBody": ModalBody, "beam": beam_body, "mesh": mesh_body}


def _demand_numbers(title: str, found: list[Parameter]) -> None:
    if found:
        raise FileFormatError(
            f"{title}: it depends on the parameter {found[0].name!r}; its modes are computed once, when the file is "
            "read, and would not follow; write the number"
        )


class ArrayFiles:
    """Arrays in files next to a model file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, text: str) -> Path:
        """A file beside the model file, or in a folder under it."""
        inside = PurePosixPath(text)
        if inside.is_absolute() or ".." in inside.parts or not inside.parts:
            raise FileFormatError(f"{text!r} does not lie beside the model file; write a name such as 'blade.npz'")
        found = self.folder / inside
        if "\0" in text or not found.is_file():
            raise FileFormatError(f"there is no file {text!r} beside the model file")
        return found

    def array(self, text: str) -> NDArray[Any]:
        """The array that ``file.npy`` or ``file.npz:key`` names."""
        file, colon, key = text.partition(":")
        if not file.endswith((".npy", ".npz")):
            raise FileFormatError(f"{text!r} names no array; write 'file.npy' or 'file.npz:key', or numbers")
        try:
            with self.path(file).open("rb") as stream:
                return _numeric(text, _picked(file, key if colon else None, np.load(stream, allow_pickle=False)))
        except (ValueError, OSError, EOFError, BadZipFile) as error:
            raise FileFormatError(f"{text} cannot be read as an array of numbers ({error})") from None


def _picked(file: str, key: str | None, found: Any) -> NDArray[Any]:
    """The array of a file, or the one with a key of a file of many."""
    if isinstance(found, np.ndarray):
        if key is not None:
            raise FileFormatError(f"{file} holds one array; write {file!r} without {':' + key!r}")
        return found
    if key is None or key not in found:
        known = ", ".join(found.files[:12]) or "none"
        raise FileFormatError(f"{file!r}: say which array of the file, 'file.npz:key'; keys: {known}")
    return np.asarray(found[key])


def _numeric(text: str, array: NDArray[Any]) -> NDArray[Any]:
    if not np.issubdtype(array.dtype, np.number) and array.dtype != bool:
        raise FileFormatError(f"{text} holds {array.dtype}, not numbers")
    return array


def fields(kind: type[ArrayRecord]) -> list[str]:
    """Names of the arrays of a record."""
    return [field.name for field in dataclasses.fields(kind)]


def needed(kind: type[ArrayRecord]) -> list[str]:
    """Those it cannot do without."""
    return [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]


def plain_body(body: ModalBody, arrays: dict[str, NDArray[Any]] | None, file: str) -> dict[str, Any]:
    """A modal body as plain values; arrays of more than a few numbers go into `arrays`, and text names them."""

    def put(key: str, value: Any) -> Any:
        value = np.asarray(value)
        if arrays is None or value.size <= _SMALL:
            return value.tolist()
        arrays[f"{body.name}.{key}"] = value
        return f"{file}:{body.name}.{key}"

    def record(key: str, item: ArrayRecord) -> dict[str, Any]:
        values = {name: getattr(item, name) for name in fields(type(item))}
        always = needed(type(item))
        return {k: put(f"{key}.{k}", value) for k, value in values.items() if k in always or np.any(value)}

    entry: dict[str, Any] = {}
    for key, given in body.arguments().items():
        if key in RECORDS:
            entry[key] = record(key, getattr(body, key))
        elif key in TABLES:
            entry[key] = {name: record(f"{key}.{name}", item) for name, item in getattr(body, key).items()}
        elif key in MATRICES:
            entry[key] = put(key, given)
    return entry
