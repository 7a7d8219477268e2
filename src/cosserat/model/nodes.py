"""Where the nodes of beams are: wherever something is attached, and between those places evenly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.along import AlongBeam
from cosserat.model.beams import Beam
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
