"""What acts in a mechanism besides gravity: springs, loads, and efforts of joints, as generalised forces in symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from cosserat.errors import SolveError, warn
from cosserat.kernels.efforts import effort as law_of_freedom
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.kernels.springs import pull
from cosserat.model.algebra import formula, named, rough_parts, sp
from cosserat.model.forces import LineForce as SpringLink
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.joints import Joint
from cosserat.model.loads import PointLoad
from cosserat.model.potentials import joint_names
from cosserat.model.servos import servos_of
from cosserat.symbolic.formulas import T, Traced, function_of_time, number, place_position
from cosserat.symbolic.mechanism import SymbolicMechanism
from cosserat.symbolic.vectors import ONE, ZERO, Matrix, Vector, dot, identity, matmul, mul, sub, zeros


class PlaceSymbols(NamedTuple):
    """Motion of a place in symbols, in world axes: what a law of force may depend on.

    Attributes
    ----------
    t : Symbol
    position : Matrix (3, 1)
    rotation : Matrix (3, 3)
        By which the body has turned from its reference configuration.
    velocity, angular_velocity : Matrix (3, 1)
    """

    t: sp.Symbol
    position: sp.Matrix
    rotation: sp.Matrix
    velocity: sp.Matrix
    angular_velocity: sp.Matrix


class Forces:
    """Generalised forces of a mechanism.

    Attributes
    ----------
    inputs : dict of Symbol
        Symbols that stand for Python functions of time that cannot be written as formulas, and the functions.
    strain : Expr
        Energy of springs and joints.
    """

    def __init__(self, mechanism: SymbolicMechanism, potentials: Mapping[str, Any], laws: Mapping[Any, Any]) -> None:
        self.mechanism = mechanism
        self.inputs: dict[sp.Symbol, Callable[[float], float]] = {}
        self._energies: list[sp.Expr] = []
        self._terms: list[list[sp.Expr]] = [[] for _ in mechanism.q]
        self._add_efforts()
        for spring in mechanism.model.springs:
            self._add_spring(spring)
        for load in mechanism.model.loads:
            self._add_load(load)
        for joint in mechanism.model.joints:
            if joint.potential is not None and joint.name in mechanism.data.named:  # `Constraints` adds those of loops
                self.add_joint_energy(joint, [mechanism.q[k] for k in mechanism.data.named[joint.name]])
        for name, potential in potentials.items():
            self._add_potential(name, potential)
        for place, law in laws.items():
            self._add_law(place, law)

    @property
    def generalised(self) -> sp.Matrix:
        """Q (n, 1)."""
        return sp.Matrix([sp.Add(*row) for row in self._terms])

    @property
    def strain(self) -> sp.Expr:
        """Energy of springs, joints and potentials."""
        return sp.Add(*self._energies)

    # functions of time ----------------------------------------------------------------------------------------------

    def signal(self, function: TimeFunction, name: str) -> sp.Expr:
        """A function of time as a formula, or as an input symbol if it is Python code."""
        found = function_of_time(function)
        if found is not None:
            return found
        return self._input(name, lambda t: float(function.sample([t])[0]))

    def _input(self, name: str, sample: Callable[[float], float]) -> sp.Symbol:
        symbol = sp.Symbol("u_" + "".join(c if c.isalnum() else "_" for c in name))
        self.inputs[symbol] = sample
        return symbol

    def jet_inputs(self, name: str, motion: TimeFunction) -> list[sp.Symbol]:
        """Symbols for a motion that is Python code, its rate and its acceleration."""

        def sampler(order: int) -> Callable[[float], float]:
            return lambda t: float(motion.jet([t])[order][0])

        return [self._input(name + ending, sampler(k)) for k, ending in enumerate(("", "_dot", "_ddot"))]

    def push(self, row: list[sp.Expr], effort: sp.Expr) -> None:
        """An effort along something whose rate is the product of a row and the velocities."""
        for j, x in enumerate(row):
            if x is not ZERO:
                self._terms[j].append(effort * x)

    def _vector(self, function: VectorFunction | None, name: str) -> Vector:
        if function is None:
            return zeros()
        if function.callable is None:
            return [self.signal(f, f"{name}_{axis}") for f, axis in zip(function.components, "xyz", strict=True)]
        try:
            values = function.callable(Traced(T))
            entries = [values[function.first + k] for k in range(3)]
            return [e.expression if isinstance(e, Traced) else number(e) for e in entries]
        except Exception:  # the user's function takes numbers only
            given = function

            def sampler(k: int) -> Callable[[float], float]:
                return lambda t: float(given.sample([t])[0, k])

            return [self._input(f"{name}_{axis}", sampler(k)) for k, axis in enumerate("xyz")]

    # joints ---------------------------------------------------------------------------------------------------------

    def _pull(self, joint: Joint, index: int, coordinate: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """Effort along a coordinate: effort - k q - c q_dot - level tanh(q_dot / speed), and that of a servo."""
        stiffness, damping = number(joint._stiffness[index]), number(joint._damping[index])
        friction, effort = joint.friction[index], joint.effort[index]
        rubbing = (0, 1) if friction is None else (number(friction.as_given(word)) for word in ("level", "speed"))
        drive = ZERO if effort is None else self.signal(effort, f"effort_{joint.coordinates[index]}")
        given = (stiffness, damping, *rubbing, drive, coordinate, rate)
        total = law_of_freedom(*(Traced(sp.sympify(x)) for x in given))[0].expression
        servo = servos_of(self.mechanism.model).get((joint.name, index))
        if servo is not None:
            aim = self.signal(servo.target, f"target_{servo.name}")
            wanted = number(servo.as_given("kp")) * (aim - coordinate) - number(servo.as_given("kd")) * rate
            limit = None if servo._limit is None else number(servo._limit)
            total += wanted if limit is None else sp.Max(-limit, sp.Min(limit, wanted))
        self._energies.append(stiffness * coordinate**2 / 2)
        return total

    def _add_efforts(self) -> None:
        """Those of spherical and free joints: along the parent's axes, on the rotation vector and the position."""
        mechanism = self.mechanism
        for i, link in enumerate(mechanism.data.links):
            joint, k = link.joint, link.first
            if joint is None:
                continue
            if link.kind not in (SPHERICAL, FREE):
                name = mechanism.coordinates[k]
                index = 0 if name == joint.name else joint.coordinates.index(name)
                self._along(joint, index, k, {k: ONE})
                continue
            n = 3 if link.kind == FREE else 0  # freedoms before the rotation
            R, ahead = mechanism.own_rotation(i), link.turn > 0.0
            for m in range(3):
                spin = {k + n + j: R[m][j] for j in range(3)} if ahead else {k + n + m: -ONE}
                self._along(joint, n + m, k + n + m, spin)
            for m in range(n):
                self._along(joint, m, k + m, mechanism.rates[mechanism.q[k + m]])

    def _along(self, joint: Joint, index: int, number: int, factors: Mapping[int, sp.Expr]) -> None:
        """Effort of a freedom on a coordinate by its number, along a sum of velocities times factors."""
        self.act(joint, index, self.mechanism.q[number], [factors.get(j, ZERO) for j in range(len(self._terms))])

    def act(self, joint: Joint, index: int, coordinate: sp.Expr, row: list[sp.Expr]) -> None:
        """Effort of a freedom at a coordinate, along a rate that is the product of a row and the velocities."""
        self.push(row, self._pull(joint, index, coordinate, dot(row, self.mechanism.v)))

    def add_joint_energy(self, joint: Joint, coordinates: Sequence[sp.Expr]) -> None:
        """-dU/dq of the potential of a joint of the model, given its coordinates as expressions."""
        potential = joint.potential
        assert potential is not None
        names = dict(zip(joint_names(joint), coordinates, strict=True))
        names.update({name: number(value) for name, value in potential.given.items()})
        self._add_energy(formula(potential.formula, {**names, "t": T}))

    def _add_potential(self, name: str, potential: Any) -> None:
        """-dU/dq of a function U(t, q) of the coordinates of one joint. Source: [Lerbet17] (58)."""
        mechanism = self.mechanism
        if any(loop.joint.name == name for loop in mechanism.data.loops):
            raise SolveError(
                f"lagrange: potentials: the joint {name!r} closes a loop and has no symbol; give its potential to the "
                "joint itself, potential='q**2'"
            )
        if name not in mechanism.data.named:
            raise SolveError(f"lagrange: potentials has no joint {name!r}; joints: {', '.join(mechanism.data.named)}")
        own = [mechanism.q[k] for k in mechanism.data.named[name]]
        try:
            U = sp.sympify(potential(T, *own) if callable(potential) else potential)
        except (TypeError, ValueError, AttributeError, sp.SympifyError) as error:
            raise SolveError(f"lagrange: the potential of joint {name!r} fails: {error}; it gets (t, {own})") from error
        if not isinstance(U, sp.Expr):
            raise SolveError(f"lagrange: the potential of joint {name!r} is {U!r}; pass an expression or a function")
        rough = rough_parts(U)
        if rough:
            warn(
                f"lagrange: the potential of joint {name!r} is not smooth, it contains {', '.join(rough)}; its force "
                "jumps, or has no derivative there",
            )
        known = {*own, T, *mechanism.parameters.values()}
        U = named(U, known)
        strange = sorted(str(s) for s in U.free_symbols - known)
        if strange:
            raise SolveError(
                f"lagrange: the potential of joint {name!r} has the free symbols {', '.join(strange)}; it may depend "
                f"on {', '.join(sorted(str(s) for s in known))}"
            )
        self._add_energy(U)

    def _add_energy(self, U: sp.Expr) -> None:
        self._energies.append(U)
        self.push(self.mechanism.gradient(U), -ONE)

    # places ---------------------------------------------------------------------------------------------------------

    def _add_law(self, place: Any, law: Callable[[PlaceSymbols], Any]) -> None:
        """A force, or force and moment, that a user's function gives for the motion of a place."""
        mechanism = self.mechanism
        link, r = mechanism.locate(place)
        if not callable(law):
            raise SolveError(f"lagrange: the law at {place} is {law!r}; pass a function of the motion of the place")
        J = mechanism.world_jacobian(link, r)
        motion = [dot([column[k] for column in J], mechanism.v) for k in range(6)]
        R = self._turned(link)
        known = PlaceSymbols(
            T, sp.Matrix(mechanism.world_position(link, r)), sp.Matrix(R), sp.Matrix(motion[:3]), sp.Matrix(motion[3:])
        )
        try:
            given = law(known)
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise SolveError(f"lagrange: the law at {place} fails: {error}; it gets a PlaceSymbols") from error
        try:
            values = [_real(sp.sympify(x)) for x in given]
        except (TypeError, sp.SympifyError):
            raise SolveError(
                f"lagrange: the law at {place} gave {given!r}; expected 3 expressions (a force) or 6 (force, moment)"
            ) from None
        if len(values) not in (3, 6):
            raise SolveError(
                f"lagrange: the law at {place} gave {len(values)} components; expected 3 (a force) or 6 (force, moment)"
            )
        self._push_at(link, r, values)

    def _turned(self, link: int) -> Matrix:
        """By what a link has turned from the reference configuration."""
        mechanism = self.mechanism
        if link < 0:
            return identity()
        return matmul(mechanism.rotation(-1, link), mechanism.axes_within(link, identity()))

    def _push_at(self, link: int, r: Vector, values: Sequence[sp.Expr]) -> None:
        """A force, or force and moment, at a point of a link."""
        self.push([dot(column[: len(values)], values) for column in self.mechanism.world_jacobian(link, r)], ONE)

    def _add_spring(self, spring: SpringLink) -> None:
        mechanism = self.mechanism
        if spring.slack or spring.tension is not None or spring.offsets.any():
            raise SolveError(
                f"lagrange: {spring.title} has slack, tension or an offset, which symbolic equations do not know; use "
                "cs.simulate"
            )
        length, row = ZERO, [ZERO] * len(mechanism.v)
        for a, b in pairwise(mechanism.locate(place) for place in spring.places):
            line = sub(mechanism.world_position(*b), mechanism.world_position(*a))
            long = sp.sqrt(dot(line, line))
            J_a, J_b = mechanism.world_jacobian(*a), mechanism.world_jacobian(*b)
            along = [dot(line, sub(one[:3], two[:3])) / long for one, two in zip(J_b, J_a, strict=True)]
            length, row = length + long, [x + y for x, y in zip(row, along, strict=True)]
        stiffness, damping = (number(spring._given.get(word, 0.0)) for word in ("stiffness", "damping"))
        given = spring._given.get("length", spring._given.get("rest_length"))
        apart = [sub(place_position(b), place_position(a)) for a, b in pairwise(spring.places)]
        rest = sp.Add(*(sp.sqrt(dot(x, x)) for x in apart)) if given is None else number(given)
        rate = dot(row, mechanism.v)
        self._energies.append(stiffness * (length - rest) ** 2 / 2)
        self.push(row, -pull(stiffness, damping, rest, 0, ZERO, length, rate))

    def _add_load(self, load: PointLoad) -> None:
        mechanism = self.mechanism
        link, r = mechanism.locate(load.place)
        f = self._vector(load.force, f"{load.name}_f" if load.moment is not None else load.name)
        m = self._vector(load.moment, f"{load.name}_m" if load.force is not None else load.name)
        if load.follower:
            R = self._turned(link)
            f, m = mul(R, f), mul(R, m)
        self._push_at(link, r, [*f, *m])


def _real(expression: sp.Expr) -> sp.Expr:
    """Squares of absolute values, as in `Matrix.norm`, as squares: everything here is real."""
    return expression.replace(
        lambda e: e.is_Pow and isinstance(e.base, sp.Abs) and e.exp.is_even, lambda e: e.base.args[0] ** e.exp
    )
