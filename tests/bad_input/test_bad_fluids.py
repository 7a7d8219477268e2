"""Bad input of fluids: each is located, and a run that meets it keeps what it has, in both formulations."""

import contextlib

import numpy as np
import pytest

import cosserat as cs

BOTH = pytest.mark.parametrize("formulation", ["galilean", "floating"])


def thrown(fluid, velocity=(10, 0, 5), **drag):
    """A ball thrown along x and up."""
    model = cs.Model("thrown", gravity=(0, 0, -9.81), fluid=fluid)
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, velocity=velocity))
    model.add(cs.Aerodynamics("drag", ball, area=0.03, **(drag or {"drag": 0.4})))
    return model


def met(model, formulation, *words, **options):
    """A run that is stopped, names what it met, and has all states up to there."""
    run = cs.simulate(model, 3.0, formulation=formulation, **(options or {"step": 0.01}))
    assert not run.status.ok
    for word in (*words, "at t = "):
        assert word in run.status.message, run.status.message
    assert len(run.time) > 5
    assert all(np.isfinite(run.position(name).values).all() for name in ("ball", "wing") if name in model)
    return run


@BOTH
@pytest.mark.parametrize("options", [{"step": 0.01}, {"tolerance": 1e-4}])
@pytest.mark.parametrize(
    ("fluid", "words"),
    [
        (lambda: cs.Fluid(1.2, extent=((-5, -5, -50), (5, 5, 50))), ["at (5", "from (-5, -5, -50) to (5, 5, 50) m"]),
        (
            lambda: cs.Fluid(1.2, velocity=cs.winds.profile([-3.0, 100.0], [(0, 0, 0), (5, 0, 0)])),
            [", -3", "the wind 'profile' is known from z = -3 to 100 m"],
        ),
        (lambda: cs.Fluid("isa", altitude=-1995.0), [", -5", "the standard atmosphere goes from -2000 to 84852 m"]),
        (
            lambda: cs.Fluid(lambda z: 1.2 if z > -2.0 else np.nan, velocity=(1, 0, 0)),
            [", -2", "the fluid's density is not a number there"],
        ),
    ],
)
def test_a_body_that_leaves_the_field(formulation, fluid, words, options):
    run = met(thrown(fluid()), formulation, "load 'drag' on 'ball' is at (", *words, **options)
    assert 0.4 < run.time[-1] < 2.0


@BOTH
def test_an_angle_that_tables_do_not_cover(formulation):
    table = [(-0.4, 0.5), (0.4, 0.5)]
    model = thrown(cs.Fluid(1.2), (10, 0, 2), lift=table)
    met(model, formulation, "load 'drag'", "meets an angle of attack of", "its table lift goes from -0.4 to 0.4 rad")


@BOTH
@pytest.mark.parametrize("unsteady", [False, True])
def test_a_strip_whose_tables_do_not_cover_its_angle(formulation, unsteady):
    foil = cs.Airfoil(lift=[(-0.2, -1.0), (0.2, 1.0)])
    model = cs.Model("wing", fluid=cs.Fluid(1.2, velocity=(-10, 0, 0)))
    wing = model.add(cs.RigidBody("wing", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Revolute("pitch", cs.GROUND, wing, axis=(0, -1, 0), motion="0.3*t"))
    model.add(cs.Strip("air", wing, foil, chord=1.0, width=1.0, unsteady=unsteady))
    run = met(model, formulation, "'air[1]'", "meets an angle of attack of 0.2", "from -0.2 to 0.2 rad")
    assert run.time[-1] > 0.6


@BOTH
def test_a_propeller_beyond_its_tables(formulation):
    model = cs.Model("sled", fluid=cs.Fluid(1.2))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), velocity=(1, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(1, 0, 0)))
    table = [(0.0, 0.1), (0.3, 0.05)]
    model.add(cs.Propeller("screw", ball, diameter=0.3, thrust=table, torque=0.01, speed=300.0, axis=(1, 0, 0)))
    met(model, formulation, "load 'screw'", "meets the advance ratio 0.3", "its tables cover 0 to 0.3")


@BOTH
def test_propellant_that_burns_out_is_told(formulation):
    model = cs.Model("rocket")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Propellant("fuel", body, 2.0, 1.6, 10.0))
    run = cs.simulate(model, 2.0, 0.01, formulation=formulation)
    assert run.status.ok
    assert "load 'fuel': burnt out at t = 1.25 s" in run.status.message
    assert "burnt" not in cs.simulate(model, 1.0, 0.01, formulation=formulation).status.message
    later = cs.simulate(model, 0.1, 0.01, start=run, formulation=formulation)
    assert "burnt out since t = 1.25 s" in later.status.detail


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: cs.Fluid(density=-1.0), ["Fluid", "density", "-1", "negative"]),
        (lambda: cs.Fluid(1.0, extent=((0, 0, 0), (1, -1, 1))), ["Fluid", "extent", "lower one first"]),
        (lambda: cs.Fluid(1.0, extent=3), ["Fluid", "extent", "two corners"]),
        (lambda: cs.winds.profile([0.0, 0.0], [(0, 0, 0), (1, 0, 0)]), ["profile", "altitudes", "grow"]),
        (lambda: cs.winds.profile([0.0, 1.0], [(0, 0, 0)]), ["profile", "velocities", "2x3"]),
    ],
)
def test_bad_fluids(build, words):
    with pytest.raises(cs.CosseratError) as error:
        thrown(build()).validate()
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.diag([1.0, 1, -1, 0, 0, 0]), ["'hull'", "matrix", "negative"]),
        (np.eye(6) + np.eye(6, k=1), ["'hull'", "matrix", "symmetric"]),
        (np.eye(5), ["'hull'", "matrix", "6x6"]),
    ],
)
def test_bad_added_mass(matrix, words):
    model = cs.Model("ship", fluid=cs.Fluid(1000.0))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    with pytest.raises(cs.CosseratError) as error:
        model.add(cs.AddedMass("hull", body, matrix)).check()
    for word in words:
        assert word in str(error.value)


@BOTH
def test_a_density_that_becomes_negative(formulation):
    met(thrown(cs.Fluid(lambda z: 1.0 + z)), formulation, "on 'ball' is at (", "the fluid's density is -")


@BOTH
def test_a_law_that_fails_at_the_start(formulation):
    """Both name it; nothing is there to keep."""
    try:
        said = cs.simulate(thrown(cs.Fluid(1.2, extent=((1, -5, -5), (5, 5, 5)))), 1.0, 0.01, formulation=formulation)
        said = said.status.message
    except cs.CosseratError as error:
        said = str(error)
    assert "load 'drag' on 'ball' is at (0, 0, 0) m; the fluid's field goes from (1, -5, -5)" in said


@pytest.mark.parametrize(
    "how",
    [
        {"step": 0.1},
        {"tolerance": 1e-4},
        {"step": 0.09, "integrator": "energy-momentum"},  # steps whose middle is inside and whose end is not
        {"step": 0.1, "formulation": "floating"},
        {"step": 0.1, "formulation": "floating", "integrator": "runge-kutta"},
    ],
)
@pytest.mark.parametrize("duration", [2.15, 2.3])
def test_where_and_when_a_body_leaves_the_field(how, duration):
    """Which, where and when: z = -20 m at 2.1349 s, by y = ln cosh(t sqrt(k g)) / k; the run has what is inside."""
    model = cs.Model("fall", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.2, extent=((-9, -9, -20), (9, 9, 9))))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=0.5))
    model.add(cs.Aerodynamics("air", ball, area=0.03, drag=0.47))
    run = cs.simulate(model, duration, **how)
    k = 0.5 * 1.2 * 0.03 * 0.47 / 0.5
    left = np.arccosh(np.exp(20.0 * k)) / np.sqrt(k * 9.81)
    assert run.status.outcome is cs.Outcome.BEYOND
    assert "stopped at t = " in run.status.message
    assert "load 'air' on 'ball' is at (0, 0, -20) m; the fluid's field goes from" in run.status.detail
    told = float(run.status.detail.rpartition("at t = ")[2].removesuffix(" s"))
    assert told == pytest.approx(left, abs=1e-3)
    assert run.status.time == run.time[-1] <= told
    assert run.position("ball").values[-1, 2] >= -20.0
    assert all(np.isfinite(run.energy[word].values).all() for word in run.energy)


def test_nothing_is_known_far_above_the_atmosphere():
    with pytest.raises(cs.CosseratError, match=r"Fluid.at: nothing is known of \(0, 0, 0\) m: the standard atmosphere"):
        cs.Fluid(density="isa", altitude=100e3).at(0, 0, 0)


@pytest.mark.parametrize("argument", ["sigma", "length"])
def test_rows_of_unequal_length(argument):
    given = {"sigma": 1.0, "length": 100.0, "speed": 10.0, "seed": 1, argument: [[1, 2], [3]]}
    for build in (cs.winds.dryden, cs.winds.von_karman):
        with pytest.raises(cs.CosseratError, match=f"{argument} must be 3 numbers"):
            build(**given)
    with pytest.raises(cs.CosseratError, match="altitudes must be 2 numbers"):
        cs.winds.profile([[1, 2], [3]], [[1, 0, 0], [2, 0, 0]])


JUNK = ["x", -1.0, [], (1, 2), object(), True, [[1, 2], [3]], np.zeros((2, 2, 2)), lambda t: "x"]


@pytest.mark.parametrize("value", JUNK, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "build",
    [
        lambda x: cs.Aerodynamics("load", "body", area=1, rates=x),
        lambda x: cs.Rotor("load", "body", 1e-5, speed=100.0, direction=x),
        lambda x: cs.Propeller("load", "body", 0.4, 0.1, speed=100.0, direction=x),
        lambda x: cs.Propellant("load", "body", 1.0, 0.1, 100.0, inertia=x),
        lambda x: cs.Morison("load", "beam", diameter=x),
        lambda x: cs.Strip("load", "beam", cs.Airfoil(), chord=0.3, twist=x),
    ],
    ids=["rates", "direction", "direction of a propeller", "inertia", "diameter", "twist"],
)
def test_junk_is_located(build, value):
    """Errors of the library's own, if any."""
    model = cs.Model("m", gravity=(0, 0, -9.81), fluid=cs.Fluid(1.2))
    model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Beam("beam", points=[(0, 0, 1), (0, 1, 1)], section=cs.Rod(0.02), material=cs.materials.STEEL))
    with contextlib.suppress(cs.CosseratError):
        model.add(build(value))
        model.validate()
        assert all(np.isfinite(load.values).all() for load in model.state_loads)


@BOTH
@pytest.mark.parametrize(("at", "wind", "place"), [(20, 3, "(20, 0, 0)"), (4, 300, "(6, 0, ")])
def test_balance_outside_the_field_names_the_field_first(formulation, at, wind, place):
    # at the start, and on the way: at 300 m/s the drag would press it 65 m along its rail
    model = cs.Model("held", fluid=cs.Fluid(1.2, extent=((-5, -5, -50), (5, 5, 50)), velocity=(wind, 0, 0)))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(at, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(1, 0, 0), stiffness=10.0))
    model.add(cs.Aerodynamics("drag", ball, area=0.03, drag=0.4))
    message = cs.equilibrium(model, formulation=formulation).status.message
    said = message[message.index(": ") + 2 :]
    assert said.startswith(f"load 'drag' on 'ball' is at {place}")
    assert "the fluid's field goes from (-5, -5, -50) to (5, 5, 50) m" in said
    with pytest.raises(cs.CosseratError, match="load 'drag' on 'ball' is at"):
        cs.modes(model, 1, formulation=formulation)


@pytest.mark.parametrize("kind", ["Strip", "Morison"])
def test_widths_that_end_between_the_ends_are_located(kind):
    """At a node of the beam that is neither an end nor the middle."""
    model = cs.Model("wing", fluid=cs.Fluid(density=1.2))
    section = cs.Section(stiffness=[1e5] * 3 + [50.0] * 3, mass=[1.0] * 3 + [0.01] * 3)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (0, 2, 0)], section=section, elements=4))

    def width(s):
        return -0.1 if s == 0.25 else 0.1

    if kind == "Strip":
        model.add(cs.Strip("air", beam, cs.Airfoil(), chord=width))
    else:
        model.add(cs.Morison("air", beam, diameter=width))
    with pytest.raises(cs.CosseratError, match=r"'air': (chord|diameter) at s = 0\.25 is -0\.1; it must be greater"):
        model.validate()


def test_winds_say_what_they_lack_and_where_they_fail():
    with pytest.raises(cs.CosseratError, match=r"gust: missing a required argument: 'duration'; accepted arguments: "):
        cs.winds.gust(2.0)
    wind = cs.Fluid(density=1.0, velocity=lambda x, y, z, t: (1 / (x - x), 0, 0))
    with pytest.raises(cs.CosseratError, match=r"density or velocity gives no numbers at this point: .*division"):
        wind.at(0, 0, 0)


@pytest.mark.parametrize(
    "make",
    [
        lambda p: cs.AddedMass.sphere("a", "body", p),
        lambda p: cs.AddedMass.cylinder("a", "body", 0.1, 2 * p),
        lambda p: cs.AddedMass.disc("a", "body", p),
        lambda p: cs.AddedMass.ellipsoid("a", "body", (p, 0.1, 0.1)),
        lambda p: cs.winds.power_law(p, height=10.0),
        lambda p: cs.winds.gust(2.0 * p, 1.0),
        lambda p: cs.winds.profile([0, 10], [(0, 0, 0), (p, 0, 0)]),
    ],
)
def test_numbers_that_would_not_follow_a_parameter_are_refused(make):
    """They were taken once: the model had no such parameter, or a change of it changed nothing."""
    with pytest.raises(cs.CosseratError, match="may not depend on the parameter 'p'"):
        make(cs.Parameter("p", 0.5))
