"""Quasi-velocities: Poincare-Chetayev equations in any basis of vector fields, with structure coefficients c(q).

[Boyer05] remark 4 (Rumyantsev): the invariant fields of a group are replaced by fields X_a(q) on coordinates, whose
brackets [X_a, X_b] = c_ab^c(q) X_c have coefficients that vary. With dq/dt = X(q) eta:

    d/dt dL/d eta_a - c_ba^c eta^b dL/d eta_c - X_a(L) = F_a
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model.algebra import named, sp
from cosserat.symbolic.arguments import listed

_WHO = "QuasiVelocities"


class QuasiVelocities:
    """A basis of vector fields on coordinates q, and the equations of motion in its components.

    Parameters
    ----------
    coordinates : sequence of symbols or str
        q_1 ... q_n.
    fields : (n, n) matrix
        Column a holds the components of X_a: dq/dt = fields * eta. Regular.
    names : sequence of str, optional
        Names of the quasi-velocities eta; default eta1 ... etan.

    Examples
    --------
    A particle in the plane, with its radial and transverse velocities:

    >>> import sympy as sp
    >>> from cosserat.symbolic import QuasiVelocities
    >>> r, phi = sp.symbols("r phi", positive=True)
    >>> polar = QuasiVelocities((r, phi), sp.diag(1, 1 / r), names=("u", "w"))
    >>> polar.structure[0, 1, 1], polar.equations(lambda eta, q: eta.dot(eta) / 2)[0]
    (-1/r, u_t - w**2/r)
    """

    def __init__(self, coordinates: Sequence[Any], fields: Any, names: Sequence[str] | None = None) -> None:
        given = listed(_WHO, "coordinates", coordinates, "symbols or names")
        given = [sp.Symbol(c, real=True) if isinstance(c, str) else c for c in given]
        if not all(isinstance(c, sp.Symbol) for c in given) or len({c.name for c in given}) < len(given):
            raise ArgumentError(_WHO, "coordinates", f"are {coordinates!r}; pass different symbols or names")
        self.q = sp.Matrix(given)
        n = len(self.q)
        try:
            self.fields = named(sp.Matrix(fields), given)
        except (TypeError, ValueError):
            raise ArgumentError(_WHO, "fields", f"are {fields!r}; pass a matrix ({n}, {n})") from None
        if self.fields.shape != (n, n):
            raise ArgumentError(_WHO, "fields", f"have shape {self.fields.shape}; pass ({n}, {n}), a column per field")
        if sp.simplify(self.fields.det()) == 0:
            raise ArgumentError(_WHO, "fields", "are dependent; their columns must be a basis")
        labels = [f"eta{k + 1}" for k in range(n)] if names is None else listed(_WHO, "names", names, "names")
        if not all(isinstance(label, str) for label in labels) or len({*labels, *(c.name for c in given)}) != 2 * n:
            raise ArgumentError(_WHO, "names", f"are {labels}; pass {n} different names that no coordinate has")
        self.eta = sp.Matrix([sp.Symbol(name, real=True) for name in labels])
        self.rate = sp.Matrix([sp.Symbol(f"{name}_t", real=True) for name in labels])
        self.structure = self._structure()

    def bracket(self, a: int, b: int) -> Any:
        """Return the components of [X_a, X_b] along the coordinates, (n, 1)."""
        X, Y = self.fields[:, a], self.fields[:, b]
        return Y.jacobian(self.q) * X - X.jacobian(self.q) * Y

    def along(self, expression: Any) -> Any:
        """Return X_a(expression) for all a, (n, 1)."""
        return self.fields.T * sp.Matrix([sp.diff(expression, c) for c in self.q])

    def total(self, expression: Any) -> Any:
        """Return the derivative of an expression in (eta, q) along the motion."""
        moving = sum((sp.diff(expression, e) * r for e, r in zip(self.eta, self.rate)), sp.Integer(0))
        return moving + self.eta.dot(self.along(expression))

    def equations(self, lagrangian: Callable[[Any, Any], Any], forces: Any = None) -> Any:
        """Return left side minus right side of the equations of motion, (n, 1); ``lagrangian(eta, q)``."""
        n = len(self.q)
        if not callable(lagrangian):
            raise ArgumentError(_WHO, "lagrangian", f"is {lagrangian!r}; pass a function of (eta, q)")
        try:
            L = sp.sympify(lagrangian(self.eta, self.q))
        except (TypeError, IndexError, ValueError, AttributeError, sp.SympifyError) as error:
            raise ArgumentError(_WHO, "lagrangian", f"fails: {error}; it gets (eta, q), columns of {n}") from error
        if not isinstance(L, sp.Expr) or L.is_Matrix:
            raise ArgumentError(_WHO, "lagrangian", f"is {L!r}; it must give one expression")
        try:
            F = sp.zeros(n, 1) if forces is None else sp.Matrix(list(forces))
        except TypeError:
            raise ArgumentError(_WHO, "forces", f"are {forces!r}; pass {n} expressions") from None
        if F.shape != (n, 1):
            raise ArgumentError(_WHO, "forces", f"have {F.shape[0]} components; pass {n}")
        L, F = (named(x, (*self.q, *self.eta)) for x in (L, F))
        mu = sp.Matrix([sp.diff(L, e) for e in self.eta])
        out = sp.Matrix([self.total(m) for m in mu]) - self.along(L) - F
        for a in range(n):
            for b in range(n):
                out[a] -= self.eta[b] * sum(self.structure[b, a, c] * mu[c] for c in range(n))
        return out

    def _structure(self) -> Any:
        n = len(self.q)
        inverse = self.fields.inv()
        c = sp.MutableDenseNDimArray.zeros(n, n, n)
        for a in range(n):
            for b in range(a + 1, n):
                components = sp.simplify(inverse * self.bracket(a, b))
                for k in range(n):
                    c[a, b, k], c[b, a, k] = components[k], -components[k]
        return sp.ImmutableDenseNDimArray(c)
