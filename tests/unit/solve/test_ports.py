"""Columns of inputs and rows of outputs against differences of the nonlinear equations and of results."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.matrices import matrices_at
from cosserat.solve.linear.output_rows import rows_of
from cosserat.solve.linear.point import MOMENT, ROTATION
from cosserat.solve.linear.ports import input_ports, output_ports, quantity_of

STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))

OUTPUTS = [
    "b.position", "rod.at(0.4)", "rod.at(0.4).rotation", "b.at(1, 1, 1).velocity", "rod.at(0.4).velocity",
    "rod.at(0.4).angular_velocity", "hinge", "cross", "ball", "hinge.rate", "cross.rate", "ball.rate",
    "hinge.reaction", "root.reaction", "cross.reaction", "ball.reaction", "hinge.effort", "cross.effort",
    "rod.at(0.4).section_force", "rod.start.section_force", "rod.at(0.8).strain",
]  # fmt: skip
DRIVEN_OUTPUTS = ["turn", "slide.z", "cross.ry.rate", "turn.effort", "slide.effort", "cross.effort", "turn.reaction",
                  "slide.reaction", "rod.at(0.3).section_force", "end.velocity"]  # fmt: skip


def check_rows(point, lab, items, rng):
    """Rows of outputs against the change of their values, by results, along a motion through the point."""
    N = matrices_at(point).free_motions()
    # angles of joints are what their rates integrate to only where the joints hold
    x = N @ rng.uniform(-1, 1, N.shape[1])
    x1, x2 = rng.uniform(-1, 1, (2, 6 * lab.n))
    multipliers = [rng.uniform(-1, 1, len(keep)) for keep in point.independent_rows]
    full = np.array([keep.T @ values for keep, values in zip(point.independent_rows, multipliers)])
    displaced = [
        (weight / 1e-3, lab.motion(lab.state(*(k * 1e-3 * d for d in (x, x1, x2, full))))) for k, weight in STENCIL
    ]
    for item in items:
        rows = rows_of(point, quantity_of(point, item, "test"))
        expected = sum(weight * rows.evaluate(motion)[0] for weight, motion in displaced)
        found = rows.position @ x + rows.rate @ x1 + rows.acceleration @ x2
        found += rows.multiplier @ np.concatenate(multipliers)
        matrices = (rows.position, rows.rate, rows.acceleration, rows.multiplier)
        size = max(np.abs(m).max(initial=1.0) for m in matrices)
        np.testing.assert_allclose(found, expected, atol=1e-6 * size, err_msg=item)


def test_output_rows(point, laboratory, rng):
    # on a turntable, rates are relative to it: test_rates_on_a_turntable
    items = [i for i in OUTPUTS if point.kind != ROTATION or not i.endswith(("velocity", "rotation"))]
    check_rows(point, laboratory(point), items, rng)


def test_output_rows_with_prescribed_motions(driven_point, laboratory, rng):
    check_rows(driven_point, laboratory(driven_point), DRIVEN_OUTPUTS, rng)


def test_rates_on_a_turntable(any_points):
    """Velocities are rates of the positions, angular velocities of the turns, seen from the turntable."""
    point = any_points["rotation"]
    for slow, fast in (("position", "velocity"), ("rotation", "angular_velocity")):
        rows, rates = (rows_of(point, quantity_of(point, f"rod.at(0.4).{word}", "test")) for word in (slow, fast))
        np.testing.assert_allclose(rates.rate, rows.position, atol=1e-14)
        assert not np.any(rates.position)


def with_inputs(lab, **changes):
    """Residual and constraints with other inputs."""
    memory = lab.point.memory
    inputs = memory.problem.inputs
    try:
        memory.replace(inputs=inputs._replace(**changes))
        return lab.equations(lab.base)
    finally:
        memory.replace(inputs=inputs)


def test_effort_columns(point, laboratory):
    lab = laboratory(point)
    inputs = point.memory.problem.inputs
    column = input_ports(point, "hinge")
    change = lab.derivative(lambda e: with_inputs(lab, effort=inputs.effort + e)[0])
    np.testing.assert_allclose(column.force[:, 0], -change, atol=1e-10)


@pytest.mark.parametrize("name", ["dead", "follower", "weight", "pressure"])
def test_load_columns(point, laboratory, name):
    lab = laboratory(point)
    inputs = point.memory.problem.inputs
    loads = [load.name for load in (*point.model.loads, *point.model.distributed_loads)]
    components = ["fx", "fy", "fz", "mx", "my", "mz"]
    ports = input_ports(point, [f"{name}.{c}" for c in components])
    for k in range(6):
        unit = np.zeros_like(inputs.wrench)
        unit[0, loads.index(name), k] = 1.0
        change = lab.derivative(lambda e, unit=unit: with_inputs(lab, wrench=inputs.wrench + e * unit)[0])
        np.testing.assert_allclose(ports.force[:, k], -change, atol=1e-10)


def test_force_at_a_place_is_the_dual_of_its_displacement(point):
    ports = input_ports(point, ["rod.at(0.45).fy", "rod.at(0.45).mz"])
    no_inputs = input_ports(point, [])
    rows = output_ports(point, ["rod.at(0.45).y", "rod.at(0.45).rz"], no_inputs)
    np.testing.assert_array_equal(ports.force.T, rows.position)


def test_load_alone_acts_along_its_present_direction(any_points):
    point = any_points["equilibrium"]
    load = point.model["dead"].force.sample([0.0])[0]
    parts = input_ports(point, ["dead.fx", "dead.fy", "dead.fz"]).force
    np.testing.assert_allclose(input_ports(point, "dead").force[:, 0], parts @ load / np.linalg.norm(load), atol=1e-14)


@pytest.mark.parametrize("name", ["turn", "slide.z", "cross.ry"])
def test_motion_columns(driven_point, laboratory, name):
    """The drive is sampled again with another constant in the prescribed motion."""
    lab, point = laboratory(driven_point), driven_point
    joint, _, freedom = name.partition(".")
    joint = point.model[joint]
    i = [f.name for f in joint.freedoms].index(freedom) if freedom else 0
    given = joint.motion

    def moved(e):
        shifted = list(given)
        shifted[i] = cs.TimeFunction(lambda t: given[i].sample([float(t)])[0] + e)
        vars(joint)["motion"] = tuple(shifted)
        try:
            drive = point.compiled.sampler.sample(np.array([point.time])).drive
        finally:
            vars(joint)["motion"] = given
        r, phi = with_inputs(lab, drive=drive)
        return np.concatenate((r, *(keep @ phi[j] for j, keep in enumerate(point.independent_rows))))

    port = input_ports(point, name)
    change = lab.derivative(moved)
    np.testing.assert_allclose(port.force[:, 0], -change[: 6 * lab.n], atol=1e-9)
    np.testing.assert_allclose(port.drive[:, 0], -change[6 * lab.n :], atol=1e-9)


def test_direct_feed_through_joints(driven_point, laboratory):
    """Efforts and prescribed motions enter reactions of their own joint at once."""
    point = driven_point
    ins = input_ports(point, ["slide", "cross.rx"])
    assert [c.kind for c in ins.columns] == ["motion", "effort", "effort"]
    outs = output_ports(point, ["slide.effort", "cross.effort", "slide.reaction"], ins)
    efforts = outs.direct[outs.names.index("slide.rz.effort")]
    np.testing.assert_allclose(efforts, [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(outs.direct[outs.names.index("cross.rx.effort")], [0.0, 0.0, 1.0], atol=1e-12)
    # a unit torque about the axis, which the parent carries; world components of a unit vector
    turned = outs.direct[[outs.names.index(f"slide.m{c}") for c in "xyz"], 1]
    assert np.linalg.norm(turned) == pytest.approx(1.0, rel=1e-12)


def test_parameter_columns(any_points, laboratory):
    """The stiffness of the hinge multiplies its coordinate; the difference quotient is exact for linear parameters."""
    point = any_points["equilibrium"]
    ins = input_ports(point, ["K", "hinge"])
    q = output_ports(point, "hinge", ins).values[0]
    assert abs(q) > 1e-4
    np.testing.assert_allclose(ins.force[:, 0], -q * ins.force[:, 1], atol=1e-10)
    outs = output_ports(point, ["hinge.effort", "b"], ins)
    np.testing.assert_allclose(outs.direct[0], [-q, 1.0], rtol=1e-9)
    np.testing.assert_allclose(outs.direct[1:], 0.0, atol=1e-14)


@pytest.mark.parametrize("formulation", [None, cs.Floating(modes=2)])
def test_a_parameter_that_turns_sections_turns_their_joints_along(formulation):
    """A shaft turns by M / k on its hinge, wherever the axes of its sections point."""
    u, M = cs.Parameter("u", 0.3), cs.Parameter("M", 2.0)
    model, section = cs.Model("shaft"), cs.Section(stiffness=[1e3, 1e3, 1e3, 7.0, 8.0, 9.0], mass=[1, 1, 1, 2, 1, 1])
    shaft = model.add(cs.Beam("shaft", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=2, up=(0, u, 1)))
    model.add(cs.Revolute("hinge", cs.GROUND, shaft.start, axis=(1, 0, 0), stiffness=4.0))
    model.add(cs.Torque("twist", shaft.end, (M, 0, 0)))
    linear = cs.linearize(model, ["u", "M"], ["hinge", "hinge.effort"], formulation=formulation)
    np.testing.assert_allclose(linear.transfer(0.0).real, [[0.0, 0.25], [0.0, -1.0]], atol=1e-9)


def test_parameter_at_the_border_of_what_it_can_be():
    c = cs.Parameter("c", 0.0)
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0, 0, -1), inertia=[1, 1, 1]))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), damping=c))
    run = cs.simulate(model, duration=0.2, step=0.01, start_time=0.0)
    point = point_at(model, run)
    assert point.kind == MOMENT
    rate = output_ports(point, "pivot.rate", input_ports(point, [])).values[0]
    ins = input_ports(point, ["c", "pivot"])
    np.testing.assert_allclose(ins.force[:, 0], -rate * ins.force[:, 1], atol=1e-10)
    assert model.parameters == {"c": 0.0}


def test_static_response_of_everything(laboratory):
    """Outputs at frequency zero are derivatives of equilibria, loads of all kinds and a parameter of the section."""
    E = cs.Parameter("E", 70e9)
    P = cs.Parameter("P", 30.0)
    W = cs.Parameter("W", 10.0)
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    alloy = cs.Material(E=E, nu=0.3, rho=2700, damping=1e-3)
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=alloy, elements=5))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("tip", beam.end, (0, P, 0)))
    model.add(cs.DistributedLoad("wind", beam, force=(0, W, 0), follower=True))
    point = point_at(model)
    matrices = matrices_at(point)
    ins = input_ports(point, ["tip", "wind", P, W, E])
    items = ["arm.end", "arm.at(0.5).section_force", "arm.at(0.63).strain", "clamp.reaction"]
    outs = output_ports(point, items, ins)
    from scipy.sparse.linalg import spsolve

    both = spsolve(matrices.bordered(matrices.stiffness), np.vstack((ins.force, ins.drive)))
    n = len(ins.force)
    y = outs.at(0.0, both[:n], both[n:], np.eye(5))
    np.testing.assert_allclose(y[:, :2], y[:, 2:4], atol=1e-9)

    def values(**changes):
        before = model.parameters
        model.set(**changes)
        e = cs.equilibrium(model)
        found = e.position("arm.end"), e.section_force("arm", 0.5), e.strain("arm", 0.63), e.reaction("clamp")
        model.set(**before)
        return np.concatenate(found)

    for k, (name, value) in enumerate((("P", 30.0), ("W", 10.0), ("E", 70e9)), start=2):
        h = 1e-3 * value
        change = (8 * (values(**{name: value + h}) - values(**{name: value - h}))
                  - (values(**{name: value + 2 * h}) - values(**{name: value - 2 * h}))) / (12 * h)  # fmt: skip
        np.testing.assert_allclose(value * y[:, k], value * change, atol=1e-6 * np.abs(value * change).max())
