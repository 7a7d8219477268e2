"""Newton's method for static balance, over equations that may be of either formulation.

A `Balance` has a state that it can tell, take back and move along corrections, a residual and an exact tangent with
multipliers of constraints. What is here knows no more: load steps, searches, pseudo-time steps to a stable rest.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csc_matrix
from scipy.sparse.linalg import SuperLU

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import failing_balance
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Status
from cosserat.solve.balance.symmetries import ROUNDING, drifts, harmless
from cosserat.solve.pivots import factors_of, sign_of

State = tuple[Array, Array, Array]  # configuration, multipliers, angles that are followed

MAX_ITERATIONS = 40
SLOW, MAX_HALVINGS = 4, 4  # iterations without a search along corrections, and how often it halves one
MAX_LEAP, MAX_CUTS = 14, 3  # iterations of a leap to the full load, and corrections that may be cut in it
TOO_FAR = 1.5  # rad, or half the mechanism's extent: a first correction beyond this belongs to a smaller load step
NEARBY = 0.2 * TOO_FAR  # the same where the branch of equilibria must not be left
STRAYS = 0.75  # times the correction before: a larger one leads away from the branch (1/2, 2/3 at a critical point)
NO_BRANCH = 1e-3  # of the extent: a correction that leads to no other branch
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


class Balance(ABC):
    """Equations of balance at given inputs.

    Vectors of unknowns hold `n_motions` increments of the configuration, then multipliers over `scale`.

    Attributes
    ----------
    extent, length, mass : float
        Of the mechanism: its extent, the typical length of a part and mass of a node.
    n_motions, n_unknowns : int
    scale : float
        Typical stiffness against displacements, the scale of multipliers.
    sign : int
        Of the determinant of the last tangent: it changes where a path loses or regains stability.
    compiled : CompiledModel
        The nodes that results read.
    full_spin : (6,) or None
        Steady rotation of the whole mechanism.
    rounding : float
        Of the tangent, relative to the terms it is summed from.
    """

    n_motions: int
    n_unknowns: int
    rounding = ROUNDING

    def __init__(self, compiled: CompiledModel, full_spin: Array | None) -> None:
        self.full_spin = full_spin
        self.measure(compiled)
        self.iterations = 0
        self.failing = ""  # in words: a law of a load that failed at a state on the way
        self.factorizations = 0
        self._factors: SuperLU | None = None  # the last that were found
        self.scale = 1.0

    @property
    def stats(self) -> dict[str, Any]:
        """What was done, and with how much."""
        return {
            "iterations": self.iterations, "factorizations": self.factorizations,
            "nodes": self.compiled.n_nodes, "joints": self.compiled.n_joints,
        }  # fmt: skip

    def measure(self, compiled: CompiledModel) -> None:
        """Take the nodes that results read, and sizes from them."""
        self.compiled = compiled
        self.extent, self.length, self.mass = compiled.size, compiled.length, compiled.mass

    @abstractmethod
    def load(self, times: Array, factor: float = 1.0) -> None:
        """Take the inputs at one time, loads scaled by a factor."""

    @abstractmethod
    def residual(self) -> Array:
        """-(r, scale phi) at the present state."""

    @abstractmethod
    def tangent(self, shift: float = 0.0) -> csc_matrix:
        """The tangent [K + shift M, s Phi^T; s Phi, -epsilon s] at the present state."""

    @abstractmethod
    def _motion(self) -> tuple[float, Array, Array]:
        """Time, frames (n+1, 12) and twists (n+1, 6) of the nodes."""

    def _name_failing(self, numbers: Array) -> None:
        """Look for a law of a load that fails where numbers are none."""
        if self.compiled.laws and not self.failing and not np.isfinite(numbers).all():
            time, frames, twists = self._motion()
            if np.isfinite(frames).all():
                self.failing = failing_balance(self.compiled, time, frames, twists)

    @property
    @abstractmethod
    def rotation(self) -> Array | None:
        """How the whole turns at the present part of the loads; None at rest."""

    @abstractmethod
    def rotate(self, rotation: Array | None) -> None:
        """Let the whole turn so; None: as it does under all of the loads."""

    @abstractmethod
    def whole(self) -> Array:
        """Motions (n_motions, 6) of all nodes as one rigid body, translations first; none (0) where joints hold it."""

    @abstractmethod
    def left_over(self) -> Array:
        """Forces (n_motions,) that the last `residual` left out of balance."""

    @property
    @abstractmethod
    def anchor(self) -> int:
        """How many of the first unknowns tell where the whole is."""

    def matrix(self, shift: float = 0.0) -> csc_matrix:
        """The tangent; of what turns freely, with springs against motions of the whole that lead to equal states."""
        found = self.tangent(shift)
        return self._held(found) if self._turns_freely else found

    @abstractmethod
    def state(self) -> State:
        """The present state, to be given back to `put` or `apply`."""

    @abstractmethod
    def put(self, state: State) -> None:
        """Go back to a state."""

    @abstractmethod
    def apply(self, state: State, correction: Array, fraction: float = 1.0) -> None:
        """Go to a given state moved along a correction."""

    @abstractmethod
    def distance(self, state: State) -> float:
        """How far places are from where they are in another state (m)."""

    @abstractmethod
    def is_at(self, state: State, part: float) -> bool:
        """Whether the configuration is that of a state, to a part of the extent and of a radian."""

    @abstractmethod
    def _of_nodes(self, correction: Array) -> Array:
        """Sizes (nodes, 6) of what a correction moves the nodes by."""

    def size_of(self, correction: Array) -> float:
        """Largest displacement, or turn times the typical length."""
        if not np.all(np.isfinite(correction)):
            return np.inf
        nodes = self._of_nodes(correction)
        return float(max(np.max(nodes[:, :3], initial=0.0), self.length * np.max(nodes[:, 3:], initial=0.0)))

    def reach(self, correction: Array) -> float:
        """Largest turn in a correction, or displacement in halves of the mechanism's extent."""
        nodes = self._of_nodes(correction)
        moved = np.max(nodes[:, :3], initial=0.0) / (0.5 * self.extent)
        return float(max(moved, np.max(nodes[:, 3:], initial=0.0)))

    @abstractmethod
    def metric(self) -> Array:
        """What turns increments (n_motions,) into displacements: 1, or the typical length for turns."""

    @abstractmethod
    def point(self) -> Any:
        """The present state as one about which to linearise."""

    def still(self) -> Any:
        """The same for kinematics alone: forces are not evaluated, so that predicted ones stay."""
        return self.point()

    @abstractmethod
    def result(self, status: Status, settings: dict[str, Any], stats: dict[str, Any]) -> Equilibrium:
        """The present state as a result."""

    @abstractmethod
    def predicted(self, before: State, first: bool = False) -> Array:
        """The residual as it helps the next correction best, after a correction from a state, the first of an
        iteration or another one.
        """

    @abstractmethod
    def between(self, a: State, b: State) -> Array:
        """Increments (n_motions,) from one state to another."""

    @abstractmethod
    def weights(self) -> Array:
        """Squares of sizes (n_motions,) of increments: mean over the nodes of displacement over extent, and of turn."""

    @abstractmethod
    def nodal(self, state: State, motion: Array) -> Array:
        """Increments (6 nodes,) of the nodes in a state for increments of the configuration."""

    @abstractmethod
    def constraints(self) -> csc_matrix:
        """Rows (m, n_motions) of independent constraints at the present state."""

    @abstractmethod
    def react(self, reactions: Array) -> None:
        """Add multipliers (m,) of the independent constraints to those of the present state."""

    def imbalance(self) -> tuple[float, str]:
        """Unbalanced force relative to what is accepted, and in words the largest and where it acts."""
        found: tuple[float, str] = self.still().imbalance()
        return found

    def symmetries(self) -> Array:
        """Motions (n_motions, k) of the whole that lead to equal states, in steady rotation; drifts among them."""
        if self.full_spin is None or self.whole().shape[1] < 6:
            return np.zeros((self.n_motions, 0))
        tangent, shifted = (self.tangent(shift) for shift in (0.0, 1.0))
        free = drifts(tangent, (shifted - tangent).tocsc(), self.full_spin, self.whole(), self.rounding)
        return np.hstack((self._harmless(tangent), free))

    @cached_property
    def _turns_freely(self) -> bool:
        """Whether motions of the whole lead to equal states, in the rotation that is sought."""
        if self.full_spin is None:
            return False
        kept = self.rotation
        self.rotate(None)
        self.residual()
        found = self._harmless(self.tangent(0.0)).shape[1] > 0
        self.rotate(kept)
        self.residual()
        return found

    def _harmless(self, tangent: csc_matrix) -> Array:
        motions, force = self.whole(), self.left_over()
        if not motions.shape[1] or not (np.isfinite(tangent.data).all() and np.isfinite(force).all()):
            return np.zeros((self.n_motions, 0))
        return harmless(tangent, force, motions, self.extent, self.rounding)

    def _held(self, tangent: csc_matrix) -> csc_matrix:
        """The tangent with a spring that holds the anchor against motions of the whole that are harmless."""
        n = self.anchor
        motions, metric = self._harmless(tangent)[:n], self.metric()[:n, None]
        if not motions.shape[1]:
            return tangent
        axes = metric * np.linalg.qr(metric * motions)[0]
        spring = self.scale * axes @ axes.T
        at = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
        return (tangent + coo_matrix((spring.ravel(), at), shape=tangent.shape)).tocsc()

    @property
    def gravity(self) -> float:
        """Size of the acceleration of gravity."""
        return float(np.linalg.norm(self.compiled.model.gravity))

    def factor(self, shift: float) -> SuperLU | None:
        """LU factors of the tangent, None if it is singular."""
        self.factorizations += 1
        lu = factors_of(self.matrix(shift))
        self._factors = lu or self._factors
        return lu

    @property
    def sign(self) -> int:
        """Of the determinant of the tangent that was factored last; 0 if none was."""
        return 0 if self._factors is None else sign_of(self._factors)

    def _correction(self, rhs: Array, shift: float) -> tuple[SuperLU | None, Array, float]:
        """Factors, Newton correction and its size; no factors if the tangent is singular."""
        lu = self.factor(shift)
        if lu is None:
            return None, rhs, np.inf
        correction = lu.solve(rhs)
        norm = self.size_of(correction)
        return (lu if norm <= 1e12 * self.extent else None), correction, norm

    def balance(self, tolerance: float, *, limit_first: bool, stay: bool = False) -> Attempt:
        """Newton's method with predicted residuals from the present state.

        Corrections are full ones at first, and searched along where the iteration turns out to be slow. To `stay` on
        the branch of equilibria where it began, they have to be small, and to shrink from one to the next.
        """
        rhs = self.residual()
        previous = np.inf
        for iteration in range(MAX_ITERATIONS):
            lu, correction, norm = self._correction(rhs, 0.0)
            if lu is None:
                return Attempt.SINGULAR
            if iteration == 0 and limit_first and self.reach(correction) > (NEARBY if stay else TOO_FAR):
                return Attempt.TOO_FAR
            if norm > 10.0 * self.extent or (stay and norm > max(STRAYS * previous, NO_BRANCH * self.extent)):
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
        predicted residuals are right though such a test refuses them.
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

    def _advance(self, correction: Array, fraction: float) -> tuple[Array, State]:
        """Move along a correction; returns the new residual and the state before."""
        before = self.state()
        self.apply(before, correction, fraction)
        return self.residual(), before

    def _searched(self, lu: SuperLU, correction: Array, norm: float) -> tuple[Array, State]:
        """Move along a correction as far as the next one, with the same factors, does not become much larger."""
        before = self.state()
        for halvings in range(MAX_HALVINGS + 1):
            self.apply(before, correction, 0.5**halvings)
            rhs = self.residual()
            if np.all(np.isfinite(rhs)) and self.size_of(lu.solve(rhs)) <= 2.0 * norm:
                break
        return rhs, before

    def settle(self, tolerance: float, shift: float) -> Attempt:
        """Pseudo-time steps (K + shift M), damped, the shift let go as the motion calms down: leads to a stable rest.

        For mechanisms that can fall, where the tangent alone is singular or points the wrong way.
        """
        rhs = self.residual()
        previous, start, free = np.inf, self.state(), False
        holding, smallest = FREE_SHIFT * self.scale / self.mass, 0.0
        for _ in range(20 * MAX_ITERATIONS):
            lu, correction, norm = self._correction(rhs, shift)
            if shift < holding and (lu is None or norm > self.extent):
                # motions that nothing resists: a small shift holds them, and does no harm if the loads balance
                free, smallest, shift = True, holding, holding
                continue
            if lu is None:
                return Attempt.SINGULAR
            if self.distance(start) > FALLEN * self.extent or (free and norm > 10.0 * self.extent):
                return Attempt.FAILED
            before, fraction = self.state(), 1.0
            while True:
                self.apply(before, correction, fraction)
                new_rhs = self.residual()
                if norm <= (FREE_TOLERANCE if free else 1.0) * tolerance and shift <= smallest:
                    return Attempt.BALANCED
                after = np.inf
                if np.all(np.isfinite(new_rhs)):
                    after = self.size_of(lu.solve(new_rhs))
                if after <= 2.0 * norm or norm <= 1e3 * tolerance:
                    break
                fraction *= 0.5
                if fraction < 1e-4:
                    break
            if fraction < 1e-4:
                if free or shift >= holding:
                    return Attempt.FAILED
                free, smallest, shift = True, holding, holding  # as above
                self.apply(before, correction, 0.0)
                rhs = self.residual()
                continue
            shift *= float(np.clip(after / norm, 0.1, 1.0)) ** 2 if norm > 0.0 else 0.01
            if after <= 1e-4 * self.extent and (after < previous or after <= tolerance):
                shift = 0.0 if shift < 1e-12 * self.scale / self.mass else 0.1 * shift
            shift = max(shift, smallest)
            previous = after
            rhs = new_rhs
        return Attempt.FAILED

    def softest(self) -> float:
        """Stiffness of the softest motion relative to a typical one, by inverse iteration; 0 if singular."""
        lu = self.factor(0.0)
        if lu is None:
            return 0.0
        x = np.zeros(self.n_unknowns)
        x[: self.n_motions] = np.random.default_rng(1).normal(size=self.n_motions)
        growth = np.inf
        for _ in range(3):
            x[self.n_motions :] = 0.0
            x /= np.linalg.norm(x)
            x = lu.solve(x)
            growth = float(np.linalg.norm(x[: self.n_motions]))
            if not np.isfinite(growth):
                return 0.0
        return 1.0 / (growth * self.scale)


def typical(stiffness: Array) -> float:
    """Of diagonal entries of a stiffness, against displacements; zero where there are none."""
    values = np.abs(stiffness)
    counts = values[values > _NOISE * np.max(values, initial=0.0)]
    return float(np.exp(np.mean(np.log(counts)))) if counts.size else 0.0


def _converged(norm: float, previous: float, tolerance: float) -> bool:
    """Whether a correction is small enough, or as small as rounding lets it become."""
    return norm <= tolerance or (norm <= 1e3 * tolerance and norm >= 0.3 * previous)
