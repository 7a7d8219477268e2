"""Derivatives of formulas given as text, by the rules of calculus, as text."""

import ast

from cosserat.errors import ExpressionError

ZERO, ONE = "0.0", "1.0"

_CHAIN = {
    "sin": "cos({0})", "cos": "-sin({0})", "tan": "1.0/cos({0})**2", "asin": "1.0/sqrt(1.0 - ({0})**2)",
    "acos": "-1.0/sqrt(1.0 - ({0})**2)", "atan": "1.0/(1.0 + ({0})**2)", "sinh": "cosh({0})", "cosh": "sinh({0})",
    "tanh": "1.0 - tanh({0})**2", "exp": "exp({0})", "log": "1.0/({0})", "sqrt": "0.5/sqrt({0})", "abs": "sign({0})",
}  # fmt: skip


def derivative(text: str, variable: str, where: str) -> str:
    """The derivative of a formula that `expressions` has accepted, with respect to one of its names.

    Examples
    --------
    >>> derivative("3*q**2", "q", "potential")
    '(3.0)*(((2.0)*((q)**(2.0 - 1.0))*(1.0)))'
    """
    return _walk(ast.parse(text.strip(), mode="eval").body, variable, where)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return repr(float(node.value))  # type: ignore[arg-type]
    return ast.unparse(node)


def _walk(node: ast.AST, q: str, where: str) -> str:
    if not any(isinstance(n, ast.Name) and n.id == q for n in ast.walk(node)):
        return ZERO
    if isinstance(node, ast.Name):
        return ONE
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _walk(node.operand, q, where)
        return f"(-({inner}))" if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        a, b = _text(node.left), _text(node.right)
        da, db = _walk(node.left, q, where), _walk(node.right, q, where)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return f"(({da}) {'+' if isinstance(node.op, ast.Add) else '-'} ({db}))"
        if isinstance(node.op, ast.Mult):
            if da == ZERO or db == ZERO:
                return f"({a})*({db})" if da == ZERO else f"({da})*({b})"
            return f"(({a})*({db}) + ({da})*({b}))"
        if isinstance(node.op, ast.Div):
            return f"({da})/({b})" if db == ZERO else f"((({da})*({b}) - ({a})*({db}))/({b})**2)"
        if isinstance(node.op, ast.Pow) and db == ZERO:
            return f"(({b})*(({a})**({b} - 1.0))*({da}))"
        if isinstance(node.op, ast.Pow):
            return f"((({a})**({b}))*(({db})*log({a}) + ({b})*({da})/({a})))"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CHAIN:
        inner = _text(node.args[0])
        return f"(({_CHAIN[node.func.id].format(inner)})*({_walk(node.args[0], q, where)}))"
    if isinstance(node, ast.IfExp):
        yes, no = _walk(node.body, q, where), _walk(node.orelse, q, where)
        return f"(({yes}) if {ast.unparse(node.test)} else ({no}))"
    raise ExpressionError(
        f"{where}: {ast.unparse(node)!r} has no derivative by {q!r}; use + - * / **, {', '.join(_CHAIN)}"
    )
