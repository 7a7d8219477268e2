"""Potentials of joints: derivatives of formulas, efforts in both formulations, files, and what is refused."""

import numpy as np
import pytest

import cosserat as cs
from cosserat import symbolic
from cosserat.model.expressions import Expression
from cosserat.model.formula_derivatives import derivative

FORMULAS = [
    "3*q**2 - q/2 + 1", "sin(2*q)*cos(q) - tan(q/3)", "exp(-q**2)/(1 + q**2)", "sqrt(2 + q)*log(3 + q)",
    "atan(q) + asin(q/4) - acos(q/5)", "sinh(q) + cosh(q)*tanh(2*q)", "abs(q - 2)", "(2 + q)**(1 + q)",
    "q**3 if q > 0 else -q", "k*(1 - cos(6*q))", "-(+q)", "2/q",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_derivatives_of_formulas(text):
    names, q, h = ("q", "k"), 0.7, 1e-6
    slope = Expression(derivative(text, "q", "here"), names).evaluate({"q": np.float64(q), "k": 0.3})
    ahead, behind = (Expression(text, names).evaluate({"q": np.float64(q + d), "k": 0.3}) for d in (h, -h))
    assert np.isclose(slope, (ahead - behind) / (2 * h), rtol=1e-7)


def pendulum(turned=False, **joint):
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.add(cs.RigidBody.bar("rod", (0, 0, 0), (0.3, 0, -1), mass=1.2))
    sides = (rod.at((0, 0, 0)), cs.GROUND) if turned else (cs.GROUND, rod.at((0, 0, 0)))
    model.add(cs.Revolute("hinge", *sides, axis=(0, 1, 0), **joint))
    return model


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_quadratic_potential_is_a_spring(turned, formulation):
    k = cs.Parameter("k", 7.0)
    runs = [
        cs.simulate(pendulum(turned, **joint), duration=0.5, step=5e-3, formulation=formulation).coordinate("hinge")
        for joint in ({"stiffness": 7.0}, {"potential": cs.Potential("k*q**2/2", {"k": k})})
    ]
    assert np.abs(runs[0]).max() > 0.1
    assert np.allclose(*runs, atol=1e-9)


def test_equilibrium_and_modes_feel_it():
    spring, potential = pendulum(stiffness=5.0), pendulum(potential="2.5*q**2")
    rests = [float(cs.equilibrium(m).position("rod")[0]) for m in (spring, potential)]
    assert np.isclose(*rests, atol=1e-10)
    frequencies = [cs.modes(m, 1).frequencies[0] for m in (spring, potential)]
    assert np.isclose(*frequencies, rtol=1e-7)


def planar_arm():
    """All joints that take a potential but the universal one, in a chain, with formulas that couple freedoms."""
    model = cs.Model("chain", gravity=(0.2, 0.1, -9.81))
    bodies = [
        model.add(cs.RigidBody(f"b{i}", mass=1.0, com=(i + 0.5, 0.1, 0.2), inertia=(0.1, 0.2, 0.25))) for i in range(5)
    ]
    joints = [
        lambda *a: cs.Planar(*a, normal=(0, 0, 1), potential="x*y + 2*x**2 + y**2 + cos(rz)*x"),
        lambda *a: cs.Cylindrical(*a, axis=(0, 1, 1), potential="z**2*(1 + sin(rz)**2)"),
        lambda *a: cs.Universal(*a, axes=((1, 0, 0), (0, 1, 0)), potential="3*sin(rx)*cos(ry) + rx**2"),
        lambda *a: cs.Screw(*a, axis=(1, 0, 0), pitch=0.2, potential="q**4"),
        lambda *a: cs.Prismatic(*a, axis=(1, 0, 1), potential=cs.Potential("exp(a*q)", {"a": cs.Parameter("a", 0.4)})),
    ]
    for i, joint in enumerate(joints):
        sides = [cs.GROUND if i == 0 else bodies[i - 1], bodies[i]]
        point = (float(i), 0.0, 0.0)
        model.add(joint(f"j{i}", *(s.at(point) for s in (reversed(sides) if i == 2 else sides))))
    return model


def test_all_kinds_of_joints_beside_symbols(rng):
    """The engine's efforts are -dU/dq of the formulas, which the equations in symbols differentiate themselves."""
    model = planar_arm()
    tree, equations = cs.Tree(model), symbolic.lagrange(model)
    compiled = equations.compile(jit=False)
    q, v = 0.6 * rng.normal(size=(2, len(tree.coordinates)))
    assert np.allclose(compiled.bias(q, v), tree.bias(q, v), rtol=1e-9, atol=1e-9)
    assert equations.potential.has(*[s for s in equations.q[:2]])


def test_files_hold_potentials(tmp_path):
    model = planar_arm()
    cs.save_model(model, tmp_path / "chain.yaml")
    found = cs.load_model(tmp_path / "chain.yaml")
    assert found == model
    text = (tmp_path / "chain.yaml").read_text()
    assert "exp(a*q)" in text
    found.set(a=0.5)


@pytest.mark.parametrize(
    ("potential", "message"),
    [
        ("k*q", r"joint 'hinge': potential.*unknown name 'k'"),
        ("max(q, 0)", "'max\\(q, 0\\)' has no derivative by 'q'"),
        (3.0, "must be a formula such as"),
        ("", "empty"),
    ],
)
def test_wrong_potentials(potential, message):
    with pytest.raises(cs.CosseratError, match=message):
        pendulum(potential=potential)


def test_ball_joints_have_none():
    with pytest.raises(cs.CosseratError, match="cannot be given to a spherical joint"):
        cs.Spherical("s", cs.GROUND, cs.RigidBody.sphere("b", 1.0, mass=1.0), potential="q")
