"""Python source of expressions: straight-line code with common subexpressions, which Numba compiles as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy.printing.pycode import PythonCodePrinter

from cosserat.model.algebra import Calls, sp, symbols_in


class Printer(Calls, PythonCodePrinter):
    """Expressions as Python that Numba takes."""

    def _print_coshalf(self, expression: sp.Expr) -> str:
        return self._called("numeric_coshalf", expression)

    def _print_sinhalf(self, expression: sp.Expr) -> str:
        return self._called("numeric_sinhalf", expression)

    def _print_cotc(self, expression: sp.Expr) -> str:
        return self._called("numeric_cotc", expression)

    def _print_sign(self, expression: sp.Expr) -> str:
        x = self._print(expression.args[0])
        return f"(1.0 if {x} > 0 else -1.0 if {x} < 0 else 0.0)"

    def _print_Heaviside(self, expression: sp.Expr) -> str:
        x = self._print(expression.args[0])
        return f"(1.0 if {x} > 0 else 0.0 if {x} < 0 else 0.5)"

    def _print_Rational(self, expression: sp.Rational) -> str:
        return f"{expression.p}.0/{expression.q}.0"

    def _print_Integer(self, expression: sp.Integer) -> str:
        return str(expression.p)

    def _print_Pow(self, expression: sp.Expr, **options: object) -> str:
        base, exponent = expression.as_base_exp()
        if exponent.is_Integer and 2 <= abs(int(exponent)) <= 4:
            product = "*".join([self.parenthesize(base, 1000, strict=True)] * abs(int(exponent)))
            return f"({product})" if exponent > 0 else f"(1.0/({product}))"
        text: str = super()._print_Pow(expression, **options)
        return text


def function_source(
    name: str,
    arguments: Mapping[str, Sequence[sp.Symbol] | sp.Symbol],
    outputs: Mapping[str, sp.Matrix],
    definitions: Mapping[sp.Symbol, sp.Expr],
    docstring: str,
) -> str:
    """Source of a function that reads arrays of symbols and writes arrays of expressions.

    Parameters
    ----------
    name : str
    arguments : dict
        Arrays and the symbols of their entries, or single numbers.
    outputs : dict of Matrix
        Arrays to write; columns are written as vectors.
    definitions : dict
        Symbols that stand for expressions of others.
    """
    printer = Printer({"fully_qualified_modules": True, "standard": "python3"})
    taken = {array for array, symbols in arguments.items() if not isinstance(symbols, sp.Symbol)}
    printer.reserved_words = {*printer.reserved_words, *taken, *outputs, "math", "abs", "max", "min", "float"}
    entries = [x for matrix in outputs.values() for x in matrix]
    used = symbols_in(*entries)
    needed = {s: e for s, e in definitions.items() if s in used}
    used |= symbols_in(*needed.values())
    common, reduced = sp.cse(
        [*needed.values(), *entries], symbols=sp.numbered_symbols("c_", exclude=used), order="none"
    )
    lines = [f"def {name}({', '.join([*arguments, *outputs])}):", f'    """{docstring}"""']
    for array, symbols in arguments.items():
        if not isinstance(symbols, sp.Symbol):
            lines += [f"    {printer.doprint(s)} = {array}[{i}]" for i, s in enumerate(symbols) if s in used]
    lines += _definitions(common, needed, reduced, printer)
    values = iter(reduced[len(needed) :])
    for array, matrix in outputs.items():
        for i in range(matrix.rows):
            for j in range(matrix.cols):
                at = f"{i}" if matrix.cols == 1 and not array.isupper() else f"{i}, {j}"
                lines.append(f"    {array}[{at}] = {printer.doprint(next(values))}")
    if len(lines) == 2:
        lines.append("    pass")
    return "\n".join(lines) + "\n"


def _definitions(
    common: Sequence[tuple[sp.Symbol, sp.Expr]],
    needed: Mapping[sp.Symbol, sp.Expr],
    reduced: Sequence[sp.Expr],
    printer: Printer,
) -> list[str]:
    """Lines of common subexpressions and definitions, each after what it uses."""
    waiting = [*zip(needed, reduced, strict=False), *common]
    left = {s for s, _ in waiting}
    lines = []
    while waiting:
        later = []
        for s, e in waiting:
            if e.free_symbols & (left - {s}):
                later.append((s, e))
            else:
                lines.append(f"    {printer.doprint(s)} = {printer.doprint(e)}")
                left.discard(s)
        waiting = later
    return lines
