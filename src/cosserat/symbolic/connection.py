"""Connections on the parameters of a medium: algebra-valued 1-forms, their curvature, torsion, covariant derivatives.

[deSaxce26] sections 10-11. In a moving frame g(x) the connection is the left Maurer-Cartan form theta = g^-1 dg,
which is flat; any other form theta_i(x) is a field of velocities and strains that no motion has, and its curvature
says by how much. Signs are ours: ad* of the source is -ad^T here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.algebra import named, sp
from cosserat.symbolic.arguments import array, by_name, listed
from cosserat.symbolic.evaluate import Values, substituted
from cosserat.symbolic.group_dynamics import integrate
from cosserat.symbolic.groups import Group

_WHO = "Connection"


class Connection:
    """A form theta = theta_i dx^i with values in the algebra of a group, over parameters x.

    Parameters
    ----------
    group : symbolic.Group or cosserat.lie.Group
        The group.
    forms : mapping of str to column
        theta_i, dim components each, expressions in the parameters.

    Examples
    --------
    A beam twisted at a constant rate along S while its sections spin at a rate that does not fit:

    >>> import sympy as sp
    >>> from cosserat.symbolic import SO3, Connection
    >>> S, a = sp.symbols("S a", real=True)
    >>> spin = Connection(SO3, {"t": [a * S, 0, 0], "S": [0, 1, 0]})
    >>> list(spin.curvature()["t", "S"])
    [-a, 0, S*a]
    """

    def __init__(self, group: Any, forms: Any) -> None:
        self.group = Group.of(group)
        self.parameters = tuple(by_name(_WHO, "forms", forms, "columns by parameter"))
        if not self.parameters:
            raise ArgumentError(_WHO, "forms", "is empty; pass one column per parameter")
        if not all(isinstance(p, str) and p.isidentifier() for p in self.parameters):
            raise ArgumentError(_WHO, "forms", f"has the parameters {self.parameters}; pass names such as 't'")
        self.x = {p: sp.Symbol(p, real=True) for p in self.parameters}
        self.forms = {p: self._vector(forms[p]) for p in self.parameters}

    @classmethod
    def of_field(cls, group: Any, g: Any, parameters: Sequence[str]) -> Connection:
        """Return the left Maurer-Cartan form of a field of elements g(x), a matrix of expressions."""
        base = Group.of(group)
        names = listed(_WHO, "parameters", parameters, "names such as ('t', 'S')")
        symbols = {str(p): sp.Symbol(str(p), real=True) for p in names}
        matrix = named(base.square(g), symbols.values())
        return cls(base, {p: base.left_form(matrix, s) for p, s in symbols.items()})

    def curvature(self) -> dict[tuple[str, str], Any]:
        """Return K_ij = d_i theta_j - d_j theta_i + [theta_i, theta_j] for i < j, columns (71)."""
        return {
            (p, q): self._diff(self.forms[q], p) - self._diff(self.forms[p], q)
            + self.group.bracket(self.forms[p], self.forms[q])
            for p, q in self._pairs()
        }  # fmt: skip

    def torsion(self, forms: Any = None) -> dict[tuple[str, str], Any]:
        """Return T_ij = nabla_i w_j - nabla_j w_i - [w_i, w_j] of another form w, by default of theta (11.1)."""
        w = self.forms
        if forms is not None:
            given = by_name("torsion", "forms", forms, "columns", self.parameters)
            w = {p: self._vector(given[p]) for p in self.parameters}
        nabla = {(p, q): self._nabla(w[q], p) for p in self.parameters for q in self.parameters}
        return {(p, q): nabla[p, q] - nabla[q, p] - self.group.bracket(w[p], w[q]) for p, q in self._pairs()}

    def covariant_derivative(self, field: Any, kind: str = "comomentum") -> dict[str, Any]:
        """Return nabla_i of a field of co-momenta (d + ad theta) or of momenta (d - ad(theta)^T)."""
        _demand_kind("covariant_derivative", kind)
        u = self._vector(field)
        return {p: self._nabla(u, p, kind) for p in self.parameters}

    def covariant_divergence(self, momenta: Any) -> Any:
        """Return sum_i nabla_i mu_i of momenta, one column per parameter: zero where nothing acts [deSaxce26] 11.2."""
        total = sp.zeros(self.group.dim, 1)
        momenta = by_name("covariant_divergence", "momenta", momenta, "columns", self.parameters)
        for p in self.parameters:
            total += self.covariant_derivative(momenta[p], "momentum")[p]
        return total

    def vertical(self, g: Any, dx: Any, dg: Any) -> Any:
        """Return Gamma(dx, dg) = Ad(g^-1) theta(dx) + g^-1 dg, components (dim, 1): zero for horizontal vectors."""
        inverse = self.group.inverse(self.group.square(g))
        X = self.group.hat(self._along(dx))
        return self.group.vee(inverse * X * sp.Matrix(g) + inverse * self.group.square(dg))

    def horizontal(self, g: Any, dx: Any, dg: Any) -> Any:
        """Return the horizontal part of dg, dg - g Gamma(dx, dg): the motion that keeps the frame parallel (10.1)."""
        return self.group.square(dg) - self.group.square(g) * self.group.hat(self.vertical(g, dx, dg))

    def holonomy(self, path: Any, values: Values = None, steps: int = 20) -> Any:
        """Return h, dh = h theta along a path, h = 1 at its start: an element of ``group.numeric``.

        ``path`` holds the corners (k, p) of a polygon, each side divided into ``steps`` steps of order 6. Round a
        closed path that is small, log(h) is the integral of the curvature over the area inside.
        """
        steps = checks.integer("holonomy", "steps", steps, 1)
        try:
            corners = np.asarray(path, dtype=float)
        except (TypeError, ValueError):
            corners = np.zeros(0)
        if corners.ndim != 2 or corners.shape[1] != len(self.parameters) or len(corners) < 2:
            expected = f"pass corners (k, {len(self.parameters)})"
            raise ArgumentError("holonomy", "path", f"has shape {corners.shape}; {expected}")
        matrix = sp.Matrix.hstack(*(self.forms[p] for p in self.parameters))
        ready = substituted(matrix, values, set(self.x.values()), "holonomy")
        theta = sp.lambdify(list(self.x.values()), ready, "numpy")
        numeric = self.group.numeric
        h = numeric.identity()
        for a, b in pairwise(corners):

            def field(s: float, _: Any, y: Array, a: Array = a, b: Array = b) -> tuple[Array, Array]:
                return np.asarray(theta(*(a + s * (b - a))), dtype=float) @ (b - a), np.zeros(0)

            elements, _ = integrate(numeric, field, h, np.zeros(0), np.linspace(0, 1, steps + 1), who="holonomy")
            h = elements[-1]
        return h

    def parallel_transport(
        self, path: Any, u: Any, kind: str = "comomentum", values: Values = None, steps: int = 20
    ) -> Array:
        """Carry a co-momentum (Ad(h^-1) u) or a momentum (Ad(h)^T u) along a path so that nabla u = 0 (10.2)."""
        _demand_kind("parallel_transport", kind)
        Ad = self.group.numeric.adjoint(self.holonomy(path, values, steps))
        vector = array("parallel_transport", "u", u, (self.group.dim,))
        return np.asarray(np.linalg.solve(Ad, vector) if kind == "comomentum" else Ad.T @ vector)

    def _vector(self, column: Any) -> Any:
        """Components (dim, 1) in the symbols of the parameters."""
        return named(self.group.vector(column), self.x.values())

    def _pairs(self) -> list[tuple[str, str]]:
        return [(p, q) for i, p in enumerate(self.parameters) for q in self.parameters[i + 1 :]]

    def _diff(self, column: Any, p: str) -> Any:
        return column.diff(self.x[p])

    def _nabla(self, u: Any, p: str, kind: str = "comomentum") -> Any:
        ad = self.group.ad(self.forms[p])
        return self._diff(u, p) + (ad if kind == "comomentum" else -ad.T) * u

    def _along(self, dx: Any) -> Any:
        total = sp.zeros(self.group.dim, 1)
        for p, d in zip(self.parameters, dx):
            total += self.forms[p] * d
        return total


def _demand_kind(who: str, kind: str) -> None:
    if kind not in ("comomentum", "momentum"):
        raise ArgumentError(who, "kind", f"is {kind!r}; pass 'comomentum' or 'momentum'")


def curvature(group: Any, forms: Any) -> dict[tuple[str, str], Any]:
    """Return the curvature d_i theta_j - d_j theta_i + [theta_i, theta_j] of an algebra-valued 1-form."""
    return Connection(group, forms).curvature()


def torsion(group: Any, forms: Any) -> dict[tuple[str, str], Any]:
    """Return the torsion of an algebra-valued 1-form with respect to itself."""
    return Connection(group, forms).torsion()


def covariant_derivative(group: Any, forms: Any, field: Any, kind: str = "comomentum") -> dict[str, Any]:
    """Return the covariant derivatives of a field of co-momenta or momenta along each parameter."""
    return Connection(group, forms).covariant_derivative(field, kind)


def covariant_divergence(group: Any, forms: Any, momenta: Any) -> Any:
    """Return the covariant divergence of momenta, one column per parameter."""
    return Connection(group, forms).covariant_divergence(momenta)
