"""The described configuration as nodes, from which a run in floating frames starts and on which its results stand.

Steps in coordinates of a tree need no arrays of nodes. These are made when a result is asked for that needs them, from
the model as it was.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.fluid_links import demand_own_bodies
from cosserat.compile.joints import opened
from cosserat.compile.rows import joint_rows
from cosserat.compile.skeleton import body_masses, build_skeleton, extent, extents, initial_twists
from cosserat.errors import CosseratWarning
from cosserat.model.model import Model


@contextmanager
def as_simulated(model: Model, values: dict[str, float] | None) -> Iterator[None]:
    """The model with the parameters it had when it was simulated; what was set since then comes back afterwards."""
    now = model.parameters
    if values is None or now == values:
        yield
        return
    model.set(**values)
    try:
        yield
    finally:
        model.set(**now)


Kept = tuple[Model, dict[str, float]]
"""A model, and the values that its parameters had when it was taken."""


def as_kept(kept: Kept | None) -> AbstractContextManager[None]:
    """The model with the parameters that it had when it was taken; None: as it is."""
    return nullcontext() if kept is None else as_simulated(*kept)


class Reference:
    """Nodes of a model, and its arrays on demand.

    Attributes
    ----------
    skeleton : Skeleton
    twists, given
        Initial velocities of the nodes, see `initial_twists`.
    length, size : float
        Typical length of a part, and extent of the mechanism (m).
    rules : tuple, optional
        Users' constraints that were looked at, in place of those that the arrays would come with.

    Raises
    ------
    ModelError
        If the model is not sound; the message names the part and the remedy.
    """

    def __init__(self, model: Model) -> None:
        model.validate()
        for joint in model.joints:
            if sum(freedom.kind == "rotation" for freedom in joint.freedoms) > 1:
                joint_rows(joint)  # raises if its rows are not known
        self.model, self.skeleton = model, build_skeleton(model)
        self.length, self.size = extents(model, self.skeleton, body_masses(model))
        self.twists, self.given = initial_twists(model, self.skeleton)
        demand_own_bodies(model, self.skeleton)
        self.rules: tuple[Any, ...] | None = None
        self._then, self._values = model.snapshot(), dict(model.parameters)

    def opened(self, names: Collection[str]) -> Reference:
        """The same while joints of these names are open."""
        if not names:
            return self
        new = copy.copy(self)
        new.__dict__["compiled"] = opened(self.compiled, names)
        return new

    @property
    def extent(self) -> float:
        """Size of the mechanism, wherever its origin is (m)."""
        return extent(self.model, self.skeleton.frames, self.length)

    @cached_property
    def compiled(self) -> CompiledModel:
        """The arrays of the nodes and of what acts on them."""
        with as_simulated(self._then, self._values), warnings.catch_warnings():
            warnings.simplefilter("ignore", CosseratWarning)  # said when the run began
            found = compile_model(self._then, floating=True)
        return replace(found, model=self.model, rules=found.rules if self.rules is None else self.rules)
