"""Newton's method for static balance: residual and exact tangent from the kernels, sparse LU from SciPy.

Unlike in time stepping, nothing makes the diagonal blocks definite here, so the factorisation must pivot freely.
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csc_matrix
from scipy.sparse.linalg import SuperLU, splu

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.series import bracket
from cosserat.kernels.alpha import move
from cosserat.kernels.law_states import STEADY
from cosserat.kernels.residual import add_inertia, forces, predict_strain, track_angles
from cosserat.solve.balance.spin import twists_in
from cosserat.solve.initial import EPSILON
from cosserat.solve.memory import Memory
from cosserat.solve.tangent import assemble_blocks, damping_blocks

Array = NDArray[np.float64]

MAX_ITERATIONS = 40
SLOW, MAX_HALVINGS = 4, 4  # iterations without a search along corrections, and how often it halves one
MAX_LEAP, MAX_CUTS = 14, 3  # iterations of a leap to the full load, and corrections that may be cut in it
TOO_FAR = 1.5  # rad, or half the mechanism's extent: a first correction beyond this belongs to a smaller load step
FREE_SHIFT = 1e-6  # relative to typical stiffness: holds motions that nothing resists
FREE_TOLERANCE = 1e3  # rounding errors of forces are amplified along free motions
_NOISE = 1e-9  # of the largest: diagonal entries of the stiffness that may be what is left of others
FALLEN = 1e2  # times the extent of the mechanism: what moved farther falls for ever


class Attempt(enum.Enum):
    """How one attempt at balancing ended."""

    BALANCED = enum.auto()
    FAILED = enum.auto()
    TOO_FAR = enum.auto()
    SINGULAR = enum.auto()


class Statics:
    """Equations of balance of one compiled model at given inputs; the configuration lives in the trial state.

    With a spin (6,), balance in a steady rotation: inertia forces are among the loads (`solve.balance.spin`).
    """

    def __init__(self, compiled: CompiledModel, memory: Memory, spin: Array | None = None) -> None:
        self.compiled = compiled
        self.memory = memory
        self.spin, self.full_spin = spin, spin
        self.iterations = 0
        self.factorizations = 0
        rows, columns = compiled.blocks[:, 0], compiled.blocks[:, 1]
        n = compiled.n_nodes + compiled.n_multipliers
        self._order = np.lexsort((columns, rows))
        self._indices = columns[self._order]
        self._indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
        self._fraction = 1.0  # of the last correction that was taken
        self.sign = 0  # of the determinant of the last tangent: it changes where a path loses or regains stability
        self.scale = 1.0
        self.scale = self._stiffness_scale()

    def _stiffness_scale(self) -> float:
        """Typical stiffness against displacements, the scale of multipliers; turns count at the typical length."""
        self.assemble(0.0)
        diagonal = np.abs(self.memory.problem.solver.blocks[self.compiled.system.pattern.diagonal])
        order, c = self.compiled.system.pattern.order, self.compiled
        values = np.diagonal(diagonal[order < c.n_nodes], axis1=1, axis2=2) / np.array([1.0, c.length**2]).repeat(3)
        counts = values[values > _NOISE * np.max(values, initial=0.0)]
        if counts.size:
            return float(np.exp(np.mean(np.log(counts))))
        inputs = self.memory.problem.inputs
        loads = [c.mass * np.linalg.norm(c.sampler.gravity)]
        loads += [np.max(np.abs(inputs.wrench[..., :3]), initial=0.0)]
        loads += [np.max(np.abs(a), initial=0.0) / c.length for a in (inputs.wrench[..., 3:], inputs.effort)]
        return float(max(loads)) / c.length or c.mass

    def load(self, times: Array, factor: float = 1.0) -> None:
        """Take the inputs at one time, loads scaled by a factor, and with them the centrifugal ones."""
        self.memory.replace(inputs=self.compiled.sampler.sample(times, factor))
        if self.full_spin is not None:
            self.spin = np.sqrt(factor) * self.full_spin

    def assemble(self, shift: float) -> None:
        """Blocks of [K + shift M, s Phi^T; s Phi, -epsilon s] at the trial state."""
        centrifugal: Array | float = 0.0
        self.memory.problem.solver.follow[0] = STEADY
        if self.spin is not None:
            # a displaced node has another twist, d v = ad(v) delta
            columns = self.compiled.blocks[:, 1]
            of_nodes = columns < self.compiled.n_nodes
            centrifugal = damping_blocks(self.memory).copy()
            centrifugal[~of_nodes] = 0.0
            centrifugal[of_nodes] @= bracket(self.memory.problem.trial.twist)[columns[of_nodes]]
        blocks = assemble_blocks(self.memory, mass=shift, stiffness=1.0, scale=self.scale, epsilon=EPSILON)
        blocks += centrifugal

    def matrix(self, shift: float = 0.0) -> csc_matrix:
        """The tangent [K + shift M, s Phi^T; s Phi, -epsilon s] at the trial state."""
        self.assemble(shift)
        blocks = self.memory.problem.solver.blocks[:-1][self._order]
        return bsr_matrix((blocks, self._indices, self._indptr)).tocsc()

    def factor(self, shift: float) -> SuperLU | None:
        """LU factors of the tangent, None if it is singular."""
        self.factorizations += 1
        lu, sign = signed_factors(self.matrix(shift))
        if lu is not None:
            self.sign = sign
        return lu

    def residual(self) -> Array:
        """-(r, s phi) at the trial state, one row per vertex."""
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        track_angles(self.memory.address)
        self.memory.problem.solver.follow[0] = STEADY
        if self.spin is not None:
            trial.twist[:] = twists_in(self.spin, trial.frame)
        forces(self.memory.address, 0)
        if self.spin is not None:
            add_inertia(self.memory.address)
        self.iterations += 1
        return -np.concatenate((trial.residual[:n], self.scale * trial.phi))

    def predicted(self, before: Array, first: bool = False) -> Array:
        """The residual for predicted strains (`predict_strain`) after a move from the frames `before`, the first of an
        iteration or another one."""
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        predict_strain(self.memory.address, before, trial.increment, 0.0 if first else self._fraction)
        return -np.concatenate((trial.residual[:n], self.scale * trial.phi))

    def size_of(self, correction: Array) -> float:
        """Largest displacement, or turn times the typical length."""
        nodes = np.abs(correction[: self.compiled.n_nodes])
        if not np.all(np.isfinite(nodes)):
            return np.inf
        return float(max(np.max(nodes[:, :3], initial=0.0), self.compiled.length * np.max(nodes[:, 3:], initial=0.0)))

    def reach(self, correction: Array) -> float:
        """Largest turn in a correction, or displacement in halves of the mechanism's extent."""
        nodes = np.abs(correction[: self.compiled.n_nodes])
        moved = np.max(nodes[:, :3], initial=0.0) / (0.5 * self.compiled.size)
        return float(max(moved, np.max(nodes[:, 3:], initial=0.0)))

    def apply(self, frame: Array, force: Array, correction: Array, fraction: float) -> None:
        """Trial state = given state moved along a correction."""
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        self._fraction = fraction
        trial.increment[:n] = fraction * correction[:n]
        move(frame, trial.increment, 1.0, trial.frame)
        trial.force[:] = force + fraction * self.scale * correction[n:]

    def _correction(self, rhs: Array, shift: float) -> tuple[SuperLU | None, Array, float]:
        """Factors, Newton correction and its size; no factors if the tangent is singular."""
        lu = self.factor(shift)
        if lu is None:
            return None, rhs, np.inf
        correction = lu.solve(rhs.ravel()).reshape(rhs.shape)
        norm = self.size_of(correction)
        return (lu if norm <= 1e12 * self.compiled.size else None), correction, norm

    def balance(self, tolerance: float, *, limit_first: bool) -> Attempt:
        """Newton's method with predicted strains (`predict_strain`) from the trial state.

        Corrections are full ones at first, and searched along where the iteration turns out to be slow.
        """
        rhs = self.residual()
        previous = np.inf
        for iteration in range(MAX_ITERATIONS):
            lu, correction, norm = self._correction(rhs, 0.0)
            if lu is None:
                return Attempt.SINGULAR
            if iteration == 0 and limit_first and self.reach(correction) > TOO_FAR:
                return Attempt.TOO_FAR
            if norm > 10.0 * self.compiled.size:
                return Attempt.FAILED
            if iteration > SLOW:
                rhs, before = self._searched(lu, correction, norm)
            else:
                rhs, before = self._advance(correction, 1.0)
            if not np.all(np.isfinite(rhs)):
                return Attempt.FAILED
            if _converged(norm, previous, tolerance):
                return Attempt.BALANCED
            if iteration > SLOW and norm > 4.0 * previous:
                return Attempt.FAILED
            rhs = self.predicted(before, iteration == 0)
            previous = norm
        return Attempt.FAILED

    def leap(self, tolerance: float) -> Attempt:
        """The same where the first correction is too far: corrections are cut to a turn of one radian. Gives up soon.

        Where it succeeds, as under large dead forces, it replaces many load steps. A search for the fraction of each
        correction that lowers the next one (the natural monotonicity test) needs more work here: full corrections with
        predicted strains are right though such a test refuses them.
        """
        rhs = self.residual()
        previous, farthest, cuts = np.inf, np.inf, 0
        for iteration in range(MAX_LEAP):
            lu, correction, norm = self._correction(rhs, 0.0)
            if lu is None:
                return Attempt.FAILED
            reach = self.reach(correction)
            cuts += reach > 1.0
            if cuts > MAX_CUTS or reach > max(1.0, farthest):
                return Attempt.FAILED
            farthest = reach
            rhs, before = self._advance(correction, 1.0 / max(1.0, reach))
            if not np.all(np.isfinite(rhs)):
                return Attempt.FAILED
            if _converged(norm, previous, tolerance):
                return Attempt.BALANCED
            rhs = self.predicted(before, iteration == 0)
            previous = norm
        return Attempt.FAILED

    def _advance(self, correction: Array, fraction: float) -> tuple[Array, Array]:
        """Move the trial state along a correction; returns the new residual and the frames before."""
        trial = self.memory.problem.trial
        before = trial.frame.copy()
        self.apply(before, trial.force.copy(), correction, fraction)
        return self.residual(), before

    def _searched(self, lu: SuperLU, correction: Array, norm: float) -> tuple[Array, Array]:
        """Move along a correction as far as the next one, with the same factors, does not become much larger."""
        trial = self.memory.problem.trial
        frame, force, angle = trial.frame.copy(), trial.force.copy(), trial.angle.copy()
        for halvings in range(MAX_HALVINGS + 1):
            trial.angle[:] = angle
            self.apply(frame, force, correction, 0.5**halvings)
            rhs = self.residual()
            if np.all(np.isfinite(rhs)) and self.size_of(lu.solve(rhs.ravel()).reshape(rhs.shape)) <= 2.0 * norm:
                break
        return rhs, frame

    def settle(self, tolerance: float, shift: float) -> Attempt:
        """Pseudo-time steps (K + shift M), damped, the shift let go as the motion calms down: leads to a stable rest.

        For mechanisms that can fall, where the tangent alone is singular or points the wrong way.
        """
        trial = self.memory.problem.trial
        rhs = self.residual()
        previous, start, free = np.inf, trial.frame[:, 9:].copy(), False
        holding, smallest = FREE_SHIFT * self.scale / self.compiled.mass, 0.0
        for _ in range(20 * MAX_ITERATIONS):
            lu, correction, norm = self._correction(rhs, shift)
            if shift < holding and (lu is None or norm > self.compiled.size):
                # motions that nothing resists: a small shift holds them, and does no harm if the loads balance
                free, smallest, shift = True, holding, holding
                continue
            if lu is None:
                return Attempt.SINGULAR
            fallen = np.max(np.abs(trial.frame[:, 9:] - start)) > FALLEN * self.compiled.size
            if fallen or (free and norm > 10.0 * self.compiled.size):
                return Attempt.FAILED
            frame, force, angle = trial.frame.copy(), trial.force.copy(), trial.angle.copy()
            fraction = 1.0
            while True:
                trial.angle[:] = angle
                self.apply(frame, force, correction, fraction)
                new_rhs = self.residual()
                if norm <= (FREE_TOLERANCE if free else 1.0) * tolerance and shift <= smallest:
                    return Attempt.BALANCED
                after = np.inf
                if np.all(np.isfinite(new_rhs)):
                    after = self.size_of(lu.solve(new_rhs.ravel()).reshape(rhs.shape))
                if after <= 2.0 * norm or norm <= 1e3 * tolerance:
                    break
                fraction *= 0.5
                if fraction < 1e-4:
                    break
            if fraction < 1e-4:
                if free or shift >= holding:
                    return Attempt.FAILED
                free, smallest, shift = True, holding, holding  # as above
                trial.angle[:] = angle
                self.apply(frame, force, correction, 0.0)
                rhs = self.residual()
                continue
            shift *= float(np.clip(after / norm, 0.1, 1.0)) ** 2 if norm > 0.0 else 0.01
            if after <= 1e-4 * self.compiled.size and (after < previous or after == 0.0):
                shift = 0.0 if shift < 1e-12 * self.scale / self.compiled.mass else 0.1 * shift
            shift = max(shift, smallest)
            previous = after
            rhs = new_rhs
        return Attempt.FAILED

    def softest(self) -> float:
        """Stiffness of the softest motion relative to a typical one, by inverse iteration; 0 if singular."""
        lu = self.factor(0.0)
        if lu is None:
            return 0.0
        n = self.compiled.n_nodes
        x = np.zeros((n + self.compiled.n_multipliers, 6))
        x[:n] = np.random.default_rng(1).normal(size=(n, 6))
        growth = np.inf
        for _ in range(3):
            x[n:] = 0.0
            x /= np.linalg.norm(x)
            x = lu.solve(x.ravel()).reshape(x.shape)
            growth = float(np.linalg.norm(x[:n]))
            if not np.isfinite(growth):
                return 0.0
        return 1.0 / (growth * self.scale)


def _converged(norm: float, previous: float, tolerance: float) -> bool:
    """Whether a correction is small enough, or as small as rounding lets it become."""
    return norm <= tolerance or (norm <= 1e3 * tolerance and norm >= 0.3 * previous)


def signed_factors(matrix: csc_matrix) -> tuple[SuperLU | None, int]:
    """LU factors and the sign of the determinant; no factors if the matrix is singular."""
    try:
        lu = splu(matrix)
    except RuntimeError:
        return None, 0
    return lu, _parity(lu.perm_r) * _parity(lu.perm_c) * int(np.prod(np.sign(lu.U.diagonal())))


def _parity(permutation: NDArray[np.int32]) -> int:
    """+1 for an even permutation, -1 for an odd one, by counting cycles."""
    seen = np.zeros(len(permutation), dtype=bool)
    cycles = 0
    following = permutation.tolist()
    for start in range(len(following)):
        if not seen[start]:
            cycles += 1
            k = start
            while not seen[k]:
                seen[k] = True
                k = following[k]
    return -1 if (len(following) - cycles) % 2 else 1
