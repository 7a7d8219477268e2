"""Poincare-Chetayev problems with one parameter, compiled by Numba, and motions of them on their group."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model.algebra import function_source
from cosserat.symbolic import evaluate
from cosserat.symbolic.compiled import CompiledSource, module_source
from cosserat.symbolic.dependency import sp
from cosserat.symbolic.group_dynamics import GroupMotion

if TYPE_CHECKING:
    from cosserat.symbolic.poincare import PoincareChetayev

_WHO = "PoincareChetayev.compile"


class CompiledProblem(CompiledSource):
    """A problem with one parameter as functions of numbers; made by `PoincareChetayev.compile`.

    Numba compiles the source when a function is first called, for a second or two; the code is kept for other
    processes. Constants can be changed without compiling anything again.

    Attributes
    ----------
    source : str
        The Python module that is compiled: ``system(x, g, eta, p, M, b)`` of M d eta/dx + b = 0, and ``monitors`` for
        the momentum and the energy. g are the entries of the element, p the constants, in order.
    constants : dict of float
    """

    title, _word = _WHO, "constant"

    def __init__(self, problem: PoincareChetayev, values: evaluate.Values = None, jit: bool = True) -> None:
        if len(problem.parameters) != 1:
            raise ArgumentError(_WHO, "parameters", f"are {problem.parameters}; ordinary equations need one alone")
        everything = sp.Matrix([problem.lagrangian, *problem.forces])
        evaluate.substituted(everything, values, set(problem.jets.variables()), _WHO)  # raises for what is left free
        evaluate.judge(problem, values)
        super().__init__(jit)
        self.problem = problem
        (self._parameter,) = problem.parameters
        jets, field = problem.jets, problem.field
        rates, eta = jets.rate[self._parameter, self._parameter], problem.eta[self._parameter]
        momenta = problem.momenta[self._parameter]
        named = field.free_symbols | problem.lagrangian.free_symbols
        constants = sorted(named - set(jets.variables()), key=str)
        given = {str(name): float(value) for name, value in (values or {}).items()}
        self._names = tuple(str(s) for s in constants)
        self._p = np.array([given[name] for name in self._names] or [0.0])
        symbols, self._entries = evaluate.entries(problem)
        arguments: dict[str, Any] = {
            "x": jets.x[self._parameter], "g": symbols, "eta": list(eta), "p": constants,
        }  # fmt: skip
        still = field.xreplace({r: sp.Integer(0) for r in rates})
        watched = sp.Matrix([*momenta, momenta.dot(eta) - problem.lagrangian])
        self.source = module_source(
            [
                function_source("system", arguments, {"M": field.jacobian(rates), "b": still}, {}, "Write M and b."),
                function_source("monitors", arguments, {"out": watched}, {}, "Write the momentum and the energy."),
            ],
            f"Equations on {problem.group}: p = ({', '.join(self._names)}).",
        )

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
        """Derivative (dim,) of the velocity at a state."""
        out = np.empty(self.problem.group.dim)
        try:
            self.functions["rates"](float(x), self._entries(g), np.asarray(eta, dtype=float), self._p, out)
        except np.linalg.LinAlgError:
            raise evaluate.singular(_WHO, self._parameter, x) from None
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

        def watched(t: float, g: Any, eta: Array) -> Array:
            out = np.empty(self.problem.group.dim + 1)
            self.functions["monitors"](float(t), self._entries(g), eta, self._p, out)
            return out

        return evaluate.moved(self.problem, self.rate, watched, velocity, duration, step, start, order)


def _solving(system: Callable[..., Any], n: int) -> Callable[..., Any]:
    """A function that solves M rate + b = 0."""

    def rates(x, g, eta, p, out):  # type: ignore[no-untyped-def]
        M, b = np.empty((n, n)), np.empty(n)
        system(x, g, eta, p, M, b)
        out[:] = np.linalg.solve(M, -b)

    return rates
