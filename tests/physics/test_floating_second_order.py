"""Floating frames are right to second order: what differs from the beam's own elements falls with the third power.

Loads bend and twist at once, along and across beams. Modes hold the static answer to first order exactly, so that the
difference from the Galilean formulation is what the displacements and strains of second order leave.
"""

import numpy as np
import pytest

import cosserat as cs
from cosserat.lie import so3

STRIP = cs.Section(stiffness=[1e5, 1e5, 1e5, 1.0, 12.0, 2.0], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
STRAIGHT = [(0, 0, 0), (1, 0, 0)]
CURVED = [(0, 0, 0), (0.5, 0.05, 0), (0.9, 0.3, 0.1)]


def strip(points, load):
    model = cs.Model("strip")
    beam = model.add(cs.Beam("strip", points=points, section=STRIP, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, tuple(load * np.array([0.3, 0.8, -1.5]))))
    model.add(cs.Torque("torque", beam.end, tuple(load * np.array([0.4, 0.2, 0.3]))))
    return model


def held(modes):
    return cs.Floating(modes=modes, boundary="craig-bampton")


def away(model, formulation):
    """Largest differences of place and rotation at the end."""
    whole, modal = cs.equilibrium(model), cs.equilibrium(model, formulation=formulation)
    place = whole.position("strip.end") - modal.position("strip.end")
    turn = whole.rotation("strip.end") - modal.rotation("strip.end")
    return np.array([np.abs(place).max(), np.abs(turn).max()])


@pytest.mark.parametrize("modes", [0, 8])
@pytest.mark.parametrize("points", [STRAIGHT, CURVED])
def test_static_answers_are_right_to_second_order(points, modes):
    """The end moves by 17 to 4 % of the length."""
    errors = np.array([away(strip(points, load), held(modes)) for load in (0.2, 0.1, 0.05)])
    assert (errors[-1] < 2e-6).all()
    assert (errors[:-1] / errors[1:] > 5.5).all()  # third order: 8; fourth order that cancels some of it counts here
    assert (errors[1, 1] / errors[2, 1]) == pytest.approx(8.0, abs=0.8)


@pytest.mark.parametrize("angle", [30.0, 60.0])
def test_the_princeton_beam_at_small_loads(angle):
    """A blade of 508 x 12.77 x 3.2024 mm under a load between its two planes bends in both and twists."""

    def blade(load):
        model = cs.Model("blade")
        section, alloy = cs.Rectangle(width=12.77e-3, height=3.2024e-3), cs.Material(E=71.7e9, nu=0.31, rho=2770.0)
        ends = [(0, 0, 0), (0.508, 0, 0)]
        beam = model.add(cs.Beam("strip", points=ends, section=section, material=alloy, elements=8))
        model.add(cs.Fixed("root", cs.GROUND, beam.start))
        push = load * np.array([0.0, np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        model.add(cs.Force("weight", beam.end, tuple(push)))
        return model

    errors = np.array([away(blade(load), held(4)) for load in (0.8, 0.4, 0.2)])
    assert (errors[-1] < [5e-6, 5e-6]).all()
    assert (errors[:-1] / errors[1:] > 6.5).all()


def test_frequencies_change_with_a_load_as_those_of_the_elements():
    """To first order in the load: the rest falls with its square. Modes of the beam bend, twist and stretch at once."""
    load = cs.Parameter("P", 0.0)
    model = cs.Model("strip")
    beam = model.add(cs.Beam("strip", points=CURVED, section=STRIP, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0.2 * load, 0.5 * load, -load)))

    def squares(value, formulation):
        model.set(P=value)
        about = cs.equilibrium(model, formulation=formulation)
        return np.array(cs.modes(model, 5, about=about, formulation=formulation).frequencies) ** 2

    still = [squares(0.0, given) for given in (None, held(12))]
    change = {
        value: [squares(value, given) / start - 1 for given, start in zip((None, held(12)), still, strict=True)]
        for value in (0.1, 0.2)
    }
    errors = [np.abs(change[value][1] - change[value][0]).max() for value in (0.1, 0.2)]
    assert np.abs(change[0.1][0]).max() > 8e-3
    assert errors[0] < 4e-4
    assert errors[1] / errors[0] == pytest.approx(4.0, abs=0.4)


def test_masses_beside_the_elastic_axis_under_spin():
    """Centrifugal forces bend and twist such a beam; the change of its squared frequencies is that of the elements."""
    shift, J = np.array([0.0, 0.03, 0.0]), np.diag([1e-2, 4e-3, 6e-3])
    C = so3.hat(shift)
    mass = np.block([[np.eye(3), -C], [C, J - C @ C]])
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 10.0, 40.0, 100.0], mass=mass)
    model = cs.Model("blade")
    blade = model.add(cs.Beam("blade", points=[(0.2, 0, 0), (1.2, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("hub", cs.GROUND, blade.start))
    change = []
    for given in (None, cs.Floating(modes=30)):
        still, spinning = (
            np.array(cs.modes(model, 3, formulation=given, **how).frequencies) for how in ({}, {"spin": (0, 0, 2.0)})
        )
        change.append((2 * np.pi) ** 2 * (spinning**2 - still**2) / 4.0)
    assert change[0] == pytest.approx([1.450, 0.457, 0.165], abs=1e-3)
    assert change[1] == pytest.approx(change[0], abs=5e-4)


def test_runs_are_right_to_second_order():
    """A rod on a hinge with a body at its end swings; weight scales how far it bends: 3.3 to 0.8 % of its length."""
    errors = []
    for weight in (9.81, 4.905, 2.4525):
        model = cs.Model("swing", gravity=(0, 0, -weight))
        soft = cs.Material(E=2e9, nu=0.3, rho=1500.0)
        beam = model.add(cs.Beam("rod", points=STRAIGHT, section=cs.Rod(diameter=0.02), material=soft, elements=6))
        body = model.add(cs.RigidBody("body", mass=0.3, com=(1.2, 0, 0.05), inertia=(0.01, 0.012, 0.013)))
        model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0.2), damping=0.1))
        axes = ((0, 1, 0), (0, 0, 1))
        model.add(cs.Universal("end", beam.end, body, axes=axes, at=(1, 0, 0), stiffness=[1.0, 2.0]))
        whole, modal = (
            cs.simulate(model, 0.5, step=1e-3, **how).position("body").values
            for how in ({}, {"formulation": "floating", "modes": 8})
        )
        errors.append(np.abs(whole - modal).max())
    assert errors[-1] < 1e-6
    assert errors[0] / errors[1] > 6.5
    assert errors[1] / errors[2] > 7
