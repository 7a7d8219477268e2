"""Equations in symbols as Python modules, compiled by Numba, and motions of them on their group."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from cosserat.errors import ParameterError, SolveError, shown
from cosserat.jit import keep_user
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.lie.coefficients import cotc, sinc
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.symbolic import stepping
from cosserat.symbolic.arguments import by_name

if TYPE_CHECKING:
    from cosserat.symbolic.equations import Equations


def module_source(functions: Iterable[str], title: str) -> str:
    """A module of functions that runs by itself: with the imports and helpers it needs."""
    functions = list(functions)
    text = "\n\n".join(functions)
    parts = [f'"""{title}"""\n\nimport math\n']
    parts += [inspect.getsource(f) for f in (sinc, cotc) if f"{f.__name__}(" in text]
    return "\n\n".join([*parts, *functions])


class CompiledSource:
    """Functions of numbers made from a source, with numbers by name that can be changed without compiling anew."""

    source: str
    title: str
    _word: ClassVar[str] = "parameter"
    _names: tuple[str, ...]
    _p: Array

    def __init__(self, jit: bool) -> None:
        self._jit, self._inner = jit, dict[int, Any]()

    def _defined(self) -> dict[str, Any]:
        """What the source defines, as plain Python."""
        space: dict[str, Any] = {"__name__": __name__}  # kept code belongs to a module that can be imported
        exec(compile(self.source, f"<equations of {self.title}>", "exec"), space)
        return space

    def _ready(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return keep_user(function, self._inner) if self._jit else function

    def _values(self) -> dict[str, float]:
        return dict(zip(self._names, self._p.tolist()))  # where there are none, `_p` has one that nobody reads

    def set(self, **values: float) -> None:
        """Set numbers by name."""
        for name, value in values.items():
            if name not in self._names:
                known = ", ".join(map(repr, self._names)) or "none"
                raise ParameterError(f"{self.title}: no {self._word} {name!r}; {self._word}s: {known}")
            if not np.isfinite(value):
                raise ParameterError(f"{self.title}: {self._word} {name!r} is {value}; it must be finite")
            self._p[self._names.index(name)] = value


class Accelerations(NamedTuple):
    """Accelerations (n,) and multipliers (m,) of a state."""

    a: Array
    multipliers: Array


@dataclass(frozen=True)
class SymbolicMotion:
    """A motion: times (nt,), coordinates and velocities (nt, n), and the greatest violation of the constraints."""

    coordinates: tuple[str, ...]
    t: Array
    q: Array
    v: Array
    gap: float


class CompiledEquations(CompiledSource):
    """Equations as functions of numbers; made by `Equations.compile`.

    Numba compiles the source of `Equations.python` when a function is first called, for a second or more, and the code
    is kept for other processes in the folder of the kernels. Parameters have the values that the model has at that
    moment; `set` changes them without compiling anything again.

    Attributes
    ----------
    source : str
        The Python module that was compiled.
    coordinates : tuple of str
    parameters : dict of float
    """

    def __init__(self, equations: Equations, jit: bool = True) -> None:
        super().__init__(jit)
        self.source = equations.python()
        self.title, self.coordinates = equations.title, equations.coordinates
        self._p = np.array([equations.mechanism.values[name] for name in equations.parameters], dtype=float)
        self._names = tuple(equations.parameters)
        self._inputs = tuple(equations.inputs.values())
        self._n, self._m = len(equations.q), len(equations.rows)
        links = [link for link in equations.mechanism.data.links if link.kind in (SPHERICAL, FREE)]
        self._balls = np.array([[k.first + (3 if k.kind == FREE else 0), k.turn] for k in links]).reshape(-1, 2)
        periods = [equations.with_values(row.period) for row in equations.rows]
        self._periods = np.array([float(x) for x in periods])
        self._free = np.array([row.gap is None for row in equations.rows], dtype=bool)
        self._no_input = np.zeros(max(1, len(self._inputs)))

    def __repr__(self) -> str:
        return f"<CompiledEquations of {self.title}: {', '.join(self.coordinates)}>"

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters."""
        return self._values()

    @functools.cached_property
    def functions(self) -> dict[str, Any]:
        """The compiled functions `system`, `rates` and, with constraints, `rows`."""
        space = self._defined()
        self._plain: dict[str, Any] = {name: space[name] for name in ("system", "rates", "rows") if name in space}
        return {name: self._ready(function) for name, function in self._plain.items()}

    @functools.cached_property
    def _loops(self) -> stepping.Loops:
        self.functions  # noqa: B018  makes the plain ones
        return stepping.Loops(*map(self._ready, stepping.loops(self._plain, self._n, self._m)))

    # states ---------------------------------------------------------------------------------------------------------

    def _state(self, call: str, **vectors: Any) -> list[Array]:
        found = []
        for name, value in vectors.items():
            try:
                array = np.ascontiguousarray(value, dtype=float)
            except (TypeError, ValueError):
                array = np.zeros(0)
            if array.shape != (self._n,) or not np.isfinite(array).all():
                raise SolveError(
                    f"{call}: {name} must be {self._n} finite numbers ({', '.join(self.coordinates)}), got {value!r}"
                )
            found.append(array)
        return found

    def inputs(self, t: float) -> Array:
        """Values at time t of the inputs, the functions of time that are Python code."""
        if not self._inputs:
            return self._no_input
        return np.array([function(t) for function in self._inputs])

    def system(self, q: Any, v: Any, t: float = 0.0) -> tuple[Array, Array]:
        """M (n, n) and h (n,)."""
        q, v = self._state("system", q=q, v=v)
        checks.number("system", "t", t)
        M, h = np.empty((self._n, self._n)), np.empty(self._n)
        self.functions["system"](float(t), q, v, self._p, self.inputs(t), M, h)
        return M, h

    def mass_matrix(self, q: Any, t: float = 0.0) -> Array:
        """M (n, n)."""
        return self.system(q, np.zeros(self._n), t)[0]

    def bias(self, q: Any, v: Any, t: float = 0.0) -> Array:
        """h (n,)."""
        return self.system(q, v, t)[1]

    def coordinate_rates(self, q: Any, v: Any) -> Array:
        """Rates (n,) of the coordinates."""
        q, v = self._state("coordinate_rates", q=q, v=v)
        out = np.empty(self._n)
        self.functions["rates"](0.0, q, v, self._p, self._no_input, out)
        return out

    def rows(self, q: Any, v: Any, t: float = 0.0) -> tuple[Array, Array, Array, Array]:
        """A (m, n), b, drift and gap (m,) of A a + b = 0, A v + drift = 0, gap = 0."""
        q, v = self._state("rows", q=q, v=v)
        A = np.zeros((self._m, self._n))
        b, drift, gap = np.zeros((3, self._m))
        if self._m:
            self.functions["rows"](float(t), q, v, self._p, self.inputs(t), A, b, drift, gap)
        return A, b, drift, gap

    def forward_dynamics(self, q: Any, v: Any, tau: Any = None, t: float = 0.0, out: Any = None) -> Array:
        """Accelerations (n,) under efforts tau and the constraints."""
        try:  # plain arrays go straight to the compiled code
            a = np.empty(self._n) if out is None else out
            push = self._zero if tau is None else tau
            if self._m == 0 and q.shape == v.shape == push.shape == a.shape == (self._n,):
                if self._loops.accelerate(t, q, v, push, self._p, self.inputs(t), *self._room, a) == 0:
                    return a
        except (AttributeError, TypeError):
            pass
        found = self.constrained_dynamics(q, v, tau, t).a
        if out is None:
            return found
        if not isinstance(out, np.ndarray) or out.shape != found.shape:
            raise SolveError(f"forward_dynamics: out is {shown(out)}; pass an array of {self._n} numbers")
        out[:] = found
        return out

    @functools.cached_property
    def _zero(self) -> Array:
        return np.zeros(self._n)

    @functools.cached_property
    def _room(self) -> tuple[Array, Array]:
        return np.empty((self._n, self._n)), np.empty(self._n)

    def constrained_dynamics(self, q: Any, v: Any, tau: Any = None, t: float = 0.0) -> Accelerations:
        """Accelerations and multipliers; the smallest ones where constraints depend on one another."""
        q, v, tau = self._state("constrained_dynamics", q=q, v=v, tau=np.zeros(self._n) if tau is None else tau)
        M, h = self.system(q, v, t)
        A, b, _, _ = self.rows(q, v, t)
        free = np.linalg.solve(M, tau - h)
        if not self._m:
            return Accelerations(free, np.zeros(0))
        carried = np.linalg.solve(M, A.T)
        multipliers = np.asarray(np.linalg.lstsq(A @ carried, -b - A @ free, rcond=1e-10)[0], dtype=np.float64)
        return Accelerations(free + carried @ multipliers, multipliers)

    def motion(
        self,
        q: Any,
        v: Any,
        duration: float,
        step: float,
        efforts: Callable[[float, Array, Array], Any] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> SymbolicMotion:
        """Move by a Runge-Kutta method of fourth order on the group.

        Rotations of spherical and free joints are stepped with the exponential map. With constraints the state is
        brought back to them after every step, along the least change in the metric of the mass matrix.

        Parameters
        ----------
        q, v : (n,)
            First state.
        duration, step : float
            In seconds; the step is fitted to the duration.
        efforts : callable, optional
            tau (n,) as a function of t, q, v; zero by default.
        parameters : dict, optional
            Values of parameters for this motion and those after it.

        Examples
        --------
        >>> import cosserat as cs
        >>> from cosserat import symbolic
        >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
        >>> bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
        >>> hinge = model.add(cs.Revolute("q", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
        >>> compiled = symbolic.lagrange(model).compile()
        >>> motion = compiled.motion([0.0], [0.0], duration=1.0, step=1e-3)
        >>> motion.q.shape
        (1001, 1)
        """
        q, v = self._state("motion", q=q, v=v)
        if not (efforts is None or callable(efforts)):
            raise SolveError(f"motion: efforts is {shown(efforts)}; pass a function of t, q, v")
        self.set(**by_name("motion", "parameters", {} if parameters is None else parameters, "numbers by name"))
        for name, value in (("duration", duration), ("step", step)):
            if not isinstance(value, (int, float)) or not 0.0 < value < np.inf:
                raise SolveError(f"motion: {name} is {value!r}; pass a time greater than 0")
        steps = max(1, round(duration / step))
        t = np.linspace(0.0, duration, steps + 1)
        qs, vs = np.empty((steps + 1, self._n)), np.empty((steps + 1, self._n))
        qs[0], vs[0] = q, v
        if efforts is None and not self._inputs:
            gap, at = self._loops.move(t, qs, vs, self._p, self._balls, self._periods, self._free)
        else:
            gap, at = self._sampled(t, qs, vs, efforts)
        if at < steps:
            found = "no finite state" + " that meets the constraints" * bool(self._m)
            raise SolveError(f"motion: {self.title}: {found} after t = {t[at]:.6g} s; take smaller steps")
        return SymbolicMotion(self.coordinates, t, qs, vs, float(gap))

    def _sampled(self, t: Array, qs: Array, vs: Array, efforts: Any) -> tuple[float, int]:
        """Steps with what Python gives at the stages' times: inputs, and efforts held over a step."""
        gap = 0.0
        for i in range(len(t) - 1):
            times = (t[i], 0.5 * (t[i] + t[i + 1]), t[i + 1])
            u = np.array([self.inputs(x) for x in times])
            tau = self._zero
            if efforts is not None:
                (tau,) = self._state("motion: efforts", tau=efforts(float(t[i]), qs[i], vs[i]))
            now = self._loops.step(
                t[i], t[i + 1] - t[i], qs[i], vs[i], tau, self._p, u, self._balls, self._periods, self._free,
                qs[i + 1], vs[i + 1],
            )  # fmt: skip
            if not now >= 0.0:
                return gap, i
            gap = max(gap, now)
        return gap, len(t) - 1
