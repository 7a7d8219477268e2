"""Velocities of a tree at the start: those that come closest to given ones of nodes, or that follow from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.modal_dynamics import Seat
from cosserat.lie.protocol import Array
from cosserat.results.trajectory import Reference
from cosserat.solve.assembly import demand_touching
from cosserat.solve.floating.state import Start
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.initial import soften_redundant, warn_redundant
from cosserat.solve.memory import loaded_memory
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.seat_motion import seat_rows

_CLOSED = 1e-10  # of the extent, or rad: gaps that are none
_FITS = 1e-9  # of the velocities: what is no misfit
_INDEPENDENT = 1e-2  # least singular value of rows of norm 1 in the metric of the mass that depend on nothing


class FittedNodes(NamedTuple):
    """What is to be fitted: frames (n, 4, 4) and twists (n, 6) of nodes, and where they sit on the tree."""

    seats: list[Seat]
    frames: Array
    twists: Array


def own_velocities(walk: FloatingWalk, reference: Reference, begin: Start) -> Start | None:
    """A start with the velocities that follow from the described ones; None where the tree cannot tell by itself.

    As in the Galilean formulation what was given is kept, the rest has the least strain rate in the beams, and among
    equals the least kinetic energy. Where loops are open, and where nothing fits, the answer is None. Warns of
    constraints that others imply.
    """
    t, q, v, angles, _ = begin
    tree, constraints, free = walk.tree, walk.constraints, ~walk.drives.held
    now, rates, A = Motions(tree.data).move(q, v), np.zeros(0), np.zeros((0, len(q)))
    walk.engine.set_time(t)
    metric = _Metric.at(tree, q, free)
    if metric is None:
        return None
    if constraints.present:
        demand_touching(constraints.rolling, reference.size)
        rows = constraints.at(now, q, t, angles)
        A, rates = rows.A, rows.rate
        if q.any() or float(np.abs(rows.value).max(initial=0.0)) > _CLOSED * min(1.0, reference.size):
            return None
    found = _described(now, reference, walk.engine.seats, begin, metric, TreeRates(A, rates))
    if found is not None and not metric.independent(A):
        _name_dependent(reference, t)
    return None if found is None else begin._replace(v=found)


def _name_dependent(reference: Reference, t: float) -> None:
    """Let the nodes say which joints demand what others imply, if any do."""
    compiled = reference.compiled
    memory = loaded_memory(compiled, compiled.sampler.sample(np.array([t])))
    warn_redundant(soften_redundant(compiled, memory))


class TreeRates(NamedTuple):
    """Constraints on velocities v + x of a tree: A x + rate = 0."""

    A: Array
    rate: Array


def _described(
    now: Motions, reference: Reference, seats: list[Seat], begin: Start, metric: _Metric, held: TreeRates
) -> Array | None:
    """Velocities that keep what is described and fit the constraints; None where there are none."""
    _, q, v, _, _ = begin
    A, rates = held
    if not (v.any() or reference.given.any() or rates.any()):
        return v
    scale, given = np.repeat([1.0, reference.length], 3), np.repeat(reference.given[:-1], 3, axis=1).ravel()
    twists = (scale * reference.twists[:-1]).ravel()
    J = np.tile(scale, len(seats))[:, None] * seat_rows(now.data, now, q, seats)

    def fits(found: Array, which: NDArray[np.bool_]) -> bool:
        moved = J @ found
        left = np.concatenate(((moved - twists)[which], A @ (found - v) + rates))
        return bool(np.abs(left).max(initial=0.0) <= _FITS * (_FITS + np.abs(moved).max(initial=0.0)))

    found = _closest(J, twists, v, ~metric.free)
    if not fits(found, np.ones(len(twists), dtype=bool)):
        found = metric.least(v, np.vstack((J[given], A)), np.concatenate(((twists - J @ v)[given], -rates)))
    return found if fits(found, given) else None


class _Metric(NamedTuple):
    """Kinetic energy |root^T x|^2 / 2 and strain |strain x|^2 / 2 of velocities x of free coordinates."""

    free: NDArray[np.bool_]
    root: Array  # (f, f), lower triangular
    strain: Array  # (modes, f)
    moment: Array  # (f, n) of velocities of all coordinates

    @staticmethod
    def at(tree: FlexibleTree, q: Array, free: NDArray[np.bool_]) -> _Metric | None:
        """At coordinates q; None where some have no mass."""
        M, parts = tree.mass_matrix(q), [np.zeros((0, len(q)))]
        for link in tree.data.links:
            if link.modal is not None:
                rows = np.zeros((link.n_modes, len(q)))
                rows[:, link.columns[len(link.columns) - link.n_modes :]] = np.linalg.cholesky(link.modal.stiffness).T
                parts.append(rows)
        try:
            root = np.asarray(np.linalg.cholesky(M[np.ix_(free, free)]), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        return _Metric(free, root, np.concatenate(parts)[:, free], M[free])

    def independent(self, rows: Array) -> bool:
        """Whether no row of constraints comes near to what the others demand."""
        scaled = np.linalg.solve(self.root, rows[:, self.free].T)  # on velocities whose squares are the kinetic energy
        norms = np.linalg.norm(scaled, axis=0)
        if not norms.all() or len(rows) > len(self.root):
            return False
        sizes = np.linalg.svd(scaled / norms, compute_uv=False)
        return bool(sizes.min(initial=1.0) > _INDEPENDENT)

    def least(self, v: Array, rows: Array, wanted: Array) -> Array:
        """Velocities v + x with rows x = wanted, the least strain rate, and among equals the least kinetic energy."""
        from cosserat.solve.velocities import least_motion  # sparse matrices of SciPy, which most runs do without

        norms = np.linalg.norm(rows, axis=1)
        kept = norms > 0.0
        scaled = (rows[kept] / norms[kept, None])[:, self.free]
        still, out = np.zeros(len(self.strain)), v.copy()
        right = wanted[kept] / norms[kept]
        out[self.free] += least_motion(self.root.T, -self.moment @ v, scaled, right, self.strain, still)
        return out


def fitted_velocities(
    tree: FlexibleTree, length: float, nodes: FittedNodes, q: Array, v: Array, held: NDArray[np.bool_]
) -> Array:  # fmt: skip
    """Velocities for which the nodes come closest to given twists; those of held coordinates stay."""
    scale = np.tile([1.0, 1.0, 1.0, *(3 * [length])], len(nodes.seats))
    now = Motions(tree.data).move(q, tree.neutral())
    J = scale[:, None] * seat_rows(tree.data, now, q, nodes.seats)
    return _closest(J, scale * nodes.twists.ravel(), v, held)


def given_velocities(walk: FloatingWalk, reference: Reference, q: Array, v: Array) -> Array:
    """Velocities closest to those given for bodies, beams and modes; relative ones that follow from nothing are zero.

    The Galilean formulation, which else decides, has no modal bodies.
    """
    tree, seats = walk.tree, walk.engine.seats
    scale, given = np.repeat([1.0, reference.length], 3), np.repeat(reference.given[:-1], 3, axis=1)
    now = Motions(tree.data).move(q, tree.neutral())
    J = np.tile(scale, len(seats))[:, None] * seat_rows(tree.data, now, q, seats)
    rows, wanted = [J[given.ravel()]], [(scale * reference.twists[:-1])[given]]
    for name, body in tree.modal_bodies.items():
        if name in reference.skeleton.modal and body.rates.any():
            columns = [tree.coordinates.index(f"{name}.mode{k + 1}") for k in range(body.n_modes)]
            weight = np.sqrt(np.diag(body.inertia.modal_mass) / body.mass)
            rows.append(weight[:, None] * np.eye(len(q))[columns])
            wanted.append(weight * body.rates)
    return _closest(np.vstack(rows), np.concatenate(wanted), v, walk.drives.held)


def _closest(J: Array, wanted: Array, v: Array, held: NDArray[np.bool_]) -> Array:
    out, free = v.copy(), np.nonzero(~held)[0]
    if len(free):
        out[free] = np.linalg.lstsq(J[:, free], wanted - J @ np.where(held, v, 0.0), rcond=None)[0]
    return out
