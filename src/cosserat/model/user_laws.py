"""Laws of the user's, of loads and constraints: places, named numbers, a function or formulas.

Formulas, which model files can hold, are checked, then written out as a function.
"""

import ast
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from keyword import iskeyword
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model import checks
from cosserat.model.closures import defined
from cosserat.model.expressions import CONSTANTS, FUNCTIONS, Expression, ramp, smoothstep
from cosserat.model.frame_laws import in_world
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place
from cosserat.model.records import PlaceField, Record

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
WHERE = ("t", "x", "y", "z")
VARIABLES = (*WHERE, "vx", "vy", "vz", "wx", "wy", "wz", "Vx", "Vy", "Vz", "Wx", "Wy", "Wz", "speed")

_HEAD = """
def law(t, frame, {twist}parameters):
    R = frame
    x, y, z = R[0, 3], R[1, 3], R[2, 3]
"""
_MOVING = """
    vx, vy, vz, wx, wy, wz = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    Vx, Vy, Vz = _in_world(R, vx, vy, vz)
    Wx, Wy, Wz = _in_world(R, wx, wy, wz)
    speed = np.sqrt(vx * vx + vy * vy + vz * vz)
"""


def _step(t: float, t0: float) -> float:
    return 1.0 if t >= t0 else 0.0


OWN = "own_"
"""Prefix of the names of a formula in the source of its law, where others occur."""



class Formulas:
    """Formulas of named numbers and of the motion of a place, written out as a function.

    Parameters
    ----------
    where : str
        What they belong to, for error messages.
    names : tuple of str
        Of numbers that they use.
    moving : bool
        Whether they use velocities, too.
    """

    source: str

    def __init__(self, where: str, names: tuple[str, ...], moving: bool = True) -> None:
        self.where, self.names = where, names
        self._variables = VARIABLES if moving else WHERE
        taken = [name for name in names if name in (*VARIABLES, *self._taken)]
        if taken:
            raise ArgumentError(
                where, self._argument(taken[0]), f"has the name {taken[0]!r}, which formulas use; take another"
            )
        self._head = _HEAD.format(twist="twist, " if moving else "") + (_MOVING if moving else "")
        self._head += "".join(f"    {OWN}{name} = parameters[{name!r}]\n" for name in names)

    _taken: tuple[str, ...] = ()

    def _argument(self, name: str) -> str:
        """The argument that gave a name."""
        return "parameters"

    def _written(self, component: Any, text: Any) -> str:
        """A formula as Python: only after it was checked, and with the names that may occur in it."""
        where = f"{self.where}: law[{component!r}]"
        if isinstance(text, (int, float)) and not isinstance(text, bool):
            return repr(float(text))
        if not isinstance(text, str):
            raise ArgumentError(self.where, "law", f"[{component!r}] must be a formula or a number, got {text!r}")
        Expression(text, [*self._variables, *self.names], where)
        return spelled(text, self.names)

    @cached_property
    def function(self) -> Any:
        """The law as a Python function."""
        what = f"formulas of {self.where}"
        return defined(self.source, "law", what, np=np, _in_world=in_world, **FORMULA_FUNCTIONS)

    def __eq__(self, other: object) -> bool:
        return self.__reduce__() == other.__reduce__() if isinstance(other, Formulas) else NotImplemented

    @abstractmethod
    def __reduce__(self) -> tuple[Any, ...]:
        """How it is made again."""


class RowFormulas(Formulas):
    """Rows of a constraint as formulas, each held at zero.

    Formulas use ``t``, the position ``x y z``, the parameters, and for constraints on velocities the velocity and
    angular velocity ``vx vy vz wx wy wz`` in the place's frame or ``Vx Vy Vz Wx Wy Wz`` in the axes of the position.

    Examples
    --------
    >>> sphere = RowFormulas(["sqrt(x**2 + y**2 + z**2) - radius"], ["radius"], "constraint 'sphere'")
    >>> [float(row) for row in sphere.function(0.0, np.eye(4), {"radius": 0.5})]
    [-0.5]
    """

    def __init__(self, formulas: Iterable[Any], parameters: Iterable[str], where: str, moving: bool = False) -> None:
        super().__init__(where, tuple(parameters), moving)
        self.formulas, self.moving = tuple(formulas), moving
        rows = "".join(f"{self._written(k, text)}, " for k, text in enumerate(self.formulas))
        self.source = f"{self._head}    return ({rows})\n"

    def __reduce__(self) -> tuple[Any, ...]:
        return RowFormulas, (self.formulas, self.names, self.where, self.moving)


class LawFormulas(Formulas):
    """Components of a wrench as formulas.

    Components ``fx fy fz mx my mz`` are in the place's frame, ``Fx Fy Fz Mx My Mz`` along the world's axes; those left
    out are zero. Formulas use ``t``, the position ``x y z`` in the world, the velocity and angular velocity ``vx vy vz
    wx wy wz`` in the place's frame or ``Vx Vy Vz Wx Wy Wz`` in the world, the ``speed``, and the parameters.

    Examples
    --------
    >>> drag = LawFormulas({"fz": "-c*vz*abs(vz)"}, {"c": 0.05}, "load 'drag'")
    >>> [float(f) for f in drag.function(0.0, np.eye(4), np.array([0, 0, 2.0, 0, 0, 0]), {"c": 0.05})]
    [0.0, 0.0, -0.2, 0.0, 0.0, 0.0]
    """

    def __init__(
        self, formulas: Mapping[str, Any], parameters: Iterable[str], where: str, states: tuple[str, ...] = ()
    ) -> None:
        self.formulas, self.states = dict(formulas), states
        super().__init__(where, (*parameters, *states))
        known = self._taken
        if not formulas:
            raise ArgumentError(where, "law", f"has no formula; components: {', '.join(known)}")
        parts = []
        for component in known:
            text = self.formulas.get(component, 0.0)
            if component in self.formulas or component in COMPONENTS:
                parts.append(f"    {component} = {self._written(component, text)}\n")
        for state in states:
            if state not in self.formulas:
                raise ArgumentError(where, "law", f"has no formula for the rate of the state {state!r}")
            parts.append(f"    rate_of_{state} = {self._written(state, self.formulas[state])}\n")
        for key in self.formulas:
            if key not in (*known, *states):
                raise ArgumentError(where, "law", f"has the unknown component {key!r}; components: {', '.join(known)}")
        for first in ("F", "M"):
            if any(f"{first}{k}" in self.formulas for k in "xyz"):
                world = [f"{first}{k}" if f"{first}{k}" in self.formulas else "0.0" for k in "xyz"]
                for i, k in enumerate("xyz"):
                    sums = " + ".join(f"R[{j}, {i}] * {world[j]}" for j in range(3))
                    parts.append(f"    {first.lower()}{k} = {first.lower()}{k} + {sums}\n")
        answers = ", ".join((*COMPONENTS, *(f"rate_of_{s}" for s in states)))
        self.source = f"{self._head}{''.join(parts)}    return {answers}\n"

    _taken = (*COMPONENTS, *(c.capitalize() for c in COMPONENTS))

    def _argument(self, name: str) -> str:
        return "states" if name in self.states else "parameters"

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = self.names[: len(self.names) - len(self.states)]
        return LawFormulas, (self.formulas, parameters, self.where, self.states)


FORMULA_FUNCTIONS: dict[str, Any] = {"step": _step, "ramp": ramp, "smoothstep": smoothstep}
"""Functions that a spelled formula calls besides those of NumPy."""


def spelled(text: str, own: Iterable[str]) -> str:
    """A formula that was checked, as Python that Numba compiles; its `own` names get the prefix."""
    tree = _Spelling(own).visit(ast.parse(text.strip(), mode="eval"))
    return f"1.0 * ({ast.unparse(ast.fix_missing_locations(tree))})"


class _Spelling(ast.NodeTransformer):
    """Functions and constants of formulas as Python and Numba know them; numbers as floats."""

    def __init__(self, own: Iterable[str]) -> None:
        self._own = set(own)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        assert isinstance(node.func, ast.Name)
        name, function = node.func.id, FUNCTIONS[node.func.id][1]
        if isinstance(function, np.ufunc) and name not in ("abs", "min", "max"):  # of which Python has its own
            name = f"np.{function.__name__}"
        return ast.Call(ast.parse(name, mode="eval").body, [self.visit(a) for a in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._own:
            return ast.Name(OWN + node.id)
        return ast.Constant(CONSTANTS[node.id]) if node.id in CONSTANTS else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = float(node.value)  # type: ignore[arg-type]
        return ast.Constant(value) if math.isfinite(value) else ast.parse("np.inf", mode="eval").body


class UserLaw(Record):
    """A law of the user's about the motion of a place, as such or as seen from another."""

    _law: Any
    _other: Any = None
    _parameters: Mapping[str, Number] = {}
    other: PlaceField[Place | None]

    def _take(self, example: str) -> None:
        """Take the numbers of the law, or raise a located error."""
        self._parameters = named_numbers(self.title, "parameters", self._given["parameters"], example)
        self._keep(parameters=dict(self._parameters))

    @property
    def law(self) -> Callable[..., Any]:
        """The law as a Python function."""
        return self._law.function if isinstance(self._law, Formulas) else self._law

    def _demand_apart(self, place: Place, why: str) -> None:
        """Raise if the other place is on the same body."""
        other = self.other
        if other is not None and other.owner is place.owner and (other.s is None or other.s == place.s):
            raise ModelError(f"{self.title}: both places are on {other.owner.name!r}{why}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its parameters."""
        return tuple(self._parameters)

    @property
    def values(self) -> tuple[float, ...]:
        """Present values of its parameters."""
        return tuple(resolve(value) for value in self._parameters.values())

    def check(self) -> None:
        super().check()
        checks.named(self.title, "parameters", self._parameters)

    def record(self, numbers: Any) -> Any:
        """The record of all its numbers that the law gets."""
        return np.array([numbers], dtype=float).view(self.record_type()).reshape(-1)[0]

    def record_type(self) -> Any:
        """dtype of the record of parameters that the law gets."""
        return record_type(self.names)


def named_numbers(title: str, argument: str, given: Any, example: str) -> dict[str, Number]:
    """Names and numbers that a law uses, or a located error."""
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(title, argument, f"must be a dict such as {example}, got {given!r}")
    for key in given or {}:
        if not isinstance(key, str) or not key.isidentifier() or iskeyword(key):
            raise ArgumentError(title, argument, f"has the name {key!r}; names are words such as 'c'")
    return dict(given or {})


def demand_function(title: str, argument: str, function: Any, names: Sequence[str]) -> None:
    """Raise unless something is a function of arguments in this order."""
    if not callable(function):
        raise ArgumentError(title, argument, f"must be a function of ({', '.join(names)}), got {function!r}")
    checks.arguments(title, argument, function, *names, known=True)


def record_type(names: Sequence[str]) -> Any:
    """dtype of the record of numbers that a law gets."""
    return np.dtype([(name, np.float64) for name in names] or [("_", np.float64)])
