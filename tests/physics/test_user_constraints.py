"""Constraints given by a law of the user's: against joints, knife edges and rolling discs, and closed forms."""

import pickle

import numpy as np
import pytest

import cosserat as cs

FORMULATIONS = ("galilean", "floating")
G = 9.81
STEEL = cs.Material(E=210e9, nu=0.3, rho=7850)
SQUARE = cs.Rectangle(width=0.02, height=0.02)


def on_circle(t, frame, parameters):
    """A place stays at a distance from the origin, in the plane y = 0."""
    return (np.sqrt(frame[0, 3] ** 2 + frame[2, 3] ** 2) - parameters["radius"],)


def on_sphere(t, frame, parameters):
    """A place stays at a distance from the other one."""
    return (np.sqrt(frame[0, 3] ** 2 + frame[1, 3] ** 2 + frame[2, 3] ** 2) - parameters["radius"],)


def across(t, frame, twist, parameters):
    """A knife edge along y of the place."""
    return (twist[1],)


def in_slot(t, frame, parameters):
    """The place stays in the slot y = 0 of the other one."""
    return (frame[1, 3],)


def along_slot(t, frame, twist, parameters):
    """The rate of `in_slot`."""
    return (frame[1, 0] * twist[0] + frame[1, 1] * twist[1] + frame[1, 2] * twist[2],)


def rolls(t, frame, twist, parameters):
    """The lowest point of a disc with its axis along y of the place has no velocity in the plane z = 0."""
    a = parameters["radius"]
    c = frame[2, 1]  # of the axis along the normal
    s = np.sqrt(1.0 - c * c)
    low = np.zeros(3)  # to the lowest point, in the place's axes
    velocity = np.zeros(3)
    for i in range(3):
        low[i] = -a * (frame[2, i] - (c if i == 1 else 0.0)) / s
    velocity[0] = twist[0] + twist[4] * low[2] - twist[5] * low[1]
    velocity[1] = twist[1] + twist[5] * low[0] - twist[3] * low[2]
    velocity[2] = twist[2] + twist[3] * low[1] - twist[4] * low[0]
    out = np.zeros(2)
    for i in range(2):
        for j in range(3):
            out[i] += frame[i, j] * velocity[j]
    return out


def touches(t, frame, parameters):
    """The gap of that disc."""
    return (frame[2, 3] - parameters["radius"] * np.sqrt(1.0 - frame[2, 1] ** 2),)


def pendulum(angle=0.0, speed=0.0, length=2.0, law=True):
    """A body that does not turn, on a circle."""
    x, z = length * np.sin(angle), -length * np.cos(angle)
    model = cs.Model("pendulum", gravity=(0, 0, -G))
    velocity = (speed * np.cos(angle), 0.0, speed * np.sin(angle))
    bob = model.add(cs.RigidBody("bob", mass=3, com=(x, 0, z), inertia=0.1 * np.eye(3), velocity=velocity))
    model.add(cs.PlanarTranslation("plane", cs.GROUND, bob, normal=(0, 1, 0), at=(x, 0, z)))
    if law:
        radius = cs.Parameter("radius", length)
        model.add(cs.Constraint("circle", bob, on_circle, {"radius": radius}))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_bead_on_a_circle_swings_as_a_pendulum(formulation):
    found = cs.modes(pendulum(), 1, formulation=formulation)
    assert found.frequencies[0] == pytest.approx(np.sqrt(G / 2) / (2 * np.pi), rel=1e-7)
    linear = cs.linearize(pendulum(), ["bob.fx"], ["bob.x"], formulation=formulation)
    assert np.sort(np.linalg.eigvals(linear.A).imag) == pytest.approx([-np.sqrt(G / 2), np.sqrt(G / 2)], rel=1e-7)
    assert linear.transfer(0.0)[0, 0].real == pytest.approx(2 / (3 * G), rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_it_comes_to_rest_below(formulation):
    model = pendulum(0.3)
    model.add(cs.Force("push", model["bob"], (3 * G, 0, 0)))
    found = cs.equilibrium(model, formulation=formulation)
    assert found.status.ok
    assert found.position("bob") == pytest.approx([np.sqrt(2), 0, -np.sqrt(2)], abs=1e-8)
    assert found.reaction("circle")[:3] == pytest.approx([-3 * G, 0, 3 * G], rel=1e-7)


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("galilean", "generalized-alpha"), ("galilean", "energy-momentum"), ("floating", "generalized-alpha"),
     ("floating", "runge-kutta")],
)  # fmt: skip
def test_a_swinging_bead_keeps_its_energy_and_turns_as_the_elliptic_function(formulation, integrator):
    from scipy.special import ellipj, ellipk

    m = np.sin(0.5) ** 2  # released at 1 rad
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(pendulum(1.0), 1.0, step, formulation=formulation, integrator=integrator)
        assert run.status.ok
        assert float(run.monitors.violation().max()) < 1e-9
        x = run.position("bob").values[-1, 0]
        sn = ellipj(ellipk(m) - np.sqrt(G / 2), m)[0]
        errors.append(abs(np.arcsin(x / 2) - 2 * np.arcsin(np.sqrt(m) * sn)))
        if integrator == "energy-momentum":
            total = run.energy["total"].values
            assert np.ptp(total) < 1e-9
    assert errors[0] < 1e-3
    assert errors[0] / max(errors[1], 1e-12) > (3.5 if integrator != "runge-kutta" else 12.0)
    # the tension: weight along the wire, and m v^2/r
    v, p = run.velocity("bob").values[-1], run.position("bob").values[-1]
    tension = 3 * (G * -p[2] / 2 + v @ v / 2)
    assert run.reaction("circle").values[-1, :3] == pytest.approx(-tension * p / 2, abs=2e-2)


def two_bodies(law, level):
    """An arm that turns, and a body that slides in its slot, held by a spring."""
    model = cs.Model("slot")
    arm = model.add(cs.RigidBody("arm", 2, (0, 0, 0), np.diag([1.0, 1.0, 2.0]), angular_velocity=(0, 0, 1)))
    bead = model.add(cs.RigidBody("bead", mass=1, com=(0.5, 0, 0), inertia=0.1 * np.eye(3), velocity=(0, 0.5, 0)))
    model.add(cs.Revolute("hinge", cs.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(cs.Planar("table", cs.GROUND, bead, normal=(0, 0, 1), at=(0.5, 0, 0)))
    model.add(cs.Spring("spring", arm.at((0, 0, 0)), bead, stiffness=5.0, length=0.3))
    model.add(cs.Constraint("slot", bead, law, other=arm, level=level))
    return model


@pytest.mark.parametrize(("law", "level"), [(in_slot, "position"), (along_slot, "velocity")])
def test_two_bodies_conserve_energy_and_angular_momentum(law, level):
    best = cs.simulate(two_bodies(law, level), 2.0, 0.002, formulation="floating", integrator="runge-kutta")
    assert np.ptp(best.energy["total"].values) < 1e-11
    run = cs.simulate(two_bodies(law, level), 2.0, 0.004, integrator="energy-momentum")
    assert np.ptp(run.energy["total"].values) < 1e-11
    assert np.ptp(run.momentum.values[:, 5]) < 1e-11
    for formulation in FORMULATIONS:
        errors = []
        for step in (0.008, 0.004):
            run = cs.simulate(two_bodies(law, level), 2.0, step, formulation=formulation)
            errors.append(np.abs(run.position("bead").values[-1] - best.position("bead").values[-1]).max())
            assert float(np.abs(run.reaction("slot").values[-1] - best.reaction("slot").values[-1]).max()) < 1e-3
        assert errors[1] < 2e-5
        assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_knife_edge_by_a_law_is_a_knife_edge(formulation):
    ends = []
    for by_law in (True, False):
        body = cs.RigidBody("skate", 2, (0, 0, 0), np.eye(3), velocity=(1, -0.2, 0), angular_velocity=(0, 0, 1))
        model = cs.Model("skate", gravity=(0, -1.0, 0))
        model.add(body)
        model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
        edge = body.at((0.2, 0, 0))
        model.add(
            cs.Constraint("edge", edge, across, level="velocity") if by_law else cs.KnifeEdge("edge", edge, (0, 1, 0))
        )
        run = cs.simulate(model, 2.0, 0.01, formulation=formulation)
        assert run.status.ok
        assert float(run.slip("edge").max()) < 1e-9
        ends.append((run.position("skate").values, run.reaction("edge").values))
    assert np.abs(ends[0][0] - ends[1][0]).max() < 1e-8
    assert np.abs(ends[0][1] - ends[1][1]).max() < 1e-6


def wheel(by_law, speed):
    """A disc that rolls upright, in a fork that does not turn with it."""
    model = cs.Model("wheel", gravity=(0, 0, -G))
    fork = model.add(cs.RigidBody("fork", 0.05, (0, 0, 0.5), 1e-3 * np.eye(3), velocity=(speed, 0, 0)))
    body = model.add(cs.RigidBody("disc", 0.1, (0, 0, 0.5), (6.25e-3, 12.5e-3, 6.25e-3), velocity=(speed, 0, 0),
                                  angular_velocity=(0, speed / 0.5, 0)))  # fmt: skip
    model.add(cs.Revolute("axle", fork, body, at=(0, 0, 0.5), axis=(0, 1, 0)))
    if by_law:
        model.add(cs.Constraint("gap", body, touches, {"radius": 0.5}))
        model.add(cs.Constraint("roll", body, rolls, {"radius": 0.5}, level="velocity"))
    else:
        model.add(cs.RollingDisc("roll", body, radius=0.5, axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_a_disc_that_rolls_by_laws_has_the_eigenvalues_of_the_rolling_disc(formulation, speed):
    large = []
    for by_law in (True, False):
        model = wheel(by_law, speed)
        linear = cs.linearize(model, ["fork.mx"], ["fork.y"], about="motion", formulation=formulation)
        values = np.sort_complex(np.linalg.eigvals(linear.A))
        large.append(values[np.abs(values) > 1e-2])
    assert len(large[0]) == len(large[1]) == 2
    assert large[0] == pytest.approx(large[1], rel=1e-6)


def test_a_constraint_that_moves_drives():
    def lifted(t, frame, parameters):
        return (frame[2, 3] - parameters["a"] * np.sin(parameters["w"] * t), frame[0, 3], frame[1, 3])

    for formulation in FORMULATIONS:
        model = cs.Model("lift", gravity=(0, 0, -G))
        body = model.add(cs.RigidBody("body", 2, (0, 0, 0), np.eye(3)))
        model.add(cs.Constraint("lift", body, lifted, {"a": 0.1, "w": 5.0}))
        run = cs.simulate(model, 1.0, 0.005, formulation=formulation)
        z = 0.1 * np.sin(5.0 * run.time)
        assert run.status.ok
        assert np.abs(run.position("body").values[:, 2] - z).max() < 1e-12
        assert np.abs(run.reaction("lift").values[:, 2] - 2 * (G - 25.0 * z)).max() < 0.02


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_end_of_a_beam_at_a_height(formulation):
    """The end of a cantilever, held at a height by a law: the reaction of a propped beam, 3 EI w/L^3."""
    model = cs.Model("prop")
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=SQUARE, material=STEEL, elements=4))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))

    def height(t, frame, parameters):
        return (frame[2, 3] - parameters["w"],)

    model.add(cs.Constraint("prop", beam.end, height, {"w": 1e-5}))
    found = cs.equilibrium(model, formulation="galilean" if formulation == "galilean" else cs.Floating(modes=4))
    assert found.status.ok
    stiffness = 3 * STEEL.E * 0.02**4 / 12
    assert found.reaction("prop")[2] == pytest.approx(stiffness * 1e-5, rel=2e-3)


def test_it_is_kept_in_files_and_pickled(tmp_path):
    import pickle

    run = cs.simulate(pendulum(1.0), 0.1, 0.01)
    run.save(tmp_path / "run.nc")
    back = cs.load_run(tmp_path / "run.nc")
    assert np.array_equal(back.reaction("circle").values, run.reaction("circle").values)
    assert np.array_equal(pickle.loads(pickle.dumps(run)).slip("circle").values, run.slip("circle").values)
    assert "circle.reaction" in back.data


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_stability_follows_a_parameter_of_the_law(formulation):
    """A pendulum that gets longer: at the old length its forces balance, too, but its constraint is not met."""
    lengths = np.array([1.0, 2.0, 3.0])
    found = cs.stability(pendulum(), "radius", lengths, n=1, formulation=formulation)
    assert 2 * np.pi * found.frequencies[:, 0] == pytest.approx(np.sqrt(G / lengths), rel=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("first", [0.0, 0.3])
def test_a_belt_that_moves_carries_along(formulation, first):
    """A velocity that is demanded: it need not be zero, and says nothing about where the place is."""

    def belt(t, frame, twist, parameters):
        return (twist[0] - parameters["v"] * np.cos(t),)

    model = cs.Model("belt")
    body = model.add(cs.RigidBody("body", 2, (1, 0, 0), np.eye(3), velocity=(first, 0, 0) if first else None))
    model.add(cs.Constraint("belt", body, belt, {"v": 0.3}, level="velocity"))
    run = cs.simulate(model, 1.0, 0.01, formulation=formulation)
    assert run.status.ok
    assert np.abs(run.velocity("body").values[:, 0] - 0.3 * np.cos(run.time)).max() < 1e-9
    assert run.position("body").values[-1] == pytest.approx([1 + 0.3 * np.sin(1.0), 0, 0], abs=1e-5)
    assert run.reaction("belt").values[-1, 0] == pytest.approx(-0.6 * np.sin(1.0), abs=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spin_is_refused_by_name(formulation):
    with pytest.raises(cs.CosseratError, match="constraint 'circle' has a law that may not turn along"):
        cs.modes(pendulum(), 1, spin=(0, 0, 1.0), formulation=formulation)


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_formulas_in_files_are_the_functions(level, tmp_path):
    """A bead on a sphere by one formula, and a skate by another, as by functions; read from files."""

    def sphere(t, frame, parameters):
        x, y, z = frame[0, 3], frame[1, 3], frame[2, 3]
        return (np.sqrt(x**2 + y**2 + z**2) - parameters["radius"],)

    def skate(t, frame, twist, parameters):
        return (twist[1] - 0.1 * parameters["radius"] * twist[5],)

    def build(law):
        model = cs.Model("bead", gravity=(1.0, 0, -9.81))
        start = {"velocity": (0, 2.0 if level == "position" else 0.0, 0), "angular_velocity": (0, 0, 0.0)}
        model.add(cs.RigidBody("bead", mass=1.0, com=(1, 0, 0), inertia=0.01 * np.eye(3), **start))
        model.add(cs.Constraint("rule", "bead", law, {"radius": cs.Parameter("radius", 1.0)}, level=level))
        return model

    law, text = (sphere, "sqrt(x**2 + y**2 + z**2) - radius") if level == "position" else (skate, "vy - 0.1*radius*wz")
    written = build([text])
    cs.save_model(written, tmp_path / "bead.yaml")
    read = cs.load_model(tmp_path / "bead.yaml")
    assert read == written == pickle.loads(pickle.dumps(written))
    assert build(text)["rule"].held == build(law)["rule"].held
    runs = [cs.simulate(model, 0.3, 0.01) for model in (build(law), read)]
    np.testing.assert_allclose(runs[1].position("bead"), runs[0].position("bead"), rtol=0, atol=1e-12)


def test_bad_formulas_of_constraints():
    body = cs.RigidBody("bead", mass=1.0, com=(1, 0, 0), inertia=0.01 * np.eye(3))
    for law, words in ((["x + q"], "unknown name 'q'"), (["vx"], "unknown name 'vx'"), ([None], "must be a formula")):
        with pytest.raises(cs.CosseratError, match=words):
            cs.Constraint("rule", body, law)
    with pytest.raises(cs.CosseratError, match="constraint 'rule': parameters has the name 'x', which formulas use"):
        cs.Constraint("rule", body, ["x"], {"x": 1.0})


def lifted_by_a_step(t, frame, parameters):
    """The place is lifted at once."""
    height = 0.0
    if t > 0.25:
        height = 0.05
    return (frame[2, 3] - height,)


def lifted_by_rounding(t, frame, parameters):
    """The same, without a comparison."""
    return (frame[2, 3] - 0.05 * np.floor(t / 0.25 - 0.3),)


def counted_otherwise(t, frame, parameters):
    """The same height all the time, counted in other units from some time on."""
    unit = 1.0
    if t > 0.25:
        unit = 100.0
    return (unit * frame[2, 3],)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_positions_that_jump_are_refused(formulation):
    """They were followed in one step: by 10 m/s, or without a velocity at all, and the status was ok."""

    def lifted(law):
        model = cs.Model("lifted", gravity=(0, 0, -G))
        bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0.3, 0, 0), inertia=0.1 * np.eye(3)))
        model.add(cs.Revolute("pivot", cs.GROUND, bob, axis=(0, 1, 0), at=(0, 0, 0)))
        model.add(cs.Constraint("lift", bob, law))
        return model

    for law, at in ((lifted_by_a_step, 0.25), (lifted_by_rounding, 0.075)):
        with pytest.raises(cs.CosseratError, match=rf"constraint 'lift': what it demands .* jumps at t = {at} s"):
            cs.simulate(lifted(law), 0.5, 0.01, formulation=formulation)
    run = cs.simulate(lifted(counted_otherwise), 0.5, 0.01, formulation=formulation)
    assert run.status.ok
    assert float(abs(run.velocity("bob")).max()) < 1e-9
