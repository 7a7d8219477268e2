"""Answers do not depend on the units of length, mass and time in which a model is written."""

import numpy as np
import pytest

import cosserat as cs

UNITS = [(1e-6, 1.0, 1.0), (1e-6, 1e-18, 1e-3), (1e6, 1.0, 1.0), (1e6, 1e18, 1e3), (1.0, 1e-12, 1.0), (1.0, 1.0, 1e-6)]


class Scale:
    """Numbers of the same quantities in other units: one metre is `length` of them, and so on."""

    def __init__(self, length=1.0, mass=1.0, time=1.0):
        self.length, self.mass, self.time = length, mass, time
        self.force = mass * length / time**2

    def point(self, *x):
        return tuple(self.length * np.array(x, dtype=float))

    @property
    def torque(self):
        return self.force * self.length

    def material(self, damping=0.0):
        pressure, density = self.force / self.length**2, self.mass / self.length**3
        return cs.Material(E=7e9 * pressure, nu=0.33, rho=2700 * density, damping=damping * self.time)

    def body(self, name, com, mass=1.0, inertia=(0.1, 0.2, 0.25)):
        moments = np.array(inertia) * self.mass * self.length**2
        return cs.RigidBody(name, mass=mass * self.mass, com=self.point(*com), inertia=moments)

    def gravity(self, g=9.81):
        return (0, 0, -g * self.length / self.time**2)

    def beam(self, name, points, damping=0.0, elements=6):
        tube = cs.Tube(outer_diameter=0.03 * self.length, inner_diameter=0.027 * self.length)
        points = [self.point(*p) for p in points]
        return cs.Beam(name, points=points, section=tube, material=self.material(damping), elements=elements)


def cantilever(u):
    model = cs.Model("cantilever")
    beam = model.add(u.beam("beam", [(0, 0, 0), (1, 0, 0)]))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


def damped_arm(u):
    """Two links with springs and dampers in their joints, one of them elastic and viscous."""
    model = cs.Model("arm")
    one = model.add(u.body("one", (0.5, 0, 0)))
    two = model.add(u.beam("two", [(1, 0, 0), (1.6, 0.3, 0.2)], damping=1e-4))
    model.add(
        cs.Revolute(
            "shoulder", cs.GROUND, one.at((0, 0, 0)), axis=(0, 0, 1), stiffness=30 * u.torque,
            damping=0.4 * u.torque * u.time,
        )
    )  # fmt: skip
    model.add(
        cs.Universal("elbow", one.at(u.point(1, 0, 0)), two.start, axes=((0, 1, 0), (0, 0, 1)),
                     stiffness=(3 * u.torque, 7 * u.torque), damping=(0.02 * u.torque * u.time, 0.0))
    )  # fmt: skip
    return model


def hanging_rod(u):
    model = cs.Model("rod", gravity=u.gravity())
    rod = model.add(u.beam("rod", [(0, 0, 0), (0, 0, -1)]))
    model.add(cs.Revolute("pivot", cs.GROUND, rod.start, axis=(0, 1, 0)))
    return model


def free_beam(u):
    model = cs.Model("free")
    model.add(u.beam("beam", [(0, 0, 0), (1, 0.2, 0)], damping=1e-4))
    return model


def sprung_four_bar(u):
    model = cs.Model("four-bar")
    corners = [(0, 0, 0), (0.2, 0, 1), (1.3, 0, 1.2), (1, 0, 0)]
    bars = []
    for i in range(3):
        a, b = np.array(corners[i]), np.array(corners[i + 1])
        bars.append(model.add(u.body(f"bar{i}", 0.5 * (a + b), inertia=(0.1, 0.1, 0.1))))
    ends = [(cs.GROUND, bars[0]), (bars[0], bars[1]), (bars[1], bars[2]), (bars[2], cs.GROUND)]
    for i, (a, b) in enumerate(ends):
        at = u.point(*corners[i])
        axes = {"axis": (0, 1, 0), "stiffness": 5.0 * u.torque if i == 1 else 0.0}
        places = [p.at(at) for p in (a, b)]
        model.add(cs.Revolute(f"j{i}", *places, **axes) if i < 3 else cs.Spherical(f"j{i}", *places))
    return model


FAMILY = [cantilever, damped_arm, hanging_rod, free_beam, sprung_four_bar]


@pytest.mark.parametrize("build", FAMILY)
@pytest.mark.parametrize("units", UNITS)
def test_modes_do_not_depend_on_units(build, units):
    one, other = cs.modes(build(Scale()), 5), cs.modes(build(Scale(*units)), 5)
    assert other.rigid == one.rigid
    found, wanted = (np.sort_complex(m.eigenvalues[m.rigid :]) for m in (other, one))
    assert found * units[2] == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.min(np.abs(wanted)))


@pytest.mark.parametrize("units", [(1e-6, 1e-18, 1e-3), (1e6, 1.0, 1.0)])
def test_linear_models_do_not_depend_on_units(units):
    def gains(u):
        linear = cs.linearize(damped_arm(u), "shoulder", ["shoulder", "elbow.rx"])
        return linear.transfer(2j / u.time) * u.torque

    assert gains(Scale(*units)) == pytest.approx(gains(Scale()), rel=1e-9)


def test_soft_spring_on_a_stiff_bar():
    """A steel bar on a hinge with 1e-4 N m/rad: rounding in the stiffness of the bar is larger than that."""
    density, side, length = 7850.0, 0.05, 2.0
    mass = density * side**2 * length
    inertia = mass * (length**2 / 3 + side**2 / 12)
    for elements, stiffness in ((10, 1e-2), (40, 1e-2), (40, 1e-4)):
        model = cs.Model("bar")
        section = cs.Rectangle(width=side, height=side)
        bar = model.add(
            cs.Beam("bar", points=[(0, 0, 0), (length, 0, 0)], section=section, material=cs.materials.STEEL,
                    elements=elements)
        )  # fmt: skip
        model.add(cs.Revolute("hinge", cs.GROUND, bar.start, axis=(0, 0, 1), stiffness=stiffness))
        modes = cs.modes(model, 2)
        assert modes.rigid == 0
        assert 2 * np.pi * modes.frequencies[0] == pytest.approx(np.sqrt(stiffness / inertia), rel=1e-6)


@pytest.mark.parametrize("ratio", [1e6, 1e9, 1e12])
def test_outer_half_much_stiffer(ratio):
    """A cantilever whose outer half is rigid for all purposes: the same frequencies whatever the ratio."""

    def section(factor):
        return cs.Section(stiffness=factor * np.array([1e6] * 3 + [1.0] * 3), mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])

    model = cs.Model("soft and stiff")
    soft = model.add(cs.Beam("soft", points=[(0, 0, 0), (1, 0, 0)], section=section(1.0), elements=6))
    stiff = model.add(cs.Beam("stiff", points=[(1, 0, 0), (2, 0, 0)], section=section(ratio), elements=6))
    model.add(cs.Fixed("clamp", cs.GROUND, soft.start))
    model.add(cs.Fixed("weld", soft.end, stiff.start))
    for damped in (None, True):
        modes = cs.modes(model, 3, damped=damped)
        assert modes.rigid == 0
        assert 2 * np.pi * modes.frequencies == pytest.approx([0.90142057, 0.90142057, 7.212784], rel=1e-6)


def test_reactions_of_a_driven_joint_in_other_units():
    """Rows of turns and of places were compared as plain numbers: reactions differed by 1e-5 in millimetres."""
    reactions = []
    for length, mass, time in ((1.0, 1.0, 1.0), (1e3, 1e3, 1e3), (1e-3, 1e-6, 1 / 3600)):
        model = cs.Model("cylinder")
        inertia = np.diag([0.0025, 0.0178, 0.0166]) * mass * length**2
        com = length * np.array([-0.13, 0.32, 0.09])
        body = model.add(cs.RigidBody("b", mass=2.6 * mass, com=com, inertia=inertia))
        at = length * np.array([0.18, 0.15, 0.19])
        motion = (f"{0.12 * length}*smoothstep(t, 0, {0.9 * time})", f"0.5*smoothstep(t, 0, {0.42 * time})")
        model.add(cs.Cylindrical("j", cs.GROUND, body.at(at), axis=(0.48, 0.81, 0.34), motion=motion))
        run = cs.simulate(model, 0.2 * time, 4e-3 * time, newton_tolerance=1e-11)
        force = mass * length / time**2
        reactions.append(run.reaction("j").values / np.repeat([force, force * length], 3))
    size = np.abs(reactions[0]).max(axis=0)
    assert np.abs((reactions[1] - reactions[0]) / size).max() < 1e-8
    assert np.abs((reactions[2] - reactions[0]) / size).max() < 1e-8


def small_arm(length, mass, time):
    """A servo with a limit, friction and a spring, in units of one's own."""
    force, moment = mass * length / time**2, mass * (length / time) ** 2
    model = cs.Model("arm", gravity=(0, 0, -9.81 * length / time**2))
    inertia = np.array([0.01, 0.09, 0.09]) * mass * length**2
    upper = model.add(cs.RigidBody("upper", mass=mass, com=(0.5 * length, 0, 0), inertia=inertia))
    lower = model.add(cs.RigidBody("lower", mass=0.7 * mass, com=(1.4 * length, 0, 0), inertia=inertia))
    friction = cs.Friction(0.8 * moment, 0.05 / time)
    model.add(cs.Revolute("p", cs.GROUND, upper.at((0, 0, 0)), axis=(0, 1, 0), friction=friction))
    model.add(cs.Revolute("q", upper, lower, at=(length, 0, 0), axis=(0, 1, 0.1), stiffness=2 * moment))
    target = f"0.4*sin({3 / time!r}*t)"
    model.add(cs.Servo("motor", "p", target=target, kp=30 * moment, kd=2 * moment * time, limit=9 * moment))
    anchor = cs.GROUND.at((length, 0.5 * length, length))
    model.add(cs.Spring("s", anchor, lower, stiffness=8 * force / length, damping=0.3 * force * time / length))
    return model


@pytest.mark.parametrize("units", [(1e-6, 1e-12, 1e-3), (1e-9, 1e-24, 1e-9), (1e5, 1e12, 1e4)])
@pytest.mark.parametrize("integrator", ["generalized-alpha", "runge-kutta"])
@pytest.mark.parametrize("steps", [{"step": 0.01}, {"tolerance": 1e-5}])
def test_steps_in_floating_frames_do_not_depend_on_units(units, integrator, steps):
    """Mechanisms below a millimetre were followed as if they were as large: 22 % off at a nanometre, with six steps."""
    found = []
    for length, mass, time in ((1.0, 1.0, 1.0), units):
        asked = {"tolerance": 1e-5} if "step" not in steps else {"step": 0.01 * time}
        run = cs.simulate(small_arm(length, mass, time), time, formulation="floating", integrator=integrator, **asked)
        found.append([float(run.coordinate("p")[-1]), float(run.coordinate("q")[-1])])
    assert np.allclose(*found, rtol=0, atol=1e-7)


def test_energy_is_kept_at_a_nanometre():
    """Reactions were not corrected by works below rounding errors of a metre: 3e-4 of the energy was lost."""
    scale = 1e-9
    model = cs.Model("double pendulum", gravity=(0, 0, -9.81 * scale))
    inertia = np.array([0.01, 0.09, 0.09]) * scale**2
    upper = model.add(cs.RigidBody("upper", mass=1.0, com=(0.5 * scale, 0, 0), inertia=inertia))
    lower = model.add(cs.RigidBody("lower", mass=0.7, com=(1.4 * scale, 0, 0), inertia=inertia))
    model.add(cs.Revolute("p", cs.GROUND, upper.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Revolute("q", upper, lower, at=(scale, 0, 0), axis=(0, 1, 0.1)))
    energy = cs.simulate(model, 1.0, step=0.01, integrator="energy-momentum").energy
    assert np.ptp(energy.total.values) < 1e-11 * np.ptp(energy.kinetic.values)
