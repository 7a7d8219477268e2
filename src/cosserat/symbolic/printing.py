"""Equations of mechanisms as LaTeX and text, in the notation of a source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cosserat.errors import SolveError
from cosserat.symbolic.arguments import by_name
from cosserat.symbolic.dependency import sp

if TYPE_CHECKING:
    from cosserat.symbolic.equations import Equations


class EquationStyle(NamedTuple):
    """How a source writes: coordinates and efforts by number (or by name: ""), and the law in LaTeX and text."""

    coordinate: str
    effort: str
    latex: str
    text: str


STYLES = {
    "cosserat": EquationStyle("", "", "", ""),
    "Giacaglia20": EquationStyle(
        "q^{{{0}}}", "N_{{{0}}}",
        r"\sum_\alpha a_{\gamma\alpha} \ddot{q}^\alpha + \sum_\alpha \sum_\beta "
        r"\begin{bmatrix} \gamma \\ \beta\alpha \end{bmatrix} \dot{q}^\alpha \dot{q}^\beta &= Q_\gamma",
        "Σα aγα q̈α + ΣαΣβ [γ; βα] q̇α q̇β = Qγ",
    ),  # (2.24)
    "Lerbet17": EquationStyle(
        "q_{{{0}}}", "Q_{{{0}}}",
        r"\frac{d}{dt} \frac{\partial C}{\partial \dot{q}_k} - \frac{\partial C}{\partial q_k} "
        r"&= Q_k - \frac{\partial U_\ell}{\partial q_k}",
        "d/dt ∂C/∂q̇k - ∂C/∂qk = Qk - ∂U/∂qk",
    ),  # (60)
}  # fmt: skip


def style_of(notation: str) -> EquationStyle:
    """The style of a source, or an error that lists them."""
    if not isinstance(notation, str) or notation not in STYLES:
        raise SolveError(f"lagrange: unknown notation {notation!r}; notations of mechanisms: {', '.join(STYLES)}")
    return STYLES[notation]


def symbol_names(equations: Equations, given: Mapping[Any, str], style: EquationStyle) -> dict[sp.Symbol, str]:
    """LaTeX names of symbols: dots over velocities, two over accelerations."""
    symbols = {str(s): s for s in (*equations.q, *equations.parameters.values(), *equations.tau, *equations.inputs)}
    for name in by_name("latex", "names", given, "names in LaTeX by symbol"):
        if str(name) not in symbols:
            raise SolveError(f"latex: names has no symbol {str(name)!r}; symbols: {', '.join(symbols)}")
    chosen = {str(name): text for name, text in given.items()}
    out = {symbols[name]: text for name, text in chosen.items()}
    for k, (q, v, a, tau) in enumerate(zip(equations.q, equations.v, equations.a, equations.tau, strict=True), 1):
        text = chosen.get(str(q), style.coordinate.format(k) or sp.latex(q))
        dot, ddot = (r"\dot{", r"\ddot{")
        out[q], out[v], out[a] = f"{{{text}}}" if "^" in text else text, f"{dot}{text}}}", f"{ddot}{text}}}"
        if style.effort and str(tau) not in chosen:
            out[tau] = style.effort.format(k)
    return out


def equations_latex(equations: Equations, given: Mapping[Any, str], notation: str = "cosserat") -> str:
    """One line per coordinate, then the constraints; first the law as the source has it."""
    style = style_of(notation)
    names = symbol_names(equations, given, style)
    lines = [style.latex] if style.latex else []
    lines += [" &= ".join(sp.latex(side, symbol_names=names) for side in line) for line in _lines(equations)]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def equations_text(equations: Equations, notation: str = "cosserat") -> str:
    """The same as text."""
    style = style_of(notation)
    names: dict[Any, Any] = {}
    for k, (q, v, a, tau) in enumerate(zip(equations.q, equations.v, equations.a, equations.tau, strict=True), 1):
        word = f"q{k}" if style.coordinate else str(q)
        effort = style.effort.replace("_{{{0}}}", str(k)) or str(tau)
        given = (word, f"{word}'", f"{word}''", effort)
        names.update(zip((q, v, a, tau), (sp.Symbol(n) for n in given), strict=True))
    lines = [style.text] if style.text else []
    lines += [" = ".join(str(sp.sympify(side).xreplace(names)) for side in line) for line in _lines(equations)]
    return "\n".join(lines)


def _lines(equations: Equations) -> list[tuple[Any, Any]]:
    """Both sides of the equations, then of the constraints."""
    M, lines = equations.mass_matrix, []
    carried = equations.constraint_matrix.T * sp.Matrix(equations.multipliers) if equations.rows else None
    for j, tau in enumerate(equations.tau):
        left = sp.Add(*(M[j, k] * a for k, a in enumerate(equations.a)), equations.coriolis[j])
        right = sp.Add(equations.forces[j], -equations.gravity[j], tau, carried[j] if carried is not None else 0)
        lines.append((left, right))
    for row in equations.rows:
        held = row.gap if row.gap is not None else sp.Add(*(x * v for x, v in zip(row.A, equations.v, strict=True)))
        lines.append((held, sp.S.Zero))
    return lines
