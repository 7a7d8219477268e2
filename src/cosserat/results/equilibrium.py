"""`Equilibrium`: the result of statics."""

from cosserat.results.trajectory import Trajectory


class Equilibrium:
    """A balanced configuration."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.status = trajectory.status
