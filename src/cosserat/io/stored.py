"""What a result file holds in the place of a compiled model: arrays, names, and the model as text; and their checks.

Every number of a file that is used as an index or a size is checked before compiled code sees it. A checksum tells
damage; it does not tell a file that was made on purpose. Kernels do not check indices, so a wrong one would read or
write memory that is not theirs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, System, row_to_frame
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.rows import ActiveFreedom
from cosserat.errors import SolveError
from cosserat.kernels.arrays import History, Inputs
from cosserat.lie.protocol import Array
from cosserat.model.modal_inertia import Outline, RecoveryPoint
from cosserat.model.model import Model
from cosserat.model.places import Owner
from cosserat.results.mechanism import JointInfo, LineLoad, Mechanism, ModalInfo, StoredModal, StoredOwner

MATRICES = "matrices.npz"
MESH = ("s", "piece", "frames", "pairs", "inner")
RECOVERED = ("position", "strain", "stress", "strain_rest", "stress_rest")
DRAWN = ("points", "shape", "cells")


class StoredModel:
    """What the states of a file belong to: its model, read and compiled when it is needed.

    Attributes
    ----------
    floating, opened : bool
        Whether it moves in floating frames, and whether joints open while it does.
    """

    def __init__(self, path: str, layout: dict[str, Any], matrices: dict[str, NDArray[Any]]) -> None:
        self.path = path
        self._text, self._reason, self._matrices = layout["model"], layout["model_missing"], matrices
        self.floating, self.opened = layout["coordinates"] is not None, bool(layout.get("phases"))

    @functools.cached_property
    def compiled(self) -> CompiledModel:
        """The compiled model."""
        return compile_model(self.model, floating=self.floating)

    @functools.cached_property
    def model(self) -> Model:
        """The model, if the file has it."""
        if not self._text:
            raise SolveError(
                f"{self.path}: the file has no model, because it could not be written as text ({self._reason}); "
                "positions, coordinates, reactions, section forces and energies are there, the model is not"
            )
        from cosserat.io.yaml_model import load_model

        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(self._text, encoding="utf-8")
            if self._matrices:
                np.savez(path.with_name(MATRICES), **self._matrices)  # type: ignore[arg-type]
            model = load_model(path)
        return model.with_open() if self.opened else model


def layout_of(mechanism: Mechanism) -> dict[str, Any]:
    """Names and numbers of a mechanism as plain values."""
    return {
        "name": mechanism.name,
        "length": float(mechanism.length),
        "bodies": mechanism.bodies,
        "beams": {name: [mesh.first_node, mesh.first_element] for name, mesh in mechanism.beams.items()},
        "modal": {
            name: {
                "frame": info.frame, "interfaces": info.interfaces,
                "recovery": {key: bool(point.section) for key, point in info.recovery.items()},
            }
            for name, info in mechanism.modal.items()
        },
        "joints": [_joint_to_plain(joint) for joint in mechanism.joints.values()],
        "rolling": mechanism.rolling,
        "springs": mechanism.springs,
        "line_loads": {
            name: [[load.columns.tolist(), load.follower] for load in mechanism.line_loads(name)]
            for name in mechanism.beams
        },
    }


def arrays_of(mechanism: Mechanism) -> dict[str, Any]:
    """Arrays of a mechanism by name."""
    arrays = {"frames": mechanism.frames}
    for group, values in mechanism.system._asdict().items():
        if group != "pattern":
            arrays.update({f"{group}.{k}": a for k, a in values._asdict().items()})
    for name, mesh in mechanism.beams.items():
        for part in MESH:
            arrays[f"beam.{name}.{part}"] = getattr(mesh, part)
        arrays.update({f"beam.{name}.line{k}": load.spread for k, load in enumerate(mechanism.line_loads(name))})
    for name, info in mechanism.modal.items():
        for k, point in enumerate(info.recovery.values()):
            arrays.update({f"modal.{name}.{k}.{part}": getattr(point, part) for part in RECOVERED})
        arrays.update({f"modal.{name}.{part}": getattr(info.outline, part) for part in DRAWN})
    return arrays


def mechanism_from(
    layout: dict[str, Any], arrays: dict[str, Any], sizes: dict[str, int], stored: StoredModel
) -> Mechanism:
    """The mechanism of a file; raises `OutOfBounds` for what cannot be."""
    groups = []
    for name, group in get_type_hints(System).items():
        fields = group._fields
        missing = name == "pattern"
        groups.append(group(*(np.zeros(0) if missing else arrays[f"{name}.{k}"] for k in fields)))
    beams = {name: _mesh(name, first, arrays, sizes) for name, first in layout["beams"].items()}
    for name, node in layout["bodies"].items():
        check_index(node, sizes["n"], f"node of {name!r}")
    owners: dict[str, Owner] = {
        name: StoredOwner(name, row_to_frame(arrays["frames"][node])) for name, node in layout["bodies"].items()
    }
    owners.update({name: StoredOwner(name, None) for name in beams})
    modal = {name: _modal_from_plain(name, plain, arrays, sizes) for name, plain in layout.get("modal", {}).items()}
    owners.update({name: StoredModal(name, tuple(info.interfaces)) for name, info in modal.items()})
    for name, number in layout["rolling"].items():
        check_index(number, sizes["nr"], f"number of {name!r}")
    for name, number in layout["springs"].items():
        check_index(number, sizes["ns"], f"number of {name!r}")
    lines = {name: _line_loads(name, layout["line_loads"][name], arrays, sizes, mesh) for name, mesh in beams.items()}
    length = layout["length"]
    demand(isinstance(length, float) and math.isfinite(length) and length > 0.0, f"length is {length!r}")
    demand(isinstance(layout["name"], str), "name is not text")

    def compliance(name: str, s: float) -> Array:
        beam = next(b for b in stored.model.beams if b.name == name)
        return np.asarray(np.linalg.inv(beam.section_at(s)[0]))

    return Mechanism(
        name=layout["name"],
        system=System(*groups),
        frames=arrays["frames"],
        bodies=layout["bodies"],
        beams=beams,
        joints={entry["name"]: _joint_from_plain(entry, sizes) for entry in layout["joints"]},
        rolling=layout["rolling"],
        springs=layout["springs"],
        owners=owners,
        length=length,
        line_loads=lines.__getitem__,
        compliance=compliance,
        media=lambda: stored.compiled.media,
        modal=modal,
    )


def _mesh(name: str, first: Any, arrays: dict[str, Any], sizes: dict[str, int]) -> BeamMesh:
    first_node, first_element = first
    s, piece, frames, pairs, inner = (arrays[f"beam.{name}.{part}"] for part in MESH)
    m = len(np.atleast_1d(s))
    demand(s.shape == (m,) and m > 1 and s.dtype == np.float64 and np.isfinite(s).all(), f"nodes of {name!r}")
    demand((np.diff(s) >= 0.0).all() and s[0] >= 0.0 and s[-1] <= 1.0, f"nodes of {name!r} are not in order")
    demand(piece.shape == (m,) and piece.dtype == np.int64, f"pieces of {name!r}")
    demand(frames.shape == (m, 4, 4) and frames.dtype == np.float64, f"frames of {name!r}")
    demand(pairs.ndim == 2 and pairs.shape[1] == 2 and len(pairs) and pairs.dtype == np.int64, f"elements of {name!r}")
    check_index(first_node, sizes["n"] - m + 1, f"first node of {name!r}")
    check_index(first_element, sizes["ne"] - len(pairs) + 1, f"first element of {name!r}")
    check_range(pairs, first_node, first_node + m, {}, f"elements of {name!r}")
    demand(inner.shape == (len(pairs), 3) and inner.dtype == np.float64, f"inner points of {name!r}")
    demand(((inner >= 0.0) & (inner <= 1.0)).all(), f"inner points of {name!r}")
    return BeamMesh(s, piece, frames, first_node, pairs, first_element, inner)


def _line_loads(
    name: str, plain: Any, arrays: dict[str, Any], sizes: dict[str, int], mesh: BeamMesh
) -> list[LineLoad]:
    loads = []
    for k, (columns, follower) in enumerate(plain):
        spread = arrays[f"beam.{name}.line{k}"]
        demand(spread.shape == (len(mesh.pairs), 2, 6, 6) and spread.dtype == np.float64, f"line load of {name!r}")
        demand(isinstance(columns, list) and len(columns) == len(mesh.pairs), f"line load of {name!r}")
        for column in columns:
            check_index(column, sizes["nw"], f"line load of {name!r}")
        loads.append(LineLoad(np.array(columns, dtype=np.int64), bool(follower), spread))
    return loads


def _modal_from_plain(name: str, plain: dict[str, Any], arrays: dict[str, Any], sizes: dict[str, int]) -> ModalInfo:
    recovery = {}
    for k, (key, section) in enumerate(plain["recovery"].items()):
        recovery[key] = RecoveryPoint(
            **{part: arrays[f"modal.{name}.{k}.{part}"] for part in RECOVERED}, section=bool(section)
        )
    outline = Outline(*(arrays[f"modal.{name}.{part}"] for part in DRAWN))
    check_index(plain["frame"], sizes["n"], f"frame of {name!r}")
    for key, node in plain["interfaces"].items():
        check_index(node, sizes["n"], f"interface {key!r} of {name!r}")
    return ModalInfo(plain["frame"], plain["interfaces"], recovery, outline)


def _joint_to_plain(joint: JointInfo) -> dict[str, Any]:
    plain: dict[str, Any] = dict(vars(joint))
    plain["freedoms"] = [[f.index, f.kind, f.axis.tolist(), f.cosine.tolist(), f.sine.tolist()] for f in joint.freedoms]
    return plain


def _joint_from_plain(plain: dict[str, Any], sizes: dict[str, int]) -> JointInfo:
    title = f"joint {plain['name']!r}"
    check_index(plain["index"], sizes["nj"], f"number of {title}")
    n = len(plain["freedoms"])
    demand(isinstance(plain["name"], str), "name of a joint")
    freedoms = []
    for i, kind, *vectors in plain["freedoms"]:
        found = [np.array(v, dtype=float) for v in vectors]
        demand(len(found) == 3 and all(v.shape == (3,) and np.isfinite(v).all() for v in found), f"axes of {title}")
        freedoms.append(ActiveFreedom(check_index(i, n, f"freedom of {title}"), check_index(kind, 64, "kind"), *found))
    for key in ("names", "kinds", "driven", "active", "counted"):
        demand(isinstance(plain[key], list) and len(plain[key]) == n, f"{key} of {title}")
    for row in plain["active"]:
        check_index(row, sizes["nf"], f"freedom of {title}", least=-1)
    for row in plain["counted"]:
        check_index(row, sizes["na"], f"angle of {title}", least=-1)
    rest: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items() if k != "freedoms"}
    return JointInfo(freedoms=tuple(freedoms), **rest)


# whole numbers: the least, and the first that is too large, as a number or a size
RANGES: dict[str, tuple[int, Any]] = {
    "elements.node": (0, "n"), "elements.like": (0, "ne"), "bodies.node": (0, "n"), "bodies.lone": (0, "nb"),
    "joints.node": (0, "n"),
    "joints.n_rows": (0, 7), "joints.kind": (-1, 64), "joints.drive": (-1, "nd"), "joints.branch": (-1, 4),
    "joints.angle": (-1, "nf"), "freedoms.joint": (0, "nj"), "freedoms.kind": (0, 64), "freedoms.effort": (-1, "ng"),
    "freedoms.target": (-1, "ng"),
    "turns.joint": (0, "nj"), "turns.kind": (0, 64),
    "springs.start": (0, "nsp+1"), "springs.node": (0, "n"), "springs.slack": (0, 2), "springs.column": (-1, "ng"),
    "springs.corner": (0, "nsb+1"), "loads.node": (0, "n"), "loads.follower": (0, 2), "loads.column": (0, "nw"),
    "line_loads.element": (0, "ne"), "line_loads.column": (0, "nw"), "line_loads.follower": (0, 2),
    "state_loads.first": (0, "nxp+1"), "state_loads.node": (0, "n"), "state_loads.acts": (1, "nxp+1"),
    "state_loads.corner": (0, "nxb+1"), "state_loads.carried": (0, 2**31), "state_loads.start": (0, "np+1"),
    "state_loads.inner": (0, "ny+1"), "state_loads.stored": (0, 2), "state_loads.signal": (0, 2**31),
    "bodies.varying": (0, 2**31),
    "rolling.n_rows": (0, 4), "rolling.held": (0, 4), "rules.item": (0, "nr"), "rules.node": (0, "n"),
    "rules.n_rows": (0, 4), "rules.held": (0, 2), "rules.start": (0, "no+1"),
    "rolling.node": (0, "n"), "rolling.kind": (0, 64), "media.element": (0, "ne"), "media.start": (0, "nk+1"),
    **{f"{g}.block": (0, 2**31)
       for g in ("elements", "bodies", "joints", "springs", "loads", "state_loads", "rolling", "rules")},
}  # fmt: skip


class OutOfBounds(ValueError):
    """A file holds a number that cannot be used; the message says which."""


def demand(holds: Any, what: str) -> None:
    """Raise unless something holds."""
    if not holds:
        raise OutOfBounds(what)


def check_arrays(raw: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, int]:
    """Shapes, types and indices of states, inputs and system; returns the sizes by name."""
    found = {**arrays, **raw}
    time, frames = found["time"], found["frames"]
    demand(time.ndim == 1 and len(time) and time.dtype == np.float64, "time is not a list of numbers")
    demand(np.isfinite(time).all() and (np.diff(time) >= 0.0).all(), "times do not rise")
    demand(frames.ndim == 2 and frames.shape[1] == 12 and len(frames) and frames.dtype == np.float64, "frames")
    sizes = {key: len(np.atleast_1d(found[name])) for key, name in _COUNTS.items()}
    sizes |= {"nt": len(time), "n": len(frames), "nc": sizes["nj"] + sizes["nr"], "na": sizes["nf"] + sizes["nq"]}
    several = ("nd", "inputs.drive"), ("ng", "inputs.effort"), ("nw", "inputs.wrench"), ("ny", "history.inner")
    for key, name in several:
        demand(found[name].ndim >= 2, f"{name} has {found[name].ndim} dimensions")
        sizes[key] = found[name].shape[1]
    sizes |= {f"{key}+1": size + 1 for key, size in sizes.items()}
    for group, fields in _groups().items():
        for field, (dtype, ndim) in fields.items():
            name = f"{group}.{field}"
            array = found[name]
            demand(array.dtype == dtype and array.ndim == ndim, f"{name} is {array.dtype} of {array.ndim} dimensions")
            for extent, wanted in zip(array.shape, SHAPES[name], strict=True):
                demand(extent == sizes.get(wanted, wanted), f"{name} has the shape {array.shape}")
            if dtype == "int64":
                check_range(array, *RANGES.get(name, (-1, 2**31)), sizes, name)
    return sizes


def check_range(array: Any, least: int, below: Any, sizes: Mapping[str, int], name: str) -> None:
    """Demand whole numbers from `least` to below a number or a size."""
    top = sizes.get(below, below)
    if np.size(array):
        demand(least <= np.min(array) and np.max(array) < top, f"{name} is not within {least} and {top - 1}")


def check_index(value: Any, below: int, name: str, least: int = 0) -> int:
    """Demand one whole number."""
    demand(type(value) is int and least <= value < below, f"{name} is {value!r}, not within {least} and {below - 1}")
    return int(value)


def _hints() -> dict[str, dict[str, tuple[Any, ...]]]:
    """What the annotations of every array that a file holds say, by group and field."""
    groups: dict[str, Any] = {"history": History, "inputs": Inputs, **get_type_hints(System)}
    groups.pop("pattern")
    return {
        name: {key: hint.__metadata__ for key, hint in get_type_hints(group, include_extras=True).items()}
        for name, group in groups.items()
    }


def _groups() -> dict[str, dict[str, tuple[str, int]]]:
    """Element type and number of dimensions of every array that a file holds, by group and field."""
    return {name: {key: kind for key, (kind, *_) in fields.items()} for name, fields in _hints().items()}


SHAPES = {f"{name}.{key}": tuple(shape) for name, fields in _hints().items() for key, (_, *shape) in fields.items()}
"""Shape of every array in sizes by name."""
_COUNTS = {of: name for name, (of, *_) in reversed(SHAPES.items()) if isinstance(of, str) and not of.endswith("+1")}
"""The first array that has a size as the number of its entries."""
