"""A controller in the loop of the floating formulation, with the meaning it has in the Galilean one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from cosserat.results.mechanism import mechanism_of
from cosserat.results.reference import Reference
from cosserat.results.run import Run
from cosserat.solve.floating.engine import FloatingEngine
from cosserat.solve.floating.moment import TreeMoment
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.state import Instant
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.switching import Phases


class FloatingControl(Controlled):
    """Calls a controller with the state as a run of one moment, and holds the efforts it gives."""

    def __init__(
        self, controller: Any, reference: Reference, engine: FloatingEngine, phases: Phases | None = None
    ) -> None:  # fmt: skip
        mechanism = mechanism_of(reference.compiled)
        new_moment = partial(TreeMoment, engine, mechanism, self._snapshot)
        super().__init__(controller, reference.compiled, new_moment)
        self._names = {column: name for name, column in self.columns.items()}
        self._reference, self._engine, self._phases = reference, engine, phases
        self._told = self.values

    def hold(self, held: Mapping[str, float]) -> None:
        """Take over what a run before this one held."""
        super().hold(held)
        self._command(self.values)

    def tell(self) -> None:
        """Let what the controller holds act wherever functions of time are sampled."""
        if self._told is not self.values:
            self._command(self.values)

    def _snapshot(self, now: Instant) -> Run:
        """A state as a run of one moment, whose results are found when they are asked for."""
        held = self.values

        def restore(t: float | None) -> None:
            self._command(self.values if t is None else held)

        phases = () if self._phases is None else self._phases.now
        found = FloatingResults(
            self._engine, self._reference, np.array([now.t]), now.stored, restore, phases=phases
        )  # fmt: skip
        return Run(found.trajectory())

    def resume(self, kept: dict[str, Any]) -> None:
        """Go on in another process."""
        super().resume(kept)
        self._command(self.values)

    def restore(self, t: float | None) -> None:
        """Let the efforts act again that acted up to a time; None: those that act now."""
        self._command(self.values if t is None else self.values_at(t))

    def _command(self, values: dict[int, float]) -> None:
        self._told = values
        efforts = {self._names[column]: value for column, value in values.items()}
        self._engine.tree.forces.command(efforts)
        self._engine.constraints.command(efforts)

