"""Poincare-Chetayev equations of a Lagrangian on a Lie group gauged over parameters [Boyer05] sections 3-4.

The variables of a Lagrangian are velocities along each parameter, their derivatives, and the element, all of them plain
symbols. Along the parameter ``t`` the component ``v1`` of the velocity is ``v1_t``, its derivative along ``X`` is
``v1_t_X``; so an expression can be differentiated, printed and compiled without functions of functions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model.algebra import slope, sp
from cosserat.symbolic import evaluate
from cosserat.symbolic.arguments import array
from cosserat.symbolic.conserved import Current, currents
from cosserat.symbolic.evaluate import Values
from cosserat.symbolic.group_dynamics import GroupMotion
from cosserat.symbolic.groups import Group
from cosserat.symbolic.notation import Notation, printed

_WHO = "PoincareChetayev"


class PoincareChetayev:
    """Field, boundary and compatibility equations of a medium whose configuration is a field g(x) on a group.

    With eta_i = g^-1 d_i g (material setting) the action ``integral L(eta, g, x) dx`` is stationary when

        sum_i (d_i mu_i - ad(eta_i)^T mu_i) - X_g(L) = F,     mu_i = dL/d eta_i       [Boyer05] (27)
        sum_I mu_I N_I = -F~  on the boundary                                          (28), sign corrected

    and in the spatial setting, eta_i = d_i g g^-1, with + ad(eta_i)^T mu_i and Z_g(L) (29)-(30). One parameter gives
    the Euler-Poincare equation with its defect of symmetry (31)-(32), a commutative group Lagrange's equations.

    Parameters
    ----------
    group : symbolic.Group or cosserat.lie.Group
        The group.
    lagrangian : callable or expression
        Called with one column of velocities per parameter, in order, and, if it takes one argument more, the element:
        ``lagrangian(eta_t, eta_X, g)``. The element is its matrix; for R^n the column q; for a product a tuple.
        Or an expression in the symbols of `Jets` (``v1_t``, ``R11``, ...). In statics L = -U: with L = U, as in
        [deSaxce26] 8.2, the same equations hold between internal forces, but loads change sign.
    parameters : sequence of str
        Names of the parameters. One called ``t`` is time: it has no boundary.
    setting : str
        "material" or "spatial".
    forces : sequence or callable, optional
        Field forces F, dim components, per unit of the material manifold, dual to the variations of the setting.
        A callable gets the arguments of the Lagrangian.
    boundary_forces : sequence, optional
        Forces F~ on the boundary, dim components; default: symbols.
    reference : dict, optional
        Strains of the reference configuration, (dim,) numbers by parameter, where the potential -L is expected to be
        convex: `residual`, `dynamics` and `motion` warn where it is not, or not smooth. Default: zero.

    Examples
    --------
    Euler's equations of a rigid body about its centre:

    >>> import sympy as sp
    >>> from cosserat.symbolic import SO3, PoincareChetayev
    >>> J = sp.diag(*sp.symbols("J1:4"))
    >>> body = PoincareChetayev(SO3, lambda w: (w.T * J * w)[0] / 2)
    >>> sp.expand(body.field[0])
    J1*w1_t_t - J2*w2_t*w3_t + J3*w2_t*w3_t
    """

    def __init__(
        self,
        group: Any,
        lagrangian: Callable[..., Any] | Any,
        parameters: Sequence[str] = ("t",),
        setting: str = "material",
        forces: Any = None,
        boundary_forces: Any = None,
        reference: Mapping[str, Any] | None = None,
    ) -> None:
        self.group = Group.of(group)
        self.jets = Jets(self.group, parameters, setting)
        self.parameters, self.setting = self.jets.parameters, setting
        self.lagrangian = _scalar(self._call(lagrangian))
        self._checked_symbols(self.lagrangian)
        self.forces = self._column(forces, "forces")
        names = [f"F_{c}" for c in self.group.components]
        default = [sp.Symbol(name, real=True) for name in names]
        self.boundary_forces = self._column(default if boundary_forces is None else boundary_forces, "boundary_forces")
        self.momenta = {
            p: sp.Matrix([slope(self.lagrangian, s) for s in self.jets.eta[p]]) for p in self.parameters
        }
        self.defect = self.jets.defect(self.lagrangian)
        self.reference_given = reference is not None
        self.reference = self._strains(reference)

    def _strains(self, given: Any) -> dict[str, Any]:
        """Strains of the reference configuration by parameter."""
        faces = [p for p in self.parameters if p != "t"]
        if not isinstance(given, Mapping | None) or any(p not in faces for p in given or {}):
            there = ", ".join(map(repr, faces)) or "none"
            raise ArgumentError(_WHO, "reference", f"is {given!r}; pass a dict of strains by parameter, of {there}")
        zero = [0.0] * self.group.dim
        return {p: array(_WHO, f"reference[{p!r}]", (given or {}).get(p, zero), (self.group.dim,)) for p in faces}

    @property
    def eta(self) -> dict[str, Any]:
        """Columns of velocity symbols, one per parameter."""
        return self.jets.eta

    @property
    def g(self) -> Any:
        """The element, a matrix of symbols."""
        return self.jets.g

    def term(self, p: str) -> Any:
        """Return d_p mu_p -+ ad(eta_p)^T mu_p, the covariant derivative of the momentum along one parameter."""
        if not isinstance(p, str) or p not in self.parameters:
            raise ArgumentError(_WHO, "term", f"got parameter {p!r}; the parameters are {', '.join(self.parameters)}")
        mu = self.momenta[p]
        sign = -1 if self.setting == "material" else 1
        rate = sp.Matrix([self.jets.total(m, p) for m in mu])
        return rate + sign * self.group.coad(self.eta[p]) * mu

    @cached_property
    def field(self) -> Any:
        """Left side minus right side of the field equation (27)/(29), a column (dim, 1); zero along a motion."""
        total = sp.zeros(self.group.dim, 1)
        for p in self.parameters:
            total += self.term(p)
        return total - self.defect - self.forces

    @property
    def boundary(self) -> Any:
        """Residual of the boundary equation, sum_I mu_I N_I + F~, with normals N_X; empty without boundary."""
        faces = [p for p in self.parameters if p != "t"]
        if not faces:
            return sp.zeros(0, 1)
        total = sp.zeros(self.group.dim, 1)
        for p in faces:
            total += self.momenta[p] * sp.Symbol(f"N_{p}", real=True)
        return total + self.boundary_forces

    def boundary_at(self, p: str, side: int) -> Any:
        """Return the boundary residual at one end of a parameter: ``side`` is -1 where it starts, +1 where it ends."""
        if not isinstance(p, str) or p not in self.parameters or p == "t":
            there = ", ".join(q for q in self.parameters if q != "t") or "none"
            raise ArgumentError(_WHO, "boundary_at", f"got parameter {p!r}; parameters with a boundary: {there}")
        if side not in (-1, 1):
            raise ArgumentError(_WHO, "boundary_at", f"got side {side!r}; pass -1 for the start, 1 for the end")
        normals = {sp.Symbol(f"N_{q}", real=True): sp.Integer(side if q == p else 0) for q in self.parameters}
        return self.boundary.xreplace(normals)

    @property
    def compatibility(self) -> dict[tuple[str, str], Any]:
        """Residuals of the Maurer-Cartan equations d_i eta_j - d_j eta_i +- [eta_i, eta_j] [deSaxce26] (69)."""
        sign = 1 if self.setting == "material" else -1
        out = {}
        for i, p in enumerate(self.parameters):
            for q in self.parameters[i + 1 :]:
                bracket = self.group.bracket(self.eta[p], self.eta[q])
                out[p, q] = self.jets.rate[q, p] - self.jets.rate[p, q] + sign * bracket
        return out

    @property
    def reconstruction(self) -> dict[str, Any]:
        """Matrices d_i g: g hat(eta_i) in the material, hat(eta_i) g in the spatial setting [deSaxce26] (68)."""
        return {p: self.jets.derivative_of_element(p) for p in self.parameters}

    @property
    def energy(self) -> Any:
        """Energy density <mu_t, eta_t> - L; needs the parameter t."""
        if "t" not in self.parameters:
            raise ArgumentError(_WHO, "energy", f"needs the parameter 't'; the parameters are {self.parameters}")
        return self.momenta["t"].dot(self.eta["t"]) - self.lagrangian

    def conserved(self) -> list[Current]:
        """Return the momenta whose divergence vanishes by a symmetry of the Lagrangian (forces left out)."""
        return currents(self)

    def equations(self, notation: str = "cosserat") -> Notation:
        """Return the equations as text and LaTeX in the notation of a source; see `symbolic.notations`."""
        return printed(self, notation)

    def residual(self, values: Values = None) -> Callable[..., Any]:
        """Return the field equation as a function ``f(g, eta, rate, x)`` of numbers.

        ``values`` gives the constants by name; ``eta`` maps a parameter to its velocity, ``rate`` a pair (p, q) to the
        derivative of eta_p along q, ``x`` a parameter to its value; what is left out is zero, or the identity.
        """
        return evaluate.residual(self, values)

    def dynamics(self, values: Values = None) -> Callable[[float, Any, Any], Any]:
        """Return ``f(x, g, eta)``, the derivative of eta, of a problem with one parameter x: t, or the S of an arch."""
        return evaluate.CompiledProblem(self, values, False, "PoincareChetayev.dynamics").rate

    def compile(self, values: Values = None, jit: bool = True) -> evaluate.CompiledProblem:
        """Compile a problem with one parameter by Numba, unless ``jit`` is False; ``values`` are its constants.

        Examples
        --------
        >>> import sympy as sp
        >>> from cosserat.symbolic import SO3, PoincareChetayev
        >>> J = sp.diag(*sp.symbols("J1:4"))
        >>> body = PoincareChetayev(SO3, lambda w: (w.T * J * w)[0] / 2)
        >>> compiled = body.compile({"J1": 1.0, "J2": 2.0, "J3": 3.0})
        >>> compiled.motion([1, 0.2, 0.5], 1.0, 0.1).velocity.shape
        (11, 3)
        """
        return evaluate.CompiledProblem(self, values, jit)

    def motion(
        self, velocity: Any, duration: float, step: float, start: Any = None, values: Values = None, order: int = 6
    ) -> GroupMotion:
        """Integrate a problem with one parameter, on its group, by collocation of order 2, 4, 6 or 8.

        ``velocity`` is eta at the start in the setting of the problem, ``start`` the element (default: the identity),
        ``values`` the constants by name. Along the arc length of an arch, eta is the strain, and what is conserved as
        energy is <momentum, strain> - L.
        """
        array("PoincareChetayev.motion", "velocity", velocity, (self.group.dim,))
        compiled = evaluate.CompiledProblem(self, values, False, "PoincareChetayev.motion")
        return compiled.motion(velocity, duration, step, start, order)

    def _repr_latex_(self) -> str:
        return self.equations().latex

    def __repr__(self) -> str:
        return f"PoincareChetayev({self.group}, parameters={self.parameters}, setting={self.setting!r})"

    def _call(self, function: Any) -> Any:
        if not callable(function) or isinstance(function, sp.Basic):
            return function
        arguments: list[Any] = [self.jets.eta[p] for p in self.parameters]
        needed = _positional(function)
        if needed == len(arguments) + 1:
            arguments.append(self.group.present(self.jets.g))
        elif needed not in (-1, len(arguments)):
            raise ArgumentError(
                _WHO,
                "lagrangian",
                f"takes {needed} arguments; pass one velocity for each of {self.parameters}, and g if it is needed",
            )
        try:
            return function(*arguments)
        except (IndexError, TypeError, ValueError, AttributeError, sp.ShapeError) as error:
            sizes = f"velocities have {self.group.dim} components, the element is of {self.group}"
            raise ArgumentError(_WHO, "lagrangian", f"or another function fails: {error}; {sizes}") from error

    def _column(self, value: Any, what: str) -> Any:
        value = self._call(value)
        if value is None:
            return sp.zeros(self.group.dim, 1)
        try:
            column = sp.Matrix([] if isinstance(value, str) else list(value))
        except (TypeError, ValueError, sp.SympifyError):
            raise ArgumentError(_WHO, what, f"are {value!r}; pass {self.group.dim} expressions") from None
        if column.shape != (self.group.dim, 1):
            raise ArgumentError(
                _WHO, what, f"have {column.shape[0]} components; pass {self.group.dim}, dual to {self.group.components}"
            )
        self._checked_symbols(column)
        return column

    def _checked_symbols(self, expression: Any) -> None:
        """Raise for symbols that look like variables of this problem and are not (another parameter, a slip)."""
        known = {s.name for s in self.jets.variables()}
        for s in sorted(expression.free_symbols, key=str):
            stem, _, rest = s.name.partition("_")
            if rest and stem in self.group.components and s.name not in known:
                raise ArgumentError(
                    _WHO, "lagrangian", f"contains {s.name}, no velocity of this problem; velocities: "
                    + ", ".join(str(v) for p in self.parameters for v in self.eta[p])
                )
            if s.name in known and s not in self.jets.variables():
                raise ArgumentError(
                    _WHO, "lagrangian", f"contains a symbol {s.name} with other assumptions; take symbols from Jets, "
                    "or pass a function of the velocities"
                )


def _scalar(value: Any) -> Any:
    if isinstance(value, sp.MatrixBase):
        if value.shape != (1, 1):
            raise ArgumentError(_WHO, "lagrangian", f"is a matrix {value.shape}; it must be one expression")
        value = value[0]
    try:
        expression = None if isinstance(value, str) else sp.sympify(value)
    except (sp.SympifyError, TypeError):
        raise ArgumentError(_WHO, "lagrangian", f"is {value!r}; pass an expression or a function") from None
    if not isinstance(expression, sp.Expr):
        raise ArgumentError(_WHO, "lagrangian", f"is {value!r}; pass an expression or a function")
    return expression


def _positional(function: Callable[..., Any]) -> int:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.signature(function).parameters.values()
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in signature):
        return -1
    return sum(1 for p in signature if p.kind in kinds and p.default is inspect.Parameter.empty)


class Jets:
    """First jets of a field g(x) on a group: symbols of g, of eta_i = g^-1 d_i g (or d_i g g^-1), of d_j eta_i.

    Parameters
    ----------
    group : symbolic.Group
        The group.
    parameters : sequence of str
        Names of the parameters x^i, for instance ``("t", "X")``.
    setting : str
        "material": eta = g^-1 dg; "spatial": eta = dg g^-1.
    """

    def __init__(self, group: Group, parameters: Sequence[str], setting: str) -> None:
        given = parameters if isinstance(parameters, Iterable) else ()
        names = (parameters,) if isinstance(parameters, str) else tuple(given)
        bad = [n for n in names if not (isinstance(n, str) and re.fullmatch(r"[A-Za-z]\w*", n))]
        if not names or bad or len(set(names)) < len(names):
            raise ArgumentError(
                "PoincareChetayev", "parameters", f"are {parameters!r}; pass different names, such as ('t', 'X')"
            )
        if setting not in ("material", "spatial"):
            raise ArgumentError("PoincareChetayev", "setting", f"is {setting!r}; pass 'material' or 'spatial'")
        self.group, self.parameters, self.setting = group, names, setting
        self.x = {p: sp.Symbol(p, real=True) for p in names}
        self.g = group.element()
        self.eta = {p: sp.Matrix([_symbol(f"{c}_{p}") for c in group.components]) for p in names}
        self.rate = {
            (p, q): sp.Matrix([_symbol(f"{c}_{p}_{q}") for c in group.components]) for p in names for q in names
        }

    def derivative_of_element(self, p: str) -> Any:
        """Return d_p g: g hat(eta_p), in the spatial setting hat(eta_p) g (the reconstruction equation)."""
        return self.push(self.eta[p], self.setting)

    def push(self, xi: Any, setting: str) -> Any:
        """Return g hat(xi) ("material") or hat(xi) g ("spatial")."""
        X = self.group.hat(xi)
        return self.g * X if setting == "material" else X * self.g

    def along(self, expression: Any, dg: Any) -> Any:
        """Return the derivative of an expression when g moves by the matrix dg and all else rests."""
        pairs = [(s, d) for s, d in zip(self.g, dg) if s.is_Symbol and s in expression.free_symbols]
        return sum((slope(expression, s) * d for s, d in pairs), sp.Integer(0))

    def total(self, expression: Any, p: str) -> Any:
        """Return the total derivative of an expression along the parameter p."""
        expression = sp.sympify(expression)
        free = expression.free_symbols
        value = slope(expression, self.x[p]) + self.along(expression, self.derivative_of_element(p))
        for q in self.parameters:
            for symbol, rate in zip(self.eta[q], self.rate[q, p]):
                if symbol in free:
                    value += slope(expression, symbol) * rate
        return value

    def defect(self, expression: Any, setting: str | None = None) -> Any:
        """Return X_alpha(L) (material, [Boyer05] (23)) or Z_alpha(L) (spatial, (26)), a column (dim, 1)."""
        side = self.setting if setting is None else setting
        unit = sp.eye(self.group.dim)
        return sp.Matrix([self.along(expression, self.push(unit[:, a], side)) for a in range(self.group.dim)])

    def variables(self) -> list[Any]:
        """Return all symbols that are not constants: parameters, entries of g, velocities, their derivatives."""
        entries = [s for s in self.g if s.is_Symbol]
        etas = [s for p in self.parameters for s in self.eta[p]]
        rates = [s for pair in self.rate.values() for s in pair]
        return [*self.x.values(), *entries, *etas, *rates]


def _symbol(name: str) -> Any:
    return sp.Symbol(name, real=True)
