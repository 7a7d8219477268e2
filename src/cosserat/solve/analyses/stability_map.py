"""`stability_map`: growth over two parameters, and the boundary of the stable region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.stability import DIVERGENCE, FLUTTER, STABLE, Boundary, StabilityMap
from cosserat.solve.analyses.points import SteadyStates
from cosserat.solve.analyses.stability import checked_values
from cosserat.solve.arguments import carrying, check_count
from cosserat.solve.linear.crossings import EigenCrossing, crossings
from cosserat.solve.linear.spectra import Spectra, Spectrum
from cosserat.solve.motion.stopwatch import Stopwatch

Edge = tuple[int, int, int]  # node of the grid and the direction in which the edge leaves it

_STATIC = 1e-5  # imaginary part relative to |s| that is none


@answered()
@carrying("about")
def stability_map(
    model: Model,
    ranges: Mapping[Any, Any],
    *,
    n: int = 6,
    about: Any = None,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    formulation: Any = None,
) -> StabilityMap:
    """Where in the plane of two parameters a mechanism is stable, diverges or flutters.

    On every edge of the grid on which stability changes, the critical point is refined as in `stability`; joined, these
    points are the boundary of the stable region.

    Parameters
    ----------
    model : Model
    ranges : dict
        Two parameters with their values, such as ``{"P": np.linspace(0, 30, 31), "c": np.linspace(0, 1, 11)}``.
    n, about, time, spin, center, formulation
        As for `stability`.

    Returns
    -------
    StabilityMap

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> damping = model.add(cs.Damper("damper", cs.GROUND.at((-1, 0, 0)), body, damping=cs.Parameter("d", 0.1)))
    >>> bool(cs.stability_map(model, {"k": [1.0, 2.0], "d": [0.1, 0.2]}).stable.all())
    True
    """
    if not isinstance(ranges, Mapping) or len(ranges) != 2:
        raise SolveError("stability_map: pass two parameters with their values, such as {'P': [...], 'c': [...]}")
    watch = Stopwatch()
    grids = [checked_values("stability_map", getattr(k, "name", k), v) for k, v in ranges.items()]
    n = check_count(n, "stability_map", meaning="how many modes")
    where = {"about": about, "time": time, "spin": spin, "center": center, "formulation": formulation}
    states = SteadyStates("stability_map", model, list(ranges), grids, **where)
    shape = (len(grids[0]), len(grids[1]))
    sweep = Spectra(states, 2 * n)
    spectra: dict[tuple[int, int], Spectrum] = {}
    edges: dict[Edge, EigenCrossing] = {}
    with states.knobs.kept():

        def row(j: int) -> None:
            for i in range(shape[0]) if j % 2 == 0 else range(shape[0] - 1, -1, -1):
                spectra[i, j] = sweep.at(grids[0][i], grids[1][j])

        rows = sweep.on_grid("stability_map", f"values of {states.knobs.names[1]}", range(shape[1]), row)
        whole = len(rows) == shape[1]
        grids, shape = [grids[0], grids[1][: len(rows)]], (shape[0], len(rows))
        spectra = {at: spectrum for at, spectrum in spectra.items() if at[1] < len(rows)}
        for i, j in np.ndindex(shape) if whole else ():
            for direction, k in ((0, (i + 1, j)), (1, (i, j + 1))):
                if k in spectra and (spectra[i, j].n_growing == 0) != (spectra[k].n_growing == 0):
                    found = _on_edge(sweep, spectra[i, j], spectra[k], grids, (i, j), direction)
                    if found is not None:
                        edges[i, j, direction] = found
        joined = _cells(sweep, spectra, edges, grids) if whole else []
    growth, frequency = np.zeros(shape), np.zeros(shape)
    kind = np.full(shape, STABLE, dtype=object)
    for at_node, spectrum in spectra.items():
        fastest = spectrum.eigenvalues[np.argmax(spectrum.eigenvalues.real)]
        growth[at_node], frequency[at_node] = fastest.real, abs(fastest.imag) / (2.0 * np.pi)
        if spectrum.n_growing:
            kind[at_node] = FLUTTER if abs(fastest.imag) > _STATIC * abs(fastest) else DIVERGENCE
    names, boundary = (states.knobs.names[0], states.knobs.names[1]), _join(edges, joined, grids)
    return StabilityMap(model.name, names, grids, growth, frequency, kind, boundary, watch.seconds)


def _on_edge(
    sweep: Spectra, a: Spectrum, b: Spectrum, grids: list[Array], node: tuple[int, int], direction: int
) -> EigenCrossing | None:
    """The change between stable and unstable on an edge of the grid."""
    i, j = node

    def evaluate(value: float) -> Spectrum:
        found = sweep.at(value, grids[1][j]) if direction == 0 else sweep.at(grids[0][i], value)
        return replace(found, value=value)

    first = node[direction]
    low, high = grids[direction][first : first + 2].tolist()
    found = crossings(evaluate, replace(a, value=low), replace(b, value=high))
    return found[0 if a.n_growing == 0 else -1] if found else None


def _cells(
    sweep: Spectra,
    spectra: dict[tuple[int, int], Spectrum],
    edges: dict[Edge, EigenCrossing],
    grids: list[Array],
) -> list[tuple[Edge, Edge]]:
    """Pairs of edges that the boundary joins across a cell; where it meets all four, the centre decides."""
    pairs: list[tuple[Edge, Edge]] = []
    for i in range(len(grids[0]) - 1):
        for j in range(len(grids[1]) - 1):
            around = [e for e in ((i, j, 0), (i + 1, j, 1), (i, j + 1, 0), (i, j, 1)) if e in edges]
            if len(around) == 4:
                middle = [0.5 * (g[k] + g[k + 1]) for g, k in zip(grids, (i, j), strict=True)]
                centre = sweep.at(*middle)
                if (centre.n_growing == 0) != (spectra[i, j].n_growing == 0):
                    around = around[1:] + around[:1]
                pairs += [(around[0], around[1]), (around[2], around[3])]
            elif len(around) > 1:
                pairs.append((around[0], around[1]))
    return pairs


def _join(edges: dict[Edge, EigenCrossing], pairs: list[tuple[Edge, Edge]], grids: list[Array]) -> list[Boundary]:
    """Critical points on edges joined through the cells of the grid to curves."""
    partners: dict[Edge, list[Edge]] = {edge: [] for edge in edges}
    for first, second in pairs:
        partners[first].append(second)
        partners[second].append(first)
    curves: list[list[Edge]] = []
    left = set(edges)
    for start in sorted(edges, key=lambda e: (len(partners[e]) != 1, e)):  # open curves from their ends first
        if start not in left:
            continue
        curve = [start]
        left.discard(start)
        while following := [e for e in partners[curve[-1]] if e in left]:
            curve.append(following[0])
            left.discard(following[0])
        if len(curve) > 2 and start in partners[curve[-1]]:
            curve.append(start)
        curves.append(curve)
    out = []
    for curve in curves:
        points = np.array([_place(e, edges[e], grids) for e in curve])
        kinds = [FLUTTER if edges[e].flutter else DIVERGENCE for e in curve]
        frequencies = np.array([edges[e].eigenvalue.imag / (2.0 * np.pi) for e in curve])
        out.append(Boundary(points, kinds, frequencies))
    return out


def _place(edge: Edge, crossing: EigenCrossing, grids: list[Array]) -> tuple[float, float]:
    i, j, direction = edge
    return (crossing.value, float(grids[1][j])) if direction == 0 else (float(grids[0][i]), crossing.value)
