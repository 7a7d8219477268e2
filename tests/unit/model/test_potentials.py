"""Potentials of joints: derivatives of formulas, efforts in both formulations, files, and what is refused."""

import numpy as np
import pytest

import cosserat as cs
from cosserat import symbolic
from cosserat.lie import so3
from cosserat.model.expressions import Expression
from cosserat.model.potentials import derivative

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


BALL = "2*rx**2 + 3*ry**2 + 5*rz**2 + rx*ry*rz + 4*(1 - cos(rx))*ry**2"
BUSHING = "30*x**2 + 20*y**2 + 10*z**2 + x*rz + sin(y)*rx + " + BALL


def ball(joint=cs.Spherical, turned=False, potential=BALL, spin=(1.0, -2.0, 1.5)):
    model = cs.Model("ball", gravity=(0, 0, -1))
    com = (0.1, 0.2, 0.3)
    motion = {"angular_velocity": spin, "velocity": np.cross(spin, com)}
    body = model.add(cs.RigidBody("body", mass=1.0, com=com, inertia=(0.1, 0.2, 0.25), **motion))
    sides = (body.at((0, 0, 0)), cs.GROUND) if turned else (cs.GROUND, body.at((0, 0, 0)))
    model.add(joint("joint", *sides, potential=potential))
    return model


def energy_of(text, run):
    q = np.asarray(run.coordinate("joint"))
    names = ("x", "y", "z", "rx", "ry", "rz")[-q.shape[1] :]
    return Expression(text, names).evaluate(dict(zip(names, q.T, strict=True)))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("joint", [cs.Spherical, cs.Free])
def test_rotation_vectors_beside_symbols(joint, turned, rng):
    """Also near half a turn, where a rotation vector is found by another component of the quaternion."""
    model = ball(joint, turned, BUSHING if joint is cs.Free else BALL)
    tree, compiled = cs.Tree(model), symbolic.lagrange(model).compile(jit=False)
    n = len(tree.coordinates)
    for size in (0.0, 1e-9, 1e-4, 0.2, 1.0, 3.0, 3.14):
        for axis in (*np.eye(3), rng.normal(size=3)):
            q, v = rng.normal(size=(2, n))
            q[-3:] = size * axis / np.linalg.norm(axis)
            assert np.allclose(compiled.bias(q, v), tree.bias(q, v), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("joint", [cs.Spherical, cs.Free])
def test_energy_with_a_rotation_vector_is_kept(joint, formulation):
    text = BUSHING if joint is cs.Free else BALL
    loss = []
    how = {"formulation": "floating", "rho": 1.0} if formulation == "floating" else {"integrator": "energy-momentum"}
    for step in (4e-3, 2e-3):
        run = cs.simulate(ball(joint, False, text), 1.0, step=step, **how)
        assert run.status.ok
        energy = run.energy.kinetic + run.energy.potential + energy_of(text, run)
        loss.append(float(np.abs(energy - energy[0]).max()))
    assert float(np.ptp(energy_of(text, run))) > 1.0
    assert loss[1] < min(2e-3, 0.3 * loss[0])


def test_both_formulations_turn_the_ball_alike():
    runs = (cs.simulate(ball(), 1.0, step=1e-3, formulation=f) for f in ("galilean", "floating"))
    one, two = (run.coordinate("joint") for run in runs)
    assert np.abs(one).max() > 0.5
    assert np.abs(one - two).max() < 1e-5


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_modes_of_a_ball_with_three_stiffnesses(formulation):
    model = cs.Model("gimbal")
    body = model.add(cs.RigidBody("body", mass=1.0, inertia=(0.1, 0.2, 0.28)))
    k = [cs.Parameter(name, value) for name, value in (("a", 3.0), ("b", 5.01), ("c", 7.0))]
    potential = cs.Potential("(a*rx**2 + b*ry**2 + c*rz**2)/2", dict(zip("abc", k, strict=True)))
    model.add(cs.Spherical("joint", cs.GROUND, body, potential=potential))
    wanted = np.sqrt(np.array([7.0 / 0.28, 5.01 / 0.2, 3.0 / 0.1])) / (2 * np.pi)
    assert np.allclose(cs.modes(model, 3, formulation=formulation).frequencies, wanted, rtol=1e-8)
    model.set(a=12.0)
    assert np.isclose(cs.modes(model, 3, formulation=formulation).frequencies[2], np.sqrt(120) / (2 * np.pi), rtol=1e-8)
    rest = cs.equilibrium(ball(spin=(0, 0, 0)), formulation=formulation)
    w = np.asarray(rest.coordinate("joint"))
    steps = 1e-6 * np.eye(3)
    U = Expression(BALL, ("rx", "ry", "rz"))

    def total(w):
        height = (so3.exp(w) @ [0.1, 0.2, 0.3])[2]
        return U.evaluate(dict(zip(("rx", "ry", "rz"), w, strict=True))) + height

    assert np.abs([total(w + s) - total(w - s) for s in steps]).max() < 1e-11


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_potential_of_a_joint_that_closes_a_loop():
    """In a four-bar mechanism: symbols and engine move alike."""
    model = cs.Model("four-bar", gravity=(0, 0, -9.81))
    corners = [(0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0)]
    bars = [model.add(cs.RigidBody.bar(f"b{i}", corners[i], corners[i + 1], mass=1.0 + i)) for i in range(3)]
    joints = [
        lambda *a: cs.Revolute(*a, axis=(0, 1, 0), potential="2*sin(q)"),
        lambda *a: cs.Revolute(*a, axis=(0, 1, 0), potential="3*(1 - cos(q))"),
        lambda *a: cs.Universal(*a, axes=((0, 1, 0), (1, 0, 0))),
        lambda *a: cs.Planar(*a, normal=(0, 1, 0), potential="40*x**2 + 30*y**2 + 3*sin(rz) + cos(t)*rz*x + t*rz"),
    ]
    for i, (a, b) in enumerate(zip([cs.GROUND, *bars], [*bars, cs.GROUND], strict=True)):
        model.add(joints[i](f"j{i}", a.at(corners[i]), b.at(corners[i])))
    compiled = symbolic.lagrange(model).compile(jit=False)
    n = len(compiled.coordinates)
    assert n == 4
    assert "j3.x" not in compiled.coordinates
    motion = compiled.motion(np.zeros(n), np.zeros(n), duration=0.2, step=0.02)
    run = cs.simulate(model, 0.2, step=1e-3)
    for name in ("j0", "j1"):
        found, wanted = motion.q[:, compiled.coordinates.index(name)], run.coordinate(name).values[::20]
        assert np.abs(wanted).max() > 0.01
        assert np.abs(found - wanted).max() < 1e-6


def test_a_cut_rotation_vector_has_no_formula():
    model = cs.Model("loop")
    body = model.add(cs.RigidBody.sphere("b", 1.0, mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 0, 1)))
    model.add(cs.Spherical("ball", cs.GROUND, body, potential="rx**2"))
    with pytest.raises(cs.CosseratError, match="joint 'ball' closes a loop and has a potential of its rotation vector"):
        symbolic.lagrange(model)


def test_names_that_a_ball_does_not_have():
    with pytest.raises(cs.CosseratError, match=r"joint 's': potential.*unknown name 'q'"):
        cs.Spherical("s", cs.GROUND, cs.RigidBody.sphere("b", 1.0, mass=1.0), potential="q")
