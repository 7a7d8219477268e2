"""Modes of a tower: this package, SciPy's eigsh on the assembled matrices, and Exudyn's eigen-solver.

A tower of square floors: four columns and four girders per storey, all welded together, clamped at the foot. SciPy gets
what a finite-element program would assemble: welded nodes are one node, no constraints are left. Exudyn has no nodes
that beams of different directions share, so its members are tied by springs 1e12 times as stiff as 1 N/m, 1 N m.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import cosserat as cs

Array = NDArray[np.float64]

CORNERS = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
HEIGHT = 3.0
STIFFNESS = (1.05e9, 3.2e8, 3.2e8, 1.6e6, 2.1e6, 2.52e6)
MASS = (39.0, 39.0, 39.0, 0.17, 0.08, 0.09)
STOREYS, PER_MEMBER, NUMBER = 10, 25, 20
TIE = 1e12


class Member(NamedTuple):
    """A straight beam: name, ends, and Tait-Bryan angles of its section (x along it, z as `up`)."""

    name: str
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    angles: tuple[float, float, float]
    up: tuple[float, float, float]


class Weld(NamedTuple):
    """End (0 or 1) of a member welded to an end of another; no parent: to the ground."""

    parent: str | None
    parent_end: int
    child: str
    child_end: int


class Cost(NamedTuple):
    """CPU seconds of the eigen-solver and of everything, and the frequencies (Hz)."""

    solver: float
    total: float
    frequencies: Array


def tower(storeys: int) -> tuple[list[Member], list[Weld]]:
    """Members and welds."""
    members, welds = [], []
    for k in range(storeys):
        low, high = HEIGHT * k, HEIGHT * (k + 1)
        for c, (x, y) in enumerate(CORNERS):
            angles = (math.pi / 2, 0.0, math.pi / 2)
            members.append(Member(f"column{k}{c}", (x, y, low), (x, y, high), angles, (0.0, -1.0, 0.0)))
            welds.append(Weld(f"column{k - 1}{c}" if k else None, 1, f"column{k}{c}", 0))
        for c, (a, b) in enumerate(zip(CORNERS, CORNERS[1:] + CORNERS[:1], strict=True)):
            turn = math.atan2(b[1] - a[1], b[0] - a[0])
            members.append(Member(f"girder{k}{c}", (*a, high), (*b, high), (0.0, 0.0, turn), (0.0, 0.0, 1.0)))
            welds.append(Weld(f"column{k}{c}", 1, f"girder{k}{c}", 0))
            welds.append(Weld(f"column{k}{(c + 1) % 4}", 1, f"girder{k}{c}", 1))
    return members, welds


def tower_model(storeys: int = STOREYS, per_member: int = PER_MEMBER) -> cs.Model:
    """The tower in this package."""
    model = cs.Model("tower", gravity=(0, 0, 0))
    section = cs.Section(stiffness=STIFFNESS, mass=MASS)
    members, welds = tower(storeys)
    for m in members:
        model.add(cs.Beam(m.name, points=[m.start, m.end], section=section, elements=per_member, up=m.up))
    for k, weld in enumerate(welds):
        child = model[weld.child].at(float(weld.child_end))
        parent = cs.GROUND if weld.parent is None else model[weld.parent].at(float(weld.parent_end))
        model.add(cs.Fixed(f"weld{k}", parent, child, at=child.position))
    return model


def solve_cosserat(storeys: int, per_member: int) -> Cost:
    """Through the public interface."""
    started = time.process_time()
    found = cs.modes(tower_model(storeys, per_member), NUMBER)
    return Cost(found.stats["solve_seconds"], time.process_time() - started, found.frequencies)


def assembled(storeys: int, per_member: int) -> tuple[Any, Any]:
    """Stiffness and mass of the free nodes, welded nodes merged: K, M of K x = omega^2 M x, sparse."""
    from scipy.sparse import csc_matrix

    from cosserat.solve.linear.matrices import matrices_at
    from cosserat.solve.linear.point import point_at

    model = tower_model(storeys, per_member)
    point = point_at(model, "reference")
    matrices, beams = matrices_at(point), point.compiled.beams
    n = point.compiled.n_nodes
    frames = point.compiled.frames[:n, :9].reshape(n, 3, 3)
    _, welds = tower(storeys)

    def node(name: str, end: int) -> int:
        return beams[name].first_node + (beams[name].n_nodes - 1) * end

    owner = np.arange(n)
    for weld in welds:
        owner[node(weld.child, weld.child_end)] = -1 if weld.parent is None else node(weld.parent, weld.parent_end)
    for _ in range(storeys + 1):  # a node may be welded to one that is welded itself
        owner = np.where(owner >= 0, owner[owner], -1)
    kept = np.unique(owner[owner >= 0])
    column = {int(k): i for i, k in enumerate(kept)}
    rows, columns, data = [], [], []
    for i in np.nonzero(owner >= 0)[0]:
        turn = np.kron(np.eye(2), frames[i].T @ frames[owner[i]])
        a, b = np.nonzero(np.abs(turn) > 1e-12)
        rows.append(6 * i + a)
        columns.append(6 * column[int(owner[i])] + b)
        data.append(turn[a, b])
    Z = csc_matrix(
        (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=(6 * n, 6 * len(kept))
    )
    return csc_matrix(Z.T @ matrices.stiffness @ Z), csc_matrix(Z.T @ matrices.mass @ Z)


def solve_scipy(storeys: int, per_member: int) -> Cost:
    """eigsh by shift and invert; assembling is not counted."""
    from scipy.sparse.linalg import eigsh

    K, M = assembled(storeys, per_member)
    started = time.process_time()
    values, _ = eigsh(K, NUMBER, M, sigma=0.0)
    spent = time.process_time() - started
    return Cost(spent, spent, np.sqrt(np.sort(values)) / (2 * np.pi))


def solve_exudyn(storeys: int, per_member: int) -> Cost:
    """Geometrically exact beams, ties, and the sparse eigen-solver."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    import exudyn as exu
    import exudyn.itemInterface as item
    from exudyn.utilities import RotXYZ2RotationMatrix

    started = time.process_time()
    mbs = exu.SystemContainer().AddSystem()
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag(STIFFNESS)
    section.massPerLength = MASS[0]
    section.inertia = np.diag(MASS[3:])
    members, welds = tower(storeys)
    nodes: dict[str, list[Any]] = {}
    for m in members:
        points = np.linspace(m.start, m.end, per_member + 1)
        nodes[m.name] = [mbs.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[*p, *m.angles])) for p in points]
        length = float(np.linalg.norm(points[1] - points[0]))
        for ends in zip(nodes[m.name][:-1], nodes[m.name][1:], strict=True):
            mbs.AddObject(item.ObjectBeamGeometricallyExact(nodeNumbers=list(ends), length=length, sectionData=section))
    turns = {m.name: RotXYZ2RotationMatrix(np.array(m.angles)) for m in members}
    clamped: list[int] = []
    for weld in welds:
        child = nodes[weld.child][-weld.child_end]
        if weld.parent is None:
            clamped += range(6 * int(child), 6 * int(child) + 6)
            continue
        parent = nodes[weld.parent][-weld.parent_end]
        markers = [mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=n)) for n in (parent, child)]
        mbs.AddObject(
            item.ObjectConnectorRigidBodySpringDamper(
                markerNumbers=markers,
                stiffness=TIE * np.eye(6),
                rotationMarker0=turns[weld.parent].T,
                rotationMarker1=turns[weld.child].T,
            )
        )
    mbs.Assemble()
    before = time.process_time()
    frequencies, _ = mbs.ComputeODE2Eigenvalues(
        exu.SimulationSettings(),
        useSparseSolver=True,
        numberOfEigenvalues=NUMBER,
        constrainedCoordinates=clamped,
        convert2Frequencies=True,
    )
    after = time.process_time()
    return Cost(after - before, after - started, np.asarray(frequencies))


def bench_modes(
    sides: dict[str, ModuleType | None], repeats: int, quick: bool, console: Console
) -> list[dict[str, str | int | float | None]]:
    """Print the cost of every side; targets: less than Exudyn in all, at most 1.2 times eigsh in the eigen-solver."""
    table = Table(
        title=f"{NUMBER} modes of a tower: CPU seconds", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    for column in (
        "elements", "unknowns", "Exudyn\nsolver", "\ntotal", "eigsh", "cosserat\nsolver", "\ntotal",
        "to Exudyn\ntotal", "to eigsh\nsolver", "target", "apart from\neigsh", "\nExudyn",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    records: list[dict[str, str | int | float | None]] = []
    for storeys in (2,) if quick else (2, STOREYS):
        turns = [(solve_cosserat(storeys, PER_MEMBER), solve_scipy(storeys, PER_MEMBER)) for _ in range(repeats + 1)]
        ours = min(turns, key=lambda t: t[0].solver)[0]
        total = min(a.total for a, _ in turns)
        eigsh = min(b.solver for _, b in turns)
        apart = np.max(np.abs(ours.frequencies / turns[0][1].frequencies - 1.0))
        theirs = None
        if sides["exudyn"] is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                theirs = solve_exudyn(storeys, PER_MEMBER)  # once: the large one takes most of a minute
        met = ours.solver <= 1.2 * eigsh and (theirs is None or total < theirs.total)
        elements = 8 * storeys * PER_MEMBER
        record: dict[str, str | int | float | None] = {
            "section": "modes",
            "elements": elements,
            "unknowns": 6 * (elements + 8 * storeys),
            "exudyn_solver": theirs and theirs.solver,
            "exudyn_total": theirs and theirs.total,
            "eigsh": eigsh,
            "cosserat_solver": ours.solver,
            "cosserat_total": total,
            "ratio_exudyn": theirs and theirs.total / total,
            "ratio_eigsh": eigsh / ours.solver,
            "target": None if storeys < STOREYS else "met" if met else "MISSED",
            "apart_from_eigsh": float(apart),
            "apart_from_exudyn": theirs and float(np.max(np.abs(ours.frequencies / theirs.frequencies - 1.0))),
        }
        records.append(record)
        table.add_row(
            *("-" if v is None else f"{v:.3g}" if isinstance(v, float) else str(v) for v in list(record.values())[1:])
        )
    console.print(table)
    console.print(
        "eigsh: SciPy's solver on the assembled matrices, welded nodes merged, assembling not counted. Exudyn's\n"
        "ties are springs and its elements differ, hence other frequencies.\n"
    )
    return records
