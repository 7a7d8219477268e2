"""Points and tangents of an equilibrium path r(x, p) = 0, with pseudo-arc length as the parameter.

Directions are vectors (x, q): the unknowns of a `Balance`, increments of the configuration (n) and multipliers, and
q = p / scale. Their inner product is the mean over the nodes of displacement over the extent of the mechanism and of
turn (in floating frames that of each coordinate by itself, where the path begins), plus q^2.
The linear systems are bordered by one component k that changes fast, [T, r_q; e_k, 0]: regular at limit points, and as
sparse as T (local parametrisation after Rheinboldt). With J w = e_last, w is the tangent and det T / det J = w_q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csc_matrix
from scipy.sparse.linalg import SuperLU

from cosserat.lie.protocol import Array
from cosserat.solve.balance.balance import State
from cosserat.solve.balance.parametric import Parametric
from cosserat.solve.pivots import largest_eigenpairs, signed_factors

MAX_CORRECTIONS = 16
_N_EIGENVALUES = 4
_DENSE = 36  # unknowns up to which all eigenvalues at once are cheaper
_PASSES, _PARALLEL = 0.1, 0.8  # distance of a step from a point it passes, in its length; cosine of its direction
_SHARPEST_TURN = 0.3  # cosine of the angle between a step and the tangent at its end


@dataclass
class PathState:
    """A balanced configuration, with what its tangent matrix says."""

    where: State  # configuration, multipliers, angles
    value: float  # of the parameter
    tangent: Array  # unit, oriented along the path
    lu: SuperLU | None  # of the bordered matrix
    sign: int  # of the determinant of the tangent matrix
    strayed: float = 0.0  # first correction relative to the step: how far the path had left its tangent


class Arc:
    """Moves along an equilibrium path of one parameter."""

    def __init__(self, balance: Parametric, name: str, scale: float, tolerance: float) -> None:
        self.balance, self.name, self.scale = balance, name, scale
        self.tolerance = tolerance
        self.statics = balance.statics
        self.n, self.size = self.statics.n_motions, self.statics.n_unknowns
        self.weights = np.zeros(self.size + 1)
        self.weights[: self.n] = self.statics.weights()
        self.weights[-1] = 1.0
        self.neutral = np.zeros((self.n, 0))  # motions (n, m) that no load resists along the whole path

    def inner(self, a: Array, b: Array) -> float:
        """Inner product of two directions."""
        return float(np.sum(self.weights * a * b))

    def unit(self, direction: Array) -> Array:
        """The direction with norm 1."""
        return direction / np.sqrt(self.inner(direction, direction))

    def fastest(self, direction: Array) -> int:
        """The component that changes most."""
        return int(np.argmax(self.weights * direction**2))

    @property
    def along_parameter(self) -> Array:
        """The direction in which the parameter alone changes."""
        out = np.zeros(self.size + 1)
        out[-1] = 1.0
        return out

    def _put(self, state: PathState) -> None:
        self.statics.put(state.where)

    def _factor(self, k: int) -> tuple[SuperLU | None, int]:
        """Factors of the bordered matrix at the trial state, and the sign of its determinant.

        Neutral motions are barred by rows of their own, in between: T is singular along them.
        """
        column = csc_matrix(self.scale * self.balance.derivative(self.name)[:, None])
        tangent = self.statics.matrix()
        at = (np.array([1.0]), (np.array([0]), np.array([k])))
        row = csc_matrix(at, shape=(1, self.size + 1))
        self.statics.factorizations += 1
        m = self.neutral.shape[1]
        if m == 0:
            return signed_factors(block_array([[tangent, column], [row[:, :-1], row[:, -1:]]], format="csc"))
        bars = np.zeros((self.size, m))
        bars[: self.n] = self.weights[: self.n, None] * self.neutral
        bar = csc_matrix(bars)
        rows = [[tangent, bar, column], [bar.T, None, None], [row[:, :-1], None, row[:, -1:]]]
        return signed_factors(block_array(rows, format="csc"))

    def _solve(self, lu: SuperLU, rhs: Array, barred: Array | None = None) -> tuple[Array, Array]:
        """Solution (x, q) of the bordered system, and the forces that bar neutral motions."""
        m = self.neutral.shape[1]
        barred = np.zeros(m) if barred is None else barred
        out = lu.solve(np.concatenate((rhs[:-1], barred, rhs[-1:])))
        return np.concatenate((out[: self.size], out[-1:])), out[self.size : self.size + m]

    def follow_neutral(self, state: PathState) -> float:
        """Neutral motions at a state from those near by; returns their stiffness, in the units of `eigenvalues`."""
        assert state.lu is not None
        m = self.neutral.shape[1]
        w, _ = self._solve(state.lu, self.along_parameter)
        new, stiffness = np.zeros_like(self.neutral), 0.0
        for k in range(m):
            y, force = self._solve(state.lu, np.zeros(self.size + 1), np.eye(m)[k])
            new[:, k] = (y - (y[-1] / w[-1]) * w)[: self.n]
            stiffness = max(stiffness, float(np.max(np.abs(force))))
        root = np.sqrt(self.weights[: self.n, None])
        self.neutral = np.linalg.qr(root * new)[0] / root
        return stiffness

    def between(self, a: PathState, b: PathState) -> Array:
        """The direction, with its length, from one state to another."""
        out = np.zeros(self.size + 1)
        out[: self.n] = self.statics.between(a.where, b.where)
        out[-1] = (b.value - a.value) / self.scale
        return out

    def passes(self, first: PathState, a: PathState, b: PathState, outward: Array) -> bool:
        """Whether the step from a to b passes the first state of the path, along the way on which it was left.

        Multipliers do not count.
        """
        step, home = self.between(a, b), self.between(a, first)
        length = np.sqrt(self.inner(step, step))
        part = self.inner(step, home) / length**2
        if not 0.0 < part <= 1.0:
            return False
        aside = home - part * step
        along = self.inner(step, outward) / (length * np.sqrt(self.inner(outward, outward)))
        return bool(np.sqrt(self.inner(aside, aside)) <= _PASSES * length and abs(along) > _PARALLEL)

    def barred(self, state: PathState) -> tuple[float, Array]:
        """Stiffness against the last of the neutral motions, and that motion (n,) with what goes along with it.

        From the factors of the bordered matrix, whose bars were there; the parameter stands still.
        """
        assert state.lu is not None
        m = self.neutral.shape[1]
        y, force = self._solve(state.lu, np.zeros(self.size + 1), np.eye(m)[-1])
        w, of_path = self._solve(state.lu, self.along_parameter)
        change = y[-1] / w[-1] if w[-1] != 0.0 else 0.0
        return -float(force[-1] - change * of_path[-1]), (y - change * w)[: self.n]

    def correct(
        self, start: PathState, direction: Array, length: float, *, fixed: float | None = None, strict: bool = True
    ) -> PathState | None:
        """The point of the path in the plane across a direction, a length away from a state; None if not reached.

        With `fixed`, the point at that value of the parameter instead. Unless strict, an iteration that stalls is
        accepted where rounding may be the reason: close to a branch point the equations are nearly singular.
        """
        statics = self.statics
        step = length * direction
        q = start.value / self.scale + step[-1] if fixed is None else fixed / self.scale
        k = self.fastest(direction) if fixed is None else self.size
        self._put(start)
        self.balance.turn({self.name: q * self.scale})
        before = start.where
        statics.apply(before, step[:-1])
        statics.residual()
        rhs = statics.predicted(before, first=True)
        previous, strayed = np.inf, 0.0
        extent = statics.extent
        for iteration in range(MAX_CORRECTIONS):
            lu, sign = self._factor(k)
            if lu is None or not np.all(np.isfinite(rhs)):
                return None
            y, _ = self._solve(lu, np.append(rhs, 0.0))
            w, _ = self._solve(lu, self.along_parameter)
            if not np.all(np.isfinite(y)) or not np.all(np.isfinite(w)):
                return None
            along = self.inner(direction, w)
            turned = abs(along) / np.sqrt(self.inner(w, w))
            if fixed is None:
                if turned < _SHARPEST_TURN:
                    return None
                y = y - (self.inner(direction, y) / along) * w
            else:
                y[-1] = 0.0  # but for rounding it is
            norm = statics.size_of(y[:-1]) + abs(y[-1]) * extent
            if iteration == 0:
                strayed = float(np.sqrt(self.inner(y, y))) / max(abs(length), 1e-6)
                if strict and strayed > 1.0:
                    return None
            before = statics.state()
            statics.apply(before, y[:-1])
            q += y[-1]
            self.balance.turn({self.name: q * self.scale})
            rhs = statics.residual()
            stalled = norm >= 0.3 * previous and norm <= (1e3 if strict else 1e7) * self.tolerance * extent
            if norm <= self.tolerance * extent or stalled:
                tangent = self.unit(w) * (1.0 if along >= 0.0 else -1.0)
                sign *= 1 if w[-1] >= 0.0 else -1
                return PathState(statics.state(), q * self.scale, tangent, lu, sign, strayed)
            if iteration > 3 and norm > 2.0 * previous:
                return None
            rhs = statics.predicted(before)
            previous = norm
        return None

    def inverse(self, state: PathState, load: Array) -> Array:
        """T^-1 load for loads (n,) against increments, from the factors of the bordered matrix; the increments (n,)."""
        assert state.lu is not None
        m = self.n
        y, _ = self._solve(state.lu, np.concatenate((load, np.zeros(self.size + 1 - m))))
        w, _ = self._solve(state.lu, self.along_parameter)
        smallest = 1e-15 * np.sqrt(self.inner(w, w))
        pivot = w[-1] if abs(w[-1]) > smallest else np.copysign(smallest, w[-1])
        return (y - (y[-1] / pivot) * w)[:m]

    def eigenvalues(self, state: PathState) -> tuple[Array, Array]:
        """The real eigenvalues of the tangent on the allowed motions that are nearest to zero, and their vectors.

        The metric is that of `inner`; vectors (n, k) have norm 1.
        """
        m = self.n
        root = np.sqrt(self.weights[:m])
        apply = lambda z: root * self.inverse(state, root * np.asarray(z).ravel())  # noqa: E731
        found = largest_eigenpairs(apply, m, _N_EIGENVALUES, _DENSE, 1e-5)
        if found is None:
            return np.zeros(0), np.zeros((m, 0))
        values, vectors = found
        real = np.nonzero((np.abs(values.imag) <= 1e-7 * np.abs(values)) & (np.abs(values) > 0.0))[0]
        real = real[np.argsort(-np.abs(values[real]))][:_N_EIGENVALUES]
        shapes = vectors[:, real].real
        shapes = shapes / np.linalg.norm(shapes, axis=0)
        return 1.0 / values[real].real, shapes / root[:, None]

    def softness(self, state: PathState, shape: Array) -> float:
        """1 / (v M T^-1 M v): near the eigenvalue of a shape v (n,), and zero with it."""
        weights = self.weights[: self.n]
        value = float(np.sum(weights * shape * self.inverse(state, weights * shape)))
        return 1.0 / value if value != 0.0 else np.inf
