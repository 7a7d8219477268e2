"""Composed vectors of a model in symbols. Source: [Giacaglia20], corrected where it misprints."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

from cosserat.compile.tree import refuse_armatures
from cosserat.errors import SolveError
from cosserat.model.algebra import sp
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.symbolic.equations import Equations
from cosserat.symbolic.formulas import body_inertia, body_mass, body_rotation
from cosserat.symbolic.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matmul,
    mul,
    scale,
    transposed,
)

_SMALL = 100  # operations, beyond which nothing is simplified


class SymbolicComposedVectors:
    """A mechanism of N bodies in vectors of 6 N expressions, in world axes; made by `composed_vectors`.

    Names and meanings are those of `cs.ComposedVectors`. Closed loops are opened, and what closes them, knife edges and
    rolling discs act through `constraint_forces`.

    Attributes
    ----------
    equations : Equations
        Coordinates, symbols and forces.
    bodies : tuple of str
        The N bodies.
    """

    def __init__(self, model: Model, names: Any = None, potentials: Mapping[str, Any] | None = None) -> None:
        self.equations = Equations(model, names, potentials)
        refuse_armatures("composed_vectors", model)
        carrier = self.equations.mechanism.data.carrier
        self._bodies = [body for body in model.bodies if carrier[body.name] >= 0]
        self.bodies = tuple(body.name for body in self._bodies)

    def __repr__(self) -> str:
        return f"<SymbolicComposedVectors of {self.equations.title}: {', '.join(self.equations.coordinates)}>"

    @functools.cached_property
    def _columns(self) -> list[list[Vector]]:
        """Velocity and angular velocity of each body at a unit velocity of each freedom: (n, N, 6)."""
        mechanism = self.equations.mechanism
        found = [mechanism.world_jacobian(*mechanism.locate(Place(body))) for body in self._bodies]
        return [[columns[j] for columns in found] for j in range(len(self.equations.q))]

    @functools.cached_property
    def velocities(self) -> sp.Matrix:
        """v omega_alpha (n, 6 N). Source: [Giacaglia20] (2.8)."""
        return sp.Matrix([[x for column in row for x in column] for row in self._columns])

    @functools.cached_property
    def _inertias(self) -> list[Any]:
        mechanism, found = self.equations.mechanism, []
        for body in self._bodies:
            link = mechanism.data.carrier[body.name]
            R = matmul(mechanism.rotation(-1, link), mechanism.axes_within(link, body_rotation(body)))
            found.append((body_mass(body), R, body_inertia(body)))
        return found

    def _momentum(self, b: int, velocity: Vector) -> Vector:
        m, R, J = self._inertias[b]
        return [*scale(m, velocity[:3]), *mul(R, mul(J, mul(transposed(R), velocity[3:])))]

    @functools.cached_property
    def momenta(self) -> sp.Matrix:
        """PL_alpha (n, 6 N). Source: [Giacaglia20] (2.13)."""
        return sp.Matrix([[x for b, column in enumerate(row) for x in self._momentum(b, column)]
                          for row in self._columns])  # fmt: skip

    def quadratic(self, beta: int, gamma: int) -> sp.Matrix:
        """XY_beta,gamma (1, 6 N): what the product of two velocities adds to the rates of the momenta.

        m dv_beta/dq_gamma, and I domega_beta/dq_gamma + omega_beta x I omega_gamma.
        Source: [Giacaglia20] (2.14). Differs: derivatives are with respect to q, and the inertia, which turns with the
        body, is not differentiated twice.
        """
        mechanism, out, n = self.equations.mechanism, [], len(self.equations.q)
        for index in (beta, gamma):
            if not isinstance(index, int) or index not in range(n):
                raise SolveError(f"quadratic: got {index!r}; pass two of the {n} coordinates, 0 ... {n - 1}")
        for b in range(len(self._bodies)):
            column, other = self._columns[beta][b], self._columns[gamma][b]
            change = self._momentum(b, [mechanism.along(x, gamma) for x in column])
            swung = cross(column[3:], self._momentum(b, other)[3:])
            out += [*change[:3], *(x + y for x, y in zip(change[3:], swung, strict=True))]
        return sp.Matrix([out])

    def of_body(self, vector: sp.Matrix, body: str) -> sp.Matrix:
        """The six expressions (..., 6) of one body."""
        if not isinstance(body, str) or body not in self.bodies:
            raise SolveError(f"composed vectors: no body {body!r} that moves; bodies: {', '.join(self.bodies)}")
        at = 6 * self.bodies.index(body)
        return vector[:, at : at + 6]

    @functools.cached_property
    def _own(self) -> list[tuple[sp.Expr, Matrix, list[Vector], list[Vector]]]:
        """Mass, inertia, and by freedom the velocity and angular velocity of each body in the frame of its link.

        Products of composed vectors do not depend on the axes, and are much shorter in these.
        """
        mechanism, found = self.equations.mechanism, []
        for body in self._bodies:
            link = mechanism.data.carrier[body.name]
            m, r, J = mechanism.body_within(link, body)
            columns = mechanism.own_jacobian(link, r)
            found.append((m, J, [c[:3] for c in columns], [c[3:] for c in columns]))
        return found

    @functools.cached_property
    def mass_matrix(self) -> sp.Matrix:
        """a (n, n): PL_alpha . v omega_gamma. Source: [Giacaglia20] (2.19)."""
        n = len(self.equations.q)
        found = {
            (a, g): _tidy(sp.Add(*(m * dot(v[a], v[g]) + dot(w[a], mul(J, w[g])) for m, J, v, w in self._own)))
            for a in range(n) for g in range(a + 1)
        }  # fmt: skip
        return sp.Matrix(n, n, lambda a, g: found[max(a, g), min(a, g)])

    @functools.cached_property
    def brackets(self) -> sp.ImmutableDenseNDimArray:
        """Christoffel brackets (n, n, n): [gamma, alpha, beta], symmetric in the last two.

        Source: [Giacaglia20] (2.21). Differs: one half and the symmetric part, which (2.22) leaves out.
        """
        n, half = len(self.equations.q), sp.Rational(1, 2)
        terms: dict[tuple[int, int, int], list[sp.Expr]] = {}
        for m, J, v, w in self._own:
            turned = [mul(J, x) for x in w]
            for a in range(n):
                for b in range(a + 1):
                    # in turning axes the change of v has w x v besides; that of w drops out of the symmetric part
                    force = add(self._change(v, a, b), cross(w[a], v[b]), cross(w[b], v[a]))
                    moment = add(mul(J, self._change(w, a, b)), cross(w[a], turned[b]), cross(w[b], turned[a]))
                    for g in range(n):
                        terms.setdefault((g, a, b), []).append(m * dot(v[g], force) + dot(w[g], moment))
        found = {index: _tidy(half * sp.Add(*parts)) for index, parts in terms.items()}
        entries = [found[g, max(a, b), min(a, b)] for g in range(n) for a in range(n) for b in range(n)]
        return sp.ImmutableDenseNDimArray(entries, (n, n, n))

    def _change(self, columns: list[Vector], a: int, b: int) -> Vector:
        along = self.equations.mechanism.along
        return [along(x, b) + along(y, a) for x, y in zip(columns[a], columns[b], strict=True)]

    @functools.cached_property
    def generalised_forces(self) -> sp.Matrix:
        """Q (n, 1): gravity, springs, loads, and efforts, friction, damping of joints. Source: [Giacaglia20] (2.23)."""
        return self.equations.forces - self.equations.gravity

    @property
    def constraint_forces(self) -> sp.Matrix:
        """A^T lambda (n, 1), of loops, rolling and prescribed motions; zero without. See `Equations.rows`."""
        return self.equations.constraint_forces

    @functools.cached_property
    def left_side(self) -> sp.Matrix:
        """a q'' + [ ] q' q' (n, 1), the left side of (2.24); the right one is Q and `constraint_forces`."""
        v, a, n = self.equations.v, self.equations.a, len(self.equations.q)
        terms = [
            sp.Add(*(self.brackets[g, i, j] * v[i] * v[j] for i in range(n) for j in range(n))) for g in range(n)
        ]  # fmt: skip
        return self.mass_matrix * sp.Matrix(a) + sp.Matrix(terms)

    def latex(self) -> str:
        """The equations in the notation of the source, (2.24); see `Equations.latex`."""
        return self.equations.latex(notation="Giacaglia20")

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def combined(self, T: Any, names: tuple[str, ...]) -> CombinedVectors:
        """Mass matrix, brackets and forces in coordinates q' with q = T q': absolute angles, say."""
        return CombinedVectors(self, T, names)


class CombinedVectors:
    """Composed vectors in other coordinates; made by `SymbolicComposedVectors.combined`."""

    def __init__(self, vectors: SymbolicComposedVectors, T: Any, names: tuple[str, ...]) -> None:
        self._vectors = vectors
        self._other = vectors.equations.combined(T, names)
        self.q, self.v, self.a = self._other.q, self._other.v, self._other.a

    @property
    def velocities(self) -> sp.Matrix:
        """v omega_alpha (n, 6 N)."""
        return (self._other.matrix.T * self._other.expressed(self._vectors.velocities)).applyfunc(_tidy)

    @property
    def momenta(self) -> sp.Matrix:
        """PL_alpha (n, 6 N)."""
        return (self._other.matrix.T * self._other.expressed(self._vectors.momenta)).applyfunc(_tidy)

    @functools.cached_property
    def mass_matrix(self) -> sp.Matrix:
        """a (n, n)."""
        return self._other.mass_matrix

    @functools.cached_property
    def brackets(self) -> sp.ImmutableDenseNDimArray:
        """Christoffel brackets (n, n, n)."""
        n, T, old = len(self.q), self._other.matrix, self._vectors.brackets
        entries = []
        for g in range(n):
            for i in range(n):
                for j in range(n):
                    parts = [T[c, g] * T[a, i] * T[b, j] * self._other.expressed(old[c, a, b])
                             for a in range(n) for b in range(n) for c in range(n) if old[c, a, b] != ZERO]  # fmt: skip
                    entries.append(_tidy(sp.Add(*parts)))
        return sp.ImmutableDenseNDimArray(entries, (n, n, n))

    @property
    def generalised_forces(self) -> sp.Matrix:
        """Q (n, 1)."""
        return self._other.forces - self._other.gravity


def _tidy(expression: sp.Expr) -> sp.Expr:
    """Products of sines and cosines as sines and cosines of sums, where the expression is small and gets shorter."""
    if not _is_small(expression):
        return expression
    expanded = sp.expand(expression)
    if not _is_small(expanded):
        return expression
    if not expanded.has(sp.sin, sp.cos):
        return expanded
    from sympy.simplify.fu import TR8 as product_to_sum

    summed = sp.expand(product_to_sum(expanded))
    return summed if summed.count_ops() < expanded.count_ops() else expanded


def _is_small(expression: sp.Expr) -> bool:
    """Whether an expression has few parts; a long one is not walked to its end."""
    return len(list(itertools.islice(sp.preorder_traversal(expression), 2 * _SMALL + 1))) <= 2 * _SMALL


def composed_vectors(
    model: Model, names: Any = None, potentials: Mapping[str, Any] | None = None
) -> SymbolicComposedVectors:
    """Composed vectors of rigid bodies in symbols: `cs.composed_vectors` with formulas instead of numbers, and loops.

    Parameters
    ----------
    model, names, potentials
        As for `lagrange`.

    Examples
    --------
    >>> import cosserat as cs
    >>> from cosserat import symbolic
    >>> m, L, J, g = (cs.Parameter(name, 1.0) for name in "mLJg")
    >>> model = cs.Model("pendulum", gravity=(0, -g, 0))
    >>> bob = model.add(cs.RigidBody("bob", mass=m, com=(L, 0, 0), inertia=(J, J, J)))
    >>> hinge = model.add(cs.Revolute("q", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 0, 1)))
    >>> vectors = symbolic.composed_vectors(model)
    >>> vectors.velocities
    Matrix([[-L*sin(q), L*cos(q), 0, 0, 0, 1]])
    >>> vectors.mass_matrix, vectors.generalised_forces
    (Matrix([[J + L**2*m]]), Matrix([[-L*g*m*cos(q)]]))
    """
    return SymbolicComposedVectors(model, names, potentials)
