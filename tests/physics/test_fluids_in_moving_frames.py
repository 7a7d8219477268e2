"""Propellant, fluids and rotors in frames that move: the same model in a Galilean frame, seen from there."""

import numpy as np
import pytest

import cosserat as cs

FORMULATIONS = ("galilean", "floating")
SHIP = cs.Observer(
    origin=("2*t + 0.3*sin(t)", "0.2*t**2", "0.1*cos(2*t)"),
    turns=[((0, 0, 1), "0.4*t + 0.2*sin(t)"), ((1, 0, 0), "0.3*sin(1.5*t)")],
)
TABLE = cs.Observer(turns=[((0, 0, 1), "1.5*t")])
X, V, W = np.array([1.0, 0.5, -0.2]), np.array([0.2, -0.1, 0.3]), np.array([0.3, -0.5, 0.8])
INERTIA = np.diag([0.2, 0.3, 0.4])


class Side:
    """One of both descriptions: in a frame, or in space; points and directions are given along the frame's axes."""

    def __init__(self, frame, inside):
        self.frame, self.inside, self.start = frame, inside, frame.motion([0.0])

    def model(self, **more):
        model = cs.Model("m", frame=self.frame if self.inside else None, **more)
        R, O = self.start.rotation[0], self.start.omega[0]
        velocity = V if self.inside else self.start.velocity[0] + np.cross(O, R @ X) + R @ V
        body = cs.RigidBody("body", mass=2, com=self.at(X), inertia=INERTIA, rotation=np.eye(3) if self.inside else R,
                            velocity=velocity, angular_velocity=W if self.inside else O + R @ W)  # fmt: skip
        return model, model.add(body)

    def at(self, point):
        return np.asarray(point) if self.inside else self.start.origin[0] + self.start.rotation[0] @ np.asarray(point)

    def along(self, direction):
        return direction if self.inside else self.start.rotation[0] @ np.asarray(direction)


def current(x, y, z, t):
    """A flow in space."""
    return 0.3 + 0.1 * y - 0.05 * t * x, 0.2 * np.sin(x + t), 0.1 * z


def current_on_ship(x, y, z, t):
    """The same seen from the ship: R^T (u - V) - O x r, written out."""
    a, b = 0.4 * t + 0.2 * np.sin(t), 0.3 * np.sin(1.5 * t)
    c1, s1, c2, s2 = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
    u = current(
        2.0 * t + 0.3 * np.sin(t) + c1 * x - s1 * c2 * y + s1 * s2 * z,
        0.2 * t**2 + s1 * x + c1 * c2 * y - c1 * s2 * z,
        0.1 * np.cos(2.0 * t) + s2 * y + c2 * z,
        t,
    )
    p, q, r = u[0] - 2.0 - 0.3 * np.cos(t), u[1] - 0.4 * t, u[2] + 0.2 * np.sin(2.0 * t)
    da, ox = 0.4 + 0.2 * np.cos(t), 0.45 * np.cos(1.5 * t)
    oy, oz = s2 * da, c2 * da
    return (
        c1 * p + s1 * q - (oy * z - oz * y),
        -s1 * c2 * p + c1 * c2 * q + s2 * r - (oz * x - ox * z),
        s1 * s2 * p - c1 * s2 * q + c2 * r - (ox * y - oy * x),
    )


def flowing(side):
    return cs.Fluid(density=1.3, velocity=current_on_ship if side.inside else current)


def added_mass(side):
    model, body = side.model(fluid=flowing(side))
    A = np.diag([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    A[0, 4] = A[4, 0] = 0.1
    A[1, 3] = A[3, 1] = -0.2
    model.add(cs.AddedMass("water", body, A, volume=0.7, centre=side.at((1.1, 0.4, -0.3))))
    return model


def rocket(side, **more):
    model, body = side.model(**more)
    centres = side.at((1.2, 0.5, -0.2)), side.at((0.8, 0.6, -0.2))
    model.add(cs.Propellant("fuel", body, mass=3.0, rate="0.5 + 0.1*t", exhaust=20.0, nozzle=side.at((0.4, 0.5, -0.2)),
                            direction=side.along((1, 0.2, 0)), up=side.along((0, 0, 1)), centre=centres,
                            inertia=(0.1, 0.2, 0.3)))  # fmt: skip
    return model


def rocket_about_a_planet(side):
    return rocket(side, gravity=cs.CentralGravity(5.0, centre=(0, -3, 0)))


def rotor(side):
    model, body = side.model()
    model.add(cs.Rotor("rotor", body, 1e-3, 1e-4, speed=50.0, inertia=0.02, axis=side.along((1, 0.2, 0))))
    return model


def airplane(side):
    model, body = side.model(fluid=flowing(side))
    rates = {"pitch_q": -3.0, "roll_p": -0.5, "yaw_r": -0.2}
    model.add(cs.Aerodynamics("air", body, area=1, chord=0.5, span=2, lift=[(-4, -4), (4, 4)], drag=0.1, rates=rates,
                              forward=side.along((1, 0, 0)), up=side.along((0, 0, 1))))  # fmt: skip
    return model


def wing(side):
    model, body = side.model(fluid=flowing(side))
    model.add(cs.Strip("air", body.at(side.at((1.2, 0.4, -0.1))), cs.Airfoil(), chord=0.5, width=2.0, axis=0.3,
                       forward=side.along((1, 0, 0)), up=side.along((0, 0, 1))))  # fmt: skip
    return model


@pytest.mark.filterwarnings("ignore:.*angle of attack")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("build", [added_mass, rocket, rocket_about_a_planet, rotor, airplane, wing])
def test_accelerations_in_a_ship(build, formulation):
    """At a state in which all of it moves and turns, the frame accelerates and the flow changes in space and time."""
    inside, outside = (cs.simulate(build(Side(SHIP, i)), 0.02, 0.01, formulation=formulation) for i in (True, False))
    seen = outside.seen_from(SHIP)
    for name in ("acceleration", "angular_acceleration"):
        got, wanted = (getattr(r, name)("body").values[0] for r in (inside, seen))
        np.testing.assert_allclose(got, wanted, atol=1e-8)


def submerged(side):
    """A spheroid in water that turns with the table: at rest for it."""

    def turning(x, y, z, t):
        return -1.5 * y, 1.5 * x, 0.0

    fluid = cs.Fluid(density=2.0, velocity=(0, 0, 0) if side.inside else turning)
    model, body = side.model(fluid=fluid)
    model.add(cs.AddedMass.ellipsoid("water", body, (0.8, 0.4, 0.4)))
    model.add(cs.Aerodynamics("drag", body, areas=(0.1, 0.3, 0.3)))
    return model


@pytest.mark.parametrize(
    ("build", "frame"),
    [(rocket, cs.Observer.earth(0.8)), (rocket_about_a_planet, TABLE), (submerged, TABLE)],
    ids=["rocket on the Earth", "rocket in orbit", "submerged"],
)
def test_runs(build, frame):
    """The whole motion, to the accuracy of fine steps of fourth order."""
    fine = {"formulation": "floating", "integrator": "runge-kutta"}
    inside, outside = (cs.simulate(build(Side(frame, i)), 1.0, 0.002, **fine) for i in (True, False))
    seen = outside.seen_from(frame)
    for name in ("position", "velocity", "rotation", "angular_velocity"):
        got, wanted = (getattr(r, name)("body").values for r in (inside, seen))
        np.testing.assert_allclose(got, wanted, atol=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_neutral_body_rests_in_water_that_turns_with_the_table(formulation):
    """Its apparent forces are those of the water that it displaces: no motion, and none of the scheme's making."""
    model = cs.Model("basin", frame=TABLE, gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, density=1000.0, com=(1.0, 0.3, 0.0)))
    model.add(cs.Buoyancy("lift", ball))
    model.add(cs.AddedMass.sphere("water", ball, diameter=0.2))
    run = cs.simulate(model, 1.0, 0.01, formulation=formulation)
    assert np.abs(run.position("ball").values - (1.0, 0.3, 0.0)).max() < 1e-12


def curved(side, **more):
    """A tapered arc with its mass beside its axis, which nothing holds; a force acts between the nodes of its mesh."""
    start, R, O = side.start, side.start.rotation[0], side.start.omega[0]

    def line(s):
        return side.at((0.5 + s, 0.3 * s**2, 0.2 * s))

    def moved(point):
        if side.inside:
            return (0.1, -0.2, 0.3, 0.2, 0.1, -0.4)
        velocity = start.velocity[0] + np.cross(O, np.asarray(point) - start.origin[0]) + R @ (0.1, -0.2, 0.3)
        return (*velocity, *(O + R @ (0.2, 0.1, -0.4)))

    mass = np.diag([0.5, 0.5, 0.5, 3e-3, 1e-3, 2e-3])
    mass[0, 5] = mass[5, 0] = 0.5 * -0.02
    mass[2, 3] = mass[3, 2] = 0.5 * 0.02
    sections = [cs.Section(stiffness=k * np.diag([1e5, 1e5, 1e5, 20, 30, 30]), mass=k * mass) for k in (1.0, 0.6)]
    model = cs.Model("m", frame=side.frame if side.inside else None, **more)
    up = side.along((0, 0, 1))
    model.add(cs.Beam("beam", curve=line, section=tuple(sections), elements=3, up=up, velocity=moved))
    model.add(cs.Force("push", "beam.at(0.4)", side.along((1.0, 2.0, -1.0)), follower=True))
    return model


def cable(side):
    model = curved(side, fluid=flowing(side))
    model.add(cs.Morison("water", "beam", diameter=0.2, drag=1.1, added_mass=0.8))
    return model


def hose(side):
    model = curved(side)
    model.add(cs.PipeFlow("water", "beam", mass=0.7, speed=3.0))
    return model


def wing_along_a_beam(side):
    model = curved(side, fluid=flowing(side))
    model.add(cs.Strip("air", "beam", cs.Airfoil(), chord=0.3, axis=0.4, forward=side.along((0, 1, 0)),
                       up=side.along((0, 0, 1))))  # fmt: skip
    return model


@pytest.mark.filterwarnings("ignore:.*angle of attack")
@pytest.mark.parametrize("build", [curved, cable, hose, wing_along_a_beam])
def test_accelerations_of_beams_in_a_ship(build):
    """Apparent forces with the inertia of the elements: those of the same elements in space, not only in the limit."""
    inside, outside = (cs.simulate(build(Side(SHIP, i)), 2e-3, 1e-3) for i in (True, False))
    seen = outside.seen_from(SHIP)
    for place in ("beam.start", "beam.at(0.4)", "beam.end"):
        for name in ("acceleration", "angular_acceleration"):
            got, wanted = (getattr(r, name)(place).values[0] for r in (inside, seen))
            np.testing.assert_allclose(got, wanted, atol=2e-8 * np.abs(wanted).max())


def test_a_beam_that_turns_steadily():
    """The same with spin=: shape, forces and frequencies, for a coarse mesh."""
    section = cs.Section(stiffness=np.diag([1e3, 1e3, 1e3, 10, 10, 10]), mass=np.diag([0.5] * 3 + [1e-3] * 3))
    axis = np.array([0.2, 0, 1]) / np.linalg.norm([0.2, 0, 1])

    def bar(**more):
        model = cs.Model("bar", **more)
        beam = model.add(cs.Beam("bar", points=[(0, 0, 0), (1, 0.3, 0)], section=section, elements=3))
        model.add(cs.Fixed("root", cs.GROUND, beam.start))
        return model

    table, spin = bar(frame=cs.Observer(turns=[(axis, "2*t")])), {"spin": tuple(2.0 * axis)}
    seen, turned = cs.equilibrium(table), cs.equilibrium(bar(), **spin)
    np.testing.assert_allclose(seen.position("bar.end"), turned.position("bar.end"), atol=1e-13)
    for s in (0.0, 0.2, 0.7):
        forces = seen.section_force("bar", s), turned.section_force("bar", s)
        np.testing.assert_allclose(*forces, atol=1e-11)
    frequencies = cs.modes(table, 6).frequencies, cs.modes(bar(), 6, **spin).frequencies
    np.testing.assert_allclose(*frequencies, rtol=1e-8)
    output = "bar.start.section_force"
    got, wanted = cs.linearize(table, (), output).C, cs.linearize(bar(), (), output, **spin).C
    np.testing.assert_allclose(np.abs(got), np.abs(wanted), atol=1e-6 * np.abs(wanted).max())  # but for signs of modes


def test_a_coarse_beam_swings_on_a_turntable_as_in_space():
    """With one step size both runs have the scheme's error; it is the frame's part that is compared, by halving it."""
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        inside, outside = (cs.simulate(curved(Side(TABLE, i)), 0.1, h, rho=0.8) for i in (True, False))
        ends = (run.position("beam.end").values[-1] for run in (inside, outside.seen_from(TABLE)))
        errors.append(float(np.abs(np.subtract(*ends)).max()))
    assert errors[0] / errors[2] > 12  # second order in the step, and no rest
