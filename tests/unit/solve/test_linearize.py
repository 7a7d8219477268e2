"""`linearize`: coordinates, state space, prescribed motions, reactions, reduction."""

import copy
import pickle
import sys

import numpy as np
import pytest

import cosserat as cs
from cosserat.demo import two_link_arm
from cosserat.solve.analyses import linearize as solve_linearize
from cosserat.solve.linear.matrices import matrices_at
from cosserat.solve.linear.ports import input_ports, output_ports

from .conftest import driven_model, random_model


def brute_force(linear, inputs, outputs, s):
    """Transfer matrix from the bordered equations of all nodes, without any choice of coordinates."""
    point = linear.point
    matrices = matrices_at(point)
    ins = input_ports(point, inputs)
    outs = output_ports(point, outputs, ins)
    dynamic = s**2 * matrices.mass + s * matrices.damping + matrices.stiffness
    right = np.vstack((ins.force, ins.drive)).astype(complex)
    both = np.linalg.solve(matrices.bordered(dynamic).toarray(), right)
    n = len(ins.force)
    return outs.at(s, both[:n], both[n:], np.eye(right.shape[1]))


def close(found, expected, tolerance=1e-8):
    scale = np.maximum(np.abs(expected).max(axis=0), 1e-9 * np.abs(expected).max())
    assert np.all(np.abs(found - expected) <= tolerance * scale)


INPUTS = ["hinge", "cross", "dead.fz", "follower", "rod.at(0.5).fy", "K"]
OUTPUTS = ["b", "rod.at(0.4).velocity", "hinge", "cross.rate", "ball.reaction", "rod.start.section_force"]


@pytest.mark.filterwarnings("ignore::cosserat.errors.CosseratWarning")
@pytest.mark.parametrize("spin", [None, (0, 0, 0.8)])
def test_transfer_functions_against_the_equations_of_all_nodes(spin):
    model = random_model(3, steady=spin is not None)
    inputs = [*INPUTS[:3], "follower.fx", *INPUTS[4:]]
    linear = cs.linearize(model, inputs, OUTPUTS, spin=spin)
    for s in (0.0, 2j, 0.7 + 5j):
        close(linear.transfer(s), brute_force(linear, inputs, OUTPUTS, s))


@pytest.mark.parametrize("s", [0.3j, 4j, 1 + 20j])
def test_prescribed_motions_as_inputs(s):
    """Position as input without derivatives of it; acceleration as input where velocities and reactions are asked."""
    model = driven_model(2)
    inputs = ["turn", "slide", "cross.ry", "end.fx"]
    calm, lively = ["end", "rod.at(0.5)", "slide.rz", "end.rotation"], ["end.velocity", "turn.effort", "turn.reaction"]
    linear = cs.linearize(model, inputs, calm, time=0.4)
    close(linear.transfer(s), brute_force(linear, inputs, calm, s))
    assert linear.driven == (True, True, False, True, False)
    linear = cs.linearize(model, inputs, [*calm, *lively], time=0.4, drive="acceleration")
    expected = brute_force(linear, inputs, [*calm, *lively], s)
    expected[:, np.array(linear.driven)] /= s**2
    close(linear.transfer(s), expected)
    assert linear.states[len(linear.coordinates)] == "turn"
    assert linear.states[-1] == "cross.ry.rate"


def test_rigid_mechanism_has_its_joint_coordinates_as_states():
    """The double pendulum hanging down, against its textbook matrices."""
    model = cs.Model("double pendulum", gravity=(0, 0, -9.81))
    upper = model.add(cs.RigidBody("upper", mass=2.0, com=(0, 0, -0.5), inertia=[0.2, 0.2, 0.2]))
    lower = model.add(cs.RigidBody("lower", mass=1.5, com=(0, 0, -1.3), inertia=[0.2, 0.3, 0.2]))
    model.add(cs.Revolute("first", cs.GROUND, upper.at((0, 0, 0)), axis=(0, 1, 0), damping=0.2))
    model.add(cs.Revolute("second", upper.at((0, 0, -1)), lower.at((0, 0, -1)), axis=(0, 1, 0)))
    linear = cs.linearize(model, inputs=["first", "second"], outputs=["lower.x", "second.rate"])
    assert linear.states == ("first", "second", "first.rate", "second.rate")
    m11 = 0.2 + 2.0 * 0.25 + 0.3 + 1.5 * 1.3**2
    m12 = 0.3 + 1.5 * 0.3 * 1.3
    m22 = 0.3 + 1.5 * 0.09
    np.testing.assert_allclose(linear.mass, [[m11, m12], [m12, m22]], rtol=1e-12)
    k11, k12 = 9.81 * (2.0 * 0.5 + 1.5 * 1.3), 9.81 * 1.5 * 0.3
    np.testing.assert_allclose(linear.stiffness, [[k11, k12], [k12, k12]], rtol=1e-9)
    np.testing.assert_allclose(linear.damping, [[0.2, 0], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(linear.force, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(linear.C, [[-1.3, -0.3, 0, 0], [0, 0, 0, 1]], atol=1e-12)


def test_coordinates_of_a_flexible_arm():
    linear = cs.linearize(two_link_arm("FF", actuated=True), outputs=["shoulder", "elbow"])
    n = len(linear.coordinates)
    assert linear.coordinates[:3] == ("shoulder", "elbow", "mode 1")
    np.testing.assert_allclose(linear.C[:, :2], np.eye(2), atol=1e-12)
    np.testing.assert_allclose(linear.C[:, 2:], 0.0, atol=1e-12)
    np.testing.assert_allclose(linear.mass[2:, 2:], np.eye(n - 2), atol=1e-9)
    locked = linear.stiffness[2:, 2:]
    np.testing.assert_allclose(locked, np.diag(np.diag(locked)), atol=1e-9 * locked.max())


def test_dependent_joint_coordinates_are_left_out():
    """A triangle of two bars and a slider has one motion; one of its three coordinates describes it."""
    model = cs.Model("slider-crank")
    steel = {"section": cs.Rod(0.05), "material": cs.materials.STEEL}
    crank = model.add(cs.RigidBody.bar("crank", (0, 0, 0), (0.3, 0.4, 0), **steel))
    rod = model.add(cs.RigidBody.bar("rod", (0.3, 0.4, 0), (1.5, 0, 0), **steel))
    piston = model.add(cs.RigidBody("piston", mass=1.0, com=(1.5, 0, 0), inertia=np.eye(3)))
    model.add(cs.Revolute("shaft", cs.GROUND, crank.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Spherical("pin", crank.at((0.3, 0.4, 0)), rod.at((0.3, 0.4, 0))))
    model.add(cs.Universal("wrist", rod.at((1.5, 0, 0)), piston, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Prismatic("bore", cs.GROUND, piston, axis=(1, 0, 0)))
    linear = cs.linearize(model, outputs=["bore", "shaft"])
    assert len(linear.coordinates) == 1
    ratio = linear.C[0, 0] / linear.C[1, 0]
    # the loop: x = a cos q + sqrt(l^2 - a^2 sin^2 q)
    assert ratio == pytest.approx(-0.4 + -0.4 * 0.3 / 1.2, rel=1e-9)


def test_mass_that_follows_a_drive():
    """A mass on a spring and damper behind a driven slider: its motion from the slider's in closed form."""
    m, c, k = 2.0, 0.3, 50.0
    model = cs.Model("shaker")
    table = model.add(cs.RigidBody("table", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    block = model.add(cs.RigidBody("block", mass=m, com=(1, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("shaker", cs.GROUND, table, axis=(1, 0, 0), motion=0.0))
    model.add(cs.Prismatic("mount", table, block, at=(1, 0, 0), axis=(1, 0, 0), stiffness=k, damping=c))
    linear = cs.linearize(model, "shaker", ["block.x", "mount"])
    moving = cs.linearize(model, "shaker", ["block.vx", "shaker.effort", "mount.rate"], drive="acceleration")
    for s in (0.0, 3j, -0.2 + 5j):
        follow = (c * s + k) / (m * s**2 + c * s + k)
        np.testing.assert_allclose(linear.transfer(s)[:, 0], [follow, follow - 1], rtol=1e-9, atol=1e-12)
        if s:
            effort = 1.0 + m * follow
            expected = [s * follow / s**2, effort, s * (follow - 1) / s**2]
            np.testing.assert_allclose(moving.transfer(s)[:, 0], expected, rtol=1e-9)


def cantilever(**options):
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=2e-4)
    beam = model.add(
        cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rectangle(0.01, 0.02), material=material, elements=6)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


def test_reduction_keeps_slow_modes_and_the_static_response():
    linear = cs.linearize(cantilever(), ["arm.end.fy", "arm.end.fz"], ["arm.end", "arm.start.Mz", "clamp.fy"])
    small = linear.reduce(5)
    assert small.coordinates == tuple(f"mode {k}" for k in range(1, 6))
    assert len(small.states) == 10
    scale = np.abs(linear.transfer(0.0)).max()
    np.testing.assert_allclose(small.transfer(0.0), linear.transfer(0.0), atol=1e-9 * scale)
    np.testing.assert_allclose(small.eigenvalues[:4], linear.eigenvalues[:4], rtol=1e-6)
    slow = 0.5j * np.abs(linear.eigenvalues[0])
    exact = linear.transfer(slow)
    with_static, without = small.transfer(slow), linear.reduce(5, static=False).transfer(slow)
    assert np.abs(with_static - exact).max() < 1e-4 * np.abs(exact).max()
    assert np.abs(without - exact).max() > 10 * np.abs(with_static - exact).max()
    assert len(cs.linearize(cantilever(), modes=3).states) == 6
    picked = linear.reduce([1, 2])
    assert picked.coordinates == ("mode 2", "mode 3")
    with pytest.raises(cs.CosseratError, match="numbered from 0"):
        linear.reduce(1000)


@pytest.mark.parametrize("case", ["cantilever", "free motions", "prescribed motion"])
def test_large_mechanisms_are_reduced_by_sparse_algebra(monkeypatch, case):
    """The same model as by reducing the full one."""
    inputs, outputs, options = ["arm.end.fy", "arm.at(0.3).fz"], ["arm.end", "arm.end.vy", "clamp.fy"], {}
    model = cantilever()
    if case == "free motions":
        model = two_link_arm("FF5", actuated=True)
        inputs, outputs = ["shoulder", "elbow", "arm2.end.fz"], ["arm2.end", "elbow.rate", "arm1.at(0.3).Mz"]
    if case == "prescribed motion":
        model = two_link_arm("FF5")
        inputs, outputs = ["shoulder", "arm2.end.fy"], ["arm2.end.y", "arm2.end.vy", "shoulder.mz", "elbow.rate"]
        options = {"drive": "acceleration"}
    full = cs.linearize(model, inputs, outputs, modes=8, **options)
    monkeypatch.setattr(solve_linearize, "_DENSE", 0)
    sparse = cs.linearize(model, inputs, outputs, modes=8, **options)
    assert sparse.states == full.states
    for s in (0.1j, 30j, 5 + 300j):
        expected = full.transfer(s)
        scale = np.abs(expected).max(axis=1, keepdims=True)
        np.testing.assert_allclose(sparse.transfer(s) / scale, expected / scale, atol=1e-6)
    monkeypatch.setattr(solve_linearize, "_LARGEST", 10)
    with pytest.raises(cs.CosseratError, match="too many to keep all"):
        cs.linearize(model)


def test_reduced_model_of_a_driven_arm_converges():
    """With all slow modes kept, velocities and reactions under a prescribed motion are those of the full model."""
    model = two_link_arm("FF2")
    full = cs.linearize(model, "shoulder", ["arm2.end.vy", "shoulder.effort"], drive="acceleration")
    s = 10j
    errors = []
    for n in (3, 6, 12):
        small = full.reduce(n)
        errors.append(np.abs(small.transfer(s) - full.transfer(s)) / np.abs(full.transfer(s)))
    assert np.all(errors[0] < 0.03)
    assert np.all(errors[2] < 1e-4)


def test_free_motion_cannot_give_way_statically(monkeypatch):
    linear = cs.linearize(two_link_arm("RR", actuated=True), "elbow", "elbow")
    with pytest.raises(cs.CosseratError, match="free motion"):
        linear.reduce([1])
    assert linear.reduce([1], static=False).states == ("mode 2", "mode 2.rate")
    monkeypatch.setattr(solve_linearize, "_DENSE", 0)
    model = cs.Model("flying rod")
    line = [(0, 0, 0), (1, 0, 0)]
    model.add(
        cs.Beam("rod", points=line, section=cs.Rod(0.01), material=cs.materials.STEEL, elements=3, velocity=(0, 0, 0))
    )
    with pytest.raises(cs.CosseratError, match="6 free motions, which cannot give way statically; pass modes=6"):
        cs.linearize(model, modes=4)
    assert len(cs.linearize(model, modes=7).states) == 14


def test_state_of_a_run_is_the_deviation_from_the_point():
    model = cantilever()
    model.add(cs.Force("tip", "arm.end", (0, cs.Parameter("P", 0.0), 0)))
    rest = cs.equilibrium(model)
    linear = cs.linearize(model, "tip.fy", "arm.end", about=rest)
    np.testing.assert_allclose(linear.state(rest), 0.0, atol=1e-14)
    model.set(P=1e-3)
    pushed = cs.equilibrium(model)
    np.testing.assert_allclose(linear.C @ linear.state(pushed), pushed.position("arm.end") - rest.position("arm.end"),
                               atol=1e-10)  # fmt: skip
    static = -np.linalg.solve(linear.A, linear.B)[:, 0] * 1e-3
    np.testing.assert_allclose(linear.state(pushed), static, atol=1e-6 * np.abs(static).max())
    small = linear.reduce(4)
    modal = small.dual @ linear.basis @ linear.state(pushed)[: len(linear.mass)]
    np.testing.assert_allclose(small.state(pushed)[:4], modal, atol=1e-12)


def test_python_control(monkeypatch):
    control = pytest.importorskip("control")
    linear = cs.linearize(cantilever(), ["arm.end.fz"], ["arm.end.z", "arm.end.vz"], modes=4)
    system = linear.to_control()
    assert isinstance(system, control.StateSpace)
    assert system.input_labels == ["arm_end_fz"]
    assert system.output_labels == ["arm_end_z", "arm_end_vz"]
    np.testing.assert_allclose(system(3j)[:, 0], linear.transfer(3j)[:, 0], rtol=1e-9)
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(cs.CosseratError, match=r"pip install 'cosserat\[control\]'"):
        linear.to_control()


def test_what_it_says_of_itself():
    linear = cs.linearize(cantilever(), "arm.end.fz", "arm.end", modes=2)
    assert repr(linear) == "<LinearModel of 'cantilever' about equilibrium at t = 0 s: 4 states, 1 inputs, 3 outputs>"
    np.testing.assert_allclose(linear.values, cs.equilibrium(cantilever()).position("arm.end"), atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_transfer_functions_of_many_frequencies(n: int) -> None:
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=2.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=800.0, damping=3.0))
    linear = cs.linearize(model, inputs="rail", outputs=["body.x", "rail.rate"])
    s = 1j * np.linspace(1.0, 30.0, n)
    expected = np.array([[[1.0], [z]] for z in s]) / (2 * s**2 + 3 * s + 800)[:, None, None]
    np.testing.assert_allclose(linear.transfer(s), expected, rtol=1e-12)
    np.testing.assert_allclose(linear.transfer(s.reshape(1, n)), expected[None], rtol=1e-12)
    np.testing.assert_allclose(linear.transfer(s[0]), expected[0], rtol=1e-12)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_linear_models_are_pickled_and_copied(formulation):
    """With laws of users in them, too."""
    model = cs.Model("block", gravity=(0, 0, -9.81))
    block = model.add(cs.RigidBody("block", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, block, axis=(0, 0, 1), stiffness=40.0))
    model.add(cs.StateLoad("air", block, {"fz": "-3*vz*abs(vz) - 2*vz"}))
    linear = cs.linearize(model, ["rail"], ["rail", "block"], formulation=formulation)
    for again in (pickle.loads(pickle.dumps(linear)), copy.deepcopy(linear)):
        assert np.array_equal(again.A, linear.A)
        assert np.array_equal(again.transfer(1j), linear.transfer(1j))
