"""Linear equations of motion about a state: M x" + D x' + K x + Phi^T lambda = f, Phi x = 0, as sparse matrices.

x are left increments of the nodes' frames, H exp(x). About a state with twists v and rates v_dot the twist of
H exp(x) is v + x' + ad(v) x, so with the tangents M, C, K of the kernels (with respect to rate, twist and frame)
D = C + M ad(v) and K + C ad(v) + M ad(v_dot): the Coriolis and centrifugal terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import block_array, block_diag, csc_matrix, diags, vstack

from cosserat.compile.rules import keep_all
from cosserat.compile.series import bracket
from cosserat.errors import SolveError
from cosserat.kernels.law_states import FROZEN
from cosserat.lie.protocol import Array
from cosserat.solve.gradients import constraint_gradients, nodal_matrix
from cosserat.solve.linear.elastic import Elastic, change_in_elements, elastic_at
from cosserat.solve.linear.inner import Inner, inner_at
from cosserat.solve.memory import assemble_blocks, damping_blocks

if TYPE_CHECKING:
    from cosserat.solve.linear.point import OperatingPoint

LEFT_BY_ROUNDING = 2e-14  # energy that cannot be told from zero, relative to the terms it is summed from
LEFT_BY_DIFFERENCES = 1e-12  # error of entries that are differences of what laws give
_LOST = 1e-14  # strain that rounding leaves, relative to the motions of which it is the difference
_STRAY = 2e-13  # part of other motions that rounding leaves in the shape of a free one


@dataclass(frozen=True)
class Slips:
    """Constraints of wheels and blades in motion: Phi x' + drift x = 0 in place of Phi x = 0."""

    rows: NDArray[np.bool_]  # (m,) which of the constraints
    drift: csc_matrix  # (m, 6n), zero in the rows of all others


@dataclass(frozen=True)
class Matrices:
    """Sparse matrices of the linear equations; n nodes, m independent constraints."""

    mass: csc_matrix  # (6n, 6n)
    damping: csc_matrix  # (6n, 6n), gyroscopic terms included
    stiffness: csc_matrix  # (6n, 6n)
    constraints: csc_matrix  # (m, 6n)
    length: float = 1.0  # typical, which makes turns comparable with displacements
    elastic: Elastic | None = None  # stiffness and damping once more, those of elements in factored form
    slips: Slips | None = None  # in motion: constraints that restrict velocities only
    inner: Inner | None = None  # states of laws, which are held still in all of the above
    unit: Array | None = None  # sizes of the unknowns, where they are not increments of nodes
    doubt: csc_matrix | None = None  # (6n, 6n) errors of the stiffness beyond rounding
    change: Callable[[Any], Array] | None = None  # of shapes across elements, see `resolution`

    def bordered(self, matrix: csc_matrix) -> csc_matrix:
        """[matrix, Phi^T; Phi, 0]: with it one solves for motions that the joints allow."""
        phi = self.constraints
        if phi.shape[0] == 0:
            return matrix.tocsc()
        return block_array([[matrix, phi.T], [phi, None]], format="csc")

    def free_motions(self) -> Array:
        """Orthonormal basis (6n, n_free) of the motions that the joints allow; dense, for small mechanisms."""
        phi = self.constraints.toarray()
        if phi.shape[0] == 0:
            return np.eye(phi.shape[1])
        return qr(phi.T, mode="full")[0][:, phi.shape[0] :]

    @cached_property
    def parts(self) -> Elastic:
        """Stiffness and damping as `elastic` has them, or without any elements."""
        none = np.zeros((0, 6, 6))
        of_none = Elastic(csc_matrix((0, self.mass.shape[0])), none, none[:, 0, 0], self.stiffness, self.damping)
        return of_none if self.elastic is None else self.elastic

    def undamped(self) -> Matrices:
        """Without any term with a velocity; states of laws follow at once."""
        none, elastic = csc_matrix(self.damping.shape), self.elastic
        more = none if self.inner is None else self.inner.steady_stiffness()
        if elastic is not None:
            still = csc_matrix(elastic.stiffness + more)
            elastic = replace(elastic, stiffness=still, damping=none, viscosity=np.zeros_like(elastic.viscosity))
        return replace(self, stiffness=self.stiffness + more, damping=none, elastic=elastic, inner=None)

    def symmetric(self) -> Matrices:
        """Without damping, with the symmetric part of the stiffness."""
        out = self.undamped()
        K, elastic = csc_matrix(0.5 * (self.stiffness + self.stiffness.T)), out.elastic
        if elastic is not None:
            elastic = replace(elastic, stiffness=csc_matrix(0.5 * (elastic.stiffness + elastic.stiffness.T)))
        return replace(out, stiffness=K, elastic=elastic)

    def without(self, motions: Array) -> Matrices:
        """The problem for motions x without a part along given ones (6n, k): motions^T M x = 0."""
        heavy = np.asarray(self.mass @ motions)
        rows = csc_matrix((heavy / np.linalg.norm(heavy, axis=0)).T)
        return replace(self, constraints=csc_matrix(vstack((self.constraints, rows))))

    def strain_energy(self, shapes: NDArray[Any]) -> NDArray[Any]:
        """x^H K x (k,) for columns x."""
        return self.parts.energy(shapes)

    def projected(self, shapes: Array) -> Array:
        """Symmetric part of X^T K X (k, k)."""
        out = self.form(shapes, shapes)
        return np.asarray(0.5 * (out + out.T))

    def form(self, left: Array, right: Array) -> Array:
        """left^T K right."""
        parts = self.parts
        strains = parts.strain @ left, parts.strain @ right
        return np.asarray(strains[0].T @ parts.stress(strains[1]) + left.T @ (parts.stiffness @ right))

    def unresolved(self, shapes: NDArray[Any]) -> Array:
        """Strain energies (k,) that cannot be told from zero, for columns x: rounding leaves a little of the stiffest
        motions in all others.
        """
        size, parts = np.abs(shapes), self.parts
        doubt = LEFT_BY_ROUNDING * np.sum(size * (abs(parts.stiffness) @ size), axis=0)
        doubt += _STRAY**2 * self.largest * np.sum(size * (abs(self.mass) @ size), axis=0)
        if self.doubt is not None:
            doubt += np.sum(size * (self.doubt @ size), axis=0)
        lost = _LOST * (abs(parts.strain) @ size)
        modulus = replace(parts, modulus=np.abs(parts.modulus))
        return np.asarray(doubt + np.sum(lost * modulus.stress(lost), axis=0))

    def resolution(self, shapes: NDArray[Any]) -> Array:
        """Change of shapes (6n, k) across an element, relative to the motion there (k,): small where a mesh is fine."""
        return np.zeros(shapes.shape[1]) if self.change is None else self.change(shapes)

    @property
    def largest(self) -> float:
        """Estimate of the largest omega^2, from diagonals."""
        mass, stiffness = self.mass.diagonal(), np.abs(self.stiffness.diagonal())
        heavy = mass > 0.0
        return float(np.max(stiffness[heavy] / mass[heavy], initial=0.0)) or 1.0


def matrices_at(point: OperatingPoint) -> Matrices:
    """Exact matrices of a mechanism at a point; in a steady motion of motions counted from frames that do not spin."""
    M, D, K = tangents(point)
    elastic, phi, doubt = elastic_at(point, K), constraint_matrix(point), doubt_of(point)
    found = Matrices(
        M, D, K, phi, point.compiled.length, elastic, inner=inner_at(point), doubt=doubt,
        change=partial(change_in_elements, point.compiled, point.frames),
    )  # fmt: skip
    if point.flow is None:
        return found
    from cosserat.solve.linear.flow import steadied  # they need each other

    if elastic is not None:
        still = steadied(point.flow, M, elastic.damping, elastic.stiffness)
        elastic = replace(elastic, damping=still[0], stiffness=still[1])
    D, K = steadied(point.flow, M, D, K)
    return replace(found, damping=D, stiffness=K, elastic=elastic, slips=slips_at(point, phi))


def doubt_of(point: OperatingPoint) -> csc_matrix | None:
    """Errors (6n, 6n) of what laws add to the stiffness; None where rounding of the whole says it all.

    Often little is left of what a law adds: a body that floats has no stiffness in sway beside its weight, and on an
    orbit the pull of the planet and the apparent forces cancel one another along the track. So every law counts by
    itself: where it has no derivatives of its own, by the error of its differences, else by rounding where several
    meet.
    """
    laws, memory = point.compiled.laws, point.memory
    groups = _laws_apart(point)
    if not laws or (len(groups) == 1 and all(law.derivative is not None for law in laws)):
        return None
    loads = memory.problem.state_loads
    own = [np.where(chosen, loads.acts, 0) for chosen in groups]
    try:
        memory.replace(state_loads=loads._replace(acts=np.zeros_like(loads.acts)))
        bare = tangents(point)[2]
        out = csc_matrix(bare.shape)
        for chosen, acts in zip(groups, own, strict=True):
            memory.replace(state_loads=loads._replace(acts=acts))
            given = all(law.derivative is not None for law, acting in zip(laws, chosen, strict=True) if acting)
            out += (LEFT_BY_ROUNDING if given else LEFT_BY_DIFFERENCES) * abs(tangents(point)[2] - bare)
    finally:
        memory.replace(state_loads=loads)
    return csc_matrix(out)


def _laws_apart(point: OperatingPoint) -> list[NDArray[np.bool_]]:
    """Groups of laws, masks of all, of which no two have a node in common; with derivatives of their own or without."""
    laws, loads = point.compiled.laws, point.memory.problem.state_loads
    groups: list[tuple[bool, set[int], NDArray[np.bool_]]] = []
    for k, law in enumerate(laws):
        given = law.derivative is not None
        nodes = {int(node) for node in loads.node[loads.first[k] : loads.first[k + 1]] if node < point.compiled.n_nodes}
        apart = [group for group in groups if group[0] == given and not nodes & group[1]]
        if not apart:
            apart = [(given, set(), np.zeros(len(laws), dtype=bool))]
            groups += apart
        apart[0][1].update(nodes)
        apart[0][2][k] = True
    return [chosen for _, _, chosen in groups]


def slips_at(point: OperatingPoint, phi: csc_matrix) -> Slips | None:
    """What restricts velocities only, in a steady motion: A (y' + ad(v) y - B y) + (dA/dy v) y = 0."""
    assert point.flow is not None
    compiled, memory, n = point.compiled, point.memory, point.compiled.n_nodes
    if not len(memory.problem.rolling.node):
        return None
    rolling, nj = memory.problem.rolling, compiled.n_joints
    counts = rolling.n_rows.tolist()
    every = [np.zeros((0, 6))] * nj + [np.eye(6)[:count] for count in counts]
    chosen = [rows[:, :count] for rows, count in zip(point.independent_rows[nj:], counts, strict=True)]
    acting = rolling.keep.copy()
    try:
        keep_all(rolling)
        gradients = constraint_gradients(compiled, memory, every)
        turning = constraint_gradients(compiled, memory, every, 1.0) - constraint_gradients(
            compiled, memory, every, 1.0, 0.0
        )
    finally:
        rolling.keep[:] = acting
    across = block_diag(list(bracket(memory.problem.trial.twist[:n]) - bracket(point.flow.spins)), format="csc")
    # what holds a position, such as the gap of a disc: its gradient stands still as seen from frames that go along
    moves = np.concatenate([np.arange(n) >= held for n, held in zip(counts, rolling.held, strict=True)]).astype(float)
    drift = block_diag(chosen) @ diags(moves) @ (gradients @ across + turning)
    of_joints = phi.shape[0] - drift.shape[0]
    which = np.concatenate((np.zeros(of_joints), np.abs(block_diag(chosen).toarray()) @ moves)) > 1e-9
    return Slips(which, csc_matrix(vstack((csc_matrix((of_joints, 6 * n)), drift))))


def tangents(point: OperatingPoint) -> tuple[csc_matrix, csc_matrix, csc_matrix]:
    """Mass, damping and stiffness (6n, 6n) of what is in the memory of a point, whose forces have been evaluated.

    Of motions H exp(x), whose twists are v + x' + ad(v) x.
    """
    compiled, trial = point.compiled, point.memory.problem.trial
    n = compiled.n_nodes
    point.memory.problem.solver.follow[0] = FROZEN
    columns = compiled.blocks[:, 1]
    of_nodes = np.nonzero((compiled.blocks < n).all(axis=1))[0]
    k = columns[of_nodes]
    moving, turning = bracket(trial.twist[:n])[k], bracket(trial.rate[:n])[k]
    M = assemble_blocks(point.memory, mass=1.0)[of_nodes]
    C = damping_blocks(point.memory)[of_nodes]
    K = assemble_blocks(point.memory, stiffness=1.0)[of_nodes]
    if not (np.isfinite(C).all() and np.isfinite(K).all()):
        laws = ", ".join(law.load.title for law in compiled.laws)
        raise SolveError(
            "the equations cannot be linearised here: forces or their derivatives are not numbers"
            + (f"; loads that depend on the state: {laws}; do their laws and tables cover this state?" if laws else "")
        )
    if np.any(moving):
        K = K + C @ moving
        C = C + M @ moving
    if np.any(turning):
        K = K + M @ turning
    mass, damping, stiffness = (nodal_matrix(compiled, of_nodes, blocks) for blocks in (M, C, K))
    return mass, damping, stiffness


def constraint_matrix(point: OperatingPoint, keep: list[Array] | None = None) -> csc_matrix:
    """Gradients of the constraints (m, 6n), without unused rows and without combinations that others imply.

    `keep` gives other combinations (k, 6) of each joint's rows.
    """
    return constraint_gradients(point.compiled, point.memory, point.independent_rows if keep is None else keep)
