"""Beams by their intrinsic equations against the reference solution and the nodal engine.

Flying spaghetti in space: J. C. Simo, L. Vu-Quoc, CMAME 66 (1988) 125-161; reference positions by a spectral solution.
"""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ArgumentError, ModelError
from cosserat.symbolic import intrinsic

LOADED, FREE, ENERGY = (42.83215, 3.69268, 4.38628), (38.31212, 5.19817, -4.25154), 724.436


def spaghetti(elements):
    M = lambda t: np.where(t < 2.5, 80 * t, np.where(t < 5, 400 - 80 * t, 0.0))  # noqa: E731
    model = cs.Model("flying spaghetti")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 500, 500, 500], mass=[1, 1, 1, 20, 10, 10])
    rod = model.add(cs.Beam("rod", points=[(6, 0, 0), (0, 8, 0)], section=section, elements=elements))
    force, moment = (lambda t: (M(t) / 10, 0 * t, 0 * t)), (lambda t: (0 * t, M(t) / 2, -M(t)))
    model.add(cs.Wrench("load", rod.start, force=force, moment=moment))
    return model


@pytest.fixture(scope="module")
def flights():
    return [intrinsic(m["rod"], 10.0, 0.4 / n, model=m) for n, m in ((n, spaghetti(n)) for n in (16, 32))]


def test_flying_spaghetti_converges_to_the_reference(flights):
    coarse, fine = flights
    for s, exact in ((0.0, LOADED), (1.0, FREE)):
        errors = [np.linalg.norm(flight.position(s)[-1] - exact) for flight in (coarse, fine)]
        assert errors[1] < 0.015
        assert errors[0] / errors[1] > 3.4
        better = (4 * fine.position(s)[-1] - coarse.position(s)[-1]) / 3  # extrapolated
        assert np.linalg.norm(better - exact) < 2e-3
    assert fine.energy[-1] == pytest.approx(ENERGY, rel=5e-4)
    for flight in flights:
        after = flight.energy[flight.time > 5.01]
        assert np.ptp(after) < 1e-7  # no loads: conserved


def test_same_motion_as_the_nodal_engine(flights):
    run = cs.simulate(spaghetti(64), 10.0, 0.00625)
    for s, place in ((0.0, "rod.start"), (1.0, "rod.end")):
        engine = run.position(place).values
        gaps = [np.abs(engine[::every] - flight.position(s)).max() for every, flight in zip((4, 2), flights)]
        assert gaps[1] < 0.03  # of a flight of 37 m
        assert gaps[0] / gaps[1] > 2.5  # the engine's own error, about a tenth of the first gap, is in both


def test_compatibility_falls_with_the_mesh(flights):
    coarse, fine = (np.abs(flight.compatibility).max() for flight in flights)
    assert coarse / fine > 3.5
    assert np.abs(flights[0].compatibility[0]).max() < 1e-14


def test_momentum_form_equals_velocity_form():
    model = spaghetti(6)
    first, second = (intrinsic(model["rod"], 2.0, 0.05, model=model, form=form) for form in ("velocity", "momentum"))
    assert np.abs(first.frames - second.frames).max() < 1e-9
    assert np.abs(first.stress - second.stress).max() < 1e-7
    assert np.abs(first.momentum - second.momentum).max() < 1e-8


def bridge(elements, ends, curved=False):
    """A soft beam under gravity, a dead and a follower load."""
    model = cs.Model("bridge", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[2e3, 1e3, 1e3, 20, 30, 40], mass=[1, 1, 1, 0.02, 0.01, 0.01])
    curve = (lambda s: (2 * s, 0.4 * np.sin(np.pi * s), 0.0)) if curved else None
    shape = {"curve": curve} if curved else {"points": [(0, 0, 0), (2, 0, 0)]}
    beam = model.add(cs.Beam("deck", section=section, elements=elements, **shape))
    for name in ends:
        model.add(cs.Fixed(name, cs.GROUND, getattr(beam, name)))
    model.add(cs.DistributedLoad("wind", beam, force=lambda t: (0, 3 * np.sin(2 * t), 0)))
    model.add(cs.Force("hook", beam.at(0.5), lambda t: (0, 0, 4 * np.sin(3 * t) ** 2), follower=True))
    return model


@pytest.mark.parametrize("ends, curved", [(("start",), False), (("start", "end"), False), (("start", "end"), True)])
def test_clamped_beams_against_the_nodal_engine(ends, curved):
    run = cs.simulate(bridge(32, ends, curved), 0.6, 0.00125)
    place = 0.5 if len(ends) == 2 else 1.0
    expected = run.position(f"deck.at({place})").values
    gaps = []
    for n, step, every in ((8, 0.01, 8), (16, 0.005, 4)):
        model = bridge(n, ends, curved)
        motion = intrinsic(model["deck"], 0.6, step, model=model)
        gaps.append(np.abs(motion.position(place) - expected[::every]).max())
    assert gaps[1] < 0.04 * np.abs(expected - expected[0]).max()
    assert gaps[0] / gaps[1] > 3.3
    if len(ends) == 2:
        end = motion.frames[:, 0]
        for e, length in enumerate(motion.beam.length):
            end = end @ np.array([cs.lie.se3.exp(length * f) for f in motion.strain[:, e]])
        assert np.abs(end - motion.frames[0, -1]).max() < 1e-12  # the strains lead from clamp to clamp


def test_bad_input():
    model = bridge(4, ("start",))
    beam = model["deck"]
    with pytest.raises(ArgumentError, match="pass 'velocity' or 'momentum'"):
        intrinsic(beam, 1.0, 0.1, model=model, form="stress")
    with pytest.raises(ArgumentError, match="does not contain the beam 'deck'"):
        intrinsic(beam, 1.0, 0.1, model=cs.Model("empty"))
    with pytest.raises(ArgumentError, match="pass a Beam"):
        intrinsic("deck", 1.0, 0.1)
    with pytest.raises(ArgumentError, match=r"nodes are at \[0.0, 0.25"):
        intrinsic(beam, 0.1, 0.1, model=model).position(0.3)
    model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(2, 0, 0)))
    with pytest.raises(ModelError, match=r"the model has 'ball' \(RigidBody\)"):
        intrinsic(beam, 1.0, 0.1, model=model)
    section, corner = beam.section_object_at(0), [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    bent = cs.Beam("bent", points=corner, section=section, elements=4, velocity=(1, 0, 0))
    with pytest.raises(ModelError, match="has corners"):
        intrinsic(bent, 1.0, 0.1)
    straight = cs.Beam("straight", points=corner[:2], section=section, elements=4, velocity=(1, 0, 0))
    clamped = cs.Model("clamped")
    clamped.add(cs.Fixed("clamp", cs.GROUND, clamped.add(straight).end))
    with pytest.raises(ModelError, match="velocity of beam 'straight' moves its clamp at s = 1"):
        intrinsic(straight, 1.0, 0.1, model=clamped)
    turning = cs.Observer(turns=[((0, 0, 1), "3*t")])
    for given, word in (({"frame": turning}, "frame"), ({"gravity": cs.CentralGravity(9.0, (0, 0, -3))}, "gravity")):
        ignored = cs.Model("free", **given)
        with pytest.raises(ModelError, match=f"{word} .*of model 'free' is not taken"):
            intrinsic(ignored.add(cs.Beam("rod", points=corner[:2], section=section)), 1.0, 0.1, model=ignored)
