"""Compiled equations: motions on the group, loops, drives, parameters."""

import numpy as np
import pytest
import sympy as sp

import cosserat as cs
from cosserat import symbolic
from cosserat.errors import ArgumentError, SolveError


def top():
    """A heavy top in a ball joint with a rod hinged to it."""
    model = cs.Model("top", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0.1, 0, 0.4), inertia=(0.05, 0.06, 0.03)))
    model.add(cs.Spherical("tip", cs.GROUND, body, at=(0, 0, 0)))
    return model


@pytest.fixture(scope="module")
def spinning():
    return symbolic.lagrange(top()).compile()


def test_motion_on_the_group_has_order_four(spinning):
    """Through rotations of more than half a turn; errors fall by 16, and the energy by more."""
    tree, q, v = cs.Tree(top()), np.array([0.3, 0.2, 0.1]), np.array([1.0, 2.0, 25.0])
    fine = spinning.motion(q, v, 0.5, 0.5 / 3200)
    energy = [tree.energy(fine.q[i], fine.v[i]).total for i in (0, -1)]
    assert abs(energy[1] - energy[0]) < 1e-9 * abs(energy[0])
    errors = []
    for steps in (200, 400):
        end = spinning.motion(q, v, 0.5, 0.5 / steps)
        errors.append(np.abs(tree.difference(end.q[-1], fine.q[-1])).max() + np.abs(end.v[-1] - fine.v[-1]).max())
    assert 13.0 < errors[0] / errors[1] < 19.0


def test_rotation_is_that_of_the_engine(spinning):
    model, q, v = top(), np.zeros(3), np.array([1.0, 2.0, 25.0])
    model["body"]._keep(angular_velocity=tuple(v))
    run = cs.simulate(model, duration=0.2, step=1e-4)
    found = spinning.motion(q, v, 0.2, 1e-3)
    frame = cs.forward_kinematics(model, found.q[-1])
    assert np.allclose(frame.position("body.at(1, 1, 1)"), run.position("body.at(1, 1, 1)")[-1], atol=2e-6)


def four_bar(**last):
    model = cs.Model("four-bar", gravity=(3.0, -9.81, 0))
    a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (0, 1, 0), mass=1.0))
    b = model.add(cs.RigidBody.bar("b", (0, 1, 0), (2, 1.5, 0), mass=2.0))
    c = model.add(cs.RigidBody.bar("c", (2, 1.5, 0), (2, 0, 0), mass=1.5))
    model.add(cs.Revolute("A", cs.GROUND, a.at((0, 0, 0)), axis=(0, 0, 1), damping=0.1))
    model.add(cs.Revolute("B", a.at((0, 1, 0)), b.at((0, 1, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("C", b.at((2, 1.5, 0)), c.at((2, 1.5, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("D", c.at((2, 0, 0)), cs.GROUND, axis=(0, 0, 1), **last))
    return model


def test_loop_is_closed_by_multipliers():
    """A four-bar linkage with spring and damper in the joint that is cut, beside the engine."""
    model = four_bar(stiffness=4.0, damping=0.3)
    equations = symbolic.lagrange(model)
    assert len(equations.rows) == 5
    found = equations.compile(jit=False).motion(np.zeros(3), np.zeros(3), 0.6, 4e-3)
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, duration=0.6, step=5e-4)
    expected = [float(run.coordinate(name)[-1]) for name in "ABC"]
    assert abs(expected[0]) > 0.3
    assert np.allclose(found.q[-1], expected, atol=2e-6)
    assert found.gap < 1e-12


def test_a_drive_stops_where_the_mechanism_is_stretched():
    """A crank of 1 and a rod of 1.5, whose end slides at the height 2: the crank turns by pi/3 from above."""
    model, end = cs.Model("toggle"), (np.sqrt(1.25), 2, 0)
    crank = model.add(cs.RigidBody.bar("crank", (0, 0, 0), (0, 1, 0), mass=1.0))
    rod = model.add(cs.RigidBody.bar("rod", (0, 1, 0), end, mass=1.0))
    block = model.add(cs.RigidBody.sphere("block", 0.1, mass=1.0, com=end))
    model.add(cs.Revolute("a", cs.GROUND, crank.at((0, 0, 0)), axis=(0, 0, 1), motion="-t"))
    model.add(cs.Revolute("b", crank, rod, at=(0, 1, 0), axis=(0, 0, 1)))
    model.add(cs.Prismatic("c", cs.GROUND, block, axis=(1, 0, 0)))
    model.add(cs.Revolute("d", rod, block, at=end, axis=(0, 0, 1)))
    compiled = symbolic.lagrange(model).compile(jit=False)
    rest = np.zeros(len(compiled.coordinates))
    assert compiled.motion(rest, rest, np.pi / 3 - 0.1, 0.01).gap < 1e-8
    with pytest.raises(SolveError, match=r"no finite state that meets the constraints after t = 1\.0"):
        compiled.motion(rest, rest, np.pi / 3 + 0.2, 0.01)


def test_drives_and_efforts_from_python_functions():
    """A function that cannot be followed with symbols is sampled; the rest of the motion is that of the engine."""

    def swing(t):
        return 0.3 * np.sin(2 * float(t)) if isinstance(t, float) else swing(float(np.asarray(t)))

    model = cs.Model("driven", gravity=(0, -9.81, 0))
    a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.add(cs.RigidBody.bar("b", (1, 0, 0), (1.6, 0, 0), mass=0.5))
    model.add(cs.Revolute("A", cs.GROUND, a.at((0, 0, 0)), axis=(0, 0, 1), motion="0.2*t**2"))
    model.add(cs.Revolute("B", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 0, 1), effort=swing))
    equations = symbolic.lagrange(model)
    assert [str(s) for s in equations.inputs] == ["u_effort_B"]
    found = equations.compile(jit=False).motion(np.zeros(2), np.zeros(2), 0.5, 1e-2)
    run = cs.simulate(model, duration=0.5, step=5e-4)
    assert np.allclose(found.q[-1], [0.05, float(run.coordinate("B")[-1])], atol=1e-6)


def test_parameters_change_without_compiling_again():
    m, L = cs.Parameter("m", 1.0), cs.Parameter("L", 2.0)
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.add(cs.RigidBody.bar("rod", (0, 0, 0), (0, 0, -L), mass=m))
    model.add(cs.Revolute("q", cs.GROUND, rod.at((0, 0, 0)), axis=(0, 1, 0)))
    compiled = symbolic.lagrange(model).compile()
    assert np.isclose(compiled.mass_matrix([0.0])[0, 0], 4 / 3)
    compiled.set(L=3.0)
    assert compiled.parameters == {"m": 1.0, "L": 3.0}
    assert np.isclose(compiled.mass_matrix([0.0])[0, 0], 3.0)
    assert np.isclose(compiled.forward_dynamics(np.array([0.3]), np.zeros(1))[0], -1.5 * 9.81 / 3 * np.sin(0.3))
    with pytest.raises(cs.CosseratError, match="no parameter 'l'; parameters: 'm', 'L'"):
        compiled.set(l=1.0)
    with pytest.raises(cs.CosseratError, match=r"q must be 1 finite numbers \(q\)"):
        compiled.motion([0.0, 1.0], [0.0], 1.0, 0.1)
    with pytest.raises(cs.CosseratError, match="step is 0"):
        compiled.motion([0.0], [0.0], 1.0, 0)


@pytest.mark.parametrize("formula", ["cbrt(t)", "sign(t - 1)", "2*(t > 1)", "asinh(t) + log10(1 + t)", "hypot(3, t)"])
def test_every_function_of_formulas_compiles(formula):
    """Efforts as formulas: the same accelerations from the equations and from the tree."""
    model = cs.Model("slider")
    body = model.add(cs.RigidBody("body", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("x", cs.GROUND, body, axis=(1, 0, 0), at=(0, 0, 0), effort=formula))
    found = symbolic.lagrange(model).compile().forward_dynamics(np.zeros(1), np.zeros(1), t=1.5)
    run = cs.simulate(model, 1.5, step=1.5 / 32)
    assert found[0] == pytest.approx(run.acceleration("body").values[-1, 0], abs=1e-12)


def test_a_disc_rolls_beyond_a_quarter_turn():
    """A free body on a plane: its corrections are twists in its own axes, coordinates are in those of the ground."""
    model = cs.Model("disc", gravity=(0, 0, -9.81))
    state = {"velocity": (1.5, -0.05, 0), "angular_velocity": (0.1, 3.0, 0.4)}
    body = model.add(cs.RigidBody("disc", mass=2.0, com=(0, 0, 0.5), inertia=(0.125, 0.25, 0.125), **state))
    model.add(cs.RollingDisc("wheel", body, radius=0.5, axis=(0, 1, 0)))
    rolling = symbolic.lagrange(model).compile(jit=False)
    end = rolling.motion(np.zeros(6), [1.5, -0.05, 0, 0.1, 3.0, 0.4], 1.0, 4e-3).q[-1]
    run = cs.simulate(model, 1.0, 2e-3, formulation="floating", integrator="runge-kutta")
    np.testing.assert_allclose(end[:3], run.position("disc")[-1] - [0, 0, 0.5], atol=1e-6)


def test_code_is_kept_for_other_processes(monkeypatch):
    """As in a new process: functions of this one are forgotten, and found again without compiling."""
    from cosserat.jit import COMPILED, user

    if not COMPILED:
        pytest.skip("the compiler is off")

    def pendulum(length):
        model = cs.Model("pendulum", gravity=(0, 0, -9.81))
        bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(length, 0, 0)))
        model.add(cs.Revolute("q", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
        return symbolic.lagrange(model).compile()

    q, v = np.array([0.3]), np.array([0.5])
    first = {length: float(pendulum(length).forward_dynamics(q, v)[0]) for length in (1.0, 1.5)}
    monkeypatch.setattr(user, "_kept", {})
    for length in (1.5, 1.0):
        again = pendulum(length)
        assert float(again.forward_dynamics(q, v)[0]) == first[length]
        stats = again._loops.accelerate.stats
        assert sum(stats.cache_hits.values()) == 1
        assert not stats.cache_misses
    assert first[1.0] != first[1.5]


@pytest.mark.parametrize("setting", ["material", "spatial"])
def test_problems_on_groups_compile(setting):
    """A heavy top as a Poincare-Chetayev problem: the same motion by compiled code, with other constants, too."""
    top = symbolic.media.heavy_top(setting)
    names = sorted(str(s) for s in top.lagrangian.free_symbols - set(top.jets.variables()))
    values = {name: 0.7 + 0.1 * k for k, name in enumerate(names)}
    plain, compiled = top.motion([0.3, 2, -0.5], 0.5, 0.05, values=values), top.compile(values)
    found = compiled.motion([0.3, 2, -0.5], 0.5, 0.05)
    for a, b in ((plain.velocity, found.velocity), (plain.momentum, found.momentum), (plain.energy, found.energy)):
        assert np.abs(a - b).max() < 1e-12
    assert np.ptp(found.energy) < 1e-6
    other = {name: 1.1 * value for name, value in values.items()}
    again = compiled.motion([0.3, 2, -0.5], 0.5, 0.05, values=other)
    assert np.abs(again.velocity - top.motion([0.3, 2, -0.5], 0.5, 0.05, values=other).velocity).max() < 1e-12
    assert compiled.constants == pytest.approx(other)
    assert "def system(x, g, eta, p, M, b)" in compiled.source


def test_problems_that_do_not_compile():
    free = symbolic.PoincareChetayev(symbolic.SO3, lambda w: sp.Symbol("J") * w.dot(w) / 2)
    with pytest.raises(cs.CosseratError, match=r"PoincareChetayev.compile: values leave the symbols J free"):
        free.compile()
    with pytest.raises(cs.CosseratError, match="no constant 'K'; constants: 'J'"):
        free.compile({"J": 1.0}, jit=False).set(K=2.0)
    with pytest.raises(cs.CosseratError, match="ordinary equations need one alone"):
        symbolic.media.planar_beam().compile()
    lame = symbolic.PoincareChetayev(symbolic.SO3, lambda w: w[0] ** 2)
    with pytest.raises(cs.CosseratError, match="some velocity carries no momentum"):
        lame.compile(jit=False).rate(0.0, np.eye(3), (1, 0, 0))


def test_arrays_of_the_wrong_size_never_reach_compiled_code():
    """Efforts too short would be read beyond their end; accelerations go where they are wanted, constrained or not."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Revolute("q", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    compiled, zero, out = symbolic.lagrange(model).compile(), np.zeros(1), np.zeros(1)
    for tau in (np.zeros(0), np.zeros(2), np.array([np.nan]), [], {}):
        with pytest.raises(SolveError, match="tau must be 1 finite numbers"):
            compiled.forward_dynamics(zero, zero, tau)
    with pytest.raises(SolveError, match="q must be 1 finite numbers"):
        compiled.forward_dynamics(np.array([np.nan]), zero)
    with pytest.raises(SolveError, match="out is"):
        compiled.forward_dynamics(zero, zero, out=np.zeros(0))
    assert compiled.forward_dynamics([0.0], [0.0], out=out) is out
    assert out == pytest.approx(compiled.forward_dynamics(zero, zero))
    with pytest.raises(ArgumentError, match="t must be a number"):
        compiled.bias([0.0], [0.0], "now")
