"""Equations as text and LaTeX in the notation of a source: Poincare-Chetayev equations, and those of mechanisms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from cosserat.errors import ArgumentError, SolveError
from cosserat.model.algebra import sp
from cosserat.symbolic.arguments import by_name
from cosserat.symbolic.vectors import dot

if TYPE_CHECKING:
    from cosserat.symbolic.equations import Equations
    from cosserat.symbolic.poincare import PoincareChetayev


@dataclass(frozen=True)
class Style:
    """How a source writes: names of linear and angular velocities in time and along the material, and its equations.

    ``ad`` is the sign of the term with ad* in the field equation of the material setting, as the source prints it.
    """

    time: tuple[str, str]
    material: tuple[str, str]
    velocity: str
    momentum: str
    ad: str
    angular_first: bool


STYLES = {
    "cosserat": Style(("v", r"\omega"), (r"\gamma", r"\kappa"), r"\eta_{%s}", r"\mu_{%s}", r"ad(%s)^T", False),
    "Boyer05": Style(
        ("V", r"\Omega"),
        (r"\Gamma", "K"),
        r"\eta_{%s}",
        r"\frac{\partial\mathcal{L}}{\partial\eta_{%s}}",
        "ad^*_{%s}",
        True,
    ),
    "deSaxce26": Style(
        (r"\dot{x}'", r"\varpi'"),
        (r"\mathring{x}'", r"\kappa'"),
        r"{}_{%s}\theta'",
        r"{}^{%s}\mu'",
        "ad^*(%s)",
        False,
    ),
    "Grazioso17": Style(("u", r"\omega"), (r"\gamma", r"\kappa"), r"v_{%s}", r"\lambda_{%s}", r"\hat{%s}^T", False),
}

notations = tuple(STYLES)
"""Names that `PoincareChetayev.equations` takes."""

_LETTERS = {
    r"\omega": "ω",
    r"\gamma": "γ",
    r"\kappa": "κ",
    r"\Omega": "Ω",
    r"\Gamma": "Γ",
    r"\dot{x}'": "ẋ'",
    r"\varpi'": "ϖ'",
    r"\mathring{x}'": "x̊'",
    r"\kappa'": "κ'",
}


@dataclass(frozen=True)
class Notation:
    """Printed equations: ``text`` and ``latex``; shown as formulas in a notebook."""

    text: str
    latex: str

    def _repr_latex_(self) -> str:
        return self.latex

    def __str__(self) -> str:
        return self.text


def printed(problem: PoincareChetayev, notation: str) -> Notation:
    """Return the equations of a problem in a notation."""
    if not isinstance(notation, str) or notation not in STYLES:
        raise ArgumentError("equations", "notation", f"is {notation!r}; there are {', '.join(STYLES)}")
    style = STYLES[notation]
    latex_names, text_names = _names(problem, style)
    rows = _rows(problem, style)
    text, latex = [_abstract_text(problem, notation)], [_abstract_latex(problem, style, notation)]
    sections: list[tuple[str, Iterable[Any]]] = [("field", [problem.field[i] for i in rows])]
    if problem.boundary.shape[0]:
        sections.append(("boundary", [problem.boundary[i] for i in rows]))
    for (p, q), residual in problem.compatibility.items():
        sections.append((f"compatibility {p}, {q}", [residual[i] for i in rows]))
    for title, equations in sections:
        text.append(f"{title}:")
        for equation in equations:
            tidy = sp.expand(equation)
            text.append(f"  0 = {sp.sstr(tidy.xreplace(text_names))}")
            latex.append(f"0 &= {sp.latex(tidy, symbol_names=latex_names)}")
    body = r" \\ ".join(latex)
    return Notation("\n".join(text), rf"$$\begin{{aligned}} {body} \end{{aligned}}$$")


def _rows(problem: PoincareChetayev, style: Style) -> list[int]:
    """Return the order of components: [Boyer05] puts the angular part first."""
    names = list(problem.group.components)
    if not style.angular_first:
        return list(range(len(names)))
    return sorted(range(len(names)), key=lambda i: (0 if names[i].startswith("w") else 1, i))


def _names(problem: PoincareChetayev, style: Style) -> tuple[dict[Any, str], dict[Any, Any]]:
    """Return names of all velocities and rates, for LaTeX, and symbols that print as them in text."""
    latex: dict[Any, str] = {}
    text: dict[Any, Any] = {}
    for p in problem.parameters:
        for k, component in enumerate(problem.group.components):
            tex, plain = _component(style, component, p)
            latex[problem.eta[p][k]] = tex
            text[problem.eta[p][k]] = sp.Symbol(plain)
            for q in problem.parameters:
                rate = problem.jets.rate[p, q][k]
                latex[rate] = rf"\partial_{{{q}}} {tex}"
                text[rate] = sp.Symbol(f"∂{q} {plain}")
    return latex, text


def _component(style: Style, component: str, p: str) -> tuple[str, str]:
    """Return (LaTeX, text) of one component of the velocity along the parameter p."""
    match = re.fullmatch(r"([vw])(\d*)(_\w+)?", component)
    if match is None:
        stem = re.fullmatch(r"([a-zA-Z]+)(\d*)(_\w+)?", component)
        tex = f"{stem[1]}_{{{stem[2]}}}" if stem and stem[2] else component
        return (rf"\dot{{{tex}}}", f"{component}'") if p == "t" else (rf"\partial_{{{p}}} {tex}", f"∂{p} {component}")
    pair = style.time if p == "t" else style.material
    letter = pair[0] if match[1] == "v" else pair[1]
    face = p if p not in ("t", "X", "S") else ""
    number, suffix = match[2], (match[3] or "").replace("_", "")
    index = "".join(part for part in (number, suffix, face) if part)
    return (f"{letter}_{{{index}}}" if index else letter), f"{_LETTERS.get(letter, letter)}{index}"


def _indices(problem: PoincareChetayev, notation: str) -> list[str]:
    """Return how the source numbers the parameters: 0 for time, then 1, 2."""
    if notation in ("cosserat", "Grazioso17"):
        return list(problem.parameters)
    others = [p for p in problem.parameters if p != "t"]
    return ["0" if p == "t" else str(1 + others.index(p)) for p in problem.parameters]


def _abstract_latex(problem: PoincareChetayev, style: Style, notation: str) -> str:
    sign, terms = _sign(problem, notation), []
    for p, index in zip(problem.parameters, _indices(problem, notation)):
        mu, eta = style.momentum % index, style.velocity % index
        terms.append(rf"\partial_{{{p}}} {mu} {sign} {style.ad % eta}\, {mu}")
    return _equation(problem, terms, " &= ", r"\bar{F}")


def _abstract_text(problem: PoincareChetayev, notation: str) -> str:
    sign = _sign(problem, notation)
    letters = {"deSaxce26": ("θ'", "μ'"), "Grazioso17": ("v", "λ")}
    eta, mu = letters.get(notation, ("η", "μ"))
    star = {"deSaxce26": "ad*({0})", "Boyer05": "ad*_{0}", "Grazioso17": "hat({0})^T"}.get(notation, "ad({0})^T")
    terms = [f"∂{p} {mu}{i} {sign} {star.format(eta + i)} {mu}{i}" for p, i in
             zip(problem.parameters, _indices(problem, notation))]
    return _equation(problem, terms, " = ", "F")


def _sign(problem: PoincareChetayev, notation: str) -> str:
    """Of the terms with ad*, which in one source is the negative of ours."""
    return "-" if (problem.setting == "material") != (notation == "deSaxce26") else "+"


def _equation(problem: PoincareChetayev, terms: list[str], equals: str, force: str) -> str:
    letter = "X" if problem.setting == "material" else "Z"
    defect = "" if all(v == 0 for v in problem.defect) else f" - {letter}_g(L)"
    return " + ".join(terms) + defect + equals + ("0" if all(v == 0 for v in problem.forces) else force)


class EquationStyle(NamedTuple):
    """How a source writes: coordinates and efforts by number (or by name: ""), and the law in LaTeX and text."""

    coordinate: str
    effort: str
    latex: str
    text: str


LAWS = {
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
    if not isinstance(notation, str) or notation not in LAWS:
        raise SolveError(f"lagrange: unknown notation {notation!r}; notations of mechanisms: {', '.join(LAWS)}")
    return LAWS[notation]


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
        out[q] = f"{{{text}}}" if "^" in text else text
        out[v], out[a] = rf"\dot{{{text}}}", rf"\ddot{{{text}}}"
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
    M, lines, carried = equations.mass_matrix, [], equations.constraint_forces
    for j, tau in enumerate(equations.tau):
        left = sp.Add(*(M[j, k] * a for k, a in enumerate(equations.a)), equations.coriolis[j])
        right = sp.Add(equations.forces[j], -equations.gravity[j], tau, carried[j])
        lines.append((left, right))
    for row in equations.rows:
        held = row.gap if row.gap is not None else dot(row.A, equations.v)
        lines.append((held, sp.S.Zero))
    return lines
