"""Frequencies of one model in two formulations: finite elements, and modes in floating frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.tree import compile_tree
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.forces import Spring, Tendon
from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model
from cosserat.results.modes import Modes
from cosserat.solve.analyses.modes import modes as galilean_modes
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

if TYPE_CHECKING:
    from xarray import Dataset

_GOOD_PART = 0.25
_RANK = 1e-9
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
        if isinstance(component, (Spring, Tendon)):
            rest = {"length": None} if isinstance(component, Spring) else {"rest_length": None, "tension": None}
            component = type(component)(**{**component.arguments(), **rest})
        bare.add(component)
    return bare


def frequency_pairs(model: Model, n: int, time: float, modes: Any, boundary: Any, stiffening: bool) -> FrequencyPairs:
    """Lowest frequencies of finite elements and of floating frames, n at most.

    Both of the unloaded mechanism in its reference configuration, undamped, prescribed motions held where they are at
    that time; free motions are left out.
    """
    bare = unloaded(model)
    data = compile_tree(bare, modes, boundary, stiffening, call="compare", cut=True)
    tree = FlexibleTree.of_data(bare, data)
    q, held = tree.neutral(), np.zeros(len(tree.coordinates), dtype=bool)
    for joint in bare.joints:
        for name, motion in zip(joint.coordinates, joint.motion, strict=True):
            if motion is not None and name in tree.coordinates:
                k = tree.coordinates.index(name)
                q[k], held[k] = float(motion.sample(np.array([time]))[0]), True
    allowed = np.eye(len(q))[:, ~held] @ _closing(bare, tree, q, held, time)
    if allowed.shape[1] == 0:
        raise SolveError("compare: nothing can vibrate, all motions are prescribed")
    still = np.zeros(len(q))
    tree.set_time(time)
    stiffness = tree.inverse_dynamics_derivatives(q, still, still).dq
    M, K = (allowed.T @ matrix @ allowed for matrix in (tree.mass_matrix(q), stiffness))
    root = np.linalg.inv(np.linalg.cholesky(M))
    squares = np.linalg.eigvalsh(root @ (0.5 * (K + K.T)) @ root.T)
    found = galilean_modes(bare, min(n, len(squares)), about="reference", time=time, damped=False)
    galilean = found.frequencies[found.rigid :]
    floating = np.sqrt(np.maximum(squares[found.rigid :], 0.0)) / (2.0 * np.pi)
    k = min(len(galilean), len(floating))
    vibrates = np.maximum(galilean[:k], floating[:k]) > _FREE
    return FrequencyPairs(np.asarray(galilean[:k])[vibrates], floating[:k][vibrates], found)


def _closing(model: Model, tree: FlexibleTree, q: Array, held: NDArray[np.bool_], time: float) -> Array:
    """Basis (n, k) of the motions of the n coordinates not held that keep loops closed."""
    n = int(np.sum(~held))
    if not tree.data.loops and not tree.data.shafts:
        return np.eye(n)
    stiff = [loop.joint.title for loop in tree.data.loops if any(loop.joint.stiffness)]
    if q.any() or stiff:
        where = f"{stiff[0]}, where the loop is cut, has a spring" if stiff else "a motion starts away from zero"
        raise SolveError(f"compare: {where}, which is not offered in mechanisms with closed loops")
    constraints = TreeConstraints(model, tree.data)
    rows = constraints.at(Motions(tree.data).move(q, np.zeros(len(q))), q, time, np.zeros(len(constraints.tracked))).A
    _, sizes, directions = np.linalg.svd(rows[:, ~held])
    rank = int(np.sum(sizes > _RANK * np.abs(rows).max()))
    return directions[rank:].T
