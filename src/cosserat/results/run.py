"""`Run`: the result of a simulation."""

from __future__ import annotations

from cosserat.results.trajectory import Trajectory


class Run:
    """Result of a simulation."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
