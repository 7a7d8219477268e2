"""Equations of mechanisms in symbols: against the recursions, on every kind of joint, and what they refuse."""

import numpy as np
import pytest
import sympy as sp

import cosserat as cs
from cosserat import symbolic
from cosserat.errors import ArgumentError


def evaluated(equations, q, v, t=0.0):
    """M, h and the rates of the coordinates by the generated Python source."""
    space = {}
    exec(equations.python(), space)
    n = len(equations.q)
    M, h, rates = np.empty((n, n)), np.empty(n), np.empty(n)
    p = list(equations.mechanism.values.values())
    u = [f(t) for f in equations.inputs.values()]
    space["system"](t, q, v, p, u, M, h)
    space["rates"](t, q, v, p, u, rates)
    return M, h, rates


def relative(found, expected):
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300)


@pytest.mark.slow
def test_all_kinds_of_joints_with_all_forces(zoo, rng):
    """22 freedoms, ten kinds of joints, some reversed, springs, loads, friction: the recursions to 1e-10."""
    model = zoo(forces=True)
    equations, tree = symbolic.lagrange(model), cs.Tree(model)
    assert equations.coordinates == tree.coordinates
    q, v = rng.normal(size=(2, len(tree.coordinates)))
    M, h, rates = evaluated(equations, q, v)
    assert relative(M, tree.mass_matrix(q)) < 1e-12
    assert relative(h, tree.bias(q, v)) < 1e-12
    assert relative(rates, tree.coordinate_rates(q, v)) < 1e-12


KINDS = {
    "revolute": lambda name, a, b, at, axis: cs.Revolute(name, a, b, axis=axis, at=at, damping=0.3),
    "prismatic": lambda name, a, b, at, axis: cs.Prismatic(name, a, b, axis=axis, at=at, stiffness=2.0),
    "screw": lambda name, a, b, at, axis: cs.Screw(name, a, b, axis=axis, pitch=cs.Parameter("pitch", 0.3), at=at),
    "cylindrical": lambda name, a, b, at, axis: cs.Cylindrical(name, a, b, axis=axis, at=at),
    "planar": lambda name, a, b, at, axis: cs.Planar(name, a, b, normal=axis, at=at),
    "universal": lambda name, a, b, at, axis: cs.Universal(name, a, b, axes=((1, 0, 0), (0, 0, 1)), at=at),
    "spherical": lambda name, a, b, at, axis: cs.Spherical(name, a, b, at=at, stiffness=1.5),
    "free": lambda name, a, b, at, axis: cs.Free(name, a, b, at=at, damping=(0.1, 0.2, 0.3, 0.4, 0.4, 0.4)),
}


@pytest.mark.parametrize("seed", range(8))
def test_random_models_with_parameters(seed):
    rng = np.random.default_rng(seed)
    g = cs.Parameter("g", 9.81)
    model = cs.Model("random", gravity=(0.3 * g, 0.1, -g))
    bodies = []
    for i in range(3):
        mass, x = cs.Parameter(f"m{i}", rng.uniform(0.5, 2.0)), cs.Parameter(f"x{i}", rng.normal())
        body = cs.RigidBody(f"b{i}", mass=mass, com=(x, *rng.normal(size=2)), inertia=rng.uniform(0.2, 0.3, 3),
                            rotation=cs.lie.so3.exp(rng.normal(size=3)))  # fmt: skip
        sides = [cs.GROUND if i == 0 else bodies[rng.integers(i)], model.add(body)]
        if rng.random() < 0.4:
            sides.reverse()
        kind = list(KINDS)[(seed + 3 * i) % len(KINDS)]
        axis = [(0, 0, 1), (0, 1, 1), tuple(rng.normal(size=3))][rng.integers(3)]
        model.add(KINDS[kind](f"j{i}", *sides, tuple(rng.normal(size=3)), axis))
        bodies.append(body)
    lever = cs.Parameter("lever", 0.7)
    model.add(cs.Spring("spring", bodies[0].at((lever, 0, 0)), bodies[2].at((0, 1, 1)), 3.0, damping=0.2))
    model.add(cs.Force("wind", bodies[1].at((0, lever, 0)), ("sin(t)", lambda t: np.cos(2 * t), 1.0), follower=True))
    equations, tree = symbolic.lagrange(model), cs.Tree(model)
    tree.set_time(0.7)
    q, v = rng.normal(size=(2, len(tree.coordinates)))
    M, h, rates = evaluated(equations, q, v, 0.7)
    assert relative(M, tree.mass_matrix(q)) < 1e-12
    assert relative(h, tree.bias(q, v)) < 1e-12
    assert relative(rates, tree.coordinate_rates(q, v)) < 1e-12


def test_axis_with_a_parameter():
    tilt = cs.Parameter("tilt", 0.3)
    model = cs.Model("tilted", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("b", mass=1.0, com=(1, 0.2, 0), inertia=(0.1, 0.2, 0.25)))
    model.add(cs.Revolute("q", cs.GROUND, body, axis=(0, np.sin(tilt), np.cos(tilt)), at=(0, 0, 0)))
    equations = symbolic.lagrange(model)
    for value in (0.3, 1.1):
        model.set(tilt=value)
        M, h, _ = evaluated(equations, [0.4], [1.3])
        assert relative(M, cs.mass_matrix(model, [0.4])) < 1e-13
        assert relative(h, cs.bias(model, [0.4], [1.3])) < 1e-13


def arm():
    m, L, g = cs.Parameter("m", 1.3), cs.Parameter("L", 0.8), cs.Parameter("g", 9.81)
    model = cs.Model("arm", gravity=(0, -g, 0))
    upper = model.add(cs.RigidBody.bar("upper", (0, 0, 0), (L, 0, 0), mass=m))
    lower = model.add(cs.RigidBody.bar("lower", (L, 0, 0), (2 * L, 0, 0), mass=m))
    model.add(cs.Revolute("q1", cs.GROUND, upper.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("q2", upper, lower, at=(L, 0, 0), axis=(0, 0, 1), stiffness=cs.Parameter("k", 3.0)))
    return model


def test_energies_give_the_same_equations():
    """d/dt dL/dv - dL/dq = M a + h, where nothing dissipates."""
    equations = symbolic.lagrange(arm())
    q, v, a = (sp.Matrix(x) for x in (equations.q, equations.v, equations.a))
    L = equations.lagrangian
    momentum = sp.Matrix([L.diff(x) for x in v])
    left = momentum.jacobian(q) * v + momentum.jacobian(v) * a - sp.Matrix([L.diff(x) for x in q])
    right = equations.mass_matrix * a + equations.bias
    assert (left - right).applyfunc(sp.expand).applyfunc(sp.trigsimp) == sp.zeros(2, 1)


@pytest.mark.parametrize("potential", [None, "3*rx**2 + 2*ry**4 + rz**2*(1 + rx)"])
def test_linearization_is_that_of_the_recursions(potential, rng):
    """Derivatives along velocities, also where joints turn freely, and where the rotation vector has a potential."""
    model = cs.Model("ball and arm", gravity=(0.1, 0.2, -9.81))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0.3, 0.1, 0.2), inertia=(0.1, 0.2, 0.25)))
    rod = model.add(cs.RigidBody("rod", mass=0.6, com=(1.1, 0.2, 0.1), inertia=(0.1, 0.12, 0.15)))
    model.add(cs.Spherical("s", ball, cs.GROUND, at=(0, 0, 0), stiffness=2.0, damping=0.3, potential=potential))
    model.add(cs.Revolute("r", ball, rod, axis=(0, 1, 0), at=(0.8, 0, 0), damping=0.2))
    equations, tree = symbolic.lagrange(model), cs.Tree(model)
    q, v, a = rng.normal(size=(3, 4))
    about = dict(zip((*equations.q, *equations.v, *equations.a), np.concatenate((q, v, a)), strict=True))
    linear, expected = equations.linearize(about), tree.inverse_dynamics_derivatives(q, v, a)
    for found, wanted in ((linear.M, expected.da), (linear.C, expected.dv), (linear.K, expected.dq)):
        assert relative(np.array(found.evalf(20), dtype=float), wanted) < 1e-12


@pytest.mark.parametrize("reverse", [False, True])
def test_small_motions_about_a_turned_ball_joint_are_those_of_the_engine(reverse):
    """At the equilibrium of a body held by a potential of its rotation vector, far from zero."""
    model = cs.Model("held", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=0.5, com=(0.3, 0.1, 0.2), inertia=(0.1, 0.2, 0.25)))
    ends = (body, cs.GROUND) if reverse else (cs.GROUND, body)
    model.add(cs.Spherical("s", *ends, at=(0, 0, 0), damping=0.1, potential="(rx - 1)**2 + 2*(ry + 0.5)**4 + rz**2"))
    held = cs.equilibrium(model)
    q = np.atleast_1d(held.coordinate("s"))
    assert np.linalg.norm(q) > 0.5
    equations = symbolic.lagrange(model)
    A, _ = equations.linearize(dict(zip(equations.q, q, strict=True))).state_space()
    found = np.linalg.eigvals(np.array(A.evalf(20), dtype=float))
    wanted = cs.linearize(model, about=held).eigenvalues
    assert relative(np.sort_complex(found), np.sort_complex(wanted)) < 1e-8


def test_rolling_rows_are_those_of_the_engine(rng):
    model = cs.Model("coin", gravity=(0, 0, -9.81))
    coin = model.add(cs.RigidBody("coin", mass=0.7, com=(0, 0, 0.5), inertia=(6.25e-3, 12.5e-3, 6.25e-3)))
    bob = model.add(cs.RigidBody("bob", mass=0.2, com=(0.2, 0, 0.7), inertia=(1e-3, 2e-3, 1.5e-3)))
    model.add(cs.Revolute("pin", coin, bob, axis=(0, 1, 0), at=(0, 0, 0.5)))
    model.add(cs.RollingDisc("wheel", coin, radius=cs.Parameter("r", 0.5), axis=(0, 1, 0)))
    model.add(cs.KnifeEdge("edge", bob, direction=(0, 1, 0)))
    compiled = symbolic.lagrange(model).compile(jit=False)
    q, v = 0.3 * rng.normal(size=7), rng.normal(size=7)
    found, expected = compiled.constrained_dynamics(q, v), cs.constrained_dynamics(model, q, v)
    assert relative(found.a, expected.a) < 1e-10
    assert relative(found.multipliers, expected.multipliers) < 1e-10


@pytest.mark.parametrize("closing", ["spherical", "screw", "universal"])
def test_rows_of_loops_in_space_are_rates_of_their_gaps(closing, rng):
    """A v is the rate of the gap and b that of A v, by differences along the motion, in a loop through a ball joint."""
    model = cs.Model("loop", gravity=(1, 2, 3))
    bodies = [
        model.add(cs.RigidBody(f"b{i}", mass=1.0, com=tuple(rng.normal(size=3)), inertia=(0.2, 0.25, 0.3)))
        for i in range(2)
    ]
    model.add(cs.Cylindrical("c", cs.GROUND, bodies[0], axis=(1, 2, 3), at=(0, 0, 0)))
    first = cs.Revolute if closing == "screw" else cs.Prismatic
    model.add(first("p", *bodies, axis=(0, 1, 1), at=(0, 1, 0)))
    ball = cs.Spherical("close", cs.GROUND, bodies[1], at=(1, 1, 1), damping=0.2)
    other = KINDS[closing]("close", cs.GROUND, bodies[1], (1, 1, 1), (0.2, -1, 1))
    model.add(ball if closing == "spherical" else other)
    compiled = symbolic.lagrange(model).compile(jit=False)
    q, v = 0.2 * rng.normal(size=(2, len(compiled.coordinates)))

    def ahead(s):
        middle = q + s / 2 * compiled.coordinate_rates(q, v)
        return compiled.rows(q + s * compiled.coordinate_rates(middle, v), v)

    h = 1e-5
    (A, b, _, _), (A_p, _, _, gap_p), (A_m, _, _, gap_m) = compiled.rows(q, v), ahead(h), ahead(-h)
    assert len(A) >= 3
    assert np.allclose((gap_p - gap_m) / (2 * h), A @ v, atol=1e-8)
    assert np.allclose((A_p - A_m) @ v / (2 * h), b, atol=1e-8)


def test_potential_of_a_joint():
    """Any function U(t, q); a quadratic one is a spring. Source: [Lerbet17] (58)."""
    model, plain = arm(), arm()
    plain["q2"]._stiffness = (0.0,)
    k, q2 = sp.symbols("k q2")
    equations = symbolic.lagrange(plain, potentials={"q2": lambda t, q: k * q**2 / 2})
    assert sp.expand(equations.bias - symbolic.lagrange(model).bias) == sp.zeros(2, 1)
    assert sp.expand(equations.potential - symbolic.lagrange(model).potential) == 0
    swung = symbolic.lagrange(plain, potentials={"q2": k * sp.cos(q2) * sp.sin(equations.t)})
    assert sp.expand(swung.forces[1] - k * sp.sin(q2) * sp.sin(equations.t)) == 0


def test_prescribed_motion_becomes_a_constraint():
    model = arm()
    model.add(cs.RigidBody.sphere("bob", 0.1, mass=1.0, com=(0, 0, 0)))
    model.add(cs.Prismatic("slide", cs.GROUND, "bob", axis=(1, 0, 0), motion="0.2*sin(3*t)"))
    (row,) = symbolic.lagrange(model).rows
    t = sp.Symbol("t")
    assert row.drift == -sp.Rational(3, 5) * sp.cos(3 * t)
    assert row.bias == sp.Rational(9, 5) * sp.sin(3 * t)


@pytest.mark.parametrize("effort", [lambda t: np.sin(t) / t if t else 1.0, lambda t: 1.0 if t == 0 else np.sin(t) / t])
def test_efforts_that_ask_for_the_time_are_not_formulas(effort):
    model = cs.Model("sinc")
    body = model.add(cs.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    model.add(cs.Revolute("r", cs.GROUND, body, (0, 0, 1), effort=effort))
    compiled = symbolic.lagrange(model).compile(jit=False)
    assert compiled.bias([0.0], [0.0], 0.0) == [-1.0]
    assert np.allclose(compiled.bias([0.0], [0.0], 2.0), -np.sin(2) / 2)


def test_values_of_parameters_are_numbers():
    with pytest.raises(ArgumentError, match=r"parameters\['c'\] must be a number"):
        symbolic.lagrange(arm(), parameters={"c": "1,2"})


def test_latex_has_dots_and_names():
    text = symbolic.lagrange(arm()).latex({"q1": r"\theta_1"})
    assert r"\ddot{\theta_1}" in text
    assert r"\dot{q_{2}}" in text
    assert text.count("&=") == 2


# bad input ------------------------------------------------------------------------------------------------------------


def test_free_symbols_are_named():
    law = {"lower": lambda place: -sp.Symbol("c") * place.velocity}
    with pytest.raises(cs.CosseratError, match=r"symbols c of its equations.*parameters=\{'c': 1.0\}"):
        symbolic.lagrange(arm(), forces=law).python()
    symbolic.lagrange(arm(), forces=law, parameters={"c": 0.1}).python()
    with pytest.raises(cs.CosseratError, match="free symbols z"):
        symbolic.lagrange(arm(), potentials={"q2": sp.Symbol("z") ** 2})


def test_forces_of_the_wrong_dimension():
    with pytest.raises(cs.CosseratError, match="gave 2 components; expected 3"):
        symbolic.lagrange(arm(), forces={"lower": lambda place: [1, 2]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ("a",)}, "one name for each of the 2 coordinates"),
        ({"names": {"elbow": "q"}}, "no coordinate 'elbow'; coordinates: q1, q2"),
        ({"names": ("m", "q2")}, "a parameter's name"),
        ({"names": ("a b", "q2")}, "not a free name"),
        ({"potentials": {"elbow": 1}}, "no joint 'elbow'; joints: q1, q2"),
        ({"parameters": {"m": 1.0}}, "'m' is a parameter of the model already"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(cs.CosseratError, match=message):
        symbolic.lagrange(arm(), **arguments)


def test_elastic_bodies_and_wrong_symbols_are_refused(manipulator):
    with pytest.raises(cs.CosseratError, match="arm1"):
        symbolic.lagrange(manipulator())
    with pytest.raises(cs.CosseratError, match="no symbol 'w'; symbols: q1, q2"):
        symbolic.lagrange(arm()).linearize({"w": 1})
    with pytest.raises(cs.CosseratError, match="inputs has no symbol 'q1_dot'; symbols: q1, tau_q1, q2, tau_q2"):
        symbolic.lagrange(arm()).linearize(inputs=["q1_dot"])
    by_coordinate, by_effort = (symbolic.lagrange(arm()).linearize(inputs=[name]).B for name in ("q1", "tau_q1"))
    assert by_coordinate == by_effort == sp.Matrix([1, 0])
    with pytest.raises(cs.CosseratError, match="regular matrix"):
        symbolic.lagrange(arm()).combined([[1, 1], [1, 1]], ("a", "b"))


def four_bar():
    model = cs.Model("four-bar", gravity=(0, 0, -9.81))
    corners = [(0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0)]
    bars = [model.add(cs.RigidBody.bar(f"b{i}", corners[i], corners[i + 1], mass=1.0 + i)) for i in range(3)]
    for i, (a, b) in enumerate(zip([cs.GROUND, *bars], [*bars, cs.GROUND], strict=True)):
        model.add(cs.Revolute(f"j{i}", a.at(corners[i]), b.at(corners[i]), axis=(0, 1, 0)))
    return model


def test_composed_vectors_of_a_closed_loop(rng):
    """Those of the tree, with the multipliers of what closes it: the same equations as Lagrange's."""
    vectors, equations = symbolic.composed_vectors(four_bar()), symbolic.lagrange(four_bar())
    assert vectors.velocities.shape == (3, 18)
    everything = [*equations.q, *equations.v, *equations.a, *equations.multipliers]
    gap = vectors.left_side - vectors.generalised_forces - vectors.constraint_forces
    gap -= equations.residual + sp.Matrix(equations.tau)
    numbers = dict(zip(everything, rng.normal(size=len(everything)), strict=True))
    assert np.abs(np.array(gap.xreplace(numbers).evalf(), dtype=float)).max() < 1e-12
    assert vectors.constraint_forces.has(*equations.multipliers)


def test_notebooks_get_mathematics():
    shown = symbolic.lagrange(four_bar())._repr_latex_()
    assert shown.startswith("$$\\begin{aligned}")
    assert shown.endswith("$$")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"forces": {"b0": lambda p: 3}}, "the law at b0 gave 3; expected 3 expressions"),
        ({"forces": {"b0": lambda p: sp.Matrix([1, 0])}}, "the law at b0 gave 2 components; expected 3"),
        ({"forces": [1]}, r"forces is \[1\]; pass a dict"),
        ({"potentials": [1]}, r"potentials is \[1\]; pass a dict"),
        ({"parameters": 3}, "parameters is 3; pass a dict"),
        ({"potentials": {"j3": sp.Symbol("j3") ** 2}}, "the joint 'j3' closes a loop and has no symbol"),
        ({"potentials": {"j0": sp.Symbol("z") ** 2}}, "the potential of joint 'j0' has the free symbols z"),
    ],
)
def test_wrong_arguments_are_located(given, message):
    with pytest.raises(cs.CosseratError, match=message):
        symbolic.lagrange(four_bar(), **given)


def test_a_potential_that_is_not_smooth_is_a_warning():
    with pytest.warns(cs.CosseratWarning, match="the potential of joint 'j0' is not smooth, it contains Abs"):
        symbolic.lagrange(four_bar(), potentials={"j0": sp.Abs(sp.Symbol("j0", real=True))})


def test_notations_of_sources():
    equations = symbolic.lagrange(arm())
    text = equations.latex(notation="Giacaglia20")
    assert r"a_{\gamma\alpha} \ddot{q}^\alpha" in text.splitlines()[1]
    assert r"\ddot{q^{1}}" in text
    assert "N_{2}" in text
    assert symbolic.composed_vectors(arm())._repr_latex_() == f"$${text}$$"
    text = equations.latex(notation="Lerbet17")
    assert r"\frac{\partial U_\ell}{\partial q_k}" in text
    assert r"\ddot{q_{2}}" in text
    lines = equations.text("Giacaglia20").splitlines()
    assert lines[0].endswith("= Qγ")
    assert "q1''" in lines[1]
    assert "N2" in lines[2]
    assert "q1_ddot" not in equations.text()
    with pytest.raises(cs.CosseratError, match="unknown notation 'Kane'; notations of mechanisms: cosserat"):
        equations.latex(notation="Kane")


@pytest.mark.filterwarnings("ignore:lagrange. the potential of joint 'q' is not smooth")
@pytest.mark.parametrize(
    ("potential", "slopes"),
    [
        (lambda t, q: 3 * sp.Abs(q), (-3, 3)),
        (lambda t, q: sp.Heaviside(q) * q**2, (0, 1)),
        (lambda t, q: sp.floor(q) * q, (-1, 0)),
        (lambda t, q: sp.Mod(q, 2) * 3, (3, 3)),
        (lambda t, q: sp.Min(q, 0) ** 2, (-1, 0)),
        (lambda t, q: sp.Piecewise((q**2, q > 0), (q, True)), (1, 1)),
    ],
)
def test_potentials_with_kinks_act_on_both_sides(potential, slopes):
    model = cs.Model("knob")
    knob = model.add(cs.RigidBody("knob", mass=1.0, inertia=(1, 1, 1)))
    model.add(cs.Revolute("q", cs.GROUND, knob, axis=(0, 0, 1)))
    equations = symbolic.lagrange(model, potentials={"q": potential})
    compiled = equations.compile(jit=False)
    assert [compiled.bias([x], [0.0])[0] for x in (-0.5, 0.5)] == list(slopes)
    for x in (-0.5, 0.5):
        K = (compiled.bias([x + 1e-3], [0.0])[0] - compiled.bias([x - 1e-3], [0.0])[0]) / 2e-3
        assert float(equations.linearize({"q": x}).K[0]) == pytest.approx(K, abs=1e-9)
