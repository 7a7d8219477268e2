"""Beams in tension: stable at any tension, and known frequencies of strings, chains and rotating beams.

Hanging chain: zeros of J0 (D. Bernoulli). Rotating cantilever: its flap frequencies tend to those of a rotating string,
Omega sqrt(n (2n - 1)), so that the first is a little above Omega.
"""

import numpy as np
import pytest
from scipy.special import jn_zeros

import cosserat as cs

T = 100.0


def string(elements, EI):
    """Pinned at both ends, free to slide at one, pulled there; unit mass and length."""
    model = cs.Model("string")
    section = cs.Section(stiffness=[1e10, 4e9, 4e9, EI, EI, EI], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    slider = model.add(cs.RigidBody("slider", mass=1e-6, com=(1, 0, 0), inertia=1e-9 * np.eye(3)))
    model.add(cs.Universal("left", cs.GROUND, beam.start, axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Prismatic("rail", cs.GROUND, slider.at((1, 0, 0)), axis=(1, 0, 0)))
    model.add(cs.Spherical("right", slider.at((1, 0, 0)), beam.end))
    model.add(cs.Force("pull", beam.end, (T, 0, 0)))
    return model


def errors(model, wanted):
    """Relative errors of the frequencies (rad/s) next to the wanted ones."""
    found = cs.modes(model, 30)
    assert found.stable
    omega = 2 * np.pi * np.array(found.frequencies)
    return np.array([omega[np.argmin(np.abs(omega - w))] / w - 1 for w in wanted])


@pytest.mark.parametrize("EI", [1e-8, 1e-2, 1.0])
def test_strings_with_and_without_bending(EI):
    """omega^2 = (T k^2 + EI k^4)/m, k = n pi/L: the overtones of a guitar string are sharp. N h^2/EI up to 1.6e8."""
    k = np.pi * np.arange(1, 4)
    wanted = np.sqrt(T * k**2 + EI * k**4)
    coarse, fine = (np.abs(errors(string(n, EI), wanted)) for n in (8, 16))
    assert fine.max() < 2e-4
    assert np.log2(coarse[1:] / fine[1:]).min() > 3.5


@pytest.mark.filterwarnings("ignore:.*too long for its tension")
@pytest.mark.parametrize("elements", [1, 2, 5, 20])
def test_a_pulled_wire_does_not_buckle(elements):
    """A steel wire of 1 mm under 20 N: N h^2/EI from 5 to 1900."""
    model = cs.Model("wire")
    line = [(0, 0, 0), (1, 0, 0)]
    beam = model.add(cs.Beam("b", points=line, section=cs.Rod(0.001), material=cs.materials.STEEL, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("pull", beam.end, (20, 0, 0)))
    assert cs.modes(model, 2).stable


def chain(elements, EI=1e-7):
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e7, 1e7, 1e7, EI, EI, EI], mass=[1, 1, 1, 2e-12, 1e-12, 1e-12])
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (0, 0, -1)], section=section, elements=elements))
    model.add(cs.Universal("hook", cs.GROUND, beam.start, axes=((1, 0, 0), (0, 1, 0))))
    return model


@pytest.mark.parametrize("elements", [1, 2, 3])
def test_coarse_chains_hang_stably(elements):
    assert cs.modes(chain(elements), 4).stable


def test_hanging_chain():
    wanted = jn_zeros(0, 2) / 2 * np.sqrt(9.81)
    coarse, fine = (np.abs(errors(chain(n), wanted)) for n in (8, 16))
    assert coarse[0] < 1e-5
    assert fine[1] < 2e-4
    assert np.log2(coarse[1] / fine[1]) > 3.5


def test_catenary():
    """A cable between two supports, far longer than their distance: sag of the curve that Leibniz and Huygens found."""
    length = 1.5
    model = cs.Model("cable", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1e-3, 1e-3, 1e-3], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    # without stress a circular arc of this length through both supports
    half = 1.4957822  # length / (2 R), sin(half)/half = 2/3
    R = length / (2 * half)
    curve = lambda s: (  # noqa: E731
        R * np.sin(half * (2 * s - 1)), 0 * s, -R * np.cos(half * (2 * s - 1)) + R * np.cos(half)
    )  # fmt: skip
    beam = model.add(cs.Beam("b", curve=curve, section=section, elements=32))
    model.add(cs.Spherical("left", cs.GROUND, beam.start))
    model.add(cs.Spherical("right", cs.GROUND, beam.end))
    found = cs.equilibrium(model)
    distance = np.linalg.norm(beam.end.position - beam.start.position)
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(distance / (2 * a)) - length, 0.1, 2.0)
    sag = a * (np.cosh(distance / (2 * a)) - 1)
    # the bending stiffness is 1e-4 of q L^3
    assert beam.start.position[2] - found.position("b.at(0.5)")[2] == pytest.approx(sag, rel=5e-4)


@pytest.mark.parametrize("spin", [20, 100])
def test_fast_rotating_beam(spin):
    """Flap of a rotating cantilever, EI = m = L = 1: between Wright's table and the string, Omega and sqrt(6) Omega."""
    model = cs.Model("blade")
    section = cs.Section(stiffness=[1e10, 1e10, 1e10, 1e3, 1, 1], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=32))
    model.add(cs.Fixed("hub", cs.GROUND, beam.start))
    found = cs.modes(model, 4, spin=(0, 0, spin))
    assert found.stable
    omega = 2 * np.pi * np.array(found.frequencies)
    flap = [w for i, w in enumerate(omega) if abs(found.shape(i, "blade.end")[2]) > 0.5]
    wanted = {20: 21.3, 100: 101.2}[spin]
    assert flap[0] == pytest.approx(wanted, rel=0.02)
    lag = [w for i, w in enumerate(omega) if abs(found.shape(i, "blade.end")[1]) > 0.5]
    assert lag[0] == pytest.approx(np.sqrt(flap[0] ** 2 - spin**2), rel=1e-5)


def held(elements, clamped, load):
    """A rope of N h^2/EI = 5000 with 10 elements, pulled at a sliding end; a load of 0.2 or 0.5 of the tension."""
    EI = T * 0.1**2 / 5000
    model = cs.Model("held", gravity=(0, 0, 0 if load == "force" else -9.81))
    section = cs.Section(stiffness=[1e7, 4e6, 4e6, EI, EI, EI], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    rope = model.add(cs.Beam("rope", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    slider = model.add(cs.RigidBody("slider", mass=1e-6, com=(1, 0, 0), inertia=1e-9 * np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, slider.at((1, 0, 0)), axis=(1, 0, 0)))
    if clamped:
        model.add(cs.Fixed("left", cs.GROUND, rope.start))
        model.add(cs.Fixed("right", slider.at((1, 0, 0)), rope.end))
    else:
        model.add(cs.Spherical("left", cs.GROUND, rope.start))
        model.add(cs.Universal("right", slider.at((1, 0, 0)), rope.end, axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Force("pull", slider.at((1, 0, 0)), (T, 0, 0)))
    if load == "force":
        model.add(cs.Force("push", rope.at(0.5), (0, 0, -5)))
    return model


HELD = [(10, True, "weight"), (20, True, "force"), (10, False, "force")]
FREE = [(10, False, "weight"), (3, False, "weight"), (150, True, "weight")]


@pytest.mark.parametrize(("elements", "clamped", "load"), HELD)
def test_bends_that_elements_do_not_resolve_are_told(elements, clamped, load):
    """The clamped string: sag q L^2/(8 T) (1 - 4 b) and P L/(4 T) (1 - 8 b/2), b = sqrt(EI/T)/L; the error is told."""
    with pytest.warns(UserWarning, match=r"beam 'rope': element \d+ of \d+ is too long for its tension") as told:
        found = cs.equilibrium(held(elements, clamped, load))
    b = 0.1 / np.sqrt(5000)
    wanted = 9.81 / (8 * T) * (1 - 4 * b) if load == "weight" else 5 / (4 * T) * (1 - (4 if clamped else 2) * b)
    error = abs(-found.position("rope.at(0.5)")[2] / wanted - 1)
    said = float(str(told[0].message).split("wrong by about ")[1].split(" %")[0]) / 100
    assert 0.5 * error < said < 2.0 * error


@pytest.mark.parametrize(("elements", "clamped", "load"), FREE)
def test_ropes_that_are_resolved_are_not_blamed(elements, clamped, load, recwarn):
    found = cs.equilibrium(held(elements, clamped, load))
    b = 0.1 / np.sqrt(5000) if clamped else 0.0
    assert -found.position("rope.at(0.5)")[2] == pytest.approx(9.81 / (8 * T) * (1 - 4 * b), rel=5e-3)
    assert not [w for w in recwarn if "tension" in str(w.message)]


@pytest.mark.parametrize("elements", [10, 20, 150])
def test_frequencies_that_elements_do_not_resolve_are_told(elements, recwarn):
    """A clamped string has pi c/L (1 + 2 b + (4 + pi^2/2) b^2), b = sqrt(EI/T)/L; the error is told if it matters."""
    model = held(elements, True, "force")
    model.remove("push")
    found, b = cs.modes(model, 2), 0.1 / np.sqrt(5000)
    wanted = 0.5 * np.sqrt(T) * (1 + 2 * b + (4 + np.pi**2 / 2) * b**2)
    error = abs(found.frequencies[0] / wanted - 1)
    told = [str(w.message) for w in recwarn if "too long for its tension" in str(w.message)]
    if elements == 150:
        assert error < 1e-3
        assert not told
    else:
        assert len(told) == 1
        said = float(told[0].split("wrong by about ")[1].split(" %")[0]) / 100
        assert 0.5 * error < said < 2.0 * error


@pytest.mark.parametrize(("elements", "clamped"), [(10, True), (10, False), (150, True)])
def test_runs_that_elements_do_not_resolve_are_told(elements, clamped, recwarn):
    """A rope that sways under a load from its equilibrium."""
    model = held(elements, clamped, "weight")
    model.add(cs.DistributedLoad("wind", "rope", force=lambda s, t: (0, 0, 9 * np.sin(12 * t) ** 2)))
    run = cs.simulate(model, 0.1, 0.005, start="equilibrium")
    assert run.status.ok
    told = [str(w.message) for w in recwarn if str(w.message).startswith("simulate: beam 'rope': element")]
    assert len(told) == (1 if clamped and elements == 10 else 0)
