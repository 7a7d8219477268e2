"""Armatures in closed loops, in both formulations."""

import numpy as np
import pytest

import cosserat as cs

BOTH = ("galilean", "floating")


def four_bar(gravity=(0.0, 0.0, -9.81), turning=0.0):
    """Bars whose hinges all have an armature: one of them is where relative coordinates open the loop."""
    model = cs.Model("four bars", gravity=gravity)
    corners = [(0, 0, 0), (0.1, 0, 0.5), (1.0, 0, 0.8), (1.2, 0, 0)]
    ends = [cs.GROUND, *(
        model.add(cs.RigidBody.bar(name, corners[k], corners[k + 1], mass=mass, angular_velocity=spin))
        for k, (name, mass, spin) in enumerate((("a", 1.0, (0, turning, 0)), ("b", 2.0, None), ("c", 1.5, None)))
    ), cs.GROUND]  # fmt: skip
    more = [{"stiffness": 3.0}, {}, {"damping": 0.1}, {"stiffness": 2.0, "effort": "2*sin(5*t)"}]
    for k, (name, inertia) in enumerate(zip("ABCD", (0.3, 0.2, 0.4, 0.5), strict=True)):
        places = ends[k].at(corners[k]), ends[k + 1].at(corners[k])
        model.add(cs.Revolute(name, *places, axis=(0, 1, 0), armature=inertia, **more[k]))
    return model


@pytest.mark.filterwarnings("ignore:redundant")
def test_armatures_all_around_a_loop():
    """One formulation against the other: second order in coordinates and reactions, the same balance of energy."""
    apart = []
    for step in (4e-3, 2e-3):
        one, other = (cs.simulate(four_bar(), 0.6, step=step, formulation=f) for f in BOTH)
        moved = max(float(np.abs(one.coordinate(j) - other.coordinate(j)).max()) for j in "ABCD")
        held = max(float(np.abs(one.reaction(j) - other.reaction(j)).max()) for j in "ABCD")
        apart.append((moved, held))
        assert np.abs(other.energy["balance"]).max() < 2e-5
    assert apart[1][0] < 1e-7
    assert apart[1][1] < 2e-5
    assert min(a / b for a, b in zip(*apart, strict=True)) > 3.3
    exact = cs.simulate(four_bar(), 0.6, step=2e-3, formulation="floating", integrator="runge-kutta")
    assert np.abs(exact.coordinate("D") - other.coordinate("D")).max() < 1e-6


@pytest.mark.filterwarnings("ignore:redundant")
def test_analyses_of_armatures_all_around_a_loop():
    found = []
    for formulation in BOTH:
        rest = cs.equilibrium(four_bar(), formulation=formulation)
        linear = cs.linearize(four_bar(), inputs=["D"], outputs=["A"], about=rest, formulation=formulation)
        mode = cs.modes(four_bar(), 1, about=rest, formulation=formulation).eigenvalues[0]
        gain = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B))[0, 0]
        assert np.abs(np.linalg.eigvals(linear.A) - mode).min() < 1e-6
        found.append((float(rest.coordinate("A")), complex(mode), float(gain)))
    assert np.allclose(found[0], found[1], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:redundant")
def test_a_turning_loop_starts_with_turning_armatures():
    """Without gravity and springs the energy of bodies and rotors is kept, from the first state on."""
    model = four_bar(gravity=(0.0, 0.0, 0.0), turning=2.0)
    for name in "AD":
        joint = model[name]
        model.swap(cs.Revolute(name, joint.parent, joint.child, axis=(0, 1, 0), armature=0.4))
    one, other = (cs.simulate(model, 0.2, step=2e-3, formulation=f) for f in BOTH)
    assert float(other.energy["kinetic"][0]) == pytest.approx(float(one.energy["kinetic"][0]), rel=1e-9)
    assert float(np.abs(one.coordinate("C") - other.coordinate("C")).max()) < 1e-6


def test_a_universal_joint_that_closes_a_loop_has_two_shafts():
    """Three universal joints and a slide, armatures in all of them: both formulations agree."""
    model = cs.Model("loop", gravity=(0, -2, -9.81))
    inertia = np.diag([0.02, 0.03, 0.04])
    arm = model.add(cs.RigidBody("arm", 1.0, (0, 0.2, 0.2), inertia))
    rod = model.add(cs.RigidBody("rod", 2.0, (0.5, 0.3, 0.3), inertia))
    slide = model.add(cs.RigidBody("slide", 1.0, (1, 0.3, 0), inertia))
    foot, elbow, end = (0, 0, 0), (0, 0.4, 0.4), (1, 0.3, 0)
    model.add(cs.Universal("foot", cs.GROUND, arm, at=foot, axes=((1, 0, 0), (0, 1, 0)), armature=0.3, stiffness=9))
    model.add(cs.Universal("elbow", arm, rod, at=elbow, axes=((1, 0, 0), (0, 0, 1)), armature=(0.2, 0.1), stiffness=5))
    model.add(cs.Prismatic("rail", cs.GROUND, slide, axis=(1, 0, 0), armature=0.7, stiffness=50))
    model.add(cs.Universal("end", slide, rod, at=end, axes=((0, 1, 0), (0, 0, 1)), armature=(0.15, 0.25), damping=0.2))
    runs = [cs.simulate(model, 0.3, 0.002, formulation=formulation) for formulation in ("galilean", "floating")]
    for name in ("foot", "elbow", "rail", "end"):
        one, two = (run.coordinate(name).values for run in runs)
        assert np.abs(one).max() > 1e-3
        assert np.abs(one - two).max() < 1e-5 * np.abs(one).max()
        one, two = (run.reaction(name).values for run in runs)
        assert np.abs(one - two).max() < 1e-3 * np.abs(one).max()
    values = [cs.modes(model, 1, formulation=formulation).eigenvalues for formulation in ("galilean", "floating")]
    assert values[0] == pytest.approx(values[1], rel=1e-6)
