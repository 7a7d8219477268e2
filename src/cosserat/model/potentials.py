"""Potentials of joints: any function U(t, q) of the coordinates, which acts with -dU/dq. Source: [Lerbet17] (58).

The derivatives of formulas given as text are found by the rules of calculus, as text.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ExpressionError
from cosserat.lie import se3
from cosserat.lie.coefficients import cotc
from cosserat.model import checks
from cosserat.model.closures import defined
from cosserat.model.expressions import Expression
from cosserat.model.frame_laws import carried, cross, in_axes, in_world
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import Component, Record, recorded
from cosserat.model.state_loads import StateLoad
from cosserat.model.user_laws import FORMULA_FUNCTIONS, OWN, spelled

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


_TAKEN = ("t", "q", "x", "y", "z", "rx", "ry", "rz")


class Potential(Record):
    """A potential energy U(t, q) of a joint.

    Parameters
    ----------
    formula : str
        In ``t``, in the coordinate ``q`` of a joint with one freedom, or in the names of the freedoms of a joint with
        several (``x y z rx ry rz``), and in `parameters`. It must be smooth: + - * / **, and functions such as sin,
        exp, sqrt. In spherical and free joints ``rx ry rz`` are the rotation vector. Angles, and its length, are within
        half a turn in either sense: let the potential be periodic, or stay within.
    parameters : dict, optional
        Names and numbers, or `Parameter`s.

    Examples
    --------
    >>> detent = Potential("k*(1 - cos(6*q))", {"k": 0.2})
    >>> import cosserat as cs
    >>> knob = cs.RigidBody.cylinder("knob", 0.04, 0.02, mass=0.1)
    >>> cs.Revolute("axle", cs.GROUND, knob, axis=(0, 0, 1), potential=detent).potential.formula
    'k*(1 - cos(6*q))'
    """

    word = "potential"

    @recorded
    def __init__(self, formula: str, parameters: Mapping[str, Number] | None = None) -> None:
        self.formula = formula
        self._parameters = dict(parameters or {})

    def check(self) -> None:
        if not isinstance(self.formula, str):
            raise self._wrong("formula", f"must be a text such as 'k*q**2/2', got {self.formula!r}")
        checks.named("potential", "parameters", self._parameters, _TAKEN)

    @property
    def given(self) -> dict[str, Number]:
        """Its parameters as they were given."""
        return dict(self._parameters)

    def slopes(self, coordinates: tuple[str, ...], where: str = "potential") -> dict[str, str]:
        """Formulas of the derivatives by the coordinates."""
        Expression(self.formula, ["t", *coordinates, *self._parameters], where)
        return {q: derivative(self.formula, q, where) for q in coordinates}


_HELPERS = {function.__name__: function for function in (carried, cotc, cross, in_axes, in_world)}
_LAW = """
def law(t, frame, twist, other_frame, other_twist, parameters):
{numbers}
    F_a, F_b = {frames}
    H_a, H_b = carried(F_a, parameters["A"]), carried(F_b, parameters["B"])
    d = in_axes(H_a, H_b[0, 3] - H_a[0, 3], H_b[1, 3] - H_a[1, 3], H_b[2, 3] - H_a[2, 3])
    R = np.empty((3, 3))
    for j in range(3):
        R[0, j], R[1, j], R[2, j] = in_axes(H_a, H_b[0, j], H_b[1, j], H_b[2, j])
{coordinates}
    f, m = np.zeros(3), np.zeros(3)
{efforts}
    fx, fy, fz = in_world(H_a, {sign} * f[0], {sign} * f[1], {sign} * f[2])
    mx, my, mz = in_world(H_a, {sign} * m[0], {sign} * m[1], {sign} * m[2])
    lx, ly, lz = cross(H_b[0, 3] - frame[0, 3], H_b[1, 3] - frame[1, 3], H_b[2, 3] - frame[2, 3], fx, fy, fz)
    f0, f1, f2 = in_axes(frame, fx, fy, fz)
    m0, m1, m2 = in_axes(frame, mx + lx, my + ly, mz + lz)
    return f0, f1, f2, m0, m1, m2
"""

_READ = {
    "x": "d[0]", "y": "d[1]", "z": "d[2]", "rz": "np.arctan2(R[1, 0], R[0, 0])",
    "rx": "np.arctan2(R[2, 1], R[1, 1])", "ry": "np.arctan2(R[0, 2], R[0, 0])",
}  # fmt: skip
"""Coordinates from the child's joint frame in the parent's; rx and ry are those of a universal joint, Rx Ry."""
_ACT = {
    "x": "f[0] -= {0}", "y": "f[1] -= {0}", "z": "f[2] -= {0}", "rz": "m[2] -= {0}", "rx": "m[0] -= {0}",
    "ry": "g = {0}; m[0] -= R[0, 1] * g; m[1] -= R[1, 1] * g; m[2] -= R[2, 1] * g",
}  # fmt: skip
"""Where the efforts act, in the parent's axes; the second axis of a universal joint is fixed to the child."""

_READ_VECTOR = """\
    e = np.empty(4)
    e[0] = 1.0 + R[0, 0] + R[1, 1] + R[2, 2]
    e[1], e[2], e[3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        largest = 1.0 + R[i, i] - R[j, j] - R[k, k]
        if largest > e[0]:
            e[0] = R[k, j] - R[j, k]
            e[1 + i], e[1 + j], e[1 + k] = largest, R[j, i] + R[i, j], R[k, i] + R[i, k]
            break
    if e[0] < 0.0:
        for i in range(4):
            e[i] = -e[i]
    size = np.sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    angle = 2.0 * np.arctan2(size, e[0])
    per = angle / size if angle > 1e-8 else 2.0 / e[0]
    {0}rx, {0}ry, {0}rz = per * e[1], per * e[2], per * e[3]
"""
"""The rotation vector, by the quaternion whose largest component is not lost to rounding."""
_ACT_VECTOR = """\
    w0, w1, w2 = {0}rx, {0}ry, {0}rz
    g0, g1, g2 = {rx}, {ry}, {rz}
    p0, p1, p2 = cross(w0, w1, w2, g0, g1, g2)
    q0, q1, q2 = cross(w0, w1, w2, p0, p1, p2)
    c = cotc(angle * angle)
    m[0] -= g0 + 0.5 * p0 + c * q0
    m[1] -= g1 + 0.5 * p1 + c * q1
    m[2] -= g2 + 0.5 * p2 + c * q2
"""
"""Its efforts: a turn u of the child in the parent's axes changes the rotation vector w by u - w x u/2 + c w x (w x u).
"""


class JointPotential(StateLoad):
    """What the potential of a joint does, as a load between its two sides."""

    def __init__(self, joint: Any) -> None:
        self._given: dict[str, Any] = {}
        Component.__init__(self, f"potential of {joint.name}")
        self.joint, self.potential, self.derivative = joint, joint.potential, None
        self._on_child = not joint.child.on_ground
        sides = (joint.child, joint.parent) if self._on_child else (joint.parent, joint.child)
        self._place, self._other = sides

    @property
    def title(self) -> str:
        return f"{self.joint.title}: potential"

    @property
    def law(self) -> Callable[..., Any]:
        """The law as a Python function."""
        freedoms = tuple(f.name for f in self.joint.freedoms)
        names = joint_names(self.joint)
        own = {*names, *self.potential.given}
        slopes = {q: spelled(text, own) for q, text in self.potential.slopes(names, self.title).items()}
        pairs = list(zip(names, freedoms, strict=True))
        if self.joint.isotropic:
            lines, efforts = [_READ_VECTOR.format(OWN)], [_ACT_VECTOR.format(OWN, **slopes)]
            pairs = [pair for pair in pairs if pair[1] in "xyz"]
        else:
            lines, efforts = [], []
        lines += [f"    {OWN}{name} = {_READ[freedom]}" for name, freedom in pairs]
        efforts = [f"    {_ACT[freedom].format(slopes[name])}" for name, freedom in pairs] + efforts
        numbers = [f"    {OWN}{name} = parameters[{OWN + name!r}]" for name in self.potential.given]
        source = _LAW.format(
            numbers="\n".join(numbers),
            frames="other_frame, frame" if self._on_child else "frame, other_frame",
            coordinates="\n".join(lines),
            efforts="\n".join(efforts),
            sign="1.0" if self._on_child else "-1.0",
        )
        return _function(source)

    @property
    def names(self) -> tuple[str, ...]:
        frames = (f"{side}_{i}" for side in "AB" for i in range(12))
        return (*frames, *(OWN + name for name in self.potential.given))

    def record_type(self) -> Any:
        own = ((name, np.float64) for name in self.names[24:])
        return np.dtype([("A", np.float64, (3, 4)), ("B", np.float64, (3, 4)), *own])

    @property
    def values(self) -> tuple[float, ...]:
        numbers: list[float] = []
        for place in (self.joint.parent, self.joint.child):
            numbers += (se3.inverse(place.frame()) @ self.joint.frame())[:3].ravel().tolist()
        return (*numbers, *(resolve(value) for value in self.potential.given.values()))

    def check(self) -> None:
        """Its numbers are those of the joint, which is checked itself."""


@functools.lru_cache(256)
def _function(source: str) -> Callable[..., Any]:
    """The law of a source: one function for one text, so that it is compiled once."""
    found: Callable[..., Any] = defined(source, "law", "potential of a joint", np=np, **FORMULA_FUNCTIONS, **_HELPERS)
    return found


def joint_names(joint: Any) -> tuple[str, ...]:
    """What a potential calls the coordinates of a joint."""
    return ("q",) if len(joint.freedoms) == 1 else tuple(f.name for f in joint.freedoms)


def read_potential(joint: Any, given: Any) -> Potential:
    """The potential of a joint from what its constructor was given."""
    potential = Potential(given) if isinstance(given, str) else given
    if not isinstance(potential, Potential):
        raise ArgumentError(
            joint.title, "potential", f"must be a formula such as '2*q**2' or a Potential, got {given!r}"
        )
    potential.slopes(joint_names(joint), f"{joint.title}: potential")
    return potential
