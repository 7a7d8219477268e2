"""Equations as functions of numbers, compiled or not: residuals, dynamics, motions on a group; looks at potentials."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError, SolveError, warn
from cosserat.lie.protocol import Array
from cosserat.model.algebra import function_source, named, rough_parts, slopes, sp
from cosserat.symbolic.arguments import array, element, grid, listed
from cosserat.symbolic.compiled import CompiledSource, module_source
from cosserat.symbolic.group_dynamics import GroupMotion, integrate

if TYPE_CHECKING:
    from cosserat.symbolic.poincare import PoincareChetayev

Values = Mapping[Any, float] | None


def substituted(expression: Any, values: Values, allowed: set[Any], who: str) -> Any:
    """Return an expression with constants replaced by numbers, or raise an error that lists the symbols left."""
    if not isinstance(values, Mapping | None):
        raise ArgumentError(who, "values", f"are {values!r}; pass a dict of numbers by name")
    numbers = {str(k): float(array(who, f"values[{str(k)!r}]", v, ())) for k, v in (values or {}).items()}
    result = expression.xreplace({s: sp.Float(numbers[s.name]) for s in expression.free_symbols if s.name in numbers})
    left = sorted(str(s) for s in result.free_symbols - allowed)
    if left:
        example = ", ".join(f"'{s}': ..." for s in left[:3])
        raise ArgumentError(who, "values", f"leave the symbols {', '.join(left)} free; pass values={{{example}}}")
    return result


def entries(problem: PoincareChetayev) -> tuple[list[Any], Callable[[Any], Array]]:
    """Symbols of the element that occur in its matrix, and a function of their numbers (n,) for an element."""
    size, g, numeric = problem.group.size, problem.jets.g, problem.group.numeric
    place = {g[i, j]: (i, j) for i in reversed(range(size)) for j in reversed(range(size)) if g[i, j].is_Symbol}
    symbols = list(dict.fromkeys(s for s in g if s.is_Symbol))
    rows, columns = (np.array([place[s][k] for s in symbols], dtype=int) for k in (0, 1))
    return symbols, lambda element: np.asarray(numeric.matrix(element), dtype=float)[rows, columns]


def function(problem: PoincareChetayev, expression: Any, values: Values, who: str) -> Callable[..., Array]:
    """Return f(g, eta, rate, x): an expression of a problem as a function of numbers.

    ``g`` is an element of ``problem.group.numeric``; ``eta`` maps each parameter to its velocity (dim,), ``rate`` each
    pair (p, q) to the derivative of eta_p along q, ``x`` each parameter to its value; what is left out is zero.
    """
    jets, numeric = problem.jets, problem.group.numeric
    variables = jets.variables()
    expression = sp.Matrix(expression)
    ready = substituted(expression, values, set(variables), who)
    compiled = sp.lambdify(variables, ready, "numpy", cse=True)
    _, of_element = entries(problem)
    zero = np.zeros(problem.group.dim)

    def evaluated(g: Any = None, eta: Any = None, rate: Any = None, x: Any = None) -> Array:
        places = of_element(numeric.identity() if g is None else g)
        eta, rate, x = eta or {}, rate or {}, x or {}
        etas = [v for p in problem.parameters for v in eta.get(p, zero)]
        rates = [v for pair in jets.rate for v in rate.get(pair, zero)]
        xs = [x.get(p, 0.0) for p in problem.parameters]
        return np.asarray(compiled(*xs, *places, *etas, *rates), dtype=float).reshape(expression.shape)

    return evaluated


def judge(problem: PoincareChetayev, values: Values) -> None:
    """Warn where the potential of a medium, -L at rest, is not smooth, or not convex at the reference."""
    faces = [p for p in problem.parameters if p != "t"]
    if not faces:
        return
    jets = problem.jets
    identity = problem.group.numeric.matrix(problem.group.numeric.identity())
    rest = {s: sp.Float(float(v)) for s, v in zip(jets.g, identity.ravel()) if s.is_Symbol}
    rest |= {s: sp.Integer(0) for s in jets.x.values()}
    rest |= {s: sp.Integer(0) for s in jets.eta.get("t", ())}
    U = -problem.lagrangian.xreplace(rest)
    strains = [s for p in faces for s in jets.eta[p] if s in U.free_symbols]
    if not strains:
        return
    at = {s: v for p in faces for s, v in zip(jets.eta[p], problem.reference[p])}
    name = "PoincareChetayev: potential"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            K = check_potential(U, strains, [at[s] for s in strains], values, name)
        except ArgumentError:  # no second derivatives there
            if problem.reference_given:
                raise
            return
    if "t" not in problem.parameters and len(K) and np.linalg.eigvalsh(K)[-1] <= 0.0:
        return  # L = U, as in [deSaxce26] 8.2
    for warning in told:
        warn(str(warning.message))


def residual(problem: PoincareChetayev, values: Values = None) -> Callable[..., Array]:
    """Return the field equation as a function of numbers, (dim,); see `function` for its arguments."""
    judge(problem, values)
    raw = function(problem, problem.field, values, "PoincareChetayev.residual")
    return lambda g=None, eta=None, rate=None, x=None: raw(g, eta, rate, x).ravel()


def check_potential(
    potential: Any, variables: Sequence[Any], reference: Any = None, values: Values = None, name: str = "potential"
) -> Array:
    """Return the stiffness at the reference, and warn where a potential is not smooth or not convex there.

    Parameters
    ----------
    potential : expression
        U, an expression in the variables; other symbols must have values.
    variables : sequence of symbols
        Strains or coordinates.
    reference : sequence of float, optional
        Where the stiffness is taken; default: zero.
    values : mapping, optional
        Numbers for the other symbols, by name.
    name : str, optional
        For messages.

    Returns
    -------
    (n, n) array
        Second derivatives of U.

    Examples
    --------
    >>> import sympy as sp
    >>> from cosserat.symbolic import check_potential
    >>> x, k = sp.symbols("x k")
    >>> check_potential(k * x**2 / 2 + x**4, [x], values={"k": 3})
    array([[3.]])
    """
    symbols = listed(name, "variables", variables, "symbols")
    if not isinstance(potential, sp.Expr | int | float):
        raise ArgumentError(name, "", f"is {potential!r}; pass a SymPy expression")
    if not all(isinstance(s, sp.Symbol) for s in symbols):
        raise ArgumentError(name, "variables", f"are {variables!r}; pass symbols")
    U = substituted(named(sp.sympify(potential), symbols), values, set(symbols), name)
    n = len(symbols)
    at = array(name, "reference", np.zeros(n) if reference is None else reference, (n,))
    point = {s: sp.Float(v) if v != 0.0 else sp.Integer(0) for s, v in zip(symbols, at)}
    rough = rough_parts(U)
    if rough:
        warn(
            f"{name}: not smooth, it contains {', '.join(rough)}; forces and stiffnesses jump at "
            "its kinks, where those of one side, or their mean, are taken",
        )
    gradient = slopes([U], symbols)
    H, gradient = slopes(list(gradient), symbols).subs(point), gradient.subs(point)
    if any(not e.is_number or not e.is_finite for e in (*H, *gradient, U.subs(point))):
        raise ArgumentError(name, "", f"has no finite first and second derivatives at {at.tolist()}")
    K = np.array(H, dtype=float)
    lowest = float(np.linalg.eigvalsh(K)[0])
    if lowest < -1e-12 * max(1.0, float(np.abs(K).max())):
        warn(
            f"{name}: not convex at {at.tolist()}, the lowest stiffness is {lowest:.3g}; the reference is unstable",
        )
    return K


class CompiledProblem(CompiledSource):
    """A problem with one parameter as functions of numbers; made by `PoincareChetayev.compile`.

    Numba compiles the source when a function is first called, for a second or two, unless it is to stay Python; the
    code is kept for other processes. Constants can be changed without compiling anything again.

    Attributes
    ----------
    source : str
        The Python module that is compiled: ``system(x, g, eta, p, M, b)`` of M d eta/dx + b = 0, and ``monitors`` for
        the momentum and the energy. g are the entries of the element, p the constants, in order.
    constants : dict of float
    """

    _word = "constant"

    def __init__(
        self, problem: PoincareChetayev, values: Values = None, jit: bool = True, who: str = "PoincareChetayev.compile"
    ) -> None:
        if len(problem.parameters) != 1:
            raise ArgumentError(who, "parameters", f"are {problem.parameters}; ordinary equations need one alone")
        (p,) = problem.parameters
        jets, field = problem.jets, problem.field
        rates, variables = jets.rate[p, p], set(jets.variables())
        system = {"M": field.jacobian(rates), "b": field.xreplace({r: sp.Integer(0) for r in rates})}
        for expression in (system["M"], sp.Matrix([problem.lagrangian, *problem.forces])):
            substituted(expression, values, variables, who)  # raises for what is left free
        judge(problem, values)
        super().__init__(jit)
        self.problem, self.title, self._parameter = problem, who, p
        named = field.free_symbols | problem.lagrangian.free_symbols
        constants = sorted(named - variables, key=str)
        given = {str(name): float(value) for name, value in (values or {}).items()}
        self._names = tuple(str(s) for s in constants)
        self._p = np.array([given[name] for name in self._names] or [0.0])
        symbols, self._entries = entries(problem)
        arguments: dict[str, Any] = {"x": jets.x[p], "g": symbols, "eta": list(problem.eta[p]), "p": constants}
        momentum = problem.momenta[p]
        watched = {"out": sp.Matrix([*momentum, momentum.dot(problem.eta[p]) - problem.lagrangian])}
        functions = [
            function_source("system", arguments, system, {}, "Write M and b."),
            function_source("monitors", arguments, watched, {}, "Write the momentum and the energy."),
        ]
        self.source = module_source(functions, f"Equations on {problem.group}: p = ({', '.join(self._names)}).")

    @property
    def constants(self) -> dict[str, float]:
        """Values of the constants."""
        return self._values()

    @functools.cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The compiled functions: ``rates(x, g, eta, p, out)`` solves the system, ``monitors``."""
        space = self._defined()
        found = {"rates": _solving(space["system"], self.problem.group.dim), "monitors": space["monitors"]}
        return {name: self._ready(f) for name, f in found.items()}

    def rate(self, x: float, g: Any, eta: Any) -> Array:
        """Derivative (dim,) of the velocity at a state; not numbers where the equations are not defined."""
        out = np.full(self.problem.group.dim, np.nan)
        try:
            self.functions["rates"](float(x), self._entries(g), np.asarray(eta, dtype=float), self._p, out)
        except np.linalg.LinAlgError:
            raise SolveError(
                f"{self.title}: the matrix d^2 L/d eta d eta is singular at {self._parameter} = {x:.6g}; some velocity "
                "carries no momentum"
            ) from None
        except (ValueError, ZeroDivisionError, OverflowError):  # of functions that stay Python
            pass
        return out

    def motion(
        self,
        velocity: Any,
        duration: float,
        step: float,
        start: Any = None,
        order: int = 6,
        values: Mapping[str, float] | None = None,
    ) -> GroupMotion:
        """Integrate on the group, as `PoincareChetayev.motion`; `values` are set first."""
        self.set(**(values or {}))
        who, problem, group = "PoincareChetayev.motion", self.problem, self.problem.group.numeric
        if not isinstance(order, int) or order not in (2, 4, 6, 8):
            raise ArgumentError(who, "order", f"is {order!r}; pass 2, 4, 6 or 8")
        eta = array(who, "velocity", velocity, (group.dim,))
        times, g = grid(duration, step, who), element(who, group, start)

        def field(x: float, g: Any, eta: Array) -> tuple[Array, Array]:
            return eta, self.rate(x, g, eta)

        elements, etas = integrate(group, field, g, eta, times, stages=order // 2, setting=problem.setting, who=who)
        watched = np.empty((len(times), group.dim + 1))
        for t, g, eta, row in zip(times, elements, etas, watched, strict=True):
            self.functions["monitors"](float(t), self._entries(g), eta, self._p, row)
        return GroupMotion(group, times, elements, etas, watched[:, :-1], watched[:, -1], problem.setting)


def _solving(system: Callable[..., Any], n: int) -> Callable[..., Any]:
    """A function that solves M rate + b = 0."""

    def rates(x, g, eta, p, out):  # type: ignore[no-untyped-def]
        M, b = np.empty((n, n)), np.empty(n)
        system(x, g, eta, p, M, b)
        out[:] = np.linalg.solve(M, -b)

    return rates
