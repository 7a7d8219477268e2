"""A tree of rigid bodies in symbols: frames, partial velocities, and derivatives along the velocities.

Every vector stays in the frame it is fixed to. The rotation between two frames is formed only where two vectors meet
in a product, and hinges with parallel axes add their angles, so that expressions come out short without simplification.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from cosserat.compile.tree import Link, TreeData, rigid_tree
from cosserat.errors import ModelError, SolveError
from cosserat.kernels.recursion.table import FREE, REVOLUTE, SCREW, SPHERICAL
from cosserat.model import checks
from cosserat.model.algebra import sp
from cosserat.model.bodies import RigidBody
from cosserat.model.joint import Armature
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.model.potentials import JointPotential
from cosserat.symbolic.formulas import T as TIME
from cosserat.symbolic.formulas import (
    aligned,
    body_inertia,
    body_mass,
    body_rotation,
    exact_matrix,
    has_symbolic_axes,
    joint_axes,
    joint_position,
    number,
    place_position,
)
from cosserat.symbolic.names import coordinate_names
from cosserat.symbolic.vectors import (
    ONE,
    UNTURNED,
    ZERO,
    Matrix,
    Turn,
    Vector,
    add,
    coshalf,
    cotc,
    cross,
    directional,
    dot,
    identity,
    matmul,
    mul,
    mul_t,
    point_inertia,
    quaternion_matrix,
    scale,
    sinhalf,
    sub,
    summed,
    transposed,
    zeros,
)

GROUND_LINK = -1


class SymbolicMechanism:
    """Kinematics and inertias of a model in symbols.

    Parameters
    ----------
    model : Model
        Of rigid bodies; loops are opened where `rigid_tree` opens them.
    names : tuple or dict of str, optional
        Names of the coordinates in formulas, in order or by coordinate; default: their names in the model.
    parameters : dict of float, optional
        Symbols that the model does not have, with values.

    Attributes
    ----------
    q, v, a, tau : tuple of Symbol
        Coordinates, velocities, accelerations, efforts, in the order of `Tree.coordinates`.
    quaternions : dict of Symbol
        Unit quaternions of spherical and free joints as expressions of their rotation vectors.
    parameters : dict of Symbol by name
    """

    def __init__(
        self, model: Model, names: Any = None, call: str = "lagrange", parameters: Mapping[str, float] | None = None
    ) -> None:
        if not isinstance(model, Model):
            raise SolveError(f"{call}: expected a Model, got {model!r}")
        for load in model.state_loads:
            if isinstance(load, JointPotential):
                continue
            raise SolveError(
                f"{call}: {load.title} depends on the state by a function of numbers, which has no formula; leave it "
                "out of the model and give its law to forces="
            )
        self.model = model
        bare = model
        if any(joint.potential is not None for joint in model.joints):  # the tree alone; `Forces` adds them
            bare = model.copy()
            for joint in bare.joints:
                vars(joint)["potential"] = None
        self.data: TreeData = rigid_tree(bare, call)
        self.coordinates = self.data.coordinates
        self._given = {str(k): checks.number(call, f"parameters[{k!r}]", x) for k, x in (parameters or {}).items()}
        for name in self._given:
            if name in model.parameters or not name.isidentifier() or name == "t":
                raise SolveError(f"{call}: parameters: {name!r} is a parameter of the model already, or not a name")
        self.parameters = {name: sp.Symbol(name) for name in self.values}
        self.q, self.v, self.a, self.tau = coordinate_names(self.coordinates, names, self.parameters, call)
        self.gravity = [number(x) for x in model.given_gravity]
        self.quaternions: dict[sp.Symbol, sp.Expr] = {}
        self._turns: dict[tuple[int, int], Turn] = {}
        self._matrices: dict[tuple[int, int], Matrix] = {}
        self._quaternion_of: dict[int, list[sp.Symbol]] = {}
        self._frames = [self._reference(i) for i in range(len(self.data.links))]
        self._make_quaternions()
        self.offsets = [self._offset(i) for i in range(len(self.data.links))]
        self.slides, self.spins = self._columns()
        self.paths = [self._path(i) for i in range(len(self.data.links))]
        self.rates = self._coordinate_rates()
        self._known: dict[int, dict[sp.Basic, sp.Expr]] = {}  # derivatives found before

    def armatures(self) -> dict[int, sp.Expr]:
        """Inertia that moves with coordinates, by their number."""
        out = {}
        for link in self.data.links:
            if link.joint is not None and link.n_v == 1:
                given = link.joint._armature[link.joint.coordinates.index(self.coordinates[link.first])]
                if isinstance(given, Armature):
                    out[link.first] = number(given.as_given("inertia")) * number(given.as_given("gear")) ** 2
                else:
                    out[link.first] = number(given)
        return out

    @property
    def values(self) -> dict[str, float]:
        """Present values of the parameters by name."""
        return {**self.model.parameters, **self._given}

    # reference ------------------------------------------------------------------------------------------------------

    def _reference(self, i: int) -> tuple[Matrix, Vector]:
        """Orientation and origin of a link frame in the reference configuration."""
        link = self.data.links[i]
        if link.joint is None:
            return identity(), place_position(Place(link.bodies[0]))
        if not has_symbolic_axes(link.joint) or link.kind in (SPHERICAL, FREE):
            return exact_matrix(link.frame[:3, :3]), joint_position(link.joint)
        k = link.first - self.data.named[link.joint.name][0]
        sign = -1.0 if any(e.joint is link.joint and e.reverse for e in self.data.spanning.edges) else 1.0
        return aligned(joint_axes(link.joint), link.joint.freedoms[k].axis, sign), joint_position(link.joint)

    def _in_parent(self, i: int) -> tuple[Matrix, Vector]:
        """Joint frame of a link in its parent's frame."""
        link = self.data.links[i]
        R, x = self._frames[i]
        if link.parent < 0:
            return R, x
        R_p, x_p = self._frames[link.parent]
        symbolic = has_symbolic_axes(link.joint) or has_symbolic_axes(self.data.links[link.parent].joint)
        T = matmul(transposed(R_p), R) if symbolic else exact_matrix(link.base.frame[:3, :3])
        return T, mul_t(R_p, sub(x, x_p))

    def _make_quaternions(self) -> None:
        for i, link in enumerate(self.data.links):
            if link.kind in (SPHERICAL, FREE):
                w = self._rotation_vector(link)
                square = sp.Add(*(x**2 for x in w))
                word = re.sub(r"\W", "_", link.name if link.joint is None else link.joint.name)
                symbols = [sp.Symbol(f"e{k}_{word}") for k in range(4)]
                values = [coshalf(square), *(sinhalf(square) * x for x in w)]
                self.quaternions.update(zip(symbols, values, strict=True))
                self._quaternion_of[i] = symbols

    def _rotation_vector(self, link: Link) -> list[sp.Symbol]:
        at = link.first + (3 if link.kind == FREE else 0)
        return list(self.q[at : at + 3])

    def own_rotation(self, i: int) -> Matrix:
        """Rotation of the child's joint frame against the parent's of a spherical or free joint."""
        return quaternion_matrix(list(self._quaternion_of[i]))

    def _offset(self, i: int) -> Vector:
        """Origin of link i in its parent's frame."""
        link = self.data.links[i]
        T, t = self._in_parent(i)
        if link.kind == SCREW:
            return add(t, scale(self._slide(link) * self.q[link.first], [row[2] for row in T]))
        if link.kind == FREE:
            u = self.q[link.first : link.first + 3]
            if link.turn > 0.0:
                return add(t, mul(T, u))
            return sub(t, mul(T, mul_t(self.own_rotation(i), u)))
        return t

    @staticmethod
    def _slide(link: Link) -> sp.Expr:
        if link.turn == 0.0:
            return ONE
        return number(link.joint._given["pitch"]) if link.joint is not None and link.joint.kind == "screw" else ZERO

    def _columns(self) -> tuple[list[dict[int, Vector]], list[dict[int, Vector]]]:
        """Linear and angular parts of the twist that each own freedom gives a link, in its frame, by freedom."""
        slides, spins = [], []
        for link in self.data.links:
            L: dict[int, Vector] = {}
            W: dict[int, Vector] = {}
            if link.kind in (REVOLUTE, SCREW):
                along = self._slide(link) if link.kind == SCREW else ZERO
                if along is not ZERO:
                    L[link.first] = [ZERO, ZERO, along]
                if link.kind == REVOLUTE or link.turn != 0.0:
                    W[link.first] = [ZERO, ZERO, ONE]
            else:
                at = link.first
                if link.kind == FREE:
                    L.update({at + k: axis for k, axis in enumerate(identity())})
                    at += 3
                W.update({at + k: axis for k, axis in enumerate(identity())})
            slides.append(L)
            spins.append(W)
        return slides, spins

    def _path(self, i: int) -> tuple[int, ...]:
        """Links from the ground to link i, itself included."""
        path = []
        while i >= 0:
            path.append(i)
            i = self.data.links[i].parent
        return tuple(reversed(path))

    # rotations ------------------------------------------------------------------------------------------------------

    def turn(self, i: int, l: int) -> Turn:
        """Rotation of link l against link i, which carries it; the ground is link -1."""
        if i == l:
            return UNTURNED
        found = self._turns.get((i, l))
        if found is None:
            link = self.data.links[l]
            before, (T, _) = self.turn(i, link.parent), self._in_parent(l)
            if link.kind in (SPHERICAL, FREE):
                R = self.own_rotation(l)
                found = before.then_matrix(T, R if link.turn > 0.0 else transposed(R))
            else:
                turns = link.kind == REVOLUTE or link.turn != 0.0
                found = before.then(T, self.q[link.first] if turns else ZERO)
            self._turns[i, l] = found
        return found

    def rotation(self, i: int, l: int) -> Matrix:
        """The same as a matrix."""
        found = self._matrices.get((i, l))
        if found is None:
            found = self._matrices[i, l] = self.turn(i, l).matrix
        return found

    # velocities -----------------------------------------------------------------------------------------------------

    def spins_of(self, i: int) -> dict[int, Vector]:
        """Partial angular velocities of link i in its frame, by freedom."""
        return {j: mul_t(self.rotation(k, i), w) for k in self.paths[i] for j, w in self.spins[k].items()}

    def locate(self, place: Any) -> tuple[int, Vector]:
        """Link of a place, and its position in the link's frame."""
        found = self.model.place(place, "symbolic") if not isinstance(place, Place) else place
        x = place_position(found)
        if found.on_ground:
            return GROUND_LINK, x
        if found.owner.name not in self.data.carrier:
            raise ModelError(f"the place {found.label!r} is on a body that is not in {self.model.title}")
        return self.within(self.data.carrier[found.owner.name], x)

    def within(self, link: int, x: Vector) -> tuple[int, Vector]:
        """A link, and a point of the reference configuration in its frame."""
        if link < 0:
            return GROUND_LINK, x
        R, origin = self._frames[link]
        return link, mul_t(R, sub(x, origin))

    def axes_within(self, link: int, R: Matrix) -> Matrix:
        """Axes given in the reference configuration, in the frame of a link."""
        if link < 0:
            return R
        product = matmul(transposed(self._frames[link][0]), R)
        if any(x.free_symbols for row in product for x in row):
            return product
        return exact_matrix([[float(x) for x in row] for row in product])

    def position(self, place: Any) -> sp.Matrix:
        """Position (3, 1) of a place in world coordinates."""
        return sp.Matrix(self.world_position(*self.locate(place)))

    def world_position(self, link: int, r: Vector) -> Vector:
        """Position of a point r of a link."""
        return self.seen_from(GROUND_LINK, link, r)

    def seen_from(self, root: int, link: int, r: Vector) -> Vector:
        """A point r of a link, in the frame of a link on its way to the ground."""
        if link == root:
            return r
        path = (GROUND_LINK, *self.paths[link])
        path = path[path.index(root) :]
        parts = [mul(self.rotation(root, link), r)]
        parts += [mul(self.rotation(root, i), self.offsets[after]) for i, after in itertools.pairwise(path)]
        return add(*parts)

    def jacobian(self, place: Any) -> sp.Matrix:
        """J (6, n) of a place in world axes: its velocity and angular velocity are J v."""
        J = self.world_jacobian(*self.locate(place))
        return sp.Matrix(6, len(self.q), lambda row, j: J[j][row])

    def world_jacobian(self, link: int, r: Vector) -> list[Vector]:
        """The columns of the Jacobian of a point r of a link, in world axes."""
        return self._jacobian(link, r, lambda i, x: mul(self.rotation(-1, i), x))

    def own_jacobian(self, link: int, r: Vector) -> list[Vector]:
        """The same in the axes of the link, which makes shorter expressions."""
        return self._jacobian(link, r, lambda i, x: mul_t(self.rotation(i, link), x))

    def _jacobian(self, link: int, r: Vector, turned: Callable[[int, Vector], Vector]) -> list[Vector]:
        """Columns in the axes to which `turned` takes a vector of link i."""
        columns: list[Vector] = [[ZERO] * 6 for _ in self.q]
        if link < 0:
            return columns
        path = self.paths[link]
        for i, after in zip(path, (*path[1:], None), strict=True):
            arm = r if after is None else self.offsets[after]
            spins = self.spins_of(i)
            for j, w in spins.items():
                columns[j][:3] = add(columns[j][:3], turned(i, cross(w, arm)))
            for j, u in self.slides[i].items():
                columns[j][:3] = add(columns[j][:3], turned(i, u))
        for j, w in spins.items():
            columns[j][3:] = turned(link, w)
        return columns

    # inertia --------------------------------------------------------------------------------------------------------

    def body_within(self, i: int, body: RigidBody) -> tuple[sp.Expr, Vector, Matrix]:
        """Mass, centre and central inertia of a body of a link, in the link's frame."""
        R = self.axes_within(i, body_rotation(body))
        _, c = self.within(i, place_position(Place(body)))
        return body_mass(body), c, matmul(matmul(R, body_inertia(body)), transposed(R))

    def bodies_of(self, i: int) -> list[tuple[sp.Expr, Vector, Matrix]]:
        """The same of all bodies of a link."""
        return [self.body_within(i, body) for body in self.data.links[i].bodies]

    def augmented(self) -> list[tuple[sp.Expr, Vector, Matrix]]:
        """Mass, first moment and inertia of each link about its origin, with all beyond it heaped up at its joints."""
        n = len(self.data.links)
        found: list[Any] = [None] * n
        for i in reversed(range(n)):
            own = self.bodies_of(i)
            beyond = [(found[l][0], self.offsets[l]) for l in range(i + 1, n) if self.data.links[l].parent == i]
            points = [(m, r) for m, r, _ in own] + beyond
            mass = sp.Add(*(m for m, _ in points))
            moment = add(zeros(), *(scale(m, r) for m, r in points))
            found[i] = mass, moment, summed([J for _, _, J in own] + [point_inertia(m, r) for m, r in points])
        return found

    # derivatives ----------------------------------------------------------------------------------------------------

    def _coordinate_rates(self) -> dict[sp.Symbol, dict[int, sp.Expr]]:
        """Rates of coordinates and quaternions as sums of velocities: factors by freedom."""
        rates: dict[sp.Symbol, dict[int, sp.Expr]] = {}
        for i, link in enumerate(self.data.links):
            if link.kind in (REVOLUTE, SCREW):
                rates[self.q[link.first]] = {link.first: ONE}
                continue
            at = link.first + (3 if link.kind == FREE else 0)
            w, e = self._rotation_vector(link), self._quaternion_of[i]
            square, forward = sp.Add(*(x**2 for x in w)), link.turn > 0.0
            for k, axis in enumerate(identity()):
                # R' = R hat(omega), or with a reversed joint R' = -hat(omega) R
                spin = axis if forward else scale(-ONE, axis)
                half = cross(e[1:], spin) if forward else cross(spin, e[1:])
                for m, rate in enumerate([-dot(e[1:], spin), *add(scale(e[0], spin), half)]):
                    rates.setdefault(e[m], {})[at + k] = rate / 2
                turned = add(spin, scale(sp.Rational(1, 2), cross(w, spin) if forward else cross(spin, w)),
                             scale(cotc(square), cross(w, cross(w, spin))))  # fmt: skip
                for m in range(3):
                    rates.setdefault(w[m], {})[at + k] = turned[m]
            if link.kind == FREE:
                u = list(self.q[link.first : link.first + 3])
                for k, axis in enumerate(identity()):
                    moved = mul(self.own_rotation(i), axis) if forward else scale(-ONE, axis)
                    swung = zeros() if forward else cross(u, axis)
                    for m in range(3):
                        rates.setdefault(u[m], {}).update({link.first + k: moved[m]})
                        if swung[m] is not ZERO:
                            rates[u[m]][at + k] = swung[m]
        return rates

    def along(self, expression: sp.Expr, j: int) -> sp.Expr:
        """Derivative of an expression of coordinates along a unit velocity of freedom j."""
        rates = {x: factors[j] for x, factors in self.rates.items() if j in factors}
        return directional(expression, rates, self._known.setdefault(j, {}))

    def gradient(self, expression: sp.Expr) -> list[sp.Expr]:
        """The same for all freedoms."""
        return [self.along(expression, j) for j in range(len(self.q))]

    def rate(self, expression: sp.Expr, explicit_time: bool = True) -> sp.Expr:
        """Time derivative of an expression of coordinates and time (and velocities, taken as constant)."""
        change = expression.diff(TIME) if explicit_time and expression.has(TIME) else ZERO
        return dot(self.v, self.gradient(expression)) + change

    def coordinate_rates(self) -> sp.Matrix:
        """Rates (n, 1) of the coordinates; the velocities themselves but for spherical and free joints."""
        rows = [sp.Add(*(f * self.v[j] for j, f in self.rates[x].items())) for x in self.q]
        return sp.Matrix(rows).xreplace(self.quaternions)
