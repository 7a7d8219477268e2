"""Outputs by what they are: the functions of a motion that results answer with, for all analyses and formulations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.lie import so3
from cosserat.results.beams import section_forces, strains
from cosserat.results.joints import coordinate_rates, coordinates, efforts, reactions
from cosserat.results.kinematics import place_frames, place_twists, rotate
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion
from cosserat.results.output import Output

Array = NDArray[np.float64]
Evaluate = Callable[[Motion], Array]

OWN = "output"
FORCES = ("effort", "reaction", "section_force", "strain", OWN)
"""Kinds that are not kinematics alone."""


@dataclass(frozen=True)
class Quantity:
    """An output, or several that belong together.

    Attributes
    ----------
    kind : str
        "position", "rotation", "velocity", "angular_velocity", "coordinate", "rate", "effort", "reaction",
        "section_force", "strain" or "output".
    names : of all components
    pick : numbers of the components that are meant, None: all
    station, joint, beam, own : what it is of; a beam with s in [0, 1]; a quantity of the user's own
    """

    kind: str
    names: tuple[str, ...]
    pick: tuple[int, ...] | None = None
    station: Station | None = None
    joint: JointInfo | None = None
    beam: tuple[str, float] | None = None
    own: Output | None = None

    def values(self, here: Motion) -> Evaluate:
        """Values (nt, p) of all components for a motion; rotations are counted from `here`."""
        if self.own is not None:
            return self.own.values
        if self.beam is not None:
            return section_values(self.kind, *self.beam)
        if self.joint is not None:
            return joint_values(self.kind, self.joint)
        assert self.station is not None
        return place_values(self.kind, self.station, here)

    @property
    def picked(self) -> list[int]:
        """Numbers of the components that are meant."""
        return list(range(len(self.names))) if self.pick is None else list(self.pick)


def place_values(kind: str, station: Station, here: Motion | None = None) -> Evaluate:
    """Position, rotation (vector of small turns from `here`), velocity or angular velocity of a place."""
    if kind == "position":
        return lambda motion: place_frames(motion, station)[1]
    if kind == "rotation":
        assert here is not None
        R_0 = place_frames(here, station)[0][0]
        return lambda motion: np.array([so3.log(R @ R_0.T) for R in place_frames(motion, station)[0]])
    part = slice(0, 3) if kind == "velocity" else slice(3, 6)
    return lambda motion: rotate(place_frames(motion, station)[0], place_twists(motion, station)[:, part])


_OF_JOINTS: dict[str, Callable[..., Any]] = {
    "coordinate": coordinates, "rate": coordinate_rates, "effort": efforts, "reaction": reactions
}  # fmt: skip


def joint_values(kind: str, joint: JointInfo) -> Evaluate:
    """Coordinates, rates, efforts or the reaction of a joint."""
    function = _OF_JOINTS[kind]
    return lambda motion: np.asarray(function(motion, joint))


def section_values(kind: str, beam: str, s: float) -> Evaluate:
    """Section forces or strains of a beam."""
    function = section_forces if kind == "section_force" else strains
    return lambda motion: np.asarray(function(motion, beam, s))
