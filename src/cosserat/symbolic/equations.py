"""Lagrange's equations of a model in symbols."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cosserat.errors import SolveError, shown
from cosserat.model.algebra import function_source, sp, symbols_in
from cosserat.model.model import Model
from cosserat.symbolic.arguments import listed
from cosserat.symbolic.compiled import CompiledEquations, module_source
from cosserat.symbolic.constraints import ConstraintRow, Constraints
from cosserat.symbolic.forces import Forces
from cosserat.symbolic.formulas import T
from cosserat.symbolic.inertia import SymbolicInertia
from cosserat.symbolic.linear import LinearEquations, linearize
from cosserat.symbolic.mechanism import SymbolicMechanism
from cosserat.symbolic.notation import equations_latex, equations_text
from cosserat.symbolic.vectors import TurnFunction


class Equations:
    """M(q) a + h(q, v, t) = tau + A^T lambda, A a + b = 0, of a model, in symbols. Made by `lagrange`.

    Parameters of the model are symbols. Coordinates, velocities and signs are those of `cs.Tree`: h holds everything
    that acts in the model, tau is what actuators add. Velocities of spherical and free joints are angular velocities
    and twists, not rates of coordinates; their frames enter through unit quaternions (see `quaternions`).

    Attributes
    ----------
    coordinates : tuple of str
        As in `Tree.coordinates`.
    q, v, a, tau : tuple of Symbol
    t : Symbol
    parameters : dict of Symbol by name
    quaternions : dict
        Symbols of unit quaternions and what they are in terms of rotation vectors; `explicit` puts it in.
    inputs : dict
        Symbols that stand for functions of time which are Python code, with these functions.
    mechanism : Mechanism
        Positions and Jacobians of places.
    """

    t = T

    def __init__(
        self,
        model: Model,
        names: Any = None,
        potentials: Mapping[str, Any] | None = None,
        forces: Mapping[Any, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        for argument, given in (("potentials", potentials), ("forces", forces), ("parameters", parameters)):
            if not isinstance(given, Mapping | None):
                raise SolveError(f"lagrange: {argument} is {shown(given)}; pass a dict")
        self.mechanism = mechanism = SymbolicMechanism(model, names, "lagrange", parameters)
        self.title = mechanism.model.title
        self.coordinates = mechanism.coordinates
        self.q, self.v, self.a, self.tau = mechanism.q, mechanism.v, mechanism.a, mechanism.tau
        self.parameters, self.quaternions = mechanism.parameters, mechanism.quaternions
        self._inertia = SymbolicInertia(mechanism)
        self._forces = Forces(mechanism, potentials or {}, forces or {})
        self.rows: tuple[ConstraintRow, ...] = tuple(Constraints(mechanism, self._forces).rows)
        self.inputs: dict[sp.Symbol, Callable[[float], float]] = self._forces.inputs
        self.multipliers = tuple(sp.Symbol(f"lambda_{row.name}".replace(".", "_")) for row in self.rows)

    # terms ----------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def mass_matrix(self) -> sp.Matrix:
        """M (n, n)."""
        return self._inertia.mass_matrix()

    @functools.cached_property
    def coriolis(self) -> sp.Matrix:
        """Terms (n, 1) of products of velocities."""
        return self._inertia.coriolis()

    @functools.cached_property
    def gravity(self) -> sp.Matrix:
        """Efforts (n, 1) that hold the weight at rest, as `cs.gravity_forces`."""
        return self._inertia.weight()

    @functools.cached_property
    def forces(self) -> sp.Matrix:
        """Generalised forces (n, 1) of springs, loads, and stiffness, damping, friction and efforts of joints."""
        return self._forces.generalised

    @functools.cached_property
    def bias(self) -> sp.Matrix:
        """h (n, 1) = coriolis + gravity - forces, as `cs.bias`."""
        return self.coriolis + self.gravity - self.forces

    @functools.cached_property
    def kinetic(self) -> sp.Expr:
        """Kinetic energy."""
        v = sp.Matrix(self.v)
        return sp.expand((v.T * self.mass_matrix * v)[0]) / 2

    @functools.cached_property
    def potential(self) -> sp.Expr:
        """Potential energy of gravity, zero at the world origin, and of springs, joints and potentials."""
        return self._inertia.potential() + self._forces.strain

    @property
    def lagrangian(self) -> sp.Expr:
        """Kinetic less potential energy."""
        return self.kinetic - self.potential

    @functools.cached_property
    def constraint_matrix(self) -> sp.Matrix:
        """A (m, n) of the constraints: loops, knife edges and rolling discs, prescribed motions."""
        return sp.Matrix(len(self.rows), len(self.q), [x for row in self.rows for x in row.A])

    @functools.cached_property
    def constraint_bias(self) -> sp.Matrix:
        """b (m, 1) of A a + b = 0."""
        return sp.Matrix(len(self.rows), 1, [row.bias for row in self.rows])

    @property
    def constraint_forces(self) -> sp.Matrix:
        """A^T lambda (n, 1); zero without constraints."""
        return self.constraint_matrix.T * sp.Matrix(len(self.rows), 1, self.multipliers)

    @property
    def residual(self) -> sp.Matrix:
        """M a + h - tau - A^T lambda (n, 1): zero along motions."""
        return self.mass_matrix * sp.Matrix(self.a) + self.bias - sp.Matrix(self.tau) - self.constraint_forces

    def coordinate_rates(self) -> sp.Matrix:
        """Rates (n, 1) of the coordinates in terms of the velocities."""
        return self.mechanism.coordinate_rates()

    # changes --------------------------------------------------------------------------------------------------------

    def explicit(self, expression: Any) -> Any:
        """An expression or matrix with quaternions and their functions written out."""
        out = expression.xreplace(self.quaternions)
        return out.replace(lambda e: isinstance(e, TurnFunction), lambda e: e.explicit())

    def with_values(self, expression: Any) -> Any:
        """An expression or matrix with the present values of the model's parameters."""
        values = {self.parameters[name]: sp.Float(x, 17) for name, x in self.mechanism.values.items()}
        return expression.xreplace(values)

    def combined(self, T: Any, names: Sequence[str]) -> CombinedEquations:
        """The same equations in coordinates q' with q = T q': absolute angles instead of joint angles, say.

        Parameters
        ----------
        T : (n, n)
            Constant and regular.
        names : sequence of str
            Names of the new coordinates.
        """
        return CombinedEquations(self, T, names)

    def linearize(self, about: Mapping[Any, Any] | None = None, inputs: Sequence[Any] = ()) -> LinearEquations:
        """M x'' + C x' + K x = B u for small changes x about a state.

        Parameters
        ----------
        about : dict, optional
            Values of coordinates, velocities, accelerations, efforts and multipliers, by symbol or name; all others of
            them are zero. Parameters may be given as well. Time stays a symbol.
        inputs : sequence, optional
            Symbols or names of parameters, efforts or inputs that change; the columns of B. The name of a coordinate
            stands for the effort in it.

        Examples
        --------
        >>> import cosserat as cs
        >>> from cosserat import symbolic
        >>> g, m, L = cs.Parameter("g", 9.81), cs.Parameter("m", 1.0), cs.Parameter("L", 2.0)
        >>> model = cs.Model("pendulum", gravity=(0, 0, -g))
        >>> rod = model.add(cs.RigidBody.bar("rod", (0, 0, 0), (0, 0, -L), mass=m))
        >>> hinge = model.add(cs.Revolute("q", cs.GROUND, rod.at((0, 0, 0)), axis=(0, 1, 0)))
        >>> linear = symbolic.lagrange(model).linearize()
        >>> linear.M, linear.K
        (Matrix([[L**2*m/3]]), Matrix([[L*g*m/2]]))
        """
        return linearize(self, {} if about is None else about, inputs)

    # output ---------------------------------------------------------------------------------------------------------

    def latex(self, names: Mapping[Any, str] | None = None, notation: str = "cosserat") -> str:
        r"""The equations for a document; `names` are LaTeX names of symbols, such as {"q1": r"\theta_1"}.

        `notation` is that of a source, "Giacaglia20" (2.24) or "Lerbet17" (60): the law as it is written there, its
        names of coordinates and efforts.
        """
        return equations_latex(self, {} if names is None else names, notation)

    def text(self, notation: str = "cosserat") -> str:
        """The equations as text; see `latex`."""
        return equations_text(self, notation)

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def __repr__(self) -> str:
        constraints = f", {len(self.rows)} constraints" if self.rows else ""
        return f"<Equations of {self.title}: {', '.join(self.coordinates)}{constraints}>"

    @property
    def arguments(self) -> dict[str, Sequence[sp.Symbol] | sp.Symbol]:
        """What the functions of `python` take: time, coordinates, velocities, parameters, inputs."""
        return {
            "t": self.t, "q": self.q, "v": self.v, "p": tuple(self.parameters.values()), "u": tuple(self.inputs),
        }  # fmt: skip

    def demand_known(self) -> None:
        """Raise if a formula has symbols that nothing gives a value."""
        known = {self.t, *self.q, *self.v, *self.parameters.values(), *self.inputs, *self.quaternions}
        strange = sorted(str(s) for s in symbols_in(*self.mass_matrix, *self.bias) - known)
        if strange:
            raise SolveError(
                f"{self.title}: no value is known for the symbols {', '.join(strange)} of its equations; give them to "
                f"lagrange, parameters={{{strange[0]!r}: 1.0}}"
            )

    def python(self) -> str:
        """Source of a Python module without imports but `math`.

        ``system(t, q, v, p, u, M, h)`` writes M and h, ``rows(t, q, v, p, u, A, b, drift, gap)`` the constraints, and
        ``rates(t, q, v, p, u, q_dot)`` the rates of the coordinates. p are the parameters and u the inputs, in order.
        """
        self.demand_known()
        inputs, given = self.arguments, self.quaternions
        functions = [
            function_source("system", inputs, {"M": self.mass_matrix, "h": self.bias}, given,
                            "Write M and h of M a + h = tau."),
            function_source("rates", inputs, {"q_dot": self.coordinate_rates()}, {},
                            "Write the rates of the coordinates."),
        ]  # fmt: skip
        if self.rows:
            column = functools.partial(sp.Matrix, len(self.rows), 1)
            outputs = {
                "A": self.constraint_matrix, "b": self.constraint_bias, "drift": column([r.drift for r in self.rows]),
                "gap": column([sp.S.Zero if r.gap is None else r.gap for r in self.rows]),
            }  # fmt: skip
            text = "Write A, b, drift and gap of A a + b = 0, A v + drift = 0, gap = 0."
            functions.append(function_source("rows", inputs, outputs, given, text))
        words = [f"q = ({', '.join(map(str, self.q))})", f"p = ({', '.join(self.parameters)})"]
        return module_source(functions, f"Equations of {self.title}: {', '.join(words)}.")

    def compile(self, jit: bool = True) -> CompiledEquations:
        """The equations as functions of numbers, compiled by Numba unless `jit` is False, and their motion."""
        return CompiledEquations(self, jit)


class CombinedEquations:
    """Equations in other coordinates q', q = T q'; made by `Equations.combined`."""

    def __init__(self, equations: Equations, T: Any, names: Sequence[str]) -> None:
        n = len(equations.q)
        try:
            matrix = sp.Matrix(T)
        except (TypeError, ValueError, sp.SympifyError):
            matrix = sp.zeros(0, 0)
        if matrix.shape != (n, n) or matrix.det() == 0:
            raise SolveError(f"combined: T must be a regular matrix ({n}, {n}), got {shown(T)}")
        if equations.quaternions:
            raise SolveError("combined: spherical and free joints have no coordinates that could be added")
        names = listed("combined", "names", names, f"{n} new names")
        if len(names) != n or not all(isinstance(name, str) and name.isidentifier() for name in names):
            raise SolveError(f"combined: names is {names!r}; pass one for each of the {n} new coordinates")
        self.matrix = matrix
        self.q = tuple(sp.Symbol(name) for name in names)
        self.v = tuple(sp.Symbol(f"{name}_dot") for name in names)
        self.a = tuple(sp.Symbol(f"{name}_ddot") for name in names)
        old = [*equations.q, *equations.v]
        new = [*(matrix * sp.Matrix(self.q)), *(matrix * sp.Matrix(self.v))]
        self._replaced = dict(zip(old, new, strict=True))
        self.equations = equations

    def expressed(self, expression: Any) -> Any:
        """An expression or matrix of the old coordinates in the new ones."""
        return expression.xreplace(self._replaced)

    @functools.cached_property
    def mass_matrix(self) -> sp.Matrix:
        """M (n, n)."""
        return (self.matrix.T * self.expressed(self.equations.mass_matrix) * self.matrix).applyfunc(sp.expand)

    def _forces(self, column: sp.Matrix) -> sp.Matrix:
        return (self.matrix.T * self.expressed(column)).applyfunc(sp.expand)

    @functools.cached_property
    def coriolis(self) -> sp.Matrix:
        """Terms (n, 1) of products of velocities."""
        return self._forces(self.equations.coriolis)

    @functools.cached_property
    def gravity(self) -> sp.Matrix:
        """Efforts (n, 1) that hold the weight at rest."""
        return self._forces(self.equations.gravity)

    @functools.cached_property
    def forces(self) -> sp.Matrix:
        """Generalised forces (n, 1) of springs, loads and joints."""
        return self._forces(self.equations.forces)

    @functools.cached_property
    def bias(self) -> sp.Matrix:
        """h (n, 1)."""
        return self.coriolis + self.gravity - self.forces


def lagrange(
    model: Model,
    names: Any = None,
    potentials: Mapping[str, Any] | None = None,
    forces: Mapping[Any, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Equations:
    """Equations of motion of a model of rigid bodies in symbols.

    Parameters
    ----------
    model : Model
        Of rigid bodies, with any joints, springs, loads, loops, knife edges and rolling discs. Its parameters become
        symbols, its numbers fractions where they are ones.
    names : sequence or dict of str, optional
        Names of the coordinates in formulas, in the order of `Tree.coordinates` or by coordinate.
    potentials : dict, optional
        Potentials U(t, q) of joints, by the name of the joint: expressions in the symbols of its coordinates, of time
        ``t`` and of parameters, or functions of (t, q1, ...) that give them. Source: [Lerbet17] (58).

    forces : dict, optional
        Laws of force by place: functions of the motion of the place (`PlaceSymbols`: ``t``, ``position``, ``rotation``,
        ``velocity``, ``angular_velocity``, in world axes) that give a force (3), or a force and a moment (6).
    parameters : dict of float, optional
        Symbols in potentials and forces that the model does not have, with values.

    Returns
    -------
    Equations

    Examples
    --------
    >>> import cosserat as cs
    >>> from cosserat import symbolic
    >>> m, L, g = cs.Parameter("m", 1.0), cs.Parameter("L", 2.0), cs.Parameter("g", 9.81)
    >>> model = cs.Model("pendulum", gravity=(0, 0, -g))
    >>> rod = model.add(cs.RigidBody.bar("rod", (0, 0, 0), (0, 0, -L), mass=m))
    >>> hinge = model.add(cs.Revolute("q", cs.GROUND, rod.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> equations = symbolic.lagrange(model)
    >>> equations.mass_matrix, equations.bias
    (Matrix([[L**2*m/3]]), Matrix([[L*g*m*sin(q)/2]]))
    """
    return Equations(model, names, potentials, forces, parameters)
