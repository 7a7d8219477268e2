"""`LinearStep`: a step of the generalised-alpha method, linearised: what gradients of runs are made of.

With increments n = h v0 + h^2 (1/2 - beta) b0 + h^2 beta b1, H1 = H0 exp(n), twists v, their rates a and the method's
accelerations b, a step changes by

    x1 = Ad(exp(-n)) x0 + T(n) dn,     v1 = v0 + h (1 - gamma) b0 + h gamma b1
    (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a1 + alpha_f a0
    K x1 + C v1 + M a1 + Phi^T mu = f u + f_p p,     Phi x1 = g u + g_p p

Source: [Grazioso17] (34)-(43), linearised. The equations are r = 0 of the unknowns z = (b1, mu).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, block_diag, csc_matrix, hstack, identity
from scipy.sparse.linalg import SuperLU, splu

from cosserat.errors import SolveError
from cosserat.kernels.alpha import method
from cosserat.lie import se3
from cosserat.model.model import Model
from cosserat.results.run import Run
from cosserat.solve.analyses.simulate import simulate
from cosserat.solve.linear.input_columns import parameter_column
from cosserat.solve.linear.matrices import constraint_matrix, tangents
from cosserat.solve.linear.point import MOMENT, OperatingPoint, new_point_memory
from cosserat.solve.linear.ports import input_ports

Array = NDArray[np.float64]


class LinearStep:
    """The step that follows a run, and its derivatives.

    Changes of states are (x, v, a, b), each (6 nodes,): left increments of frames, changes of body twists, of their
    rates, and of the accelerations that the method carries.

    Parameters
    ----------
    model : Model
    run : Run
        Of the generalised-alpha method with equal steps in the Galilean formulation, after one step at least.

    Attributes
    ----------
    after : Run
        The step itself.
    new : (6n + m, 6n + m) sparse
        Derivative of the equations r of the step by its unknowns (b1, mu).
    old : (6n + m, 24 n) sparse
        By the state before, (x0, v0, a0, b0).

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> from cosserat.solve.analyses.linear_step import LinearStep
    >>> model = cs.Model("fall", gravity=(0, 0, cs.Parameter("g", -9.81)))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> step = LinearStep(model, cs.simulate(model, 0.1, 0.01))
    >>> change = step.forward(np.zeros(24), {"g": 1.0})
    >>> round(float(change[8] / 0.01), 3)  # of the velocity: gamma (1 - alpha_f)/(1 - alpha_m), smoothed by the method
    0.502
    """

    def __init__(self, model: Model, run: Run) -> None:
        carried, settings = run.trajectory.carried, run.settings
        if carried is None or not carried.step > 0.0 or settings.get("formulation") == "floating":
            raise SolveError(
                "LinearStep: the run must be one of the generalised-alpha method in the Galilean formulation with "
                "equal steps"
            )
        self.h, rho = float(carried.step), float(settings["rho"])
        self.after = simulate(model, self.h, self.h, rho=rho, start=run, newton_tolerance=1e-12)
        if not self.after.status.ok or self.after.trajectory.carried is None:
            raise SolveError(f"LinearStep: the step that follows the run fails: {self.after.status.message}")
        self._alpha_m, self._alpha_f, self._gamma, self._beta = (float(x) for x in method(rho))
        now, history = self.after.trajectory, self.after.trajectory.history
        time = float(now.time[-1])
        compiled, memory = new_point_memory(model, time)
        if compiled.n_inner:
            raise SolveError(f"LinearStep: {compiled.inner_names[0]!r} is a state of a law, which it does not follow")
        trial = memory.problem.trial
        for name in ("frame", "twist", "rate", "force", "angle"):
            getattr(trial, name)[...] = getattr(history, name)[-1]
        self.point = OperatingPoint(compiled, memory, time, MOMENT)
        self.point.refresh()
        self.n = 6 * compiled.n_nodes
        start, h = run.trajectory.history, self.h
        b0, b1 = carried.accel, self.after.trajectory.carried.accel
        path = h * start.twist[-1] + h * h * ((0.5 - self._beta) * b0 + self._beta * b1)
        self._tangent = block_diag([se3.tangent(n) for n in path[:-1]], format="csc")
        self._across = block_diag([se3.adjoint(se3.inverse(se3.exp(n))) for n in path[:-1]], format="csc")

    @cached_property
    def _parts(self) -> tuple[csc_matrix, csc_matrix, csc_matrix, csc_matrix]:
        """Derivatives of (r, phi) by x1, v1 and a1, and Phi."""
        M, C, K = tangents(self.point, along=False)
        phi = constraint_matrix(self.point)
        none = csc_matrix(phi.shape)
        return tuple(csc_matrix(block_array([[a], [b]])) for a, b in ((K, phi), (C, none), (M, none))) + (phi,)

    @cached_property
    def _shares(self) -> dict[str, tuple[csc_matrix, ...]]:
        """x1, v1 and a1 by b1 and by x0, v0, a0, b0: matrices (6n, 6n)."""
        h, one = self.h, identity(self.n, format="csc")
        none, lag = csc_matrix((self.n, self.n)), 1.0 / (1.0 - self._alpha_f)
        return {
            "b1": (h * h * self._beta * self._tangent, h * self._gamma * one, (1.0 - self._alpha_m) * lag * one),
            "x0": (self._across, none, none),
            "v0": (h * self._tangent, one, none),
            "a0": (none, none, -self._alpha_f * lag * one),
            "b0": (
                h * h * (0.5 - self._beta) * self._tangent, h * (1.0 - self._gamma) * one, self._alpha_m * lag * one
            ),
        }  # fmt: skip

    def _of(self, name: str) -> csc_matrix:
        return sum(part @ share for part, share in zip(self._parts[:3], self._shares[name], strict=True))

    @cached_property
    def new(self) -> csc_matrix:
        """Derivative of the equations by the unknowns (b1, mu)."""
        phi = self._parts[3]
        return csc_matrix(hstack((self._of("b1"), block_array([[phi.T], [csc_matrix((phi.shape[0],) * 2)]]))))

    @cached_property
    def old(self) -> csc_matrix:
        """Derivative of the equations by the state before, (x0, v0, a0, b0)."""
        return csc_matrix(hstack([self._of(name) for name in ("x0", "v0", "a0", "b0")]))

    def parameter(self, name: str) -> Array:
        """Derivative (6n + m,) of the equations by a parameter of the model; see also `slots.parameter_slots`."""
        column = parameter_column(self.point, name)
        return -np.concatenate((column.force, column.drive))

    def inputs(self, items: Any) -> Array:
        """Derivatives (6n + m, k) of the equations by inputs, named as in `linearize`, at the end of the step."""
        ports = input_ports(self.point, items, "LinearStep")
        return -np.vstack((ports.force, ports.drive))

    @cached_property
    def _factors(self) -> tuple[SuperLU, Array, Array]:
        rows = 1.0 / np.sqrt(np.asarray(self.new.multiply(self.new).sum(axis=1)).ravel())
        columns = np.concatenate((np.ones(self.n), np.full(len(rows) - self.n, 1.0 / np.median(rows[: self.n]))))
        return splu(csc_matrix(self.new.multiply(rows[:, None]).multiply(columns))), rows, columns

    def solve(self, right: Array, transposed: bool = False) -> Array:
        """new^-1 right, or new^-T right."""
        lu, rows, columns = self._factors
        if transposed:
            return np.asarray(rows * lu.solve(columns * right, trans="T"))
        return np.asarray(columns * lu.solve(rows * right))

    def forward(self, state: Array, parameters: dict[str, float] | None = None) -> Array:
        """Change (24 n,) of the state after the step for a change of the one before, and of parameters."""
        rest = self.old @ state
        for name, change in (parameters or {}).items():
            rest = rest + change * self.parameter(name)
        b1 = -self.solve(rest)[: self.n]
        parts = dict(zip(("x0", "v0", "a0", "b0"), state.reshape(4, -1), strict=True), b1=b1)
        out = [sum(self._shares[name][k] @ value for name, value in parts.items()) for k in range(3)]
        return np.concatenate((*out, b1))

    def backward(self, gradient: Array) -> tuple[Array, Array]:
        """Transposed step: gradients by the state after it (24 n,) -> by the state before, and by the equations.

        The gradient by a parameter is that by the equations (6n + m,) times `parameter(name)`.
        """
        by = gradient.reshape(4, -1)
        push = by[3] + sum(share.T @ g for share, g in zip(self._shares["b1"], by[:3], strict=True))
        equations = -self.solve(np.concatenate((push, np.zeros(self.new.shape[0] - self.n))), transposed=True)
        before = [
            sum(share.T @ g for share, g in zip(self._shares[name], by[:3], strict=True))
            for name in ("x0", "v0", "a0", "b0")
        ]
        return np.concatenate(before) + self.old.T @ equations, equations
