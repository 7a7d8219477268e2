"""Every number of a result file that is used as an index or a size, checked before compiled code sees it.

A checksum tells damage; it does not tell a file that was made on purpose. Kernels do not check indices, so a wrong one
would read or write memory that is not theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

import numpy as np

from cosserat.compile.compiled import System
from cosserat.kernels.arrays import History, Inputs

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
_COUNTS = {"ne": "elements.node", "nb": "bodies.node", "nj": "joints.node", "nf": "freedoms.joint", "nq": "turns.joint",
           "ns": "springs.stiffness", "nsp": "springs.node", "nsb": "springs.block",
           "nl": "loads.node", "nr": "rolling.node", "nu": "rules.item", "no": "rules.parameter",
           "nx": "state_loads.acts", "nxp": "state_loads.node", "nxb": "state_loads.block",
           "nxi": "state_loads.carried",
           "np": "state_loads.parameter", "nm": "media.element", "nk": "media.parameter",
           "nv": "bodies.varying", "ni": "bodies.lone",
           "nz": "state_loads.signal", "nh": "line_loads.element"}  # fmt: skip


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
