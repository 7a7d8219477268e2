"""Interfaces of elastic bodies, where joints and loads act, and points at which stresses are recovered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.model import checks
from cosserat.model.jets import Array
from cosserat.model.modal_inertia import ArrayRecord, numbers


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
    """

    position: Array
    shape: Array
    rotation: Array = None  # type: ignore[assignment]
    stiffening: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        item = "Interface"
        size = np.shape(self.shape)
        if len(size) != 2 or size[0] != 6 or size[1] == 0:
            raise ArgumentError(item, "shape", f"must be 6 numbers per mode, an array (6, modes), got shape {size}")
        m = size[1]
        self._freeze(
            position=numbers(item, "position", self.position, (3,)),
            shape=numbers(item, "shape", self.shape, (6, m)),
            rotation=np.eye(3) if self.rotation is None else checks.rotation(item, "rotation", self.rotation),
            stiffening=numbers(item, "stiffening", self.stiffening, (6, m, m)),
        )
        if np.abs(self.stiffening - np.swapaxes(self.stiffening, 1, 2)).max() > 1e-9 * np.abs(self.stiffening).max():
            raise ArgumentError(item, "stiffening", "must be symmetric in its two modes")

    @property
    def frame(self) -> Array:
        """Frame (4, 4) in the floating frame, undeformed."""
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = self.rotation, self.position
        return H


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
    """

    position: Array
    strain: Array
    stress: Array

    def __post_init__(self) -> None:
        item = "RecoveryPoint"
        size = np.shape(self.stress)
        if len(size) != 2 or size[0] != 6 or size[1] == 0:
            raise ArgumentError(item, "stress", f"must be 6 numbers per mode, an array (6, modes), got shape {size}")
        self._freeze(
            position=numbers(item, "position", self.position, (3,)),
            strain=numbers(item, "strain", self.strain, (6, size[1])),
            stress=numbers(item, "stress", self.stress, (6, size[1])),
        )


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
