"""A step of the generalised-alpha method of a tree without loops, linearised.

With coordinates moved along increments d, q1 = q0 exp(d), velocities v, accelerations a and those of the method b,

    x1 = T(d) dd + Ad(exp(-d)) x0,       dd = h v0 + h^2 ((1/2 - beta) b0 + beta b1)
    v1 = v0 + h ((1 - gamma) b0 + gamma b1),   (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a1 + alpha_f a0
    dtau/dq x1 + dtau/dv v1 + M a1 + r_s = 0

in all coordinates that nothing prescribes, and x1 + x_s = 0, v1 + v_s = 0, a1 + r_s = 0 in those that are; x_s, v_s and
r_s of parameters and inputs. The unknowns are a1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from cosserat.compile.tree import TreeData
from cosserat.kernels.alpha import method
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.solve.floating.state import Instant
from cosserat.solve.sweeps.protocol import LinearMap


def group_tangents(data: TreeData, delta: Array) -> tuple[Array, Array]:
    """T(d) and Ad(exp(-d)) of the coordinates, (n, n): the identity but for spherical and free joints."""
    T, across = np.eye(len(delta)), np.eye(len(delta))
    for link in data.links:
        k = link.freedoms
        if link.kind == SPHERICAL:
            T[np.ix_(k, k)], across[np.ix_(k, k)] = so3.tangent(delta[k]), so3.exp(-delta[k])
        elif link.kind == FREE:
            T[np.ix_(k, k)] = se3.tangent(delta[k])
            across[np.ix_(k, k)] = se3.adjoint(se3.inverse(se3.exp(delta[k])))
    return T, across


class TreeStep(LinearMap):
    """A step of length h between two states, see above. Changes are (x, v, a, b), sources (x_s, v_s, r_s)."""

    def __init__(
        self, tree: Any, held: NDArray[np.bool_], before: Instant, after: Instant, load_time: float, h: float,
        rho: float,
    ) -> None:  # fmt: skip
        self.n, self.h, self._free = len(before.q), h, np.nonzero(~held)[0]
        self._alpha = alpha_m, alpha_f, gamma, beta = tuple(float(x) for x in method(rho))
        delta = h * before.v + h * h * ((0.5 - beta) * before.carried + beta * after.carried)
        self.T, self.across = group_tangents(tree.data, delta)
        tree.load(load_time)
        self.K, self.C, self.M = tree.inverse_dynamics_derivatives(after.q, after.v, after.a)
        gain = (1.0 - alpha_f) / (1.0 - alpha_m)
        matrix = self.M + h * gamma * gain * self.C + h * h * beta * gain * self.K @ self.T
        self._factors = lu_factor(matrix[np.ix_(self._free, self._free)])

    def solve(self, right: Array, transposed: bool = False) -> Array:
        """(d r/d a1)^-1 right (n, ...), or with its transpose; zero where a motion is prescribed."""
        out = np.zeros_like(right)
        out[self._free] = lu_solve(self._factors, right[self._free], trans=1 if transposed else 0)
        return out

    def _kinematics(self, change: Array, a1: Array) -> tuple[Array, Array, Array]:
        """x1, v1 and b1 for changes of the state before and of the accelerations."""
        (alpha_m, alpha_f, gamma, beta), h, n = self._alpha, self.h, self.n
        x0, v0, a0, b0 = (change[k * n : (k + 1) * n] for k in range(4))
        b1 = ((1.0 - alpha_f) * a1 + alpha_f * a0 - alpha_m * b0) / (1.0 - alpha_m)
        x1 = self.across @ x0 + self.T @ (h * v0 + h * h * ((0.5 - beta) * b0 + beta * b1))
        return self._loose(x1), self._loose(v0 + h * ((1.0 - gamma) * b0 + gamma * b1)), self._loose(b1)

    def _loose(self, x: Array) -> Array:
        out = np.zeros_like(x)
        out[self._free] = x[self._free]
        return out

    def forward(self, change: Array, sources: Array | None = None) -> Array:
        n = self.n
        given = np.zeros((3 * n, *change.shape[1:])) if sources is None else -sources
        x_s, v_s, r_s = given.reshape(3, n, *change.shape[1:])
        a_s = r_s - self._loose(r_s)
        x1, v1, _ = self._kinematics(change, 0.0 * change[:n])
        a1 = a_s + self.solve(r_s - self.K @ (x1 + x_s) - self.C @ (v1 + v_s) - self.M @ a_s)
        x1, v1, b1 = self._kinematics(change, a1)
        return np.concatenate((x1 + x_s, v1 + v_s, a1, b1))

    def backward(self, gradient: Array) -> tuple[Array, Array]:
        (alpha_m, alpha_f, gamma, beta), h, n = self._alpha, self.h, self.n
        by_x, by_v, by_a, gb = gradient.reshape(4, n)
        gb = self._loose(gb)

        def to_b1(x: Array, v: Array, b: Array) -> Array:
            return np.asarray(b + h * gamma * v + h * h * beta * (self.T.T @ x))

        gain = (1.0 - alpha_f) / (1.0 - alpha_m)
        tau = -self.solve(by_a + gain * to_b1(by_x, by_v, gb), transposed=True)
        by_x, by_v, by_a = by_x + self.K.T @ tau, by_v + self.C.T @ tau, by_a + self.M.T @ tau
        gx, gv = self._loose(by_x), self._loose(by_v)
        b1, moved = to_b1(gx, gv, gb), self.T.T @ gx
        before = (
            self.across.T @ gx,
            gv + h * moved,
            alpha_f / (1.0 - alpha_m) * b1,
            h * (1.0 - gamma) * gv + h * h * (0.5 - beta) * moved - alpha_m / (1.0 - alpha_m) * b1,
        )
        return np.concatenate(before), np.concatenate((gx - by_x, gv - by_v, tau - (by_a - self._loose(by_a))))
