"""[Lerbet17], exercises 8, 9, 11 and 12 of the tutorials, derived by `cosserat.symbolic`."""

import numpy as np
import sympy as sp

import cosserat as cs
from cosserat import symbolic

m, l, k, P = sp.symbols("m l k P")


def parameters(**values):
    return [cs.Parameter(name, value) for name, value in values.items()]


def rocket():
    """Exercise 12: two equal bars, springs k, a thrust P that follows the second bar."""
    mass, length, stiffness, thrust = parameters(m=1.0, l=1.0, k=1.0, P=1.0)
    model = cs.Model("rocket")
    first = model.add(cs.RigidBody.bar("first", (0, 0, 0), (length, 0, 0), mass=mass))
    second = model.add(cs.RigidBody.bar("second", (length, 0, 0), (2 * length, 0, 0), mass=mass))
    model.add(cs.Revolute("q1", cs.GROUND, first.at((0, 0, 0)), axis=(0, 0, 1), stiffness=stiffness))
    model.add(cs.Revolute("q2", first, second, at=(length, 0, 0), axis=(0, 0, 1), stiffness=stiffness))
    model.add(cs.Force("thrust", second.at((2 * length, 0, 0)), (-thrust, 0, 0), follower=True))
    return model


def test_exercise_12_matrices_of_the_rocket():
    equations = symbolic.lagrange(rocket())
    linear = equations.linearize()
    third, sixth = sp.Rational(1, 3), sp.Rational(1, 6)
    assert sp.expand(linear.M - m * l**2 * sp.Matrix([[8 * third, 5 * sixth], [5 * sixth, third]])) == sp.zeros(2)
    assert linear.K == sp.Matrix([[k, P * l], [0, k]])
    T = sp.Matrix([[1, 0], [-1, 1]])  # joint angles from absolute ones
    assert sp.expand(T.T * linear.K * T - sp.Matrix([[2 * k - P * l, P * l - k], [-k, k]])) == sp.zeros(2)
    M = m * l**2 * sp.Matrix([[4 * third, sp.Rational(1, 2)], [sp.Rational(1, 2), third]])
    assert sp.expand(T.T * linear.M * T - M) == sp.zeros(2)
    assert sp.expand(linear.K.det()) == k**2  # no divergence at any thrust


def test_exercise_12_flutter():
    """The thrust where two frequencies meet: P l/k = (18 - 2 sqrt(7))/5 = 2.5417, by the formulas and by the engine."""
    linear = symbolic.lagrange(rocket()).linearize(about={"m": 1, "l": 1, "k": 1})
    x = sp.Symbol("x")
    thrusts = sp.solve(sp.discriminant((linear.K - x * linear.M).det(), x), P)
    critical = min(thrusts, key=float)
    assert sp.simplify(critical - (18 - 2 * sp.sqrt(7)) / 5) == 0
    assert abs(float(critical) - 2.5417) < 5e-5
    found = cs.stability(rocket(), "P", np.linspace(2.0, 3.0, 5)).critical[0]
    assert found.kind == "flutter"
    assert abs(found.value - float(critical)) < 1e-6


def square():
    """Exercise 9: a square of side 2 l with forces at two corners and drag in the middle of the opposite side."""
    mass, length, at_A, at_D = parameters(m=1.0, l=1.0, F_A=0.0, F_D=0.0)
    inertia = mass * (2 * length) ** 2 / 6
    model = cs.Model("square")
    body = model.add(cs.RigidBody("S", mass=mass, com=(0, 0, 0), inertia=(inertia / 2, inertia / 2, inertia)))
    model.add(cs.Planar("S_plane", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Force("at_A", body.at((-length, -length, 0)), (0, at_A, 0), follower=True))
    model.add(cs.Force("at_D", body.at((length, -length, 0)), (0, at_D, 0), follower=True))
    drag = {body.at((0, length, 0)): lambda place: -sp.Symbol("c") * place.velocity.norm() * place.velocity}
    return symbolic.lagrange(model, names=("x", "y", "theta"), forces=drag, parameters={"c": 0.5})


def kalman_rank(equations, about, inputs):
    values = {"m": 2, "l": sp.Rational(1, 2), "c": sp.Rational(1, 3), **about}
    return equations.linearize(values, inputs).controllability().rank()


def test_exercise_9_ranks_of_kalman():
    equations = square()
    rest = {"F_A": 0, "F_D": 0}
    assert kalman_rank(equations, rest, ["F_A"]) == 2
    assert kalman_rank(equations, rest, ["F_A", "F_D"]) == 4
    moving = {"y_dot": 3, "F_A": sp.Rational(3, 2), "F_D": sp.Rational(3, 2)}  # c V^2 = 3 = F_A + F_D
    assert equations.residual.subs({"y_dot": 3, "x_dot": 0, "theta_dot": 0, "theta": 0, "c": sp.Rational(1, 3)}).subs(
        {s: 0 for s in (*equations.a, *equations.tau)}
    ).subs({"F_A": sp.Rational(3, 2), "F_D": sp.Rational(3, 2)}).applyfunc(sp.simplify) == sp.zeros(3, 1)
    assert kalman_rank(equations, moving, ["F_A"]) == 5
    assert kalman_rank(equations, moving, ["F_A", "F_D"]) == 6


def test_exercise_9_the_angle_is_controllable_at_rest():
    A, B = square().linearize({"F_A": 0, "F_D": 0}, ["F_A"]).state_space()
    own = [2, 5]  # theta, and its rate
    A, B = A.extract(own, own), B.extract(own, [0])
    assert sp.Matrix.hstack(B, A * B).rank() == 2


def bars(joined):
    """Exercise 11: two bars of length 2 l, joined by a motor, or apart with reactions X, Y between them."""
    mass, length, u, v, w, g = parameters(m=1.0, l=1.0, u=0.0, v=0.0, w=0.0, g=9.81)
    model = cs.Model("bars", gravity=(g, 0, 0))
    first = model.add(cs.RigidBody.bar("S1", (-length, 0, 0), (length, 0, 0), mass=mass))
    second = model.add(cs.RigidBody.bar("S2", (length, 0, 0), (3 * length, 0, 0), mass=mass))
    model.add(cs.Planar("plane", cs.GROUND, first, normal=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Force("F_A", first.at((-length, 0, 0)), (u, v, 0)))
    if joined:
        model.add(cs.Revolute("psi", first, second, at=(length, 0, 0), axis=(0, 0, 1), effort=w))
        return symbolic.lagrange(model, names={"plane.x": "x", "plane.y": "y", "plane.rz": "theta", "psi": "psi"})
    X, Y = parameters(X=0.0, Y=0.0)
    model.add(cs.Planar("other", cs.GROUND, second, normal=(0, 0, 1), at=(2 * length, 0, 0)))
    for name, body, sign in (("first", first, -1), ("second", second, 1)):
        model.add(cs.Force(f"link_{name}", body.at((length, 0, 0)), (sign * X, sign * Y, 0)))
        model.add(cs.Torque(f"motor_{name}", body, (0, 0, sign * w)))
    return symbolic.lagrange(model, names=("x", "y", "theta", "x2", "y2", "theta2"))


def test_exercise_11_newton_euler_equals_lagrange():
    """Newton's and Euler's equations of each bar, reactions eliminated, less Lagrange's equations: zero."""
    together, apart = bars(True), bars(False)
    x, y, theta, psi = (sp.Function(str(s))(apart.t) for s in together.q)
    second = [x + l * sp.cos(theta) + l * sp.cos(theta + psi) - 2 * l, y + l * sp.sin(theta) + l * sp.sin(theta + psi)]
    motion = dict(zip(apart.q, (x, y, theta, *second, theta + psi), strict=True))
    values = {}
    for q, v, a in zip(apart.q, apart.v, apart.a, strict=True):
        values |= {q: motion[q], v: motion[q].diff(apart.t), a: motion[q].diff(apart.t, 2)}
    back = []
    for q, v, a, f in zip(together.q, together.v, together.a, (x, y, theta, psi), strict=True):
        back += [(f.diff(apart.t, 2), a), (f.diff(apart.t), v), (f, q)]
    newton = apart.residual.subs({s: 0 for s in apart.tau}).subs(values).doit().subs(back)
    reactions = sp.solve(newton[3:5], sp.symbols("X Y"))
    newton = newton.subs(reactions)
    lagrange = together.residual.subs({s: 0 for s in together.tau})
    # S1 x, S1 y, both moments of momentum about G1, and that of S2 about the motor
    found = sp.Matrix([newton[0], newton[1], newton[2] + newton[5], newton[5]])
    assert (lagrange - found).applyfunc(sp.expand).applyfunc(sp.trigsimp) == sp.zeros(4, 1)


def test_exercise_8_the_pushed_bar():
    """A slides along y; gravity along x. A bar cannot be steered through its own axis: theta keeps its equation."""
    mass, length, g, push = parameters(m=1.0, l=1.0, g=9.81, F_B=0.0)
    model = cs.Model("bar", gravity=(g, 0, 0))
    bar = model.add(cs.RigidBody.bar("S", (0, 0, 0), (2 * length, 0, 0), mass=mass))
    carrier = model.add(cs.RigidBody("slide", mass=1e-9, com=(0, 0, 0), inertia=(1e-9, 1e-9, 1e-9)))
    model.add(cs.Prismatic("y", cs.GROUND, carrier, axis=(0, 1, 0), at=(0, 0, 0)))
    model.add(cs.Revolute("theta", carrier, bar, axis=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Force("push", bar.at((2 * length, 0, 0)), (-push, 0, 0), follower=True))
    equations = symbolic.lagrange(model)
    theta, gravity = sp.symbols("theta g")
    M = equations.mass_matrix
    assert sp.expand(M[1, 1] - sp.Rational(4, 3) * m * l**2) == 0
    assert sp.expand(M[0, 1] - m * l * sp.cos(theta)) == 0
    assert sp.expand(equations.gravity[1] - m * gravity * l * sp.sin(theta)) == 0
    assert equations.forces[1] == 0  # F_B goes through A: no moment about it
    assert sp.expand(equations.forces[0] + sp.Symbol("F_B") * sp.sin(theta)) == 0
