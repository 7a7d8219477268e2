"""Linear equations of small motions about a state, in symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cosserat.errors import SolveError
from cosserat.model.algebra import sp
from cosserat.symbolic.arguments import by_name, listed
from cosserat.symbolic.vectors import TurnFunction, directional, replaced

if TYPE_CHECKING:
    from cosserat.symbolic.equations import Equations


@dataclass(frozen=True)
class LinearEquations:
    """M x'' + C x' + K x = B u (+ A^T lambda, A x = 0 with constraints), small changes along velocities.

    Attributes
    ----------
    M, C, K : Matrix (n, n)
    B : Matrix (n, k)
    A : Matrix (m, n)
        Constraints; empty without any.
    """

    M: sp.Matrix
    C: sp.Matrix
    K: sp.Matrix
    B: sp.Matrix
    A: sp.Matrix

    def state_space(self) -> tuple[sp.Matrix, sp.Matrix]:
        """A (2n, 2n) and B (2n, k) of the first-order system in (x, x'), without constraints."""
        if self.A.rows:
            raise SolveError("state_space: there are constraints; eliminate them first, or use cs.linearize")
        n = self.M.rows
        inverse = self.M.inv()
        top = sp.Matrix.hstack(sp.zeros(n), sp.eye(n))
        A = top.col_join(sp.Matrix.hstack(-inverse * self.K, -inverse * self.C))
        return A, sp.zeros(n, self.B.cols).col_join(inverse * self.B)

    def controllability(self) -> sp.Matrix:
        """Kalman's matrix (2n, 2n k): [B, A B, A^2 B, ...]; the state is controllable if its rank is 2n."""
        A, B = self.state_space()
        blocks = [B]
        for _ in range(A.rows - 1):
            blocks.append((A * blocks[-1]).applyfunc(sp.expand))
        return sp.Matrix.hstack(*blocks)


def linearize(equations: Equations, about: Mapping[Any, Any], inputs: Sequence[Any]) -> LinearEquations:
    """See `Equations.linearize`."""
    about = by_name("linearize", "about", about, "values by coordinate, velocity or parameter")
    inputs = listed("linearize", "inputs", inputs, "names of parameters, efforts or inputs")
    state = [*equations.q, *equations.v, *equations.a, *equations.tau, *equations.multipliers]
    numbers = {str(s): s for s in (*equations.parameters.values(), *equations.inputs)}
    known = {str(s): s for s in state} | numbers
    efforts = [(str(s), tau) for q, tau in zip(equations.q, equations.tau, strict=True) for s in (q, tau)]
    driven = dict(efforts) | numbers

    def symbol(name: Any, argument: str, known: Mapping[str, sp.Symbol]) -> sp.Symbol:
        if str(name) not in known:
            raise SolveError(f"linearize: {argument} has no symbol {str(name)!r}; symbols: {', '.join(known)}")
        return known[str(name)]

    point = {s: sp.S.Zero for s in state}
    point.update({symbol(name, "about", known): sp.sympify(value) for name, value in about.items()})
    changing = [symbol(name, "inputs", driven) for name in inputs]
    mechanism, residual = equations.mechanism, equations.residual
    n = len(equations.q)

    turned: dict[sp.Basic, sp.Expr] = {}
    found: dict[sp.Basic, sp.Expr] = {}

    def at(entry: sp.Expr) -> sp.Expr:
        entry = replaced(entry, equations.quaternions, turned)
        value = replaced(entry, point, found)
        if value.has(sp.nan, sp.zoo):
            value = _limit(entry, point, equations.v)
        return value.replace(lambda e: isinstance(e, TurnFunction) and not e.free_symbols, lambda e: e.explicit())

    K = sp.Matrix(n, n, lambda i, j: mechanism.along(residual[i], j))

    def jacobian(symbols: Sequence[sp.Symbol]) -> sp.Matrix:
        columns = [[directional(x, {s: sp.S.One}, {}) for x in residual] for s in symbols]
        return sp.Matrix(n, len(symbols), lambda i, j: columns[j][i])

    C, B = jacobian(equations.v), -jacobian(changing)
    matrices = equations.mass_matrix, C, K, B, equations.constraint_matrix
    return LinearEquations(*(matrix.applyfunc(at) for matrix in matrices))


def _limit(expression: sp.Expr, point: Mapping[sp.Symbol, sp.Expr], velocities: Sequence[sp.Symbol]) -> sp.Expr:
    """The value where velocities go to those of the point, as |v| v has one at rest; the same from two directions."""
    small = sp.Symbol("small", positive=True)
    found = []
    for shift in (1, 2):
        near = {v: point[v] + small * sp.Rational(2 * k + shift, 3 + k + shift) for k, v in enumerate(velocities)}
        shifted = expression.xreplace({**point, **near}).replace(
            lambda e: e.is_Pow and not e.exp.is_Integer and e.has(small), lambda e: sp.factor(e.base) ** e.exp
        )
        value = sp.expand(shifted).subs(small, 0)  # roots of squares give up their factor
        found.append(sp.limit(shifted, small, 0, "+") if value.has(sp.nan, sp.zoo) else value)
    if found[0].has(sp.nan, sp.zoo, sp.oo) or sp.simplify(found[0] - found[1]) != 0:
        raise SolveError("linearize: the forces have no derivative at this state; linearize about another")
    return found[0]
