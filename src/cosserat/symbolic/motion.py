"""Motions on a group: what the solvers of this package return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array, Group


@dataclass(frozen=True)
class GroupMotion:
    """A motion g(t) on a group with its velocity.

    Attributes
    ----------
    group : cosserat.lie.Group
        The group.
    time : (nt,) array
        Instants.
    elements : list
        g(t), one element of the group per instant.
    velocity : (nt, dim) array
        eta = g^-1 dg/dt, or dg/dt g^-1 in the spatial setting.
    momentum : (nt, dim) array
        dL/d eta.
    energy : (nt,) array
        <momentum, velocity> - L.
    setting : str
        "material" or "spatial".
    """

    group: Group[Any]
    time: Array
    elements: list[Any]
    velocity: Array
    momentum: Array
    energy: Array
    setting: str = "material"

    @property
    def matrices(self) -> Array:
        """Matrices of the elements, (nt, m, m)."""
        return np.array([self.group.matrix(g) for g in self.elements])

    @property
    def momentum_map(self) -> Array:
        """Spatial momentum Ad(g^-1)^T mu, (nt, dim): constant where the Lagrangian does not depend on g."""
        if self.setting == "spatial":
            return self.momentum
        pairs = zip(self.elements, self.momentum)
        return np.array([np.linalg.solve(self.group.adjoint(g).T, mu) for g, mu in pairs])

    @property
    def material_velocity(self) -> Array:
        """g^-1 dg/dt in either setting, (nt, dim)."""
        if self.setting == "material":
            return self.velocity
        pairs = zip(self.elements, self.velocity)
        return np.array([np.linalg.solve(self.group.adjoint(g), eta) for g, eta in pairs])
