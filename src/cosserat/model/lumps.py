"""Mass at places: what fields of acceleration, of gravity or of a moving frame, take hold of.

A rigid body is one lump at its centre of mass, propellant another. In a moving frame a beam has the inertia of its
elements. For gravity of a central body its mass is that of a corrected trapezoidal rule over its elements: at each node
half of the mass of the elements beside it, with a first moment mu L^2/12 along the beam. It takes integrals of smooth
fields along straight uniform elements exactly to third order, and the whole mass and its first moment exactly in any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.functions import TimeFunction
from cosserat.model.nodes import nodes_of
from cosserat.model.places import Place

if TYPE_CHECKING:
    from cosserat.model.model import Model
    from cosserat.model.state_loads import StateLoad

_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W


class Lump(NamedTuple):
    """Mass (kg), first moment (3,) and inertia (3, 3) about a place, in its frame."""

    place: Place
    mass: float
    moment: Array
    inertia: Array
    signals: Mapping[str, TimeFunction] = {}  # of mass that burns away: the same, by name, as functions of time
    name: str = ""  # of that mass

    def titled(self, what: str) -> str:
        """Name of a load that is `what` on it."""
        return f"{what} on {self.name or self.place.label}".translate(str.maketrans(".(),", "    ")).strip()

    @property
    def numbers(self) -> dict[str, float]:
        """The same by name, for laws; without what follows signals."""
        if self.signals:
            return {}
        J = self.inertia
        found = {"m": float(self.mass)} | {f"s{k}": float(s) for k, s in zip("xyz", self.moment, strict=True)}
        found |= {"jxx": J[0, 0], "jyy": J[1, 1], "jzz": J[2, 2], "jxy": J[0, 1], "jxz": J[0, 2], "jyz": J[1, 2]}
        return {name: float(x) for name, x in found.items()}


def lumps_of(model: Model, what: str, laws: Sequence[StateLoad] | None = None) -> list[Lump]:
    """All mass of a model which has these laws, or, without any given, all but that of beams; `what` needs it."""
    for other in model.modal_bodies:
        raise ModelError(f"{other.title}: {what} acts on rigid bodies and beams; describe it by a Beam or a RigidBody")
    found = [Lump(Place(b), float(b.mass), np.zeros(3), b.inertia) for b in model.bodies if float(b.mass) > 0.0]
    for load in model.given_state_loads:
        if load.varying:
            masses = {name: load.signals[name] for name in load.varying}
            found.append(Lump(load.place, 0.0, np.zeros(3), np.zeros((3, 3)), masses, load.name))
    if laws is not None:
        for beam, cuts in zip(model.beams, nodes_of(model, laws, what), strict=True):
            found += _beam_lumps(beam, np.array(cuts))
    return found


def _beam_lumps(beam: Beam, grid: Array) -> list[Lump]:
    n = len(grid) - 1
    frames = beam.frames(grid)
    mass, moment, inertia = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
    uniform = beam.section_at(0.5)[1] if beam.is_uniform else None
    for e in range(n):
        s = grid[e] + (grid[e + 1] - grid[e]) * _Z
        H = beam.frames(s)
        step = 1e-6 * (grid[e + 1] - grid[e])
        ends = beam.frames(np.concatenate((s - step, s + step)))[:, :3, 3]
        speed = np.linalg.norm(ends[4:] - ends[:4], axis=1) / (2.0 * step)  # m per unit of s
        dx = _WEIGHT * (grid[e + 1] - grid[e]) * speed
        sections = [beam.section_at(float(x))[1] if uniform is None else uniform for x in s]
        per_length = np.array([M[0, 0] for M in sections])
        arms = np.array([[M[1, 5], -M[0, 5], M[0, 4]] for M in sections])  # m c, from the block -m c~
        m = dx * per_length
        total, length = float(m.sum()), float(dx.sum())
        centre = np.einsum("g,gi->i", m, H[:, :3, 3]) + np.einsum("g,gij,gj->i", dx, H[:, :3, :3], arms)
        lever = total * length / 12.0
        rest = centre.copy()
        for k, z, sign in ((e, 1.0 - _Z, 1.0), (e + 1, _Z, -1.0)):
            share = float(z @ m)
            mass[k] += share
            R, x = frames[k, :3, :3], frames[k, :3, 3]
            rest -= share * x + sign * lever * R[:, 0]
            moment[k] += [sign * lever, 0.0, 0.0]
            J = np.einsum("g,gij,gjk,glk->il", z * dx, H[:, :3, :3], [M[3:, 3:] for M in sections], H[:, :3, :3])
            inertia[k] += R.T @ J @ R
        for k in (e, e + 1):
            moment[k] += frames[k, :3, :3].T @ (0.5 * rest)
    return [Lump(beam.at(float(s)), float(mass[k]), moment[k], inertia[k]) for k, s in enumerate(grid)]
