"""Equations of mechanisms as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cosserat.errors import SolveError
from cosserat.symbolic.dependency import sp

if TYPE_CHECKING:
    from cosserat.symbolic.equations import Equations


def symbol_names(equations: Equations, given: Mapping[Any, str]) -> dict[sp.Symbol, str]:
    """LaTeX names of symbols: dots over velocities, two over accelerations."""
    symbols = {str(s): s for s in (*equations.q, *equations.parameters.values(), *equations.tau, *equations.inputs)}
    for name in given:
        if str(name) not in symbols:
            raise SolveError(f"latex: names has no symbol {str(name)!r}; symbols: {', '.join(symbols)}")
    chosen = {str(name): text for name, text in given.items()}
    out = {symbols[name]: text for name, text in chosen.items()}
    for q, v, a in zip(equations.q, equations.v, equations.a, strict=True):
        text = chosen.get(str(q), sp.latex(q))
        dot, ddot = (r"\dot{", r"\ddot{")
        out[q], out[v], out[a] = text, f"{dot}{text}}}", f"{ddot}{text}}}"
    return out


def equations_latex(equations: Equations, given: Mapping[Any, str]) -> str:
    """One line per coordinate, then the constraints."""
    names = symbol_names(equations, given)

    def text(expression: sp.Expr) -> str:
        return sp.latex(expression, symbol_names=names)

    M, lines = equations.mass_matrix, []
    carried = equations.constraint_matrix.T * sp.Matrix(equations.multipliers) if equations.rows else None
    for j, tau in enumerate(equations.tau):
        left = sp.Add(*(M[j, k] * a for k, a in enumerate(equations.a)), equations.coriolis[j])
        right = sp.Add(equations.forces[j], -equations.gravity[j], tau, carried[j] if carried is not None else 0)
        lines.append(f"{text(left)} &= {text(right)}")
    for row in equations.rows:
        held = row.gap if row.gap is not None else sp.Add(*(x * v for x, v in zip(row.A, equations.v, strict=True)))
        lines.append(f"{text(held)} &= 0")
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
