"""Interfaces of elastic bodies, where joints and loads act, and points at which stresses are recovered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.errors import ArgumentError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.modal_inertia import ArrayRecord, demand_alike, shape_of


@answering
@dataclass(frozen=True, eq=False)
class Interface(ArrayRecord):
    """A frame that moves with an elastic body.

    Parameters
    ----------
    position : (3,)
        Its origin in the undeformed body, in the floating frame (m).
    shape : (6, m)
        Translation, then rotation, of each mode there, in the axes of the floating frame.
    rotation : (3, 3), optional
        Its axes in the undeformed body (columns). Default: those of the floating frame.
    stiffening : (6, m, m), optional
        Second order: the displacement is shape q + q^T stiffening q / 2.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> tip = cs.Interface(position=(1, 0, 0), shape=np.array([[0, 0, 1, 0, -1.5, 0]]).T)
    >>> tip.shape.shape
    (6, 1)
    """

    position: Array
    shape: Array
    rotation: Array = None  # type: ignore[assignment]
    stiffening: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        item = "Interface"
        size = shape_of(item, "shape", self.shape)
        if len(size) != 2 or size[0] != 6 or size[1] == 0:
            raise ArgumentError(item, "shape", f"must be 6 numbers per mode, an array (6, modes), got shape {size}")
        m = size[1]
        turned = np.eye(3) if self.rotation is None else checks.rotation(item, "rotation", self.rotation)
        object.__setattr__(self, "rotation", turned)
        self._take(position=(3,), shape=(6, m), rotation=(3, 3), stiffening=(6, m, m))
        mirror = np.swapaxes(self.stiffening, 1, 2)
        demand_alike(item, "stiffening", self.stiffening, mirror, "symmetric in its two modes")

    @property
    def frame(self) -> Array:
        """Frame (4, 4) in the floating frame, undeformed."""
        return se3.frame(self.rotation, self.position)


@answering
@dataclass(frozen=True, eq=False)
class RecoveryPoint(ArrayRecord):
    """A point of which strain and stress are known for every mode.

    Parameters
    ----------
    position : (3,)
        In the undeformed body, in the floating frame (m).
    strain, stress : (6, m)
        Per unit of each modal coordinate. Of a solid: components xx, yy, zz, yz, xz, xy (the last three of the strain
        doubled) in the axes of the floating frame. Of a beam: strains and forces of the section, in its own axes.
    section : bool
        Whether it is a section of a beam.
    strain_rest, stress_rest : (6, 12 + 6 i), optional
        What the modes leave out of static answers, which `Run.stress` adds: to accelerations a + A X of the body, less
        gravity, per unit of (a_1, A_11, A_12, A_13, a_2, ...) in the axes of the floating frame; and to wrenches at its
        i interfaces, in their axes.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> root = cs.RecoveryPoint(position=(0, 0, 0.01), strain=np.eye(6, 1), stress=2e11 * np.eye(6, 1))
    >>> root.stress.shape
    (6, 1)
    """

    position: Array
    strain: Array
    stress: Array
    section: bool = False
    strain_rest: Array = None  # type: ignore[assignment]
    stress_rest: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        item = "RecoveryPoint"
        size = shape_of(item, "stress", self.stress)
        if len(size) != 2 or size[0] != 6 or size[1] == 0:
            raise ArgumentError(item, "stress", f"must be 6 numbers per mode, an array (6, modes), got shape {size}")
        self._take(
            position=(3,), strain=(6, size[1]), stress=(6, size[1]), strain_rest=_rest(self.strain_rest),
            stress_rest=_rest(self.stress_rest),
        )  # fmt: skip


def _rest(given: Any) -> tuple[int, int]:
    """(6, 12 + 6 i) for the nearest number of interfaces."""
    size = () if given is None else shape_of("RecoveryPoint", "stress_rest", given)
    columns = size[1] if len(size) == 2 else 12
    return 6, 12 + 6 * max(0, round((columns - 12) / 6))


@answering
@dataclass(frozen=True, eq=False)
class Outline(ArrayRecord):
    """What pictures show of an elastic body: points that move with the modes, and lines or triangles between them.

    Parameters
    ----------
    points : (p, 3)
        In the undeformed body, in the floating frame (m).
    shape : (p, 3, m)
        Displacement of each mode there.
    cells : (k, 2) or (k, 3)
        Numbers of the points of every line or triangle.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> line = cs.Outline(points=[(0, 0, 0), (1, 0, 0)], shape=np.zeros((2, 3, 1)), cells=[(0, 1)])
    >>> line.cells.tolist()
    [[0, 1]]
    """

    points: Array
    shape: Array
    cells: NDArray[np.int64]

    def __post_init__(self) -> None:
        item = "Outline"
        size, shape = (shape_of(item, name, getattr(self, name)) for name in ("points", "shape"))
        if len(size) != 2 or size[1] != 3 or len(shape) != 3 or shape[:2] != size:
            raise ArgumentError(
                item, "shape", f"must be (points, 3, modes) for points (points, 3), got {shape} and {size}"
            )
        shape_of(item, "cells", self.cells)
        cells = np.array(self.cells)
        fits = cells.ndim == 2 and cells.shape[1] in (2, 3) and np.issubdtype(cells.dtype, np.integer)
        if not fits or (cells.size and not 0 <= cells.min() <= cells.max() < size[0]):
            raise ArgumentError(item, "cells", f"must be pairs or triples of point numbers from 0 to {size[0] - 1}")
        self._take(points=size, shape=shape)
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)


def checked(title: str, argument: str, entries: Any, kind: type, n_modes: int) -> dict[str, Any]:
    """A table of interfaces or recovery points with usable names and the right number of modes."""
    if not isinstance(entries, dict):
        raise ArgumentError(title, argument, f"must be a dictionary of name: {kind.__name__}, got {entries!r}")
    for name, entry in entries.items():
        if not isinstance(name, str) or not name.strip() or set(name) & set(".()\n,") or name == "at":
            raise ArgumentError(title, argument, f"has the name {name!r}; use words such as 'tip'")
        if not isinstance(entry, kind):
            raise ArgumentError(title, f"{argument}[{name!r}]", f"must be of kind {kind.__name__}, got {entry!r}")
        m = (entry.shape if isinstance(entry, Interface) else entry.stress).shape[1]  # type: ignore[attr-defined]
        if m != n_modes:
            raise ArgumentError(title, f"{argument}[{name!r}]", f"has {m} modes, the body has {n_modes}")
    return dict(entries)
