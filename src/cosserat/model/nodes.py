"""Where the nodes of beams are: wherever something is attached, and between those places evenly; and mass at places.

Fields of acceleration, of gravity or of a moving frame, take hold of mass at places. A rigid body is one lump at its
centre of mass, propellant another. In a moving frame a beam has the inertia of its elements. For gravity of a central
body its mass is that of a corrected trapezoidal rule over its elements: at each node half of the mass of the elements
beside it, with a first moment mu L^2/12 along the beam. It takes integrals of smooth fields along straight uniform
elements exactly to third order, and the whole mass and its first moment exactly in any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.functions import TimeFunction
from cosserat.model.placed_laws import AlongBeam
from cosserat.model.places import Place
from cosserat.model.state_loads import StateLoad

if TYPE_CHECKING:
    from cosserat.model.model import Model

Ints = NDArray[np.int64]

SAME = 1e-9  # parameters of a beam that count as one


class BeamElement(NamedTuple):
    """One of the elements of a beam between cuts (n,), parameters from 0 to 1; `turned`: its end B is the first."""

    beam: Beam
    cuts: tuple[float, ...]
    number: int
    turned: bool

    @property
    def ends(self) -> tuple[Place, Place]:
        """The places of its nodes, the first one first."""
        a, b = (self.beam.at(s) for s in self.cuts[self.number : self.number + 2])
        return (b, a) if self.turned else (a, b)


def stations_of(model: Model, laws: Iterable[StateLoad]) -> dict[str, list[float]]:
    """Parameters of the places at which something is attached to each beam, these laws included."""
    attached = (*(item for item in model if not isinstance(item, (StateLoad, AlongBeam))), *laws)
    stations: dict[str, list[float]] = {beam.name: [] for beam in model.beams}
    for place in (place for item in attached for place in item.places):
        if isinstance(place.owner, Beam) and place.s is not None:
            stations[place.owner.name].append(float(place.s))
    return stations


def node_positions(beam: Beam, stations: list[float]) -> tuple[Array, Ints]:
    """Parameters s of the nodes and their smooth pieces; stations are where something is attached."""
    n = int(beam.elements)
    pieces = beam.pieces
    grid = np.linspace(0.0, 1.0, n + 1)
    if len(pieces) == 1 and all(np.min(np.abs(grid - s)) < SAME for s in stations):
        return grid, np.zeros(n + 1, dtype=np.int64)
    spans: list[tuple[float, float, int]] = []
    for k, (a, b) in enumerate(pieces):
        inside = sorted({s for s in stations if a + SAME < s < b - SAME})
        cuts = [a, *inside, b]
        spans += [(cuts[i], cuts[i + 1], k) for i in range(len(cuts) - 1)]
    if n < len(pieces):
        raise ModelError(
            f"beam '{beam.name}': {n} elements for {len(pieces)} straight pieces; pass elements={len(pieces)} or more"
        )
    counts = _share(n, [b - a for a, b, _ in spans])
    s: list[float] = []
    piece: list[int] = []
    for (a, b, k), count in zip(spans, counts, strict=True):
        points = np.linspace(a, b, count + 1)
        if piece and piece[-1] == k:
            points = points[1:]
        s += list(points)
        piece += [k] * len(points)
    return np.asarray(s), np.asarray(piece, dtype=np.int64)


def _share(total: int, lengths: list[float]) -> list[int]:
    """Elements per span: at least one each, otherwise in proportion to length."""
    whole = sum(lengths)
    counts = [max(1, int(total * length / whole)) for length in lengths]
    while sum(counts) < total:
        k = max(range(len(lengths)), key=lambda i: lengths[i] / counts[i])
        counts[k] += 1
    return counts


def demand_smooth(beam: Beam, what: str) -> None:
    """Raise if a beam has corners."""
    if len(beam.pieces) > 1:
        raise ModelError(f"{beam.title}: it has corners; under {what} give every straight piece a beam of its own")


def nodes_of(model: Model, laws: Iterable[StateLoad], what: str) -> list[tuple[float, ...]]:
    """Parameters of the nodes of all beams, to which these laws are attached, too; `what` needs them, for messages."""
    stations = stations_of(model, laws)
    for beam in model.beams:
        demand_smooth(beam, what)
    return [tuple(node_positions(beam, stations[beam.name])[0].tolist()) for beam in model.beams]


def elements_of(model: Model, laws: Iterable[StateLoad], what: str) -> list[BeamElement]:
    """All elements of the beams of a model, each from both of its ends."""
    found: list[BeamElement] = []
    for beam, cuts in zip(model.beams, nodes_of(model, laws, what), strict=True):
        found += [BeamElement(beam, cuts, e, turned) for e in range(len(cuts) - 1) for turned in (False, True)]
    return found


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
        point = np.zeros(3), np.zeros((3, 3))
        found += [Lump(law.place, law.heavy, *point, name=law.name) for law in laws if law.heavy > 0.0]
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
