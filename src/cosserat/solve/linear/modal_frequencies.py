"""Frequencies of one model in two formulations: finite elements, and modes in floating frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import compile_flexible_tree
from cosserat.errors import ArgumentError
from cosserat.model.forces import Spring
from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model
from cosserat.results.modes import Modes
from cosserat.solve.linear.modes import modes as galilean_modes
from cosserat.solve.relative.flexible_tree import FlexibleTree

if TYPE_CHECKING:
    from xarray import Dataset

Array = NDArray[np.float64]

_GOOD_PART = 0.25
_FREE = 1e-6  # Hz: what is slower in both counts as a free motion that rounding has moved


class FrequencyPairs(NamedTuple):
    """Lowest frequencies (k,) in Hz of both, ascending, without free motions; the modes of the finite elements."""

    galilean: Array
    floating: Array
    modes: Modes

    def table(self) -> Dataset:
        """The frequencies, labelled."""
        from xarray import Dataset

        hertz = {"units": "Hz"}
        return Dataset(
            {
                "galilean": ("mode", self.galilean, hertz),
                "floating": ("mode", self.floating, hertz),
                "error": ("mode", self.floating / self.galilean - 1.0, {"long_name": "relative difference"}),
            },
            coords={"mode": np.arange(1, len(self.galilean) + 1)},
        )

    def first_of(self, component: str) -> float | None:
        """The lowest frequency (Hz) of a mode that has a good part of its strain energy in a component."""
        shares = self.modes.components["strain"].sel(component=component).values
        has = self.modes.frequencies[(shares > _GOOD_PART) & (self.modes.frequencies > _FREE)]
        return float(has[0]) if len(has) else None


def unloaded(model: Model) -> Model:
    """The model without gravity, loads, prescribed efforts and tension: its reference configuration is in balance."""
    bare = Model(model.name)
    for component in model:
        if isinstance(component, (PointLoad, DistributedLoad)):
            continue
        if isinstance(component, Joint) and any(effort is not None for effort in component.effort):
            component = type(component)(**{**component.arguments(), "effort": None})
        if isinstance(component, Spring):
            component = Spring(**{**component.arguments(), "length": None})
        bare.add(component)
    return bare


def frequency_pairs(
    model: Model, n: int, time: float, modes: Any, boundary: Any, stiffening: bool
) -> FrequencyPairs:
    """Lowest frequencies of finite elements and of floating frames, n at most.

    Both of the unloaded mechanism in its reference configuration, undamped, prescribed motions held where they are at
    that time; free motions are left out.
    """
    bare = unloaded(model)
    tree = FlexibleTree.of_data(bare, compile_flexible_tree(bare, modes, boundary, stiffening, call="compare"))
    q, held = tree.neutral(), np.zeros(len(tree.coordinates), dtype=bool)
    for joint in bare.joints:
        for name, motion in zip(joint.coordinates, joint.motion, strict=True):
            if motion is not None:
                k = tree.coordinates.index(name)
                q[k], held[k] = float(motion.sample(np.array([time]))[0]), True
    if held.all():
        raise ArgumentError("compare", "", "all coordinates are prescribed")
    M, K = tree.mass_matrix(q)[np.ix_(~held, ~held)], stiffness_matrix(tree, q, time)[np.ix_(~held, ~held)]
    root = np.linalg.inv(np.linalg.cholesky(M))
    squares = np.linalg.eigvalsh(root @ (0.5 * (K + K.T)) @ root.T)
    found = galilean_modes(bare, min(n, len(squares)), about="reference", time=time, damped=False)
    galilean = found.frequencies[found.rigid :]
    floating = np.sqrt(np.maximum(squares[found.rigid :], 0.0)) / (2.0 * np.pi)
    k = min(len(galilean), len(floating))
    vibrates = np.maximum(galilean[:k], floating[:k]) > _FREE
    return FrequencyPairs(np.asarray(galilean[:k])[vibrates], floating[:k][vibrates], found)


def stiffness_matrix(tree: FlexibleTree, q: Array, time: float) -> Array:
    """Derivative (n, n) of the efforts that hold a tree at rest by its coordinates, by central differences."""
    n, still = len(q), np.zeros(len(q))
    K = np.empty((n, n))
    for k, unit in enumerate(np.eye(n)):
        ahead, behind = (
            tree.inverse_dynamics(tree.moved(q, side * 1e-6 * unit), still, still, time) for side in (1, -1)
        )
        K[:, k] = (ahead - behind) / 2e-6
    return K
